"""What a session in a repository did, as items: commands, looks, edits."""

from __future__ import annotations

from typing import Any

ROOT = "/home/ada/rates"
SAVED = "Saved working directory and index state WIP on main: 4be2a91 Round up"  # as git says it
TIME = "2026-01-01T10:00:00Z"


def ran(position: int, text: str, verdict: str = "ended", result: str = "", **more: Any) -> Any:
    """A command as an action item."""
    return {"kind": "action", "tool": "Bash", "text": text, "path": "", "verdict": verdict, "result": result, "uses": 1,
            "family": "git", "limits": [], "position": position, "last": TIME, **more}


def looked(position: int, text: str, result: str) -> Any:
    """A command that only looks, as a look item."""
    return {"kind": "look", "tool": "Bash", "text": text, "path": "", "result": result, "position": position,
            "last": TIME}


def edited(position: int, path: str) -> Any:
    """The last edit of a file, below the root where its path is not absolute, as an action item."""
    return {**ran(position, path, tool="Edit"), "path": path if path[0] == "/" else f"{ROOT}/{path}", "edits": 1}
