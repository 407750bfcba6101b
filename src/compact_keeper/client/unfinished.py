"""A session that stopped at its compaction: the one of a project that did so last, within the last 30 minutes."""

from __future__ import annotations

import os
import time
from collections.abc import Callable

from compact_keeper.client.compactions import failure
from compact_keeper.store.compaction import read_compaction
from compact_keeper.store.folder import private_folder
from compact_keeper.store.refusal import Refusal
from compact_keeper.types import CompactionState

UNFINISHED_SECONDS = 30 * 60  # after the session's end, for which a compaction that did not finish is told of


def unfinished(project: str, is_enough: Callable[[CompactionState, str], bool]) -> tuple[str, float]:
    """The folder of the project's newest session that stopped at its compaction, and when that began; empty: none did.

    `is_enough` says whether what the transcript shows (see `failure`) is enough to call it so.
    """
    newest = ("", 0.0)
    for entry in os.scandir(private_folder("sessions")):
        try:
            compaction = {} if entry.is_symlink() else fresh_compaction(entry.path)
            is_begun = compaction.get("stage") == "begun" and compaction.get("project") == project
            if is_begun and compaction.get("time", 0.0) > newest[1] and is_enough(compaction, failure(compaction)):
                newest = (entry.path, compaction.get("time", 0.0))
        except (OSError, Refusal):  # most have none; another session's broken file is no fault of this one's
            continue
    return newest


def fresh_compaction(folder: str) -> CompactionState:
    """How far a session's compaction has come, where that was noted lately; else empty."""
    age = time.time() - os.path.getmtime(os.path.join(folder, "compaction.json"))
    return read_compaction(folder) if abs(age) < UNFINISHED_SECONDS else {}
