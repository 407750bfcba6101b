"""How full the context is, and where the client compacts."""

from __future__ import annotations

import json
import os

from compact_keeper.store.folder import open_regular
from compact_keeper.store.refusal import Refusal

ROOM_TOKENS = 33_000  # below the window's end, where a client compacts by itself (measured, 2.1.76 to 2.1.330)
MOST_TOKENS = 100_000_000  # a larger number is none
SETTINGS_MAX_BYTES = 1 << 20
USAGE = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens")


def number(value: object, most: int = MOST_TOKENS) -> int:
    """The value where it is a whole number above 0, at most `most`; else 0, which means that it is not known."""
    return value if type(value) is int and 0 < value <= most else 0


def tokens_of(usage: object) -> int:
    """Tokens in the context after an answer, as its `usage` tells; 0 where it does not tell those of the request."""
    counts = [usage.get(name) for name in USAGE] if isinstance(usage, dict) else [None]
    numbers = [count for count in counts if type(count) is int and count > 0]  # True is no number
    return sum(numbers) if type(counts[0]) is int else 0


def percent_used(context: object, named_tokens: int) -> int | None:
    """How full the context is, in percent of what fits before a compaction; None when the client does not tell.

    `context` is the status line's `context_window`; `named_tokens` the window that the person named, 0 for none.
    """
    if not isinstance(context, dict):
        return None
    size, tokens = number(context.get("context_window_size")), number(tokens_of(context.get("current_usage")))
    room = min(size, named_tokens or size) - ROOM_TOKENS
    return min(round(100 * tokens / room), 100) if tokens and room > 0 else None


def named_window() -> int:
    """The tokens of the window that the person has named, in a variable or in settings.json; 0 for none."""
    config = os.environ.get("CLAUDE_CONFIG_DIR") or os.path.join(os.path.expanduser("~"), ".claude")
    try:
        if named := os.environ.get("CLAUDE_CODE_AUTO_COMPACT_WINDOW"):
            return number(int(named))
        with os.fdopen(open_regular(os.path.join(config, "settings.json"), os.O_RDONLY), "rb") as file:
            settings = json.loads(file.read(SETTINGS_MAX_BYTES))
    except (OSError, ValueError, RecursionError, Refusal):
        return 0
    return number(settings.get("autoCompactWindow")) if isinstance(settings, dict) else 0
