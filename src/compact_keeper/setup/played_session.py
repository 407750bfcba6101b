"""A made-up session that is compacted, played through the very commands that the client would run."""

from __future__ import annotations

import json
import os
import re
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from compact_keeper.setup.finding import Finding
from compact_keeper.setup.installed import Hook
from compact_keeper.setup.reading import file_text
from compact_keeper.store.folder import EVENTS_FILE, HOOK_LOG
from compact_keeper.store.json_lines import parse_line
from compact_keeper.text.quotation import quote
from compact_keeper.types import JsonObject

SESSION = "doctor"
HOOK_MAX_SECONDS = 20
SLOW_SHARE = 0.25  # of a hook's timeout: from here on it is worth knowing
RULE, REQUEST = "Never rename the quay_ledger table.", "Add the zone surcharge to quote.py."
CHECK, FAILED = "pytest tests/test_quote.py", "Exit code 1\nE AssertionError: 4649 != 4650"
EDIT_SHOWN = r"Edited \S{0,300}quote\.py"  # a line of what comes back
UNTRUE = "The user works on quote.py. All tests pass."
AT_FIRST_PROMPT = " at the first prompt after a compaction"  # the slowest: what was put back is looked for
SWITCHES = ("COMPACT_KEEPER_OFF", "COMPACT_KEEPER_DEBUG")  # of the person's own environment


class Play(NamedTuple):
    """One played session: what was printed last at each event, what went wrong, each hook's seconds, events noted."""

    printed: dict[str, str]
    faults: dict[str, list[str]]  # by what was said: the events at which
    seconds: dict[Hook, float]
    events: list[JsonObject]


def scene(folder: str) -> list[tuple[str, JsonObject]]:
    """The events of a session that is compacted, in their order, each with what the client tells of it."""
    path = os.path.join(folder, "quote.py")
    edit = {"tool_name": "Edit", "tool_use_id": "toolu_1", "tool_input": {"file_path": path}, "tool_response": {}}
    run = {"tool_name": "Bash", "tool_use_id": "toolu_2", "tool_input": {"command": CHECK}, "error": FAILED}
    return [
        ("UserPromptSubmit", {"prompt": f"{RULE} {REQUEST}"}), ("PostToolUse", edit),
        ("PostToolUseFailure", run), ("SubagentStart", {"agent_id": "a1"}), ("SubagentStop", {"agent_id": "a1"}),
        ("Stop", {}), ("PreCompact", {"trigger": "manual", "custom_instructions": None}),
        ("SessionStart", {"source": "compact"}), ("PostCompact", {"trigger": "manual", "compact_summary": UNTRUE}),
        ("UserPromptSubmit", {"prompt": "Go on."}), ("SessionEnd", {"reason": "other"})]


def transcript() -> str:
    """The session's transcript: what was typed, and the call that failed; the edit stands in no transcript."""
    call = {"type": "tool_use", "id": "toolu_2", "name": "Bash", "input": {"command": CHECK}}
    result = {"type": "tool_result", "tool_use_id": "toolu_2", "is_error": True, "content": FAILED}
    messages = [("user", f"{RULE} {REQUEST}"), ("assistant", [call]), ("user", [result])]
    moment = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime())
    return "".join(json.dumps({"type": role, "message": {"role": role, "content": content}, "timestamp": moment,
                               "uuid": f"c0ffee00-0000-4000-8000-{number:012}"}, separators=(",", ":")) + "\n"
                   for number, (role, content) in enumerate(messages))


def play(hooks: Sequence[Hook], root: str, project: str) -> Play:
    """Plays the session in folders of its own; the project's copied scripts are linked to."""
    played = Play({}, {}, {}, [])
    with tempfile.TemporaryDirectory(prefix="compact-keeper-doctor-") as scratch:
        folder = os.path.join(os.path.realpath(scratch), "parcel-rates")
        os.makedirs(os.path.join(folder, ".claude"))
        os.symlink(os.path.join(project, ".claude", "hooks"), os.path.join(folder, ".claude", "hooks"))
        data, path = os.path.join(scratch, "data"), os.path.join(scratch, "transcript.jsonl")
        with open(path, "w", encoding="utf-8") as file:
            file.write(transcript())
        environment = {**environment_with(data, folder), "CLAUDE_PLUGIN_ROOT": root, "CLAUDE_CODE_SESSION_ID": SESSION,
                       "COMPACT_KEEPER_WAIT": "1"}
        for event, fields in scene(folder):
            given = {"session_id": SESSION, "transcript_path": path, "cwd": folder, "hook_event_name": event, **fields}
            played.printed[event] = ""
            for hook in (hook for hook in hooks if hook.event == event):
                play_hook(hook, json.dumps(given), environment, played)
        played.events.extend(record for line in file_text(os.path.join(data, EVENTS_FILE)).splitlines()
                             for record in parse_line(line.encode()))
        for line in file_text(os.path.join(data, HOOK_LOG)).splitlines():
            played.faults.setdefault(line.partition(" ")[2], []).append("hook.log")
    return played


