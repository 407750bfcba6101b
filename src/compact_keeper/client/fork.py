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
from compact_keeper.store.memory import fault_in
from compact_keeper.types import Record

ROOTS_MAX_BYTES, ROOTS_BEGIN = 2_048, b'{"schema": 1, "roots": ['  # bytes of a memory.json that hold its roots; how they begin
SESSIONS_MAX = 300  # looked at, the newest first
TRANSCRIPTS_MAX, PARENT_END_BYTES = 20, 1 << 20  # of these as many transcripts, at their end; bytes
FIRST_ID_MAX_BYTES, COPIED_LINES_MAX_BYTES = 1 << 20, 32 << 20  # bytes of the new transcript: that hold its first id; that hold copied lines
READ_AGAIN_BYTES = 8 << 20  # bytes of the new transcript's end in which save_snapshot.py counts everything
UUID_PATTERN, TIME_PATTERN, EVENT_TIME_PATTERN = rb'"uuid":"([\w-]{8,64})"', rb'"timestamp":"([\w.:-]{10,40})"', rb'"time": ?"([\w.:-]{10,40})"'
UNCOUNTED = (b'"type":"progress"', b'"isSidechain":true')  # lines that make no root, as save_snapshot.py has it


def inherited_memory(folder: str, transcript: str) -> Record:
    """The memory that the session in the folder begins with, the parent's pins copied; {} for one that is no fork."""
    first = next(roots_in(transcript, FIRST_ID_MAX_BYTES), b"")  # the rest is read for a fork alone
    root = re.findall(UUID_PATTERN, first)[-1] if first else b""
    sessions = sessions_with(root, *os.path.split(folder), os.path.dirname(transcript)) if root else ()
    related = [(session, memory) for session in sessions
               if not fault_in(memory := read_store(os.path.join(session, "memory.json")))]
    if not related:
        return {}
    lines = list(roots_in(transcript, COPIED_LINES_MAX_BYTES))
    related.sort(key=lambda one: str(one[1].get("time")))  # of those that know as much, which went on least
    parent, memory = max(related, key=lambda one: last_copied(one[1], lines), default=("", {}))
    if not memory:
        return {}
    own, theirs = (os.path.join(session, "pins.jsonl") for session in (folder, parent))
    events = lines_of(os.path.join(folder, "ledger.jsonl"))  # the fork's first event is its beginning
    for pin in lines_of(theirs):
        if pin not in lines_of(own) and not (events and time_of(pin, EVENT_TIME_PATTERN) > time_of(events[0], EVENT_TIME_PATTERN)):
            append_line(own, pin.decode("utf-8", "replace"))
    return {**up_to_the_fork(memory, lines), "roots": [root.decode()]}


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
    """The moment that a line of a transcript (NOTED: of ours) names; empty when it names none."""
    found: list[bytes] = re.findall(pattern, line)
    return found[-1].decode() if found else ""


def last_copied(memory: Record, lines: list[bytes]) -> str:
    """The moment of the transcript's last line that the memory knows."""
    seen = set(memory.get("seen", []))
    return max((time_of(line) for line in lines if re.findall(UUID_PATTERN, line)[-1][-12:].decode() in seen), default="")


def up_to_the_fork(memory: Record, lines: list[bytes]) -> Record:
    """The parent's memory without what came after the last line that the fork has copied; a rule given again stays.

    When the parent went on, the copied lines are read again, so that what changed since is known as it was; what they
    tell of is then counted from them.
    """
    until = last_copied(memory, lines) or time_of(lines[0])
    known = [one for one in memory["items"]
             if one["last"] <= until or (one["kind"] == "rule" and one["first"] <= until)]
    fresh = {**memory, "place": {}, "ledgers": {}, "pending": [], "queue": [], "after": "", "typed": ["", ""],
             "items": known, "progress": [one for one in memory.get("progress", []) if one["time"] <= until]}
    if memory["time"] <= until:
        return fresh
    since, size = until, 0
    for line in reversed(lines):
        size += len(line)
        since = min(since, time_of(line) or since) if size < READ_AGAIN_BYTES else since
    return {**fresh, "seen": [],
            "items": [{**one, "uses": 0, "edits": 0} if one["first"] >= since else one for one in known]}
