"""Words, as the archive indexes them and as they are asked for.

Words stand there without case, accents and English endings; of identifiers the parts and the whole; of scripts
without spaces the pairs of neighbours.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from compact_keeper.text.dense import DENSE

# A word or an identifier, in runs of letters: tried letter by letter it takes a fifth longer.
IDENTIFIER_WORD = re.compile(r"(?:[^\W_]+|[\u0900-\u0963\u0966-\u0eff]+)+(?:_+[^\W_]+)*")
IDENTIFIER_IN_ASCII = re.compile(r"[A-Za-z0-9]+(?:_+[A-Za-z0-9]+)*")  # the same in such a chunk
HUMPS = re.compile(r"_+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[A-Za-z]{3})(?=\d+(?:_|\Z))")
WORD_MAX_CHARACTERS = 64  # what is longer is data
CACHED_MAX_CHARACTERS = 100  # of what stands between two spaces and is kept in memory
STEM_ENDS = "sgde"  # last letters of WORD_ENDINGS and of what loses an e
WORD_ENDINGS = (("ies", "y"), ("ing", ""), ("ed", ""), ("s", ""))
VOWELS = frozenset("aeiouy")


def indexed(text: str) -> str:
    """The text's words as the index holds them: all parts in their order, for phrases; then what is one of several."""
    chunks = words_in(text)
    return " ".join([*[parts for parts, _ in chunks if parts], *[wholes for _, wholes in chunks if wholes]])


def words_in(text: str) -> list[tuple[str, str]]:
    """What `words_of` says of all that stands between spaces."""
    chunks = (text if text.isascii() else unicodedata.normalize("NFC", text)).split()
    if max(map(len, chunks), default=0) < CACHED_MAX_CHARACTERS:
        return [*map(words_of, chunks)]
    return [words_of(chunk) if len(chunk) < CACHED_MAX_CHARACTERS else words_of.__wrapped__(chunk) for chunk in chunks]


def parts_of(text: str) -> list[str]:
    """The parts of the text's words in their order."""
    return [part for parts, _ in words_in(text) for part in parts.split()]


@lru_cache(maxsize=1 << 16)  # a session says the same words again and again
def words_of(chunk: str) -> tuple[str, str]:
    """Of what stands between two spaces the plain parts in their order, and the words made of several of them.

    Those are identifiers as a whole, getusername, and neighbours in paths and the like, src·auth and auth·jwt: by them
    a path is found at once, where a phrase of words that stand everywhere takes 100 ms in a million turns.
    """
    names = [*map(split_name, (IDENTIFIER_IN_ASCII if chunk.isascii() else IDENTIFIER_WORD).findall(chunk))]
    if len(names) == 1:  # as in most: it has no neighbours
        parts, whole = names[0]
        return " ".join(parts), whole
    wholes = [whole or "".join(parts) for parts, whole in names]
    pairs = [f"{word}·{following}" for word, following in zip(wholes, wholes[1:])]
    return " ".join([part for parts, _ in names for part in parts]), (
        " ".join([*pairs, *(whole for _, whole in names if whole)]))


@lru_cache(maxsize=1 << 16)  # it stands in many chunks, with other marks around it
def split_name(name: str) -> tuple[tuple[str, ...], str]:
    """The plain parts of a word or identifier in their order; the whole in one where there are several."""
    is_data = len(name) > WORD_MAX_CHARACTERS and not re.search(f"[{DENSE}]", name)
    is_plain = name.isalpha() and name[1:].islower()  # as most are: nothing parts it
    pieces = [] if is_data else [name] if is_plain else [piece for piece in HUMPS.split(name) if piece]
    if len(pieces) == 1:
        return tuple(plain_words(pieces[0])), ""
    return tuple([part for piece in pieces for part in plain_words(piece)]), stem("".join(pieces).lower())


def plain_words(piece: str) -> list[str]:
    """The word without case, accents and ending; of scripts without spaces, its pairs of neighbours."""
    if piece.isascii():
        return [stem(piece.lower())]
    bare = re.sub("[\u0300-\u036f]", "", unicodedata.normalize("NFKD", piece.casefold()))
    runs = re.findall(f"[{DENSE}]+|[^{DENSE}]+", unicodedata.normalize("NFC", bare))
    paired = [run if len(run) > 1 and re.match(f"[{DENSE}]", run) else "" for run in runs]
    return [word for run, pairs in zip(runs, paired)
            for word in ([pairs[at:at + 2] for at in range(len(pairs) - 1)] or [stem(run)])]


def stem(word: str) -> str:
    """An English word without its ending: fixes, fixed and fixing are one; crude, but the same on both sides."""
    if len(word) < 4 or word[-1] not in STEM_ENDS or not word.isalpha() or word.endswith(("ss", "us", "is")):
        return word
    ending, instead = next((pair for pair in WORD_ENDINGS if word.endswith(pair[0])), ("", ""))
    root = word[:len(word) - len(ending)] + instead
    if len(root) < 3 or VOWELS.isdisjoint(root):
        return word
    root = root[:-1] if ending in ("ing", "ed") and root[-1] == root[-2] not in "lsz" else root
    return root[:-1] if len(root) > 3 and root.endswith("e") else root
