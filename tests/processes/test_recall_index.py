"""`recall.py index` as a process: odd files among the transcripts, progress, an interrupt, beside a session."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from archived import FOREVER, day, many, prompts
from hostile import PLACES, typed
from sessions import PATIENCE, SCRIPTS, Home, JsonObject, Run
from terminals import shown_on

ORDER = "Never deploy the zebra on a Friday."


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home(tmp_path / "home")
    home.path.mkdir()
    (home.path / "config.json").write_text(json.dumps(FOREVER), encoding="utf-8")
    return home


def indexed_by(home: Home, *arguments: object, **more: Any) -> Run:
    return home.run("recall.py", b"", "index", *map(str, arguments), **more)


def stored(home: Home) -> list[JsonObject]:
    """The archive's rows as another process finds them."""
    with closing(sqlite3.connect(home.path / "archive.db")) as db:
        db.row_factory = sqlite3.Row
        return [dict(row) for row in db.execute("SELECT * FROM turns ORDER BY time, start")]


def test_by_hand_all_is_written_back_into_the_file(home: Home, tmp_path: Path) -> None:
    """run_hook.py ends without closing anything: the archive's journal would stay beside it, as large as the batch."""
    paths = many(tmp_path / "many", files=2, turns=3)
    done = home.run("run_hook.py", b"", "recall.py", "index", *map(str, paths))
    beside = [path.name for path in home.path.glob("archive.db*")]  # before another process opens it
    assert (done.code, beside, len(stored(home))) == (0, ["archive.db"], 6)


def test_odd_files_among_the_transcripts_are_left_out(home: Home, tmp_path: Path) -> None:
    projects = tmp_path / "projects"
    folders = ["-home-ada", "two  spaces", "ünï ☃", "new\nline", "%_'\"", "-rf"]
    for number, name in enumerate(folders):
        (projects / name).mkdir(parents=True)
        (projects / name / f"{name}.jsonl").write_bytes(typed(f"In folder {number}.", number))
    raw = os.fsencode(projects) + b"/\xff\xfe"
    os.mkdir(raw)
    with open(raw + b"/\xff.jsonl", "wb") as file:
        file.write(typed("In folder 6.", 6))
    for name, (make, _) in PLACES.items():
        if name != "unreadable":
            make(projects / "-home-ada" / f"{name}.jsonl")
    (projects / "-home-ada" / "notes.txt").write_bytes(typed("No transcript.", 9))
    (projects / "linked.jsonl").symlink_to(projects / "-home-ada" / "-home-ada.jsonl")
    done = indexed_by(home, extra={"CLAUDE_CONFIG_DIR": str(tmp_path)})
    assert done.code == 0
    assert "Traceback" not in done.stderr
    assert done.stderr.count("is left out") == 4  # of the link, the FIFO, the socket, the device
    assert sorted(prompts(stored(home))) == [f"In folder {number}." for number in range(7)]


@pytest.mark.parametrize("place", PLACES)
def test_a_named_path_that_is_no_transcript_takes_no_other_with_it(home: Home, tmp_path: Path, place: str) -> None:
    bad, good = tmp_path / "bad.jsonl", tmp_path / "good.jsonl"
    PLACES[place][0](bad)
    good.write_bytes(typed(ORDER, 0))
    done = indexed_by(home, bad, good, "--quiet")
    assert (done.code, done.stdout) == (0, "")
    assert done.stderr == ""  # nobody would read it
    assert len(home.log()) == (place not in ("empty", "folder", "missing"))
    assert prompts(stored(home)) == [ORDER]


# --- the run ---


def test_an_interrupt_ends_it_in_a_line(home: Home, tmp_path: Path) -> None:
    paths = many(tmp_path / "projects", 8, 400)

    def as_a_terminal_starts_it() -> None:
        signal.signal(signal.SIGINT, signal.SIG_DFL)

    with home.start("recall.py", "index", *map(str, paths), before=as_a_terminal_starts_it) as process:
        assert process.stderr
        process.stderr.readline()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out) == (130, b"")
    assert err.decode().strip() == "compact-keeper: stopped; the same command goes on from here"
    assert 0 < len(stored(home)) < 3_200


def test_without_a_transcript_it_says_that_alone(home: Home, tmp_path: Path) -> None:
    for folder in ("nowhere", "empty"):
        (tmp_path / "empty" / "projects").mkdir(parents=True, exist_ok=True)
        done = indexed_by(home, extra={"CLAUDE_CONFIG_DIR": str(tmp_path / folder)})
        assert done.stderr.splitlines() == [
            "compact-keeper: Claude Code has kept no transcript here yet; others can be named: recall.py index PATH"]
        assert done.code == 0


def test_progress_not_on_a_terminal(home: Home, tmp_path: Path) -> None:
    done = indexed_by(home, *many(tmp_path / "projects", 3, 2))
    assert "\x1b" not in done.stderr
    assert "\r" not in done.stderr
    assert done.stderr.splitlines()[-1] == "3 of 3 files, 0.0 of 0.0 MB, 6 turns new"
    assert done.stdout == ""


def test_progress_on_a_terminal(home: Home, tmp_path: Path) -> None:
    paths = many(tmp_path / "projects", 3, 250)
    ours, theirs = pty.openpty()
    process = subprocess.Popen([sys.executable, "-IS", str(SCRIPTS / "recall.py"), "index", *map(str, paths)],
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=theirs,
                               env=home.environment())
    process.wait(PATIENCE)
    os.close(theirs)
    shown = shown_on(ours).decode()
    assert shown.count("\n") == 1
    assert "\r" in shown
    assert re.search(r", \d+:\d\d left\x1b", shown)
    last = shown.rstrip().rpartition("\r")[2]
    assert last.startswith("█" * 20)
    assert "3 of 3 files" in last
    assert "750 turns new" in last


@pytest.mark.parametrize("leader", [os.setsid, lambda: os.setpgid(0, 0), lambda: None],
                         ids=["of-a-session", "of-a-group", "none"])
def test_quiet_runs_from_anywhere(home: Home, tmp_path: Path, leader: Callable[[], None]) -> None:
    path = day().write(tmp_path / "a.jsonl")
    assert indexed_by(home, path, "--quiet", before=leader)[:3] == (0, "", "")
    assert len(stored(home)) == 1
