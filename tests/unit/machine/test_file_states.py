"""Which files get a mark at a save, and what the mark says."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from compact_keeper.machine.file_states import with_file_states
from entries import file_item


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "rates.py"
    path.write_text("RATE = 1\n", encoding="utf-8")
    return path


def test_a_mark_is_size_and_time(source: Path) -> None:
    os.utime(source, ns=(0, 1_795_262_400_123_999_999))
    [one] = with_file_states([file_item(source)], 0)
    assert one == {**file_item(source), "size": 9, "mtime": 1_795_262_400_123}


def test_only_files_touched_in_this_save_are_marked(source: Path) -> None:
    items = [file_item(source, 5), file_item(source, 6), {**file_item(source, 7), "kind": "found"}]
    assert ["size" in one for one in with_file_states(items, 5)] == [False, True, False]


def test_the_newest_are_marked_and_the_order_stays(source: Path) -> None:
    items = [file_item(source, position) for position in (3, 9, 1, 8, 2)]
    told = with_file_states(items, 0, limit=2)
    assert [one["position"] for one in told] == [3, 9, 1, 8, 2]
    assert [one["position"] for one in told if "size" in one] == [9, 8]
    assert all("size" not in one for one in items)
