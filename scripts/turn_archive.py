#!/usr/bin/env python3
"""The archive of all sessions' turns: an SQLite file with a full-text index, and the search in it.

recall.py and what belongs to it import this. A row is a turn, as index_turns.py tells it; the same turn is stored once,
by the hash of its content. The index (FTS5) holds words only, no texts: words without case, accents and English
endings; the parts of identifiers and the whole; of scripts without spaces the pairs of neighbours.
Writes  archive.db in the data folder, for the owner alone. Several processes may read and write it at once (WAL; a
        writer waits for its turn, 30 s at most). What is removed is overwritten in the file too.
Search  BM25 over the question's rare words, in at most 2,000 rows (so a search in a million turns takes about as long
        as one in ten thousand), then weighed once more. Without FTS5 every turn is read, and words are only counted.
Python 3.9+, standard library only.
"""

from __future__ import annotations

import json
import math
import os
import re
import sqlite3
import stat
import sys
import time
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Record = dict[str, Any]

KINDS = ("prompt", "answer", "command", "file", "error", "decision")  # of a turn's texts, a column each
WEIGHTS = "6.0, 2.0, 1.0, 0.5, 1.0, 3.0"  # of these columns in BM25
WAIT = 30  # seconds that one process waits for another's write
SERVER = "COMPACT_KEEPER_ARCHIVE"  # names the PostgreSQL server that is asked instead of this archive, when set
NAMING = ("project", "session", "branch")  # of where reading goes on: not kept of what stays out or is forgotten


class Refusal(Exception):
    """Says why something is not done."""


# --- shared: files ---
# The data folder: folders 0700, files 0600, nothing written through a link, JSON files replaced as a whole.
SCHEMA = 1  # of every file and line we write; a file with another number is left alone
NO_LINK, NO_WAIT = getattr(os, "O_NOFOLLOW", 0), getattr(os, "O_NONBLOCK", 0)  # 0 on Windows


def data_home() -> str:
    """The data folder: one place, however the scripts were installed."""
    config = os.environ.get("CLAUDE_CONFIG_DIR") or os.path.join("~", ".claude")
    return os.path.expanduser(os.environ.get("COMPACT_KEEPER_HOME") or os.path.join(config, "compact-keeper"))


def private_folder(*names: str) -> str:
    """A folder below the data folder, made where missing, for the owner alone; a link is refused."""
    path = data_home()
    if path.startswith("~"):
        raise Refusal("no home folder is known; name a data folder in COMPACT_KEEPER_HOME")
    os.makedirs(path, mode=0o700, exist_ok=True)
    for name in names:
        path = os.path.join(path, name)
        if os.path.islink(path):
            raise Refusal(f"{path} is a link")
        os.makedirs(path, mode=0o700, exist_ok=True)
    return path


def open_regular(path: str, flags: int) -> int:
    """A descriptor of a regular file; a FIFO, device or folder is refused without waiting for it."""
    handle = os.open(path, flags | NO_WAIT, 0o600)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise Refusal(f"{path} is not a regular file")
    return handle


def append_line(path: str, line: str) -> None:
    """Appends the line with one write call, so that parallel hooks lose nothing; behind a torn line it begins anew."""
    handle = open_regular(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | NO_LINK)
    with os.fdopen(handle, "a+b", buffering=0) as file:
        torn = file.tell() and file.seek(-1, os.SEEK_END) >= 0 and file.read(1) != b"\n"
        file.write(("\n" * bool(torn) + line + "\n").encode("utf-8", "replace"))


def read_store(path: str) -> Record:
    """The file's object; empty when there is none or it is broken, refused when it has another schema."""
    try:
        with os.fdopen(open_regular(path, os.O_RDONLY | NO_LINK), "rb") as file:
            data = json.loads(file.read(8 << 20))
    except (FileNotFoundError, ValueError, RecursionError):
        return {}
    schema = data.get("schema") if isinstance(data, dict) else None
    if isinstance(schema, int) and schema != SCHEMA:
        raise Refusal(f"{path} has schema {schema}, not {SCHEMA}, and is left alone")
    return data if schema == SCHEMA else {}
# --- end of shared: files ---


