"""The Python that the hooks get: which one the commands find in PATH, what it lacks, what starts it."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import time
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from compact_keeper.setup.finding import Finding
from compact_keeper.setup.installed import BY_RUN, Hook
from compact_keeper.text.quotation import quote

OLDEST_PYTHON = (3, 9)
STAND_IN_SECONDS = 0.015  # that a version manager's stand-in for Python may add to each start
INTERPRETER_MAX_SECONDS = 20
WRITTEN = re.compile(r"(?:^|[\s(;])(python[\w.]*)\s")  # an interpreter in a command that somebody wrote by hand
TRIED_BY_RUN = ("python3", "python")  # by hooks/run, in this order
NOT_THERE = (49, 126, 127)  # exit codes of the shell, and of Windows' stub, for an interpreter that is not there
PROBE = """
import sys
try:
    import sqlite3
    sqlite3.connect(":memory:").execute("create virtual table t using fts5(x)")
    fts5 = 1
except Exception:
    fts5 = 0
tag = getattr(getattr(sys, "implementation", None), "cache_tag", None)
print("%d %d %d %s %s" % (sys.version_info[0], sys.version_info[1], fts5, tag, sys.executable))
"""


class Python(NamedTuple):
    """What an interpreter tells of itself."""

    name: str
    path: str
    version: tuple[int, int]
    fts5: bool
    cache_tag: str

    def written_version(self) -> str:
        """The version as people write it."""
        return ".".join(map(str, self.version))


def python_of(hooks: Sequence[Hook]) -> tuple[Python | None, list[Finding]]:
    """The interpreter that the commands get, None when there is none that serves; what is to be said of each tried."""
    findings: list[Finding] = []
    for name in interpreters(hooks):
        done = subprocess.run(["sh", "-c", f"exec {name} -IS -c {shlex.quote(PROBE)}"], capture_output=True, text=True,
                              errors="replace", timeout=INTERPRETER_MAX_SECONDS)
        python = answered(name, done.stdout) if done.returncode == 0 else None
        if python and python.version >= OLDEST_PYTHON:
            passed = [finding._replace(level="note", to_do=f"Nothing: the hooks take {name}.") for finding in findings]
            return python, [*passed, Finding("ok", f"{name} is Python {python.written_version()}, {python.path}")]
        why = f"is Python {python.written_version()}" if python else (
            quote(done.stderr, 200) or f"ended with exit code {done.returncode}")
        findings.append(Finding("fix", f"{name} ({shutil.which(name) or 'not in PATH'}): {why}",
                                "Put Python 3.9 or newer first in the PATH of the shell that starts the client."))
        if done.returncode not in NOT_THERE:  # the commands try no other then
            break
    return None, findings or [Finding("note", "the commands of the hooks name no Python that could be asked",
                                      "So it is not told which one they get.")]


def interpreters(hooks: Sequence[Hook]) -> list[str]:
    """The names under which the hooks look for Python, each once."""
    commands = "\n".join(hook.command for hook in hooks)
    by_run = TRIED_BY_RUN if re.search(BY_RUN, commands) else ()
    return list(dict.fromkeys([*WRITTEN.findall(commands), *by_run]))


def answered(name: str, answer: str) -> Python | None:
    """What the interpreter told; None when that is something else."""
    fields = re.match(r"(\d+) (\d+) (\d) (\S+) (.+)", answer)
    if not fields:
        return None
    return Python(name, fields[5], (int(fields[1]), int(fields[2])), fields[3] == "1", fields[4])


def start_seconds(name: str) -> float:
    """The seconds that the interpreter of this name or path takes to start."""
    begun = time.perf_counter()
    subprocess.run(["sh", "-c", f"{shlex.quote(name)} -IS -c pass"], timeout=INTERPRETER_MAX_SECONDS, check=False)
    return time.perf_counter() - begun


def python_findings(python: Python, folder: str) -> Iterator[Finding]:
    """What the interpreter lacks; whether it can keep the bytecode of the scripts in this folder; what starts it."""
    yield Finding("ok", "SQLite has FTS5") if python.fts5 else Finding(
        "note", f"the SQLite of {python.path} has no FTS5, which the archive needs: nothing is put into it or found",
        "Where you use recall, put a Python whose SQLite has FTS5 first in PATH.")
    if folder:
        cache = os.path.join(folder, "__pycache__")
        is_kept = os.path.exists(os.path.join(cache, f"save_snapshot.{python.cache_tag}.pyc"))
        yield Finding("ok", "bytecode of the scripts is kept") if is_kept else Finding(
            "note", f"Python keeps no bytecode in {cache}: each start compiles anew, 10 to 60 ms",
            f"Make the folder writable: chmod u+w {shlex.quote(folder)}")
    first = shutil.which(python.name)
    if first not in (None, python.path):
        whole, itself = (min(start_seconds(name) for _ in range(3)) for name in (python.name, python.path))
        if whole - itself > STAND_IN_SECONDS:
            yield Finding("note", f"{first} takes {(whole - itself) * 1000:.0f} ms each time to find {python.path}",
                          f"Put {os.path.dirname(python.path)} before it in PATH.")
