"""What the model is given after a compaction, measured with the real client.

A scene is one client version with the plugin from the marketplace, and one kind of compaction: a session
of its own first (nothing of it may turn up later), then the session of scenario.py with two
compactions.  Each scene is played once; every test reads what was recorded.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

import client
import scenario
from delivered import (
    OUR_FIRST_WORD,
    parts_given,
    restored_block,
    restored_blocks,
    summary_instructions,
    task_marks,
    utf16_units,
)
from scenario import FACTS, Played
from scripted_api import Turn
from workspace import INSTALLS, REPOSITORY, Workspace

pytestmark = pytest.mark.e2e

VERSIONS = client.versions_under_test()
NEWEST = VERSIONS[0]
# The client replaces a longer text by a preview; ours keeps its distance.
BLOCK_LIMIT = 9_800
SHRUNK_LIMIT = 2_000
INSTRUCTIONS_LIMIT = 300
FAULT_OF_OURS = re.compile(r'File \\*"[^"\n]*/(?:scripts|hooks)/\w+\.py\\*", line')  # a line of a traceback
FAULT_WORDS = ("hook error", "non-blocking status", "hook_non_blocking_error",
               "hook_error_during_execution", "hook_cancelled", "hook validation failed")
REPLACED_WORDS = ("persisted-output", "Output too large", "Preview (first")
IDLE_LIMIT = 100  # characters of the skills' list, in every request
PUT_BACK = re.compile(r"compact-keeper: put back [^\"\\]*")


class Scene(NamedTuple):
    """A played session with the workspace it was played in, which is still there."""

    workspace: Workspace
    other: Played
    played: Played

    def blocks(self) -> list[str]:
        """The block restored after each compaction, "" where there is not exactly one."""
        return [restored_block(request) for request in self.played.after]


OLDEST = VERSIONS[-1]
# test_matrix.py plays the other kind with each of them, and what differs from client to client; test_installed.py what
# install.py copies.
SCENES = [(NEWEST, "manual"), (OLDEST, "automatic")]


@pytest.fixture(scope="module", params=SCENES, ids="-".join)
def scene(request: pytest.FixtureRequest) -> Iterator[Scene]:
    """One scene, played once for all tests that read it."""
    version, compaction = request.param
    with Workspace(client.ensure(version), scenario.FILES) as workspace:
        INSTALLS["marketplace"](workspace)
        other = scenario.play_other(workspace)
        played = scenario.PLAYS[compaction](workspace, version)
        yield Scene(workspace, other, played)


def skill_description(name: str) -> str:
    """What the client is told of a skill."""
    text = (REPOSITORY / "skills" / name / "SKILL.md").read_text(encoding="utf-8")
    return str(re.findall(r"^description: (.+)$", text, re.MULTILINE)[0])


@pytest.fixture
def fresh() -> Iterator[Workspace]:
    """A workspace of its own with the newest client, nothing installed."""
    with Workspace(client.ensure(NEWEST), scenario.FILES) as workspace:
        yield workspace


# The harness itself -------------------------------------------------------------------------------


def test_session_ran_through_two_compactions(scene: Scene) -> None:
    assert {run.code for run in (*scene.other.runs, *scene.played.runs)} == {0}
    assert len(scene.other.after) == 1
    assert len(scene.played.summary_requests()) == len(scene.played.after) == 2


@pytest.mark.parametrize(("version", "compaction"), SCENES[:1])
def test_without_the_plugin_the_facts_are_gone(version: str, compaction: str) -> None:
    """The control: what the other tests find does not come from the client itself."""
    with Workspace(client.ensure(version), scenario.FILES) as workspace:
        after = scenario.PLAYS[compaction](workspace, version).after
    assert len(after) == 2
    for given in after:
        assert not restored_blocks(given)
        assert [fact.name for fact in (*FACTS, scenario.DECISION_FACT) if fact.is_in(given.text())] == []


# What the model is given --------------------------------------------------------------------------


def test_each_fact_arrives_after_each_compaction(scene: Scene) -> None:
    for given in scene.played.after:
        assert [fact.name for fact in FACTS if not fact.is_in(given.text())] == [], restored_block(given)


def test_block_arrives_once_after_each_compaction(scene: Scene) -> None:
    assert [len(restored_blocks(request)) for request in scene.played.after] == [1, 1]


def test_tasks_have_their_status(scene: Scene) -> None:
    unfinished = (scenario.OPEN_TASK, scenario.LAST_TASK, scenario.ASK_TASK)
    marks = {scenario.DONE_TASK: {"[x]"}, **{task: {"[ ]"} for task in unfinished}}
    for block in scene.blocks():
        assert {task: task_marks(block, task) for task in marks} == marks, block


def test_nothing_of_another_session(scene: Scene) -> None:
    for request in scene.played.requests:
        assert scenario.OTHER_MARK not in request.text().lower()


def test_other_session_was_given_its_own(scene: Scene) -> None:
    """Else the test above proves nothing."""
    assert scenario.OTHER_MARK in restored_block(scene.other.after[0])


def test_tool_output_becomes_no_rule(scene: Scene) -> None:
    """It stands only where the command does that printed it."""
    for block in scene.blocks():
        quoted = [line for line in block.splitlines() if "always use tabs" in line or "never run tests" in line]
        assert [line for line in quoted if "cat docs/notes.txt" not in line] == []


def test_block_fits(scene: Scene) -> None:
    for block in scene.blocks():
        assert 0 < utf16_units(block) <= BLOCK_LIMIT
    for request in scene.played.after:
        assert not [word for word in REPLACED_WORDS if word in request.text()]


def test_full_block_fits_and_shrinks_at_the_third_compaction_in_a_row(fresh: Workspace) -> None:
    """More of everything than the budget holds, in characters that count twice."""
    INSTALLS["plugin-dir"](fresh)
    after = scenario.play_crowded(fresh).after
    *full, [third] = (parts_given(request) for request in after)
    assert len(full) == 2
    assert all(BLOCK_LIMIT / 2 < utf16_units(parts[0]) <= BLOCK_LIMIT for parts in full)
    assert all(utf16_units(part) <= BLOCK_LIMIT for parts in full for part in parts)
    assert 0 < utf16_units(third) <= SHRUNK_LIMIT
    assert "(Kept short: 3 automatic compactions came within" in third
    assert not [word for word in REPLACED_WORDS for request in after if word in request.text()]


def test_summariser_is_told_what_to_keep(scene: Scene) -> None:
    for request in scene.played.summary_requests():
        words = summary_instructions(request)
        assert words, request.last_text()[-1_500:]
        assert utf16_units(words) <= INSTRUCTIONS_LIMIT


# When things are not as they should be -------------------------------------------------------------


def play_short(workspace: Workspace) -> Played:
    """A session with a call that fails, and one automatic compaction."""
    labels = Turn("I print.", "Bash", {"command": scenario.LABELS_COMMAND, "description": "Print the labels"})
    return scenario.play(workspace, [labels, scenario.filling_turn(), Turn("Zone 7 is next.")], [scenario.FIRST_PROMPT])


@pytest.mark.parametrize("version", client.versions_of_plays_alike())
def test_three_scripts_copied_by_hand_are_enough(version: str) -> None:
    """Wired with what the docstring of each says."""
    with Workspace(client.ensure(version), scenario.FILES) as workspace:
        INSTALLS["by hand"](workspace)
        played = play_short(workspace)
        no_fault_shows(workspace, played)
    [given], [summary_request] = played.after, played.summary_requests()
    assert {run.code for run in played.runs} == {0}
    assert scenario.RULE in restored_block(given)
    assert scenario.CAUSE in restored_block(given)
    assert summary_instructions(summary_request)


@pytest.mark.parametrize("version", VERSIONS)
def test_scripts_that_are_gone_block_nothing(version: str) -> None:
    """An update or another branch may take them away; Python's exit code 2 would mean "block" to the client."""
    with Workspace(client.ensure(version), scenario.FILES) as workspace:
        INSTALLS["copied"](workspace)
        shutil.rmtree(workspace.project / ".claude" / "hooks")
        played = play_short(workspace)
    assert {run.code for run in played.runs} == {0}
    assert len(played.after) == 1


