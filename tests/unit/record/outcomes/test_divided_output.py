"""A line that runs several checks: each has its own command, total and end, or none is said to be its own."""

from __future__ import annotations

from typing import Any

import pytest

from compact_keeper.recap.lines.checks import RunsInWords, check_lines
from compact_keeper.recap.wording.paths import Paths
from compact_keeper.record.calls.command_actions import end_of_command
from compact_keeper.record.checks.last_runs import last_runs, open_failures
from compact_keeper.record.checks.runs import check_runs
from compact_keeper.record.outcomes.divided_output import divided_ends
from compact_keeper.record.outcomes.lacks import lacking_in
from compact_keeper.record.summary.check_claims import check_claims
from compact_keeper.record.summary.statements import statements_of
from slow_texts import ending, slow_texts

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


# --- who sees no end of a check does not say how it ended ---


@pytest.mark.parametrize(("command", "output"), [
    (f"({ALL}; {FEES}) 2>&1 | tail -4", "\nRan 1 test in 0.001s\n\nFAILED (errors=1)\n"),
    (f"({ALL} && {FEES}) 2>&1 | tail -4", "\nRan 1 test in 0.001s\n\nFAILED (errors=1)\n"),
    (f"{ALL} > log 2>&1 && {FEES}", FAILED), (f"{ALL} 2>/dev/null; {FEES}", FAILED),
    (f"{ALL} 2>&1 | grep -c x; {FEES}", f"0\n{FAILED}"), (f"{ALL} 2>&1 | head -1 && {FEES}", f".\n{FAILED}"),
    (f"{ALL} || {FEES}", FAILED + FAILED),  # the second is another try
    (f"{FEES}; python3 mend.py; {FEES}", FAILED + PASSED), (f"{FEES}; echo OK; {ALL}", f"{FAILED}OK\n{PASSED}"),
    (f"{FEES}; tsc; {ALL}", FAILED + PASSED),  # tsc says nothing when all is well
    (f"make test; {ALL}", FAILED + PASSED), (f"for x in 1 2; do {FEES}; {ALL}; done", FAILED + PASSED),
    (f"{FEES} & {ALL}", FAILED + PASSED), (f"{ALL}; {FEES}", FAILED), (f"{ALL}; {FEES}", PASSED + FAILED + PASSED),
    (f"{ALL}; {FEES} 2>&1", FAILED + PASSED),  # of a client that puts stderr behind all else
    (f"set -o pipefail; {ALL} && {FEES} | tail -3", FAILED), (ALL, PASSED), ("", ""), (f"{ALL}; {FEES}", "")])
def test_an_output_that_may_be_another_s_is_not_divided(command: str, output: str) -> None:
    assert divided_ends(command, output) == []


@pytest.mark.parametrize("text", slow_texts())
def test_hostile_lines_and_outputs_end(text: str) -> None:
    with ending():
        assert divided_ends(text, text) == []
        divided_ends(f"{ALL}; {FEES}", text)


@pytest.mark.parametrize("command", [f"({ALL}; {FEES}) 2>&1 | cat", f"{FEES}; tsc; {ALL}"])
def test_of_an_output_that_is_not_divided_no_run_is_made_up(command: str) -> None:
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


# --- divided ---


@pytest.mark.parametrize(("command", "output", "expected"), [
    (f"{ALL} 2>&1; {FEES}", PASSED + FAILED, ["passed", "failed"]),
    (f"{FEES}\n{ALL}", FAILED + PASSED, ["failed", "passed"]),
    (f"echo checks for fees; {FEES}; {ALL}", f"checks for fees\n{FAILED}{PASSED}", ["failed", "passed"]),
    (f"cd app && {FEES} && {ALL}", FAILED, ["failed", "not run"]),
    (f"ruff check .; {ALL} && {FEES} 2>&1 | tail -2", f"{NO_RUFF}{FAILED}", []),  # stderr of one, stdout of the other
    (f"ruff check .; {ALL} && {FEES} | tail -2", f"{NO_RUFF}{PASSED}{FAILED}", ["not run", "passed", "failed"]),
    (f"ruff check . && {ALL}; {FEES} | tail -2", f"{NO_RUFF}{FAILED}", ["not run", "not run", "failed"]),
    (f"{ALL} 2>&1 | tail -1; echo; {FEES} 2>&1 | tail -1", "OK\n\nFAILED (errors=1)\n", ["unknown", "failed"]),
    ("pytest -q a; mypy src; ruff check .", "2 passed in 0.1s\nsrc/a.py:1: error: x  [y]\n"
     "Found 1 error in 1 file (checked 2 source files)\nAll checks passed!\n", ["passed", "failed", "passed"]),
    ("python3 -m pytest a; python3 -m unittest", f"/usr/bin/python3: No module named pytest\n{PASSED}",
     ["not run", "passed"]),
    ("pytest a && pytest b", "3 passed in 0.1s\nFAILED b/test_x.py::test_y - assert 1\n1 failed, 2 passed in 0.2s\n",
     ["passed", "failed"])])
def test_each_check_has_its_own_end(command: str, output: str, expected: list[str]) -> None:
    assert [end["verdict"] for end in divided_ends(command, output)] == expected


@pytest.mark.parametrize(("command", "output"), [
    (f"{ALL} 2>&1; {FEES}", PASSED + FAILED), (f"{FEES}; {ALL}", FAILED + PASSED),
    (f"ruff check .; {ALL} && {FEES} | tail -2", f"{NO_RUFF}{PASSED}{FAILED}")])
def test_each_run_is_told_with_its_command_and_its_total(command: str, output: str) -> None:
    item = ended(command, output, 1)
    failed, passed = told_of(item)  # and no line on a linter that is not there
    assert failed.startswith(f"- test failed: `{FEES}` → Ran 1 test in 0.001s · FAILED (errors=1)")
    assert passed.startswith(f"- test: `{ALL}` → passed: Ran 3 tests in 0.000s · OK")
    assert contradicted(item, f"- `{FEES}` passes.") is command.endswith(("test_fees", "tail -2"))  # none passed later
    assert not contradicted(item, "- `ruff check` fails.")


def test_a_linter_that_is_not_there_was_not_run_where_nothing_could_be_divided() -> None:
    lines = told_of(ended(f"ruff check .; make lint-js; {ALL}", f"{NO_RUFF}{PASSED}"))
    assert not any("ruff check" in line.partition("→")[0] and line.startswith("- lint") for line in lines[1:])
    failed = told_of(ended(f"ruff check .; tsc; {FEES}; {ALL}", f"{NO_RUFF}{FAILED}{PASSED}"))[0]
    assert "ruff: command not found" not in failed  # that is why no test failed


def test_a_second_try_of_the_same_command_stands_for_the_first() -> None:
    item = ended(f"{ALL}; {ALL}", FAILED + PASSED)
    assert open_failures([item], "", check_runs([item])) == []
    assert not contradicted(item)
