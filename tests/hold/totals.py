"""Outputs of test runners in which something imitates how a run ended: names of tests, logs, what is tested itself.

The runs are the recorded ones (tests/unit/record/outcomes/recorded). A line that a test or a program under test may
print is put in their body, before what the runner itself says at the end. A run that failed is never told as passed,
one that passed not as failed, whether the exit code is the check's own or that of what stands behind a pipe. (Linters
and compilers run nothing that could print such a line, and in theirs an error is one.)
"""

from __future__ import annotations

import importlib.util
import random
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from attack import Attack, Ground, Outcome

RECORDINGS = Path(__file__).resolve().parents[1] / "unit" / "record" / "outcomes" / "recorded"
OF_FAILURE = (  # what a run that passes may print before its end
    "tests/test_totals.py::test_3_failed_are_counted PASSED [ 10%]", "  ✓ shows '1 failed' in red (3 ms)",
    "ok 3 - error: is printed when 2 tests failed", "    --- PASS: TestTotals/1_failed (0.00s)",
    "test parser::reports_1_failed ... ok", "  ✔ prints FAILED (failures=1) (1.2ms)",
    "2026-11-22 10:00:00,123 ERROR rates: 3 failed, will try again", 'level=error msg="1 failed, 2 errors"',
    "[error] connection refused, as the test wants it", "Error: expected by a test that passes",
    "error: this is what the parser is to print", "WARN 2 errors were ignored", "1 failed login of ada",
    "the importer: 3 rows failed, 0 passed", "FAIL is a word here", "the build failed yesterday",
    "Traceback (most recent call last):\n  File \"rates.py\", line 3, in parse\nValueError: caught by the test",
    "stderr | src/a.test.ts > logs what failed\nError: boom", "npm warn deprecated failed@1.0.0: it failed",
    "# the next line is a test's name: '2 failed'", "assert 'FAILED' in out", "make: nothing failed here",
    "exit code 1 is what `false` ends with", "    console.error\n      Error: 1 failed",
    "2 tests failed", "  1 test failed", "Result: FAIL",
    "tests/a.cpp:6: FAILED:\n  CHECK( false )\nwith expansion:\n  false",
    "tests/a.cpp:6: ERROR: CHECK( 1 == 2 ) is NOT correct!", "test cases: 2 | 1 passed | 1 failed as expected",
    "[FAIL] is printed in red", "1) Scenario: a step that is tried again # a.feature:6", "  1 known failure",
    "#   Failed test 'as it is to'", "    # { total: 2, pass: 1, fail: 1 } is what tap prints", "1..2",
    "Chrome Headless 120.0.0.0 (Linux 0.0.0): Executed 0 of 2 SUCCESS (0 secs / 0 secs)",
    "All 2 tests failed, as they should", "Failed: 3 of the rows", "*** 2 failures were imitated",
    "==========\nIMPORT OF RATES: 3 passed, 1 failed\n==========")
