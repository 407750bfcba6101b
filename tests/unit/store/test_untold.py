"""untold.json: what the person's commands have changed is told whole, once, as far as there is room."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from compact_keeper.store.untold import leave_untold, take_untold
from hostile import PLACES

ROOM = 9_900


@pytest.mark.parametrize("place", list(PLACES))
def test_a_place_that_is_no_file_of_ours_tells_nothing(tmp_path: Path, place: str) -> None:
    PLACES[place][0](tmp_path / "untold.json")
    leave_untold(str(tmp_path), {"pins": "one"})  # raises nothing
    assert take_untold(str(tmp_path), ROOM) in ("", "one")


@pytest.mark.parametrize("stored", [
    {}, {"pins": 7, "parts": "x"}, {"pins": None, "parts": [7, None, []]}, {"time": "now", "pins": "x"},
    {"schema": 9, "pins": "x"}])
def test_odd_fields_tell_nothing(tmp_path: Path, stored: dict[str, Any]) -> None:
    (tmp_path / "untold.json").write_text(json.dumps({"schema": 1, **stored}))
    assert take_untold(str(tmp_path), ROOM) == ""


def test_what_does_not_fit_waits(tmp_path: Path) -> None:
    folder = str(tmp_path)
    leave_untold(folder, {"parts": ["b" * 9_000, "c" * 8_000]})
    leave_untold(folder, {"pins": "a\x1b[31m"})
    told = [take_untold(folder, room) for room in (100, 8_000, 9_400, ROOM, ROOM)]
    assert told == ["a", "", "b" * 9_000, "c" * 8_000, ""]


def test_pins_are_told_as_they_were_left_last(tmp_path: Path) -> None:
    leave_untold(str(tmp_path), {"pins": "one"})
    leave_untold(str(tmp_path), {"pins": "two"})
    assert take_untold(str(tmp_path), ROOM) == "two"
