"""Whether a person's words stand in the summary: in their order, or with their spelling mended.

Both are told by rows of words: those that follow each other in the text, in lower case.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from functools import lru_cache

from compact_keeper.recap.wording.phrases import shared_beginning
from compact_keeper.types import WordRows

WORDS_IN_A_ROW, QUOTED_SHARE = 4, 0.9  # so many of a text's rows the summary has where it quotes it
PAIR = 2  # words: such rows stay where the summary mends a message's spelling
RESPELLED_WORDS_MAX, RESPELLED_MIN_CHARACTERS, REWORDED_SHARE = 2, 4, 0.15  # the last: of pairs of words


def rows_in(text: str) -> WordRows:
    """All rows of words of a summary, by their length."""
    words = words_in(text)
    return {"rows": in_rows(words, WORDS_IN_A_ROW), "pairs": in_rows(words, PAIR), "words": frozenset(words)}


def is_quoted(text: str, summary: WordRows, share: float = QUOTED_SHARE) -> bool:
    """Whether nearly all of the words stand in the summary, in their order; of an empty text they do."""
    if not text:
        return True
    own = in_rows(words_in(text), WORDS_IN_A_ROW)
    return len(own & summary["rows"]) >= share * len(own)


def is_quoted_respelled(text: str, summary: WordRows) -> bool:
    """Whether the words stand in the summary but for what it mended there.

    A misspelled word takes two pairs of words with it, so that many may lack.
    """
    own_words = words_in(text)
    if not own_words:
        return False
    lacking = {*own_words} - summary["words"]
    if len(lacking) > RESPELLED_WORDS_MAX or not all(is_respelled(word, summary["words"]) for word in lacking):
        return False
    own = in_rows(own_words, PAIR)
    return len(own - summary["pairs"]) <= 2 * len(lacking) + REWORDED_SHARE * len(own)


def is_respelled(word: str, words: Set[str]) -> bool:
    """Whether one of the words differs from it by a few letters next to each other; never a number."""
    if len(word) < RESPELLED_MIN_CHARACTERS or not word.isalpha():
        return False
    for other in words:
        if other[0] == word[0] and abs(len(other) - len(word)) < 2:
            shared_at_both_ends = shared_beginning(other, word) + shared_beginning(other[::-1], word[::-1])
            if shared_at_both_ends >= len(word) - 2:
                return True
    return False


def pairs_of(text: str) -> Set[tuple[str, ...]]:
    """The text's pairs of words; of a single word that alone."""
    return in_rows(words_in(text), PAIR)


@lru_cache(maxsize=64)  # a message's are asked for several times, and nobody changes them
def words_in(text: str) -> list[str]:
    """The text's words in lower case."""
    return re.findall(r"\w+", text.casefold())


def in_rows(words: Sequence[str], count: int) -> Set[tuple[str, ...]]:
    """All rows of so many of the words that follow each other; of fewer words one row."""
    if len(words) < count:
        return {tuple(words)}
    return {*zip(*(words[begin:] for begin in range(count)))}  # each word with those that follow it
