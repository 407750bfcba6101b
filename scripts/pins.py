#!/usr/bin/env python3
"""Which pins hold for a session: words of the person that come first and whole in everything that is put back.

restore_snapshot.py and audit_summary.py ask, and edit_pins.py, which adds and takes off. A pin is a line of
sessions/<session_id>/pins.jsonl, or, for all sessions in a folder, of the data folder's pins.jsonl with that folder as
`project`; another line that names its id as `gone` ends it. Nothing is written.
Python 3.9+, standard library only.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable

TYPE_CHECKING = False  # typing itself is not imported: it costs a hook 2.7 ms
if TYPE_CHECKING:
    from typing import Any

    Record = dict[str, Any]

NAME = "pins.jsonl"


def pins_in(folder: str, project: str, records_in: Callable[[str], Iterable[Record]]) -> list[Record]:
    """The pins that hold for the session in the folder: its own and its project's, in the order of their times."""
    home = os.path.dirname(os.path.dirname(folder))
    lines = [one for path in (os.path.join(folder, NAME), os.path.join(home, NAME)) if os.path.isfile(path)
             for one in records_in(path) if one.get("project", project) == project]
    gone = {str(one["gone"]) for one in lines if "gone" in one}
    pins = [one for one in lines if isinstance(one.get("text"), str) and name_of(one) not in gone]
    return sorted((one for one in pins if one["text"].strip()), key=lambda one: str(one.get("time")))


def name_of(pin: Record) -> str:
    """By what a later line ends it: its id, of a line written by hand its time."""
    return str(pin.get("id") or pin.get("time"))


def as_items(pins: Iterable[Record], safe: Callable[[str], str]) -> list[Record]:
    """The pins as items of a snapshot, their words made safe to show; they have no place in the session and no age."""
    at = {"source": "pins", "position": 0, "cycle": 0, "uses": 1, "status": "open"}
    return [{**at, "kind": "pin", "who": "user", "text": safe(one["text"]), "first": str(one.get("time", "")),
             "last": str(one.get("time", ""))} for one in pins]
