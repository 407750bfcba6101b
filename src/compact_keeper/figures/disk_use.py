"""How many bytes of the data folder are there for what."""

from __future__ import annotations

import os
from collections import Counter

from compact_keeper.store.disk import size_below, size_counted
from compact_keeper.store.folder import ARCHIVE_FILE, EVENTS_FILE, HOOK_LOG

USES = {  # by what is part of the name of a file or folder in the data folder
    ARCHIVE_FILE: "archive", EVENTS_FILE: "events", HOOK_LOG: "logs", "reports": "reports", "backup": "backups"}


def disk_use(home: str, session: str = "") -> dict[str, int]:
    """Bytes of the data folder by what they are for; of one session what is in its folder."""
    sizes: Counter[str] = Counter()
    sessions = os.path.join(home, "sessions")
    if session:
        folders = [os.path.join(sessions, session)]
    else:
        folders = [entry.path for entry in folder_entries(sessions)]
        for entry in folder_entries(home):
            if entry.name != "sessions":
                use = next((use for part, use in USES.items() if part in entry.name), "other")
                sizes[use] += size_counted(entry.path)
    for folder in folders:
        for entry in folder_entries(folder):
            sizes["transcript backups" if entry.name == "backups" else "sessions"] += size_below(entry.path)
    return dict(sizes)


def folder_entries(folder: str) -> list[os.DirEntry[str]]:
    """What is in the folder; nothing where it is none, a link, or cannot be read."""
    try:
        return [] if os.path.islink(folder) else list(os.scandir(folder))
    except OSError:
        return []
