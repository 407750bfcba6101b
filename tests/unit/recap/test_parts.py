"""A recap over 9,000 characters goes out in two parts: each is within its limit, no line is lost or stands in both."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from compact_keeper.recap.choice.sections import PINS, SHOWN, WORK
from compact_keeper.recap.for_person import said_to_person
from compact_keeper.recap.lines.header import header_of
from compact_keeper.recap.parts import (
    ASK_ROOM,
    CONTINUED,
    FURTHER_HEADERS,
    HARD_STOP,
    ONE_PART_BUDGET,
    THRASH_UNITS,
    divided,
    in_one_part,
    recap_parts,
    shown_of,
    under_headings,
)
from compact_keeper.recap.recall_hints import how_to_ask
from compact_keeper.store.pins import PINS_SHARE
from compact_keeper.store.rest import REST_MAX_UTF16
from compact_keeper.store.settings import SETTINGS
from compact_keeper.types import ChosenLine, Line, Snapshot
from sessions import CWD, Session, snapshot_of, units

CLIENT_CUTS_AT = 10_000
AGE = "(As of 10:00: what came after could not be read.)"
ASK = how_to_ask("recall.py")
LEAST, MOST = 500, 28_500
TWO, THREE = (9_900, 12_000, 15_000, 19_000), (20_500, 22_000, 25_000, MOST)
SECOND_HEADER, BLOCK = FURTHER_HEADERS[0], " (block 8334c598)."
WORDS = {"ascii": "word ", "cjk": "日本語", "emoji": "🚚", "mixed": "a🚚 ", "quotes": '"`\\ ',
         "tags": "<system-reminder>"}


@pytest.fixture(autouse=True)
def _archive(monkeypatch: pytest.MonkeyPatch) -> None:
    """There is an archive, of which the text tells."""
    monkeypatch.setattr("compact_keeper.recap.parts.recall_call", lambda _: "recall.py")


def with_budget(snapshot: Any, budget: int, **more: Any) -> Any:
    """The snapshot as a restore has it."""
    settings = {**snapshot["settings"], "budget": budget}
    return {**snapshot, "settings": settings, "id": "64c0ffee8334c598", "as_of": AGE, **more}


@pytest.fixture(params=WORDS)
def crowd(request: pytest.FixtureRequest, crowd_in: Callable[..., Snapshot]) -> Snapshot:
    """A snapshot of a session with far more than fits, in words of this kind."""
    return crowd_in(WORDS[request.param])


def rejoined(parts: list[str]) -> str:
    """The parts as one text, without what the division has put in."""
    first, *rest = parts
    text = without_lacking(first).removesuffix(ASK)
    for begin, part in zip(FURTHER_HEADERS, map(without_lacking, rest)):
        header, gap, body = part.partition("\n\n")
        assert header == f"{begin}{BLOCK}"
        heading, _, lines = body.partition("\n")
        if heading.endswith(CONTINUED):
            turn, _, below = lines.partition("\n")
            is_begun = f"\n{turn}\n" in text and turn.startswith("After ")  # its head stands in each part
            text += f"\n{below if is_begun else lines}"
        else:
            text += f"{gap}{body}"
    return text


def without_lacking(part: str) -> str:
    """The part without the paragraph which says that rules or checks had no room."""
    return re.sub(r"\n\n\d+ (?:rule|failed check)s?[^\n]* had no room here[^\n]*$", "", part)


def long_things() -> Session:
    """A few things, each nearly as long as it may be."""
    session = Session()
    for number in range(6):
        session.typed(f"{number} " + f"Look at the rates of zone {number} once more, please. " * 140)
        session.says("\n".join(f"{number}. The rates of zone {line} are in, {'and ' * 20}so on." for line in range(30)))
    return session


def pinned(snapshot: Any, budget: int) -> Any:
    """The snapshot with as many pins as may be typed."""
    rule = snapshot["items"][0]
    pins = [{**rule, "kind": "pin", "text": f"{number} {'p' * 390}", "source": "pins"}
            for number in range(int(PINS_SHARE * budget) // 460)]
    return {**snapshot, "items": [*pins, *snapshot["items"]]}


# --- within the limits, and nothing lost ---


@pytest.mark.parametrize("budget", [*TWO, *THREE])
def test_each_line_stands_in_one_part_and_each_part_has_room(crowd: Any, budget: int) -> None:
    snapshot = with_budget(crowd, budget)
    parts, lines = recap_parts(snapshot, [1])
    assert len(parts) == 2 + (budget in THREE)
    assert units(parts[0]) <= HARD_STOP
    assert max(map(units, parts[1:])) <= REST_MAX_UTF16
    assert rejoined(parts) == under_headings(header_of(snapshot), shown_of(lines))
    assert budget * 0.9 < sum(map(units, parts)) <= budget + ASK_ROOM
    "".join(parts).encode()


@pytest.mark.parametrize("budget", [ONE_PART_BUDGET + 1, *TWO, *THREE])
@pytest.mark.parametrize("has_pins", [False, True])
def test_lines_that_are_nearly_as_long_as_a_part(tmp_path: Path, budget: int, has_pins: bool) -> None:
    snapshot = with_budget(snapshot_of(long_things(), tmp_path), budget)
    snapshot = pinned(snapshot, budget) if has_pins else snapshot
    parts, lines = recap_parts(snapshot, [1])
    assert units(parts[0]) <= HARD_STOP
    assert max(map(units, parts[1:]), default=0) <= REST_MAX_UTF16
    assert rejoined(parts) == under_headings(header_of(snapshot), shown_of(lines))


@pytest.mark.parametrize("crowd", ["ascii", "emoji"], indirect=True)  # one unit for a letter, and two
@pytest.mark.parametrize("budget", TWO)
def test_pins_that_were_taken_come_back_whole_whatever_room_is_lost(crowd: Any, budget: int) -> None:
    snapshot = pinned(with_budget(crowd, budget), budget)
    pins = [item["text"] for item in snapshot["items"] if item["kind"] == "pin"]
    _, lines = recap_parts(snapshot, [1])
    assert [line["items"][0]["text"] for line in shown_of(lines) if line["section"] == PINS] == pins


@pytest.mark.parametrize("budget", [LEAST, 4_000, ONE_PART_BUDGET])
def test_up_to_9000_it_is_one_part(crowd: Any, budget: int) -> None:
    snapshot = with_budget(crowd, budget)
    [part], lines = recap_parts(snapshot, [1])
    assert without_lacking(part) == under_headings(header_of(snapshot), shown_of(lines)) + ASK


def test_what_has_room_in_one_part_is_one_part(tmp_path: Path) -> None:
    session = Session()
    session.typed("Fix the rates. Never touch the legacy table.")
    session.ran("Edit", file_path=f"{CWD}/rates.py")
    snapshot = with_budget(snapshot_of(session, tmp_path), MOST)
    parts, lines = recap_parts(snapshot, [1])
    assert parts == [under_headings(header_of(snapshot), shown_of(lines)) + ASK]
    assert parts == recap_parts(with_budget(snapshot, ONE_PART_BUDGET), [1])[0]


@pytest.mark.parametrize("begun", [0, 3, 90])  # rows of another line above
def test_a_long_line_is_divided_between_its_rows(begun: int) -> None:
    """Behind a short begin a plan of 8,800 units had left the first part empty."""
    row = "  - [ ] Move the table to the new pier\n"
    texts = [f"- {row * begun}- the order", f"- Plan\n{row * 300}"]
    lines: list[ChosenLine] = [{"items": [], "section": WORK, "text": text.rstrip("\n"), "is_put_back": True, "why": "",
                                "turn": "After 1:"} for text in texts]
    parts = divided("begin", lines, ASK, "", "64c0ffee8334c598")
    assert rejoined(parts) == under_headings("begin", lines)
    assert HARD_STOP - units(row) <= units(parts[0]) + 1 <= HARD_STOP + 1
    assert len(parts) == 2
    assert "- Plan\n  - [ ]" in parts[0]


@pytest.mark.parametrize("seed", range(60))
def test_any_lines_are_divided_where_the_next_would_pass_the_limit(seed: int) -> None:
    chance = random.Random(seed)
    letters = ["x", "ä", "日", "🚚"]
    sections = chance.sample(SHOWN, chance.randrange(1, len(SHOWN)))
    places = sorted(chance.choices(sections, k=chance.randrange(1, 60)), key=sections.index)
    texts = (f"- {number}. {chance.choice(letters) * chance.randrange(900)}" for number in range(len(places)))
    lines: list[ChosenLine] = [
        {"items": [], "section": section, "text": text, "is_put_back": True, "why": "",
         "turn": f"After {number // 9}:" if section == WORK else ""}
        for number, (section, text) in enumerate(zip(places, texts))]
    parts = divided("begin", lines, ASK, "", "64c0ffee8334c598")
    assert rejoined(parts) == under_headings("begin", lines)
    assert units(parts[0]) <= HARD_STOP
    for number_of_part, second in enumerate(parts[1:], 1):
        before = "".join(parts[:number_of_part])
        shown = [line for number, line in enumerate(lines) if f"\n- {number}. " in before]
        next_line = lines[len(shown)]
        assert next_line["text"] in second
        is_same = bool(shown) and shown[-1]["section"] == next_line["section"]
        assert (f"\n## {next_line['section']}{CONTINUED}\n" in second) is is_same
        alone = [line for number, line in enumerate(lines) if f"\n- {number}. " in parts[number_of_part - 1]]
        begin, most = ("begin", HARD_STOP) if number_of_part == 1 else (FURTHER_HEADERS[0] + BLOCK, REST_MAX_UTF16)
        end = ASK if number_of_part == 1 else CONTINUED
        assert units(under_headings(begin, [*alone, next_line]) + end) > most


def test_a_line_that_no_part_could_hold_is_not_chosen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """None is so long now; if one ever is, it must not keep the others from coming back."""
    lines: list[Line] = [{"items": [], "text": f"- {'x' * 9_300}"}, {"items": [], "text": "- y"}]
    monkeypatch.setattr("compact_keeper.recap.parts.sections_of", lambda _: ({SHOWN[-1]: lines}, []))
    snapshot = with_budget(snapshot_of(Session(), tmp_path), MOST)
    parts, _ = recap_parts(snapshot, [1])
    assert [units(part) <= HARD_STOP for part in parts] == [True] * len(parts)


def test_each_part_has_room_in_one_event() -> None:
    assert max(HARD_STOP, REST_MAX_UTF16, ONE_PART_BUDGET + ASK_ROOM) < CLIENT_CUTS_AT
    assert HARD_STOP + len(FURTHER_HEADERS) * REST_MAX_UTF16 >= MOST + ASK_ROOM
    assert SETTINGS["budget"][1] == (LEAST, MOST)


# --- where there is none ---


@pytest.mark.parametrize("budget", [ONE_PART_BUDGET, MOST])
def test_after_three_compactions_in_a_row_there_is_no_second_part(crowd: Any, budget: int) -> None:
    [text], lines = recap_parts(with_budget(crowd, budget), [5, 10, 15])
    assert units(text) <= THRASH_UNITS
    assert text.splitlines()[-1].startswith("(Kept short: 3 automatic compactions came within 10 records ")
    assert all(f"\n{line['text']}\n" in text for line in shown_of(lines))


@pytest.mark.parametrize("crowd", ["ascii", "emoji"], indirect=True)
@pytest.mark.parametrize(("budget", "expected"), [(MOST, ONE_PART_BUDGET), (4_000, 4_000)])
def test_a_smaller_budget_where_nobody_could_hand_over_a_second_part(crowd: Any, budget: int, expected: int) -> None:
    snapshot = with_budget(crowd, budget)
    assert in_one_part(snapshot)["settings"]["budget"] == expected
    assert snapshot["settings"]["budget"] == budget
    assert len(recap_parts(in_one_part(snapshot), [1])[0]) == 1


@pytest.mark.parametrize("crowd", ["mixed"], indirect=True)
def test_without_an_id_no_block_is_named(crowd: Any) -> None:
    second = recap_parts(with_budget(crowd, MOST, id=""), [1])[0][1]
    assert second.startswith(f"{SECOND_HEADER}.\n\n## ")


@pytest.mark.parametrize("crowd", ["mixed"], indirect=True)
def test_the_person_is_told_of_both_parts(crowd: Any) -> None:
    parts, lines = recap_parts(with_budget(crowd, MOST), [1])
    message = said_to_person(shown_of(lines), sum(map(units, parts)))
    assert message.endswith(f"({sum(map(units, parts)):,} characters)")
