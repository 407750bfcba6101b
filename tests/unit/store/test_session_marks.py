"""Marks that one process alone can make."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from compact_keeper.store.session_marks import take_mark


def names(folder: Path) -> list[str]:
    return sorted(os.listdir(folder))


def test_a_mark_is_taken_once_and_earlier_ones_of_its_series_go(tmp_path: Path) -> None:
    (tmp_path / "delivered").touch()
    (tmp_path / "repaired-a1").touch()
    for number in ("a1", "b2"):
        assert take_mark(str(tmp_path), "delivered-", number, f"text of {number}")
        assert not take_mark(str(tmp_path), "delivered-", number, "another text")
        assert names(tmp_path) == ["delivered", f"delivered-{number}", "repaired-a1"]
    mark = tmp_path / "delivered-b2"
    assert json.loads(mark.read_bytes()) == {"schema": 1, "text": "text of b2"}
    assert mark.stat().st_mode & 0o777 == 0o600


def test_marks_of_a_series_without_a_dash_stay(tmp_path: Path) -> None:
    assert take_mark(str(tmp_path), "told_", "one-session")
    assert take_mark(str(tmp_path), "told_", "one-other")
    assert names(tmp_path) == ["told_one-other", "told_one-session"]
    assert (tmp_path / "told_one-other").read_bytes() == b""


def test_subagents_marks_go_by_agent(tmp_path: Path) -> None:
    for agent, size in (("a1", "10"), ("b2", "10"), ("a1", "20")):
        assert take_mark(str(tmp_path), f"subagent_{agent}-", size)
    assert names(tmp_path) == ["subagent_a1-20", "subagent_b2-10"]


def test_a_mark_is_never_made_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "delivered-a1").symlink_to(tmp_path / "elsewhere")
    assert not take_mark(str(tmp_path), "delivered-", "a1", "text")
    assert not (tmp_path / "elsewhere").exists()


def test_a_full_disk_costs_the_text_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Full:
        def __enter__(self) -> Full:
            return self

        def __exit__(self, *_: object) -> None:
            pass

        def write(self, _raw: bytes) -> None:
            raise OSError(28, "No space left on device")

    def open_full(handle: int, _mode: str) -> Full:
        os.close(handle)
        return Full()

    monkeypatch.setattr(os, "fdopen", open_full)
    assert take_mark(str(tmp_path), "delivered-", "a1", "text")
    assert names(tmp_path) == ["delivered-a1"]
