"""Errors as PowerShell prints them: a message, and rows on where it came from and of what kind it is."""

from __future__ import annotations

import re
from collections.abc import Sequence

ERROR_SIGN = "+ FullyQualifiedErrorId "
FRAME = r"\s*(?:\+ |At .{1,300}:\d{1,7} char:\d{1,5}\s*$)"


def is_powershell_error(text: str) -> bool:
    """Whether an error of PowerShell's stands in the text."""
    return ERROR_SIGN in text


def without_frames(rows: Sequence[str]) -> list[str]:
    """The rows of an output with such an error but for those on where it came from; all, where there are no others.

    The kind holds the word "Exception", so that it had stood in place of the message.
    """
    return [row for row in rows if not re.match(FRAME, row)] or [*rows]
