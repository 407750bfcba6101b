"""The paragraphs by which a text that is put back says what does not stand in it; they do not count as its budget."""

from __future__ import annotations

import re

ASK_BEGINS = "The original words, commands and errors of earlier turns can be found: "
LACKING_ENDS = " had no room here"
MORE_STEPS = " on record without a line"  # for want of room, or as a later one has overtaken it
LACKING = rf"\d+ (?:(?:pin|rule|failed check)[^\n]*?{LACKING_ENDS}|more steps?{MORE_STEPS})"
HINT = rf"\n\n(?:{re.escape(ASK_BEGINS)}|{LACKING})[^\n]*"


def without_hints(text: str) -> str:
    """The text without these paragraphs."""
    return re.sub(HINT, "", text)
