"""A made-up archive of as many steps as years of work leave, and questions for it.

Written by SQL into the archive's own tables and index, which takes a twentieth of the time that transcripts would: 30
million steps would be 340 GB of them. A turn has three rows of ten steps and 5 KB, as turns of real sessions have
(8.6 steps and 5.2 KB a row in 37 of them). A line is one of a stock, of words as common as Zipf says; each row has some
words that few others have, down to none, and so is the archive's vocabulary: a million words and more.
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [name for name in (str(TESTS), str(TESTS.parent / "src")) if name not in sys.path]

from compact_keeper.archive.database import COLUMNS, FORMAT, digest  # noqa: E402
from compact_keeper.archive.index_words import indexed  # noqa: E402
from compact_keeper.archive.kinds import KINDS  # noqa: E402
from compact_keeper.archive.local_archive import Archive  # noqa: E402

VOCABULARY, STOCK_LINES = 50_000, 300_000
RARE_WORDS = 2_000_000  # of which each row has some, by Zipf: the commonest in 100,000 rows, most in one or two
RARE_IN_A_ROW = 6
LINE_WORDS = range(6, 17)
PLAIN = 0.9  # of the words; the others are identifiers
ROWS_OF_A_TURN, SESSION_TURNS, PROJECTS = 3, 50, 20
STEPS = (("answer", 5), ("command", 7), ("file", 8), ("command", 8), ("answer", 7), ("command", 5), ("file", 9),
         ("command", 6), ("file", 7), ("answer", 4))  # of a row, with their lines
START, SPAN = 1_704_067_200, 2 * 365 * 86_400  # the first is of 2024-01-01, the last two years younger, in seconds
BATCH_ROWS = 5_000
TOLD_ROWS = 200_000
CACHE_KIB = 1 << 20
STOP_WORDS = (
    "the be to of and in that have it for not on with he as you do at this but his by from they we her she or an will "
    "all would there their what so up out if about who get which go me when make can like time no him know").split()
COMMON_WORDS = (
    "test file error build run fix code branch commit function type name path line change check add remove update "
    "config server client data table index query search cache token user session request response hook script module "
    "class method value key list string number time date log debug release version deploy docker database schema "
    "migration parser handler route auth login password email queue worker thread lock memory timeout retry").split()
SYLLABLES = (
    "con ver ta mi re lo ga ser din pro fel mar tu nes ka bri sol ven dor pli ra che mon ter qui lan fo gri sta "
    "pel nu har ble cor ti wen da lus po").split()
FORMS = ("rare word", "two words", "common words", "a sentence", "phrase", "phrase of common words", "path",
         "with a dash", "nowhere", "misspelt", "prefix", "identifier", "project", "kind", "since", "phrase, project",
         "common words, project", "three quoted words")


class MadeRow(NamedTuple):
    """A row's steps, each kind and lines; the words that few other rows have, in the order of their rarity."""

    steps: list[tuple[str, list[str]]]
    rare: list[str]

    @property
    def words(self) -> list[str]:
        """The words of a line that is in other rows too."""
        return self.steps[0][1][0].split()


@cache
def vocabulary(seed: int) -> tuple[list[str], list[float]]:
    """Words, the commonest first, and their weights added up: Zipf's, so stop words stand in almost every row."""
    rng, words = random.Random(f"{seed} vocabulary"), dict.fromkeys([*STOP_WORDS, *COMMON_WORDS])
    while len(words) < VOCABULARY:
        plain = "".join(rng.choices(SYLLABLES, k=rng.randint(2, 4)))
        words[plain if rng.random() < PLAIN else made_identifier(rng)] = None
    return [*words], [*accumulate(1 / (rank + 1) for rank in range(VOCABULARY))]


def made_identifier(rng: random.Random) -> str:
    """A name as it stands in code."""
    parts = [rng.choice(COMMON_WORDS), *("".join(rng.choices(SYLLABLES, k=2)) for _ in range(rng.randint(1, 2)))]
    return rng.choice(["_".join(parts), parts[0] + "".join(map(str.title, parts[1:])), "_".join(parts).upper(),
                       f"src/{'/'.join(parts)}.py", f"{'_'.join(parts)}.ts"])


@cache
def stock(seed: int) -> list[str]:
    """The lines that rows are made of."""
    rng, (words, weights) = random.Random(f"{seed} stock"), vocabulary(seed)
    return [" ".join(rng.choices(words, cum_weights=weights, k=rng.choice(LINE_WORDS))) for _ in range(STOCK_LINES)]


def rare_word(rank: int) -> str:
    """The word of this rank among those that few rows have: plain, an identifier, a path or a hash."""
    spelled, rest = "", rank + len(SYLLABLES) ** 2
    while rest:
        rest, at = divmod(rest, len(SYLLABLES))
        spelled += SYLLABLES[at]
    common = COMMON_WORDS[rank % len(COMMON_WORDS)]
    forms = (spelled, spelled, spelled, f"{common}_{spelled}", f"{common}{spelled.title()}",
             f"src/{common}/{spelled}.py", f"--{common}-{spelled}", digest(str(rank))[:7])
    return forms[rank % len(forms)]


def made_row(seed: int, number: int, lines: Sequence[str]) -> MadeRow:
    """The row of this number, made of these lines; the same for the same seed."""
    rng = random.Random(seed << 32 | number)
    chosen = iter(rng.choices(lines, k=sum(count for _, count in STEPS)))
    steps = [(kind, [next(chosen) for _ in range(count)]) for kind, count in STEPS]
    rare = [rare_word(rank) for rank in sorted(int(RARE_WORDS ** rng.random()) for _ in range(RARE_IN_A_ROW))]
    return MadeRow(steps, rare)


