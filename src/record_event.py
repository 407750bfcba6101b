r"""Record one event of a Claude Code session in the session's ledger, and hand over what waits for the model.

A hook for PostToolUse, PostToolUseFailure, SubagentStart and SubagentStop. At a tool call the plugin has two
commands: with --record, which runs beside the work ("async"), only the first is done; with --hand-over only the second,
where a shell's own test (hooks/waiting) says that something waits. Without either both are.

Reads   the hook's JSON on stdin (at most 4 MB).
Writes  one line to sessions/<session_id>/ledger.jsonl in the data folder, with one write call,
        so that parallel hooks lose nothing: time, event, tool, path or command, ok, exit code,
        first telling line of an error, duration, subagent, tool id; the task and the last words
        of a subagent. While a compaction has begun, what the client's own summariser answered
        (a SubagentStop without agent_type): sessions/<session_id>/summary.json, for the restore.
Prints  nothing; when a further part of what restore_snapshot.py puts back waits, or a note of
        audit_summary.py's, that, once, for the model: in the middle of a turn, after a tool call of
        the main thread.
Keeps   secrets out: what looks like a key, a token or a password becomes "[redacted: kind]"
        before anything is written. The ledger is private (0600) and only ever appended to.

Why a ledger beside the transcript: the client writes the transcript late. At an automatic
PreCompact the last tool results and the newest prompt are often not in the file yet, and
subagents' edits never are (measured with clients 2.1.150 and 2.1.329).

The data folder is $COMPACT_KEEPER_HOME, else $CLAUDE_CONFIG_DIR/compact-keeper, else
~/.claude/compact-keeper. COMPACT_KEEPER_OFF=1 switches the hook off; COMPACT_KEEPER_DEBUG=1
sends its log lines to stderr too.

To use a copy of this file alone, put it into a project's .claude/hooks and this into its
.claude/settings.json (the same entry for the other three events, the matcher for the two
PostToolUse ones only); each tool call then waits as long as Python takes to start:

    {"hooks": {"PostToolUse": [{"matcher": "Bash|PowerShell|Edit|MultiEdit|Write|NotebookEdit|Task|Agent",
      "hooks": [{"type": "command", "timeout": 5,
        "command": "python3 -IS \"$CLAUDE_PROJECT_DIR/.claude/hooks/record_event.py\" || true"}]}]}}

Exits 0, whatever happens: a fault of ours must not cost the user anything. Python 3.9+, standard library only.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence

from compact_keeper.client.call_output import exit_code_in
from compact_keeper.client.hand_over import hand_over
from compact_keeper.client.hook import run_hook_or_help
from compact_keeper.client.late_summary import is_in_transcript
from compact_keeper.client.tools import PATH_FIELDS
from compact_keeper.store.folder import private_folder
from compact_keeper.store.ledger import add_to_ledger
from compact_keeper.store.log import log
from compact_keeper.store.summary import SUMMARY_MIN_CHARACTERS, keep_if_begun, summary_in
from compact_keeper.text.fields import first_text, text_of
from compact_keeper.text.quotation import quote
from compact_keeper.text.telling import telling_line
from compact_keeper.types import HookInput, JsonObject, LedgerEvent

STARTED = time.perf_counter()  # when this file was loaded: what the line's `hook_ms` counts from
COMMAND_MAX_UTF16 = 1_000  # a here-document's body tells nothing after its first lines
TASK_MAX_UTF16 = 500  # what a subagent was told, and its last words
NAME_MAX_UTF16, JOB_MAX_UTF16 = 100, 500
TOOL_EVENTS = ("PostToolUse", "PostToolUseFailure")
SUBAGENT_EVENTS = ("SubagentStart", "SubagentStop")


def record(data: HookInput) -> None:
    """The hook: appends the event to the session's ledger, and tells the model what waits; passes other events over."""
    folder = record_alone(data)
    if folder:
        hand_over(data, folder)


