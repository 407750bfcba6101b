"""Many things in few words: the first of them, and how many more there are."""

from __future__ import annotations

from collections.abc import Sequence


def first_and_more(words: Sequence[str], most: int) -> str:
    """The first so many of the words, and how many more there are."""
    return ", ".join(words[:most]) + and_more(len(words) - most)


def and_more(number: int, least: str = "") -> str:
    """How many more there are than stand before it; empty for none. `least`: the words for a number that may be low."""
    return f" and {least}{number:,} more" if number > 0 else ""
