#!/usr/bin/env python3
"""A session's history: what each compaction carried over, and what was found in its summary.

restore_snapshot.py and audit_summary.py append a line each to sessions/<session_id>/history.jsonl; stats.py's report
reads them. The lines are worded and redacted already. Nothing is written here.
Python 3.9+, standard library only.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Sequence

TYPE_CHECKING = False  # typing itself is not imported: it costs a hook 2.7 ms
if TYPE_CHECKING:
    from typing import Any

    Record = dict[str, Any]

NAME, SCHEMA = "history.jsonl", 1
MOST_FOUND, TEXT_SHOWN = 200, 300  # findings of a summary that are kept; characters of each


def restored(snapshot: Record, shown: Sequence[Record], size: int) -> str:
    """The line for a block that was put back: its lines with their sections and scores; `size` in UTF-16 units."""
    lines = [{"kind": one["kind"], "section": one["section"], "line": one["line"], "score": round(one["score"], 3),
              "terms": {name: round(value, 3) for name, value in one["terms"].items()}}
             for one in shown if "section" in one]  # a copy of the restore alone makes a plain list
    return as_line("restore", id=snapshot["id"], position=snapshot["position"], cycle=snapshot["cycle"], units=size,
                   lines=lines)


def audited(number: str, found: Iterable[Record], quote: Callable[[str, int], str]) -> str:
    """The line for an audited summary: what it dropped, changed, invented or claimed; its words go through `quote`."""
    told = [one for one in found if one["what"] != "kept"][:MOST_FOUND]
    return as_line("audit", id=number, found=[
        {"what": one["what"], "kind": one["kind"], "text":  # an item's is safe from the start
         " ".join(one["text"].split())[:TEXT_SHOWN] if "who" in one else quote(one["text"], TEXT_SHOWN)}
        for one in told])


def as_line(event: str, **told: Any) -> str:
    """A line of the file, with its time."""
    return json.dumps({"schema": SCHEMA, "time": time.time(), "event": event, **told}, ensure_ascii=False)
