"""The recap of a snapshot, as tests look at it."""

from __future__ import annotations

from collections.abc import Iterable

from compact_keeper.recap.parts import recap_parts
from compact_keeper.types import ChosenLine, Line, Snapshot


def recap_of(snapshot: Snapshot) -> tuple[str, list[ChosenLine]]:
    """What goes out of the snapshot as one text, and all lines that might stand in it."""
    parts, lines = recap_parts(snapshot)
    return "\n\n".join(parts), lines


def texts(lines: Iterable[Line]) -> list[str]:
    """The lines as they stand in the recap."""
    return [line["text"] for line in lines]
