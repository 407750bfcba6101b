#!/usr/bin/env python3
"""Faults of the machine under every hook: disk, folders, clock, a transcript that changes, stores of any content.

Run as a script it is the part of the first attack that takes place in a mount namespace: faults.py FOLDER SCRIPTS full
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import json
import os
import random
import resource
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path += [str(HERE), *(str(HERE.parents[1] / name) for name in ("src", "tests"))]

from attack import Attack, Ground, Outcome  # noqa: E402 - beside this file
from course import (  # noqa: E402
    AUDIT,
    BEFORE,
    CALL,
    COMPACTED,
    COURSE,
    PRECOMPACT,
    PROMPT,
    RECEIPT,
    REDRAW,
    STARTED,
    STOP,
    UNSET,
    Event,
    Place,
    faults_of,
    rules_of,
)
from sessions import SESSION_ID, JsonObject, Session  # noqa: E402

PAGE = 4_096  # bytes, by which a tmpfs fills
DISK = 2 << 20  # bytes of the small disk
Whole = Callable[[Any], JsonObject]  # a store around one of its values


class Attempts:
    """What was tried so far, and what broke."""

    def __init__(self, ground: Ground) -> None:
        self.ground, self.number, self.broken = ground, 0, list[str]()
        self.folders, self.turns = count(), count()

    def outcome(self) -> Outcome:
        """What it came to."""
        return Outcome(self.number, self.broken)

    def add(self, label: str, faults: Sequence[str]) -> None:
        """An attempt, and what was wrong with it."""
        self.number += 1
        self.broken += [f"{label}: {fault}" for fault in faults]

    def place(self) -> Place:
        """A copy of the place where a session has begun its compaction."""
        first = self.ground.folder / "first"
        if not first.exists():
            first.mkdir()
            Place(first, self.ground.scripts).begun()
        folder = self.ground.folder / str(next(self.folders))
        shutil.copytree(first, folder, copy_function=shutil.copy2)
        return Place(folder, self.ground.scripts)

    def chosen(self, all_of_them: Sequence[Any], few: int, many: int = sys.maxsize) -> list[Any]:
        """So many, in full mode more, the same ones each time."""
        number = min(many if self.ground.full else few, len(all_of_them))
        return random.Random(7).sample(list(all_of_them), number)

    def course(self, label: str, place: Place, events: Sequence[Event] = (), **more: Any) -> None:
        """The events under the fault, each judged alone: these or all; in short mode some of them, by turns."""
        for event in events or (COURSE if self.ground.full else COURSE[next(self.turns) % 4::4]):
            self.add(label, [*place.judged(event, **more), *place.broken_stores()])


# --- the disk ---


class Disk:
    """A small disk mounted as a place's data folder, on which so much can be left free."""

    def __init__(self, place: Place, inodes: int = 200) -> None:
        """Works where this process may mount."""
        self.place, self.filler = place, place.path / "filler"
        kept = place.path.with_name("kept")
        place.path.rename(kept)
        place.path.mkdir()
        mount("-t", "tmpfs", "-o", f"size={DISK},nr_inodes={inodes}", "none", str(place.path))
        shutil.copytree(kept, place.path, dirs_exist_ok=True)

    def leave(self, pages: int) -> None:
        """Fills the disk but for so many pages."""
        self.free()
        room = os.statvfs(self.place.path)
        self.filler.write_bytes(b"x" * PAGE * (room.f_bavail - pages))

    def leave_files(self, number: int) -> None:
        """Uses up the inodes but for so many."""
        self.free()
        self.filler.mkdir()
        for name in range(os.statvfs(self.place.path).f_ffree - number):
            (self.filler / str(name)).touch()

    def free(self) -> None:
        """Takes away what filled it."""
        if self.filler.is_dir():
            shutil.rmtree(self.filler)
        self.filler.unlink(missing_ok=True)

    def gone(self) -> None:
        """Unmounts it."""
        subprocess.run(["umount", str(self.place.path)], check=True)


def mount(*arguments: str) -> None:
    """Mounts."""
    subprocess.run(["mount", *arguments], check=True, capture_output=True)


