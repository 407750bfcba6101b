"""Whether background jobs still run, asked of real processes; on Linux, which alone tells command lines in /proc."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from compact_keeper.machine import running_processes
from compact_keeper.machine.running_processes import running, shells
from compact_keeper.types import Item
from entries import job_item
from waiting import comes

SOURCES = Path(running_processes.__file__).parents[2]
RUN = ("sleep 61.{0} && echo 'it''s over'", 'sleep 61.{0} | cat > "/dev"/nul\\l', "sleep 61.{0}; echo \"a 'b' \\$c\"")


def jobs_of(*items: Item) -> dict[str, bool]:
    """Whether these jobs run, by their keys, however long that takes."""
    return running(shells(items, 40), time.monotonic() + 60)


def as_the_client_runs(command: str) -> list[str]:
    """The argument list with which clients 2.1.76 to 2.1.329 start a command."""
    quoted = command.replace("'", "'\"'\"'")
    return ["bash", "-c", f"shopt -u extglob 2>/dev/null || true && eval '{quoted}' < /dev/null && pwd -P >| /dev/null"]


def gone(process: subprocess.Popen[bytes]) -> None:
    """Ends the process and what it started."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


@pytest.fixture
def start() -> Iterator[Callable[[list[str]], subprocess.Popen[bytes]]]:
    """Starts processes, each as the head of a group, which ends with the test."""
    started: list[subprocess.Popen[bytes]] = []

    def begin(arguments: list[str]) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(arguments, start_new_session=True, stdout=subprocess.DEVNULL)
        started.append(process)
        command_line, program = Path(f"/proc/{process.pid}/cmdline"), arguments[0].encode()
        assert comes(lambda: command_line.read_bytes().startswith(program))  # the system puts it there in its own time
        return process
    yield begin
    for process in started:
        gone(process)


Start = Callable[[list[str]], "subprocess.Popen[bytes]"]


@pytest.mark.parametrize("number", range(len(RUN)))
def test_a_job_is_there_until_its_process_ends(start: Start, number: int) -> None:
    command = RUN[number].format(os.getpid())
    process = start(as_the_client_runs(command))
    other = job_item(f"sleep 62.{os.getpid()}", "b2")
    assert jobs_of(job_item(command), other) == {"b1": True, "b2": False}
    gone(process)
    assert comes(lambda: jobs_of(job_item(command), other) == {"b1": False, "b2": False})


@pytest.mark.parametrize("text", [
    "API_KEY=[redacted: password] sleep 61.{0} && true", "sleep 61.{0} && tr…", "  sleep\n61.{0}  && true ",
    "sleep 61.{0} < /dev/null && true", "sleep 61.{0} ⏎ && true"])
def test_a_command_that_was_stored_with_losses_is_found(start: Start, text: str) -> None:
    start(as_the_client_runs(f"API_KEY=abcdefgh sleep 61.{os.getpid()} && true"))
    assert jobs_of(job_item(text.format(os.getpid()))) == {"b1": True}


def test_what_a_shell_left_running_is_found(start: Start) -> None:
    start(["sleep", f"61.{os.getpid()}"])
    assert jobs_of(job_item(f"sleep 61.{os.getpid()} &")) == {"b1": True}


@pytest.mark.parametrize("more", [
    {"tool": "Task"}, {"tool": ""}, {"tool": "PowerShell"}, {"status": "ended"}, {"kind": "command"}, {"text": "ls -l"},
    {"text": ""}, {"text": "[redacted: token]…"}])
def test_what_has_no_process_of_its_own_is_not_told(more: Any) -> None:
    job: Any = {**job_item("sleep 61.5"), **more}
    assert jobs_of(job) == {}


def test_a_job_without_its_tool_is_not_told() -> None:
    job = job_item("sleep 61.5")
    del job["tool"]
    assert jobs_of(job) == {}


def test_this_process_and_its_parents_do_not_count() -> None:
    job = job_item("serve --port 61")
    program = ("import sys, time; sys.path.insert(0, sys.argv[1])\n"
               "from compact_keeper.machine.running_processes import running, shells\n"
               f"print(running(shells([{job}], 1), time.monotonic() + 60))")
    printed = subprocess.run(["sh", "-c", '"$0" -c "$1" "$2" "$3"; true', sys.executable, program, str(SOURCES),
                              "serve --port 61"], capture_output=True, text=True, check=True).stdout
    assert printed == "{'b1': False}\n"


def test_another_users_process_does_not_count(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    command = f"sleep 61.{os.getpid()} && true"
    start(as_the_client_runs(command))
    monkeypatch.setattr(os, "geteuid", lambda: 54_321)
    assert jobs_of(job_item(command)) == {"b1": False}


def test_a_machine_without_proc_tells_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running_processes, "beginning", lambda *_: b"")
    monkeypatch.setattr(os, "scandir", None)
    assert jobs_of(job_item("sleep 61.5")) == {}


def test_no_job_reads_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "scandir", None)
    assert jobs_of(job_item("look into it", tool="Task")) == {}
