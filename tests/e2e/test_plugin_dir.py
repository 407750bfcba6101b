"""A session with the plugin by `--plugin-dir`: its doctor knows that. Switched off, a command says so by itself."""

from __future__ import annotations

from typing import NamedTuple

import pytest

import client
import scenario
from scripted_api import Script, ScriptedApi, Turn
from terminal import Terminal, configure
from workspace import REPOSITORY, Workspace, from_plugin_dir, new

pytestmark = pytest.mark.e2e


class Typed(NamedTuple):
    """What stood on the screen behind a command, how many requests it cost, and whether anything was kept."""

    screen: str
    requests: int
    is_kept: bool


def typed(version: str, command: str, answer: str, **variables: str) -> Typed:
    """Types the command into a session with these variables, and waits for the answer."""
    client.require_tools("tmux")
    with Workspace(client.ensure(version), scenario.FILES) as workspace:
        from_plugin_dir(workspace)
        configure(workspace)
        with ScriptedApi(Script([Turn("Done.")])) as api:
            terminal = Terminal(workspace, api, *new(), columns=200, lines=60)
            terminal.environment.update(variables)
            with terminal:
                terminal.comes("❯")
                terminal.types(command)
                terminal.comes(answer)
                screen = terminal.screen("-S", "-1000", "-J")
        return Typed(screen, sum(request.kind != "side" for request in api.requests), workspace.data.exists())


@pytest.mark.parametrize("version", client.versions_of_plays_alike())
def test_the_doctor_names_the_folder_that_the_session_has_loaded(version: str) -> None:
    doctor = typed(version, "/compact-keeper:doctor", "Nothing to fix").screen
    assert "plugin of this session alone (--plugin-dir)" in doctor
    assert str(REPOSITORY) in doctor
    assert "not installed" not in doctor
    assert "`/compact-keeper:status-line` sets it" in doctor


@pytest.mark.parametrize("version", client.versions_of_plays_alike())
def test_switched_off_a_command_says_so_and_costs_no_request(version: str) -> None:
    answered = typed(version, "/compact-keeper:show", "compact-keeper is switched off in this session",
                     COMPACT_KEEPER_OFF="1")
    assert (answered.requests, answered.is_kept) == (0, False)
