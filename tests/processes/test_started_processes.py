"""Processes that a script starts: fed, read, ended in time; where there is no posix_spawn (Windows) the same."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from compact_keeper.client import processes
from compact_keeper.client.processes import output_of, run_to_end, script_command, spawn, start_alone
from sessions import at_rest
from waiting import comes

LONG = b"x" * 300_000  # more than a pipe takes


@pytest.fixture(params=["posix_spawn", "subprocess"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "subprocess":
        monkeypatch.delattr(os, "posix_spawn")
        monkeypatch.setattr(subprocess, "_USE_POSIX_SPAWN", False)  # else 3.13's own would miss it
    return str(request.param)


@pytest.fixture(autouse=True)
def _no_handler_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("signal.signal", lambda *_: None)  # the one that ends a hook would end these tests


def python(code: str) -> list[str]:
    return [sys.executable, "-IS", "-c", f"import os, sys, time\n{code}"]


@pytest.mark.rows(14)
@pytest.mark.usefixtures("way")
@pytest.mark.parametrize(("code", "given", "output"), [
    pytest.param("sys.stdout.write(sys.stdin.read())", b"hello\n", b"hello", id="echo"),
    pytest.param("sys.stdout.write(sys.stdin.read())", LONG, LONG, id="long-echo"),
    pytest.param("print(len(sys.stdin.read()))", LONG, b"300000", id="read"),
    pytest.param("print('unread')", LONG, b"unread", id="unread"),
    pytest.param("pass", b"", b"", id="nothing"),
    pytest.param("print('out', flush=True); sys.stderr.write('error'); sys.exit(3)", b"", b"out", id="failed"),
    pytest.param("print('killed', flush=True); os.kill(os.getpid(), 9)", b"", b"killed", id="killed")])
def test_what_comes_out(code: str, given: bytes, output: bytes) -> None:
    assert output_of(python(code), given, 30, 1 << 20) == output


@pytest.mark.usefixtures("way")
def test_its_errors_too_where_they_are_asked_for() -> None:
    code = "print('out', flush=True); sys.stderr.write('error')"
    assert output_of(python(code), b"", 30, 1 << 20, with_errors=True) == b"out\nerror"


def in_time(code: str) -> bytes:
    """What the code prints before its time is up; on a busy machine it is given more of it."""
    return next(filter(None, (output_of(python(code), b"", patience, 1 << 20) for patience in (0.2, 2, 20))), b"")


@pytest.mark.usefixtures("way")
def test_what_came_before_the_time_was_up() -> None:
    assert in_time("print('early', flush=True); time.sleep(600)") == b"early"


@pytest.mark.usefixtures("way")
def test_no_more_than_the_most() -> None:
    assert output_of(python("sys.stdout.write('x' * 100_000)"), b"", 30, 1_000) == b"x" * 1_000


def test_what_is_too_slow_is_ended_with_all_that_it_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STARTED_BY", mark := os.urandom(8).hex())
    started = in_time("child = os.fork()\nchild and print(child, flush=True)\ntime.sleep(600)")
    assert started.isdigit()
    at_rest(f"STARTED_BY={mark}")


def test_to_its_end(way: str, tmp_path: Path) -> None:
    code = f"open({str(tmp_path / 'made')!r}, 'wb').write(sys.stdin.buffer.read())\nprint('nowhere')"
    assert run_to_end(python(code), b"given", 30) == ""
    assert (tmp_path / "made").read_bytes() == b"given"
    assert run_to_end(python("time.sleep(2)"), b"", 0.0) == "it took over 0 s"
    assert way in ("posix_spawn", "subprocess")


def test_one_that_is_not_waited_for(tmp_path: Path) -> None:
    """It is given its input, and holds none of this process's pipes."""
    reading, writing = os.pipe()
    os.set_inheritable(writing, True)
    start_alone(python(f"open({str(tmp_path / 'made')!r}, 'wb').write(sys.stdin.buffer.read())"), b"given")
    os.close(writing)
    os.close(reading)
    made = tmp_path / "made"
    assert comes(lambda: made.exists() and made.read_bytes() == b"given")


def test_where_none_is_started(monkeypatch: pytest.MonkeyPatch) -> None:
    """Too long an input would be waited for; nor is there one on Windows, or where no command is known."""
    started: list[object] = []
    monkeypatch.setattr(processes, "spawn", lambda *given, **_: started.append(given))
    start_alone([], b"")
    start_alone(["python3"], b"x" * (processes.INPUT_MAX_BYTES + 1))
    monkeypatch.delattr(os, "posix_spawn")
    start_alone(["python3"], b"")
    assert started == []


def test_a_command_that_is_none_is_an_oserror() -> None:
    before = len(os.listdir("/proc/self/fd"))
    with pytest.raises(OSError, match="No such file"):
        spawn(["/nowhere/python"], b"", is_alone=True)
    assert len(os.listdir("/proc/self/fd")) == before


@pytest.mark.parametrize(("beside", "words"), [
    ((), []), (("stats.py",), ["{folder}/stats.py", "--json"]),
    (("stats.py", "run_hook.py"), ["{folder}/run_hook.py", "stats.py", "--json"]), (("run_hook.py",), [])])
def test_how_a_script_is_started(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch, beside: tuple[str, ...], words: list[str]) -> None:
    for name in beside:
        (tmp_path / name).touch()
    monkeypatch.setattr(processes, "__file__", str(tmp_path / "answer_prompt.py"))
    start = [sys.executable, "-IS"] if words else []
    assert script_command("stats.py", "--json") == start + [word.format(folder=tmp_path) for word in words]
    monkeypatch.setattr(sys, "executable", "")
    assert script_command("stats.py") == []
