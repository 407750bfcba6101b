"""Where a file that a step wrote or edited was edited again later: what is shown of it then is no longer how it is.

Only edits in the same transcript count: there the steps' numbers say which came later.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from compact_keeper.archive.passages import CHANGING_CALLS, RESULT_LINE, steps_of_row
from compact_keeper.types import JsonObject

EDITS_NAMED = 3  # the newest


def path_changed(text: str) -> str:
    """The file that a step wrote or edited; empty for any other step, and where that failed or was rejected."""
    head = text.partition("\n")[0]
    is_change = head.startswith(CHANGING_CALLS) and f"\n{RESULT_LINE}ended" in text
    return head.partition(" ")[2] if is_change else ""


def later_edits(archive: Any, steps: Iterable[tuple[int, int | None, str]]) -> dict[int, str]:
    """Of steps of one transcript, each with its row, number and text, in words where its file was edited later.

    Those whose file was not edited again are not in it.
    """
    edits: dict[str, list[tuple[int, str]]] = {}  # of a file the newest, whatever row they are looked for from
    words: dict[int, str] = {}
    for row, number, text in steps:
        path = path_changed(text)
        if number and path:
            if path not in edits:
                rows = archive.changing(row, [f"{call}{path}\n" for call in CHANGING_CALLS], EDITS_NAMED + 1)
                edits[path] = edits_in_rows(rows, path)
            later = [name for step, name in edits[path] if step > number]
            if later:
                more = "…, " * (len(later) > EDITS_NAMED)
                words[number] = f"edited again since: {more}{', '.join(later[-EDITS_NAMED:])}"
    return words


def edits_in_rows(rows: Iterable[JsonObject], path: str) -> list[tuple[int, str]]:
    """The rows' edits of the file, by their numbers, each with how it is shown."""
    return sorted((number, f"{row['id']}#{number}") for row in rows for number, _, text in steps_of_row(row)
                  if number and path_changed(text) == path)
