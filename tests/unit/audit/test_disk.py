"""What git and the disk say, as it comes to the comparisons."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest

from compact_keeper.audit.disk import exists
from compact_keeper.machine.git_now import git_now
from compact_keeper.record.summary.comparisons import compare
from sessions import git, repository_at

COMMIT: Any = {"kind": "action", "tool": "Bash", "text": "git commit -m x", "position": 1, "verdict": "ended",
               "commit": "4be1c09", "subject": "x"}
GIT_SECONDS = 30.0  # time enough


@pytest.fixture
def rates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with a commit, its upstream at the same, and nothing changed."""
    monkeypatch.setenv("COMPACT_KEEPER_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("HOME", str(tmp_path))
    folder = repository_at(tmp_path / "rates")
    git(folder, "commit", "--quiet", "--allow-empty", "--message=x")
    git(folder, "init", "--quiet", "--bare", str(tmp_path / "there"))
    git(folder, "remote", "add", "origin", str(tmp_path / "there"))
    git(folder, "push", "--quiet", "--set-upstream", "origin", "HEAD")
    return folder


def test_a_file_is_looked_for_where_it_must_be(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "here.py").touch()
    known = [f"{tmp_path}/deep/known.py", f"{tmp_path}/deep/known.py", "/a/twice.py", "/b/twice.py"]
    look = partial(exists, str(tmp_path), known)
    assert look("src/here.py") is True
    assert [look(path) for path in ("src/gone.py", "known.py")] == [False, False]
    assert [look(path) for path in ("lone.py", "lib/x.py", "twice.py")] == [None, None, None]
    assert exists("", known, "src/x.py") is None


def test_an_address_is_no_file_at_the_top_of_the_disk(rates: Path) -> None:
    assert [exists(str(rates), [], path) for path in ("/robots.txt", "/sitemap.xml")] == [None, None]


@pytest.mark.parametrize(("summary", "record"), [
    ("The changes are not committed.", "git: nothing is uncommitted"), ("All changes are committed.", "")])
def test_that_there_is_nothing_is_known_too(rates: Path, summary: str, record: str) -> None:
    findings = compare(summary, [COMMIT], git_now(str(rates), "", GIT_SECONDS))
    assert [finding["record"] for finding in findings] == ([record] if record else [])
