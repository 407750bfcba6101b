#!/usr/bin/env python3
"""Measure each hook as a whole process, beside the interpreter's own start, and print a table.

Usage: latency.py [--runs N] [--large MEGABYTES]

Sessions are generated (seeded), 4 MB and by default 256 MB long. All rows of a round run one after the other, then
the next round, so that a slow moment of the machine meets all alike; the table has medians, and their ratio to a floor
measured in the same rounds: "import" is `python3 -IS -c "import json,os,sys,time"`, "parse" is a loop that json-parses
the 4 MB transcript line by line. Peak memory is the process's own, as the system counts it.

Exits 0. Python 3.9+, standard library only; the hooks run with the interpreter that runs this.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
PYTHON = [os.path.realpath(sys.executable) if sys.prefix == sys.base_prefix else sys.executable, "-IS"]
MEGABYTE = 1 << 20


class Run(NamedTuple):
    """One process: wall time in milliseconds, peak memory in MiB."""

    ms: float
    peak: float


class Row(NamedTuple):
    """A line of the table: what is measured, its floor, how to bring the disk into its state, the process."""

    name: str
    floor: str
    prepare: Callable[[], None]
    start: Callable[[], Run]


def records(seed: int) -> Iterator[dict[str, Any]]:
    """An endless session: prompts, words of the assistant, reads, edits, commands that pass and fail."""
    rng = random.Random(seed)
    for number in itertools.count(1):
        moment = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(1_767_225_600 + number * 9))
        line = {"parentUuid": "p", "cwd": "/home/user/app", "gitBranch": "main", "timestamp": moment}
        if number % 120 == 1:
            text = f"Never touch file {number} by hand. Please make the parser of module {number} faster."
            yield {**line, "type": "user", "message": {"role": "user", "content": text}, "uuid": f"u{number}"}
        words = {"type": "text", "text": f"I look at module {number} now. " * rng.randrange(1, 12)}
        for block in (words, {"type": "tool_use", "id": f"toolu_{number}", **some_call(rng)}):
            message = {"id": f"msg_{number}", "role": "assistant", "content": [block]}
            yield {**line, "message": message, "type": "assistant", "uuid": f"a{number}{block['type']}"}
        failed = rng.random() < 0.1
        source = "def parse():\n    pass\n" * rng.randrange(10, 400)
        output = "Exit code 1\nE   AssertionError: 3 != 4" if failed else source
        result = {"tool_use_id": f"toolu_{number}", "type": "tool_result", "content": output, "is_error": failed}
        message = {"role": "user", "content": [result]}
        yield {**line, "type": "user", "message": message, "uuid": f"r{number}", "toolUseResult": {"stdout": output}}


def some_call(rng: random.Random) -> dict[str, Any]:
    """Name and input of a tool call: a read, an edit or a test run."""
    path = f"/home/user/app/src/module_{rng.randrange(60)}.py"
    calls: list[tuple[str, dict[str, Any]]] = [
        ("Read", {"file_path": path}),
        ("Edit", {"file_path": path, "old_string": "a" * 300, "new_string": "b" * 300}),
        ("Bash", {"command": f"pytest -q tests/test_module_{rng.randrange(60)}.py", "description": "Run tests"})]
    name, asked = rng.choice(calls)
    return {"name": name, "input": asked}


def write_session(path: Path, size: int) -> None:
    """Writes a transcript of about `size` bytes."""
    with path.open("w", encoding="utf-8") as file:
        for record in records(seed=1):
            file.write(json.dumps(record, separators=(",", ":")) + "\n")
            if file.tell() >= size:
                return


def timed(command: list[str], given: dict[str, Any], home: Path, more: dict[str, str] | None = None) -> Run:
    """Runs the process with the JSON on stdin and waits for it."""
    environment = {**os.environ, "COMPACT_KEEPER_HOME": str(home), "COMPACT_KEEPER_ARCHIVE": "off", **(more or {})}
    started = time.perf_counter()
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, env=environment)
    assert process.stdin
    process.stdin.write(json.dumps(given).encode())
    process.stdin.close()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"latency.py: {command} ended with {process.returncode}")
    return Run((time.perf_counter() - started) * 1000, usage.ru_maxrss / 1024)


def rows(folder: Path, large: int) -> list[Row]:
    """The table's lines; each brings the data folder into the state that it measures."""
    home, small, huge = folder / "home", folder / "small.jsonl", folder / "large.jsonl"
    write_session(small, 4 * MEGABYTE)
    write_session(huge, large * MEGABYTE)
    parse = f"import json\nfor line in open({str(small)!r}, 'rb'): json.loads(line)"
    command = {"command": "make test 2>&1 | tail -5"}
    tool: dict[str, Any] = {"tool_name": "Bash", "tool_input": command, "tool_use_id": "t", "duration_ms": 9}

    def hook(script: str, event: str, transcript: Path = small, **more: Any) -> Callable[[], Run]:
        given = {"session_id": "bench", "transcript_path": str(transcript), "cwd": str(folder), **more}
        return lambda: timed([*PYTHON, str(SCRIPTS / "run_hook.py"), script], {**given, "hook_event_name": event}, home)

    def clear() -> None:
        shutil.rmtree(home, ignore_errors=True)

    def saved(transcript: Path = small) -> Callable[[], None]:
        def prepare() -> None:
            clear()
            hook("save_snapshot.py", "Stop", transcript)()
        return prepare

    save, restore = "save_snapshot.py", "restore_snapshot.py"
    beginning = small.with_name("first.jsonl")  # 64 KB: the process that feeds the archive ends soon
    with small.open("rb") as lines:  # not read whole: a child's peak memory counts from what this process holds
        beginning.write_bytes(b"".join(itertools.islice(lines, 40)))
    feeding = {"session_id": "bench", "transcript_path": str(beginning), "cwd": str(folder), "hook_event_name": "Stop"}
    stop = [*PYTHON, str(SCRIPTS / "run_hook.py"), save]
    return [
        Row("import floor", "", clear, lambda: timed([*PYTHON, "-c", "import json,os,sys,time"], {}, home)),
        Row("parse floor, 4 MB", "", clear, lambda: timed([*PYTHON, "-c", parse], {}, home)),
        Row("record_event.py", "import floor", saved(), hook("record_event.py", "PostToolUse", **tool)),
        Row(f"{save}, first save, 4 MB", "parse floor, 4 MB", clear, hook(save, "PreCompact")),
        Row(f"{save}, after a Stop save, 4 MB", "import floor", saved(), hook(save, "PreCompact")),
        Row(f"{save}, first save, {large} MB", "parse floor, 4 MB", clear, hook(save, "PreCompact", huge)),
        Row(f"{save}, after a Stop save, {large} MB", "import floor", saved(huge), hook(save, "PreCompact", huge)),
        Row(f"{save}, a Stop that feeds nothing", "import floor", saved(beginning), lambda: timed(stop, feeding, home)),
        Row(f"{save}, a Stop that feeds the archive", "import floor", saved(beginning),
            lambda: timed(stop, feeding, home, {"COMPACT_KEEPER_ARCHIVE": ""})),
        Row(restore, "import floor", saved(), hook(restore, "SessionStart", source="compact")),
        Row(f"{restore}, at a prompt", "import floor", saved(), hook(restore, "UserPromptSubmit")),
    ]


