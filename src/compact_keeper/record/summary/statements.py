"""What a compaction's summary states: its lines below their headings, without its analysis and code; English alone."""

from __future__ import annotations

import re
from functools import lru_cache

from compact_keeper.record.summary.claims import OPEN_WORDS, row_of
from compact_keeper.types import Statement

SUMMARY_READ_CHARACTERS, LINES_MAX, STATEMENT_MAX_CHARACTERS = 200_000, 3_000, 2_400
HEADING_LINE = r"(?:#{1,6} |\d{1,2}[.)] )?\*{0,2}([A-Z][^.`:]{2,70}?):?\*{0,2}:?\s*$"
BOLD_LINE = r"(?:\d{1,2}[.)] )?\*\*[^*]+\*\*$"
LIST_MARK = r"^(?:[-*•+]|\d{1,2}[.)])\s+"
OF_OTHERS = frozenset("messages request requests intent optional".split())  # in headings: of others, or to come
OF_THE_PAST = frozenset("error errors problem problems history chronological chronology".split())  # but for a "now"
PRESENT = frozenset("still now currently again remain remains".split())


def body_of(summary: str) -> str:
    """The summary without the analysis before it, which tells the course of things, each step as it then was."""
    text = summary[:SUMMARY_READ_CHARACTERS]
    if "<summary>" in text:
        return text.partition("<summary>")[2].partition("</summary>")[0]
    return text.partition("\nSummary:")[2] if "Analysis:" in text[:600] and "\nSummary:" in text else text


@lru_cache(maxsize=2)  # who compares asks for them, and who looks at the disk before
def statements_of(summary: str) -> list[Statement]:
    """The lines that tell how things are now: neither code, quotes, headings nor what is of others, planned or past."""
    statements: list[Statement] = []
    text, heading, is_code, table = body_of(summary), "", False, ""
    about: set[str] = set()
    for full, words in zip(text.split("\n")[:LINES_MAX], row_of(text).split("\n")):
        line, row = full.strip()[:STATEMENT_MAX_CHARACTERS], f" {' '.join(words[:STATEMENT_MAX_CHARACTERS].split())} "
        is_fence = line.startswith("```")
        is_code ^= is_fence
        if is_code or is_fence or not line or line[0] == ">":
            continue
        may_be_title = line[0] == "#" or line[-1] == ":" or (line[-1] == "*" and re.match(BOLD_LINE, line))
        title = re.match(HEADING_LINE, line) if may_be_title and full[0] != " " else None
        if title:
            heading = title[1].lower()
            about = {*heading.replace("/", " ").split()}
            continue
        table = (table or row) if line[0] == "|" else ""  # its first row says whether it is of before, or of a plan
        is_past = not OF_THE_PAST.isdisjoint(about) and "solving" not in about and PRESENT.isdisjoint(row.split())
        if OF_OTHERS.isdisjoint(about) and not is_past and OPEN_WORDS.isdisjoint(table.split()):
            statements.append({"line": re.sub(LIST_MARK, "", line), "row": row, "heading": heading})
    return statements
