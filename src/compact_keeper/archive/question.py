"""What is asked of the archive, and the best passages for it.

BM25 over the question's rare words, in at most 2,000 rows; the steps of the best rows are weighed with all its words.
"""

from __future__ import annotations

import math
import os
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import accumulate
from typing import Any

from compact_keeper.archive.index_words import IDENTIFIER_WORD, parts_of, stem, words_in
from compact_keeper.archive.kinds import KINDS, WEIGHTS
from compact_keeper.archive.passages import best_passages, folded_text
from compact_keeper.store.refusal import Refusal
from compact_keeper.text.dense import DENSE
from compact_keeper.types import JsonObject

STOP_WORDS = frozenset(map(stem, (
    "a about an and any are as at be been by can could did do does for from had has have how i in into is it its let "
    "me my of on or our out please should so that the their them then there these they this to us was we were what "
    "when where which who why will with would you your").split()))
QUESTION_MAX_CHARACTERS = 10_000
MOST_TERMS, BEGINNING = 40, 12  # of a question's terms that count; of the words that begin as a prefix says
SLIP_MIN_CHARACTERS = 4  # of a word that may be misspelt, and of what may be meant
# Rows that BM25 looks at, 1 to 3 µs each: a word that stands in more only tells among the best of the others. With 50
# for the 658 turns of the bench its mean reciprocal rank falls from 0.92 to 0.89.
MOST_ROWS = 2_000
BEST = 40  # rows that are weighed once more
ASCII_WORD = "[A-Za-z0-9]"  # a letter or digit of what has to stand as a whole word
LETTERS = "abcdefghijklmnopqrstuvwxyz"
NO_TEXT = "[\0\ud800-\udfff]"  # neither SQLite nor PostgreSQL takes NUL or halves of surrogate pairs
BM25 = f"bm25(words, {WEIGHTS})"
MOST_COMMON = 6  # of a question's frequent words that rows are chosen by
MOST_COMPARED = 600  # rows with rare words, times frequent ones that are looked for in them: some 10 µs each
NEAR_WORDS = 16  # within so many words frequent ones stand close together


def question(text: str) -> JsonObject:
    """What is asked: `terms` that count and those that `must` occur, as phrases of FTS5.

    Beside them the `typed` words by their term, where one may be misspelt; the `needles`, which stand for terms in a
    text as it was written; `words`, with the term by which each is known to occur; and the `phrases` in quotes as they
    were typed.
    Refused when there is nothing to look for.
    """
    if len(text) > QUESTION_MAX_CHARACTERS:
        raise Refusal(f"a question of {len(text):,} characters; {QUESTION_MAX_CHARACTERS:,} is the most: "
                      "name its telling words")
    text = unicodedata.normalize("NFC", text)
    phrases = [part for part in re.findall(r'"([^"]*)"', text) if parts_of(part)][:MOST_TERMS]
    must = [f'"{" ".join(parts_of(part))}"' for part in phrases]
    words = re.sub(r'"[^"]*"', " ", text).split()
    terms = [term for word in words for term in terms_of(word)]
    telling = [term for term in terms if term.strip('"') not in STOP_WORDS] or ([] if must else terms)
    if not telling and not must:
        raise Refusal("nothing to look for: name a word, a path or a command of what was said or done")
    names = [name.lower() for word in words for name in IDENTIFIER_WORD.findall(word) if name.isalpha()]
    typed = {f'"{stem(name)}"': name for name in names}
    needles = {term: needle_of(term, word) for word in words for term in terms_of(word)}
    first = {needle_of("", word): terms_of(word)[0] for word in words if {*terms_of(word)} & {*telling}}
    return {"terms": [*dict.fromkeys(telling)][:MOST_TERMS], "must": must, "typed": typed,
            "needles": needles, "words": first, "phrases": [f'"{" ".join(part.split())}"' for part in phrases]}


def needle_of(term: str, word: str) -> str:
    """How a term of a word is looked for in a text: a plain one as it is, what is made of several as it was typed."""
    bare = term.strip('"*')
    return bare if bare.isalnum() and bare in parts_of(word) else folded_text(word.strip("*.,;:!?()[]{}`'"))


