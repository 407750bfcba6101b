"""Taking away what the figures are made of: events and histories; memory, pins and archive stay."""

from __future__ import annotations

import os

from compact_keeper.figures.sessions import session_folders
from compact_keeper.store.disk import OLD_ENDING
from compact_keeper.store.folder import EVENTS_FILE, NO_LINK, data_home, open_regular
from compact_keeper.store.history import HISTORY_FILE


def reset_events() -> int:
    """Takes away the events; how many bytes they were."""
    path = os.path.join(data_home(), EVENTS_FILE)
    return emptied(f"{path}{OLD_ENDING}") + emptied(path)


def reset_histories() -> list[int]:
    """Empties the history of each session; how many bytes each had."""
    return [emptied(os.path.join(folder, HISTORY_FILE)) for folder in session_folders().values()]


def emptied(path: str) -> int:
    """Empties the file; how many bytes it had, 0 where there is none."""
    try:
        handle = open_regular(path, os.O_RDWR | NO_LINK)
    except FileNotFoundError:
        return 0
    with os.fdopen(handle, "r+b") as file:
        length = os.fstat(file.fileno()).st_size
        file.truncate(0)
    return length
