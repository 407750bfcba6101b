"""What is true now of a snapshot: the repository, and which of its jobs still run; within a bounded time."""

from __future__ import annotations

import os
import time

from compact_keeper.machine.git_now import git_now
from compact_keeper.machine.running_processes import running, shells
from compact_keeper.text.times import moment
from compact_keeper.types import Present, Snapshot

JOBS_MAX, JOBS_MAX_SECONDS = 40, 0.030
FRESH_SECONDS = 3_600  # since the session's last entry: a compaction comes within a minute of it
GIT_MAX_SECONDS = 0.3  # of the restore's time, at most


def compared_now(snapshot: Snapshot) -> Present:
    """The repository as git tells it, empty outside of one; for the id of a shell whether a process runs its command.

    Of jobs that were not reached in time nothing is said. Nor that a process is gone, where the session's last entry is
    old: the transcript may have come from another machine, or the machine was started anew.
    """
    folder = snapshot["state"].get("cwd", "")
    now = git_now(folder, snapshot["began"], GIT_MAX_SECONDS) if folder else {}
    is_here = bool(folder) and os.path.isdir(folder)  # else the session ran on another machine
    commands = shells(snapshot["items"], JOBS_MAX) if is_here else {}
    jobs = running(commands, time.monotonic() + JOBS_MAX_SECONDS)
    if time.time() - moment(snapshot.get("time", "")) > FRESH_SECONDS:
        jobs = {key: is_there for key, is_there in jobs.items() if is_there}
    return {"repository": now, "jobs": jobs}
