"""memory.json of a session: whether it is as a save leaves it, before anything works with what is in it.

A file that a person's editor, a broken disk or an unlucky copy has changed would else stop every later save of its
session at the same field. It is kept beside as memory.json.odd, with a line in hook.log, and the session is read anew
from its transcript. One with another schema is a later version's and is left alone, as everywhere. One of another
format of the record, whose items were others, is read anew without a word.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Set
from typing import Any

from compact_keeper.store.json_files import read_store
from compact_keeper.store.log import log
from compact_keeper.types import JsonObject, Memory

NUMBER_MAX = 1 << 53  # of any number in it; more does not come from counting
RECORD_FORMAT = 22  # of the items; a memory of another (0.6.0 had none) is not read: the session is, anew
FIELD_TYPES: dict[str, type] = {  # of the fields that a save works with, wherever they stand
    "items": list, "place": dict, "state": dict, "outputs": dict, "files": dict, "pending": list,
    "seen": list, "roots": list, "ledgers": dict, "named": list, "scheduled": list,
    "typed": list, "queue": list, "dequeued": list, "progress": list, "answers": dict, "input": dict, "rejected": bool,
    "is_by_ledger": bool, "is_by_editor": bool, "is_silent": bool, "picks_one": bool, "is_stash_kept": bool,
    "is_in_background": bool, "is_output_cut": bool, "is_signalled": bool, "is_cached": bool, "is_behind_calls": bool,
    "has_more_failed": bool, "has_lost_result": bool, "met_no_test": bool,
    "pushed": dict,
    **dict.fromkeys(("options", "hits", "rows_read", "conflicts", "earlier", "evidence", "tokens", "same",
                     "ordered", "stashed", "private", "lacking", "wrote", "ends", "rows", "away",
                     "commits_before", "nothing_to", "failed_names", "typed_before"), list),
    **dict.fromkeys(("time", "began", "after", "kind", "text", "who", "source", "first", "last", "status", "key",
                     "question", "via", "path", "error", "tool", "list", "id", "what", "output", "command", "body",
                     "verdict", "result", "change", "made", "picks", "refused", "sender", "own", "detail", "owner",
                     "port", "environ", "by", "pid", "also", "family", "commit", "subject", "branch", "begun",
                     "remark", "push_refused", "took_in", "boxes_before",
                     "finished", "pattern", "trigger", "tag", "agent", "ticket",
                     "typed_at", "broken_off", "command_error", "by_agent", "folder", "follows", "opened", "attached",
                     "taken_back", "described", "turn_began", "headings", "printed", "ran_later",
                     "subagent_type", "files_searched"), str),
    **dict.fromkeys(("position", "cycle", "uses", "edits", "order", "inode", "offset", "record", "more",
                     "taken_back_at", "exit_code", "seconds_most", "tool_calls", "unticked"), int)}
WORD_LISTS = frozenset((  # of texts
    "options", "hits", "rows_read", "conflicts", "evidence", "same", "ordered", "stashed", "private",
    "lacking", "wrote", "rows", "nothing_to", "failed_names"))
PARTS_FIELDS = {"commits_before": {"hash", "branch", "subject"}, "pushed": {"to", "refs", "commits"},
                "ends": {"verdict"}, "typed_before": {"position", "time"}}  # of their parts
ITEM_FIELD_TYPES = {**FIELD_TYPES, "answers": str}  # of a message: the words that it answers; of a call: by question
# What has to be there: in the memory itself, in an item, in a call that waits for its result, in a line of the log.
MEMORY_FIELDS = frozenset(("items", "place", "began", "time", "position", "cycle", "state", "pending", "seen"))
ITEM_FIELDS = frozenset(("kind", "text", "who", "source", "first", "last", "status", "position", "cycle", "uses"))
FIELDS_OF_KIND = {  # of items
    **dict.fromkeys(("message", "rule", "question", "refusal", "said", "task", "plan"), ITEM_FIELDS),
    **{name: ITEM_FIELDS | more for name, more in {
        "action": {"key", "tool", "path", "verdict", "result"}, "look": {"key", "tool", "path", "result"},
        "job": {"key"}, "answer": {"question"}}.items()}}
NEVER_WITHOUT_WORDS = ("message", "rule")
CALL_FIELDS = frozenset(("id", "what", "time", "source", "position", "cycle", "tool", "path", "error", "output",
                         "command", "rejected", "answers", "body", "input", "ok", "exit", "pattern", "change"))
LOG_FIELDS = frozenset(("time", "what", "key", "text"))
QUEUED_FIELDS = frozenset(("time", "text"))
PLACE_FIELDS = frozenset(("inode", "offset"))  # how far a file was read
NO_PLACE = {"inode": 0, "offset": 0}  # of a memory that has read no transcript
NEEDED_FIELDS = {"place": PLACE_FIELDS, "ledgers": PLACE_FIELDS, "items": ITEM_FIELDS, "pending": CALL_FIELDS,
                 "progress": LOG_FIELDS, "queue": QUEUED_FIELDS, "dequeued": QUEUED_FIELDS}


def usable_memory(path: str) -> Memory:
    """The session's memory; empty where it is of another format, or, kept beside, where no save could work with it."""
    memory: Any = read_store(path)
    if memory and memory.get("record") != RECORD_FORMAT and "items" in memory:
        return {}
    why = fault_in(memory) if memory else "it cannot be read" if os.path.lexists(path) else ""
    if why:
        os.replace(path, path + ".odd")
        log(f"{path} is not as it was saved: {why}; it is kept as {path}.odd, and the session is read anew")
    usable: Memory = {} if why else memory
    return usable


