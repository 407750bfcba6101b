"""Entries of a session, as the reading of a transcript hands them over, and items as they are kept."""

from __future__ import annotations

from typing import Any

from sessions import stamp

BEFORE, AFTER = "2026-11-21T11:00:00.000Z", "2026-11-21T12:00:00.000Z"  # of items: an hour apart


def entry(number: int, what: str, text: str = "", **more: Any) -> Any:
    """An entry; the number is its place and its time."""
    return {"what": what, "time": stamp(number), "source": f"row-{number}", "position": number, "cycle": 0,
            "text": text, **more}


def call(tool: str, **fields: Any) -> Any:
    """A tool call that passed."""
    return {**entry(1, "call"), "id": "toolu_1", "tool": tool, "path": "", "command": "", "ok": True, "exit": None,
            "error": "", "output": "", "body": "", "rejected": False, "answers": {}, "input": {}, "pattern": "",
            "change": "", **fields}


def job_item(command: str, key: str = "b1", **more: Any) -> Any:
    return {"kind": "job", "text": command, "key": key, "position": 1, "status": "open", "tool": "Bash", **more}
