"""How passages and turns of the archive are worded: a hit in a few lines, a turn step by step, pages of a long text.

What was typed, said or printed stands behind a word that says which; further lines of one text are set in, so that none
of them passes for one of ours.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator, Sequence

from compact_keeper.archive.passages import LEFT_OUT_LINE, LINE_INDENT_CHARACTERS, excerpt, next_words, steps_of_row
from compact_keeper.client.transcript import PASTED_PLAN
from compact_keeper.text.kind_words import count_shown
from compact_keeper.text.times import local_time
from compact_keeper.types import JsonObject

GOES_ON = "    …"  # before the rest of a line on the next page
READ_ALONE = "  → ended"  # below a file that was read, where its outline says nothing
FIRST_LINE_CHARACTERS = 160  # of a step that is shown as a neighbour
LONG_CHARACTERS = 1_000  # of a step: where a hit ends before such a one does, it says how to read on
PAGED_CHARACTERS = 1_500  # a longer step may need more than an agent's page of 2,000
HIT_CHARACTERS = 250  # a hit in less room says nothing
LEAST_SCORE = 0.01  # which counts for a passage that has less, as for its share of the room
STEP_WORDS = {"prompt": "typed", "answer": "said", "command": "ran", "file": "file", "error": "error",
              "decision": "decided"}
AUTHOR_WORDS = {"person": "", "summary": " · a summary of the client's", "subagent": " · a subagent's work"}


def word_for(kind: str, text: str) -> str:
    """What is said before a step of this kind: of a plan that the person approved in another session not "said"."""
    return "plan" if kind == "answer" and text.startswith(PASTED_PLAN) else STEP_WORDS[kind]


def on_one_line(path: str) -> str:
    """The path as it is shown: line breaks in it end no line."""
    return " ".join(path.split())


def name_of(passage: JsonObject) -> str:
    """By what a passage is shown: its row and its step; of a row of version 0.6.0 the row alone."""
    return f"{passage['id']}#{passage['step']}" if passage["step"] else f"{passage['id']}"


class Steps:
    """Which steps are shown whole, and how many before and behind them in a line each."""

    def __init__(self, first: int, last: int, near: int = 0) -> None:
        """No NamedTuple: to import typing takes 2.4 ms of a search's 45."""
        self.first, self.last, self.near = first, last, near

    def holds(self, number: int | None) -> bool:
        """Whether the step with this number is shown whole."""
        return self.first <= (number or 0) <= self.last


ALL_STEPS = Steps(0, 1 << 62)  # those of old rows too, which have no numbers


# --- hits ---


def hit_of(passage: JsonObject, most: int) -> JsonObject:
    """What a search says of a passage, in a snippet of about so many characters.

    `more`: how to see the rest where the snippet ends before a long step does; else empty.
    """
    kind, following = next_words(passage)
    kept = {name: passage[name] for name in ("id", "step", "score", "project", "session", "branch", "cycle", "who",
                                             "kind", "again")}
    lines, name = excerpt(passage["text"], passage["worth"], most), name_of(passage)
    text, end = passage["text"].rstrip(), "".join(lines[-1:])
    page = ", then --page 2" if len(text) > PAGED_CHARACTERS else ""
    is_cut = len(text) > LONG_CHARACTERS and end.endswith(LEFT_OUT_LINE) and end != text.rpartition("\n")[2]
    more = f"show {name}{page}" if is_cut else ""
    return {**kept, "name": name, "more": more, "host": passage.get("host", ""), "time": local_time(passage["time"]),
            "next": f"{word_for(kind, following)}: {following}" if following else "",
            "edited_again": passage.get("edited_again", ""), "snippet": "\n".join(lines)}


