"""What the names of a task runner stand for: `[test] $ pytest -q`, as it said when it ran them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from compact_keeper.types import Item

RUNNERS_MAX = 3
DULL_RUNNER = r"(?i)\[?(?:fmt|format|lint|clean|tidy)\b"  # tasks of which nobody asks what they stand for
RUNNER_EVIDENCE = r"(?:\[[^\]]{1,60}\] )?\$ \S"


def runner_commands(items: Sequence[Item]) -> list[str]:
    """What a task runner's names stand for, the newest first."""
    lines: dict[str, str] = {}
    for item in reversed(items):
        if item["kind"] not in ("action", "look"):
            continue
        for text in item.get("evidence", []):
            if "$ " in text and re.match(RUNNER_EVIDENCE, text) and not re.match(DULL_RUNNER, text):
                lines.setdefault(text.partition(" $ ")[0], text)
    return [*lines.values()][:RUNNERS_MAX]
