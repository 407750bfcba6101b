"""Which words of a summary's line are quoted: the sentence that is contradicted, of a long one a piece of it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from compact_keeper.text.length import units
from compact_keeper.text.quotation import quote

SAID_MAX_UTF16, PIECE_BEFORE_CHARACTERS = 160, 60
END_IN_LINE = r"(?<=[.!?])[)\]\"”]*\s+"
NO_SENTENCES_IN = r"`[^`\n]{0,300}`|[\"“„][^\"“”„]{12,400}[\"“”]"  # code and quotes, where no sentence ends


def written_sentences(line: str) -> list[str]:
    """The line's sentences as they are written, without emphasis."""
    line = line.replace("**", "")
    masked = re.sub(NO_SENTENCES_IN, lambda match: "…" * len(match[0]), line)
    ends = [match.end() for match in re.finditer(END_IN_LINE, masked)]
    return [line[begin:end].strip() for begin, end in zip([0, *ends], [*ends, len(line)])]


def piece_around(text: str, names: Sequence[str], before: int = 0) -> str:
    """The text; of one too long to be quoted what stands around a name, from about 60 characters before it on.

    The names are as they stand in rows; `before` is how many times one of them stands there before the one meant.
    A line of five sentences was cut to "Curren…" where "Current branch: `develop`." was wrong.
    """
    if units(text) <= SAID_MAX_UTF16:
        return text
    text = quote(text, 2 * units(text))  # redacted before it is cut
    patterns = [r"\s*".join(map(re.escape, name.split())) for name in sorted(names, key=len, reverse=True)]
    places = [match.start() for match in re.finditer(rf"(?<!\w)(?:{'|'.join(patterns)})(?!\w)", text, re.IGNORECASE)]
    place = places[min(before, len(places) - 1)] if places else 0
    if place <= PIECE_BEFORE_CHARACTERS:
        return text
    return f"… {text[text.find(' ', place - PIECE_BEFORE_CHARACTERS, place) + 1 or place:]}"
