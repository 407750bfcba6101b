#!/usr/bin/env python3
"""Gather what the report shows, and write it as one HTML page.

stats.py report runs it. Reads events.jsonl, of a session its history.jsonl, status.json and the numbers in its
transcript; report_page.py makes the page of that. Writes reports/<session>.html in the data folder (all.html for all
sessions), or the file named, for the owner alone: it holds words of the session.
Python 3.9+, standard library only.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import report_page
from count_events import Tally, compactions_of, disk_use, figures
from known_sessions import all_events, gathered, patience, project_of, session_folders, stored
from read_course import passages_of, read_course, read_history, transcript_of
from save_snapshot import NO_LINK, Refusal, data_home, open_regular, private_folder, text_of

Record = dict[str, Any]

MOST_ROWS = 1_000  # sessions in the table of all: some 400 characters each
NOT_SEEN = ("unfinished", "under way", "")  # outcomes of what may have been no compaction at all


def write(session: str, since: float, output: str) -> str:
    """Writes the page of the session, of all with "", and returns its path."""
    html = report_page.session_page(session_found(session, since)) if session else all_found(since)
    path = output or os.path.join(private_folder("reports"), f"{session or 'all'}.html")
    draft = f"{path}.{os.getpid()}.tmp"
    try:
        with os.fdopen(open_regular(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | NO_LINK), "wb") as file:
            file.write(html.encode("utf-8", "replace"))
        if os.path.isdir(path):
            raise Refusal(f"{path} is a folder; name a file")
        os.replace(draft, path)
    finally:
        if os.path.lexists(draft):
            os.unlink(draft)
    return path


def address(path: str) -> str:
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
    newest = sorted(tallies, key=lambda session: tallies[session].last, reverse=True)[:MOST_ROWS]
    rows = [{"session": session, "project": project_of(folders[session]) if session in folders else "",
             **figures({session: tallies[session]}, waited)} for session in newest]
    return report_page.global_page(found, rows)


def main() -> int:
    """Prints this page: stats.py imports the file."""
    print(__doc__)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
