"""What events.jsonl tells of each session, counted line by line.

A line is an event of a hook (a save, a restore, an audit …). Nine of ten lines are saves at Stop: these are only
counted, every other event is kept. The file starts anew at 8 MB and one older part stays beside it, so that a plain
loop is enough: both full, 100,000 events, take a second.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from compact_keeper.store.events import newest_events
from compact_keeper.text.fields import number
from compact_keeper.types import JsonObject


@dataclass
class Tally:
    """What is known of a session; of saves those at PreCompact are kept, those at Stop only counted."""

    first: float = math.inf
    last: float = 0.0
    saves_at_stop: Counter[float] = field(default_factory=Counter)  # how often one took so many milliseconds
    recorded: Counter[float] = field(default_factory=Counter)  # the same of record_event.py
    cleared: int | None = None  # failing commands that passed later; None where no save told
    events: list[JsonObject] = field(default_factory=list)

    def seen(self, *times: float) -> None:
        """Takes in when something was seen."""
        self.first = min(self.first, *times)
        self.last = max(self.last, *times)

    def clear(self, count: float) -> None:
        """Adds failing commands that passed."""
        self.cleared = (self.cleared or 0) + int(count)

    def add(self, other: Tally) -> None:
        """Takes in another session's tally."""
        self.seen(other.first, other.last)
        self.saves_at_stop.update(other.saves_at_stop)
        self.recorded.update(other.recorded)
        if other.cleared is not None:
            self.clear(other.cleared)
        self.events += other.events


Tallies = defaultdict[str, Tally]


def count(record: Mapping[str, Any], name: str) -> int:
    """The field's count; 0 where it is none."""
    return int(number(record.get(name)) or 0)


def read_events() -> Tallies:
    """A tally for each session that the events tell of."""
    tallies: Tallies = defaultdict(Tally)
    for event in newest_events():
        add_event(tallies[event["session"]], event)
    return tallies


def add_event(tally: Tally, event: JsonObject) -> None:
    """Takes in an event of the tally's session."""
    tally.seen(event["time"])
    is_save = event.get("event") == "save"
    if is_save:
        add_figures(tally, event)
    if not is_save or event.get("on") == "PreCompact":
        tally.events.append(event)
    elif event.get("on") == "Stop" and number(event.get("ms")) is not None:
        tally.saves_at_stop[event["ms"]] += 1


def add_figures(tally: Tally, save: JsonObject) -> None:
    """Takes in what a save tells of others: commands that passed, and times of the hooks that wrote the ledger."""
    if number(save.get("cleared")) is not None:
        tally.clear(save["cleared"])
    recorded = save["recorded"] if isinstance(save.get("recorded"), dict) else {}
    for milliseconds in recorded:
        times = count(recorded, milliseconds)
        if times and re.fullmatch(r"\d{1,9}(?:\.\d{1,9})?", milliseconds, re.ASCII):
            tally.recorded[float(milliseconds)] += times
