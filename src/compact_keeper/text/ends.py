"""The end of a text, from a place where it may begin."""

from __future__ import annotations

import re

from compact_keeper.text.length import behind_space


def last_part(text: str, limit: int) -> str:
    """The end of the text, from the beginning of a line or of a sentence on where there is one."""
    text = text.strip()
    if len(text) <= limit:
        return text
    end = text[-limit:]
    start = re.search(r"\n|[.!?:] ", end[:limit // 2])
    return "… " + (end[start.end():] if start else behind_space(end)).strip()
