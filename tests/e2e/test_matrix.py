"""What differs from client to client, measured with each: `make e2e` and `make matrix` play it all with every one.

Two cells for each client, automatic compactions and manual ones, with resumes: the rule and the open task reach the
model, once, and events.jsonl tells how; what the summary says wrongly stands beside the record. Then what takes another
course: a summary that drops a rule, a subagent's compaction, a fork, the gate, a compaction that fails, two sessions at
the same time. Each session is played once; every test reads what was recorded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

import client
import scenario
import special_plays as plays
from delivered import notes, restored_block, restored_blocks, said, sections, task_marks
from scenario import ASK_TASK, FAILING_COMMAND, OPEN_TASK, RULE, THIRD_PROMPT, Played
from special_plays import DROPPED_RULE, KEPT_RULES, RULE_OF_FORK, RULE_OF_PARENT, RULES_SIDE_BY_SIDE, TASK, UNTRUE
from workspace import INSTALLS, Workspace

pytestmark = pytest.mark.e2e

VERSIONS = client.versions_under_test()
# Clients that have lost the block when another process resumes the session: the next prompt brings it again.
LOSING = {("2.1.76", "automatic"), ("2.1.76", "manual"), ("2.1.105", "manual")}
# Clients that take no "block" from a PreCompact hook.
UNBLOCKABLE = ("2.1.76",)
# Clients that tell of a fork under the parent's id: its compaction.json notes a resume.
FORKING_UNDER_OLD_ID = ("2.1.76", "2.1.105", "2.1.150", "2.1.197")
# Clients that take /clear only in their full-screen program.
NOT_CLEARING = ("2.1.76", "2.1.105")
# Clients that tell of a summary only when the block is out: with PostCompact alone.
TELLING_LATE = ("2.1.76",)
# What a start's hook says of an unfinished compaction, as the client's stream holds the hook's JSON.
UNFINISHED = re.compile(r'(additionalContext|systemMessage)\\": \\"(compact-keeper: the last session [^"\\]*)\\"')
# Turns before a compaction that is due, after two holds, and behind it where one is far too late to be held.
DUE, HELD_TWICE, TOO_FULL = 3, 5, 5


class Scene(NamedTuple):
    """A played session, and the workspace it was played in, which is still there."""

    workspace: Workspace
    played: Played

    def block(self) -> str:
        """The one block that came back after the first compaction."""
        return restored_block(self.played.after[0])

    def events_named(self, *names: str) -> list[str]:
        """Which of these events were noted of the session, in their order."""
        return [event["event"] for event in self.workspace.events(self.played.session) if event["event"] in names]


@contextmanager
def installed(version: str, *installs: str) -> Iterator[Workspace]:
    """A workspace with the client, and with the plugin in these ways."""
    with Workspace(client.ensure(version), scenario.FILES) as workspace:
        for install in installs or ["plugin-dir"]:
            INSTALLS[install](workspace)
        yield workspace


# The cells ----------------------------------------------------------------------------------------


class CellOf(NamedTuple):
    """What was played with a client and a kind of compaction, and the folder in which the session's data are."""

    version: str
    compaction: str
    folder: Path
    played: plays.Cell

    def last_note(self) -> str:
        """The note on the second summary that the model was given, empty when there was none."""
        second = self.played.second
        later = second.requests[second.requests.index(second.after[0]):]
        return next((note for request in later for note in notes(request)), "")


@pytest.fixture(scope="module", params=client.versions_and_kinds([*scenario.PLAYS]), ids="-".join)
def cell(request: pytest.FixtureRequest) -> Iterator[CellOf]:
    """One client and one kind of compaction."""
    version, compaction = request.param
    with installed(version) as workspace:
        played = plays.play_cell(workspace, compaction, version)
        yield CellOf(version, compaction, workspace.data / "sessions" / played.first.session, played)


def test_rule_and_open_task_come_back(cell: CellOf) -> None:
    first = cell.played.first
    assert {run.code for run in first.runs} == {0}
    [given] = first.after
    assert RULE in restored_block(given)
    assert task_marks(restored_block(given), OPEN_TASK) == {"[ ]"}


