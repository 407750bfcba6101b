"""What a frame of the live view shows; hostile files and events leave it standing."""

from __future__ import annotations

import json
import os
import re
import shutil
import time
from pathlib import Path
from typing import Any

import pytest

from compact_keeper.figures import coming_back
from compact_keeper.figures.coming_back import ComingBack, text_now, timeless
from compact_keeper.figures.frame import STYLES, View, age_shown, fitted, frame, wrapped
from compact_keeper.text.times import clock, moment
from deliveries import OTHER
from sessions import SESSION_ID, START
from stats_home import compaction, make_home, stop, write_lines


@pytest.fixture
def watched(home: Path) -> Path:
    """A data folder with a session."""
    return make_home(home)


NOW = View("compact-keeper: the record (block 1).\n\n## Standing rules\n- Never push.\n- Always lint.", 400,
           ["- Always lint."], START)


def test_a_frame_tells_of_the_session(watched: Path) -> None:
    folder = watched / "sessions" / SESSION_ID
    write_lines(folder / "note.json", [{"schema": 1, "text": "four"}])
    text = "\n".join(frame(SESSION_ID, NOW, 120, 60))
    for words in (f"session {SESSION_ID}", "/home/ada/parcel-rates", "tokens after the last answer",
                  "a note on the summary for the model, 4 characters", "automatic, put back 8,200 characters, arrived",
                  f"████················ {len(NOW.text)} of 400 characters", "New             ", " - Always lint.",
                  "- Never push.",
                  "save, beside your work 23 · save, before a compaction 31 · put back 22"):
        assert words in text
    assert text.count("put back 8,200 characters") == 3
    assert text.splitlines()[-1].startswith("Hooks, ms")


def test_a_frame_says_how_it_ends_and_which_session_was_saved_later(watched: Path) -> None:
    other = watched / "sessions" / OTHER
    other.mkdir()
    own = watched / "sessions" / SESSION_ID / "status.json"
    for project, later, is_named in (("/home/ada/parcel-rates", 60, True), ("/home/ada/parcel-rates", -60, False),
                                     ("/elsewhere", 60, False)):
        write_lines(other / "status.json", [{"schema": 1, "project": project}])
        os.utime(other / "status.json", (own.stat().st_mtime + later,) * 2)
        text = "\n".join(frame(SESSION_ID, NOW, 120, 60))
        assert "(q ends the view)" in text.splitlines()[0]
        assert (f"Newer           session {OTHER} of this folder was saved later" in text) is is_named


@pytest.mark.usefixtures("watched")
def test_colours_stand_around_whole_lines_and_take_no_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "time", lambda: START)  # the clock of the two frames is one
    bright, plain = (frame(SESSION_ID, NOW, 60, 30, is_bright) for is_bright in (True, False))
    assert [re.sub(r"\x1b\[[\d;]*m", "", line).rstrip() for line in bright][1:] == plain[1:]
    [new] = [line for line in bright if line.endswith("- Always lint.\033[0m") and "New" not in line]
    assert f"\033[{STYLES['new']}m" in new


@pytest.mark.parametrize("height", [1, 2, 3, 7])
@pytest.mark.usefixtures("watched")
def test_a_low_terminal_has_the_first_lines_and_the_last(height: int) -> None:
    lines = frame(SESSION_ID, NOW, 80, height)
    assert len(lines) == height
    assert lines[0].startswith("compact-keeper")
    assert lines[-1].startswith("Hooks") == (height > 1)
    whole = frame(SESSION_ID, NOW, 80, 60)
    assert len(lines) < len(whole)
    if height > 2:
        assert lines[-2].strip() == f"… and {len(whole) - height + 1} lines more; a taller window shows them"


def test_a_frame_of_a_session_of_which_nothing_is_known(watched: Path) -> None:
    shutil.rmtree(watched)
    text = "\n".join(frame(SESSION_ID, View(), 120, 60))
    for words in ("Project         not known", "not known: no answer", "not yet", "none yet",
                  "Would come back not known"):
        assert words in text


@pytest.mark.parametrize(("header", "words"), [
    ("compact-keeper: the record. Times count back from 2026-09-21 14:13 UTC (block 1).", "; times count back from {}"),
    ("compact-keeper: the record. Times count back from the compaction.", ""),
    ("", "")])
def test_the_moment_that_times_count_back_from_is_told(header: str, words: str) -> None:
    stamp = moment(f"{header.partition('from ')[2][:16].replace(' ', 'T')}:00Z")
    [shown] = [line for line in frame(SESSION_ID, View(f"{header}\n- Never push.", 400), 200, 20)
               if line.startswith("Would come back")]
    assert shown.partition("compacted now")[2] == words.format(clock(stamp))


def test_nothing_that_would_come_back_is_not_what_is_not_known() -> None:
    assert "Would come back nothing yet" in frame(SESSION_ID, View("", 9_000), 80, 20)
    assert "Would come back not known" in frame(SESSION_ID, View(), 80, 20)


@pytest.mark.parametrize("path", ["", "/nowhere/x.jsonl"])
def test_what_cannot_be_told_is_empty(path: str) -> None:
    assert text_now(path) == ("", 0)  # here no script lies beside: in the built one they do


