"""What `show` shows: the rows and steps that a reference names, those of their lines that are chosen, by pages."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from typing import Any

from compact_keeper.archive.index_words import parts_of
from compact_keeper.archive.later_edits import later_edits
from compact_keeper.archive.passages import LEFT_OUT_LINE, folded_text, steps_of_row, steps_tagged, worth_in
from compact_keeper.archive.question import question
from compact_keeper.archive.search import (
    EMPTY,
    RUNNING_SESSION,
    SESSION_MAX_CHARACTERS,
    open_archive,
    take_in_running_session,
)
from compact_keeper.archive.wording import ALL_STEPS, Steps, name_of, numbered_lines, origin_of, pages_of, turn_lines
from compact_keeper.store.refusal import Refusal
from compact_keeper.text.tags import TAG_PATTERN
from compact_keeper.types import JsonObject

PAGE_CHARACTERS, PAGE_MIN_CHARACTERS = 6_000, 100  # of a turn that is shown
GOES_ON_CHARACTERS = 80  # kept free on a page for the line that says how to go on
NEIGHBOURS = 2  # steps before and behind the one that is shown
NO_STEPS = "[]"  # of an old row whose turn stands in others now
LEFT_OUT = rf"\s*{LEFT_OUT_LINE}|.*{LEFT_OUT_LINE} \(\d+ of \d+ lines kept\)|.*\(what a file says is not kept\)"
STEP = rf"\d{{1,9}}|{TAG_PATTERN}"
REFERENCE = rf"(?P<row>\d{{0,18}})(?:#(?P<first>{STEP})(?:-#?(?P<last>{STEP}))?)?"


class NoSuchTag(Refusal):
    """No step has the tag that is asked for."""


class NoSuchLine(Refusal):
    """No line holds a word that is asked for."""


def shown_lines(reference: str, context: int | None, match: str, span: tuple[int, int] | None) -> list[str]:
    """The lines of what a reference names, those that are chosen of them.

    Where some are chosen, they are those of the steps that are named, unless steps around these are asked for, too.
    """
    rows = rows_shown(reference, 0 if context is None and (match or span) else context)
    lines, before = list[str](), ""
    for row, steps in rows:
        of_row = [*turn_lines(row, steps, before)]
        before = origin_of(row) if of_row else before
        lines += of_row
    try:
        return lines_chosen(lines, match, span)
    except NoSuchLine as fault:
        cut = "; not all of this is kept" if any(re.fullmatch(LEFT_OUT, line) for line in lines) else ""
        step = step_with(match, rows[0][0]["session"])
        raise Refusal(f"{fault}{cut}{f'; show {step} of the same session does' if step else ''}") from None


def rows_shown(reference: str, context: int | None) -> list[tuple[JsonObject, Steps]]:
    """The rows of a turn (`2`), of a step with its neighbours (`2#57`), of steps (`2#40-60`), each with those steps.

    Without a turn the steps are the running session's. A step is named by its number or, in the running session, by its
    tag (`#k3fq`, `#1-k3fq` for all from the first to it); a shell takes what begins with # for a comment, so both may
    stand without it. `context`: turns or steps around it; of a turn the part
    that was named comes first, since the others may fill pages. Refused when there is none.
    """
    is_bare = re.match(rf"{TAG_PATTERN}|\d{{1,9}}-#?{TAG_PATTERN}\Z", reference, re.ASCII)
    match = re.fullmatch(REFERENCE, f"#{reference}" if is_bare else reference, re.ASCII)
    if not match or not reference:
        raise Refusal(f"{reference[:60]!r} names no turn (2), step (2#57, of the running session #57 or by its tag "
                      "#k3fq) or steps (2#40-60)")
    archive = open_archive()
    if not match["first"]:
        rows = [row for row in archive.around(int(match["row"]), context or 0) if row["steps"] != NO_STEPS]
        shown = [(row, ALL_STEPS) for row in sorted(rows, key=lambda row: row["id"] != int(match["row"]))]
    else:
        near = context if context is not None else 0 if match["last"] else NEIGHBOURS
        spans = spans_named(archive, match["row"], [name for name in (match["first"], match["last"]) if name])
        shown = [pair for row, begin, end in spans for pair in rows_with_steps(archive, row, Steps(begin, end, near))]
    if not shown:
        raise Refusal(f"there is no {'step' if match['first'] else 'turn'} {reference[:60]}; a search tells the "
                      "numbers")
    again = later_edits(archive, ((row, number, text) for row, steps in shown for number, _, text in steps_of_row(row)
                                  if steps.holds(number)))
    return [({**row, "edited_again": again.get(row["id"], {})}, steps) for row, steps in shown]


def rows_with_steps(archive: Any, number: int, steps: Steps) -> list[tuple[JsonObject, Steps]]:
    """The rows that hold these steps of the turn's transcript, and those near; none where none of them is there."""
    rows = archive.with_steps(number, steps.first - steps.near, steps.last + steps.near)
    is_there = any(steps.holds(step) for row in rows for step, _, _ in steps_of_row(row))
    return [(row, steps) for row in rows] if is_there else []


