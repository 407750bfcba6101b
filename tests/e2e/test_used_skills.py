"""What the person's own commands said gets old: after a compaction no request holds it, in the full-screen client.

The client keeps used skills, with what was typed behind them and what they printed, and puts them back after each
compaction. So a pin is taken off and the session's record brought in before two compactions, and every request is read.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import client
import scenario
from delivered import restored_blocks, said
from scripted_api import Request, Script, ScriptedApi, Turn, summary
from terminal import Terminal, configure
from workspace import INSTALLS, Workspace, new

pytestmark = pytest.mark.e2e

PIN = "Show the otters zone 7 on Thursday."
# Clients that keep a skill though its prompt was blocked: they put its own lines back, without what was typed.
KEEPING_SKILLS = ("2.1.76", "2.1.105", "2.1.150", "2.1.197", "2.1.250")
OF_SKILL = "If this command is the newest, say in one line"
BROUGHT_IN = "compact-keeper: the user has brought in"
STEPS = (  # what is typed, and what then stands on the screen
    (scenario.RULE, r"Answer 0\."), (f"/compact-keeper:pin {PIN}", "Pinned 1: "),
    ("Look at zone 7.", r"Answer 1\."), ("/compact-keeper:unpin 1", "Not pinned any more"),
    ("/compact-keeper:restore anyway", "Claude reads this"), ("And at zone 6.", r"Answer 2\."),
    ("/compact", r"SessionStart:compact says"), ("Go on.", r"Answer 3\."), ("On with it.", r"Answer 4\."),
    ("/compact", r"put back 1 rule, 4 messages"), ("And now?", r"Answer 5\."))


@pytest.fixture(scope="module", params=client.versions_of_plays_alike())
def exchanges(request: pytest.FixtureRequest) -> Iterator[list[tuple[str, list[Request]]]]:
    """What was typed, and the requests that came of it."""
    client.require_tools("tmux")
    with Workspace(client.ensure(request.param), scenario.FILES) as workspace:
        INSTALLS["plugin-dir"](workspace)
        configure(workspace)
        steps: list[tuple[str, list[Request]]] = []
        script = Script([Turn(f"Answer {number}.") for number in range(6)], [summary(scenario.SUMMARY)] * 2)
        with ScriptedApi(script) as api, Terminal(workspace, api, *new(), lines=60) as terminal:
            terminal.comes("❯")
            for words, pattern in STEPS:
                before = len(api.requests)
                terminal.types(words)
                terminal.comes(pattern)
                requests = [api_request for api_request in api.requests[before:] if api_request.kind != "side"]
                steps.append((words, requests))
        yield steps


def test_commands_send_no_request_and_the_next_prompt_tells_what_they_changed(
        exchanges: list[tuple[str, list[Request]]]) -> None:
    assert [words for words, requests in exchanges if not requests] == [
        f"/compact-keeper:pin {PIN}", "/compact-keeper:unpin 1", "/compact-keeper:restore anyway"]
    given = {words: requests[0] for words, requests in exchanges if requests}
    [pinned] = said(given["Look at zone 7."])
    assert PIN in pinned
    _, changed = said(given["And at zone 6."])
    assert "Nothing is pinned." in changed
    assert scenario.RULE in changed.partition(BROUGHT_IN)[2]


def test_after_a_compaction_no_request_holds_what_is_over(
        request: pytest.FixtureRequest, exchanges: list[tuple[str, list[Request]]]) -> None:
    version = request.node.callspec.params["exchanges"]
    [first, *_] = [place for place, (words, _) in enumerate(exchanges) if words == "/compact"]
    later = [sent for _, requests in exchanges[first + 1:] for sent in requests]
    assert [sent.kind for sent in later] == ["turn", "turn", "summary", "turn"]
    for sent in later:
        assert not [words for words in (PIN, "otters", BROUGHT_IN) if words in sent.text()]
        assert len(restored_blocks(sent)) == 1
        assert (OF_SKILL in sent.text()) is (version in KEEPING_SKILLS)