def in_namespace(ground: Ground) -> Outcome:
    """What the part that mounts comes to, in a namespace of its own; nothing where there can be none."""
    folder = ground.folder / "mounted"
    folder.mkdir()
    command = ["unshare", "-rm", sys.executable, __file__, str(folder), str(ground.scripts),
               "full" if ground.full else "short"]
    if not shutil.which("unshare") or subprocess.run(["unshare", "-rm", "true"], capture_output=True).returncode:
        return Outcome(0, [])
    result = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    return Outcome(result["attempts"], result["broken"])


def on_small_disks(ground: Ground) -> Outcome:
    """Each event with so many free pages, then with so many free inodes, then on a disk that only reads."""
    tried = Attempts(ground)
    for pages in range(24) if ground.full else (0, 2):
        fill_for_each(tried, f"{pages} free pages", Disk.leave, pages)
    for files in range(4) if ground.full else (0,):
        fill_for_each(tried, f"{files} free inodes", Disk.leave_files, files)
    place = tried.place()
    disk = Disk(place)
    mount("-o", "remount,ro", str(place.path))
    tried.course("read-only home", place)
    mount("-o", "remount,rw", str(place.path))
    tried.add("read-only home", place.goes_on())
    disk.gone()
    return tried.outcome()


def fill_for_each(tried: Attempts, label: str, fill: Callable[[Disk, int], None], left: int) -> None:
    """The course on a disk that is filled anew before each event, and what is left of the session after it."""
    place = tried.place()
    disk = Disk(place)
    for event in COURSE if tried.ground.full else (PRECOMPACT, COMPACTED, AUDIT, CALL):
        fill(disk, left)
        tried.add(label, [*place.judged(event), *place.broken_stores()])
    disk.free()
    tried.add(label, place.goes_on())
    disk.gone()


def disk_full(ground: Ground) -> Outcome:
    """A disk that is full, by pages, by inodes, by the size that a file may have; stdout that takes nothing."""
    mounted, tried = in_namespace(ground), Attempts(ground)
    place = tried.place()
    sizes = sorted({path.stat().st_size for path in place.path.rglob("*") if path.is_file()})
    limits = sorted({max(size + more, 0) for size in (0, *sizes) for more in (0, 1, 60, 150)})
    for limit in tried.chosen(limits, 2, 30):
        place = tried.place()
        tried.course(f"files of {limit} bytes at most", place, before=partial(limit_files, limit))
        tried.add(f"files of {limit} bytes at most", place.goes_on())
    place = tried.place()
    tried.add("a block that found the disk full", delivered_late(tried.place()))
    for event in COURSE if ground.full else (PRECOMPACT, COMPACTED):
        faults = place.judged(event, before=full_stdout)
        tried.add("stdout full", [fault for fault in faults if not fault.endswith("printed ''")])
    tried.add("stdout full", place.goes_on())
    return Outcome(mounted.attempts + tried.number, mounted.broken + tried.broken)


def delivered_late(place: Place) -> list[str]:
    """Where nothing can be written at a compaction, the block is put back all the same, or at a later prompt."""
    full = partial(limit_files, 0)
    printed = [place.meet(COMPACTED, before=full).restored]
    session = Session(800)
    session.compacted()
    session.says("I go on with the rates.")
    with place.transcript.open("ab") as file:
        file.write(session.as_bytes())
    printed += [place.meet(RECEIPT, before=full).restored, place.meet(RECEIPT).restored]
    return [] if any(BEFORE in text for text in printed) else ["was never put back"]


def limit_files(size: int) -> None:
    """No file may grow beyond the size; Python ignores the signal."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


def full_stdout() -> None:
    """Stdout on a device that is full."""
    os.dup2(os.open("/dev/full", os.O_WRONLY), 1)


# --- what the system refuses ---

REFUSING = """
import errno, os
was_open, was_replace = os.open, os.replace
def refusing(path, *arguments, **more):
    if os.path.basename(os.fspath(path)).startswith({name!r}) and {condition}:
        raise OSError({code}, os.strerror({code}), path)
    return was_{call}(path, *arguments, **more)
