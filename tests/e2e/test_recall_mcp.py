"""That the real client's model finds, through `recall.py mcp`, the words of an earlier session.

One session is played and taken in by `recall.py index`; in the next one the model, which knows nothing of it,
searches and reads. What it was given stands in the next request.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from typing import NamedTuple

import pytest

import client
import scenario
from scripted_api import Request, Script, ScriptedApi, Turn
from workspace import REPOSITORY, Run, Workspace, new

pytestmark = pytest.mark.e2e

VERSIONS = client.versions_of_plays_alike()
RECALL = str(REPOSITORY / "scripts" / "recall.py")
COMMAND = ["python3", "-IS", RECALL, "mcp"]
SEARCH, SHOW = "mcp__recall__search_history", "mcp__recall__show_turn"
TYPED = "We round half up on whole cents, because the ledger does. It's the \N{OTTER}'s rule: zone 7 first."
SAID = "Noted: half up on whole cents, zone 7 before the others."
QUESTION = "How did we want to round?"
FAULT_WORDS = ("Traceback", "MCP error", "JSON-RPC", "Failed to connect")


class Recalled(NamedTuple):
    """The runs of both sessions, and what the model of the second was given."""

    runs: list[Run]
    requests: list[Request]

    def result(self, number: int) -> str:
        """What the call's result told the model."""
        after = [request for request in self.requests if request.kind == "turn"][number + 1]
        return after.last_text()

    def output(self) -> str:
        """Everything that the client printed."""
        return "\n".join(run.stdout + run.stderr for run in self.runs)


def index(workspace: Workspace) -> None:
    """Takes in what the client wrote, as a person would."""
    subprocess.run([sys.executable, "-IS", RECALL, "index", "--quiet"], env=workspace.environment(), check=True)


def play_two(workspace: Workspace) -> Recalled:
    """A session in which something is said, and one whose model looks for it."""
    turns = [Turn("", SEARCH, {"query": "round cents ledger", "kind": "prompt", "project": "."}),
             Turn("", SHOW, {"id": 1}), Turn("", SEARCH, {"query": "round", "since": "yesterday"}), Turn("Half up.")]
    workspace.plugin_options = ["--allowedTools", f"{SEARCH},{SHOW}", *workspace.plugin_options]
    with ScriptedApi(Script([Turn(SAID)])) as api:
        runs = [workspace.prompt(api, TYPED, new())]
    index(workspace)
    with ScriptedApi(Script(turns)) as api:
        runs.append(workspace.prompt(api, QUESTION, new()))
    return Recalled(runs, api.requests)


@pytest.fixture(scope="module", params=VERSIONS)
def recalled(request: pytest.FixtureRequest) -> Iterator[Recalled]:
    """Both sessions, played once for all tests that read them, the server wired as README says."""
    with Workspace(client.ensure(request.param), scenario.FILES) as workspace:
        added = workspace.claude("mcp", "add", "--scope", "user", "recall", "--", *COMMAND)
        assert added.code == 0, added
        yield play_two(workspace)


def test_both_sessions_ran_through(recalled: Recalled) -> None:
    assert [run.code for run in recalled.runs] == [0, 0]
    assert [word for word in FAULT_WORDS if word in recalled.output()] == []


def test_the_model_knows_the_tools_and_not_the_words(recalled: Recalled) -> None:
    first = next(request for request in recalled.requests if request.kind == "turn")
    assert SEARCH in json.dumps(first.body)
    assert TYPED not in first.text()


def test_the_model_is_given_the_words_and_where_they_stand(recalled: Recalled) -> None:
    assert f"typed: {TYPED}" in recalled.result(0)
    assert " · parcel-rates · main · show 1#" in recalled.result(0)
    assert f"said: {SAID}" in recalled.result(1)


def test_the_model_is_told_what_was_wrong(recalled: Recalled) -> None:
    assert "compact-keeper: since is a time" in recalled.result(2)
