"""The memory that a forked session begins with, what its parent knew up to the fork; and one that is taken over.

A fork (--fork-session, or a resume under a new id) is a new transcript with copied lines: same uuids and times, and of
a compacted session only what follows the last boundary, so that the words before it stand in the parent's memory alone
(measured, 2.1.105 to 2.1.329). The parent is the session that knows the new transcript's first uuid as its own first
one or as that of a boundary (`roots`, at the beginning of memory.json); of several, the one whose id the last copied
line names (`session_id`, measured with 2.1.329 and 2.1.330). An earlier fork of the same parent knows these lines too,
and more of them where its save came later, but not what was pinned since. Its files are only read; what it came to
know after the fork does not come along.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from typing import BinaryIO

from compact_keeper.client.receipt import is_boundary
from compact_keeper.store.disk import end_of
from compact_keeper.store.folder import MEMORY_FILE, append_line, open_regular
from compact_keeper.store.json_files import replace_store
from compact_keeper.store.json_lines import read_lines
from compact_keeper.store.ledger import LEDGER_FILE
from compact_keeper.store.memory import RECORD_FORMAT, begun_anew, sound_memory
from compact_keeper.store.pins import PINS_FILE
from compact_keeper.store.session_lock import lock_session, unlock_session
from compact_keeper.store.session_marks import FORK_MARK
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
NAMED_PATTERN = rb'"session_id":"([\w.-]{1,64})"'  # in a line that a session has written: its id, in copies too
UNCOUNTED = (b'"type":"progress"', b'"isSidechain":true')  # lines that make no root, as a save has it


def is_fork(folder: str, transcript: str) -> bool:
    """Whether another session that is known begins as the transcript does."""
    return os.path.isdir(os.path.dirname(folder)) and any(True for _ in related_sessions(folder, transcript)[1])


def related_sessions(folder: str, transcript: str) -> tuple[bytes, Iterator[str]]:
    """The uuid that the transcript begins with, empty for none, and the folders of other sessions that know it."""
    first = next(roots_in(transcript, FIRST_ID_MAX_BYTES), b"")  # the rest is read for a fork alone
    root = uuid_of(first).encode() if first else b""
    return root, sessions_with(root, *os.path.split(folder), os.path.dirname(transcript)) if root else iter(())


def inherited_memory(folder: str, transcript: str) -> Memory:
    """The memory that the session in the folder begins with, the parent's pins copied; {} for one that is no fork."""
    root, sessions = related_sessions(folder, transcript)
    memories = {session: sound_memory(os.path.join(session, MEMORY_FILE)) for session in sessions}
    related = {session: memory for session, memory in memories.items() if memory}
    if not related:
        return {}
    lines = list(roots_in(transcript, COPIED_LINES_MAX_BYTES))
    parent = parent_of(lines, related, os.path.basename(folder))
    copy_pins(parent, folder)
    return {**up_to_the_fork(related[parent], lines), "roots": [root.decode()]}


def take_over(folder: str, other: str) -> bool:
    """Has the session in the folder go on from what another knows, pins too, as a fork does; whether it does.

    Not where it began before the other's last entry, as its own transcript is read anew behind that; nor does a fork,
    which has its parent's. Where it does so already, nothing is changed.
    """
    path = os.path.join(folder, MEMORY_FILE)
    try:
        is_alone = lock_session(folder)
        memory, own = sound_memory(os.path.join(other, MEMORY_FILE)), sound_memory(path)
        is_fork = os.path.exists(os.path.join(folder, FORK_MARK))
        if memory and not is_fork and own.get("began") == memory["began"]:
            return True
        is_readable = bool(own) or not os.path.lexists(path)
        is_later = bool(memory) and (own.get("began") or memory["time"]) >= memory["time"]
        is_taken = is_alone and is_readable and is_later and not is_fork
        if is_taken:
            copy_pins(other, folder)
            begun = begun_anew(memory)
            # What is typed here answers no words that were said there: "yes" had.
            replace_store(path, {**begun, "state": {**begun["state"], "last_words": ""}, "roots": own.get("roots", [])})
        return is_taken
    finally:
        unlock_session()


