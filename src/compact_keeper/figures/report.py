"""The report: what it shows is gathered, and written as one HTML page.

Of a session it shows its events, its history.jsonl, its status.json and the numbers in its transcript. The file is for
the owner alone: it holds words of the session.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from pathlib import Path

from compact_keeper.figures.compactions import Compaction, compactions_of
from compact_keeper.figures.counting import Tally, read_events
from compact_keeper.figures.course import Course, read_course
from compact_keeper.figures.session_page import session_page
from compact_keeper.figures.sessions import gathered, transcript_of
from compact_keeper.store.folder import private_folder, replace_file, session_folder
from compact_keeper.store.history import history_end
from compact_keeper.store.refusal import Refusal
from compact_keeper.text.fields import text_of
from compact_keeper.types import Figures

HISTORY_MAX_BYTES = 16 << 20  # bytes of history.jsonl's end; a compaction takes some 15 KB


def write_report(session: str, output: str) -> str:
    """Writes the page of the session, and returns its path."""
    html = session_page(session_data(session))
    path = output or os.path.join(private_folder("reports"), f"{session}.html")
    if os.path.isdir(path):
        raise Refusal(f"{path} is a folder; name a file")
    try:
        replace_file(path, html.encode("utf-8", "replace"))
    except OSError as fault:  # its own words name the draft beside the file
        raise Refusal(f"{path} cannot be written: {fault.strerror}; -o FILE names another place") from None
    return path


def report_address(path: str) -> str:
    """What a browser opens the file by."""
    return Path(path).resolve().as_uri()


def session_data(session: str) -> Figures:
    """What the page of a session shows."""
    tallies = read_events()
    figures = gathered(session, tallies)
    now = time.time()
    course = read_course(transcript_of(session))
    compactions = compactions_of([*tallies.get(session, Tally()).events, *course.boundaries])
    add_history(compactions, session_folder(session))
    return {**figures, "context": with_steps(course), "spent": course.spent,
            "compaction_list": [(compaction, compaction.facts(now)) for compaction in compactions],
            "marks": [compaction.event("boundary").get("time", compaction.moment()) for compaction in compactions]}


def add_history(compactions: Iterable[Compaction], folder: str) -> None:
    """Adds to each of a session's compactions what its history tells of that one."""
    by_id = {name: compaction for compaction in compactions for name in compaction.ids}
    for line in history_end(folder, HISTORY_MAX_BYTES):
        compaction = by_id.get(text_of(line, "id"))
        if compaction and line.get("event") == "restore":
            compaction.restored = line
        elif compaction and line.get("event") == "audit":
            compaction.audited = line


def with_steps(course: Course) -> list[tuple[float, int]]:
    """The context over time, with what the client says of it before and after each compaction: there it is a step."""
    steps: list[tuple[float, int]] = []
    for boundary in course.boundaries:
        before, after = boundary["tokens_before"], boundary["tokens_after"]
        if before and after:
            steps += [(boundary["time"], int(before)), (boundary["time"], int(after))]
    return sorted([*course.context, *steps], key=lambda point: point[0])