def hits_within(passages: Sequence[JsonObject], most: int) -> list[JsonObject]:
    """What is said of the passages that have room in so many characters together; all of each with 0.

    The better a passage, the more room it has; what a short one leaves goes to the others.
    """
    room = most or 1 << 30
    shown = passages[:max(room // HIT_CHARACTERS, 1)]
    heads = [len(hit_text(index, {**hit_of(passage, 0), "snippet": ""})) + 2 for index, passage in enumerate(shown)]
    weights = [math.sqrt(max(passage["score"], LEAST_SCORE)) for passage in shown]
    needs = [head + len(passage["text"]) + LINE_INDENT_CHARACTERS * passage["text"].count("\n")
             for head, passage in zip(heads, shown)]
    hits: dict[int, JsonObject] = {}
    left = sorted(range(len(shown)), key=lambda index: needs[index] / weights[index])
    while left:
        share = weights[left[0]] / sum(weights[index] for index in left)
        index = left.pop(0)
        hits[index] = hit_of(shown[index], int(room * share) - heads[index])
        room -= len(hit_text(index, hits[index])) + 1
    return [hits[index] for index in sorted(hits)]


def hit_text(number: int, hit: JsonObject) -> str:
    """A hit: a line that says where it stands, then its passage."""
    shown = hit["snippet"].removesuffix(f"\n{LEFT_OUT_LINE}") if hit["more"] else hit["snippet"]
    first, *lines = shown.split("\n")
    rest = f"   {LEFT_OUT_LINE} goes on: {hit['more']}"
    return "\n".join([f"{number}. {hit_heading(hit)}", f"   {word_for(hit['kind'], first)}: {first}",
                      *(f"      {line}" for line in lines),
                      *([rest] if hit["more"] else []),
                      *([f"   {hit['edited_again']}"] if hit["edited_again"] else []),
                      *([f"   next, {hit['next']}"] if hit["next"] else [])])


def hit_heading(hit: JsonObject) -> str:
    """Where a hit comes from, and how it is shown."""
    branch = f" · {hit['branch']}" if hit["branch"] else ""
    host = f" on {hit['host']}" if hit["host"] else ""
    again = f" · {hit['again']} more the same" if hit["again"] else ""
    origin = f"{hit['time']} · {on_one_line(os.path.basename(hit['project']))}{host}{branch}{AUTHOR_WORDS[hit['who']]}"
    return f"{origin} · show {hit['name']}{again}"


def hit_in_a_line(hit: JsonObject) -> str:
    """The hit on a line of its own."""
    lines = filter(None, map(str.strip, hit["snippet"].split("\n")))
    return f"- {hit_heading(hit)} · {word_for(hit['kind'], hit['snippet'])}: {' ⏎ '.join(lines)}"


def hits_text(hits: Sequence[JsonObject]) -> str:
    """The hits, numbered."""
    return "\n".join(hit_text(number, hit) for number, hit in enumerate(hits, 1))


# --- turns ---


def origin_of(row: JsonObject) -> str:
    """Where a row's turn stands: project, branch, session, after how many compactions, whose words."""
    branch = f" · branch {row['branch']}" if row["branch"] else ""
    cycles = f" · after {count_shown(row['cycle'], 'compaction')}" if row["cycle"] else ""
    host = f" on {row['host']}" if row.get("host") else ""
    return (f"{on_one_line(row['project'])}{host}{branch} · session {row['session']}{cycles}"
            f"{AUTHOR_WORDS[row['who']]}")


def turn_lines(row: JsonObject, steps: Steps, before: str = "") -> Iterator[str]:
    """A row for reading: its turn's number, time, origin, then those of its steps; nothing where it has none of them.

    The origin is left out where it is the one `before`.
    """
    origin = origin_of(row)
    head = [f"turn {row['id']} · {local_time(row['time'])}{f' · {origin}' if origin != before else ''}"]
    for number, kind, text in steps_of_row(row):
        line, *more = text.splitlines() or [""]
        if line.startswith("Read ") and more == [READ_ALONE]:
            more = [f"{READ_ALONE} (what a file says is not kept)"]
        mark = f"{f'#{number} ' if number else ''}{word_for(kind, text)}: "
        if steps.holds(number):
            again = [f"  ({row['edited_again'][number]})"] if number in row.get("edited_again", {}) else []
            yield from [*head, f"  {mark}{line}", *(f"    {line}" for line in [*more, *again])]
            head = []
        elif steps.first - steps.near <= (number or 0) <= steps.last + steps.near:
            is_cut = more or len(line) > FIRST_LINE_CHARACTERS
            yield from [*head, f"  {mark}{line[:FIRST_LINE_CHARACTERS]}{' …' if is_cut else ''}"]
            head = []


def pages_of(text: str, size: int) -> list[str]:
    """The text in pages of at most so many characters, each of whole lines unless one is longer than half a page.

    What goes on in the middle of a line stands further in, as later lines of a text do.
    """
    pages, start = list[str](), 0
    while start < len(text):
        goes_on = GOES_ON if start and text[start - 1] != "\n" else ""
        end = start + size - len(goes_on)
        behind_line = text.rfind("\n", start + size // 2, end) + 1 if end < len(text) else 0
        pages.append(goes_on + text[start:behind_line or end].rstrip("\n"))
        start = behind_line or end
    return pages


def numbered_lines(lines: Sequence[str], indexes: Iterable[int]) -> list[str]:
    """Those of the lines, each with its number from 1 on."""
    return [f"{index + 1:>5} {lines[index]}" for index in indexes]
