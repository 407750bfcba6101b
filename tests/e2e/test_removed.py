"""What a person sees and what is left when the plugin is uninstalled in the real client, and removed as README says.

The status line takes itself out of the settings while the session goes on; then nothing of compact-keeper's is left in
the home folder but what the client itself counts and the conversation.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

import client
import scenario
from scripted_api import Script, ScriptedApi, Turn
from sessions import at_rest
from terminal import Terminal, configure
from workspace import PLUGIN, Workspace, from_marketplace, new

pytestmark = pytest.mark.e2e

MINE = "echo mine"
CLIENTS_OWN = (".claude.json", ".claude/projects/", ".claude/backups/", ".claude/history.jsonl", ".claude/debug/",
               ".local/share/applications/")  # what it counts, its copies of that, conversations, a link to itself
SOON = 40.0  # seconds until the client has drawn its status line again, and the line is gone


class Removed(NamedTuple):
    """The screen with the line, and after uninstalling; the person's settings and all names before and after."""

    with_it: str
    without: str
    settings: list[dict[str, Any]]
    names: list[set[str]]
    mentions: list[str]


def names_in_home(workspace: Workspace) -> set[str]:
    """All files and folders of the home folder, without the client's own."""
    names = {str(path.relative_to(workspace.home)) for path in workspace.home.rglob("*")}
    return {name for name in names if not name.startswith(CLIENTS_OWN)}


def mentions(workspace: Workspace) -> list[str]:
    """The files that name compact-keeper, the folder of this test taken away, without the client's own."""
    texts = {name: workspace.home / name for name in names_in_home(workspace) if (workspace.home / name).is_file()}
    return [name for name, path in texts.items()
            if PLUGIN.encode() in path.read_bytes().replace(workspace.root.name.encode(), b"")]


def settings_of(workspace: Workspace) -> dict[str, Any]:
    """The person's settings, without what is empty."""
    text = (workspace.home / ".claude" / "settings.json").read_text(encoding="utf-8")
    return {name: value for name, value in json.loads(text).items() if value}


def line_of(workspace: Workspace) -> str:
    """The command of the status line in the person's settings."""
    return str(settings_of(workspace)["statusLine"]["command"])


def install_script(workspace: Workspace, *arguments: str) -> None:
    """Runs the clone's install.py."""
    subprocess.run([sys.executable, str(workspace.root / PLUGIN / "scripts" / "install.py"), *arguments],
                   env=workspace.environment(), cwd=workspace.project, check=True, capture_output=True)


def removed_from(workspace: Workspace) -> Removed:
    """Installs, works, uninstalls while the session runs, works on, then removes the rest as README says."""
    configure(workspace, statusLine={"type": "command", "command": MINE})
    with ScriptedApi(Script([Turn("Nothing yet.")])) as api:
        workspace.prompt(api, "Hello", new())
    names, settings = [names_in_home(workspace)], [settings_of(workspace)]
    from_marketplace(workspace)
    install_script(workspace, "status-line")
    turns = [Turn("Answered.", input_tokens=20_000), *[Turn(f"Answer {number}.") for number in range(40)]]
    with ScriptedApi(Script(turns)) as api, Terminal(workspace, api, *new()) as terminal:
        terminal.comes("mine")
        terminal.types(scenario.RULE)
        with_it = terminal.comes("mine │ .*ctx 30%.*")
        assert workspace.claude("plugin", "uninstall", PLUGIN).code == 0
        until, number = time.monotonic() + SOON, 0
        # An answer has the client draw the line anew. One that was ended before it had mended the settings, by the next
        # or as it took long, draws no "ctx" either: what is waited for is the line in the settings.
        while ("ctx" in terminal.screen() or line_of(workspace) != MINE) and time.monotonic() < until:
            terminal.types("Go on.")
            terminal.comes(rf"Answer {number}\.")
            number += 1
            time.sleep(1)
        without = terminal.screen()
    at_rest(f"HOME={workspace.home}")
    assert workspace.claude("plugin", "marketplace", "remove", PLUGIN).code == 0
    settings.append(settings_of(workspace))
    install_script(workspace, "uninstall", "--data", "--yes")
    return Removed(with_it, without, settings, [*names, names_in_home(workspace)], mentions(workspace))


@pytest.fixture(scope="module", params=client.versions_of_plays_alike())
def removed(request: pytest.FixtureRequest) -> Iterator[Removed]:
    client.require_tools("tmux")
    with Workspace(client.ensure(request.param), scenario.FILES) as workspace:
        yield removed_from(workspace)


def test_the_status_line_goes_with_the_plugin(removed: Removed) -> None:
    assert "ctx" in removed.with_it
    assert "mine" in removed.without
    assert "ctx" not in removed.without


def test_the_settings_are_as_they_were(removed: Removed) -> None:
    before, after = removed.settings
    assert after == before


def test_nothing_is_left(removed: Removed) -> None:
    before, after = removed.names
    assert [name for name in after - before if PLUGIN in name] == []
    assert removed.mentions == []
