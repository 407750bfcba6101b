"""What an item of a session is: something said, done, asked or seen, with its source and its time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from compact_keeper.text.fields import text_of
from compact_keeper.types import Entry, Item, ItemFields, Kind, Unpack

EARLIER_MAX = 3  # other ends of the same action that are kept, and times at which a message was typed before
NEWEST_CALLS = 3  # whose output is kept whatever its length, and shown
ORDER_MIN_CHARACTERS = 250  # of a message that the short ones behind it are mostly about
COMMAND_SIGN, REFUSED_QUESTION, REFUSED_PLAN = "$ ", "the question: ", "the plan"  # what a refusal's text begins with
PASTED_LINES = " pasted lines"  # behind their number, in a message in place of a long paste


def is_typed(item: Item) -> bool:
    """Whether it is a message that the person typed: no plan that was approved, no words of another agent."""
    return item["kind"] == "message" and item.get("via") not in ("plan", "teammate")


def newest_typed(items: Sequence[Item]) -> Item | None:
    """The message that the person typed last; None without one."""
    return next((item for item in reversed(items) if is_typed(item)), None)


def last_words_position(items: Sequence[Item]) -> int:
    """Where the agent's last words stand in the session; -1 where there are none."""
    return max((item["position"] for item in items if item["kind"] == "said"), default=-1)


def is_file_edit(item: Item) -> bool:
    """Whether it is an edit of a file by a tool for that; a command that writes one is none."""
    return bool(item.get("path") and item.get("edits"))


def last_edit_positions(items: Sequence[Item]) -> dict[str, int]:
    """By path the position of the last edit: by a tool for that, or by a command that writes the file."""
    positions: dict[str, int] = {}
    for item in items:
        for path in [item["path"]] if is_file_edit(item) else item.get("wrote", ()):
            positions[path] = max(item["position"], positions.get(path, -1))
    return positions


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
