"""restore_snapshot.py --rest, the second command at a start: when it waits, for what, and when it ends at once."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import restore_snapshot
from compact_keeper.store.compaction import DELIVERED_STAGES
from compact_keeper.store.json_files import replace_store
from compact_keeper.store.rest import leave_rest
from deliveries import events
from sessions import Home, hook_input

ID = "5e5510115e551011"
TEXT = "compact-keeper: second part of the record (block 5e551011)."


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    """A home with a second part that waits."""
    made = Home(tmp_path / "home")
    made.session.mkdir(parents=True)
    monkeypatch.setenv("COMPACT_KEEPER_HOME", str(made.path))
    leave_rest(str(made.session), ID, [TEXT])
    return made


@pytest.fixture
def printed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the command prints."""
    texts: list[str] = []
    monkeypatch.setattr(restore_snapshot, "print_answer", lambda _, output: texts.append(output["additionalContext"]))
    return texts


def set_stage(home: Home, stage: str, **fields: Any) -> None:
    replace_store(str(home.session / "compaction.json"), {"id": ID, "offset": 0, "stage": stage, **fields})


def naps(monkeypatch: pytest.MonkeyPatch, then: Callable[[int], object] = lambda _: None) -> list[float]:
    """The pauses that it makes; the clock goes on with each, and `then` is told how many there were."""
    made: list[float] = []

    def nap(seconds: float) -> None:
        made.append(seconds)
        then(len(made))
    monkeypatch.setattr(time, "sleep", nap)
    monkeypatch.setattr(time, "monotonic", lambda: sum(made))
    return made


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The pauses that it makes; nothing changes while it does."""
    return naps(monkeypatch)


def second(**fields: Any) -> None:
    given: Any = {**hook_input("SessionStart", "/tmp/transcript.jsonl", source="compact"), **fields}
    restore_snapshot.put_back_rest(given)


# --- what is not for it ---


@pytest.mark.parametrize("fields", [
    {"source": "startup"}, {"source": "resume"}, {"source": None}, {"source": ["compact"]}, {"agent_id": "a1b2"},
    {"session_id": "another"}, *({"hook_event_name": name} for name in (
        "PreCompact", "UserPromptSubmit", "PostToolUse", "SessionEnd", ""))], ids=str)
@pytest.mark.parametrize("stage", ["begun", "delivered"])
def test_at_other_events_it_ends_at_once(
        home: Home, printed: list[str], pauses: list[float], fields: dict[str, Any], stage: str) -> None:
    set_stage(home, stage)
    second(**fields)
    assert (printed, pauses) == ([], [])
    assert (home.session / "rest.json").exists()


@pytest.mark.parametrize("stage", ["kept back", "nothing known", "a subagent's", "brought in", "", "many"])
def test_where_nothing_will_come_it_ends_at_once(
        home: Home, printed: list[str], monkeypatch: pytest.MonkeyPatch, stage: str) -> None:
    pauses = naps(monkeypatch)
    set_stage(home, stage)
    second()
    assert (printed, pauses) == ([], [])


@pytest.mark.parametrize("stage", DELIVERED_STAGES)
def test_where_no_second_part_was_left_it_ends_at_once(
        home: Home, printed: list[str], monkeypatch: pytest.MonkeyPatch, stage: str) -> None:
    pauses = naps(monkeypatch)
    leave_rest(str(home.session), ID, [])
    set_stage(home, stage)
    second()
    assert (printed, pauses, home.log()) == ([], [], [])


# --- what it waits for ---


def test_it_waits_until_the_first_part_is_out(
        home: Home, printed: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    pauses = naps(monkeypatch, lambda count: set_stage(home, "delivered" if count == 7 else "begun"))
    set_stage(home, "begun")
    second()
    assert printed == [TEXT]
    assert pauses == [restore_snapshot.REST_PAUSE_SECONDS] * 7 + [restore_snapshot.REST_BEHIND_SECONDS]
    assert [(event["on"], event["units"]) for event in events(home, "rest")] == [("SessionStart", len(TEXT))]
    second()
    assert len(printed) == 1


@pytest.mark.parametrize("stage", ["kept back", "nothing known", "a subagent's"])
def test_it_ends_when_it_shows_that_nothing_will_come(
        home: Home, printed: list[str], monkeypatch: pytest.MonkeyPatch, stage: str) -> None:
    pauses = naps(monkeypatch, lambda count: set_stage(home, stage if count == 7 else "begun"))
    set_stage(home, "begun")
    second()
    assert (printed, len(pauses)) == ([], 7)


def test_it_waits_for_so_long_and_the_second_part_is_the_next_events(
        home: Home, printed: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    pauses = naps(monkeypatch)
    set_stage(home, "begun")
    second()
    assert printed == []
    patience = restore_snapshot.REST_PATIENCE_SECONDS
    assert patience < sum(pauses) < patience + 2 * restore_snapshot.REST_PAUSE_SECONDS
    assert (home.session / "rest.json").exists()


def test_another_compactions_is_not_printed(home: Home, printed: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    naps(monkeypatch)
    set_stage(home, "delivered", id="0123456789abcdef")
    second()
    assert printed == []
