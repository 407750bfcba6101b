#!/usr/bin/env python3
"""Runs mutants of one kind through the scripts of a folder, in this process, and says what broke.

Usage: mutation_runs.py KIND FIRST STOP EACH FOLDER [SCRIPTS]    (mutations.py starts it, one process for some thousand)

KIND is one of KINDS below; run is each EACH-th round from FIRST to before STOP. Prints a line of JSON: how many mutants
there were, and a line for each fault, with the round's number. `mutation_runs.py KIND 17 18 1 FOLDER` runs round 17
once more and leaves its files in FOLDER, which is to be empty.
"""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import signal
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any, NamedTuple
from zlib import crc32

HERE = Path(__file__).resolve().parent
if __name__ == "__main__":  # the scripts under attack come first
    sys.path[:0] = [sys.argv[6] if len(sys.argv) > 6 else str(HERE.parents[1] / "scripts"),
                    *(str(HERE.parents[1] / name) for name in ("tests", "tests/bench", "tests/hold", "src"))]

from mutants import hostile_text, mutant_line  # noqa: E402 - found by the lines above
from mutation_seeds import BAITED, LOOKS, MESSAGES, STATUS, SUMMARY, baited_sessions, hook_inputs, records  # noqa: E402
from pattern_bait import baits, watched  # noqa: E402
from sessions import SESSION_ID, JsonObject, as_line, hook_input, units  # noqa: E402

CPU = 2.0  # seconds of it that a run may take; hooks.json gives 5 at least, on slower machines
BAIT = 40_000  # characters: a pattern that takes their square takes 20 s
TEXT_UNITS, INSTRUCTIONS = 10_000, 301  # UTF-16 units of a text for the model; characters for the summariser
BY_HAND = ("recall.py", "stats.py")  # these may say on stderr why not, and end with 1 then
FAULT = re.compile(r"Z \w+\.py: ([A-Z]\w*(?:Error|Iteration)): (.*)")  # in hook.log
OF_THE_INPUT = re.compile(  # faults that a parser finds; all others but the system's own are ours
    r"JSONDecodeError|RecursionError: .*while decoding|ValueError: Exceeds the limit")
