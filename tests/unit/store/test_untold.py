"""untold.json: what the person's commands have changed is told whole, once, as far as there is room."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from compact_keeper.store.untold import leave_untold, replace_waiting, session_waiting, take_untold
from hostile import PLACES

ROOM = 9_900
OWN, OTHER = "this one", "another"


def compacted(folder: Path, stage: str, seconds: float) -> None:
    """The session's compaction, that came to this stage so many seconds from now."""
    state = {"schema": 1, "id": "a1", "stage": stage, "settled": time.time() + seconds}
    (folder / "compaction.json").write_text(json.dumps(state))


@pytest.mark.parametrize("place", list(PLACES))
def test_a_place_that_is_no_file_of_ours_tells_nothing(tmp_path: Path, place: str) -> None:
    PLACES[place][0](tmp_path / "untold.json")
    leave_untold(str(tmp_path), {"pins": "one"})  # raises nothing
    assert take_untold(str(tmp_path), ROOM) in ("", "one")


@pytest.mark.parametrize("stored", [
    {}, {"pins": 7, "parts": "x"}, {"pins": None, "parts": [7, None, []]}, {"time": "now", "pins": "x"},
    {"schema": 9, "pins": "x"}, {"parts": 7, "brought_in": 7, "brought_at": "x", "goes_on": "x"}])
def test_odd_fields_tell_nothing(tmp_path: Path, stored: dict[str, Any]) -> None:
    (tmp_path / "untold.json").write_text(json.dumps({"schema": 1, **stored}))
    assert take_untold(str(tmp_path), ROOM) == ""


def test_what_does_not_fit_waits(tmp_path: Path) -> None:
    folder = str(tmp_path)
    leave_untold(folder, {"parts": ["b" * 9_000, "c" * 8_000]})
    leave_untold(folder, {"pins": "a\x1b[31m"})
    texts = [take_untold(folder, room) for room in (100, 8_000, 9_400, ROOM, ROOM)]
    assert texts == ["a", "", "b" * 9_000, "c" * 8_000, ""]


def test_pins_are_told_as_they_were_left_last(tmp_path: Path) -> None:
    leave_untold(str(tmp_path), {"pins": "one"})
    leave_untold(str(tmp_path), {"pins": "two"})
    assert take_untold(str(tmp_path), ROOM) == "two"


@pytest.mark.parametrize(("of", "stage", "seconds", "expected"), [
    (OWN, "delivered", 60, []), (OWN, "verified", 60, []), (OWN, "repaired", 60, []),
    (OWN, "delivered", -60, ["pins", "old text"]), (OWN, "kept back", 60, ["pins", "old text"]),
    (OTHER, "delivered", 60, ["old text"])])  # the pins came back, what was saved of another session did not
def test_what_came_back_since_is_not_told(
        tmp_path: Path, of: str, stage: str, seconds: float, expected: list[str]) -> None:
    folder = tmp_path / OWN
    folder.mkdir()
    leave_untold(str(folder), {"parts": ["old text"], "brought_in": of, "brought_at": time.time()})
    leave_untold(str(folder), {"pins": "pins"})
    compacted(folder, stage, seconds)
    assert take_untold(str(folder), ROOM) == "\n\n".join(expected)


def test_a_pin_that_changes_after_a_compaction_does_not_bring_the_text_from_before_it(tmp_path: Path) -> None:
    folder = tmp_path / OWN
    folder.mkdir()
    leave_untold(str(folder), {"parts": ["old text"], "brought_in": OWN, "brought_at": time.time() - 60})
    compacted(folder, "delivered", -30)
    leave_untold(str(folder), {"pins": "pins"})
    assert take_untold(str(folder), ROOM) == "pins"


def test_a_second_part_that_waits_goes_with_a_compaction_too(tmp_path: Path) -> None:
    folder = tmp_path / OWN
    folder.mkdir()
    parts = ["b" * 9_000, "c" * 8_000]
    leave_untold(str(folder), {"parts": parts, "brought_in": OWN, "brought_at": time.time()})
    assert take_untold(str(folder), ROOM) == parts[0]
    compacted(folder, "delivered", 60)
    assert take_untold(str(folder), ROOM) == ""


@pytest.mark.parametrize(("stage", "began", "named", "expected"), [
    ("begun", 7.0, OTHER, "brought in"), ("begun", 8.0, OTHER, "begun"), ("delivered", 7.0, OTHER, "delivered"),
    ("begun", 0.0, OTHER, "begun"), ("begun", None, OTHER, "begun"), ("begun", 7.0, f"../sessions/{OTHER}", "begun"),
    ("begun", 7.0, "missing", "begun"), ("begun", 7.0, "linked", "begun")])
def test_a_compaction_that_stopped_is_dealt_with_once_its_text_is_read(
        tmp_path: Path, stage: str, began: float | None, named: str, expected: str) -> None:
    folder, other = tmp_path / "sessions" / "own", tmp_path / "sessions" / OTHER
    folder.mkdir(parents=True)
    other.mkdir()
    (other.parent / "linked").symlink_to(other)
    (other / "compaction.json").write_text(json.dumps({"schema": 1, "id": "a1", "stage": stage, "time": 7.0}))
    left: Any = {"parts": ["b" * 90, "c" * 90], "brought_in": named, "stopped_at": began}
    leave_untold(str(folder), left)
    leave_untold(str(folder), {"pins": "pins"})

    def stage_now() -> str:
        return str(json.loads((other / "compaction.json").read_text())["stage"])

    assert (take_untold(str(folder), 50), stage_now()) == ("pins", stage)
    assert (take_untold(str(folder), 100), stage_now()) == ("b" * 90, expected)
    compacted(other, "begun", 0)
    assert (take_untold(str(folder), 100), stage_now()) == ("c" * 90, "begun")


def test_a_text_that_waits_whole_is_made_anew(tmp_path: Path) -> None:
    folder, parts = str(tmp_path), ["b" * 9_000, "c" * 8_000]
    assert session_waiting(folder) == ""
    leave_untold(folder, {"pins": "one"})
    assert session_waiting(folder) == ""
    leave_untold(folder, {"parts": parts, "brought_in": OTHER, "brought_at": 7.0})
    assert session_waiting(folder) == OTHER
    replace_waiting(folder, OWN, ["of none that waits"])
    replace_waiting(folder, OTHER, ["new", *parts[1:]])
    assert json.loads((tmp_path / "untold.json").read_text())["brought_at"] == 7.0
    assert take_untold(folder, 1_000) == "one\n\nnew"
    assert session_waiting(folder) == ""  # what is left of it goes on with what has gone out
    replace_waiting(folder, OTHER, ["newer"])
    assert take_untold(folder, ROOM) == parts[1]
