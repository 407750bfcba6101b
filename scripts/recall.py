#!/usr/bin/env python3
"""Find again what was ever said or done: an archive of all sessions' turns with full-text search, offline.

Usage: recall.py index [PATH ...] [--quiet]    takes in transcripts; none named: all of the client's projects folder
       recall.py search WORDS ... [--project P] [--session S] [--since T] [--until T] [--kind KIND] [--limit N]
                                  [--chars N] [--json]
       recall.py ask < QUESTION    for an agent: a search, or `show ID`, in at most 2,000 characters; always exits 0
       recall.py show ID [--context N] [--chars N] [--json]    a turn, whole, and N of its session on either side
       recall.py forget [--project P] [--session S] [--match TEXT] [--dry-run] [--yes]
       recall.py stats [--json]
       recall.py push | mcp    sends what is new to PostgreSQL; serves the Model Context Protocol on stdio
WORDS   all count, the rarer the more (BM25); "words in quotes" have to occur, auth* begins so. Identifiers and paths
        are found by their parts. T: 2026-11-21, 2026-11-21T14:00, 7d, 12h. P: a folder or the end of its path.
Reads   transcripts from where the last run stopped; never those of a project whose .claude/compact-keeper.json says
        "archive": false. Settings in config.json: archive, archive_days, archive_mb.
Writes  archive.db in the data folder (SQLite, for the owner alone). A row is a turn, secrets replaced: typed words,
        answer, commands with how they ended, files, errors, decisions. The same turn is stored once.
Needs   turn_archive.py beside it, index_turns.py to take in transcripts; archive_postgres.py where COMPACT_KEEPER_ARCHIVE=postgresql://...
        names a server; serve_recall.py for mcp. Python 3.9+, standard library only.
Exits   0 when done (found or not), 1 on a refusal that says why, 2 on wrong usage, 130 on Ctrl-C (a later run goes on).
"""

from __future__ import annotations

import io
import json
import os
import re
import sqlite3
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import accumulate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from typing import Any

    Record = dict[str, Any]

sys.path.append(os.path.dirname(os.path.abspath(__file__)))  # last: no file there hides one of Python's own
from turn_archive import KINDS, Archive, Refusal, question  # noqa: E402

SERVER = "COMPACT_KEEPER_ARCHIVE"  # names the PostgreSQL server that is searched instead, when set
PASSAGE, SHOWN = 200, 10  # characters of a turn that are shown; turns
FOR_AN_AGENT = "From compact-keeper's archive of earlier turns:"
AGENT_ROOM, MOST_READ = 1_880, 64 << 10  # characters it is given beside that, 2,000 in all; bytes read of its question
LEFT = "({:,} more that do not fit; rarer words, project, kind or since narrow it)"
HELP_WIDTH, PATIENCE = 100, 600  # characters; seconds for which a server that is away is tried again
NO_INDEX = "compact-keeper: this Python's SQLite lacks FTS5: every turn is read, and the words in it are counted\n"
NOTHING = "nothing found; fewer or other words may find it"


# --- what is printed ---
TOLD_AS = {"prompt": "typed", "answer": "said", "command": "ran", "file": "file", "error": "error",
           "decision": "decided"}
BY = {"person": "", "summary": " · a summary of the client's", "subagent": " · a subagent's work"}


def passage(row: Record) -> str:
    """The sentence of a turn that is closest to what was asked, when it is long what stands around its first word."""
    closest, text = row["closest"], row[row["closest"]["kind"]]
    begin, end = closest["begin"], closest["end"] or len(text.partition("\n")[0])
    first = max(begin, closest["word"] - PASSAGE // 3) if end - begin > PASSAGE else begin
    shown = " ".join(text[first:min(end, first + PASSAGE)].split())
    return f"{'…' if first > begin else ''}{shown}{'…' if first + PASSAGE < end else ''}"


def hit_of(row: Record) -> Record:
    """What is told of a turn that was found."""
    told = {name: row[name] for name in ("id", "score", "project", "session", "branch", "cycle", "who")}
    return {**told, "host": row.get("host", ""), "time": local_time(row["time"]), "kind": row["closest"]["kind"],
            "snippet": passage(row)}


def local_time(seconds: float) -> str:
    """The moment as a person reads it, here."""
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(seconds))


