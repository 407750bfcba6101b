"""hook.log has a fault that is the same at every event once."""

from __future__ import annotations

from pathlib import Path

import pytest

from compact_keeper.store import log as module
from compact_keeper.store.log import log, log_once


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("COMPACT_KEEPER_HOME", str(tmp_path))
    return tmp_path / "hook.log"


@pytest.mark.parametrize("message", ["a.py is not there", "x" * 9_000, "ö\n\x1b[2J\ud800", ""])
def test_the_same_is_said_once(path: Path, message: str) -> None:
    for _ in range(3):
        log_once(message)
        log("something else")
    assert len(path.read_bytes().splitlines()) == 4


def test_what_is_another_is_said(path: Path) -> None:
    for message in ("a", "b", "a b", "a"):
        log_once(message)
    assert [line.rpartition(b": ")[2] for line in path.read_bytes().splitlines()] == [b"a", b"b", b"a b"]


def test_of_two_scripts_one_says_it(path: Path) -> None:
    path.write_text("2026-01-02T03:04:05Z other_script.py: a\n")
    log_once("a")
    log_once("other_script.py: a")
    assert len(path.read_bytes().splitlines()) == 2


def test_what_stands_far_back_is_said_again(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LOOKED_BACK_BYTES", 100)
    for _ in range(2):
        log_once("a")
        for _ in range(9):
            log("something else")
    assert path.read_bytes().count(b": a\n") == 2


def test_a_log_that_is_none_costs_nothing(path: Path) -> None:
    path.mkdir()
    log_once("a")
    assert path.is_dir()
