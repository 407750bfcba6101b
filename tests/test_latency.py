"""A guard over the speed of the hooks: ratios inside one run, wide enough for a busy machine; see `make bench`."""

from __future__ import annotations

from pathlib import Path

import pytest

import latency
from latency import Row, Run

WIDER = 2.0  # times the goals: a busy machine is not a slow hook
SLOWEST = "first save, 1 MB"  # of so short a session nothing is passed over


def test_no_hook_has_become_slow(tmp_path: Path) -> None:
    table = [row._replace(goals={floor: WIDER * goal for floor, goal in row.goals.items() if goal})
             for row in latency.rows(tmp_path, large=1) if SLOWEST not in row.name]
    table = [row for row in table if row.goals or row.name in (latency.IMPORT, latency.PARSE)]
    assert sum(len(row.goals) for row in table) >= 5
    found = latency.measure(table, runs=7)  # peak memory counts from what this process holds
    assert latency.missed(table, {name: [Run(run.ms, 0) for run in runs] for name, runs in found.items()}) == []


@pytest.fixture
def made_up() -> tuple[list[Row], dict[str, list[Run]]]:
    """A table of a floor of 10 ms and two hooks, and three runs of each."""
    goals: dict[str, dict[str, float | None]] = {
        "floor": {}, "fast": {"floor": 1.5, "not measured": 1.0}, "slow": {"floor": 2.0}, "free": {"floor": None}}
    table = [Row(name, lambda: None, lambda: Run(0, 0), mine) for name, mine in goals.items()]
    times = {"floor": 10, "fast": 15, "slow": 21, "free": 90}
    return table, {name: [Run(ms, 20), Run(1, 20), Run(99, 20)] for name, ms in times.items()}


def test_a_missed_goal_is_told(made_up: tuple[list[Row], dict[str, list[Run]]]) -> None:
    table, found = made_up
    assert latency.missed(table, found) == ["slow: 2.10 × floor, the goal is 2.0"]
    found["fast"] = [Run(10, latency.MOST_MEMORY + 1)]
    assert latency.missed(table, found) == ["fast: 65 MiB, the goal is 64", "slow: 2.10 × floor, the goal is 2.0"]


def test_the_goals_stand_in_the_last_column(made_up: tuple[list[Row], dict[str, list[Run]]]) -> None:
    lines = latency.report(*made_up).splitlines()
    assert lines[2] == "| floor | 10 |  | 20 |  |"
    assert lines[3] == "| fast | 15 | 1.50 × floor | 20 | ≤ 1.5 × floor, ≤ 1 × not measured |"
    assert lines[5] == "| free | 90 | 9.00 × floor | 20 |  |"


def test_a_day_is_the_sum_of_its_hooks() -> None:
    names = (latency.RECORD, f"{latency.RECORD}, at a prompt", f"{latency.RESTORE}, at a prompt", latency.STOP,
             latency.AFTER_STOP, latency.RESTORE, latency.AUDIT)
    told = latency.a_day({name: [Run(10, 20)] for name in names})
    assert "1,040 calls with a hook 10.4 s, 166 prompts 3.3 s, 166 ends of turns 1.7 s, 20 compactions 0.6 s" in told
    assert told.endswith("in all 16 s")
