"""The live view: what a frame shows, and how it behaves in a real terminal (tmux), resized, ended, closed."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import shlex
import shutil
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from compact_keeper.figures import watch
from sessions import SCRIPTS, SESSION_ID, START, Home
from stats_home import compaction, make_home, write_lines

PATIENCE = 10.0  # seconds for what a busy machine does late
WATCH = [sys.executable, "-IS", str(SCRIPTS / "stats.py"), "watch", SESSION_ID, "--interval"]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder with a session."""
    monkeypatch.setenv("COMPACT_KEEPER_HOME", str(tmp_path / "home"))
    return make_home(tmp_path / "home")


# --- a frame ---


def test_a_frame_tells_of_the_session(home: Path) -> None:
    folder = home / "sessions" / SESSION_ID
    kinds = ("rule", "rule", "file")
    write_lines(folder / "snapshot.json", [{"schema": 1, "items": [{"kind": kind} for kind in kinds]}])
    write_lines(folder / "note.json", [{"schema": 1, "text": "four"}])
    write_lines(folder / "compaction.json", [{"schema": 1, "stage": "verified"}])
    told = "\n".join(watch.frame(SESSION_ID, 120, 60))
    for words in (f"session {SESSION_ID}", "/home/ada/parcel-rates", "tokens after the last answer", "2 rules, 1 file",
                  "a note on the summary, 4 characters", "Compaction      verified", "p50 23 ms",
                  "receipt     verified", "restore     units 8200, ms 22"):
        assert words in told


def test_a_frame_of_a_session_of_which_nothing_is_known(home: Path) -> None:
    shutil.rmtree(home)
    told = "\n".join(watch.frame(SESSION_ID, 120, 60))
    assert told.count("none yet") == 3
    assert "not known: no answer" in told


@pytest.mark.parametrize("name", ["status.json", "snapshot.json", "note.json", "compaction.json"])
@pytest.mark.parametrize("content", [
    b"", b"[]", b'{"schema": 2}', b'{"schema": 1, "items": [7, null, {"kind": []}]}',
    b'{"schema": 1, "items": 7, "text": [], "time": "x", "stage": {}, "transcript": 7}'])
def test_broken_files_leave_the_view_standing(home: Path, name: str, content: bytes) -> None:
    (home / "sessions" / SESSION_ID / name).write_bytes(content)
    assert "compact-keeper" in watch.frame(SESSION_ID, 80, 24)[0]


def test_odd_events_leave_the_view_standing(home: Path) -> None:
    values: tuple[Any, ...] = (None, [], -1, 1e300, "\x1b[2J")
    odd = [{**one, name: value} for one in compaction(900) for name in one for value in values]
    write_lines(home / "events.jsonl", odd)
    lines = watch.frame(SESSION_ID, 80, 60)
    assert not re.search(r"[\x00-\x1f\x7f]", "".join(lines))


@pytest.mark.parametrize(("text", "width", "shown"), [
    ("abc", 2, "ab"), ("日本語", 5, "日本"), ("e\u0301e\u0301e\u0301", 2, "e\u0301e\u0301"),
    ("a\x1b[31mb\nc", 9, "ab c"), ("", 0, ""), ("abc", 0, "")])
def test_lines_are_cut_to_columns(text: str, width: int, shown: str) -> None:
    assert watch.fitted(text, width) == shown


@pytest.mark.parametrize(("moment", "told"), [
    (START - 5, "5 s ago"), (START - 700, "11 min ago"), (START - 90_000, "25 h ago"), (START - 900_000, "10 days ago"),
    (START + 9_000, "not known when"), (None, "not known when"), (float("nan"), "not known when")])
def test_ages_are_told_for_people(moment: object, told: str) -> None:
    assert watch.age_shown(moment, START) == told


def test_without_a_terminal_one_frame_is_printed(home: Path) -> None:
    run = Home(home).run("stats.py", b"", "watch", SESSION_ID)
    assert (run.code, run.stderr) == (0, "")
    assert run.stdout.startswith("compact-keeper  session")
    assert "\x1b" not in run.stdout


# --- a terminal that the test holds ---


class Terminal:
    """stats.py watch on a terminal of its own, which the test reads, types into, resizes and closes."""

    def __init__(self, home: Path, interval: str = "0.2") -> None:
        self.pid, self.handle = pty.fork()
        if not self.pid:
            os.execve(WATCH[0], [*WATCH, interval], {**Home(home).environment(), "TERM": "xterm-256color"})  # noqa: S606
        self.text = ""

    def read_until(self, is_there: Callable[[str], bool]) -> str:
        """What was written so far, once it is as it should be; fails when it does not become so."""
        until = time.monotonic() + PATIENCE
        while not is_there(self.text):
            assert time.monotonic() < until, self.text
            if select.select([self.handle], [], [], 0.1)[0]:
                try:
                    self.text += os.read(self.handle, 1 << 16).decode("utf-8", "replace")
                except OSError:  # the other end is closed
                    break
        return self.text

    def code(self) -> int:
        """The exit code of the process, once it has ended; -9 for one that had to be killed."""
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            ended, status = os.waitpid(self.pid, os.WNOHANG)
            if ended:
                return os.waitstatus_to_exitcode(status)
            time.sleep(0.02)
        os.kill(self.pid, signal.SIGKILL)
        return -9


