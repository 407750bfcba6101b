"""install.py's status line in the real client, on a terminal: behind the person's own, and gone without a trace."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

import pytest

import client
import scenario
from scripted_api import Script, ScriptedApi, Turn
from terminal import Terminal, configure
from test_installed import install
from workspace import Workspace, from_marketplace, new

pytestmark = pytest.mark.e2e

MINE = "printf 'it%ss mine' \"'\""


WAYS = ("copied", "project", "marketplace")
PLAYED = list(product(client.versions_of_plays_alike(), WAYS))


class Seen(NamedTuple):
    """What stood on the screen with it, what doctor.py told, and the settings before and after."""

    both: str
    doctor: str
    before: bytes
    after: bytes


def on_screen(workspace: Workspace) -> str:
    """The line on the screen after an answer."""
    answer = Turn("Answered.", input_tokens=50_000)
    with ScriptedApi(Script([answer])) as api, Terminal(workspace, api, *new()) as terminal:
        terminal.comes("it's mine")
        terminal.types("Go on.")
        terminal.comes(r"Answered\.")
        return terminal.comes(".*it's mine │ .*ctx.*")


@pytest.fixture(scope="module", params=PLAYED, ids="-".join)
def seen(request: pytest.FixtureRequest) -> Iterator[Seen]:
    """One client and one way of installing, played once for all tests that read it."""
    version, way = request.param
    client.require_tools("tmux")
    with Workspace(client.ensure(version), scenario.FILES) as workspace:
        configure(workspace, statusLine={"type": "command", "command": MINE, "padding": 1})
        if way == "marketplace":
            from_marketplace(workspace)
        settings = workspace.home / ".claude" / "settings.json"
        before = settings.read_bytes()
        where = ["--project"] if way == "project" else []
        if way != "marketplace":
            install(workspace, "install", *where)
        install(workspace, "status-line", *where)
        both = on_screen(workspace)
        doctor = install(workspace, "doctor", *where)
        install(workspace, "uninstall", *where)
        yield Seen(both, doctor, before, settings.read_bytes())


def test_both_are_on_the_screen(seen: Seen) -> None:
    assert "it's mine │ ███████████████··│·│ ctx 75%" in seen.both


def test_doctor_draws_it_too(seen: Seen) -> None:
    [line] = [line for line in seen.doctor.splitlines() if "status line: " in line]
    assert line.split(maxsplit=1)[1].startswith("status line: set in ")  # "ok", or "note" where the machine is slow
    assert line.startswith(("ok ", "note "))
    assert line.endswith(" ms")


def test_settings_are_byte_for_byte_as_they_were(seen: Seen) -> None:
    assert seen.after == seen.before
