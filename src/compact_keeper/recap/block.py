"""The text that is put back: the stored snapshot with pins and what is true now, within its budget."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence

from compact_keeper.recap.choice import NO_ROOM, chosen_lines
from compact_keeper.recap.compose import recap_of, sections_of, under_headings
from compact_keeper.recap.header import header_of
from compact_keeper.recap.jobs import RUNNING
from compact_keeper.recap.sections import WORK
from compact_keeper.recap.tagged import older_steps
from compact_keeper.record.present import compared_now
from compact_keeper.store.compaction import NONCE_CHARACTERS
from compact_keeper.store.folder import data_home
from compact_keeper.store.pins import pin_items, pins_in
from compact_keeper.store.rest import REST_MAX_UTF16
from compact_keeper.text.fields import text_of
from compact_keeper.text.length import cut, units
from compact_keeper.text.marks import in_quotes
from compact_keeper.text.named_secrets import without_marked
from compact_keeper.text.tags import TAG_PATTERN
from compact_keeper.types import Line, Snapshot

HARD_STOP = 9_800  # UTF-16 units, printed at most: the client cuts at 10,000
ASK_ROOM = 500  # UTF-16 units above the budget, for its age and for how to ask the archive
ONE_PART_BUDGET = HARD_STOP - ASK_ROOM  # what a larger one chooses goes out in two parts
FIRST_PART_UTF16, SECOND_PART_UTF16 = HARD_STOP, REST_MAX_UTF16
SECOND_HEADER = "compact-keeper: second part of the record"
THRASH_RECORDS, THRASH_UNITS = 100, 2_000  # three compactions within so many records: the text is cut to so much
REASON_WORDS_UTF16 = 100
TAG_EXAMPLE = "k3fq"
OLDER = "Older work had no room here ({count} on record): {how} prints it."
COUNTED = {  # what the person is told of by its name, by kind of item; one, several
    "pin": ("pin", "pins"), "rule": ("rule", "rules"), "message": ("message", "messages"), "task": ("task", "tasks"),
    "action": ("action", "actions"), "said": ("reply", "replies"), "job": ("running command", "running commands")}
NAMED_ALONE = {"look": ("thing read", "things read"), "answer": ("answer", "answers"), "plan": ("plan", "plans"),
         "question": ("question", "questions"), "refusal": ("refused call", "refused calls")}  # those of one kind alone


def as_of_now(snapshot: Snapshot, folder: str) -> Snapshot:
    """The snapshot with the person's pins and with what is true of its items on this machine."""
    return {**with_pins(snapshot, folder), "present": compared_now(snapshot)}


def with_pins(snapshot: Snapshot, folder: str) -> Snapshot:
    """The snapshot with the person's pins for this session, word for word."""
    pins = pins_in(folder, text_of(snapshot, "project"))
    return {**snapshot, "items": pin_items(pins) + snapshot["items"]}


def parts_for(snapshot: Snapshot, positions: list[int]) -> tuple[list[str], list[Line]]:
    """What goes out after a compaction of the main thread, in one part or two, and all lines that might stand in it."""
    ask = how_to_ask(data_home())
    snapshot = {**snapshot, "how_to_open": how_to_open(snapshot, ask)}
    if snapshot["settings"]["budget"] > ONE_PART_BUDGET:
        parts, lines = in_two_parts(snapshot, ask)
    else:
        text, lines = recap_of(snapshot)
        end = ask + what_is_older(snapshot, lines)
        most = snapshot["settings"]["budget"] + ASK_ROOM - units(end)
        parts = [cut(with_age(text, snapshot), most) + end]
    is_said = bool(snapshot["how_to_open"])
    if is_said and not any(re.search(rf" #{TAG_PATTERN}$", line["text"]) for line in shown_of(lines)):
        parts[0] = parts[0].replace(f" {snapshot['how_to_open']}", "", 1)  # it explains what does not stand there
    parts = [without_marked(part, snapshot.get("named", ())) for part in parts]
    first = within_thrash(parts[0], positions)
    return parts if first == parts[0] else [first], lines