def test_block_is_in_no_request_twice(cell: CellOf) -> None:
    for played in (cell.played.first, cell.played.second):
        assert max(len(restored_blocks(request)) for request in played.requests) == 1


def test_receipt_or_repair_is_noted_once(cell: CellOf) -> None:
    """At the next prompt, and nothing more at the one after it."""
    came_of_it = "repair" if (cell.version, cell.compaction) in LOSING else "receipt"
    noted = [event["event"] for event in cell.played.noted if event["event"] in ("restore", "receipt", "repair")]
    assert noted == ["restore", came_of_it]


def test_what_is_told_of_the_compaction(cell: CellOf) -> None:
    """Trigger and typed words at its begin, the client's counts when its row is in the transcript."""
    events = cell.played.noted
    save, restore, audit = (next(event for event in events if event["event"] == name and event.get("id"))
                            for name in ("save", "restore", "audit"))
    assert save["id"] == restore["id"] == audit["id"]
    assert (save["trigger"], save.get("typed")) == (
        ("auto", None) if cell.compaction == "automatic" else ("manual", plays.KEPT_WORDS))
    [boundary] = [event for event in events if event["event"] == "boundary"]
    assert (boundary["trigger"], boundary["tokens_before"] > 0) == (save["trigger"], True)


def test_note_waits_for_the_next_prompt(cell: CellOf) -> None:
    """No tool call comes before it; what the summary left out is in the block."""
    _, noted, note, _ = cell.played
    requests = cell.played.first.requests
    assert [finding["said"] for finding in note["findings"] if finding["said"]] == [UNTRUE]
    first = next(request for request in requests if notes(request))
    assert first is next(request for request in requests if THIRD_PROMPT in request.last_text())
    assert notes(first) == [note["text"]]
    assert [event["event"] for event in noted if event["event"] in ("audit", "note")] == ["audit", "note"]


def test_prompt_that_set_off_the_compaction_arrives(cell: CellOf) -> None:
    """It is not in the transcript yet when PreCompact runs, and 2.1.150 does not send it either."""
    if cell.compaction == "automatic":
        [given] = cell.played.second.after
        assert scenario.DECISION_FACT.is_in(restored_block(given))


def test_summary_stands_beside_the_record_in_the_block(cell: CellOf) -> None:
    """Where the client tells of the summary too late, the note says the same."""
    [given] = cell.played.second.after
    text = cell.last_note() if cell.version in TELLING_LATE else restored_block(given)
    [checked] = [line for line in text.splitlines() if plays.CLAIM in line]
    assert FAILING_COMMAND in checked
    assert plays.OLD_PRICES_ERROR in checked
    [task] = [line for line in text.splitlines() if ASK_TASK in line and "completed" in line]
    assert "in progress" in task.partition("completed")[2]


def test_what_the_block_says_of_the_summary_no_note_says_again(cell: CellOf) -> None:
    is_late = cell.version in TELLING_LATE
    assert bool(cell.last_note()) == is_late
    assert (cell.folder / "summary.json").exists() != is_late


def test_words_behind_compact_come_back_as_typed(cell: CellOf) -> None:
    """After the next compaction: the client writes them when this one's block is out; where it lost that, at once."""
    if cell.compaction == "manual":
        requests = (*cell.played.first.after, *cell.played.second.after)
        lines = [[line for line in restored_block(given).splitlines()
                  if plays.KEPT_WORDS in line and not line.startswith("- Said")] for given in requests]
        assert [len(hits) for hits in lines] == [int((cell.version, cell.compaction) in LOSING), 1]
        assert "/compact" in lines[1][0]


# A summary that is not true -----------------------------------------------------------------------


@pytest.fixture(scope="module", params=VERSIONS)
def untrue(request: pytest.FixtureRequest) -> Iterator[Scene]:
    """A summary drops a rule, calls a file deleted and a failed test passed, with the plugin installed twice."""
    with installed(request.param, "plugin-dir", "copied") as workspace:
        yield Scene(workspace, plays.play_untrue(workspace))


