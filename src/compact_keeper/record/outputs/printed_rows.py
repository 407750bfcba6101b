"""Of what a call printed some rows that its result does not have: what is needed later is known later alone.

They are chosen by their form, those with most words for their length first, of equal ones those near the output's ends:
so they held half of what careful readers wrote down from outputs, first and last rows alone two fifths.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import log1p

from compact_keeper.client.call_output import CHATTER, name_in_background
from compact_keeper.record.outputs.plain_rows import plain_rows
from compact_keeper.record.outputs.telling_rows import (
    BETWEEN_CELLS,
    ROW_LOOKED_AT_CHARACTERS,
    indexes_of_earlier_hours,
    is_dull,
    is_progress,
    is_ruler,
)
from compact_keeper.text.length import whole_words
from compact_keeper.text.quotation import quote_all
from compact_keeper.types import Entry, Item

ROWS_KEPT, ROW_MAX_UTF16 = 6, 200
TABLE_ROWS_KEPT = 3  # the first of a table: three of its middle had looked as if nothing came before them
OTHERS_FRAMES = (  # and the first row of a trace
    r"Traceback \(most recent call last\)|File \".{0,300}/(?:lib/python3?[\d.]*|site-packages|dist-packages)/"
    r"|File \"<frozen "
    r"|at .{0,300}(?:node_modules/|\(?node:internal/)")
SOURCE_FRAME = "File "  # behind such a row stands the line of code
FRAME_BEGINS = ("Traceback ", SOURCE_FRAME, "at ")
SECTION_ROW = r"={2,} ?[^\s=].*={2,}$|==> .+ <==$|-{3,} ?[^\s-].*-{3,}$"
FIRST_ROWS, LAST_ROWS = 100, 200  # of an output, that are looked at
ROW_MIN_CHARACTERS, LETTERS_SHARE = 8, 0.4
# Of the logarithms of a row's words, its length, the rows before it and behind it.
WORDS_WEIGHT, LENGTH_WEIGHT, BEFORE_WEIGHT, BEHIND_WEIGHT = 1.5, -0.5, -0.3, -0.27


def with_printed_rows(item: Item, call: Entry) -> Item:
    """The item with rows that its call printed beside its result, where there are such."""
    if call["ok"] is None:
        return item
    rows = rows_beside(call["output"], item.get("result", ""))
    kept = [row for row in quote_all(rows, ROW_MAX_UTF16) if row]  # of control characters alone nothing is left
    return {**item, "rows": kept} if kept else item


def rows_beside(output: str, result: str) -> list[str]:
    """ROWS_KEPT rows of an output that the result does not have, in their order; not redacted yet.

    None of an output in sections of which the result has some: they would read as if of the section that it shows last.
    """
    printed = plain_rows(ends_of_rows(output.splitlines()))
    most = ROW_LOOKED_AT_CHARACTERS
    rows = [" ".join((row if len(row) <= most else whole_words(row, most)).split()) for row in printed]
    sections = [row for row in rows if row.startswith(("==", "---")) and re.match(SECTION_ROW, row)]
    if len(sections) > 1 and any(row in result for row in sections):
        return []
    indexes = {row: index for index, row in enumerate(rows) if len(row) >= ROW_MIN_CHARACTERS}  # each once
    overtaken = (later_in_tables(rows) if "--" in output else set[int]()) | indexes_of_earlier_hours(rows)
    telling = [index for row, index in indexes.items() if index not in overtaken and row not in result
               and says_something(row)
               and not (index and is_frame_of_others(rows[index - 1], SOURCE_FRAME))]
    chosen = sorted(telling, key=lambda index: -worth_of_printed(rows, index))[:ROWS_KEPT]
    return [whole_words(rows[index], ROW_MAX_UTF16) for index in sorted(chosen)]


def later_in_tables(rows: Sequence[str]) -> set[int]:
    """The indexes of the rows of tables but for the first TABLE_ROWS_KEPT of each."""
    later, in_table = set[int](), 0  # which row of a table comes next; 0: none
    for index, row in enumerate(rows):
        if "--" in row and is_ruler(row):  # by far the most rows are none
            in_table = 1
        elif in_table and BETWEEN_CELLS in row:
            later |= {index} if in_table > TABLE_ROWS_KEPT else set()
            in_table += 1
        else:
            in_table = 0
    return later


def ends_of_rows(rows: Sequence[str]) -> Sequence[str]:
    """The rows; of very many the first and the last ones."""
    return rows if len(rows) <= FIRST_ROWS + LAST_ROWS else [*rows[:FIRST_ROWS], *rows[-LAST_ROWS:]]


def says_something(row: str) -> bool:
    """Whether a row is none that was printed on the way, and has words: none of a drawing, nor of a file of bytes."""
    letters = sum(map(str.isalnum, row))
    has_words = letters >= LETTERS_SHARE * len(row.replace(" ", "")) and "\ufffd" not in row
    is_clients = row.startswith((*CHATTER, "Exit code ", "Command timed out after ")) or name_in_background(row) != ""
    is_on_the_way = is_clients or is_dull(row) or is_progress(row)
    return has_words and not is_on_the_way and not is_frame_of_others(row)


def is_frame_of_others(row: str, begins: str | tuple[str, ...] = FRAME_BEGINS) -> bool:
    """Whether a row is of a failure's trace, and in code that is not the project's; it begins with one of `begins`."""
    return row.startswith(begins) and re.match(OTHERS_FRAMES, row) is not None


def worth_of_printed(rows: Sequence[str], index: int) -> float:
    """How much the row at this index may tell, by its form."""
    row = rows[index]
    return (WORDS_WEIGHT * log1p(len({*row.split()})) + LENGTH_WEIGHT * log1p(len(row))
            + BEFORE_WEIGHT * log1p(index) + BEHIND_WEIGHT * log1p(len(rows) - 1 - index))
