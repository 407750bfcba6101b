"""What stands above the steps of a turn: what was typed before them, and when."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from compact_keeper.recap.lines.turns import Turns
from compact_keeper.record.items import new_item
from entries import entry
from recaps import recap_of
from sessions import CWD, Session, snapshot_of, units


def message(number: int, text: str, **more: Any) -> Any:
    return new_item("message", entry(number, "x"), text, "user", **more)


ITEMS = [message(3, "Mend the loader.\nThen the zones."), message(5, "The plan", via="plan"),
         message(7, "log: " + "x " * 90, own="what does it mean? [90 pasted lines]"), message(9, "日本語 " * 60)]


@pytest.mark.parametrize(("position", "head"), [
    (0, ""), (2, ""), (3, 'After "Mend the loader. Then the zones." (then):'),
    (6, 'After the approved plan "The plan" (then):'),  # nobody typed it, and steps follow it
    (8, 'After "what does it mean? [90 pasted lines]" (then):')])
def test_the_head_of_a_turn(position: int, head: str) -> None:
    assert Turns(ITEMS, lambda _: "then").head_of(position) == head


def test_a_long_message_is_cut() -> None:
    head = Turns(ITEMS, lambda _: "then").head_of(12)
    assert head.endswith('…" (then):')
    assert units(head) < 100


def test_no_message_no_turn() -> None:
    assert Turns([], str).head_of(5) == ""


def test_steps_stand_below_what_was_typed_before_them(tmp_path: Path) -> None:
    session = Session()
    for zone in ("north", "south"):
        session.typed(f"Draw the zone {zone}.")
        for number in (1, 2):
            session.ran("Bash", f"{zone}{number} has 7 parcels", command=f"draw {zone}{number}")
        session.says(f"The zone {zone} needs `--force-{zone}`.")
        session.first += 1  # a second in which it is read
    session.typed("Now the tests.")
    text, _ = recap_of(snapshot_of(session, tmp_path))
    rows = text.splitlines()
    heads = [row.partition(" (")[0] for row in rows if row.startswith("After ")]
    assert heads == ['After "Draw the zone south."', 'After "Draw the zone north."']
    south, north = (rows.index(next(row for row in rows if row.startswith(head))) for head in heads)
    assert south < min(number for number, row in enumerate(rows) if row.startswith("- `draw south")) < north
    assert '- Said: The zone north needs `--force-north`. (the user typed next: "Draw the zone south.")' in rows[north:]


@pytest.mark.parametrize("order", ["/data/zones/north of the river.xlsx", "Read the zones anew. " * 30])
def test_what_was_done_for_words_that_were_typed_again_keeps_its_turn(tmp_path: Path, order: str) -> None:
    session = Session()
    for number, typed in enumerate(("Draw the zone.", order, "Now count.", order)):
        session.typed(typed)
        session.ran("Bash", f"{number} parcels", command=f"draw zone{number}")
        session.says(f"Done, {number}.")
    rows = recap_of(snapshot_of(session, tmp_path))[0].splitlines()
    heads = [row.partition(" (")[0][:15] for row in rows if row.startswith("After ")]
    assert heads == [f'After "{begin}'[:15] for begin in (order, "Now count.", order, "Draw the zone.")]
    below = rows[next(number for number, row in enumerate(rows) if row.startswith('After "Now count.')):]
    head = next(number for number, row in enumerate(below[1:], 1) if row.startswith("After "))
    assert below[head + 1].startswith("- `draw zone1`")


@pytest.mark.parametrize(("budget", "in_all"), [(9_000, "in all"), (3_000, "")])  # in a small text no turn is told
def test_a_count_says_where_some_came_before_the_turn(tmp_path: Path, budget: int, in_all: str) -> None:
    session = Session()
    session.typed("Draw the zones.")
    session.ran("Bash", "7 parcels", command="draw north")
    session.ran("Edit", file_path=f"{CWD}/zones.py", old_string="size = 1", new_string="size = 2")
    session.typed("Larger.")
    session.ran("Edit", file_path=f"{CWD}/zones.py", old_string="size = 2", new_string="size = 3")
    session.ran("Bash", "9 parcels", command="draw north")
    for _ in "12":
        session.ran("Bash", "8 parcels", command="draw south")
    snapshot = snapshot_of(session, tmp_path)
    text, _ = recap_of({**snapshot, "settings": {**snapshot["settings"], "budget": budget}})
    assert f"zones.py ({f'{in_all} 2 edits'.lstrip()}" in text
    assert f"9 parcels ({f'2 runs {in_all}'.rstrip()})" in text
    assert "8 parcels (2 runs)" in text


def test_in_a_small_text_they_stand_alone(tmp_path: Path) -> None:
    session = Session()
    session.typed("Draw the zone north.")
    session.ran("Bash", "north1 has 7 parcels", command="draw north1")
    session.typed("Now the tests.")
    snapshot = snapshot_of(session, tmp_path)
    text, _ = recap_of({**snapshot, "settings": {**snapshot["settings"], "budget": 3_000}})
    assert "- `draw north1`" in text
    assert "\nAfter " not in text
