"""A question to the person who has typed a command in a terminal."""

from __future__ import annotations

import sys


def is_agreed_to(question: str) -> bool:
    """Whether the person answers yes, or y; the end of stdin is no answer."""
    print(question, end="", flush=True)
    return bool(sys.stdin) and sys.stdin.readline().strip().lower() in ("y", "yes")
