"""history.jsonl of a session: what each compaction carried over, and what was found in its summary.

restore_snapshot.py and audit_summary.py append a line each; the report and the notes read them. Their words are
redacted already.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Sequence
from typing import Any

from compact_keeper.store.folder import SCHEMA
from compact_keeper.store.json_lines import records_at_end
from compact_keeper.store.refusal import Refusal
from compact_keeper.text.kind_words import PASSED
from compact_keeper.types import ChosenLine, JsonObject, Line, Snapshot, SummaryFinding

HISTORY_FILE = "history.jsonl"
FAILING_CHECK = "failing check"  # what such a line is about
FINDINGS_MAX, FINDING_MAX_CHARACTERS = 200, 300  # findings of a summary that are kept; characters of each


def history_end(folder: str, most_bytes: int) -> list[JsonObject]:
    """The newest lines of the session's history, of at most so many bytes; none where it cannot be read."""
    path = os.path.join(folder, HISTORY_FILE)
    if os.path.islink(path):
        return []
    try:
        return [line for line in records_at_end(path, most_bytes) if line.get("schema") == SCHEMA]
    except (OSError, Refusal):
        return []


def restore_line(snapshot: Snapshot, shown: Sequence[ChosenLine], size: int) -> str:
    """The line for a text that was put back: its lines with their sections; `size` in UTF-16 units.

    A check that fails or passed counts as a thing, as in all that tell of it.
    """
    lines = [{"kind": kind_of(line), "section": line["section"], "line": line["text"]} for line in shown]
    things = len({id(item) for line in shown for item in line["items"]})
    things += sum("fails" in line or "passes" in line for line in shown)
    return as_line("restore", id=snapshot["id"], position=snapshot["position"], cycle=snapshot["cycle"], units=size,
                   things=things, lines=lines)


def kind_of(line: Line) -> str:
    """What a line is about: its item's kind, a check that fails or passed, or what is true now."""
    if line["items"]:
        return line["items"][0]["kind"]
    return FAILING_CHECK if "fails" in line else PASSED if "passes" in line else "fact"


def audit_line(compaction_id: str, findings: Sequence[SummaryFinding]) -> str:
    """The line for an audited summary: what the record contradicts in it, and what it leaves out."""
    return as_line("audit", id=compaction_id, found=[
        {"what": "contradicted" if finding["said"] else "left out", "kind": finding["kind"],
         "text": finding["said"][:FINDING_MAX_CHARACTERS], "record": finding["record"][:FINDING_MAX_CHARACTERS]}
        for finding in findings[:FINDINGS_MAX]])


def as_line(event: str, **fields: Any) -> str:
    """A line of the file, with its time."""
    return json.dumps({"schema": SCHEMA, "time": time.time(), "event": event, **fields}, ensure_ascii=False)