def test_a_turn_is_saved_though_the_run_ends_before(fresh: Workspace) -> None:
    """An asynchronous Stop hook would be killed by the end of a `-p` run; what hooks/run starts is not."""
    INSTALLS["plugin-dir"](fresh)
    played = scenario.play(fresh, [Turn("I will.")], ["Never use tabs."])
    kept = json.loads((fresh.data / "sessions" / played.session / "snapshot.json").read_text(encoding="utf-8"))
    assert "Never use tabs." in [item["text"] for item in kept["items"] if item["kind"] == "rule"]


# What the person sees, and what must not be seen --------------------------------------------------


def test_person_is_told_and_the_model_is_not(scene: Scene) -> None:
    notices = set(PUT_BACK.findall(scene.played.output()))
    assert notices
    assert not [notice for notice in notices for request in scene.played.requests if notice in request.text()]


def test_no_fault_shows_anywhere(scene: Scene) -> None:
    no_fault_shows(scene.workspace, scene.other, scene.played)


def no_fault_shows(workspace: Workspace, *sessions: Played) -> None:
    """Neither to the person nor to the model, nor in the log."""
    for played in sessions:
        texts = [request.text() for request in played.requests] + [played.output(), played.transcript]
        assert not [word for word in FAULT_WORDS for text in texts if word.lower() in text.lower()]
        assert not [match for text in texts for match in FAULT_OF_OURS.findall(text)]
        assert [hook for hook in hook_responses(played) if hook["exit_code"] or hook["stderr"]] == []
    assert [path.read_text() for path in workspace.data.rglob("*.log*")] == []


