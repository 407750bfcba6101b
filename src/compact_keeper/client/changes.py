"""Of an edit, the lines that differ; of a new file, how it begins."""

from __future__ import annotations

import re
from typing import Any

from compact_keeper.text.fields import text_of
from compact_keeper.text.length import cut
from compact_keeper.text.redact import redact, redact_across_lines
from compact_keeper.text.sanitize import clean
from compact_keeper.types import Record

CHANGE_MAX_UTF16, CHANGED_LINE_MAX_UTF16 = 2_800, 240
TEXT_LOOKED_AT_CHARACTERS = 20_000  # of each side of an edit
LINES_OF_A_NEW_FILE, LINES_OF_A_SIDE = 16, 20
OMITTED_ROWS = "…"
COMMENT_MARKS = ("//", "#", "*", "/*", '"""', "<!--")  # how a line begins that only comments; Markdown's headings too
OPENING = (  # how a new file begins, which says nothing of it
    r"(?:import|from|using|package|use|include|#include|require|require_relative|@import|mod|namespace|'use |\"use )\b"
    r"|(?:const|let|var) .{1,200}\brequire\(|from __future__|#!")
DEFINED_ROW = (  # of something that a file is for, in some language; variables only where nothing encloses them
    r"[ \t]{0,4}(?:(?:export|default|public|private|protected|internal|static|async|abstract|final|override|open"
    r"|sealed|partial|declare|unsafe|pub(?:\(\w{1,20}\))?) ){0,5}(?:def|class|func|fn|function\*?|interface|struct"
    r"|enum|trait|impl|type|protocol|module|record|object|extension|describe|resource|message|service"
    r"|CREATE (?:TABLE|VIEW|INDEX|FUNCTION))\b(?=.{0,300}[{(:=;])|(?:export )?(?:const|let|var) [A-Za-z_$].{0,120}=")
DEFINED_MIN = 2
BRACKET_CHARACTERS = 4  # a shorter line mostly closes a bracket


def changed_lines(tool: str, arguments: Record) -> str:
    """The lines of a change: "- " before those that went, "+ " before new ones; each no longer than is read.

    Lines that stand on both sides are left out; a whole new file is told by its number of lines and its first ones.
    """
    if tool in ("Write", "NotebookEdit"):
        return beginning_of(text_of(arguments, "content") or text_of(arguments, "new_source"))
    edits: Any = arguments.get("edits") if tool == "MultiEdit" else [arguments]
    rows: list[str] = []
    for edit in edits if isinstance(edits, list) else []:
        if isinstance(edit, dict):
            rows += difference(text_of(edit, "old_string"), text_of(edit, "new_string"))
    return safe_rows(rows)


def difference(old: str, new: str) -> list[str]:
    """The lines that only one side has: of each the first, comments only where nothing else changed.

    Among the new ones a row OMITTED_ROWS stands where lines of both sides lie between them: without it, two lines that
    were put in at different places read as if one followed the other.
    """
    before, after = ([line.strip() for line in redact_across_lines(text[:TEXT_LOOKED_AT_CHARACTERS]).splitlines()]
                     for text in (old, new))
    known, kept = set(before), set(after)
    gone = telling([line for line in before if line and line not in kept])
    added = telling([OMITTED_ROWS if line in known else line for line in after if line])
    return [*within_side(gone, "- "), *within_side(without_idle_gaps(added), "+ ")]


def telling(lines: list[str]) -> list[str]:
    """The lines in their order; without those that only comment or close a bracket where others say more."""
    code = {line for line in lines if not line.startswith(COMMENT_MARKS) and len(line) >= BRACKET_CHARACTERS}
    return [line for line in lines if line in code or line == OMITTED_ROWS] if code else lines


def without_idle_gaps(lines: list[str]) -> list[str]:
    """The lines with a gap between them at most once in a row, and none at the ends."""
    kept: list[str] = []
    for line in lines:
        if line != OMITTED_ROWS or kept[-1:] not in ([], [OMITTED_ROWS]):
            kept.append(line)
    return kept[:-1] if kept[-1:] == [OMITTED_ROWS] else kept


def within_side(lines: list[str], mark: str) -> list[str]:
    """The first lines as rows, and a row that says how many are left out."""
    rows = [mark + line for line in lines[:LINES_OF_A_SIDE]]
    missing = sum(line != OMITTED_ROWS for line in lines[LINES_OF_A_SIDE:])
    return [*rows, f"{mark}{OMITTED_ROWS} {missing} more lines"] if missing else rows


def beginning_of(content: str) -> str:
    """The number of lines of a new file, and what it defines; else its first telling lines."""
    rows = redact_across_lines(content[:TEXT_LOOKED_AT_CHARACTERS]).splitlines()
    defined = [row.strip() for row in rows if re.match(DEFINED_ROW, row)]
    others = [row.strip() for row in rows if not re.match(OPENING, row)]
    lines = defined if len(defined) >= DEFINED_MIN else others or [row.strip() for row in rows]
    telling = [line for line in lines if len(line) > BRACKET_CHARACTERS and any(map(str.isalpha, line))]
    count = content.count("\n") + bool(content and not content.endswith("\n"))
    rows = [f"{count} lines", *(f"+ {line}" for line in telling[:LINES_OF_A_NEW_FILE])]
    rows += [f"+ {OMITTED_ROWS}"] if len(telling) > LINES_OF_A_NEW_FILE else []
    return safe_rows(rows) if content else ""


def safe_rows(rows: list[str]) -> str:
    """The rows, each no longer than is read, secrets out."""
    text = "\n".join(row[:4 * CHANGED_LINE_MAX_UTF16] for row in rows)
    shown = [cut(" ".join(row.split()), CHANGED_LINE_MAX_UTF16) for row in redact(clean(text)).splitlines()]
    return cut("\n".join(shown), CHANGE_MAX_UTF16)