CONTEXT = {"hookEventName": str, "additionalContext": str, "suppressOriginalPrompt": bool}
ANSWER = {"hookSpecificOutput": dict, "systemMessage": str, "decision": str, "reason": str}
ODD_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1a\x1c-\x1f\x7f]|\x1b(?!\[[\d;]*m)")


class Ended(NamedTuple):
    """How a run of a script ended."""

    code: object
    out: bytes
    err: bytes
    log: str  # what it wrote to hook.log


class Overdue(BaseException):
    """A run takes longer than it may; no script catches this."""


def overdue(*_: object) -> None:
    """Ends the run."""
    raise Overdue(f"over {CPU} s of CPU")


# --- judge ---


def faults_of(script: str, given: bytes, ended: Ended) -> Iterator[str]:
    """What is wrong with how a script ended that was given this on stdin."""
    by_hand = script in BY_HAND
    if ended.code not in ((0, 1) if by_hand else (0,)):
        yield f"exit {ended.code}"
    if said := [line for line in ended.err.splitlines() if not (by_hand and line.startswith(b"compact-keeper: "))]:
        yield f"stderr {b' '.join(said[-2:])[-300:]!r}"
    yield from (f"log {line[21:400]}" for line in ended.log.splitlines() if is_ours(line))
    try:
        out = ended.out.decode()
        yield from () if by_hand else faults_of_output(script, given, out)
    except (ValueError, TypeError, AttributeError, RecursionError) as fault:
        yield f"stdout {type(fault).__name__} {fault}: {ended.out[:200]!r}"


def is_ours(line: str) -> bool:
    """Whether a line of hook.log names a fault of the program's, not of its input or of the machine."""
    match = FAULT.search(line)
    kind = getattr(__import__("builtins"), match[1], Exception) if match else OSError
    return not issubclass(kind, OSError) and not OF_THE_INPUT.match(line, match.start(1) if match else 0)


def faults_of_output(script: str, given: bytes, out: str) -> Iterator[str]:
    """What is wrong with what a hook printed."""
    if script == "status_line.py":
        if ODD_CONTROLS.search(out) or out.count("\n") != 1 or not out.endswith("\n"):
            yield f"line {out[:200]!r}"
    elif script == "save_snapshot.py" and not out.startswith("{"):
        if len(out) >= INSTRUCTIONS:
            yield f"instructions {out[:200]!r}"
    elif out:
        yield from faults_of_answer(strict(out), json.loads(given.decode("utf-8", "replace")))


def strict(text: str) -> Any:
    """The value of JSON as the client reads it, which knows no NaN and no Infinity: `int` refuses their names."""
    return json.loads(text, parse_constant=int)


def faults_of_answer(answer: JsonObject, given: JsonObject) -> Iterator[str]:
    """What is wrong with the object that a hook printed."""
    context = answer.get("hookSpecificOutput", {})
    for fields, shape in ((answer, ANSWER), (context, CONTEXT)):
        yield from (f"field {name} {value!r}"[:200] for name, value in fields.items()
                    if not isinstance(value, shape.get(name, ())))
    event = given.get("hook_event_name")
    if context.get("hookEventName", event) != event:
        yield f"names {context['hookEventName']}, was given {event!r}"
    if answer.get("decision", "block") != "block":
        yield f"decision {answer['decision']}"
    for text in (context.get("additionalContext", ""), answer.get("systemMessage", ""), answer.get("reason", "")):
        text.encode()  # no lone surrogate, which the client would show as �
        if units(text) > TEXT_UNITS and text != answer.get("reason"):  # that one the person sees whole
            yield f"text of {units(text)} units"


# --- stage: a data folder, and scripts run on it in this process ---


def environment(folder: Path) -> dict[str, str]:
    """Where a script finds everything that it could touch."""
    return {"COMPACT_KEEPER_HOME": str(folder / "home"), "HOME": str(folder), "COMPACT_KEEPER_ARCHIVE": "off",
            "CLAUDE_CONFIG_DIR": str(folder / "config"), "CLAUDE_PROJECT_DIR": str(folder / "project")}


class Stage:
    """A folder with a data folder, a project and a transcript of which all shapes of input are made."""

    def __init__(self, folder: Path, patterns: set[tuple[str, int]]) -> None:
        self.home, self.project = folder / "home", folder / "project"
        self.session, self.transcript = self.home / "sessions" / SESSION_ID, folder / f"{SESSION_ID}.jsonl"
        self.round, self.number, self.attempts = "the first", 0, 0
        self.faults: list[str] = []
        self.placed: set[str] = set()  # scripts whose log tells the place of a fault
        self.project.mkdir()
        self.records, self.inputs = records(), hook_inputs(self.transcript, self.project)
        begin(self)
        self.kept = {path: path.read_bytes() for path in [*sorted(self.home.rglob("*")), self.transcript]
                     if path.is_file()}
        left_out = (self.transcript.name, "memory.json", "snapshot.json")  # what shows items does not check them yet
        self.stores = [path for path in self.kept if path.suffix in (".json", ".jsonl") and path.name not in left_out]
        self.ledger = [json.loads(line) for line in self.kept[self.session / "ledger.jsonl"].splitlines()]
        self.baits = all_baits(patterns)

    def reset(self, keeping: bool = True) -> None:
        """The data folder as it was kept, else empty."""
        shutil.rmtree(self.home, ignore_errors=True)
        self.session.mkdir(parents=True)
        for path, data in self.kept.items() if keeping else ():
            path.write_bytes(data)

    def run(self, script: str, given: bytes, *arguments: str) -> None:
        """Runs the script and notes what is wrong with it."""
        for stream in (1, 2):
            os.lseek(stream, 0, os.SEEK_SET)
            os.ftruncate(stream, 0)
        path, stdin = [*sys.path], sys.stdin
        sys.stdin = SimpleNamespace(buffer=io.BytesIO(given), isatty=lambda: False)
        code = self.code_of(script, arguments)
        sys.path[:], sys.stdin, log = path, stdin, self.home / "hook.log"
        sys.stdout.flush()
        sys.stderr.flush()
        out, err = (os.pread(stream, 64 << 20, 0) for stream in (1, 2))
        log_text = log.read_text("utf-8", "replace") if log.exists() else ""
        log.unlink(missing_ok=True)
        self.note(f"{script} {given[:120]!r}", faults_of(script, given, Ended(code, out, err, log_text)))

    def code_of(self, script: str, arguments: tuple[str, ...]) -> object:
        """The script's exit code; what left it instead."""
        module: Any = __import__(script[:-3])
        if hasattr(module, "log") and script not in self.placed:
            self.placed.add(script)
            module.log = with_place(module.log)
        signal.setitimer(signal.ITIMER_PROF, CPU)
        try:
            return module.main([*arguments])
        except SystemExit as left:
            return left.code
        except BaseException as fault:  # noqa: BLE001 - whatever leaves a script is what is looked for
            return f"{type(fault).__name__}: {fault}"[:200] + place_of(fault)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            if hasattr(module, "unlock_session"):
                module.unlock_session()  # as the end of a process does; else the next script waits for it

    def hook(self, script: str, event: str, **fields: Any) -> None:
        """Runs a hook with an input as it should be."""
        given = {**hook_input(event, self.transcript), "cwd": str(self.project), **fields}
        self.run(script, json.dumps(given).encode())

    def note(self, what: str, faults: Iterator[str]) -> None:
        """Keeps the faults of one run."""
        self.faults += [f"{self.round}: {what}: {fault}" for fault in faults]

    def check_files(self) -> None:
        """Notes where a file of the session's is no JSON of ours."""
        for path in self.session.glob("*.json"):
            try:
                good = json.loads(path.read_bytes())["schema"] == 1
            except (ValueError, TypeError, KeyError, RecursionError):
                good = False
            self.note(path.name, iter(() if good else ("is no JSON of ours",)))


def place_of(fault: BaseException) -> str:
    """Where in the scripts it was raised, and from where that was called."""
    frames = [frame for frame in traceback.extract_tb(fault.__traceback__) if Path(frame.filename).parent != HERE]
    return " in " + " < ".join(f"{frame.name}:{frame.lineno}" for frame in reversed(frames[-3:]))


def with_place(log: Callable[[str], None]) -> Callable[[str], None]:
    """The log, which tells where a fault was raised too."""
    def log_with_place(message: str) -> None:
        fault = sys.exc_info()[1]
        log(message[:200] + (place_of(fault) if fault else ""))
    return log_with_place


def begin(stage: Stage) -> None:
    """A session before, in and after a compaction, with everything on disk that a session leaves there."""
    stage.transcript.write_bytes(b"".join(map(as_line, stage.records[:120])))
    for script, given in stage.inputs[:20]:
        stage.run(script, json.dumps(given).encode())
    ledger = (stage.session / "ledger.jsonl").read_bytes()
    stage.hook("save_snapshot.py", "Stop")
    stage.hook("save_snapshot.py", "PreCompact")
    stage.hook("restore_snapshot.py", "SessionStart", source="compact")
    stage.hook("audit_summary.py", "PostCompact", compact_summary=SUMMARY)
    stage.hook("answer_prompt.py", "UserPromptSubmit", prompt="/compact-keeper:pin Keep the omega flag.")
    (stage.session / "ledger.jsonl").write_bytes(ledger)
    (stage.home / "config.json").write_text('{"schema": 1, "budget": 4000, "gate": "hold", "weights": {"rule": 2}}')
    note = {"schema": 1, "session": SESSION_ID, "text": "A rule.", "findings": [{"what": "dropped", "text": "A rule."}]}
    (stage.session / "note.json").write_text(json.dumps(note))
    for delivered in stage.session.glob("delivered-*"):  # so that it is put back again
        delivered.unlink()


def all_baits(watched_patterns: set[tuple[str, int]]) -> list[str]:
    """Long texts for each of the patterns, those of secrets too, and some that repeat what stands between words.

    By their checksums: the first few are of several patterns.
    """
    secret_table = __import__("record_event").SECRETS  # of the script under attack
    secrets = {(pattern, re.DOTALL) for _, _, *patterns in secret_table
               for pattern in patterns} if watched_patterns else set()
    made = {text for pattern, flags in watched_patterns | secrets for text in baits(pattern, flags, BAIT)}
    made |= {piece * (BAIT // len(piece)) for piece in BAITED}
    return sorted(made, key=lambda text: crc32(text.encode("utf-8", "surrogatepass")))


# --- the kinds: a round of each ---


def mutate_inputs(stage: Stage, rng: Random) -> None:
    """A mutated input for each of some hooks, on a session in good order."""
    stage.reset()
    for script, given in rng.sample(stage.inputs, 6):
        stage.attempts += 1
        stage.run(script, mutant_line(rng, given, rng.choice(stage.inputs)[1]))
    stage.check_files()


def mutate_lines(stage: Stage, rng: Random) -> None:
    """A transcript and a ledger of mutated lines, read by all that read them."""
    at, lines = rng.randrange(len(stage.records) - 24), []
    for record in stage.records[at:at + 24]:
        is_mutant = rng.random() < 0.6
        stage.attempts += is_mutant
        lines.append(mutant_line(rng, record, rng.choice(stage.records)) + b"\n" if is_mutant else as_line(record))
    stage.reset(keeping=False)
    for whole, event in ((10, "Stop"), (20, "PreCompact")):
        with (stage.session / "ledger.jsonl").open("ab") as file:
            file.writelines(mutant_line(rng, *rng.sample(stage.ledger, 2)) + b"\n" for _ in range(2))
            stage.attempts += 2
        stage.transcript.write_bytes(b"".join(lines[:whole]) + lines[whole][:rng.choice((0, 0, 40))])  # torn at times
        stage.hook("save_snapshot.py", event)
    stage.transcript.write_bytes(b"".join(lines))
    stage.hook("restore_snapshot.py", "SessionStart", source="compact")
    stage.hook("audit_summary.py", "PostCompact", compact_summary=hostile_text(rng, SUMMARY))
    stage.hook("restore_snapshot.py", "UserPromptSubmit", prompt="continue")
    look(stage, rng)
    stage.check_files()


def mutate_stores(stage: Stage, rng: Random) -> None:
    """Mutated files of the data folder, read by some of those that read them."""
    stage.reset()
    for path in rng.sample(stage.stores, 2):
        stage.attempts += 1
        *before, line = stage.kept[path].splitlines()
        value = json.loads(line)
        path.write_bytes(b"\n".join([*before, mutant_line(rng, value, value)]) + b"\n")
    for script, given in rng.sample(stage.inputs[12:], 3):  # from the prompts on
        stage.run(script, json.dumps(given).encode())
    look(stage, rng)


def look(stage: Stage, rng: Random) -> None:
    """One of what people use to see or find something."""
    script, request = rng.choice(LOOKS)
    if script == "answer_prompt.py":
        stage.hook(script, "UserPromptSubmit", prompt=request)
    elif script == "status_line.py":
        stage.hook(script, "Status", **STATUS)
    else:
        words = {"TRANSCRIPT": str(stage.transcript), "SESSION": SESSION_ID}
        stage.run(script, b"", *(words.get(word, word) for word in request.split()))


def mutate_messages(stage: Stage, rng: Random) -> None:
    """Mutated messages to the server of the Model Context Protocol."""
    script: Any = __import__("recall")  # the one under attack
    conversation = script.McpConversation()
    for _ in range(10):
        stage.attempts += 1
        line = mutant_line(rng, *rng.sample(MESSAGES, 2))
        answer = strict(json.dumps(conversation.answers(line)))
        answers = [answer] if isinstance(answer, dict) else answer or []
        stage.note(f"recall.py mcp {line[:200]!r}", (str(message) for message in answers if (
            message.get("error", {}).get("code") == script.INTERNAL or message["jsonrpc"] != "2.0")))


def bait_patterns(stage: Stage, _: Random) -> None:
    """A long text made for one of the patterns, wherever a script takes text from."""
    stage.attempts += 1
    text = stage.baits[stage.number]
    stage.reset()
    stage.hook("record_event.py", "PostToolUseFailure", tool_name="Bash", error=text, tool_input={"command": text})
    stage.hook("record_event.py", "PostToolUseFailure", tool_name=text, error=f"x\n{text[:9_000]}",
               tool_input={"file_path": text, "prompt": text})
    stage.hook("answer_prompt.py", "UserPromptSubmit", prompt=text)
    stage.hook("answer_prompt.py", "UserPromptSubmit", prompt=f"/compact-keeper:pin {text}")
    for session in baited_sessions(text):
        stage.reset(keeping=False)
        session.write(stage.transcript)
        stage.hook("save_snapshot.py", "PreCompact")
        stage.hook("restore_snapshot.py", "SessionStart", source="compact")
        stage.hook("audit_summary.py", "PostCompact", compact_summary=text)
        stage.run("recall.py", b"", "index", "--quiet", str(stage.transcript))


KINDS: dict[str, Callable[[Stage, Random], None]] = {
    "inputs": mutate_inputs, "lines": mutate_lines, "stores": mutate_stores, "messages": mutate_messages,
    "patterns": bait_patterns}


def start_nothing(start: Callable[..., int], _: str, __: list[str], environment: Mapping[str, str],
                  **more: Any) -> int:
    """The number of a process that ends at once: scripts kill what they give up on, and 0 would be their own group."""
    return start("/bin/sh", ["sh", "-c", ":"], environment, **more)


def main(kind: str, rounds: range, folder: Path) -> None:
    """Runs the rounds of these numbers; of texts for patterns as many as there are."""
    os.environ.update(environment(folder))
    os.chdir(folder)
    report = os.dup(1)
    for stream in (1, 2):
        os.dup2(os.open(folder / f"stream-{stream}", os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600), stream)
    for name in ("nice", "setsid"):
        setattr(os, name, lambda *_: 0)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for what is started
    os.posix_spawn = partial(start_nothing, os.posix_spawn)
    signal.signal(signal.SIGPROF, overdue)
    patterns = watched() if kind == "patterns" else set()
    stage = Stage(folder, patterns)
    for number in (number for number in rounds if not patterns or number < len(stage.baits)):
        stage.round, stage.number = f"{kind} {number}", number
        KINDS[kind](stage, Random(stage.round))
    os.write(report, json.dumps([stage.attempts, stage.faults]).encode())


if __name__ == "__main__":
    main(sys.argv[1], range(*map(int, sys.argv[2:5])), Path(sys.argv[5]))