def hook_responses(played: Played) -> list[dict[str, Any]]:
    """How each SessionStart hook ended, as the client reports it in its stream."""
    lines = [line for run in played.runs for line in run.stdout.splitlines()]
    records = [json.loads(line) for line in lines if line.startswith("{")]
    return [record for record in records if record.get("subtype") == "hook_response"]


# What is kept -------------------------------------------------------------------------------------


def test_data_is_private(scene: Scene) -> None:
    kept = [scene.workspace.data, *scene.workspace.data.rglob("*")]
    assert scene.workspace.data / "sessions" / scene.played.session in kept
    modes = {str(path): oct(path.stat().st_mode & 0o777) for path in kept}
    assert modes == {str(path): "0o700" if path.is_dir() else "0o600" for path in kept}


def test_secret_is_nowhere(scene: Scene) -> None:
    secret = scenario.SECRET.encode()
    assert secret in scene.played.transcript.encode(), "the secret was never planted"
    kept = [path for path in scene.workspace.data.rglob("*") if path.is_file()]
    assert kept
    assert not [path for path in kept if secret in path.read_bytes()]
    assert not [block for block in scene.blocks() if scenario.SECRET in block]


# The plugin as the client sees it -----------------------------------------------------------------


@pytest.mark.parametrize("profile", [["--strict"], ["--profile", "directory"]], ids=" ".join)
def test_plugin_is_valid(fresh: Workspace, profile: list[str]) -> None:
    done = fresh.claude("plugin", "validate", *profile, str(REPOSITORY))
    assert done.code == 0, done.stdout + done.stderr


def test_plugin_costs_one_line_while_idle(scene: Scene) -> None:
    """The one skill that the model may call stands in its list; one that only a person may call does not."""
    body = json.dumps(next(request.body for request in scene.other.requests if request.kind == "turn"))
    assert "The following skills are available" in body, "the list of skills has another name now"
    listed = f"- compact-keeper:recall: {skill_description('recall')}\\n"
    assert body.count(listed) == 1
    assert len(listed) - 1 <= IDLE_LIMIT
    left = body.replace(listed, "")
    assert not [words for words in (OUR_FIRST_WORD, skill_description("restore")) if words in left]
