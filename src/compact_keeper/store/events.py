"""events.jsonl: one line for each thing that stats, report and status line tell of."""

from __future__ import annotations

import json
import os
import time
from typing import Any

from compact_keeper.store.disk import size_of
from compact_keeper.store.folder import SCHEMA, append_line, data_home

EVENTS_MAX_BYTES = 8 << 20  # a longer file starts anew, the old one stays beside it
OLD_ENDING = ".1"


def note_event(event: str, session: str, **fields: Any) -> None:
    """Adds a line to events.jsonl."""
    line = {"schema": SCHEMA, "time": time.time(), "event": event, "session": session, **fields}
    path = os.path.join(data_home(), "events.jsonl")
    if size_of(path) > EVENTS_MAX_BYTES:
        rotate(path)
    append_line(path, json.dumps(line))


def rotate(path: str) -> None:
    """Sets the file aside; the one that was set aside before goes."""
    try:
        os.replace(path, f"{path}{OLD_ENDING}")
    except FileNotFoundError:  # another hook has just done it
        return
