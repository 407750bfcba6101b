"""What is true now of the items of a snapshot, within a bounded number of looks and a bounded time."""

from __future__ import annotations

import time

from compact_keeper.machine.file_states import became, changed_at, file_state
from compact_keeper.machine.repository import repository
from compact_keeper.machine.running_processes import running, shells
from compact_keeper.record.checks import stale
from compact_keeper.types import Record

LOOKS_MAX, LOOKS_MAX_SECONDS = 40, 0.030  # at files and at jobs; at all of it


def compared_now(snapshot: Record, limit: int = LOOKS_MAX, seconds: float = LOOKS_MAX_SECONDS) -> Record:
    """What became of the snapshot's items: {"repository", "files", "stale", "jobs"}.

    files   path -> "unchanged", "changed", "gone", for files that were marked: of others nobody knows whether they
            ever were on this machine. At most `limit` are looked at, those with edits first, the newest first.
    stale   key of a command that checked and passed -> the path that changed last after it, of those it covers.
    jobs    key of a background shell -> whether a process of this user still runs its command.
    What was not reached within `seconds` is not told; the repository always is.
    """
    end = time.monotonic() + seconds
    items, state = snapshot["items"], snapshot["state"]
    files = [item for item in items if item["kind"] == "file"]
    files.sort(key=lambda item: (item.get("edits", 0) > 0, item["position"]), reverse=True)
    changes, by_path = list[tuple[str, str]](), dict[str, str]()
    now: Record = {"repository": repository(state.get("cwd", "")), "files": by_path}
    for item in files[:limit]:
        if time.monotonic() >= end:
            break
        on_disk = file_state(item["text"])
        changes.append((changed_at(item, on_disk), item["text"]))
        if on_disk and "mtime" in item:
            by_path[item["text"]] = became(item, on_disk)
    root = state.get("root") or state.get("cwd", "")
    now["stale"] = stale(items, sorted(changes, reverse=True), root, end)
    now["jobs"] = running(shells(items, limit), end)
    return now