def hit_lines(number: int, hit: Record) -> str:
    """A hit in two lines: where it stands, and its passage."""
    branch = f" · {hit['branch']}" if hit["branch"] else ""
    host = f" on {hit['host']}" if hit["host"] else ""
    place = f"{hit['time']} · {os.path.basename(hit['project'])}{host}{branch}{BY[hit['who']]}"
    return f"{number}. {place} · show {hit['id']} · score {hit['score']}\n   {TOLD_AS[hit['kind']]}: {hit['snippet']}"


def steps_of(row: Record) -> Iterator[tuple[str, str]]:
    """The turn's texts in the order in which they came, each with its kind."""
    places = dict.fromkeys(KINDS, 0)
    for kind, size in json.loads(row["steps"]):
        yield kind, row[kind][places[kind]:places[kind] + size]
        places[kind] += size + 1


def turn_lines(row: Record) -> list[str]:
    """A turn for reading: where it stands, then its steps; what goes over several lines stands further in."""
    branch = f" · branch {row['branch']}" if row["branch"] else ""
    cycles = f" · after {row['cycle']} compactions" if row["cycle"] else ""
    host = f" on {row['host']}" if row.get("host") else ""
    place = f"{local_time(row['time'])} · {row['project']}{host}{branch} · session {row['session']}"
    lines = [f"turn {row['id']} · {place}{cycles}{BY[row['who']]}"]
    for kind, text in steps_of(row):
        first, *more = text.splitlines() or [""]
        lines += [f"  {TOLD_AS[kind]}: {first}", *(f"    {line}" for line in more)]
    return lines


def turns_around(number: int, context: int) -> list[Record]:
    """The turn and those around it in its session; refused when there is none."""
    rows: list[Record] = opened().around(number, context)
    if not rows:
        raise Refusal(f"there is no turn {number}; a search tells the turns' numbers")
    return rows


def turn_text(number: int, context: int) -> list[str]:
    """The lines of the turn and of those around it in its session."""
    return [line for row in turns_around(number, context) for line in turn_lines(row)]


def within(lines: Iterable[str], most: int) -> str:
    """The lines as a text of at most so many characters, all with 0; that something is left out is said."""
    text = "\n".join(lines)
    kept = text[:max(most - 60, 0)].rstrip()
    return text if not most or len(text) <= most else f"{kept}…\n(cut at {most:,} characters; --chars 0 shows all)"


def fitting(hits: Sequence[str], most: int) -> str:
    """The hits that fit into so many characters, whole, and how many do not."""
    sizes = accumulate(len(hit) + 1 for hit in hits)
    shown = sum(size <= most - len(LEFT) for size in sizes)
    left = [LEFT.format(len(hits) - shown)] if shown < len(hits) else []
    return "\n".join([*hits[:shown], *left])


