"""The note for the model: what the record has otherwise than the summary, and what the summary leaves out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from compact_keeper.store.note import NOTE_MAX_UTF16
from compact_keeper.text.length import units
from compact_keeper.text.marks import in_quotes
from compact_keeper.types import JsonObject, NotedFinding, SummaryFinding

NOTE_HEADER = "compact-keeper compared the compaction's summary with what was recorded. What differs, or is missing:"
LEFT_OUT = {  # of the summary, by kind
    "pin": "Pinned by the user, not in the summary", "rule": "A standing rule of the user's, not in the summary",
    "question": "A question that waits for the user's answer, not in the summary"}


def note_of(findings: Iterable[SummaryFinding]) -> tuple[str, list[NotedFinding]]:
    """The note's text, at most NOTE_MAX_UTF16 units, and the findings in it with their lines; empty without any.

    A line that does not fit is left out whole: half a rule is none.
    """
    room = NOTE_MAX_UTF16 - units(NOTE_HEADER)
    kept: list[NotedFinding] = []
    for finding in findings:
        line = line_of(finding)
        if units(line) < room:
            room -= units(line) + 1
            kept.append({**finding, "line": line})
    return "\n".join([NOTE_HEADER, *(finding["line"] for finding in kept)]) if kept else "", kept


def line_of(finding: SummaryFinding) -> str:
    """The line that tells a finding; its words are redacted already."""
    if finding["said"]:
        return f"- The summary: {in_quotes(finding['said'])} The record: {finding['record']}"
    return f"- {LEFT_OUT[finding['kind']]}: {in_quotes(finding['record'])}"


def counts_of(findings: Sequence[SummaryFinding]) -> JsonObject:
    """How many things the summary said that the record contradicts, how many it left out, and how many of each kind."""
    contradicted = sum(bool(finding["said"]) for finding in findings)
    return {"contradicted": contradicted, "left_out": len(findings) - contradicted,
            "kinds": dict(Counter(finding["kind"] for finding in findings))}
