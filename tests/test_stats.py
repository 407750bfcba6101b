"""The command line of stats.py: which session, what it prints, reset; with real processes where that matters."""

from __future__ import annotations

import json
import os
import pty
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import stats
from compact_keeper.figures import sessions
from sessions import SESSION_ID, START, Home
from stats_home import compaction, make_home, make_sessions, stop, write_lines

OTHER = "00000001-0000-4000-8000-000000000001"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty data folder that the scripts of this process use."""
    monkeypatch.setenv("COMPACT_KEEPER_HOME", str(tmp_path / "home"))
    for name in ("CLAUDE_CODE_SESSION_ID", "CLAUDE_PROJECT_DIR", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


def session_at(home: Path, name: str, project: str, age: float = 0.0) -> None:
    """A session's folder, saved so many seconds ago."""
    path = write_lines(home / "sessions" / name / "status.json", [{"schema": 1, "project": project}])
    os.utime(path, (time.time() - age, time.time() - age))


# --- wrong usage and hostile places ---


@pytest.mark.parametrize("argv", [
    ["--since", "yesterday"], ["--since", "9999999999999999999-01-01"], ["watch", "--interval", "0"], ["a", "b"],
    ["watch", "--interval", "nan"], ["report", "-o"], ["--global", SESSION_ID], ["--what"]], ids=" ".join)
