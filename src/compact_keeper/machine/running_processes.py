"""Whether the commands that a session left running still run, told by the command lines in /proc.

No process is started and none is asked. Where there is no /proc, or one of another form, nothing is told.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Sequence

from compact_keeper.store.disk import beginning
from compact_keeper.types import Item

STAT_MAX_BYTES, COMMAND_LINE_MAX_BYTES = 4_096, 16 << 10  # of stat and cmdline in /proc
COMMAND_MIN_BYTES = 6  # a shorter command stands in many command lines ("make", "ls")
# What stands in an item's text for what was taken out, and between its rows; a last `&`.
LOST = r"\[redacted: [a-z ]+\]|[…‹⏎]|&\s*\Z"
QUOTING = b" \t\r\n\0\"'\\"  # the client runs a command as bash -c "… eval 'COMMAND' …", quoted in several ways


def shells(items: Sequence[Item], limit: int) -> dict[str, list[bytes]]:
    """The newest background shells that have not ended: of each, by its key, the parts of its command to look for."""
    jobs = [item for item in items
            if item["kind"] == "job" and item["status"] == "open" and item.get("tool") == "Bash"]
    commands = {job["key"]: [bare_command(part.encode()) for part in re.split(LOST, job["text"])]
                for job in jobs[-limit:]}
    return {key: parts for key, parts in commands.items() if max(map(len, parts)) >= COMMAND_MIN_BYTES}


def bare_command(command: bytes) -> bytes:
    """The command without what quoting adds, and without the empty input that the client gives it."""
    return command.translate(None, QUOTING).replace(b"</dev/null", b"")


def running(commands: dict[str, list[bytes]], end: float) -> dict[str, bool]:
    """Whether a process of this user has the command in its command line; what was not seen by `end` is not told.

    This process and those above it do not count: their command lines may hold a prompt that speaks of the command.
    """
    own = own_line() if commands else set()
    if not own:
        return {}
    alive: dict[str, bool] = {}
    for process in reversed([*os.scandir("/proc")]):  # the newest are listed last
        if time.monotonic() >= end or len(alive) == len(commands):
            return alive
        if process.name.isdecimal() and process.name not in own and is_own_process(process):
            line = bare_command(beginning(f"{process.path}/cmdline", COMMAND_LINE_MAX_BYTES))
            alive.update({key: True for key, parts in commands.items() if all(part in line for part in parts)})
    return {**dict.fromkeys(commands, False), **alive}


def own_line() -> set[str]:
    """The ids of this process and of those above it; empty where /proc is missing or of another form."""
    ids, pid = set[str](), str(os.getpid())
    while pid not in ids:
        fields = beginning(f"/proc/{pid}/stat", STAT_MAX_BYTES).rpartition(b") ")[2].split()
        if not fields:
            break
        ids.add(pid)
        pid = fields[1].decode()
    return ids


def is_own_process(process: os.DirEntry[str]) -> bool:
    """Whether the process is one of this user; not when it has ended meanwhile."""
    try:
        return process.stat().st_uid == os.geteuid()
    except OSError:
        return False
