#!/usr/bin/env python3
"""Record one event of a Claude Code session in the session's ledger, and hand over a note that waits.

A hook for PostToolUse, PostToolUseFailure, UserPromptSubmit, SubagentStart and SubagentStop.

Reads   the hook's JSON on stdin (at most 4 MB).
Writes  one line to sessions/<session_id>/ledger.jsonl in the data folder, with one write call,
        so that parallel hooks lose nothing: time, event, tool, path or command, ok, exit code,
        first telling line of an error, duration, subagent, tool id; the words of a prompt; the
        task and the last words of a subagent.
Prints  nothing; when a note of audit_summary.py's waits, that, once, for the model: at a prompt or, in the middle of a
        turn, after a tool call of the main thread. With none waiting this costs one stat call. To a prompt that is a
        command of ours, such as /compact-keeper:show or :pin, what answer_command.py says.
Keeps   secrets out: what looks like a key, a token or a password becomes "[redacted: kind]"
        before anything is written. The ledger is private (0600) and only ever appended to.

Why a ledger beside the transcript: the client writes the transcript late. At an automatic
PreCompact the last tool results and the newest prompt are often not in the file yet, and
subagents' edits never are (measured with clients 2.1.150 and 2.1.329).

The data folder is $COMPACT_KEEPER_HOME, else $CLAUDE_CONFIG_DIR/compact-keeper, else
~/.claude/compact-keeper. COMPACT_KEEPER_OFF=1 switches the hook off; COMPACT_KEEPER_DEBUG=1
sends its log lines to stderr too.

To use a copy of this file alone, put it into a project's .claude/hooks and this into its
.claude/settings.json (the same entry for the other four events, the matcher for the two
PostToolUse ones only):

    {"hooks": {"PostToolUse": [{"matcher": "Bash|PowerShell|Edit|MultiEdit|Write|NotebookEdit|Task|Agent",
      "hooks": [{"type": "command", "timeout": 5,
        "command": "python3 -IS \\"$CLAUDE_PROJECT_DIR/.claude/hooks/record_event.py\\" || true"}]}]}}

Exits 0, whatever happens: a fault of ours must not cost the user anything. Python 3.9+, standard library only.
"""

from __future__ import annotations

import json
import os
import re
import stat
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache

TYPE_CHECKING = False  # typing itself is not imported: 2.7 ms of a 16 ms budget
if TYPE_CHECKING:
    from typing import Any

    Record = dict[str, Any]

STARTED = time.perf_counter()  # when this file was loaded: what the line's `hook_ms` counts from
PROMPT_LIMIT = 2_000  # UTF-16 units of a prompt; longer ones are mostly pasted text
COMMAND_LIMIT = 1_000  # a here-document's body tells nothing after its first lines
TASK_LIMIT = 500  # what a subagent was told, and its last words
NOTE_LIMIT = 2_000  # of a note on a summary
OWN_COMMANDS = "/compact-keeper"  # how prompts begin that are for us; recall's words are for the model too
OF_THE_CLIENT = ("<task-", "<teammate-")  # how prompts begin that no person typed: 2.1.250 tells so of a subagent's end

# --- shared: fields ---
def text_of(record: Record, name: str) -> str:
    """The field's text; empty when it is missing or something else."""
    return value if isinstance(value := record.get(name), str) else ""


def item(kind: str, at: Record, text: str, who: str, **more: Any) -> Record:
    """An item from the entry `at`; items of one kind with the same `key` (else the same text) are one item."""
    return {"kind": kind, "text": text, "who": who, "source": at["source"], "first": at["time"],
            "last": at["time"], "position": at["position"], "cycle": at["cycle"], "uses": 1, "status": "open", **more}
# --- end of shared: fields ---


# --- shared: hook ---
# Input, log and exit. Shared blocks stand in each script, as each must work when copied alone; a test holds them equal.
STDIN_LIMIT = 4 << 20  # bytes
SESSION_ID = re.compile(r"[\w.-]{0,127}[\w-]\Z", re.ASCII)  # it becomes a folder's name: no dot at its end
NO_BYTE = "[\ud800-\udc7f\udd00-\udfff]"  # the other lone surrogates stand for bytes of a name that is no UTF-8


