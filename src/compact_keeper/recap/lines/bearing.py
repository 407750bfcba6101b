"""Whether a row that was read or met bears on what is to be done: by the words that it shares with that.

What careful readers called chance rows of files and searches took a fifth of one text and a seventh of another.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence, Set

from compact_keeper.recap.wording.in_summary import next_part
from compact_keeper.record.calls.open_tasks import open_tasks
from compact_keeper.record.outputs.telling_rows import ROW_END, ROWS_BETWEEN
from compact_keeper.text.fields import text_of
from compact_keeper.text.paths import file_name
from compact_keeper.types import Item, Snapshot

WORD_AT_HAND = r"[A-Za-z][A-Za-z0-9_]{3,60}|[^\W\d_\x00-\x7f]{4,60}"  # Chinese has no spaces
MESSAGES_AT_HAND = 3
PLACED_HIT = r"(?:[^\s:]{1,200}:)?\d{1,7}:(?!\d)"  # no time of day
DOCUMENT_FILE = r"(?i)\.(?:md|mdx|txt|rst|adoc)$"
FILES_AT_HAND = 12  # changed last
WORDS_OF_ANY_CODE = frozenset(  # of code and of any text: that a row has one too says nothing
    "about also and async await been before body boolean button case catch class className const content could data"
    " default delete does each else error export extends false file files final first following for from function"
    " have here import index input int interface into item items just key let like line lines list main make more"
    " name new none null number object one only other output over page params path print private props public query"
    " read res response result return self should some static status string struct test than that the their them then"
    " there these they this throw true try type types undefined update use used user using value var void want was"
    " when which while will with within without work would you your".split())


def words_at_hand(snapshot: Snapshot) -> frozenset[str]:
    """The words of what is asked, was said last, is open, comes next, and of the files that were changed last."""
    items = snapshot["items"]
    typed = [item["text"] for item in items if item["kind"] in ("message", "answer")][-MESSAGES_AT_HAND:]
    tasks = [item["text"] for item in open_tasks(items)]
    texts = [*typed, *tasks, text_of(snapshot["state"], "last_words"), next_part(text_of(snapshot, "summary"))]
    changed = [file_name(item["path"]).rpartition(".")[0] or file_name(item["path"])
               for item in items if item["kind"] == "action" and item.get("edits")]
    return telling_words("\n".join([*texts, *dict.fromkeys(changed[::-1][:FILES_AT_HAND])]))


def telling_words(text: str) -> frozenset[str]:
    """The words of a text and the parts of its names, in lower case, without those that any text has."""
    words = {word.lower() for word in re.findall(WORD_AT_HAND, text)}
    return frozenset(words) - WORDS_OF_ANY_CODE


def bears_on(row: str, at_hand: Set[str]) -> bool:
    """Whether a row has a word of what is at hand; of a script without spaces nothing can be said, and it does."""
    return (not row.isascii() and row != ROWS_BETWEEN) or not at_hand.isdisjoint(telling_words(row))


def rows_that_bear(rows: Sequence[str], at_hand: Set[str]) -> list[str]:
    """Those of the rows that bear on what is at hand."""
    return [row for row in rows if bears_on(row, at_hand)]


def with_rows_at_hand(items: Iterable[Item], at_hand: Set[str]) -> list[Item]:
    """The items, looks with those of their rows and hits alone that bear on what is at hand.

    A search in code none of whose hits does is left out. `at_hand` is empty where nothing is known of that: then all
    stand.
    """
    if not at_hand:
        return [*items]
    return [look_at_hand(item, at_hand) if item["kind"] == "look" else item for item in items
            if not (is_code_search(item) and not rows_that_bear(item["result"].split(ROW_END), at_hand))]


def is_code_search(item: Item) -> bool:
    """Whether it is a look of which hits with their places are shown, and none of the newest calls."""
    return item["kind"] == "look" and not item.get("output") and re.match(PLACED_HIT, item["result"]) is not None


def look_at_hand(look: Item, at_hand: Set[str]) -> Item:
    """The look with the rows that bear on what is at hand; a document's rows say something alone, and names are few."""
    if look["tool"] == "Read" and re.search(DOCUMENT_FILE, look["path"]):
        return look
    bearing: Item = {**look}
    if is_code_search(look):
        bearing["result"] = ROW_END.join(rows_that_bear(look["result"].split(ROW_END), at_hand))
    if look.get("rows"):
        bearing["rows"] = rows_that_bear(look["rows"], at_hand)
    if look.get("hits") and look["tool"] == "Grep":
        bearing["hits"] = rows_that_bear(look["hits"], at_hand)
    return bearing
