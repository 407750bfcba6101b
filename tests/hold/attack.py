"""What an attack on the scripts is, and what it comes to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"


class Ground(NamedTuple):
    """Where an attack takes place."""

    folder: Path  # empty at first, of this attack alone
    full: bool  # every attempt that `make hold` promises; else the few of `make test`
    scripts: Path = SCRIPTS  # a test puts broken ones here and sees that the attack finds it
    until: str = ""  # what that test waits for in a line of what broke: nothing is tried after it

    def has_enough(self, broken: Sequence[str]) -> bool:
        """Whether what has broken so far is what a test of broken scripts waits for."""
        return bool(self.until) and any(self.until in line for line in broken)


class Outcome(NamedTuple):
    """How often something was tried, and each time that it broke: one line with what to see it again by."""

    attempts: int
    broken: list[str]
    figures: str = ""  # to stand below the table


class Attack(NamedTuple):
    """One line of the table."""

    name: str  # what is done, and what has to hold
    run: Callable[[Ground], Outcome]
