"""What a compaction's summary states: its sentences below their headings, without its analysis and code; English alone.

Each stands as it is written and as a row: its words in lower case, its marks as words of their own, without emphasis.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from compact_keeper.text.length import units
from compact_keeper.text.quotation import quote
from compact_keeper.types import Statement

SUMMARY_READ_CHARACTERS, LINES_MAX, STATEMENT_MAX_CHARACTERS = 200_000, 3_000, 2_400
SAID_MAX_UTF16, PIECE_BEFORE_CHARACTERS = 160, 60
CODE_BLOCK = r"(?m)^[ \t]*```.*\n(?:.*\n)*?(?:[ \t]*```.*$|.*\Z)"
HEADING_LINE = (r"(?=#|.*:$|(?:\d{1,2}[.)] )?\*\*[^*]+\*\*$)"
                r"(?:#{1,6} |\d{1,2}[.)] )?\*{0,2}([A-Z][^.`:]{2,70}?):?\*{0,2}:?$")
LIST_MARK = r"^(?:[-*•+]|\d{1,2}[.)])\s+"
END_IN_LINE = r"[.!?][)\]\"”]*\s+(?=\S)"
NO_SENTENCES_IN = r"`[^`\n]{0,300}`|[\"“„][^\"“”„]{12,400}[\"“”]"  # code and quotes
ROW_MARKS = ":;,!?()[]|–—→…=<§\""
REWRITTEN = (("’", "'"), ("*", ""), ("\ufe0f", ""), ("[ ]", "☐"), ("[x]", "☑"), *zip("“”„«»", "\"\"\"\"\""),
             ("; only ", "; "), (" and marked ", "; marked "), ("there are uncommitted changes in ", "uncommitted: "),
             ("there are uncommitted changes", "uncommitted: git status"))
OF_NOW = r"(?:before|when) (?:this|the) summary(?: request| was requested)?\b(?: ,)?"
OF_OTHERS = frozenset("messages request requests intent optional".split())  # in headings: of others, or to come
OF_THE_PAST = frozenset("error errors problem problems history chronological chronology".split())  # but for a "now"
PRESENT = frozenset("still now currently again remain remains".split())
OPEN_WORDS = frozenset((  # plans, conditions, questions, the past, other people's words and runs
    "be if once when whenever until unless should would will could may might must need needs expected want wants "
    "before earlier previously initially originally said reported subagent ci except only goal plan planned then "
    "reopened reverted undone fixed later proposal unclear probably maybe ?").split())


def body_of(summary: str) -> str:
    """The summary without the analysis before it, which tells the course of things, each step as it then was."""
    text = summary[:SUMMARY_READ_CHARACTERS]
    if "<summary>" in text:
        return text.partition("<summary>")[2].partition("</summary>")[0]
    return text.partition("\nSummary:")[2] if "Analysis:" in text[:600] and "\nSummary:" in text else text


@lru_cache(maxsize=2)  # who compares asks for them, and who looks at the disk before
def statements_of(summary: str) -> list[Statement]:
    """The sentences that tell how things are now: neither code, quotes, headings nor what is of others or planned."""
    sentences: list[tuple[str, str, int]] = []
    heading, table, about = "", "", set[str]()
    for index, full in enumerate(re.sub(CODE_BLOCK, "", body_of(summary)).split("\n")[:LINES_MAX]):
        line = full.strip()[:STATEMENT_MAX_CHARACTERS]
        may_be_title = full[:1] != " " and (line[:1] == "#" or line[-1:] in (":", "*"))
        title = re.match(HEADING_LINE, line) if may_be_title else None
        if title:
            heading = title[1].lower()
            about = {*heading.replace("/", " ").split()}
        if title or not line or line[0] == ">":
            continue
        table = (table or line.lower()) if line[0] == "|" else ""  # its first row: of before, or of a plan
        is_past = not OF_THE_PAST.isdisjoint(about) and "solving" not in about and PRESENT.isdisjoint(
            re.findall(r"\w+", line.lower()))
        if OF_OTHERS.isdisjoint(about) and not is_past and OPEN_WORDS.isdisjoint(table.split()):
            sentences += [(text, heading, index) for text in sentences_in(re.sub(LIST_MARK, "", line))]
    rows = as_rows([text for text, _, _ in sentences])
    return [{"line": text, "row": f" {row} ", "heading": heading, "line_index": index}
            for (text, heading, index), row in zip(sentences, rows)]


def sentences_in(line: str) -> list[str]:
    """The line's sentences, without emphasis."""
    line = line.replace("**", "")
    if not re.search(END_IN_LINE, line):  # of most lines
        return [line]
    masked = re.sub(NO_SENTENCES_IN, lambda match: "…" * len(match[0]), line)
    ends = [match.end() for match in re.finditer(END_IN_LINE, masked)]
    return [line[begin:end].rstrip() for begin, end in zip([0, *ends], [*ends, len(line)])]


def as_rows(texts: Sequence[str]) -> list[str]:
    """Each text as a row: in lower case, its marks as words of their own, without emphasis."""
    text = "\n".join(texts).lower()  # at once: one alone costs 4 µs
    for mark, instead in (*REWRITTEN, *((mark, f" {mark} ") for mark in ROW_MARKS)):
        text = text.replace(mark, instead)
    text = re.sub(r"\.(?=\s|\Z)", " .", re.sub(OF_NOW, "", text))
    return [" ".join(row.split()) for row in text.split("\n")]


def as_names(texts: Sequence[str]) -> list[str]:
    """Each text as it stands in a row as a name: without the mark at its end."""
    return [row.rstrip(" .?") for row in as_rows([" ".join(text.split()) for text in texts])]


def codes_in(statements: Sequence[Statement], pattern: str) -> dict[str, str]:
    """By name what stands between backticks in the statements and is of the pattern."""
    texts = re.findall(r"`([^`\n]{1,300})`", "\n".join(statement["line"] for statement in statements))
    codes = [code for code in dict.fromkeys(texts) if re.fullmatch(pattern, code)]
    return dict(zip(as_names([f"`{code}`" for code in codes]), codes))


def piece_around(text: str, name: str, before: int = 0) -> str:
    """The text; of one too long to be quoted what stands around a name, from about 60 characters before it on.

    The name is as it stands in rows; `before` is how many times it stands there before the one meant. A line of five
    sentences was cut to "Curren…" where "Current branch: `develop`." was wrong.
    """
    if units(text) <= SAID_MAX_UTF16:
        return text
    text = quote(text, 2 * units(text))  # redacted before it is cut
    pattern = r"\s*".join(map(re.escape, name.split()))
    offsets = [match.start() for match in re.finditer(rf"(?<!\w){pattern}(?!\w)", text, re.IGNORECASE)]
    offset = offsets[min(before, len(offsets) - 1)] if offsets else 0
    return f"… {text[text.find(' ', offset - PIECE_BEFORE_CHARACTERS, offset) + 1 or offset:]}" if (
        offset > PIECE_BEFORE_CHARACTERS) else text
