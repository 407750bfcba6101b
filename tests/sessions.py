"""Made-up sessions for the tests: transcripts as the client writes them, and the scripts run as the client runs them.

A Session collects records in the client's key order (a script's filters look at the bytes), each a second after
the one before, and writes them as JSONL. `run` starts a script as a real process with a data folder of its own.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple, Union

from compact_keeper.record import session as record_session
from compact_keeper.store import settings as store_settings
from compact_keeper.types import Memory, Settings, Snapshot

JsonObject = dict[str, Any]
Content = Union[str, list[JsonObject]]

SCRIPTS = Path(__file__).resolve().parents[1] / "scripts"
SESSION_ID = "5e551011-0000-4000-8000-000000000001"
CWD = "/home/ada/parcel-rates"
START = 1_790_000_000  # seconds since 1970 of a session's first record
HOOK_TIMEOUT = 5.0  # seconds; the shortest that hooks.json gives a hook
PATIENCE = 30.0  # seconds after which a process hangs; a test that says how long it may take says less

REJECTION = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the "
    "new_string was NOT written to the file). ")
REJECTION_WORDS = REJECTION + "To tell you how to proceed, the user said:\n"
REJECTION_REASON = REJECTION + "The user provided the following reason for the rejection:  "  # 2.1.83 to 2.1.133
REJECTION_SILENT = REJECTION + "STOP what you are doing and wait for the user to tell you how to proceed."
# What clients 2.1.150 and 2.1.329 put behind a rejection when their memory is on.
REJECTION_HINT = (
    "\n\nNote: The user's next message may contain a correction or preference. Pay close attention — if they explain "
    "what went wrong or how they'd prefer you to work, consider saving that to memory for future sessions.")
SUMMARY = (
    "This session is being continued from a previous conversation that ran out of context. The summary below covers "
    "the earlier portion of the conversation.\n\n")


def stamp(second: float) -> str:
    """The client's form of a moment, counted from the session's first record."""
    moment = START + second
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(moment)) + f".{round(moment % 1 * 1000):03d}Z"


def as_line(record: object) -> bytes:
    """A record as the client writes it: compact, its characters unescaped."""
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass") + b"\n"


class Session:
    """A transcript that grows; methods are named after what a session does and return the new record."""

    def __init__(self, first: int = 0, session: str = SESSION_ID) -> None:
        self.records: list[JsonObject] = []
        self.first = first  # keeps uuids and times of several parts of one session apart
        self.id = session

    def __add__(self, other: Session) -> Session:
        joined = Session()
        joined.records = self.records + other.records
        return joined

    # --- the client's envelopes ---

    def add(self, record: JsonObject) -> JsonObject:
        self.records.append(record)
        return record

    def number(self) -> int:
        return self.first + len(self.records)

    def stamps(self) -> JsonObject:
        return {"uuid": f"c0ffee00-0000-4000-8000-{self.number():012x}", "timestamp": stamp(self.number())}

    def envelope(self) -> JsonObject:
        return {"parentUuid": self.records[-1].get("uuid") if self.records else None, "isSidechain": False,
                "userType": "external", "cwd": CWD, "sessionId": self.id, "version": "2.1.329", "gitBranch": "main"}

    def user(self, content: Content, **more: Any) -> JsonObject:
        """A `user` line; `more` stands behind the message, as isMeta and origin do."""
        return self.add({**self.envelope(), "type": "user", "message": {"role": "user", "content": content},
                         **self.stamps(), **more})

    def assistant(self, *blocks: JsonObject, **more: Any) -> JsonObject:
        message = {"model": "claude-opus-5", "id": f"msg_{self.number()}", "type": "message", "role": "assistant",
                   "content": list(blocks)}
        return self.add({**self.envelope(), "message": {**message, **more}, "requestId": "req_1", "type": "assistant",
                         **self.stamps()})

    def attachment(self, **fields: Any) -> JsonObject:
        return self.add({**self.envelope(), "attachment": fields, "type": "attachment", **self.stamps()})

    def system(self, subtype: str, **fields: Any) -> JsonObject:
        return self.add({**self.envelope(), "type": "system", "subtype": subtype, **fields, **self.stamps()})

    # --- what people type ---

    def typed(self, text: str) -> JsonObject:
        return self.user(text, origin={"kind": "human"}, promptSource="typed")

    def queued(self, text: str, left: str | None = "remove") -> None:
        """A prompt sent while the agent works, and how it leaves the queue; None: it waits still."""
        origin = {"timestamp": stamp(self.number()), "sessionId": self.id}
        self.add({"type": "queue-operation", "operation": "enqueue", **origin, "content": text})
        if left:
            self.add({"type": "queue-operation", "operation": left, **origin})

    def fired(self, text: str, row: str = "", **flags: Any) -> JsonObject:
        """A prompt that the client gives at its time: through the queue, behind a row of its own, as `row` in the end.

        A plain one says isMeta; of "/loop …" the row is a command's, without that.
        """
        self.queued(text, left="dequeue")
        fire = self.system("scheduled_task_fire", content="Running scheduled task (Nov 21 7:00am)", isMeta=False)
        if text.startswith("/") and not row:
            name, _, words = text[1:].partition(" ")
            row = (f"<command-message>{name}</command-message>\n<command-name>/{name}</command-name>\n"
                   f"<command-args>{words}</command-args>")
        elif not flags:
            flags = {"isMeta": True}
        return self.user(row or text, **{"parentUuid": fire["uuid"], **flags})

    def interrupt(self) -> JsonObject:
        return self.user([{"type": "text", "text": "[Request interrupted by user]"}])

    # --- what the agent does ---

    def says(self, text: str) -> JsonObject:
        return self.assistant({"type": "text", "text": text})

    def call(self, tool: str, **tool_input: Any) -> str:
        """The id of a tool call that has no result so far."""
        call_id = f"toolu_{self.number():08d}"
        self.assistant({"type": "tool_use", "id": call_id, "name": tool, "input": tool_input})
        return call_id

    def result(self, call_id: str, content: Content = "ok", error: bool = False, extra: Any = None) -> JsonObject:
        block = {"tool_use_id": call_id, "type": "tool_result", "content": content, "is_error": error}
        return self.user([block], toolUseResult=extra, sourceToolAssistantUUID=self.envelope()["parentUuid"])

    def ran(self, tool: str, output: Content = "ok", extra: Any = None, **tool_input: Any) -> str:
        """A call that passed."""
        call_id = self.call(tool, **tool_input)
        self.result(call_id, output, extra=extra)
        return call_id

    def failed(self, tool: str, error: str, **tool_input: Any) -> str:
        """A call that failed."""
        call_id = self.call(tool, **tool_input)
        self.result(call_id, error, error=True, extra=f"Error: {error}")
        return call_id

    def rejected(self, tool: str, words: str = "", begin: str = REJECTION_WORDS, **tool_input: Any) -> str:
        """A call that the person refused, with words or without; `begin`: the client's own words before theirs."""
        return self.failed(tool, begin + words if words else REJECTION_SILENT, **tool_input)

    def todos(self, **status_by_text: str) -> str:
        """TodoWrite with a whole list; underscores in the names become spaces."""
        todos = [{"content": text.replace("_", " "), "status": status, "activeForm": text}
                 for text, status in status_by_text.items()]
        return self.ran("TodoWrite", "Todos have been modified successfully.", todos=todos)

    def created(self, number: int, subject: str) -> str:
        return self.ran("TaskCreate", f"Task #{number} created successfully: {subject}", subject=subject,
                        description=f"{subject}, all of it", activeForm=subject)

    def updated(self, number: int, **changes: Any) -> str:
        return self.ran("TaskUpdate", f"Updated task #{number} status", taskId=str(number), **changes)

    def posed(self, question: str, *labels: str) -> str:
        """The id of a question that waits for the person, with options of these labels."""
        options = [{"label": label, "description": "Do it so"} for label in labels] or [
            {"label": "Yes", "description": "Do it"}, {"label": "No", "description": "Leave it"}]
        return self.call("AskUserQuestion", questions=[
            {"question": question, "header": "Choice", "options": options, "multiSelect": False}])

    def answered(self, call_id: str, question: str, answer: str) -> JsonObject:
        return self.result(call_id, f'User has answered your questions: "{question}"="{answer}".',
                           extra={"questions": [], "answers": {question: answer}})

    # --- what the client does ---

    def compacted(self, summary: str = "Primary request: rates.") -> None:
        self.system("compact_boundary", content="Conversation compacted", isMeta=False, level="info",
                    compactMetadata={"trigger": "auto", "preTokens": 168_222})
        self.user(SUMMARY + summary, isVisibleInTranscriptOnly=True, isCompactSummary=True)

    def notified(self, job: str) -> JsonObject:
        return self.user(f"<task-notification>\n<task-id>{job}</task-id>\n<status>completed</status>\n"
                         "<summary>Background command completed</summary>\n</task-notification>",
                         origin={"kind": "task-notification"})

    def progress(self, output: str = "") -> JsonObject:
        return self.add({**self.envelope(), "type": "progress", "data": {"type": "bash_progress", "output": output},
                         "toolUseID": "bash-progress-0", "parentToolUseID": "toolu_1", **self.stamps()})

    def request_blob(self, text: str) -> JsonObject:
        """A whole API request, which newer clients keep: earlier words and our own text are in it again."""
        return self.add({"type": "api-request-blob", "sessionId": self.id, "timestamp": stamp(self.number()),
                         "body": {"messages": [{"role": "user", "content": text}]}})

    # --- files ---

    def as_bytes(self) -> bytes:
        return b"".join(map(as_line, self.records))

    def write(self, path: Path) -> Path:
        path.write_bytes(self.as_bytes())
        return path


