"""The status line in the real client, on a terminal: what it shows as the context fills, the save at a mark, once."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle
from typing import NamedTuple

import pytest

import client
import scenario
from scripted_api import Script, ScriptedApi, Turn, summary
from sessions import at_rest
from terminal import Terminal, configure
from waiting import comes
from workspace import COMPACT_WINDOW, REPOSITORY, Workspace, from_plugin_dir, new

pytestmark = pytest.mark.e2e

COMMAND = f'python3 -IS "{REPOSITORY}/scripts/run_hook.py" status_line.py'
COMMANDS = {"alone": COMMAND, "wrapping": f"{COMMAND} --wrap 'cat >/dev/null; echo mine'"}
# Tokens that the answers report; the client compacts at 67,000.
FILLING = (20_000, 50_000, 52_000)
AFTER = 2_000
SAVES = 1, 3, 4, 6  # so far: at each turn's end, at the mark, at /compact


class Step(NamedTuple):
    """What was there after an answer: the status line, the saves so far, the marks."""

    line: str
    saves: int
    marks: list[str]


def play(workspace: Workspace) -> list[Step]:
    """A session on a terminal whose context fills up, is compacted, and goes on; at the end no save is left to come."""
    start, steps = new(), list[Step]()
    folder = workspace.data / "sessions" / start[-1]

    def saves() -> int:
        return sum(event["event"] == "save" for event in workspace.events(start[-1]))

    answers = [Turn(f"Answer {number}.", input_tokens=tokens) for number, tokens in enumerate((*FILLING, AFTER))]

    def step() -> None:
        number = len(steps)
        terminal.types(f"Prompt {number}: {scenario.RULE if not number else 'go on.'}")
        terminal.comes(rf"Answer {number}\.")
        line = terminal.comes(rf".*ctx {expected(answers[number].input_tokens)}%.*")
        comes(lambda: saves() >= SAVES[number])
        steps.append(Step(line.strip(), saves(), sorted(path.name for path in folder.glob("saved-at-*"))))

    with ScriptedApi(Script(answers, [summary(scenario.SUMMARY)])) as api, Terminal(workspace, api, *start) as terminal:
        terminal.comes("ctx –|mine")
        for _ in FILLING:
            step()
        terminal.types("/compact")
        terminal.comes("SessionStart:compact says: compact-keeper")
        terminal.comes(r"[█·│]{20} ctx (–|78%)")  # the bar stays; 2.1.76 draws the line anew at the next answer
        step()
    at_rest(f"HOME={workspace.home}")
    steps[-1] = steps[-1]._replace(saves=saves())
    return steps


def expected(tokens: int) -> int:
    """The percentage of what fits before a compaction."""
    return round(100 * tokens / (int(COMPACT_WINDOW) - 33_000))


PLAYED = list(zip(client.versions_of_plays_alike(), cycle(COMMANDS)))  # test_status_line_installed has both


@pytest.fixture(scope="module", params=PLAYED, ids="-".join)
def played(request: pytest.FixtureRequest) -> Iterator[tuple[str, list[Step]]]:
    """How the status line was started, and what was seen."""
    version, name = request.param
    client.require_tools("tmux")
    with Workspace(client.ensure(version), scenario.FILES) as workspace:
        from_plugin_dir(workspace)
        configure(workspace, statusLine={"type": "command", "command": COMMANDS[name]})
        yield name, play(workspace)


def test_the_line_is_on_the_screen(played: tuple[str, list[Step]]) -> None:
    name, steps = played
    bars = ("██████········│··│·│ ctx 30%", "███████████████··│·│ ctx 75%", "███████████████··│·│ ctx 78%",
            "··············│··│·│ ctx 3%")
    for step, bar in zip(steps, bars):
        assert step.line.startswith(f"mine │ {bar}" if name == "wrapping" else bar)


def test_a_mark_starts_one_save_beside_those_of_each_turn(played: tuple[str, list[Step]]) -> None:
    assert tuple(step.saves for step in played[1]) == SAVES


def test_the_marks_are_gone_after_the_compaction(played: tuple[str, list[Step]]) -> None:
    assert [step.marks for step in played[1]] == [[], ["saved-at-30"], ["saved-at-30"], []]
