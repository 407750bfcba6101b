#!/usr/bin/env python3
"""A session of thirty days through all hooks: what each takes stays flat, the data folder in its caps, the recap right.

Usage: soak.py [--scale S]    (make soak SCALE=1: 500,000 records, 60 compactions, 40,000 tool calls, six subagents at a
time; a part of it with a smaller S)

The client's events come in their order, each hook a process of its own with the processor's time and the most memory
that it had. So that a month fits into minutes most are forked from a process that has imported the scripts as
run_hook.py does; the hooks of a compaction are started as hooks.json starts them. The clock goes a month forward.

Prints what each hook took in the first and in the last tenth of its runs. Exits 1 when something broke.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).resolve().parent
sys.path += [str(HERE), *(str(HERE.parents[1] / name) for name in ("src", "tests"))]

from attack import Attack, Ground, Outcome  # noqa: E402
from compact_keeper.recap.parts import ASK_ROOM  # noqa: E402
from sessions import Session, git, units  # noqa: E402

NAME = "5e551011-0000-4000-8000-00000000000e"
RECORDS, COMPACTIONS, CALLS, SUBAGENTS = 500_000, 60, 40_000, 6
DAYS = 30
LEAST_COMPACTIONS, LEAST_CALLS = 4, 60  # of a short form, and per compaction
RATIO = 1.1  # of the last tenth to the first
RUNS_COMPARED = 5  # in a tenth: of fewer nothing can be told
FLOOR = "(a process that does the same each time)"
TOLD = "compact-keeper: the record of this session before the compaction"
RULES = ("Never rename the rates column.", "Always keep the omega flag.")
TAKEN_BACK = "Never push the docs branch."
CAPS = {"memory.json": 1 << 20, "snapshot.json": 1 << 20, "ledger.jsonl": 8 << 20, "ledger.folded.jsonl": 8 << 20,
        "status.json": 64 << 10, "compaction.json": 64 << 10, "notes.md": 1 << 20, "summary.json": 256 << 10,
        "../../events.jsonl": 9 << 20, "../../events.jsonl.1": 9 << 20, "../../hook.log": 0,
        "../../archive.db": 1 << 30}  # bytes
FOLDER_MAX_BYTES = 24 << 20  # of the session's folder
BUDGET = 28_500  # UTF-16 units of a recap, by default

FORKING = """
import gc, json, os, sys, time
gc.disable()
scripts, *names = sys.argv[1:]
sys.path.append(scripts)
modules = {name: __import__(name) for name in names}
shift, was_time, was_gmtime, was_localtime = 0.0, time.time, time.gmtime, time.localtime
time.time = lambda: was_time() + shift
time.gmtime = lambda seconds=None: was_gmtime(time.time() if seconds is None else seconds)
time.localtime = lambda seconds=None: was_localtime(time.time() if seconds is None else seconds)
def floor():
    sys.stdin.buffer.read()
    for _ in range(60):
        json.loads(json.dumps([{"text": "the rates", "number": number} for number in range(40)]))
    return 0

for line in sys.stdin.buffer:
    name, arguments, shift, given = json.loads(line)
    source, into = os.pipe()
    out, sink = os.pipe()
    child = os.fork()
    if not child:
        os.close(into); os.close(out)
        os.dup2(source, 0); os.dup2(sink, 1)
        module = modules.get(name)
        if hasattr(module, "STARTED"):
            module.STARTED = time.perf_counter() if module.STARTED < 1e9 else time.time()
        sys.stdin = open(0, closefd=False)
        sys.argv[1:] = arguments
        code = 70
        try:
            code = int(module.main(arguments)) if module else floor()
        finally:
            os._exit(code)
    os.close(source); os.close(sink)
    text = json.dumps(given).encode()
    while text:
        text = text[os.write(into, text):]
    os.close(into)
    printed = b""
    while chunk := os.read(out, 1 << 16):
        printed += chunk
    os.close(out)
    _, status, used = os.wait4(child, 0)
    answer = [os.waitstatus_to_exitcode(status), printed.decode(), used.ru_utime + used.ru_stime, used.ru_maxrss]
    sys.stdout.write(json.dumps(answer) + "\\n")
    sys.stdout.flush()
