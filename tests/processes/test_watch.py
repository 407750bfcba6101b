"""The live view in a real terminal (tmux too): shown, resized, ended, closed."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import shlex
import signal
import struct
import subprocess
import sys
import termios
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from sessions import SCRIPTS, SESSION_ID, Home, Session
from stats_home import compaction, make_home, write_lines
from waiting import comes

PATIENCE = 30.0  # seconds, of processes that are waited for till they end
WATCH = [sys.executable, "-IS", str(SCRIPTS / "run_hook.py"), "stats.py", "watch", SESSION_ID, "--interval"]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A data folder with a session."""
    return make_home(tmp_path / "home")


def test_without_a_terminal_one_frame_is_printed(home: Path) -> None:
    run = Home(home).run("stats.py", b"", "watch", SESSION_ID)
    assert (run.code, run.stderr) == (0, "")
    assert run.stdout.startswith("compact-keeper  parcel-rates  session")
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
        assert comes(lambda: is_there(self.text) or is_there(self.read())), self.text
        return self.text

    def read(self) -> str:
        """What was written so far."""
        if select.select([self.handle], [], [], 0)[0]:
            with suppress(OSError):  # the other end is closed
                self.text += os.read(self.handle, 1 << 16).decode("utf-8", "replace")
        return self.text

    def code(self) -> int:
        """The exit code of the process, once it has ended; -9 for one that had to be killed."""
        ended = 0, 0

        def has_ended() -> bool:
            nonlocal ended
            ended = os.waitpid(self.pid, os.WNOHANG)
            return ended[0] == self.pid

        if comes(has_ended):
            return os.waitstatus_to_exitcode(ended[1])
        os.kill(self.pid, signal.SIGKILL)
        return -9


@pytest.fixture
def terminal(home: Path) -> Iterator[Terminal]:
    """A running view, its first frame shown."""
    running = Terminal(home)
    running.read_until(lambda text: "Hooks, ms" in text)
    yield running
    try:
        os.kill(running.pid, signal.SIGKILL)
        os.waitpid(running.pid, 0)
    except (ProcessLookupError, ChildProcessError):
        pass


@pytest.mark.parametrize("end", [
    lambda view: os.write(view.handle, b"q"), lambda view: os.write(view.handle, b"\x03"),
    lambda view: os.write(view.handle, b"\x04"), lambda view: os.kill(view.pid, signal.SIGTERM),
    lambda view: os.kill(view.pid, signal.SIGHUP)], ids=["q", "ctrl-c", "ctrl-d", "sigterm", "sighup"])
def test_it_ends_with_the_terminal_as_it_was(terminal: Terminal, end: Callable[[Terminal], object]) -> None:
    before = termios.tcgetattr(terminal.handle)
    assert not before[3] & termios.ICANON
    end(terminal)
    shown = terminal.read_until(lambda text: text.endswith("\033[?25h\033[?1049l"))
    assert shown.startswith("\033[?1049h\033[?25l")
    assert terminal.code() == 0
    assert "Traceback" not in shown
    assert termios.tcgetattr(terminal.handle)[3] & termios.ICANON


def test_it_ends_when_the_terminal_is_closed(terminal: Terminal) -> None:
    os.close(terminal.handle)
    assert terminal.code() == 0


def test_it_ends_when_a_terminal_that_is_not_its_own_is_closed(home: Path) -> None:
    reading, writing = pty.openpty()
    with subprocess.Popen([*WATCH, "0.2"], stdin=writing, stdout=writing, stderr=subprocess.PIPE,
                          start_new_session=True, env=Home(home).environment()) as process:
        os.close(writing)
        shown = b""
        while b"compact-keeper" not in shown:
            shown += os.read(reading, 1 << 16)
        os.close(reading)
        assert process.communicate(timeout=PATIENCE)[1] == b""
    assert process.returncode == 0


def test_other_keys_change_nothing(terminal: Terminal) -> None:
    os.write(terminal.handle, b"x\x1b[A \x1a")
    frames = terminal.text.count("\033[H")
    terminal.read_until(lambda text: text.count("\033[H") > frames + 2)


