"""A new user's path, in the full-screen client: installed from the marketplace, then only what README says to type.

Work, /compact, what the person sees of it, the status line, show, pin, and that the pin comes first after the next one.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from typing import NamedTuple

import pytest

import client
import scenario
from delivered import restored_block, sections
from scripted_api import Request, Script, ScriptedApi, Turn, summary
from terminal import Terminal, configure
from workspace import PLUGIN, Workspace, from_marketplace, new

pytestmark = pytest.mark.e2e

PIN = "The demo is on Thursday at 15:00; show zone 7 with `npm test`, it's \"the\" point."
FAILING = Turn("", "Bash", {"command": scenario.FAILING_COMMAND, "description": "Run the tests"})


class Walked(NamedTuple):
    """What the person saw at each step, and what the model was given."""

    seen: dict[str, str]
    requests: dict[str, list[Request]]


def walk(workspace: Workspace) -> Walked:
    """The whole path."""
    turns = [FAILING, Turn("One test fails."), Turn("I go on."), Turn("Going on.")]
    seen, requests = dict[str, str](), dict[str, list[Request]]()
    options = [*new(), "--permission-mode", "default", "--allowedTools", "Bash"]
    with ScriptedApi(Script(turns, [summary(scenario.SUMMARY)] * 2)) as api, Terminal(
            workspace, api, *options, lines=60) as terminal:

        def step(name: str, words: str, *patterns: str) -> None:
            before = len(api.requests)
            terminal.types(words)
            seen[name] = "\n".join(terminal.comes(pattern) for pattern in patterns)
            requests[name] = [request for request in api.requests[before:] if request.kind != "side"]

        terminal.comes("ctx –")
        step("work", scenario.RULE, r"One test fails\.")
        step("compact", "/compact", r"SessionStart:compact says: compact-keeper: .*")
        step("show", "/compact-keeper:show", "would be put back if the session were compacted now.*")
        seen["block"] = terminal.screen("-S", "-1000")
        step("pin", f"/compact-keeper:pin {PIN}", r"compact-keeper: Pinned.*")
        step("pins", "/compact-keeper:pins", r'1\. “The demo is on Thursday.*')
        step("more", "Go on.", r"I go on\.",
             r"saved \d\d:\d\d")  # 2.1.76 draws the line anew at answers alone, which may come before a save
        step("again", "/compact", r"put back 1 pin.*")
        step("after", "And now?", r"Going on\.")
        step("stats", "/compact-keeper:stats", r"Compactions +\d+")
    return Walked(seen, requests)


@pytest.fixture(scope="module", params=client.versions_of_plays_alike())
def walked(request: pytest.FixtureRequest) -> Iterator[Walked]:
    client.require_tools("tmux")
    with Workspace(client.ensure(request.param), scenario.FILES) as workspace:
        from_marketplace(workspace)
        configure(workspace)
        subprocess.run([sys.executable, str(workspace.root / PLUGIN / "scripts" / "install.py"), "status-line"],
                       env=workspace.environment(), check=True, capture_output=True)  # of the clone
        yield walk(workspace)


def test_the_person_sees_what_was_put_back(walked: Walked) -> None:
    assert "put back 1 rule, 1 message, 1 failing test" in " ".join(walked.seen["compact"].split())


def test_show_shows_the_block_and_asks_no_model(walked: Walked) -> None:
    assert scenario.RULE in " ".join(walked.seen["block"].split())
    assert [walked.requests[name] for name in ("show", "pin", "pins", "stats")] == [[], [], [], []]


def test_the_model_knows_the_pin_from_the_next_prompt_on(walked: Walked) -> None:
    [request] = walked.requests["more"]
    assert PIN in request.text()


def test_after_the_compaction_the_pin_comes_first(walked: Walked) -> None:
    _, first, *_ = sections(restored_block(walked.requests["after"][0])).values()
    assert f"“{PIN}”" in first[0]


def test_what_was_answered_without_the_model_is_not_in_its_context(walked: Walked) -> None:
    text = walked.requests["after"][0].text()
    assert "would be put back if" not in text
    assert "Pins of this session" not in text


def test_figures_are_those_of_the_session(walked: Walked) -> None:
    assert walked.seen["stats"].split() == ["Compactions", "2"]