def in_one_part(snapshot: Snapshot) -> Snapshot:
    """The snapshot with a budget for one part, where nobody could hand over a second."""
    budget = min(snapshot["settings"]["budget"], ONE_PART_BUDGET)
    return {**snapshot, "settings": {**snapshot["settings"], "budget": budget}}


def in_two_parts(snapshot: Snapshot, ask: str) -> tuple[list[str], list[Line]]:
    """The recap, in two parts where one is too short for it, and all lines that might stand in it.

    What the first part leaves empty, as its next line is too long, may be missing in the second: then fewer are chosen.
    """
    sections, begin = sections_of(snapshot), with_age(header_of(snapshot), snapshot)
    lost_room = units(text_of(snapshot, "how_to_open"))
    while True:
        lines = chosen_lines(sections, snapshot["settings"]["budget"], lost_room)
        older = what_is_older(snapshot, lines)
        parts = divided(begin, shown_of(lines), (ask, older), text_of(snapshot, "id"))
        over = units(parts[-1]) - SECOND_PART_UTF16
        if not parts[1:] or over <= 0:
            return parts, lines
        lost_room += over


def divided(begin: str, lines: Sequence[Line], ends: tuple[str, str], number: str) -> list[str]:
    """The lines with begin and end in one part; where that is too short, those that have no room in a second one.

    `ends`: what ends the first part, and what ends the last behind that.
    """
    end, last_end = ends
    room, count = FIRST_PART_UTF16 - units(begin) - units(end) - units(last_end), 0
    for before, line in zip([None, *lines], lines):
        is_same = before is not None and before["section"] == line["section"]
        room -= units(line["text"]) + 1 + (0 if is_same else units(line["section"]) + len("\n\n## "))
        if room < 0:
            break
        count += 1
    first, second = lines[:count], lines[count:]
    parts = [under_headings(begin, first) + end + ("" if second else last_end)]
    if second:
        block = f" (block {number[-NONCE_CHARACTERS:]})" if number else ""
        parts.append(under_headings(f"{SECOND_HEADER}{block}.", second, first[-1]["section"] if first else "")
                     + last_end)
    return parts


def with_age(text: str, snapshot: Snapshot) -> str:
    """The text, its age behind the first line where there is something to be said of it."""
    as_of = text_of(snapshot, "as_of")
    head, line_break, rest = text.partition("\n")
    return f"{head}\n{as_of}{line_break}{rest}" if as_of else text


def shown_of(lines: Iterable[Line]) -> list[Line]:
    """Those of the lines that are put back."""
    return [line for line in lines if "section" in line]


def block_of(snapshot: Snapshot) -> tuple[str, list[Line]]:
    """The snapshot's lines within its budget as a text, and which they are."""
    text, lines = recap_of(snapshot)
    return without_marked(text, snapshot.get("named", ())), shown_of(lines)


