"""What runs beside the work: recordings that overtake each other, come late, never end or are killed; what waits.

The commands are hooks.json's own, in the client's shell. A hook that comes late is one whose process is stopped; the
hooks in between go on, as they do at the client's. Where two hooks meet at one file, the first is stopped before each
of its calls on files in turn, and the second runs then.
"""

from __future__ import annotations

import json
import os
import random
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import odd_names
from attack import Attack, Ground, Outcome
from compact_keeper.audit.note import NOTE_HEADER
from place import PATIENCE, Call, JsonObject, Place, ended, feed, hook_input, stored
from sessions import Session, at_rest

NAME = "5e551011-0000-4000-8000-00000000000d"  # the session
ROOT = Path(__file__).resolve().parents[2]
SUMMARY = "Primary request: the rates."
FATES = ("in time", "in time", "late", "late", "killed", "terminated", "never")  # of a recording
STOPS_SECONDS = 0.06  # after its start at most, so long a recording takes with its shells
LONG_AGO = 3_600  # seconds: nobody writes a folded ledger any more
MEETING_SECONDS = 0.2  # that the second hook has before the first, which may hold a lock, goes on


class Shell(Place):
    """A place where the commands of hooks.json run in a shell, each a process group."""

    def __init__(self, ground: Ground, name: str) -> None:
        super().__init__(ground, name)
        self.root = ground.scripts.parent
        if not (self.root / "hooks").exists():  # broken scripts
            shutil.copytree(ROOT / "hooks", self.root / "hooks")
        self.bin = ground.folder / "bin"
        self.bin.mkdir(exist_ok=True)
        python = self.bin / "python3"
        if not python.exists():  # the one that is tested, and no shim of it
            python.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} "$@"\n')
            python.chmod(0o755)
        self.environment |= {"PATH": f"{self.bin}:{self.environment['PATH']}", "CLAUDE_PLUGIN_ROOT": str(self.root),
                             "CLAUDE_CODE_SESSION_ID": NAME, "CLAUDE_CODE_ENTRYPOINT": "cli"}
        known = json.loads((ROOT / "hooks" / "hooks.json").read_text(encoding="utf-8"))["hooks"]
        self.commands = {event: [hook["command"] for entry in entries for hook in entry["hooks"]]
                         for event, entries in known.items()}

    def shell(self, command: str, given: JsonObject) -> subprocess.Popen[bytes]:
        """The command's process, which has its stdin."""
        process = subprocess.Popen(["/bin/sh", "-c", command], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, env=self.environment, cwd=self.folder,
                                   start_new_session=True)
        feed(process, Call("", given))
        return process

    def event(self, event: str, transcript: Path, number: int = 0, **fields: Any) -> str:
        """What the command of that number prints for the event; a fault where it does not end as it has to."""
        done = ended(self.shell(self.commands[event][number], hook_input(event, NAME, transcript, **fields)))
        assert done.code == 0, done
        return done.out

    def rests(self) -> None:
        """Waits for what goes on beside the work."""
        at_rest(f"COMPACT_KEEPER_HOME={self.home}")


# --- recordings that come in another order, late, never ---


class Recording(NamedTuple):
    """A recording beside the work, and what becomes of it."""

    command: str  # of the call
    fate: str
    process: subprocess.Popen[bytes]
    is_subagents: bool


