"""saved-at-30 and so on in a session's folder: the saves that were started as the context filled up."""

from __future__ import annotations

import os
from collections.abc import Collection


def note_save_marks(folder: str, marks: Collection[int], reached: Collection[int]) -> bool:
    """Notes the marks that are reached, and takes back the others; whether a save is due.

    It is where one was reached for the first time in this filling of the context. `marks` are percents of the context
    that remain. The lowest that is reached decides alone: of several redraws at once each could be the first at
    another mark.
    """
    is_first = False
    for mark in marks:
        path = os.path.join(folder, f"saved-at-{mark}")
        try:
            if mark not in reached:
                os.unlink(path)
                continue
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            is_first = is_first or mark == min(reached)
        except OSError:  # made or gone already; or nothing can be written, and a save could not either
            continue
    return is_first