# --- words: as they are indexed and as they are asked for ---
DENSE = "\u0e00-\u0eff\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"  # written without spaces
NAME = re.compile(r"(?:[^\W_]|[\u0900-\u0963\u0966-\u0eff])+(?:_+[^\W_]+)*")  # a word or an identifier
HUMPS = re.compile(r"_+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[A-Za-z]{3})(?=\d+(?:_|\Z))")
LONGEST, CACHED = 64, 100  # characters of a word, what is longer is data; of what is kept in memory
ENDINGS = (("ies", "y"), ("ing", ""), ("ed", ""), ("s", ""))


def indexed(text: str) -> str:
    """The text's words as the index holds them: all parts in their order, for phrases; then what is one of several."""
    found = words_in(text)
    return " ".join([word for parts, _ in found for word in parts] + [word for _, wholes in found for word in wholes])


def words_in(text: str) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    """What `words_of` says of all that stands between spaces."""
    chunks = (text if text.isascii() else unicodedata.normalize("NFC", text)).split()
    return [words_of(chunk) if len(chunk) < CACHED else words_of.__wrapped__(chunk) for chunk in chunks]


@lru_cache(maxsize=1 << 16)  # a session says the same words again and again
def words_of(chunk: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Of what stands between two spaces the plain parts in their order, and the words made of several of them.

    Those are identifiers as a whole, getusername, and neighbours in paths and the like, src·auth and auth·jwt: by them
    a path is found at once, where a phrase of words that stand everywhere takes 100 ms in a million turns.
    """
    names = [split_name(name) for name in NAME.findall(chunk)]
    wholes = [whole or "".join(parts) for parts, whole in names]
    pairs = [f"{one}·{next_one}" for one, next_one in zip(wholes, wholes[1:])]
    return tuple(part for parts, _ in names for part in parts), (*pairs, *(whole for _, whole in names if whole))


def split_name(name: str) -> tuple[list[str], str]:
    """The plain parts of a word or identifier in their order; the whole in one where there are several."""
    is_data = len(name) > LONGEST and not re.search(f"[{DENSE}]", name)
    pieces = [] if is_data else [piece for piece in HUMPS.split(name) if piece]
    return [part for piece in pieces for part in plain_words(piece)], (
        stem("".join(pieces).lower()) if len(pieces) > 1 else "")


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
    if len(word) < 4 or not word.isalpha() or word.endswith(("ss", "us", "is")):
        return word
    ending, instead = next((pair for pair in ENDINGS if word.endswith(pair[0])), ("", ""))
    root = word[:len(word) - len(ending)] + instead
    if len(root) < 3 or not re.search("[aeiouy]", root):
        return word
    root = root[:-1] if ending in ("ing", "ed") and root[-1] == root[-2] not in "lsz" else root
    return root[:-1] if len(root) > 3 and root.endswith("e") else root


# --- archive: SQLite, one row a turn, a full-text index beside it ---
TABLES = """
CREATE TABLE sources(id INTEGER PRIMARY KEY, name TEXT UNIQUE, inode INTEGER, size INTEGER, offset INTEGER, told TEXT);
CREATE TABLE turns(id INTEGER PRIMARY KEY, time REAL, project TEXT, session TEXT, branch TEXT, cycle INTEGER, who TEXT,
    source INTEGER, turn INTEGER, start INTEGER, hash TEXT UNIQUE, pushed INTEGER DEFAULT 0, indexed INTEGER DEFAULT 0,
    prompt TEXT, answer TEXT, command TEXT, file TEXT, error TEXT, decision TEXT, steps TEXT, UNIQUE(source, start));
CREATE INDEX turns_by_session ON turns(session, time);
CREATE INDEX turns_by_time ON turns(time);
CREATE INDEX turns_not_indexed ON turns(id) WHERE NOT indexed;
CREATE INDEX turns_not_pushed ON turns(id) WHERE NOT pushed;
CREATE TABLE vocabulary(word TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE forgotten(mark TEXT PRIMARY KEY) WITHOUT ROWID"""
INDEX = f"CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5({', '.join(KINDS)}, content='', tokenize='ascii')"
PLACE = ("time", "project", "session", "branch", "cycle", "who", "source", "turn", "start", "hash")
COLUMNS = (*PLACE, *KINDS, "steps")
VERSION = 1  # of these tables and of how words are indexed


def digest(text: str) -> str:
    """What stands for a text where two are compared; the text cannot be read from it."""
    from hashlib import blake2b
    return blake2b(text.encode("utf-8", "replace"), digest_size=12).hexdigest()


def words_told(rows: Iterable[tuple[Any, ...]]) -> set[str]:
    """The words in rows as they are told to the index."""
    return {word for row in rows for text in row[1:] for word in text.split()}


class Archive:
    """The archive of this machine."""

    def __init__(self, wait: float = WAIT) -> None:
        """`wait`: seconds that another process's write is waited for."""
        self.path = os.path.join(private_folder(), "archive.db")
        os.close(open_regular(self.path, os.O_RDWR | os.O_CREAT | NO_LINK))  # private before SQLite fills it
        self.db = sqlite3.connect(self.path, timeout=wait, isolation_level=None)
        self.db.row_factory = sqlite3.Row
        self.has_index = bool(self.value("SELECT sqlite_compileoption_used('ENABLE_FTS5')"))
        self.known: set[str] = set()  # words that the vocabulary has
        try:
            if not self.value("PRAGMA user_version"):
                self.create(time.monotonic() + wait)
            version = self.value("PRAGMA user_version")
        except sqlite3.DatabaseError as fault:
            raise Refusal(f"{self.path}: {fault}") from None
        if version != VERSION:
            raise Refusal(f"{self.path} has version {version}, not {VERSION}, and is left alone")
        for setting in ("synchronous = NORMAL", "secure_delete = ON"):  # and no mmap: faults cost 10 ms
            self.db.execute(f"PRAGMA {setting}")
        if self.has_index:
            self.db.execute(INDEX)
            if self.value("SELECT 1 FROM turns WHERE NOT indexed"):  # stored by one without FTS5
                with self.writing():
                    self.index_words()

    def value(self, query: str, values: Sequence[Any] = ()) -> Any:
        """The first value of the query's first row; None without one."""
        row = self.db.execute(query, values).fetchone()
        return row[0] if row else None

    def create(self, until: float) -> None:
        """Makes the tables; of several that come at once the first does, the others wait for it until then."""
        while self.value("PRAGMA journal_mode") != "wal":
            try:
                self.db.execute("PRAGMA auto_vacuum = INCREMENTAL")
                self.db.execute("PRAGMA journal_mode = WAL")
            except sqlite3.OperationalError:  # this change alone does not wait by itself
                if time.monotonic() > until:
                    raise
                time.sleep(0.05)
        with self.writing():
            if not self.value("PRAGMA user_version"):
                for statement in [*TABLES.split(";\n"), f"PRAGMA user_version = {VERSION}"]:
                    self.db.execute(statement)

    def writing(self) -> sqlite3.Connection:
        """A transaction for `with`, begun: it waits for its turn now, not in its middle."""
        self.db.execute("BEGIN IMMEDIATE")
        return self.db

    def source(self, path: str, about: os.stat_result) -> Record:
        """How far the transcript was read; from its beginning when it is another file than last time."""
        name = digest(path)  # a forgotten project leaves no name behind
        row = self.db.execute("SELECT * FROM sources WHERE name = ?", (name,)).fetchone()
        if row and row["inode"] == about.st_ino and row["offset"] <= about.st_size:
            return {**row, "told": json.loads(row["told"])}
        with self.writing():
            self.db.execute("UPDATE sources SET name = NULL WHERE name = ?", (name,))
            made = self.db.execute("INSERT INTO sources(name, inode, size, offset, told) VALUES(?, ?, -1, 0, '{}')",
                                   (name, about.st_ino))
        return {"id": made.lastrowid, "size": -1, "offset": 0, "told": {}}

    def store(self, source: int, turns: Sequence[Record], size: int, offset: int, told: Record) -> int:
        """Writes the turns and how far the source was read, together; returns how many rows are new or have grown."""
        with self.writing():
            count = sum(self.store_turn({**turn, "source": source}) for turn in turns)
            self.index_words()
            self.db.execute("UPDATE sources SET size = ?, offset = ?, told = ? WHERE id = ? AND offset <= ?",
                            (size, offset, json.dumps(told), source, offset))
        return count

    def store_turn(self, turn: Record) -> bool:
        """Writes a turn unless it is there or was forgotten; one that has grown keeps its id."""
        turn["hash"] = digest("\0".join([turn["stamp"], *(turn[kind] for kind in KINDS[:-1])]))
        place = turn["source"], turn["start"]
        if (self.value("SELECT 1 FROM turns WHERE hash = ?", (turn["hash"],))
                or self.value("SELECT 1 FROM forgotten WHERE mark IN (?, ?)", (turn["hash"], f"{place}"))):
            return False
        old = self.value("SELECT id FROM turns WHERE source = ? AND start = ?", place)
        self.unindex("id = ?", (old,))
        self.db.execute(f"REPLACE INTO turns(id, {', '.join(COLUMNS)}) VALUES(?{', ?' * len(COLUMNS)})",
                        (old, *(turn[name] for name in COLUMNS)))
        return True

    def index_words(self) -> None:
        """Puts into the index what is not in it yet; a Python without FTS5 leaves that to another."""
        if not self.has_index:
            return
        told = self.told_to_index("NOT indexed", ())
        self.db.executemany(f"INSERT INTO words(rowid, {', '.join(KINDS)}) VALUES(?{', ?' * len(KINDS)})", told)
        new = words_told(told) - self.known
        self.db.executemany("INSERT OR IGNORE INTO vocabulary VALUES(?)", [(word,) for word in new])
        self.known |= new
        self.db.executemany("UPDATE turns SET indexed = 1 WHERE id = ?", [one[:1] for one in told])

    def told_to_index(self, where: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
        """The rows' ids and words, as they are told to the index."""
        rows = self.db.execute(f"SELECT id, {', '.join(KINDS)} FROM turns WHERE {where}", values)
        return [(number, *map(indexed, texts)) for number, *texts in rows]

    def unindex(self, where: str, values: Sequence[Any]) -> set[str]:
        """Takes the rows out of the index, which keeps no texts and so is told their words once more; the words."""
        told = self.told_to_index(f"indexed AND {where}", values)
        if told and not self.has_index:
            raise Refusal("this Python's SQLite lacks FTS5; to change the archive, use the Python that filled it")
        if told:
            self.db.executemany(f"INSERT INTO words(words, rowid, {', '.join(KINDS)}) "
                                f"VALUES('delete', ?{', ?' * len(KINDS)})", told)
        return words_told(told)

    def remove(self, where: str, values: Sequence[Any], may_return: bool = False) -> int:
        """Removes the turns for good, from rows, index and vocabulary; no page of the file keeps them."""
        count, gone = 0, set()
        while ids := [row[0] for row in self.db.execute(f"SELECT id FROM turns WHERE {where} LIMIT 1000", values)]:
            these = f"id IN ({numbers(ids)})"
            with self.writing():
                if not may_return:
                    self.db.execute(f"INSERT OR IGNORE INTO forgotten SELECT hash FROM turns WHERE {these} UNION ALL "
                                    f"SELECT '(' || source || ', ' || start || ')' FROM turns WHERE {these}")
                    self.unname(f"id IN (SELECT source FROM turns WHERE {these})")
                gone |= self.unindex(these, ())
                count += self.db.execute(f"DELETE FROM turns WHERE {these}").rowcount
        if gone:
            with self.writing():
                unused = [(word,) for word in gone if not self.rows_with(f'"{word}"', 1)]
                self.db.executemany("DELETE FROM vocabulary WHERE word = ?", unused)
                self.known -= gone
                self.db.execute("INSERT INTO words(words) VALUES('optimize')")  # until then it holds what was deleted
        self.db.executescript("PRAGMA incremental_vacuum")  # `execute` would free one page
        self.db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        return count

    def unname(self, where: str) -> None:
        """Takes the names of project, session and branch out of where reading goes on; its next record tells them."""
        for source, told in self.db.execute(f"SELECT id, told FROM sources WHERE {where}").fetchall():
            kept = {name: value for name, value in json.loads(told).items() if name not in NAMING}
            self.db.execute("UPDATE sources SET told = ? WHERE id = ?", (json.dumps(kept), source))

    def retain(self, days: int, megabytes: int) -> None:
        """Removes turns older than so many days; while the archive is larger than allowed, its oldest tenth."""
        before = time.time() - 86_400 * days
        while True:
            if self.value("SELECT 1 FROM turns WHERE time < ?", (before,)):
                self.remove("time < ?", (before,), may_return=True)
            pages = self.value("PRAGMA page_count") - self.value("PRAGMA freelist_count")
            if pages * self.value("PRAGMA page_size") <= megabytes << 20 or before is None:
                return
            tenth = self.value("SELECT count(*) FROM turns") // 10
            before = self.value("SELECT time + 1 FROM turns ORDER BY time LIMIT 1 OFFSET ?", (tenth,))

    # what a search asks of it

    def rows_with(self, match: str, most: int) -> int:
        """In how many rows this stands, counted up to `most`."""
        return int(self.value("SELECT count(*) FROM (SELECT 1 FROM words WHERE words MATCH ? LIMIT ?)", (match, most)))

    def known_of(self, words: Iterable[str]) -> list[str]:
        """Those of the words that the archive has, the commonest first."""
        asked = [*words][:900]  # a query takes 999 values in older SQLites
        known = self.db.execute(f"SELECT word FROM vocabulary WHERE word IN (?{', ?' * (len(asked) - 1)})", asked)
        return sorted((row[0] for row in known), key=lambda word: -self.rows_with(f'"{word}"', MOST_ROWS))

    def beginning(self, begin: str) -> list[str]:
        """The shortest words of the archive that begin so."""
        return [row[0] for row in self.db.execute(
            "SELECT word FROM (SELECT word FROM vocabulary WHERE word >= ? AND word < ? LIMIT 5000) "
            "ORDER BY length(word) LIMIT ?", (begin, f"{begin}\U0010ffff", BEGINNING))]

    def select(self, match: str, order: str, asked: Record) -> dict[int, float]:
        """The ids of the first rows that match, in this order, with their BM25; 1 where that is not the order."""
        where, values = filters(asked)
        rows = self.db.execute(
            f"SELECT words.rowid, {BM25 if order == BM25 else -1} FROM words "
            f"{'JOIN turns ON turns.id = words.rowid' if values else ''} "
            f"WHERE words MATCH ? AND {where} ORDER BY {order} LIMIT {BEST}", (match, *values))
        return {number: -score for number, score in rows}

    def rows(self, where: str, values: Sequence[Any] = ()) -> list[Record]:
        """The turns, in the order of their time."""
        names = ", ".join(("id", *COLUMNS))
        found = self.db.execute(f"SELECT {names} FROM turns WHERE {where} ORDER BY time, start", values)
        return [dict(row) for row in found]

    # what the commands ask of it, as of a server

    def find(self, asked: Record) -> list[Record]:
        """The best turns for a question with its filters, best first, each with its `score`."""
        return find(self, asked) if self.has_index else find_slowly(self, asked)

    def around(self, number: int, context: int) -> list[Record]:
        """All parts of the turn, and of as many turns of its session on either side."""
        here = self.db.execute("SELECT source, turn FROM turns WHERE id = ?", (number,)).fetchone()
        if not here:
            return []
        turns = [row[0] for row in self.db.execute(
            "SELECT DISTINCT turn FROM turns WHERE source = ? ORDER BY turn", (here["source"],))]
        at = turns.index(here["turn"])
        near = turns[max(at - context, 0):at + context + 1]
        return self.rows("source = ? AND turn BETWEEN ? AND ?", (here["source"], near[0], near[-1]))

    def count(self, told: Record) -> int:
        """How many turns the filters name."""
        where, values = filters(told)
        return int(self.value(f"SELECT count(*) FROM turns WHERE {where}", values))

    def forget(self, told: Record) -> int:
        """Removes the turns that the filters name; how many."""
        return self.remove(*filters(told))

    def figures(self) -> Record:
        """What the archive holds, each with its name."""
        first, last = self.db.execute("SELECT min(time), max(time) FROM turns").fetchone()
        kinds = dict(map(tuple, self.db.execute("SELECT who, count(*) FROM turns GROUP BY who")))
        return {"archive": self.path, "turns": sum(kinds.values()), "summaries": kinds.get("summary", 0),
                "subagents": kinds.get("subagent", 0), "first": first, "last": last,
                "sessions": self.value("SELECT count(DISTINCT session) FROM turns"),
                "projects": self.value("SELECT count(DISTINCT project) FROM turns"),
                "bytes": os.path.getsize(self.path), "search": "FTS5" if self.has_index else "LIKE"}


# --- search: what is asked, and the best rows for it ---
STOP_WORDS = frozenset(map(stem, (
    "a about an and any are as at be been by can could did do does for from had has have how i in into is it its let "
    "me my of on or our out please should so that the their them then there these they this to us was we were what "
    "when where which who why will with would you your").split()))
MOST_ASKED, MOST_TERMS, BEGINNING = 10_000, 40, 12  # characters of a question; terms of it that count; of a prefix
# Rows that BM25 looks at, 1 to 3 µs each: a word that stands in more only tells among the best of the others. With 50
# for the 658 turns of the bench its mean reciprocal rank falls from 0.92 to 0.89.
MOST_ROWS = 2_000
BEST = 40  # rows that are weighed once more
CLOSE = 4  # how much a score gains, times the square of the question's share that one sentence of the turn holds
SENTENCE_END = re.compile(r"[.?!] |\n")
LETTERS = "abcdefghijklmnopqrstuvwxyz"
NO_TEXT = re.compile("[\0\ud800-\udfff]")  # neither SQLite nor PostgreSQL takes NUL or halves of surrogate pairs
NEW, FRESH = 0.15, 30 * 86_400  # what newness adds to a score at most; seconds in which that falls to a third
OF_A_SUMMARY = 0.4  # of its score: it repeats what turns say themselves
BM25, NEWEST = f"bm25(words, {WEIGHTS})", "words.rowid DESC"


def question(text: str) -> Record:
    """What is asked: `terms` that count and those that `must` occur, as phrases of FTS5; `typed` words by their term.

    Refused when there is nothing to look for.
    """
    if len(text) > MOST_ASKED:
        raise Refusal(f"a question of {len(text):,} characters; {MOST_ASKED:,} is the most: name its telling words")
    text = unicodedata.normalize("NFC", text)
    must = [f'"{" ".join(parts)}"' for part in re.findall(r'"([^"]*)"', text) if (parts := parts_of(part))]
    words = re.sub(r'"[^"]*"', " ", text).split()
    terms = [term for word in words for term in terms_of(word)]
    telling = [term for term in terms if term.strip('"') not in STOP_WORDS] or ([] if must else terms)
    if not telling and not must:
        raise Refusal("nothing to look for: name a word, a path or a command of what was said or done")
    typed = {f'"{stem(name.lower())}"': name.lower() for word in words for name in NAME.findall(word) if name.isalpha()}
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


def find(archive: Archive, asked: Record) -> list[Record]:
    """The best turns for a question: by BM25 of its rare words, weighed once more with all of them.

    Where something must occur, or all words stand everywhere, the newest are weighed.
    """
    column = f"{asked['kind']} : " if asked["kind"] else ""
    counts = {term: count for term in spelled(archive, asked)
              if (count := archive.rows_with(f"{column}{term}", MOST_ROWS + 1))}
    rare, common = by_rarity(counts)
    must, either = " AND ".join(asked["must"]), " OR ".join(rare or common)
    if must:
        found = archive.select(f"{column}({must})", NEWEST, asked)
        if len(found) == BEST and either:  # there may be more: those with a word that was asked for besides
            found.update(archive.select(f"{column}(({must}) AND ({either}))", NEWEST, asked))
    elif rare:
        found = archive.select(f"{column}({either})", BM25, asked)
    else:
        matches = (f"{column}({match})" for match in (" AND ".join(common), *common[:1]) if match)
        found = next(filter(None, (archive.select(match, NEWEST, asked) for match in matches)), {})
    worth = worth_of(archive.value("SELECT max(id) FROM turns") or 0, asked, counts)
    return weighed(archive.rows(f"id IN ({numbers(found)})"), found, worth, asked["kind"] or "")


def by_rarity(counts: dict[str, int]) -> tuple[list[str], list[str]]:
    """Of terms that stand in so many rows the rarest, as many as BM25 is to look at, and the others."""
    known = sorted(counts, key=lambda term: counts[term])
    so_far = accumulate(counts[term] for term in known)
    rare = [term for term, rows in zip(known, so_far) if rows <= MOST_ROWS]
    return rare, known[len(rare):]


def worth_of(rows: int, asked: Record, counts: dict[str, int]) -> dict[str, float]:
    """What each word that was asked for is worth, of so many rows in all; 1 for words that must occur anyway."""
    needed = {word: 1.0 for phrase in asked["must"] for word in phrase.strip('"').split()}
    return {**needed, **{term.strip('"'): math.log(1 + rows / count) for term, count in counts.items()}}


def numbers(ids: Iterable[int]) -> str:
    """The ids as SQL takes them."""
    return ", ".join(map(str, ids))


def spelled(archive: Archive, asked: Record) -> Iterator[str]:
    """The terms; the words that begin so for a prefix; for a word that no turn has, those that are one slip away."""
    for term in asked["terms"]:
        word = asked["typed"].get(term, "")
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
    now, found = time.time(), []
    for row in rows:
        newness = 1 + NEW * math.exp(-max(now - row["time"], 0) / FRESH)
        share, closest = closeness(row, worth, [kind] if kind else KINDS[:-1])  # decisions stand in the others too
        factor = newness * (OF_A_SUMMARY if row["who"] == "summary" else 1)
        score = scores[row["id"]] * (1 + CLOSE * share ** 2) + share  # in a few turns all words are common: BM25 is 0
        found.append({**row, "score": score * factor, "closest": {**closest, "share": share}})
    best = sorted(found, key=lambda row: (-row["score"], -row["time"]))
    return [{**row, "score": round(row["score"], 2)} for row in best]


def closeness(row: Record, worth: dict[str, float], kinds: Sequence[str]) -> tuple[float, Record]:
    """The share of what was asked, by worth, in the sentence that holds most of it; and which that is.

    Told of the sentence: its kind, where it begins and ends, where its first word that was asked for stands.
    """
    best, closest = 0.0, ""
    its_kind = next(filter(row.get, kinds), kinds[0])
    for kind in kinds:
        text = row[kind].lower()
        there = [(word, value) for word, value in worth.items() if word in text]
        for sentence in SENTENCE_END.split(text) if sum(value for _, value in there) > best else ():
            held = sum(value for word, value in there if word in sentence)
            if held > best:
                best, closest, its_kind = held, sentence, kind
    begin = row[its_kind].lower().find(closest)
    word = begin + min((closest.find(word) for word in worth if word in closest), default=0)
    end = begin + len(closest) + (row[its_kind][begin + len(closest):][:1] in (".", "?", "!"))
    return best / (sum(worth.values()) or 1), {"kind": its_kind, "begin": begin, "end": end, "word": word}


def find_slowly(archive: Archive, asked: Record) -> list[Record]:
    """The same without FTS5: every turn is read, the words are looked for as they stand, and counted."""
    words = [re.sub(r"[\\%_]", r"\\\g<0>", term.strip('"*')).replace(" ", "%")
             for term in [*asked["must"], *asked["terms"]]]
    text = " || ' ' || ".join([asked["kind"]] if asked["kind"] else KINDS)
    held = [f"({text} LIKE '%' || ? || '%' ESCAPE '\\')" for _ in words]
    where, values = filters(asked)
    must = len(asked["must"])
    found = archive.db.execute(
        f"SELECT id, {' + '.join(held)} AS score FROM turns WHERE {' AND '.join([where, *held[:must]])} AND score > 0 "
        f"ORDER BY score DESC, time DESC LIMIT {BEST}", (*words, *values, *words[:must]))
    scores = dict(map(tuple, found))
    worth = dict.fromkeys((term.strip('"*') for term in asked["terms"]), 1.0)
    return weighed(archive.rows(f"id IN ({numbers(scores)})"), scores, worth, asked["kind"] or "")


def filters(asked: Record) -> tuple[str, list[Any]]:
    """The condition for the turns' rows that the filters set, and its values."""
    found: list[tuple[str, list[Any]]] = [("1", [])]
    if project := asked.get("project"):
        folder, end = os.path.realpath(project).rstrip("/"), project.rstrip("/")
        found.append(("(project = ? OR substr(project, 1, ?) = ? OR substr(project, -?) = ?)",
                      [folder, len(folder) + 1, f"{folder}/", len(end) + 1, f"/{end}"]))
    if session := asked.get("session"):
        found.append(("substr(session, 1, ?) = ?", [len(session), session]))
    found += [(f"time {sign} ?", [asked[name]]) for name, sign in (("since", ">="), ("until", "<")) if asked.get(name)]
    if match := asked.get("match"):
        found.append((f"instr(lower({' || char(10) || '.join(KINDS)}), lower(?))", [match]))
    return " AND ".join(one for one, _ in found), [value for _, values in found for value in values]


def main() -> int:
    """0 when the words of the text on stdin were printed as the index holds them."""
    print(indexed(sys.stdin.read()))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
