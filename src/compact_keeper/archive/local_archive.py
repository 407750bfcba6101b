"""The archive of this machine as it is asked: the rows that answer a question, and what the commands show.

A search ranks 2,000 rows at most, and of words that all stand everywhere reads the newest 100,000, so one in a million
turns takes about as long as one in ten thousand.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from compact_keeper.archive.database import COLUMNS, WRITE_WAIT_SECONDS, Database
from compact_keeper.archive.question import (
    BEGINNING,
    BEST,
    BM25,
    MOST_COMMON,
    MOST_ROWS,
    NEAR_WORDS,
    condition_of,
    find_passages,
    row_numbers,
)
from compact_keeper.store.disk import size_of
from compact_keeper.types import JsonObject

NARROW_ROWS = 20_000  # of a session or between two times: they are listed in 5 ms
# Of words that all stand everywhere the newest rows that are read: first so many, which have enough for most questions;
# 100,000 take 10 ms for three words, and are what an archive of the default 1 GB holds.
NEAR_ROWS, READ_ROWS = 10_000, 100_000
NEAR_READ_ROWS = 30_000  # that are read for words that stand close together, which takes 4 ms
LOOKED_UP, LOOKED_UP_TOGETHER = 10_000, 200  # rows that are looked up for a filter, at most; 2 to 10 µs each
VALUES_MAX = 900  # that are given to a query: older SQLites take 999


def of_kind(kind: str | None, match: str) -> str:
    """What FTS5 is to find in the texts of this kind alone, or in all."""
    return f"{kind} : {match}" if kind else match


def match_of(groups: Sequence[Sequence[str]], kind: str | None) -> str:
    """What FTS5 is to find for rows that hold a term of each group."""
    return of_kind(kind, f"({' AND '.join(f'({any_of})' for any_of in map(' OR '.join, groups))})")


def single_words(term: str) -> list[str]:
    """The words of a term, each as FTS5 takes it; the term itself where its last word only begins so."""
    return [term] if term.endswith("*") else [f'"{word}"' for word in term.strip('"').split()]


class Archive(Database):
    """The archive of this machine."""

    def __init__(self, wait: float = WRITE_WAIT_SECONDS, is_made: bool = True) -> None:
        """As its file: see Database."""
        super().__init__(wait, is_made)
        self.reaches: dict[tuple[str, int], int] = {}  # of the search in hand, what `newest_within` has said
        self.counted: Mapping[str, int] = {}  # terms of the last search that stand somewhere
        self.cut_at = 0.0  # the time before which the last search looked at nothing; 0 where it looked at all

    # what a search asks of it

    def rows_in_all(self) -> int:
        """How many rows there are, about: removed ones count."""
        return self.value("SELECT max(id) FROM turns") or 0

    def counts(self, terms: Sequence[str], kind: str | None, most: int) -> list[int]:
        """In how many rows each of the terms stands, in this kind or in any, counted up to `most`."""
        return [self.rows_with(of_kind(kind, term), most) for term in terms]

    def known_of(self, words: Iterable[str]) -> list[str]:
        """Those of the words that the archive has, the commonest first."""
        first = [*words][:VALUES_MAX]
        known = self.db.execute(f"SELECT word FROM vocabulary WHERE word IN (?{', ?' * (len(first) - 1)})", first)
        return sorted((row[0] for row in known), key=lambda word: -self.rows_with(f'"{word}"', MOST_ROWS))

    def beginning(self, begin: str) -> list[str]:
        """The shortest words of the archive that begin so."""
        return [row[0] for row in self.db.execute(
            "SELECT word FROM (SELECT word FROM vocabulary WHERE word >= ? AND word < ? LIMIT 5000) "
            "ORDER BY length(word) LIMIT ?", (begin, f"{begin}\U0010ffff", BEGINNING))]

    def newest_within(self, match: str, top: int) -> int:
        """In how many rows up to the `top` this stands in more than BM25 looks at; all where it stands in fewer."""
        if (match, top) not in self.reaches:
            count, last = self.db.execute(
                "SELECT count(*), min(rowid) FROM (SELECT rowid FROM words WHERE words MATCH ? AND rowid <= ? "
                f"ORDER BY rowid DESC LIMIT {MOST_ROWS + 1})", (match, top)).fetchone()
            self.reaches[match, top] = int(top - last + 1) if count > MOST_ROWS else top
        return self.reaches[match, top]

    def ranked(self, rare: Sequence[str], common: Mapping[str, float], search: JsonObject) -> list[int]:
        """The ids of the best rows with a rare term by BM25, and by what those gain that hold a common one too.

        Of equals the newest.
        """
        first, last = self.bounds(search)
        scores = dict(map(tuple, self.db.execute(
            f"SELECT rowid, -{BM25} FROM words WHERE words MATCH ? AND rowid BETWEEN ? AND ?",
            (match_of([rare], search["kind"]), first, last))))
        for term, gain in common.items() if len(scores) > BEST else ():
            match = match_of([rare, [term]], search["kind"])
            for row, in self.db.execute("SELECT rowid FROM words WHERE words MATCH ?", (match,)):
                if row in scores:
                    scores[row] += gain
        best_first = sorted(scores, key=lambda row: (-scores[row], -row))
        return self.filtered(best_first, search, len(best_first))[0]

    def newest(self, groups: Sequence[Sequence[str]], search: JsonObject) -> list[int]:
        """The ids of the newest rows that hold a term of each group, newest first.

        Where all of these stand everywhere, READ_ROWS of the newest rows are read at most, or as many as hold the
        rarest word of them MOST_ROWS times, and of those that match LOOKED_UP are looked up for a filter; `cut_at` is
        then the time before which nothing was looked at.
        """
        kind, bounds = search["kind"], self.bounds(search)
        words = [word for group in groups if len(group) == 1 for word in single_words(group[0])]
        depths = self.depths([of_kind(kind, word) for word in dict.fromkeys(words[:MOST_COMMON])], bounds[1])
        ids, low = self.newest_matching(match_of(groups, kind), depths, bounds, search)
        if low:
            reached = self.value("SELECT time FROM turns WHERE id > ? ORDER BY id LIMIT 1", (low,))
            self.cut_at = max(self.cut_at, reached or 0.0)
        return ids

    def depths(self, matches: Sequence[str], top: int) -> Iterator[int]:
        """How many of the newest rows up to the `top` are read for what all has to stand in them: at first, at most."""
        yield NEAR_ROWS
        yield max([READ_ROWS, *(self.newest_within(match, top) for match in matches)])

    def newest_near(self, terms: Sequence[str], search: JsonObject) -> list[int]:
        """The ids of rows in which all terms stand close together, newest first, of the newest NEAR_READ_ROWS."""
        near = of_kind(search["kind"], f"NEAR({' '.join(terms)}, {NEAR_WORDS})")
        return self.newest_matching(near, (NEAR_ROWS, NEAR_READ_ROWS), self.bounds(search), search)[0]

    def newest_matching(self, match: str, depths: Iterable[int], bounds: tuple[int, int],
                        search: JsonObject) -> tuple[list[int], int]:
        """The ids of the newest rows that match, newest first; the last id that was not looked at, 0 where all were.

        Of those between the bounds as many are read as the next of the `depths` says, while too few match. Read
        upwards, FTS5 begins at the lowest row that is asked for; read downwards it would go on to the archive's first,
        however few match.
        """
        (first, last), left = bounds, LOOKED_UP
        ids, low = list[int](), last
        for depth in depths:
            high, low = low, max(last - depth, first - 1)
            matching = [row[0] for row in self.db.execute(
                "SELECT rowid FROM words WHERE words MATCH ? AND rowid > ? AND rowid <= ?", (match, low, high))][::-1]
            more, looked_up = self.filtered(matching, search, left)
            ids += more
            left -= looked_up
            if len(ids) >= BEST or (low < first and looked_up == len(matching)):
                return ids[:BEST], 0
            if looked_up < len(matching):
                return ids, matching[looked_up]
        return ids, low

    def filtered(self, ids: Sequence[int], search: JsonObject, most: int) -> tuple[list[int], int]:
        """Of these rows the first that the filters let through, as many as are weighed; how many were looked up.

        At most so many are looked up.
        """
        where, values = condition_of(search)
        if not values:
            return [*ids[:BEST]], len(ids)
        kept, begin = list[int](), 0
        while begin < min(len(ids), most) and len(kept) < BEST:
            some = ids[begin:begin + LOOKED_UP_TOGETHER]
            there = {row[0] for row in self.db.execute(
                f"SELECT id FROM turns WHERE id IN ({row_numbers(some)}) AND {where}", values)}
            kept += [row for row in some if row in there]
            begin += len(some)
        return kept[:BEST], len(ids) if len(kept) >= BEST else begin

    def bounds(self, search: JsonObject) -> tuple[int, int]:
        """The ids between which the rows of the session and the times that are asked for lie; wide where they are many.

        Of what is older than a time, the newest rows say where to begin: most rows came in the order of their times.
        """
        top = self.rows_in_all()
        bounds = [(1, top)]
        times, values = condition_of({name: search.get(name) for name in ("since", "until")})
        ranges = [(times, values, "ORDER BY time DESC")] if values else []
        if session := search.get("session"):
            ranges.append(("session >= ? AND session < ?", [session, f"{session}\U0010ffff"], ""))
        for where, given, order in ranges:
            low, high, count = self.db.execute(
                "SELECT min(id), max(id), count(*) FROM "
                f"(SELECT id FROM turns WHERE {where} {order} LIMIT {NARROW_ROWS + 1})", given).fetchone()
            bounds.append((low if count <= NARROW_ROWS else 1, high if count <= NARROW_ROWS or order else top))
        return max(low or top for low, _ in bounds), min(high or 0 for _, high in bounds)

    def rows(self, where: str, values: Sequence[Any] = ()) -> list[JsonObject]:
        """The turns, in the order of their time."""
        names = ", ".join(("id", *COLUMNS))
        selected = self.db.execute(f"SELECT {names} FROM turns WHERE {where} ORDER BY time, start", values)
        return [dict(row) for row in selected]

    def rows_of(self, ids: Sequence[int]) -> list[JsonObject]:
        """The rows with these ids."""
        return self.rows(f"id IN ({row_numbers(ids)})")

    # what the commands ask of it, as of a server

    def find(self, search: JsonObject) -> list[JsonObject]:
        """The best passages for a question with its filters, best first, each with its `score`."""
        self.cut_at, self.reaches = 0.0, {}
        return find_passages(self, search)

    def around(self, number: int, context: int) -> list[JsonObject]:
        """All parts of the turn, and of as many turns of its session on either side."""
        here = self.db.execute("SELECT source, turn FROM turns WHERE id = ?", (number,)).fetchone()
        if not here:
            return []
        turns = [row[0] for row in self.db.execute(
            "SELECT DISTINCT turn FROM turns WHERE source = ? ORDER BY turn", (here["source"],))]
        at = turns.index(here["turn"])
        near = turns[max(at - context, 0):at + context + 1]
        return self.rows("source = ? AND turn BETWEEN ? AND ?", (here["source"], near[0], near[-1]))

    def with_steps(self, number: int, first: int, last: int) -> list[JsonObject]:
        """The rows of the turn's transcript that hold the steps from `first` to `last`, by their numbers."""
        source = "(SELECT source FROM turns WHERE id = ?)"
        begin = f"coalesce((SELECT max(first) FROM turns WHERE source = {source} AND first <= ?), 0)"
        return self.rows(f"source = {source} AND first BETWEEN {begin} AND ?", (number, number, first, last))

    def changing(self, number: int, heads: Sequence[str], most: int) -> list[JsonObject]:
        """The newest rows of the turn's transcript, from that one on, with one of these among the files."""
        here = "(SELECT {} FROM turns WHERE id = ?)"
        ids = [row[0] for row in self.db.execute(
            f"SELECT id FROM turns WHERE source = {here.format('source')} AND start >= {here.format('start')} "
            f"AND (instr(file, ?){' OR instr(file, ?)' * (len(heads) - 1)}) ORDER BY start DESC LIMIT ?",
            (number, number, *heads, most))]
        return self.rows_of(ids)

    def newest_of(self, session: str) -> int:
        """The newest row of a session's main thread; 0 without one."""
        return self.value("SELECT id FROM turns WHERE session = ? AND who = 'person' "
                          "ORDER BY time DESC, start DESC",
                          (session,)) or 0

    def tagged(self, session: str, tag: str) -> list[JsonObject]:
        """The rows of the session with a step of this tag; where it has none, those among the newest of all sessions.

        These are a session that goes on under another name, or of which the client does not say what it is called.
        """
        newest = f"id IN (SELECT id FROM turns ORDER BY time DESC LIMIT {MOST_ROWS}) AND ? <> ''"
        return next(filter(None, (self.rows(f"{where} AND instr(steps, ?)", (value, f'"{tag}"'))
                                  for where, value in (("session = ?", session), (newest, tag)))), [])

    def count(self, filters: JsonObject) -> int:
        """How many turns the filters name."""
        where, values = condition_of(filters)
        return int(self.value(f"SELECT count(*) FROM turns WHERE {where}", values))

    def named_by(self, filters: JsonObject, most: int) -> tuple[list[int], int]:
        """The numbers of the first turns that the filters name, so many at most, and how many steps all have."""
        where, values = condition_of(filters)
        numbers, steps = list[int](), 0
        for number, lengths in self.db.execute(f"SELECT id, steps FROM turns WHERE {where} ORDER BY id", values):
            numbers += [number] * (len(numbers) < most)
            steps += len(json.loads(lengths))
        return numbers, steps

    def figures(self) -> JsonObject:
        """What the archive holds, each with its name."""
        first, last = self.db.execute("SELECT min(time), max(time) FROM turns").fetchone()
        kinds = dict(map(tuple, self.db.execute("SELECT who, count(*) FROM turns GROUP BY who")))
        return {"archive": self.path, "turns": sum(kinds.values()), "summaries": kinds.get("summary", 0),
                "subagents": kinds.get("subagent", 0), "first": first, "last": last,
                "sessions": self.value("SELECT count(DISTINCT session) FROM turns"),
                "projects": self.value("SELECT count(DISTINCT project) FROM turns"),
                "bytes": size_of(self.path)}
