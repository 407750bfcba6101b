"""A fork in the full-screen client: the commands typed before its first turn know what the parent knew and pinned."""

from __future__ import annotations

import time

import pytest

import client
import scenario
from scripted_api import Script, ScriptedApi, Turn
from terminal import Terminal, configure
from workspace import INSTALLS, Workspace, new, resumed

pytestmark = pytest.mark.e2e

PIN = "Show the otters zone 7 on Thursday."


def wait_for_transcripts(workspace: Workspace, count: int) -> None:
    """Waits until the client has written so many: of a fork it does so behind the first command, later under load."""
    until = time.monotonic() + 20
    while len([*workspace.home.glob(".claude/projects/*/*.jsonl")]) < count:
        assert time.monotonic() < until, "the fork has no transcript"
        time.sleep(0.05)


@pytest.mark.parametrize("version", client.versions_of_plays_alike())
def test_a_forks_first_commands_know_its_parent(version: str) -> None:
    """At the very first newer clients have no transcript of the fork yet: that is said, and the next command knows."""
    client.require_tools("tmux")
    with Workspace(client.ensure(version), scenario.FILES) as workspace:
        INSTALLS["plugin-dir"](workspace)
        configure(workspace)
        start = new()
        with ScriptedApi(Script([Turn("Answer 0."), Turn("Answer 1.")])) as api:
            with Terminal(workspace, api, *start, lines=60) as terminal:
                terminal.comes("❯")
                terminal.types(scenario.RULE)
                terminal.comes(r"Answer 0\.")
                terminal.types(f"/compact-keeper:pin {PIN}")
                terminal.comes("Pinned 1: ")
            workspace.settle()
            with Terminal(workspace, api, *resumed(start[-1]), "--fork-session", columns=200, lines=80) as terminal:
                terminal.comes("❯")
                terminal.types("/compact-keeper:stats global")
                terminal.comes("Python's own start comes on top")
                wait_for_transcripts(workspace, 2)
                terminal.types("/compact-keeper:pins")
                terminal.comes(r"Pins of this session:\s+1\. .Show the otters")
                terminal.types("/compact-keeper:show")
                terminal.comes("would be put back if the session were compacted now")
                assert scenario.RULE in terminal.screen("-S", "-1000", "-J").rpartition("would be put back if")[2]
