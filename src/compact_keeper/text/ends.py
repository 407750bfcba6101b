"""The ends of a long text: its last part, from where it may begin; its beginning and its end."""

from __future__ import annotations

import re

from compact_keeper.text.fences import FENCES, lines_outside_fences
from compact_keeper.text.length import before_space, behind_space, cut, last_units, units

ENDS_LOOKED_AT_CHARACTERS = 40_000  # of a text that is put on one line
SECTION_MARK, NO_HEADING_LEVEL = r"(#{1,6}) ", 7
HEADING_ABOVE_UTF16 = 120
BEGINS_BEHIND = r"\n|[.!?] |[。！？]"  # what a line or a sentence begins behind; a list hangs on its colon


def last_part(text: str, most_units: int) -> str:
    """The end of the text, from the beginning of a line or of a sentence on where there is one."""
    text = text.strip()
    if units(text) <= most_units:
        return text
    return "… " + from_beginning(last_units(text, most_units)).strip()


def from_beginning(end: str) -> str:
    """The end of a text from where a line or a sentence begins in its first third, else from a word on.

    Without its beginning a sentence may say the reverse: "run it on all of them" was the end of "Do not run it …".
    """
    start = re.search(BEGINS_BEHIND, end[:len(end) // 3])
    return end[start.end():] if start else behind_space(end)


def end_on_a_line(text: str, most_units: int) -> str:
    """The text on one line; of a long one its end, as UTF-16 units: there stands what it asks."""
    line = " ".join(text.split())
    return line if units(line) <= most_units else "…" + from_beginning(last_units(line, most_units - 1)).lstrip()


def both_ends_on_a_line(text: str, limit: int) -> str:
    """The text on one line; of a long one its beginning and its end, as UTF-16 units of both together."""
    line = " ".join(text[:ENDS_LOOKED_AT_CHARACTERS].split())
    if units(line) <= limit:
        return line
    return f"{before_space(line[:limit * 3 // 5])} … {behind_space(line[-limit * 2 // 5 + 4:])}"


def both_ends_in_rows(text: str, limit: int) -> str:
    """The text, its rows kept, what is empty folded; of a long one its beginning and its end, a mark between them.

    Whole rows, or whole words of a row alone: two points of a list had stood there as one. Behind the mark the heading
    that the end stands under: words on a second way had stood below the first one's.
    """
    rows = [f"{row[:len(row) - len(row.lstrip())]}{' '.join(row.split())}" for row in text.strip().splitlines()]
    rows = [row for row, before in zip(rows, ["", *rows]) if row or before]
    kept = "\n".join(rows).strip()
    if len(kept) <= limit:
        return kept
    first, last = kept[:limit // 2], kept[-limit // 2 + 3:]
    first = first.rpartition("\n")[0] or before_space(first)
    last = last.partition("\n")[2] or behind_space(last)
    return f"{first}\n…\n{heading_above(kept, len(kept) - len(last), len(first))}{last}"


def heading_above(text: str, end: int, begin: int) -> str:
    """The heading that the text from `end` on stands under, as a row, where it stands behind `begin`; else empty.

    A fence behind it where what follows is code; where a heading follows, only one of a higher level.
    """
    before = text[:end]
    is_code = sum(row.lstrip().startswith(FENCES) for row in before.splitlines()) % 2
    follows = NO_HEADING_LEVEL if is_code else section_level(text[end:])
    heading = next((row for row in reversed(lines_outside_fences(before)) if section_level(row) < follows), "")
    if not heading or before.rfind(f"\n{heading}\n") < begin:
        return ""
    shown = cut(heading, HEADING_ABOVE_UTF16).removesuffix("…").rstrip()
    return f"{shown} …\n{FENCES[0]}\n" if is_code else f"{shown} …\n"


def section_level(row: str) -> int:
    """The level of a heading, from 1 on; more of any other row."""
    match = re.match(SECTION_MARK, row)
    return len(match[1]) if match else NO_HEADING_LEVEL
