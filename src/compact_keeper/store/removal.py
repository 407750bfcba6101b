"""Files of ours that go because a newer compaction has come; none that stays may stop what comes behind."""

from __future__ import annotations

import os

from compact_keeper.store.log import log


def remove_file(path: str, what: str) -> None:
    """Removes the file where there is one; where that fails, as for a folder, the log says `what` stays."""
    try:
        os.unlink(path)
    except FileNotFoundError:
        return
    except OSError as fault:
        log(f"{what} stays: {fault}")
