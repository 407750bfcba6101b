#!/usr/bin/env python3
"""Measure each hook as a whole process, beside the interpreter's own start, and print a table.

Usage: latency.py [--runs N] [--large MEGABYTES] [--vast MEGABYTES]

Sessions are generated (seeded), 4 MB, by default 256 and 1,024 MB long. All rows of a round run one after the other,
then the next round, so that a slow moment of the machine meets all alike; the table has medians, and their ratio to a
floor measured in the same rounds: "import" is `python3 -IS -c "import json,os,sys,time"`, "parse" is a loop that
json-parses the 4 MB transcript line by line, "node" is `node -e 0`, where there is one, "shell" a shell that does
nothing. A hook is what the client starts: a shell with the command of hooks.json, which finds this interpreter as
python3. What that command costs is told by two more rows: the same script started directly, and by the command of
version 0.6.0. Processor time is the least of a row's runs, that of the processes it waited for included, with its ratio
to the first floor's: on a busy machine it says more than a median. Peak memory is as the system counts it. The last
column is the goal. Below the table stand what a day of work costs, what is waited for and all processor time apart,
and a line for each goal that is missed.

Exits 0 when all goals are met, 1 when one is missed or a hook complains. Python 3.9+, standard library only.
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
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import audit
from shipped import PYTHON, SCRIPTS, SESSION, hook_command, hook_environment

MEGABYTE = 1 << 20
MISSED = "missed: "
MOST_MEMORY = 64  # MiB that a save may need, however long the transcript
IMPORT, PARSE, NODE, SHELL = "import floor", "parse floor, 4 MB", "node floor", "shell floor"
RECORD, PROMPT, AUDIT = "record_event", "answer_prompt", "audit_summary"
CALL, HAND_OVER = "a tool call's wait, nothing waiting", "a tool call's wait, a note waiting"
SAVE, RESTORE = "save_snapshot", "restore_snapshot"
AFTER_STOP = f"{SAVE}, after a Stop save, 4 MB"
STOP, TURN_END = f"{SAVE}, a Stop that feeds the archive", "a turn's end, the save beside"
PROMPT_BESIDE, RECEIPT = "a prompt, nothing due", f"{PROMPT}, a delivery waiting for its receipt"
COMMAND_OF_0_6_0 = ('set -- -IS "${CLAUDE_PLUGIN_ROOT}/scripts/run_hook.py" record_event.py; '
                    'python3 "$@" || case $? in 49|126|127) python "$@"; esac || true')
DAY_CALLS, DAY_COMPACTIONS, DAY_MAX_SECONDS = 2_000, 20, 8  # the last of what is waited for, on a quiet machine
RECORDED, CALLS_A_PROMPT = 0.52, 12  # of 6,004 tool calls in 298 public sessions: with a hook; for each prompt


class Run(NamedTuple):
    """One process: wall time and processor time in milliseconds, peak memory in MiB."""

    ms: float
    cpu_ms: float
    peak: float


class Row(NamedTuple):
    """A line of the table: what is measured, how to bring the disk into its state, the process, its goals."""

    name: str
    prepare: Callable[[], None]
    start: Callable[[], Run]
    goals: dict[str, float | None]  # by the name of the row that is its floor: at most so many times that


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
    name, tool_input = rng.choice(calls)
    return {"name": name, "input": tool_input}


def write_session(path: Path, size: int) -> None:
    """Writes a transcript of about `size` bytes."""
    with path.open("w", encoding="utf-8") as file:
        for record in records(seed=1):
            file.write(json.dumps(record, separators=(",", ":")) + "\n")
            if file.tell() >= size:
                return


def timed(command: list[str], given: dict[str, Any], home: Path, archive: str = "off") -> Run:
    """Runs the process with the JSON on stdin and waits for it; hooks.json lets none fail, so a complaint ends this."""
    environment = {**os.environ, **hook_environment(home, archive)}
    with tempfile.TemporaryFile() as complaints:
        started = time.perf_counter()
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=complaints, env=environment)
        assert process.stdin
        with suppress(BrokenPipeError):  # a floor does not read it
            process.stdin.write(json.dumps(given).encode())
            process.stdin.close()
        _, status, usage = os.wait4(process.pid, 0)
        ended = time.perf_counter()
        process.returncode = os.waitstatus_to_exitcode(status)
        complaints.seek(0)
        log, said = home / "hook.log", complaints.read().decode(errors="replace")
        said += log.read_text(encoding="utf-8") if log.exists() else ""
    if process.returncode or said:
        raise SystemExit(f"latency.py: {command} ended with {process.returncode}: {said[-500:]}")
    return Run((ended - started) * 1000, (usage.ru_utime + usage.ru_stime) * 1000, usage.ru_maxrss / 1024)


def write_repeated(path: Path, pattern: Path, size: int) -> None:
    """Writes a transcript of about `size` bytes: the other one, again and again."""
    text = pattern.read_bytes()
    with path.open("wb") as file:
        for _ in range(max(size // len(text), 1)):
            file.write(text)


def floors(folder: Path, small: Path) -> list[Row]:
    """What the hooks are measured by."""
    parse = f"import json\nfor line in open({str(small)!r}, 'rb'): json.loads(line)"
    commands = {IMPORT: [*PYTHON, "-c", "import json,os,sys,time"], PARSE: [*PYTHON, "-c", parse],
                SHELL: ["/bin/sh", "-c", ":"]}
    if node := shutil.which("node"):
        commands[NODE] = [node, "-e", "0"]
    return [Row(name, lambda: None, partial(timed, command, {}, folder), {}) for name, command in commands.items()]


def rows(folder: Path, large: int, vast: int = 0) -> list[Row]:
    """The table's lines; sizes in megabytes, without `vast` no line about such a session."""
    home, small, huge = folder / "home", folder / "small.jsonl", folder / "large.jsonl"
    beginning = folder / "first.jsonl"  # 64 KB: the process that feeds the archive ends soon
    write_session(small, 4 * MEGABYTE)
    write_session(beginning, MEGABYTE // 16)
    write_repeated(huge, small, large * MEGABYTE)
    call = {"command": "make test 2>&1 | tail -5"}
    tool: dict[str, Any] = {"tool_name": "Bash", "tool_input": call, "tool_use_id": "t", "duration_ms": 9}

    def started(command: list[str], event: str, transcript: Path, **more: Any) -> Callable[[], Run]:
        given = {"session_id": SESSION, "transcript_path": str(transcript), "cwd": str(folder), "prompt": "Go on.",
                 "hook_event_name": event, **more}
        return lambda: timed(command, given, home)

    def hook(event: str, transcript: Path = small, **more: Any) -> Callable[[], Run]:
        return started(hook_command(event), event, transcript, **more)

    def clear() -> None:
        shutil.rmtree(home, ignore_errors=True)

    def saved(transcript: Path = small) -> Callable[[], None]:
        def prepare() -> None:
            clear()
            hook("Stop", transcript)()
        return prepare

    def delivered() -> None:
        saved()()
        hook("PreCompact")()
        hook("SessionStart", source="compact")()

    def gone_on(transcript: Path) -> Callable[[], None]:
        def prepare() -> None:
            shutil.copyfile(small, transcript)
            saved(transcript)()
            with transcript.open("ab") as file:
                file.write(beginning.read_bytes())
        return prepare

    going, directly = folder / "going.jsonl", [*PYTHON, str(SCRIPTS / "run_hook.py")]
    table = [
        *floors(folder, small),
        Row(RECORD, saved(), hook("PostToolUse", **tool), {IMPORT: 1.25, NODE: 0.40}),
        Row(CALL, lambda: None, started(hook_command("PostToolUse", 1), "PostToolUse", small, **tool), {SHELL: 1.5}),
        Row(HAND_OVER, partial(leave_note, home), started(
            hook_command("PostToolUse", 1), "PostToolUse", small, **tool), {IMPORT: None}),
        Row(f"{RECORD}, started directly", saved(), started(
            [*directly, "record_event.py"], "PostToolUse", small, **tool), {IMPORT: None}),
        Row(f"{RECORD}, by the command of 0.6.0", saved(), started(
            ["/bin/sh", "-c", COMMAND_OF_0_6_0], "PostToolUse", small, **tool), {IMPORT: None}),
        Row(PROMPT, saved(), hook("UserPromptSubmit"), {IMPORT: 1.25}),
        Row(PROMPT_BESIDE, saved(), started(unwaited(hook_command("UserPromptSubmit")), "UserPromptSubmit", small), {
            IMPORT: 1.25}),
        Row(RECEIPT, delivered, hook("UserPromptSubmit"), {IMPORT: None}),
        Row(f"{SAVE}, first save, 4 MB", clear, hook("PreCompact"), {PARSE: 2.2}),
        Row(AFTER_STOP, saved(), hook("PreCompact"), {IMPORT: 2.5}),
        Row(f"{SAVE}, first save, {large} MB", clear, hook("PreCompact", huge), {PARSE: 10}),
        Row(f"{SAVE}, a Stop that feeds nothing", saved(beginning), hook("Stop", beginning), {IMPORT: None}),
        stop_row(STOP, folder / "archived", beginning),
        stop_row(TURN_END, folder / "beside", beginning),
        Row(RESTORE, saved(), hook("SessionStart", source="compact"), {IMPORT: 1.5}),
        Row(f"{RESTORE}, the session having gone on by 64 KB", gone_on(going), hook(
            "SessionStart", going, source="compact"), {IMPORT: None}),
        Row("status_line", saved(), started([*directly, "status_line.py"], "", small, context_window={
            "context_window_size": 200_000, "current_usage": {"input_tokens": 20_000}}), {IMPORT: None}),
        *audit_rows(folder / "audited"),
    ]
    if vast:
        write_repeated(longest := folder / "vast.jsonl", small, vast * MEGABYTE)
        name = f"{SAVE}, after a Stop save, {vast:,} MB"
        saved(longest)()
        kept = home.rename(folder / "kept")
        table.append(Row(name, partial(copy_home, kept, home), hook("PreCompact", longest), {AFTER_STOP: 1.2}))
    return table


def copy_home(kept: Path, home: Path) -> None:
    """Brings the home to how it was kept: a Stop save just before, which reads a gigabyte, leaves all caches cold.

    Behind that the same save took 12 ms more of the processor's time.
    """
    shutil.rmtree(home, ignore_errors=True)
    shutil.copytree(kept, home)


def leave_note(home: Path) -> None:
    """A note that waits for the model."""
    note = home / "sessions" / SESSION / "note.json"
    note.write_text(json.dumps({"schema": 1, "text": "The summary left out a rule."}), encoding="utf-8")


def unwaited(command: list[str]) -> list[str]:
    """The hook's command as a client starts it: it may leave its work to a process that nobody waits for."""
    shell, option, text = command
    return [shell, option, f"unset COMPACT_KEEPER_WAIT; {text}"]


def stop_row(name: str, home: Path, transcript: Path) -> Row:
    """A Stop that feeds the archive, waited for or not, in a home of its own: what it starts goes on beside others."""
    command = hook_command("Stop")
    if name == TURN_END:
        command = unwaited(command)
    given = {"session_id": SESSION, "transcript_path": str(transcript), "cwd": str(transcript.parent),
             "hook_event_name": "Stop"}

    def saved() -> None:
        shutil.rmtree(home, ignore_errors=True)
        timed(hook_command("Stop"), given, home)

    return Row(name, saved, partial(timed, command, given, home, ""), {IMPORT: 1.3 if name == TURN_END else None})


def audit_rows(folder: Path) -> list[Row]:
    """The audit of a summary of 20 KB in a session of 500 items."""
    home, given = audit.timed_home(folder, seed=1)
    start = partial(timed, hook_command("PostCompact"), given, home.path)
    return [Row(AUDIT, partial(audit.forget_audits, home), start, {IMPORT: 2})]


def measure(table: list[Row], runs: int) -> dict[str, list[Run]]:
    """The runs of each row, interleaved."""
    timings: dict[str, list[Run]] = {row.name: [] for row in table}
    for _ in range(runs):
        for row in table:
            row.prepare()
            timings[row.name].append(row.start())
    return timings


def medians(timings: dict[str, list[Run]]) -> dict[str, float]:
    """The middle time of each row in milliseconds."""
    return {name: statistics.median(run.ms for run in runs) for name, runs in timings.items()}


def ratios(row: Row, middle: dict[str, float]) -> dict[str, float]:
    """How many times each of its floors the row takes; without those that were not measured."""
    return {floor: middle[row.name] / middle[floor] for floor in row.goals if floor in middle}


def missed(table: list[Row], timings: dict[str, list[Run]]) -> list[str]:
    """A line for each goal that was not met."""
    middle, lines = medians(timings), []
    for row in table:
        lines += [f"{row.name}: {times:.2f} × {floor}, the goal is {row.goals[floor]}"
                  for floor, times in ratios(row, middle).items() if times > (row.goals[floor] or times)]
        peak = max(run.peak for run in timings[row.name])
        lines += [f"{row.name}: {peak:.0f} MiB, the goal is {MOST_MEMORY}"] if row.goals and peak > MOST_MEMORY else []
    return lines


def report(table: list[Row], timings: dict[str, list[Run]]) -> str:
    """The table in Markdown: medians in milliseconds, the ratio to the floors, processor time, peak memory, goals."""
    middle = medians(timings)
    least = {name: min(run.cpu_ms for run in runs) for name, runs in timings.items()}
    lines = ["| process | median ms | times its floor | least CPU ms | peak MiB | goal |", "| --- |" + " --- |" * 5]
    for row in table:
        multiples = ", ".join(f"{ratio:.2f} × {floor}" for floor, ratio in ratios(row, middle).items())
        goals = ", ".join(f"≤ {goal:g} × {floor}" for floor, goal in row.goals.items() if goal)
        times = "".join(f", {least[row.name] / least[floor]:.2f} ×" for floor in [*ratios(row, middle)][:1])
        peak, cpu = max(run.peak for run in timings[row.name]), f"{least[row.name]:.1f}{times}"
        lines.append(f"| {row.name} | {middle[row.name]:.0f} | {multiples} | {cpu} | {peak:.0f} | {goals} |")
    return "\n".join(lines)


def a_day(timings: dict[str, list[Run]]) -> tuple[str, float]:
    """What the hooks cost on a day of work, and the seconds of it that are waited for."""
    middle, prompts = medians(timings), DAY_CALLS // CALLS_A_PROMPT
    least = {name: min(run.cpu_ms for run in runs) for name, runs in timings.items()}
    calls = round(DAY_CALLS * RECORDED)
    others = prompts - DAY_COMPACTIONS  # after each compaction the first prompt looks for the delivery's receipt
    times: dict[str, tuple[int, list[str]]] = {  # by what is waited for: how often, and for which processes
        f"{calls:,} calls with a hook": (calls, [CALL]), f"{others} prompts": (others, [PROMPT_BESIDE]),
        f"{DAY_COMPACTIONS} first prompts after a compaction": (DAY_COMPACTIONS, [RECEIPT]),
        f"{prompts} ends of turns": (prompts, [TURN_END]),
        f"{DAY_COMPACTIONS} compactions": (DAY_COMPACTIONS, [AFTER_STOP, RESTORE, AUDIT])}
    seconds = {name: count * sum(middle[row] for row in rows) / 1000 for name, (count, rows) in times.items()}
    processor = sum(count * sum(least[row] for row in rows) for count, rows in times.values()) / 1000
    beside = (calls * least[RECORD] + others * least[PROMPT] + prompts * least[STOP]) / 1000
    waits = ", ".join(f"{name} {waited:.1f} s" for name, waited in seconds.items())
    waited = sum(seconds.values())
    return (f"A day of {DAY_CALLS:,} tool calls waits for {waits}; in all {waited:.1f} s. "
            f"Processor time: {processor:.1f} s of it, and {beside:.1f} s beside the work", waited)


def main(argv: Sequence[str] | None = None) -> int:
    """0 when all goals are met."""
    parser = argparse.ArgumentParser(description="Measures the hooks as whole processes.")
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--large", type=int, default=256, metavar="MEGABYTES")
    parser.add_argument("--vast", type=int, default=1_024, metavar="MEGABYTES", help="0 leaves it out")
    given = parser.parse_args(argv)
    with tempfile.TemporaryDirectory() as folder:
        table = rows(Path(folder), given.large, given.vast)
        timings = measure(table, given.runs)
    day, waited = a_day(timings)
    print(f"{report(table, timings)}\n\n{day}")
    print(f"\n{given.runs} interleaved runs each, Python {sys.version.split()[0]}, {os.cpu_count()} cores")
    lines = missed(table, timings)
    if waited > DAY_MAX_SECONDS:
        lines.append(f"a day waits for {waited:.1f} s, the goal is {DAY_MAX_SECONDS}")
    print("".join(f"{MISSED}{line}\n" for line in lines), end="")
    return int(bool(lines))


if __name__ == "__main__":
    raise SystemExit(main())
