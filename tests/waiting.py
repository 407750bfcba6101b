"""Waiting for a state that another process brings about: looked at again and again, never measured by a clock."""

from __future__ import annotations

import time
from collections.abc import Callable

LOOKS_MAX, PAUSE_SECONDS = 6_000, 0.01  # a state that does not come by then does not come


def comes(is_there: Callable[[], object]) -> bool:
    """Whether the state comes."""
    for _ in range(LOOKS_MAX):
        if is_there():
            return True
        time.sleep(PAUSE_SECONDS)
    return False
