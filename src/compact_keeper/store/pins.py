"""Pins: words of the person that stand first, and whole, in everything that is put back.

A pin is a line of sessions/<session_id>/pins.jsonl, or, for all sessions of a project, of the data folder's pins.jsonl
with its top folder as `project` (until 0.14.0 the folder of the session that pinned it); another line that names its id
as `gone` ends it.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Callable, Collection, Iterable

from compact_keeper.store.folder import SCHEMA, append_line, data_home, private_folder
from compact_keeper.store.json_files import read_store
from compact_keeper.store.json_lines import records_of
from compact_keeper.store.ledger import timestamp
from compact_keeper.store.refusal import Refusal
from compact_keeper.store.settings import settings_for
from compact_keeper.text.fields import text_of
from compact_keeper.text.length import cut, units
from compact_keeper.text.marks import in_quotes
from compact_keeper.text.quotation import quote
from compact_keeper.text.redact import redact
from compact_keeper.text.sanitize import clean
from compact_keeper.types import Item, ItemFields, JsonObject

PINS_FILE, PINS_FILE_MAX_BYTES = "pins.jsonl", 1 << 20
UNTOLD_TILL_THEN = (
    "Until then another session is not told: what each has to know from its start belongs in CLAUDE.md.")
PINS_SHARE = 0.38  # of the recap's budget
SHOWN_UTF16 = 300  # of a pin's words where it is told that they are pinned
FULL_STOPS = (".", "!", "?")
FOR_THE_PROJECT = " (in every session in {})"
PROJECT_SHOWN_UTF16 = 200  # of its folder
QUOTED_OPTION = r"([\"'])(--.*)\1"  # words that begin as an option does
NUMBER_SHOWN_UTF16 = 40  # of what was typed in a number's place
LINE_AROUND_UTF16 = 60  # of a pin's line in the recap, beside its words


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


def for_whom(pin: JsonObject) -> str:
    """The words behind a pin that holds in every session of a project; empty behind one of this session's."""
    return FOR_THE_PROJECT.format(quote(pin["project"], PROJECT_SHOWN_UTF16)) if "project" in pin else ""


def pin_items(pins: Iterable[JsonObject]) -> list[Item]:
    """The pins as items of a snapshot, their words made safe to show; they have no position and no age."""
    at: ItemFields = {"source": "pins", "position": 0, "cycle": 0, "uses": 1, "status": "open"}
    return [{**at, "kind": "pin", "who": "user", "text": redact(clean(pin["text"])), "first": str(pin.get("time", "")),
             "last": str(pin.get("time", ""))} for pin in pins]


