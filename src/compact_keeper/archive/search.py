"""Searches and turns: of this machine's archive, or of the server that is named."""

from __future__ import annotations

import os
import sys
from typing import Any

from compact_keeper.archive.database import Archive
from compact_keeper.archive.kinds import SERVER_VARIABLE
from compact_keeper.archive.postgres import Away, Server
from compact_keeper.archive.question import question
from compact_keeper.archive.wording import hit_of, pages_of, turn_lines
from compact_keeper.store.refusal import Refusal
from compact_keeper.types import Record

HITS_BY_DEFAULT = 10
AGENT_MAX_CHARACTERS = 1_880  # that an agent is given, without the line above them; with it at most 2,000
NOTHING = "nothing found; fewer or other words may find it"


def server_named() -> str:
    """The address of the server that is asked instead of this machine's archive; empty without one."""
    url = os.environ.get(SERVER_VARIABLE, "")
    return "" if url == "off" else url


def open_archive(instead: bool = False) -> Any:
    """The archive that is asked: the server's where one is named; this machine's `instead` while that one is away."""
    if not (url := server_named()):
        return Archive()
    try:
        return Server(url)
    except Away as fault:
        if not instead:  # numbers of turns differ, and what is forgotten has to be forgotten there
            raise
        sys.stderr.write(f"compact-keeper: {fault}; this machine's archive answers\n")
        return Archive()


def turns_around(number: int, context: int) -> list[Record]:
    """The turn and those around it in its session; refused when there is none."""
    rows: list[Record] = open_archive().around(number, context)
    if not rows:
        raise Refusal(f"there is no turn {number}; a search tells the turns' numbers")
    return rows


def turn_text(number: int, context: int) -> list[str]:
    """The lines of the turn and of those around it in its session."""
    return [line for row in turns_around(number, context) for line in turn_lines(row)]


def hits_for(text: str, filters: Record) -> list[Record]:
    """What is said of the best turns for a question, best first; words in quotes need not occur where none has them."""
    archive = open_archive(instead=True)
    search = {"kind": None, "limit": HITS_BY_DEFAULT, **filters, **question(text)}
    rows = archive.find(search)
    if not rows and search["must"]:
        rows = archive.find({**search, **question(text.replace('"', " "))})
    return [hit_of(row) for row in rows[:search["limit"]]]


def page_for_agent(number: int, page: int) -> str:
    """A page of the turn, and how to go on."""
    pages = pages_of("\n".join(turn_text(number, 0)), AGENT_MAX_CHARACTERS)
    if not 0 < page <= len(pages):
        raise Refusal(f"turn {number} has {len(pages)} pages")
    more = f"\n(page {page} of {len(pages)}; `show {number} {page + 1}` goes on)" if page < len(pages) else ""
    return pages[page - 1] + more