class Turns:
    """A session whose recordings meet such fates."""

    def __init__(self, ground: Ground, seed: int) -> None:
        self.place, self.chance = Shell(ground, f"beside{seed}"), random.Random(seed)
        self.transcript = ground.folder / f"beside{seed}.jsonl"
        self.session, self.seed = Session(session=NAME), seed
        self.recordings, self.stopped, self.outputs = list[Recording](), list[Recording](), list[str]()
        self.last = ""  # command of the main thread before the newest compaction

    def call(self, number: int, is_last: bool = False) -> None:
        """A tool call: its recording starts, is maybe stopped; what waits is handed over; others may go on now."""
        command, is_subagents = f"make part-{self.seed}-{number}", not is_last and self.chance.random() < 0.2
        fields: JsonObject = {"tool_name": "Bash", "tool_input": {"command": command}, "tool_response": {}}
        if is_subagents:
            fields |= {"tool_use_id": f"sub{number}", "agent_id": f"a{number}"}
        else:
            fields |= {"tool_use_id": self.session.ran("Bash", command=command)}
        if self.chance.random() < 0.5:  # else the transcript has it later
            self.session.write(self.transcript)
        given = hook_input("PostToolUse", NAME, self.transcript, **fields)
        process = self.place.shell(self.place.commands["PostToolUse"][0], given)
        recording = Recording(command, self.chance.choice(FATES), process, is_subagents)
        self.recordings.append(recording)
        if recording.fate != "in time":
            time.sleep(self.chance.random() * STOPS_SECONDS)
            self.meets(recording)
        self.outputs.append(self.place.event("PostToolUse", self.transcript, 1, **fields))
        while self.stopped and self.chance.random() < 0.3:
            self.goes_on(self.stopped.pop(self.chance.randrange(len(self.stopped))))

    def meets(self, recording: Recording) -> None:
        """The recording is stopped or ended, with all that it has started."""
        what = {"killed": signal.SIGKILL, "terminated": signal.SIGTERM}.get(recording.fate, signal.SIGSTOP)
        os.killpg(recording.process.pid, what)
        if what is signal.SIGSTOP:
            self.stopped.append(recording)

    def goes_on(self, recording: Recording) -> None:
        """A late one goes on; one that never ends waits until the session's end, and is killed."""
        if recording.fate == "late":
            os.killpg(recording.process.pid, signal.SIGCONT)

    def compacts(self) -> None:
        """A compaction, with a task that the summary calls done."""
        self.session.created(len(self.outputs), f"Write the {len(self.outputs)} part of the tariff tables")
        summary = f"{SUMMARY}\n- Write the {len(self.outputs)} part of the tariff tables: completed\n"
        self.session.write(self.transcript)
        self.last = [recording.command for recording in self.recordings if not recording.is_subagents][-1]
        self.place.event("PreCompact", self.transcript, trigger="auto")
        self.outputs.append(self.place.event("SessionStart", self.transcript, source="compact"))
        self.session.compacted(summary)
        self.session.write(self.transcript)
        self.place.event("PostCompact", self.transcript, trigger="auto", compact_summary=summary)

    def ends(self) -> None:
        """All go on that can; what never ended is killed; then the last save."""
        for recording in self.recordings:
            if recording.fate == "never":
                os.killpg(recording.process.pid, signal.SIGKILL)
            self.goes_on(recording)
        for recording in self.recordings:
            ended(recording.process)
        self.session.write(self.transcript)
        folded = self.place.session(NAME) / "ledger.folded.jsonl"
        if folded.exists():
            os.utime(folded, (1, time.time() - LONG_AGO))
        self.place.event("Stop", self.transcript)
        self.place.rests()

    def faults(self) -> Iterator[str]:
        """What does not hold in the end."""
        uses = {item["text"]: item["uses"] for item in stored(self.place.session(NAME) / "memory.json")["items"]
                if item["kind"] == "action"}
        for command, fate, process, is_subagents in self.recordings:
            count = uses.get(command, 0)
            is_certain = fate in ("in time", "late") or not is_subagents  # the transcript has the main thread's
            if count > 1 or count < is_certain:
                yield f"{command}, {fate}{', of a subagent' * is_subagents}: in memory {count} times"
            if process.returncode and fate in ("in time", "late"):
                yield f"{command}, {fate}: exit code {process.returncode}"
        texts = [json.loads(text)["hookSpecificOutput"]["additionalContext"] for text in self.outputs if text]
        notes = [text for text in texts if text.startswith(NOTE_HEADER)]
        blocks = [text for text in texts if text not in notes]
        if len(blocks) != 2 or self.last not in blocks[-1]:
            yield f"{len(blocks)} texts, the last {'without' * (self.last not in blocks[-1])} {self.last}"
        if len(notes) != 2:
            yield f"{len(notes)} notes"
        yield from (*self.place.faults(), *self.place.torn())


