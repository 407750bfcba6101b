#!/usr/bin/env python3
"""Profile what each script imports, beside `python3 -IS -c "import json,os,sys,time"`, and print a table.

Usage: imports.py [--runs N]

Each script runs through run_hook.py, as hooks.json starts it, on a session of 1 MB that was saved before, with
`-X importtime`. Told are the names beyond what every start imports and json, os, sys and time need, and the least that
these modules' own times came to in a run: the script's own file, its bytecode kept, and Python's.

Exits 0. Python 3.9+, standard library only.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from latency import MEGABYTE, write_session
from shipped import PYTHON, SCRIPTS, hook_environment


class Start(NamedTuple):
    """How a script is started: its name, its arguments, what the event brings."""

    script: str
    arguments: Sequence[str]
    event: dict[str, Any]


HOOKS = {  # by the name in the table
    "`record_event.py`": Start("record_event", (), {
        "hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": {"command": "make"}, "tool_use_id": "t"}),
    "`answer_prompt.py`": Start("answer_prompt", (), {"hook_event_name": "UserPromptSubmit", "prompt": "Go on."}),
    "`save_snapshot.py`": Start("save_snapshot", (), {"hook_event_name": "PreCompact", "trigger": "auto"}),
    "`restore_snapshot.py`": Start("restore_snapshot", (), {"hook_event_name": "SessionStart", "source": "compact"}),
    "`audit_summary.py`": Start("audit_summary", (), {
        "hook_event_name": "PostCompact", "compact_summary": "The user wants module 7 faster. All tests pass."}),
    "`status_line.py`": Start("status_line", (), {
        "context_window": {"context_window_size": 200_000, "current_usage": {"input_tokens": 20_000}}})}
ASKED_FOR = {  # a person or the model waits for these, and they may take their time
    "`answer_prompt.py`, `/compact-keeper:stats`": Start("answer_prompt", (), {
        "hook_event_name": "UserPromptSubmit", "prompt": "/compact-keeper:stats"}),
    "`recall.py search`": Start("recall", ("search", "parser"), {}),
    "`stats.py`": Start("stats", (), {}),
    "`install.py status`": Start("install", ("status",), {})}


class Imports(NamedTuple):
    """Names of Python's own modules, and the milliseconds that they and the script took to import."""

    modules: list[str]
    ms: float


def modules(command: Sequence[str], given: object, home: Path) -> dict[str, int]:
    """The modules that the process imports, each with its own time in microseconds."""
    done = subprocess.run(
        [*PYTHON, "-X", "importtime", *command], input=json.dumps(given).encode(), capture_output=True,
        env={**os.environ, **hook_environment(home)})
    times = re.findall(r"import time: +(\d+) \| +\d+ \| +(\S+)", done.stderr.decode())
    return {name: int(microseconds) for microseconds, name in times}


def profile(folder: Path, runs: int) -> dict[str, Imports]:
    """What each script imports, and the least time of so many runs."""
    transcript, home = folder / "session.jsonl", folder / "home"
    write_session(transcript, MEGABYTE)
    given = {"session_id": "bench", "transcript_path": str(transcript), "cwd": str(folder)}

    def started(start: Start) -> dict[str, int]:
        return modules([str(SCRIPTS / "run_hook.py"), f"{start.script}.py", *start.arguments],
                       {**given, **start.event}, home)

    floor = modules(["-c", "import json,os,sys,time"], None, home).keys()
    profiles = {}
    for name, start in {**HOOKS, **ASKED_FOR}.items():
        times = []
        for _ in range(runs):
            started(Start("save_snapshot", (), {"hook_event_name": "Stop"}))  # a new snapshot: each is put back once
            times.append({module: ms for module, ms in started(start).items() if module not in floor})
        if start.script not in times[0]:
            raise SystemExit(f"imports.py: {name} was not imported")
        profiles[name] = Imports(sorted(times[0].keys() - {start.script}),
                                 min(sum(run.values()) for run in times) / 1000)
    return profiles


def row(name: str, imports: Imports) -> str:
    """The line of the table; of a script that may take its time the number of modules."""
    names = ", ".join(f"`{module}`" for module in imports.modules)
    return f"| {name} | {names if name in HOOKS else f'{len(imports.modules)} modules'} | {imports.ms:.1f} |"


def main(argv: Sequence[str] | None = None) -> int:
    """0 when the table was printed."""
    parser = argparse.ArgumentParser(description="Profiles what each script imports.")
    parser.add_argument("--runs", type=int, default=15)
    given = parser.parse_args(argv)
    with tempfile.TemporaryDirectory() as folder:
        profiles = profile(Path(folder), given.runs)
    print("| script | Python's own, beyond the floor | ms |\n| --- | --- | --- |")
    print("\n".join(row(name, imports) for name, imports in profiles.items()))
    print(f"\n{given.runs} runs each, Python {sys.version.split()[0]}, {os.cpu_count()} cores")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
