"""What an item of a session is: something said, done, asked or seen, with its source and its time."""

from __future__ import annotations

from collections.abc import Iterable

from compact_keeper.text.fields import text_of
from compact_keeper.types import Entry, Item, ItemFields, Kind, Unpack

EARLIER_MAX = 3  # other ends of the same action that are kept, and times at which a message was typed before
NEWEST_CALLS = 3  # whose output is kept whatever its length, and shown
ORDER_MIN_CHARACTERS = 250  # of a message that the short ones behind it are mostly about


def is_typed(item: Item) -> bool:
    """Whether it is a message that the person typed: no plan that was approved, no words of another agent."""
    return item["kind"] == "message" and item.get("via") not in ("plan", "teammate")


def is_file_edit(item: Item) -> bool:
    """Whether it is an edit of a file by a tool for that; a command that writes one is none."""
    return bool(item.get("path") and item.get("edits"))


def edits_newest_first(actions: Iterable[Item]) -> list[Item]:
    """The edits of files, of each that came several times its last one."""
    return sorted(filter(is_file_edit, actions), key=lambda edit: -edit["position"])


def new_item(kind: Kind, at: Entry, text: str, who: str, **more: Unpack[ItemFields]) -> Item:
    """An item from the entry `at`; items of one kind with the same `key` (else the same text) are one item."""
    return {"kind": kind, "text": text, "who": who, "source": at["source"], "first": at["time"],
            "last": at["time"], "position": at["position"], "cycle": at["cycle"], "uses": 1, "status": "open", **more}


def whole_command(call: Entry) -> str:
    """The command as it was given, where the call's arguments hold it."""
    return text_of(call["input"], "command") or call["command"]


def name_of_output(call: Entry | Item) -> str:
    """By what the output of a call is known: several calls may stand in one row, which all have its position."""
    return f"{call['position']} {call['source']}"


def position_in_name(name: str) -> int:
    """The position that the name of an output begins with."""
    return int(name.partition(" ")[0])
