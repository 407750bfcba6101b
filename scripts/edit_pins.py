#!/usr/bin/env python3
"""Add, list and take off pins: words of the person that come first and whole in everything that is put back.

Usage: edit_pins.py add SESSION < TEXT          a pin of the session; `--project TEXT`, of all sessions in its folder
       edit_pins.py list SESSION                the pins that hold, with their numbers
       edit_pins.py remove SESSION < NUMBER     takes off the pin of that number

Inside Claude Code the words are typed: /compact-keeper:pin, which answer_command.py takes to here, :pins and :unpin.
On stdin, not on the command line, because there the shell would read them first.
Reads   the session's snapshot.json, which says what folder is its own (else it is the present one); the settings.
Writes  a line in one of the two files of pins.py, for a pin and for its end. Secrets are replaced before.
Prints  what was done, and the pins that hold.

Exits 0, whatever is asked: a skill whose command fails shows nothing. Python 3.9+, standard library only.
"""

from __future__ import annotations

import json
import os
import re
import sys
import time
from collections.abc import Sequence
from typing import Any

sys.path.append(os.path.dirname(os.path.abspath(__file__)))  # last: no file there hides one of Python's own
import render_snapshot
from pins import NAME, name_of, pins_in
from record_event import timestamp  # type: ignore[attr-defined] # of the built script
from save_snapshot import (
    SCHEMA,
    SESSION_ID,
    Refusal,
    append_line,
    clean,
    data_home,
    private_folder,
    project_folder,
    read_store,
    records_of,
    redact,
    settings,
    text_of,
    units,
)

Record = dict[str, Any]

MOST_READ = 1 << 20  # bytes
AROUND = 60  # UTF-16 units of a pin's line that are not its words


class Pinning:
    """The pins of one session."""

    def __init__(self, session: str) -> None:
        """Raises Refusal for what is no session's id."""
        if not SESSION_ID.match(session):
            raise Refusal(f"{session!r} is no session's id")
        self.folder = private_folder("sessions", session)
        self.project = text_of(read_store(os.path.join(self.folder, "snapshot.json")), "project") or project_folder({})

    def held(self) -> list[Record]:
        """The pins that hold, in the order of their numbers."""
        return pins_in(self.folder, self.project, lambda path: records_of(path, 0, MOST_READ))

    def note(self, is_project: bool, **told: str) -> None:
        """A line in the session's file, or in that of all sessions."""
        line = {"schema": SCHEMA, "time": timestamp(time.time()), **told,
                **({"project": self.project} if is_project else {})}
        append_line(os.path.join(data_home() if is_project else self.folder, NAME),
                    json.dumps(line, ensure_ascii=False))

    def check_room(self, text: str) -> None:
        """Raises Refusal where not all pins would come back whole, as their share of the budget is full."""
        section = next(one for one in render_snapshot.SECTIONS if "pin" in one[1])
        most = int(render_snapshot.room_of(section, settings(self.project)["budget"], False))
        taken = sum(units(one["text"]) + AROUND for one in self.held())
        if taken + units(text) + AROUND > most:
            raise Refusal(
                f"no room for a pin of {units(text):,} characters: {most:,} come back whole, and {taken:,} of them are "
                "taken; take a pin off first (unpin NUMBER), or pin fewer words")

    def add(self, typed: str) -> str:
        """Pins the words; returns what to tell of it. Raises Refusal where there are none, or no room for them."""
        wide = re.match(r"--project(?:\s+|\Z)", typed)
        text = redact(clean(typed[wide.end():] if wide else typed)).strip()
        if not text:
            raise Refusal("nothing to pin: type the words behind the command")
        if any(one["text"] == text for one in self.held()):
            return "That is pinned already."
        self.check_room(text)
        self.note(bool(wide), id=f"{time.time_ns():x}", text=text)
        return "Pinned; it comes first in what is put back after each compaction."

    def remove(self, typed: str) -> str:
        """Takes off the pin of that number; returns what to tell of it. Raises Refusal for a number that no pin has."""
        pins, number = self.held(), re.fullmatch(r"#?(\d{1,4})", typed)
        if not number or not 0 < int(number[1]) <= len(pins):
            raise Refusal(f"{typed[:40]!r} is no pin's number")
        pin = pins[int(number[1]) - 1]
        self.note("project" in pin, gone=name_of(pin))
        return f"Not pinned any more: {render_snapshot.in_quotes(pin['text'])}"

    def listed(self) -> str:
        """The pins that hold, numbered, each with where it holds."""
        everywhere = " (in every session of this folder)"
        rows = [f"{number}. {render_snapshot.in_quotes(pin['text'])}{everywhere if 'project' in pin else ''}"
                for number, pin in enumerate(self.held(), 1)]
        return "\n".join(["Pins of this session:", *rows] if rows else ["Nothing is pinned."])


def main(argv: Sequence[str] | None = None) -> int:
    """0 always; what was done, or why not, is printed."""
    command, session, *_ = [*(sys.argv[1:] if argv is None else argv), "", ""]
    if command not in ("add", "list", "remove"):
        print(__doc__)
        return 0
    try:
        pinning = Pinning(session)
        if command != "list":
            typed = sys.stdin.buffer.read(MOST_READ).decode("utf-8", "replace").strip()
            print(pinning.add(typed) if command == "add" else pinning.remove(typed))
        print(pinning.listed())
    except (OSError, Refusal) as fault:
        print(f"compact-keeper: {fault}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
