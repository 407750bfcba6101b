"""Which sessions are known, which one is meant, and the figures of one or of all. Nothing is written."""

from __future__ import annotations

import os
from collections.abc import Mapping

from compact_keeper.client.compactions import failure
from compact_keeper.client.project import project_folder, transcripts_named
from compact_keeper.figures.counting import Tally
from compact_keeper.figures.disk_use import disk_use, folder_entries
from compact_keeper.figures.totals import figures_of
from compact_keeper.store.compaction import COMPACTION_FILE, read_compaction
from compact_keeper.store.disk import size_of
from compact_keeper.store.folder import ARCHIVE_FILE, MEMORY_FILE, SESSION_ID, STATUS_FILE, data_home, session_folder
from compact_keeper.store.json_files import readable_store
from compact_keeper.store.refusal import NOTHING_KNOWN, Refusal
from compact_keeper.text.fields import number, text_of
from compact_keeper.text.sanitize import clean
from compact_keeper.types import Figures


def session_folders() -> dict[str, str]:
    """The folder of each session, by id; links are none."""
    folders = folder_entries(os.path.join(data_home(), "sessions"))
    return {entry.name: entry.path for entry in folders
            if SESSION_ID.match(entry.name) and entry.is_dir(follow_symlinks=False)}


def project_of(folder: str) -> str:
    """The project that the session belongs to; empty where it is not told."""
    for name in (STATUS_FILE, COMPACTION_FILE):
        if project := text_of(readable_store(folder, name), "project"):
            return project
    return ""


def saved_at(folder: str) -> float:
    """When the session was saved last."""
    for name in (STATUS_FILE, MEMORY_FILE, ""):
        try:
            return os.path.getmtime(os.path.join(folder, name))
        except OSError:
            continue
    return 0.0


def saved_later(session: str, project: str) -> str:
    """The project's session that was saved last, where that is another and was saved after this one; else empty."""
    folders, before = session_folders(), saved_at(session_folder(session))
    moments = {name: saved_at(folder) for name, folder in folders.items() if name != session}
    later = [name for name, moment in moments.items() if moment > before]
    of_project = [name for name in later if project and project_of(folders[name]) == project]
    return max(of_project, key=moments.__getitem__, default="")


def chosen_session(named: str) -> str:
    """The session named, else the one that is meant; refused where there is none."""
    folders = session_folders()
    if named:
        if not SESSION_ID.match(named):
            raise Refusal(f"{clean(named)[:80]!r} is no session's id; those known are in {data_home()}/sessions")
        return named
    present = os.environ.get("CLAUDE_CODE_SESSION_ID", "")
    if SESSION_ID.match(present):
        return present
    newest = sorted(folders, key=lambda session: saved_at(folders[session]), reverse=True)
    here = project_folder({})
    if not newest:
        raise Refusal(f"no session in {data_home()} yet: it begins with the first turn after the installation")
    return next((session for session in newest if project_of(folders[session]) == here), newest[0])


def is_from_elsewhere(named: str, session: str) -> bool:
    """Whether the session was chosen for nobody named one, and none of this folder is known: it may be of another."""
    is_chosen = not named and session != os.environ.get("CLAUDE_CODE_SESSION_ID", "")
    return is_chosen and project_of(session_folder(session)) != project_folder({})


def transcript_of(session: str) -> str:
    """The session's transcript: as its last save stored it, else by its name in the client's folder; empty for none."""
    path = text_of(readable_store(session_folder(session), STATUS_FILE), "transcript")
    if os.path.isfile(path):
        return path
    return next(iter(transcripts_named(session)), "")


def add_stopped(tally: Tally, folder: str) -> None:
    """Adds that the session's last compaction has begun and stopped, where the session's files show it.

    It is at work no more when a turn that ended after it was saved: the client compacts before it goes on, but for one
    that it prepares beside the turn. That one may still be used, and is told as that as soon as it is.
    """
    try:
        compaction = read_compaction(folder)
    except (OSError, Refusal):
        return
    stage, began, name = compaction["stage"], compaction.get("time", 0.0), compaction.get("id")
    if stage not in ("begun", "brought in") or not any(event.get("id") == name for event in tally.events):
        return
    last_save = number(readable_store(folder, STATUS_FILE).get("time")) or 0.0
    if stage == "brought in" or last_save > began or failure(compaction):
        tally.events.append({"event": "stopped", "time": began, "id": name})


def gathered(session: str, tallies: Mapping[str, Tally]) -> Figures:
    """The figures of the session, of all with "", as the events tell them; refused when nothing is known of it."""
    home = data_home()
    folder = os.path.join(home, "sessions", session)
    if session:
        tallies = {session: tallies[session]} if session in tallies else {}
    if session and not tallies and not os.path.isdir(folder):
        raise Refusal(f"{NOTHING_KNOWN} {session}; those known are in {home}/sessions")
    for name, tally in tallies.items():
        add_stopped(tally, os.path.join(home, "sessions", name))
    project = project_of(folder) if session else ""
    return {"session": session or None, "project": project or None,
            "sessions": None if session else len(tallies), **figures_of(tallies),
            "disk": disk_use(home, session),
            "archive_bytes": size_of(os.path.join(home, ARCHIVE_FILE))}
