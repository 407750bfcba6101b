"""A session's memory read on to now, and the snapshot that is made of it."""

from __future__ import annotations

import os

from compact_keeper.client.entries import SEEN_IDS_MAX, Reading, read_transcript
from compact_keeper.client.ledger_reading import read_ledgers
from compact_keeper.machine.file_states import states_at_save
from compact_keeper.record.calls import ranked_found, ranked_names
from compact_keeper.record.extract import items_of_entries
from compact_keeper.record.merge import merge
from compact_keeper.text.length import cut
from compact_keeper.text.quotation import quote
from compact_keeper.text.redact import redact
from compact_keeper.text.sanitize import clean
from compact_keeper.types import Entries, Record

STATE_MAX_UTF16, BODY_MAX_UTF16 = 600, 2_000
WAITING_MAX, QUEUE_MAX = 50, 20  # calls without a result, prompts not handed over yet: the newest
RANKED = ("names", "found")  # kinds of items that a snapshot holds ranked


def read_on(memory: Record, transcript: str, folder: str, settings: Record) -> tuple[Record, Entries]:
    """The memory after everything new was read, and what was new; the memory that came in stays as it is."""
    reading, place = Reading(memory), memory.get("place", {})
    if os.path.exists(transcript):  # it may come late
        place = read_transcript(reading, transcript, place, settings["tail_bytes"])
    ledgers = read_ledgers(folder, memory.get("ledgers", {}), reading)
    waiting = {name: call for name, call in reading.calls.items() if call["ok"] is None and not call["rejected"]}
    entries = list(items_of_entries(reading, memory.get("items", [])))
    new = [item for _, items in entries for item in items]
    items = merge(memory.get("items", []), new, reading.cycle, settings)
    items, on_disk = states_at_save(items, memory.get("position", 0), reading.state.get("cwd", ""))
    return {
        "roots": reading.roots,
        "items": items,
        "place": place,
        "ledgers": ledgers,
        "time": reading.time,
        "position": reading.position,
        "cycle": reading.cycle,
        "after": reading.after,
        "typed": reading.typed,
        "state": {name: quote(text, STATE_MAX_UTF16) for name, text in {**reading.state, **on_disk}.items()},
        "pending": [waiting_call(call) for call in waiting.values()][-WAITING_MAX:],
        "seen": [*reading.seen, *(name for name in reading.calls if name not in waiting)][-SEEN_IDS_MAX:],
        "queue": reading.queue[-QUEUE_MAX:],
        "progress": memory.get("progress", []),
    }, entries


def waiting_call(call: Record) -> Record:
    """A call without a result as it waits on disk, secrets out."""
    return {**call, "body": cut(redact(clean(call["body"])), BODY_MAX_UTF16)}


def snapshot_of(memory: Record, settings: Record) -> Record:
    """What the restore chooses from: the items; names and files that tools showed, ranked; the settings in force."""
    items, now = memory["items"], memory["position"]
    return {
        **{name: memory[name] for name in ("position", "cycle", "time", "state")},
        "read": {"transcript": memory["place"], "ledgers": memory["ledgers"]},  # so that it is seen what is new since
        "names": ranked_names(items, now),
        "found": ranked_found(items, now),
        "items": [item for item in items if item["kind"] not in RANKED],
        "used": settings,
    }
