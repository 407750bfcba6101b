"""What stands above the steps of a turn: what was typed before them, and when."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from compact_keeper.recap.lines.turns import Turns
from compact_keeper.record.items import new_item
from entries import entry
from recaps import recap_of
from sessions import Session, snapshot_of, units


def message(number: int, text: str, **more: Any) -> Any:
    return new_item("message", entry(number, "x"), text, "user", **more)


ITEMS = [message(3, "Mend the loader.\nThen the zones."), message(5, "The plan", via="plan"),
         message(7, "log: " + "x " * 90, own="what does it mean? [90 pasted lines]"), message(9, "日本語 " * 60)]


@pytest.mark.parametrize(("position", "head"), [
    (0, ""), (2, ""), (3, 'After "Mend the loader. Then the zones." (then):'),
    (6, 'After "Mend the loader. Then the zones." (then):'),  # a plan that was approved is not typed
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
    session.typed("Now the tests.")
    text, _ = recap_of(snapshot_of(session, tmp_path))
    rows = text.splitlines()
    heads = [row.partition(" (")[0] for row in rows if row.startswith("After ")]
    assert heads == ['After "Draw the zone south."', 'After "Draw the zone north."']
    south, north = (rows.index(next(row for row in rows if row.startswith(head))) for head in heads)
    assert south < min(number for number, row in enumerate(rows) if row.startswith("- `draw south")) < north
    assert "- Said: The zone north needs `--force-north`." in rows[north:]


def test_in_a_small_text_they_stand_alone(tmp_path: Path) -> None:
    session = Session()
    session.typed("Draw the zone north.")
    session.ran("Bash", "north1 has 7 parcels", command="draw north1")
    session.typed("Now the tests.")
    snapshot = snapshot_of(session, tmp_path)
    text, _ = recap_of({**snapshot, "settings": {**snapshot["settings"], "budget": 3_000}})
    assert "- `draw north1`" in text
    assert "\nAfter " not in text
