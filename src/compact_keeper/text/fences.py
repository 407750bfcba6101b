"""Markdown's fenced blocks of code."""

from __future__ import annotations

FENCES = ("```", "~~~")


def lines_outside_fences(text: str) -> list[str]:
    """The text's lines, without those of fenced blocks and their fences; of a block without an end none behind it."""
    lines, is_code = list[str](), False
    for line in text.splitlines():
        is_fence = line.lstrip().startswith(FENCES)
        if not is_code and not is_fence:
            lines.append(line)
        is_code ^= is_fence
    return lines
