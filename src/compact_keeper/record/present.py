"""(docstring)"""

from __future__ import annotations

import time

from compact_keeper.machine.file_states import became, changed_at, file_state
from compact_keeper.machine.repository import repository
from compact_keeper.machine.running_processes import running, shells
from compact_keeper.record.checks import stale
from compact_keeper.types import Record


def compared_now(snapshot: Record, limit: int = 40, seconds: float = 0.030) -> Record:
    """What became of the snapshot's items: {"repository", "files", "stale", "jobs"}.

    files   path -> "unchanged", "changed", "gone", for files that were marked: of others nobody knows whether they
            ever were on this machine. At most `limit` are looked at, those with edits first, the newest first.
    stale   key of a command that checked and passed -> the path that changed last after it, of those it covers.
    jobs    key of a background shell -> whether a process of this user still runs its command.
    What was not reached within `seconds` is not told; the repository always is.
    """
    end, items, state = time.monotonic() + seconds, snapshot["items"], snapshot["state"]
    root, known = state.get("root") or state.get("cwd", ""), [one for one in items if one["kind"] == "file"]
    told: Record = {"repository": repository(state.get("cwd", "")), "files": {}}
    changes = []
    for one in sorted(known, key=lambda one: (one.get("edits", 0) > 0, one["position"]), reverse=True)[:limit]:
        if time.monotonic() >= end:
            break
        now = file_state(one["text"])
        changes.append((changed_at(one, now), one["text"]))
        if now and "mtime" in one:
            told["files"][one["text"]] = became(one, now)
    told["stale"] = stale(items, sorted(changes, reverse=True), root, end)
    return {**told, "jobs": running(shells(items, limit), end)}
