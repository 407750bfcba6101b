"""Items of the same thing are one; what is closed goes, and what is too much."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from math import exp

from compact_keeper.types import Record

KEY_MAX_CHARACTERS = 400  # of a key or text that are compared
CLOSED = ("cleared", "answered", "gone", "ended", "replaced", "superseded")  # not kept any more
KEPT_LONGER = {  # worth when there are too many items, 1 where none is named; all but a rule's fades with cycles
    "rule": 5, "task": 4, "answer": 4, "plan": 4, "question": 4, "request": 3, "wish": 3, "failure": 2, "found": 0.3}


def identity(item: Record) -> tuple[str, str]:
    """What makes two items the same: kind and key, in one Unicode form, case and white space folded."""
    key = str(item.get("key") or item["text"])[:KEY_MAX_CHARACTERS]
    if not key.isascii():
        key = unicodedata.normalize("NFKC", key)
    return item["kind"], " ".join(key.casefold().split())


def merge(known: Iterable[Record], new: Iterable[Record], cycle: int, settings: Record) -> list[Record]:
    """All open items in order; the same ones are one, as told last, counts added; at most `max_items`, by worth."""
    table = {identity(item): item for item in known}
    for item in new:
        old = table.pop(identity(item), {})
        if item["status"] not in CLOSED and (old or item["text"]):
            table[identity(item)] = renewed_item(old, item)
    by_worth = sorted(table.values(), key=lambda item: (worth(item, cycle, settings["half_life"]), item["position"]))
    return sorted(by_worth[-settings["max_items"]:], key=lambda item: int(item["position"]))


def renewed_item(old: Record, item: Record) -> Record:
    """The item as told now, with what only the old one tells, and the counts of both; `old` may be empty."""
    values = {name: value for name, value in item.items() if value not in ("", None)}
    counts = {name: old.get(name, 0) + item.get(name, 0) for name in ("uses", "edits")}
    return {**item, **old, **values, **counts, "first": old.get("first") or item["first"]}


def worth(item: Record, cycle: int, half_life: float) -> float:
    """What decides which items stay when there are too many; of all but rules it fades with the cycles."""
    fading = 1.0 if item["kind"] == "rule" else exp((item["cycle"] - cycle) / half_life)
    return KEPT_LONGER.get(item["kind"], 1) * fading
