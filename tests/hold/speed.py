"""The latency goals, as tests/bench/latency.py measures them."""

from __future__ import annotations

import subprocess
import sys

import latency
from attack import Attack, Ground, Outcome


def goals_kept(_ground: Ground) -> Outcome:
    """Each goal, once; in a process of its own, as a child's peak memory counts from what its parent holds."""
    report = subprocess.run([sys.executable, latency.__file__], stdout=subprocess.PIPE, text=True).stdout
    broken = [line for line in report.splitlines() if line.startswith(latency.MISSED)]
    return Outcome(report.count("≤"), broken, report)


ATTACKS = (Attack("latency goals, medians of interleaved runs", goals_kept),)
