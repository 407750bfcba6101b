"""What a pipe behind a check lets through of its output, and whether a failure would be among that."""

from __future__ import annotations

import re
from collections.abc import Sequence

from compact_keeper.record.commands.programs import CUTTING, PASSING_ON, SEARCHING, SILENT_RUNNERS
from compact_keeper.record.commands.shell import ASSIGNED_IN_POWERSHELL, NEGATION, program_in, shell_words
from compact_keeper.types import Check

LINES_OF_HEAD_AND_TAIL = 10  # where no option says how many


def sees_failures(check: Check, count: int) -> bool:
    """Whether a failure would be among what the pipe lets through, of which there are `count` lines.

    What goes into a variable of PowerShell's is not seen; of a check that is to fail silence says nothing.
    """
    if re.match(rf"{NEGATION}|{ASSIGNED_IN_POWERSHELL}", check["typed"]):
        return False
    return all(lets_failures_through(text, check, count) for text in check["filters"])


def lets_failures_through(text: str, check: Check, count: int) -> bool:
    """Whether one program of the pipe lets a failure through; of one that is not known here it is not certain."""
    words, program = shell_words(text), program_in(text)
    if program == "head":
        return count < lines_let_through(words)
    if program in SEARCHING:
        names_failures = re.search(r"(?i)fail|error", text) is not None
        return "-v" in words or (names_failures and check["runner"] not in SILENT_RUNNERS)
    return program in PASSING_ON


def is_cut(check: Check, count: int, programs: Sequence[str] = CUTTING) -> bool:
    """Whether one of the programs, head or tail, may have let through only a part of the output."""
    return any(program_in(text) in programs and count >= lines_let_through(shell_words(text))
               for text in check["filters"])


def lines_let_through(words: Sequence[str]) -> int:
    """How many lines head or tail let through: `-5`, `-n5`, `-n 5`."""
    numbers = [word.lstrip("-n") for word in words[1:]]
    return next((int(number[:9]) for number in numbers if number.isdigit()), LINES_OF_HEAD_AND_TAIL)
