"""Words of others on one line, so that they can stand in a store or a text of ours."""

from __future__ import annotations

from functools import lru_cache

from compact_keeper.text.length import cut
from compact_keeper.text.redact import redact
from compact_keeper.text.sanitize import clean


@lru_cache(maxsize=512)  # paths and commands come again and again
def quote(text: str, limit: int) -> str:
    """The text on one line, clean and redacted, at most `limit` UTF-16 units; what lies far behind is not read.

    Redacted before it is cut: half a token is not recognised.
    """
    line, enough = " ".join(clean(text).split()), 4 * limit + 2_000
    if len(line) >= enough:
        line = line[:enough].rpartition(" ")[0] or line[:enough]
    return cut(redact(line), limit) if line else ""
