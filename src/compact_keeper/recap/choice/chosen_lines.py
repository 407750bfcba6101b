"""Which lines are put back within the budget, and in their short or their longer form.

    0. In a small budget what binds and what fails comes before all else: pins, rules, failing checks, the newest
       message, what runs and what is open.
    1. In the order of its shares (`shares_of`) each section takes its first lines, within its share of the budget, as
       far as the sections before it left room; a part is kept for WORK. LENGTHENED_IN_SHARE get their longer form
       within their share, REPOSITORY too where the budget is not small.
    2. WORK takes what is left, for what was done and said that tells most beside these lines and the summary: steps.py.
    3. What is still left goes to the longer form of LENGTHENED_LATER, to the lines of FILLED_LAST that had no room so
       far, then to OLD_BOXES, at last to more of the plan or the order, to what old messages answer, to more of what
       was changed in files.

All lengths are UTF-16 units, as the client counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from compact_keeper.recap.choice.ranking import words_of
from compact_keeper.recap.choice.sections import (
    ALSO_ON_RECORD,
    CHECKS,
    EARLIER_WORDS,
    END,
    FILES_READ,
    OLD_BOXES,
    PINS,
    PLANS,
    REPOSITORY,
    RULES,
    SHOWN,
    TASK_LIST,
    WORK,
    shares_of,
)
from compact_keeper.recap.choice.steps import chosen_steps
from compact_keeper.recap.lines.header import HEADER_UTF16
from compact_keeper.store.settings import is_small
from compact_keeper.text.length import cut, units
from compact_keeper.types import ChosenLine, Item, Line, Piece

# Why a line is put back, or is not.
PUT_BACK, IN_SUMMARY, NO_ROOM = "put back", "stands in the summary", "no room left in its section"
SAYS_LESS = "says less that is new than the lines that are put back"
RULES_MIN_UTF16 = 200  # for rules where their share is less: room for the newest one, unless pins have taken it
# Of a small budget, in their order: the share of what is left that each may take first, and how many units at least.
NEEDED_SHARES = {RULES: (0.5, RULES_MIN_UTF16), CHECKS: (0.5, 120), END: (0.6, 0), TASK_LIST: (0.5, 0)}
WORK_SHARE = 0.30  # of the budget, which step 1 keeps for WORK
WORK_PARTS = 3  # but no more than a third of what the header leaves: of a small budget it may take half
# What may stay empty at the ends of parts: where fuller forms take it all is chosen anew with less room for the steps.
LOST_IN_PARTS_UTF16 = 400
FILE_SHARE = 0.5  # of what is left at last: the most that a file which was read may take
LINE_MIN_UTF16 = 60  # a line cut to less says nothing
NEWEST_MESSAGES = 3  # of those before the last one, which stand first whatever the summary has of them
LENGTHENED_IN_SHARE = (PLANS, TASK_LIST, EARLIER_WORDS)  # what is to be done and the person's words, not older work
LENGTHENED_LATER = (END, PLANS, TASK_LIST, EARLIER_WORDS, REPOSITORY)
FILLED_LAST = (RULES, EARLIER_WORDS, TASK_LIST, REPOSITORY, CHECKS, ALSO_ON_RECORD)


def chosen_lines(sections: Mapping[str, Sequence[Line]], pieces: Sequence[Piece], budget: int, lost_room: int,
                 summary: str) -> list[ChosenLine]:
    """All lines in the order of the text, as they are chosen; of what was said those that are put back.

    `pieces` are those of WORK's lines and of what was said.
    `lost_room` are units of the budget that no line can have; the sections' shares of it stay as they are.
    """
    lines = {section: [*(to_be_chosen(line, section) for line in sections.get(section, ()))] for section in SHOWN}
    left = budget - lost_room - HEADER_UTF16
    if is_small(budget):
        left -= fill_needed(lines, budget, left)
    left -= fill_shares(lines, budget, left)
    left -= fill_work(lines, pieces, summary, left)
    for section in LENGTHENED_LATER:
        left -= lengthen(lines[section], left)
    for section in FILLED_LAST:
        left -= take(lines[section], section, left)
    lines[TASK_LIST] += [to_be_chosen(line, TASK_LIST) for line in sections.get(OLD_BOXES, ())]
    left -= take(lines[TASK_LIST], TASK_LIST, left)
    left -= take([line for line in lines[FILES_READ] if units(line["text"]) < left * FILE_SHARE], FILES_READ, left)
    fill_up([*lines[PLANS], *lines[CHECKS], *lines[EARLIER_WORDS], *lines[WORK]], left - LOST_IN_PARTS_UTF16)
    return [line for section in SHOWN for line in lines[section]]


def to_be_chosen(line: Line, section: str) -> ChosenLine:
    """A copy of a line that may be put back in this section."""
    why = IN_SUMMARY if line.get("is_in_summary") else NO_ROOM
    return {**line, "section": section, "is_put_back": False, "why": why}


def fill_needed(lines: Mapping[str, Sequence[ChosenLine]], budget: int, room: int) -> int:
    """Takes what a small budget must not lose; returns what that takes.

    Each kind has a part of what is left first, so that many rules leave room for a failure; then the rules and the
    failures that had none yet. With shares alone 1,500 had room for a done task, and none for a rule and a failure.
    """
    left = room - take(lines[PINS], PINS, min(int(shares_of(budget)[PINS] * budget), room))
    failing = [line for line in lines[CHECKS] if "fails" in line]
    jobs = [line for line in lines[TASK_LIST] if "in_few_words" in line]
    for line in [*failing, *jobs]:
        line["text"], line["whole"] = line["in_few_words"], line["text"]
    still_open = [line for line in lines[TASK_LIST] if any(is_open_task(item) for item in line["items"])]
    needed = {PINS: lines[PINS], RULES: lines[RULES], CHECKS: failing, END: lines[END][:1],
              TASK_LIST: [*jobs, *still_open]}
    for section, (share, least) in NEEDED_SHARES.items():
        left -= take(needed[section], section, min(max(int(share * left), least), left))
    for section in (PINS, RULES, CHECKS):
        left -= take(needed[section], section, left)
    left -= lengthen(failing, min(left, int(shares_of(budget)[CHECKS] * budget)))
    return room - left


def is_open_task(item: Item) -> bool:
    """Whether the item is a task that is not done."""
    return item["kind"] == "task" and item["status"] != "completed"


def fill_shares(lines: Mapping[str, Sequence[ChosenLine]], budget: int, room: int) -> int:
    """Fills each section up to its share of the budget, all of them up to `room`; returns what they take."""
    left = room
    kept_for_work = min(int(WORK_SHARE * budget), max(room, 0) // WORK_PARTS) if lines[WORK] else 0
    newest = 0 if is_small(budget) else NEWEST_MESSAGES
    lengthened = LENGTHENED_IN_SHARE if is_small(budget) else (*LENGTHENED_IN_SHARE, REPOSITORY)
    for section, share in shares_of(budget).items():
        most = int(share * budget)
        if section == RULES:
            most = max(most, RULES_MIN_UTF16)
        most = min(most - room_taken(lines[section]), left - kept_for_work)
        in_order = most_needed_first(lines[section], newest) if section == EARLIER_WORDS else lines[section]
        taken = take(in_order, section, most)
        if section in lengthened:
            taken += lengthen(lines[section], most - taken)
        left -= taken
    return room - left


def fill_work(lines: dict[str, list[ChosenLine]], pieces: Sequence[Piece], summary: str, room: int) -> int:
    """Fills the section of what was done, with what was said among it; returns what it takes."""
    above = "\n".join(line["text"] for section in SHOWN for line in lines[section] if line["is_put_back"])
    heading = heading_units(WORK)
    steps = chosen_steps(pieces, words_of(f"{summary}\n{above}"), room - heading)
    chosen: list[ChosenLine] = [{**line, "section": WORK, "is_put_back": True, "why": PUT_BACK} for line in steps]
    shown = {id(line["items"][0]) for line in chosen}
    left_out = [line for line in lines[WORK] if id(line["items"][0]) not in shown]
    for line in left_out:
        line["why"] = SAYS_LESS
    lines[WORK] = [*chosen, *left_out]
    return room_taken(chosen) + heading if chosen else 0


def room_taken(lines: Iterable[ChosenLine]) -> int:
    """What a section's lines that are put back take, without its heading."""
    return sum(units(text) + 1 for text in below_turns(line for line in lines if line["is_put_back"]))


