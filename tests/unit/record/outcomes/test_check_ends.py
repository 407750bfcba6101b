"""A line that runs several checks: no run of one of them is made up."""

from __future__ import annotations

from typing import Any

import pytest

from compact_keeper.recap.lines.checks import RunsInWords, check_lines
from compact_keeper.recap.wording.paths import Paths
from compact_keeper.record.calls.command_actions import end_of_command
from compact_keeper.record.checks.last_runs import last_runs, open_failures
from compact_keeper.record.checks.runs import check_runs
from compact_keeper.record.outcomes.lacks import lacking_in
from compact_keeper.record.summary.check_claims import check_claims
from compact_keeper.record.summary.statements import statements_of

PASSED = "...\n----------\nRan 3 tests in 0.000s\n\nOK\n"
FAILED = ("E\n==========\nERROR: test_fees (unittest.loader._FailedTest.test_fees)\n----------\n"
          "ImportError: Failed to import test module: test_fees\n"
          "ModuleNotFoundError: No module named 'tests.test_fees'\n"
          "\n\n----------\nRan 1 test in 0.001s\n\nFAILED (errors=1)\n")
NO_RUFF = "/bin/bash: line 1: ruff: command not found\n"
ALL, FEES = "python3 -m unittest", "python3 -m unittest tests.test_fees"


def ended(command: str, output: str, code: int = 0) -> Any:
    """The line as an action item, as a save keeps it."""
    call: Any = {"input": {"command": command}, "command": command, "output": output, "ok": not code, "exit": code,
                 "error": ""}
    return {"kind": "action", "tool": "Bash", "text": command, "key": command, "path": "", "family": "",
            "uses": 1, "position": 3, "last": "2026-01-01T10:00:00Z", "lacking": lacking_in(command, output),
            **end_of_command(call)}


def told_of(item: Any) -> list[str]:
    """The lines on the checks of this one command."""
    words = RunsInWords([item], [], lambda _: "now", Paths("", ""))
    runs = check_runs([item])
    return [line["text"] for line in check_lines(words, last_runs([item], "", runs), open_failures([item], "", runs))]


def contradicted(item: Any, said: str = "- All tests pass.") -> bool:
    """Whether the summary's words are contradicted after this one command."""
    return bool([*check_claims(said, statements_of(said), [item])])


@pytest.mark.parametrize("command", [f"({ALL}; {FEES}) 2>&1 | cat", f"{FEES}; tsc; {ALL}"])
def test_of_two_reports_in_an_output_no_run_is_made_up(command: str) -> None:
    line, *others = told_of(ended(command, FAILED + PASSED, 1))
    assert not any(other.startswith("- test") for other in others)
    assert "test runs its output does not show" in line
    assert "Ran 3" not in line
    assert "Ran 1" not in line  # of whichever it was
    assert not contradicted(ended(command, FAILED + PASSED, 1))  # which of them has failed?
    assert not contradicted(ended(command, FAILED + PASSED, 1), "- `python3 -m unittest` passes.")


def test_what_may_have_been_mended_within_the_line_contradicts_nothing() -> None:
    assert not contradicted(ended(f"{FEES}; python3 mend.py; {ALL}", FAILED + PASSED))
    assert not contradicted(ended(f"{FEES} || {ALL}", FAILED + PASSED))


def test_a_linter_that_is_not_there_was_not_run() -> None:
    lines = told_of(ended(f"ruff check .; make lint-js; {ALL}", f"{NO_RUFF}{PASSED}"))
    assert not any("ruff check" in line.partition("→")[0] and line.startswith("- lint") for line in lines[1:])
    failed = told_of(ended(f"ruff check .; tsc; {FEES}; {ALL}", f"{NO_RUFF}{FAILED}{PASSED}"))[0]
    assert "ruff: command not found" not in failed  # that is why no test failed
