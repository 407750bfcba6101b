"""What the hooks that run most often ask of the system when nothing waits; no process is started then."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import answer_prompt
import record_event
from compact_keeper.client import hand_over
from compact_keeper.store import json_files
from sessions import Home, hook_input

COUNTED = ("stat", "lstat", "open", "mkdir", "replace", "rename", "listdir", "scandir", "unlink", "write",
           "posix_spawn", "pipe")
TOOL = {"tool_name": "Bash", "tool_input": {"command": "make test"}, "tool_use_id": "toolu_1"}
ENDED = {"id": "5e5510115e551011", "offset": 0, "stage": "verified"}


class Calls:
    """What a hook asks of the system, by the names of the calls and files."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.made: list[tuple[str, str]] = []
        for name in COUNTED:
            monkeypatch.setattr(os, name, self.counted(name, getattr(os, name)))

    def counted(self, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def counting(*given: Any, **named: Any) -> Any:
            self.made.append((name, os.path.basename(str(given[0])) if given else ""))
            return call(*given, **named)
        return counting

    def of(self, hook: Callable[[Any], None], event: str, **fields: Any) -> list[tuple[str, str]]:
        self.made.clear()
        hook(hook_input(event, "/tmp/transcript.jsonl", **fields))
        return self.made.copy()


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    made = Home(tmp_path / "home")
    monkeypatch.setenv("COMPACT_KEEPER_HOME", str(made.path))
    return made


def test_with_nothing_waiting_an_event_costs_two_looks_more(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = Calls(monkeypatch)
    calls.of(record_event.record, "PostToolUse", **TOOL)  # what a first call makes is there now
    without = calls.of(record_event.record, "PostToolUse", **TOOL, agent_id="a1b2c3")
    assert ("open", "ledger.jsonl") in without
    looks = [("stat", "rest.json"), ("stat", "note.json"), ("stat", "untold.json")]
    assert calls.of(record_event.record, "PostToolUse", **TOOL) == [*without, *looks]
    assert len(home.ledger()) == 3


@pytest.mark.parametrize("compaction", [{}, ENDED, {**ENDED, "stage": "unseen", "earlier": {"stage": "delivered"}}])
def test_with_nothing_due_a_prompt_costs_few_looks(
        home: Home, monkeypatch: pytest.MonkeyPatch, compaction: dict[str, Any]) -> None:
    calls = Calls(monkeypatch)
    calls.of(answer_prompt.meet, "UserPromptSubmit", prompt="Go on.")
    if compaction:
        json_files.replace_store(str(home.session / "compaction.json"), compaction)
    without = calls.of(answer_prompt.meet, "UserPromptSubmit", prompt="Go on.", agent_id="a1b2c3")
    looks = [("stat", home.session.name), ("open", "compaction.json"), ("stat", "unasked"), ("stat", "note.json"),
             ("stat", "rest.json"), ("stat", "untold.json")]
    assert calls.of(answer_prompt.meet, "UserPromptSubmit", prompt="Go on.") == [*without, *looks]
    assert len(home.ledger()) == 3


def test_the_event_is_recorded_before_the_note_is_looked_for(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    def look(_folder: str) -> str:
        assert len(home.ledger()) == 1
        raise OSError("the disk went away")

    monkeypatch.setattr(hand_over, "take_note", look)
    with pytest.raises(OSError, match="went away"):
        record_event.record(hook_input("PostToolUse", **TOOL))


@pytest.mark.parametrize("stage", ["begun", "delivered", "a subagent's"])
@pytest.mark.parametrize("is_earlier", [False, True])
def test_a_delivery_that_waits_for_its_receipt_starts_the_restore_once(
        home: Home, monkeypatch: pytest.MonkeyPatch, stage: str, is_earlier: bool) -> None:
    waiting = {**ENDED, "stage": stage}
    started: list[tuple[object, ...]] = []

    def printed(*given: object) -> bytes:
        started.append(given)
        return b""
    monkeypatch.setattr(answer_prompt, "script_output", printed)
    home.session.mkdir(parents=True)
    compaction = {**ENDED, "earlier": waiting} if is_earlier else waiting
    json_files.replace_store(str(home.session / "compaction.json"), compaction)
    answer_prompt.meet(hook_input("UserPromptSubmit", "/tmp/t.jsonl", prompt="Go on."))
    [(script, arguments, given, _)] = started
    assert (script, arguments) == ("restore_snapshot.py", [])
    assert json.loads(json.dumps(given)) == hook_input("UserPromptSubmit", "/tmp/t.jsonl")
