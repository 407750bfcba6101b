"""The archive of several machines on a PostgreSQL server: searched as this machine's is, and filled from it.

It is kept in the schema compact_keeper, which is made and brought up to date here; who may do what is for the server to
say. Each row has its host and person; a turn that the server has from another host is not stored once more. A word's
lexeme begins with the letter of its kind (pauth: typed, aauth: answered), so that one index serves all kinds and each
alone; the words are those of the archive here, the rows are chosen by the same steps (`find_passages`) and ranked by
the same BM25, so both find the same. To forget is to forget on the server, for all hosts, then here, and nothing where
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
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from typing import Any

from compact_keeper.archive.database import COLUMNS, digest
from compact_keeper.archive.index_words import indexed
from compact_keeper.archive.kinds import KINDS, WEIGHTS
from compact_keeper.archive.local_archive import Archive
from compact_keeper.archive.question import (
    BEGINNING,
    BEST,
    MOST_ROWS,
    NEAR_WORDS,
    NO_TEXT,
    find_passages,
    words_and_pattern,
)
from compact_keeper.store.folder import NO_LINK, open_regular, private_folder
from compact_keeper.store.refusal import Refusal
from compact_keeper.types import Record

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
ROWS_PER_BATCH = 200  # sent in one go
RETRY_FIRST_SECONDS, RETRY_MAX_SECONDS = 1.0, 60.0  # between two tries to reach the server
# Limits of a tsvector: positions of a lexeme (none is above 16,383: later words count as there), bytes of one and all.
MOST_PLACES, WORD_MAX_BYTES, VECTOR_MAX_BYTES = 255, 2_000, 1_000_000
MOST_NEAR_ROWS = 2_000  # with all terms, in which it is looked for those that stand close together
PHRASE_MAX_WORDS = 64  # that are compared of a phrase: 5,000 take the server 38 s
LOCK = 0x636B7074  # of one who writes: writers take turns, so nothing is stored twice and none waits for the other
MIGRATIONS = ("""
CREATE TABLE turns(
    id bigserial PRIMARY KEY, uid text NOT NULL UNIQUE, host text NOT NULL, person text NOT NULL,
    time double precision NOT NULL, project text COLLATE "C", session text COLLATE "C", branch text, cycle integer,
    who text, source text, turn bigint, start bigint, hash text NOT NULL UNIQUE,
    prompt text, answer text, command text, file text, error text, decision text, steps text,
    size integer NOT NULL, words tsvector NOT NULL);
CREATE INDEX turns_by_words ON turns USING gin(words);
CREATE INDEX turns_by_session ON turns(session, time);
CREATE INDEX turns_by_source ON turns(source, turn);
CREATE INDEX turns_by_time ON turns(time);
CREATE INDEX turns_by_size ON turns(size);
CREATE TABLE vocabulary(word text COLLATE "C" PRIMARY KEY);
CREATE TABLE forgotten(mark text PRIMARY KEY);
-- The planner's statistics would keep pieces of what is forgotten.
ALTER TABLE vocabulary ALTER word SET STATISTICS 0;
ALTER TABLE turns ALTER project SET STATISTICS 0, ALTER session SET STATISTICS 0, ALTER branch SET STATISTICS 0,
    ALTER prompt SET STATISTICS 0, ALTER answer SET STATISTICS 0, ALTER command SET STATISTICS 0,
    ALTER file SET STATISTICS 0, ALTER error SET STATISTICS 0, ALTER decision SET STATISTICS 0,
    ALTER steps SET STATISTICS 0, ALTER words SET STATISTICS 0""", """
ALTER TABLE turns ADD COLUMN first integer""")
# SQL is put together of constants only; whatever comes from outside is a parameter.
# As question.condition_of; a condition whose parameter is NULL costs nothing. Of "C", lower() knows ASCII, as SQLite's.
FILTERED_SQL = f"""
    (%(project)s::text IS NULL OR project = %(folder)s OR starts_with(project, %(folder)s || '/')
     OR right(project, length(%(end)s) + 1) = '/' || %(end)s)
AND (%(session)s::text IS NULL OR starts_with(session, %(session)s))
AND (%(since)s::float8 IS NULL OR time >= %(since)s) AND (%(until)s::float8 IS NULL OR time < %(until)s)
AND (%(match)s::text IS NULL
     OR position(lower(%(bare)s COLLATE "C") IN lower(concat_ws(chr(10), {', '.join(KINDS)}) COLLATE "C")) > 0)