os.{call} = refusing
"""
WRITING = "arguments[0] & (os.O_WRONLY | os.O_RDWR)"
READING = "not " + WRITING
NAMES = ("memory.json", "snapshot.json", "compaction.json", "status.json", "note.json", "summary.json", "rest.json",
         "ledger", "events.jsonl", "history.jsonl", "pins.jsonl", "delivered-", "audited-", "unasked", "notes.md")


def refusals() -> list[tuple[str, str]]:
    """What each call of the system may refuse for each file, with the Python that makes it do so."""
    kinds = [("open", code, WRITING) for code in (errno.EDQUOT, errno.EROFS)]
    kinds += [("open", code, READING) for code in (errno.EIO, errno.EACCES, errno.ESTALE)]
    kinds += [("replace", code, "True") for code in (errno.EIO, errno.EBUSY)]
    return [(f"{errno.errorcode[code]} at {call} of {name}{' for reading' * (condition == READING)}",
             REFUSING.format(name=name, call=call, code=code, condition=condition))
            for name in NAMES for call, code, condition in kinds]


def refused(ground: Ground) -> Outcome:
    """Each file of ours refused by the system, in each way."""
    tried = Attempts(ground)
    for label, prelude in tried.chosen(refusals(), 3, 60):
        place = tried.place()
        place.prelude = prelude
        tried.course(label, place)
        place.prelude = ""
        tried.add(label, place.goes_on())
    return tried.outcome()


# --- folders ---


def without_rights() -> None:
    """Root without what makes it root: no capability is left after the next exec."""
    libc = ctypes.CDLL(None)
    for capability in range(41):
        libc.prctl(24, capability, 0, 0, 0)  # PR_CAPBSET_DROP


def unreachable(path: Path) -> None:
    """Takes all rights of a file or folder."""
    path.chmod(0)


def of_another(path: Path) -> None:
    """Gives a folder to another user, where this one may."""
    path.chmod(0o700)
    if os.geteuid() == 0:
        os.chown(path, 12_345, 12_345)
    else:
        path.chmod(0)


def reachable(path: Path) -> None:
    """Gives it back."""
    os.chown(path, os.geteuid(), os.getegid())
    path.chmod(0o700)


def folders(ground: Ground) -> Outcome:
    """The data folder missing, a file, without rights, another user's, not to be found; files locked by others."""
    tried = Attempts(ground)
    names = ["", "sessions", f"sessions/{SESSION_ID}", *(f"sessions/{SESSION_ID}/{name}" for name in NAMES[:3]),
             f"sessions/{SESSION_ID}/ledger.jsonl", "events.jsonl", "hook.log"]
    cases = [(name, spoil) for name in names for spoil in (unreachable, of_another)]
    for name, spoil in tried.chosen(cases, 2):
        place = tried.place()
        path = place.path / name
        if not path.exists():
            path.touch()
        spoil(path)
        tried.course(f"{spoil.__name__} {name or 'home'}", place, before=without_rights)
        reachable(path)
        tried.add(f"{spoil.__name__} {name or 'home'}", place.goes_on())
    for label, spoiled in PLACES:
        place = tried.place()
        spoiled(place)
        tried.course(label, place)
        litter = {path.name for path in place.transcript.parent.iterdir()} - {"home", "transcript.jsonl"}
        tried.add(label, [f"{name} was made in the working folder" for name in litter])
    tried.add("locked", while_locked(tried.place()))
    return tried.outcome()


def no_home(place: Place) -> None:
    """The data folder is gone."""
    shutil.rmtree(place.path)


def file_for_home(place: Place) -> None:
    """A file stands in the data folder's place."""
    shutil.rmtree(place.path)
    place.path.touch()


def unset_home(place: Place) -> None:
    """Nothing names a home, and the system does not know the user."""
    place.extra = {"COMPACT_KEEPER_HOME": UNSET, "HOME": UNSET}
    place.prelude = "import pwd\ndef nobody(_): raise KeyError\npwd.getpwuid = nobody"


PLACES: tuple[tuple[str, Callable[[Place], None]], ...] = (
    ("home missing", no_home), ("home a file", file_for_home), ("no home", unset_home))


