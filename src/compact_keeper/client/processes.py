"""Processes that a script starts: other scripts of ours, whose work it never imports, and a command of the person's."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping, Sequence
from typing import Any

INPUT_MAX_BYTES = 60_000  # what a pipe takes before anybody reads it (64 KB)
PAUSE_SECONDS = 0.002  # between two looks whether a process has ended


def script_command(script: str, *arguments: str) -> list[str]:
    """The words that run a script from beside this one; empty where it is not there, or no Python is known.

    Through run_hook.py where that is there too: a script that is started itself is compiled each time (10 ms and more).
    """
    folder = os.path.dirname(os.path.abspath(__file__))
    runner = os.path.join(folder, "run_hook.py")
    path = os.path.join(folder, script)
    if not sys.executable or not os.path.isfile(path):
        return []
    return [sys.executable, "-IS", *([runner, script] if os.path.isfile(runner) else [path]), *arguments]


def start_alone(command: list[str], given: bytes = b"") -> None:
    """Starts the command with that stdin, in a process group of its own, its output nowhere; nobody waits for it.

    So it goes on when the client ends this script's group. On Windows, or where the input is too long, none is started.
    """
    if command and hasattr(os, "posix_spawn") and len(given) <= INPUT_MAX_BYTES:
        spawn(command, given, is_alone=True)


def run_to_end(command: list[str], given: bytes, patience: float) -> str:
    """Runs the command with that stdin, its output nowhere, for so many seconds; why it did not end, else empty.

    Raises OSError where the system starts no more processes.
    """
    if not hasattr(os, "posix_spawn"):  # Windows
        return "" if output_by_subprocess(command, given, patience)[1] else f"it took over {patience:.0f} s"
    process = spawn(command, given, is_alone=False)
    until = time.monotonic() + patience
    try:
        while os.waitpid(process, os.WNOHANG) == (0, 0):
            if time.monotonic() > until:
                return f"it took over {patience:.0f} s"
            time.sleep(PAUSE_SECONDS)
    except ChildProcessError:  # who started this script ignores the ends of processes
        pass
    return ""


def spawn(command: list[str], given: bytes, is_alone: bool) -> int:
    """The process of the command, with that stdin and its output nowhere."""
    source, into = os.pipe()
    try:
        os.write(into, given)  # first: so no process is ever started whose input does not come
        os.close(into)
        nowhere = [(os.POSIX_SPAWN_OPEN, stream, os.devnull, os.O_WRONLY, 0) for stream in (1, 2)]
        files = [(os.POSIX_SPAWN_DUP2, source, 0), *nowhere]
        if is_alone:
            return os.posix_spawn(command[0], command, os.environ, file_actions=files, setpgroup=0)
        return os.posix_spawn(command[0], command, os.environ, file_actions=files)
    finally:
        os.close(source)


def output_of(command: list[str], given: bytes, patience: float, most: int, with_errors: bool = False) -> bytes:
    """What the command prints for this stdin, without the line's end: what came within so many seconds and bytes.

    With `with_errors` what it prints on stderr too.
    """
    if not hasattr(os, "posix_spawn"):  # Windows
        return output_by_subprocess(command, given, patience, with_errors)[0][:most].rstrip(b"\r\n")
    import signal
    source, into = os.pipe()
    out, sink = os.pipe()
    files = streams(source, sink, with_errors)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())  # so 2.1.329 ends a run: the command is to end with it
    process = os.posix_spawn(command[0], command, os.environ, file_actions=files, setpgroup=0,
                             setsigdef=[signal.SIGPIPE])
    os.close(source)
    os.close(sink)
    output = b""
    has_ended = False
    try:
        output, has_ended = exchange(into, given, out, patience, most)
    finally:
        os.close(out)
        if not has_ended:
            os.killpg(process, signal.SIGKILL)  # not waited for, so there is such a group
    return output.rstrip(b"\r\n")


def streams(source: int, sink: int, with_errors: bool = False) -> list[tuple[int, ...]]:
    """How a process gets its stdin from one pipe and prints into the other; its errors there too, or nowhere."""
    errors: Any = (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0)
    if with_errors:
        errors = (os.POSIX_SPAWN_DUP2, sink, 2)
    return [(os.POSIX_SPAWN_DUP2, source, 0), (os.POSIX_SPAWN_DUP2, sink, 1), errors]


def exchange(into: int, given: bytes, out: int, patience: float, most: int) -> tuple[bytes, bool]:
    """What comes out of one pipe while `given` goes into the other, and whether it came to its end."""
    import select
    os.set_blocking(into, False)
    until = time.monotonic() + patience
    output = b""
    try:
        while (left := until - time.monotonic()) > 0 and len(output) < most:
            readable, writable, _ = select.select([out], [into] if into >= 0 else [], [], left)
            if writable:
                given = feed(into, given)
                if not given:
                    os.close(into)
                    into = -1
            if readable:
                chunk = os.read(out, most)
                if not chunk:
                    return output, True
                output += chunk
        return output[:most], False
    finally:
        if into >= 0:
            os.close(into)


def outputs_of(commands: Sequence[list[str]], environment: Mapping[str, str], given: bytes, until: float,
               most: int) -> list[bytes | None]:
    """What each of the commands prints, run at once with this environment and stdin, stderr nowhere.

    At most `most` bytes; of so many there may be more. None where the command failed, or had not ended by `until`
    (of time.monotonic): what runs on then is killed. On Windows none is started.
    """
    if not hasattr(os, "posix_spawn"):
        return [None] * len(commands)
    import signal
    # Ended by a signal, this process is to end them first; and only by default are they left to be waited for.
    before = {signal.SIGTERM: signal.signal(signal.SIGTERM, lambda *_: sys.exit()),
              signal.SIGCHLD: signal.signal(signal.SIGCHLD, signal.SIG_DFL)}
    processes: list[int] = []  # by the number of their command; 0 once it has come to its end
    outs: dict[int, int] = {}  # from what to read to the command's number
    try:
        for number, command in enumerate(commands):
            process, out = spawn_with_output(command, environment, given)
            processes.append(process)
            outs[out] = number
        outputs = read_all(outs, until, most)
        return [output if output is not None and (len(output) >= most or wait_for(processes, number, until)) else None
                for number, output in enumerate(outputs)]
    except (OSError, ValueError):  # the system starts no more processes; a NUL byte in a word
        return [None] * len(commands)
    finally:
        for out in outs:
            os.close(out)
        for process in filter(None, processes):
            os.kill(process, signal.SIGKILL)  # not waited for, so there is such a process
            os.waitpid(process, 0)
        for number_of_signal, handler in before.items():
            signal.signal(number_of_signal, handler or signal.SIG_DFL)


def spawn_with_output(command: list[str], environment: Mapping[str, str], given: bytes) -> tuple[int, int]:
    """The command's process, in this one's group, and from where its output can be read."""
    import signal
    source, into = os.pipe()
    out, sink = os.pipe()
    try:
        os.write(into, given[:INPUT_MAX_BYTES])
        os.close(into)
        return os.posix_spawn(command[0], command, environment, file_actions=streams(source, sink),
                              setsigdef=[signal.SIGPIPE]), out
    except (OSError, ValueError):
        os.close(out)
        raise
    finally:
        os.close(source)
        os.close(sink)


def read_all(outs: Mapping[int, int], until: float, most: int) -> list[bytes | None]:
    """What comes out of the pipes until they end, at most so many bytes of each; None of one that did not end."""
    import select
    outputs: list[bytes | None] = [None] * len(outs)
    so_far = dict.fromkeys(outs, b"")
    while so_far and (left := until - time.monotonic()) > 0:
        for out in select.select([*so_far], [], [], left)[0]:
            chunk = os.read(out, most)
            so_far[out] = (so_far[out] + chunk)[:most]
            if not chunk or len(so_far[out]) == most:
                outputs[outs[out]] = so_far.pop(out)
    return outputs


def wait_for(processes: list[int], number: int, until: float) -> bool:
    """Waits for the process until then; whether it ended with exit code 0. Of one that ended the number becomes 0."""
    while True:
        process, status = os.waitpid(processes[number], os.WNOHANG)
        if process:
            processes[number] = 0
            return status == 0
        if time.monotonic() >= until:
            return False
        time.sleep(PAUSE_SECONDS / 4)


def feed(into: int, given: bytes) -> bytes:
    """What is left of the bytes when the pipe is full again; nothing when nobody reads them."""
    try:
        return given[os.write(into, given):]
    except BrokenPipeError:
        return b""


def output_by_subprocess(command: list[str], given: bytes, patience: float,
                         with_errors: bool = False) -> tuple[bytes, bool]:
    """The same where there is no posix_spawn, and whether it came to its end; importing subprocess takes 8 ms."""
    import subprocess
    try:
        ended = subprocess.run(command, input=given, stdout=subprocess.PIPE, timeout=patience, check=False,
                               stderr=subprocess.STDOUT if with_errors else subprocess.DEVNULL)
    except subprocess.TimeoutExpired as late:
        return late.stdout or b"", False
    return ended.stdout, True
