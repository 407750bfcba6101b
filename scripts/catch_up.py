#!/usr/bin/env python3
"""Bring a session's saved state up to now before it is put back or compared, however long ago the last save was.

restore_snapshot.py asks at SessionStart(compact), audit_summary.py where PostCompact came first. Clients from 2.1.329
on prepare a compaction in advance: PreCompact may lie hours back, and the work has gone on since (measured). So what
transcript and ledger hold beyond the last save is taken in first, by save_snapshot.py as a process of its own, which
cannot hang longer than it is waited for.

What the snapshot cannot be brought up to is said: a transcript that is gone or is another session's now. Only then does
its age count (`ttl_minutes`).
Needs save_snapshot.py beside it. Nothing is written here. Python 3.9+, standard library only.
"""

from __future__ import annotations

import json
import os
import re
import sys
import time
from collections.abc import Callable

TYPE_CHECKING = False  # typing itself is not imported: it costs a hook 2.7 ms
if TYPE_CHECKING:
    from typing import Any

    Record = dict[str, Any]

HERE = os.path.dirname(os.path.abspath(__file__))
PATIENCE, PAUSE = 5.0, 0.002  # seconds that the save is waited for: the client ends the hook after 10; looked so often
LOOKED_AT = ENDING = 1 << 18  # bytes of new lines in which one that counts is looked for; that tell whose the file is
COUNTING = re.compile(rb'"type": ?"(?:user|assistant|attachment|system|queue-operation)"')  # as save_snapshot.py has it
PATH_LENGTH = 4_096  # characters of a path that exists
LEDGERS = ("ledger.jsonl", "ledger.folded.jsonl")


def brought_up(snapshot: Record, data: Record, folder: str, stored: Callable[[], Record]) -> tuple[Record, str, str]:
    """The snapshot as of now, why it must not be put back, and what its text is to say of its age; both mostly empty.

    `stored` reads the snapshot again when a save has been made.
    """
    transcript, session = data["transcript_path"], data["session_id"]
    is_kept = bool(snapshot.get("items"))
    if not os.path.isfile(transcript):
        return snapshot, gone(snapshot, folder) if is_kept else "", ""
    if is_of_another(transcript, read_until(snapshot, "transcript"), session):
        return snapshot, "the session's transcript holds another session now" if is_kept else "", ""
    if not is_behind(snapshot, folder, transcript):
        return snapshot, "", ""
    fault = save_now(data)
    later = stored()
    if later.get("id") != snapshot.get("id"):
        return later, "", ""
    if not is_kept:
        return later, f"nothing could be saved of the session: {fault or 'the save failed'}", ""
    return later, "", f"(As of {clock(later)}: what came after could not be read.)"


def gone(snapshot: Record, folder: str) -> str:
    """Why a snapshot whose transcript is gone must not be put back; empty when nothing speaks against it."""
    if ledger_is_ahead(snapshot, folder):
        return f"the session went on after it was saved at {clock(snapshot)}, and its transcript is gone"
    age = abs(time.time() - number(snapshot.get("created")))
    if age > number(snapshot.get("ttl")):
        return f"it was saved {age / 60:.0f} minutes ago, and the session's transcript is gone"
    return ""


def is_of_another(transcript: str, place: Record, session: str) -> bool:
    """Whether another session's file has taken the place of the transcript that was read up to `place`.

    A fork's or a resumed session's file begins with lines of the session before; what is new names its own.
    """
    if not place:
        return False
    about, start = os.stat(transcript), int(number(place.get("offset")))
    is_same = place.get("inode") == about.st_ino and 0 <= start <= about.st_size
    begin = start if is_same else 0
    new = read(transcript, max(begin, about.st_size - ENDING))
    if session.encode() in new:
        return False
    lines = new.splitlines()[begin < about.st_size - ENDING:]  # of a line that begins before, nothing is known
    named = {str(record["sessionId"]) for record in map(record_on, lines) if "sessionId" in record}
    return bool(named) and session not in named


def is_behind(snapshot: Record, folder: str, transcript: str) -> bool:
    """Whether transcript or ledger hold what the snapshot does not know."""
    place, about = read_until(snapshot, "transcript"), os.stat(transcript)
    start, size = int(number(place.get("offset"))), about.st_size
    if place.get("inode") != about.st_ino or not 0 <= start <= size or size - start > LOOKED_AT:
        return True
    return bool(COUNTING.search(read(transcript, start))) or ledger_is_ahead(snapshot, folder)


