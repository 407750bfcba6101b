"""events.jsonl: one line for each thing that stats, report and status line tell of."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator
from typing import Any

from compact_keeper.store.disk import OLD_ENDING, set_aside
from compact_keeper.store.folder import EVENTS_FILE, SCHEMA, SESSION_ID, append_line, data_home
from compact_keeper.store.json_lines import records_at_end
from compact_keeper.text.fields import number, text_of
from compact_keeper.types import JsonObject

EVENTS_MAX_BYTES = 8 << 20  # a longer file starts anew, the old one stays beside it
NO_EVENT = "no event yet"


def note_event(event: str, session: str, **fields: Any) -> None:
    """Adds a line to events.jsonl."""
    line = {"schema": SCHEMA, "time": time.time(), "event": event, "session": session, **fields}
    path = os.path.join(data_home(), EVENTS_FILE)
    set_aside(path, EVENTS_MAX_BYTES)
    append_line(path, json.dumps(line))


def newest_events(most_bytes: int = sys.maxsize) -> Iterator[JsonObject]:
    """The events of the file's older part and of the file, of each at most the last so many bytes, the oldest first.

    Lines that are torn, no object, or of another schema are passed over.
    """
    path = os.path.join(data_home(), EVENTS_FILE)
    for part in (f"{path}{OLD_ENDING}", path):
        yield from filter(is_event, records_at_end(part, most_bytes))


def is_event(record: JsonObject) -> bool:
    """Whether the record is an event as `note_event` writes it."""
    is_ours = record.get("schema") == SCHEMA and number(record.get("time")) is not None
    return is_ours and bool(SESSION_ID.match(text_of(record, "session")))