def while_locked(place: Place) -> list[str]:
    """The course while another process holds locks on every file and folder, the archive too."""
    archive = sqlite3.connect(place.path / "archive.db", isolation_level=None)
    archive.execute("CREATE TABLE one (two)")
    archive.execute("BEGIN EXCLUSIVE")
    files = [os.open(path, os.O_RDONLY) for path in place.path.rglob("*") if path.name != "archive.db"]
    for file in files:
        fcntl.flock(file, fcntl.LOCK_EX)
    try:
        faults = [fault for event in (PRECOMPACT, COMPACTED, AUDIT, PROMPT) for fault in place.judged(event)]
    finally:
        archive.close()
        for file in files:
            os.close(file)
    return faults + place.goes_on()


# --- the clock ---

SHIFTED = """
import time
was_time, was_gmtime = time.time, time.gmtime
time.time = lambda: was_time() + {0}
time.gmtime = lambda seconds=None: was_gmtime(time.time() if seconds is None else seconds)
"""
DAY = 86_400  # seconds
FAILED = b'{"type":"system","content":"<local-command-stderr>Error during compaction: x</local-command-stderr>"}\n'


def at(place: Place, shift: float, event: Event) -> list[str]:
    """The event with a clock that is so many seconds off."""
    place.prelude = SHIFTED.format(shift)
    return place.judged(event)


def clock(ground: Ground) -> Outcome:
    """The clock set between two events, other zones, the ends of time."""
    tried = Attempts(ground)
    now, moves = time.time(), (0, 3, 60, 590, 700, DAY, 40 * DAY)
    moments = {"now": now, "1970": 5, "2000": 946_684_800, "2038": 2**31 - 2, "9999": 253_402_300_000}
    eras = {era: moment - now for era, moment in moments.items()}
    steps = [(era, sign * move) for era in eras for sign in (1, -1) for move in moves]
    for era, move in tried.chosen(steps, 4, 30):
        place = tried.place()
        label = f"a save at {era}, the clock {move:+} s, then the restore"
        tried.add(label, at(place, eras[era], STOP) + at(place, eras[era], PRECOMPACT))
        place.prelude = SHIFTED.format(eras[era] + move)
        is_there = next(tried.turns) % 2 == 0
        if not is_there:
            place.transcript.rename(kept := place.transcript.with_suffix(".kept"))
        done = place.meet(COMPACTED)
        due, was_told = is_there or abs(move) < 600, BEFORE in done.restored
        tried.add(label, faults_of(COMPACTED, done) + ([] if due == was_told else [f"put back: {was_told}"]))
        if not is_there:
            kept.rename(place.transcript)
        for event in COURSE if ground.full else (STARTED,):
            tried.add(label, place.judged(event))
        place.prelude = ""
        tried.add(label, place.goes_on())
    for zone in tried.chosen(("Pacific/Kiritimati", "Pacific/Niue", "no/zone", ":/dev/zero", "X" * 5_000), 1):
        place = tried.place()
        place.extra = {"TZ": zone}
        tried.course(f"TZ={zone[:20]}", place)
    tried.add("stores of tomorrow", times_to_come(tried.place()))
    tried.add("retention", retention(tried.place()))
    return tried.outcome()


def times_to_come(place: Place) -> list[str]:
    """A session that ends tomorrow is told of to nobody; a snapshot of tomorrow is not fresh without its transcript."""
    tomorrow, compaction = time.time() + DAY, place.session / "compaction.json"
    change(place.session / "snapshot.json", created=tomorrow)
    raw = place.transcript.read_bytes()
    place.transcript.unlink()
    faults = [f"told: {done.stdout[:99]}" for done in [place.meet(COMPACTED)] if done.restored]
    place.transcript.write_bytes(raw + FAILED)
    change(compaction, ended=tomorrow, stage="begun")
    os.utime(compaction, (tomorrow, tomorrow))
    place.session.rename(place.session.with_name("another"))
    faults += [f"told: {done.stdout[:99]}" for done in [place.meet(STARTED)] if done.stdout]
    place.session.with_name("another").rename(place.session)
    return faults + place.goes_on()


