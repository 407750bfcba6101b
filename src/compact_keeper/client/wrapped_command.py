"""The status line command that a person had before: run beside ours, with the same input."""

from __future__ import annotations

import os
import sys
import time

PATIENCE_SECONDS = 5.0  # npx takes 3; the client itself sets no limit, but ends a run to redraw
OUTPUT_MAX_BYTES = 64 << 10


def output_of(command: str, given: bytes) -> bytes:
    """What the shell prints for the command and this stdin, without the line's end; cut where it takes too long."""
    if not hasattr(os, "posix_spawn"):  # Windows
        return output_by_subprocess(command, given).rstrip(b"\r\n")
    import signal
    source, into = os.pipe()
    out, sink = os.pipe()
    files = [(os.POSIX_SPAWN_DUP2, source, 0), (os.POSIX_SPAWN_DUP2, sink, 1),
             (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0)]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())  # so 2.1.329 ends a run: the command is to end with it
    shell = os.posix_spawn("/bin/sh", ["sh", "-c", command], os.environ, file_actions=files, setpgroup=0,
                           setsigdef=[signal.SIGPIPE])
    os.close(source)
    os.close(sink)
    taken, ended = b"", False
    try:
        taken, ended = exchange(into, given, out)
    finally:
        if not ended:
            os.killpg(shell, signal.SIGKILL)  # not waited for, so there is such a group
    return taken.rstrip(b"\r\n")


def exchange(into: int, given: bytes, out: int) -> tuple[bytes, bool]:
    """What comes out of one pipe while `given` goes into the other, and whether it came to its end."""
    import select
    os.set_blocking(into, False)
    until, taken = time.monotonic() + PATIENCE_SECONDS, b""
    while (left := until - time.monotonic()) > 0 and len(taken) < OUTPUT_MAX_BYTES:
        readable, writable, _ = select.select([out], [into] if into >= 0 else [], [], left)
        if writable:
            given = fed(into, given)
            if not given:
                os.close(into)
                into = -1
        if readable:
            chunk = os.read(out, OUTPUT_MAX_BYTES)
            if not chunk:
                return taken, True
            taken += chunk
    return taken[:OUTPUT_MAX_BYTES], False


def fed(into: int, given: bytes) -> bytes:
    """What is left of the bytes when the pipe is full again; nothing when nobody reads them."""
    try:
        return given[os.write(into, given):]
    except BrokenPipeError:
        return b""


def output_by_subprocess(command: str, given: bytes) -> bytes:
    """The same where there is no posix_spawn; importing subprocess takes 8 ms."""
    import subprocess
    try:
        return subprocess.run(command, shell=True, input=given, stdout=subprocess.PIPE,  # noqa: S602 - the person's own
                              stderr=subprocess.DEVNULL, timeout=PATIENCE_SECONDS, check=False).stdout
    except subprocess.TimeoutExpired as late:
        return late.stdout or b""