def test_a_session_without_a_transcript_has_nothing_to_look_at(watched: Path) -> None:
    (watched / "sessions" / SESSION_ID / "status.json").unlink()
    assert ComingBack(SESSION_ID).now() == View()


def test_what_is_new_is_what_was_not_there_before(watched: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = iter(["compact-keeper: a\n- old (just before)", "compact-keeper: b\n## A\n- old (1 min before)\n- new",
                  "compact-keeper: c\n- new"])
    monkeypatch.setattr(coming_back, "text_now", lambda _: (next(texts), 9))
    transcript = json.loads((watched / "sessions" / SESSION_ID / "status.json").read_text())["transcript"]
    shown, looked = ComingBack(SESSION_ID), list[View]()
    for _ in range(3):
        looked += [shown.now(), shown.now()]  # twice: nothing has grown
        shown.not_before = 0.0
        with Path(transcript).open("a") as file:
            file.write("\n")
    assert [list(view.changes) for view in looked] == [[], [], ["- new"], ["- new"], ["- new"], ["- new"]]
    assert looked[-1].text == "compact-keeper: c\n- new"
    (watched / "sessions" / SESSION_ID / "status.json").unlink()  # as "uninstall --data" leaves an open view
    assert shown.now() == View()


@pytest.mark.parametrize(("line", "words"), [
    ("- (just before) \"Go.\"", "- () \"Go.\""), ("(12 min before)", "()"), ("(3 days before, when rejecting)",
     "(, when rejecting)"), ("what was there before", "what was there before")])
def test_how_long_ago_is_no_news(line: str, words: str) -> None:
    assert timeless(line) == words


@pytest.mark.parametrize("name", ["status.json", "snapshot.json", "note.json", "compaction.json"])
@pytest.mark.parametrize("content", [
    b"", b"[]", b'{"schema": 2}', b'{"schema": 1, "items": [7, null, {"kind": []}]}',
    b'{"schema": 1, "items": 7, "text": [], "time": "x", "stage": {}, "transcript": 7}'])
def test_broken_files_leave_the_view_standing(watched: Path, name: str, content: bytes) -> None:
    (watched / "sessions" / SESSION_ID / name).write_bytes(content)
    assert "compact-keeper" in frame(SESSION_ID, View(), 80, 24)[0]


def test_odd_events_leave_the_view_standing(watched: Path) -> None:
    values: tuple[Any, ...] = (None, [], -1, 1e300, "\x1b[2J")
    odd = [{**line, name: value} for line in compaction(900) for name in line for value in values]
    write_lines(watched / "events.jsonl", odd)
    lines = frame(SESSION_ID, View(), 80, 60)
    assert not re.search(r"[\x00-\x1f\x7f]", "".join(lines))


@pytest.mark.parametrize(("text", "width", "shown"), [
    ("abc", 2, "ab"), ("日本語", 5, "日本"), ("e\u0301e\u0301e\u0301", 2, "e\u0301e\u0301"),
    ("a\x1b[31mb\nc", 9, "ab c"), ("", 0, ""), ("abc", 0, "")])
def test_lines_are_cut_to_columns(text: str, width: int, shown: str) -> None:
    assert fitted(text, width) == shown


@pytest.mark.parametrize(("text", "width", "lines"), [
    ("ab cd ef", 5, ["ab cd", "ef"]), ("ab cd ef", 6, ["ab cd", "ef"]), ("abcdefg", 3, ["abc", "def", "g"]),
    ("  abcdef", 5, ["  abc", "def"]), ("a b c d e f g h", 3, ["a b", "c d", "e …"]), ("日本語", 4, ["日本", "語"]),
    ("ab\ncd", 9, ["ab cd"]), ("", 9, [""]), ("abc", 0, [""])])
def test_a_long_row_goes_on_in_the_next_line(text: str, width: int, lines: list[str]) -> None:
    assert wrapped(text, width) == lines


@pytest.mark.usefixtures("watched")
def test_a_line_that_would_come_back_is_shown_whole() -> None:
    rule = "- Never push before Lena has looked at the rates, " * 3
    lines = frame(SESSION_ID, View(f"compact-keeper: x\n{rule}", 400), 110, 60)
    assert rule.strip() in " ".join(" ".join(lines).split())
    assert max(map(len, lines)) <= 110


@pytest.mark.parametrize(("moment", "words"), [
    (START - 5, "5 s ago"), (START - 700, "12 min ago"), (START - 90_000, "25 h ago"), (START - 900_000, "10 days ago"),
    (START + 9_000, "not known when"), (None, "not known when"), (float("nan"), "not known when")])
def test_ages_are_told_for_people(moment: object, words: str) -> None:
    assert age_shown(moment, START) == words


def test_events_of_before_the_file_began_anew_are_shown(watched: Path) -> None:
    (watched / "events.jsonl").rename(watched / "events.jsonl.1")
    write_lines(watched / "events.jsonl", [stop(90_000, 77_777)])
    shown = "\n".join(frame(SESSION_ID, View(), 120, 60))
    assert shown.count("put back 8,200 characters") == 3
