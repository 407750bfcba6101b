"""Where a file that a step wrote or edited was edited again later: what is shown of it then is no longer how it is.

Only edits in the same transcript count: there the steps' numbers say which came later.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from compact_keeper.archive.passages import CHANGING_CALLS, RESULT_LINE, steps_of_row
from compact_keeper.types import JsonObject

EDITS_NAMED = 3  # the newest
MORE_ROWS = 8  # times as many


def path_changed(text: str) -> str:
    """The file that a step wrote or edited; empty for any other step, and where that failed or was rejected."""
    head = text.partition("\n")[0]
    is_change = head.startswith(CHANGING_CALLS) and f"\n{RESULT_LINE}ended" in text
    return head.partition(" ")[2] if is_change else ""


def later_edits(archive: Any, steps: Iterable[tuple[JsonObject, int | None, str]]) -> dict[int, dict[int, str]]:
    """Of steps, each with its row, number and text, in words where their files were edited later: by row and number.

    Those whose file was not edited again are not in it.
    """
    edits: dict[tuple[Any, str], list[tuple[int, str]]] = {}  # of a file in a transcript
    words: dict[int, dict[int, str]] = {}
    for row, number, text in sorted(steps, key=lambda step: step[0]["start"]):
        path = path_changed(text)
        if number and path:
            file = row["source"], path
            if file not in edits:  # it is looked for from the first row on
                edits[file] = newest_edits(archive, row["id"], path)
            later = [name for step, name in edits[file] if step > number]
            if later:
                more = "…, " * (len(later) > EDITS_NAMED)
                named = f"edited again since: {more}{', '.join(later[-EDITS_NAMED:])}"
                words.setdefault(row["id"], {})[number] = named
    return words


def newest_edits(archive: Any, row: int, path: str) -> list[tuple[int, str]]:
    """The newest edits of the file from a row on, by their numbers, each with how it is shown; those that were made."""
    heads, most = [f"{call}{path}\n" for call in CHANGING_CALLS], EDITS_NAMED + 1
    while True:
        rows = archive.changing(row, heads, most)
        edits = sorted((number, f"{there['id']}#{number}") for there in rows for number, _, text in steps_of_row(there)
                       if number and path_changed(text) == path)
        if len(edits) > EDITS_NAMED or len(rows) < most:
            return edits
        most *= MORE_ROWS  # in these some failed
