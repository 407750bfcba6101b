"""A guard over the speed of the hooks: ratios inside one run, wide enough for a busy machine; see `make bench`."""

from __future__ import annotations

import statistics
from pathlib import Path

import latency

LIMITS = {  # times the floor; the goals are 1.25, 2.2, 2.5 and 1.5; at a prompt none is set
    "record_event.py": 2.2, "save_snapshot.py, first save, 4 MB": 3.2, "save_snapshot.py, after a Stop save, 4 MB": 3.5,
    "restore_snapshot.py": 3.0, "restore_snapshot.py, at a prompt": 2.2}


def test_no_hook_has_become_slow(tmp_path: Path) -> None:
    table = [row for row in latency.rows(tmp_path, large=1) if not row.floor or row.name in LIMITS]
    found = latency.measure(table, runs=7)
    middle = {name: statistics.median(run.ms for run in runs) for name, runs in found.items()}
    ratios = {row.name: middle[row.name] / middle[row.floor] for row in table if row.floor}
    assert set(ratios) == set(LIMITS)
    assert {name: ratio for name, ratio in ratios.items() if ratio > LIMITS[name]} == {}
