"""An archive of version 0.6.0: its transcripts are read anew, nothing is lost, what was forgotten stays away."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from archived import old_archive, prompts_found, upgraded_session
from compact_keeper.archive import database, indexing
from compact_keeper.archive.database import digest
from compact_keeper.archive.indexing import index_transcripts, take_in
from compact_keeper.archive.local_archive import Archive
from sessions import Home, Session

BEFORE_ALL = 0  # seconds since 1970: no time is left


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The client's projects, with three transcripts."""
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    projects = tmp_path / "claude" / "projects" / "-home-ada"
    projects.mkdir(parents=True)
    for number in range(3):
        upgraded_session(number).write(projects / f"{number}.jsonl")
    return projects


@pytest.fixture
def old(home: Home, folder: Path) -> Path:
    """The archive as 0.6.0 left it: turns in parts of their own, of outputs the last line alone."""
    return old_archive(home.path / "archive.db", sorted(folder.iterdir()))


@pytest.fixture
def opened(old: Path) -> Iterator[Archive]:
    assert old.exists()
    archive = Archive()
    with closing(archive.db):
        yield archive


def unheard(_read: int, _turns: int) -> None:
    """How far it has come, which nobody asks for here."""


def texts(archive: Archive) -> str:
    return "\n".join(row["prompt"] + row["answer"] + row["command"] for row in archive.rows("1"))


def test_old_rows_are_found_and_shown_before_anything_is_read_anew(opened: Archive) -> None:
    assert opened.has_old()
    assert prompts_found(opened, "rates 1")[0] == "Round the rates 1."
    assert [row["first"] for row in opened.around(1, 0)] == [None]


def test_a_quiet_run_reads_all_of_them_anew(opened: Archive, folder: Path) -> None:
    ids = [row["id"] for row in opened.rows("1")]
    index_transcripts(opened, [str(folder / "1.jsonl")], is_quiet=True)
    assert not opened.has_old()
    assert all(f"{number} zebras" in texts(opened) for number in range(3))
    assert all(texts(opened).count(f"Chapter {step} of {number}.") == 1 for step in range(9) for number in range(3))
    assert all(opened.around(number, 0) for number in ids)  # an old part's id shows its turn
    assert all(any(row["prompt"].startswith("Now the long") for row in opened.around(number, 0))
               for number in ids if number % 4 in (3, 0))
    assert [row["prompt"] for row in opened.rows("steps = '[]'")] == [""] * 3
    assert all(row["first"] for row in opened.rows("steps <> '[]'"))
    assert all(texts(opened).count(f"Words alone {number}.") == 1 for number in range(3))
    opened.db.execute("INSERT INTO words(words) VALUES('integrity-check')")


def test_it_goes_on_where_it_was_stopped(opened: Archive, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(indexing, "TURNS_PER_BATCH", 1)
        for transcript in sorted(folder.iterdir()):
            take_in(opened, str(transcript), unheard, BEFORE_ALL)  # killed behind the first turn
    assert opened.has_old()
    index_transcripts(opened, [str(folder)], is_quiet=False)
    assert not opened.has_old()
    assert all(texts(opened).count(f"Chapter {step} of 2.") == 1 for step in range(9))


def test_a_transcript_of_any_older_format_is_read_anew(
        opened: Archive, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    index_transcripts(opened, [str(folder)], is_quiet=False)
    assert not opened.has_old()
    monkeypatch.setattr(database, "FORMAT", database.FORMAT + 1)
    assert opened.has_old()
    (folder / "0.jsonl").unlink()
    index_transcripts(opened, [], is_quiet=True)
    assert not opened.has_old()
    assert opened.is_old(str(folder / "0.jsonl"))  # it may come back
    assert not opened.is_old(str(folder / "1.jsonl"))


def test_a_transcript_that_is_gone_keeps_its_old_rows(opened: Archive, folder: Path) -> None:
    (folder / "0.jsonl").unlink()
    index_transcripts(opened, [], is_quiet=False)
    assert not opened.has_old()
    assert prompts_found(opened, "rates 0")[0] == "Round the rates 0."
    assert "make test\n  → ok: 12 passed" in texts(opened)


@pytest.mark.parametrize("parts", [["Chapter 0"], ["Chapter 4"], ["Chapter"]])
def test_what_was_forgotten_does_not_come_back(opened: Archive, folder: Path, parts: list[str]) -> None:
    """Not even where the new parts of its turn begin elsewhere, and not when the turn grows."""
    opened.forget({"match": parts[0], "project": ""})
    left = texts(opened).count("Chapter")
    with (folder / "1.jsonl").open("ab") as file:
        made = Session(9_000)
        made.typed("Go on.")
        file.write(made.as_bytes())
    index_transcripts(opened, [], is_quiet=False)
    assert texts(opened).count("Chapter") == left
    assert "Go on." in texts(opened)
    assert texts(opened).count("make test") == 3


def test_a_fork_does_not_bring_back_what_was_forgotten(opened: Archive, folder: Path) -> None:
    """The fork's copy was not stored a second time, so it is not read anew."""
    fork = folder / "fork.jsonl"
    fork.write_bytes((folder / "0.jsonl").read_bytes())
    with opened.writing():
        opened.db.execute("INSERT INTO sources VALUES(9, ?, ?, ?, ?, '{}', 1)", (
            digest(os.path.realpath(fork)), fork.stat().st_ino, fork.stat().st_size, fork.stat().st_size))
    opened.forget({"match": "Round the rates 0"})
    index_transcripts(opened, [], is_quiet=False)
    assert "Round the rates 0" not in texts(opened)


def test_what_grows_while_it_is_old_is_taken_in_whole(opened: Archive, folder: Path) -> None:
    with (folder / "1.jsonl").open("ab") as file:
        made = Session(9_000)
        made.says("Chapter 9 of 1.")
        file.write(made.as_bytes())
    take_in(opened, os.path.realpath(folder / "1.jsonl"), unheard, time.time() + 60)
    assert all(texts(opened).count(f"Chapter {step} of 1.") == 1 for step in range(10))
