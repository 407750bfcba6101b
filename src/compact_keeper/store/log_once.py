"""A fault that is the same at every event, in one line of hook.log."""

from __future__ import annotations

import os

from compact_keeper.store.disk import end_of
from compact_keeper.store.folder import data_home
from compact_keeper.store.log import line_without_time, log

LOOKED_BACK_BYTES = 64 << 10  # of hook.log, for a line that is there already


def log_once(message: str) -> None:
    """Adds the line unless the end of hook.log has it already, whichever script wrote it there."""
    line = behind_script(line_without_time(message).encode("utf-8", "replace"))
    lines = end_of(os.path.join(data_home(), "hook.log"), LOOKED_BACK_BYTES).splitlines()
    if line not in [behind_script(known.partition(b" ")[2]) for known in lines]:
        log(message)


def behind_script(line: bytes) -> bytes:
    """What a line of the log says behind the name of the script."""
    return line.partition(b": ")[2]
