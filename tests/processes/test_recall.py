"""recall.py as a process: copied alone, on terminals and pipes of every kind, with the client's own folders."""

from __future__ import annotations

import json
import os
import pty
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from archived import FOREVER, talk
from sessions import PATIENCE, SCRIPTS, SESSION_ID, START, Home, Session
from terminals import shown_on

RECALL = [sys.executable, "-IS", str(SCRIPTS / "run_hook.py"), "recall.py"]  # as its skill starts it


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """A data folder whose archive holds a talk, for tests that only read."""
    folder = tmp_path_factory.mktemp("full")
    home = Home(folder / "home")
    home.path.mkdir()
    (home.path / "config.json").write_text(json.dumps(FOREVER), encoding="utf-8")
    done = home.run("recall.py", b"", "index", str(talk().write(folder / f"{SESSION_ID}.jsonl")), "--quiet")
    assert (done.code, done.stdout, done.stderr) == (0, "", "")
    return home


def test_copied_alone_beside_a_module_of_anothers(full: Home, tmp_path: Path) -> None:
    hooks = tmp_path / "project" / ".claude" / "hooks"
    hooks.mkdir(parents=True)
    shutil.copy(SCRIPTS / "recall.py", hooks)
    (hooks / "json.py").write_text("raise SystemExit('not ours')", encoding="utf-8")

    def run(*arguments: str, stdin: str = "") -> str:
        done = subprocess.run([sys.executable, "-IS", str(hooks / "recall.py"), *arguments], text=True, input=stdin,
                              env=full.environment(), capture_output=True, cwd=hooks, timeout=PATIENCE)
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout

    assert "Now deploy the zebra." in run("search", "zebra")
    assert run("mcp", stdin='{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n').startswith("{")


def test_the_data_folder_is_where_the_client_has_its_own(tmp_path: Path) -> None:
    environment = {"PATH": os.defpath, "HOME": str(tmp_path)}
    (tmp_path / ".claude" / "projects" / "-a").mkdir(parents=True)
    session = Session(int(time.time()) - START - 60)
    session.typed("Look at the zebra.")
    session.write(tmp_path / ".claude" / "projects" / "-a" / "s.jsonl")
    for arguments in (["index"], ["search", "zebra"]):
        done = subprocess.run([*RECALL, *arguments], env=environment, capture_output=True, check=True)
    assert b"Look at the zebra." in done.stdout
    assert (tmp_path / ".claude" / "compact-keeper" / "archive.db").exists()


@pytest.mark.parametrize("arguments", [["search", "--until", b"\xed\xa0\x80", "x"], ["forget", "--match", b"\xff"]])
def test_words_that_are_no_utf_8_are_refused_without_a_trace(full: Home, arguments: list[str | bytes]) -> None:
    done = subprocess.run([*RECALL, *arguments], env=full.environment(), capture_output=True)
    assert (done.returncode > 0, done.stdout) == (True, b"")
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize("closed", [0, 1])
def test_an_agents_question_without_stdin_or_stdout(full: Home, closed: int) -> None:
    done = full.run("recall.py", b"", "ask", before=lambda: os.close(closed))
    assert (done.code, done.stderr) == (0, "")


@pytest.mark.parametrize("read", [0, 10])
@pytest.mark.parametrize("arguments", [["search", "zebra"], ["show", "4"], ["ask"]], ids=" ".join)
def test_a_reader_that_goes_away_is_no_trace(full: Home, arguments: list[str], read: int) -> None:
    ours, theirs = os.pipe()
    process = subprocess.Popen([*RECALL, *arguments], stdout=theirs, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                               env=full.environment())
    os.close(theirs)
    if read:
        os.read(ours, read)
    os.close(ours)
    _, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, err) == (0, b"")


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_a_terminal_without_unicode(full: Home, encoding: str) -> None:
    done = subprocess.run([sys.executable, "-S", *RECALL[2:], "show", "1"], capture_output=True,
                          env=full.environment({"PYTHONIOENCODING": encoding, "PYTHONDONTWRITEBYTECODE": "1"}))
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"half even" in done.stdout


def test_forget_asks_on_a_terminal(full: Home) -> None:
    ours, theirs = pty.openpty()
    process = subprocess.Popen([*RECALL, "forget", "--match", "zebra"], stdin=theirs, stdout=theirs, stderr=theirs,
                               env=full.environment())
    shown = b""
    while b"[y/N]" not in shown:
        shown += os.read(ours, 4_096)
    os.write(ours, b"\x04")  # Ctrl-D
    assert process.wait(PATIENCE) == 0
    os.close(theirs)
    assert b"Traceback" not in shown_on(ours)
    assert json.loads(full.run("recall.py", b"", "stats", "--json").stdout)["turns"] == 4