def pages_of(text: str, size: int) -> list[str]:
    """The text in pages of at most so many characters, each of whole lines unless one is longer than half a page."""
    pages, start = [], 0
    while start < len(text):
        end = start + size
        behind_line = text.rfind("\n", start + size // 2, end) + 1 if end < len(text) else 0
        pages.append(text[start:behind_line or end].rstrip("\n"))
        start = behind_line or end
    return pages


# --- commands ---


def companion(name: str) -> Any:
    """The module of that name from beside this file."""
    try:
        return __import__(name)
    except ImportError as fault:
        raise Refusal(f"{fault}; this needs {name}.py beside recall.py") from None


def server_named() -> str:
    """The address of the server that is asked instead of this machine's archive; empty without one."""
    url = os.environ.get(SERVER, "")
    return "" if url == "off" else url


def opened(instead: bool = False) -> Any:
    """The archive that is asked: the server's where one is named; this machine's `instead` while that one is away."""
    if not (url := server_named()):
        return Archive()
    postgres = companion("archive_postgres")
    try:
        return postgres.Server(url)
    except postgres.Away as fault:
        if not instead:  # numbers of turns differ, and what is forgotten has to be forgotten there
            raise
        sys.stderr.write(f"compact-keeper: {fault}; this machine's archive answers\n")
        return Archive()


def index(asked: Namespace) -> int:
    """Takes in the transcripts named, else all of the client's; beside a session, sends them to the server too."""
    archive = Archive()
    companion("index_turns").index(archive, asked.paths, asked.quiet)
    if asked.quiet and server_named():
        postgres = companion("archive_postgres")
        with suppress(postgres.Busy):  # that process sends these turns too
            postgres.push(archive, PATIENCE)
    return 0


def search(asked: Namespace) -> int:
    """Prints the best turns for the question."""
    hits = hits_for(" ".join(asked.words), vars(asked))
    told = [hit_lines(number, hit) for number, hit in enumerate(hits, 1)] or [NOTHING]
    print(json.dumps({"hits": hits}, ensure_ascii=False) if asked.json else within(told, asked.chars))
    return 0


def hits_for(text: str, filters: Record) -> list[Record]:
    """What is told of the best turns for a question, best first; words in quotes need not occur where none has them."""
    archive, asked = opened(instead=True), {"kind": None, "limit": SHOWN, **filters, **question(text)}
    if not archive.has_index:
        sys.stderr.write(NO_INDEX)
    rows = archive.find(asked)
    if not rows and asked["must"]:
        rows = archive.find({**asked, **question(text.replace('"', " "))})
    return [hit_of(row) for row in rows[:asked["limit"]]]


def ask(_asked: Namespace) -> int:
    """Prints for an agent what the question on stdin finds; a fault too, since a skill fails with its command."""
    text = sys.stdin.buffer.read(MOST_READ).decode("utf-8", "replace").strip() if sys.stdin else ""
    try:
        if turn := re.fullmatch(r"(?:show|turn)? *#?(\d{1,18})(?: +(\d{1,6}))?", text):
            told = page_for_agent(int(turn.group(1)), int(turn.group(2) or 1))
        else:
            hits = [hit_lines(number, hit) for number, hit in enumerate(hits_for(text, {}), 1)]
            told = f"{fitting(hits, AGENT_ROOM)}\n`show` and a number: that turn, whole." if hits else NOTHING
        print(f"{FOR_AN_AGENT}\n{told}")
    except (Refusal, OSError, sqlite3.Error) as fault:
        print(f"compact-keeper: {fault}")
    return 0


def page_for_agent(number: int, page: int) -> str:
    """A page of the turn, and how to go on."""
    pages = pages_of("\n".join(turn_text(number, 0)), AGENT_ROOM)
    if not 0 < page <= len(pages):
        raise Refusal(f"turn {number} has {len(pages)} pages")
    more = f"\n(page {page} of {len(pages)}; `show {number} {page + 1}` goes on)" if page < len(pages) else ""
    return pages[page - 1] + more


def show(asked: Namespace) -> int:
    """Prints a turn with all its parts, and those of its session around it."""
    if asked.json:
        rows = turns_around(asked.id, asked.context)
        print(json.dumps([{**row, "steps": list(steps_of(row))} for row in rows], ensure_ascii=False))
    else:
        print(within(turn_text(asked.id, asked.context), asked.chars))
    return 0


def forget(asked: Namespace) -> int:
    """Removes the turns that the filters name, after a question."""
    archive, filters = opened(), {name: getattr(asked, name) for name in ("project", "session", "match")}
    if not any(filters.values()):
        raise Refusal("say what to forget: --project, --session or --match")
    count = archive.count(filters)
    if asked.dry_run or not count:
        print(f"{count:,} turns {'would be removed' if count else 'are like that: nothing to remove'}")
    elif asked.yes or agreed(f"Remove {count:,} turns for good? [y/N] "):
        print(f"{archive.forget(filters):,} turns removed")
    else:
        print("nothing removed")
    return 0


def agreed(question: str) -> bool:
    """Whether the person answers y; the end of stdin is no answer."""
    print(question, end="", flush=True)
    return bool(sys.stdin) and sys.stdin.readline().strip().lower() == "y"


def stats(asked: Namespace) -> int:
    """Prints what the archive holds."""
    told = opened().figures()
    if asked.json:
        print(json.dumps(told))
    else:
        told = {**told, **{name: local_time(told[name]) for name in ("first", "last") if told[name]}}
        print("\n".join(f"{name:<12}{value}" for name, value in told.items()))
    return 0


def push(_asked: Namespace) -> int:
    """Sends to the server what it does not have yet."""
    print(f"{companion('archive_postgres').push(Archive()):,} turns sent")
    return 0


def mcp(_asked: Namespace) -> int:
    """Serves the Model Context Protocol until stdin ends."""
    return int(companion("serve_recall").serve())


COMMANDS: dict[str, Callable[[Namespace], int]] = {
    "index": index, "search": search, "ask": ask, "show": show, "forget": forget, "stats": stats, "push": push,
    "mcp": mcp}


def moment(told: str) -> float:
    """Seconds since 1970 of a day, a moment, or so many hours, days or weeks ago; ValueError for anything else."""
    from datetime import datetime
    if ago := re.fullmatch(r"(\d{1,5})([hdw])", told):
        return time.time() - int(ago.group(1)) * {"h": 3_600, "d": 86_400, "w": 7 * 86_400}[ago.group(2)]
    return datetime.fromisoformat(told.replace("Z", "+00:00")).timestamp()


def amount(told: str) -> int:
    """The number, from 0 on; ValueError for anything else."""
    if (number := int(told)) < 0:
        raise ValueError(told)
    return number


OPTIONS: dict[str, dict[str, Record]] = {  # of each command
    "index": {"paths": {"nargs": "*"}, "--quiet": {"action": "store_true"}},
    "search": {"words": {"nargs": "+"}, "--project": {}, "--session": {}, "--since": {"type": moment},
               "--until": {"type": moment}, "--kind": {"choices": KINDS}, "--limit": {"type": amount, "default": SHOWN},
               "--chars": {"type": amount, "default": 0}, "--json": {"action": "store_true"}},
    "show": {"id": {"type": int}, "--context": {"type": amount, "default": 0},
             "--chars": {"type": amount, "default": 0}, "--json": {"action": "store_true"}},
    "forget": {"--project": {}, "--session": {}, "--match": {}, "--dry-run": {"action": "store_true"},
               "--yes": {"action": "store_true"}},
    "stats": {"--json": {"action": "store_true"}}}


def arguments(argv: Sequence[str]) -> Namespace:
    """The command line's values; ends with 2 and how it is used when they are wrong."""
    from argparse import ArgumentParser, RawDescriptionHelpFormatter
    name = argv[0] if argv and argv[0] in COMMANDS else ""
    parser = ArgumentParser(  # a width that is given saves 5 ms: else each option asks how wide the terminal is
        prog=f"recall.py {name}".strip(), description=COMMANDS[name].__doc__ if name else __doc__,
        formatter_class=lambda prog: RawDescriptionHelpFormatter(prog, width=HELP_WIDTH))
    for option, how in (OPTIONS.get(name, {}) if name else {"command": {"choices": COMMANDS}}).items():
        parser.add_argument(option, **how)
    asked = parser.parse_intermixed_args(argv[1:] if name else argv)
    asked.command = name or asked.command
    return asked


def main(argv: Sequence[str] | None = None) -> int:
    """The exit code of the command named."""
    asked = arguments(sys.argv[1:] if argv is None else argv)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="replace")  # for an agent, whatever the terminal's is
    try:
        code = COMMANDS[asked.command](asked)
        if sys.stdout:
            sys.stdout.flush()
    except KeyboardInterrupt:
        sys.stderr.write("\ncompact-keeper: stopped; the same command goes on from here\n")
        return 130
    except BrokenPipeError:  # who reads has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 0
    except (Refusal, OSError, OverflowError, UnicodeError, sqlite3.Error) as fault:
        sys.stderr.write(f"compact-keeper: {fault}\n")
        return 1
    return code


if __name__ == "__main__":
    raise SystemExit(main())
