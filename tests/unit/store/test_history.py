"""What is read of a session's history: the newest lines of this schema, and nothing of what is no file of ours."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from compact_keeper.store.folder import SCHEMA
from compact_keeper.store.history import HISTORY_FILE, history_end

LINES = [json.dumps({"schema": SCHEMA, "event": "restore", "cycle": cycle}) for cycle in range(3)]
MOST_BYTES = 1 << 20


def cycles_in(folder: Path, most_bytes: int = MOST_BYTES) -> list[int]:
    return [line["cycle"] for line in history_end(str(folder), most_bytes)]


@pytest.mark.parametrize("make", [os.fspath, os.mkdir, os.mkfifo], ids=["missing", "folder", "pipe"])
def test_what_is_no_file_has_no_lines(tmp_path: Path, make: Callable[[Path], object]) -> None:
    make(tmp_path / HISTORY_FILE)
    assert cycles_in(tmp_path) == []


@pytest.mark.parametrize("content", [b"", b"\xff{", b"[7]\n"])
def test_what_holds_no_line_of_ours_has_none(tmp_path: Path, content: bytes) -> None:
    (tmp_path / HISTORY_FILE).write_bytes(content)
    assert cycles_in(tmp_path) == []


def test_a_link_to_a_history_is_not_followed(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text("\n".join(LINES))
    (tmp_path / HISTORY_FILE).symlink_to(elsewhere)
    assert cycles_in(tmp_path) == []


def test_lines_of_another_schema_and_torn_ones_are_passed_over(tmp_path: Path) -> None:
    other = json.dumps({"schema": SCHEMA + 1, "event": "restore", "cycle": 9})
    (tmp_path / HISTORY_FILE).write_text("\n".join([LINES[0], other, "{", "7", LINES[1]]))
    assert cycles_in(tmp_path) == [0, 1]


def test_the_newest_lines_are_read(tmp_path: Path) -> None:
    (tmp_path / HISTORY_FILE).write_text("".join(f"{line}\n" for line in LINES))
    assert cycles_in(tmp_path, 2 * (len(LINES[0]) + 1)) == [1, 2]
