#!/usr/bin/env python3
"""Tries to break what the hooks promise, and prints one table: what was tried, how often, how often it broke.

It tells how long each took too: seconds of the clock, and beside them of the processor, which other work on the machine
changes little.

Usage: hold.py [--short] [PART ...]      (make hold; PARTS="kills leaks" for some of it)

Each part is a file beside this one with ATTACKS. `make test` runs most of them once, short. What broke stands below the
table, one line each, with what to see it again by.

Exits 0 when nothing broke, 1 when something did.
"""

from __future__ import annotations

import argparse
import importlib
import resource
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path += [str(HERE), *(str(HERE.parents[1] / name) for name in ("src", "tests", "tests/bench", "tests/e2e"))]

from attack import Attack, Ground, Outcome  # noqa: E402 - beside this file

# In `make test` too.
SHORT = ("concurrency", "beside", "kills", "faults", "orders", "mutations", "leaks", "injections", "odd_paths",
         "git_traps", "totals", "soak")
PARTS = (*SHORT, "speed", "clients", "pythons")
SHOWN = 20  # lines of what broke, for each attack


def attacks_of(part: str) -> tuple[Attack, ...]:
    """The attacks of a part."""
    return tuple(importlib.import_module(part).ATTACKS)


def processor_seconds() -> float:
    """Seconds of the processor that this process has had, and those that it has waited for."""
    times = [resource.getrusage(whose) for whose in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(time.ru_utime + time.ru_stime for time in times)


def tried(attack: Attack, full: bool) -> tuple[Outcome, float, float]:
    """What became of the attack in a folder of its own, and the seconds that it took, and of the processor."""
    started, before = time.perf_counter(), processor_seconds()
    folder = tempfile.mkdtemp()
    try:
        outcome = attack.run(Ground(Path(folder), full))
    finally:
        shutil.rmtree(folder, ignore_errors=True)  # an indexer that nobody waits for may still write into it
    return outcome, time.perf_counter() - started, processor_seconds() - before


def table(parts: Sequence[str], full: bool, broken: list[str], figures: list[str]) -> Iterator[str]:
    """The table's lines, each as soon as it is known; what stands below it is added to the lists."""
    yield "| part | what is tried, and what has to hold | attempts | broken | seconds | of the processor |"
    yield "| --- | --- | --- | --- | --- | --- |"
    for part in parts:
        for attack in attacks_of(part):
            outcome, seconds, worked = tried(attack, full)
            yield (f"| {part} | {attack.name} | {outcome.attempts:,} | {len(outcome.broken)} | {seconds:.0f}"
                   f" | {worked:.0f} |")
            broken += [f"{part}: {attack.name}: {line}" for line in outcome.broken[:SHOWN]]
            figures += filter(None, [outcome.figures])


def main(argv: Sequence[str] | None = None) -> int:
    """0 when nothing broke."""
    parser = argparse.ArgumentParser(description="Tries to break what the hooks promise.")
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)} (default: all)")
    parser.add_argument("--short", action="store_true", help="few attempts of each, as in `make test`")
    given = parser.parse_args(argv)
    if unknown := set(given.parts) - set(PARTS):
        parser.error(f"no part {', '.join(sorted(unknown))}")
    broken, figures = list[str](), list[str]()
    for line in table(given.parts or (SHORT if given.short else PARTS), not given.short, broken, figures):
        print(line, flush=True)
    print("", *figures, "\n".join(broken) or "Nothing broke.", sep="\n")
    return 1 if broken else 0


if __name__ == "__main__":
    raise SystemExit(main())
