"""Of an edit, the lines that differ; of a new file, how it begins."""

from __future__ import annotations

from typing import Any

from compact_keeper.text.fields import text_of
from compact_keeper.text.length import cut
from compact_keeper.text.redact import redact
from compact_keeper.text.sanitize import clean
from compact_keeper.types import Record

CHANGE_MAX_UTF16, CHANGED_LINE_MAX_UTF16 = 420, 160
TEXT_LOOKED_AT_CHARACTERS = 20_000  # of each side of an edit
LINES_OF_A_NEW_FILE, LINES_OF_A_SIDE = 4, 6


def changed_lines(tool: str, arguments: Record) -> str:
    """The lines of a change on one line, lines_joined by " ⏎ ": removed ones begin with "−", others are new.

    Of lines on both sides none is shown; a whole new file is told by its first lines and their number.
    """
    if tool in ("Write", "NotebookEdit"):
        content = text_of(arguments, "content") or text_of(arguments, "new_source")
        return beginning_of(content)
    edits: Any = arguments.get("edits") if tool == "MultiEdit" else [arguments]
    parts: list[str] = []
    for edit in edits if isinstance(edits, list) else []:
        if isinstance(edit, dict):
            parts += difference(text_of(edit, "old_string"), text_of(edit, "new_string"))
    return lines_joined(parts)


def difference(old: str, new: str) -> list[str]:
    """The lines of the new text that the old one has not; where there are none, those that went."""
    before = [line.strip() for line in old[:TEXT_LOOKED_AT_CHARACTERS].splitlines()]
    after = [line.strip() for line in new[:TEXT_LOOKED_AT_CHARACTERS].splitlines()]
    known, kept = set(before), set(after)
    added = code_first([line for line in after if line and line not in known])
    gone = [f"− {line}" for line in before if line and line not in kept]
    if not added:
        return gone[:LINES_OF_A_SIDE]
    return added[:LINES_OF_A_SIDE] if len(gone) != 1 else [*gone, *added[:LINES_OF_A_SIDE]]


def code_first(lines: list[str]) -> list[str]:
    """The lines, those that only comment or close a bracket last: a signature says more."""
    return sorted(lines, key=lambda line: line.startswith(("//", "#", "*", "/*", '"""', "<!--")) or len(line) < 4)


def beginning_of(content: str) -> str:
    """The first telling lines of a new file and how many it has."""
    lines = [line.strip() for line in content[:TEXT_LOOKED_AT_CHARACTERS].splitlines()]
    telling = [line for line in lines if len(line) > 3 and any(map(str.isalpha, line))][:LINES_OF_A_NEW_FILE]
    count = content.count("\n") + bool(content and not content.endswith("\n"))
    return lines_joined([f"{count} lines", *telling]) if content else ""


def lines_joined(lines: list[str]) -> str:
    """The lines on one, each no longer than is read, secrets out."""
    text = "\n".join(line[:4 * CHANGED_LINE_MAX_UTF16] for line in lines)
    shown = [cut(" ".join(line.split()), CHANGED_LINE_MAX_UTF16) for line in redact(clean(text)).splitlines()]
    return cut(" ⏎ ".join(shown), CHANGE_MAX_UTF16)
