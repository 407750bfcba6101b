"""save_snapshot.py --backup and --backups: by hand, and started by the save at a compaction."""

from __future__ import annotations

import gzip
import os
import resource
import subprocess
from pathlib import Path

import pytest

from sessions import SESSION_ID, Home, Session

MEGABYTE = 1 << 20


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A data folder in which copies are switched on."""
    made = Home(tmp_path / "home")
    made.path.mkdir()
    (made.path / "config.json").write_text('{"transcript_backup": "gzip"}', encoding="utf-8")
    return made


@pytest.fixture
def transcript(tmp_path: Path) -> Path:
    made = Session()
    made.typed("Add the surcharge; my password=hunter2hunter2 is in the file.")
    return made.write(tmp_path / f"{SESSION_ID}.jsonl")


def copies(home: Home) -> list[Path]:
    return sorted((home.session / "backups").glob("*.jsonl.gz"))


def test_a_compaction_makes_a_copy_and_the_stop_after_it_none(home: Home, transcript: Path) -> None:
    assert home.save(transcript)[::2] == (0, "")
    home.rests()
    home.save(transcript, "Stop")
    home.rests()
    [copy] = copies(home)
    assert gzip.decompress(copy.read_bytes()) == transcript.read_bytes()
    assert home.log() == []


def test_a_copy_is_read_back_as_the_page_says(home: Home, transcript: Path) -> None:
    made = home.run("save_snapshot.py", b"", "--backup", str(transcript), "another").stdout.strip()
    assert Path(made).parents[1].name == "another"
    back = subprocess.run(["gzip", "-dc", made], capture_output=True, check=True).stdout
    assert back == transcript.read_bytes()
    listed = home.run("save_snapshot.py", b"", "--backups", "another")
    assert (listed.code, listed.stdout) == (0, f"{os.path.getsize(made):>12,}  {made}\n")


def test_where_there_is_no_copy_that_is_said(home: Home) -> None:
    listed = home.run("save_snapshot.py", b"", "--backups", "another")
    assert (listed.code, listed.stdout, listed.stderr) == (
        1, "", f"compact-keeper: there is no {home.session.parent}/another: a session is named by its whole id\n")
    home.session.mkdir(parents=True)
    listed = home.run("save_snapshot.py", b"", "--backups", SESSION_ID)
    assert (listed.code, listed.stdout, listed.stderr) == (
        1, "", f"compact-keeper: no copies of session {SESSION_ID}; `transcript_backup` is the setting\n")


@pytest.mark.parametrize(("quietly", "arguments"), [(True, ["--quiet"]), (False, [])])
def test_one_that_fails_says_so_where_it_is_read(home: Home, quietly: bool, arguments: list[str]) -> None:
    done = home.run("save_snapshot.py", b"", "--backup", "/nowhere/t.jsonl", SESSION_ID, *arguments)
    assert (done.code, done.stdout) == (1, "")
    [line] = home.log() if quietly else done.stderr.splitlines()
    assert "/nowhere/t.jsonl was not copied: " in line
    assert (home.log() == []) is not quietly


@pytest.mark.parametrize("session", ["..", "a/b", "a" * 200, "a\n"])
def test_a_session_that_is_none(home: Home, transcript: Path, session: str) -> None:
    done = home.run("save_snapshot.py", b"", "--backup", str(transcript), session)
    assert (done.code, done.stdout) == (1, "")
    assert "is no session's id" in done.stderr
    assert sorted(path.name for path in home.path.rglob("*")) == ["config.json"]


def test_a_large_transcript_takes_little_memory(home: Home, tmp_path: Path) -> None:
    path, block = tmp_path / "large.jsonl", b'{"type":"progress"}\n' * (MEGABYTE // 20)
    with path.open("wb") as file:
        file.writelines(block for _ in range(112))  # more than it may hold

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (96 * MEGABYTE, 96 * MEGABYTE))
    done = home.run("save_snapshot.py", b"", "--backup", str(path), timeout=120, before=limited)
    assert (done.code, done.stderr) == (0, "")
    with gzip.open(done.stdout.strip()) as copy:
        assert sum(map(len, iter(lambda: copy.read(MEGABYTE), b""))) == path.stat().st_size