def retention(place: Place) -> list[str]:
    """Of other sessions' folders only what is old goes; the own stays, whatever the clock says."""
    times = {"old": -40 * DAY, "living": 0, "tomorrow": DAY, "in-ten-years": 3_650 * DAY}
    for name, shift in times.items():
        folder = place.path / "sessions" / name
        folder.mkdir()
        (folder / "memory.json").write_text('{"schema": 1}', encoding="utf-8")
        for path in (folder / "memory.json", folder):
            os.utime(path, (time.time() + shift, time.time() + shift))
    faults = at(place, 0, PRECOMPACT)
    left = {path.name for path in (place.path / "sessions").iterdir()}
    faults += [] if left == {*times, SESSION_ID} - {"old"} else [f"left: {sorted(left)}"]
    faults += at(place, 3_000 * DAY, PRECOMPACT)  # files have the times of a server with another clock
    faults += [] if place.session.is_dir() else ["the own session's folder went"]
    place.prelude = ""
    return faults + place.goes_on()


def change(path: Path, **fields: Any) -> None:
    """Sets fields of a store."""
    path.write_text(json.dumps({**json.loads(path.read_bytes()), **fields}), encoding="utf-8")


# --- the transcript ---


def typed(text: str, first: int) -> bytes:
    """The line of a typed prompt."""
    session = Session(first)
    session.typed(text)
    return session.as_bytes()


def rule(number: int) -> str:
    """A rule unlike the others."""
    return f"Never rename the {'abcdefghij'[number % 10]}{number} column."


def replaced(path: Path, content: bytes) -> None:
    """Another file takes the place."""
    path.with_suffix(".new").write_bytes(content)
    path.with_suffix(".new").replace(path)


def made_anew(path: Path, make: Callable[[Path], None]) -> None:
    """Something else takes the place."""
    path.unlink()
    make(path)


