"""What the kinds of calls share: the action that a call is, and what is kept of its output."""

from __future__ import annotations

from collections.abc import Iterable

from compact_keeper.client.call_output import CHATTER
from compact_keeper.record.items import new_item
from compact_keeper.record.outputs.code_hits import split_hit
from compact_keeper.record.outputs.plain_rows import plain_rows
from compact_keeper.record.outputs.telling_rows import ROW_END, ROWS_BETWEEN, telling_rows
from compact_keeper.text.length import cut, units, whole_words
from compact_keeper.text.paths import without_folder
from compact_keeper.text.quotation import quote_all
from compact_keeper.types import CallFields, Entry, Item, Unpack

LOOK_RESULT_MAX_UTF16 = 320
HIT_MAX_UTF16, HIT_CODE_MAX_UTF16 = 160, 80  # the second behind a path, however long that is
EVIDENCE_MAX_UTF16 = 260
MORE_CHARACTERS = 200  # that an output has beyond the result: it is worth a look
JSON_BEGINS, JSON_SHOWN_CHARACTERS = ("{", "["), 240  # of an output on one line: half a value is no value
HIT_LINE_MAX_CHARACTERS = 600  # looked at of a line of an output
ANNOUNCING_CHARACTERS, ANNOUNCED_CHARACTERS, ANNOUNCED_ROWS_MAX = 40, 400, 3  # behind a failure that ends in a colon
VERDICT_BY_OK = {None: "running", True: "ended", False: "failed"}  # of calls of other tools than shells


def action(call: Entry, text: str, name: str, **fields: Unpack[CallFields]) -> Item:
    """An action of this call; another one of the same tool and name is the same."""
    item = new_item("action", call, text, "assistant", key=f"{call['tool']} {name}", tool=call["tool"],
                    path=call["path"], family="")
    return {**item, **fields}


def ends_of(output: str, limit: int, is_listing: bool = False) -> str:
    """The rows of the output that tell how it ended, about `limit` UTF-16 units of them; of a listing its first ones.

    Of an output on one long line so much as can be redacted whole.
    """
    lines = [line for line in plain_rows(output.splitlines()) if line.strip() and not line.startswith(CHATTER)]
    rows = [begin_of_line(line) or f"(a line of {len(line):,} characters)" for line in lines]
    return telling_rows(rows, limit, is_listing)


def begin_of_line(line: str) -> str:
    """The line, of a long one its whole words; of JSON without blanks its whole first values, as much as is shown."""
    words = whole_words(line, HIT_LINE_MAX_CHARACTERS)
    if words or not line.startswith(JSON_BEGINS):
        return words
    values = line[:JSON_SHOWN_CHARACTERS].rpartition(",")[0]
    return f"{values}, {ROWS_BETWEEN}" if values else ""


def with_announced(line: str, output: str) -> str:
    """A failure's line that ends in a colon, with the rows that it announces in the output: the names of the files."""
    begin = line.rstrip()[-ANNOUNCING_CHARACTERS:]
    rest = output.partition(begin)[2][:ANNOUNCED_CHARACTERS]
    rows = [row for row in rest.splitlines() if row.strip()][:ANNOUNCED_ROWS_MAX]
    if not rows:
        announced = []
    elif rows[0][:1].isspace():
        announced = [row for row in rows if row[:1].isspace()]
    else:
        announced = [] if rows[0][:1] in "-=" else rows[:1]
    return f"{line.rstrip()} {ROW_END.join(row.strip() for row in announced)}".rstrip()


def kept_hits(hits: Iterable[str], root: str) -> list[str]:
    """The hits of a search as seen from the root, safe to keep, each with its whole path and some of its code.

    Of long paths nothing but "…" had been left.
    """
    whole = quote_all([without_folder(hit, root) for hit in hits], HIT_LINE_MAX_CHARACTERS)
    return [cut(hit, max(HIT_MAX_UTF16, units(split_hit(hit)[0]) + HIT_CODE_MAX_UTF16)) for hit in whole]


def evidence_in(lines: Iterable[str], root: str) -> CallFields:
    """Lines that were chosen of an output, safe to keep."""
    kept = quote_all([without_folder(line, root) for line in lines if line], EVIDENCE_MAX_UTF16)
    return {"evidence": kept} if kept else {}
