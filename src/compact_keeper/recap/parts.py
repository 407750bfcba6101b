"""The text that is put back: the stored snapshot with pins and what is true now, in one part or in up to three.

The client cuts what one hook says at 10,000 UTF-16 units, so a larger budget goes out in several parts. After several
compactions within a few records the budget is a small one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from compact_keeper.machine.present import compared_now
from compact_keeper.machine.repository import project_folders
from compact_keeper.recap.choice.chosen_lines import below_turns, chosen_lines, heading_units
from compact_keeper.recap.choice.sections import WORK
from compact_keeper.recap.choice.steps import all_pieces
from compact_keeper.recap.compose import sections_of
from compact_keeper.recap.lines.header import header_of
from compact_keeper.recap.recall_hints import how_to_ask, how_to_open, recall_call, what_had_no_room
from compact_keeper.recap.wording.tagged import has_tag
from compact_keeper.store.compaction import NONCE_CHARACTERS
from compact_keeper.store.folder import data_home
from compact_keeper.store.pins import pin_items, pins_in
from compact_keeper.store.rest import REST_MAX_UTF16
from compact_keeper.text.fields import text_of
from compact_keeper.text.length import CLIENT_CUTS_AT_UTF16, units
from compact_keeper.text.named_secrets import without_marked
from compact_keeper.types import ChosenLine, Snapshot

HARD_STOP = CLIENT_CUTS_AT_UTF16 - 200  # UTF-16 units, printed at most
ASK_ROOM = 500  # UTF-16 units above the budget, for its age and for how to ask the archive
WHOLE_MAX_UTF16 = 1_000  # a line of more may stand in two parts
OVER_LEAST_UTF16 = 60  # that are left out where a text is too long: by single units one was chosen nine times
ONE_PART_BUDGET = HARD_STOP - ASK_ROOM  # what a larger one chooses goes out in several parts
FURTHER_HEADERS = tuple(f"compact-keeper: {number} part of the record" for number in ("second", "third"))
THRASH_RECORDS, THRASH_COMPACTIONS = 100, 3  # so many compactions within so many records: the text is kept short
THRASH_UNITS = 2_000  # that it has at most, with how to ask the archive
CONTINUED = " (continued)"  # behind a section's heading in a further part
KEPT_SHORT = "(Kept short: "  # how the last paragraph of such a text begins


def as_of_now(snapshot: Snapshot, folder: str) -> Snapshot:
    """The snapshot with the person's pins and what is true now; of none only an empty list of items, without pins."""
    if "items" not in snapshot:
        return {"items": []}
    return {**with_pins(snapshot, folder), "present": compared_now(snapshot)}


def with_pins(snapshot: Snapshot, folder: str) -> Snapshot:
    """The snapshot with the person's pins for this session, word for word."""
    pins = pins_in(folder, project_folders(text_of(snapshot, "project")))
    return {**snapshot, "items": pin_items(pins) + snapshot["items"]}


def in_one_part(snapshot: Snapshot) -> Snapshot:
    """The snapshot with a budget for one part, where nobody could hand over a second."""
    return with_budget(snapshot, ONE_PART_BUDGET)


def with_budget(snapshot: Snapshot, most: int) -> Snapshot:
    """The snapshot with its own budget, or with so many units where that is more."""
    budget = min(snapshot["settings"]["budget"], most)
    return {**snapshot, "settings": {**snapshot["settings"], "budget": budget}}


def recap_parts(snapshot: Snapshot, positions: Sequence[int] = ()) -> tuple[list[str], list[ChosenLine]]:
    """What goes out of the snapshot, part by part, and all lines that might stand in it.

    `positions`: where in the session its last automatic compactions came. A subagent is not told how to ask recall.
    """
    call = "" if text_of(snapshot, "agent") else recall_call(data_home())
    parts, lines = chosen_parts(snapshot, call)
    why = why_short(positions)
    if why and sum(map(units, parts)) > THRASH_UNITS:
        parts, lines = chosen_parts(with_budget(snapshot, THRASH_UNITS - ASK_ROOM), call, why)
    named = snapshot.get("named", ())
    if named:  # what is noted of the lines is what goes out of them
        lines = [{**line, "text": without_marked(line["text"], named)} for line in lines]
    return [without_marked(part, named) for part in parts], lines