class Refusal(Exception):
    """Says why an input or a file is not used."""


def read_input() -> Record:
    """The hook's JSON from stdin, checked: session id safe as a name, paths absolute or empty."""
    raw = sys.stdin.buffer.read(STDIN_LIMIT + 1)
    data = json.loads(raw.decode("utf-8", "replace")) if len(raw) <= STDIN_LIMIT else None
    if not isinstance(data, dict) or not SESSION_ID.match(text_of(data, "session_id")):
        raise Refusal(f"hook input of {len(raw)} bytes is no object with a usable session_id")
    paths = {name: text_of(data, name) for name in ("transcript_path", "cwd")}
    usable = {name: os.path.isabs(path) and "\0" not in path and (path.isascii() or not re.search(NO_BYTE, path))
              for name, path in paths.items()}
    return {**data, **{name: path * usable[name] for name, path in paths.items()}}


def log(message: str) -> None:
    """One line in hook.log, and on stderr with COMPACT_KEEPER_DEBUG=1; never fails itself."""
    line = time.strftime("%Y-%m-%dT%H:%M:%SZ ", time.gmtime()) + quote(f"{os.path.basename(__file__)}: {message}", 500)
    try:
        if os.environ.get("COMPACT_KEEPER_DEBUG"):
            sys.stderr.write(line + "\n")
        path = os.path.join(private_folder(), "hook.log")
        if os.path.exists(path) and os.path.getsize(path) > 256 << 10:  # a long log starts anew, the old one stays
            os.replace(path, path + ".1")
        append_line(path, line)
    except (OSError, ValueError, Refusal):
        pass


def place_of(fault: BaseException) -> str:
    """The file and line where the fault arose."""
    at = fault.__traceback__
    while at and at.tb_next:
        at = at.tb_next
    return f"{os.path.basename(at.tb_frame.f_code.co_filename)}:{at.tb_lineno}" if at else ""


def run_hook(body: Callable[[Record], None]) -> int:
    """0 always: a fault of ours ends in one line of hook.log, never in the user's way."""
    try:
        if not os.environ.get("COMPACT_KEEPER_OFF"):
            body(read_input())
    except Exception as fault:  # noqa: BLE001 - the one broad except, at the outermost line
        log(f"{type(fault).__name__}: {fault} ({place_of(fault)})")
    return 0
# --- end of shared: hook ---


# --- shared: files ---
# The data folder: folders 0700, files 0600, nothing written through a link, JSON files replaced as a whole.
SCHEMA = 1  # of every file and line we write; a file with another number is left alone
NO_LINK, NO_WAIT = getattr(os, "O_NOFOLLOW", 0), getattr(os, "O_NONBLOCK", 0)  # 0 on Windows


def data_home() -> str:
    """The data folder: one place, however the scripts were installed."""
    config = os.environ.get("CLAUDE_CONFIG_DIR") or os.path.join("~", ".claude")
    return os.path.expanduser(os.environ.get("COMPACT_KEEPER_HOME") or os.path.join(config, "compact-keeper"))


def private_folder(*names: str) -> str:
    """A folder below the data folder, made where missing, for the owner alone; a link is refused."""
    path = data_home()
    if path.startswith("~"):
        raise Refusal("no home folder is known; name a data folder in COMPACT_KEEPER_HOME")
    os.makedirs(path, mode=0o700, exist_ok=True)
    for name in names:
        path = os.path.join(path, name)
        if os.path.islink(path):
            raise Refusal(f"{path} is a link")
        os.makedirs(path, mode=0o700, exist_ok=True)
    return path


def open_regular(path: str, flags: int) -> int:
    """A descriptor of a regular file; a FIFO, device or folder is refused without waiting for it."""
    handle = os.open(path, flags | NO_WAIT, 0o600)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise Refusal(f"{path} is not a regular file")
    return handle


