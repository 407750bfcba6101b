"""How turns of the archive are worded: a hit in two lines, a turn whole, pages of a long text.

What was typed, said or printed stands behind a word that says which; lines of one text are set in, so that none of them
passes for one of ours.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate

from compact_keeper.types import Record

GOES_ON = "    …"  # before the rest of a line on the next page
PASSAGE_CHARACTERS = 200  # of a turn that are shown of a hit
LEFT_OUT = "({:,} more that do not fit; rarer words, project, kind or since narrow it)"
CUT_NOTE_CHARACTERS = 60  # that are kept free for the line that says where a text was cut
KIND_WORDS = {"prompt": "typed", "answer": "said", "command": "ran", "file": "file", "error": "error",
              "decision": "decided"}
AUTHOR_WORDS = {"person": "", "summary": " · a summary of the client's", "subagent": " · a subagent's work"}


def passage(row: Record) -> str:
    """The line of a turn that holds the sentence closest to what was asked; of a long one from that sentence on.

    Of a long sentence it is what stands around its first word that was asked for.
    """
    closest, text = row["closest"], row[row["closest"]["kind"]]
    begin, end = text.rfind("\n", 0, closest["begin"]) + 1, text.find("\n", closest["begin"])
    end = end if end >= 0 else len(text)
    is_long = closest["end"] - closest["begin"] > PASSAGE_CHARACTERS
    from_here = max(closest["begin"], closest["word"] - PASSAGE_CHARACTERS // 3) if is_long else closest["begin"]
    first = from_here if end - begin > PASSAGE_CHARACTERS else begin
    shown = " ".join(text[first:min(end, first + PASSAGE_CHARACTERS)].split())
    return f"{'…' if first > begin else ''}{shown}{'…' if first + PASSAGE_CHARACTERS < end else ''}"


def hit_of(row: Record) -> Record:
    """What a search says of a turn."""
    kept = {name: row[name] for name in ("id", "score", "project", "session", "branch", "cycle", "who")}
    return {**kept, "host": row.get("host", ""), "time": local_time(row["time"]), "kind": row["closest"]["kind"],
            "snippet": passage(row)}


def local_time(seconds: float) -> str:
    """The moment as a person reads it, here."""
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(seconds))


def on_one_line(path: str) -> str:
    """The path as it is shown: line breaks in it end no line."""
    return " ".join(path.split())


def hit_lines(number: int, hit: Record) -> str:
    """A hit in two lines: where it stands, and its passage."""
    branch = f" · {hit['branch']}" if hit["branch"] else ""
    host = f" on {hit['host']}" if hit["host"] else ""
    place = f"{hit['time']} · {on_one_line(os.path.basename(hit['project']))}{host}{branch}{AUTHOR_WORDS[hit['who']]}"
    snippet = f"{KIND_WORDS[hit['kind']]}: {hit['snippet']}"
    return f"{number}. {place} · show {hit['id']} · score {hit['score']}\n   {snippet}"


def numbered_hits(hits: Iterable[Record]) -> list[str]:
    """The hits, numbered, two lines each."""
    return [hit_lines(number, hit) for number, hit in enumerate(hits, 1)]


def steps_of(row: Record) -> Iterator[tuple[str, str]]:
    """The turn's texts in the order in which they came, each with its kind."""
    places = dict.fromkeys(KIND_WORDS, 0)
    for kind, size in json.loads(row["steps"]):
        yield kind, row[kind][places[kind]:places[kind] + size]
        places[kind] += size + 1


def turn_lines(row: Record) -> list[str]:
    """A turn for reading: where it stands, then its steps; what goes over several lines stands further in."""
    branch = f" · branch {row['branch']}" if row["branch"] else ""
    cycles = f" · after {row['cycle']} compactions" if row["cycle"] else ""
    host = f" on {row['host']}" if row.get("host") else ""
    place = f"{local_time(row['time'])} · {on_one_line(row['project'])}{host}{branch} · session {row['session']}"
    lines = [f"turn {row['id']} · {place}{cycles}{AUTHOR_WORDS[row['who']]}"]
    for kind, text in steps_of(row):
        first, *more = text.splitlines() or [""]
        lines += [f"  {KIND_WORDS[kind]}: {first}", *(f"    {line}" for line in more)]
    return lines


def within(lines: Iterable[str], most: int) -> str:
    """The lines as a text of at most so many characters, all with 0; that something is left out is said."""
    text = "\n".join(lines)
    if not most or len(text) <= most:
        return text
    kept = text[:max(most - CUT_NOTE_CHARACTERS, 0)].rstrip()
    return f"{kept}…\n(cut at {most:,} characters; --chars 0 shows all)"


def fitting(hits: Sequence[str], most: int) -> str:
    """The hits that fit into so many characters, whole, and how many do not."""
    sizes = accumulate(len(hit) + 1 for hit in hits)
    shown = sum(size <= most - len(LEFT_OUT) for size in sizes)
    left_out = [LEFT_OUT.format(len(hits) - shown)] if shown < len(hits) else []
    return "\n".join([*hits[:shown], *left_out])


def pages_of(text: str, size: int) -> list[str]:
    """The text in pages of at most so many characters, each of whole lines unless one is longer than half a page.

    What goes on in the middle of a line stands further in, as later lines of a text do.
    """
    pages, start = [], 0
    while start < len(text):
        goes_on = GOES_ON if start and text[start - 1] != "\n" else ""
        end = start + size - len(goes_on)
        behind_line = text.rfind("\n", start + size // 2, end) + 1 if end < len(text) else 0
        pages.append(goes_on + text[start:behind_line or end].rstrip("\n"))
        start = behind_line or end
    return pages
