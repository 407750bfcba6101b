"""What a compaction's summary states: its sentences, without its analysis, code and quotes; English alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from compact_keeper.record.summary.claims import is_open_ended, sentence_words
from compact_keeper.types import Statement

SUMMARY_READ_CHARACTERS, LINES_MAX, STATEMENT_MAX_CHARACTERS = 200_000, 3_000, 600
SUBJECT_MIN_CHARACTERS = 12  # of a task's or commit's, by which a line is about it
HEADING_LINE = r"(?:#{1,6} |\d{1,2}[.)] )?\*{0,2}([A-Z][^.`:]{2,70}?):?\*{0,2}:?\s*$"
HOLDER_ALONE = r"(?:\*\*)?(`[^`]{1,200}`)(?:\*\*)?:?$"  # what stands below it is told of it
TABLE_CELL = " | "
QUOTED = r"\"[^\"\n]{12,400}\"|“[^”\n]{12,400}”"  # words of others
STATEMENT_END = r"(?<=[.!;])\s+(?=[A-Z`*(✅])"
OF_OTHERS = frozenset("messages request requests intent optional".split())  # in headings: of others, or to come
OF_THE_PAST = frozenset("error errors problem problems history chronological chronology".split())  # but for a "now"
PRESENT = frozenset(
    "still now currently again remain remains anymore actuellement maintenant toujours ahora sigue jetzt noch".split())


def body_of(summary: str) -> str:
    """The summary without the analysis before it, which tells the course of things, each step as it then was."""
    text = summary[:SUMMARY_READ_CHARACTERS]
    if "<summary>" in text:
        return text.partition("<summary>")[2].partition("</summary>")[0]
    if "Analysis:" in text[:600] and "\nSummary:" in text:
        return text.partition("\nSummary:")[2]
    return text


@lru_cache(maxsize=2)  # who compares asks for them, and who looks at the disk before
def statements_of(summary: str) -> list[Statement]:
    """The sentences of what a summary states."""
    return list(statements_in(body_of(summary)))


def statements_in(text: str) -> Iterator[Statement]:
    """Each sentence: {text without quotes of others, its words, the whole line, heading, is_past}."""
    heading, section, is_code, table, above, depth = "", "", False, "", "", 0
    for full in text.split("\n", LINES_MAX)[:LINES_MAX]:
        line = full.strip()[:4 * STATEMENT_MAX_CHARACTERS]
        is_code ^= line.startswith("```")
        if is_code or not line or line.startswith(("```", ">")):
            continue
        if line.startswith("|"):
            table = table or line  # its first row says whether it is of before, of a plan
            row = TABLE_CELL.join(cell.strip() for cell in line.strip("|").split("|"))
            if not is_open_ended(sentence_words(table)):
                yield statement_of(row, row, heading, section)
            continue
        table = ""
        title = re.match(HEADING_LINE, line)
        if title and (line.startswith("#") or line.endswith(":") or is_bold(line)):
            heading = title[1].strip("* ")
            section = section if full.startswith((" ", "\t", "-", "*")) else heading
            continue
        entry = re.sub(r"^(?:[-*•+]|\d{1,2}[.)])\s+", "", line)[:STATEMENT_MAX_CHARACTERS]
        plain = re.sub(QUOTED, "…", entry) if '"' in entry or "“" in entry else entry
        indent = len(full) - len(full.lstrip())
        above = above if indent > depth else ""
        for sentence in re.split(STATEMENT_END, plain):
            yield statement_of(f"{above}: {sentence}" if above else sentence, entry, heading, section)
        name = re.match(HOLDER_ALONE, plain)
        above, depth = (name[1], indent) if name else (above, depth)


def statement_of(text: str, line: str, heading: str, section: str) -> Statement:
    """A sentence of a line below its headings; it is of the past where they say so and it tells of no "now"."""
    words, headings = sentence_words(text), {*f"{section} {heading}".lower().replace("/", " ").split()}
    is_past = not OF_OTHERS.isdisjoint(headings) or (
        not OF_THE_PAST.isdisjoint(headings) and "solving" not in headings and PRESENT.isdisjoint(words))
    return {"text": text, "words": words, "line": line, "heading": heading, "is_past": is_past}


def is_bold(line: str) -> bool:
    """Whether the line is in bold as a whole, without the number before it."""
    return bool(re.match(r"(?:\d{1,2}[.)] )?\*\*[^*]+\*\*$", line))
