"""What a frame of the live view shows; hostile files and events leave it standing."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from compact_keeper.figures.frame import age_shown, fitted, frame
from sessions import SESSION_ID, START
from stats_home import compaction, make_home, stop, write_lines


@pytest.fixture
def watched(home: Path) -> Path:
    """A data folder with a session."""
    return make_home(home)


def test_a_frame_tells_of_the_session(watched: Path) -> None:
    folder = watched / "sessions" / SESSION_ID
    kinds = ("rule", "rule", "said")
    write_lines(folder / "snapshot.json", [{"schema": 1, "items": [{"kind": kind} for kind in kinds]}])
    write_lines(folder / "note.json", [{"schema": 1, "text": "four"}])
    write_lines(folder / "compaction.json", [{"schema": 1, "stage": "verified"}])
    told = "\n".join(frame(SESSION_ID, 120, 60))
    for words in (f"session {SESSION_ID}", "/home/ada/parcel-rates", "tokens after the last answer", "2 rules, 1 reply",
                  "a note on the summary, 4 characters", "Compaction      verified", "p50 23 ms",
                  "receipt     verified", "restore     units 8200, ms 22"):
        assert words in told


def test_a_frame_of_a_session_of_which_nothing_is_known(watched: Path) -> None:
    shutil.rmtree(watched)
    told = "\n".join(frame(SESSION_ID, 120, 60))
    assert told.count("none yet") == 3
    assert "not known: no answer" in told


@pytest.mark.parametrize("name", ["status.json", "snapshot.json", "note.json", "compaction.json"])
@pytest.mark.parametrize("content", [
    b"", b"[]", b'{"schema": 2}', b'{"schema": 1, "items": [7, null, {"kind": []}]}',
    b'{"schema": 1, "items": 7, "text": [], "time": "x", "stage": {}, "transcript": 7}'])
def test_broken_files_leave_the_view_standing(watched: Path, name: str, content: bytes) -> None:
    (watched / "sessions" / SESSION_ID / name).write_bytes(content)
    assert "compact-keeper" in frame(SESSION_ID, 80, 24)[0]


def test_odd_events_leave_the_view_standing(watched: Path) -> None:
    values: tuple[Any, ...] = (None, [], -1, 1e300, "\x1b[2J")
    odd = [{**one, name: value} for one in compaction(900) for name in one for value in values]
    write_lines(watched / "events.jsonl", odd)
    lines = frame(SESSION_ID, 80, 60)
    assert not re.search(r"[\x00-\x1f\x7f]", "".join(lines))


@pytest.mark.parametrize(("text", "width", "shown"), [
    ("abc", 2, "ab"), ("日本語", 5, "日本"), ("e\u0301e\u0301e\u0301", 2, "e\u0301e\u0301"),
    ("a\x1b[31mb\nc", 9, "ab c"), ("", 0, ""), ("abc", 0, "")])
def test_lines_are_cut_to_columns(text: str, width: int, shown: str) -> None:
    assert fitted(text, width) == shown


@pytest.mark.parametrize(("moment", "told"), [
    (START - 5, "5 s ago"), (START - 700, "11 min ago"), (START - 90_000, "25 h ago"), (START - 900_000, "10 days ago"),
    (START + 9_000, "not known when"), (None, "not known when"), (float("nan"), "not known when")])
def test_ages_are_told_for_people(moment: object, told: str) -> None:
    assert age_shown(moment, START) == told


def test_events_of_before_the_file_began_anew_are_shown(watched: Path) -> None:
    (watched / "events.jsonl").rename(watched / "events.jsonl.1")
    shown = "\n".join(frame(SESSION_ID, 120, 60))
    assert "receipt     verified" in shown
    write_lines(watched / "events.jsonl", [stop(90_000, 77_777)])
    shown = "\n".join(frame(SESSION_ID, 120, 60))
    assert re.search(r"Last events +\S+ +save +on Stop, items 120, ms 77777\n.*receipt +verified", shown, re.DOTALL)
