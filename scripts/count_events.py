#!/usr/bin/env python3
"""Count what events.jsonl tells: by session, what compactions became of, what was put back, how long hooks took.

stats.py imports it, and what shows its figures. A line is an event of a hook (a save, a restore, an audit ...); lines
that are torn, no object, or of another schema are passed over. Nine of ten lines are saves at Stop: in the form that
after_save.py writes they are taken apart in bulk, all others as JSON. Two processes share a large file: a million
events take about a second on two cores. Nothing is written.

    lines -> Tally by session -> compactions, each with its outcome -> figures

Outcomes of a compaction:
    verified      the client kept what was put back: it stands in the transcript
    repaired      it was lost, and put back again at the next prompt
    cannot tell   put back; this client's transcript does not show whether it was kept
    unchecked     put back; no prompt came after it that could have looked
    missed        the client compacted (its summary was audited), something was saved, and nothing was put back
    unfinished    saved before a compaction of which nothing more was seen: it failed, was stopped or held off
    under way     the same, begun so short ago that it may still come
Python 3.9+, standard library only.
"""

from __future__ import annotations

import gc
import json
import math
import os
import re
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from save_snapshot import SCHEMA, SESSION_ID, open_regular, text_of

Record = dict[str, Any]

BLOCK = 4 << 20  # bytes taken apart at once: the whole would take four times its size of memory
LARGE = 16 << 20  # bytes of a file from which a second process saves more than its start costs
LINE_LIMIT = 1 << 20  # bytes; a line of ours has a few hundred
MOST = 1e15  # what is larger is no count and no time of ours
UNITS_PER_TOKEN = 4  # characters of English or code that make about a token
PLAIN = re.compile(  # a save at Stop as after_save.py writes it: time, session, figures; else the whole line
    rb'^\{"schema": 1, "time": (\d{10}\.?\d*), "event": "save", "session": "(\w[\w.-]*)", "on": "Stop", "items": [^,]*,'
    rb'[^,]*, (.*)\}$|^(.+)$', re.MULTILINE)
FIGURE = re.compile(rb'"(ms|cleared|\d{1,9}(?:\.\d{1,9})?)": (\d{1,9})\Z')  # a number as name: of `recorded`
OUTCOMES = ("verified", "repaired", "cannot tell", "unchecked", "missed", "unfinished", "under way")
ENDS = ("restore", "kept back", "audit", "repair")  # events that come when a compaction has taken place
HOOKS = ("save at Stop", "save at PreCompact", "restore", "audit", "record")  # whose time is known


@dataclass
class Tally:
    """What is known of a session; saves at Stop are only counted, other events are kept."""

    first: float = math.inf
    last: float = 0.0
    stopped: Counter[float] = field(default_factory=Counter)  # milliseconds of the saves at Stop
    recorded: Counter[float] = field(default_factory=Counter)  # milliseconds of record_event.py
    cleared: int | None = None  # failing commands that passed later; None where no save told
    told: list[Record] = field(default_factory=list)

    def seen(self, *times: float) -> None:
        """Takes in when something was seen."""
        self.first, self.last = min(self.first, *times), max(self.last, *times)

    def clear(self, count: float) -> None:
        """Adds failing commands that passed."""
        self.cleared = (self.cleared or 0) + int(count)

    def add(self, other: Tally) -> None:
        """Takes in another tally, of the same session or of another."""
        self.seen(other.first, other.last)
        for mine, theirs in ((self.stopped, other.stopped), (self.recorded, other.recorded)):
            for value, times in theirs.items():  # `update` takes three times as long for few values
                mine[value] += times
        if other.cleared is not None:
            self.clear(other.cleared)
        self.told += other.told


Tallies = defaultdict[str, Tally]


def number(value: object) -> float | None:
    """The value where it is a number that can be a count, a time or a size; None for anything else."""
    usable = isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < MOST
    return value if usable else None  # type: ignore[return-value]  # narrowed by `usable`


def count(record: Mapping[str, Any], name: str) -> int:
    """The field's count; 0 where it is none."""
    return int(number(record.get(name)) or 0)


# --- read: lines -> a tally for each session ---


def read_events(path: str, since: float = 0.0) -> Tallies:
    """A tally for each session that the file tells of from that time on; none where there is no file."""
    try:
        size = os.path.getsize(path)
        with uncollected():
            return tallies_in(path, 0, size, since) if size < LARGE else in_two_processes(path, size, since)
    except FileNotFoundError:
        return defaultdict(Tally)


