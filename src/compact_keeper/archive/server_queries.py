"""The archive's schema on a PostgreSQL server, and what the server is asked; see postgres.py."""

from __future__ import annotations

from compact_keeper.archive.database import COLUMNS
from compact_keeper.archive.kinds import KINDS
from compact_keeper.archive.question import BEST, MOST_ROWS, NEAR_WORDS

MOST_NEAR_ROWS = 2_000  # with all terms, in which it is looked for those that stand close together
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
word AS (SELECT * FROM unnest(%(lexemes)s::text[], %(of)s::int[], %(indexes)s::int[], %(weights)s::float8[])
         AS word(lexeme, term, word_index, weight))"""
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
           GROUP BY id, size, term, weight, left(lexeme, 1), position - word_index
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
    WITH stands AS (SELECT left(lexeme, 1) AS kind, term, position - word_index AS position FROM {STANDS_SQL}
                    GROUP BY 1, 2, 3 HAVING count(*) = (%(lengths)s::int[])[term])
    SELECT FROM stands AS last JOIN stands AS term USING (kind)
    WHERE term.position BETWEEN last.position - (%(lengths)s::int[])[term.term] - {NEAR_WORDS} AND last.position
    GROUP BY kind, last.position HAVING count(DISTINCT term.term) = cardinality(%(lengths)s::int[]))
ORDER BY time DESC, id DESC LIMIT {BEST}"""
ROWS_SQL = f"SELECT {SHOWN_SQL} FROM turns WHERE id = ANY(%(ids)s::bigint[]) ORDER BY time, start"
AROUND_SQL = f"""
WITH of_source AS (SELECT id, dense_rank() OVER (ORDER BY turn) AS turn_rank FROM turns
                   WHERE source = (SELECT source FROM turns WHERE id = %(number)s)),
here AS (SELECT turn_rank FROM of_source WHERE id = %(number)s)
SELECT {SHOWN_SQL} FROM turns JOIN of_source USING (id), here
WHERE abs(of_source.turn_rank - here.turn_rank) <= greatest(%(context)s, 0) ORDER BY time, start"""
STEPS_SQL = f"""
WITH of_source AS (SELECT id, first FROM turns WHERE source = (SELECT source FROM turns WHERE id = %(number)s)),
begin AS (SELECT coalesce(max(first), 0) AS step FROM of_source WHERE first <= %(first)s)
SELECT {SHOWN_SQL} FROM turns JOIN of_source USING (id), begin
WHERE turns.first BETWEEN begin.step AND %(last)s ORDER BY start"""
CHANGING_SQL = f"""
SELECT {SHOWN_SQL} FROM turns, (SELECT source, start FROM turns WHERE id = %(number)s) AS here
WHERE turns.source = here.source AND turns.start >= here.start
AND EXISTS (SELECT FROM unnest(%(heads)s::text[]) AS head WHERE position(head IN file) > 0)
ORDER BY turns.start DESC LIMIT %(most)s"""
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
