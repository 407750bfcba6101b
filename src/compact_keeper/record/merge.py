"""Items of the same thing are one; what is closed goes, and what is too much."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from math import exp

from compact_keeper.types import Record

CLOSED = ("cleared", "answered", "gone", "ended", "replaced", "superseded")  # not kept any more
KEPT_LONGER = {  # worth when there are too many items, 1 where none is named; all but a rule's fades with cycles
    "rule": 5, "task": 4, "answer": 4, "plan": 4, "question": 4, "request": 3, "wish": 3, "failure": 2, "found": 0.3}


def identity(one: Record) -> tuple[str, str]:
    """What makes two items the same: kind and key, in one Unicode form, case and white space folded."""
    key = str(one.get("key") or one["text"])[:400]
    return one["kind"], " ".join((key if key.isascii() else unicodedata.normalize("NFKC", key)).casefold().split())


def merge(known: Iterable[Record], new: Iterable[Record], cycle: int, used: Record) -> list[Record]:
    """All open items in order; the same ones are one, as told last, counts added; at most `max_items`, by worth."""
    table = {identity(one): one for one in known}
    for one in new:
        old = table.pop(identity(one), {})
        told = {key: value for key, value in one.items() if value not in ("", None)}
        counts = {key: old.get(key, 0) + one.get(key, 0) for key in ("uses", "edits")}
        if one["status"] not in CLOSED and (old or one["text"]):
            table[identity(one)] = {**one, **old, **told, **counts, "first": old.get("first") or one["first"]}
    kept = sorted(table.values(), key=lambda one: (  # by worth, which fades with cycles
        KEPT_LONGER.get(one["kind"], 1) * (one["kind"] == "rule" or exp((one["cycle"] - cycle) / used["half_life"])),
        one["position"]))
    return sorted(kept[-used["max_items"]:], key=lambda one: int(one["position"]))
