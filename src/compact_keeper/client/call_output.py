"""What the client itself writes into an output of a call: exit code, what stopped it, a refusal, a background name."""

from __future__ import annotations

import re

from compact_keeper.text.holding import holds_any
from compact_keeper.types import ClientEnd

CLIENTS_OWN = "\n<system-reminder>"  # behind what Read shows: it would pass for the file's words, and for an order
FOLDER_RESET = "Shell cwd was reset to "
FILES_MODIFIED = "[This command modified "  # "1 file you've previously read: a.py. Call Read before editing.]"
# Of the client's own shell, where it could not note its folder: "zsh:71: permission denied: /tmp/claude-4f2a-cwd".
FOLDER_NOT_NOTED = (
    r"(?m)^(?:Error: )?(?:[^\s:]{0,100}/)?\w{0,4}sh(?:\.exe)?: ?[^\n]{0,300}[/\\]claude-[0-9a-f]{4}-cwd"
    r"(?:: [^\n]{1,80})?(?:\n|\Z)")
FOLDER_NOTE = "-cwd"
CHATTER = (FOLDER_RESET, FILES_MODIFIED, "<system-reminder>")  # begin lines of the client's own below an output
# Below what WebSearch shows: "… in your response to the user", an order that nobody gave.
REMINDER_OF_SEARCH = "\n\nREMINDER: You MUST include the sources above"
ROW_NUMBER = r"(?m)^ {0,9}\d{1,7}[→\t]"  # before each row of a file that Read shows
EXIT_CODE = r"Exit code (\d{1,3})\b"
EXIT_CODE_LINE = rf"(?:Error: )?{EXIT_CODE}(?:\n|$)"
REFUSED_CALLS = (  # in place of an output
    "The user doesn't want to proceed with this tool use", "The user doesn't want to take this action",
    "Sibling tool call errored", "Cancelled: parallel tool call", "<tool_use_error>", "Permission to use ",
    "Permission for this action was denied", "This command requires approval", "Claude requested permissions to ")
# Behind the reason: "This Bash command contains multiple operations. The following part requires approval: ruff check".
NOT_PERMITTED = (r"[^\n]{0,300}?(?:\brequires? (?:explicit |manual )?approval\b"
                 r"|was blocked\. For security, Claude Code may only )")
PERMISSION_WORDS = ("approval", "was blocked. For security")
# What Read, or the client in its place, says of a file that is not shown whole: its size in the group.
TOO_LARGE = r"(?:File content|Output too large) \(([\d.,]+ ?(?:tokens|[KMG]B))\)(?: exceeds maximum allowed |\Z)"
CLIENT_FOLDER = "/.claude/"  # the client's own files: its memory, plans and the like
KEPT_BY_CLIENT = tuple(f"{CLIENT_FOLDER}{name}/" for name in ("plans", "projects", "todos"))  # no work
SAVED_OUTPUTS = "/tool-results/"  # the client's folder of outputs that it did not show whole, beside the transcript
INTERRUPTED_LINE = "[Request interrupted by user for tool use]"
# Before the output; of old clients its first row stands in the same one.
TIME_LIMIT = r"\s{0,9}Command timed out after (\d[\d.]{0,9}m?[hms](?: \d[\d.]{0,9}m?[hms]){0,2})(?:\s{1,9}|$)"
LIMIT_REACHED = "stopped by the tool's time limit"
KILLED = (None, 124, 137, 143)  # exit codes of a command that the client ended: a program may print the same words
IN_BACKGROUND = r"running in (?:the )?background(?: \w+){0,3} with ID: ?(\w+)|in background with ID: ?(\w+)"
BACKGROUND_NAME_CHARACTERS = 2_000  # of an output, in which the client names it
BACKGROUND_NOTICE_CHARACTERS = 400  # of an output, in which the client says so
BACKGROUND_NOTICES = ("in background with ID", "running in the background", "Async agent launched")


def without_row_numbers(shown: str) -> str:
    """The rows of a file as they stand there, of what Read shows of it."""
    return re.sub(ROW_NUMBER, "", shown)


def without_folder_note(output: str) -> str:
    """A shell's output without the rows in which the client's own shell says that it could not note its folder.

    Such a row had stood as why a command failed.
    """
    return re.sub(FOLDER_NOT_NOTED, "", output) if FOLDER_NOTE in output else output


def exit_code_in(output: str) -> int | None:
    """The exit code with which a failed command's output begins; None: it names none."""
    code = re.match(EXIT_CODE, output)
    return int(code[1]) if code else None


def without_repetition(output: str) -> str:
    """A failed command's output; clients up to 2.1.63 wrote of some all that it printed twice, an empty row between."""
    code_line = re.match(EXIT_CODE_LINE, output)
    begin = code_line.end() if code_line else 0
    printed = output[begin:].strip("\n")
    half = printed[:len(printed) // 2 - 1]
    return output[:begin] + half if printed == f"{half}\n\n{half}" else output


def end_by_client(output: str, is_error: bool | None, exit_code: int | None) -> ClientEnd:
    """The output without the client's words, and what they say; `is_error` and `exit_code` are those of its fields.

    From the output of a command that ended well its last rows alone are taken, in which the client says that it went
    back to the session's folder, or what files were changed: there other such words are the command's own.
    """
    output = without_clients_last_rows(output)
    if is_error is False:
        return {"output": output, "exit_code": exit_code or 0, "stopped": "", "is_refused": False}
    code_line = re.match(EXIT_CODE_LINE, output)
    code_in_output = int(code_line[1]) if code_line else None
    if code_line:
        output = output[code_line.end():]
    stopped, output = stopped_by(output, code_in_output)
    if exit_code is None:
        exit_code = code_in_output
    if exit_code is None and is_error:
        exit_code = 1
    is_refused = output.lstrip().startswith(REFUSED_CALLS)
    if is_error and not code_line and not is_refused:  # what a command prints stands behind its exit code
        is_refused = holds_any(output, PERMISSION_WORDS) and re.match(NOT_PERMITTED, output) is not None
    return {"output": output, "exit_code": None if stopped else exit_code, "stopped": stopped, "is_refused": is_refused}


def without_clients_last_rows(output: str) -> str:
    """The output without the last rows in which the client says which files changed, and to which folder it went back.

    "[This command modified 1 file …]" had stood as what a passed test printed.
    """
    for remark in (FILES_MODIFIED, FOLDER_RESET):
        rest, _, last = output.rstrip().rpartition("\n")
        output = rest if last.startswith(remark) else output
    return output


def stopped_by(output: str, exit_code: int | None) -> tuple[str, str]:
    """What ended a command before its own end, and its output; empty: nothing did. The exit code is that before it."""
    if output.startswith(INTERRUPTED_LINE):
        return "interrupted by the user", output[len(INTERRUPTED_LINE):]
    limit = re.match(TIME_LIMIT, output) if exit_code in KILLED else None
    if limit:
        return f"{LIMIT_REACHED} after {limit[1]}", output[limit.end():]
    return "", output


def name_in_background(output: str) -> str:
    """The name under which the client lets the command run on in the background; empty: it says nothing of that."""
    begin = output[:BACKGROUND_NAME_CHARACTERS]
    match = re.search(IN_BACKGROUND, begin) if "background" in begin else None
    return str(match[1] or match[2]) if match else ""


def is_put_in_background(output: str) -> bool:
    """Whether the client says in a call's output that the command, or the subagent, runs on in the background."""
    begin = output[:BACKGROUND_NOTICE_CHARACTERS]
    return any(notice in begin for notice in BACKGROUND_NOTICES)
