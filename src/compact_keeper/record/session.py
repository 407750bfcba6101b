"""A session's memory read on to now, and the snapshot that is made of it."""

from __future__ import annotations

import os
from collections.abc import Iterable

from compact_keeper.client.entries import SEEN_IDS_MAX, Reading, read_transcript
from compact_keeper.client.ledger_reading import read_ledgers
from compact_keeper.machine.repository import repository
from compact_keeper.record.extract import items_of_entries
from compact_keeper.record.merge import merge, without_edits_of, without_refused
from compact_keeper.record.outputs.files_read import files_read
from compact_keeper.record.outputs.newest import newest_outputs
from compact_keeper.store.memory import RECORD_FORMAT
from compact_keeper.text.length import cut
from compact_keeper.text.named_secrets import all_without_marked, marks_with
from compact_keeper.text.quotation import quote
from compact_keeper.text.redact import redact
from compact_keeper.text.sanitize import clean
from compact_keeper.text.times import moment
from compact_keeper.types import Entries, Entry, Item, Memory, Settings, Snapshot

STATE_MAX_UTF16, BODY_MAX_UTF16 = 600, 2_000
WAITING_MAX, QUEUE_MAX = 50, 20  # calls without a result, prompts not handed over yet: the newest
TRANSCRIPT_LAG_SECONDS = 30  # behind the ledger: some lines at a PreCompact, less than a second (2.1.150 to 2.1.330)
KEPT_WHOLE = "last_words"  # of the state: redacted when it was read, its lines kept


def read_on(memory: Memory, transcript: str, folder: str, settings: Settings) -> tuple[Memory, Entries]:
    """The memory after everything new was read, and what was new; the memory that came in stays as it is."""
    reading = Reading(memory)
    place = memory.get("place", {})
    if os.path.exists(transcript):  # it may come late
        place = read_transcript(reading, transcript, place, settings["tail_bytes"])
    transcript_time = reading.time
    ledgers = read_ledgers(folder, memory.get("ledgers", {}), reading)
    awaited = [call for call in reading.calls.values() if is_awaited(call, transcript_time)]
    entries = list(items_of_entries(reading, memory.get("items", [])))
    after: Memory = {
        "record": RECORD_FORMAT,  # the two first: a fork looks for its parent in the beginnings of these files
        "roots": reading.roots,
        "items": items_after(memory, reading, entries, settings),
        "place": place,
        "ledgers": ledgers,
        "began": memory.get("began") or first_time(entries),
        "time": reading.time,
        "position": reading.position,
        "cycle": reading.cycle,
        "after": reading.after,
        "typed": reading.typed,
        "state": state_after(reading),
        "outputs": newest_outputs(reading, memory.get("outputs", {})),
        "files": files_read(reading, memory.get("files", {})),
        "pending": [waiting_call(call) for call in awaited][-WAITING_MAX:],
        "seen": ids_seen(reading, awaited)[-SEEN_IDS_MAX:],
        "queue": reading.queue.waiting[-QUEUE_MAX:],
        "dequeued": reading.queue.dequeued[-QUEUE_MAX:],
        "scheduled": reading.queue.scheduled,
        "progress": memory.get("progress", []),
        "named": memory.get("named", []),
    }
    return after, entries


def items_after(memory: Memory, reading: Reading, entries: Entries, settings: Settings) -> list[Item]:
    """The memory's items with those that the entries gave; without calls that were refused since, or are told again."""
    refused = {name for name, call in reading.calls.items() if call["rejected"]}
    by_ledger = {call["id"] for call in memory.get("pending", []) if call.get("is_by_ledger")}
    known = without_edits_of(by_ledger, without_refused(memory.get("items", []), refused))
    return merge(known, [item for _, items in entries for item in items], settings)


def state_after(reading: Reading) -> dict[str, str]:
    """Where the session stands and what its repository is, in short texts."""
    state = {**reading.state, **names_of_repository(reading.state.get("cwd", ""))}
    return {name: text if name == KEPT_WHOLE else quote(text, STATE_MAX_UTF16) for name, text in state.items()}


def ids_seen(reading: Reading, awaited: Iterable[Entry]) -> list[str]:
    """The ids of rows and calls that count no more where they come again: a call that is awaited may."""
    may_come = {call["id"] for call in awaited}
    return [*reading.seen, *(name for name in reading.calls if name not in may_come)]


def is_awaited(call: Entry, transcript_time: str) -> bool:
    """Whether the transcript is still to tell how the call ended: it lags behind the ledger, which has no outputs.

    A subagent's call, of which it never tells, is awaited until the transcript has gone on behind it.
    """
    if call["rejected"] or call["ok"] is None:
        return not call["rejected"]
    return call.get("is_by_ledger", False) and moment(transcript_time) < moment(call["time"]) + TRANSCRIPT_LAG_SECONDS


def without_named_secrets(memory: Memory) -> Memory:
    """The memory without the secrets that stand in it alone, where the session names them elsewhere."""
    marks = marks_with(memory["named"])
    hidden: Memory = all_without_marked(memory, marks)
    hidden["named"] = marks
    return hidden


def names_of_repository(folder: str) -> dict[str, str]:
    """Branch, commit and working tree at this save, to be compared with what they are later."""
    now = repository(folder) if folder else {}
    return {"branch": now.get("branch", ""), "head": now.get("head", ""), "worktree": now.get("worktree", "")}


def first_time(entries: Entries) -> str:
    """When the session's first entry was; empty without one."""
    return next((entry["time"] for entry, _ in entries if entry.get("time")), "")


def waiting_call(call: Entry) -> Entry:
    """A call without a result as it waits on disk, secrets out."""
    return {**call, "body": cut(redact(clean(call["body"])), BODY_MAX_UTF16)}


def snapshot_of(memory: Memory, settings: Settings) -> Snapshot:
    """What the restore chooses from: the items, where the session stands, the settings in force."""
    return {
        "record": memory["record"],
        "position": memory["position"],
        "cycle": memory["cycle"],
        "began": memory["began"],
        "time": memory["time"],
        "state": memory["state"],
        "outputs": memory.get("outputs", {}),
        "files": memory.get("files", {}),
        "items": memory["items"],
        "read": {"transcript": memory["place"], "ledgers": memory["ledgers"]},  # so that it is seen what is new since
        "named": memory["named"],
        "settings": settings,
    }
