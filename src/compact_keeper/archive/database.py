"""archive.db, the archive of this machine: a row for each turn of all sessions, and a full-text index beside them.

A long turn has several rows, so that a row is short enough to be ranked by its words; its steps are told apart by their
lengths, and counted from `first` on. Rows of version 0.6.0 have no `first`: a transcript of that time is read anew, and
of it the turns that the archive has are stored again, with all that is kept now; what was forgotten stays away.
The same turn is stored once, by the hash of its content. The index (FTS5) holds words only, no texts. Several processes
may read and write it at once (WAL; a writer waits for its turn). What is removed is overwritten in the file too.
"""

from __future__ import annotations

import json
import os
import re
import sqlite3
import sys
import time
from collections.abc import Iterable, Sequence
from typing import Any

from compact_keeper.archive.index_words import indexed
from compact_keeper.archive.kinds import KINDS, NAMING
from compact_keeper.archive.question import condition_of, row_numbers
from compact_keeper.store.folder import ARCHIVE_FILE, NO_LINK, data_home, open_regular, private_folder, why_not_writable
from compact_keeper.store.refusal import Refusal
from compact_keeper.text.named_secrets import all_without_marked, marks_with, without_marked
from compact_keeper.types import JsonObject

WRITE_WAIT_SECONDS = 30  # that one process waits for another's write
ARCHIVE_MIGRATIONS = ("""
CREATE TABLE sources(id INTEGER PRIMARY KEY, name TEXT UNIQUE, inode INTEGER, size INTEGER, offset INTEGER, told TEXT);
CREATE TABLE turns(id INTEGER PRIMARY KEY, time REAL, project TEXT, session TEXT, branch TEXT, cycle INTEGER, who TEXT,
    source INTEGER, turn INTEGER, start INTEGER, hash TEXT UNIQUE, pushed INTEGER DEFAULT 0, indexed INTEGER DEFAULT 0,
    prompt TEXT, answer TEXT, command TEXT, file TEXT, error TEXT, decision TEXT, steps TEXT, UNIQUE(source, start));
CREATE INDEX turns_by_session ON turns(session, time);
CREATE INDEX turns_by_time ON turns(time);
CREATE INDEX turns_not_indexed ON turns(id) WHERE NOT indexed;
CREATE INDEX turns_not_pushed ON turns(id) WHERE NOT pushed;
CREATE TABLE vocabulary(word TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE forgotten(mark TEXT PRIMARY KEY) WITHOUT ROWID""", """
ALTER TABLE turns ADD COLUMN first INTEGER;
ALTER TABLE sources ADD COLUMN format INTEGER DEFAULT 1""")
INDEX = f"CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5({', '.join(KINDS)}, content='', tokenize='ascii')"
ORIGIN = ("time", "project", "session", "branch", "cycle", "who", "source", "turn", "start", "hash", "first")
COLUMNS = (*ORIGIN, *KINDS, "steps")
FORMAT, NOT_THERE = 2, 0  # of what is kept of a transcript: one below FORMAT is read anew, once it is there
# To count FORMAT up, `store` and `store_turn` have to tell the rows of format 2: those of 1 have no `first`.
OLD = f"format > {NOT_THERE} AND format < ?"  # of sources, which are looked for
REMOVED_TOGETHER = 1_000  # rows; so long other writers wait at most


def digest(text: str) -> str:
    """What stands for a text where two are compared; the text cannot be read from it."""
    from hashlib import blake2b
    return blake2b(text.encode("utf-8", "replace"), digest_size=12).hexdigest()


def content_mark(turn: JsonObject) -> str:
    """What stands for the content of a turn, which is stored once."""
    return digest("\0".join([turn["stamp"], *(turn[kind] for kind in KINDS[:-1])]))


def words_of_rows(rows: Iterable[tuple[Any, ...]]) -> set[str]:
    """The words of rows, each an id and the texts of a turn as they are indexed."""
    return {*" ".join([text for row in rows for text in row[1:]]).split()}


def matches(text: str, pattern: str) -> bool:
    """Whether a text holds what matches the pattern, in small letters of ASCII or large ones."""
    return bool(re.search(pattern, text, re.ASCII | re.IGNORECASE))


