"""events.jsonl: one line for each thing that stats, report and status line tell of."""

from __future__ import annotations

import json
import os
import time
from typing import Any

from compact_keeper.store.folder import SCHEMA, append_line, data_home


def note_event(event: str, session: str, **fields: Any) -> None:
    """Adds a line to events.jsonl."""
    line = {"schema": SCHEMA, "time": time.time(), "event": event, "session": session, **fields}
    append_line(os.path.join(data_home(), "events.jsonl"), json.dumps(line))
