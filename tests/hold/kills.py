"""SIGKILL at any moment: each store is the old or the new one, the next run does what was due, what is left goes."""

from __future__ import annotations

import gzip
import os
import random
import re
import shutil
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from attack import Attack, Ground, Outcome
from concurrency import audited, started, task_of
from place import Call, Ended, Place, ended, feed, hook_input, lines_of, ran, stored
from sessions import Session

NAME = "killed"  # the session
EACH = 85  # kills of each victim at full length: more than 1,000 in all
STEPPED = ("record_event.py", "answer_prompt.py, a pin", "save_snapshot.py at PreCompact", "restore_snapshot.py",
           "audit_summary.py")  # the victims that are killed at each call on a file
LONG_AGO = 3_600  # seconds: no process is at work on a draft any more
MARKER = "<!-- compact-keeper: notes on a session"
OWN_SETTINGS = '{\n  "model": "opus"\n}\n'


# --- what is killed ---


class Victim(NamedTuple):
    """A script with what has to be there before, how it is run, and what has to come of it in the end."""

    name: str
    prepare: Callable[[Place], object]
    call: Callable[[Place], Call]
    after: Callable[[Place, list[Ended]], Iterator[str]]  # of the killed run and the next one: what is wrong


def transcript_of(place: Place, typed: int = 2) -> Path:
    """The session's transcript with so many prompts."""
    session = Session(session=NAME)
    for number in range(typed):
        session.typed(f"Never rename the table{number}.")
        session.ran("Bash", command=f"make part{number}")
        if not number:
            session.created(1, task_of("t"))
    return session.write(place.folder / f"{place.home.name}.jsonl")


def recorded(place: Place) -> None:
    """Settings with every writer on, and calls in the ledger."""
    place.home.mkdir()
    for number in range(3):
        place.together([ran(NAME, transcript_of(place), number, f"make late{number}")])


def saved(place: Place) -> None:
    """A session that was saved, and has gone on."""
    recorded(place)
    place.together([saving(place, "PreCompact")])
    place.together([ran(NAME, transcript_of(place, 3), 9, "make more")])


def delivered(place: Place) -> None:
    """A session whose compaction was delivered, a note not yet."""
    saved(place)
    place.together([restoring(place)])


def noted(place: Place) -> None:
    """A session in which a note waits."""
    delivered(place)
    place.together([auditing(place)])


def filled(place: Place) -> None:
    """An archive, and a transcript that has grown since."""
    recorded(place)
    place.together([indexing(place)])
    transcript_of(place, 12)


def settled(place: Place) -> None:
    """A person's own settings."""
    config = place.person / ".claude"
    config.mkdir(parents=True)
    (config / "settings.json").write_text(OWN_SETTINGS, encoding="utf-8")


def installed(place: Place) -> None:
    """Hooks, skills and scripts installed there."""
    settled(place)
    place.together([installing(place)])


def recording(place: Place) -> Call:
    """A call that a hook records."""
    return ran(NAME, transcript_of(place), "new", "make new")


def pinning(place: Place) -> Call:
    """A pin at the prompt."""
    return Call("answer_prompt.py", hook_input(
        "UserPromptSubmit", NAME, transcript_of(place), prompt="/compact-keeper:pin Keep the dock."))


def saving(place: Place, event: str = "Stop") -> Call:
    """A save."""
    return Call("save_snapshot.py", hook_input(event, NAME, transcript_of(place, 3), trigger="auto"))


def saving_at_compaction(place: Place) -> Call:
    """A save as a compaction begins."""
    return saving(place, "PreCompact")


def restoring(place: Place) -> Call:
    """What puts back after it."""
    return Call("restore_snapshot.py", started(NAME, transcript_of(place, 3)))


def auditing(place: Place) -> Call:
    """The audit of its summary."""
    return Call("audit_summary.py", audited(NAME, transcript_of(place, 3), "t"))


def indexing(place: Place) -> Call:
    """The transcript on its way into the archive."""
    return Call("recall.py", "", ("index", str(place.folder / f"{place.home.name}.jsonl")))


def copying(place: Place) -> Call:
    """A copy of a longer transcript."""
    return Call("save_snapshot.py", "", ("--backup", str(transcript_of(place, 500)), NAME))


def installing(_: Place, command: str = "install") -> Call:
    """The installation, or its removal."""
    return Call("install.py", "", (command,))


