"""One process at a time in a session's folder: what saves and what puts back take turns.

Where the system has no flock (Windows, some network folders) nobody waits, and exclusive files alone decide who
delivers; two saves may count a line of the ledger twice there.
"""

from __future__ import annotations

import os
import time

LOCK_PATIENCE_SECONDS = 2.0  # that another process is waited for; most take 0.03
LOCK_PAUSE_SECONDS = 0.005  # between two tries
FOLDERS_LOCKED: list[int] = []  # the folder that this process holds, open


def lock_session(folder: str, patience: float = LOCK_PATIENCE_SECONDS) -> bool:
    """Whether this process holds the folder now: until it ends, or lets go of it, or holds another.

    A process that holds it already is waited for at most so many seconds.
    """
    unlock_session()
    try:
        import fcntl
    except ImportError:
        return True
    FOLDERS_LOCKED.append(os.open(folder, os.O_RDONLY))
    until = time.monotonic() + patience
    while True:
        try:
            fcntl.flock(FOLDERS_LOCKED[0], fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > until:
                return False
            time.sleep(LOCK_PAUSE_SECONDS)
        except OSError:  # no locks on this disk
            return True
        else:
            return True


def unlock_session() -> None:
    """Lets go of what this process holds."""
    while FOLDERS_LOCKED:
        os.close(FOLDERS_LOCKED.pop())