def sound_memory(path: str) -> Memory:
    """The memory at the path where a save could work with it, else empty; the file stays as it is."""
    memory: Any = read_store(path)
    sound: Memory = {}
    if memory and not fault_in(memory):  # an older version's has other items
        sound = memory
    return sound


def begun_anew(memory: Memory) -> Memory:
    """The memory as another session goes on from it: how far files were read, and what waited there, is no part."""
    return {**memory, "place": {}, "ledgers": {}, "pending": [], "queue": [], "dequeued": [], "after": "",
            "typed": ["", ""]}


def fault_in(memory: Mapping[str, Any]) -> str:
    """The first field of the memory that is not as a save leaves it; empty when there is none."""
    if memory.get("record") != RECORD_FORMAT:
        return "record"
    if why := odd_field(memory, MEMORY_FIELDS, memory):
        return why
    typed = memory.get("typed", ("", ""))  # the newest words of transcript and ledger
    texts = [memory.get(name, ()) for name in ("roots", "seen", "named", "scheduled")]
    shown = {**memory.get("outputs", {}), **memory.get("files", {})}
    texts += [memory["state"].values(), shown.values(), typed]
    if not all(all_are(str, values) for values in texts) or len(typed) != 2 or not all(
            name.partition(" ")[0].isdecimal() for name in shown):
        return "roots, seen, named, scheduled, state, outputs, files or typed"
    lists = {"place": [memory["place"] or NO_PLACE], "ledgers": memory.get("ledgers", {}).values(),
             "items": memory["items"], "pending": memory["pending"], "progress": memory.get("progress", ()),
             "queue": memory.get("queue", ()), "dequeued": memory.get("dequeued", ())}
    for name, records in lists.items():
        for number, record in enumerate(records):
            if why := odd_field(record, NEEDED_FIELDS[name], memory):
                return f"{name}[{number}]: {why}"
    return ""


def odd_field(record: Any, needed: Set[str], memory: Mapping[str, Any]) -> str:
    """The first field that is of another type, or what else is wrong; empty when the record is as it should be."""
    if not isinstance(record, dict):
        return "no object"
    name: str
    types = ITEM_FIELD_TYPES if needed is ITEM_FIELDS else FIELD_TYPES
    for name, value in record.items():
        if name in types and type(value) is not types[name]:
            return name
        if (name in WORD_LISTS and not all_are(str, value)) or (
                name in PARTS_FIELDS and not has_fields(value, PARTS_FIELDS[name])):
            return name
    if needed is ITEM_FIELDS:
        if record.get("kind") not in FIELDS_OF_KIND:
            return "kind"
        needed = FIELDS_OF_KIND[record["kind"]]
    is_without_words = record.get("kind") in NEVER_WITHOUT_WORDS and not record.get("text")
    if is_without_words or not needed <= record.keys():
        return "a field is missing"
    return "" if numbers_are_usable(record, memory) else "a number is out of range"


def numbers_are_usable(record: JsonObject, memory: Mapping[str, Any]) -> bool:
    """Whether no number in the record is below 0, beyond counting, or newer than the memory itself."""
    now, cycle = memory["position"], memory["cycle"]
    if not (0 <= record.get("position", 0) <= now <= NUMBER_MAX and 0 <= record.get("cycle", 0) <= cycle <= NUMBER_MAX):
        return False
    return all(0 <= record.get(name, 0) <= NUMBER_MAX for name in ("uses", "edits", "offset"))


def has_fields(parts: Any, needed: Set[str]) -> bool:
    """Whether this is an object with the fields that it needs, or each of these is."""
    return all(isinstance(part, dict) and needed <= part.keys() for part in (
        [parts] if isinstance(parts, dict) else parts))


def all_are(kind: type, values: Iterable[object]) -> bool:
    """Whether all values are of this very type."""
    return {*map(type, values)} <= {kind}
