"""Marks in a session's folder: files that only one process can make, so that of two that were installed one acts."""

from __future__ import annotations

import json
import os
from collections.abc import Collection

from compact_keeper.store.folder import NO_LINK, SCHEMA

SAVES_AT = (30, 15, 5)  # percents of the context that remain: there a save is started, and saved-at-30 made and so on
FORK_MARK = "forked"  # of a session that the client has begun as a fork, and calls so (2.1.329 and 2.1.330)


def take_mark(folder: str, series: str, name: str, text: str = "") -> bool:
    """Whether this process was the first to make the mark `<series><name>`, which keeps the text.

    Where the series ends with a dash, its earlier marks go.
    """
    mark = f"{series}{name}"
    try:
        handle = os.open(os.path.join(folder, mark), os.O_CREAT | os.O_EXCL | os.O_WRONLY | NO_LINK, 0o600)
    except FileExistsError:
        return False
    try:
        with os.fdopen(handle, "wb") as file:
            if text:
                file.write(json.dumps({"schema": SCHEMA, "text": text}).encode())
    except OSError:  # a full disk costs the audit this text, not the model its recap
        pass
    if series.endswith("-"):
        for other in os.listdir(folder):  # by the first alone: of two that remove the same, one would fail
            if other.startswith(series) and other != mark:
                os.unlink(os.path.join(folder, other))
    return True


def note_save_marks(folder: str, reached: Collection[int]) -> bool:
    """Notes which marks of SAVES_AT are reached, and takes back the others; whether a save is due.

    It is where one was reached for the first time in this filling of the context. The lowest that is reached decides
    alone: of several redraws at once each could be the first at another mark.
    """
    is_first = False
    for mark in SAVES_AT:
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