AND (%(pattern)s::text IS NULL OR concat_ws(chr(10), {', '.join(KINDS)}) COLLATE "C" ~* %(pattern)s)"""
SENT_SQL = ", ".join(("uid", "host", "person", *COLUMNS, "size", "words"))
SHOWN_SQL = ", ".join(f"turns.{name}" for name in ("id", "host", "person", *COLUMNS))
PUT_SQL = f"""
WITH new AS (SELECT * FROM json_populate_recordset(NULL::turns, %(rows)s) AS sent
             WHERE NOT EXISTS (SELECT FROM turns WHERE hash = sent.hash AND uid <> sent.uid)
             AND NOT EXISTS (SELECT FROM forgotten WHERE mark IN (sent.uid, sent.hash))),
told AS (INSERT INTO vocabulary SELECT DISTINCT substr(lexeme, 2) FROM new, unnest(words) ON CONFLICT DO NOTHING)
INSERT INTO turns({SENT_SQL}) SELECT {SENT_SQL} FROM new
ON CONFLICT (uid) DO UPDATE SET ({SENT_SQL}) = ROW({', '.join(f'excluded.{name}' for name in SENT_SQL.split(', '))})
"""
COUNTED_SQL = """
SELECT (SELECT count(*) FROM (SELECT FROM turns WHERE words @@ query::tsquery LIMIT %(most)s) AS these) AS count
FROM unnest(%(queries)s::text[]) WITH ORDINALITY AS asked(query, number) ORDER BY number"""
NEWEST_SQL = f"""
SELECT id FROM turns WHERE words @@ %(wanted)s::tsquery AND {FILTERED_SQL} ORDER BY time DESC, id DESC LIMIT {BEST}"""
# Of each vector only the lexemes that are asked for are taken apart: setweight marks them, and ts_filter drops all
# others. A term stands where each of its words stands as far behind the first as in the term.
WORD_SQL = """
word AS (SELECT * FROM unnest(%(lexemes)s::text[], %(of)s::int[], %(places)s::int[], %(weights)s::float8[])
         AS word(lexeme, term, place, weight))"""
HELD_SQL = "ts_filter(setweight(words, 'A', %(lexemes)s::text[]), '{a}') AS held"
STANDS_SQL = """
unnest(held) AS has JOIN word USING (lexeme), unnest(has.positions) AS position"""
# BM25 as FTS5 has it, and what a row gains by each query that finds it too.
RANKED_SQL = f"""
WITH {WORD_SQL},
found AS (SELECT id, size, {HELD_SQL},
                 (SELECT coalesce(sum(gain), 0) FROM unnest(%(also)s::text[], %(gains)s::float8[]) AS also(query, gain)
                  WHERE words @@ query::tsquery) AS gain
          FROM turns WHERE words @@ %(wanted)s::tsquery AND {FILTERED_SQL}),
stands AS (SELECT id, size, term, weight FROM found, {STANDS_SQL}
           GROUP BY id, size, term, weight, left(lexeme, 1), position - place
           HAVING count(*) = (%(lengths)s::int[])[term]),
often AS (SELECT id, size, term, sum(weight) AS often FROM stands GROUP BY id, size, term),
scored AS (SELECT id, sum((%(worths)s::float8[])[term] * often * 2.2
                          / (often + 1.2 * (0.25 + 0.75 * size / %(average)s::float8))) AS score
           FROM often GROUP BY id)
SELECT id FROM found LEFT JOIN scored USING (id) ORDER BY coalesce(score, 0) + gain DESC, id DESC LIMIT {BEST}"""
# The last of the terms stands somewhere, and of each one begins so many words before it ends, at most. Row by row, the
# newest first, and no further than to the last that is wanted.
NEAR_SQL = f"""
WITH {WORD_SQL},
held AS (SELECT id, time, {HELD_SQL} FROM turns WHERE words @@ %(wanted)s::tsquery AND {FILTERED_SQL}
         ORDER BY time DESC, id DESC LIMIT {MOST_NEAR_ROWS})
SELECT id FROM held WHERE EXISTS (
    WITH stands AS (SELECT left(lexeme, 1) AS kind, term, position - place AS position FROM {STANDS_SQL}
                    GROUP BY 1, 2, 3 HAVING count(*) = (%(lengths)s::int[])[term])
    SELECT FROM stands AS last JOIN stands AS term USING (kind)
    WHERE term.position BETWEEN last.position - (%(lengths)s::int[])[term.term] - {NEAR_WORDS} AND last.position
    GROUP BY kind, last.position HAVING count(DISTINCT term.term) = cardinality(%(lengths)s::int[]))
