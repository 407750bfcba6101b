#!/usr/bin/env python3
"""One process at a time in a session's folder: what saves and what puts back take turns.

save_snapshot.py (through session_ledger.py) and restore_snapshot.py ask for it. Where the system has no flock (Windows,
some network folders) nobody waits, and exclusive files alone decide who delivers.
Nothing is written. Python 3.9+, standard library only.
"""

from __future__ import annotations

import os
import time

PATIENCE, PAUSE = 2.0, 0.005  # seconds that another process is waited for, looking so often; most take 0.03
HELD: list[int] = []  # the folder that this process holds, open


def hold(folder: str, patience: float = PATIENCE) -> bool:
    """Whether no other process holds the folder; this one does then until it ends, or holds another.

    Another one's end is waited for so many seconds.
    """
    release()
    try:
        import fcntl
    except ImportError:
        return True
    HELD.append(os.open(folder, os.O_RDONLY))
    until = time.monotonic() + patience
    while True:
        try:
            fcntl.flock(HELD[0], fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > until:
                return False
            time.sleep(PAUSE)
        except OSError:  # no locks on this disk
            return True
        else:
            return True


def release() -> None:
    """Lets go of what this process holds."""
    while HELD:
        os.close(HELD.pop())


def main() -> int:
    """Prints this page: save_snapshot.py and restore_snapshot.py import the file."""
    print(__doc__)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
