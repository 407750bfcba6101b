"""From the entries of a session to the items that they give."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from compact_keeper.client.entries import FIELD_MAX_UTF16, Reading
from compact_keeper.record.actions import items_of_call
from compact_keeper.record.dialogs import Dialogs
from compact_keeper.record.jobs import Jobs
from compact_keeper.record.messages import Thread
from compact_keeper.record.tasks import Tasks
from compact_keeper.text.fields import text_of
from compact_keeper.text.quotation import quote
from compact_keeper.text.redact import redact
from compact_keeper.text.sanitize import clean
from compact_keeper.types import Record

SAID_MAX_CHARACTERS = 60_000  # of the agent's words, the newest, that are kept
SAID_END_CHARACTERS = 200  # of its earlier words: their end


def items_of_entries(reading: Reading, known: Sequence[Record]) -> Iterator[tuple[Record, list[Record]]]:
    """Each entry of the reading in the order of time with the items that it gives; last those of what is true now."""
    thread, tasks = Thread(known, reading.state), Tasks(known)
    dialogs, jobs = Dialogs(known), Jobs(known)
    room = SAID_MAX_CHARACTERS
    for entry in [entry for entry in reversed(reading.stream) if entry["what"] == "said"]:
        room -= len(entry["text"])
        entry["text"] = redact(clean(entry["text"])) if room >= 0 else (
            redact(clean(entry["text"][-SAID_END_CHARACTERS:].partition(" ")[2])))
    root = (text_of(reading.state, "root") or "/") + "/"
    for entry in sorted(reading.stream, key=lambda entry: str(entry["time"])):
        items = [*thread.items_of(entry), *tasks.items_of(entry), *dialogs.items_of(entry), *jobs.items_of(entry)]
        if entry["what"] == "call":
            items += items_of_call(entry, root)
        yield entry, [quoted_item(item) for item in items]
    if reading.stream:
        yield {}, [quoted_item(item) for item in thread.items_at_rest()]


def quoted_item(item: Record) -> Record:
    """The item with its key on one line, redacted: it is made of what others wrote."""
    return {**item, "key": quote(item["key"], FIELD_MAX_UTF16)} if item.get("key") else item