def below_turns(lines: Iterable[Line]) -> Iterator[str]:
    """How each of the lines stands behind the one before: with the head of its turn above it where that is another."""
    turn_before = ""
    for line in lines:
        turn = line.get("turn", "")
        yield f"{turn}\n{line['text']}" if turn and turn != turn_before else line["text"]
        turn_before = turn


def heading_units(section: str) -> int:
    """What a section's heading takes."""
    return units(section) + len("\n\n## ")


def most_needed_first(lines: Sequence[ChosenLine], newest: int) -> list[ChosenLine]:
    """So many of the newest lines of EARLIER_WORDS, then the others, the most needed first.

    A session of many short replies had filled the section with them, and an order that no summary told had no room.
    """
    return [*lines[:newest], *sorted(lines[newest:], key=lambda line: line.get("need", 0))]


def take(lines: Sequence[ChosenLine], section: str, room: int) -> int:
    """Takes lines in their order into a section while there is room; returns what they take, with its heading.

    Where some of them were taken before the section has its heading already. Else of a first line that is too long the
    beginning is taken rather than nothing: it says most. Behind any other one that is too long a shorter one may fit.
    """
    is_begun = any(line["is_put_back"] for line in lines)
    heading = 0 if is_begun else heading_units(section)
    left = room - heading
    due = [line for line in lines if not line["is_put_back"] and line["why"] != IN_SUMMARY]
    if due and not is_begun and units(due[0]["text"]) >= left > LINE_MIN_UTF16:
        due[0]["text"] = cut(due[0]["text"], left - 1)
    for line in due:
        size = units(line["text"]) + 1
        if size <= left:
            line["is_put_back"], line["why"] = True, PUT_BACK
            left -= size
    taken = room - heading - left
    return taken + heading if taken else 0


def lengthen(lines: Iterable[ChosenLine], room: int) -> int:
    """Gives lines that are put back their longer form, `whole`, while there is room; returns how much that took."""
    left = room
    for line in lines:
        longer = units(line.get("whole", "")) - units(line["text"])
        if line["is_put_back"] and 0 < longer <= left:
            line["text"] = line["whole"]
            left -= longer
    return room - left


def fill_up(lines: Iterable[ChosenLine], room: int) -> None:
    """Gives lines that are put back the longest of their fuller forms that has room.

    In 4 of 74 real texts a plan had lost most of its lines while 2,000 to 5,600 units of the text stayed empty. Files
    come last, those that were changed last first: over 4,000 were empty in 17 of 51 texts, and their rows left out.
    """
    left = room
    for line in lines:
        if not line["is_put_back"]:
            continue
        shown = units(line["text"])
        fitting = [form for form in line.get("fuller", []) if 0 < units(form) - shown <= left]
        if fitting:
            line["text"] = fitting[-1]
            left -= units(fitting[-1]) - shown
