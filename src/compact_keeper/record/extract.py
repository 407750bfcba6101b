"""From the entries of a session to the items that they give."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from compact_keeper.client.entries import FIELD_MAX_UTF16, Reading
from compact_keeper.record.calls.actions import items_of_call
from compact_keeper.record.calls.background_ends import BackgroundEnds
from compact_keeper.record.calls.checklists import Checklists
from compact_keeper.record.calls.command_actions import feedback_item
from compact_keeper.record.calls.jobs import Jobs
from compact_keeper.record.calls.numbered_tasks import NumberedTasks
from compact_keeper.record.items import whole_command
from compact_keeper.record.merge import KIND_MAX
from compact_keeper.record.outcomes.doubtful_ends import OWN_TEXT, shows_own_text
from compact_keeper.record.words.dialogs import Dialogs
from compact_keeper.record.words.messages import Conversation
from compact_keeper.text.ends import last_part
from compact_keeper.text.fields import text_of
from compact_keeper.text.length import cut
from compact_keeper.text.redact import redact
from compact_keeper.text.sanitize import clean
from compact_keeper.types import Entry, Item

SAID_MAX_CHARACTERS = 60_000  # of the agent's words, the newest, that are kept
SAID_END_CHARACTERS = 200  # of its earlier words: their end


def items_of_entries(reading: Reading, known: Sequence[Item]) -> Iterator[tuple[Entry, list[Item]]]:
    """Each entry of the reading in the order of time with the items that it gives; last those of what is true now."""
    conversation, background = Conversation(known, reading.state), BackgroundEnds(known)
    others = (NumberedTasks(known), Checklists(known), Dialogs(known), Jobs(known))
    redact_said([entry for entry in reading.stream if entry["what"] == "said"])
    root = (text_of(reading.state, "root") or "/") + "/"
    for entry in sorted(reading.stream, key=lambda entry: str(entry["time"])):
        items = [*conversation.items_of(entry), *(item for other in others for item in other.items_of(entry))]
        if entry["what"] == "call":
            if entry["ok"] and shows_own_text(whole_command(entry), entry["output"]):
                entry["output"] = OWN_TEXT
            items += items_of_call(entry, root)
        elif entry["what"] == "feedback":
            items.append(feedback_item(entry))
        items += background.ended_by(entry, items)
        yield entry, [with_short_key(item) for item in items]
    if reading.stream:
        conversation.note_last_words()


def redact_said(said: Sequence[Entry]) -> None:
    """Takes secrets from the agent's words, in place; of the oldest, beyond SAID_MAX_CHARACTERS, the ends are left."""
    room = SAID_MAX_CHARACTERS
    for age, entry in enumerate(reversed(said)):
        text = entry["text"]
        room -= len(text)
        if room < 0:
            text = last_part(text, SAID_END_CHARACTERS)  # "No prior design" had lost its first word here
        entry["text"] = redact(clean(text))
        entry["is_old"] = age >= KIND_MAX["said"]  # not kept, only what messages answer


def with_short_key(item: Item) -> Item:
    """The item with its key on one line; it is made of words that were redacted when they were read."""
    key = cut(" ".join(item.get("key", "").split()), FIELD_MAX_UTF16)
    return {**item, "key": key} if key != item.get("key", "") else item
