"""The archive of several machines on a PostgreSQL server: searched as this machine's is, and filled from it.

It is kept in the schema compact_keeper, which is made and brought up to date here; who may do what is for the server to
say. Each row has its host and person; a turn that the server has from another host is not stored once more. The words
are those of the archive here, the rows are chosen by the same steps (`find_passages`) and ranked by the same BM25, so
both find the same. To forget is to forget on the server, for all hosts, then here, and nothing where
the server is away; the tables are written anew, for which other sessions wait. What other hosts still hold of it does
not come back. The server's write-ahead log and backups are its own matter. psycopg 3 is imported here only; the
database is in UTF-8 (tested with PostgreSQL 15).
"""

from __future__ import annotations

import json
import math
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from typing import Any

from compact_keeper.archive.kinds import KINDS, WEIGHTS
from compact_keeper.archive.lexemes import kinds_of, lexeme, query_of, term_words, text_query, without_nul
from compact_keeper.archive.local_archive import Archive
from compact_keeper.archive.question import BEGINNING, MOST_ROWS, NO_TEXT, find_passages, words_and_pattern
from compact_keeper.archive.server_queries import (
    AROUND_SQL,
    CHANGING_SQL,
    COUNTED_SQL,
    FIGURES_SQL,
    FILTERED_SQL,
    FORGET_SQL,
    MIGRATIONS,
    NAMED_SQL,
    NEAR_SQL,
    NEWEST_ROW_SQL,
    NEWEST_SQL,
    PUT_SQL,
    RANKED_SQL,
    ROWS_SQL,
    STEPS_SQL,
    TAGGED_SQL,
)
from compact_keeper.store.refusal import Refusal
from compact_keeper.types import JsonObject

SERVER_VARIABLE = "COMPACT_KEEPER_ARCHIVE"  # names the PostgreSQL server that is searched instead of the archive here
# One @ at most, ports are numbers: libpq would take the rest of an odd password for a host or port, and tell it.
ADDRESS = (r"postgres(?:ql)?://(?:[^\s:/?#@]*(?::[^\s/?#@]*)?@)?"
           r"(?:\[[\da-fA-F:.%]*\]|[^\s:/?#@\[\]]|:\d{1,5}(?=[,/?]|\Z))*(?:[/?][^\s@]*)?\Z")
CONNECTION = {  # each unless the address says otherwise; without the last two a cut line is noticed after hours
    "connect_timeout": 5, "client_encoding": "utf8", "application_name": "compact-keeper",
    "keepalives_idle": 10, "tcp_user_timeout": 30_000}
# A small table would be read row by row, each vector taken apart; compiling a query takes longer than the query.
SESSION_OPTIONS = ("-c search_path=compact_keeper -c statement_timeout=30s -c idle_in_transaction_session_timeout=60s "
                   "-c enable_seqscan=off -c jit=off")
LOCK = 0x636B7074  # of one who writes: writers take turns, so nothing is stored twice and none waits for the other


class Away(Refusal):
    """Says why the server cannot be asked now; later it may be."""


def rarity(count: int, rows: int) -> float:
    """What a term is worth that stands in so many of the rows."""
    return max(math.log((max(rows - count, 0) + 0.5) / (count + 0.5)), 1e-6)


def server_filters(search: JsonObject) -> JsonObject:
    """The filters as PostgreSQL takes them, None where one is not set: the parameters of FILTERED_SQL."""
    names = ("project", "session", "since", "until", "match")
    filters = {name: without_nul(search.get(name)) or None for name in names}
    project = filters["project"] or ""
    bare, pattern = words_and_pattern(filters["match"]) if filters["match"] else ("", "")
    return {**filters, "bare": bare, "pattern": pattern or None,
            "folder": os.path.realpath(project).rstrip("/"), "end": project.rstrip("/")}


def with_hosts(rows: Iterable[JsonObject]) -> list[JsonObject]:
    """The rows, of this machine without its name: only others' are worth telling."""
    here = without_nul(host_name())
    return [{**row, "host": "" if row["host"] == here else row["host"]} for row in rows]