def spans_named(archive: Any, row: str, names: list[str]) -> list[tuple[int, int, int]]:
    """A row of the transcript with the first and the last step: for each step of one name, or from a name to another.

    A number beside a tag is that of a step in the same transcript.
    """
    if len(names) == 1:
        return [(number, step, step) for number, step in steps_named(archive, row, names[0])]
    number = steps_named(archive, row, min(names, key=str.isdecimal))[0][0]
    first, last = (steps_named(archive, str(number), name)[0][1] for name in names)
    return [(number, first, last)]


def steps_named(archive: Any, row: str, name: str) -> list[tuple[int, int]]:
    """A row of the transcript and the step's number there, for each step of that name: several may have the same tag.

    `row`: the number of a turn of that session; empty: the running one's.
    """
    if name.isdecimal():
        return [(int(row) if row else running_row(archive), int(name))]
    if row:
        session = next((turn["session"] for turn in archive.around(int(row), 0)), "")
    else:
        take_in_running_session()
        session = os.environ.get(RUNNING_SESSION, "")[:SESSION_MAX_CHARACTERS]
    steps = [(turn["id"], step) for turn in archive.tagged(session, name) for step in steps_tagged(turn, name)]
    if not steps:
        is_empty = not open_archive(instead=True).figures()["turns"]
        raise NoSuchTag(EMPTY if is_empty else f"no step here has the tag #{name}: it is not taken in yet, or gone; "
                        "search its words")
    return steps


def running_row(archive: Any) -> int:
    """A row of the running session; refused where it is not known."""
    take_in_running_session()
    row = archive.newest_of(os.environ.get(RUNNING_SESSION, "")[:SESSION_MAX_CHARACTERS])
    if not row:
        whose = "the running session has no step here" if os.environ.get(RUNNING_SESSION) else "no session runs here"
        raise Refusal(f"{whose}; type the number that a search tells, such as 2#57")
    return int(row)


def lines_chosen(lines: list[str], match: str, span: tuple[int, int] | None) -> list[str]:
    """Of the lines those that hold one of the words, with their neighbours; or those from a number to another."""
    if span and span[0] > len(lines):
        raise Refusal(f"there are {len(lines):,} lines: ask for some of 1-{len(lines)}")
    if span:
        return numbered_lines(lines, range(max(span[0] - 1, 0), min(span[1], len(lines))))
    if not match:
        return lines
    indexes = indexes_with_any(match, lines)
    near = sorted({index + step for index in indexes for step in (-1, 0, 1) if 0 <= index + step < len(lines)})
    if not near:
        how = "; words go with spaces between" if "," in match else ""
        raise NoSuchLine(f"none of the {len(lines):,} lines holds {match[:60]}{how}")
    return numbered_lines(lines, near)


def indexes_with_any(match: str, lines: list[str]) -> set[int]:
    """The indexes of the lines that hold one of the words."""
    return {index for word in re.split(r"[\s|]+", match.strip(" |")) for index in indexes_with(word, lines)}


def indexes_with(word: str, lines: list[str]) -> list[int]:
    """The indexes of the lines that hold the word; where one of letters stands nowhere alone, those with it as a part.

    Alone is it in an identifier too, and with another ending.
    """
    needle, parts = folded_text(word), parts_of(word)
    there = [index for index, line in enumerate(lines) if worth_in(folded_text(line), {needle: 1.0})]
    if not (word.isascii() and word.isalpha() and len(parts) == 1):
        return there
    return [index for index, line in enumerate(lines) if parts[0] in parts_of(line)] or there


def step_with(match: str, session: str) -> str:
    """How the best step of the session that holds one of the words is shown; empty where none does."""
    with suppress(Refusal):
        wanted = question(re.sub(r'["|]', " ", match))
        for passage in open_archive().find({"kind": None, "session": session, **wanted}):
            if indexes_with_any(match, passage["text"].splitlines()):
                return name_of(passage)
    return ""


def page_of(lines: list[str], page: int, size: int, how: str) -> str:
    """A page of the lines, all of them with a size of 0; `how` tells how to go on to the next."""
    text = "\n".join(lines)
    pages = pages_of(text, max(size - GOES_ON_CHARACTERS, PAGE_MIN_CHARACTERS)) if 0 < size < len(text) else [text]
    if not 0 < page <= len(pages):
        raise Refusal(f"there is no page {page}; the last is {len(pages)}")
    more = f"\n(page {page} of {len(pages)}; {how.format(page + 1)} goes on)" if page < len(pages) else ""
    return pages[page - 1] + more
