"""What stands in the place of a message without words: the transcript does not hold them, or pictures came alone."""

from __future__ import annotations

import re

NOT_IN_TRANSCRIPT = "[a message whose words the transcript does not hold]"
SENT_ALONE = "[{} without words]"  # "2 pictures"
WORDLESS = rf"{re.escape(NOT_IN_TRANSCRIPT)}|\[(?:a|\d+) (?:picture|document)[^\[\]]* without words\]"


def is_wordless(text: str) -> bool:
    """Whether a message's text stands in the place of words that are not there."""
    return text[:1] == "[" and re.fullmatch(WORDLESS, text) is not None