OTHER = typed(rule(1), 500)
TORN = typed(rule(2), 501)[:-40]
CHANGES: dict[str, tuple[Callable[[Path], object], set[str]]] = {  # what happens to it, the rules that it tells then
    "replaced": (lambda path: replaced(path, OTHER), {rule(1)}),
    "rewritten": (lambda path: path.write_bytes(OTHER), {rule(1)}),
    "emptied": (lambda path: path.write_bytes(b""), set()),
    "removed": (lambda path: path.unlink(), set()),
    "shrunk": (lambda path: os.truncate(path, path.stat().st_size // 2), set()),
    "shrunk in a character": (lambda path: path.write_bytes(typed("é" * 50, 502)[:120]), set()),
    "half a line more": (lambda path: path.write_bytes(path.read_bytes() + TORN), set()),
    "half a character more": (lambda path: path.write_bytes(path.read_bytes() + TORN + b"\xc3"), set()),
    "the same once more": (lambda path: path.write_bytes(path.read_bytes() * 2), set()),
    "a copy of itself": (lambda path: replaced(path, path.read_bytes()), set()),
    "NUL bytes behind": (lambda path: path.write_bytes(path.read_bytes() + b"\0" * 5_000 + b"\n"), set()),
    "a folder": (lambda path: made_anew(path, os.mkdir), set()),
    "a pipe": (lambda path: made_anew(path, os.mkfifo), set()),
}


def changing_transcript(ground: Ground) -> Outcome:
    """The transcript becomes another between two saves; and it grows in bursts while saves read it."""
    tried = Attempts(ground)
    for label, (becomes, more) in tried.chosen(list(CHANGES.items()), 5):
        place = tried.place()
        place.meet(STOP)  # reads the copy, from whose end the next save would go on
        kept = place.transcript.read_bytes()
        becomes(place.transcript)
        for event in (STOP, PRECOMPACT, COMPACTED, RECEIPT):
            tried.add(label, [*place.judged(event), *place.broken_stores()])
        known = rules_of(place)
        tried.add(label, [] if sorted(known) == sorted({BEFORE, *more}) else [f"known: {known}"])
        if not place.transcript.is_file():
            shutil.rmtree(place.transcript) if place.transcript.is_dir() else place.transcript.unlink(missing_ok=True)
            place.transcript.write_bytes(kept)
        with place.transcript.open("ab") as file:
            file.write(b"\n")  # a client that goes on begins a new line
        tried.add(label, place.goes_on())
    for burst in range(40 if ground.full else 1):
        tried.add(f"growing in bursts, seed {burst}", growing(tried.place(), burst, 40 if ground.full else 12))
    return tried.outcome()


WRITER = """
import random, sys, time
path, lines, seed = sys.argv[1], sys.stdin.buffer.read(), int(sys.argv[2])
chance = random.Random(seed)
with open(path, "ab", buffering=0) as file:
    while lines:
        size = chance.randint(1, 700)
        file.write(lines[:size])
        lines = lines[size:]
        time.sleep(chance.random() / 50)
"""


def growing(place: Place, seed: int, number: int) -> list[str]:
    """Saves while another process appends rules in bursts that end anywhere: each rule is known once in the end."""
    lines = b"".join(typed(f"{rule(index)} Größe €", 1_000 + index) for index in range(number))
    writer = subprocess.Popen([sys.executable, "-c", WRITER, str(place.transcript), str(seed)], stdin=subprocess.PIPE)
    assert writer.stdin
    writer.stdin.write(lines)
    writer.stdin.close()
    faults = []
    while writer.poll() is None:
        faults += place.judged(STOP) + place.broken_stores()
    faults += place.judged(PRECOMPACT)
    missing = [rule(index) for index in range(number) if rules_of(place).count(rule(index)) != 1]
    return faults + [f"not known once: {missing}"] * bool(missing) + place.goes_on()


# --- stores of any content ---

ODD: tuple[Any, ...] = (None, True, 7, -1, 10**400, 1e308, "", "odd", "\0", [], [7], [[]], [{}], {}, {"odd": {}})
LATER = b'{"schema": 2, "items": "of a later version"}'


SOUND: tuple[tuple[str, Any], ...] = (("items", []), ("text", "odd"))  # sound: a memory of nothing, a note of a word


CONTENTS: dict[str, Callable[[], bytes]] = {  # what a store may hold instead; made when needed: some are big
    "of a later version": lambda: LATER,
    "empty": lambda: b"",
    "garbage": lambda: bytes(range(256)) * 40,
    "a list": lambda: b"[]",
    "torn": lambda: b'{"schema": 1, "roots": ["c0ffee00',
    "without a schema": lambda: b'{"items": []}',
    "zeros": lambda: b"\0" * 5_000,
    "deep": lambda: b'{"schema": 1, "items": ' + b"[" * 100_000,
    "a million numbers": lambda: b'{"schema": 1, "items": [' + b"7," * 1_000_000 + b"7]}",
    "a million objects": lambda: b'{"schema": 1, "items": [' + b"{}," * 1_000_000 + b"{}]}",
    "100 MB": lambda: b'{"schema": 1, "text": "' + b"x" * (100 << 20) + b'"}',
    "100 MB of objects": lambda: b'{"schema": 1, "items": [' + b"{}," * (33 << 20) + b"{}]}",
}


def odd_stores(ground: Ground) -> Outcome:
    """Each store with content that is none of ours; and with each field of a wrong type."""
    tried = Attempts(ground)
    cases = [(name, label) for name in STORE_NAMES for label in CONTENTS if ground.full or "100 MB" not in label]
    for name, label in tried.chosen(cases, 5, 70):
        place, is_later = tried.place(), CONTENTS[label]() == LATER
        path = store_path(place, name)
        path.write_bytes(CONTENTS[label]())
        tried.add(f"{name} {label}", place.judged(PRECOMPACT))  # made anew, or kept beside
        for event in COURSE if ground.full else (COMPACTED, AUDIT):
            tried.add(f"{name} {label}", place.judged(event))
        if is_later and name.endswith(".json") and name != "note.json":  # a note is moved out of the way, to nobody
            tried.add(f"{name} {label}", [] if path.exists() and path.read_bytes() == LATER else ["was changed"])
        if is_later or name.startswith(".."):
            path.unlink(missing_ok=True)
        tried.add(f"{name} {label}", place.goes_on())
    for name in ("memory.json", "snapshot.json", "compaction.json", "status.json", "note.json"):
        few, many = (3, 250) if name == "memory.json" else (1, 80)
        for where, store in tried.chosen(list(odd_fields(tried.place(), name)), few, many):
            place = tried.place()
            store_path(place, name).write_text(json.dumps(store), encoding="utf-8")
            for event in EVENTS_OF[name]:
                tried.add(f"{name}: {where}", place.judged(event))
            tried.add(f"{name}: {where}", place.goes_on())
    return tried.outcome()


STORE_NAMES = ("memory.json", "snapshot.json", "compaction.json", "status.json", "note.json", "summary.json",
               "pins.jsonl", "history.jsonl", "ledger.jsonl", "ledger.folded.jsonl", "../../config.json",
               "../../events.jsonl", "../../pins.jsonl", "../../archive.db")
EVENTS_OF: dict[str, tuple[Event, ...]] = {
    "memory.json": (STOP, PRECOMPACT), "snapshot.json": (COMPACTED, AUDIT, RECEIPT),
    "compaction.json": (COMPACTED, RECEIPT, STARTED, PRECOMPACT, COMPACTED), "status.json": (REDRAW,),
    "note.json": (REDRAW, PROMPT)}


def store_path(place: Place, name: str) -> Path:
    """Where the store lies, from the session's folder."""
    return Path(os.path.normpath(place.session / name))


def odd_fields(place: Place, name: str) -> Iterator[tuple[str, JsonObject]]:
    """The store with each field, of its objects' the first ones too, missing or of a wrong type."""
    place.meet(AUDIT)
    store = place.stored(name)
    yield from odd_within(store, "", lambda value: value)


def odd_within(value: JsonObject, where: str, whole: Whole) -> Iterator[tuple[str, JsonObject]]:
    """The whole store for each change of a field at this place."""
    for name, field in value.items():
        if name == "schema":
            continue
        yield f"{where}{name} missing", whole({key: kept for key, kept in value.items() if key != name})
        yield from ((f"{where}{name} is {str(odd)[:20]!r}", whole({**value, name: odd}))
                    for odd in ODD if (name, odd) not in SOUND)
        put = partial(with_field, whole, value, name)
        if isinstance(field, dict):
            yield from odd_within(field, f"{where}{name}.", put)
        elif isinstance(field, list) and field and isinstance(field[0], dict):
            kinds = {str(inner.get("kind")): place for place, inner in enumerate(field)}
            for at in kinds.values():  # one of each kind
                yield from odd_within(field[at], f"{where}{name}[{at}].", partial(placed, put, field, at))


def with_field(whole: Whole, value: JsonObject, name: str, inner: Any) -> JsonObject:
    """The whole store with this field in the object."""
    return whole({**value, name: inner})


def placed(whole: Whole, values: list[Any], at: int, inner: Any) -> JsonObject:
    """The whole store with this in the list's place."""
    return whole([*values[:at], inner, *values[at + 1:]])


ATTACKS: tuple[Attack, ...] = (
    Attack("disk full by pages, inodes, file size, at each write; read-only; stdout full: exit 0, one line, then on",
           disk_full),
    Attack("each file refused by the system (quota, I/O error, no rights, stale, busy): exit 0, one line, then on",
           refused),
    Attack("home missing, a file, without rights, another's; files and archive locked: exit 0, one line, then on",
           folders),
    Attack("clock set between events, 1970 to 9999, zones, stores of tomorrow: put back while fresh, none removed",
           clock),
    Attack("transcript replaced, cut, emptied, removed, growing while read: each fact once, none invented",
           changing_transcript),
    Attack("stores of later versions, garbage, huge, deep, of wrong types: exit 0, one line, then on", odd_stores),
)


if __name__ == "__main__":
    outcome = on_small_disks(Ground(Path(sys.argv[1]), sys.argv[3] == "full", Path(sys.argv[2])))
    print(json.dumps({"attempts": outcome.attempts, "broken": outcome.broken}))
