"""(docstring)"""

from __future__ import annotations

import json
import math
import os
import re
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from compact_keeper.store.disk import size_below
from compact_keeper.store.events import OLD_ENDING
from compact_keeper.store.folder import SCHEMA, SESSION_ID, open_regular
from compact_keeper.text.fields import text_of
from compact_keeper.types import Record

EVENT_LINE_MAX_BYTES = 1 << 20  # bytes; a line of ours has a few hundred
MOST = 1e15  # what is larger is no count and no time of ours
UNITS_PER_TOKEN = 4  # characters of English or code that make about a token
OUTCOMES = ("verified", "repaired", "cannot tell", "unchecked", "missed", "unfinished", "under way")
ENDING_EVENTS = ("restore", "kept back", "audit", "repair")  # events that come when a compaction has taken place
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
        """Takes in another session's tally."""
        self.seen(other.first, other.last)
        self.stopped.update(other.stopped)
        self.recorded.update(other.recorded)
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


def read_events(path: str, since: float = 0.0) -> Tallies:
    """A tally for each session that the file and the one before it tell of from that time on; none without them."""
    tallies: Tallies = defaultdict(Tally)
    for part in (f"{path}{OLD_ENDING}", path):
        try:
            handle = open_regular(part, os.O_RDONLY)
        except FileNotFoundError:
            continue
        with os.fdopen(handle, "rb") as file:
            while line := file.readline(EVENT_LINE_MAX_BYTES):
                event = event_on(line)
                if event and event["time"] >= since:
                    add_event(tallies[event["session"]], event)
    return tallies


def event_on(line: bytes) -> Record:
    """The event on the line; empty for one that is torn, or of another schema."""
    try:
        event = json.loads(line.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return {}
    if not isinstance(event, dict) or event.get("schema") != SCHEMA or number(event.get("time")) is None:
        return {}
    return event if SESSION_ID.match(text_of(event, "session")) else {}


def add_event(tally: Tally, event: Record) -> None:
    """Takes in an event of the tally's session."""
    tally.seen(event["time"])
    if event.get("event") == "save":
        if number(event.get("cleared")) is not None:
            tally.clear(event["cleared"])
        recorded = event["recorded"] if isinstance(event.get("recorded"), dict) else {}
        for milliseconds in recorded:
            times = count(recorded, milliseconds)
            if re.fullmatch(r"\d{1,9}(?:\.\d{1,9})?", milliseconds, re.ASCII) and times:
                tally.recorded[float(milliseconds)] += times
    if event.get("event") != "save" or event.get("on") != "Stop":
        tally.told.append(event)
    elif number(event.get("ms")) is not None:
        tally.stopped[event["ms"]] += 1


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
    done = [one["time"] for name, one in last.events.items() if name in ENDING_EVENTS]
    if event == "save" or event in last.events:
        return bool(done)
    return bool(done) and moment - max(done) > patience


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


def delivery_figures(restores: Sequence[Record], repairs: Sequence[Record]) -> Record:
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


def audit_figures(audits: Sequence[Record]) -> Record:
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
        "put_back": delivery_figures([one.events["restore"] for one in courses if "restore" in one.events],
                             [one.events["repair"] for one in courses if "repair" in one.events]),
        "audit": audit_figures([one.events["audit"] for one in courses if "audit" in one.events]),
        "notes": {"count": len(notes), "units": sum(count(one, "units") for one in notes)} if notes else {},
        "cleared": whole.cleared,
        "ms": {name: told for name, times in latencies(whole).items() if (told := spread(times))}}


def disk_use(home: str, session: str = "") -> dict[str, int]:
    """Bytes of the data folder by what they are for; of one session what is in its folder."""
    used: Counter[str] = Counter()
    sessions = os.path.join(home, "sessions")
    for entry in [] if session else folder_entries(home):
        if entry.name != "sessions":
            used[use_of(entry.name)] += size_below(entry.path)
    for folder in [os.path.join(sessions, session)] if session else [entry.path for entry in folder_entries(sessions)]:
        for entry in folder_entries(folder):
            used["transcript backups" if entry.name == "backups" else "sessions"] += size_below(entry.path)
    return dict(used)


def folder_entries(folder: str) -> list[os.DirEntry[str]]:
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
