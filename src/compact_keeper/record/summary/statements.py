"""What a compaction's summary states of now, below its headings, without its analysis and code; English alone.

A statement is a sentence, cut at semicolons; what stands in its brackets is one of its own, too. Each stands as it is
written and as a row: its words in lower case, its marks as words of their own, without emphasis.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from compact_keeper.types import Statement

SUMMARY_READ_CHARACTERS, LINES_MAX, STATEMENT_MAX_CHARACTERS = 200_000, 3_000, 2_400
CODE_BLOCK = r"(?m)^[ \t]*```.*\n(?:.*\n)*?(?:[ \t]*```.*$|.*\Z)"
HEADING_LINE = (r"(?=#|.*:$|(?:\d{1,2}[.)] )?\*\*[^*]+\*\*$)"
                r"(?:#{1,6} |\d{1,2}[.)] )?\*{0,2}([A-Z][^.`:]{2,70}?):?\*{0,2}:?$")
LIST_MARK = r"^(?:[-*•+]|\d{1,2}[.)])\s+"
END_IN_LINE = r"(?:(?<=[.!?])|(?<=[.!?][)\]\"”]))\s+(?=\S)"
PART_END = r";\s+(?:only )?|:\s+(?=it )| and (?=marked )"  # "only #4 is left", "wrote it and marked #4 as done"
IN_BRACKETS = r"\(([^()]+)\)"
SET_APART = r"`[^`\n]{0,300}`|[\"“„][^\"“”„]{12,400}[\"“”]"  # code and quotes
ROW_MARKS = ":;,!?()[]|–—→…\""
REWRITTEN = (("’", "'"), ("*", ""), ("\ufe0f", ""), ("[ ]", "☐"), ("[x]", "☑"),
             *zip("“”„«»", "\"\"\"\"\""), *zip("§=<", "………"))  # these are signs of claims.py
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


def statements_of(summary: str) -> list[Statement]:
    """What the summary says of now: neither code, quotes, headings nor a sentence of others, of the past or a plan."""
    sentences = [*sentences_of_now(body_of(summary))]
    parts = [(index, part) for index, (_, sentence) in enumerate(sentences) for part in statement_parts(sentence)]
    rows = as_rows([part for _, part in parts])
    are_open = {index for (index, _), row in zip(parts, rows) if not OPEN_WORDS.isdisjoint(row.split())}
    return [{"line": part, "row": f" {row} ", "heading": sentences[index][0]}
            for (index, part), row in zip(parts, rows) if index not in are_open]


def sentences_of_now(text: str) -> Iterator[tuple[str, str]]:
    """The sentences of the text that may be of now, each behind the heading above it in lower case."""
    heading, first_row = "", ""
    for full in re.sub(CODE_BLOCK, "", text).split("\n")[:LINES_MAX]:
        line = full.strip()[:STATEMENT_MAX_CHARACTERS]
        may_be_title = full[:1] != " " and (line[:1] == "#" or line[-1:] in (":", "*"))
        title = re.match(HEADING_LINE, line) if may_be_title else None
        heading = title[1].lower() if title else heading
        first_row = (first_row or line.lower()) if line[:1] == "|" else ""  # of a table
        is_of_now = may_be_of_now(line, heading) and OPEN_WORDS.isdisjoint(first_row.split())
        if is_of_now and not title and line[:1] != ">":
            for sentence in cut_at(END_IN_LINE, re.sub(LIST_MARK, "", line).replace("**", "")):
                yield heading, sentence


def may_be_of_now(line: str, heading: str) -> bool:
    """Whether the line may tell how things are now; below a heading of the past one with a word for now may."""
    about = {*heading.replace("/", " ").split()}
    is_of_past = not OF_THE_PAST.isdisjoint(about) and "solving" not in about
    return OF_OTHERS.isdisjoint(about) and not (
        is_of_past and PRESENT.isdisjoint(re.findall(r"\w+", line.lower())))


def statement_parts(sentence: str) -> list[str]:
    """The sentence's parts between semicolons, and what stands in its brackets."""
    brackets = re.finditer(IN_BRACKETS, masked(sentence)) if "(" in sentence else ()
    return [*cut_at(PART_END, sentence), *(sentence[match.start(1):match.end(1)] for match in brackets)]


def cut_at(end: str, text: str) -> list[str]:
    """The text's pieces between the places where this pattern matches outside of code and quotes."""
    if not re.search(end, text):  # of most
        return [text]
    ends = [match.span() for match in re.finditer(end, masked(text))]
    return [text[begin:stop] for (_, begin), (stop, _) in zip([(0, 0), *ends], [*ends, (len(text), 0)])]


def masked(text: str) -> str:
    """The text with dots in place of code and quotes."""
    return re.sub(SET_APART, lambda match: "…" * len(match[0]), text)


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
