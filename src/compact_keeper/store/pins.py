"""Pins: words of the person that stand first, and whole, in everything that is put back.

A pin is a line of sessions/<session_id>/pins.jsonl, or, for all sessions of a project, of the data folder's pins.jsonl
with its top folder as `project` (until 0.14.0 the folder of the session that pinned it); another line that names its id
as `gone` ends it.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Collection, Iterable

from compact_keeper.store.folder import SCHEMA, SNAPSHOT_FILE, append_line, data_home, private_folder
from compact_keeper.store.json_files import read_store
from compact_keeper.store.json_lines import records_of
from compact_keeper.store.ledger import timestamp
from compact_keeper.text.fields import text_of
from compact_keeper.text.redact import redact
from compact_keeper.text.sanitize import clean
from compact_keeper.types import Item, ItemFields, JsonObject

PINS_FILE, PINS_FILE_MAX_BYTES = "pins.jsonl", 1 << 20
PINS_SHARE = 0.38  # of the recap's budget: what has no room in it is not pinned


def pins_in(folder: str, projects: Collection[str]) -> list[JsonObject]:
    """The pins that hold for the session in the folder: its own and its project's, in the order of their times.

    `projects` are the folders whose pins are the project's: the session's own, and the top one of its project.
    """
    home = os.path.dirname(os.path.dirname(folder))
    paths = [path for path in (os.path.join(folder, PINS_FILE), os.path.join(home, PINS_FILE)) if os.path.isfile(path)]
    lines = [line for path in paths for line in records_of(path, 0, PINS_FILE_MAX_BYTES)
             if "project" not in line or line["project"] in projects]
    gone = {str(line["gone"]) for line in lines if "gone" in line}
    pins = [line for line in lines if text_of(line, "text").strip() and pin_name(line) not in gone]
    return sorted(pins, key=lambda pin: (str(pin.get("time")), str(pin.get("id"))))  # the id tells the nanosecond


def pin_name(pin: JsonObject) -> str:
    """The name by which a later line ends the pin: its id; the time of one that was written by hand."""
    return str(pin.get("id") or pin.get("time"))


def pin_items(pins: Iterable[JsonObject]) -> list[Item]:
    """The pins as items of a snapshot, their words made safe to show; they have no position and no age."""
    at: ItemFields = {"source": "pins", "position": 0, "cycle": 0, "uses": 1, "status": "open"}
    return [{**at, "kind": "pin", "who": "user", "text": redact(clean(pin["text"])), "first": str(pin.get("time", "")),
             "last": str(pin.get("time", ""))} for pin in pins]


class SessionPins:
    """The pins of one session."""

    def __init__(self, session: str, project: str, top_of: Callable[[str], str]) -> None:
        """`project` is the folder that the session belongs to where its snapshot names none; `top_of` its project's."""
        self.folder = private_folder("sessions", session)
        self.project = text_of(read_store(os.path.join(self.folder, SNAPSHOT_FILE)), "project") or project
        self.top = top_of(self.project)

    def in_force(self) -> list[JsonObject]:
        """The pins that hold, in the order of their numbers."""
        return pins_in(self.folder, (self.project, self.top))

    def add(self, text: str, project: str) -> str:
        """Pins the words, for the sessions of that project or, where it is empty, for this one; returns their id."""
        name = f"{time.time_ns():x}"
        self.note(project, id=name, text=text)
        return name

    def end(self, pin: JsonObject) -> None:
        """Takes the pin off."""
        self.note(text_of(pin, "project"), gone=pin_name(pin))

    def note(self, project: str, **fields: str) -> None:
        """A line in the session's file, or, for the sessions of a project, in that of all."""
        of_project = {"project": project} if project else {}
        line = {"schema": SCHEMA, "time": timestamp(time.time()), **fields, **of_project}
        folder = data_home() if project else self.folder
        append_line(os.path.join(folder, PINS_FILE), json.dumps(line, ensure_ascii=False))