@pytest.fixture
def terminal(home: Path) -> Iterator[Terminal]:
    """A running view, its first frame shown."""
    running = Terminal(home)
    running.read_until(lambda text: "Last events" in text)
    yield running
    try:
        os.kill(running.pid, signal.SIGKILL)
        os.waitpid(running.pid, 0)
    except (ProcessLookupError, ChildProcessError):
        pass


@pytest.mark.parametrize("end", [
    lambda one: os.write(one.handle, b"q"), lambda one: os.write(one.handle, b"\x03"),
    lambda one: os.write(one.handle, b"\x04"), lambda one: os.kill(one.pid, signal.SIGTERM),
    lambda one: os.kill(one.pid, signal.SIGHUP)], ids=["q", "ctrl-c", "ctrl-d", "sigterm", "sighup"])
def test_it_ends_with_the_terminal_as_it_was(terminal: Terminal, end: Callable[[Terminal], object]) -> None:
    before = termios.tcgetattr(terminal.handle)
    assert not before[3] & termios.ICANON
    end(terminal)
    told = terminal.read_until(lambda text: text.endswith("\033[?25h\033[?1049l"))
    assert told.startswith("\033[?1049h\033[?25l")
    assert terminal.code() == 0
    assert "Traceback" not in told
    assert termios.tcgetattr(terminal.handle)[3] & termios.ICANON


def test_it_ends_when_the_terminal_is_closed(terminal: Terminal) -> None:
    os.close(terminal.handle)
    assert terminal.code() == 0


def test_it_ends_when_a_terminal_that_is_not_its_own_is_closed(home: Path) -> None:
    reading, writing = pty.openpty()
    with subprocess.Popen([*WATCH, "0.2"], stdin=writing, stdout=writing, stderr=subprocess.PIPE,
                          start_new_session=True, env=Home(home).environment()) as process:
        os.close(writing)
        assert b"compact-keeper" in os.read(reading, 1 << 16) + os.read(reading, 1 << 16)
        os.close(reading)
        assert process.communicate(timeout=PATIENCE)[1] == b""
    assert process.returncode == 0


def test_other_keys_change_nothing(terminal: Terminal) -> None:
    os.write(terminal.handle, b"x\x1b[A \x1a")
    frames = terminal.text.count("\033[H")
    terminal.read_until(lambda text: text.count("\033[H") > frames + 2)


def test_a_frame_is_drawn_over_the_one_before_without_clearing_the_screen(terminal: Terminal) -> None:
    told = terminal.read_until(lambda text: text.count("\033[H") > 2)
    assert "\033[2J" not in told
    frames = told.removeprefix("\033[?1049h\033[?25l").split("\033[H")[1:-1]
    assert all(one.endswith("\033[K\033[J") and one.count("\033[K") == one.count("\r\n") + 1 for one in frames)


def test_a_changed_size_is_taken_at_once(home: Path) -> None:
    running = Terminal(home, interval="60")
    fcntl.ioctl(running.handle, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    running.read_until(lambda text: "save" in text)
    fcntl.ioctl(running.handle, termios.TIOCSWINSZ, struct.pack("HHHH", 5, 30, 0, 0))
    told = running.read_until(lambda text: text.endswith("\033[J") and text.rpartition("\033[H")[2].count("\n") == 4)
    assert max(map(len, re.sub(r"\033\[\w", "", told.rpartition("\033[H")[2]).splitlines())) <= 30
    os.write(running.handle, b"q")
    assert running.code() == 0


# --- tmux ---


class Tmux:
    """A tmux server of its own."""

    def __init__(self, folder: Path) -> None:
        self.socket = str(folder / "tmux.sock")

    def run(self, *arguments: str) -> str:
        """What tmux prints."""
        command = ["tmux", "-S", self.socket, "-f", os.devnull, *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True, timeout=PATIENCE).stdout

    def screen(self, is_there: Callable[[str], bool]) -> str:
        """The screen, once it is as it should be."""
        until = time.monotonic() + PATIENCE
        while not is_there(shown := self.run("capture-pane", "-p")):
            assert time.monotonic() < until, shown
            time.sleep(0.05)
        return shown


def test_in_tmux_it_shows_follows_adapts_and_leaves_nothing_behind(home: Path, tmp_path: Path) -> None:
    tmux = Tmux(tmp_path)
    command = f"COMPACT_KEEPER_HOME={shlex.quote(str(home))} {shlex.join([*WATCH, '0.2'])}; echo ended with $?"
    tmux.run("new-session", "-d", "-x", "90", "-y", "30", "sh")
    try:
        tmux.run("send-keys", f"echo before; {command}", "Enter")
        shown = tmux.screen(lambda text: "Last events" in text)
        assert "before" not in shown
        assert len(shown.splitlines()) <= 30
        write_lines(home / "events.jsonl", [{**compaction(9_000)[0], "items": 777}])
        tmux.screen(lambda text: "items 777" in text)
        tmux.run("resize-window", "-x", "40", "-y", "9")
        shown = tmux.screen(lambda text: text.startswith("compact-keeper"))
        assert len(shown.splitlines()) <= 9
        tmux.run("resize-window", "-x", "100", "-y", "30")
        tmux.screen(lambda text: "items 777" in text)
        tmux.run("send-keys", "q")
        shown = tmux.screen(lambda text: "ended with 0" in text)
        assert "before" in shown
        assert "Last events" not in shown
        assert tmux.run("display", "-p", "#{alternate_on} #{cursor_flag}").strip() == "0 1"
    finally:
        tmux.run("kill-server")
