#!/usr/bin/env python3
"""Profile what each hook imports, beside `python3 -IS -c "import json,os,sys,time"`, and print a table.

Usage: imports.py [--runs N]

Each hook runs as hooks.json starts it, on a session of 1 MB that was saved before, with `-X importtime`. Times are the
medians of the modules' own times; what every start imports, and json, os, sys and time need, is left out.

Exits 0. Python 3.9+, standard library only.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from latency import MEGABYTE, PYTHON, SCRIPTS, write_session

EVENTS: dict[str, tuple[str, dict[str, Any]]] = {  # by its name in the table: the script, what the event brings
    "`record_event.py`": ("record_event.py", {
        "hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": {"command": "make"}, "tool_use_id": "t"}),
    "`record_event.py`, `/compact-keeper:pins`": ("record_event.py", {
        "hook_event_name": "UserPromptSubmit", "prompt": "/compact-keeper:pins"}),
    "`save_snapshot.py`": ("save_snapshot.py", {"hook_event_name": "PreCompact", "trigger": "auto"}),
    "`restore_snapshot.py`": ("restore_snapshot.py", {"hook_event_name": "SessionStart", "source": "compact"}),
    "`restore_snapshot.py`, at a prompt": ("restore_snapshot.py", {
        "hook_event_name": "UserPromptSubmit", "prompt": "Go on."}),
    "`audit_summary.py`": ("audit_summary.py", {
        "hook_event_name": "PostCompact", "compact_summary": "The user wants module 7 faster. All tests pass."})}


class Imports(NamedTuple):
    """Names of modules, and the milliseconds that they took."""

    ours: list[str]
    others: list[str]
    ms: float


def modules(command: list[str], given: object, home: Path) -> dict[str, int]:
    """The modules that the process imports, each with its own time in microseconds."""
    done = subprocess.run(
        [*PYTHON, "-X", "importtime", *command], input=json.dumps(given).encode(), capture_output=True, check=True,
        env={**os.environ, "COMPACT_KEEPER_HOME": str(home), "COMPACT_KEEPER_ARCHIVE": "off"})
    found = re.findall(r"import time: +(\d+) \| +\d+ \| +(\S+)", done.stderr.decode())
    return {name: int(microseconds) for microseconds, name in found}


def profile(folder: Path, runs: int) -> dict[str, Imports]:
    """What each hook imports, its times the medians of so many runs."""
    transcript, home = folder / "session.jsonl", folder / "home"
    write_session(transcript, MEGABYTE)
    given = {"session_id": "bench", "transcript_path": str(transcript), "cwd": str(folder)}

    def hook(script: str, event: dict[str, Any]) -> dict[str, int]:
        return modules([str(SCRIPTS / "run_hook.py"), script], {**given, **event}, home)

    floor = modules(["-c", "import json,os,sys,time"], None, home).keys()
    found = {}
    for name, (script, event) in EVENTS.items():
        times = []
        for _ in range(runs):
            hook("save_snapshot.py", {"hook_event_name": "Stop"})  # a new snapshot: each is put back once
            times.append({module: ms for module, ms in hook(script, event).items() if module not in floor})
        ours = [module for module in times[0] if (SCRIPTS / f"{module}.py").exists()]
        found[name] = Imports(sorted(ours), sorted(times[0].keys() - set(ours)),
                              statistics.median(sum(one.values()) for one in times) / 1000)
    return found


def row(name: str, imports: Imports) -> str:
    """The line of the table, but for its time."""
    ours, others = (", ".join(f"`{module}`" for module in names) for names in imports[:2])
    return f"| {name} | {ours} | {others} |"


def main(argv: Sequence[str] | None = None) -> int:
    """0 when the table was printed."""
    parser = argparse.ArgumentParser(description="Profiles what each hook imports.")
    parser.add_argument("--runs", type=int, default=15)
    given = parser.parse_args(argv)
    with tempfile.TemporaryDirectory() as folder:
        found = profile(Path(folder), given.runs)
    print("| hook | files of ours | Python's own, beyond the floor | ms |\n| --- | --- | --- | --- |")
    for name, imports in found.items():
        print(f"{row(name, imports)} {imports.ms:.1f} |")
    print(f"\n{given.runs} runs each, Python {sys.version.split()[0]}, {os.cpu_count()} cores")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
