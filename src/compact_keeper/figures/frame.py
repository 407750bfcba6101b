"""What the live view shows of a session: context, last save, items, what waits, times of the hooks, last events.

It reads the ends of events.jsonl and of the transcript, of which it takes numbers alone, and the session's small files.
"""

from __future__ import annotations

import os
import time
import unicodedata
from collections import Counter
from collections.abc import Iterator

from compact_keeper.client.context import last_records, standing
from compact_keeper.figures.counting import Tally, add_event, event_on
from compact_keeper.figures.course import transcript_of
from compact_keeper.figures.sessions import project_of, stored
from compact_keeper.figures.kind_words import count_shown, kinds_shown
from compact_keeper.figures.totals import spreads
from compact_keeper.store.disk import size_of
from compact_keeper.store.events import OLD_ENDING
from compact_keeper.store.folder import data_home
from compact_keeper.store.json_lines import read_lines
from compact_keeper.store.refusal import Refusal
from compact_keeper.text.fields import text_of
from compact_keeper.text.sanitize import clean
from compact_keeper.types import Record

LABEL_COLUMNS = 14  # columns of what stands on the left
EVENTS_END_BYTES = 1 << 20  # of events.jsonl: some thousand events


def frame(session: str, width: int, height: int) -> list[str]:
    """At most so many lines of at most so many columns."""
    lines = []
    for label, text in rows(session, time.time()):
        lines.append(fitted(f"{label:{LABEL_COLUMNS}}  {text}".rstrip(), width))
        if len(lines) == height:
            break
    return lines


def rows(session: str, now: float) -> Iterator[tuple[str, str]]:
    """Label and text of each row, from what is known now."""
    folder = os.path.join(data_home(), "sessions", session)
    status = stored(folder, "status.json")
    events = events_of(session)
    tally = Tally()
    for event in events:
        add_event(tally, event)
    yield "compact-keeper", f"session {session}  {time.strftime('%H:%M:%S', time.localtime(now))}"
    yield "Project", project_of(folder) or "not known"
    yield "", ""
    yield "Context", context_shown(transcript_of(session, text_of(status, "transcript")))
    yield "Last save", age_shown(status["time"], now) if "time" in status else "none yet"
    yield "Items", items_shown(folder)
    yield "Waiting", waiting_shown(folder)
    yield "Compaction", text_of(stored(folder, "compaction.json"), "stage") or "none yet"
    label = "Hooks"
    for name, ms in spreads(tally).items():
        yield label, f"{name:20}p50 {ms['p50']:g} ms, p95 {ms['p95']:g}, most {ms['max']:g}"
        label = ""
    label = "Last events"
    for event in sorted(events, key=lambda event: -float(event["time"])):
        yield label, event_shown(event)
        label = ""


def events_of(session: str) -> list[Record]:
    """The session's last events, the newest last."""
    path = os.path.join(data_home(), "events.jsonl")
    mark = f'"{session}"'.encode()
    missing = max(EVENTS_END_BYTES - size_of(path), 0)  # of the older part so much: the file may have just begun anew
    lines = [*lines_at_end(f"{path}{OLD_ENDING}", missing), *lines_at_end(path, EVENTS_END_BYTES)]
    events = [event_on(line) for line in lines if mark in line]
    return [event for event in events if event and event["session"] == session]


def lines_at_end(path: str, size: int) -> list[bytes]:
    """The lines that begin in the file's last so many bytes; none where it cannot be read."""
    try:
        end = os.path.getsize(path)
        return [line for _, line in read_lines(path, max(end - size, 0), end)]
    except (OSError, Refusal):
        return []


def context_shown(transcript: str) -> str:
    """How many tokens the last answer left in the context."""
    try:
        tokens = standing(last_records(transcript))["usage"] if transcript else 0
    except (OSError, Refusal):
        tokens = 0
    return f"{tokens:,} tokens after the last answer" if tokens else "not known: no answer in the transcript yet"


def age_shown(moment: object, now: float) -> str:
    """How long ago that was."""
    if not isinstance(moment, (int, float)) or not 0 < moment <= now + 60:
        return "not known when"
    seconds = max(int(now - moment), 0)
    for below, unit, size in ((60, "s", 1), (7_200, "min", 60), (172_800, "h", 3_600)):
        if seconds < below:
            return f"{seconds // size} {unit} ago"
    return f"{seconds // 86_400} days ago"


def items_shown(folder: str) -> str:
    """How many items of which kind would be put back from."""
    items = stored(folder, "snapshot.json").get("items")
    if not isinstance(items, list):
        return "none yet"
    kinds = Counter(text_of(item, "kind") or "other" for item in items if isinstance(item, dict))
    return kinds_shown(kinds) or "none yet"


def waiting_shown(folder: str) -> str:
    """The note that waits for the next event that can carry it."""
    text = text_of(stored(folder, "note.json"), "text")
    return f"a note on the summary, {count_shown(len(text), 'character')}" if text else "nothing"


def event_shown(event: Record) -> str:
    """An event in a line."""
    when = time.strftime("%H:%M:%S", time.localtime(event["time"])) if event["time"] < 4e9 else "--:--:--"
    names = ("on", "trigger", "items", "units", "contradicted", "left_out", "tokens_before", "tokens_after", "ms")
    fields = [f"{name} {event[name]}" for name in names
              if isinstance(event.get(name), (int, float, str))]
    if "verified" in event:
        fields.append("verified" if event["verified"] is True else "cannot tell")
    return f"{when}  {text_of(event, 'event')[:12]:12}{', '.join(fields)}"


def fitted(text: str, width: int) -> str:
    """The beginning of the text that takes at most so many columns."""
    taken, line = 0, ""
    for sign in " ".join(clean(text).split("\n")):
        wide = 0 if unicodedata.combining(sign) else 2 if unicodedata.east_asian_width(sign) in "WF" else 1
        if (taken := taken + wide) > width:
            break
        line += sign
    return line