def append_line(path: str, line: str) -> None:
    """Appends the line with one write call, so that parallel hooks lose nothing; behind a torn line it begins anew."""
    handle = open_regular(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | NO_LINK)
    with os.fdopen(handle, "a+b", buffering=0) as file:
        torn = file.tell() and file.seek(-1, os.SEEK_END) >= 0 and file.read(1) != b"\n"
        file.write(("\n" * bool(torn) + line + "\n").encode("utf-8", "replace"))


def read_store(path: str) -> Record:
    """The file's object; empty when there is none or it is broken, refused when it has another schema."""
    try:
        with os.fdopen(open_regular(path, os.O_RDONLY | NO_LINK), "rb") as file:
            data = json.loads(file.read(8 << 20))
    except (FileNotFoundError, ValueError, RecursionError):
        return {}
    schema = data.get("schema") if isinstance(data, dict) else None
    if isinstance(schema, int) and schema != SCHEMA:
        raise Refusal(f"{path} has schema {schema}, not {SCHEMA}, and is left alone")
    return data if schema == SCHEMA else {}
# --- end of shared: files ---


# --- shared: size ---
def units(text: str) -> int:
    """The text's length as the client counts it: UTF-16 code units."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def cut(text: str, limit: int) -> str:
    """At most `limit` UTF-16 units of the text, an ellipsis at the end when something is missing."""
    if units(text) <= limit:
        return text
    raw = text.encode("utf-16-le", "surrogatepass")[: 2 * max(limit - 1, 0)]
    return raw.decode("utf-16-le", "ignore").rstrip() + "…"
# --- end of shared: size ---


# --- shared: words ---
# Text on its way to disk or to the model: disarmed, secrets out, cut. Cut last: half a token is not seen as one.
TEXT_LIMIT = 100_000  # characters looked at; what is longer is a pasted log
FEW_FORMS = (  # where secret_forms.py was not copied too: rather too much than too little
    ("secret", r"-----BEGIN [A-Z ]*PRIVATE KEY.*|(?<![\w.=+-])(?=[\w.=+-]*(?:\d|[a-z][A-Z]{2}))[\w.=+-]{20,}"),
    ("secret", r"(?i)(?P<keep>(?:pass\w*|pwd|secret|token|key|auth)[\"']?\s*[:=]>?[\s\"']*|://|-\w+ "
     r"|basic |bearer )(?!\[redacted)(?=\S*[\d@])[^\s\"']{4,}"))
CONTROLS = (r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b."  # and carriers of hidden text
            r"|[\0-\x08\x0e-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f"
            r"\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0e\ufeff\uffa0\ufff0-\ufffb\U0001d173-\U0001d17a"
            r"\U000e0000-\U000e0fff]|[\u200c\u200d](?<![^\0-\u061c\u1100-\u11ff\u1e00-\u20ff\u3164\ufe00-\uffff].)")
TAGS = (r"(?i)[<\ufe64\uff1c](?=[\s/]*(?:system|user|human|assistant|command|local-|bash-|task-|team|tool|function"
        r"|invoke|parameter|antml|ide_|persisted|total_|new-diagnostics|compact-keeper|thinking|channel|\|\w"
        r"|\w{0,20}[\u0370-\u052f\uff21-\uff5a\U0001d400-\U0001d7ff]))")  # letters that pass for Latin ones


def clean(text: str) -> str:
    """The text, if long its beginning, without what does not show and lone surrogates, the client's tags disarmed."""
    text = text if len(text) <= TEXT_LIMIT else "".join(text[:TEXT_LIMIT].rsplit(None, 1)[:1])  # no half of a word
    if not (text.isascii() and text.replace("\n", "").isprintable()):
        text = re.sub(CONTROLS, "", text.replace("\ufe0f", "")).encode("utf-8", "replace").decode()
        text = "\n".join(text.splitlines()).rstrip("\n")
    return re.sub(TAGS, "‹", text) if "<" in text or not text.isascii() else text


@lru_cache(maxsize=1)
def secret_forms() -> Callable[[str], Iterable[tuple[str, str]]]:
    """What tells which secrets a text may hold: their kinds and patterns."""
    try:
        from secret_forms import forms_for
    except ImportError:
        return lambda _: FEW_FORMS
    return forms_for


