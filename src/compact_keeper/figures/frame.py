"""What the live view shows of a session: what would come back now and what of it is new, compactions, the hooks' times.

It reads the ends of events.jsonl and of the transcript, of which it takes numbers alone, and the session's small files;
what would come back it is given.
"""

from __future__ import annotations

import os
import re
import time
import unicodedata
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from compact_keeper.client.threads import last_records, thread_state
from compact_keeper.figures.compactions import OUTCOMES, TRIGGERS, compactions_of, shrunk_words
from compact_keeper.figures.counting import Tally, add_event
from compact_keeper.figures.sessions import project_of, saved_later, transcript_of
from compact_keeper.figures.terminal import HOOK_WORDS
from compact_keeper.figures.totals import facts_of_each, spreads
from compact_keeper.store.events import newest_events
from compact_keeper.store.folder import STATUS_FILE, session_folder
from compact_keeper.store.json_files import readable_store
from compact_keeper.store.refusal import Refusal
from compact_keeper.text.fields import text_of
from compact_keeper.text.kind_words import count_shown
from compact_keeper.text.sanitize import clean
from compact_keeper.text.times import age_in_words, clock, local_time, moment
from compact_keeper.types import JsonObject

LABEL_COLUMNS = 15  # of what stands on the left
EVENTS_END_BYTES = 1 << 20  # of events.jsonl: some thousand events
COMPACTIONS_SHOWN, CHANGES_SHOWN = 3, 5
BAR_COLUMNS = 20
ROW_LINES_MAX = 3  # of a row that is longer than the terminal is wide
COUNTS_BACK_FROM = r"Times count back from (\d{4}-\d\d-\d\d \d\d:\d\d) UTC"  # as recap/lines/header.py says it
STYLES = {"": "", "bold": "1", "dim": "2", "new": "32", "bar": "36"}  # SGR


class View(NamedTuple):
    """What would come back now: the text and its limit, 0 where it is not known; its new lines, and since when."""

    text: str = ""
    budget: int = 0
    changes: Sequence[str] = ()
    changed_at: float = 0.0


class Row(NamedTuple):
    """A line of the view: what stands on the left, what beside it, in which style."""

    label: str
    text: str
    style: str = ""


def frame(session: str, view: View, width: int, height: int, is_bright: bool = False) -> list[str]:
    """At most so many lines of at most so many columns; the times of the hooks are the last one."""
    now = time.time()
    folder = session_folder(session)
    events = events_of(session)
    tally = Tally()
    for event in events:
        add_event(tally, event)
    last = hooks_row(tally)
    head = [*rows(session, folder, now), *compaction_rows(tally, now),
            *change_rows(view), *text_rows(view)]
    lines = [line for row in head for line in lines_of(row, width, is_bright)]
    room = height - 1 if last and height > 1 else height
    if len(lines) > room > 1:
        rest = count_shown(len(lines) - room + 1, "line")
        lines[room - 1:] = [styled(Row("", f"… and {rest} more; a taller window shows them"), width, is_bright)]
    return [*lines[:room], *([styled(last, width, is_bright)] if last and height > 1 else [])]


def lines_of(row: Row, width: int, is_bright: bool) -> list[str]:
    """The row as lines, its text broken to the columns: what would come back is mostly longer than one."""
    first, *more = wrapped(row.text, width - LABEL_COLUMNS - 1)
    pieces = [row._replace(text=first), *(Row("", text, row.style) for text in more)]
    return [styled(piece, width, is_bright) for piece in pieces]


def styled(row: Row, width: int, is_bright: bool) -> str:
    """The row as a line, cut to the columns, in its style."""
    label, text = f"{row.label:{LABEL_COLUMNS}} ", row.text
    if not is_bright:
        return fitted(f"{label}{text}".rstrip(), width)
    left = fitted(label, width)
    right = fitted(text, width - LABEL_COLUMNS - 1)
    code = STYLES[row.style]
    return f"\033[1m{left}\033[0m" + (f"\033[{code}m{right}\033[0m" if code and right else right)


def rows(session: str, folder: str, now: float) -> Iterator[Row]:
    """What is known of the session now."""
    status = readable_store(folder, STATUS_FILE)
    project = project_of(folder)
    name = f"{os.path.basename(project) or project}  " if project else ""
    clock = local_time(now, "%H:%M:%S")
    yield Row("compact-keeper", f"{name}session {session}  {clock}  (q ends the view)", "bold")
    if later := saved_later(session, project):
        yield Row("Newer", f"session {later} of this folder was saved later; stats.py watch shows that", "new")
    yield Row("Project", project or "not known")
    yield Row("Context", context_shown(transcript_of(session)))
    yield Row("Saved", age_shown(status["time"], now) if "time" in status else "not yet")
    if waiting := waiting_shown(folder):
        yield Row("Waiting", waiting)


