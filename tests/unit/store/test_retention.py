"""What has grown old goes from the data folder, and nothing else: no link is followed, no other file touched."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from compact_keeper.store.retention import forget_old_sessions, remove_drafts

DAY = 86_400  # seconds
COPY = "20261121T201003.123Z.jsonl.gz"


@pytest.fixture
def sessions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of all sessions in a data folder, the own session's in it."""
    monkeypatch.setenv("COMPACT_KEEPER_HOME", str(tmp_path / "home"))
    folder = tmp_path / "home" / "sessions"
    (folder / "own").mkdir(parents=True)
    return folder


def aged(path: Path, days: float) -> Path:
    """The path, made a file where there is nothing, last written so many days ago."""
    if not os.path.lexists(path):
        path.write_text("{}", encoding="utf-8")
    os.utime(path, (time.time() - days * DAY,) * 2, follow_symlinks=False)
    return path


def old_session(sessions: Path, name: str, days: float = 99) -> Path:
    folder = sessions / name
    folder.mkdir(exist_ok=True)
    for file in ("memory.json", "snapshot.json", "pins.jsonl"):
        aged(folder / file, days)
    return folder


def with_backups(folder: Path, days: float = 99) -> Path:
    backups = folder / "backups"
    backups.mkdir()
    for name in (COPY, "draft.tmp"):
        aged(backups / name, days)
    return aged(backups, days)


def forget(sessions: Path, days: int = 30) -> None:
    forget_old_sessions(str(sessions / "own"), days)


@pytest.mark.parametrize(("age", "days", "stays"), [(29, 30, True), (31, 30, False), (6, 7, True), (8, 7, False),
                                                    (400, 3_650, True)])
def test_sessions_go_when_they_are_old(sessions: Path, age: float, days: int, stays: bool) -> None:
    folder = old_session(sessions, "older", age)
    forget(sessions, days)
    assert folder.exists() is stays


def test_one_new_file_keeps_a_session(sessions: Path) -> None:
    folder = old_session(sessions, "older")
    aged(folder / "ledger.jsonl", 1)
    forget(sessions)
    assert len(list(folder.iterdir())) == 4


def test_nothing_else_is_touched(sessions: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    others = [aged(path, 99) for path in (elsewhere / "kept.json", sessions.parent / "archive.db", sessions / "note")]
    (sessions / "linked").symlink_to(elsewhere)
    own, folder = old_session(sessions, "own"), old_session(sessions, "older")
    (folder / "link.json").symlink_to(elsewhere / "kept.json")
    aged(folder / "link.json", 99)
    forget(sessions)
    assert not folder.exists()
    assert len(list(own.iterdir())) == 3
    assert (sessions / "linked").is_symlink()
    assert all(path.exists() for path in others)


@pytest.mark.parametrize(("age", "stays"), [(99, False), (1, True)])
def test_copies_of_the_transcript_go_with_their_session(sessions: Path, age: float, stays: bool) -> None:
    folder = old_session(sessions, "older")
    with_backups(folder, age)
    forget(sessions)
    assert folder.exists() is stays
    assert not stays or len(list((folder / "backups").iterdir())) == 2


@pytest.mark.parametrize("where", ["backups", "backups/inner", "other"])
def test_no_link_to_a_folder_is_followed(sessions: Path, tmp_path: Path, where: str) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    aged(elsewhere / COPY, 99)
    folder = old_session(sessions, "older")
    if where != "backups":
        with_backups(folder)
    (folder / where).symlink_to(elsewhere)
    aged(folder / where, 99)
    forget(sessions)
    assert [path.name for path in elsewhere.iterdir()] == [COPY]
    assert (folder / "memory.json").exists()


@pytest.mark.parametrize("where", ["inner", "backups/inner"])
def test_a_session_with_a_folder_of_others_stays_and_stops_nothing(sessions: Path, where: str) -> None:
    odd, olders = old_session(sessions, "odd"), [old_session(sessions, f"older-{number}") for number in range(5)]
    with_backups(odd)
    (odd / where).mkdir()
    aged(odd / where, 99)
    aged(odd / "backups", 99)
    forget(sessions)
    assert [folder.exists() for folder in olders] == [False] * 5
    assert all((odd / name).exists() for name in ("memory.json", "pins.jsonl", "snapshot.json"))
    assert (odd / "backups" / COPY).exists()


def test_drafts_of_killed_processes_go(sessions: Path) -> None:
    folder = sessions / "own"
    names = ("memory.json.123.tmp", "memory.json", "memory.json.tmp", ".1.tmp", "fresh.json.7.tmp")
    for name in names:
        aged(folder / name, 1 if name != "fresh.json.7.tmp" else 0)
    remove_drafts(str(folder))
    assert sorted(path.name for path in folder.iterdir()) == sorted(names[1:])
