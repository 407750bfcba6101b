"""The text that is put back: the stored snapshot with pins and what is true now, within its budget."""

from __future__ import annotations

import os

from compact_keeper.recap.compose import recap_of
from compact_keeper.record.present import compared_now
from compact_keeper.store.folder import data_home
from compact_keeper.store.pins import pin_items, pins_in
from compact_keeper.text.fields import text_of
from compact_keeper.text.length import cut, units
from compact_keeper.text.marks import in_quotes
from compact_keeper.types import Line, Record

HARD_STOP = 9_500  # UTF-16 units, printed at most: the client cuts at 10,000
ASK_ROOM = 500  # UTF-16 units above the budget, for its age and for how to ask the archive
THRASH_RECORDS, THRASH_UNITS = 100, 2_000  # three compactions within so many records: the text is cut to so much
REASON_WORDS_CHARACTERS = 100
COUNTED = {  # what the person is told of, by kind of item
    "pin": "pin", "rule": "rule", "message": "message", "task": "task", "action": "action"}


def as_of_now(snapshot: Record, folder: str) -> Record:
    """The snapshot with the person's pins and with what is true of its items on this machine."""
    return {**with_pins(snapshot, folder), "present": compared_now(snapshot)}


def with_pins(snapshot: Record, folder: str) -> Record:
    """The snapshot with the person's pins for this session, word for word."""
    pins = pins_in(folder, text_of(snapshot, "project"))
    return {**snapshot, "items": pin_items(pins) + snapshot["items"]}


def text_for(snapshot: Record, positions: list[int]) -> tuple[str, list[Line]]:
    """The text to put back after a compaction of the main thread, and the lines in it."""
    text, shown = block_of(snapshot)
    as_of = text_of(snapshot, "as_of")
    if as_of:
        head, line_break, rest = text.partition("\n")
        text = f"{head}\n{as_of}{line_break}{rest}"
    ask = how_to_ask(data_home())
    most = min(snapshot["settings"]["budget"] + ASK_ROOM, HARD_STOP) - units(ask)
    return within_thrash(cut(text, most) + ask, positions), shown


def block_of(snapshot: Record) -> tuple[str, list[Line]]:
    """The snapshot's lines within its budget as a text, and which they are."""
    text, lines = recap_of(snapshot)
    return text, [line for line in lines if "section" in line]


def within_thrash(text: str, positions: list[int]) -> str:
    """The text; after three compactions within few records only its beginning, with the reason."""
    apart = positions[-1] - positions[-3] if len(positions) > 2 else THRASH_RECORDS
    if not 0 <= apart < THRASH_RECORDS or units(text) <= THRASH_UNITS:
        return text
    why = (f"\n(Cut to its beginning: this is the third compaction within {apart} records of the transcript, so little "
           "room is left beside what the client itself puts back.)")
    return cut(text, THRASH_UNITS - units(why)).rpartition("\n")[0] + why


def reasons(snapshot: Record) -> str:
    """A row for every line that might be put back: whether it is, in which section, and why not."""
    rows = ["put back?  line"]
    for line in recap_of(snapshot)[1]:
        words = in_quotes(" ".join(line["text"].split())[:REASON_WORDS_CHARACTERS])
        kind = line["items"][0]["kind"] if line["items"] else "fact"
        where = f"yes, under “{line['section']}”" if "section" in line else f"no: {line['why']}"
        rows.append(f"{kind}: {words}\n    {where}")
    return "\n".join(rows)


def how_to_ask(home: str) -> str:
    """The last line where there is an archive in the data folder: how to find in it what does not stand here."""
    here = os.path.dirname(os.path.abspath(__file__))
    script, has_skill = os.path.join(here, "recall.py"), os.path.isdir(os.path.join(here, "..", "skills", "recall"))
    if not os.path.exists(os.path.join(home, "archive.db")) or not os.path.exists(script):
        return ""
    how = "skill compact-keeper:recall (typed: /compact-keeper:recall WORDS)" if has_skill else (
        f"`python3 {script} search WORDS`")
    return f"\n\nThe original words, commands and errors of all earlier turns can be found: {how}."


def counted(shown: list[Line]) -> dict[str, int]:
    """How many items of which kind are shown."""
    items = {id(item): item for line in shown for item in line["items"]}  # the work's lines name messages again
    kinds = [str(item["kind"]) for item in items.values()]
    return {kind: kinds.count(kind) for kind in dict.fromkeys(kinds)}


def said_to_person(shown: list[Line], size: int) -> str:
    """What the person is shown: how much of which kind was put back, and how long the text is."""
    counts = counted(shown)
    parts = ", ".join(f"{counts[kind]} {name}{'s' if counts[kind] > 1 else ''}"
                      for kind, name in COUNTED.items() if counts.get(kind))
    return f"put back {parts or 'what is known'} ({size:,} characters)"
