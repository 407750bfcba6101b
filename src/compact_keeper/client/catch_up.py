"""A session's saved state, brought up to now before it is put back or compared, however long ago the last save was.

Clients from 2.1.329 on prepare a compaction in advance: PreCompact may lie hours back, and the work has gone on since
(measured). So what transcript and ledger hold beyond the last save is taken in first, by save_snapshot.py as a process
of its own, which cannot hang longer than it is waited for. What the snapshot cannot be brought up to is said: a
transcript that is gone or is another session's now. Only then does its age count (`ttl_minutes`).
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Mapping
from typing import Any

from compact_keeper.client.processes import run_to_end, script_command
from compact_keeper.store.folder import NO_WAIT
from compact_keeper.store.json_lines import parse_line
from compact_keeper.store.ledger import FOLDED_LEDGER_FILE, LEDGER_FILE
from compact_keeper.store.snapshot import own_snapshot
from compact_keeper.text.times import clock
from compact_keeper.types import HookInput, JsonObject, Snapshot

SAVE_PATIENCE_SECONDS = 5.0  # that the save is waited for: the client ends the hook after 10
NEW_LINES_MAX_BYTES = 1 << 18  # in which a line that counts is looked for; with more of them one does
FILE_END_MAX_BYTES = 1 << 18  # that tell whose session a file holds
COUNTING_LINE = rb'"type": ?"(?:user|assistant|attachment|system|queue-operation)"'  # as a save has it
PATH_MAX_CHARACTERS = 4_096  # of a path that exists


def current_snapshot(data: HookInput, folder: str) -> tuple[Snapshot, str, str]:
    """The stored snapshot as of now, why it must not be put back, what its text is to say of its age; mostly empty."""
    transcript, session = data["transcript_path"], data["session_id"]
    snapshot = own_snapshot(folder, session)
    is_kept = bool(snapshot.get("items"))
    if not os.path.isfile(transcript):
        return snapshot, why_gone(snapshot, folder) if is_kept else "", ""
    if is_of_another(transcript, places_read(snapshot, "transcript"), session):
        return snapshot, "the session's transcript holds another session now" if is_kept else "", ""
    if not is_behind(snapshot, folder, transcript):
        return snapshot, "", ""
    fault = save_now(data)
    later = own_snapshot(folder, session)
    if later.get("id") != snapshot.get("id"):
        return later, "", ""
    if not is_kept:
        return later, f"nothing could be saved of the session: {fault or 'the save failed'}", ""
    return later, "", f"(As of {saved_clock(later)}: what came after could not be read.)"


def why_gone(snapshot: Snapshot, folder: str) -> str:
    """Why a snapshot whose transcript is gone must not be put back; empty when nothing speaks against it."""
    if ledger_is_ahead(snapshot, folder):
        return f"the session went on after it was saved at {saved_clock(snapshot)}, and its transcript is gone"
    age = abs(time.time() - number_or_zero(snapshot.get("created")))
    if age > number_or_zero(snapshot.get("ttl")):
        return f"it was saved {age / 60:.0f} minutes ago, and the session's transcript is gone"
    return ""


def is_of_another(transcript: str, place: Mapping[str, Any], session: str) -> bool:
    """Whether another session's file has replaced the transcript that was read up to `place`.

    A fork's or a resumed session's file begins with lines of the session before; what is new names its own.
    """
    if not place:
        return False
    about, start = os.stat(transcript), int(number_or_zero(place.get("offset")))
    is_same = place.get("inode") == about.st_ino and 0 <= start <= about.st_size
    begin = start if is_same else 0
    read_from = max(begin, about.st_size - FILE_END_MAX_BYTES)
    new = bytes_from(transcript, read_from)
    if session.encode() in new:
        return False
    lines = new.splitlines()
    if read_from > begin:
        lines = lines[1:]  # it may have begun before
    named = {str(record["sessionId"]) for line in lines for record in parse_line(line) if "sessionId" in record}
    return bool(named) and session not in named


def is_behind(snapshot: Snapshot, folder: str, transcript: str) -> bool:
    """Whether transcript or ledger hold what the snapshot does not know."""
    place, about = places_read(snapshot, "transcript"), os.stat(transcript)
    start, size = int(number_or_zero(place.get("offset"))), about.st_size
    if place.get("inode") != about.st_ino or not 0 <= start <= size or size - start > NEW_LINES_MAX_BYTES:
        return True
    new = bytes_from(transcript, start)
    return bool(new and re.search(COUNTING_LINE, new)) or ledger_is_ahead(snapshot, folder)


def ledger_is_ahead(snapshot: Snapshot, folder: str) -> bool:
    """Whether the ledger has lines that the snapshot's save had not read; a save renames the file when it was read."""
    places = [place for place in places_read(snapshot, "ledgers").values() if isinstance(place, dict)]
    known = {place.get("inode"): number_or_zero(place.get("offset")) for place in places}
    for name in (LEDGER_FILE, FOLDED_LEDGER_FILE):
        try:
            about = os.stat(os.path.join(folder, name))
        except FileNotFoundError:
            continue
        if about.st_size > known.get(about.st_ino, 0):
            return True
    return False


def save_now(data: HookInput) -> str:
    """Has save_snapshot.py save the session; why it did not, empty when it came to its end."""
    command = script_command("save_snapshot.py")
    if not command:
        return "save_snapshot.py cannot be started"
    given = {"hook_event_name": "SessionStart", "source": "compact", "session_id": data["session_id"],
             "transcript_path": data["transcript_path"], "cwd": data["cwd"][:PATH_MAX_CHARACTERS]}
    try:
        why = run_to_end(command, json.dumps(given).encode(), SAVE_PATIENCE_SECONDS)
    except OSError as fault:  # as many processes or files as the system allows
        return f"the save could not be started: {fault}"
    return f"the save did not end: {why}" if why else ""


def bytes_from(transcript: str, start: int) -> bytes:
    """The file from that byte on; what another process puts in its place is not waited for."""
    with os.fdopen(os.open(transcript, os.O_RDONLY | NO_WAIT), "rb") as file:
        file.seek(start)
        return file.read(FILE_END_MAX_BYTES)


def places_read(snapshot: Snapshot, name: str) -> JsonObject:
    """How far the snapshot's save had read the transcript or the ledgers; empty where it does not say."""
    read: Any = snapshot.get("read")
    place = read.get(name) if isinstance(read, dict) else None
    return place if isinstance(place, dict) else {}


def number_or_zero(value: object) -> float:
    """The value as a number; 0 for anything else."""
    return value if type(value) in (int, float) else 0  # type: ignore[return-value]


def saved_clock(snapshot: Snapshot) -> str:
    """When the snapshot was saved, as a clock shows it here."""
    return clock(number_or_zero(snapshot.get("created")))
