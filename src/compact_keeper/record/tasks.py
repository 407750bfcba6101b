"""Stub."""
from __future__ import annotations
from collections.abc import Iterator, Sequence
from compact_keeper.types import Record
class Tasks:
    def __init__(self, known: Sequence[Record]) -> None: pass
    def items_of(self, entry: Record) -> Iterator[Record]:
        yield from ()