def in_two_processes(path: str, size: int, since: float) -> Tallies:
    """The tallies of a large file; by this process alone where no other can be started."""
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool
    try:
        with ProcessPoolExecutor(1) as pool:
            mine = size * 2 // 5  # this process has the figures to make too
            second = pool.submit(tallies_in, path, mine, size, since)
            first = tallies_in(path, 0, mine, since)
            return merged((first, second.result()))
    except (ImportError, OSError, BrokenProcessPool):
        return tallies_in(path, 0, size, since)


def merged(parts: Iterable[Tallies]) -> Tallies:
    """The parts as one."""
    whole: Tallies = defaultdict(Tally)
    for part in parts:
        for session, tally in part.items():
            whole[session].add(tally)
    return whole


def tallies_in(path: str, start: int, stop: int, since: float) -> Tallies:
    """The tallies of the lines that begin from `start` to before `stop`."""
    tallies: Tallies = defaultdict(Tally)
    stops: dict[bytes, list[bytes]] = {}
    with uncollected():
        for block in blocks(path, start, stop):
            for one in objects_on(take_stops(block, since, tallies, stops)):
                add_event(tallies, one, since)
    for session, rows in stops.items():
        add_figures(tallies[session.decode()], rows)
    return tallies


@contextmanager
def uncollected() -> Iterator[None]:
    """No garbage collection inside: it would look through a million tuples again and again."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


def blocks(path: str, start: int, stop: int) -> Iterator[bytes]:
    """The lines that begin from `start` to before `stop`, some megabytes at a time."""
    with os.fdopen(open_regular(path, os.O_RDONLY), "rb") as file:
        file.seek(max(start - 1, 0))
        if start:
            file.readline()  # it began before
        while (here := file.tell()) < stop and (block := file.read(min(BLOCK, stop - here))):
            yield block if block.endswith(b"\n") else block + file.readline(LINE_LIMIT)


def take_stops(block: bytes, since: float, tallies: Tallies, stops: dict[bytes, list[bytes]]) -> list[bytes]:
    """Takes the block's saves at Stop into `stops`, figures by session; returns the lines of other forms."""
    others, earliest = [], b"%010d" % since  # of ten digits, so that texts compare as the numbers do
    latest: dict[bytes, bytes] = {}
    for moment, session, figures, other in PLAIN.findall(block):
        if other:
            others.append(other)
        elif moment >= earliest:
            try:
                stops[session].append(figures)
            except KeyError:
                stops[session] = [figures]
                tallies[session.decode()].seen(float(moment))
            latest[session] = moment
    for session, moment in latest.items():
        tallies[session.decode()].seen(float(moment))
    return others


def add_figures(tally: Tally, rows: Iterable[bytes]) -> None:
    """Adds the figures of saves at Stop as they stand on their lines, all those that are the same at once."""
    whole = b", ".join(rows).replace(b'"recorded": {', b"").replace(b"}", b"")
    for text, times in Counter(whole.split(b", ")).items():
        name, value = figure_in(text)
        if name == b"ms":
            tally.stopped[value] += times
        elif name == b"cleared":
            tally.clear(value * times)
        elif name:
            tally.recorded[float(name)] += value * times


@lru_cache(maxsize=10_000)  # the same ones come in each session
def figure_in(text: bytes) -> tuple[bytes, int]:
    """A figure's name and value; no name for what is none."""
    found = FIGURE.match(text)
    return (found[1], int(found[2])) if found else (b"", 0)


def objects_on(lines: Sequence[bytes]) -> list[Record]:
    """The events on the lines, parsed at once, or one by one where a line among them is broken."""
    try:
        found = json.loads(b"[" + b",".join(lines) + b"]")
    except (ValueError, RecursionError):
        found = [object_on(line) for line in lines]
    return [one for one in found if isinstance(one, dict) and one.get("schema") == SCHEMA
            and SESSION_ID.match(text_of(one, "session")) and number(one.get("time")) is not None]


