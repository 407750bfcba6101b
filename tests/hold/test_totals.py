"""The attack by what imitates totals finds readings that believe it."""

from __future__ import annotations

from pathlib import Path

import pytest

import totals
from broken_scripts import Break, ground_with

ANY_WORD = """
def verdict_seen(run):
    text = "\\n".join(run.text).lower()
    return "WORD" if "SIGN" in text else right_verdict_seen(run)"""


@pytest.mark.parametrize(("word", "sign"), [("passed", "0 failed"), ("failed", "error:")])
def test_a_reading_that_looks_for_a_word(tmp_path: Path, word: str, sign: str) -> None:
    change = Break("save_snapshot.py", "verdict_seen", ANY_WORD.replace("WORD", word).replace("SIGN", sign))
    broken = totals.imitations(ground_with(tmp_path, change)).broken
    assert any(line.endswith(f"then {word}") for line in broken)


def test_an_error_behind_totals_that_counts_for_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stopped = [run for run in totals.recordings() if run.name == "minitest-stopped"]
    monkeypatch.setattr(totals, "recordings", lambda: stopped)
    change = Break("save_snapshot.py", "OutputReading", """
class OutputReading(right_OutputReading):
    @property
    def error_behind(self):
        return False

    @error_behind.setter
    def error_behind(self, value):
        pass""")
    broken = totals.imitations(ground_with(tmp_path, change, full=True)).broken
    assert broken
