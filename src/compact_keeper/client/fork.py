"""The memory that a forked session begins with: what its parent knew up to the fork.

A fork (--fork-session, or a resume under a new id) is a new transcript with copied lines: same uuids and times, and of
a compacted session only what follows the last boundary, so that the words before it stand in the parent's memory alone
(measured, 2.1.105 to 2.1.329). The parent is the session that knows the new transcript's first uuid as its own first
one or as that of a boundary (`roots`, at the beginning of memory.json). Its files are only read; what it came to know
after the fork does not come along.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import BinaryIO

from compact_keeper.store.folder import append_line, open_regular
from compact_keeper.store.json_files import read_store
from compact_keeper.store.json_lines import read_lines
from compact_keeper.store.memory import RECORD_FORMAT, fault_in
from compact_keeper.types import Memory

ROOTS_BEGIN = b'{"schema": 1, "record": %d, "roots": [' % RECORD_FORMAT  # of a memory.json
ROOTS_MAX_BYTES = 2_048  # of a memory.json, which hold its roots
SESSIONS_MAX = 300  # looked at, the newest first
TRANSCRIPTS_MAX = 20  # of these are looked at, at their end
PARENT_END_BYTES = 1 << 20  # of such a transcript
FIRST_ID_MAX_BYTES = 1 << 20  # of the new transcript, which hold its first id
COPIED_LINES_MAX_BYTES = 32 << 20  # of the new transcript, which hold the copied lines
READ_AGAIN_BYTES = 8 << 20  # of the new transcript's end, in which a save counts everything
UUID_PATTERN = rb'"uuid":"([\w-]{8,64})"'
TIME_PATTERN = rb'"timestamp":"([\w.:-]{10,40})"'  # of a transcript's line
OUR_TIME_PATTERN = rb'"time": ?"([\w.:-]{10,40})"'  # of a line of ours
UNCOUNTED = (b'"type":"progress"', b'"isSidechain":true')  # lines that make no root, as a save has it


def inherited_memory(folder: str, transcript: str) -> Memory:
    """The memory that the session in the folder begins with, the parent's pins copied; {} for one that is no fork."""
    first = next(roots_in(transcript, FIRST_ID_MAX_BYTES), b"")  # the rest is read for a fork alone
    root = re.findall(UUID_PATTERN, first)[-1] if first else b""
    sessions = sessions_with(root, *os.path.split(folder), os.path.dirname(transcript)) if root else ()
    memories = [(session, read_store(os.path.join(session, "memory.json"))) for session in sessions]
    related = [(session, memory) for session, memory in memories
               if memory.get("record") == RECORD_FORMAT and not fault_in(memory)]  # an older version's has other items
    if not related:
        return {}
    lines = list(roots_in(transcript, COPIED_LINES_MAX_BYTES))
    related.sort(key=lambda session: str(session[1].get("time")))  # of those that know as much, which went on least
    parent, memory = max(related, key=lambda session: last_copied(session[1], lines))
    copy_pins(parent, folder)
    return {**up_to_the_fork(memory, lines), "roots": [root.decode()]}


def copy_pins(parent: str, folder: str) -> None:
    """Copies the pins that the parent had when the fork began; all of them where that is not known."""
    own = os.path.join(folder, "pins.jsonl")
    events = lines_of(os.path.join(folder, "ledger.jsonl"))
    began = time_of(events[0], OUR_TIME_PATTERN) if events else ""
    known = lines_of(own)
    for pin in lines_of(os.path.join(parent, "pins.jsonl")):
        is_later = bool(events) and time_of(pin, OUR_TIME_PATTERN) > began
        if pin not in known and not is_later:
            append_line(own, pin.decode("utf-8", "replace"))
            known.append(pin)


def opened_file(path: str) -> BinaryIO:
    """The regular file, open; what another process puts in its place is not waited for."""
    return os.fdopen(open_regular(path, os.O_RDONLY), "rb")


def roots_in(transcript: str, size: int) -> Iterator[bytes]:
    """The lines of so many bytes with which a session may begin: they have an id, and count."""
    return (line for _, line in read_lines(transcript, 0, size)
            if re.search(UUID_PATTERN, line) and not any(map(line.__contains__, UNCOUNTED)))


def sessions_with(root: bytes, sessions: str, own: str, transcripts: str) -> Iterator[str]:
    """The folders of the sessions that know the uuid as one of their roots: the parent, and other forks of it.

    A boundary may have come into the parent's transcript after its last save (measured, 2.1.197 to 2.1.329).
    """
    folders = [entry for entry in os.scandir(sessions) if entry.name != own and entry.is_dir(follow_symlinks=False)]
    newest = sorted(folders, key=lambda entry: -entry.stat().st_mtime)[:SESSIONS_MAX]
    for number, folder in enumerate(newest):
        path = os.path.join(folder.path, "memory.json")
        if os.path.isfile(path) and not os.path.islink(path):
            with opened_file(path) as file:
                roots = file.read(ROOTS_MAX_BYTES).partition(b"]")[0]
            beside = os.path.join(transcripts, f"{folder.name}.jsonl")
            if roots.startswith(ROOTS_BEGIN) and (
                    b'"%s"' % root in roots or (number < TRANSCRIPTS_MAX and ends_with(beside, root))):
                yield folder.path


def ends_with(path: str, root: bytes) -> bool:
    """Whether the uuid stands at the end of the transcript."""
    if not os.path.isfile(path) or os.path.islink(path):
        return False
    with opened_file(path) as file:
        file.seek(max(os.path.getsize(path) - PARENT_END_BYTES, 0))
        return b'"uuid":"%s"' % root in file.read(PARENT_END_BYTES)


def lines_of(path: str) -> list[bytes]:
    """The lines of a file of ours; none where it is missing or no regular file."""
    if not os.path.isfile(path) or os.path.islink(path):
        return []
    with opened_file(path) as file:
        return file.read().splitlines()


def time_of(line: bytes, pattern: bytes = TIME_PATTERN) -> str:
    """The moment that a line of a transcript (OUR_TIME_PATTERN: of ours) names; empty when it names none."""
    moments: list[bytes] = re.findall(pattern, line)
    return moments[-1].decode() if moments else ""


def last_copied(memory: Memory, lines: list[bytes]) -> str:
    """The moment of the transcript's last line that the memory knows."""
    seen = set(memory.get("seen", []))
    known = [line for line in lines if re.findall(UUID_PATTERN, line)[-1][-12:].decode() in seen]
    return max(map(time_of, known), default="")


def up_to_the_fork(memory: Memory, lines: list[bytes]) -> Memory:
    """The parent's memory without what came after the last line that the fork has copied; a rule given again stays.

    When the parent went on, the copied lines are read again, so that what changed since is known as it was; what they
    tell of is then counted from them.
    """
    until = last_copied(memory, lines) or time_of(lines[0])
    known = [item for item in memory["items"]
             if item["last"] <= until or (item["kind"] == "rule" and item["first"] <= until)]
    fresh: Memory = {**memory, "place": {}, "ledgers": {}, "pending": [], "queue": [], "after": "", "typed": ["", ""],
             "items": known, "progress": [event for event in memory.get("progress", []) if event["time"] <= until]}
    if memory["time"] <= until:
        return fresh
    since, size = until, 0
    for line in reversed(lines):
        size += len(line)
        since = min(since, time_of(line) or since) if size < READ_AGAIN_BYTES else since
    return {**fresh, "seen": [],
            "items": [{**item, "uses": 0, "edits": 0} if item["first"] >= since else item for item in known]}
