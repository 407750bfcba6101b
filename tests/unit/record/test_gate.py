"""The gate: held where a question or a series of edits is open, never for long, never when the context is full."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from any_records import anything, likely
from compact_keeper.client.threads import LATE_LINES_SECONDS
from compact_keeper.client.tools import CHANGING_TOOLS
from compact_keeper.record import gate
from compact_keeper.store.settings import default_settings
from compact_keeper.types import CompactionState
from hostile import LINES
from sessions import Session, memory_of
from tool_events import changing_input

WINDOW = "CLAUDE_CODE_AUTO_COMPACT_WINDOW"
ROOM = 70_000  # tokens: the client compacts from 67,000 on, the gate lets go above 90,000
QUESTION, CHANGES = "a question to the user is open", "changes to 2 files are under way"


@pytest.fixture(autouse=True)
def waited(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[float]]:
    """The seconds that the gate waits for late lines, which pass at once; the window is named."""
    seconds: list[float] = []
    monkeypatch.setenv(WINDOW, "100000")
    with mock.patch.object(gate, "time", mock.Mock(monotonic=lambda: sum(seconds), sleep=seconds.append)):
        yield seconds


def filled(session: Session, tokens: Any = ROOM, version: str = "2.1.329") -> Session:
    """The session, its assistant's newest record telling of so many tokens, or of this usage; written by the client."""
    newest = next(record for record in reversed(session.records) if record["type"] == "assistant")
    newest["message"]["usage"] = tokens if isinstance(tokens, dict) else {"input_tokens": tokens, "output_tokens": 20}
    for record in session.records:
        record["version"] = version
    return session


def edited(*paths: str) -> Session:
    """A session whose last calls are edits of these files, one after another."""
    session = Session()
    session.typed("Rename the table everywhere.")
    session.ran("Bash", command="make test")
    for path in paths or ("/srv/a.py", "/srv/b.py"):
        session.ran("Edit", file_path=path, old_string="a", new_string="b")
    return session


def hold(session: Session, folder: Path, compaction: CompactionState | None = None, **settings: Any) -> Any:
    """What is noted of a hold; empty for none."""
    memory = memory_of(session, folder)
    in_force: Any = {**default_settings(), **settings}
    return gate.hold_for(compaction or {}, memory, str(folder / "transcript.jsonl"), in_force)


# --- hostile ---


@pytest.mark.parametrize("name", LINES)
def test_a_hostile_line_at_the_end_costs_at_most_the_hold(tmp_path: Path, name: str) -> None:
    path = tmp_path / "transcript.jsonl"
    path.write_bytes(filled(edited()).as_bytes() + LINES[name]())
    answer = gate.hold_for({}, {}, str(path), default_settings())
    assert answer in ({}, {"why": f"{CHANGES}; compaction held, 1 of at most 2 times", "holds": 1, "held_in": 0})


def test_what_the_parser_takes_is_not_too_deep(tmp_path: Path) -> None:
    path, line = tmp_path / "deep.jsonl", b'{"type":"user","message":{"content":%s}}\n'
    for depth in range(100, 1_000, 25):
        path.write_bytes(filled(edited()).as_bytes() + line % (b"[" * depth + b"]" * depth))
        assert gate.hold_for({}, {}, str(path), default_settings())["holds"] == 1


USAGES: dict[str, Any] = {
    "none": {}, "all-zero": {"input_tokens": 0, "output_tokens": 0}, "texts": {"input_tokens": "70000"},
    "negative": {"input_tokens": -70_000}, "float": {"input_tokens": 7e4}, "list": {"input_tokens": [70_000]},
    "null": {"input_tokens": None}, "huge": {"input_tokens": 10 ** 4_000}, "infinite": {"input_tokens": float("inf")},
    "text-and-output": {"input_tokens": "95000", "output_tokens": 20}, "true-and-output": {
        "input_tokens": True, "output_tokens": 20},
    "full": {"input_tokens": 90_001}, "full-by-cache": {"input_tokens": 1, "cache_read_input_tokens": 90_000},
    "full-by-output": {"input_tokens": 69_000, "output_tokens": 32_000}}


@pytest.mark.parametrize("usage", USAGES.values(), ids=USAGES)
def test_unknown_or_full_is_never_held(tmp_path: Path, usage: Any) -> None:
    assert hold(filled(edited(), usage), tmp_path) == {}


