"""Taking away what the figures are made of: events and histories; memory, pins and archive stay."""

from __future__ import annotations

import json
import os

from compact_keeper.figures.sessions import session_folders
from compact_keeper.store.events import OLD_ENDING
from compact_keeper.store.folder import NO_LINK, data_home, open_regular
from compact_keeper.store.history import HISTORY_FILE


def reset_events(session: str) -> int:
    """Takes away the session's events, those of all with ""; how many bytes that were."""
    path = os.path.join(data_home(), "events.jsonl")
    parts = (f"{path}{OLD_ENDING}", path)
    return sum(without_session(part, session) if session else emptied(part) for part in parts)


def reset_histories(session: str) -> list[int]:
    """Empties the session's history, those of all with ""; how many bytes each had."""
    folders = session_folders()
    chosen = [folder for name, folder in folders.items() if session in ("", name)]
    return [emptied(os.path.join(folder, HISTORY_FILE)) for folder in chosen]


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


def without_session(path: str, session: str) -> int:
    """Takes the session's lines out of the events; how many bytes that were. What hooks append meanwhile stays."""
    try:
        handle = open_regular(path, os.O_RDONLY | NO_LINK)
    except FileNotFoundError:
        return 0
    mark = json.dumps({"session": session})[1:-1].encode()
    draft = f"{path}.{os.getpid()}.tmp"
    with os.fdopen(handle, "rb") as file:
        lines = file.readlines()
        kept = [line for line in lines if mark not in line]
        with os.fdopen(open_regular(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | NO_LINK), "wb") as target:
            target.writelines(kept)
        os.replace(draft, path)
        with os.fdopen(open_regular(path, os.O_WRONLY | os.O_APPEND | NO_LINK), "ab", buffering=0) as target:
            target.write(file.read())  # came between the reading and the renaming
    return sum(map(len, lines)) - sum(map(len, kept))
