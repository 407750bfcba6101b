"""Many things in few words: the first of them, and how many more there are."""

from __future__ import annotations

from collections.abc import Sequence


def first_and_more(words: Sequence[str], most: int) -> str:
    """The first so many of the words, and how many more there are."""
    more = f" and {len(words) - most:,} more" if len(words) > most else ""
    return ", ".join(words[:most]) + more
