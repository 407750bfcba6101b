"""ledger.jsonl of a session: what the transcript tells late or not at all, one line for each event."""

from __future__ import annotations

import json
import os
import time

from compact_keeper.store.folder import SCHEMA, append_line, private_folder
from compact_keeper.types import LedgerEvent

LEDGER_FILE = "ledger.jsonl"
FOLDED_LEDGER_FILE = "ledger.folded.jsonl"  # as a save renames it once it has read all: see client/ledger_reading.py
PROMPT_MAX_UTF16 = 2_000  # of a prompt: longer ones are mostly pasted text, and stand whole once their row has come


def add_to_ledger(session: str, event: LedgerEvent, started: float) -> str:
    """Adds the event, without fields that say nothing; the session's folder.

    `started` is the value of perf_counter when the script was loaded: the line says how long the hook took.
    """
    folder = private_folder("sessions", session)
    line = {"schema": SCHEMA, "time": timestamp(time.time()), **event}
    fields = {name: value for name, value in line.items() if value not in ("", None)}
    fields["hook_ms"] = round((time.perf_counter() - started) * 1000, 1)
    append_line(os.path.join(folder, LEDGER_FILE), json.dumps(fields, ensure_ascii=False))
    return folder


def timestamp(seconds: float) -> str:
    """The moment as the transcript writes it: UTC, milliseconds, sortable as text."""
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds)) + f".{int(seconds % 1 * 1000):03d}Z"
