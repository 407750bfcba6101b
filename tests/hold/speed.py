"""The latency goals, as tests/bench/latency.py measures them; at full length alone: tests/test_latency.py is the guard."""

from __future__ import annotations

import latency
from attack import Attack, Ground, Outcome

RUNS = 15
LARGE, VAST = 256, 1_024  # megabytes


def goals_kept(ground: Ground) -> Outcome:
    """Each goal, once; those that are missed."""
    table = latency.rows(ground.folder, LARGE, VAST)
    found = latency.measure(table, RUNS)
    goals = sum(goal is not None for row in table for goal in row.goals.values())
    return Outcome(goals, latency.missed(table, found), f"{latency.report(table, found)}\n\n{latency.a_day(found)}")


ATTACKS = (Attack(f"latency goals, medians of {RUNS} interleaved runs", goals_kept),)