"""
FORKED = ("record_event", "answer_prompt", "save_snapshot", "restore_snapshot", "status_line", "recall")
SHIFTED = """
import sys, time
shift, was_time, was_gmtime, was_localtime = float(sys.argv[2]), time.time, time.gmtime, time.localtime
time.time = lambda: was_time() + shift
time.gmtime = lambda seconds=None: was_gmtime(time.time() if seconds is None else seconds)
time.localtime = lambda seconds=None: was_localtime(time.time() if seconds is None else seconds)
sys.path.append(sys.argv[1])
name, arguments = sys.argv[3], sys.argv[4:]
sys.argv[1:] = arguments
import os, run_hook
code = run_hook.main([name, *arguments])
sys.stdout.flush()
with open("/proc/self/status") as file:  # the most that this program had; getrusage counts who started it too
    os.write(2, next(line for line in file if line.startswith("VmHWM")).split()[1].encode())
os._exit(code)
"""


class Took(NamedTuple):
    """What a run of a hook took."""

    seconds: float  # of the processor
    kilobytes: int  # at most


class Flat(NamedTuple):
    """What a hook took in its first and last tenth, as it is printed."""

    label: str
    milliseconds: str
    ratio: str  # to the floor's
    megabytes: str
    is_flat: str  # yes, no, or few: so few runs tell nothing


class Size(NamedTuple):
    """How large the session is."""

    compactions: int
    calls: int  # from compaction to compaction
    records: int  # the same


def size_of(scale: float) -> Size:
    """The session's size at that scale; a short one has fewer compactions, then fewer calls between them."""
    compactions = max(round(COMPACTIONS * scale), LEAST_COMPACTIONS)
    calls = max(round(CALLS * scale / compactions), LEAST_CALLS)
    return Size(compactions, calls, round(calls * RECORDS / CALLS))


