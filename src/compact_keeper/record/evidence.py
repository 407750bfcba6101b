"""What the lines that were kept of calls tell: what a task runner's names stand for, what was made outside the tree.

With searches that were not gone on with (`sweeps.py`) and the places of the next step's names (`named_hits.py`) these
are the lines of evidence that readers gained from (docs/decisions.md); definitions, import aliases, searches without a
hit, expected and actual values, offers and sentences of certain forms brought them nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from compact_keeper.types import Item

RUNNERS_MAX = 3
OUTSIDE_MAX = 5
SAME_KIND_MIN = 3  # things made, that then share a line
TITLED = r"((?:gh|glab|hub|tea|jira)(?: \w{1,20}){1,2}) (“.{1,140}”) → http"
OPENED_REQUESTS = ("gh pr create", "glab mr create")
DULL_RUNNER = r"(?i)\[?(?:fmt|format|lint|clean|tidy)\b"  # tasks of which nobody asks what they stand for
RUNNER_EVIDENCE = r"(?:\[[^\]]{1,60}\] )?\$ \S"


def evidence_of(item: Item) -> list[str]:
    """The lines that were kept of an item's output or words."""
    lines: Any = item.get("evidence")  # usable_memory looks at the list, not at what is in it
    return [line for line in lines if isinstance(line, str)] if isinstance(lines, list) else []


def runner_commands(items: Sequence[Item]) -> list[str]:
    """What a task runner's names stand for, the newest first."""
    lines: dict[str, str] = {}
    for item in reversed(items):
        if item["kind"] not in ("action", "look"):
            continue
        for text in evidence_of(item):
            if "$ " in text and re.match(RUNNER_EVIDENCE, text) and not re.match(DULL_RUNNER, text):
                lines.setdefault(text.partition(" $ ")[0], text)
    return [*lines.values()][:RUNNERS_MAX]


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
    return [item["made"]] if item.get("made") else [text for text in evidence_of(item) if "→ http" in text]


def many_made(kind: str, things: Sequence[tuple[str, str]]) -> str:
    """Things of a kind with their titles and addresses, on one line; of addresses like the first their end."""
    first = things[0][1]
    place = first.rpartition("/")[0]
    addresses = [first, *(address.replace(f"{place}/", "#") for _, address in things[1:])]
    shown = [f"{title} → {address}" for (title, _), address in zip(things, addresses)]
    return f"{len(things)} times {kind}: {'; '.join(shown)}"


def stands_as_made(item: Item) -> bool:
    """Whether the action made something with a title outside of the tree: its line says all, also of many of a kind."""
    return item.get("verdict") != "failed" and any(re.match(TITLED, text) for text in evidence_of(item))
