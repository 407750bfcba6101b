"""What a session in a repository did, as items: commands, looks, edits."""

from __future__ import annotations

import re
from typing import Any

from compact_keeper.record.calls.command_actions import certain_fields
from compact_keeper.record.outcomes.outcome import outcome_of

ROOT = "/home/ada/rates"
SAVED = "Saved working directory and index state WIP on main: 4be2a91 Round up"  # as git says it
PUSHED = "To forge:ada/rates ⏎    1a2b3c4..4be2a91  main -> main"
TIME = "2026-01-01T10:00:00Z"


def ran(position: int, text: str, verdict: str = "ended", result: str = "", **more: Any) -> Any:
    """A command as an action item, with what a save keeps of git's words where the result has rows of its output."""
    return {"kind": "action", "tool": "Bash", "text": text, "path": "", "verdict": verdict, "result": result, "uses": 1,
            **kept_of_git(text, verdict, result), "family": "git", "position": position, "last": TIME,
            **more}


def kept_of_git(text: str, verdict: str, result: str) -> Any:
    """The fields that a save keeps of what git says in a command's output, whose rows the result has."""
    output = "\n".join(f" ! {row}" if row.startswith("[re") else row for row in re.split(" [⏎·] ", result))
    return certain_fields(outcome_of(text, output, verdict == "failed", None))


def pushed_to(address: str, *refs: str) -> Any:
    """Where a push went, as an item has it."""
    return {"to": address, "refs": [*refs], "commits": ""}


def looked(position: int, text: str, result: str) -> Any:
    """A command that only looks, as a look item."""
    return {"kind": "look", "tool": "Bash", "text": text, "path": "", "result": result, "position": position,
            "last": TIME}


def edited(position: int, path: str) -> Any:
    """The last edit of a file, below the root where its path is not absolute, as an action item."""
    return {**ran(position, path, tool="Edit"), "path": path if path[0] == "/" else f"{ROOT}/{path}", "edits": 1}