ORDER BY time DESC, id DESC LIMIT {BEST}"""
ROWS_SQL = f"SELECT {SHOWN_SQL} FROM turns WHERE id = ANY(%(ids)s::bigint[]) ORDER BY time, start"
AROUND_SQL = f"""
WITH of_source AS (SELECT id, dense_rank() OVER (ORDER BY turn) AS place FROM turns
                   WHERE source = (SELECT source FROM turns WHERE id = %(number)s)),
here AS (SELECT place FROM of_source WHERE id = %(number)s)
SELECT {SHOWN_SQL} FROM turns JOIN of_source USING (id), here
WHERE abs(of_source.place - here.place) <= greatest(%(context)s, 0) ORDER BY time, start"""
STEPS_SQL = f"""
WITH of_source AS (SELECT id, first FROM turns WHERE source = (SELECT source FROM turns WHERE id = %(number)s)),
begin AS (SELECT coalesce(max(first), 0) AS step FROM of_source WHERE first <= %(first)s)
SELECT {SHOWN_SQL} FROM turns JOIN of_source USING (id), begin
WHERE turns.first BETWEEN begin.step AND %(last)s ORDER BY start"""
NEWEST_ROW_SQL = """
SELECT id FROM turns WHERE session = %(session)s AND who = 'person' ORDER BY time DESC, start DESC LIMIT 1"""
TAGGED_SQL = f"""
SELECT {SHOWN_SQL} FROM turns WHERE position(%(tag)s IN steps) > 0 AND (session = %(session)s
    OR %(session)s = '' AND id IN (SELECT id FROM turns ORDER BY time DESC LIMIT {MOST_ROWS})) ORDER BY time, start"""
FORGET_SQL = f"""
WITH gone AS (DELETE FROM turns WHERE {FILTERED_SQL} RETURNING uid, hash, words),
marked AS (INSERT INTO forgotten SELECT uid FROM gone UNION SELECT hash FROM gone ON CONFLICT DO NOTHING)
SELECT (SELECT count(*) FROM gone) AS count,
       ARRAY(SELECT DISTINCT substr(lexeme, 2) FROM gone, unnest(words)) AS words"""
NAMED_SQL = f"""
SELECT coalesce((array_agg(id ORDER BY id))[:%(most)s], '{{}}') AS numbers,
       coalesce(sum(json_array_length(steps::json)), 0)::bigint AS steps FROM turns WHERE {FILTERED_SQL}"""
FIGURES_SQL = """
SELECT count(*) AS turns, count(*) FILTER (WHERE who = 'summary') AS summaries,
       count(*) FILTER (WHERE who = 'subagent') AS subagents, min(time) AS first, max(time) AS last,
       count(DISTINCT (host, session)) AS sessions, count(DISTINCT (host, project)) AS projects,
       count(DISTINCT host) AS hosts, count(DISTINCT person) AS persons,
       pg_total_relation_size('turns') + pg_total_relation_size('vocabulary') AS bytes FROM turns"""


class Away(Refusal):
    """Says why the server cannot be asked now; later it may be."""


class Busy(Refusal):
    """Another process of this machine sends just now."""


def without_nul(value: Any) -> Any:
    """The value as PostgreSQL takes it; what stands for a character is one too, so that lengths stay."""
    return re.sub(NO_TEXT, "\ufffd", value) if isinstance(value, str) else value


def lexeme(kind: str, word: str) -> str:
    """The word as the index holds it for a kind."""
    return (kind[0] + word).encode()[:WORD_MAX_BYTES].decode("utf-8", "ignore")


def quoted_lexeme(text: str) -> str:
    """A lexeme as it is written in a vector or a query."""
    return "'" + text.replace("\\", "\\\\").replace("'", "''") + "'"


def vector(words: Mapping[str, Sequence[str]]) -> str:
    """The words of each kind as a tsvector, with their positions; of a monstrous turn, as many as it takes."""
    places: dict[str, list[int]] = {}
    left = VECTOR_MAX_BYTES
    for kind, those in words.items():
        for place, word in enumerate(those, 1):
            entry = lexeme(kind, word)
            left -= 2 if entry in places else len(entry.encode()) + 6
            if left > 0 and len(places.get(entry, ())) < MOST_PLACES:
                places.setdefault(entry, []).append(place)
    return " ".join(f"{quoted_lexeme(entry)}:{','.join(map(str, at))}" for entry, at in places.items())


def person() -> str:
    """Who runs this, as the system names them."""
    from getpass import getuser
    try:
        return getuser()
    except (ImportError, KeyError, OSError):  # a container's user without a name
        return str(os.getuid())


def row_to_send(row: Mapping[str, Any], host: str, person: str) -> Record:
    """A row of this machine's archive, with its transcript's mark, as the server stores it."""
    source = digest(f"{host}\0{row['name'] or row['source']}\0{row['inode']}")
    turn = {name: without_nul(row[name]) for name in COLUMNS}
    words = {kind: indexed(turn[kind]).split() for kind in KINDS}
    return {**turn, "uid": digest(f"{source}\0{row['start']}"), "host": host, "person": person, "source": source,
            "size": sum(map(len, words.values())), "words": vector(words)}


def term_words(term: str) -> list[str]:
    """The words of a term, which `question` writes as FTS5 takes it."""
    text: str = without_nul(term)
    return text.strip('"*').split()[:PHRASE_MAX_WORDS]


def text_query(term: str, kinds: Iterable[str]) -> str:
    """The term as a tsquery that finds it in any of the kinds."""
    ending = ":*" if term.endswith("*") else ""
    each = (" <-> ".join(quoted_lexeme(lexeme(kind, word)) for word in term_words(term)) for kind in kinds)
    return f"({' | '.join(f'{alternative}{ending}' for alternative in each)})"


def kinds_of(kind: str | None) -> Sequence[str]:
    """The kinds that are looked through: the one that is asked for, else all."""
    return [kind] if kind else KINDS


def query_of(groups: Iterable[Iterable[str]], kinds: Sequence[str]) -> str:
    """The rows that hold a term of each group in any of the kinds, as a tsquery."""
    return " & ".join(f"({' | '.join(text_query(term, kinds) for term in group)})" for group in groups)


def rarity(count: int, rows: int) -> float:
    """What a term is worth that stands in so many of the rows."""
    return max(math.log((max(rows - count, 0) + 0.5) / (count + 0.5)), 1e-6)


def server_filters(search: Record) -> Record:
    """The filters as PostgreSQL takes them, None where one is not set: the parameters of FILTERED_SQL."""
    names = ("project", "session", "since", "until", "match")
    filters = {name: without_nul(search.get(name)) or None for name in names}
    project = filters["project"] or ""
    bare, pattern = words_and_pattern(filters["match"]) if filters["match"] else ("", "")
    return {**filters, "bare": bare, "pattern": pattern or None,
            "folder": os.path.realpath(project).rstrip("/"), "end": project.rstrip("/")}


def with_hosts(rows: Iterable[Record]) -> list[Record]:
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

    def ask(self, query: str, **values: Any) -> list[Record]:
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

    def put(self, rows: Sequence[Record]) -> None:
        """Stores the rows, without what was forgotten or stands there from another host; grown ones keep their id."""
        with self.writing():
            self.ask(PUT_SQL, rows=json.dumps(rows, ensure_ascii=False))

    def forget(self, filters: Record) -> int:
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

    def find(self, search: Record) -> list[Record]:
        """The best passages for a question with its filters, best first, each with its `score`."""
        return find_passages(self, search)

    def ranked(self, rare: Sequence[str], common: Mapping[str, float], search: Record) -> list[int]:
        """The ids of the best rows with a rare term by BM25, and by what those gain that hold a common one too."""
        kinds = kinds_of(search["kind"])
        totals = self.ask("SELECT count(*) AS rows, coalesce(avg(size), 1)::float8 AS average FROM turns")[0]
        worths = [rarity(count, totals["rows"]) for count in self.counts(rare, search["kind"], MOST_ROWS + 1)]
        return self.ids(RANKED_SQL, wanted=query_of([rare], kinds), average=max(totals["average"], 1), worths=worths,
                        also=[text_query(term, kinds) for term in common], gains=[*common.values()],
                        **server_filters(search), **self.parts(rare, kinds))

    def newest(self, groups: Sequence[Sequence[str]], search: Record) -> list[int]:
        """The ids of the newest rows that hold a term of each group, newest first."""
        return self.ids(NEWEST_SQL, wanted=query_of(groups, kinds_of(search["kind"])), **server_filters(search))

    def newest_near(self, terms: Sequence[str], search: Record) -> list[int]:
        """The ids of the newest rows in which all terms stand close together, newest first."""
        kinds = kinds_of(search["kind"])
        return self.ids(NEAR_SQL, wanted=query_of([[term] for term in terms], kinds), **server_filters(search),
                        **self.parts(terms, kinds))

    def ids(self, query: str, **values: Any) -> list[int]:
        """The ids of the rows that a query finds."""
        return [row["id"] for row in self.ask(query, **values)]

    def rows_of(self, ids: Sequence[int]) -> list[Record]:
        """The rows with these ids, in the order of their time."""
        return with_hosts(self.ask(ROWS_SQL, ids=[*ids]))

    def parts(self, terms: Sequence[str], kinds: Sequence[str]) -> Record:
        """The lexemes of the terms, each with its term's number, its place in the term and its kind's weight."""
        parts, split = [], [term_words(term) for term in terms]
        weights = {kind: float(weight) for kind, weight in zip(KINDS, WEIGHTS.split(","))}
        for number, (term, words) in enumerate(zip(terms, split), 1):
            for place, word in enumerate(words):
                begins = term.endswith("*") and place == len(words) - 1
                those = self.beginning(word) if begins else [word]
                parts += [(lexeme(kind, form), number, place, weights[kind]) for form in those for kind in kinds]
        names = ("lexemes", "of", "places", "weights")
        return {**dict(zip(names, map(list, zip(*parts)))), "lengths": [len(words) for words in split]}

    def around(self, number: int, context: int) -> list[Record]:
        """All parts of the turn, and of as many turns of its session on either side."""
        return with_hosts(self.ask(AROUND_SQL, number=number, context=context))

    def with_steps(self, number: int, first: int, last: int) -> list[Record]:
        """The rows of the turn's transcript that hold the steps from `first` to `last`, by their numbers."""
        return with_hosts(self.ask(STEPS_SQL, number=number, first=first, last=last))

    def newest_of(self, session: str) -> int:
        """The newest row of a session's main thread; 0 without one."""
        return next((row["id"] for row in self.ask(NEWEST_ROW_SQL, session=session)), 0)

    def tagged(self, session: str, tag: str) -> list[Record]:
        """The rows of the session with a step of this tag; where it has none, those among the newest of all."""
        return next(filter(None, (with_hosts(self.ask(TAGGED_SQL, session=name, tag=f'"{tag}"'))
                                  for name in (session, ""))), [])

    def count(self, filters: Record) -> int:
        """How many turns the filters name, here or there."""
        filtered = server_filters(filters)
        there = self.ask(f"SELECT count(*) AS count FROM turns WHERE {FILTERED_SQL}", **filtered)
        return max(int(there[0]["count"]), at_home(lambda archive: archive.count(filtered)))

    def named_by(self, filters: Record, most: int) -> tuple[list[int], int]:
        """The numbers of the first turns there that the filters name, so many at most, and how many steps all have."""
        row = self.ask(NAMED_SQL, most=most, **server_filters(filters))[0]
        return row["numbers"], int(row["steps"])

    def figures(self) -> Record:
        """What the archive holds, each with its name."""
        return {"archive": self.url, **self.ask(FIGURES_SQL)[0]}


