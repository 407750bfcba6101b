"""Secrets that are known again: a value that the session named once stands elsewhere without its name.

"ENCRYPTION_KEY=537d…" tells what it is; the same digits alone on a line, where they were made or are to be copied, do
not. So what `redact` replaced behind a name is known again, where it is long and mixed enough to be no word, path or
id: runs of letters and digits that change between both at least so often. What stands on disk are marks, 24 bits of a
checksum of each of a run's two ends, of which the value cannot be made; by the ends a run is known that was cut, too.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from functools import cache
from typing import Any

NAMED_RUN_CHARACTERS, NAMED_RUN_CHANGES = 16, 4  # at least: of a run, and between its letters and digits
NAMED_RUN = rf"[A-Za-z0-9]{{{NAMED_RUN_CHARACTERS},}}"
LETTER_DIGIT_CHANGE = r"\d(?=[A-Za-z])|[A-Za-z](?=\d)"
MARKS_IN_ALL = (1 << 24) - 3  # a prime: of other runs one in eight million has the mark of one of the ends
REPLACEMENT = "[redacted]"


@cache
def named_runs() -> set[str]:
    """The runs that this process has replaced behind a name: the only state of the text room.

    `redact` adds to it, which is called 40 times, each for a text of its own: to hand it through all of them would put
    it into every signature. Who reads several sessions begins each with `forget_named_secrets` (quotation.py).
    """
    return set()


def remember(value: str) -> None:
    """Knows the runs of a value that was replaced from now on."""
    runs = re.findall(NAMED_RUN, value)
    named_runs().update(run for run in runs if len(re.findall(LETTER_DIGIT_CHANGE, run)) >= NAMED_RUN_CHANGES)


def marks_of(run: str) -> set[str]:
    """What stands on disk for the run's two ends."""
    ends = run[:NAMED_RUN_CHARACTERS], run[-NAMED_RUN_CHARACTERS:]
    return {f"{int.from_bytes(end.encode(), 'big') % MARKS_IN_ALL:06x}" for end in ends}


def marks_with(known: Iterable[str]) -> list[str]:
    """The marks known before, with those of what this process has seen named."""
    return sorted({*known}.union(*map(marks_of, named_runs())))


def without_marked(text: str, marks: Collection[str]) -> str:
    """The text, each run that has one of the marks hidden by as many characters: lengths of its parts stay right."""
    def hidden(match: re.Match[str]) -> str:
        return match[0] if marks_of(match[0]).isdisjoint(marks) else REPLACEMENT.ljust(len(match[0]), "*")
    return re.sub(NAMED_RUN, hidden, text) if marks else text


def all_without_marked(value: Any, marks: Collection[str]) -> Any:
    """The JSON value with each of its texts so, in copies; however deep it is, as a call's answers may be.

    Without marks it is the value itself: most sessions name no secret.
    """
    if not marks:
        return value
    whole = [value]
    waiting: list[Any] = [whole]
    while waiting:
        here = waiting.pop()
        for key, part in [*(here.items() if isinstance(here, dict) else enumerate(here))]:
            if isinstance(part, str):
                here[key] = without_marked(part, marks)
            elif isinstance(part, (dict, list)):
                here[key] = part.copy()
                waiting.append(here[key])
    return whole[0]
