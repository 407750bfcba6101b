"""What the person asked, for the notes: the newest messages, and those before them that still say what to do."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from compact_keeper.notes.wording import NOTE_WORDS_MAX_UTF16, is_for_summary, local, message_shown
from compact_keeper.record.items import ORDER_MIN_CHARACTERS
from compact_keeper.record.merge import KIND_MAX
from compact_keeper.record.words.assent import only_goes_on
from compact_keeper.record.words.binding import binds
from compact_keeper.text.fields import text_of
from compact_keeper.text.times import moment
from compact_keeper.types import Item

REQUESTS_SHOWN = 5  # messages, the newest; without those that only say to go on
BINDING_SHOWN = 6  # older messages that forbid or bound something, the newest
REQUEST_MAX_UTF16 = 700
FIRST_ORDER_MAX_UTF16 = 1_600  # of the session's first order, and of the last long one


def newest_messages(items: Sequence[Item]) -> list[str]:
    """What was asked last, what before that, and what the session is for, a line each; none without a message.

    The last ones alone may be questions in between, or "go on", of which the newest alone is shown: the last long
    message, those that forbid or bound something ("do not push, Anna reviews first") and the first of all stay. What is
    left out between is counted; a single one has the room that its count would take.
    """
    messages = [item for item in items if (item["kind"], item["status"]) == ("message", "open")
                and not is_for_summary(item)]
    newest_first = sorted(messages, key=lambda item: -int(item["position"]))
    recent = [item for index, item in enumerate(newest_first) if index == 0 or not only_goes_on(item["text"])]
    recent = recent[:REQUESTS_SHOWN]
    long_ones = filter(is_long, newest_first)
    whole = [*islice(long_ones, 1), *newest_first[-1:]]
    rules = {item["text"] for item in items if item["kind"] == "rule"}  # these stand in their own section
    older = [item for item in newest_first if item not in recent and item not in whole and item["text"] not in rules]
    binding = [*islice((item for item in older if binds(item["text"])), BINDING_SHOWN)]
    left_out = [item for item in older if item not in binding and not only_goes_on(item["text"])]
    alone = left_out if len(left_out) == 1 else []
    lines = list[str]()
    for item in newest_first:
        if len(left_out) > 1 and item is newest_first[-1]:
            at_least = "at least " * (len(messages) >= KIND_MAX["message"])  # of more messages the oldest are gone
            lines.append(f"({at_least}{len(left_out)} more in between)")
        if item in whole:
            limit = FIRST_ORDER_MAX_UTF16
        elif item is newest_first[0] or item in binding:
            limit = REQUEST_MAX_UTF16
        elif item in recent or item in alone:
            limit = NOTE_WORDS_MAX_UTF16
        else:
            continue
        shown: Item = item if item in recent else {**item, "text": own_words_of(item)}
        refusing = "when refusing " if item.get("refused") else ""
        lines.append(f"{why_shown(item, newest_first, recent, binding)}{refusing}{message_shown(shown, limit)} "
                     f"({local(moment(item['last']))})")
    return lines


def why_shown(
        item: Item, newest_first: Sequence[Item], recent: Sequence[Item], binding: Sequence[Item]) -> str:
    """When a message came, and why it is shown; nothing is said of the newest."""
    if item is newest_first[0]:
        return ""
    if item is newest_first[-1]:
        return "first of all: "
    if item in recent:
        return "before that: "
    if item in binding:
        return "earlier, it sets bounds: "
    return "earlier, the last long one: " if is_long(item) else "earlier: "


def is_long(message: Item) -> bool:
    """Whether the message's own words are as many as an order's."""
    return len(own_words_of(message)) >= ORDER_MIN_CHARACTERS


def own_words_of(message: Item) -> str:
    """The message's words without what was pasted into it."""
    return text_of(message, "own") or message["text"]
