"""(docstring)"""

from __future__ import annotations

import os
import time
from pathlib import Path

from compact_keeper.figures.counting import Tally, compactions_of, disk_use, figures
from compact_keeper.figures.course import passages_of, read_course, read_history, transcript_of
from compact_keeper.figures.page import global_page, session_page
from compact_keeper.figures.sessions import all_events, gathered, patience, project_of, session_folders, stored
from compact_keeper.store.folder import data_home, private_folder, replace_file
from compact_keeper.store.refusal import Refusal
from compact_keeper.text.fields import text_of
from compact_keeper.types import Record

SESSION_ROWS_MAX = 1_000  # sessions in the table of all: some 400 characters each
NOT_SEEN = ("unfinished", "under way", "")  # outcomes of what may have been no compaction at all


def write_report(session: str, since: float, output: str) -> str:
    """Writes the page of the session, of all with "", and returns its path."""
    html = session_page(session_found(session, since)) if session else all_found(since)
    path = output or os.path.join(private_folder("reports"), f"{session or 'all'}.html")
    if os.path.isdir(path):
        raise Refusal(f"{path} is a folder; name a file")
    replace_file(path, html.encode("utf-8", "replace"))
    return path


def report_address(path: str) -> str:
    """What a browser opens the file by."""
    return Path(path).resolve().as_uri()


def session_found(session: str, since: float) -> Record:
    """What the page of a session shows."""
    tallies, folder = all_events(since), os.path.join(data_home(), "sessions", session)
    found, told = gathered(session, tallies, since), tallies.get(session, Tally()).told
    transcript = transcript_of(session, text_of(stored(folder, "status.json"), "transcript"))
    course, waited, now = read_course(transcript, since), patience(found["project"] or ""), time.time()
    passages = [(one, one.events.outcome(now, waited) if one.events else "")
                for one in passages_of(compactions_of(told, waited), course, read_history(folder, since))]
    return {**found, "context": course.context, "spent": course.spent, "passages": passages,
            "marks": [one.boundary.get("time", one.time) for one, _ in passages]}


def all_found(since: float) -> str:
    """The page of all sessions."""
    tallies, folders, waited = all_events(since), session_folders(), patience("")
    found = {**figures(tallies, waited), "sessions": len(tallies), "disk": disk_use(data_home())}
    newest = sorted(tallies, key=lambda session: tallies[session].last, reverse=True)[:SESSION_ROWS_MAX]
    rows = [{"session": session, "project": project_of(folders[session]) if session in folders else "",
             **figures({session: tallies[session]}, waited)} for session in newest]
    return global_page(found, rows)
