"""What is asked of the archive, and the best turns for it.

BM25 over the question's rare words, in at most 2,000 rows; the best of them are weighed once more with all its words.
"""

from __future__ import annotations

import math
import os
import re
import time
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Any

from compact_keeper.archive.kinds import KINDS, WEIGHTS
from compact_keeper.archive.words import DENSE, IDENTIFIER_WORD, stem, words_in
from compact_keeper.store.refusal import Refusal
from compact_keeper.types import Record

STOP_WORDS = frozenset(map(stem, (
    "a about an and any are as at be been by can could did do does for from had has have how i in into is it its let "
    "me my of on or our out please should so that the their them then there these they this to us was we were what "
    "when where which who why will with would you your").split()))
QUESTION_MAX_CHARACTERS = 10_000
MOST_TERMS, BEGINNING = 40, 12  # of a question's terms that count; of the words that begin as a prefix says
# Rows that BM25 looks at, 1 to 3 µs each: a word that stands in more only tells among the best of the others. With 50
# for the 658 turns of the bench its mean reciprocal rank falls from 0.92 to 0.89.
MOST_ROWS = 2_000
BEST = 40  # rows that are weighed once more
CLOSENESS_WEIGHT = 4  # of the square of the question's share that one sentence of a turn holds, in the turn's score
SENTENCE_END = re.compile(r"[.?!] |\n")
LETTERS = "abcdefghijklmnopqrstuvwxyz"
NO_TEXT = "[\0\ud800-\udfff]"  # neither SQLite nor PostgreSQL takes NUL or halves of surrogate pairs
NEWNESS_SHARE, NEWNESS_SECONDS = 0.15, 30 * 86_400  # that a score gains at most; in which that falls to a third
SUMMARY_SHARE = 0.4  # of its score that a summary keeps: it repeats what turns say themselves
BM25, NEWEST_SQL_ORDER = f"bm25(words, {WEIGHTS})", "words.rowid DESC"


def question(text: str) -> Record:
    """What is asked: `terms` that count and those that `must` occur, as phrases of FTS5; `typed` words by their term.

    Refused when there is nothing to look for.
    """
    if len(text) > QUESTION_MAX_CHARACTERS:
        raise Refusal(f"a question of {len(text):,} characters; {QUESTION_MAX_CHARACTERS:,} is the most: "
                      "name its telling words")
    text = unicodedata.normalize("NFC", text)
    must = [f'"{" ".join(parts)}"' for part in re.findall(r'"([^"]*)"', text) if (parts := parts_of(part))]
    words = re.sub(r'"[^"]*"', " ", text).split()
    terms = [term for word in words for term in terms_of(word)]
    telling = [term for term in terms if term.strip('"') not in STOP_WORDS] or ([] if must else terms)
    if not telling and not must:
        raise Refusal("nothing to look for: name a word, a path or a command of what was said or done")
    names = [name.lower() for word in words for name in IDENTIFIER_WORD.findall(word) if name.isalpha()]
    typed = {f'"{stem(name)}"': name for name in names}
    return {"terms": [*dict.fromkeys(telling)][:MOST_TERMS], "must": must[:MOST_TERMS], "typed": typed}


def parts_of(text: str) -> list[str]:
    """The parts of the text's words in their order."""
    return [part for parts, _ in words_in(text) for part in parts]


def terms_of(word: str) -> list[str]:
    """The terms of a word: what is made of several parts, and the parts; a phrase of them where nothing else is."""
    (parts, wholes), = words_in(word)
    if parts and (word.endswith("*") or (not word.isascii() and re.fullmatch(f"[{DENSE}]", word))):  # begins a pair
        return [f'"{" ".join(parts)}"*']
    phrase = [" ".join(parts)] if len(parts) > 1 and not wholes else []
    return [f'"{term}"' for term in [*wholes, *phrase, *(part for part in parts if len(part) > 1 or len(parts) == 1)]]


def find_turns(archive: Any, search: Record) -> list[Record]:
    """The best turns for a question: by BM25 of its rare words, weighed once more with all of them.

    Where something must occur, or all words stand everywhere, the newest are weighed.
    """
    column = f"{search['kind']} : " if search["kind"] else ""
    counts = {term: count for term in spelled(archive, search)
              if (count := archive.rows_with(f"{column}{term}", MOST_ROWS + 1))}
    rare, common = by_rarity(counts)
    must, either = " AND ".join(search["must"]), " OR ".join(rare or common)
    if must:
        scores = archive.select(f"{column}({must})", NEWEST_SQL_ORDER, search)
        if len(scores) == BEST and either:  # there may be more: those with a word that was asked for besides
            scores.update(archive.select(f"{column}(({must}) AND ({either}))", NEWEST_SQL_ORDER, search))
    elif rare:
        scores = archive.select(f"{column}({either})", BM25, search)
    else:
        matches = (f"{column}({match})" for match in (" AND ".join(common), *common[:1]) if match)
        scores = next(filter(None, (archive.select(match, NEWEST_SQL_ORDER, search) for match in matches)), {})
    worth = worth_of(archive.value("SELECT max(id) FROM turns") or 0, search, counts)
    return weighed(archive.rows(f"id IN ({row_numbers(scores)})"), scores, worth, search["kind"] or "")


