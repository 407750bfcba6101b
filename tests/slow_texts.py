"""Texts that make careless code look again and again: what may take any text has to come to an end with each.

No time is measured. The guard is one of processor time, far above what any machine needs: what grows with the square
of the length, or faster, does not end within it.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager

GUARD_SECONDS = 60.0  # of processor time, for all texts of one call; they take a tenth of a second to two
FILLS = (  # repeated up to the length wanted
    "a.", "a/", "_", "-", "x ", "a", "1", "rm a a ", "rm -a ", "rm " + "a " * 400, "no ", "and ", "\n", " \n", "a\n",
    "word,\n", "?", "? ", ". ", "!!! ", "```", "``` a` ", "> ", "> '\"", "'\"", "[", "((", "\n- [ ] ", "- [",
    "1.1.1.1:", "https://", "A-1", "v1.2.", "port ", "中", "。", "\u0301", "\ud800", "\0", "\u200f\u202e", "launched ",
    "launched agentId: a ", "plan", "M a/", "a.py:1:", "   ", "aB", "it is now ", "cd a && ", " | tail", " 2>&1", "<a ")


def slow_texts(length: int = 100_000) -> Iterator[str]:
    """A text of each fill, with an end that nothing expects."""
    for fill in FILLS:
        yield (fill * (length // len(fill) + 1))[:length - 1] + "!"


class NoEnd(BaseException):
    """What was called has used up its processor time."""


@contextmanager
def ending() -> Iterator[None]:
    """Raises NoEnd where what is done within takes more than the guard's processor time."""
    def refuse(*_: object) -> None:
        raise NoEnd
    before = signal.signal(signal.SIGVTALRM, refuse)
    signal.setitimer(signal.ITIMER_VIRTUAL, GUARD_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def check_it_ends(call: Callable[[str], object], length: int = 100_000) -> None:
    """Calls it with each of the texts."""
    with ending():
        for text in slow_texts(length):
            call(text)
