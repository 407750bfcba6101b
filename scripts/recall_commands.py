#!/usr/bin/env python3
"""The commands of recall.py: index, search, ask, show, forget, stats, push, mcp.

recall.py imports it, and its page tells how they are used; serve_recall.py asks the same functions.
Python 3.9+, standard library only.
"""

from __future__ import annotations

import io
import json
import os
import re
import sqlite3
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from types import SimpleNamespace as Namespace

from show_turns import fitting, hit_of, local_time, pages_of, steps_of, told_hits, turn_lines, within
from turn_archive import KINDS, SERVER, Archive, Refusal, question

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Record = dict[str, Any]

SHOWN = 10  # hits, unless told otherwise
FOR_AN_AGENT = "From compact-keeper's archive of earlier turns:"
AGENT_ROOM, MOST_READ = 1_880, 64 << 10  # characters it is given beside that, 2,000 in all; bytes read of its question
PATIENCE = 600  # seconds for which a server that is away is tried again
NO_INDEX = "compact-keeper: this Python's SQLite lacks FTS5: every turn is read, and the words in it are counted\n"
NOTHING = "nothing found; fewer or other words may find it"


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


def turns_around(number: int, context: int) -> list[Record]:
    """The turn and those around it in its session; refused when there is none."""
    rows: list[Record] = opened().around(number, context)
    if not rows:
        raise Refusal(f"there is no turn {number}; a search tells the turns' numbers")
    return rows


def turn_text(number: int, context: int) -> list[str]:
    """The lines of the turn and of those around it in its session."""
    return [line for row in turns_around(number, context) for line in turn_lines(row)]


def index(asked: Namespace) -> int:
    """Takes in the transcripts named, else all of the client's; beside a session, sends them to the server too."""
    if asked.quiet:
        beside_a_session(lambda: feed(asked.words))
    else:
        companion("index_turns").index(Archive(), asked.words, is_quiet=False)
    return 0


def feed(paths: list[str]) -> None:
    """Takes in what a session at work has added, and sends it to the server where one is named."""
    archive = Archive()
    companion("index_turns").index(archive, paths, is_quiet=True)
    if server_named():
        postgres = companion("archive_postgres")
        with suppress(postgres.Busy):  # that process sends these turns too
            postgres.push(archive, PATIENCE)


def search(asked: Namespace) -> int:
    """Prints the best turns for the question."""
    hits = hits_for(" ".join(asked.words), vars(asked))
    told = told_hits(hits) or [NOTHING]
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
        # Not a bare number: that may be a port or a status.
        if turn := re.fullmatch(r"(?:(?:show|turn) *#?|#)(\d{1,18})(?: +(\d{1,6}))?", text):
            told = page_for_agent(int(turn.group(1)), int(turn.group(2) or 1))
        else:
            hits = told_hits(hits_for(text, {}))
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
        rows = turns_around(asked.number, asked.context)
        print(json.dumps([{**row, "steps": list(steps_of(row))} for row in rows], ensure_ascii=False))
    else:
        print(within(turn_text(asked.number, asked.context), asked.chars))
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
        raise ValueError("it is no number from 0 on")
    return number


def kind_named(told: str) -> str:
    """The kind of text; ValueError for anything else."""
    if told not in KINDS:
        raise ValueError(f"it is one of {', '.join(KINDS)}")
    return told


OPTIONS: dict[str, dict[str, Any]] = {  # of each command, with what makes their value of a text; "" for a switch
    "index": {"quiet": ""}, "stats": {"json": ""}, "forget": {
        "project": str, "session": str, "match": str, "dry-run": "", "yes": ""},
    "search": {"project": str, "session": str, "since": moment, "until": moment, "kind": kind_named, "limit": amount,
               "chars": amount, "json": ""},
    "show": {"context": amount, "chars": amount, "json": ""}}
UNSAID = {"limit": SHOWN, "chars": 0, "context": 0}  # the value of an option that is not given, if any
WORDS = {"index": (0, 1 << 20), "search": (1, 1 << 20), "show": (1, 1)}  # least and most that a command takes


class Wrong(Exception):
    """Says what is wrong with a command line."""


def arguments(argv: Sequence[str]) -> Namespace:
    """The command line's values; refused as `Wrong`. getopt: argparse takes 5 ms of a search's 45."""
    from getopt import GetoptError, gnu_getopt
    name = argv[0] if argv else ""
    if name not in COMMANDS:
        raise Wrong(f"the command is one of {', '.join(COMMANDS)}")
    made, (least, most) = OPTIONS.get(name, {}), WORDS.get(name, (0, 0))
    try:
        given, words = gnu_getopt([*argv[1:]], "", [option + "=" * bool(make) for option, make in made.items()])
    except GetoptError as fault:
        raise Wrong(str(fault)) from None
    if not least <= len(words) <= most:
        raise Wrong(f"{name} takes {'no' if not most else 'one' if most == 1 else 'some'} words")
    if name == "show" and not re.fullmatch(r"\d{1,99}", words[0], re.ASCII):
        raise Wrong("show takes the number of a turn")
    values = {option: UNSAID.get(option, None if make else False) for option, make in made.items()}
    for flag, text in given:
        try:
            values[flag[2:]] = made[flag[2:]](text) if made[flag[2:]] else True
        except (ValueError, OverflowError) as fault:
            raise Wrong(f"{flag} {text}: {fault}") from None
    named = {option.replace("-", "_"): value for option, value in values.items()}
    return Namespace(command=name, words=words, number=int(words[0]) if name == "show" else 0, **named)


def run(given: Sequence[str], manual: str) -> int:
    """The exit code of the command line given; `manual` is printed when it asks for help."""
    if {"-h", "--help"} & {*given}:
        print(manual)
        return 0
    try:
        asked = arguments(given)
    except Wrong as fault:
        sys.stderr.write(f"usage: recall.py COMMAND ... (recall.py --help tells more)\ncompact-keeper: {fault}\n")
        return 2
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


def beside_a_session(body: Callable[[], None]) -> None:
    """Does what nobody waits for or looks at: a fault stands in hook.log."""
    try:
        body()
    except Exception as fault:  # noqa: BLE001 - the outermost line of what a hook has started
        companion("index_turns").log(f"{type(fault).__name__}: {fault}")


def main() -> int:
    """Prints this page: the file is imported, not run."""
    print(__doc__)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
