"""A session's compactions as its events tell of them, what became of each, and the words in which all tell of one.

Each hook adds the line that it knows, with the compaction's id; here they are one again. So nothing waits for a hook
that does not come (a killed one, a copy without it, a session that ends), and no two write to one file.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from compact_keeper.figures.counting import count
from compact_keeper.text.fields import number, text_of
from compact_keeper.types import CompactionFacts, JsonObject

SAME_MOMENT_SECONDS = 2  # within which two installations' hooks save for one compaction
NEAR_SECONDS = 15 * 60  # between what is told of one compaction: a summary takes minutes
EVENTS_OF_COMPACTION = ("save", "restore", "kept back", "audit", "receipt", "repair", "stopped")
TRIGGERS = {"auto": "automatic", "manual": "by hand"}
ENDING_EVENTS = ("restore", "kept back", "audit", "repair")  # events that come when a compaction has happened


class OutcomeWords(NamedTuple):
    """What became of what was put back: in a row of the terminal's, by name on the page, and what it means."""

    in_row: str
    on_page: str
    meaning: str


OUTCOMES = {
    "verified": OutcomeWords(
        "arrived", "arrived", "what was put back stands in the client's transcript: the model has it"),
    "repaired": OutcomeWords("arrived after it was lost and put back again", "repaired",
                             "it was lost and put back again at the next prompt"),
    "cannot tell": OutcomeWords("put back (this client does not tell whether it arrived)", "cannot tell",
                                "put back; this client's transcript does not show whether it was kept"),
    "unchecked": OutcomeWords("to be confirmed by your next message", "to be confirmed",
                              "put back; the next message typed shows whether it arrived"),
    "overtaken": OutcomeWords(
        "not confirmed before the next one", "overtaken",
        "put back; the next compaction came before a message showed whether it arrived"),
    "missed": OutcomeWords("with nothing put back", "missed",
                           "the client compacted, something was kept, and nothing was put back"),
    "unfinished": OutcomeWords(
        "begun and not finished (failed, stopped, held off, or prepared and not used so far)", "not finished",
        "saved before a compaction that did not come to its end: it failed, was stopped or held off, or was prepared "
        "in advance and not used so far"),
    "under way": OutcomeWords("begun, its end not seen yet", "no end yet",
                              "saved a short while ago: at work, or prepared in advance and perhaps still used")}
NOT_ENDED = ("unfinished", "under way")  # outcomes of a compaction that is not known to have happened


@dataclass
class Compaction:
    """One compaction as its events tell of it: the newest of each name; what did not come is missing."""

    began: float
    events: dict[str, JsonObject]
    ids: set[str] = field(default_factory=set)  # several, where the client prepared it several times
    is_followed: bool = False  # by a later one that has happened
    restored: JsonObject = field(default_factory=dict)  # the lines of history.jsonl on it, for the report
    audited: JsonObject = field(default_factory=dict)

    def add(self, name: str, event: JsonObject) -> None:
        """Takes in an event of that name."""
        self.events[name] = event
        self.ids |= {text_of(event, "id")} - {""}

    def moment(self) -> float:
        """When the text was put back, else when the summary came, else when it was saved."""
        known = [self.events[name] for name in ("restore", "audit", "save") if name in self.events]
        return float(known[0]["time"]) if known else self.began

    def facts(self, now: float) -> CompactionFacts:
        """What is known of it; what is not known is missing."""
        save, restore, audit, boundary = map(self.event, ("save", "restore", "audit", "boundary"))
        facts: CompactionFacts = {"time": self.moment(), "outcome": self.outcome(now)}
        trigger = text_of(boundary, "trigger") or text_of(save, "trigger") or text_of(audit, "trigger")
        if trigger in TRIGGERS:
            facts["trigger"] = trigger
        if typed := text_of(save, "typed"):
            facts["typed"] = typed
        if before := count(boundary, "tokens_before"):
            facts["tokens_before"] = before
        if after := count(boundary, "tokens_after"):
            facts["tokens_after"] = after
        if units := count(restore, "units"):
            facts["units"] = units
        if isinstance(restore.get("shown"), dict):
            facts["kinds"] = {kind: count(restore["shown"], kind) for kind in restore["shown"]}
        if number(audit.get("contradicted")) is not None:
            facts.update({"contradicted": count(audit, "contradicted"), "left_out": count(audit, "left_out"),
                          "put_back": self.left_out_put_back(), "model_knows": self.model_knows()})
        return facts

    def model_knows(self) -> bool:
        """Whether the model knows what differs in the summary: from the text that was put back, or from a note."""
        return "note" in self.events or not count(self.event("audit"), "units")

    def left_out_put_back(self) -> int:
        """How much of what the summary left out the model was given again: in the text, or by a note."""
        audit = self.event("audit")
        return count(audit, "left_out" if self.model_knows() else "in_text")

    def has_happened(self) -> bool:
        """Whether an event has come that comes behind a compaction alone."""
        return not self.events.keys().isdisjoint(ENDING_EVENTS)

    def event(self, name: str) -> JsonObject:
        """The event of that name; empty when it did not come."""
        return self.events.get(name, {})

    def outcome(self, now: float) -> str:
        """What became of it, in a word of OUTCOMES; empty where nothing had been kept that could be put back."""
        if "repair" in self.events:
            return "repaired"
        if "receipt" in self.events:
            return "verified" if self.events["receipt"].get("verified") is True else "cannot tell"
        if "kept back" in self.events:
            return "missed"
        if "restore" in self.events:
            return "overtaken" if self.is_followed else "unchecked"
        if "audit" in self.events:
            return "missed" if count(self.event("save"), "items") else ""
        saved = float(self.event("save").get("time", self.began))
        is_fresh = 0 <= now - saved < NEAR_SECONDS and "stopped" not in self.events
        return "under way" if is_fresh else "unfinished"