def redact(text: str) -> str:
    """The text with each secret replaced by `[redacted: kind]`, but for `keep`; twice changes nothing."""
    for kind, pattern in secret_forms()(text):
        text = re.sub(pattern, r"\g<keep>" * ("<keep>" in pattern) + f"[redacted: {kind}]", text, flags=re.DOTALL)
    return text


@lru_cache(maxsize=512)  # paths and commands come again and again
def quote(text: str, limit: int) -> str:
    """The text on one line, clean and redacted, at most `limit` UTF-16 units; what lies far behind is not read."""
    line, enough = " ".join(clean(text).split()), 4 * limit + 2_000
    line = line if len(line) < enough else line[:enough].rpartition(" ")[0] or line[:enough]
    return cut(redact(line), limit) if line else ""
# --- end of shared: words ---


# --- shared: errors ---
TELLING = (  # what says most first; an error's bare name may stand in the source line that raised it
    r"(?i)(?:^|[\s(])[\w.]*(?:error|exception|panic)(?: ?[\[(][^\])]*[\])]| \w+)?: \S|^E  +\S|^fatal:|--- FAIL",
    r"(?i)not found|cannot|no such|denied|refused|undefined|unexpected|mismatch|timed? ?out|panicked|fail|not ok|error")


def telling_line(output: str) -> str:
    """The first line that says what went wrong; the last line when none does; empty when there is none."""
    if len(output) >= 16_000:  # no half of a word at the cut: half a token would not be seen as one
        output = re.sub(r"\S{1,999}\Z", "", output[:12_000]) + "\n" + re.sub(r"\A\S{1,999}", "", output[-4_000:])
    lines = [line.strip()[:2_000] for line in redact(clean(re.sub(r"</?tool_use_error>", "", output))).splitlines()]
    lines = [line for line in lines if line and not line.startswith(("Exit code ", "Traceback (most"))]
    found = (line for pattern in TELLING for line in lines if re.search(pattern, line))
    return quote(next(found, lines[-1] if lines else ""), 240)
# --- end of shared: errors ---


# --- shared: beside ---
sys.path.append(os.path.dirname(os.path.abspath(__file__)))  # last: no file there hides one of Python's own


def beside(name: str) -> Any:
    """The module of that name from beside this file; None, with a line in the log, where it was not copied too."""
    try:
        return __import__(name)
    except ImportError as fault:
        log(f"{fault}; what it does is left out")
        return None
# --- end of shared: beside ---


# --- events ---


def tool_event(data: Record) -> Record:
    """A tool call: what it ran or changed, and how it ended."""
    given = data.get("tool_input")
    asked: Record = given if isinstance(given, dict) else {}
    failed = data.get("hook_event_name") == "PostToolUseFailure"
    return {
        "event": "tool",
        "tool": quote(text_of(data, "tool_name"), 100),
        "path": quote(text_of(asked, "file_path") or text_of(asked, "notebook_path"), COMMAND_LIMIT),
        "command": quote(text_of(asked, "command"), COMMAND_LIMIT),
        "task": quote(text_of(asked, "prompt"), TASK_LIMIT),
        "output": background(data.get("tool_response")),
        "ok": not failed,
        **(failure(text_of(data, "error"), data.get("is_interrupt") is True) if failed else {}),
        "ms": data.get("duration_ms") if isinstance(data.get("duration_ms"), int) else None,
        "id": quote(text_of(data, "tool_use_id"), 100),
    }


def background(response: object) -> str:
    """What was started in the background, told as the client tells it: its id and output file."""
    told = response if isinstance(response, dict) and response.get("status") != "completed" else {}
    job, output = text_of(told, "backgroundTaskId") or text_of(told, "agentId"), text_of(told, "outputFile")
    return quote(f"in background with ID: {job}{' written to: ' if output else ''}{output}", 500) if job else ""


def failure(error: str, interrupted: bool) -> Record:
    """Exit code and first telling line of a failed call; the client writes "Exit code 3" as its first line."""
    code = re.match(r"Exit code (\d{1,3})\b", error)
    return {
        "exit": int(code.group(1)) if code else None,
        "error": telling_line(error),
        "interrupted": interrupted or None,
    }


