"""The words of the status line: the bar with its marks, ages, tasks, the waiting note, another command's output."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest

from compact_keeper.figures.status_words import NOTHING, context_words, joined, line_of, save_words

NOW = 1_790_000_000.0
EMPTY = "··············│··│·│ ctx –"  # the bar after a compaction
WAITING = "the model will be told 1 thing about the summary"


@pytest.fixture
def in_utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize(("percent", "words", "colour"), [
    (0, "··············│··│·│ ctx 0%", ""), (30, "██████········│··│·│ ctx 30%", ""),
    (69, "█████████████·│··│·│ ctx 69%", ""), (70, "██████████████│··│·│ ctx 70%", "33"),
    (85, "█████████████████│·│ ctx 85%", "31"), (95, "███████████████████│ ctx 95%", "1;31"),
    (100, "████████████████████ ctx 100%", "1;31")])
def test_the_bar_touches_a_mark_that_is_reached(
        monkeypatch: pytest.MonkeyPatch, percent: int, words: str, colour: str) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert context_words(percent) == (f"\x1b[{colour}m{words}\x1b[0m" if colour else words)
    monkeypatch.setenv("NO_COLOR", "1")
    assert context_words(percent) == words


@pytest.mark.parametrize(("columns", "has_bar"), [("69", False), ("70", True), ("", True), ("-1", True), ("²", True)])
def test_a_narrow_terminal_gets_no_bar(monkeypatch: pytest.MonkeyPatch, columns: str, has_bar: bool) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    assert context_words(30).startswith("█") is has_bar


@pytest.mark.parametrize(("seconds", "words"), [
    (-1, ""), (0, "saved 14:13"), (800, "saved 14:00"), (51_199, "saved 00:00"), (51_201, "saved 20 Sep 23:59"),
    (20 * 86_400, "saved 1 Sep 14:13"), (float("inf"), ""), (float("-inf"), ""), (float("nan"), "")])
@pytest.mark.usefixtures("in_utc")
def test_the_clock_tells_when_it_was_saved(seconds: float, words: str) -> None:
    assert save_words(NOW - seconds, NOW) == words


@pytest.mark.parametrize(("status", "note", "line"), [
    ({}, {}, ""), ({"tasks": 1}, {}, f"{EMPTY} · 1 open task"), ({"tasks": 0}, {}, ""),
    ({}, {"text": "…"}, f"{EMPTY} · {WAITING}"), ({}, {"findings": [{"what": "claim"}]}, f"{EMPTY} · {WAITING}"),
    ({}, {"findings": [{}, {}]}, f"{EMPTY} · the model will be told 2 things about the summary")])
def test_what_is_not_known_is_left_out_but_the_bar(status: dict[str, Any], note: dict[str, Any], line: str) -> None:
    assert line_of(None, status, note, {}, NOW) == line


@pytest.mark.parametrize(("age", "findings", "words"), [
    (0, [{"said": "Pushed."}], "1 error found in the summary, told to the model"),
    (599, [{"said": "Pushed."}, {"said": "Green."}, {"said": ""}],
     "2 errors found in the summary, told to the model"),
    (600, [{"said": "Pushed."}], ""), (-1, [{"said": "Pushed."}], ""), (0, [{"said": ""}], ""), (0, "odd", "")])
def test_of_a_note_that_was_given_it_is_told_for_ten_minutes(age: float, findings: object, words: str) -> None:
    given = {"time": NOW - age, "findings": findings}
    assert line_of(None, {}, {}, given, NOW) == (f"{EMPTY} · {words}" if words else "")
    assert line_of(None, {}, {"text": "…"}, given, NOW) == f"{EMPTY} · {WAITING}"
    if words:
        line = line_of(None, {"tasks": 1, "time": NOW}, given, {}, NOW)
        errors = words.partition(",")[0]
        saved = save_words(NOW, NOW)
        assert line.startswith(f"{EMPTY} · {saved} · 1 open task · {errors}, the model will"), "cut at its end"


@pytest.mark.parametrize(("findings", "contradicted", "words"), [
    ([{"said": "Pushed."}], 2, "2 errors found in the summary, the model will be told"),
    ([{"said": ""}], 1, "1 error found in the summary, told to the model"),
    ([{"said": "Pushed."}], 0, "1 error found in the summary, the model will be told"),
    ([{"said": "Pushed."}], "2", "1 error found in the summary, the model will be told")])
def test_what_the_text_told_before_the_note_counts_too(findings: object, contradicted: object, words: str) -> None:
    note = {"time": NOW, "findings": findings, "contradicted": contradicted}
    assert line_of(None, {}, note, {}, NOW) == f"{EMPTY} · {words}"
    assert line_of(None, {}, {}, note, NOW) == f"{EMPTY} · {words.partition(',')[0]}, told to the model"


@pytest.mark.parametrize("value", [None, True, -1, 0, "7", "\x1b[2J\n\u202e7", [7], [[[[]]]], {}, 1e999])
def test_odd_figures_are_left_out(value: object) -> None:
    assert line_of(None, {"time": value, "tasks": value}, {"findings": value}, {}, NOW) == f"{EMPTY} · {WAITING}"
    assert line_of(None, {}, {}, {"time": value, "findings": value}, NOW) == ""


@pytest.mark.parametrize(("theirs", "line", "both"), [
    (b"", "ours", b"ours"), (b"", NOTHING, NOTHING.encode()), (b"theirs", NOTHING, b"theirs"),
    (b"theirs", "", b"theirs"), (b"theirs", "ours", "theirs │ ours".encode()), (b"one\ntwo", "ours", b"one\ntwo\nours"),
    (b"\x1b[32mtheirs", "ours", "\x1b[32mtheirs\x1b[0m │ ours".encode())])
def test_the_persons_own_line_stands_before_ours(theirs: bytes, line: str, both: bytes) -> None:
    assert joined(theirs, line) == both