def terms_of(word: str) -> list[str]:
    """The terms of a word: what is made of several parts, and the parts; a phrase of them where nothing else is."""
    parts, wholes = (words.split() for words in words_in(word)[0])
    if parts and (word.endswith("*") or (not word.isascii() and re.fullmatch(f"[{DENSE}]", word))):  # begins a pair
        return [f'"{" ".join(parts)}"*']
    phrase = [" ".join(parts)] if len(parts) > 1 and not wholes else []
    return [f'"{term}"' for term in [*wholes, *phrase, *(part for part in parts if len(part) > 1 or len(parts) == 1)]]


def find_passages(archive: Any, search: JsonObject) -> list[JsonObject]:
    """The best passages for a question: of the best rows by BM25 of its rare words, weighed once more with all of them.

    A row gains by frequent words that stand in it too. Where something must occur, or all words stand everywhere, the
    newest are weighed. `archive`: this machine's or the server's; what it is asked for are groups of terms, and a row
    that holds a term of each.
    """
    archive.counted = counts = counts_of(archive, search)  # what stands somewhere need not be asked for again
    rare, common = by_rarity(counts)
    rows = archive.rows_in_all()
    if search["must"]:
        ids = rows_that_must(archive, rare or common[:1], search)
    elif rare:
        compared = max(1, min(MOST_COMMON, MOST_COMPARED // sum(map(counts.__getitem__, rare))))
        ids = archive.ranked(rare, {term: math.log(1 + rows / counts[term]) for term in common[:compared]}, search)
    else:
        ids = rows_with_common(archive, common[:MOST_COMMON], search)
    return best_passages(archive.rows_of(ids), search, worth_of(rows, search, counts))


def counts_of(archive: Any, search: JsonObject) -> dict[str, int]:
    """The terms that stand somewhere, spelled as there, with the number of rows of each, counted up to MOST_ROWS + 1.

    As they were typed first: of a term that is counted it is not asked a second time whether it is there.
    """
    kind, typed = search["kind"], [term for term in search["terms"] if not term.endswith("*")]
    counts = dict(zip(typed, archive.counts(typed, kind, MOST_ROWS + 1)))
    terms = [*dict.fromkeys(spelled(archive, search, counts))]
    others = [term for term in terms if term not in counts]
    counts.update(zip(others, archive.counts(others, kind, MOST_ROWS + 1)))
    return {term: counts[term] for term in terms if counts[term]}


def rows_that_must(archive: Any, terms: Sequence[str], search: JsonObject) -> list[int]:
    """The newest rows with all that must occur; where there may be more, those with one of the terms too."""
    must = [[phrase] for phrase in search["must"]]
    ids: list[int] = archive.newest(must, search)
    if len(ids) == BEST and terms:
        ids += archive.newest([*must, terms], search)
    return ids


def rows_with_common(archive: Any, terms: Sequence[str], search: JsonObject) -> list[int]:
    """The newest rows in which words that stand everywhere stand close together, then those that hold all of them."""
    ids: list[int] = archive.newest_near(terms, search) if len(terms) > 1 else []
    for groups in ([[term] for term in terms], [terms[:1]]):
        if terms and len(ids) < BEST:
            ids += archive.newest(groups, search)
        if ids:
            break
    return [*dict.fromkeys(ids)][:BEST]


def by_rarity(counts: dict[str, int]) -> tuple[list[str], list[str]]:
    """Of terms that stand in so many rows the rarest, as many as BM25 is to look at, and the others."""
    known = sorted(counts, key=lambda term: counts[term])
    so_far = accumulate(counts[term] for term in known)
    rare = [term for term, rows in zip(known, so_far) if rows <= MOST_ROWS]
    return rare, known[len(rare):]


def worth_of(rows: int, search: JsonObject, counts: dict[str, int]) -> dict[str, float]:
    """What each needle is worth, of so many rows in all; 1 for words that must occur anyway.

    An identifier that occurs nowhere counts too, as what is missing: its parts alone are no answer.
    """
    needed = {word: 1.0 for phrase in search["must"] for word in phrase.strip('"').split()}
    needed.update({word: math.log(1 + rows) for word, term in search["words"].items()
                   if term not in counts and term not in search["typed"] and not term.endswith("*")})
    for term, count in sorted(counts.items(), key=lambda counted: -counted[1]):  # the rarest last
        needed[search["needles"].get(term, term.strip('"'))] = math.log(1 + rows / count)
    return needed


def row_numbers(ids: Iterable[int]) -> str:
    """The ids as SQL takes them."""
    return ", ".join(map(str, ids))


def spelled(archive: Any, search: JsonObject, counts: Mapping[str, int]) -> Iterator[str]:
    """The terms; the words that begin so for a prefix; for a word that no turn has, those that are one slip away.

    `counts`: of terms the rows in which they are known to stand.
    """
    for term in search["terms"]:
        word = search["typed"].get(term, "")
        if term.endswith("*") and " " not in term:
            yield from (f'"{known}"' for known in archive.beginning(term.strip('"*')))
        elif len(word) < SLIP_MIN_CHARACTERS or counts.get(term) or archive.rows_with(term, 1):
            yield term
        else:
            near = archive.known_of(dict.fromkeys(filter(partial(may_be_meant, word), map(stem, slips(word)))))
            yield from (f'"{known}"' for known in near[:2])


def may_be_meant(word: str, near: str) -> bool:
    """Whether a word one slip away, without its ending, is like this one: for "nothing" `not` and `both` were not."""
    return len(near) >= SLIP_MIN_CHARACTERS and near[0] in word[:2]


def slips(word: str) -> Iterator[str]:
    """All words that one slip makes of this one: letters swapped, one left out, put in or replaced."""
    cuts = [(word[:at], word[at:]) for at in range(len(word) + 1)]
    yield from (head + tail[1:2] + tail[:1] + tail[2:] for head, tail in cuts)
    yield from (head + tail[1:] for head, tail in cuts)
    letters = LETTERS if word.isascii() else sorted({*word})
    for head, tail in cuts:
        yield from (head + letter + rest for letter in letters for rest in (tail, tail[1:]))


def words_and_pattern(match: str) -> tuple[str, str]:
    """What has to stand in a text, and the pattern that it has to match besides; no pattern where anywhere will do.

    Words are whole: before and behind them stands no letter or digit of ASCII. A star at an end lifts that there. In
    scripts without spaces, and in names of several words, parts are words too: rather too much goes than too little.
    """
    bare = (match.strip("*") and match[match[0] == "*":len(match) - (match[-1] == "*")]) or match
    begins = "" if match[0] == "*" or not re.match(ASCII_WORD, bare) else f"(?<!{ASCII_WORD})"
    ends = "" if match[-1] == "*" or not re.match(ASCII_WORD, bare[-1:]) else f"(?!{ASCII_WORD})"
    return bare, f"{begins}{re.escape(bare)}{ends}" if begins or ends else ""


def condition_of(filters: JsonObject) -> tuple[str, list[Any]]:
    """The condition for the turns' rows that the filters set, and its values."""
    conditions: list[tuple[str, list[Any]]] = [("1", [])]
    if project := filters.get("project"):
        folder, end = os.path.realpath(project).rstrip("/"), project.rstrip("/")
        conditions.append(("(project = ? OR substr(project, 1, ?) = ? OR substr(project, -?) = ?)",
                           [folder, len(folder) + 1, f"{folder}/", len(end) + 1, f"/{end}"]))
    if session := filters.get("session"):
        conditions.append(("substr(session, 1, ?) = ?", [len(session), session]))
    for name, sign in (("since", ">="), ("until", "<")):
        if moment := filters.get(name):
            conditions.append((f"time {sign} ?", [moment]))
    if match := filters.get("match"):
        texts = " || char(10) || ".join(KINDS)
        bare, pattern = words_and_pattern(match)
        conditions.append((f"instr(lower({texts}), lower(?))", [bare]))
        if pattern:
            conditions.append((f"matches({texts}, ?)", [pattern]))
    return " AND ".join(text for text, _ in conditions), [value for _, values in conditions for value in values]
