"""Rows of an output that begin alike, written together: names of a folder in braces, hits of a file with its path once.

A tenth of what listings and searches took in 48 real texts was the same beginning again.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from compact_keeper.recap.wording.commands import without_folder_of_outputs
from compact_keeper.recap.wording.phrases import shared_beginning
from compact_keeper.record.outputs.telling_rows import ROW_END, ROWS_BETWEEN, rows_in_short
from compact_keeper.text.length import units

NAME_MIN_CHARACTERS, OF_NO_NAME = 4, frozenset(" {},;:`'\"")  # what would be read otherwise within braces
BEGIN_MIN_CHARACTERS, NAMES_MIN = 6, 3
BEGIN_SHARE = 0.6  # of the beginning that the first two names have: with less a name begins another row
SPARED_SHARE = 0.3  # of the names: with less they read worse than what it spares
ENDS_OF_PARTS = "/_.-"  # where a beginning ends, so that what is left is a word
HIT_WITH_NUMBER = r"(?P<path>[^\s:]{0,300}[A-Za-z_][^\s:]{0,100}\.\w{1,8}):(?=\d{1,7}:)"


def joined_rows(rows: Sequence[str]) -> list[str]:
    """The rows, names that begin alike as `a_{1,2,…,9}.py`, a hit in the file of the one before as `:12: code`."""
    joined: list[str] = []
    index = 0
    while index < len(rows):
        count = names_alike(rows[index:])
        joined.append(in_braces(rows[index:index + count]) if count else rows[index])
        index += count or 1
    return without_paths_again(joined)


def rows_shown(text: str, limit: int, is_listing: bool = False) -> str:
    """Of rows that stand on one line those that tell most, within `limit` UTF-16 units, joined."""
    return rows_shown_within(text, (limit,), is_listing)[0]


def rows_shown_within(text: str, limits: Sequence[int], is_listing: bool = False) -> list[str]:
    """The rows that tell most, joined: once within each of these limits, in UTF-16 units."""
    text = without_folder_of_outputs(text)
    joined = joined_in_text(text)
    return [joined if units(joined) <= limit else joined_in_text(rows_in_short(text, limit, is_listing))
            for limit in limits]


def joined_in_text(text: str) -> str:
    """The rows that stand on one line, those together that begin alike."""
    return ROW_END.join(joined_rows([" ".join(row.split()) for row in text.split(ROW_END)]))


def names_alike(rows: Sequence[str]) -> int:
    """How many of the first rows are names that begin alike, with the marks of a gap between them; 0: too few."""
    names, end, begin_min = list[str](), 0, float(BEGIN_MIN_CHARACTERS)
    for index, row in enumerate(rows):
        if row == ROWS_BETWEEN and names:
            continue
        if len(row) < NAME_MIN_CHARACTERS or not OF_NO_NAME.isdisjoint(row):
            break
        if names:
            if row[:BEGIN_MIN_CHARACTERS] != names[0][:BEGIN_MIN_CHARACTERS]:  # as most: no more is compared
                break
            begin = common_begin([*names, row])
            if len(begin) < begin_min:
                break
            if len(names) == 1:
                begin_min = max(begin_min, BEGIN_SHARE * len(begin))
        names.append(row)
        end = index + 1
    if len(names) < NAMES_MIN:
        return 0
    begin = common_begin(names)
    spared = len(begin) + len(common_end([name[len(begin):] for name in names]))
    return end if spared * len(names) >= SPARED_SHARE * sum(map(len, names)) else 0


def common_begin(names: Sequence[str]) -> str:
    """How all the names begin, up to the end of a part of them."""
    least, most = min(names), max(names)  # what these two share all share
    length = shared_beginning(least, most)
    while length and least[length - 1] not in ENDS_OF_PARTS:
        length -= 1
    return least[:length]


def common_end(names: Sequence[str]) -> str:
    """How all the names end, from where a part of them begins."""
    return common_begin([name[::-1] for name in names])[::-1]


def in_braces(rows: Sequence[str]) -> str:
    """Names that begin alike as one, what differs in braces, as a shell takes it."""
    names = [row for row in rows if row != ROWS_BETWEEN]
    begin = common_begin(names)
    end = common_end([name[len(begin):] for name in names])
    differing = [row if row == ROWS_BETWEEN else row[len(begin):len(row) - len(end)] for row in rows]
    return f"{begin}{{{','.join(differing)}}}{end}"


def names_in_braces(text: str) -> set[str]:
    """The names that stand as one in a text, as `in_braces` has put them, each whole."""
    names = set[str]()
    for word in text.split() if "{" in text else ():
        begin, _, rest = word.partition("{")
        differing, _, end = rest.partition("}")
        if len(begin) >= BEGIN_MIN_CHARACTERS:
            names.update(f"{begin}{part}{end.rstrip(';')}" for part in differing.split(","))
    return names


def without_paths_again(rows: Sequence[str]) -> list[str]:
    """The rows; of hits with a path that follow one of the same file the path is left out."""
    shown, path_before = list[str](), ""
    for row in rows:
        if row == ROWS_BETWEEN:  # the path holds on behind it
            shown.append(row)
            continue
        hit = re.match(HIT_WITH_NUMBER, row) if ":" in row else None
        path = hit["path"] if hit else ""
        shown.append(row.removeprefix(path) if path == path_before else row)
        path_before = path
    return shown