def host_name() -> str:
    """The name of this machine."""
    from socket import gethostname
    return gethostname()


def at_home(task: Callable[[Archive], int]) -> int:
    """The result of a task for this machine's archive."""
    archive = Archive()
    with closing(archive.db):
        return task(archive)


def driver() -> Any:
    """psycopg; refused with what to do where it is missing."""
    from importlib import import_module
    if sys.flags.no_site:  # skills start Python without what is installed for it
        import_module("site").main()
    try:
        return import_module("psycopg")
    except ImportError:
        raise Refusal(f"{SERVER_VARIABLE} needs psycopg 3 (Debian: apt-get install python3-psycopg; else: "
                      f"{sys.executable} -m pip install 'psycopg[binary]')") from None


class Server:
    """The archive on a server: what the commands ask of `Archive`, and `put`."""

    cut_at = 0.0  # all is looked at
    counted: Mapping[str, int] = {}  # terms of the last search that stand somewhere

    def __init__(self, url: str) -> None:
        """`url`: the server's address, with a password that no refusal may tell."""
        self.psycopg = driver()
        about, self.secret = {}, ""
        if re.match(ADDRESS, url) and not re.search(NO_TEXT, url):
            with self.refusals(f"{SERVER_VARIABLE} is no address of a PostgreSQL server"):
                about = self.psycopg.conninfo.conninfo_to_dict(url)
        if not about:
            raise Refusal(f"{SERVER_VARIABLE} is no address like postgresql://name:password@host/database; "
                          "an @ in the password is written %40")
        self.secret, self.url = about.get("password", ""), re.sub(":[^/@]*@", "@", url.partition("?")[0])
        options = f"{about.pop('options', '')} {SESSION_OPTIONS}"
        with self.refusals():
            self.db = self.psycopg.connect(**{**CONNECTION, **about}, options=options, autocommit=True,
                                           prepare_threshold=None, row_factory=self.psycopg.rows.dict_row)
        try:
            self.check()
        except Refusal:
            self.db.close()
            raise

    def check(self) -> None:
        """Refuses a database that cannot hold the archive; brings the schema up to date."""
        if (encoding := self.db.info.parameter_status("server_encoding")) != "UTF8":
            raise Refusal(f"the database at {self.url} is encoded in {encoding}; the archive needs one in UTF8")
        if self.version() < len(MIGRATIONS):
            self.migrate()
        if (version := self.version()) > len(MIGRATIONS):
            raise Refusal(f"the archive at {self.url} has version {version}, this compact-keeper knows "
                          f"{len(MIGRATIONS)}: update it")

    @contextmanager
    def refusals(self, instead: str = "") -> Iterator[None]:
        """Makes a refusal in one line of what PostgreSQL says, without the password; or says this instead."""
        try:
            yield
        except self.psycopg.Error as fault:
            text = instead or " ".join((fault.diag.message_primary or str(fault)).split())[:300]
            text = text.replace(self.secret, "…") if self.secret else text
            is_away = isinstance(fault, self.psycopg.OperationalError)
            raise (Away if is_away else Refusal)(f"the archive's server: {text}") from None

    def ask(self, query: str, **values: Any) -> list[JsonObject]:
        """The rows that a query finds, none for a command."""
        with self.refusals():
            cursor = self.db.execute(query, values or None)
            return [*cursor] if cursor.description else []

    @contextmanager
    def writing(self) -> Iterator[None]:
        """A transaction, once no other writes."""
        with self.refusals(), self.db.transaction():
            self.ask("SELECT pg_advisory_xact_lock(%(lock)s)", lock=LOCK)
            yield

    def version(self) -> int:
        """How many migrations the schema has seen."""
        [row] = self.ask("SELECT to_regclass('versions') IS NOT NULL AS is_there")
        return self.ask("SELECT count(*) AS count FROM versions")[0]["count"] if row["is_there"] else 0

    def migrate(self) -> None:
        """Takes the steps that are left; of several processes that come at once the first does."""
        with self.writing():
            self.ask("SET LOCAL statement_timeout = 0")
            self.ask("CREATE SCHEMA IF NOT EXISTS compact_keeper")
            self.ask("CREATE TABLE IF NOT EXISTS versions(version integer PRIMARY KEY, "
                     "since timestamptz DEFAULT now())")
            version = self.version()
            for number, step in enumerate(MIGRATIONS[version:], version + 1):
                self.ask(step)
                self.ask("INSERT INTO versions(version) VALUES(%(number)s)", number=number)

    # filling and removing

    def put(self, rows: Sequence[JsonObject]) -> None:
        """Stores the rows, without what was forgotten or stands there from another host; grown ones keep their id."""
        with self.writing():
            self.ask(PUT_SQL, rows=json.dumps(rows, ensure_ascii=False))

    def forget(self, filters: JsonObject) -> int:
        """Removes the turns that the filters name, for all hosts, then from this machine's archive; how many."""
        filtered = server_filters(filters)
        with self.writing():
            self.ask("SET LOCAL statement_timeout = 0")
            gone = self.ask(FORGET_SQL, **filtered)[0]
            counts = self.counts([f'"{word}"' for word in gone["words"]], None, 1)
            unused = [word for word, count in zip(gone["words"], counts) if not count]
            self.ask("DELETE FROM vocabulary WHERE word = ANY(%(unused)s)", unused=unused)
        here = at_home(lambda archive: archive.forget(filtered))
        self.ask("SET statement_timeout = 0")
        self.ask("VACUUM (FULL) turns, vocabulary")  # else their pages hold what was deleted until it is overwritten
        return max(int(gone["count"]), here)

    # searching

    def rows_in_all(self) -> int:
        """How many rows there are."""
        return int(self.ask("SELECT count(*) AS count FROM turns")[0]["count"])

    def counts(self, terms: Sequence[str], kind: str | None, most: int) -> list[int]:
        """In how many rows each of the terms stands, in this kind or in any, counted up to `most`."""
        queries = [text_query(term, kinds_of(kind)) for term in terms]
        return [row["count"] for row in self.ask(COUNTED_SQL, queries=queries, most=most)]

    def rows_with(self, term: str, most: int) -> int:
        """In how many rows a term stands, counted up to `most`."""
        return self.counts([term], None, most)[0]

    def known_of(self, words: Iterable[str]) -> list[str]:
        """Those of the words that the archive has, the commonest first."""
        known = [row["word"] for row in self.ask("SELECT word FROM vocabulary WHERE word = ANY(%(words)s)",
                                                 words=[*words])]
        counts = dict(zip(known, self.counts([f'"{word}"' for word in known], None, MOST_ROWS)))
        return sorted(known, key=lambda word: -counts[word])

    def beginning(self, begin: str) -> list[str]:
        """The shortest words of the archive that begin so."""
        rows = self.ask("SELECT word FROM (SELECT word FROM vocabulary WHERE word >= %(begin)s AND word < %(end)s "
                        "ORDER BY word LIMIT 5000) AS these ORDER BY length(word), word LIMIT %(most)s",
                        begin=begin, end=f"{begin}\U0010ffff", most=BEGINNING)
        return [row["word"] for row in rows]

    def find(self, search: JsonObject) -> list[JsonObject]:
        """The best passages for a question with its filters, best first, each with its `score`."""
        return find_passages(self, search)

    def ranked(self, rare: Sequence[str], common: Mapping[str, float], search: JsonObject) -> list[int]:
        """The ids of the best rows with a rare term by BM25, and by what those gain that hold a common one too."""
        kinds = kinds_of(search["kind"])
        totals = self.ask("SELECT count(*) AS rows, coalesce(avg(size), 1)::float8 AS average FROM turns")[0]
        worths = [rarity(count, totals["rows"]) for count in self.counts(rare, search["kind"], MOST_ROWS + 1)]
        return self.ids(RANKED_SQL, wanted=query_of([rare], kinds), average=max(totals["average"], 1), worths=worths,
                        also=[text_query(term, kinds) for term in common], gains=[*common.values()],
                        **server_filters(search), **self.parts(rare, kinds))

    def newest(self, groups: Sequence[Sequence[str]], search: JsonObject) -> list[int]:
        """The ids of the newest rows that hold a term of each group, newest first."""
        return self.ids(NEWEST_SQL, wanted=query_of(groups, kinds_of(search["kind"])), **server_filters(search))

    def newest_near(self, terms: Sequence[str], search: JsonObject) -> list[int]:
        """The ids of the newest rows in which all terms stand close together, newest first."""
        kinds = kinds_of(search["kind"])
        return self.ids(NEAR_SQL, wanted=query_of([[term] for term in terms], kinds), **server_filters(search),
                        **self.parts(terms, kinds))

    def ids(self, query: str, **values: Any) -> list[int]:
        """The ids of the rows that a query finds."""
        return [row["id"] for row in self.ask(query, **values)]

    def rows_of(self, ids: Sequence[int]) -> list[JsonObject]:
        """The rows with these ids, in the order of their time."""
        return with_hosts(self.ask(ROWS_SQL, ids=[*ids]))

    def parts(self, terms: Sequence[str], kinds: Sequence[str]) -> JsonObject:
        """The lexemes of the terms, each with its term's number, its index in the term and its kind's weight."""
        parts, split = [], [term_words(term) for term in terms]
        weights = {kind: float(weight) for kind, weight in zip(KINDS, WEIGHTS.split(","))}
        for number, (term, words) in enumerate(zip(terms, split), 1):
            for index, word in enumerate(words):
                begins = term.endswith("*") and index == len(words) - 1
                those = self.beginning(word) if begins else [word]
                parts += [(lexeme(kind, form), number, index, weights[kind]) for form in those for kind in kinds]
        names = ("lexemes", "of", "indexes", "weights")
        return {**dict(zip(names, map(list, zip(*parts)))), "lengths": [len(words) for words in split]}

    def around(self, number: int, context: int) -> list[JsonObject]:
        """All parts of the turn, and of as many turns of its session on either side."""
        return with_hosts(self.ask(AROUND_SQL, number=number, context=context))

    def with_steps(self, number: int, first: int, last: int) -> list[JsonObject]:
        """The rows of the turn's transcript that hold the steps from `first` to `last`, by their numbers."""
        return with_hosts(self.ask(STEPS_SQL, number=number, first=first, last=last))

    def changing(self, number: int, heads: Sequence[str], most: int) -> list[JsonObject]:
        """The newest rows of the turn's transcript, from that one on, with one of these among the files."""
        return with_hosts(self.ask(CHANGING_SQL, number=number, heads=[*heads], most=most))

    def newest_of(self, session: str) -> int:
        """The newest row of a session's main thread; 0 without one."""
        return next((row["id"] for row in self.ask(NEWEST_ROW_SQL, session=session)), 0)

    def tagged(self, session: str, tag: str) -> list[JsonObject]:
        """The rows of the session with a step of this tag; where it has none, those among the newest of all."""
        return next(filter(None, (with_hosts(self.ask(TAGGED_SQL, session=name, tag=f'"{tag}"'))
                                  for name in (session, ""))), [])

    def count(self, filters: JsonObject) -> int:
        """How many turns the filters name, here or there."""
        filtered = server_filters(filters)
        there = self.ask(f"SELECT count(*) AS count FROM turns WHERE {FILTERED_SQL}", **filtered)
        return max(int(there[0]["count"]), at_home(lambda archive: archive.count(filtered)))

    def named_by(self, filters: JsonObject, most: int) -> tuple[list[int], int]:
        """The numbers of the first turns there that the filters name, so many at most, and how many steps all have."""
        row = self.ask(NAMED_SQL, most=most, **server_filters(filters))[0]
        return row["numbers"], int(row["steps"])

    def figures(self) -> JsonObject:
        """What the archive holds, each with its name."""
        return {"archive": self.url, **self.ask(FIGURES_SQL)[0]}
