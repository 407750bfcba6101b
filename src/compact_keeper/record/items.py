"""What an item of a session is: something said, done, asked or seen, with its source and its time."""

from __future__ import annotations

import re
from collections.abc import Iterable

from compact_keeper.text.fields import text_of
from compact_keeper.types import Entry, Item, ItemFields, Kind, Unpack

EARLIER_MAX = 3  # other ends of the same action that are kept, and times at which a message was typed before
NEWEST_CALLS = 3  # whose output is kept whatever its length, and shown
ORDER_MIN_CHARACTERS = 250  # of a message that the short ones behind it are mostly about
CHANGING_VERBS = (
    "(?:create|update|delete|remove|add|activate|deactivate|execute|send|publish|deploy|insert|upload|move|rename|merge"
    "|close|write|edit|apply|push)")
# Of an MCP tool: in its name; the kind of an operation, in what it was given.
LOOKING_VERBS = "(?:get|list|search|find|read|fetch|describe)"
NAMED_CHANGE = (
    rf"mcp__.{{1,100}}__(?!(?:\w{{1,20}}_)?{LOOKING_VERBS}(?![a-z]))(?:\w{{0,60}}_)?{CHANGING_VERBS}(?![a-z])")
GIVEN_CHANGE = rf"(?:^|[{{,] ?)\"?(?:action|operation|method|type)\"?: \"?{CHANGING_VERBS}(?![a-z])"


def is_typed(item: Item) -> bool:
    """Whether it is a message that the person typed: no plan that was approved, no words of another agent."""
    return item["kind"] == "message" and item.get("via") not in ("plan", "teammate")


def is_file_edit(item: Item) -> bool:
    """Whether it is an edit of a file by a tool for that; a command that writes one is none."""
    return bool(item.get("path") and item.get("edits"))


def edits_newest_first(actions: Iterable[Item]) -> list[Item]:
    """The edits of files, of each that came several times its last one."""
    return sorted(filter(is_file_edit, actions), key=lambda edit: -edit["position"])


def is_change_by_mcp(item: Item) -> bool:
    """Whether it is a call of an MCP tool that changes something, by its name or by the kind of an operation in it."""
    if item["kind"] != "action" or not item["tool"].startswith("mcp__"):
        return False
    return any(re.search(pattern, text) for pattern, text in
               ((NAMED_CHANGE, item["tool"]), (GIVEN_CHANGE, item["text"])))


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
