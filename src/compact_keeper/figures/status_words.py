"""The words of the status line. What is not known is left out."""

from __future__ import annotations

import os
import time

from compact_keeper.client.tokens import whole_number
from compact_keeper.store.session_marks import SAVES_AT
from compact_keeper.text.kind_words import count_shown
from compact_keeper.types import JsonObject

MARK_COLOURS = dict(zip(SAVES_AT, ("33", "31", "1;31")))  # yellow, red, bold red
NOTHING = "ctx –"  # before the client tells how full the context is, and before the first save
BAR_CELLS = 20  # 5 % each, so that every mark stands at the beginning of one
NARROW_COLUMNS = 70  # of a terminal, below which the bar is left out; only newer clients tell them
TASKS_MAX, FINDINGS_MAX = 9_999, 999
GIVEN_SHOWN_SECONDS = 10 * 60  # after a compaction: about as long as a person asks what came of it


def marks_reached(percent: int | None) -> list[int]:
    """The marks (percent remaining) that so full a context has reached."""
    return [mark for mark in SAVES_AT if percent is not None and 100 - percent <= mark]


def context_words(percent: int | None) -> str:
    """The bar, where there is room for it, and the figure, coloured from the first mark on.

    After a compaction the client tells no figure until the next answer: the bar stays, without one.
    """
    columns = os.environ.get("COLUMNS", "")
    is_narrow = columns.isdecimal() and int(columns) < NARROW_COLUMNS
    words = f"{'' if is_narrow else bar_of(percent or 0)}{NOTHING if percent is None else f'ctx {percent}%'}"
    reached = [] if os.environ.get("NO_COLOR") else marks_reached(percent)
    return f"\x1b[{MARK_COLOURS[reached[-1]]}m{words}\x1b[0m" if reached else words


def bar_of(percent: int) -> str:
    """The bar, with the marks that are not reached yet."""
    full = percent * BAR_CELLS // 100
    marks = [(100 - mark) * BAR_CELLS // 100 for mark in SAVES_AT]
    return "█" * full + "".join("│" if cell in marks else "·" for cell in range(full, BAR_CELLS)) + " "


def save_words(saved: object, now: float) -> str:
    """When the last save was, by the clock here; empty when that is not known or in the future. Both since 1970.

    No age: nothing draws the line anew while the session is idle, and "just now" had stood there for minutes.
    """
    if type(saved) not in (int, float) or not 0 < saved <= now:  # type: ignore[operator]
        return ""
    at, today = time.localtime(saved), time.localtime(now)  # type: ignore[arg-type]
    day = "" if at[:3] == today[:3] else f"{at.tm_mday} {time.strftime('%b', at)} "
    return f"saved {day}{time.strftime('%H:%M', at)}"


def note_words(note: JsonObject, given: JsonObject, now: float) -> str:
    """What the summary said otherwise, and that a note on it waits for the model, or has lately been given to it.

    Of a compaction whose text told a part, and whose note tells the rest, all is counted.
    """
    age = now - given["time"] if type(given.get("time")) in (int, float) else -1
    shown = note or (given if 0 <= age < GIVEN_SHOWN_SECONDS else {})
    findings = shown.get("findings")
    listed = findings if isinstance(findings, list) else []
    waiting = sum(isinstance(finding, dict) and bool(finding.get("said")) for finding in listed)
    contradicted = max(waiting, whole_number(shown.get("contradicted"), FINDINGS_MAX))
    things = contradicted or len(listed) or 1
    errors = f"{count_shown(things, 'error')} found in the summary"
    if contradicted:
        return f"{errors}, {'the model will be told' if waiting and note else 'told to the model'}"
    return f"the model will be told {count_shown(things, 'thing')} about the summary" if note else ""


def line_of(percent: int | None, status: JsonObject, note: JsonObject, given: JsonObject, now: float) -> str:
    """The line; empty when nothing is known. `note` waits for the model, `given` was the last one it was given.

    What one looks for stands before the long words on the summary: the client cuts the line at the terminal's width.
    """
    tasks = whole_number(status.get("tasks"), TASKS_MAX)
    tasks_words = count_shown(tasks, "open task") if tasks else ""
    known = [*filter(None, (save_words(status.get("time"), now), tasks_words, note_words(note, given, now)))]
    return " · ".join([context_words(percent), *known]) if known or percent is not None else ""


def joined(theirs: bytes, line: str) -> bytes:
    """Both outputs: on one line where theirs is one, else ours as the last line."""
    if not theirs or line in ("", NOTHING):
        return theirs or line.encode()
    reset = b"\x1b[0m" if b"\x1b" in theirs else b""  # a colour that they left on
    return theirs + reset + (b"\n" if b"\n" in theirs else " │ ".encode()) + line.encode()
