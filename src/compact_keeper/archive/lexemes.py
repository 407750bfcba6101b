"""Words and terms as PostgreSQL takes them: a turn's words as a tsvector, a question's terms as a tsquery.

A word's lexeme begins with the letter of its kind (pauth: typed, aauth: answered), so that one index serves all kinds
and each alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from compact_keeper.archive.kinds import KINDS
from compact_keeper.archive.question import NO_TEXT

# Limits of a tsvector: positions of a lexeme (none is above 16,383: later words count as there), bytes of one and all.
MOST_POSITIONS, WORD_MAX_BYTES, VECTOR_MAX_BYTES = 255, 2_000, 1_000_000
PHRASE_MAX_WORDS = 64  # that are compared of a phrase: 5,000 take the server 38 s


def without_nul(value: Any) -> Any:
    """The value as PostgreSQL takes it; what stands for a character is one too, so that lengths stay."""
    return re.sub(NO_TEXT, "\ufffd", value) if isinstance(value, str) else value


def lexeme(kind: str, word: str) -> str:
    """The word as the index holds it for a kind."""
    return (kind[0] + word).encode()[:WORD_MAX_BYTES].decode("utf-8", "ignore")


def quoted_lexeme(text: str) -> str:
    """A lexeme as it is written in a vector or a query."""
    return "'" + text.replace("\\", "\\\\").replace("'", "''") + "'"


def vector(words: Mapping[str, Sequence[str]]) -> str:
    """The words of each kind as a tsvector, with their positions; of a monstrous turn, as many as it takes."""
    positions: dict[str, list[int]] = {}
    left = VECTOR_MAX_BYTES
    for kind, those in words.items():
        for position, word in enumerate(those, 1):
            entry = lexeme(kind, word)
            left -= 2 if entry in positions else len(entry.encode()) + 6
            if left > 0 and len(positions.get(entry, ())) < MOST_POSITIONS:
                positions.setdefault(entry, []).append(position)
    return " ".join(f"{quoted_lexeme(entry)}:{','.join(map(str, at))}" for entry, at in positions.items())


def term_words(term: str) -> list[str]:
    """The words of a term, which `question` writes as FTS5 takes it."""
    text: str = without_nul(term)
    return text.strip('"*').split()[:PHRASE_MAX_WORDS]


def text_query(term: str, kinds: Iterable[str]) -> str:
    """The term as a tsquery that finds it in any of the kinds."""
    ending = ":*" if term.endswith("*") else ""
    each = (" <-> ".join(quoted_lexeme(lexeme(kind, word)) for word in term_words(term)) for kind in kinds)
    return f"({' | '.join(f'{alternative}{ending}' for alternative in each)})"


def kinds_of(kind: str | None) -> Sequence[str]:
    """The kinds that are looked through: the one that is asked for, else all."""
    return [kind] if kind else KINDS


def query_of(groups: Iterable[Iterable[str]], kinds: Sequence[str]) -> str:
    """The rows that hold a term of each group in any of the kinds, as a tsquery."""
    return " & ".join(f"({' | '.join(text_query(term, kinds) for term in group)})" for group in groups)