def beside_the_work(ground: Ground) -> Outcome:
    """Turns with two compactions; recordings overtake each other, saves and compactions, or are ended."""
    broken, calls, seeds = list[str](), 9, 40 if ground.full else 2
    for seed in range(seeds):
        turns = Turns(ground, seed)
        turns.session.typed("Never rename the rates column.")
        for compaction in range(2):
            for number in range(calls):
                turns.call(calls * compaction + number)
                if turns.chance.random() < 0.2:
                    turns.place.event("Stop", turns.transcript)
            turns.compacts()
        turns.call(2 * calls, is_last=True)  # of the main thread, for the note
        turns.ends()
        broken += [f"seed {seed}: {fault}" for fault in turns.faults()]
    return Outcome(seeds * (2 * calls + 1), broken)


# --- two hooks that meet at what waits ---

MEETING = """
import os, signal, sys
scripts, name, at, told, *arguments = sys.argv[1:]
calls = 0

def step(real):
    def call(*given, **more):
        global calls
        calls += 1
        if calls == int(at):
            os.kill(os.getpid(), signal.SIGSTOP)
        return real(*given, **more)
    return call

was_open = open
for call in ("open", "replace", "unlink", "write", "mkdir", "link"):
    setattr(os, call, step(getattr(os, call)))
for call in ("exists", "lexists", "isdir", "isfile"):
    setattr(os.path, call, step(getattr(os.path, call)))
sys.path.append(scripts)
__import__(name.removesuffix(".py")).main(arguments)
with was_open(told, "w") as file:
    file.write(str(calls))
"""
FIRST, SECOND, BROUGHT, REST = ("the alpha words wait", "the beta words wait", "the gamma words wait",
                                "the delta words wait")
PIN = "Keep the omega dock."


class Meeting(NamedTuple):
    """Two hooks, what waits before, and the words that have to go out once in the end, or once at most."""

    name: str
    prepare: Callable[[Place], object]
    first: Callable[[Place], Call]
    second: Callable[[Place], list[Call]]
    once: tuple[str, ...] = ()
    never_twice: tuple[str, ...] = ()


def waits(place: Place, *words: str) -> None:
    """A note, a second part and what the person changed, each with its words, of a compaction that was delivered."""
    folder = place.session(NAME)
    folder.mkdir(parents=True, exist_ok=True)
    texts: JsonObject = {FIRST: ("note.json", {"text": FIRST}), REST: ("rest.json", {"text": REST, "id": "a1"}),
                     BROUGHT: ("untold.json", {"parts": [BROUGHT], "time": time.time()})}
    for name, fields in (texts[word] for word in words):
        replaced(folder / name, {"schema": 1, **fields})
    (folder / "compaction.json").write_text(json.dumps({"schema": 1, "id": "a1", "stage": "delivered"}))


