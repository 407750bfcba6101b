"""What a pipe behind a check lets through of its output, and whether a failure would be among that."""

from __future__ import annotations

import re
from collections.abc import Sequence

from compact_keeper.record.check_programs import SILENT_RUNNERS
from compact_keeper.record.shell import shell_words
from compact_keeper.types import Check


def sees_failures(check: Check, count: int) -> bool:
    """Whether a failure would be among what the pipe lets through, of which there are `count` lines."""
    for text in check["filters"]:
        words = shell_words(text)
        program = words[0].rpartition("/")[2] if words else ""
        if program == "head" and count >= lines_let_through(words):
            return False
        if program in ("grep", "egrep", "rg") and "-v" not in words and (
                check["runner"] in SILENT_RUNNERS or not re.search(r"(?i)fail|error", text)):
            return False
        if program not in ("head", "tail", "cat", "tee", "sort", "uniq", "less", "grep", "egrep", "rg"):
            return False
    return True


def is_cut(check: Check, count: int, programs: Sequence[str] = ("head", "tail")) -> bool:
    """Whether head or tail may have let through only a part of the output."""
    filters = [shell_words(text) for text in check["filters"]]
    return any(words and words[0] in programs and count >= lines_let_through(words) for words in filters)


def lines_let_through(words: Sequence[str]) -> int:
    """How many lines head or tail let through."""
    return next((int(number[:9]) for word in words[1:] if (number := word.lstrip("-n")).isdigit()), 10)