def test_wrong_usage_ends_with_2(argv: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        stats.main(argv)
    assert ended.value.code == 2
    assert "usage: stats.py" in capsys.readouterr().err


@pytest.mark.parametrize(("session", "why"), [
    ("../../etc", "no session's id"), ("..", "no session's id"), ("a\x1b[31mb", "no session's id"),
    (OTHER, "nothing is known")])
def test_a_session_that_is_none_is_refused(home: Path, capsys: pytest.CaptureFixture[str], session: str,
                                           why: str) -> None:
    assert stats.main(["stats", session]) == 1
    told = capsys.readouterr().err
    assert why in told
    assert str(home) in told
    assert "\x1b" not in told


def test_a_home_in_which_nothing_was_saved(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert stats.main([]) == 1
    assert "it begins with the first turn" in capsys.readouterr().err
    assert stats.main(["--global"]) == 0
    told = capsys.readouterr().out
    assert "none yet" in told
    assert " 0 " not in told.replace("0 sessions", "")
    home.rmdir()
    assert stats.main(["--global"]) == 0


def test_a_project_of_any_bytes_reaches_no_terminal(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    session_at(home, OTHER, "/home/ada/\x1b]0;x\x07\u202eevil\ud800")
    assert stats.main([OTHER]) == 0
    assert "\x1b" not in capsys.readouterr().out


# --- which session ---


def test_the_session_that_is_meant(home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    session_at(home, "newest", "/elsewhere")
    assert sessions.chosen_session("") == "newest"
    session_at(home, "older-here", str(tmp_path / "project"), age=90)
    session_at(home, "newer-here", str(tmp_path / "project"), age=60)
    assert sessions.chosen_session("") == "newer-here"
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "from-the-client")
    assert sessions.chosen_session("") == "from-the-client"
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "../..")
    assert sessions.chosen_session("") == "newer-here"
    assert sessions.chosen_session("named") == "named"


def test_links_and_files_are_no_sessions(home: Path, tmp_path: Path) -> None:
    session_at(home, "real", "/p", age=60)
    (home / "sessions" / "linked").symlink_to(tmp_path)
    (home / "sessions" / "file").touch()
    assert list(sessions.session_folders()) == ["real"]


@pytest.mark.parametrize("content", [
    b"", b"[]", b'{"schema": 2}', b'{"schema": 1, "project": 7}', b"{" * 9_000, b"\xff"])
def test_a_broken_status_hides_no_session(home: Path, content: bytes) -> None:
    session_at(home, "one", "/p")
    (home / "sessions" / "one" / "status.json").write_bytes(content)
    assert sessions.chosen_session("") == "one"


def test_ten_thousand_sessions(home: Path) -> None:
    for number in range(10_000):
        (home / "sessions" / f"s{number}").mkdir(parents=True)
    started = time.monotonic()
    assert sessions.chosen_session("").startswith("s")
    assert stats.main(["--global"]) == 0
    assert time.monotonic() - started < 20


# --- what is printed ---


def test_the_figures_of_a_session(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make_home(home, compactions=3)
    assert stats.main([SESSION_ID]) == 0
    told = " ".join(capsys.readouterr().out.split())
    for words in ("session 5e551011", "in /home/ada/parcel-rates", "Compactions 3", "183 items of 540 kept: 90 files",
                  "8,200 characters each time, about 2,050 tokens (4 characters a token)", "2 verified, 1 repaired",
                  "9 dropped (6 files, 3 rules), 3 changed, 6 unproven", "3 failing commands passed later",
                  "save at Stop 24 23 27 27", "record 360 1.4 2 2", "Python's own start comes on top", "sessions "):
        assert words in told


def test_json_has_the_same_figures(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make_home(home, compactions=2)
    assert stats.main(["--json", SESSION_ID]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["schema"], found["session"], found["compactions"]) == (1, SESSION_ID, 2)
    assert found["put_back"]["tokens_each"] == 2_050
    assert stats.main(["--global", "--json", "--since", "2999-01-01"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["sessions"], found["put_back"], found["last"]) == (0, {}, None)


def test_all_sessions_are_added_up(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make_sessions(home, 12)
    assert stats.main(["--global"]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "12 sessions" in told
    assert "Compactions 18" in told
    assert "6 verified" in told


def test_colour_is_for_terminals_that_want_it(home: Path) -> None:
    make_home(home)
    run = Home(home).run("stats.py", b"", SESSION_ID)
    assert (run.code, run.stderr) == (0, "")
    assert "\x1b" not in run.stdout
    assert "\x1b[1m" in on_terminal(home, {"TERM": "xterm"})
    assert "\x1b" not in on_terminal(home, {"TERM": "xterm", "NO_COLOR": "1"})
    assert "\x1b" not in on_terminal(home, {"TERM": "dumb"})


def on_terminal(home: Path, environment: dict[str, str]) -> str:
    """What stats.py prints for the session when its stdout is a terminal."""
    reading, writing = pty.openpty()

    def to_terminal() -> None:
        os.dup2(writing, 1)
    with Home(home).start("stats.py", SESSION_ID, extra=environment, before=to_terminal) as process:
        process.communicate(b"", 10)
    os.close(writing)
    told = os.read(reading, 1 << 16).decode()
    os.close(reading)
    return told


def test_who_reads_may_stop_reading(home: Path) -> None:
    make_sessions(home, 400)
    with Home(home).start("stats.py", "--global", "--json") as process:
        assert process.stdout
        process.stdout.close()
        assert process.stderr
        assert process.stderr.read() == b""
    assert process.returncode in (0, -13)


def test_help_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        stats.main(["--help"])
    assert ended.value.code == 0
    assert all(name in capsys.readouterr().out + (stats.__doc__ or "") for name in stats.COMMANDS)


# --- reset ---


def kept(home: Path) -> dict[str, bytes]:
    """All files but those that reset may empty."""
    return {str(path): path.read_bytes() for path in home.rglob("*")
            if path.is_file() and path.name not in ("events.jsonl", "history.jsonl")}


def test_reset_without_a_terminal_needs_yes(home: Path) -> None:
    make_home(home)
    before = (home / "events.jsonl").read_bytes()
    run = Home(home).run("stats.py", b"y\n", "reset")
    assert (run.code, run.stdout) == (1, "")
    assert "--yes" in run.stderr
    assert (home / "events.jsonl").read_bytes() == before


def test_reset_empties_events_and_histories_only(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make_home(home)
    write_lines(home / "archive.db", [{}])
    write_lines(home / "sessions" / SESSION_ID / "pins.jsonl", [{"text": "a pin"}])
    before = kept(home)
    assert stats.main(["reset", "--yes"]) == 0
    told = capsys.readouterr().out
    assert "of all sessions" in told
    assert "1 history" in told
    assert (home / "events.jsonl").read_bytes() == b""
    assert (home / "sessions" / SESSION_ID / "history.jsonl").read_bytes() == b""
    assert kept(home) == before


def test_reset_of_a_session_leaves_the_others(home: Path) -> None:
    write_lines(home / "events.jsonl", [stop(1), *compaction(9), stop(2, session=OTHER), *compaction(9, session=OTHER)])
    for name in (SESSION_ID, OTHER):
        write_lines(home / "sessions" / name / "history.jsonl", [{"schema": 1}])
    assert stats.main(["reset", "--session", OTHER, "--yes"]) == 0
    left = [json.loads(line)["session"] for line in (home / "events.jsonl").read_bytes().splitlines()]
    assert left == [SESSION_ID] * 5
    assert (home / "sessions" / SESSION_ID / "history.jsonl").read_bytes()
    assert not (home / "sessions" / OTHER / "history.jsonl").read_bytes()
    assert sorted(path.name for path in home.iterdir()) == ["events.jsonl", "sessions"]


@pytest.mark.parametrize(("answer", "is_done"), [("y", True), ("YES ", True), ("", False), ("n", False)])
def test_reset_asks_at_a_terminal(home: Path, monkeypatch: pytest.MonkeyPatch, answer: str, is_done: bool) -> None:
    make_home(home)
    monkeypatch.setattr("sys.stdin", type("Terminal", (), {"isatty": lambda _: True})())
    monkeypatch.setattr("builtins.input", lambda _: answer)
    assert stats.main(["reset"]) == 0
    assert (not (home / "events.jsonl").read_bytes()) == is_done


def test_reset_with_nothing_there(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert stats.main(["reset", "--yes"]) == 0
    assert "0 bytes of events" in capsys.readouterr().out
    assert stats.main(["reset", "--session", SESSION_ID, "--yes"]) == 0
    assert not list(home.iterdir())


@pytest.mark.parametrize("make", [lambda path: path.symlink_to("/dev/null"), os.mkfifo, Path.mkdir],
                         ids=["link", "fifo", "folder"])
def test_reset_empties_no_file_of_another_kind(home: Path, make: Callable[[Path], Any]) -> None:
    make(home / "events.jsonl")
    assert stats.main(["reset", "--yes"]) == 1


def test_lines_written_during_a_reset_stay(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_lines(home / "events.jsonl", [stop(1, session=OTHER)])
    replace = os.replace

    def late(draft: str, target: str) -> None:
        write_lines(path, [stop(3)])  # a hook that had opened the old file
        replace(draft, target)
    monkeypatch.setattr(os, "replace", late)
    assert stats.main(["reset", "--session", OTHER, "--yes"]) == 0
    assert [json.loads(line)["time"] for line in path.read_bytes().splitlines()] == [START + 3]
