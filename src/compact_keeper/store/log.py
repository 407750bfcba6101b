"""hook.log: one line for each fault of ours; one that is the same at every event stands there once."""

from __future__ import annotations

import os
import sys
import time

from compact_keeper.store.disk import end_of, set_aside
from compact_keeper.store.folder import HOOK_LOG, append_line, data_home, private_folder
from compact_keeper.store.refusal import Refusal
from compact_keeper.text.quotation import quote

LOG_MAX_BYTES = 256 << 10  # a longer one starts anew, the old one stays beside it
LINE_MAX_UTF16 = 500
LOOKED_BACK_BYTES = 64 << 10  # of hook.log, for a line that is there already


def line_without_time(message: str) -> str:
    """The line as it stands in hook.log, behind its time."""
    return quote(f"{os.path.basename(__file__)}: {message}", LINE_MAX_UTF16)


def log(message: str) -> None:
    """Adds a line to hook.log, and to stderr with COMPACT_KEEPER_DEBUG=1; never fails itself."""
    line = time.strftime("%Y-%m-%dT%H:%M:%SZ ", time.gmtime()) + line_without_time(message)
    try:
        if os.environ.get("COMPACT_KEEPER_DEBUG"):
            sys.stderr.write(line + "\n")
        path = os.path.join(private_folder(), HOOK_LOG)
        set_aside(path, LOG_MAX_BYTES)
        append_line(path, line)
    except (OSError, ValueError, Refusal):
        pass


def log_once(message: str) -> None:
    """Adds the line unless the end of hook.log has it already, whichever script wrote it there."""
    line = behind_script(line_without_time(message).encode("utf-8", "replace"))
    lines = end_of(os.path.join(data_home(), HOOK_LOG), LOOKED_BACK_BYTES).splitlines()
    if line not in [behind_script(known.partition(b" ")[2]) for known in lines]:
        log(message)


def behind_script(line: bytes) -> bytes:
    """What a line of the log says behind the name of the script."""
    return line.partition(b": ")[2]


def location_of(fault: BaseException) -> str:
    """The file and line where the fault arose."""
    at = fault.__traceback__
    while at and at.tb_next:
        at = at.tb_next
    return f"{os.path.basename(at.tb_frame.f_code.co_filename)}:{at.tb_lineno}" if at else ""