def drawing(place: Place) -> Call:
    """The status line, of a context in which no save is due: that would outlive the attack."""
    window = {"context_window_size": 200_000, "current_usage": {"input_tokens": 20_000}}
    return Call("status_line.py", hook_input("Status", NAME, transcript_of(place, 3), context_window=window))


# --- what has to come of it ---


def commands(place: Place) -> dict[str, int]:
    """How often the memory has counted each command."""
    items = stored(place.session(NAME) / "memory.json").get("items", [])
    return {item["text"]: item["uses"] for item in items if item["kind"] == "action"}


def is_recorded(place: Place, runs: list[Ended]) -> Iterator[str]:
    """The next run's line is there, the killed one's may be; the note was given once at most."""
    session = place.session(NAME)
    count = sum(line.get("id") == "toolu_new" for line in lines_of(session / "ledger.jsonl"))
    if count not in (1, 2):
        yield f"{count} lines of it in the ledger"
    if sum("summary" in run.context for run in runs) > 1 or (session / "note.json").exists():
        yield "the note was given twice, or not"


def is_pinned(place: Place, _: list[Ended]) -> Iterator[str]:
    """The pin is there, once."""
    prompt = hook_input("UserPromptSubmit", NAME, transcript_of(place), prompt="/compact-keeper:pins")
    [ended] = place.together([Call("answer_prompt.py", prompt)])
    listed = ended.out
    if listed.count("Keep the dock.") != 1:
        yield listed


def is_saved(place: Place, _: list[Ended]) -> Iterator[str]:
    """Everything recorded is in memory once; the files fit; the notes are there."""
    memory, snapshot = (stored(place.session(NAME) / f"{name}.json") for name in ("memory", "snapshot"))
    expected = {f"make {name}": 1 for name in ("late0", "late1", "late2", "more", "part0", "part1", "part2")}
    if commands(place) != expected:
        yield f"commands in memory: {commands(place)}"
    if any(memory.get(name) != snapshot.get(name) for name in ("position", "time")):
        yield "memory.json and snapshot.json do not fit"
    if not any("table2" in item["text"] for item in snapshot.get("items", [])):
        yield "snapshot.json lacks the last rule"
    if not (place.session(NAME) / "notes.md").read_text(encoding="utf-8").startswith(MARKER):
        yield "notes.md is torn"


def is_delivered(place: Place, runs: list[Ended]) -> Iterator[str]:
    """The block goes out: by the killed run, the next one or, as it stands nowhere, at the next prompt."""
    session = Session(1_000, NAME)
    session.compacted()
    transcript = transcript_of(place, 3)
    transcript.write_bytes(transcript.read_bytes() + session.as_bytes())
    given = hook_input("UserPromptSubmit", NAME, transcript, prompt="Go on.")
    if not any("table1" in run.context for run in [*runs, place.run("restore_snapshot.py", given)]):
        yield "the block never went out"


def is_audited(place: Place, _: list[Ended]) -> Iterator[str]:
    """At the latest the next compaction has its note."""
    place.together([saving_at_compaction(place)])
    place.together([auditing(place)])
    if not stored(place.session(NAME) / "note.json").get("text"):
        yield "no note after the next compaction"


def is_archived(place: Place, _: list[Ended]) -> Iterator[str]:
    """Each prompt is in the archive once, and found."""
    with closing(sqlite3.connect(place.home / "archive.db")) as db:
        prompts = sorted(row[0] for row in db.execute("SELECT prompt FROM turns"))
    if prompts != sorted(f"Never rename the table{number}." for number in range(12)):
        yield f"the archive has {prompts}"
    output = place.run("recall.py", "", "search", "table7").out
    if "table7" not in output:
        yield f"a search finds {output[:80]!r}"


def is_copied(place: Place, _: list[Ended]) -> Iterator[str]:
    """A copy is there, and nothing else."""
    copies, content = [*(place.session(NAME) / "backups").iterdir()], transcript_of(place, 500).read_bytes()
    if not copies or any(gzip.decompress(path.read_bytes()) != content for path in copies):
        yield f"backups: {[path.name for path in copies]}"


def is_installed(place: Place, _: list[Ended]) -> Iterator[str]:
    """Everything is there, as a third run says."""
    said = place.run("install.py", "", "install").out
    if "up to date" not in said:
        yield said


def is_uninstalled(place: Place, _: list[Ended]) -> Iterator[str]:
    """Nothing is left but the person's own settings."""
    left = [str(path.relative_to(place.person)) for path in place.person.rglob("*") if path.is_file()]
    if left != [".claude/settings.json"] or (place.person / left[0]).read_text(encoding="utf-8") != OWN_SETTINGS:
        yield f"left: {left}"


