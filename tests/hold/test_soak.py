"""The soak finds hooks that take longer and longer, files that grow, and compactions after which nothing comes back."""

from __future__ import annotations

from pathlib import Path

import pytest

import soak
from broken_scripts import Break, ground_with

SCALE = 0.004

SLOWER = Break("record_event.py", "add_to_ledger", """
def add_to_ledger(session, event, started):
    folder = right_add_to_ledger(session, event, started)
    if folder:  # else the line was not taken, and the count would lie where the test runs
        append_line(os.path.join(folder, "counted"), "x")
        sum(range(2_000 * os.path.getsize(os.path.join(folder, "counted"))))
    return folder""")
NEVER_FOLDED = Break("save_snapshot.py", "fold_ledger", """
def fold_ledger(folder):
    return False""")
KEPT_BACK = Break("restore_snapshot.py", "current_snapshot", """
def current_snapshot(data, folder):
    return own_snapshot(folder, data["session_id"]), "it is old", \"\"""")


@pytest.mark.rows(0)
def test_each_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In one month: a fault in one script shows in nothing that is said of another."""
    monkeypatch.setitem(soak.CAPS, "ledger.jsonl", 20_000)
    broken = soak.month(ground_with(tmp_path, SLOWER, NEVER_FOLDED, KEPT_BACK), SCALE, is_measured=True).broken
    for words in ("not flat: record_event --record", "ledger.jsonl has ", "nothing was put back"):
        assert any(words in line for line in broken), broken


def test_the_whole_is_what_is_promised() -> None:
    size = soak.size_of(1)
    assert size.compactions == 60
    assert abs(size.compactions * size.records - 500_000) < 1_000
    assert abs(size.compactions * size.calls - 40_000) < 100