def replaced(path: Path, data: JsonObject) -> None:
    """The file in its place, as our hooks put it there."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    draft = path.with_suffix(".next")
    draft.write_text(json.dumps(data), encoding="utf-8")
    draft.replace(path)


def leaves_note(place: Place) -> None:
    """A second note, as the next audit leaves it."""
    replaced(place.session(NAME) / "note.json", {"schema": 1, "text": SECOND})


def handing(place: Place) -> Call:
    """The hand-over behind a tool call."""
    return Call("record_event.py", hook_input("PostToolUse", NAME, place.folder / "none.jsonl", tool_name="Bash",
                                              tool_input={}, tool_use_id="t1"), ("--hand-over",))


def prompting(place: Place, words: str = "Go on.") -> Call:
    """A prompt."""
    return Call("answer_prompt.py", hook_input("UserPromptSubmit", NAME, place.folder / "none.jsonl", prompt=words))


def pinning(place: Place) -> Call:
    """A pin, typed."""
    return prompting(place, f"/compact-keeper:pin {PIN}")


def resting(place: Place) -> Call:
    """The second command at a start behind a compaction."""
    return Call("restore_snapshot.py", hook_input("SessionStart", NAME, place.folder / "none.jsonl", source="compact"),
                ("--rest",))


def all_wait(place: Place) -> None:
    """Each kind of what waits."""
    waits(place, FIRST, REST, BROUGHT)


def much_waits(place: Place) -> None:
    """More of what the person brought in than one event carries."""
    waits(place)
    parts = [f"{words} {'x' * 6_000}" for words in (FIRST, SECOND)]
    (place.session(NAME) / "untold.json").write_text(json.dumps({"schema": 1, "parts": parts, "time": time.time()}))


ALL = (FIRST, REST, BROUGHT)
MEETINGS = (
    Meeting("two hand-overs", all_wait, handing, lambda place: [handing(place)], ALL),
    Meeting("a hand-over and a prompt", all_wait, handing, lambda place: [prompting(place)], ALL),
    Meeting("a prompt and two hand-overs", all_wait, prompting, lambda place: [handing(place)] * 2, ALL),
    Meeting("a hand-over and the rest's own command", all_wait, handing, lambda place: [resting(place)], ALL),
    Meeting("the rest's own command and a hand-over", all_wait, resting, lambda place: [handing(place)], ALL),
    Meeting("a hand-over and a pin", all_wait, handing, lambda place: [pinning(place)], (*ALL, PIN)),
    Meeting("a pin and a hand-over", all_wait, pinning, lambda place: [handing(place)], (*ALL, PIN)),
    Meeting("a hand-over that leaves some, and a pin", much_waits, handing, lambda place: [pinning(place)],
            (FIRST, SECOND, PIN)),
    Meeting("a pin and a hand-over that leaves some", much_waits, pinning, lambda place: [handing(place)],
            (FIRST, SECOND, PIN)),
    Meeting("a hand-over and a compaction that begins", all_wait, handing, lambda place: [
        Call("save_snapshot.py", hook_input("PreCompact", NAME, place.folder / "none.jsonl", trigger="auto"))],
            (FIRST, BROUGHT), (REST,)),
    Meeting("a hand-over, the next note and its hand-over", lambda place: waits(place, FIRST), handing,
            lambda place: [Call("", "note"), handing(place)], (SECOND,), (FIRST,)))


def meetings(ground: Ground) -> Outcome:
    """Each first hook is stopped before each of its calls on files, the second ones run, then it goes on."""
    draw, broken, attempts = random.Random(5), list[str](), 0
    for meeting in MEETINGS:
        count = met(ground, meeting, 0)[1]
        moments = range(1, count + 1)
        for at in moments if ground.full else sorted(draw.sample(moments, 2)):
            attempts += 1
            broken += [f"{meeting.name}, before call {at} of {count}: {fault}"
                       for fault in met(ground, meeting, at)[0]]
            if ground.has_enough(broken):
                break
    return Outcome(attempts, broken)


def met(ground: Ground, meeting: Meeting, at: int) -> tuple[list[str], int]:
    """What is wrong when the first hook is stopped before its call of that number; how many calls it made."""
    place = Place(ground, "meeting")
    shutil.rmtree(place.home, ignore_errors=True)
    place.environment |= {"CLAUDE_CODE_ENTRYPOINT": "cli"}
    meeting.prepare(place)
    count_path, call = ground.folder / "calls", meeting.first(place)
    process = place.start("-c", MEETING, str(place.scripts), call.script, str(at), str(count_path), *call.arguments)
    feed(process, call)
    is_stopped = bool(at) and stops(process)
    printed = [done for second in meeting.second(place) for done in beside(place, second, process, is_stopped)]
    if is_stopped:
        os.kill(process.pid, signal.SIGCONT)
    printed.append(ended(process).out)
    last = [place.run(*handing(place)[:2], "--hand-over").out for _ in range(2)]
    last.append(place.run(*prompting(place)[:2]).out)
    texts = [context_in(out) for out in (*printed, *last)]
    faults = [f"{words!r} went out {count} times" for words in (*meeting.once, *meeting.never_twice)
              for count in [sum(words in text for text in texts)]
              if count > 1 or count < (words in meeting.once)]
    return faults + place.faults() + place.torn(), int(count_path.read_text()) if count_path.exists() else 0


def stops(process: subprocess.Popen[bytes]) -> bool:
    """Waits until the process is stopped, or has ended: it makes fewer calls once its bytecode is kept."""
    _, status = os.waitpid(process.pid, os.WUNTRACED)
    if not os.WIFSTOPPED(status):
        process.returncode = os.waitstatus_to_exitcode(status)
    return os.WIFSTOPPED(status)


def beside(place: Place, call: Call, stopped: subprocess.Popen[bytes], is_stopped: bool) -> Iterator[str]:
    """What the hook prints; where it waits for the stopped one, that goes on."""
    if call.given == "note":
        leaves_note(place)
        return
    process = place.begin(call)
    feed(process, call)
    try:
        out, _ = process.communicate(timeout=MEETING_SECONDS if is_stopped else PATIENCE)
    except subprocess.TimeoutExpired:
        os.kill(stopped.pid, signal.SIGCONT)
        out, _ = process.communicate(timeout=PATIENCE)
    yield out.decode()


def context_in(out: str) -> str:
    """The text for the model in what a hook printed."""
    answer = json.loads(out) if out.startswith("{") else {}
    return str(answer.get("hookSpecificOutput", {}).get("additionalContext", ""))


# --- what the shell tests for ---

def sparse(path: Path) -> None:
    """A huge file of nothing."""
    with path.open("wb") as file:
        file.truncate(100 << 20)


STRANGE: dict[str, Callable[[Path, Path], object]] = {  # what may lie in the place of what waits: (path, a key)
    "a link to a key": lambda path, key: path.symlink_to(key),
    "a link to nothing": lambda path, _: path.symlink_to("no"),
    "a link to itself": lambda path, _: path.symlink_to(path.name),
    "a link to a device": lambda path, _: path.symlink_to("/dev/zero"), "a FIFO": lambda path, _: os.mkfifo(path),
    "a folder": lambda path, _: path.mkdir(), "a folder with files": lambda path, _: (path / "x").mkdir(parents=True),
    "nothing in it": lambda path, _: path.touch(), "no JSON": lambda path, _: path.write_bytes(bytes(range(256))),
    "deep": lambda path, _: path.write_bytes(b'{"schema": 1, "text": ' + b"[" * 100_000),
    "10 MB": lambda path, _: path.write_bytes(b'{"schema": 1, "text": "' + b"x" * (10 << 20) + b'"}'),
    "100 MB, sparse": lambda path, _: sparse(path),
    "many parts": lambda path, _: path.write_text(json.dumps({"schema": 1, "parts": ["x" * 9_000] * 500})),
    "a later version's": lambda path, _: path.write_text('{"schema": 2, "text": "x", "parts": ["x"]}')}
KEY = "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQ"
FILES = ("note.json", "rest.json", "untold.json")
MOST_LINES = 3  # in the log, of a hand-over with one thing that is none of ours


def strange_files(ground: Ground) -> Outcome:
    """Each file that the shell tests for is something else; then a note waits, and has to go out."""
    broken, attempts = list[str](), 0
    cases = [(file, name) for file in FILES for name in STRANGE]
    for file, name in cases if ground.full else cases[::5]:
        place = Shell(ground, f"strange{attempts}")
        waits(place)
        key = place.home / "key"
        key.write_text(json.dumps({"schema": 1, "text": KEY, "pins": KEY, "id": "a1"}))
        outputs = []
        for given in ("", ".given") if ground.full else ("",):
            path = place.session(NAME) / f"{file}{given}"
            STRANGE[name](path, key)
        for _ in range(3):
            known = len(place.faults())
            outputs.append(place.event("PostToolUse", place.folder / "none.jsonl", 1, tool_name="Bash"))
            lines = len(place.faults()) - known
            broken += [f"{file} is {name}: {lines} lines in the log"] * (lines > MOST_LINES)
        attempts += 3
        waits(place, FIRST)
        outputs.append(place.event("PostToolUse", place.folder / "none.jsonl", 1, tool_name="Bash"))
        if FIRST not in outputs[-1]:
            broken.append(f"{file} is {name}: a note behind it does not go out: {place.faults()[-1:]}")
        broken += [f"{file} is {name}: the key is told"] * any(KEY in text for text in outputs)
        broken += [f"{file} is {name}: told {text[:80]!r}" for text in outputs[:-1] if "xxx" not in text and text]
        broken += [f"{file} is {name}: told {len(text):,} characters" for text in outputs if len(text) > 12_000]
    return Outcome(attempts, broken)


SHELLS = [shell for shell in ("dash", "bash") if shutil.which(shell)]


def odd_places(ground: Ground) -> Outcome:
    """Data folder, plugin, working folder and session have odd names: the shell runs nothing of them, and it works."""
    broken, attempts = list[str](), 0
    words = [*odd_names.WORDS.values(), "~", "~root/x", "-e", "!", "a)b(c", "*", "[ -e x ]", "%"]
    for number, name in enumerate(words if ground.full else words[::4]):
        folder = ground.folder / f"place{number}" / name
        (folder / ".claude-plugin").mkdir(parents=True)
        shutil.copytree(ground.scripts, folder / "scripts", ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copytree(ROOT / "hooks", folder / "hooks")
        for shell in SHELLS:
            place = Shell(ground, f"place{number}/{name}/data-{shell}")
            place.environment |= {"CLAUDE_PLUGIN_ROOT": str(folder), "CDPATH": str(folder), "ENV": str(folder / "env")}
            waits(place, FIRST)
            before = {path.name for path in folder.iterdir()}
            outputs = [run_in(place, shell, folder, session) for session in (NAME, f"../{name}", name, NAME)]
            attempts += len(outputs)
            if not any(FIRST in text for text in outputs):
                broken.append(f"{name!r} in {shell}: {outputs}")
            litter = {path.name for path in folder.iterdir()} - before - {f"data-{shell}", "none.jsonl"}
            broken += [f"{name!r} in {shell}: {sorted(litter)} in the working folder"] * bool(litter)
            broken += [f"{name!r} in {shell}: {line}" for line in place.faults()]
    return Outcome(attempts, broken)


def run_in(place: Shell, shell: str, folder: Path, session: str) -> str:
    """What the hand-over prints in the shell, started in the folder; the client names that session to the shell."""
    given = hook_input("PostToolUse", NAME, folder / "none.jsonl", tool_name="Bash")
    done = subprocess.run(
        [str(shutil.which(shell)), "-c", place.commands["PostToolUse"][1]], input=json.dumps(given).encode(),
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=folder, timeout=PATIENCE,
        env={**place.environment, "CLAUDE_CODE_SESSION_ID": session})
    printed = done.stdout.decode("utf-8", "replace")
    return f"exit code {done.returncode}: {printed}" if done.returncode else printed


ATTACKS: tuple[Attack, ...] = (
    Attack("recordings that overtake each other, saves and compactions, come late, never end, are killed: each in "
           "memory once, one text and one note per compaction", beside_the_work),
    Attack("two hooks at what waits, the first stopped before each call on a file: each text goes out once", meetings),
    Attack("links, FIFOs, folders, huge and broken files in the place of what waits: none is told, a note behind goes "
           "out", strange_files),
    Attack("odd names of data folder, plugin, session in the shell's own test: nothing runs, what waits goes out",
           odd_places))
