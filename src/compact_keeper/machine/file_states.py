"""(docstring)"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Sequence

from compact_keeper.machine.repository import repository
from compact_keeper.types import Record

LAST_SECOND = 253_402_300_799  # of the year 9999; gmtime refuses times that a file system can tell
OTHER, NOTHING = -1, -2  # for a file's size: something else stands there, nothing does


def with_file_states(items: Sequence[Record], since: int, limit: int = 40) -> list[Record]:
    """The items; of the files touched after the position `since`, the newest with the size and time they have now."""
    touched = [place for place, one in enumerate(items) if one["kind"] == "file" and one["position"] > since]
    told = list(items)
    for place in sorted(touched, key=lambda place: -items[place]["position"])[:limit]:
        now = file_state(items[place]["text"])
        if now.get("size", NOTHING) >= 0:
            told[place] = {**items[place], **now}
    return told


def states_at_save(items: Sequence[Record], since: int, folder: str) -> tuple[list[Record], dict[str, str]]:
    """What a save keeps to compare with: the items as `marked` leaves them, and the repository's three names."""
    git = repository(folder) if folder else {}
    return with_file_states(items, since), {name: git.get(name, "") for name in ("branch", "head", "worktree")}


def file_state(path: str) -> Record:
    """The file's size in bytes (OTHER, NOTHING) and time in milliseconds; empty when that cannot be told."""
    if not os.path.isabs(path):
        return {}
    try:
        about = os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return {"size": NOTHING, "mtime": 0}
    except (OSError, ValueError):
        return {}
    return {"size": about.st_size if stat.S_ISREG(about.st_mode) else OTHER, "mtime": about.st_mtime_ns // 1_000_000}


def became(one: Record, now: Record) -> str:
    """What became of a marked file."""
    same = (one["size"], one["mtime"]) == (now["size"], now["mtime"])
    return "unchanged" if same else "gone" if now["size"] == NOTHING else "changed"


def changed_at(one: Record, now: Record) -> str:
    """When the file changed last, as an ISO time: the disk says it best, an item's time may be that of a later read."""
    if now.get("size", NOTHING) < 0:
        return str(one["last"]) if one.get("edits") else ""
    seconds, milliseconds = divmod(min(max(now["mtime"], 0), 1_000 * LAST_SECOND), 1_000)
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds)) + f".{milliseconds:03d}Z"
