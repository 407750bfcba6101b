"""Words of others on one line, so that they can stand in a store or a text of ours."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from compact_keeper.text.length import cut
from compact_keeper.text.named_secrets import named_runs
from compact_keeper.text.redact import redact, redact_across_lines
from compact_keeper.text.sanitize import clean
from compact_keeper.text.secret_patterns import patterns_for

READ_TIMES_LIMIT, READ_MORE_CHARACTERS = 4, 2_000  # of a text, for its beginning that is shown


@lru_cache(maxsize=512)  # paths and commands come again and again
def quote(text: str, limit: int) -> str:
    """The text on one line, clean and redacted, at most `limit` UTF-16 units; what lies far behind is not read.

    Redacted before it is cut: half a token is not recognised.
    """
    line, enough = joined(text), READ_TIMES_LIMIT * limit + READ_MORE_CHARACTERS
    if len(line) >= enough:
        line = line[:enough].rpartition(" ")[0] or line[:enough]
    return cut(redact(line), limit) if line else ""


def forget_named_secrets() -> None:
    """Forgets what the texts read so far have named, before those of another session are read.

    With the lines that are quoted already: of those nothing would be known that they name.
    """
    named_runs().clear()
    quote.cache_clear()


def quote_all(texts: Sequence[str], limit: int) -> list[str]:
    """Each of these short texts as `quote` has it; that none holds a secret, as nearly always, is seen at once."""
    lines = [*map(joined, texts)]
    whole = "\n".join(lines)
    if len(whole) > READ_MORE_CHARACTERS * READ_TIMES_LIMIT or next(patterns_for(whole), None):
        return [quote(line, limit) for line in lines]
    return [cut(line, limit) for line in lines]


def joined(text: str) -> str:
    """The text on one line, clean, without the secrets that only its lines tell; the others are still in it."""
    text = clean(text)
    return " ".join((redact_across_lines(text) if "\n" in text else text).split())
