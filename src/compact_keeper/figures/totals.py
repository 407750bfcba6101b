"""What the events of one session or of all come to: outcomes, what was put back, audits, times of the hooks.

What is not known is None, an empty record, or missing; it is never 0.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from compact_keeper.figures.compactions import NOT_ENDED, OUTCOMES, Compaction, compactions_of
from compact_keeper.figures.counting import Tally, count
from compact_keeper.figures.kind_words import things_in
from compact_keeper.text.fields import number
from compact_keeper.text.length import UNITS_PER_TOKEN
from compact_keeper.types import (
    AuditFigures,
    CompactionFacts,
    DeliveryFigures,
    Figures,
    JsonObject,
    NoteFigures,
    Spread,
)

HOOKS = ("save at Stop", "save at PreCompact", "restore", "audit", "record")  # whose time is known


def figures_of(tallies: Mapping[str, Tally], now: float | None = None) -> Figures:
    """What the sessions' events come to."""
    now = time.time() if now is None else now
    whole = Tally()
    compactions: list[Compaction] = []
    for tally in tallies.values():
        whole.add(tally)
        compactions += compactions_of(tally.events)
    outcomes = Counter(compaction.outcome(now) for compaction in compactions)
    subagents = sum(event.get("event") == "restore" and "agent" in event for event in whole.events)
    return {
        "first": whole.first if whole.last else None, "last": whole.last or None,
        "compactions": len(compactions) - sum(outcomes[name] for name in NOT_ENDED),
        "outcomes": {name: outcomes[name] for name in OUTCOMES},
        "each": facts_of_each(compactions, now) if len(tallies) == 1 else [],
        "subagents": subagents,
        "put_back": delivery_figures(events_named("restore", compactions), events_named("repair", compactions)),
        "audit": audit_figures([compaction for compaction in compactions if "audit" in compaction.events]),
        "notes": note_figures([event for event in whole.events if event.get("event") == "note"]),
        "cleared": whole.cleared,
        "ms": spreads(whole)}


def facts_of_each(compactions: Iterable[Compaction], now: float) -> list[CompactionFacts]:
    """What is known of each compaction that happened."""
    each = [compaction.facts(now) for compaction in compactions]
    return [facts for facts in each if facts["outcome"] not in NOT_ENDED]


def events_named(name: str, compactions: Iterable[Compaction]) -> list[JsonObject]:
    """The events of that name, of the compactions that have one."""
    return [compaction.events[name] for compaction in compactions if name in compaction.events]


def delivery_figures(restores: Sequence[JsonObject], repairs: Sequence[JsonObject]) -> DeliveryFigures:
    """What was put back: items by kind where that was told, characters and tokens; empty for nothing so far."""
    if not restores:
        return {}
    units = sum(count(restore, "units") for restore in restores)
    kinds = by_kind(restores, "shown")
    return {"times": len(restores), "items": things_in(kinds) if kinds else None, "kinds": dict(kinds.most_common()),
            "units": units, "units_each": round(units / len(restores)),
            "tokens_each": round(units / len(restores) / UNITS_PER_TOKEN),
            "again_units": sum(count(repair, "units") for repair in repairs)}


def audit_figures(audited: Sequence[Compaction]) -> AuditFigures:
    """What the audits of these compactions found in the summaries; empty where there was none."""
    if not audited:
        return {}
    audits = events_named("audit", audited)
    back = sum(compaction.left_out_put_back() for compaction in audited)
    return {"summaries": len(audits), "contradicted": sum(count(audit, "contradicted") for audit in audits),
            "left_out": sum(count(audit, "left_out") for audit in audits), "left_out_put_back": back,
            "kinds": dict(by_kind(audits, "kinds").most_common())}


def note_figures(notes: Sequence[JsonObject]) -> NoteFigures:
    """How many notes the model was given, and how long they were together; empty where there was none."""
    return {"count": len(notes), "units": sum(count(note, "units") for note in notes)} if notes else {}


def by_kind(records: Iterable[JsonObject], name: str) -> Counter[str]:
    """The counts that stand in this field of the records, added up by kind."""
    added: Counter[str] = Counter()
    for record in records:
        counts = record[name] if isinstance(record.get(name), dict) else {}
        for kind in counts:
            added[kind] += count(counts, kind)
    return +added


def spreads(tally: Tally) -> dict[str, Spread]:
    """How long each hook took whose time is known: how often, the middle, the 95th percentile and the most."""
    return {name: {"count": sum(times.values()), "p50": percentile(times, 0.5) or 0.0,
                   "p95": percentile(times, 0.95) or 0.0, "max": max(times)}
            for name, times in latencies(tally).items() if times}


def latencies(tally: Tally) -> dict[str, Counter[float]]:
    """How often each hook took how many milliseconds."""
    times: dict[str, Counter[float]] = {name: Counter() for name in HOOKS}
    times["save at Stop"] = tally.saves_at_stop
    times["record"] = tally.recorded
    for event in tally.events:
        name = "save at PreCompact" if event.get("event") == "save" else str(event.get("event"))
        milliseconds = number(event.get("ms"))
        if name in ("save at PreCompact", "restore", "audit") and milliseconds is not None:
            times[name][milliseconds] += 1
    return times


def percentile(times: Counter[float], share: float) -> float | None:
    """The value that so large a share of the counted ones does not exceed; None where nothing was counted."""
    left = math.ceil(sum(times.values()) * share)
    for value in sorted(times):
        left -= times[value]
        if left <= 0:
            return value
    return None
