"""What is true now of a snapshot: the repository, and which of its jobs still run; within a bounded time."""

from __future__ import annotations

import time

from compact_keeper.machine.repository import repository
from compact_keeper.machine.running_processes import running, shells
from compact_keeper.text.quotation import quote
from compact_keeper.types import Record

JOBS_MAX, LOOKS_MAX_SECONDS = 40, 0.030
NAME_MAX_UTF16 = 300  # of a branch, which may be called anything


def compared_now(snapshot: Record, limit: int = JOBS_MAX, seconds: float = LOOKS_MAX_SECONDS) -> Record:
    """{"repository": branch, head and working tree now, "jobs": id of a shell -> whether a process runs its command}.

    Of jobs that were not reached within `seconds` nothing is said.
    """
    end = time.monotonic() + seconds
    now = repository(snapshot["state"].get("cwd", ""))
    names = {name: quote(value, NAME_MAX_UTF16) if isinstance(value, str) else value for name, value in now.items()}
    return {"repository": names, "jobs": running(shells(snapshot["items"], limit), end)}