@pytest.mark.parametrize("window", ["", "0", "-100000", "1e5", "100000 ", "100k", "9" * 30, "1", "0x186A0", "NaN"])
def test_an_unknown_window_is_never_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, window: str) -> None:
    monkeypatch.setenv(WINDOW, window)
    assert hold(filled(edited()), tmp_path) == {}


@pytest.mark.parametrize("version", ["2.1.104", "2.1.76", "1.0.128", "2.0.999", "", "latest", "9" * 5_000 + ".1.1"])
def test_an_old_or_unknown_client_is_never_held(tmp_path: Path, version: str) -> None:
    assert hold(filled(edited(), version=version), tmp_path) == {}


@pytest.mark.parametrize("holds", [None, "1", [1], {}, True, 1.0, -3, 10 ** 30], ids=repr)
def test_an_odd_count_of_holds_holds_nothing(tmp_path: Path, holds: Any) -> None:
    assert hold(filled(edited()), tmp_path, {"stage": "verified", "holds": holds, "held_in": 0}) == {}


blocks = st.one_of(anything, likely(
    type=st.sampled_from(("tool_use", "tool_result", "text")), name=st.sampled_from(("Edit", "Write", "Read", "Bash")),
    input=likely(file_path=st.sampled_from(("/a", "/b")), notebook_path=st.just("/c"))))
counts = st.one_of(st.integers(), st.sampled_from((ROOM, 10 ** 30, True, -1, "70000", 1e9)), anything)
records = st.one_of(anything, likely(
    type=st.sampled_from(("user", "assistant", "attachment")), version=st.sampled_from(("2.1.329", "2.1.105", "x")),
    message=likely(content=st.one_of(st.text(max_size=20), st.lists(blocks, max_size=3)),
                   usage=likely(input_tokens=counts, output_tokens=counts, cache_read_input_tokens=counts))))


@given(st.lists(records.filter(lambda record: isinstance(record, dict)), max_size=8))
def test_any_records_are_judged_without_a_fault(last: list[Any]) -> None:
    with mock.patch.dict(os.environ, {WINDOW: "100000"}):
        reason = gate.reason_to_hold([], last, default_settings())
        has_room = gate.fits(last, default_settings())
    assert bool(reason) == (has_room and len(gate.being_changed(last)) > 1)


# --- whether there is room ---


@pytest.mark.parametrize(("version", "window", "most"), [
    ("2.1.105", 100_000, 75_000), ("2.1.149", 100_000, 75_000),  # these send nothing from 77,000 on
    ("2.1.150", 100_000, 90_000), ("2.1.329", 100_000, 90_000),
    ("2.1.329", 200_000, 175_000), ("2.1.329", 190_000, 171_000),  # a model of 200,000 ends at 177,000
    ("2.1.329", 300_000, 270_000)])
def test_room_for_another_request(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str, window: int, most: int) -> None:
    session = edited()
    session.records.pop()  # the last result; its few words would count
    monkeypatch.setenv(WINDOW, str(window))
    assert hold(filled(session, most - 20, version), tmp_path)
    assert hold(filled(session, most - 19, version), tmp_path) == {}


