"""install.py with the real client: a session has its hooks and skills, and afterwards nothing is left of it.

What each client plays: an automatic compaction, a skill typed, and doctor.py with this client in PATH.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from typing import NamedTuple

import pytest

import client
import scenario
from delivered import restored_block
from scenario import RULE, Played
from scripted_api import Request, Script, ScriptedApi, Turn
from special_plays import LOOK
from workspace import REPOSITORY, Workspace, new

pytestmark = pytest.mark.e2e

VERSIONS = client.versions_of_plays_alike()
OWN_SETTINGS = '{\n    "includeCoAuthoredBy":  false,\n    "hooks": {"Stop": []}\n}'
OF_THE_SESSION = {*scenario.NEW_FILES, scenario.EDITED_FILE}
QUESTION = "which price list? it's \"Monday's\" $(touch pwned) `touch pwned`"


class Installed(NamedTuple):
    """What was played while it was installed, and the files before and after, without those the session wrote."""

    played: Played
    skill: Request
    doctor: dict[str, list[dict[str, str]]]
    before: dict[str, bytes]
    between: dict[str, bytes]
    after: dict[str, bytes]


def install(workspace: Workspace, *arguments: str) -> str:
    """What install.py printed."""
    path = f"{workspace.program.parent}:{workspace.environment()['PATH']}"
    done = subprocess.run([sys.executable, str(REPOSITORY / "scripts/install.py"), *arguments], cwd=workspace.project,
                          env={**workspace.environment(), "PATH": path}, capture_output=True, text=True, timeout=60)
    assert not done.stderr
    return done.stdout


def files(workspace: Workspace) -> dict[str, bytes]:
    """The project's files, without git's own and those that the session writes."""
    paths = {str(path.relative_to(workspace.project)): path for path in workspace.project.rglob("*") if path.is_file()}
    return {name: path.read_bytes() for name, path in paths.items()
            if name not in OF_THE_SESSION and not name.startswith(".git/")}


@pytest.fixture(scope="module", params=VERSIONS)
def installed(request: pytest.FixtureRequest) -> Iterator[Installed]:
    """One client, played once for all tests that read it."""
    with Workspace(client.ensure(request.param), scenario.FILES) as workspace:
        settings = workspace.project / ".claude" / "settings.json"
        settings.parent.mkdir()
        settings.write_text(OWN_SETTINGS)
        before = files(workspace)
        install(workspace, "install", "--project")
        between = files(workspace)
        turns = [LOOK, LOOK, scenario.filling_turn(), Turn("Zone 7 is next.")]
        played = scenario.play(workspace, turns, [scenario.FIRST_PROMPT])
        with ScriptedApi(Script([Turn("The one of Monday.")])) as api:
            workspace.prompt(api, f"/compact-keeper-recall {QUESTION}", new())
        [skill] = [api_request for api_request in api.requests if api_request.kind == "turn"]
        doctor = json.loads(install(workspace, "doctor", "--json"))
        install(workspace, "uninstall", "--project")
        yield Installed(played, skill, doctor, before, between, files(workspace))


def test_block_comes_back(installed: Installed) -> None:
    [given] = installed.played.after
    assert RULE in restored_block(given)


def test_skill_finds_its_script_and_runs_unasked(installed: Installed) -> None:
    assert "From compact-keeper's archive of earlier turns:" in installed.skill.text()
    assert "pwned" not in installed.after


def test_doctor_finds_nothing_to_fix_with_this_client(installed: Installed) -> None:
    findings = installed.doctor["findings"]
    assert [finding for finding in findings if finding["level"] == "fix"] == []
    assert any(finding["what"].startswith("client 2.1.") for finding in findings)


def test_files_are_byte_for_byte_as_they_were(installed: Installed) -> None:
    assert installed.between != installed.before
    assert installed.after == installed.before