def parent_of(lines: list[bytes], related: Mapping[str, Memory], own: str) -> str:
    """The folder of the session that the copied lines come from: the one that the last of them names.

    Else the one that knows most of them; of several that know as much, the one that went on least since.
    """
    writer = last_writer(lines, own)
    named = [folder for folder in related if os.path.basename(folder) == writer]
    last_known = {folder: last_copied(related[folder], lines) for folder in named or related}
    newest = max(last_known.values())
    knowing_most = [folder for folder, moment in last_known.items() if moment == newest]
    return min(knowing_most, key=lambda folder: str(related[folder].get("time")))


def copy_pins(parent: str, folder: str) -> None:
    """Copies the pins that the parent had when the fork began; all of them where that is not known."""
    own = os.path.join(folder, PINS_FILE)
    events = lines_of(os.path.join(folder, LEDGER_FILE))
    began = time_of(events[0], OUR_TIME_PATTERN) if events else ""
    known = lines_of(own)
    for pin in lines_of(os.path.join(parent, PINS_FILE)):
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
        path = os.path.join(folder.path, MEMORY_FILE)
        if os.path.isfile(path) and not os.path.islink(path):
            with opened_file(path) as file:
                roots = file.read(ROOTS_MAX_BYTES).partition(b"]")[0]
            beside = os.path.join(transcripts, f"{folder.name}.jsonl")
            if roots.startswith(ROOTS_BEGIN) and (
                    b'"%s"' % root in roots or (number < TRANSCRIPTS_MAX and ends_with(beside, root))):
                yield folder.path


def ends_with(path: str, root: bytes) -> bool:
    """Whether the uuid stands at the end of the transcript."""
    return not os.path.islink(path) and b'"uuid":"%s"' % root in end_of(path, PARENT_END_BYTES)


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


def last_writer(lines: list[bytes], own: str) -> str:
    """The id of the session that wrote the last of the copied lines; empty where the client does not tell it."""
    named = (match[1].decode() for line in reversed(lines) if (match := re.search(NAMED_PATTERN, line)))
    return next((session for session in named if session != own), "")


def last_copied(memory: Memory, lines: list[bytes]) -> str:
    """The moment of the transcript's last line that the memory knows."""
    seen = set(memory.get("seen", []))
    known = [line for line in lines if uuid_of(line)[-12:] in seen]
    return max(map(time_of, known), default="")


def up_to_the_fork(memory: Memory, lines: list[bytes]) -> Memory:
    """The parent's memory without what came after the last line that the fork has copied; a rule given again stays.

    When the parent went on, the copied lines are read again, so that what changed since is known as it was; what they
    tell of is then counted from them, their boundaries too.
    """
    until = last_copied(memory, lines) or time_of(lines[0])
    progress = memory.get("progress", [])
    items = [item for item in memory["items"]
             if item["last"] <= until or (item["kind"] == "rule" and item["first"] <= until)]
    before: Memory = {**begun_anew(memory), "items": items,
                      "progress": [event for event in progress if event["time"] <= until]}
    if memory["time"] <= until:
        return before
    compacted_later = sum(event["what"] == "compacted" and event["time"] > until for event in progress)
    again = lines_read_again(lines)
    compacted_again = sum(is_boundary(line) and uuid_of(line) in memory.get("roots", []) for line in again)
    since = min([until, *filter(None, map(time_of, again))])
    return {
        **before, "seen": [],
        "cycle": max(memory.get("cycle", 0) - compacted_later - compacted_again, 0),
        "items": [{**item, "uses": 0, "edits": 0} if item["first"] >= since else item for item in items]}


def lines_read_again(lines: list[bytes]) -> list[bytes]:
    """The last of the copied lines, from which a save counts everything."""
    size = 0
    for index in range(len(lines) - 1, -1, -1):
        size += len(lines[index])
        if size >= READ_AGAIN_BYTES:
            return lines[index + 1:]
    return lines


def uuid_of(line: bytes) -> str:
    """The id of a line that has one."""
    uuids: list[bytes] = re.findall(UUID_PATTERN, line)
    return uuids[-1].decode()