def measure(table: list[Row], runs: int) -> dict[str, list[Run]]:
    """The runs of each row, interleaved."""
    found: dict[str, list[Run]] = {row.name: [] for row in table}
    for _ in range(runs):
        for row in table:
            row.prepare()
            found[row.name].append(row.start())
    return found


def report(table: list[Row], found: dict[str, list[Run]]) -> str:
    """The table in Markdown: medians in milliseconds, the ratio to the floor, peak memory."""
    middle = {name: statistics.median(run.ms for run in runs) for name, runs in found.items()}
    lines = ["| process | median ms | times its floor | peak MiB |", "| --- | --- | --- | --- |"]
    for row in table:
        ratio = f"{middle[row.name] / middle[row.floor]:.2f} × {row.floor}" if row.floor else ""
        peak = max(run.peak for run in found[row.name])
        lines.append(f"| {row.name} | {middle[row.name]:.0f} | {ratio} | {peak:.0f} |")
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None) -> int:
    """0 when the table was printed."""
    parser = argparse.ArgumentParser(description="Measures the hooks as whole processes.")
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--large", type=int, default=256, metavar="MEGABYTES")
    given = parser.parse_args(argv)
    with tempfile.TemporaryDirectory() as folder:
        table = rows(Path(folder), given.large)
        print(report(table, measure(table, given.runs)))
    print(f"\n{given.runs} interleaved runs each, Python {sys.version.split()[0]}, {os.cpu_count()} cores")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
