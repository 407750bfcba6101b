"""The version of the client that a shell starts."""

from __future__ import annotations

import functools
import os
import re
import subprocess

CLIENT_MAX_SECONDS = 5


def client_on_path() -> tuple[int, ...]:
    """The three numbers that `claude --version` tells; empty where it does not tell them."""
    return version_on(os.environ.get("PATH", ""))


@functools.lru_cache(maxsize=4)  # starting it takes long
def version_on(path: str) -> tuple[int, ...]:
    """The version of the client that this PATH leads to."""
    try:
        done = subprocess.run(["claude", "--version"], capture_output=True, text=True, errors="replace",
                              timeout=CLIENT_MAX_SECONDS, stdin=subprocess.DEVNULL, env={**os.environ, "PATH": path})
    except (OSError, subprocess.TimeoutExpired):
        return ()
    version = re.match(r"(\d+)\.(\d+)\.(\d+)", done.stdout)
    return tuple(map(int, version.groups())) if version else ()
