"""A session's compactions, each with all that events, transcript and history tell of it.

The three name no compaction in the same way: what is told of one is joined by its time.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from compact_keeper.figures.compactions import NEAR_SECONDS, Compaction
from compact_keeper.figures.counting import count, number
from compact_keeper.figures.course import Course
from compact_keeper.store.history import history_end
from compact_keeper.text.fields import text_of
from compact_keeper.types import CompactionFacts, JsonObject

HISTORY_MAX_BYTES = 16 << 20  # bytes of history.jsonl's end; a compaction takes some 15 KB


@dataclass
class JoinedCompaction:
    """One compaction with all that is told of it; a part that is missing is None or empty."""

    time: float
    events: Compaction | None = None
    boundary: JsonObject = field(default_factory=dict)
    restored: JsonObject = field(default_factory=dict)  # lines of history.jsonl
    audited: JsonObject = field(default_factory=dict)

    def facts(self, now: float, patience: float) -> CompactionFacts:
        """What is known of it: as its events tell, and what those do not tell as transcript and history do."""
        by_events: CompactionFacts = self.events.facts(now, patience) if self.events else {"outcome": ""}
        facts: CompactionFacts = {}
        if before := count(self.boundary, "before"):
            facts["tokens_before"] = before
        if after := count(self.boundary, "after"):
            facts["tokens_after"] = after
        if units := count(self.restored, "units"):
            facts["units"] = units
        facts = {**facts, **by_events}
        if trigger := text_of(self.boundary, "trigger"):
            facts["trigger"] = trigger
        return facts


def read_history(folder: str) -> list[JsonObject]:
    """The lines of the session's history that name their time; empty where there is none."""
    return [line for line in history_end(folder, HISTORY_MAX_BYTES) if number(line.get("time")) is not None]


def joined_compactions(
        compactions: Iterable[Compaction], course: Course, history: Iterable[JsonObject]) -> list[JoinedCompaction]:
    """The session's compactions in their order, each with what events, transcript and history tell of it."""
    joined = [JoinedCompaction(events.moment(), events) for events in compactions]
    for line in history:
        part = {"restore": "restored", "audit": "audited"}.get(text_of(line, "event"))
        if part:
            join(joined, part, line)
    for boundary in course.boundaries:
        join(joined, "boundary", boundary)
        boundary["after"] = boundary["after"] or next((filled for when, filled in course.context
                                                       if when > boundary["time"]), None)
    return sorted(joined, key=lambda compaction: compaction.time)


def join(joined: list[JoinedCompaction], part: str, record: JsonObject) -> None:
    """Adds the part to the nearest compaction that lacks it, or to a new one where none is near."""
    def distance(compaction: JoinedCompaction) -> float:
        """How many seconds lie between both."""
        return abs(compaction.time - float(record["time"]))
    lacking = [compaction for compaction in joined
               if not getattr(compaction, part) and distance(compaction) <= NEAR_SECONDS]
    if not lacking:
        lacking = [JoinedCompaction(record["time"])]
        joined += lacking
    setattr(min(lacking, key=distance), part, record)
