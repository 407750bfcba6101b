"""Tokens: how many `usage` tells of, how large a window is, how full, and how far below its end a client compacts."""

from __future__ import annotations

import os
import re

from compact_keeper.client.users_settings import users_settings

ROOM_TOKENS = 33_000  # below the window's end, where a client compacts by itself (measured, 2.1.76 to 2.1.330)
TOKENS_MAX = 100_000_000  # a larger number is none
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


def whole_number(value: object, most: int = TOKENS_MAX) -> int:
    """The value where it is a whole number above 0, at most `most`; else 0, which means that it is not known."""
    return value if type(value) is int and 0 < value <= most else 0


def filled_percent(context: object, named_tokens: int) -> int | None:
    """How full the context is, in percent of what fits before a compaction; None when the client does not tell.

    `context` is the status line's `context_window`; `named_tokens` the window that the person named, 0 for none.
    """
    if not isinstance(context, dict):
        return None
    size = whole_number(context.get("context_window_size"))
    tokens = whole_number(usage_tokens(context.get("current_usage")))
    room = min(size, named_tokens or size) - ROOM_TOKENS
    return min(round(100 * tokens / room), 100) if tokens and room > 0 else None


def named_window() -> int:
    """The tokens of the window that the person has named, in a variable or in settings.json; 0 for none."""
    return window_in_environment() or whole_number(users_settings().get("autoCompactWindow"))
