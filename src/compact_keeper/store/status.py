"""Figures of a session's memory, for the status line, the pins and the events."""

from __future__ import annotations

from compact_keeper.types import Memory, Record


def status_of(memory: Memory) -> Record:
    """How many items, open tasks and rules the session has, and how often it was compacted."""
    items = memory["items"]
    return {
        "cycle": memory["cycle"],
        "items": len(items),
        "tasks": sum(item["kind"] == "task" and item["status"] != "completed" for item in items),
        "rules": sum(item["kind"] == "rule" for item in items),
    }


def cleared_failures(before: Memory, after: Memory) -> int:
    """How many commands failed before and have passed now; a failure that was only pruned does not count."""
    failed = {item["key"] for item in before.get("items", []) if item.get("verdict") == "failed"}
    return len(failed & {item["key"] for item in after["items"] if item.get("verdict") == "passed"})