def crowded(word: str) -> Session:
    """A session with far more of everything than fits what is put back, every text as long as it may be."""
    session = Session()
    for number in range(60):
        session.typed(f"Never {number} {word * 40}. I want {number} {word * 30}. We'll use {number} {word * 30}. "
                      f"At http://h{number}:80/ {word}")
        session.failed("Bash", f"Exit code 1\nerror: {number} {word * 60}", command=f"make {number} {word * 60}")
        session.ran("Bash", command=f"make test {number} {word * 60}")
        session.ran("Edit", file_path=f"/srv/{number}/{word * 20}.py")
        session.created(number, f"Task {number} {word * 30}")
        session.says(f"We'll use {number} {word * 40}. The tests are green {number} {word * 20}.")
        session.ran("Bash", f"running in background with ID: b{number}", command=f"serve {number} {word * 30}")
        session.answered(session.posed(f"Q {number} {word * 30}?"), f"Q {number} {word * 30}?",
                         f"A {number} {word * 60}")
    session.typed(f"Describe the rates {word * 400}")
    session.says(f"I stopped here {word * 100}. Shall I {(word * 60)[:400]}?")
    return session



# --- what the scripts make of it, without a process ---


def memory_of(session: Session, folder: Path, memory: Memory | None = None, **settings: Any) -> Memory:
    """What a save remembers of the session; on top of an earlier memory, the file having grown since."""
    path = folder / "transcript.jsonl"
    path.write_bytes(session.as_bytes())
    in_force: Settings = {**store_settings.default_settings(), **settings}  # type: ignore[typeddict-item]
    return record_session.read_on(memory or {}, str(path), str(folder), in_force)[0]