def environment_with(data: str, project: str) -> dict[str, str]:
    """What the client gives to what it runs in a project, with a data folder of its own."""
    return {**{name: value for name, value in os.environ.items() if name not in SWITCHES},
            "COMPACT_KEEPER_HOME": data, "COMPACT_KEEPER_ARCHIVE": "off", "CLAUDE_PROJECT_DIR": project}


def play_hook(hook: Hook, given: str, environment: dict[str, str], played: Play) -> None:
    """Runs a hook as the client does, and takes down what came of it."""
    begun = time.perf_counter()
    try:
        done = subprocess.run(["sh", "-c", hook.command], input=given.encode(), env=environment, capture_output=True,
                              cwd=environment["CLAUDE_PROJECT_DIR"], timeout=HOOK_MAX_SECONDS)
    except subprocess.TimeoutExpired:
        played.faults.setdefault(f"no end within {HOOK_MAX_SECONDS} seconds", []).append(hook.event)
        return
    played.seconds[hook] = time.perf_counter() - begun
    played.printed[hook.event] += done.stdout.decode("utf-8", "replace")
    if done.returncode or done.stderr:
        complaint = done.stderr.decode("utf-8", "replace").strip() or f"exit code {done.returncode}"
        played.faults.setdefault(complaint.splitlines()[-1], []).append(hook.event)


def loop_findings(played: Play, has_audit: bool) -> Iterator[Finding]:
    """Whether each part did on the made-up session what it is for; what went wrong on the way.

    The summary is compared only where `has_audit` says that a hook starts audit_summary.py.
    """
    restored, note = played.printed["SessionStart"], played.printed["UserPromptSubmit"]
    saves = [event for event in played.events if event.get("event") == "save" and event.get("on") == "PreCompact"]
    audits = [event.get("left_out") for event in played.events if event.get("event") == "audit"]
    steps = (  # what is said where it worked, where it did not; whether it did
        ("recorded: an edit that is in no transcript yet came back",
         "not recorded: an edit that is in no transcript yet did not come back", bool(re.search(EDIT_SHOWN, restored))),
        ("saved before the compaction", "not saved before the compaction", bool(saves)),
        ("put back: the typed rule stands in what the model is given",
         "not put back: the typed rule is missing in what the model is given", RULE in restored),
        ("compared: it is found that the summary left out the rule",
         "not compared: it is not found that the summary left out the rule", bool(audits and audits[0])),
        ("noted: the model is told where the made-up summary is wrong",
         "not noted: the model is not told where the made-up summary is wrong", CHECK in note))
    due = steps if has_audit else steps[:3]
    faults = "; ".join(f"{quote(complaint, 200)} (at {', '.join(dict.fromkeys(events))})"
                       for complaint, events in played.faults.items())
    to_do = f"Why: {faults}" if faults else "No hook complained; report it with the lines above."
    for done, missed, worked in due:
        yield Finding("ok", done) if worked else Finding("fix", missed, to_do)
        if not worked:
            to_do = "See above."
    if not has_audit:
        yield Finding("note", "not installed: audit_summary.py, which compares a summary with the record",
                      "Nothing, or copy it too; the lines at its top (--help) say what to put into settings.json.")
    if faults and all(worked for *_, worked in due):
        yield Finding("note", f"complaints on the way: {faults}", "It works all the same.")


def time_findings(hooks: Sequence[Hook], plays: Sequence[Play], start: float) -> Iterator[Finding]:
    """Which hooks are slow, and the longest that Claude waits for one; `start`: the seconds that Python needs to start.

    A hook's time is the median of all plays.
    """
    middles: dict[Hook, float] = {}
    for hook in hooks:
        measured = [played.seconds[hook] for played in plays if hook in played.seconds]
        if hook.name() and measured:
            middles[hook] = statistics.median(measured)
    alone = f"the start of Python alone takes {start * 1000:.0f} ms"
    for hook, seconds in middles.items():
        if seconds > SLOW_SHARE * hook.timeout:
            yield Finding("note", f"{hook.event}, {hook.name()}: {seconds * 1000:.0f} ms ({alone})",
                          "Look for what slows new processes down.")
    waited_for = [hook for hook in middles if not hook.is_beside]
    if waited_for:
        slowest = max(waited_for, key=lambda hook: middles[hook])
        when = AT_FIRST_PROMPT if slowest.event == "UserPromptSubmit" else ""
        yield Finding("ok", f"Claude waits for compact-keeper at most {middles[slowest] * 1000:.0f} ms{when} in this "
                            f"try ({slowest.event}, {slowest.name()}; {alone})")
