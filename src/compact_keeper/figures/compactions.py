"""A session's compactions as its events tell of them, and what became of each.

Outcomes:
    verified      the client kept what was put back: it stands in the transcript
    repaired      it was lost, and put back again at the next prompt
    cannot tell   put back; this client's transcript does not show whether it was kept
    unchecked     put back; no prompt came after it at which it could be looked for
    missed        the client compacted (its summary was audited), something was saved, and nothing was put back
    unfinished    saved before a compaction of which nothing more was seen: it failed, was stopped or held off
    under way     the same, begun so short ago that it may still come
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from compact_keeper.figures.counting import count
from compact_keeper.types import Record

OUTCOMES = ("verified", "repaired", "cannot tell", "unchecked", "missed", "unfinished", "under way")
ENDING_EVENTS = ("restore", "kept back", "audit", "repair")  # events that come when a compaction has taken place


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


def compactions_of(events: Iterable[Record], patience: float) -> list[Compaction]:
    """A session's compactions in their order; `patience` is how many seconds apart a delivery and its audit may lie.

    A subagent's compaction is none of the session's, and takes back the save that an older client led to.
    """
    compactions: list[Compaction] = []
    for event in sorted(events, key=lambda event: float(event["time"])):
        name = event.get("event")
        if name == "restore" and "agent" in event:
            if compactions and compactions[-1].events.keys() == {"save"}:
                compactions.pop()
        elif name in ("save", "restore", "kept back", "audit", "receipt", "repair"):
            if not compactions or is_another(compactions[-1], str(name), event["time"], patience):
                compactions.append(Compaction(event["time"], {}))
            compactions[-1].events[str(name)] = event
    return compactions


def is_another(last: Compaction, name: str, moment: float, patience: float) -> bool:
    """Whether an event of that name belongs to a later compaction than the last one.

    Saves with nothing between them do not, nor does what follows them hours later: the client prepares a compaction
    several times, was held off, tried again, or two installations saved at once.
    """
    if name in ("receipt", "repair"):  # at the next prompt, whenever that is
        return False
    ends = [last.events[ending]["time"] for ending in ENDING_EVENTS if ending in last.events]
    if name == "save" or name in last.events:
        return bool(ends)
    return bool(ends) and moment - max(ends) > patience
