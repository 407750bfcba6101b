#!/usr/bin/env python3
"""Tries to break what the hooks promise, and prints one table: what was tried, how often, how often it broke.

It tells how long each took too: seconds of the clock, and beside them of the processor, which other work on the machine
changes little.

Usage: hold.py [--short] [PART ...]      (make hold; PARTS="kills leaks" for some of it)

Each part is a file beside this one with ATTACKS. `make test` runs most of them once, short. What broke stands below the
table, one line each, with what to see it again by. Two attacks run at once, but those that measure run alone, last. The
Pythons are tried where they are named: `make pythons` takes longer than all the others.

Exits 0 when nothing broke, 1 when something did.
"""

from __future__ import annotations

import argparse
import importlib
import multiprocessing
import resource
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
sys.path += [str(HERE), *(str(HERE.parents[1] / name) for name in ("src", "tests", "tests/bench", "tests/e2e"))]

from attack import Attack, Ground, Outcome  # noqa: E402 - beside this file

# In `make test` too.
SHORT = ("concurrency", "beside", "kills", "faults", "orders", "mutations", "leaks", "injections", "odd_paths",
         "git_traps", "totals", "soak")
WHOLE = (*SHORT, "clients", "tables", "speed")
PARTS = (*WHOLE, "pythons")
ALONE = ("tables", "soak", "speed")  # the first has workers of its own; what the others measure changes with other work
AT_ONCE = 2
SHOWN = 20  # lines of what broke, for each attack


def attacks_of(part: str) -> tuple[Attack, ...]:
    """The attacks of a part."""
    return tuple(importlib.import_module(part).ATTACKS)


def processor_seconds() -> float:
    """Seconds of the processor that this process has had, and those that it has waited for."""
    times = [resource.getrusage(whose) for whose in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(time.ru_utime + time.ru_stime for time in times)


class Tried(NamedTuple):
    """What became of an attack, and the seconds that it took: of the clock, and of the processor."""

    outcome: Outcome
    seconds: float
    worked: float


def tried(part: str, number: int, full: bool) -> Tried:
    """What became of the part's attack of that number, in a folder of its own."""
    started, before = time.perf_counter(), processor_seconds()
    folder = tempfile.mkdtemp()
    try:
        outcome = attacks_of(part)[number].run(Ground(Path(folder), full))
    finally:
        shutil.rmtree(folder, ignore_errors=True)  # an indexer that nobody waits for may still write into it
    return Tried(outcome, time.perf_counter() - started, processor_seconds() - before)


def tried_of(given: tuple[str, int, bool]) -> Tried:
    """The same, of what a pool hands over."""
    return tried(*given)


def all_tried(parts: Sequence[str], full: bool) -> Iterator[tuple[str, Attack, Tried]]:
    """The attacks of the parts, each as soon as it and those before it are known; what measures last, and alone.

    Each in a process of its own: some change their environment, and one that is killed costs only itself.
    """
    due = [(part, number) for part in parts for number in range(len(attacks_of(part)))]
    beside = [(part, number) for part, number in due if part not in ALONE]
    for some, at_once in ((beside, AT_ONCE), ([pair for pair in due if pair not in beside], 1)):
        with multiprocessing.get_context("spawn").Pool(at_once, maxtasksperchild=1) as pool:
            results = pool.imap(tried_of, [(part, number, full) for part, number in some])
            for (part, number), result in zip(some, results):
                yield part, attacks_of(part)[number], result


def table(parts: Sequence[str], full: bool, broken: list[str], figures: list[str]) -> Iterator[str]:
    """The table's lines, each as soon as it is known; what stands below it is added to the lists."""
    yield "| part | what is tried, and what has to hold | attempts | broken | seconds | of the processor |"
    yield "| --- | --- | --- | --- | --- | --- |"
    for part, attack, (outcome, seconds, worked) in all_tried(parts, full):
        yield (f"| {part} | {attack.name} | {outcome.attempts:,} | {len(outcome.broken)} | {seconds:.0f}"
               f" | {worked:.0f} |")
        broken += [f"{part}: {attack.name}: {line}" for line in outcome.broken[:SHOWN]]
        figures += filter(None, [outcome.figures])


def main(argv: Sequence[str] | None = None) -> int:
    """0 when nothing broke."""
    parser = argparse.ArgumentParser(description="Tries to break what the hooks promise.")
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)} (default: all but the last)")
    parser.add_argument("--short", action="store_true", help="few attempts of each, as in `make test`")
    given = parser.parse_args(argv)
    if unknown := set(given.parts) - set(PARTS):
        parser.error(f"no part {', '.join(sorted(unknown))}")
    broken, figures, began = list[str](), list[str](), time.perf_counter()
    for line in table(given.parts or (SHORT if given.short else WHOLE), not given.short, broken, figures):
        print(line, flush=True)
    print(f"\n{(time.perf_counter() - began) / 60:.1f} minutes")
    print("", *figures, "\n".join(broken) or "Nothing broke.", sep="\n")
    return 1 if broken else 0


if __name__ == "__main__":
    raise SystemExit(main())