class Database:
    """The archive's file: made, brought up to date, filled and emptied. What is asked of it: see Archive."""

    def __init__(self, wait: float = WRITE_WAIT_SECONDS, is_made: bool = True) -> None:
        """`wait`: seconds that another process's write is waited for; `is_made`: whether it is, where there is none.

        Else, what only looks finds an empty one, and nothing is on disk that was not.
        """
        self.path = os.path.join(data_home(), ARCHIVE_FILE)
        self.is_kept = is_made or os.path.lexists(self.path)
        if not self.is_kept and (fault := why_not_writable(os.path.dirname(self.path))):
            raise Refusal(f"there is no archive, and none can be made: {fault}")
        if self.is_kept:
            private_folder()
            os.close(open_regular(self.path, os.O_RDWR | os.O_CREAT | NO_LINK))  # private before SQLite fills it
        self.db = sqlite3.connect(self.path if self.is_kept else ":memory:", timeout=wait, isolation_level=None)
        self.db.row_factory = sqlite3.Row
        self.db.create_function("matches", 2, matches)
        self.known: set[str] = set()  # words that the vocabulary has
        try:
            if self.value("PRAGMA user_version") < len(ARCHIVE_MIGRATIONS):
                self.migrate(time.monotonic() + wait)
            version = self.value("PRAGMA user_version")
        except sqlite3.DatabaseError as fault:
            raise Refusal(f"{self.path}: {fault}") from None
        if version != len(ARCHIVE_MIGRATIONS):
            raise Refusal(f"{self.path} has version {version}, not {len(ARCHIVE_MIGRATIONS)}, and is left alone")
        for setting in ("synchronous = NORMAL", "secure_delete = ON"):  # no mmap, no larger cache: faults cost 5 ms
            self.db.execute(f"PRAGMA {setting}")
        try:
            self.db.execute(INDEX)
        except sqlite3.OperationalError as fault:
            if "no such module" not in str(fault):
                raise
            raise Refusal(f"the SQLite of {sys.executable} has no full-text search (FTS5), which the archive needs; "
                          "start recall.py with another Python") from None
        if self.value("SELECT 1 FROM turns WHERE NOT indexed"):  # stored by version 0.6.0 with a Python without FTS5
            with self.writing():
                self.index_words()

    def value(self, query: str, values: Sequence[Any] = ()) -> Any:
        """The first value of the query's first row; None without one."""
        row = self.db.execute(query, values).fetchone()
        return row[0] if row else None

    def rows_with(self, match: str, most: int) -> int:
        """In how many rows this stands, counted up to `most`."""
        return int(self.value("SELECT count(*) FROM (SELECT 1 FROM words WHERE words MATCH ? LIMIT ?)", (match, most)))

    def migrate(self, until: float) -> None:
        """Makes the tables, or what they lack; of several that come at once the first does, the others wait for it."""
        while self.is_kept and self.value("PRAGMA journal_mode") != "wal":
            try:
                self.db.execute("PRAGMA auto_vacuum = INCREMENTAL")
                self.db.execute("PRAGMA journal_mode = WAL")
            except sqlite3.OperationalError:  # this change alone does not wait by itself
                if time.monotonic() > until:
                    raise
                time.sleep(0.05)
        with self.writing():
            for step in ARCHIVE_MIGRATIONS[self.value("PRAGMA user_version"):]:
                for statement in step.split(";\n"):
                    self.db.execute(statement)
            self.db.execute(f"PRAGMA user_version = {len(ARCHIVE_MIGRATIONS)}")

    def writing(self) -> sqlite3.Connection:
        """A transaction for `with`, begun: it waits for its turn now, not in its middle."""
        self.db.execute("BEGIN IMMEDIATE")
        return self.db

    # what comes in

    def source(self, path: str, about: os.stat_result) -> JsonObject:
        """How far the transcript was read; from its beginning when it is another file than last time."""
        name = digest(path)  # a forgotten project leaves no name behind
        row = self.db.execute("SELECT * FROM sources WHERE name = ?", (name,)).fetchone()
        if row and row["inode"] == about.st_ino and row["offset"] <= about.st_size:
            return {"id": row["id"], "size": row["size"], "offset": row["offset"], "state": json.loads(row["told"]),
                    "is_old": row["format"] < FORMAT}
        with self.writing():
            self.db.execute("UPDATE sources SET name = NULL WHERE name = ?", (name,))
            made = self.db.execute("INSERT INTO sources(name, inode, size, offset, told, format) "
                                   "VALUES(?, ?, -1, 0, '{}', ?)", (name, about.st_ino, FORMAT))
        return {"id": made.lastrowid, "size": -1, "offset": 0, "state": {}, "is_old": False}

    def turns_kept(self, source: int, offset: int) -> set[int] | None:
        """Of a transcript the turns, by the byte where they begin, that the archive has and nothing was forgotten of.

        None where nothing of it was read, up to `offset`. Of a part that was forgotten it is known only where it began:
        the turn is taken that began last before it.
        """
        turns = [row[0] for row in self.db.execute(
            "SELECT DISTINCT turn FROM turns WHERE source = ? ORDER BY turn", (source,))]
        begins = f"({source}, "
        forgotten = [int(mark[len(begins):-1]) for mark, in self.db.execute(
            "SELECT mark FROM forgotten WHERE substr(mark, 1, ?) = ?", (len(begins), begins))]
        if not (turns or forgotten or offset):
            return None
        return {*turns} - {max((turn for turn in turns if turn <= start), default=-1) for start in forgotten}

    def has_old(self) -> bool:
        """Whether transcripts are left that were taken in by an older version."""
        return bool(self.value(f"SELECT 1 FROM sources WHERE {OLD} AND name NOTNULL LIMIT 1", (FORMAT,)))

    def is_old(self, path: str) -> bool:
        """Whether an older version took the transcript in."""
        return bool(self.value("SELECT 1 FROM sources WHERE name = ? AND format < ?", (digest(path), FORMAT)))

    def leave_old(self) -> None:
        """The transcripts that are left are not looked for again: those that are there have been read anew."""
        with self.writing():
            self.db.execute(f"UPDATE sources SET format = {NOT_THERE} WHERE {OLD}", (FORMAT,))

    def store(self, source: int, turns: Sequence[JsonObject], size: int, offset: int, state: JsonObject) -> int:
        """Writes the turns and how far the source was read, together; returns how many rows are new or have grown.

        `state` is that of the session at the offset, the column `told`; a `size` of -1: more is to come. With the last
        of a transcript that was read anew, the older parts of these turns give up their texts, which the new ones hold:
        they keep their ids, by which their turn is still found.
        """
        known = state.get("named", [])
        marks = marks_with(known)
        with self.writing():
            if marks != known:
                self.hide(source, marks)
                state = {**state, "named": marks}
            count = sum(self.store_turn({**all_without_marked(turn, marks), "source": source}) for turn in turns)
            self.index_words()
            is_old = self.value("SELECT format < ? FROM sources WHERE id = ?", (FORMAT, source)) and size >= 0
            if is_old:
                replaced = ("source = ? AND first IS NULL AND steps <> '[]' "
                            "AND turn IN (SELECT turn FROM turns WHERE source = ? AND first NOTNULL)")
                self.unindex(replaced, (source, source))
                self.db.execute(f"UPDATE turns SET {' = char(), '.join(KINDS)} = char(), steps = '[]', pushed = 0 "
                                f"WHERE {replaced}", (source, source))
            self.db.execute("UPDATE sources SET size = ?, offset = ?, told = ?, format = max(format, ?) "
                            "WHERE id = ? AND (offset <= ? OR ?)",
                            (size, offset, json.dumps(state), FORMAT if is_old else 0, source, offset, is_old))
        return count

    def hide(self, source: int, marks: Sequence[str]) -> None:
        """Hides what has one of the marks in the rows of a transcript that are there already; the index has them anew.

        What is hidden may stay in the file of the index until SQLite puts its parts together; no search shows it.
        """
        rows = self.db.execute(f"SELECT id, {', '.join(KINDS)} FROM turns WHERE source = ?", (source,)).fetchall()
        for number, *texts in rows:
            hidden = [without_marked(text, marks) for text in texts]
            if hidden != texts:
                words = self.unindex("id = ?", (number,))
                self.db.execute(f"UPDATE turns SET {' = ?, '.join(KINDS)} = ?, indexed = 0, pushed = 0 WHERE id = ?",
                                (*hidden, number))
                gone = words - words_of_rows(self.rows_to_index("id = ?", (number,)))
                self.forget_unused(gone)

    def forget_unused(self, words: Iterable[str]) -> None:
        """Takes those of the words out of the vocabulary that no row holds any more."""
        unused = [word for word in words if not self.rows_with(f'"{word}"', 1)]
        self.db.executemany("DELETE FROM vocabulary WHERE word = ?", [(word,) for word in unused])
        self.known -= {*unused}

    def store_turn(self, turn: JsonObject) -> bool:
        """Writes a turn unless it is there or was forgotten; one that has grown keeps its id."""
        turn["hash"] = content_mark(turn)
        key = (turn["source"], turn["start"])
        if self.value("SELECT 1 FROM turns WHERE hash = ?", (turn["hash"],)):
            self.db.execute("UPDATE turns SET first = ?, steps = ?, pushed = 0 "  # an old row of which no more is known
                            "WHERE hash = ? AND source = ? AND start = ? AND first IS NULL",
                            (turn["first"], turn["steps"], turn["hash"], *key))
            return False
        if self.value("SELECT 1 FROM forgotten WHERE mark IN (?, ?)", (turn["hash"], f"{key}")):
            return False
        old = self.value("SELECT id FROM turns WHERE source = ? AND start = ?", key)
        self.unindex("id = ?", (old,))
        self.db.execute(f"REPLACE INTO turns(id, {', '.join(COLUMNS)}) VALUES(?{', ?' * len(COLUMNS)})",
                        (old, *(turn[name] for name in COLUMNS)))
        return True

    def index_words(self) -> None:
        """Puts into the index what is not in it yet."""
        rows = self.rows_to_index("NOT indexed", ())
        self.db.executemany(f"INSERT INTO words(rowid, {', '.join(KINDS)}) VALUES(?{', ?' * len(KINDS)})", rows)
        new = words_of_rows(rows) - self.known
        self.db.executemany("INSERT OR IGNORE INTO vocabulary VALUES(?)", [(word,) for word in new])
        self.known |= new
        self.db.executemany("UPDATE turns SET indexed = 1 WHERE id = ?", [row[:1] for row in rows])

    def rows_to_index(self, where: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
        """The rows' ids and texts, as they are indexed."""
        rows = self.db.execute(f"SELECT id, {', '.join(KINDS)} FROM turns WHERE {where}", values)
        return [(number, *map(indexed, texts)) for number, *texts in rows]

    def unindex(self, where: str, values: Sequence[Any]) -> set[str]:
        """Takes the rows out of the index, which keeps no texts and so is given their words once more; the words."""
        rows = self.rows_to_index(f"indexed AND {where}", values)
        if rows:
            self.db.executemany(f"INSERT INTO words(words, rowid, {', '.join(KINDS)}) "
                                f"VALUES('delete', ?{', ?' * len(KINDS)})", rows)
        return words_of_rows(rows)

    # what goes out

    def remove(self, where: str, values: Sequence[Any], may_return: bool = False) -> int:
        """Removes the turns for good, from rows, index and vocabulary; no page of the file keeps them."""
        count, gone = 0, set()
        query = f"SELECT id FROM turns WHERE {where} LIMIT {REMOVED_TOGETHER}"
        while ids := [row[0] for row in self.db.execute(query, values)]:
            these = f"id IN ({row_numbers(ids)})"
            with self.writing():
                if not may_return:
                    self.db.execute(f"INSERT OR IGNORE INTO forgotten SELECT hash FROM turns WHERE {these} UNION ALL "
                                    f"SELECT '(' || source || ', ' || start || ')' FROM turns WHERE {these}")
                    self.unname(f"id IN (SELECT source FROM turns WHERE {these})")
                gone |= self.unindex(these, ())
                count += self.db.execute(f"DELETE FROM turns WHERE {these}").rowcount
        if gone:
            with self.writing():
                self.forget_unused(gone)
                self.db.execute("INSERT INTO words(words) VALUES('optimize')")  # until then it holds what was deleted
        self.db.executescript("PRAGMA incremental_vacuum")  # `execute` would free one page
        self.db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        return count

    def unname(self, where: str) -> None:
        """Takes the names of project, session and branch out of where reading goes on; its next record has them."""
        for source, state in self.db.execute(f"SELECT id, told FROM sources WHERE {where}").fetchall():
            kept = {name: value for name, value in json.loads(state).items() if name not in NAMING}
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

    def forget(self, filters: JsonObject) -> int:
        """Removes the turns that the filters name; how many."""
        return self.remove(*condition_of(filters))