def snapshot_of(session: Session, folder: Path, **settings: Any) -> Snapshot:
    """What a restore chooses from, with these settings beside the default ones."""
    in_force: Settings = {**store_settings.default_settings(), **settings}  # type: ignore[typeddict-item]
    return record_session.snapshot_of(memory_of(session, folder), in_force)


def items_of(memory: Mapping[str, Any], kind: str) -> list[Any]:
    """The items of a kind, in order."""
    return [item for item in memory["items"] if item["kind"] == kind]


def texts_of(memory: Mapping[str, Any], kind: str) -> list[str]:
    """The texts of a kind's items, in order."""
    return [item["text"] for item in items_of(memory, kind)]


# --- the scripts as processes ---


class Run(NamedTuple):
    """A script's finished process."""

    code: int
    stdout: str
    stderr: str
    seconds: float

    @property
    def restored(self) -> str:
        """The text for the model that restore_snapshot.py printed; empty when it printed nothing."""
        answer = json.loads(self.stdout).get("hookSpecificOutput", {}) if self.stdout else {}
        return str(answer.get("additionalContext", ""))


def at_rest(variable: str) -> None:
    """Waits until no process has this in its environment, not even one that nobody else waits for."""
    until, quiet = time.monotonic() + PATIENCE, 0
    while quiet < 2:  # twice: while they are looked through, one may start another and end
        assert time.monotonic() < until, f"a process with {variable} goes on"
        quiet = 0 if any(variable in variables for variables in environments()) else quiet + 1
        time.sleep(0.01)


def environments() -> Iterator[list[str]]:
    """What each process of this person was started with."""
    for path in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):
            yield path.read_bytes().decode("utf-8", "replace").split("\0")