# --- sending ---
UNSENT_SQL = """
SELECT turns.*, sources.name, sources.inode FROM turns LEFT JOIN sources ON sources.id = turns.source
WHERE NOT pushed ORDER BY turns.id LIMIT ?"""


def push_turns(archive: Archive, seconds: float = 0) -> int:
    """Sends to the server the turns that it does not have; how many. Tries again for so long where it is away."""
    until, count, pause = time.time() + seconds, 0, RETRY_FIRST_SECONDS
    if os.environ.get(SERVER_VARIABLE, "off") in ("", "off"):
        raise Refusal(f"no server is named: set {SERVER_VARIABLE}=postgresql://USER@HOST/DATABASE (docs/recall.md)")
    with alone():
        while True:
            try:
                server = Server(os.environ.get(SERVER_VARIABLE, ""))
                with closing(server.db):
                    for sent in batches(archive, server):
                        count, pause = count + sent, RETRY_FIRST_SECONDS
            except Away:
                if time.time() + pause > until:
                    raise
            else:
                return count
            time.sleep(pause)
            pause = min(2 * pause, RETRY_MAX_SECONDS)


@contextmanager
def alone() -> Iterator[None]:
    """Holds a lock of this machine's archive; refused while another process sends."""
    try:
        import fcntl
    except ImportError:  # Windows: two that send at once do double work, no harm
        yield
        return
    path = os.path.join(private_folder(), "push.lock")
    with os.fdopen(open_regular(path, os.O_RDWR | os.O_CREAT | NO_LINK), "r+b") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Busy("another process is sending them") from None
        yield


def batches(archive: Archive, server: Server) -> Iterator[int]:
    """Sends some turns at a time; gives how many, each time. One that grows meanwhile stays unsent."""
    host, name = without_nul(host_name()), without_nul(person())
    while rows := archive.db.execute(UNSENT_SQL, (ROWS_PER_BATCH,)).fetchall():
        server.put([row_to_send(row, host, name) for row in rows])
        with archive.writing():
            archive.db.executemany("UPDATE turns SET pushed = 1 WHERE id = ? AND hash = ?",
                                   [(row["id"], row["hash"]) for row in rows])
        yield len(rows)
