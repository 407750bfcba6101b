"""Recall in the real client: a session fills the archive by itself, and the words are found again in another one.

Typed as a skill, called by the model as a skill, and at the first prompt after a compaction. Each client plays all.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from typing import NamedTuple

import pytest

import client
import scenario
from delivered import restored_block, said
from scripted_api import Request, Script, ScriptedApi, Turn, summary
from waiting import comes
from workspace import INSTALLS, Run, Workspace, new, resumed

pytestmark = pytest.mark.e2e

VERSIONS = client.versions_of_plays_alike()
TYPED = "We drop the Redis cache of the tariffs: its eviction lost entries under load. SQLite keeps them now."
ANSWER = "Noted: tariffs stay in SQLite, the Redis cache goes."
OTHERS = ("Write the label of zone 3.",)
QUESTION = "why did we drop the Redis cache? don't guess; $(touch pwned) `touch pwned` \"; touch pwned; \""
LATER = "Why did the tariffs leave the Redis cache, was it eviction under load?"


class Recalled(NamedTuple):
    """What was played: the runs, the requests that asked, and the first one behind the compaction."""

    version: str
    runs: list[Run]
    typed: Request
    called: list[Request]
    after: Request
    archived: list[str]
    files: list[str]


def prompts_in_archive(workspace: Workspace) -> list[str]:
    """The typed words of all turns that are in the archive by now."""
    path = workspace.data / "archive.db"
    if not path.exists():
        return []
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as archive:
        return [row[0] for row in archive.execute("SELECT prompt FROM turns WHERE prompt <> '' ORDER BY time")]


def turns(api: ScriptedApi) -> list[Request]:
    return [request for request in api.requests if request.kind == "turn"]


def play(workspace: Workspace, version: str) -> Recalled:
    """A session of several turns, then another that asks for its words, then the first one compacted and gone on."""
    first = new()
    with ScriptedApi(Script([Turn(ANSWER), *(Turn("Done.") for _ in OTHERS)])) as api:
        runs = [workspace.prompt(api, TYPED, first)]
        runs += [workspace.prompt(api, words, resumed(first[-1])) for words in OTHERS]
    comes(lambda: len(prompts_in_archive(workspace)) > len(OTHERS))  # a turn comes into the archive after its end
    archived = prompts_in_archive(workspace)
    with ScriptedApi(Script([Turn("Because of eviction.")])) as api:
        runs.append(workspace.prompt(api, f"/compact-keeper:recall {QUESTION}", new()))
        typed = turns(api)[-1]
    workspace.plugin_options += ["--allowedTools", "Skill"]
    call = Turn("", "Skill", {"skill": "compact-keeper:recall", "args": "redis cache eviction"})
    with ScriptedApi(Script([call, Turn("Because of eviction.")])) as api:
        runs.append(workspace.prompt(api, "Why did the cache go?", new()))
        called = turns(api)
    with ScriptedApi(Script([Turn("Eviction it was.")], [summary(scenario.SUMMARY)])) as api:
        runs.append(workspace.prompt(api, scenario.COMPACT, resumed(first[-1])))
        runs.append(workspace.prompt(api, LATER, resumed(first[-1])))
        after = turns(api)[-1]
    files = [path.name for path in workspace.root.rglob("pwned*")]
    return Recalled(version, runs, typed, called, after, archived, files)


@pytest.fixture(scope="module", params=VERSIONS)
def recalled(request: pytest.FixtureRequest) -> Iterator[Recalled]:
    """All of it, played once with the plugin as a folder."""
    with Workspace(client.ensure(request.param), scenario.FILES) as workspace:
        INSTALLS["plugin-dir"](workspace)
        yield play(workspace, request.param)


def test_all_ran_through(recalled: Recalled) -> None:
    assert [run.code for run in recalled.runs] == [0] * len(recalled.runs)


def test_every_turn_came_into_the_archive_by_itself(recalled: Recalled) -> None:
    assert recalled.archived == [TYPED, *OTHERS]


def test_a_person_asks(recalled: Recalled) -> None:
    assert f"typed: {TYPED}" in recalled.typed.text()
    assert recalled.files == []


def test_the_model_asks(recalled: Recalled) -> None:
    assert f"typed: {TYPED}" not in recalled.called[0].text()
    assert f"typed: {TYPED}" in recalled.called[-1].text()


def test_the_block_says_how_to_ask(recalled: Recalled) -> None:
    last = restored_block(recalled.after).rstrip().splitlines()[-1]
    assert "compact-keeper:recall" in last


def test_the_first_prompt_after_a_compaction_is_looked_up(recalled: Recalled) -> None:
    """Where the block shows the words already, nothing is said twice; here it shows all that was typed."""
    text = "\n".join(said(recalled.after))
    assert json.dumps(TYPED)[1:-1] in json.dumps(text)
