"""Tokens: how many `usage` tells of, how large a window is, and how many below its end a client compacts."""

from __future__ import annotations

import os
import re

ROOM_TOKENS = 33_000  # below the window's end, where a client compacts by itself (measured, 2.1.76 to 2.1.330)
USAGE_FIELDS = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens")


def usage_tokens(usage: object) -> int:
    """Tokens in the context after an answer, as its `usage` tells; 0 where it does not tell those of the request."""
    counts = [usage.get(name) for name in USAGE_FIELDS] if isinstance(usage, dict) else [None]
    numbers = [count for count in counts if type(count) is int and count > 0]  # True is no number
    return sum(numbers) if type(counts[0]) is int else 0


def window_in_environment() -> int:
    """The tokens of the window that the client's own variable names; 0 where it names none."""
    name = os.environ.get("CLAUDE_CODE_AUTO_COMPACT_WINDOW", "")
    return int(name) if re.fullmatch(r"\d{4,8}", name) else 0
