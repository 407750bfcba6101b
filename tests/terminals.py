"""What a process wrote on a terminal of the test's own."""

from __future__ import annotations

import os


def shown_on(terminal: int) -> bytes:
    """Everything written there up to the closing of the other end, which has been closed; then ours is closed, too.

    One read gives what the kernel has handed over so far, which can be the typed line's echo alone.
    """
    parts: list[bytes] = []
    try:
        while part := os.read(terminal, 1 << 16):
            parts.append(part)
    except OSError:  # Linux's way of saying that the other end is closed
        pass
    os.close(terminal)
    return b"".join(parts)