def test_note_holds_exactly_what_is_not_true(untrue: Scene) -> None:
    assert DROPPED_RULE not in untrue.block()
    note = plays.given_note(untrue.workspace, untrue.played.session)
    findings = [(finding["kind"], finding["said"] or finding["record"]) for finding in note["findings"]
                if finding["line"] in note["text"]]
    assert {("check", plays.CLAIM), ("file", UNTRUE), ("rule", DROPPED_RULE)} <= {*findings}


def test_note_is_given_once_in_the_middle_of_the_turn(untrue: Scene) -> None:
    turns = [request for request in untrue.played.requests if request.kind == "turn"]
    first = turns.index(untrue.played.after[0])
    note = plays.given_note(untrue.workspace, untrue.played.session)["text"]
    assert [notes(request) for request in turns[first:]] == [[], [note], [note]]
    assert not [rule for rule in KEPT_RULES if rule in note]
    assert untrue.events_named("audit", "note") == ["audit", "note"]


def test_block_comes_once_though_installed_twice(untrue: Scene) -> None:
    assert len(restored_blocks(untrue.played.after[0])) == 1
    assert untrue.events_named("restore") == ["restore"]


# A subagent's compaction --------------------------------------------------------------------------


@pytest.fixture(scope="module", params=VERSIONS)
def subagent(request: pytest.FixtureRequest) -> Iterator[tuple[str, Scene]]:
    """The block that the subagent was given, and the main thread's session."""
    with installed(request.param) as workspace:
        played, to_subagent = plays.play_subagent(workspace)
        assert {run.code for run in played.runs} == {0}
        assert len(to_subagent) == len(played.after) == 1
        yield restored_block(to_subagent[0]), Scene(workspace, played)


def test_subagent_gets_rules_and_its_task_alone(subagent: tuple[str, Scene]) -> None:
    block, _ = subagent
    assert RULE in block
    assert TASK in block
    assert plays.MAIN_MARK not in block
    assert len(sections(block)) == len(("what it is", "the task", "the rules"))


def test_main_thread_keeps_its_own(subagent: tuple[str, Scene]) -> None:
    _, main = subagent
    assert RULE in main.block()
    assert task_marks(main.block(), OPEN_TASK) == {"[ ]"}
    assert "task-notification" not in main.block()


def test_nothing_of_a_subagents_compaction_is_told_to_the_main_thread(subagent: tuple[str, Scene]) -> None:
    """Neither a block nor a note, though the subagent's summary invents an instruction."""
    _, main = subagent
    first = main.played.requests.index(main.played.after[0])
    assert [said(request) for request in main.played.requests[:first] if said(request)] == []
    assert main.events_named("restore", "audit", "note", "repair") == ["restore", "restore", "audit"]


# Tool calls ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", VERSIONS)
def test_calls_and_prompts_are_recorded_once_beside_the_work(version: str) -> None:
    """The end of the first run may kill the recording of its last call; then the transcript alone has it."""
    with installed(version) as workspace:
        played = plays.play_calls(workspace)
        first, second = played.runs
        folder = workspace.data / "sessions" / first.session
        assert (folder / "snapshot.json").exists()  # nobody waited for the save at the turn's end
        assert not (workspace.data / "hook.log").exists()
    recorded = [event["id"] for event in played.ledger if event["event"] == "tool"]
    prompts = [event["text"] for event in played.ledger if event["event"] == "prompt"]
    calls = list(dict.fromkeys(re.findall(r'"tool_use_id":"(toolu_\w+)"', second.transcript)))
    assert [run.code for run in (*first.runs, *second.runs)] == [0, 0]
    assert len(calls) == len(("a look", "a failure", "a large file", "a look"))
    assert sorted({*recorded}) == sorted(recorded)
    assert {*calls[:-1]} <= {*recorded} <= {*calls}
    assert prompts == ["Look around.", "Go on."]  # beside too, by processes that outlive a run
    assert not [request for request in (*first.requests, *second.requests) if said(request)]


# A fork -------------------------------------------------------------------------------------------


@pytest.fixture(scope="module", params=VERSIONS)
def forked(request: pytest.FixtureRequest) -> Iterator[tuple[str, plays.Forked]]:
    """A client, and a session with its fork."""
    with installed(request.param) as workspace:
        yield request.param, plays.play_fork(workspace)


