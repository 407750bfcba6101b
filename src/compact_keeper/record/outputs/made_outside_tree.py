"""What the session made outside of the tree: issues, pull requests, comments, with their addresses."""

from __future__ import annotations

import re
from collections.abc import Sequence

from compact_keeper.types import Item

OUTSIDE_MAX = 5
SAME_KIND_MIN = 3  # things made, that then share a line
TITLED = r"((?:gh|glab|hub|tea|jira)(?: \w{1,20}){1,2}) (“.{1,140}”) → http"
OPENED_REQUESTS = ("gh pr create", "glab mr create")


def made_outside_tree(items: Sequence[Item]) -> list[str]:
    """Issues, pull requests and comments that were made, the newest first; many of a kind share a line.

    Without pull requests that a command opened: they stand with the repository.
    """
    lines: dict[str, str] = {}  # by address
    kinds: dict[str, list[tuple[str, str]]] = {}  # of a kind the titles and addresses
    for item in reversed(items):
        for text in made_by(item):
            address = text.rpartition("→ ")[2]
            if address in lines or text.startswith(OPENED_REQUESTS):
                continue
            lines[address] = text
            titled = re.match(TITLED, text)
            if titled:
                kinds.setdefault(titled[1], []).append((titled[2], address))
    for kind, things in kinds.items():
        if len(things) >= SAME_KIND_MIN:
            lines[things[0][1]] = many_made(kind, things)
            for _, address in things[1:]:
                del lines[address]
    return [*lines.values()][:OUTSIDE_MAX]


def made_by(item: Item) -> list[str]:
    """What an action made outside of the tree, each with its address."""
    if item["kind"] != "action" or item.get("verdict") == "failed":
        return []
    return [item["made"]] if item.get("made") else [text for text in item.get("evidence", []) if "→ http" in text]


def many_made(kind: str, things: Sequence[tuple[str, str]]) -> str:
    """Things of a kind with their titles and addresses, on one line; of addresses like the first their end."""
    first = things[0][1]
    base = first.rpartition("/")[0]
    addresses = [first, *(address.replace(f"{base}/", "#") for _, address in things[1:])]
    shown = [f"{title} → {address}" for (title, _), address in zip(things, addresses)]
    return f"{len(things)} times {kind}: {'; '.join(shown)}"


def stands_as_made(item: Item) -> bool:
    """Whether the action made something with a title outside of the tree: its line says all, also of many of a kind."""
    return item.get("verdict") != "failed" and any(re.match(TITLED, text) for text in item.get("evidence", []))
