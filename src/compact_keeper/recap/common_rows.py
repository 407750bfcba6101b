"""Rows that many outputs of the session have: they tell nothing of the single call, so the newest alone keeps them.

A shell that printed three errors at each start had them in forty steps, in the place of what the commands said.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from itertools import chain

from compact_keeper.record.commands.check_programs import CHECK_FAMILIES
from compact_keeper.record.outputs.telling_rows import ROW_END, ROWS_BETWEEN
from compact_keeper.types import Item

OUTPUTS_MIN = 4  # that have a row which tells nothing of any
COMMON_ROW_MIN_CHARACTERS = 12
LISTING_OF_GIT = r"(?:cd [^;&|\n]{1,300}(?:&&|;|\n) ?)?git (?:-C \S{1,300} )?(?:log|status|reflog)\b"


def without_common_rows(items: Sequence[Item]) -> list[Item]:
    """The items; a row that several results have stands in the newest of these alone. Results of checks stay whole."""
    printed = [rows_printed(item) for item in items]
    counts: dict[str, int] = {}
    for row in chain.from_iterable(printed):
        counts[row] = counts.get(row, 0) + 1
    common = {row for row, count in counts.items() if count >= OUTPUTS_MIN and len(row) >= COMMON_ROW_MIN_CHARACTERS}
    if not common:
        return [*items]
    kept: list[Item] = []
    shown = set[str]()
    for item, rows in zip(reversed(items), reversed(printed)):
        again = rows & shown
        shown |= rows & common
        kept.append(without_these_rows(item, again) if again else item)
    return kept[::-1]


def rows_printed(item: Item) -> set[str]:
    """The rows of an action's or a look's output, where it is none of a check.

    Nor a listing of git's, whose first rows say where it begins.
    """
    if item["kind"] not in ("action", "look") or item.get("family") in CHECK_FAMILIES:
        return set()
    if item["kind"] == "look" and "git " in item["text"] and re.match(LISTING_OF_GIT, item["text"]):
        return set()
    return {*item["result"].split(ROW_END), *item.get("rows", [])} - {""}


def without_these_rows(item: Item, again: Set[str]) -> Item:
    """The item without these rows; in the place of those between others stands one mark, none before the first."""
    left = list[str]()
    for row in item["result"].split(ROW_END):
        if row not in again and row != ROWS_BETWEEN:
            left.append(row)
        elif left and left[-1] != ROWS_BETWEEN:
            left.append(ROWS_BETWEEN)
    bare: Item = {**item, "result": ROW_END.join(left) or item["result"]}
    if "rows" in bare:
        bare["rows"] = [row for row in bare["rows"] if row not in again]
    return bare
