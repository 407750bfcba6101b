"""(docstring)"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Sequence

from compact_keeper.store.disk import beginning
from compact_keeper.types import Record

STAT_MAX_BYTES, COMMAND_LINE_MAX_BYTES = 4_096, 16 << 10  # of stat and cmdline in /proc
COMMAND_MIN_BYTES = 6  # bytes; a shorter command stands in many command lines ("make", "ls")
LOST = r"\[redacted: [a-z ]+\]|[…‹]|&\s*\Z"  # what stands in an item's text for what was taken out; a last `&`
UNQUOTED = b" \t\r\n\0\"'\\"  # the client runs a command as bash -c "… eval 'COMMAND' …", quoted in several ways


def shells(items: Sequence[Record], limit: int) -> dict[str, list[bytes]]:
    """The newest background shells that have not ended: of each the parts of its command, as `bare` leaves them."""
    jobs = [one for one in items if one["kind"] == "job" and one["status"] == "open" and one.get("tool") == "Bash"]
    parts = {one["key"]: [bare_command(part.encode()) for part in re.split(LOST, one["text"])] for one in jobs[-limit:]}
    return {key: mine for key, mine in parts.items() if max(map(len, mine)) >= COMMAND_MIN_BYTES}


def bare_command(command: bytes) -> bytes:
    """The command without what quoting adds, and without the empty input that the client gives it."""
    return command.translate(None, UNQUOTED).replace(b"</dev/null", b"")


def running(commands: dict[str, list[bytes]], end: float) -> dict[str, bool]:
    """Whether a process of this user has the command in its command line; nothing where /proc does not tell.

    This process and those above it do not count: their command lines may hold a prompt that speaks of the command.
    """
    found: dict[str, bool] = {}
    own = line_of_parents() if commands else set()
    if not own:
        return {}
    for process in reversed([*os.scandir("/proc")]):  # the newest are listed last
        if time.monotonic() >= end or len(found) == len(commands):
            return found
        if process.name.isdecimal() and process.name not in own and is_own_process(process):
            line = bare_command(beginning(f"{process.path}/cmdline", COMMAND_LINE_MAX_BYTES))
            found.update({key: True for key, parts in commands.items() if all(part in line for part in parts)})
    return {**dict.fromkeys(commands, False), **found}


def line_of_parents() -> set[str]:
    """The ids of this process and of those above it; empty where /proc is missing or of another form."""
    found, pid = set[str](), str(os.getpid())
    while pid not in found and (told := beginning(f"/proc/{pid}/stat", STAT_MAX_BYTES).rpartition(b") ")[2].split()):
        found.add(pid)
        pid = told[1].decode()
    return found


def is_own_process(process: os.DirEntry[str]) -> bool:
    """Whether the process is one of this user; not when it has ended meanwhile."""
    try:
        return process.stat().st_uid == os.geteuid()
    except OSError:
        return False
