"""What git and the disk say, as it comes to the comparisons."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from compact_keeper.audit import facts as module
from compact_keeper.audit.facts import facts_for
from compact_keeper.record.summary.comparisons import compare
from sessions import git, repository_at

COMMIT: Any = {"kind": "action", "tool": "Bash", "text": "git commit -m x", "position": 1, "verdict": "ended",
               "commit": "4be1c09", "subject": "x"}


@pytest.fixture
def rates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with a commit, its upstream at the same, and nothing changed; git has time enough."""
    monkeypatch.setenv("COMPACT_KEEPER_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(module, "GIT_MAX_SECONDS", 30.0)
    folder = repository_at(tmp_path / "rates")
    git(folder, "commit", "--quiet", "--allow-empty", "--message=x")
    git(folder, "init", "--quiet", "--bare", str(tmp_path / "there"))
    git(folder, "remote", "add", "origin", str(tmp_path / "there"))
    git(folder, "push", "--quiet", "--set-upstream", "origin", "HEAD")
    return folder


def test_an_address_is_no_file_at_the_top_of_the_disk(rates: Path) -> None:
    summary = "Created `/robots.txt` to close the site. `/sitemap.xml` was created."
    assert facts_for(summary, str(rates), "", [])["files"] == {"/robots.txt": None, "/sitemap.xml": None}


@pytest.mark.parametrize(("summary", "record"), [
    ("The changes are not committed.", "git: nothing is uncommitted; the last commit here: 4be1c09 x"),
    ("The commits are unpushed.", "has no commit that origin/"), ("All changes are committed.", "")])
def test_that_there_is_nothing_is_known_too(rates: Path, summary: str, record: str) -> None:
    findings = compare(summary, [COMMIT], facts_for(summary, str(rates), "", [COMMIT]))
    assert [record in finding["record"] for finding in findings] == ([True] if record else [])


def test_without_a_folder_git_is_not_asked() -> None:
    facts = facts_for("Created `src/a.py`", "", "", [])
    assert (facts["git"], facts["files"]) == ({}, {"src/a.py": None})
