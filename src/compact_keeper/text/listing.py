"""Many things in few words: the first of them, and how many more there are."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from compact_keeper.text.paths import file_name

FILES_MAX = 5


def first_and_more(words: Sequence[str], most: int) -> str:
    """The first so many of the words, and how many more there are."""
    return ", ".join(words[:most]) + and_more(len(words) - most)


def and_more(number: int, least: str = "") -> str:
    """How many more there are than stand before it; empty for none. `least`: the words for a number that may be low."""
    return f" and {least}{number:,} more" if number > 0 else ""


def file_names(paths: Sequence[str], others: Collection[str] = ()) -> str:
    """The first paths by their names, with the folder where two have the same, and how many more there are.

    `others` are further paths that are known, as seen from the same folder.
    """
    names = [*map(file_name, {*paths, *others})]
    shown = ["/".join(path.split("/")[-2:]) if names.count(file_name(path)) > 1 else file_name(path)
             for path in paths]
    return first_and_more(shown, FILES_MAX)
