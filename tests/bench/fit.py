#!/usr/bin/env python3
"""Fit the ranking's numbers in recap/render.py to the fit half of real sessions, and check them on the other half.

Usage: fit.py [PATHS…] [--rounds N]

Takes the cases of replay.py (the split by sessions is the same), reads each prefix once with the save's own functions,
and then tries other numbers one at a time: each knob one step down and one step up, kept when the goal on the fit half
rises by more than a hair, round after round until nothing does. The goal is

    mean at 9,000 + mean at 4,000 + directives at 9,000, minus what is missing of 1.3 hits per 1,000 characters

It prints every step that was kept, and at the end the numbers to write into recap/render.py and record/calls.py, with
the figures of both halves before and after. Nothing is written. A dozen cases are few: a step must pay by HAIR, and a
number that the reader needs (the first 2,000 units, the floor of the user's words) is no knob.

Exits 0, 1 when there is nothing to fit to. Python 3.9+, standard library only.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

BENCH = Path(__file__).resolve().parent
sys.path[:0] = [str(BENCH), str(BENCH.parents[1] / "src")]

import replay  # noqa: E402
from compact_keeper.recap import render  # noqa: E402
from compact_keeper.record import calls  # noqa: E402
from compact_keeper.record.session import read_on, snapshot_of  # noqa: E402
from compact_keeper.store.settings import default_settings  # noqa: E402

Record = dict[str, Any]
BUDGETS = (9_000, 4_000)  # UTF-16 units
HITS = 1.3  # per 1,000 characters
HAIR = 0.004  # what a step must win: one fact more or less in a dozen cases is chance
STEP = 1.3  # a knob goes up and down by this factor


class Knob(NamedTuple):
    """A number of the ranking: its name, how to read it, how to set it."""

    name: str
    read: Callable[[], float]
    write: Callable[[float], None]


class Half(NamedTuple):
    """The cases of one half, and the memory after each prefix."""

    cases: list[replay.Case]
    memories: list[Record]


def memory_of(case: replay.Case) -> Record:
    """The memory that a save would store for the case's prefix."""
    with tempfile.TemporaryDirectory() as folder:
        transcript = Path(folder, f"{case.session}.jsonl")
        with case.file.open("rb") as file:
            transcript.write_bytes(file.read(case.prefix))
        return read_on({}, str(transcript), folder, default_settings())[0]


def halves(paths: Sequence[Path]) -> dict[str, Half]:
    """Both halves with their snapshots."""
    found = {name: replay.find_cases(paths, name) for name in ("fit", "check")}
    return {name: Half(cases, list(map(memory_of, cases))) for name, cases in found.items()}


def figures(half: Half, budget: int) -> replay.Figures:
    """replay.py's figures for texts that the present numbers give."""
    found = []
    for case, memory in zip(half.cases, half.memories):
        text = render.render(snapshot_of(memory, {**default_settings(), "budget": budget}))
        found.append((case, replay.scored(text, case)))
    return replay.figures(found)


def goal(half: Half) -> float:
    """What the fitting raises; see the top of this file."""
    large, small = (figures(half, budget) for budget in BUDGETS)
    hits = float(large["hits/1,000 chars"] or 0)
    parts = (large["mean"], small["mean"], large["directives"])
    return sum(float(part or 0) for part in parts) - max(HITS - hits, 0)


# --- knobs ---


def of_table(table: dict[str, float], key: str, name: str) -> Knob:
    """A number in a dict."""
    return Knob(f"{name}[{key!r}]", lambda: table[key], lambda value: table.__setitem__(key, value))


def of_module(module: ModuleType, name: str) -> Knob:
    """A constant."""
    return Knob(name, lambda: float(getattr(module, name)), lambda value: setattr(module, name, value))


def of_section(number: int, floor_meant: bool) -> Knob:
    """A section's floor or its cap."""
    heading = render.SECTIONS[number][0]

    def write(value: float) -> None:
        rows = list(render.SECTIONS)
        name, kinds, floor, cap = rows[number]
        rows[number] = (name, kinds, value, cap) if floor_meant else (name, kinds, floor, value)
        render.SECTIONS = tuple(rows)

    def read() -> float:
        _, _, floor, cap = render.SECTIONS[number]
        return floor if floor_meant else cap

    return Knob(f"{heading}, {'floor' if floor_meant else 'cap'}", read, write)


def knobs() -> list[Knob]:
    """The numbers to fit: weights, boosts, how mentions fade, shares of the sections behind the first 2,000 units."""
    late = [number for number, row in enumerate(render.SECTIONS) if number > 4 and "rule" not in row[1]]
    return [
        *(of_table(render.BOOSTS, key, "BOOSTS") for key in render.BOOSTS),
        *(of_module(calls, name) for name in ("CAPITAL", "FADE", "LEAST_FADED")),
        *(of_module(render, name) for name in ("NAMES_SHARE", "FOUND_SHARE", "LEAST", "LONG")),
        *(of_section(number, floor_meant) for number in late for floor_meant in (True, False)),
    ]


# --- fitting ---


def climb(half: Half, rounds: int) -> float:
    """Moves one knob at a time while that pays; returns the goal reached."""
    best = goal(half)
    for _ in range(rounds):
        before = best
        for knob in knobs():
            start = knob.read()
            for value in (start * STEP, start / STEP):
                knob.write(value)
                reached = goal(half)
                if reached > best + HAIR:
                    best, start = reached, value
                    print(f"{best:.3f}  {knob.name} = {value:.3g}")
                    break
                knob.write(start)
        if best == before:
            break
    return best


def report(parts: dict[str, Half], when: str) -> None:
    """A line for each half and budget."""
    for name, half in parts.items():
        for budget in BUDGETS:
            told = figures(half, budget)
            row = "  ".join(f"{key} {told[key]:.3f}" for key in ("path", "command", "value", "mean", "directives",
                                                               "hits/1,000 chars") if told[key] is not None)
            print(f"{when}, {name} half ({len(half.cases)} cases), budget {budget:,}: {row}")


def main(argv: Sequence[str] | None = None) -> int:
    """0 when the numbers were fitted and printed, 1 when there are no cases."""
    parser = argparse.ArgumentParser(description="Fits the ranking's numbers to one half of real sessions.")
    config = os.environ.get("CLAUDE_CONFIG_DIR") or os.path.join(os.path.expanduser("~"), ".claude")
    parser.add_argument("paths", nargs="*", type=Path, default=[Path(config, "projects")], metavar="PATHS")
    parser.add_argument("--rounds", type=int, default=4)
    given = parser.parse_args(argv)
    parts = halves(given.paths)
    if not parts["fit"].cases:
        print("fit.py: no compactions to fit to in the paths given", file=sys.stderr)
        return 1
    report(parts, "before")
    climb(parts["fit"], given.rounds)
    report(parts, "after")
    for knob in knobs():
        print(f"{knob.name} = {knob.read():.3g}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
