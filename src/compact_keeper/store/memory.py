"""(docstring)"""

from __future__ import annotations

import os
from collections.abc import Iterable, Set
from typing import Any

from compact_keeper.store.json_files import read_store
from compact_keeper.store.log import log
from compact_keeper.types import Record

NUMBER_MAX = 1 << 53  # of any number in it; more does not come from counting
FIELD_TYPES: dict[str, type] = {  # of the fields that a save works with, wherever they stand
    "items": list, "place": dict, "state": dict, "pending": list, "seen": list, "roots": list, "ledgers": dict,
    "typed": list, "queue": list, "progress": list, "names": dict, "answers": dict, "input": dict, "rejected": bool,
    **dict.fromkeys(("time", "after", "kind", "text", "who", "source", "first", "last", "status", "key", "question",
                     "via", "path", "error", "tool", "list", "id", "what", "output", "command", "body"), str),
    **dict.fromkeys(("position", "cycle", "uses", "edits", "order", "size", "mtime", "inode", "offset"), int)}
MEMORY_FIELDS = frozenset(("items", "place", "time", "position", "cycle", "state", "pending", "seen"))  # what has to be there
ITEM_FIELDS = frozenset(("kind", "text", "who", "source", "first", "last", "status", "position", "cycle", "uses"))
FIELDS_OF_KIND = {  # what an item of each kind has
    **dict.fromkeys(("rule", "wish", "request", "question", "plan", "task", "dead end", "decision", "claim", "value",
                     "found"), ITEM_FIELDS),
    **{name: ITEM_FIELDS | more for name, more in {
        "command": {"key", "ok"}, "failure": {"key"}, "file": {"key"}, "job": {"key"}, "answer": {"question"},
        "names": {"names"}}.items()}}
CALL_FIELDS = frozenset(("id", "what", "time", "source", "position", "cycle", "tool", "path", "error", "output", "command",
                  "rejected", "answers", "body", "input", "ok"))
NOTE_FIELDS = frozenset(("time", "what", "key", "text"))  # a line of the notes' log
PLACE_FIELDS, NO_PLACE = frozenset(("inode", "offset")), {"inode": 0, "offset": 0}  # in a file; of a memory that read none
NEEDED_FIELDS = {"place": PLACE_FIELDS, "ledgers": PLACE_FIELDS, "items": ITEM_FIELDS, "pending": CALL_FIELDS, "progress": NOTE_FIELDS}


def usable_memory(path: str) -> Record:
    """The session's memory; empty, and the file kept beside, where a save could not work with it."""
    memory = read_store(path)
    why = fault_in(memory) if memory else "it cannot be read" if os.path.lexists(path) else ""
    if why:
        os.replace(path, path + ".odd")
        log(f"{path} is not as it was saved: {why}; it is kept as {path}.odd, and the session is read anew")
    return {} if why else memory


def fault_in(memory: Record) -> str:
    """The first place in the memory that is not as a save leaves it; empty when there is none."""
    if why := odd_field(memory, MEMORY_FIELDS, memory):
        return why
    typed = memory.get("typed", ("", ""))  # the newest words of transcript and ledger
    texts = [memory.get(name, ()) for name in ("roots", "seen", "queue")]
    if not all(all_are(str, values) for values in (*texts, memory["state"].values(), typed)) or len(typed) != 2:
        return "roots, seen, queue, state or typed"
    lists = {"place": [memory["place"] or NO_PLACE], "ledgers": memory.get("ledgers", {}).values(),
             "items": memory["items"], "pending": memory["pending"], "progress": memory.get("progress", ())}
    for name, records in lists.items():
        for number, one in enumerate(records):
            if why := odd_field(one, NEEDED_FIELDS[name], memory):
                return f"{name}[{number}]: {why}"
    return ""


def odd_field(one: Any, needed: Set[str], memory: Record) -> str:
    """The first field that is of another type, or what else is wrong; empty when the record is as it should be."""
    if not isinstance(one, dict):
        return "no object"
    name: str
    for name, value in one.items():
        if name in FIELD_TYPES and type(value) is not FIELD_TYPES[name]:
            return name
    if needed is ITEM_FIELDS and one.get("kind") not in FIELDS_OF_KIND:
        return "kind"
    if not (FIELDS_OF_KIND[one["kind"]] if needed is ITEM_FIELDS else needed) <= one.keys():
        return "a field is missing"
    now, cycle = memory["position"], memory["cycle"]  # nothing is newer
    in_range = 0 <= one.get("position", 0) <= now <= NUMBER_MAX and 0 <= one.get("cycle", 0) <= cycle <= NUMBER_MAX
    used = 0 <= one.get("uses", 0) <= NUMBER_MAX and 0 <= one.get("edits", 0) <= NUMBER_MAX
    counted = "names" not in one or all(is_name_count(told, now) for told in one["names"].values())
    return "" if in_range and used and counted else "a number is out of range"


def is_name_count(told: object, now: int) -> bool:
    """Whether it is how often a name was seen, and where last."""
    return isinstance(told, list) and len(told) == 2 and all_are(int, told) and 0 <= told[0] <= NUMBER_MAX and (
        0 <= told[1] <= now)


def all_are(kind: type, values: Iterable[object]) -> bool:
    """Whether all values are of this very type."""
    return {*map(type, values)} <= {kind}