class Home:
    """A data folder of its own, and the scripts run with it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.session = path / "sessions" / SESSION_ID

    def environment(self, extra: Mapping[str, str] | None = None) -> dict[str, str]:
        """Nothing of the developer's own settings, no locale that would help with Unicode, no process that stays."""
        return {"PATH": os.environ.get("PATH", os.defpath), "HOME": str(self.path.parent / "no-home"), "LC_ALL": "C",
                "COMPACT_KEEPER_HOME": str(self.path), "COMPACT_KEEPER_ARCHIVE": "off", **(extra or {})}

    def start(self, script: str, *arguments: str, extra: Mapping[str, str] | None = None,
              before: Callable[[], None] | None = None) -> subprocess.Popen[bytes]:
        """A script's process that waits for its stdin: started as hooks/run does, from bytecode; a copy by its path."""
        program = [script] if os.path.isabs(script) else [str(SCRIPTS / "run_hook.py"), script]
        return subprocess.Popen(
            [sys.executable, "-IS", *program, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, env=self.environment(extra),
            preexec_fn=before)  # noqa: PLW1509 - no thread runs

    def run(self, script: str, data: bytes | JsonObject = b"", *arguments: str, timeout: float = PATIENCE,
            extra: Mapping[str, str] | None = None, before: Callable[[], None] | None = None) -> Run:
        """A script's finished process; one that outlives the timeout fails the test."""
        given, started = data if isinstance(data, bytes) else json.dumps(data).encode(), time.monotonic()
        with self.start(script, *arguments, extra=extra, before=before) as process:
            try:
                out, err = process.communicate(given, timeout)
            except subprocess.TimeoutExpired:
                process.kill()
                raise
        return Run(process.returncode, out.decode(), err.decode(), time.monotonic() - started)

    def record(self, data: bytes | JsonObject, **more: Any) -> Run:
        return self.run("record_event.py", data, **more)

    def prompt(self, data: bytes | JsonObject, **more: Any) -> Run:
        return self.run("answer_prompt.py", data, **more)

    def save(self, transcript: object = "", event: str = "PreCompact", **more: Any) -> Run:
        return self.run("save_snapshot.py", hook_input(event, transcript), **more)

    def restore(self, transcript: object = "", **more: Any) -> Run:
        return self.run("restore_snapshot.py", hook_input("SessionStart", transcript, source="compact"), **more)

    def rests(self) -> None:
        """Waits for the processes that a hook has started and left to themselves."""
        at_rest(f"COMPACT_KEEPER_HOME={self.path}")

    def stored(self, name: str) -> JsonObject:
        """A file of the session."""
        data: JsonObject = json.loads((self.session / name).read_bytes())
        return data

    def ledger(self) -> list[JsonObject]:
        """The ledger's lines; an empty one stands where a line was begun while another was being written."""
        path = self.session / "ledger.jsonl"
        return [json.loads(line) for line in path.read_bytes().splitlines() if line] if path.exists() else []

    def log(self) -> list[str]:
        """The lines of hook.log."""
        path = self.path / "hook.log"
        return path.read_text(encoding="utf-8").splitlines() if path.exists() else []

    def files(self) -> dict[str, bytes]:
        """Every file below the data folder but the logs, with its bytes."""
        return {str(path.relative_to(self.path)): path.read_bytes() for path in sorted(self.path.rglob("*"))
                if path.is_file() and path.name not in ("hook.log", "events.jsonl")}


def git(folder: Path, *arguments: str, date: str = "") -> str:
    """What git prints, with nothing of the developer's settings; at a given date a commit is the same every time."""
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1",
                   "GIT_CONFIG_GLOBAL": os.devnull}
    for role in ("AUTHOR", "COMMITTER"):
        values = {"NAME": "Ada", "EMAIL": "ada@example.org", "DATE": date}
        environment.update({f"GIT_{role}_{name}": value for name, value in values.items() if value})
    return subprocess.run(["git", *arguments], cwd=folder, env=environment, check=True, capture_output=True,
                          text=True).stdout.strip()


def repository_at(folder: Path) -> Path:
    """A new repository there with one commit on the branch `main`."""
    folder.mkdir()
    git(folder, "init", "--quiet", "--initial-branch=main")
    git(folder, "commit", "--quiet", "--allow-empty", "--message=first")
    return folder


def hook_input(event: str, transcript: object = "", **fields: Any) -> Any:
    """What the client gives a hook on stdin: a JsonObject, or a HookInput of the sources."""
    return {"session_id": SESSION_ID, "transcript_path": str(transcript), "cwd": CWD, "hook_event_name": event,
            **({"trigger": "auto", "custom_instructions": None} if event == "PreCompact" else {}), **fields}


def lines_of(text: str, heading: str) -> list[str]:
    """The entries under a heading of the restored text."""
    section = text.partition(f"## {heading}\n")[2].partition("\n\n")[0]
    return section.splitlines()


def units(text: str) -> int:
    """UTF-16 code units, counted without the scripts' own function."""
    return sum(2 if ord(letter) > 0xFFFF else 1 for letter in text)
