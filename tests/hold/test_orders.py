"""Orders of events find scripts that cannot stand them: broken copies."""

from __future__ import annotations

from pathlib import Path

import pytest

from broken_scripts import Break, ground_with
from orders import as_processes, tried

BREAKAGES = {
    "what came since the save is left out": (
        [Break("restore_snapshot.py", "is_behind", "def is_behind(snapshot, folder, transcript):\n    return False")],
        "not put back: Never rename"),
    "age counts": (
        [Break("restore_snapshot.py", "current_snapshot", """
def current_snapshot(data, folder):
    snapshot = own_snapshot(folder, data["session_id"])
    return snapshot, why_gone(snapshot, folder), \"\"""")], "nothing was put back"),
    "a second start counts as another compaction": (
        [Break("restore_snapshot.py", "DELIVERED_STAGES", "DELIVERED_STAGES = ()"),
         Break("restore_snapshot.py", "take_mark", """
def take_mark(folder, series, name, text=\"\"):
    return right_take_mark(folder, series, name, text) or True""")], ": 2 texts"),
    "each begun compaction is called unfinished": (
        [Break("restore_snapshot.py", "failure", "def failure(compaction):\n    return \"failed\"")],
        "did not finish"),
}


@pytest.mark.rows(1)
@pytest.mark.parametrize("case", BREAKAGES)
def test_a_broken_copy_is_found(tmp_path: Path, case: str) -> None:
    breaks, words = BREAKAGES[case]
    ground = ground_with(tmp_path, *breaks)
    faults = (fault for seed in range(6) for fault in tried(ground, range(seed, seed + 1), as_processes).broken)
    assert any(words in fault for fault in faults)