def test_a_large_window_compacts_above_gate_max(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(WINDOW, "1000000")
    assert hold(filled(edited(), 968_000), tmp_path) == {}


@pytest.mark.parametrize(("late", "is_held"), [(95_000, False), (ROOM, True), (1_000, False)])
def test_the_answer_that_filled_the_context_is_waited_for(tmp_path: Path, late: int, is_held: bool) -> None:
    early, whole = filled(edited(), 1_000).as_bytes(), filled(edited(), late).as_bytes()
    transcript, naps = tmp_path / "transcript.jsonl", list[float]()
    transcript.write_bytes(early)

    def sleep(seconds: float) -> None:
        naps.append(seconds)
        transcript.write_bytes(whole)
    with mock.patch.object(gate, "time", mock.Mock(monotonic=lambda: sum(naps), sleep=sleep)):
        assert bool(gate.hold_for({}, {}, str(transcript), default_settings())) is is_held
    assert 0 < sum(naps) < 2 * LATE_LINES_SECONDS


def test_nothing_is_waited_for_where_the_answer_is_there(tmp_path: Path, waited: list[float]) -> None:
    assert hold(filled(edited()), tmp_path)
    assert waited == []


def test_what_came_after_the_last_answer_counts(tmp_path: Path) -> None:
    session = filled(edited())
    assert hold(session, tmp_path)
    session.ran("Read", "x" * 70_000, file_path="/srv/long.txt")
    assert hold(session, tmp_path) == {}


@pytest.mark.parametrize(("tokens", "is_held"), [(ROOM, True), (95_000, False)])
def test_answers_of_the_client_itself_are_passed_over(tmp_path: Path, tokens: int, is_held: bool) -> None:
    session = filled(edited(), tokens)
    session.assistant({"type": "text", "text": "API Error"}, model="<synthetic>", usage={"input_tokens": 0})
    assert bool(hold(session, tmp_path)) is is_held


# --- what is held ---


def test_a_question_in_words_holds_nothing(tmp_path: Path) -> None:
    """Whether words ask is guessed; only a dialog and a plan are certain."""
    session = Session()
    session.typed("Clean up the schema.")
    session.says("There are two tables of that name. Shall I drop the old one?")
    assert hold(filled(session), tmp_path) == {}


def test_a_question_of_the_tool(tmp_path: Path) -> None:
    session = edited("/srv/a.py")
    session.posed("Which database?")
    assert hold(filled(session), tmp_path)["why"].startswith(QUESTION)


def test_a_plan_that_waits_for_approval(tmp_path: Path) -> None:
    session = edited("/srv/a.py")
    call = session.call("ExitPlanMode", plan="1. Rename the table\n2. Run the tests")
    assert hold(filled(session), tmp_path)["why"].startswith(QUESTION)
    session.result(call, "User has approved your plan.")
    assert hold(filled(session), tmp_path) == {}


SERIES: dict[str, tuple[Callable[[Session], object], bool]] = {  # what comes after the edits, and whether it is held
    "nothing": (lambda _: None, True),
    "read": (lambda session: session.ran("Read", file_path="/srv/c.py"), True),
    "search": (lambda session: session.ran("Grep", pattern="rates"), True),
    "words": (lambda session: session.says("Now the third file."), True),
    "command": (lambda session: session.ran("Bash", command="make test"), False),
    "prompt": (lambda session: session.typed("Stop, and describe it."), False),
    "mcp": (lambda session: session.ran("mcp__db__query", sql="SELECT 1"), False),
    "unnamed": (lambda session: session.ran("", command="x"), True),
    "command-and-one-edit": (lambda session: (session.ran("Bash", command="make test"),
                                              session.ran("Edit", file_path="/srv/c.py")), False)}


@pytest.mark.parametrize("name", SERIES)
def test_a_series_of_edits(tmp_path: Path, name: str) -> None:
    session, (then, is_held) = edited(), SERIES[name]
    then(session)
    assert bool(hold(filled(session), tmp_path)) is is_held


@pytest.mark.parametrize("tool", CHANGING_TOOLS)
def test_each_changing_tool_makes_a_series(tmp_path: Path, tool: str) -> None:
    session = edited("/srv/a.py")
    session.ran(tool, **changing_input(tool, "/srv/b.py", "b"))
    assert hold(filled(session), tmp_path)["why"].startswith(CHANGES)


def test_one_file_is_no_series(tmp_path: Path) -> None:
    assert hold(filled(edited("/srv/a.py", "/srv/a.py", "/srv/a.py")), tmp_path) == {}


# --- how often ---


@pytest.mark.parametrize(("compaction", "most", "number"), [
    ({}, 2, 1),
    ({"holds": 1, "held_in": 0}, 2, 2),
    ({"holds": 2, "held_in": 0}, 2, 0),
    ({"holds": 2, "held_in": 7}, 2, 1),  # in another filling of the context
    ({}, 0, 0),
    ({"holds": 1, "held_in": 0}, 1, 0),
    ({"stage": "verified"}, 2, 1),
    ({"stage": "begun"}, 2, 0)])  # one that was let go and did not end has failed
def test_the_number_of_holds(tmp_path: Path, compaction: Any, most: int, number: int) -> None:
    answer = hold(filled(edited()), tmp_path, compaction, gate_holds=most)
    why = f"{CHANGES}; compaction held, {number} of at most {most} times"
    assert answer == ({"why": why, "holds": number, "held_in": 0} if number else {})