def fill(seed: int, turns: int) -> Iterator[str]:
    """Fills the archive of the data folder that the environment names, from where it was left; tells how far it is."""
    archive, count, began = Archive(), turns * ROWS_OF_A_TURN, time.time()
    there = archive.rows_in_all()
    for setting in ("synchronous = OFF", "secure_delete = OFF", f"cache_size = -{CACHE_KIB}"):
        archive.db.execute(f"PRAGMA {setting}")
    texts = {line: indexed(line) for line in stock(seed)}
    names = (*COLUMNS, "indexed")
    known = {word for words in texts.values() for word in words.split()}
    archive.db.executemany("INSERT OR IGNORE INTO vocabulary VALUES(?)", [(word,) for word in sorted(known)])
    for first in range(there, count, BATCH_ROWS):
        stored = [as_stored(seed, number, count, texts) for number in range(first, min(first + BATCH_ROWS, count))]
        new = {word for _, _, own in stored for word in own.split()} - known
        known |= new
        with archive.writing():
            archive.db.executemany(f"INSERT INTO turns(id, {', '.join(names)}) VALUES(?{', ?' * len(names)})",
                                   [row for row, _, _ in stored])
            archive.db.executemany(f"INSERT INTO words(rowid, {', '.join(KINDS)}) VALUES(?{', ?' * len(KINDS)})",
                                   [words for _, words, _ in stored])
            archive.db.executemany("INSERT OR IGNORE INTO vocabulary VALUES(?)", [(word,) for word in sorted(new)])
        if first % TOLD_ROWS == 0 and first:
            yield f"{first:,} of {count:,} rows, {first - there:,} of them in {time.time() - began:.0f} s"
    with archive.writing():
        archive.db.executemany(
            "INSERT OR IGNORE INTO sources(id, name, inode, size, offset, told, format) VALUES(?, ?, 0, 0, 0, '{}', ?)",
            ((number + 1, digest(f"{number}"), FORMAT) for number in range(turns // SESSION_TURNS + 1)))
    archive.db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    archive.db.close()


def as_stored(seed: int, number: int, count: int, texts: dict[str, str]) -> tuple[
        tuple[object, ...], tuple[object, ...], str]:
    """The row's values for the table, those for the index, and of these the words that few others have."""
    row, turn = made_row(seed, number, stock(seed)), number // ROWS_OF_A_TURN
    session, own = turn // SESSION_TURNS, " ".join(row.rare)
    kinds: dict[str, list[str]] = {kind: [] for kind in KINDS}
    words: dict[str, list[str]] = {kind: [] for kind in KINDS}
    lengths = list[list[object]]()
    steps = [("prompt", row.steps[0][1][:1])] * (number % ROWS_OF_A_TURN == 0) + row.steps
    for at, (kind, lines) in enumerate(steps):
        text = "\n".join([*lines, own] if at == len(steps) - 2 else lines)
        kinds[kind].append(text)
        words[kind] += [texts[line] for line in lines]
        lengths.append([kind, len(text), f"{number + at:04x}"[-4:]])
    own_words = indexed(own)
    words[steps[-2][0]].append(own_words)
    begun = began(number, count)
    place = (begun, f"/srv/work/project-{session % PROJECTS}", f"5e551011-0000-4000-8000-{session:012x}", "main", 0,
             "person", session + 1, turn * 1000, number * 1000, digest(f"{seed} {number}"), number * len(STEPS) + 1)
    return ((number + 1, *place, *("\n".join(kinds[kind]) for kind in KINDS), json.dumps(lengths), 1),
            (number + 1, *(" ".join(words[kind]) for kind in KINDS)), own_words)


def began(number: int, count: int) -> float:
    """When the row of this number was, in seconds since 1970."""
    return START + SPAN * number / count


def question(rng: random.Random, seed: int, turns: int, form: str) -> list[str]:
    """Arguments of a search in this form, for a row of the archive or for none."""
    count = turns * ROWS_OF_A_TURN
    number = rng.randrange(count)
    row = made_row(seed, number, stock(seed))
    line, common = max(row.steps[3][1], key=len).split(), [*COMMON_WORDS]
    rng.shuffle(common)
    at = rng.randrange(len(line) - 2)
    rare, session = rng.choice(row.rare), number // ROWS_OF_A_TURN // SESSION_TURNS
    project = ["--project", f"/srv/work/project-{session % PROJECTS}"]
    path = next((word for word in row.rare if "/" in word), f"src/{common[0]}/{rare_word(number)}.py")
    long = max(rng.sample(line, 4), key=len)
    forms = {
        "rare word": [row.rare[-1]], "two words": [rare, rng.choice(line)], "common words": common[:3],
        "a sentence": [*rng.sample(line, min(7, len(line))), rare],
        "phrase": [f'"{" ".join(line[at:at + 3])}"', rare],
        "phrase of common words": [f'"{" ".join(common[:3])}"'], "path": [path, rng.choice(line)],
        "with a dash": [f"--{common[0]}-{rare_word(number)}", "-x", *rng.sample(line, 2)],
        "nowhere": ["zzqx" + rare_word(number), "zzqy", common[0]],
        "misspelt": [*rng.sample(line, 3), long[:-2] + long[-1] + long[-2]], "prefix": [long[:4] + "*", rare],
        "identifier": [next((word for word in row.rare if "_" in word), made_identifier(rng))],
        "project": [*rng.sample(line, 3), *project], "kind": [*rng.sample(line, 3), "--kind", "command"],
        "since": [*rng.sample(line, 3), "--since", time.strftime("%Y-%m-%d", time.gmtime(began(number, count)))],
        "phrase, project": [f'"{" ".join(line[at:at + 2])}"', *project],
        "common words, project": [*common[:3], *project],
        "three quoted words": [f'"{word}"' for word in common[:3]]}
    return forms[form]