class Pinning:
    """The pins of one session."""

    def __init__(self, session: str, project: str, top_of: Callable[[str], str]) -> None:
        """`project` is the folder that the session belongs to where its snapshot names none; `top_of` its project's."""
        self.folder = private_folder("sessions", session)
        self.project = text_of(read_store(os.path.join(self.folder, "snapshot.json")), "project") or project
        self.top = top_of(self.project)

    def in_force(self) -> list[JsonObject]:
        """The pins that hold, in the order of their numbers."""
        return pins_in(self.folder, (self.project, self.top))

    def note(self, project: str, **fields: str) -> None:
        """A line in the session's file, or, for the sessions of a project, in that of all."""
        of_project = {"project": project} if project else {}
        line = {"schema": SCHEMA, "time": timestamp(time.time()), **fields, **of_project}
        folder = data_home() if project else self.folder
        append_line(os.path.join(folder, PINS_FILE), json.dumps(line, ensure_ascii=False))

    def room(self) -> tuple[int, int]:
        """How many characters of pins come back whole, and how many those that hold have."""
        taken = sum(units(pin["text"]) + LINE_AROUND_UTF16 for pin in self.in_force())
        return int(PINS_SHARE * self.budget()), taken

    def budget(self) -> int:
        """How long the text may be that is put back, as it is set for the session's folder."""
        return settings_for(self.project)["budget"]

    def check_room(self, text: str) -> None:
        """Raises Refusal where not all pins would come back whole, as their share of the budget is full."""
        most, taken = self.room()
        left = most - taken - LINE_AROUND_UTF16
        if units(text) > left:
            beside, do = (" beside what is pinned", "Take a pin off (unpin NUMBER), pin") if taken else ("", "Pin")
            raise Refusal(
                f"no room for a pin of {units(text):,} characters: a `budget` of {self.budget():,} leaves "
                f"{max(left, 0):,}{beside}. {do} fewer words, or raise `budget` (docs/settings.md). "
                "Claude Code may have put what was pasted back into the line: empty it first.")

    def add(self, typed: str) -> str:
        """Pins the words; returns what to tell of it. Raises Refusal where there are none, or no room for them."""
        wide = re.match(r"--project(?:\s+|\Z)", typed)
        if not wide and (option := re.match(r"--[\w-]+", typed)):
            raise Refusal(f"pin knows nothing of \"{quote(option[0], NUMBER_SHOWN_UTF16)}\". It knows \"--project\" "
                          "(for all sessions of this project); to pin words that begin so, put them in quotes.")
        if typed.lower() in ("list", "show", "ls"):
            raise Refusal(f"\"{typed}\" alone is not pinned; the command \"pins\" lists what is.")
        text = without_quotes(redact(clean(typed[wide.end():] if wide else typed)).strip())
        if not text:
            raise Refusal("nothing to pin: type the words behind the command.")
        if any(pin["text"] == text for pin in self.in_force()):
            return "That is pinned already."
        self.check_room(text)
        name = f"{time.time_ns():x}"
        self.note(self.top if wide else "", id=name, text=text)
        names = [pin_name(pin) for pin in self.in_force()]
        number = f" {names.index(name) + 1}" if name in names else ""
        where = for_whom({"project": self.top} if wide else {})
        till_then = f" {UNTOLD_TILL_THEN}" if wide else ""
        return (f"Pinned{number}{where}: {in_quotes(cut(text, SHOWN_UTF16))} (what is pinned stands first in what is "
                f"put back after each compaction).{till_then}")

    def remove(self, typed: str) -> str:
        """Takes off the pins of these numbers, as they were listed; returns what to tell of it.

        Raises Refusal, and takes none off, where a number is no pin's.
        """
        pins = self.in_force()
        numbers = numbers_in(typed)
        if not numbers or not all(0 < number <= len(pins) for number in numbers):
            what = f"{quote(typed, NUMBER_SHOWN_UTF16)!r} is no pin's number." if typed else "name a pin by its number."
            raise Refusal(f"{what} {self.listed()}")
        for number in numbers:
            self.note(text_of(pins[number - 1], "project"), gone=pin_name(pins[number - 1]))
        texts = [clean(pins[number - 1]["text"]) for number in numbers]
        wheres = [for_whom(pins[number - 1]) for number in numbers]
        off = ", ".join(f"{in_quotes(text)}{where}" for text, where in zip(texts, wheres))
        return f"Not pinned any more: {off}{'' if texts[-1].endswith(FULL_STOPS) and not wheres[-1] else '.'}"

    def listed(self, heading: str = "Pins of this session:") -> str:
        """The pins that hold, numbered, each with where it holds."""
        rows = [f"{number}. {in_quotes(clean(pin['text']))}{for_whom(pin)}"
                for number, pin in enumerate(self.in_force(), 1)]
        if not rows:
            return "Nothing is pinned."
        most, taken = self.room()
        if taken > most:
            rows.append(f"They have {taken:,} characters, of which {most:,} come back whole with a `budget` of "
                        f"{self.budget():,}: unpin one, or raise it.")
        return "\n".join([heading, *rows])


def without_quotes(text: str) -> str:
    """The words without the quotes around them, where these only keep them from being read as an option."""
    quoted = re.fullmatch(QUOTED_OPTION, text, re.DOTALL)
    return quoted[2] if quoted else text


def numbers_in(typed: str) -> list[int]:
    """The numbers that were typed, each once: "2", "#2", "2 1", "1, 3", "1-2"; none where anything else stands."""
    numbers: dict[int, None] = {}
    for part in re.split(r"[\s,]+", typed.strip(" ,")):
        span = re.fullmatch(r"#?(\d{1,4})(?:-#?(\d{1,4}))?", part)
        if not span:
            return []
        numbers.update(dict.fromkeys(range(int(span[1]), int(span[2] or span[1]) + 1)))
    return list(numbers)
