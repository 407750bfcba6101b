"""The attack on how git is asked finds a hook that asks it as a person does."""

from __future__ import annotations

from pathlib import Path

import pytest

import git_traps
import hostile_git
from broken_scripts import Break, ground_with

CARELESS = Break("restore_snapshot.py", "repository", """
def repository(folder):
    import subprocess
    subprocess.run(["git", "status"], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True)
    return right_repository(folder)""")


@pytest.mark.parametrize("name", ["a filter", "a monitor in an included file", "a program of git's name"])
def test_git_that_is_asked_with_the_repositorys_settings(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(hostile_git, "TRAPS", {name: hostile_git.TRAPS[name]})
    broken = git_traps.hostile_settings(ground_with(tmp_path, CARELESS)).broken
    assert any(line.startswith(f"{name}: run: ") for line in broken)


def test_git_that_writes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hostile_git, "TRAPS", {"a diff": hostile_git.TRAPS["a diff"]})
    monkeypatch.setattr(git_traps, "ENVIRONMENT", ())
    careless = CARELESS._replace(code=CARELESS.code.replace('"git", "status"', '"git", "config", "x.y", "z"'))
    broken = git_traps.hostile_settings(ground_with(tmp_path, careless)).broken
    assert any("config is not as it was" in line for line in broken)
