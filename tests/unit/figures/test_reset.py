"""What a reset takes away, and what it leaves."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from compact_keeper.figures.reset import reset_events, reset_histories
from compact_keeper.store.refusal import Refusal
from sessions import SESSION_ID
from stats_home import compaction, make_home, stop, write_lines

OTHER = "00000001-0000-4000-8000-000000000001"


@pytest.fixture
def two_sessions(home: Path) -> Path:
    """A data folder with events of two sessions in both parts, a history of each, and what no reset takes away."""
    for name in ("events.jsonl.1", "events.jsonl"):
        write_lines(home / name, [stop(1), *compaction(9), stop(2, session=OTHER), *compaction(9, session=OTHER)])
    for name in (SESSION_ID, OTHER):
        write_lines(home / "sessions" / name / "history.jsonl", [{"schema": 1}])
        write_lines(home / "sessions" / name / "pins.jsonl", [{"text": "a pin"}])
    write_lines(home / "archive.db", [{}])
    return home


def sizes(home: Path) -> dict[str, int]:
    """The size of every file in the data folder."""
    return {str(path.relative_to(home)): path.stat().st_size for path in sorted(home.rglob("*")) if path.is_file()}


def test_all_events_and_histories_go_and_nothing_else(two_sessions: Path) -> None:
    before = sizes(two_sessions)
    assert reset_events() == before["events.jsonl"] + before["events.jsonl.1"]
    assert reset_histories() == [14, 14]
    assert sizes(two_sessions) == {name: 0 if "events" in name or "history" in name else size
                                   for name, size in before.items()}
    assert (reset_events(), sum(reset_histories())) == (0, 0)


def test_where_nothing_is_nothing_is_made(home: Path) -> None:
    assert (reset_events(), reset_histories()) == (0, [])
    assert not list(home.iterdir())


@pytest.mark.parametrize("name", ["events.jsonl", "events.jsonl.1"])
@pytest.mark.parametrize("make", [lambda path: path.symlink_to("/dev/null"), os.mkfifo, Path.mkdir],
                         ids=["link", "fifo", "folder"])
def test_no_file_of_another_kind_is_emptied(home: Path, make: Callable[[Path], Any], name: str) -> None:
    make(home / name)
    with pytest.raises((OSError, Refusal)):
        reset_events()
    assert [path.name for path in home.iterdir()] == [name]


def test_a_link_in_the_place_of_a_history_is_not_followed(home: Path) -> None:
    make_home(home)
    history = home / "sessions" / SESSION_ID / "history.jsonl"
    history.unlink()
    history.symlink_to(home / "events.jsonl")
    with pytest.raises(OSError, match="history"):
        reset_histories()
    assert (home / "events.jsonl").stat().st_size