def is_drawn(_: Place, runs: list[Ended]) -> Iterator[str]:
    """The next line tells how full the context is."""
    if "ctx" not in runs[-1].out:
        yield f"the next line: {runs[-1].out!r}"


VICTIMS = (
    Victim("record_event.py", noted, recording, is_recorded),
    Victim("answer_prompt.py, a pin", saved, pinning, is_pinned),
    Victim("save_snapshot.py at Stop", saved, saving, is_saved),
    Victim("save_snapshot.py at PreCompact", saved, saving_at_compaction, is_saved),
    Victim("restore_snapshot.py", saved, restoring, is_delivered),
    Victim("audit_summary.py", delivered, auditing, is_audited),
    Victim("status_line.py", saved, drawing, is_drawn),
    Victim("recall.py index", filled, indexing, is_archived),
    Victim("save_snapshot.py --backup", saved, copying, is_copied),
    Victim("install.py install", settled, installing, is_installed),
    Victim("install.py uninstall", installed, lambda place: installing(place, "uninstall"), is_uninstalled),
)


# --- one kill, and all that has to hold after it ---


class Scene:
    """A victim before its run, which is copied for every kill; how long it takes when nothing kills it."""

    def __init__(self, ground: Ground, victim: Victim) -> None:
        self.ground, self.victim, self.count = ground, victim, 0
        self.start = Place(ground, victim.prepare.__name__)
        if not self.start.home.exists() and not self.start.person.exists():  # else made for another victim
            victim.prepare(self.start)
        done = self.copy()
        call, began = victim.call(done), time.perf_counter()
        done.together([call])
        self.lasting = time.perf_counter() - began
        self.states = self.settings(self.start), self.settings(done)

    def copy(self) -> Place:
        """The same folders under names of their own."""
        self.count += 1
        place = Place(self.ground, f"run{self.count}")
        for path in (place.home, place.person):
            shutil.rmtree(path, ignore_errors=True)
        for old, new in ((self.start.home, place.home), (self.start.person, place.person)):
            if old.exists():
                shutil.copytree(old, new)
        transcript = self.start.folder / f"{self.start.home.name}.jsonl"
        if transcript.exists():
            shutil.copy2(transcript, place.folder / f"{place.home.name}.jsonl")
        return place

    def settings(self, place: Place) -> str:
        """The person's settings, by which the two states differ; with no place's own path."""
        path = place.person / ".claude" / "settings.json"
        return re.sub(r"\w+-person", "person", path.read_text(encoding="utf-8")) if path.exists() else ""

    def faults(self, place: Place, killed: Ended, when: str = "") -> Iterator[str]:
        """What does not hold after the kill, after the next run, and after the save that clears up.

        A line that was killed in its middle is torn, and alone is.
        """
        halves = [fault for fault in place.torn() if when == "half" and ".jsonl: " in fault]
        yield from (f"after the kill: {fault}" for fault in self.broken_stores(place) if fault not in halves)
        again = place.together([self.victim.call(place)])[0]
        if again.code:
            yield f"the next run: exit code {again.code}: {again.out[-200:]}"
        yield from (f"after the next run: {fault}" for fault in (
            *self.broken_stores(place), *self.victim.after(place, [killed, again]), *place.faults())
            if fault not in halves)
        if left := drafts(place):
            for path in left:
                os.utime(path, (1, time.time() - LONG_AGO))
            place.together([ran(NAME, transcript_of(place), "last", "make last")])  # so notes are written
            place.together([saving_at_compaction(place)])
            yield from (f"{path.name} stays" for path in drafts(place) if path in left)

    def broken_stores(self, place: Place) -> Iterator[str]:
        """The stores that are neither the old nor the new one."""
        yield from place.torn()
        if self.settings(place) not in self.states:
            yield "settings.json is neither the old nor the new one"
        if (answer := check(place.home / "archive.db")) != "ok":
            yield f"archive.db: {answer}"


def check(path: Path) -> str:
    """What SQLite says of the archive; "ok" too where there is none, or an empty file."""
    if not path.exists():
        return "ok"
    try:
        with closing(sqlite3.connect(path)) as db:
            return str(db.execute("PRAGMA integrity_check").fetchone()[0])
    except sqlite3.DatabaseError as fault:
        return str(fault)