def compaction_rows(tally: Tally, now: float) -> Iterator[Row]:
    """The last compactions, the newest first."""
    label = "Compactions"
    for facts in facts_of_each(compactions_of(tally.events), now)[:-COMPACTIONS_SHOWN - 1:-1]:
        parts = [f"{local_time(facts['time'], '%H:%M:%S')} {TRIGGERS.get(facts.get('trigger', ''), 'begun')}",
                 shrunk_words(facts), f"put back {facts['units']:,} characters" if "units" in facts else "",
                 OUTCOMES[facts["outcome"]].in_row if facts["outcome"] else ""]
        yield Row(label, ", ".join(filter(None, parts)))
        label = ""
    if label:
        yield Row(label, "none yet")


def change_rows(view: View) -> Iterator[Row]:
    """The lines that are new in what would come back, the first ones of them."""
    label = "New"
    for line in view.changes[:CHANGES_SHOWN]:
        yield Row(label, f"{local_time(view.changed_at, '%H:%M:%S')} {line}" if label else f"         {line}", "new")
        label = ""
    if more := len(view.changes[CHANGES_SHOWN:]):
        yield Row("", f"         … and {count_shown(more, 'line')} more", "new")


def text_rows(view: View) -> Iterator[Row]:
    """What would come back if the session were compacted now: how much that is, then its lines, the new ones marked."""
    if not view.text:
        yield Row("Would come back", "nothing yet" if view.budget else "not known")
        return
    full = min(round(BAR_COLUMNS * len(view.text) / view.budget), BAR_COLUMNS) if view.budget else 0
    bar = f"{'█' * full}{'·' * (BAR_COLUMNS - full)} " if view.budget else ""
    limit = f" of {view.budget:,}" if view.budget else ""
    header, *lines = view.text.splitlines()  # the first says to the model what this is, and of which moment
    saved = re.search(COUNTS_BACK_FROM, header)
    back_from = f"; times count back from {clock(moment(saved[1].replace(' ', 'T') + ':00Z'))}" if saved else ""
    yield Row("Would come back", f"{bar}{len(view.text):,}{limit} characters, if the session were compacted now"
                                 f"{back_from}", "bar")
    new = {*view.changes}
    for line in filter(str.strip, lines):
        style = "new" if line in new else "bold" if line.startswith("## ") else ""
        yield Row("", line.removeprefix("## "), style)


def hooks_row(tally: Tally) -> Row | None:
    """How long half of the runs of each hook took, in a line; none where no time is known."""
    times = [f"{HOOK_WORDS[name]} {ms['p50']:g}" for name, ms in spreads(tally).items()]
    return Row("Hooks, ms", " · ".join(times), "dim") if times else None


def events_of(session: str) -> list[JsonObject]:
    """The session's last events, the newest last."""
    return [event for event in newest_events(EVENTS_END_BYTES) if event["session"] == session]


def context_shown(transcript: str) -> str:
    """How many tokens the last answer left in the context."""
    try:
        tokens = thread_state(last_records(transcript))["usage"] if transcript else 0
    except (OSError, Refusal):
        tokens = 0
    return f"{tokens:,} tokens after the last answer" if tokens else "not known: no answer in the transcript yet"


def age_shown(moment: object, now: float) -> str:
    """How long ago that was."""
    if not isinstance(moment, (int, float)) or not 0 < moment <= now + 60:
        return "not known when"
    return f"{age_in_words(now - moment)} ago"


def waiting_shown(folder: str) -> str:
    """The note that waits for the next event that can carry it; empty for none."""
    text = text_of(readable_store(folder, "note.json"), "text")
    return f"a note on the summary for the model, {count_shown(len(text), 'character')}" if text else ""


def wrapped(text: str, width: int) -> list[str]:
    """The text as at most ROW_LINES_MAX lines of at most so many columns, broken at blanks; a mark where it goes on."""
    left, lines = " ".join(clean(text).split("\n")), list[str]()
    while len(lines) < ROW_LINES_MAX and (taken := fitted(left, width)):
        at_blank = taken.rpartition(" ")[0]
        if len(taken) < len(left) and left[len(taken)] != " " and at_blank.strip():
            taken = at_blank
        lines.append(taken.rstrip())
        left = left[len(taken):].lstrip()
    if lines and left:
        lines[-1] = f"{fitted(lines[-1], width - 1)}…"
    return lines or [""]


def fitted(text: str, width: int) -> str:
    """The beginning of the text that takes at most so many columns."""
    taken, line = 0, ""
    for sign in " ".join(clean(text).split("\n")):
        wide = 0 if unicodedata.combining(sign) else 2 if unicodedata.east_asian_width(sign) in "WF" else 1
        if (taken := taken + wide) > width:
            break
        line += sign
    return line
