"""Figures of a session's memory, for the status line and the events."""

from __future__ import annotations

from compact_keeper.record.calls.open_tasks import count_of_open_tasks
from compact_keeper.types import Item, JsonObject, Memory


def figures_of_memory(memory: Memory) -> JsonObject:
    """How many items, open tasks and rules the session has, and how often it was compacted."""
    items = memory["items"]
    return {
        "cycle": memory["cycle"],
        "items": len(items),
        "tasks": count_of_open_tasks(items),
        "rules": sum(item["kind"] == "rule" for item in items),
    }


def cleared_failures(before: Memory, after: Memory) -> int:
    """How many commands failed before and have passed now, or did both since; one only pruned does not count."""
    known = {item["key"]: item for item in before.get("items", []) if "verdict" in item}
    passed = [item for item in after["items"] if item.get("verdict") == "passed"]
    return sum(has_recovered(known.get(item["key"], {}), item) for item in passed)


def has_recovered(before: Item, item: Item) -> bool:
    """Whether the run before the one that passed had failed: in an earlier save, or since that."""
    if before.get("verdict") == "failed":
        return True
    known = before.get("position", -1)  # what failed up to there was counted when it passed first
    return any(run.get("verdict") == "failed" and run.get("position", -1) > known
               for run in item.get("earlier", [])[-1:])
