"""The sessions of a project that stopped at their compaction within the last 30 minutes."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator

from compact_keeper.client.compactions import failure
from compact_keeper.store.compaction import COMPACTION_FILE, read_compaction
from compact_keeper.store.folder import private_folder
from compact_keeper.store.refusal import Refusal
from compact_keeper.types import CompactionState

UNFINISHED_SECONDS = 30 * 60  # after the session's end, for which a compaction that did not finish is told of


def unfinished(project: str) -> Iterator[tuple[str, CompactionState, str]]:
    """The project's sessions that stopped at their compaction, the newest first.

    Of each its folder, its compaction, and what the transcript shows of that: see `failure`.
    """
    begun: list[tuple[str, CompactionState]] = []
    for entry in os.scandir(private_folder("sessions")):
        compaction = {} if entry.is_symlink() else fresh_compaction(entry.path)
        if compaction.get("stage") == "begun" and compaction.get("project") == project:
            begun.append((entry.path, compaction))
    for folder, compaction in sorted(begun, key=lambda session: -session[1].get("time", 0.0)):
        shown = failure_shown(compaction)
        if shown:
            yield folder, compaction, shown


def fresh_compaction(folder: str) -> CompactionState:
    """How far a session's compaction has come, where that was noted lately; else empty.

    Most sessions have none; another session's broken file is no fault of this one's.
    """
    try:
        age = time.time() - os.path.getmtime(os.path.join(folder, COMPACTION_FILE))
        return read_compaction(folder) if abs(age) < UNFINISHED_SECONDS else {}
    except (OSError, Refusal):
        return {}


def failure_shown(compaction: CompactionState) -> str:
    """What the transcript shows of the compaction; nothing where it cannot be read."""
    try:
        return failure(compaction)
    except (OSError, Refusal):
        return ""