def drafts(place: Place) -> list[Path]:
    """What killed processes have left."""
    return [path for root in (place.home, place.person) for path in root.rglob("*.tmp")]


# --- at random moments ---


def at_random(ground: Ground) -> Outcome:
    """Each victim again and again, killed after a time that is drawn; more often late, where it writes."""
    draw, broken, deaths, each = random.Random(11), list[str](), 0, EACH if ground.full else 1
    for victim in VICTIMS:
        scene = Scene(ground, victim)
        for attempt in range(each):
            moment = scene.lasting * (1 - draw.random() ** 2 * 0.9)
            place = scene.copy()
            call = victim.call(place)
            process = place.begin(call)
            began = time.perf_counter()
            feed(process, call)
            time.sleep(max(moment - (time.perf_counter() - began), 0))
            process.kill()
            killed = ended(process)
            deaths += killed.code < 0
            broken += [f"{victim.name}, attempt {attempt}, killed after {moment * 1000:.1f} ms: {fault}"
                       for fault in scene.faults(place, killed)]
    attempts = each * len(VICTIMS)
    least = attempts / 2 if ground.full else 1  # on a loaded machine many of a few come too late
    return Outcome(attempts, broken + [f"only {deaths} were killed before their end"] * (deaths < least))


# --- before, in and after each file operation ---

COUNTING = """
import io, os, signal, sys
scripts, name, at, when, told, *arguments = sys.argv[1:]
calls = []

def step(real, half=None):
    def call(*given, **more):
        calls.append("line" if half else "call")
        mine = len(calls) == int(at)
        if mine and when == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        if mine and when == "half" and half:
            half(*given)
            os.kill(os.getpid(), signal.SIGKILL)
        done = real(*given, **more)
        if mine:
            os.kill(os.getpid(), signal.SIGKILL)
        return done
    return call

class File(io.FileIO):
    write = step(io.FileIO.write, lambda file, data: io.FileIO.write(file, bytes(data)[:len(bytes(data)) // 2]))

def fdopen(handle, mode="r", buffering=-1, **more):
    if "w" not in mode and "a" not in mode:
        return real_fdopen(handle, mode, buffering, **more)
    file = File(handle, mode.replace("b", ""))
    return io.BufferedWriter(file) if buffering else file

real_fdopen, os.fdopen = os.fdopen, fdopen
for name_of_call in ("open", "write", "replace", "rename", "link", "unlink", "mkdir", "rmdir", "utime", "chmod"):
    real = getattr(os, name_of_call)
    setattr(os, name_of_call, step(real))
    if real in os.supports_dir_fd:
        os.supports_dir_fd.add(getattr(os, name_of_call))
sys.path.append(scripts)
__import__(name.removesuffix(".py")).main(arguments)
with io.open(told, "w") as file:
    file.write(" ".join(calls))
"""


def at_each_step(ground: Ground) -> Outcome:
    """A save, a restore, an audit and a recording, killed before, in the middle of and after each call on a file."""
    draw, broken, attempts = random.Random(13), list[str](), 0
    for victim in (victim for victim in VICTIMS if victim.name in STEPPED):
        scene = Scene(ground, victim)
        place = scene.copy()
        stepped(place, victim.call(place), 0, "before")
        calls = (ground.folder / "calls").read_text(encoding="utf-8").split()
        moments = [(at, when) for at, kind in enumerate(calls, 1)
                   for when in ("before", "half", "after") if when != "half" or kind == "line"]
        for at, when in moments if ground.full else draw.sample(moments, 2):
            place = scene.copy()
            killed, attempts = stepped(place, victim.call(place), at, when), attempts + 1
            broken += [f"{victim.name}, {when} call {at} of {len(calls)}: {fault}"
                       for fault in scene.faults(place, killed, when)]
            if ground.has_enough(broken):
                break
    return Outcome(attempts, broken)


def stepped(place: Place, call: Call, at: int, when: str) -> Ended:
    """What becomes of the hook that is killed at that call; 0: it only counts its calls."""
    process = place.start("-c", COUNTING, str(place.scripts), call.script, str(at), when,
                          str(place.folder / "calls"), *call.arguments)
    feed(process, call)
    return ended(process)


ATTACKS: tuple[Attack, ...] = (
    Attack("every writing script at random moments: old or new, the next run does it, what is left goes", at_random),
    Attack("before, in and after each file operation of a save, restore, audit, recording, pin", at_each_step),
)