class Month:
    """A session of a month: its transcript, its client and what its hooks took."""

    def __init__(self, ground: Ground, size: Size) -> None:
        self.folder, self.scripts, self.size, self.draw = ground.folder, ground.scripts, size, random.Random(30)
        self.home = self.folder / "home"
        self.home.mkdir()
        (self.home / "config.json").write_text('{"archive_days": 36500}')
        self.session = self.home / "sessions" / NAME
        self.project = self.folder / "rates"
        self.project.mkdir()
        git(self.project, "init", "--quiet", "--initial-branch=main")
        git(self.project, "commit", "--quiet", "--allow-empty", "--message=first")
        self.transcript = self.folder / "projects" / f"{NAME}.jsonl"
        (self.folder / "projects" / NAME / "subagents").mkdir(parents=True)
        self.took: dict[str, list[Took]] = defaultdict(list)
        self.broken, self.texts, self.notes = list[str](), list[list[str]](), 0
        self.records = self.calls = self.prompts = self.agents = 0
        self.newest = self.last_command = ""
        self.began = time.time()
        self.part = Session(session=NAME)
        self.total = size.compactions * size.records
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.folder), "LC_ALL": "C",
                       "COMPACT_KEEPER_HOME": str(self.home), "COMPACT_KEEPER_ARCHIVE": "off",
                       "CLAUDE_CONFIG_DIR": str(self.folder), "CLAUDE_CODE_ENTRYPOINT": "cli"}
        self.environment = environment
        self.forks = subprocess.Popen([sys.executable, "-IS", "-c", FORKING, str(self.scripts), *FORKED], text=True,
                                      stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)

    # --- the hooks ---

    def shift(self) -> float:
        """Seconds by which the clock is ahead: the month goes by with the records."""
        return DAYS * 86_400 * min(self.records / self.total, 1) - (time.time() - self.began)

    def hook(self, script: str, event: str, *arguments: str, label: str = "", **fields: Any) -> str:
        """What the hook prints, in a process that is forked."""
        given = {"hook_event_name": event, "session_id": NAME, "transcript_path": str(self.transcript),
                 "cwd": str(self.project), **fields}
        assert self.forks.stdin
        assert self.forks.stdout
        self.forks.stdin.write(json.dumps([script, arguments, self.shift(), given]) + "\n")
        self.forks.stdin.flush()
        code, printed, seconds, kilobytes = json.loads(self.forks.stdout.readline())
        return self.ended(label or f"{script} at {event}", code, printed, Took(seconds, kilobytes))

    def process(self, script: str, event: str, label: str = "", **fields: Any) -> str:
        """What the hook prints, started as hooks.json does but for the clock."""
        given = {"hook_event_name": event, "session_id": NAME, "transcript_path": str(self.transcript),
                 "cwd": str(self.project), **fields}
        process = subprocess.Popen(
            [sys.executable, "-IS", "-c", SHIFTED, str(self.scripts), str(self.shift()), f"{script}.py"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=self.environment)
        assert process.stdin
        assert process.stdout
        assert process.stderr
        process.stdin.write(json.dumps(given).encode())
        process.stdin.close()
        with process.stdout as out, process.stderr as peak:
            printed, kilobytes = out.read().decode(), peak.read().decode()
        if not kilobytes.isdecimal():
            self.broken.append(f"{script} at {event}: stderr {kilobytes[-300:]!r}")
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        return self.ended(label or f"{script} at {event}", process.returncode, printed,
                          Took(usage.ru_utime + usage.ru_stime, int(kilobytes) if kilobytes.isdecimal() else 0))

    def ended(self, label: str, code: int, printed: str, took: Took) -> str:
        """Keeps what the run took; what it printed."""
        self.took[label].append(took)
        if code:
            self.broken.append(f"{label}: exit code {code}")
        return printed

    # --- what happens ---

    def write(self) -> None:
        """Appends what the part has to the transcript, with the present moment."""
        now = time.time() + self.shift()
        moment = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now)) + f".{int(now % 1 * 1000):03d}Z"
        lines = list[str]()
        for record in self.part.records:
            if "timestamp" in record:
                record["timestamp"] = moment
            if "cwd" in record:
                record["cwd"] = str(self.project)
            lines.append(json.dumps(record, ensure_ascii=False, separators=(",", ":")))
        self.records += len(lines)
        with self.transcript.open("a", encoding="utf-8") as file:
            file.write("".join(f"{line}\n" for line in lines))
        self.part = Session(self.part.number(), NAME)

    def prompt(self, text: str) -> None:
        """A prompt, then the turn goes on."""
        self.prompts += 1
        self.newest = text
        self.part.typed(text)
        self.write()
        self.handed(self.hook("answer_prompt", "UserPromptSubmit", prompt=text))

    def handed(self, printed: str) -> None:
        """Counts a note that went out."""
        if printed:
            self.notes += "compared the compaction's summary" in printed

    def call(self) -> None:
        """A tool call of one of the kinds, recorded; sometimes a subagent's, which the main transcript lacks."""
        self.calls += 1
        number, draw = self.calls, self.draw
        kind = draw.random()
        agent = f"a{self.agents - draw.randrange(SUBAGENTS)}" if self.agents and draw.random() < 0.25 else ""
        part = Session(self.part.number(), NAME) if agent else self.part
        event, fields = "PostToolUse", {}
        if kind < 0.5:
            command = f"make part-{number % 997}" if kind < 0.4 else f"pytest tests/test_{number % 31}.py"
            output = f"line of {number}\n" * draw.randint(1, 60) + ("3 passed in 0.1s" if kind >= 0.4 else "done")
            if draw.random() < 0.1:
                event, fields = "PostToolUseFailure", {"error": f"Exit code 1\nerror: no rates of {number}"}
                call_id = part.failed("Bash", fields["error"], command=command)
            else:
                call_id = part.ran("Bash", output, command=command)
            tool, given = "Bash", {"command": command}
            self.last_command = self.last_command if agent else command
        elif kind < 0.8:
            path = f"{self.project}/src/module_{number % 613}.py"
            given = {"file_path": path, "old_string": f"rate = {number}\n", "new_string": f"rate = {number + 1}\n"}
            call_id, tool = part.ran("Edit", **given), "Edit"
        else:
            path = f"{self.project}/src/module_{number % 613}.py"
            call_id, tool, given = part.ran("Read", f"def rates_{number}():\n    return {number}\n" * 40,
                                            file_path=path), "Read", {}
        if agent:
            with (self.transcript.with_suffix("") / "subagents" / f"agent-{agent}.jsonl").open("ab") as file:
                for record in part.records:
                    file.write(json.dumps({**record, "agentId": agent, "isSidechain": True}).encode() + b"\n")
            self.records += len(part.records)
        if tool != "Read":  # no hook starts at that
            self.hook("record_event", event, "--record", label="record_event --record", tool_name=tool,
                      tool_use_id=f"{agent}{call_id}", tool_input=given, tool_response={}, duration_ms=7,
                      **({"agent_id": agent} if agent else {}), **fields)
            if any((self.session / name).exists() for name in ("note.json", "rest.json", "untold.json")):
                self.handed(self.hook("record_event", event, "--hand-over", label="record_event --hand-over",
                                      tool_name=tool, **({"agent_id": agent} if agent else {})))

    def subagents(self) -> None:
        """Six subagents begin, or end."""
        for _ in range(SUBAGENTS):
            self.agents += 1
            about = {"agent_id": f"a{self.agents}", "agent_type": "Explore"}
            self.hook("record_event", "SubagentStart", **about)
            self.part.ran("Task", f"I looked at part {self.agents}.", prompt=f"Look at part {self.agents}",
                          description="look", subagent_type="Explore")
            self.hook("record_event", "SubagentStop", last_assistant_message=f"Part {self.agents} is done.", **about)

    def filler(self, records: int) -> None:
        """What else a client writes."""
        for number in range(records):
            if number % 3:
                self.part.progress("a line of an output that goes on\n" * 4)
            else:
                self.part.says(f"I look at step {number} of the rates now, and then at the next one.")
        self.write()

    def turns_to(self, compaction: int) -> None:
        """Turns up to the next compaction."""
        calls, turns = self.size.calls, max(self.size.calls // 8, 1)
        begun = self.records
        for turn in range(turns):
            self.prompt(f"Import the rates of carrier {compaction}-{turn}, with a test for each of its columns.")
            if turn == turns // 2:
                status = ("in_progress", "completed", "pending")[compaction // 5 % 3]
                self.part.updated(compaction % 5 + 1, status=status)
                self.subagents()
            for _ in range(calls // turns + (turn < calls % turns)):
                self.call()
            self.part.says(f"The rates of carrier {compaction}-{turn} are imported.")
            due = self.size.records * (turn + 1) // turns
            self.filler(max(due - (self.records - begun) - len(self.part.records), 0))
            self.hook("save_snapshot", "Stop")
            self.hook("", "", label=FLOOR)  # beside each save
            if turn % 4 == 0:
                self.hook("status_line", "", context_window={
                    "context_window_size": 200_000, "current_usage": {"input_tokens": 20_000}})

    def compact(self, compaction: int) -> None:
        """The compaction, with all its hooks."""
        self.process("save_snapshot", "PreCompact", trigger="auto")
        summary = (f"1. Primary Request and Intent: the rates of carrier {compaction}.\n2. Tasks: "
                   f"\"Import the rates of region {compaction % 5 + 1}\" is completed.\n3. All tests pass.")
        self.process("record_event", "SubagentStop", "record_event with a summary", agent_id=f"s{compaction}",
                     agent_type="", last_assistant_message=f"<summary>{summary}</summary>")
        printed = [self.process("restore_snapshot", "SessionStart", source="compact"),
                   *(self.hook("restore_snapshot", "SessionStart", word, label=f"restore_snapshot {word}",
                               source="compact") for word in ("--rest", "--third"))]
        answers = [json.loads(part).get("hookSpecificOutput", {}) for part in printed if part]
        texts = [answer["additionalContext"] for answer in answers if answer]
        self.texts.append(texts)
        self.part.compacted(summary)
        for text in texts:
            self.part.attachment(type="hook_additional_context", content=[text], hookName="SessionStart")
        self.write()
        self.process("audit_summary", "PostCompact", trigger="auto", compact_summary=summary)
        if not texts or not texts[0].startswith(TOLD):
            self.broken.append(f"compaction {compaction}: nothing was put back")
        elif not all(words in "".join(texts) for words in (*RULES, self.newest, self.last_command)):
            self.broken.append(f"compaction {compaction}: lacks a rule, the newest message or the last command")
        self.hook("recall", "", "index", "--quiet", str(self.transcript), str(self.transcript.with_suffix("")),
                  label="recall index")

    # --- the month ---

    def lives(self) -> None:
        """All of it."""
        for words in (*RULES, TAKEN_BACK):
            self.prompt(words)
            self.part.says("I will keep to that.")
        for number in range(1, 6):
            self.part.created(number, f"Import the rates of region {number}")
        self.write()
        for compaction in range(self.size.compactions):
            if compaction == 1:
                self.prompt("Forget that rule: never push the docs branch no longer holds.")
            self.turns_to(compaction)
            self.compact(compaction)

    def faults(self) -> Iterator[str]:
        """What does not hold at the end of the month."""
        yield from self.broken
        for name, most in CAPS.items():
            path = Path(os.path.normpath(self.session / name))
            if path.exists() and path.stat().st_size > most:
                yield f"{name} has {path.stat().st_size:,} bytes, at most {most:,}; {path.read_text()[-300:]!r}"
        size = sum(path.stat().st_size for path in self.session.rglob("*") if path.is_file())
        if size > FOLDER_MAX_BYTES:
            yield f"the session's folder has {size:,} bytes"
        last = "\n".join(self.texts[-1])
        if sum(map(units, self.texts[-1])) > BUDGET + ASK_ROOM:
            yield f"the last recap has {units(last):,} units"
        cycle = self.size.compactions - 1
        yield from (f"the last recap lacks {words!r}" for words in (
            *RULES, f"Import the rates of region {cycle % 5 + 1}", f"carrier {cycle}-") if words not in last)
        if "carrier 0-0," in last and cycle >= COMPACTIONS // 10:
            yield "the last recap has the first request"
        if not self.notes:
            yield "no note went out"

    def flat(self) -> Iterator[Flat]:
        """Each hook's first and last tenth; times against the floor's, which the machine's other work changes."""
        floor = 1.0
        for label in sorted(self.took, key=lambda label: (label != FLOOR, label)):
            runs = self.took[label]
            tenth = len(runs) // 10
            first, last = runs[:max(tenth, 1)], runs[-max(tenth, 1):]
            times = [statistics.median(run.seconds for run in part) * 1_000 for part in (first, last)]
            sizes = [statistics.median(run.kilobytes for run in part) / 1_024 for part in (first, last)]
            slower, larger = times[1] / max(times[0], 1e-6), sizes[1] / max(sizes[0], 1e-6)
            floor = slower if label == FLOOR else floor
            is_flat = "yes" if max(slower / floor, larger) <= RATIO else "no"
            yield Flat(label, f"{times[0]:.1f} → {times[1]:.1f}", f"{slower / floor:.2f}",
                       f"{sizes[0]:.1f} → {sizes[1]:.1f}", is_flat if tenth >= RUNS_COMPARED else "few")

    def report(self) -> str:
        """The month in numbers."""
        size = {path.name: path.stat().st_size for path in self.session.iterdir() if path.is_file()}
        lines = [f"{self.records:,} records ({self.transcript.stat().st_size >> 20:,} MB), {self.calls:,} tool calls, "
                 f"{self.prompts:,} prompts, {len(self.texts)} compactions, {self.agents:,} subagents, {self.notes} "
                 f"notes; {sum(map(len, self.took.values())):,} hooks in {time.time() - self.began:.0f} s",
                 f"session's folder {sum(size.values()):,} bytes in {len(size)} files (memory.json "
                 f"{size.get('memory.json', 0):,}), archive {(self.home / 'archive.db').stat().st_size >> 20:,} MB", "",
                 "| hook | runs | ms of the processor, first → last tenth | ratio, to the floor's | MB | flat |",
                 "| --- | --- | --- | --- | --- | --- |"]
        lines += [f"| {flat.label} | {len(self.took[flat.label]):,} | {' | '.join(flat[1:])} |" for flat in self.flat()]
        return "\n".join(lines)


def month(ground: Ground, scale: float, is_measured: bool) -> Outcome:
    """The session at that scale; `is_measured`: what is not flat counts as broken."""
    lived = Month(ground, size_of(scale))
    with lived.forks:  # goes when its stdin ends
        lived.lives()
    broken = list(lived.faults())
    broken += [f"not flat: {', '.join(flat[:4])}" for flat in lived.flat() if is_measured and flat.is_flat == "no"]
    return Outcome(sum(map(len, lived.took.values())), broken, lived.report())


def main() -> int:
    """0 when nothing broke."""
    parser = argparse.ArgumentParser(description="A session of a month through all hooks.")
    parser.add_argument("--scale", type=float, default=1.0, help="of 500,000 records and 60 compactions")
    with tempfile.TemporaryDirectory() as folder:
        outcome = month(Ground(Path(folder), full=True), parser.parse_args().scale, is_measured=True)
    print(outcome.figures, "", *outcome.broken or ["Nothing broke."], sep="\n")
    return 1 if outcome.broken else 0


ATTACKS: tuple[Attack, ...] = (  # a part is over before the memory is full: until then a save takes longer and longer
    Attack("a session of a month, in part (make soak: all of it, measured): files within their caps, recaps right",
           lambda ground: month(ground, 0.1 if ground.full else 0.004, is_measured=False)),)


if __name__ == "__main__":
    raise SystemExit(main())