def prompt_event(data: Record) -> Record:
    """The words of a prompt, line breaks kept: the surest source of what the user asked; empty for the client's own."""
    if text_of(data, "prompt").lstrip().startswith(OF_THE_CLIENT):
        return {}
    return {"event": "prompt", "text": cut(redact(clean(text_of(data, "prompt"))), PROMPT_LIMIT)}


def subagent_event(data: Record) -> Record:
    """A subagent's start or end; the client's own summariser ends as one without a type and is left out."""
    if not text_of(data, "agent_type"):
        return {}
    return {
        "event": "subagent",
        "ended": data.get("hook_event_name") == "SubagentStop",
        "type": quote(text_of(data, "agent_type"), 100),
        "said": quote(text_of(data, "last_assistant_message"), TASK_LIMIT),
    }


EVENTS: dict[str, Callable[[Record], Record]] = {
    "PostToolUse": tool_event,
    "PostToolUseFailure": tool_event,
    "UserPromptSubmit": prompt_event,
    "SubagentStart": subagent_event,
    "SubagentStop": subagent_event,
}


def timestamp(seconds: float) -> str:
    """The moment as the transcript writes it: UTC, milliseconds, sortable as text."""
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds)) + f".{int(seconds % 1 * 1000):03d}Z"


CARRIERS = ("UserPromptSubmit", "PostToolUse", "PostToolUseFailure")  # what these print the model reads at once


def hand_over(data: Record, folder: str) -> None:
    """Prints the note that waits in the session's folder; whoever renames it first hands it over."""
    path, event = os.path.join(folder, "note.json"), text_of(data, "hook_event_name")
    if event not in CARRIERS or text_of(data, "agent_id") or not os.path.exists(path):
        return
    try:
        os.replace(path, f"{path}.given")
    except FileNotFoundError:
        return
    if not (text := cut(clean(text_of(read_store(f"{path}.given"), "text")), NOTE_LIMIT)):
        return
    os.write(1, json.dumps({"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}}).encode())
    append_line(os.path.join(data_home(), "events.jsonl"), json.dumps({
        "schema": SCHEMA, "time": time.time(), "event": "note", "session": data["session_id"], "on": event,
        "units": units(text)}))


def record(data: Record) -> None:
    """Appends the event to the session's ledger, without fields that say nothing; passes other events over."""
    event_name = text_of(data, "hook_event_name")
    own = event_name == "UserPromptSubmit" and text_of(data, "prompt").lstrip().startswith(OWN_COMMANDS)
    if own and (answering := beside("answer_command")) and answering.answer(data):
        return
    make = EVENTS.get(event_name)
    event = make(data) if make else {}
    if event:
        event["agent"] = quote(text_of(data, "agent_id"), 100)
        line = {"schema": SCHEMA, "time": timestamp(time.time()), **event}
        folder = private_folder("sessions", data["session_id"])
        told = {key: value for key, value in line.items() if value not in ("", None)}
        told["hook_ms"] = round((time.perf_counter() - STARTED) * 1000, 1)
        append_line(os.path.join(folder, "ledger.jsonl"), json.dumps(told, ensure_ascii=False))
        if not own:
            tell_the_model(data, event, folder)


def tell_the_model(data: Record, event: Record, folder: str) -> None:
    """At the first prompt after a compaction adds what the archive has for it; hands over a note that waits."""
    try:
        if event["event"] == "prompt" and os.path.exists(mark := os.path.join(folder, "unasked")):
            os.unlink(mark)
            if recalling := beside("recall_prompt"):
                recalling.add_hits(data, folder)
    finally:  # a note that waits goes out, whatever came of the search
        hand_over(data, folder)


def main(argv: Sequence[str] | None = None) -> int:
    """0, whatever came in on stdin; --help prints this file's page."""
    if "--help" in (sys.argv if argv is None else argv):
        print(__doc__)
        return 0
    return run_hook(record)


if __name__ == "__main__":
    raise SystemExit(main())