def object_on(line: bytes) -> object:
    """What the line holds; None for one that is torn."""
    try:
        return json.loads(line.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None


def add_event(tallies: Tallies, one: Record, since: float) -> None:
    """Takes in an event that came as JSON."""
    if one["time"] < since:
        return
    tally = tallies[one["session"]]
    tally.seen(one["time"])
    if one.get("event") == "save":
        if number(one.get("cleared")) is not None:
            tally.clear(one["cleared"])
        recorded = one["recorded"] if isinstance(one.get("recorded"), dict) else {}
        for name in recorded:
            if re.fullmatch(r"\d{1,9}(?:\.\d{1,9})?", name, re.ASCII) and (times := count(recorded, name)):
                tally.recorded[float(name)] += times
    if one.get("event") == "save" and one.get("on") == "Stop":
        if number(one.get("ms")) is not None:
            tally.stopped[one["ms"]] += 1
    else:
        tally.told.append(one)


# --- follow: events of one session -> its compactions ---


@dataclass
class Compaction:
    """One compaction as its events tell of it: the newest of each name; what did not come is missing."""

    began: float
    events: dict[str, Record]

    def event(self, name: str) -> Record:
        """The event of that name; empty when it did not come."""
        return self.events.get(name, {})

    def outcome(self, now: float, patience: float) -> str:
        """What became of it, in a word of OUTCOMES; empty where nothing had been kept that could be put back."""
        if "repair" in self.events:
            return "repaired"
        if "receipt" in self.events:
            return "verified" if self.events["receipt"].get("verified") is True else "cannot tell"
        if "kept back" in self.events:
            return "missed"
        if "restore" in self.events:
            return "unchecked"
        if "audit" in self.events:
            return "missed" if count(self.event("save"), "items") else ""
        saved = float(self.event("save").get("time", self.began))
        return "under way" if 0 <= now - saved < patience else "unfinished"


def compactions_of(told: Iterable[Record], patience: float) -> list[Compaction]:
    """A session's compactions in their order; `patience` is how many seconds apart a delivery and its audit may lie.

    A subagent's compaction is none of the session's, and takes back the save that an older client led to.
    """
    found: list[Compaction] = []
    for one in sorted(told, key=lambda one: float(one["time"])):
        event = one.get("event")
        if event == "restore" and "agent" in one:
            if found and found[-1].events.keys() == {"save"}:
                found.pop()
        elif event in ("save", "restore", "kept back", "audit", "receipt", "repair"):
            if not found or is_another(found[-1], str(event), one["time"], patience):
                found.append(Compaction(one["time"], {}))
            found[-1].events[str(event)] = one
    return found


def is_another(last: Compaction, event: str, moment: float, patience: float) -> bool:
    """Whether the event belongs to a later compaction than the last one.

    Saves with nothing between them do not, nor does what follows them hours later: the client prepares a compaction
    several times, was held off, tried again, or two installations saved at once.
    """
    if event in ("receipt", "repair"):  # at the next prompt, whenever that is
        return False
    done = [one["time"] for name, one in last.events.items() if name in ENDS]
    if event == "save" or event in last.events:
        return bool(done)
    return bool(done) and moment - max(done) > patience


# --- figures: tallies -> what is told ---


def percentile(times: Counter[float], share: float) -> float | None:
    """The value that so large a share of the counted ones does not exceed; None where nothing was counted."""
    left = math.ceil(sum(times.values()) * share)
    for value in sorted(times):
        left -= times[value]
        if left <= 0 and times:
            return value
    return None


def latencies(tally: Tally) -> dict[str, Counter[float]]:
    """How often each hook took how many milliseconds."""
    times: dict[str, Counter[float]] = {name: Counter() for name in HOOKS}
    times["save at Stop"], times["record"] = tally.stopped, tally.recorded
    for one in tally.told:
        name = "save at PreCompact" if one.get("event") == "save" else str(one.get("event"))
        if name in ("save at PreCompact", "restore", "audit") and (spent := number(one.get("ms"))) is not None:
            times[name][spent] += 1
    return times


def spread(times: Counter[float]) -> Record:
    """How often, and the middle, the 95th percentile and the most of what was counted; empty for nothing."""
    if not times:
        return {}
    return {"count": sum(times.values()), "p50": percentile(times, 0.5), "p95": percentile(times, 0.95),
            "max": max(times)}


def by_kind(records: Iterable[Record], name: str) -> Counter[str]:
    """The counts that stand in this field of the records, added up by kind."""
    added: Counter[str] = Counter()
    for record in records:
        counts = record[name] if isinstance(record.get(name), dict) else {}
        for kind in counts:
            added[kind] += count(counts, kind)
    return +added


def put_back(restores: Sequence[Record], repairs: Sequence[Record]) -> Record:
    """What was put back: items by kind where that was told, characters and tokens; empty for nothing so far."""
    if not restores:
        return {}
    sizes = [count(one, "units") for one in restores]
    shown = by_kind(restores, "shown")
    kept = [count(one, "kept") for one in restores if "kept" in one]
    return {"times": len(restores), "items": sum(shown.values()) if shown else None, "kinds": dict(shown.most_common()),
            "kept": sum(kept) if kept else None, "units": sum(sizes), "units_each": round(sum(sizes) / len(sizes)),
            "tokens_each": round(sum(sizes) / len(sizes) / UNITS_PER_TOKEN),
            "again_units": sum(count(one, "units") for one in repairs)}


def audited(audits: Sequence[Record]) -> Record:
    """What the audits found in the summaries; empty where there was none."""
    if not audits:
        return {}
    found = {what: sum(count(one, what) for one in audits)
             for what in ("kept", "dropped", "changed", "invented", "contradicted", "unproven")}
    kinds = by_kind(audits, "kinds")
    dropped = {kind.partition(" ")[0] if kind.endswith(" dropped") else "": number for kind, number in kinds.items()}
    return {"summaries": len(audits), **found, "dropped_kinds": {kind: dropped[kind] for kind in dropped if kind}}


def figures(tallies: Mapping[str, Tally], patience: float, now: float | None = None) -> Record:
    """What the sessions' events come to. What is not known is None, an empty record, or missing."""
    now, whole = time.time() if now is None else now, Tally()
    courses: list[Compaction] = []
    for tally in tallies.values():
        whole.add(tally)
        courses += compactions_of(tally.told, patience)
    outcomes = Counter(one.outcome(now, patience) for one in courses)
    notes = [one for one in whole.told if one.get("event") == "note"]
    return {
        "first": whole.first if whole.last else None, "last": whole.last or None,
        "compactions": len(courses) - outcomes["unfinished"] - outcomes["under way"],
        "outcomes": {name: outcomes[name] for name in OUTCOMES},
        "subagents": sum(one.get("event") == "restore" and "agent" in one for one in whole.told),
        "put_back": put_back([one.events["restore"] for one in courses if "restore" in one.events],
                             [one.events["repair"] for one in courses if "repair" in one.events]),
        "audit": audited([one.events["audit"] for one in courses if "audit" in one.events]),
        "notes": {"count": len(notes), "units": sum(count(one, "units") for one in notes)} if notes else {},
        "cleared": whole.cleared,
        "ms": {name: told for name, times in latencies(whole).items() if (told := spread(times))}}


# --- disk ---


def size_below(path: str) -> int:
    """Bytes of the file, or of all files in the folder and below; links are not followed."""
    try:
        if not os.path.isdir(path) or os.path.islink(path):
            return os.lstat(path).st_size
        return sum(size_below(entry.path) for entry in os.scandir(path))
    except OSError:  # it went meanwhile
        return 0


def disk_use(home: str, session: str = "") -> dict[str, int]:
    """Bytes of the data folder by what they are for; of one session what is in its folder."""
    used: Counter[str] = Counter()
    sessions = os.path.join(home, "sessions")
    for entry in [] if session else entries(home):
        if entry.name != "sessions":
            used[use_of(entry.name)] += size_below(entry.path)
    for folder in [os.path.join(sessions, session)] if session else [entry.path for entry in entries(sessions)]:
        for entry in entries(folder):
            used["transcript backups" if entry.name == "backups" else "sessions"] += size_below(entry.path)
    return dict(used)


def entries(folder: str) -> list[os.DirEntry[str]]:
    """What is in the folder; nothing where it is none, a link, or cannot be read."""
    try:
        return [] if os.path.islink(folder) else list(os.scandir(folder))
    except OSError:
        return []


def use_of(name: str) -> str:
    """What a file or folder in the data folder is for."""
    uses = {"archive.db": "archive", "events.jsonl": "events", "hook.log": "logs", "reports": "reports",
            "backup": "backups"}
    return next((use for part, use in uses.items() if part in name), "other")


def main() -> int:
    """Prints this page: the file is imported, not run."""
    print(__doc__)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
