"""The report: what it shows is gathered, and written as one HTML page.

Of a session it shows its events, its history.jsonl, its status.json and the numbers in its transcript. The file is for
the owner alone: it holds words of the session.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

from compact_keeper.figures.compactions import compactions_of
from compact_keeper.figures.counting import Tally
from compact_keeper.figures.course import Course, read_course
from compact_keeper.figures.joined_compactions import joined_compactions, read_history
from compact_keeper.figures.session_page import session_page
from compact_keeper.figures.sessions import all_events, gathered, patience, transcript_of
from compact_keeper.store.folder import private_folder, replace_file, session_folder
from compact_keeper.store.refusal import Refusal
from compact_keeper.types import Figures


def write_report(session: str, output: str) -> str:
    """Writes the page of the session, and returns its path."""
    html = session_page(session_data(session))
    path = output or os.path.join(private_folder("reports"), f"{session}.html")
    if os.path.isdir(path):
        raise Refusal(f"{path} is a folder; name a file")
    replace_file(path, html.encode("utf-8", "replace"))
    return path


def report_address(path: str) -> str:
    """What a browser opens the file by."""
    return Path(path).resolve().as_uri()


def session_data(session: str) -> Figures:
    """What the page of a session shows."""
    tallies = all_events()
    folder = session_folder(session)
    figures = gathered(session, tallies)
    waited = patience(figures["project"] or "")
    now = time.time()
    course = read_course(transcript_of(session))
    compactions = compactions_of(tallies.get(session, Tally()).events, waited)
    joined = joined_compactions(compactions, course, read_history(folder))
    return {**figures, "context": with_steps(course), "spent": course.spent,
            "compaction_list": [(compaction, compaction.facts(now, waited)) for compaction in joined],
            "marks": [compaction.boundary.get("time", compaction.time) for compaction in joined]}


def with_steps(course: Course) -> list[tuple[float, int]]:
    """The context over time, with what the client says of it before and after each compaction: there it is a step."""
    steps: list[tuple[float, int]] = []
    for boundary in course.boundaries:
        if boundary["before"] and boundary["after"]:
            steps += [(boundary["time"], int(boundary["before"])), (boundary["time"], int(boundary["after"]))]
    return sorted([*course.context, *steps], key=lambda point: point[0])
