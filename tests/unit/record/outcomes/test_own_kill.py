"""Lines that end themselves by `pkill -f`."""

from __future__ import annotations

import pytest

from compact_keeper.record.outcomes.outcome import outcome_of
from compact_keeper.record.outcomes.own_kill import KILLED_ITSELF, kill_of_itself

RESTART = "pkill {} 2>/dev/null; sleep 2\nnohup python3 zones.py > zones.log 2>&1 &"


@pytest.mark.parametrize(("kill", "output", "exit_code"), [
    ("-f zones.py", "", 0), ("-f zones.py", "", None), ("-f zones.py", "", 2),  # it ran to its end
    ("-f '[z]ones.py'", "", 144), ("-f 'z(o+)+nes'", "", 144), ("-x python3", "", 144), ("zones.py", "", 143),
    ("-f", "", 144), ("-9 -f zones.py", "started", 1), ("-f zones.py", "", 1),
    ("-f '" + "z" * 90_000, "", 144), ("-f" * 30_000, "", 144), (" -f" * 30_000, "", 144)])
def test_a_line_that_may_have_ended_otherwise(kill: str, output: str, exit_code: int | None) -> None:
    assert kill_of_itself(RESTART.format(kill), output, exit_code) == ""


def test_pkill_meets_no_process() -> None:
    assert kill_of_itself("pkill -9 -f zones.py", "", 1) == ""


@pytest.mark.parametrize(("kill", "output", "exit_code"), [
    ("-f zones.py", "", 144), ('-f "python.*zones.py"', "", 144), ("-9 -f zones", "", 1), ("-f -KILL zones", "", 137),
    ("-KILL --full 'zones.py'", "", 1), ("-f zones.py", "pkill: killing pid 7 failed: Operation not permitted", 144)])
def test_a_line_whose_own_pkill_met_its_shell(kill: str, output: str, exit_code: int) -> None:
    assert kill_of_itself(RESTART.format(kill), output, exit_code) == KILLED_ITSELF


def test_such_a_line_is_stopped_and_has_not_failed() -> None:
    outcome = outcome_of(RESTART.format("-f zones.py"), "Exit code 144", True, None)
    assert (outcome["verdict"], outcome["line"]) == ("stopped", KILLED_ITSELF)
