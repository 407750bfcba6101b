"""Another script of ours, started as a process that nobody waits for."""

from __future__ import annotations

import os
import sys

INPUT_MAX_BYTES = 60_000  # what a pipe takes before anybody reads it (64 KB)


def start_alone(script: str, given: bytes) -> None:
    """Starts the script from beside this one with that stdin, in a process group of its own, its output nowhere.

    So it goes on when the client ends this script's group. On Windows, or where the input is too long, none is started.
    """
    if not sys.executable or not hasattr(os, "posix_spawn") or len(given) > INPUT_MAX_BYTES:
        return
    runner = os.path.join(os.path.dirname(os.path.abspath(__file__)), "run_hook.py")
    source, into = os.pipe()
    os.write(into, given)  # first: so no script is started whose input does not come
    os.close(into)
    nowhere = [(os.POSIX_SPAWN_OPEN, stream, os.devnull, os.O_WRONLY, 0) for stream in (1, 2)]
    os.posix_spawn(sys.executable, [sys.executable, "-IS", runner, script], os.environ, setpgroup=0,
                   file_actions=[(os.POSIX_SPAWN_DUP2, source, 0), *nowhere])
    os.close(source)