def chosen_parts(snapshot: Snapshot, call: str, why: str = "") -> tuple[list[str], list[ChosenLine]]:
    """The recap, in as many parts as its budget needs; all lines that might stand in it.

    `call`: how recall is asked; `why` ends the text. What a part leaves empty, as its next line is too long, may be
    missing in the last, and what ends a small text may be long: then fewer lines are chosen, so that each stands as it
    is counted.
    """
    snapshot = {**snapshot, "how_to_open": how_to_open(snapshot, call)}
    sections, said = sections_of(snapshot)
    pieces = all_pieces(sections.get(WORK, ()), said)
    budget, lost_room = snapshot["settings"]["budget"], units(snapshot["how_to_open"])
    most_further = -(-(budget - ONE_PART_BUDGET) // REST_MAX_UTF16)  # rounded up
    while True:
        lines = chosen_lines(sections, pieces, budget, lost_room, text_of(snapshot, "summary"))
        shown = shown_of(lines)
        last_end = what_had_no_room(snapshot, lines, call) + why
        begin = header_of(snapshot if any(map(has_tag, shown)) else {**snapshot, "how_to_open": ""})
        parts = divided(begin, shown, how_to_ask(call), last_end, text_of(snapshot, "id"))
        over = max(sum(map(units, parts)) - budget - ASK_ROOM,
                   sum(map(units, parts[1:])) - most_further * REST_MAX_UTF16)
        longest = max(map(units, parts[1:]), default=0)
        if (over <= 0 and len(parts) <= 1 + most_further and longest <= REST_MAX_UTF16) or not shown:
            return parts, lines
        lost_room += max(over, OVER_LEAST_UTF16)


def divided(begin: str, lines: Sequence[ChosenLine], end: str, last_end: str, compaction_id: str) -> list[str]:
    """The lines with begin and end in one part; those that have no room there in further ones.

    `end` stands in the first part, `last_end` in the last; `compaction_id` names the text. The last part may be longer
    than it should.
    """
    lines = [*with_rows_apart(lines)]
    count = fitting(lines, HARD_STOP - units(begin) - units(end) - units(last_end))
    parts = [under_headings(begin, lines[:count]) + end]
    block = f" (block {compaction_id[-NONCE_CHARACTERS:]})" if compaction_id else ""
    for header in FURTHER_HEADERS:
        if count == len(lines):
            break
        section = lines[count - 1]["section"] if count else ""
        begin, rest = f"{header}{block}.", lines[count:]
        is_last = header == FURTHER_HEADERS[-1]
        more = len(rest) if is_last else fitting(
            rest, REST_MAX_UTF16 - units(begin) - units(CONTINUED) - units(last_end))
        parts.append(under_headings(begin, rest[:more], continued=section))
        count += more
    return [*parts[:-1], parts[-1] + last_end]


def under_headings(begin: str, lines: Sequence[ChosenLine], continued: str = "") -> str:
    """The lines behind their begin, each section's under its heading; that of the section `continued` says so."""
    blocks: dict[str, list[str]] = {}
    for line, text in zip(lines, below_turns(lines)):
        section = line["section"]
        if section not in blocks:
            blocks[section] = [f"## {section}{CONTINUED}" if section == continued else f"## {section}"]
        blocks[section].append(text)
    return "\n\n".join([begin, *("\n".join(block) for block in blocks.values())])


def with_rows_apart(lines: Iterable[ChosenLine]) -> Iterator[ChosenLine]:
    """The lines, of a long one its rows apart, so that a part may end between them; the first with the one below it.

    A plan of 8,800 units had no room behind a first part's begin: that part had 800, and what told most was left out.
    """
    for line in lines:
        head, line_break, below = line["text"].partition("\n")
        if units(line["text"]) <= WHOLE_MAX_UTF16 or not below:
            yield line
            continue
        first, *others = below.split("\n")
        for text in (f"{head}{line_break}{first}", *others):
            yield {**line, "text": text}


def fitting(lines: Sequence[ChosenLine], room: int) -> int:
    """How many of the lines have room in so many units, with the headings above them."""
    section = ""
    for count, (line, text) in enumerate(zip(lines, below_turns(lines))):
        if line["section"] != section:
            section = line["section"]
            room -= heading_units(section)
        room -= units(text) + 1
        if room < 0:
            return count
    return len(lines)


def shown_of(lines: Iterable[ChosenLine]) -> list[ChosenLine]:
    """Those of the lines that are put back."""
    return [line for line in lines if line["is_put_back"]]


def why_short(positions: Sequence[int]) -> str:
    """The paragraph that ends a text which is kept short, as many automatic compactions came close together.

    Empty where they are few. `positions`: where in the session they came, the last one last.
    """
    near = [position for position in positions if 0 <= positions[-1] - position < THRASH_RECORDS]
    if len(near) < THRASH_COMPACTIONS:
        return ""
    return (f"\n\n{KEPT_SHORT}{len(near)} automatic compactions came within {near[-1] - near[0]} records of the "
            "transcript, this one the last, and a long text here would soon bring the next. Tasks, checks, earlier "
            "words and steps may be missing.)")