def record_alone(data: HookInput) -> str:
    """Appends the event to the session's ledger; the session's folder, empty where the event is none to record."""
    event = event_of(data)
    if not event:
        if is_by_summariser(data):
            keep_summary(data)
        return ""
    event["agent"] = quote(text_of(data, "agent_id"), NAME_MAX_UTF16)
    return add_to_ledger(data["session_id"], event, STARTED)


def keep_summary(data: HookInput) -> None:
    """Keeps what may be the summary of the compaction that has begun; one that is known is a line in hook.log."""
    summary = summary_in(text_of(data, "last_assistant_message"))
    if len(summary) < SUMMARY_MIN_CHARACTERS:
        return
    if is_in_transcript(summary, data["transcript_path"]):
        log("a summary is not kept: it stands in the transcript already, as that of a compaction that is over")
    else:
        keep_if_begun(private_folder("sessions", data["session_id"]), summary)


def hand_over_alone(data: HookInput) -> None:
    """Tells the model what waits for it in the session's folder."""
    hand_over(data, private_folder("sessions", data["session_id"]))


def event_of(data: HookInput) -> LedgerEvent:
    """The ledger's line for what the client tells of; empty for what is not recorded."""
    name = data["hook_event_name"]
    if name in TOOL_EVENTS:
        return tool_event(data)
    if name in SUBAGENT_EVENTS:
        return subagent_event(data)
    return {}


def is_by_summariser(data: HookInput) -> bool:
    """Whether it may be the answer of the client's own summariser: an agent without a type has ended."""
    return data["hook_event_name"] == "SubagentStop" and not text_of(data, "agent_type")


def tool_event(data: HookInput) -> LedgerEvent:
    """A tool call: what it ran or changed, and how it ended."""
    given = data.get("tool_input")
    call: JsonObject = given if isinstance(given, dict) else {}
    failed = data["hook_event_name"] == "PostToolUseFailure"
    event: LedgerEvent = {
        "event": "tool",
        "tool": quote(text_of(data, "tool_name"), NAME_MAX_UTF16),
        "path": quote(first_text(call, PATH_FIELDS), COMMAND_MAX_UTF16),
        "command": quote(text_of(call, "command"), COMMAND_MAX_UTF16),
        "task": quote(text_of(call, "prompt"), TASK_MAX_UTF16),
        "output": background(data.get("tool_response")),
        "ok": not failed,
        "id": quote(text_of(data, "tool_use_id"), NAME_MAX_UTF16),
    }
    if failed:
        event.update(failure(text_of(data, "error"), data.get("is_interrupt") is True))
    return event


def background(response: object) -> str:
    """What was started in the background, told as the client tells it: its id and output file."""
    started = response if isinstance(response, dict) and response.get("status") != "completed" else {}
    job = text_of(started, "backgroundTaskId") or text_of(started, "agentId")
    output = text_of(started, "outputFile")
    if not job:
        return ""
    return quote(f"in background with ID: {job}{' written to: ' if output else ''}{output}", JOB_MAX_UTF16)


def failure(error: str, interrupted: bool) -> LedgerEvent:
    """Exit code and first telling line of a failed call; the client writes "Exit code 3" as its first line."""
    return {"exit": exit_code_in(error), "error": telling_line(error),
            "interrupted": interrupted or None}


def subagent_event(data: HookInput) -> LedgerEvent:
    """A subagent's start or end; the client's own agents have no type and are left out."""
    if not text_of(data, "agent_type"):
        return {}
    return {
        "event": "subagent",
        "ended": data["hook_event_name"] == "SubagentStop",
        "said": quote(text_of(data, "last_assistant_message"), TASK_MAX_UTF16),
    }


PARTS: dict[str, Callable[[HookInput], object]] = {  # by the option that asks for one alone
    "--record": record_alone, "--hand-over": hand_over_alone}


def main(argv: Sequence[str] | None = None) -> int:
    """0, whatever came in on stdin; --help prints this file's page."""
    arguments = sys.argv[1:] if argv is None else argv
    parts = [PARTS[name] for name in arguments if name in PARTS]
    return run_hook_or_help(parts[0] if parts else record, arguments, __doc__)


if __name__ == "__main__":
    raise SystemExit(main())
