"""Which sessions are known, and which one is meant."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from compact_keeper.figures.sessions import chosen_session, session_folders
from compact_keeper.store.refusal import Refusal
from stats_home import write_lines


def session_at(home: Path, name: str, project: str, age: float = 0.0) -> None:
    """A session's folder, saved so many seconds ago."""
    path = write_lines(home / "sessions" / name / "status.json", [{"schema": 1, "project": project}])
    os.utime(path, (time.time() - age, time.time() - age))


def test_the_session_that_is_meant(home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    session_at(home, "newest", "/elsewhere")
    assert chosen_session("") == "newest"
    session_at(home, "older-here", str(tmp_path / "project"), age=90)
    session_at(home, "newer-here", str(tmp_path / "project"), age=60)
    assert chosen_session("") == "newer-here"
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "from-the-client")
    assert chosen_session("") == "from-the-client"
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "../..")
    assert chosen_session("") == "newer-here"
    assert chosen_session("named") == "named"


def test_links_and_files_are_no_sessions(home: Path, tmp_path: Path) -> None:
    session_at(home, "real", "/p", age=60)
    (home / "sessions" / "linked").symlink_to(tmp_path)
    (home / "sessions" / "file").touch()
    assert list(session_folders()) == ["real"]


@pytest.mark.parametrize("content", [
    b"", b"[]", b'{"schema": 2}', b'{"schema": 1, "project": 7}', b"{" * 9_000, b"\xff"])
def test_a_broken_status_hides_no_session(home: Path, content: bytes) -> None:
    session_at(home, "one", "/p")
    (home / "sessions" / "one" / "status.json").write_bytes(content)
    assert chosen_session("") == "one"


@pytest.mark.parametrize("name", ["../../etc", "..", "a\x1b[31mb", "a b"])
def test_a_name_that_is_no_id_is_refused(home: Path, name: str) -> None:
    session_at(home, "real", "/p")
    with pytest.raises(Refusal, match="no session's id") as refusal:
        chosen_session(name)
    assert "\x1b" not in str(refusal.value)


def test_where_no_session_is_known_it_says_so(home: Path) -> None:
    with pytest.raises(Refusal, match="begins with the first turn"):
        chosen_session("")
    (home / "sessions").symlink_to(home.parent)
    assert session_folders() == {}