def ledger_is_ahead(snapshot: Record, folder: str) -> bool:
    """Whether the ledger has lines that the snapshot's save had not read; a save renames the file when it was read."""
    known = {place.get("inode"): number(place.get("offset")) for place in read_until(snapshot, "ledgers").values()
             if isinstance(place, dict)}
    for name in LEDGERS:
        try:
            about = os.stat(os.path.join(folder, name))
        except FileNotFoundError:
            continue
        if about.st_size > known.get(about.st_ino, 0):
            return True
    return False


def save_now(data: Record) -> str:
    """Has save_snapshot.py save the session; why it did not, empty when it came to its end."""
    script = os.path.join(HERE, "save_snapshot.py")
    if not os.path.isfile(script) or not sys.executable:
        return "save_snapshot.py cannot be started"
    runner = os.path.join(HERE, "run_hook.py")
    command = [sys.executable, "-IS", *([runner, "save_snapshot.py"] if os.path.isfile(runner) else [script])]
    given = json.dumps({"hook_event_name": "SessionStart", "source": "compact", "session_id": data["session_id"],
                        "transcript_path": data["transcript_path"], "cwd": data["cwd"][:PATH_LENGTH]}).encode()
    if not hasattr(os, "posix_spawn"):  # Windows
        return saved_by_subprocess(command, given)
    try:
        return waited_for(started(command, given))
    except OSError as fault:  # as many processes or files as the system allows
        return f"the save could not be started: {fault}"


def started(command: list[str], given: bytes) -> int:
    """The process of the command, with that stdin and its output nowhere."""
    source, into = os.pipe()
    try:
        os.write(into, given)  # first: so no save is ever started whose input does not come; a pipe takes 64 KB
        nothing = [(os.POSIX_SPAWN_OPEN, stream, os.devnull, os.O_WRONLY, 0) for stream in (1, 2)]
        os.close(into)
        return os.posix_spawn(command[0], command, os.environ,
                              file_actions=[(os.POSIX_SPAWN_DUP2, source, 0), *nothing])
    finally:
        os.close(source)


def waited_for(process: int) -> str:
    """Why the process has not come to its end in time; empty when it has."""
    until = time.monotonic() + PATIENCE
    try:
        while os.waitpid(process, os.WNOHANG) == (0, 0):
            if time.monotonic() > until:
                return f"the save took over {PATIENCE:.0f} s"
            time.sleep(PAUSE)
    except ChildProcessError:  # who started this script ignores the ends of processes
        pass
    return ""


def saved_by_subprocess(command: list[str], given: bytes) -> str:
    """The same where there is no posix_spawn; importing subprocess takes 8 ms."""
    import subprocess
    try:
        subprocess.run(command, input=given, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=PATIENCE,
                       check=False)
    except (OSError, subprocess.TimeoutExpired) as fault:
        return f"the save did not end ({type(fault).__name__})"
    return ""


# --- small things ---


def read(transcript: str, start: int) -> bytes:
    """The file from that byte on; what another process puts in its place is not waited for."""
    with os.fdopen(os.open(transcript, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)), "rb") as file:
        file.seek(start)
        return file.read(ENDING)


def record_on(line: bytes) -> Record:
    """The object on the line; empty when it is none."""
    try:
        record = json.loads(line.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return {}
    return record if isinstance(record, dict) else {}


def read_until(snapshot: Record, name: str) -> Record:
    """How far the snapshot's save had read the transcript or the ledgers; empty where it does not say."""
    read = snapshot.get("read")
    found = read.get(name) if isinstance(read, dict) else None
    return found if isinstance(found, dict) else {}


def number(value: object) -> float:
    """The value as a number; 0 for anything else."""
    return value if type(value) in (int, float) else 0  # type: ignore[return-value]


def clock(snapshot: Record) -> str:
    """When the snapshot was saved, as a clock shows it here."""
    try:
        return time.strftime("%H:%M", time.localtime(number(snapshot.get("created"))))
    except (ValueError, OverflowError, OSError):
        return "an unknown time"


def main() -> int:
    """Prints this page: restore_snapshot.py and audit_summary.py import the file."""
    print(__doc__)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
