"""Orders of events find scripts that cannot stand them: broken copies."""

from __future__ import annotations

from pathlib import Path

import pytest

from broken_scripts import ground_with
from orders import as_processes, tried

BREAKAGES = {
    "what came since the save is left out": (
        [("catch_up.py", "    if not is_behind(snapshot, folder, transcript):", "    if snapshot:")],
        "not put back: Never rename"),
    "age counts": (
        [("catch_up.py", "    if not os.path.isfile(transcript):", "    if True:")], "nothing was put back"),
    "a second start counts as another compaction": (
        [("follow_compaction.py", "in DELIVERED", "in ()"),
         ("restore_snapshot.py", "    except FileExistsError:\n        return False",
          "    except FileExistsError:\n        return True")], ": 2 texts"),
    "each begun compaction is called unfinished": (
        [("restore_snapshot.py", "bool(shown and compaction.get(\"ended\"))", "bool(compaction.get(\"ended\"))")],
        "did not finish"),
}


@pytest.mark.parametrize("case", BREAKAGES)
def test_a_broken_copy_is_found(tmp_path: Path, case: str) -> None:
    changes, told = BREAKAGES[case]
    outcome = tried(ground_with(tmp_path, *changes), range(6), as_processes)
    assert any(told in fault for fault in outcome.broken), outcome.broken
