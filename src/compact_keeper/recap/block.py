"""The text that is put back: the stored snapshot with pins and what is true now, in one part or in two.

The client cuts what one hook says at 10,000 UTF-16 units, so a larger budget goes out in two parts. After several
compactions within a few records the text is cut to its beginning.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from compact_keeper.machine.present import compared_now
from compact_keeper.recap.choice.chosen_lines import chosen_lines, is_put_back
from compact_keeper.recap.compose import recap_of, sections_of, under_headings
from compact_keeper.recap.lines.header import header_of
from compact_keeper.recap.lines.jobs import RUNNING
from compact_keeper.recap.recall_hints import how_to_ask, how_to_open, recall_call, what_had_no_room
from compact_keeper.store.compaction import NONCE_CHARACTERS
from compact_keeper.store.folder import data_home
from compact_keeper.store.pins import pin_items, pins_in
from compact_keeper.store.rest import REST_MAX_UTF16
from compact_keeper.text.fields import text_of
from compact_keeper.text.length import cut, units
from compact_keeper.text.named_secrets import without_marked
from compact_keeper.text.tags import TAG_PATTERN
from compact_keeper.types import Line, Snapshot

HARD_STOP = 9_800  # UTF-16 units, printed at most: the client cuts at 10,000
ASK_ROOM = 500  # UTF-16 units above the budget, for its age and for how to ask the archive
ONE_PART_BUDGET = HARD_STOP - ASK_ROOM  # what a larger one chooses goes out in two parts
SECOND_HEADER = "compact-keeper: second part of the record"
THRASH_RECORDS, THRASH_UNITS = 100, 2_000  # three compactions within so many records: the text is cut to so much


def as_of_now(snapshot: Snapshot, folder: str) -> Snapshot:
    """The snapshot with the person's pins and what is true now; without items where there is none, pins or not."""
    return {**with_pins(snapshot, folder), "present": compared_now(snapshot)} if snapshot else {"items": []}


def with_pins(snapshot: Snapshot, folder: str) -> Snapshot:
    """The snapshot with the person's pins for this session, word for word."""
    pins = pins_in(folder, text_of(snapshot, "project"))
    return {**snapshot, "items": pin_items(pins) + snapshot["items"]}


def in_one_part(snapshot: Snapshot) -> Snapshot:
    """The snapshot with a budget for one part, where nobody could hand over a second."""
    budget = min(snapshot["settings"]["budget"], ONE_PART_BUDGET)
    return {**snapshot, "settings": {**snapshot["settings"], "budget": budget}}


def parts_for(snapshot: Snapshot, positions: list[int]) -> tuple[list[str], list[Line]]:
    """What goes out after a compaction of the main thread, in one part or two, and all lines that might stand in it.

    `positions`: where in the session its last automatic compactions came.
    """
    call = recall_call(data_home())
    snapshot = {**snapshot, "how_to_open": how_to_open(snapshot, call)}
    is_long = snapshot["settings"]["budget"] > ONE_PART_BUDGET
    parts, lines = two_parts(snapshot, call) if is_long else single_part(snapshot, call)
    if snapshot["how_to_open"] and not any(re.search(rf" #{TAG_PATTERN}$", line["text"]) for line in shown_of(lines)):
        parts[0] = parts[0].replace(f" {snapshot['how_to_open']}", "", 1)  # it explains what does not stand there
    parts = [without_marked(part, snapshot.get("named", ())) for part in parts]
    short = within_thrash(parts[0], positions)
    return parts if short == parts[0] else [short], lines


def single_part(snapshot: Snapshot, call: str) -> tuple[list[str], list[Line]]:
    """The recap in one part, and all lines that might stand in it; `call`: how recall is asked."""
    text, lines = recap_of(snapshot)
    end = how_to_ask(call) + what_had_no_room(snapshot, lines, call)
    room = snapshot["settings"]["budget"] + ASK_ROOM - units(end)
    return [cut(with_age(text, snapshot), room) + end], lines


def two_parts(snapshot: Snapshot, call: str) -> tuple[list[str], list[Line]]:
    """The recap, in two parts where one is too short for it, and all lines that might stand in it.

    What the first part leaves empty, as its next line is too long, may be missing in the second: then fewer are chosen.
    """
    sections, begin = sections_of(snapshot), with_age(header_of(snapshot), snapshot)
    lost_room = units(snapshot["how_to_open"])
    while True:
        lines = chosen_lines(sections, snapshot["settings"]["budget"], lost_room, text_of(snapshot, "summary"))
        last_end = what_had_no_room(snapshot, lines, call)
        parts = divided(begin, shown_of(lines), how_to_ask(call), last_end, text_of(snapshot, "id"))
        over = units(parts[-1]) - REST_MAX_UTF16
        if len(parts) == 1 or over <= 0:
            return parts, lines
        lost_room += over


def divided(begin: str, lines: Sequence[Line], end: str, last_end: str, compaction_id: str) -> list[str]:
    """The lines with begin and end in one part; where that is too short, those that have no room in a second one.

    `end` stands in the first part, `last_end` in the last; `compaction_id` names the text.
    """
    room = HARD_STOP - units(begin) - units(end) - units(last_end)
    count, section = 0, ""
    for line in lines:
        heading = 0 if line["section"] == section else units(line["section"]) + len("\n\n## ")
        room -= units(line["text"]) + 1 + heading
        if room < 0:
            break
        count, section = count + 1, line["section"]
    first, second = lines[:count], lines[count:]
    if not second:
        return [under_headings(begin, first) + end + last_end]
    block = f" (block {compaction_id[-NONCE_CHARACTERS:]})" if compaction_id else ""
    return [under_headings(begin, first) + end,
            under_headings(f"{SECOND_HEADER}{block}.", second, continued=section) + last_end]


def with_age(text: str, snapshot: Snapshot) -> str:
    """The text, its age behind the first line where there is something to be said of it."""
    as_of = text_of(snapshot, "as_of")
    head, line_break, rest = text.partition("\n")
    return f"{head}\n{as_of}{line_break}{rest}" if as_of else text


def shown_of(lines: Iterable[Line]) -> list[Line]:
    """Those of the lines that are put back."""
    return [line for line in lines if is_put_back(line)]


def block_of(snapshot: Snapshot) -> tuple[str, list[Line]]:
    """The snapshot's lines within its budget as a text, and which they are."""
    text, lines = recap_of(snapshot)
    return without_marked(text, snapshot.get("named", ())), shown_of(lines)


def within_thrash(text: str, positions: list[int]) -> str:
    """The text; after three automatic compactions within few records its beginning and what runs, with the reason."""
    if len(positions) < 3 or units(text) <= THRASH_UNITS:
        return text
    apart = positions[-1] - positions[-3]
    if not 0 <= apart < THRASH_RECORDS:
        return text
    why = (f"\n(Cut to its beginning: this is the third automatic compaction within {apart} records of the transcript, "
           "and a long text here would soon bring the next.)")
    running = "\n".join(line for line in text.splitlines() if line.startswith(f"- {RUNNING}: "))
    running = cut(running, THRASH_UNITS // 2)
    begin = cut(text, THRASH_UNITS - units(why) - units(running) - 1).rpartition("\n")[0]
    return begin + (f"\n{running}" if running and running not in begin else "") + why
