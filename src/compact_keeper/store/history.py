"""history.jsonl of a session: what each compaction carried over, and what was found in its summary.

restore_snapshot.py and audit_summary.py append a line each; the report reads them. Their words are redacted already.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Sequence
from typing import Any

from compact_keeper.store.folder import SCHEMA
from compact_keeper.text.quotation import quote
from compact_keeper.types import Line, Record

HISTORY_FILE = "history.jsonl"
FINDINGS_MAX, FINDING_MAX_CHARACTERS = 200, 300  # findings of a summary that are kept; characters of each


def restore_line(snapshot: Record, shown: Sequence[Line], size: int) -> str:
    """The line for a text that was put back: its lines with their sections; `size` in UTF-16 units."""
    lines = [{"kind": line["items"][0]["kind"] if line["items"] else "fact", "section": line["section"],
              "line": line["text"]} for line in shown]
    return as_line("restore", id=snapshot["id"], position=snapshot["position"], cycle=snapshot["cycle"], units=size,
                   lines=lines)


def audit_line(number: str, findings: Iterable[Record]) -> str:
    """The line for an audited summary: what it dropped, changed, invented or claimed."""
    worth_keeping = [finding for finding in findings if finding["what"] != "kept"][:FINDINGS_MAX]
    return as_line("audit", id=number, found=[
        {"what": finding["what"], "kind": finding["kind"], "text": words_of_finding(finding)}
        for finding in worth_keeping])


def words_of_finding(finding: Record) -> str:
    """The finding's words on one line; an item's are safe from the start, the summary's are not."""
    if "who" in finding:
        return " ".join(finding["text"].split())[:FINDING_MAX_CHARACTERS]
    return quote(finding["text"], FINDING_MAX_CHARACTERS)


def as_line(event: str, **fields: Any) -> str:
    """A line of the file, with its time."""
    return json.dumps({"schema": SCHEMA, "time": time.time(), "event": event, **fields}, ensure_ascii=False)
