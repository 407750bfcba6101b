"""Which part of a plan is asked for, and that it comes first."""

from __future__ import annotations

from typing import Any

import pytest

from compact_keeper.recap.lines.plan_rows import headings_left_out, rows_of
from compact_keeper.recap.lines.plans import plan_lines
from compact_keeper.recap.lines.wanted_parts import LABEL_VALUE, WORDS_VALUE, asking_words, wanted_indexes
from compact_keeper.record.items import new_item
from entries import entry

HEADINGS = ("Phase 1: Zones", "Phase 2: Tolls for lorries", "Phase 12: Later", "2.1 Rates", "**Step 3**",
            "Part B - Maps", "Tests of tolls", "阶段4：数据", "Security")


def item(kind: Any, text: str, number: int, **more: Any) -> Any:
    return {**new_item(kind, entry(number, "x"), text, "user", **more), "position": number}


def ago(_: str) -> str:
    return "2 min before"


def named(words: str, *headings: str) -> list[str]:
    """Which of the headings of a plan with rows the words ask for."""
    heads = [heading if heading.startswith("**") else f"## {heading}" for heading in headings]
    rows = rows_of("\n".join(["# Phase 9: the whole plan", *(f"{head}\n- a\n- b" for head in heads)]))
    return [rows[index]["text"].strip("#* ") for index in sorted(wanted_indexes(rows, [words]))]


@pytest.mark.parametrize(("words", "expected"), [
    ("Proceed with Phase 2", ["Phase 2: Tolls for lorries"]),
    ("phase 12", ["Phase 12: Later"]),
    ("phases 1 and 2 please", ["Phase 1: Zones", "Phase 2: Tolls for lorries"]),
    ("now phase-1", ["Phase 1: Zones"]),
    ("do 2.1", ["2.1 Rates"]),
    ("do 12.1", []),
    ("step 3!", ["Step 3"]),
    ("part b", ["Part B - Maps"]),
    ("继续阶段4", ["阶段4：数据"]),
    ("the tolls for lorries", ["Phase 2: Tolls for lorries"]),
    ("go on with security", ["Security"]),
    ("go on", []), ("phase 3", []), ("2", []), ("Phase 9", []), ("2 of them fail", []), ("", []),
    ("a misphase 1", []),
])
def test_which_headings_words_ask_for(words: str, expected: list[str]) -> None:
    assert named(words, *HEADINGS) == expected


def test_a_word_in_capitals_is_no_part_that_its_last_letter_names() -> None:
    assert named("fix the zones", "FIX - the rates", "PLAN: maps", "Part X: x") == []
    assert named("part x", "FIX - the rates", "Part X: x") == ["Part X: x"]


def test_a_word_of_many_headings_tells_none() -> None:
    assert named("zones of the tolls", "Zones of lorries", "Zones of vans", "Zones and tolls of bikes") == []


@pytest.mark.parametrize(("text", "expected"), [
    ("1. first\n2. second", ["2. second"]),
    ("1. first\n2. second\n## B\n1. third\n2. fourth", []),
    ("## 2. Tables\n- a\n2. second", ["## 2. Tables"]),
])
def test_a_member_is_named_where_no_other_has_its_number(text: str, expected: list[str]) -> None:
    rows = rows_of(f"# P\n{text}")
    assert [rows[index]["text"] for index in wanted_indexes(rows, ["now step 2"])] == expected


def test_the_first_words_that_name_a_part_name_it_and_a_label_is_worth_more() -> None:
    rows = rows_of("# P\n## Phase 1\na\n## Rates and tolls\nb")
    assert wanted_indexes(rows, ["go on", "phase 1", "rates and tolls"]) == {1: LABEL_VALUE}
    assert wanted_indexes(rows, ["rates and tolls", "phase 1"]) == {3: WORDS_VALUE}


TASKS = [item("task", "Rates", 3, list="todo", status="completed"), item("task", "Maps", 3, list="todo", order=2,
              status="pending"), item("task", "Tolls", 3, list="todo", order=3, status="in_progress"),
         item("task", "boxes", 3, list="said", status="pending")]


@pytest.mark.parametrize(("items", "last_words", "expected"), [
    ([item("message", "go on", 2)], "All done.\nNext: phase 3\nShall I?", ["go on", "Next: phase 3", "Shall I?"]),
    ([item("message", "now do the other thing, which is of another kind, and then stop", 2)], "Next: phase 3",
     ["now do the other thing, which is of another kind, and then stop"]),
    ([item("message", "now do the other thing, which is of another kind, and then stop", 2), item("said", "x", 3)],
     "Next: phase 3", ["now do the other thing, which is of another kind, and then stop", "Next: phase 3"]),
    ([item("message", "go on", 2), *TASKS], "", ["go on", "Tolls"]),
    ([item("message", "go on " * 100, 2), *TASKS[:2]], "", ["Maps"]),
    ([item("message", "do it", 2, via="plan")], "", []),
    ([], "Next: phase 3", ["Next: phase 3"]),
])
def test_which_words_ask(items: list[Any], last_words: str, expected: list[str]) -> None:
    assert asking_words(items, last_words) == expected


FILLING = [f"- [ ] part {number} must be done" for number in range(60)]
PLAN = "\n".join(["# Zones", *(f"## Phase {phase}: {name}\n### Step {phase}.1\n" + "\n".join(
    f"- {name} {number}" for number in range(8)) for phase, name in enumerate(("tables", "tolls", "maps"), 1)),
    "## Rules", *FILLING])


@pytest.mark.parametrize(("words", "shown", "first_out"), [
    ("Proceed with phase 2", "tolls", "Phase 1: tables"),
    ("Proceed with phase 3", "maps", "Phase 1: tables"),
    ("Proceed", "", "Phase 1: tables"),
])
def test_what_is_asked_for_comes_first(words: str, shown: str, first_out: str) -> None:
    items = [item("plan", PLAN, 1, status="approved"), item("message", words, 2)]
    rows = next(plan_lines(items, ago, "", 900, ""))["text"].splitlines()
    for name in ("tables", "tolls", "maps"):
        assert [f"> - {name} {number}" in rows for number in range(8)] == [name == shown] * 8
    assert f"nothing stands here of: {first_out}; " in rows[2]
    assert "Step 1.1" not in rows[2], "a heading says what is below it"


@pytest.mark.parametrize(("chosen", "wanted", "expected"), [
    ({0}, (), ["A", "B", "C"]),
    ({0}, (4,), ["B", "A", "C"]),
    ({0}, (6,), ["B1", "A", "B", "C"]),
    ({0, 1, 2}, (4,), ["B", "A1", "C"]),
    ({0, 4, 5}, (), ["A", "B1", "C"]),
    ({0, 8, 9}, (6,), ["B1", "A", "B"]),
])
def test_what_is_left_out_is_named_with_what_is_asked_for_first(
        chosen: set[int], wanted: tuple[int, ...], expected: list[str]) -> None:
    rows = rows_of("# P\n## A\na\n### A1\n## B\nb\n### B1\nb\n## C\nc")
    assert headings_left_out(rows, chosen, wanted) == expected


@pytest.mark.parametrize(("twin", "expected"), [
    ("# Restart it\n", []), ("```\n# Restart it\n```\n", []), ("## Restart it ##\n", []),
    ("# Restart it (twice)\n", ["Restart it"]), ("", ["Restart it"]),
])
def test_a_heading_whose_words_are_shown_is_not_left_out(twin: str, expected: list[str]) -> None:
    rows = rows_of(f"# P\na\n{twin}## Restart it\nb")
    assert headings_left_out(rows, {*range(len(rows) - 2)}, ()) == expected