def compactions_of(events: Iterable[JsonObject]) -> list[Compaction]:
    """A session's compactions in their order.

    A subagent's compaction is none of the session's, and takes back the save that an older client led to.
    """
    compactions: list[Compaction] = []
    listed = sorted(events, key=lambda event: float(event["time"]))
    for event in listed:
        name = text_of(event, "event")
        if name == "restore" and "agent" in event:
            if compactions and compactions[-1].events.keys() == {"save"}:
                compactions.pop()
        elif name in EVENTS_OF_COMPACTION:
            by_id = [compaction for compaction in compactions if text_of(event, "id") in compaction.ids]
            if not by_id and (not compactions or is_another(compactions[-1], name, event["time"])):
                compactions.append(Compaction(event["time"], {}))
            (by_id or compactions)[-1].add(name, event)
        elif name == "note":  # it has no id: it is on the summary that was audited last
            audited = [compaction for compaction in compactions if "audit" in compaction.events]
            for compaction in audited[-1:]:
                compaction.add(name, event)
    mark_followed(compactions)
    add_boundaries(compactions, [event for event in listed if event.get("event") == "boundary"])
    return compactions


def mark_followed(compactions: list[Compaction]) -> None:
    """Notes of each that a later one has happened; what did not end before another began is at work no more."""
    happened = [index for index, compaction in enumerate(compactions) if compaction.has_happened()]
    for compaction in compactions[:max(happened, default=0)]:
        compaction.is_followed = True
    for compaction in compactions[:-1]:
        if not compaction.has_happened():
            compaction.events.setdefault("stopped", {})


def add_boundaries(compactions: list[Compaction], boundaries: Iterable[JsonObject]) -> None:
    """Adds what the client told of its compactions, each to the nearest one: that has no id of ours."""
    for boundary in boundaries:
        def distance(compaction: Compaction, moment: float = float(boundary["time"])) -> float:
            """How many seconds lie between both."""
            return abs(compaction.moment() - moment)
        near = [compaction for compaction in compactions if distance(compaction) <= NEAR_SECONDS]
        if near:
            min(near, key=distance).add("boundary", boundary)


def is_another(last: Compaction, name: str, moment: float) -> bool:
    """Whether an event of that name belongs to a later compaction than the last one.

    Saves with nothing between them do not, nor does what follows them hours later: the client prepares a compaction
    several times, was held off, tried again, or two installations saved at once. But one by hand is never prepared:
    that had failed, or was stopped, when the next save came.
    """
    if name in ("receipt", "repair"):  # at the next prompt, whenever that is
        return False
    ends = [last.events[ending]["time"] for ending in ENDING_EVENTS if ending in last.events]
    if name == "save" and not ends:
        save = last.event("save")
        return text_of(save, "trigger") == "manual" and moment - float(save["time"]) > SAME_MOMENT_SECONDS
    if name == "save" or name in last.events:
        return bool(ends)
    return bool(ends) and moment - max(ends) > NEAR_SECONDS


# --- in words ---


def shrunk_words(facts: CompactionFacts) -> str:
    """The context before and after, in tokens as the client counts them; empty where it did not tell."""
    before, after = facts.get("tokens_before", 0), facts.get("tokens_after", 0)
    return f"{before:,} tokens became {after:,}" if before and after else f"{before:,} tokens" if before else ""
