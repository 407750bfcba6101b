"""Hostile input: mutants of everything that a script reads, texts made for its patterns, and what is far too big.

Most mutants are run and judged by mutation_runs.py, in processes that each take some thousand; a few thousand, and what
is too big, go through whole processes as hooks.json starts them.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from random import Random
from typing import NamedTuple

from attack import Attack, Ground, Outcome
from hostile import DEEP
from mutants import mutant_line
from mutation_runs import BY_HAND, Ended, environment, faults_of
from mutation_seeds import STATUS, SUMMARY, hook_inputs
from sessions import SESSION_ID, JsonObject, Session, as_line, hook_input

RUNS = Path(__file__).with_name("mutation_runs.py")
AT_ONCE = 2  # processes: CI has two cores
PATIENCE = 1_800  # seconds for a process with its share of the mutants
TIMEOUTS = {  # seconds: as hooks.json has them; of what people await
    "record_event.py": 5, "answer_prompt.py": 15, "audit_summary.py": 10, "restore_snapshot.py": 10,
    "save_snapshot.py": 15, "status_line.py": 5, "recall.py": 60, "stats.py": 60}
MEMORY = 64 << 10  # KB: what QUALITY.md allows a save; what people await may take twice as much
LATE = 4  # times its seconds, after which a process is killed: the machine may be busy

# --- many mutants in a process ---


def in_process(kind: str, rounds: int, short: int, ground: Ground) -> Outcome:
    """Mutants of that kind, some in each round; each process takes its share of the rounds, in turns."""
    count, shares = (rounds, AT_ONCE) if ground.full else (short, 1)
    with ThreadPoolExecutor(shares) as pool:
        rounds_of_each = [range(first, count, shares) for first in range(shares)]
        outcomes = list(pool.map(partial(share, kind, ground), rounds_of_each))
    return Outcome(sum(outcome.attempts for outcome in outcomes),
                   [line for outcome in outcomes for line in outcome.broken])


def share(kind: str, ground: Ground, rounds: range) -> Outcome:
    """What became of these rounds."""
    folder = ground.folder / str(rounds.start)
    folder.mkdir()
    numbers = map(str, (rounds.start, rounds.stop, rounds.step))
    command = [sys.executable, "-IS", str(RUNS), kind, *numbers, str(folder), str(ground.scripts)]
    ended = subprocess.run(command, capture_output=True, check=False, timeout=PATIENCE,
                           env={"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C"})
    try:
        return Outcome(*json.loads(ended.stdout))
    except ValueError:
        tail = (folder / "stream-2").read_bytes()[-500:]
        return Outcome(0, [f"{kind} {rounds} ended with {ended.returncode}: {tail!r}"])


# --- whole processes ---

LAUNCH = """if True:  # a small process: a child's largest memory begins as its parent's
    import json, os, sys
    child = os.posix_spawn(sys.argv[2], sys.argv[2:], os.environ)
    _, status, used = os.wait4(child, 0)
    with open(sys.argv[1], "w") as file:
        json.dump([used.ru_maxrss, used.ru_utime + used.ru_stime], file)
    sys.exit(os.waitstatus_to_exitcode(status))"""


def run_script(ground: Ground, folder: Path, script: str, given: bytes, *arguments: str) -> tuple[Ended, list[str]]:
    """How a script ended that was started as hooks.json does; what it took too much of."""
    by_hand = script in BY_HAND
    name = [str(ground.scripts / script)] if by_hand else [str(ground.scripts / "run_hook.py"), script]
    cost, log = folder / "cost.json", folder / "home" / "hook.log"
    process = subprocess.Popen(
        [sys.executable, "-IS", "-c", LAUNCH, str(cost), sys.executable, "-IS", *name, *arguments], cwd=folder,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
        env={"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C", **environment(folder)})
    try:
        out, err = process.communicate(given, LATE * TIMEOUTS[script])
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return Ended(0, b"", b"", ""), [f"killed after {LATE * TIMEOUTS[script]} s"]
    kilobytes, seconds = json.loads(cost.read_bytes())
    log_text = log.read_text("utf-8", "replace") if log.exists() else ""
    log.unlink(missing_ok=True)
    most = MEMORY * (1 + by_hand)
    taken = {f"{seconds:.1f} s of {TIMEOUTS[script]}": seconds > TIMEOUTS[script],
             f"{kilobytes >> 10} MiB of {most >> 10}": kilobytes > most}
    return Ended(process.returncode, out, err, log_text), [what for what, is_too_much in taken.items() if is_too_much]


def mutants_as_processes(ground: Ground) -> Outcome:
    """Mutated inputs, each in a process; the session goes on from one to the next."""
    count, rng, broken = 2_000 if ground.full else 6, Random("processes"), []
    transcript = ground.folder / f"{SESSION_ID}.jsonl"
    inputs = hook_inputs(transcript, ground.folder / "project")
    (ground.folder / "project").mkdir()
    transcript.write_bytes(b"".join(as_line(record) for record in seeded_session().records))
    for number in range(count):
        script, good = rng.choice(inputs)
        given = mutant_line(rng, good, rng.choice(inputs)[1])
        with transcript.open("ab") as file:
            file.write(mutant_line(rng, *(rng.choice(seeded_session().records) for _ in "ab")) + b"\n")
        ended, too_much = run_script(ground, ground.folder, script, given)
        faults = (*too_much, *faults_of(script, given, ended))
        broken += [f"{number}: {script} {given[:200]!r}: {fault}" for fault in faults]
    return Outcome(count, broken)


def seeded_session() -> Session:
    """A short session of what matters."""
    session = Session()
    session.typed("Never push to main. Fix the parser.")
    session.failed("Bash", "Exit code 1\nerror: bad", command="make test")
    session.ran("Edit", file_path="/srv/a.py", old_string="1", new_string="2")
    session.says("We'll use decimals because floats round wrongly. All tests pass.")
    return session


# --- what is far too big ---


class Extreme(NamedTuple):
    """An input that no client should send: what is done before, and the run."""

    script: str
    fields: JsonObject  # of the hook's input
    prepare: Callable[[Path, Path, int], None] = lambda *_: None  # of transcript, session's folder, share of the size
    raw: Callable[[bytes], bytes] = bytes  # what becomes of the hook's input


def line_of(size: int) -> Callable[[Path, Path, int], None]:
    """A transcript with one line of so many MB between others."""
    def prepare(transcript: Path, _session: Path, part: int) -> None:
        with transcript.open("wb") as file:
            file.write(typed("Never push.", 0) + typed("@@", 1).partition(b"@@")[0])
            for _ in range(size // part):
                file.write(b"x" * (1 << 20))
            file.write(typed("@@", 1).partition(b"@@")[2] + typed("Always sign.", 2))
    return prepare


def lines_of(line: bytes, millions: int) -> Callable[[Path, Path, int], None]:
    """A transcript of so many million times the line."""
    def prepare(transcript: Path, _session: Path, part: int) -> None:
        with transcript.open("wb") as file:
            for _ in range(100 * millions // part):
                file.write(line * 10_000)
            file.write(typed("Always sign.", 2))
    return prepare


def stored(name: str, data: bytes, times: int = 1) -> Callable[[Path, Path, int], None]:
    """A file of the session's with these bytes so many times."""
    def prepare(transcript: Path, session: Path, part: int) -> None:
        transcript.write_bytes(typed("Never push.", 0))
        (session / name).write_bytes(data * max(times // part, 1))
    return prepare


def typed(text: str, first: int) -> bytes:
    """The line of a typed prompt."""
    session = Session(first)
    session.typed(text)
    return session.as_bytes()


def with_field(raw: bytes) -> Callable[[bytes], bytes]:
    """Makes a hook's input with something more in it."""
    return lambda given: given[:-1] + b', "more": ' + raw + b"}"


EVENT = {"schema": 1, "time": "2026-11-21T07:00:00.000Z", "event": "tool", "tool": "Bash", "command": "make",
         "ok": True}
STOP, COMPACT, START = ({"hook_event_name": "Stop"}, {"hook_event_name": "PreCompact", "trigger": "auto"},
                        {"hook_event_name": "SessionStart", "source": "compact"})
PROMPT, POST = {"hook_event_name": "UserPromptSubmit"}, {"hook_event_name": "PostCompact"}
DEEP_JSON = b"[" * DEEP + b"]" * DEEP
BIG = (4 << 20) - 2_000  # bytes: as much as a hook reads, with the fields around it
HOOKS: dict[str, JsonObject] = {
    "answer_prompt.py": PROMPT, "save_snapshot.py": COMPACT, "restore_snapshot.py": START,
    "audit_summary.py": {**POST, "compact_summary": SUMMARY}, "status_line.py": STATUS}
ODD_INPUT: dict[str, Callable[[bytes], bytes]] = {
    "deep JSON": with_field(DEEP_JSON), "1e999": with_field(b"1e999"), "5,000 digits": with_field(b"9" * 5_000),
    "a key twice": lambda given: given[:-1] + b', "hook_event_name": 7, "session_id": []}',
    "NUL bytes": lambda given: b"\0" * 1_000 + given, "100 MB": lambda given: given + b" " * (100 << 20)}
EXTREMES: dict[str, Extreme] = {
    "a line of 200 MB": Extreme("save_snapshot.py", COMPACT, line_of(200)),
    "a line of 200 MB, at a start": Extreme("restore_snapshot.py", START, line_of(200)),
    "a line of 200 MB, for the archive": Extreme("recall.py", {}, line_of(200)),
    "10 million short lines": Extreme("save_snapshot.py", COMPACT, lines_of(b'{"type":"mode","mode":"normal"}\n', 10)),
    "10 million lines of {}": Extreme("save_snapshot.py", COMPACT, lines_of(b"{}\n", 10)),
    "10 million newlines": Extreme("save_snapshot.py", COMPACT, lines_of(b"\n", 10)),
    "10 million newlines, for the archive": Extreme("recall.py", {}, lines_of(b"\n", 10)),
    "10 million newlines, for the report": Extreme("stats.py", {}, lines_of(b"\n", 10)),
    "8 MB of NUL": Extreme("save_snapshot.py", COMPACT, lines_of(b"\0", 8)),
    "a line of 10 MB of brackets": Extreme("save_snapshot.py", COMPACT, lines_of(b"[" * 10, 1)),
    "objects without an end": Extreme("save_snapshot.py", COMPACT, lines_of(b'{"a":', 2)),
    "a million objects on a line": Extreme("save_snapshot.py", COMPACT, lines_of(b'{"type":"user"}', 1)),
    "a ledger of 8 MB": Extreme("save_snapshot.py", STOP, stored("ledger.jsonl", as_line(EVENT), 80_000)),
    "a ledger of 8 MB of prompts": Extreme("save_snapshot.py", STOP, stored("ledger.jsonl", as_line(
        {**EVENT, "event": "prompt", "text": "Fix the parser in src/rates.py, which rounds wrongly. " * 18}), 8_000)),
    "a ledger of 100 MB on one line": Extreme("save_snapshot.py", STOP, stored("ledger.jsonl", b"x" * 1_000, 100_000)),
    "a deep memory": Extreme("save_snapshot.py", STOP, stored("memory.json", b'{"items":' + DEEP_JSON + b"}")),
    "a deep snapshot": Extreme("restore_snapshot.py", START, stored("snapshot.json", DEEP_JSON)),
    "a note of 100 MB": Extreme("answer_prompt.py", PROMPT, stored("note.json", b" " * 1_000, 100_000)),
    "pins of 100 MB": Extreme("restore_snapshot.py", START, stored("pins.jsonl", b"{}\n" * 400, 100_000)),
    "a prompt of 4 MB": Extreme("answer_prompt.py", {**PROMPT, "prompt": "Never push. " * (BIG // 12)}),
    "a pin of 4 MB": Extreme("answer_prompt.py", {**PROMPT, "prompt": "/compact-keeper:pin " + "x" * (BIG - 20)}),
    "a prompt of emoji of 4 MB": Extreme("answer_prompt.py", {**PROMPT, "prompt": "\U0001f69a" * (BIG // 12)}),
    "a command of 4 MB": Extreme("record_event.py", {
        "hook_event_name": "PostToolUseFailure", "tool_name": "Bash", "tool_input": {"command": "a=b " * (BIG // 8)},
        "error": "x: y " * (BIG // 10)}),
    "a summary of 4 MB": Extreme("audit_summary.py", {**POST, "compact_summary": "Done: a/b.py. " * (BIG // 14)}),
    "status of 4 MB": Extreme("status_line.py", {**STATUS, "more": "x" * BIG}),
    **{f"{name}, to {script}": Extreme(script, fields, raw=raw)
       for script, fields in HOOKS.items() for name, raw in ODD_INPUT.items()}}


def extremes(ground: Ground) -> Outcome:
    """Each extreme in a process of its own; short, some of them, a hundredth as big."""
    names, broken = list(EXTREMES)[::1 if ground.full else 7], []
    for number, name in enumerate(names):
        folder = ground.folder / str(number)
        folder.mkdir()
        broken += [f"{name}: {fault}" for fault in faults_of_extreme(ground, folder, EXTREMES[name])]
        shutil.rmtree(folder, ignore_errors=True)  # a save or an indexer that nobody waits for may still write
    return Outcome(len(names), broken)


def faults_of_extreme(ground: Ground, folder: Path, extreme: Extreme) -> list[str]:
    """What was wrong with the run."""
    transcript, session = folder / f"{SESSION_ID}.jsonl", folder / "home" / "sessions" / SESSION_ID
    session.mkdir(parents=True)
    (folder / "project").mkdir()
    extreme.prepare(transcript, session, 1 if ground.full else 100)
    given = extreme.raw(json.dumps({**hook_input("", transcript, cwd=str(folder)), **extreme.fields}).encode())
    by_hand = {"recall.py": ["index", "--quiet", str(transcript)], "stats.py": ["report", SESSION_ID]}
    ended, too_much = run_script(ground, folder, extreme.script, given, *by_hand.get(extreme.script, []))
    return [*too_much, *faults_of(extreme.script, given, ended)]


ATTACKS = (
    Attack("mutated inputs of every hook: exit 0, valid or nothing on stdout, no fault of ours in the log, in time",
           partial(in_process, "inputs", 10_000, 12)),
    Attack("mutated lines of transcripts and ledgers, through all that read them: the same, and valid files",
           partial(in_process, "lines", 7_000, 8)),
    Attack("mutated files of the data folder: the same", partial(in_process, "stores", 12_000, 25)),
    Attack("mutated messages to the MCP server: an answer, never an internal error",
           partial(in_process, "messages", 1_000, 10)),
    Attack("texts of 40,000 characters that repeat what each pattern repeats: the same",
           partial(in_process, "patterns", 100_000, 2)),
    Attack("mutated inputs as whole processes: the same", mutants_as_processes),
    Attack("inputs and files far too big, deep or odd: the same, and at most 64 MiB", extremes))