def within_thrash(text: str, positions: list[int]) -> str:
    """The text; after three automatic compactions within few records its beginning and what runs, with the reason."""
    apart = positions[-1] - positions[-3] if len(positions) > 2 else THRASH_RECORDS
    if not 0 <= apart < THRASH_RECORDS or units(text) <= THRASH_UNITS:
        return text
    why = (f"\n(Cut to its beginning: this is the third automatic compaction within {apart} records of the transcript, "
           "and a long text here would soon bring the next.)")
    running = "\n".join(line for line in text.splitlines() if line.startswith(f"- {RUNNING}: "))
    running = cut(running, THRASH_UNITS // 2)
    begin = cut(text, THRASH_UNITS - units(why) - units(running) - 1).rpartition("\n")[0]
    return begin + (f"\n{running}" if running and running not in begin else "") + why


def reasons(lines: Iterable[Line]) -> str:
    """How many lines are put back under each heading; then those that are not, below the reason."""
    put_back: dict[str, int] = {}
    left_out: dict[str, list[str]] = {}
    for line in lines:
        if "section" in line:
            put_back[line["section"]] = put_back.get(line["section"], 0) + 1
        else:
            words = in_quotes(cut(" ".join(line["text"].split()), REASON_WORDS_UTF16))
            left_out.setdefault(str(line["why"]), []).append(words)
    rows = ["Put back, lines under each heading:", *(f"{count:6,}  {section}" for section, count in put_back.items())]
    for why, words_of_lines in left_out.items():
        rows += ["", f"Not put back ({why}):", *(f"- {words}" for words in words_of_lines)]
    return "\n".join([*rows, *(["", "Nothing is left out."] if not left_out else [])])


def how_to_ask(home: str) -> str:
    """The last line where there is an archive in the data folder: how to find in it what does not stand here."""
    here = os.path.dirname(os.path.abspath(__file__))
    script, has_skill = os.path.join(here, "recall.py"), os.path.isdir(os.path.join(here, "..", "skills", "recall"))
    if not os.path.exists(os.path.join(home, "archive.db")) or not os.path.exists(script):
        return ""
    how = "skill compact-keeper:recall (typed: /compact-keeper:recall WORDS)" if has_skill else (
        f"`python3 {script} search WORDS`")
    return f"\n\nThe original words, commands and errors of earlier turns can be found: {how}."


def how_to_open(snapshot: Snapshot, ask: str) -> str:
    """The sentence that says how to see the step behind a tag, where the archive has the session's; else empty.

    `ask`: the last line, which says how to ask the archive; empty where nobody can.
    """
    is_kept = snapshot["settings"]["archive"] and os.environ.get("COMPACT_KEEPER_ARCHIVE") != "off"
    if not ask or not is_kept:
        return ""
    script = re.search(r"`(python3 .*) search WORDS`", ask)
    how = f"`{script[1]} show {TAG_EXAMPLE}`" if script else f"skill compact-keeper:recall with `show #{TAG_EXAMPLE}`"
    return f"A line that ends in a tag like #{TAG_EXAMPLE} is shortened: {how} prints that step and those around it."


def what_is_older(snapshot: Snapshot, lines: Sequence[Line]) -> str:
    """The sentence that ends the text: what had no room, and how to see it; empty without tags, or where all had."""
    if not any(line.get("why") == NO_ROOM for line in lines):
        return ""
    work = [line for line in shown_of(lines) if line["section"] == WORK]
    count, tag = older_steps(snapshot["items"], work) if text_of(snapshot, "how_to_open") else (0, "")
    by_script = re.search(r"`(python3 .*) show", text_of(snapshot, "how_to_open"))
    how = f"`{by_script[1]} show '#1-{tag}'`" if by_script else f"skill compact-keeper:recall with `show #1-{tag}`"
    steps = f"{count} step{'s' * (count != 1)}"
    return f"\n\n{OLDER.format(count=steps, how=how)}" if tag else ""


def counted(shown: list[Line]) -> dict[str, int]:
    """How many items of which kind are shown."""
    items = {id(item): item for line in shown for item in line["items"]}  # the work's lines name messages again
    kinds = [str(item["kind"]) for item in items.values()]
    return {kind: kinds.count(kind) for kind in dict.fromkeys(kinds)}


def said_to_person(shown: list[Line], size: int) -> str:
    """What the person is shown: how much of which kind was put back, and how long the text is."""
    counts = counted(shown)
    parts = [f"{counts[kind]} {names[counts[kind] > 1]}" for kind, names in COUNTED.items() if counts.get(kind)]
    rest = {kind: count for kind, count in counts.items() if kind not in COUNTED}
    if len(rest) == 1 and {*rest} <= {*NAMED_ALONE}:  # of several kinds the names would take more room than they tell
        parts += [f"{count} {NAMED_ALONE[kind][count > 1]}" for kind, count in rest.items()]
    elif others := sum(rest.values()):
        parts.append(f"{others} more" if parts else f"{others} thing{'s' * (others > 1)}")
    return f"put back {', '.join(parts) or 'what is known'} ({size:,} characters)"