def by_rarity(counts: dict[str, int]) -> tuple[list[str], list[str]]:
    """Of terms that stand in so many rows the rarest, as many as BM25 is to look at, and the others."""
    known = sorted(counts, key=lambda term: counts[term])
    so_far = accumulate(counts[term] for term in known)
    rare = [term for term, rows in zip(known, so_far) if rows <= MOST_ROWS]
    return rare, known[len(rare):]


def worth_of(rows: int, search: Record, counts: dict[str, int]) -> dict[str, float]:
    """What each word that was asked for is worth, of so many rows in all; 1 for words that must occur anyway."""
    needed = {word: 1.0 for phrase in search["must"] for word in phrase.strip('"').split()}
    return {**needed, **{term.strip('"'): math.log(1 + rows / count) for term, count in counts.items()}}


def row_numbers(ids: Iterable[int]) -> str:
    """The ids as SQL takes them."""
    return ", ".join(map(str, ids))


def spelled(archive: Any, search: Record) -> Iterator[str]:
    """The terms; the words that begin so for a prefix; for a word that no turn has, those that are one slip away."""
    for term in search["terms"]:
        word = search["typed"].get(term, "")
        if term.endswith("*") and " " not in term:
            yield from (f'"{known}"' for known in archive.beginning(term.strip('"*')))
        elif len(word) < 4 or archive.rows_with(term, 1):
            yield term
        else:
            yield from (f'"{known}"' for known in archive.known_of(dict.fromkeys(map(stem, slips(word))))[:2])


def slips(word: str) -> Iterator[str]:
    """All words that one slip makes of this one: letters swapped, one left out, put in or replaced."""
    cuts = [(word[:at], word[at:]) for at in range(len(word) + 1)]
    yield from (head + tail[1:2] + tail[:1] + tail[2:] for head, tail in cuts)
    yield from (head + tail[1:] for head, tail in cuts)
    letters = LETTERS if word.isascii() else sorted({*word})
    for head, tail in cuts:
        yield from (head + letter + rest for letter in letters for rest in (tail, tail[1:]))


def weighed(rows: Iterable[Record], scores: dict[int, float], worth: dict[str, float], kind: str) -> list[Record]:
    """The rows with their score, in its order, and their sentence `closest` to what was asked, with its share of it.

    A row counts more when that sentence holds much of it, a little more when it is new, less when it is a client's
    summary. `worth` has the words asked for; `kind` is the only column that counts, if any.
    """
    now, scored = time.time(), []
    for row in rows:
        newness = 1 + NEWNESS_SHARE * math.exp(-max(now - row["time"], 0) / NEWNESS_SECONDS)
        share, closest = closeness(row, worth, [kind] if kind else KINDS[:-1])  # decisions stand in the others too
        factor = newness * (SUMMARY_SHARE if row["who"] == "summary" else 1)
        # In a few turns all words are common: BM25 is 0, so the share counts by itself too.
        score = scores[row["id"]] * (1 + CLOSENESS_WEIGHT * share ** 2) + share
        scored.append({**row, "score": score * factor, "closest": {**closest, "share": share}})
    best = sorted(scored, key=lambda row: (-row["score"], -row["time"]))
    return [{**row, "score": round(row["score"], 2)} for row in best]


def closeness(row: Record, worth: dict[str, float], kinds: Sequence[str]) -> tuple[float, Record]:
    """The share of what was asked, by worth, in the sentence that holds most of it; and which that is.

    Of the sentence: its kind, where it begins and ends, where its first word that was asked for stands.
    """
    best, closest = 0.0, ""
    its_kind = next(filter(row.get, kinds), kinds[0])
    for kind in kinds:
        text = row[kind].lower()
        there = [(word, value) for word, value in worth.items() if word in text]
        for sentence in SENTENCE_END.split(text) if sum(value for _, value in there) > best else ():
            worth_here = sum(value for word, value in there if word in sentence)
            if worth_here > best:
                best, closest, its_kind = worth_here, sentence, kind
    begin = row[its_kind].lower().find(closest)
    word = begin + min((closest.find(word) for word in worth if word in closest), default=0)
    end = begin + len(closest) + (row[its_kind][begin + len(closest):][:1] in (".", "?", "!"))
    return best / (sum(worth.values()) or 1), {"kind": its_kind, "begin": begin, "end": end, "word": word}


def condition_of(filters: Record) -> tuple[str, list[Any]]:
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
        conditions.append((f"instr(lower({' || char(10) || '.join(KINDS)}), lower(?))", [match]))
    return " AND ".join(text for text, _ in conditions), [value for _, values in conditions for value in values]
