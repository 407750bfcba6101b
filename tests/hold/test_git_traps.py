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


NOT_WAITED_FOR = Break("restore_snapshot.py", "outputs_of", """
def outputs_of(commands, environment, given, until, most):
    for command in commands:
        os.posix_spawn(command[0], command, environment, file_actions=[
            (os.POSIX_SPAWN_OPEN, stream, os.devnull, os.O_RDWR, 0) for stream in (0, 1, 2)])
    return [None] * len(commands)""")
NOT_CLEANED = Break("restore_snapshot.py", "shown", """
def shown(path, _inner):
    return path.decode("utf-8", "replace")""")
UNREADABLE = Break("restore_snapshot.py", "beginning", """
def beginning(path, size):
    with open(path, "rb") as file:
        return file.read(size)""")


@pytest.mark.parametrize(("name", "change", "words"), [
    ("that hangs", NOT_WAITED_FOR, "left behind"), ("that speaks", NOT_CLEANED, "a line of its own")])
def test_a_git_that_is_hard_to_ask(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, change: Break, words: str) -> None:
    monkeypatch.setattr(git_traps, "GITS", {name: git_traps.GITS[name]})
    monkeypatch.setattr(git_traps, "LEFT_SECONDS", 0.2)
    broken = git_traps.hard_gits(ground_with(tmp_path, change)).broken
    assert any(words in line for line in broken), broken


def test_a_repository_that_is_hard_to_ask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(git_traps, "HARD", {"a worktree of nothing": git_traps.HARD["a worktree of nothing"]})
    broken = git_traps.hard_repositories(ground_with(tmp_path, UNREADABLE)).broken
    assert any("not put back" in line for line in broken), broken
