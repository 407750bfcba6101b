"""The runs of tests with other Pythons and clients: what fails there is counted, and a missing Python is named."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import client
import clients
import pythons
from attack import Ground, Outcome
from child_tests import outcome_of
from client_profile import Profile

MADE_UP = """\
import os, pytest

@pytest.fixture
def broken():
    raise OSError("no ground")

def test_holds(): assert os.environ["ASKED"] == "2"
def test_breaks(): assert 1 == 2
def test_cannot_begin(broken): pass
@pytest.mark.skip
def test_is_left_out(): pass
"""
# A shim as pyenv's: it starts a Python only when that is asked for.
SHIM = '#!/bin/sh\n[ "$PYENV_VERSION" = 3.9 ] && echo "/there/$(basename "$0")"\n'


def test_each_failure_is_told(tmp_path: Path) -> None:
    (tmp_path / "test_made_up.py").write_text(MADE_UP)
    outcome = outcome_of(Path(sys.executable), [str(tmp_path)], tmp_path, ASKED="2")
    assert outcome == Outcome(3, ["test_made_up::test_breaks: assert 1 == 2",
                                  'test_made_up::test_cannot_begin: failed on setup with "OSError: no ground"'])


@pytest.mark.parametrize(("source", "argument"), [("import nothing_there", ""), ("", ""), ("", "--no-such-option")])
def test_tests_that_do_not_run_do_not_hold(tmp_path: Path, source: str, argument: str) -> None:
    (tmp_path / "test_made_up.py").write_text(source)
    assert outcome_of(Path(sys.executable), [str(tmp_path), *filter(None, [argument])], tmp_path).broken


def test_a_missing_python_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    outcomes = [attack.run(Ground(tmp_path, full=True)) for attack in pythons.ATTACKS]
    assert outcomes == [Outcome(0, [f"python{version} is missing"]) for version in pythons.VERSIONS for _ in range(2)]


def test_a_shim_is_told_which_python_is_meant(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    for version in ("3.9", "3.13"):
        (tmp_path / f"python{version}").write_text(SHIM)
        (tmp_path / f"python{version}").chmod(0o755)
    assert [pythons.interpreter(version) for version in ("3.9", "3.13")] == ["/there/python3.9", ""]


def test_differences_that_are_not_told_are_broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    profiles: dict[str, Profile] = {version: {"transcript": {}} for version in client.pinned_versions()}
    profiles[client.pinned_versions()[-1]]["transcript"] = {"progress": {}}
    monkeypatch.setattr(client, "ensure", Path)
    monkeypatch.setattr(clients, "measured", lambda program: profiles[str(program)])
    *_, (_, compared) = clients.ATTACKS
    attempts, broken, *_ = compared(Ground(tmp_path, full=True))
    assert broken == [f"not told: {line}" for line in clients.SINCE_THE_OLDEST if line != "transcript: gone: progress"]
    assert attempts == len(broken) + 1