OF_SUCCESS = (  # what a run that fails may print before its end
    "tests/test_totals.py::test_0_failed PASSED [ 10%]", "  ✓ shows '0 failed' in green (3 ms)",
    "ok 3 - all tests passed", "    --- PASS: TestTotals/0_failed (0.00s)", "test parser::reports_0_failed ... ok",
    "0 failed", "5 passed", "5 passed in 0.01s", "OK", "PASS", "All tests passed!", "BUILD SUCCESS",
    "BUILD SUCCESSFUL in 3s",
    "Tests:       5 passed, 5 total", "test result: ok. 5 passed; 0 failed; 0 ignored", "Ran 5 tests in 0.001s\n\nOK",
    "Found 0 errors.", "Success: no issues found in 3 source files", "exit: 0", "exit code 0", "100% tests passed",
    "5 examples, 0 failures", "# pass 5\n# fail 0", "ok  \tx/a\t0.1s", "Everything up-to-date",
    "2026-11-22 10:00:00,123 INFO rates: 5 passed, 0 failed", "Done in 0.3s.", "✨  Done in 1.20s.",
    "All tests passed", "All 3 tests passed.", "3 tests passed", "  1 test passed", "All tests successful.",
    "Result: PASS", "Files=1, Tests=3,  0 wallclock secs\nResult: PASS", "[  PASSED  ] 3 tests.",
    "[doctest] Status: SUCCESS!", "[doctest] test cases: 3 | 3 passed | 0 failed | 0 skipped",
    "All tests passed (3 assertions in 2 test cases)", "*** No errors detected", "3 Tests 0 Failures 0 Ignored",
    "1..2\nok 1 a\nok 2 b", "2 scenarios (2 passed)", "2 scenarios passed, 0 failed, 0 skipped",
    "# { total: 2, pass: 2 }", "TOTAL: 3 SUCCESS", "0 failures, 0 errors.", "Ran 3 tests containing 5 assertions.",
    "3 successes / 0 failures / 0 errors / 0 pending : 0.1 seconds", "[ FAIL 0 | WARN 0 | SKIP 0 | PASS 5 ]",
    "Test Successful in 0.001s. 3 tests run.", "[success] Total time: 3 s",
    " NX   Successfully ran target test for 3 projects", "3 tests, 3 passed, 0 failed",
    "==========\nIMPORT OF RATES: 3 passed, 0 failed\n==========")
WAYS = ("{}", "{} 2>&1 | tail -200", "{}; true")  # how the command is called; behind the first the exit code is its own
BODY = 0.5  # of the output's lines, from the beginning: what stands there is no runner's end
OF_TESTS = "test"  # the family of what runs code of a project's


class Recording(NamedTuple):
    """A recorded run."""

    name: str
    command: str
    code: int
    has_failed: bool
    lines: list[str]


def recordings() -> Iterator[Recording]:
    """The runs of tests that passed or failed."""
    for path in sorted(RECORDINGS.glob("*.txt")):
        lines = path.read_text(encoding="utf-8").split("\n")
        command, code = lines[0].removeprefix("$ "), int(lines[1].removeprefix("exit "))
        rest = lines[3:] if lines[2] == "from: documentation" else lines[2:]
        verdict, family = rest[0].removeprefix("-> ").partition(":")[0].split(" ", 1)
        if verdict in ("passed", "failed") and family == OF_TESTS:
            yield Recording(path.stem, command, code, verdict == "failed", rest[2:])


def module_of(ground: Ground) -> ModuleType:
    """The built save, whose reading of outputs is tried."""
    spec = importlib.util.spec_from_file_location("save_under_attack", ground.scripts / "save_snapshot.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def imitations(ground: Ground) -> Outcome:
    """Each run with each line in its body, called in each way; short: one line of each run."""
    outcome_of, draw = module_of(ground).outcome_of, random.Random(23)
    attempts, broken = 0, list[str]()
    for run in recordings():
        lies = OF_SUCCESS if run.has_failed else OF_FAILURE
        for lie in lies if ground.full else draw.sample(lies, 2):
            at = 0 if run.name.endswith("-stopped") else draw.randint(0, int(len(run.lines) * BODY))  # it has no end
            output = "\n".join([*run.lines[:at], lie, *run.lines[at:]])
            for way in WAYS:
                is_own = way == WAYS[0]
                code = run.code if is_own else 0
                args = (way.format(run.command), "\n".join(run.lines), code != 0, code)
                before = outcome_of(*args)["verdict"]
                after = outcome_of(args[0], output, *args[2:])["verdict"]
                attempts += 1
                wrong = "passed" if run.has_failed else "failed"
                if after == wrong != before:
                    broken.append(f"{run.name}, {way.format('…')}, line {at} {lie!r}: {before}, then {after}")
    return Outcome(attempts, broken)


ATTACKS: tuple[Attack, ...] = (
    Attack("names and logs that imitate a runner's totals in recorded outputs: no failure told as passed, no pass as "
           "failed", imitations),)
