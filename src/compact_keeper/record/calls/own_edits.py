"""Own edits that are not in their file any more: a later read shows the text that they took away, whole.

A branch that was changed, a rebase or another program that writes: the session goes on as if its edit stood there. What
an edit takes away stands in the file once, or the client refuses it; so seen again, the edit is gone. In 82 sessions
this was so twice, both times rightly. Single lines do not do: they stand elsewhere too (of 125 nearly all).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from compact_keeper.client.changed_lines import fingerprint
from compact_keeper.client.tools import CHANGING_TOOLS
from compact_keeper.text.paths import last_parts
from compact_keeper.types import Entry, Item

NUMBER_BEFORE_ROW = r"\n {0,9}\d{1,7}[→\t]"  # by the line's end: with (?m)^ it takes four times as long
WATCHED_OF_A_FILE_MAX = 60
PARTS_OF_PATH = 3
SIDES = 2  # what went and what came


class OwnEdits:
    """The edits whose text should stand in their files."""

    def __init__(self, known: Iterable[Item]) -> None:
        """Those that are known from before."""
        self.watched: dict[str, list[Item]] = {}
        for item in known:
            if item["kind"] == "action" and item.get("tool") in CHANGING_TOOLS and item.get("edits"):
                self.add(item)

    def add(self, item: Item) -> None:
        """Takes an edit in; what it put back is no other edit's any more, and a file written whole has none."""
        path = last_parts(item["path"], PARTS_OF_PATH)
        sides = item["sides"] if len(item.get("sides", [])) == SIDES else []
        kept = [other for other in self.watched.get(path, []) if sides and other["sides"][0] not in sides[1]]
        is_new = bool(sides) and not item.get("seen_old")
        self.watched[path] = [*kept, *([item] if is_new else [])][-WATCHED_OF_A_FILE_MAX:]

    def items_of(self, call: Entry, items: Sequence[Item]) -> Iterator[Item]:
        """The call's items, and each edit that a read shows to be gone, with a line that stands there again."""
        yield from items
        for item in items:
            if item.get("edits"):
                self.add(item)
        path = last_parts(call["path"], PARTS_OF_PATH)
        if call["tool"] == "Read" and call["ok"] and self.watched.get(path):
            shown = fingerprint(re.sub(NUMBER_BEFORE_ROW, "\n", f"\n{call['body']}")[1:])
            gone = [item for item in self.watched[path]
                    if item["sides"][0] in shown and (not item["sides"][1] or item["sides"][1] not in shown)]
            self.watched[path] = [item for item in self.watched[path] if item not in gone]
            for item in gone:
                row = next((row[2:] for row in item.get("change", "").splitlines() if row.startswith("- ")), "")
                if row:
                    yield {**item, "seen_old": row, "seen_at": call["position"], "seen_time": call["time"]}