def test_a_frame_is_drawn_over_the_one_before_without_clearing_the_screen(terminal: Terminal) -> None:
    shown = terminal.read_until(lambda text: text.count("\033[H") > 2)
    assert "\033[2J" not in shown
    frames = shown.removeprefix("\033[?1049h\033[?25l").split("\033[H")[1:-1]
    assert all(frame.endswith("\033[K\033[J") and frame.count("\033[K") == frame.count("\r\n") + 1 for frame in frames)


def test_a_changed_size_is_taken_at_once(home: Path) -> None:
    running = Terminal(home, interval="60")
    fcntl.ioctl(running.handle, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    running.read_until(lambda text: "Compactions" in text)
    fcntl.ioctl(running.handle, termios.TIOCSWINSZ, struct.pack("HHHH", 5, 30, 0, 0))
    shown = running.read_until(lambda text: text.endswith("\033[J") and text.rpartition("\033[H")[2].count("\n") == 4)
    assert max(map(len, re.sub(r"\033\[[\d;]*\w", "", shown.rpartition("\033[H")[2]).splitlines())) <= 30
    os.write(running.handle, b"q")
    assert running.code() == 0


# --- tmux ---


class Tmux:
    """A tmux server of its own."""

    def __init__(self, folder: Path) -> None:
        self.socket, self.shown = str(folder / "tmux.sock"), ""

    def run(self, *arguments: str) -> str:
        """What tmux prints."""
        command = ["tmux", "-S", self.socket, "-f", os.devnull, *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True, timeout=PATIENCE).stdout

    def screen(self, is_there: Callable[[str], bool]) -> str:
        """The screen, once it is as it should be."""
        def shows() -> bool:
            self.shown = self.run("capture-pane", "-p")
            return is_there(self.shown)

        assert comes(shows), self.shown
        return self.shown


def test_in_tmux_it_shows_follows_adapts_and_leaves_nothing_behind(home: Path, tmp_path: Path) -> None:
    tmux = Tmux(tmp_path)
    command = f"COMPACT_KEEPER_HOME={shlex.quote(str(home))} {shlex.join([*WATCH, '0.2'])}; echo ended with $?"
    tmux.run("new-session", "-d", "-x", "90", "-y", "30", "sh")
    try:
        tmux.run("send-keys", f"echo at first; {command}", "Enter")
        shown = tmux.screen(lambda text: "Hooks, ms" in text)
        assert "at first" not in shown
        assert len(shown.splitlines()) <= 30
        write_lines(home / "events.jsonl", [{**event, "units": 777} for event in compaction(9_000)])
        tmux.screen(lambda text: "put back 777 characters" in text)
        tmux.run("resize-window", "-x", "40", "-y", "9")
        shown = tmux.screen(lambda text: text.startswith("compact-keeper"))
        assert len(shown.splitlines()) <= 9
        tmux.run("resize-window", "-x", "100", "-y", "30")
        tmux.screen(lambda text: "put back 777 characters" in text)
        tmux.run("send-keys", "q")
        shown = tmux.screen(lambda text: "ended with 0" in text)
        assert "at first" in shown
        assert "Hooks, ms" not in shown
        assert tmux.run("display", "-p", "#{alternate_on} #{cursor_flag}").strip() == "0 1"
    finally:
        tmux.run("kill-server")


# --- what would come back ---


def test_one_frame_has_what_would_come_back(tmp_path: Path) -> None:
    """The text is that of the scripts beside it; a session that says nothing yet has none."""
    home, session = Home(tmp_path / "home"), Session()
    transcript = session.write(tmp_path / f"{SESSION_ID}.jsonl")
    session.typed("Never touch the legacy table. Fix the rates.")
    session.says("On it.")
    home.save(session.write(transcript), "Stop")
    shown = home.run("stats.py", b"", "watch", SESSION_ID).stdout
    assert "Never touch the legacy table." in shown
    assert "of 28,500 characters, if the session were compacted now" in shown
    assert "\nHooks, ms" in shown