def test_fork_knows_what_was_typed_before_the_parents_compaction(forked: tuple[str, plays.Forked]) -> None:
    block = restored_block(forked[1].fork.after[0])
    assert RULE in block
    assert RULE_OF_FORK in block


def test_fork_and_parent_do_not_mix(forked: tuple[str, plays.Forked]) -> None:
    _, played = forked
    assert RULE_OF_PARENT in restored_block(played.parent_later.after[0])
    assert not [request for request in played.fork.requests if RULE_OF_PARENT in request.text()]
    assert not [request for request in played.parent_later.requests if RULE_OF_FORK in request.text()]


def test_fork_leaves_the_parents_files_alone(forked: tuple[str, plays.Forked]) -> None:
    version, played = forked
    changed = {name for name in {*played.before, *played.after} if played.before.get(name) != played.after.get(name)}
    assert changed == ({"compaction.json"} if version in FORKING_UNDER_OLD_ID else set())


# The gate -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", VERSIONS)
def test_gate_holds_twice_and_lets_go(version: str) -> None:
    with installed(version) as workspace:
        played = plays.play_gate(workspace)
    kinds = [request.kind for request in played.requests if request.kind != "side"]
    first, second, *_ = (number for number, kind in enumerate(kinds) if kind == "summary")
    assert first == (DUE if version in UNBLOCKABLE else HELD_TWICE)
    assert version in UNBLOCKABLE or second - first == TOO_FULL
    assert [run.code for run in played.runs] == [0]
    assert "Prompt is too long" not in played.output()
    assert not [request for request in played.summary_requests() if '"decision"' in request.text()]
    assert all(RULE in restored_block(given) for given in played.after)


# A compaction that fails --------------------------------------------------------------------------


@pytest.fixture(scope="module", params=VERSIONS)
def failed(request: pytest.FixtureRequest) -> Iterator[tuple[str, plays.Failed]]:
    """A client; there a session that stopped at its compaction, and what came after it in the folder."""
    with installed(request.param) as workspace:
        yield request.param, plays.play_failed(workspace)


def test_new_session_is_told_of_an_unfinished_compaction_in_one_line(failed: tuple[str, plays.Failed]) -> None:
    _, played = failed
    assert played.failed.summary_requests()
    [line, *_] = said(played.new.requests[-1])[0].splitlines()
    assert "/compact-keeper:restore" in line
    assert told_of_unfinished(played.new) == {("additionalContext", line), ("systemMessage", line)}
    assert not [words for words in (RULE, OPEN_TASK) if words in played.new.requests[-1].text()]


def test_skill_brings_in_what_was_saved(failed: tuple[str, plays.Failed]) -> None:
    _, played = failed
    given = played.restored.requests[-1].text()
    assert RULE in given
    assert OPEN_TASK in given
    assert [run.code for run in (*played.new.runs, *played.restored.runs)] == [0, 0]


def test_clear_tells_of_it_at_once(failed: tuple[str, plays.Failed]) -> None:
    """Sooner than a new start, as it comes in the session's own window."""
    version, played = failed
    assert played.cleared.summary_requests()
    to_whom = {field for field, _ in told_of_unfinished(played.cleared)}
    assert to_whom == (set() if version in NOT_CLEARING else {"additionalContext", "systemMessage"})


def told_of_unfinished(played: Played) -> set[tuple[str, str]]:
    """What the hooks of a start said of it, as the client reports them: to whom, and the words."""
    return set(UNFINISHED.findall(played.output()))


# Two sessions at the same time ---------------------------------------------------------------------


@pytest.mark.parametrize("version", VERSIONS)
def test_sessions_in_one_folder_do_not_mix(version: str) -> None:
    with installed(version) as workspace:
        played = plays.play_side_by_side(workspace)
    for rule, own, other in zip(RULES_SIDE_BY_SIDE, played, reversed(RULES_SIDE_BY_SIDE)):
        assert rule in restored_block(own.after[0])
        assert {words for request in own.requests for words in said(request)} == {restored_block(own.after[0])}
        assert not [request for request in own.requests if other in request.text()]
