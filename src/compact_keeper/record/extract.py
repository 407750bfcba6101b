"""From the entries of a session to the items that they give."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from compact_keeper.client.entries import FIELD_MAX_UTF16, Reading
from compact_keeper.record.calls import Work
from compact_keeper.record.words import Conversation
from compact_keeper.text.quotation import quote
from compact_keeper.text.redact import redact
from compact_keeper.text.sanitize import clean
from compact_keeper.types import Record

SAID_MAX_CHARACTERS = 16_000  # of the assistant's words, the newest, that are looked through whole
SAID_END_CHARACTERS = 200  # of its earlier words: their end


def items_of_entries(reading: Reading, known: Sequence[Record]) -> Iterator[tuple[Record, list[Record]]]:
    """Each entry of the reading in the order of time with the items that it gives; last those of what is true now."""
    conversation, work = Conversation(known, reading.state), Work(known, reading.state)
    room = SAID_MAX_CHARACTERS
    for entry in [entry for entry in reversed(reading.stream) if entry["what"] == "said"]:
        room -= len(entry["text"])
        if room >= 0:
            entry["text"] = redact(clean(entry["text"]))
        else:
            entry["text"] = entry["text"][-SAID_END_CHARACTERS:].partition(" ")[2]
    for entry in sorted(reading.stream, key=lambda entry: str(entry["time"])):
        items = [*conversation.items_of(entry), *work.items_of(entry)]
        yield entry, [quoted_item(item) for item in items]
    if reading.stream:
        yield {}, [quoted_item(item) for item in [*conversation.items_at_rest(), *work.items_at_rest()]]


def quoted_item(item: Record) -> Record:
    """The item with the words of others than the person on one line, redacted; typed words are so from the start."""
    others = ("question", "key") if item["who"] == "user" else ("text", "question", "key")
    return {**item, **{name: quote(item[name], FIELD_MAX_UTF16) for name in others if isinstance(item.get(name), str)}}
