"""Whether a text holds one of several parts, asked before a pattern is tried that needs one of them; or a word."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

LONG_TEXT_CHARACTERS = 600


def holds_any(text: str, parts: Iterable[str]) -> bool:
    """Whether the text holds one of the parts; in long texts `rfind` takes a fifth to all of the time of `in`.

    A loop over all rows of a summary, for each line, asks by itself: the call alone took 2 of a recap's 60 ms there.
    """
    if len(text) < LONG_TEXT_CHARACTERS:
        return any(map(text.__contains__, parts))
    return any(text.rfind(part) >= 0 for part in parts)


def parts_in(text: str, parts: Iterable[str]) -> list[str]:
    """Those of the parts that the text holds."""
    if len(text) < LONG_TEXT_CHARACTERS:
        return [part for part in parts if part in text]
    return [part for part in parts if text.rfind(part) >= 0]


def has_word(text: str, word: str) -> bool:
    """Whether the text holds the word, not only as a part of another."""
    if word not in text:
        return False
    size = len(word)
    return any(not is_word_sign(text[begin - 1:begin]) and not is_word_sign(text[begin + size:begin + size + 1])
               for begin in places_of(word, text))


def begins_with_word(text: str, words: tuple[str, ...]) -> bool:
    """Whether the text begins with one of the words, not with a longer one."""
    return text.startswith(words) and any(
        text.startswith(word) and not is_word_sign(text[len(word):len(word) + 1]) for word in words)


def places_of(part: str, text: str) -> Iterator[int]:
    """Where in the text the part begins, each behind the end of the one before."""
    begin = text.find(part)
    while begin >= 0:
        yield begin
        begin = text.find(part, begin + len(part))


def is_word_sign(sign: str) -> bool:
    """Whether a single character is a letter, a digit or an underscore."""
    return sign.isalnum() or sign == "_"
