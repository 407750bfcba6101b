"""The course of a session: every hook that the client starts, as processes, on one data folder; each is judged.

A fault of the machine is put under it: what is judged is the same with and without one.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from place import STORES, whole
from sessions import HOOK_TIMEOUT, Home, JsonObject, Run, Session, hook_input, units

BEFORE, AFTER = "Never touch the alpha table.", "Always keep the omega flag."  # typed before the fault, and after it
PATIENCE = 4 * HOOK_TIMEOUT  # seconds: a machine under load takes so much longer; a hook that waits takes more
LONGEST = 9_800  # UTF-16 units of what may be printed for the model
INSTRUCTIONS = "compact-keeper: messages, tasks, edits"  # how PreCompact's answer begins


class Event(NamedTuple):
    """A hook that the client starts."""

    script: str
    name: str  # empty for the status line
    fields: JsonObject

    @property
    def label(self) -> str:
        """What tells it from the others."""
        return f"{self.script.removesuffix('.py')} on {self.name or 'a redraw'}{self.fields.get('source', '')}"


PROMPT = Event("answer_prompt.py", "UserPromptSubmit", {"prompt": "Go on with the rates, please."})
CALL = Event("record_event.py", "PostToolUse", {
    "tool_name": "Bash", "tool_input": {"command": "make rates"}, "tool_use_id": "toolu_1", "tool_response": {}})
STOP, PRECOMPACT = (Event("save_snapshot.py", name, {}) for name in ("Stop", "PreCompact"))
SUMMARISED = Event("record_event.py", "SubagentStop", {
    "agent_id": "a1", "agent_type": "", "last_assistant_message": f"<summary>{'The rates are done. ' * 20}</summary>"})
COMPACTED, STARTED, RESUMED = (
    Event("restore_snapshot.py", "SessionStart", {"source": source}) for source in ("compact", "startup", "resume"))
RECEIPT = Event("restore_snapshot.py", "UserPromptSubmit", {"prompt": "Go on with the rates, please."})
END = Event("restore_snapshot.py", "SessionEnd", {"reason": "other"})
AUDIT = Event("audit_summary.py", "PostCompact", {"trigger": "auto", "compact_summary": "All tests pass. Rates done."})
REDRAW = Event("status_line.py", "", {"context_window": {
    "context_window_size": 200_000, "current_usage": {"input_tokens": 20_000}}})
COURSE = (PROMPT, CALL, STOP, PRECOMPACT, SUMMARISED, COMPACTED, AUDIT, RECEIPT, PROMPT, CALL, STARTED, RESUMED, END,
          REDRAW)


class Place(Home):
    """A data folder in which a session was saved, its transcript beside, and the hooks as hooks.json starts them."""

    def __init__(self, folder: Path, scripts: Path) -> None:
        super().__init__(folder / "home")
        self.scripts, self.transcript = scripts, folder / "transcript.jsonl"
        self.prelude = ""  # Python that runs in each hook's process before the hook
        self.extra: dict[str, str] = {}  # of the environment

    def start(self, script: str, *arguments: str, extra: Mapping[str, str] | None = None,
              before: Callable[[], None] | None = None) -> subprocess.Popen[bytes]:
        """A hook's process that waits for its stdin."""
        runner = str(self.scripts / "run_hook.py")
        patched = (f"import sys\nsys.path.insert(0, {str(self.scripts)!r})\nsys.argv[1:] = []\n{self.prelude}\n"
                   f"import run_hook\nraise SystemExit(run_hook.main([{script!r}]))")
        command = ["-c", patched] if self.prelude else [runner, script, *arguments]
        environment = {name: value for name, value in self.environment({**self.extra, **(extra or {})}).items()
                       if value != UNSET}
        return subprocess.Popen(
            [sys.executable, "-IS", *command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env=environment, cwd=self.transcript.parent, preexec_fn=before)  # noqa: PLW1509 - no thread runs

    def begun(self) -> Place:
        """The place, with a session in it that knows BEFORE and has files that were read and changed."""
        session = Session()
        session.typed(BEFORE)
        session.ran("Read", "def parse_rates(): ...", file_path="/home/ada/parcel-rates/rates.py")
        session.ran("Edit", file_path="/home/ada/parcel-rates/rates.py", old_string="a", new_string="b")
        session.failed("Bash", "Exit code 1\nerror: no rates", command="make test")
        session.created(1, "Write the rates")
        session.says("All tests pass. We'll use decimals because floats round.")
        self.transcript.write_bytes(session.as_bytes())
        for event in (CALL, STOP, PRECOMPACT):
            self.meet(event)
        return self

    def type(self, text: str, first: int) -> None:
        """A prompt that comes into the transcript; `first` numbers it."""
        session = Session(first)
        session.typed(text)
        with self.transcript.open("ab") as file:
            file.write(session.as_bytes())

    def meet(self, event: Event, **more: Any) -> Run:
        """The event's hook, finished."""
        data = {**hook_input(event.name, self.transcript, cwd=str(self.transcript.parent)), **event.fields}
        return self.run(event.script, data, **more)

    def judged(self, event: Event, most_lines: int = 1, **more: Any) -> list[str]:
        """What was wrong with how the event's hook ended; each script may put so many new lines into the log."""
        known, stored_before = len(self.lines()), self.snapshot()
        try:
            done = self.meet(event, **{"timeout": PATIENCE, **more})
        except subprocess.TimeoutExpired:
            return [f"{event.label}: no end within {PATIENCE} s"]
        lines = self.lines()[known:]
        stored = self.snapshot()
        is_stored = bool(stored.get("items")) and stored.get("id") != stored_before.get("id")
        faults = [f"{event.label}: {fault}" for fault in faults_of(event, done, is_stored)]
        if event == PRECOMPACT and done.stdout and not stored.get("items"):
            faults.append(f"{event.label}: the summariser relies on what was not saved")
        most = max(Counter(line.split(" ")[1:2][0] for line in lines if " " in line).values(), default=0)
        faults += [f"{event.label}: {len(lines)} lines in the log: {lines}"] if most > most_lines else []
        faults += [f"{event.label}: log: {line}" for line in lines if "Traceback" in line or not line.strip()]
        return faults

    def snapshot(self) -> JsonObject:
        """The session's snapshot; empty where it cannot be read, or is no object."""
        try:
            stored: Any = self.stored("snapshot.json")
        except (OSError, ValueError):
            return {}
        return stored if isinstance(stored, dict) else {}

    def lines(self) -> list[str]:
        """The log's lines; none where it cannot be read."""
        try:
            return self.log()
        except OSError:
            return []

    def broken_stores(self) -> list[str]:
        """What of the session's files is no store any more, or was left over."""
        faults = [f"{path.name} was left over" for path in self.session.glob("*.tmp")]
        for path in (self.session / name for name in STORES):
            try:
                whole = not path.exists() or json.loads(path.read_bytes())["schema"] == 1
            except (ValueError, KeyError, TypeError):
                whole = False
            faults += [] if whole else [f"{path.name} is torn: {path.read_bytes()[-60:]!r}"]
        return faults

    def goes_on(self) -> list[str]:
        """What is wrong when no fault is there any more: the next events have to work, and to know what was typed."""
        self.type(AFTER, 900)
        faults = [fault for event in (CALL, PRECOMPACT) for fault in self.judged(event, most_lines=0)]
        ledgers = [path for path in self.session.glob("ledger*.jsonl") if path.stat().st_size]
        last = max(ledgers, key=lambda path: path.stat().st_mtime).read_bytes().splitlines()[-1] if ledgers else b""
        faults += [] if whole(last) else [f"the ledger's last line is torn: {last!r}"]
        known = rules_of(self)
        faults += [f"{known.count(rule)} times known: {rule}" for rule in (BEFORE, AFTER) if known.count(rule) != 1]
        done = self.meet(COMPACTED)
        faults += faults_of(COMPACTED, done)
        if not faults:
            faults += [f"not put back: {rule}" for rule in (BEFORE, AFTER) if rule not in done.restored]
        return [f"afterwards: {fault}" for fault in faults + self.broken_stores()]


UNSET = "\0"  # the value of a variable that is not to be set


def rules_of(place: Place) -> list[str]:
    """The rules that the session's memory knows; none where it cannot be read."""
    try:
        return [item["text"] for item in place.stored("memory.json")["items"] if item["kind"] == "rule"]
    except (OSError, ValueError, KeyError, TypeError):
        return []


def faults_of(event: Event, done: Run, is_stored: bool = True) -> list[str]:
    """What a client or a person would be bothered with in how the hook ended; `is_stored`: a snapshot was."""
    faults = [f"exit code {done.code}"] if done.code else []
    faults += [f"stderr: {done.stderr[-300:]}"] if done.stderr else []
    faults += [f"{done.seconds:.1f} s"] if done.seconds > PATIENCE else []
    if event == PRECOMPACT:
        is_right = done.stdout.startswith(INSTRUCTIONS) or not (done.stdout or is_stored)
        return faults + ([] if is_right else [f"printed {done.stdout[:99]!r}"])
    if event == REDRAW:
        return faults + ([] if done.stdout.count("\n") == 1 else [f"printed {done.stdout[:99]!r}"])
    return faults + ([] if not done.stdout or is_context(event, done.stdout) else [f"printed {done.stdout[:99]!r}"])


def is_context(event: Event, printed: str) -> bool:
    """Whether it is text for the model in the form that the client takes for the event, and nothing that blocks."""
    try:
        answer = json.loads(printed)
        if set(answer) == {"systemMessage"}:  # to the person alone
            return isinstance(answer["systemMessage"], str) and answer["systemMessage"].startswith("compact-keeper")
        text, name = answer["hookSpecificOutput"]["additionalContext"], answer["hookSpecificOutput"]["hookEventName"]
    except (ValueError, KeyError, TypeError):
        return False
    return "decision" not in answer and name == event.name and text.startswith("compact-keeper") and (
        units(text) <= LONGEST)
