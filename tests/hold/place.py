"""A data folder under attack: its hooks run as the client runs them, many at once; what they left is looked at."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from attack import Ground

JsonObject = dict[str, Any]

PATIENCE = 120  # seconds for a process on a loaded machine; one that takes longer hangs
STORES = ("memory.json", "snapshot.json", "compaction.json", "status.json", "note.json", "summary.json",
          "rest.json")


class Ended(NamedTuple):
    """A process that came to its end."""

    code: int
    out: str

    @property
    def context(self) -> str:
        """The text for the model; empty when nothing was printed for it."""
        answer = json.loads(self.out) if self.out.startswith("{") else {}
        return str(answer.get("hookSpecificOutput", {}).get("additionalContext", ""))


class Call(NamedTuple):
    """A hook script, what it gets on stdin, and its arguments."""

    script: str
    given: JsonObject | str
    arguments: Sequence[str] = ()


class Place:
    """A data folder of an attack's own, and the scripts that are tried on it."""

    def __init__(self, ground: Ground, name: str = "home", archive: str = "off") -> None:
        self.folder, self.home, self.scripts = ground.folder, ground.folder / name, ground.scripts
        self.person = ground.folder / f"{name}-person"
        self.environment = {
            "PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C", "HOME": str(self.person),
            "CLAUDE_CONFIG_DIR": str(self.person / ".claude"), "COMPACT_KEEPER_HOME": str(self.home),
            "COMPACT_KEEPER_ARCHIVE": archive}

    def start(self, *command: str) -> subprocess.Popen[bytes]:
        """A Python process that waits for its stdin."""
        return subprocess.Popen([sys.executable, "-IS", *command], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, env=self.environment, cwd=self.folder)

    def begin(self, call: Call) -> subprocess.Popen[bytes]:
        """The hook's process, which waits for its stdin."""
        return self.start(str(self.scripts / "run_hook.py"), call.script, *call.arguments)

    def together(self, calls: Iterable[Call]) -> list[Ended]:
        """What becomes of the hooks when all are started first and then get their input at once."""
        due = list(calls)
        running = [self.begin(call) for call in due]
        for process, call in zip(running, due):
            feed(process, call)
        return [ended(process) for process in running]

    def run(self, script: str, given: JsonObject | str, *arguments: str) -> Ended:
        """What becomes of one hook."""
        return self.together([Call(script, given, arguments)])[0]

    def session(self, name: str) -> Path:
        """The folder of a session."""
        return self.home / "sessions" / name

    def faults(self) -> list[str]:
        """What the hooks have logged."""
        log = self.home / "hook.log"
        return log.read_text(encoding="utf-8").splitlines() if log.exists() else []

    def torn(self) -> list[str]:
        """The stores that are no JSON object, and the logs with a line that is none."""
        return [f"{path.relative_to(self.home)}: {text[:80]!r}"
                for path in sorted(self.home.rglob("*")) if path.suffix in (".json", ".jsonl")
                for text in (bytes_now(path).split(b"\n") if path.suffix == ".jsonl" else [bytes_now(path)])
                if not whole(text) and (text or path.suffix == ".json")]


def bytes_now(path: Path) -> bytes:
    """What the file holds; what holds for an empty one where a process that goes on has renamed it meanwhile."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return b"" if path.suffix == ".jsonl" else b"{}"


def feed(process: subprocess.Popen[bytes], call: Call) -> None:
    """Gives the process its stdin."""
    assert process.stdin
    given = call.given if isinstance(call.given, str) else json.dumps(call.given)
    try:
        process.stdin.write(given.encode())
        process.stdin.close()
    except BrokenPipeError:  # killed before it read it
        pass
    process.stdin = None


def ended(process: subprocess.Popen[bytes]) -> Ended:
    """What became of the process."""
    out, _ = process.communicate(timeout=PATIENCE)
    return Ended(process.returncode, out.decode("utf-8", "replace"))


def whole(text: bytes) -> bool:
    """Whether the text is one JSON object."""
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False


def stored(path: Path) -> JsonObject:
    """A store's object; empty where there is none, or a torn one."""
    text = path.read_bytes() if path.exists() else b""
    data: JsonObject = json.loads(text) if whole(text) else {}
    return data


def lines_of(path: Path) -> list[JsonObject]:
    """The objects on a file's lines, without torn ones; none where there is no file."""
    return [json.loads(line) for line in path.read_bytes().splitlines() if whole(line)] if path.exists() else []


def hook_input(event: str, session: str, transcript: Path, **more: Any) -> JsonObject:
    """What the client gives a hook on stdin."""
    return {"hook_event_name": event, "session_id": session, "transcript_path": str(transcript),
            "cwd": str(transcript.parent), **more}


def ran(session: str, transcript: Path, number: object, command: str) -> Call:
    """The recording of a tool call that passed."""
    return Call("record_event.py", hook_input(
        "PostToolUse", session, transcript, tool_name="Bash", tool_use_id=f"toolu_{number}",
        tool_input={"command": command}, tool_response={}, duration_ms=7))
