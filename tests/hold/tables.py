"""The tests of which `make test` runs a part, as a whole: tables of processes and of broken copies, and properties.

A table of broken copies shows that an attack finds what it is there for. `make test` has time for one row of each.
"""

from __future__ import annotations

import functools
import sys
from pathlib import Path

from attack import Attack, Ground, Outcome
from child_tests import outcome_of

ALL_ROWS = ("--all-cases", "--numprocesses=3", "--dist=loadgroup")


def tested(arguments: tuple[str, ...], ground: Ground) -> Outcome:
    """What came of these tests, every row of them, and of properties with eight times the examples."""
    return outcome_of(Path(sys.executable), (*arguments, *ALL_ROWS), ground.folder, CK_EXAMPLES="200")


ATTACKS = (
    Attack("every row of the tables that start the scripts", functools.partial(tested, ("tests/processes",))),
    Attack("properties of functions, given more made-up input", functools.partial(tested, ("tests/unit",))),
    Attack("every broken copy is found", functools.partial(tested, ("tests/hold", "--ignore=tests/hold/test_hold.py"))),
)
