"""The sessions of a project that stopped at their compaction within the last 30 minutes, or began one and no more."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence

from compact_keeper.client.compactions import failure, shown_since
from compact_keeper.store.compaction import COMPACTION_FILE, read_compaction
from compact_keeper.store.folder import private_folder
from compact_keeper.store.refusal import Refusal
from compact_keeper.types import CompactionState

UNFINISHED_SECONDS = 30 * 60  # after the session's end, for which a compaction that did not finish is told of


def unfinished(project: str) -> Iterator[tuple[str, CompactionState, str]]:
    """The project's sessions that stopped at their compaction, the newest first.

    Of each its folder, its compaction, and what the transcript shows of that: see `failure`.
    """
    for folder, compaction in lately_at(project, ("begun",)):
        shown = as_shown(failure, compaction)
        if shown:
            yield folder, compaction, shown


def not_ended(project: str) -> Iterator[tuple[str, CompactionState]]:
    """The project's sessions of which nothing more was heard since their compaction began, the newest first.

    Such a client was killed or closed, or goes on with it in another window: nothing here tells which. One that was
    brought in stays one of them: it may be asked for again, by another session too.
    """
    for folder, compaction in lately_at(project, ("begun", "brought in")):
        if os.path.isfile(compaction.get("transcript", "")) and as_shown(shown_since, compaction) in ("", "error"):
            yield folder, compaction


def lately_at(project: str, stages: Sequence[str]) -> list[tuple[str, CompactionState]]:
    """The project's sessions whose newest compaction has lately come to one of the stages, the newest first."""
    sessions: list[tuple[str, CompactionState]] = []
    for entry in os.scandir(private_folder("sessions")):
        compaction = {} if entry.is_symlink() else fresh_compaction(entry.path)
        if compaction.get("stage") in stages and compaction.get("project") == project:
            sessions.append((entry.path, compaction))
    return sorted(sessions, key=lambda session: -session[1].get("time", 0.0))


def fresh_compaction(folder: str) -> CompactionState:
    """How far a session's compaction has come, where that was noted lately; else empty.

    Most sessions have none; another session's broken file is no fault of this one's.
    """
    try:
        age = time.time() - os.path.getmtime(os.path.join(folder, COMPACTION_FILE))
        return read_compaction(folder) if abs(age) < UNFINISHED_SECONDS else {}
    except (OSError, Refusal):
        return {}


def as_shown(tell: Callable[[CompactionState], str], compaction: CompactionState) -> str:
    """What the function tells of the compaction by its transcript; nothing where that cannot be read."""
    try:
        return tell(compaction)
    except (OSError, Refusal):
        return ""
