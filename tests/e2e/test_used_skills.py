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


def test_after_a_compaction_no_request_holds_what_is_over(exchanges: list[tuple[str, list[Request]]]) -> None:
    [first, *_] = [place for place, (words, _) in enumerate(exchanges) if words == "/compact"]
    later = [request for _, requests in exchanges[first + 1:] for request in requests]
    assert [request.kind for request in later] == ["turn", "turn", "summary", "turn"]
    for request in later:
        assert not [words for words in (PIN, "otters", BROUGHT_IN) if words in request.text()]
        assert len(restored_blocks(request)) == 1
