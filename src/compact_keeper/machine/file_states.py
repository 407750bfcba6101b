"""Size and time of a session's files: as a save marks them, and what became of them since. No content is read."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Sequence

from compact_keeper.machine.repository import repository
from compact_keeper.types import FileState, Record

MARKS_MAX = 40  # files that one save marks, the newest
SIZE_OF_OTHER, SIZE_OF_NOTHING = -1, -2  # no regular file stands there; nothing does
LATEST_SECONDS = 253_402_300_799  # the end of the year 9999: gmtime refuses later times, which a file may have


def with_file_states(items: Sequence[Record], since: int, limit: int = MARKS_MAX) -> list[Record]:
    """The items; of the files touched after the position `since`, the newest with the size and time they have now."""
    places = [place for place, item in enumerate(items) if item["kind"] == "file" and item["position"] > since]
    places.sort(key=lambda place: -int(items[place]["position"]))
    marked = list(items)
    for place in places[:limit]:
        state = file_state(items[place]["text"])
        if state.get("size", SIZE_OF_NOTHING) >= 0:
            marked[place] = {**items[place], **state}
    return marked


def states_at_save(items: Sequence[Record], since: int, folder: str) -> tuple[list[Record], dict[str, str]]:
    """What a save keeps to compare with later: the items, files with their marks, and the repository's three names."""
    now = repository(folder) if folder else {}
    names = {"branch": now.get("branch", ""), "head": now.get("head", ""), "worktree": now.get("worktree", "")}
    return with_file_states(items, since), names


def file_state(path: str) -> FileState:
    """The file's size in bytes (else SIZE_OF_…) and time in milliseconds; empty when that cannot be told."""
    if not os.path.isabs(path):
        return {}
    try:
        about = os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return {"size": SIZE_OF_NOTHING, "mtime": 0}
    except (OSError, ValueError):
        return {}
    size = about.st_size if stat.S_ISREG(about.st_mode) else SIZE_OF_OTHER
    return {"size": size, "mtime": about.st_mtime_ns // 1_000_000}


def became(item: Record, state: FileState) -> str:
    """What became of a marked file."""
    if (item["size"], item["mtime"]) == (state["size"], state["mtime"]):
        return "unchanged"
    return "gone" if state["size"] == SIZE_OF_NOTHING else "changed"


def changed_at(item: Record, state: FileState) -> str:
    """When the file changed last, as an ISO time: the disk says it best, an item's time may be that of a later read."""
    if state.get("size", SIZE_OF_NOTHING) < 0:
        return str(item["last"]) if item.get("edits") else ""
    seconds, milliseconds = divmod(min(max(state["mtime"], 0), 1_000 * LATEST_SECONDS), 1_000)
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds)) + f".{milliseconds:03d}Z"
