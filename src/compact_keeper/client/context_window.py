"""How full the context is: the status line's figures, and the window that the person has named."""

from __future__ import annotations

from compact_keeper.client.tokens import ROOM_TOKENS, usage_tokens, window_in_environment
from compact_keeper.client.users_settings import users_settings

TOKENS_MAX = 100_000_000  # a larger number is none


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
