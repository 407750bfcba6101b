"""Compactions that the newest client prepares in advance, beside the turn, and uses later."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

import client
import prepared as plays
import scenario
from delivered import restored_block, restored_blocks
from prepared import LATE_FAILURE, SECOND_RULE, THIRD_RULE, Preparing
from scenario import OPEN_TASK, RULE, Played
from workspace import Run, from_plugin_dir

pytestmark = pytest.mark.e2e
NEWEST = client.pinned_versions()[0]


@pytest.fixture(scope="module")
def swapped() -> Iterator[tuple[Preparing, Played]]:
    workspace = Preparing(client.ensure(NEWEST), scenario.FILES)
    with workspace:
        from_plugin_dir(workspace)
        yield workspace, plays.play_swapped(workspace)


@pytest.fixture(scope="module")
def away() -> Iterator[tuple[Preparing, Played, Run]]:
    workspace = Preparing(client.ensure(NEWEST), scenario.FILES)
    with workspace:
        from_plugin_dir(workspace)
        played, other = plays.play_away(workspace)
        yield workspace, played, other


def boundaries(played: Played) -> list[dict[str, Any]]:
    """What the transcript tells of each compaction."""
    records = [json.loads(line) for line in played.transcript.splitlines()]
    return [record["compactMetadata"] for record in records if record.get("subtype") == "compact_boundary"]


def events(workspace: Preparing, played: Played) -> list[str]:
    """The events of the session's compactions, as they were noted; a save's with what it was made on."""
    return [f"{event['event']} {event['on']}" if event["event"] == "save" else event["event"]
            for event in workspace.events(played.session) if event.get("on") != "Stop"]


def beside_saves(names: list[str]) -> list[str]:
    """The events that are promised in this order; the boundary's is a save's, which runs beside the receipt."""
    return [name for name in names if not name.startswith("save") and name != "boundary"]


def log(workspace: Preparing) -> str:
    path = workspace.data / "hook.log"
    return path.read_text(encoding="utf-8") if path.exists() else ""


def test_what_came_behind_the_preparation_is_put_back(swapped: tuple[Preparing, Played]) -> None:
    workspace, played = swapped
    assert [boundary.get("precomputed") for boundary in boundaries(played)] == [True]
    block = next(filter(None, map(restored_block, played.requests)))
    for words in (RULE, SECOND_RULE, OPEN_TASK, LATE_FAILURE):
        assert words in block
    assert log(workspace) == ""


def test_it_is_put_back_once_and_arrives(swapped: tuple[Preparing, Played]) -> None:
    workspace, played = swapped
    assert max(len(restored_blocks(request)) for request in played.requests) == 1
    names = events(workspace, played)
    assert names[0] == "save PreCompact"
    assert beside_saves(names) == ["restore", "audit", "receipt"]
    assert names.count("boundary") == 1
    assert names[names.index("restore") - 1] == "save SessionStart"


def test_a_day_later_all_is_put_back_too(away: tuple[Preparing, Played, Run]) -> None:
    workspace, played, _ = away
    assert len(boundaries(played)) == 1
    block = next(filter(None, map(restored_block, played.requests)))
    for words in (RULE, SECOND_RULE, THIRD_RULE, OPEN_TASK, LATE_FAILURE):
        assert words in block
    assert max(len(restored_blocks(request)) for request in played.requests) == 1
    names = events(workspace, played)
    assert beside_saves(names) == ["restore", "audit", "receipt"]
    assert names.count("boundary") == 1
    assert log(workspace) == ""


def test_a_preparation_that_is_not_used_is_no_failure(away: tuple[Preparing, Played, Run]) -> None:
    _, played, other = away
    assert {run.code for run in [*played.runs, other]} == {0}
    assert "did not finish" not in other.stdout
