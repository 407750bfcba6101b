"""Texts of others between marks of ours, which nothing in them closes; the marks of their questions."""

from __future__ import annotations

import re

QUESTION_MARKS = ("?", "？", "؟")
OPEN_QUESTION = r"\?(?=[\s\"'”»)*_\]]|\Z)|[？؟]"  # a question's mark, none of an address or of a pattern


def in_quotes(text: str) -> str:
    """The text in quotation marks that nothing in it closes: typographic ones where it has plain ones."""
    return f"“{re.sub('[“”„‟]', chr(34), text)}”" if '"' in text else f'"{text}"'


def as_code(text: str) -> str:
    """The text as inline code that no ticks in it close."""
    if "`" not in text:
        return f"`{text}`"
    ticks = "`" * (1 + max(map(len, re.findall("`+", text))))
    return f"{ticks} {text} {ticks}"
