"""How the text that is put back begins: what it is, of which moment, how to see more, and its age."""

from __future__ import annotations

from compact_keeper.store.compaction import NONCE_CHARACTERS
from compact_keeper.text.fields import text_of
from compact_keeper.text.length import units
from compact_keeper.text.times import moment
from compact_keeper.types import Snapshot

OF_COMPACTION = " before the compaction"
HEADER = (f"compact-keeper: the record of this session{OF_COMPACTION}, from its transcript. Where the summary "
          "says otherwise, this is what was recorded. Times count back from ")
# With its moment and the block's number, and without how to open a step.
HEADER_UTF16 = units(HEADER) + len("2026-02-23 14:05 UTC (block ).") + NONCE_CHARACTERS


def header_of(snapshot: Snapshot) -> str:
    """The first line of the text; a second one on its age where there is something to be said of it."""
    number = text_of(snapshot, "id")[-NONCE_CHARACTERS:]
    stamp = text_of(snapshot, "time")
    when = f"{stamp[:10]} {stamp[11:16]} UTC" if moment(stamp) else "the compaction"
    block = f" (block {number})" if number else ""
    header = HEADER.replace(OF_COMPACTION, "") if snapshot.get("is_by_hand") else HEADER
    line = f"{header}{when}{block}. {text_of(snapshot, 'how_to_open')}".rstrip()
    return "\n".join(filter(None, [line, text_of(snapshot, "as_of")]))
