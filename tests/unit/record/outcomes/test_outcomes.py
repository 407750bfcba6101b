"""How commands ended: recorded outputs of real tools, and forms that hide an exit code.

Each file in outcomes/ is a run: `$ command`, `exit N`, `from: documentation` where the tool could not be run (its
output is written after its documentation), `-> verdict family: line` as it is to be read, `-> | tail -5: verdict` where
only its last five lines are seen and the exit code is tail's; then the output.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from compact_keeper.record.outcomes.outcome import outcome_of
from compact_keeper.record.runner_output.known_rows import OUTPUT_ROWS
from compact_keeper.record.runner_output.reading import FittingRow, OutputReading, output_lines, read_output
from compact_keeper.record.runner_output.row_lookup import rows_by_word
from compact_keeper.record.runner_output.total_counts import failures_in, passes_in
from compact_keeper.text.length import units
from git_items import pushed_to
from slow_texts import ending, slow_texts

JEST_PASSED = "Tests:       9 passed, 9 total\nTime:        1.2 s"
CARGO_PASSED = "test result: ok. 4 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.02s"
RECORDINGS = Path(__file__).parent / "recorded"
NAMES = sorted(path.stem for path in RECORDINGS.glob("*.txt"))


def recording(name: str) -> dict[str, str]:
    """The parts of a file: command, exit, read (verdict, family and line), tail (verdict) and output."""
    lines = (RECORDINGS / f"{name}.txt").read_text(encoding="utf-8").split("\n")
    parts = {"command": lines[0].removeprefix("$ "), "exit": lines[1].removeprefix("exit ")}
    rest = lines[3:] if lines[2] == "from: documentation" else lines[2:]
    parts["read"], parts["tail"] = rest[0].removeprefix("-> "), rest[1].removeprefix("-> | tail -5: ")
    return {**parts, "output": "\n".join(rest[2:])}


def said(outcome: Mapping[str, object]) -> str:
    """The outcome as the files have it."""
    return f"{outcome['verdict']} {outcome['family'] or 'other'}: {outcome['line']}"


@pytest.mark.parametrize("name", NAMES)
def test_a_recorded_output_is_read_as_its_file_says(name: str) -> None:
    """So too the parts: names and causes stand in the output, and the line is short."""
    run = recording(name)
    code = int(run["exit"])
    outcome = outcome_of(run["command"], run["output"], code != 0, code)
    assert said(outcome) == run["read"]
    assert units(outcome["line"]) <= 240
    assert "\n" not in outcome["line"]
    words = set(run["output"].replace("\x1b", " ").split())
    names = outcome.get("failed_names", [])
    for name_of_test in names:
        assert any(part in run["output"] for part in name_of_test.split()), name_of_test
    assert not names or names[0].rstrip(" …").split(" ")[0] in outcome["line"]
    assert not outcome["cause"] or outcome["verdict"] in ("failed", "not run")
    is_ours = outcome["family"] == "git" or run["exit"] == "124"  # "merge stopped: …", "timed out"
    assert not outcome["cause"] or is_ours or words & set(outcome["cause"].split())


OTHER_TOTALS = """3 passed, 1 failed
Passed: 3, Failed: 1
3 通过, 1 失败
bestanden: 3, fehlgeschlagen: 1
Errors  1 error
Test summary: total: 4, failed: 1, succeeded: 3, skipped: 0, duration: 0.5s"""


def test_of_each_row_of_totals_the_numbers_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    read = set[tuple[str, str]]()

    def take(_: OutputReading, row: FittingRow, *_lines: object) -> None:
        runner, says, match = row
        if says == "tests" and failures_in(runner, match.string) + passes_in(runner, match.string):
            read.add((runner, match.re.pattern))

    monkeypatch.setattr(OutputReading, "take", take)
    for output in (OTHER_TOTALS, *(recording(name)["output"] for name in NAMES)):
        read_output(output_lines(output))
    totals = [(runner, pattern) for runner, says, _, pattern in OUTPUT_ROWS if says == "tests"]
    assert [row for row in totals if row not in read] == []


@pytest.mark.parametrize(("command", "code", "verdict"), [
    ("pytest | tail -3", 0, "unknown"), ("pytest", 0, "passed"), ("pytest", 1, "failed")])  # by its own exit code
@pytest.mark.parametrize("total", ["12 ok, 3 broken", "12 ok, 0 broken"])
def test_a_total_whose_numbers_are_not_known_is_not_one_of_no_test(
        monkeypatch: pytest.MonkeyPatch, command: str, code: int, verdict: str, total: str) -> None:
    monkeypatch.setitem(rows_by_word(), "0ok", [("pytest", "tests", r"\d+ ok, \d+ broken")])
    outcome = outcome_of(command, total, code != 0, code)
    assert (outcome["verdict"], outcome.get("met_no_test", False)) == (verdict, False)


@pytest.mark.parametrize("name", NAMES)
def test_behind_a_pipe_the_last_lines_alone_tell(name: str) -> None:
    """No pipe turns a failure into a success or the reverse."""
    run = recording(name)
    last = "\n".join(run["output"].rstrip("\n").split("\n")[-5:])
    seen = outcome_of(f"{run['command']} 2>&1 | tail -5", last, is_error=False, exit_code=0)
    assert seen["verdict"] == run["tail"]
    assert seen["verdict"] != "unknown" or seen["line"].endswith("exit 0 of `tail`")

    failed = run["read"].startswith("failed")
    for command, output in ((f"{run['command']} | cat", run["output"]), (f"{run['command']}; true", run["output"])):
        verdict = outcome_of(command, output, is_error=False, exit_code=0)["verdict"]
        assert verdict not in ({"passed"} if failed else {"failed"}) or run["exit"] == "127" or "not run" in run["read"]


@pytest.mark.parametrize(("output", "verdict"), [
    ("This Bash command contains multiple operations. The following part requires approval: ruff check .", "not run"),
    ("This command requires approval", "not run"), ("sed command requires approval (it may write)", "not run"),
    ("Output redirection to '/a' was blocked. For security, Claude Code may only write to files in …", "not run"),
    ("Exit code 1\nThe release requires approval", "failed"), ("The release was refused", "failed"),
])
def test_what_the_client_did_not_permit_did_not_run(output: str, verdict: str) -> None:
    """What a command prints that failed stands behind its exit code."""
    assert outcome_of("ruff check . && make", output, is_error=True, exit_code=None)["verdict"] == verdict


@pytest.mark.parametrize(("output", "line"), [
    ("> node lint.js\n\n2 warnings: a.js:3 no-var", "2 warnings: a.js:3 no-var · exit 0"),
    ("checked\nfound 1 style warning\ndone", "found 1 style warning · exit 0"),
    ("checked\n0 warnings\ndone", "exit 0"), ("checked\n10 files, no warnings\ndone", "exit 0"),
])
def test_a_run_that_passed_tells_its_warnings(output: str, line: str) -> None:
    assert outcome_of("npm run lint", output, is_error=False, exit_code=0)["line"] == line


def test_one_of_several_binaries_does_not_stand_for_those_that_were_cut_off() -> None:
    lines = "  [OK]   cents   0   whole euros.\n\nTest Successful in 0.001s. 3 tests run."
    seen = [outcome_of(f"dune test | tail -{count}", lines, is_error=False, exit_code=0)["verdict"] for count in (3, 9)]
    assert seen == ["unknown", "passed"]


def test_there_are_recordings_of_all_forms_for_the_runners() -> None:
    for runner in ("pytest", "unittest", "jest", "vitest", "mocha", "node-test", "bun-test", "playwright", "go-test",
                   "cargo-test", "tsc", "eslint", "ruff", "mypy", "golangci-lint", "flutter-test", "gradle", "maven",
                   "rspec", "minitest", "phpunit", "mix", "make", "black", "prettier", "xcodebuild"):
        forms = {name.removeprefix(f"{runner}-").partition("-")[0] for name in NAMES if name.startswith(f"{runner}-")}
        assert forms >= {"passed", "failed", "stopped"}, runner


CARGO_NONE = "test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 9 filtered out; finished in 0.00s"
CARGO_OK = "test result: ok. 9 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 1.37s"
NONE_RAN = "Ran 0 tests in 0.000s\n\nOK"
NODE_NONE = "ℹ tests 0\nℹ suites 0\nℹ pass 0\nℹ fail 0\nℹ cancelled 0\nℹ skipped 0"
GROUP = """  + Exception Group Traceback (most recent call last):
  |   File "<stdin>", line 9, in <module>
  |   File "<stdin>", line 8, in all_
  | ExceptionGroup: two failed (2 sub-exceptions)
  +-+---------------- 1 ----------------
    | Traceback (most recent call last):
    |   File "<stdin>", line 6, in all_
    |   File "<stdin>", line 2, in sums
    | TypeError: no sum
    +---------------- 2 ----------------
    | Traceback (most recent call last):
    |   File "<stdin>", line 6, in all_
    |   File "<stdin>", line 1, in rate
    | ValueError: no rate
    +------------------------------------
"""
PASSED, FAILED = "2 passed in 0.01s", "FAILED tests/test_a.py::test_b - assert 1 == 2\n1 failed, 1 passed in 0.02s"


@pytest.mark.parametrize(("command", "output", "code", "expected"), [
    # the exit code is the check's own
    ("pytest -q", PASSED, 0, "passed"),
    ("cd web && FOO=1 timeout 60 npx vitest run", "", 0, "passed"),
    ("pytest -q && git push", PASSED + "\nEverything up-to-date", 0, "passed"),
    ("set -o pipefail; pytest -q | tail -3", "no totals here", 1, "failed"),
    ("go test -v ./...", "=== RUN TestA\nERROR: a line of the log\nFAIL: not Go's\nok  \tx/a\t0.1s", 0, "passed"),
    ("npm test", "Tests: 1 failed, 1 passed, 2 total", 0, "failed"),  # its script swallows the exit code
    ("ruff check --exit-zero .", "Found 3 errors.", 0, "failed"),
    ("pytest -q", PASSED, 1, "failed"),  # coverage below what is asked for, say
    # it is another program's
    ("pytest -q | tail -3", PASSED, 0, "passed"),
    ("pytest -q | tail -3", FAILED, 0, "failed"),
    ("pytest -q || true", FAILED, 0, "failed"),
    ("pytest -q; git status", FAILED + "\nnothing to commit", 0, "failed"),
    ("pytest -q 2>&1 | tee log | grep -c x", "0", 1, "unknown"),
    ("pytest -q | grep -v FAILED", "", 0, "unknown"),
    ("pytest -q | tail -1", "", 0, "unknown"),
    ("pytest -q > log 2>&1; tail -1 log", PASSED, 0, "passed"),
    ("for i in 1 2; do pytest -q; done", "1 failed in 0.1s\n1 passed in 0.1s", 0, "failed"),
    ("mise run lint && mise run test 2>&1 | tail -3", "[lint] $ golangci-lint run\n0 issues.", 0, "unknown"),
    ("mise run lint && mise run test 2>&1 | tail -3", "rates.go:1:2: no such thing (errcheck)\n1 issues:", 1, "failed"),
    ("go build ./... 2>&1 | head -20", "", 0, "passed"),  # silence through a filter that lets all through
    ("go build ./... 2>&1 | grep rates", "", 0, "unknown"),
    ("go test ./... 2>&1 | head -20", "", 0, "unknown"),
    ("go test -v ./... | grep -E 'PASS|FAIL'", "--- PASS: TestA (0.0s)\n--- PASS: TestB (0.0s)", 0, "passed"),
    ("go test -v ./... | grep PASS", "--- PASS: TestA (0.0s)", 0, "unknown"),
    ("go test -v ./... | head -1", "--- PASS: TestA (0.0s)", 0, "unknown"),
    ("go test ./... -run A | tail -1", "ok  \tx/a\t0.1s [no tests to run]", 0, "unknown"),  # others may have had some
    ("go test -v ./x | tail -9", "    a_test.go:17: ends well (twice)\n--- PASS: A (0.9s)\nPASS\nok  \tx\t2.9s", 0,
     "passed"),
    ("cargo test | grep '^test result' | head -1", CARGO_OK, 0, "unknown"),  # of the first of several binaries
    ("cargo test | head -9", CARGO_OK, 0, "passed"), ("cargo test | tail -1", CARGO_OK, 0, "passed"),
    ("cargo test | head -1", CARGO_OK.replace("ok. 9 passed; 0", "FAILED. 8 passed; 1"), 0, "failed"),
    ("cargo test | tail -9", "    Finished `test` profile [x] target(s) in 1s", 0, "unknown"),  # built, not yet tested
    ("cargo build | tail -9", "    Finished `dev` profile [x] target(s) in 1s", 0, "passed"),
    ("cargo test zones | tail -9", "\nrunning 0 tests\n\n" + CARGO_NONE + "\n\n   Running ui.rs\n\nrunning 0 tests\n\n"
     + CARGO_NONE, 0, "unknown"),  # seven had run before
    ("cargo test zones | tail -99", "running 0 tests\n\n" + CARGO_NONE, 0, "not run"),
    ("npm run lint | tail -3", "[lint:go] ERROR task failed", 0, "failed"),
    ("make test | tail -3", "bash: pytest: command not found", 0, "not run"),
    ("make test | tail -3", "/bin/sh: 1: pytest: not found", 0, "not run"),
    ("go test ./... | head -2", "ok  \tx/a\t0.1s\nok  \tx/b\t0.1s", 0, "unknown"),  # a third one may have failed
    ("go test ./... | head -3", "ok  \tx/a\t0.1s\nok  \tx/b\t0.1s", 0, "passed"),
    ("npx playwright test | grep passed", "  20 passed (17.8s)", 0, "unknown"),
    ("npx playwright test | grep -E 'passed|failed'", "  20 passed (17.8s)", 0, "passed"),
    ("pytest | grep passed", PASSED, 0, "passed"),
    ("python -m unittest 2>&1 | tail -1", "OK", 0, "unknown"),  # before Python 3.12 it is said of no test, too
    ("python -m unittest 2>&1 | tail -2", "OK (skipped=3)", 0, "unknown"), ("make test | tail -1", "OK", 0, "unknown"),
    ("python -m unittest 2>&1 | grep -E 'Ran|OK'", "Ran 3 tests in 0.1s\nOK", 0, "passed"),
    ("python -m unittest 2>&1 | tail -3", NONE_RAN, 0, "not run"), ("python -m unittest", NONE_RAN, 0, "not run"),
    ("python -m unittest 2>&1 | tail -1", "NO TESTS RAN", 0, "not run"),
    ("make test | tail -3", NONE_RAN, 0, "not run"), ("make test | tail -1", "NO TESTS RAN", 0, "unknown"),
    ("python -m unittest a | tail -1; python -m unittest b | tail -3", f"OK\n{NONE_RAN}", 0, "unknown"),
    ("python -m unittest tests.a && python -m unittest tests.b", f"{NONE_RAN}\nRan 1 test in 0.1s\n\nOK", 0, "passed"),
    ("pytest -q | tail -1", "no tests ran in 0.01s", 0, "not run"), ("pytest", "no tests ran in 0.01s", 5, "not run"),
    ("go test ./...", "?   \tx/a\t[no test files]\n?   \tx/b\t[no test files]", 0, "not run"),
    ("go test ./... | tail -1", "?   \tx/b\t[no test files]", 0, "unknown"),  # the first package may have had some
    ("go test -v -run A ./x | grep -E '^(PASS|FAIL)'", "PASS", 0, "unknown"),
    ("npx jest --passWithNoTests", "No tests found, exiting with code 0", 0, "not run"),
    ("npx jest | tail -3", "Tests:       0 total\nSnapshots:   0 total\nTime:  1 s", 0, "unknown"),  # a file is broken
    ("npx jest -t a", "Test Suites: 1 skipped, 0 of 1 total\nTests:       3 skipped, 3 total", 0, "not run"),
    ("cargo test zones", f"running 0 tests\n\n{CARGO_NONE}\n\n   Doc-tests a\n\nrunning 0 tests\n\n{CARGO_NONE}", 0,
     "not run"),
    ("cargo test | tail -4", f"   Doc-tests a\n\nrunning 0 tests\n{CARGO_NONE}", 0, "unknown"),
    ("node --test", NODE_NONE, 0, "not run"), ("node --test | tail -6", NODE_NONE, 0, "not run"),
    ("node --test | tail -3", "ℹ fail 0\nℹ cancelled 0\nℹ skipped 0", 0, "unknown"),
    ("node --test | tail -6", NODE_NONE.replace("pass 0", "pass 2"), 0, "passed"),
    ("node --test | grep -E 'fail|pass'", "ℹ pass 0\nℹ fail 1", 0, "failed"),
    ("bun test | grep fail", " 0 fail", 0, "unknown"), ("bun test | tail -3", " 0 pass\n 0 fail\nRan 0 tests across 0 "
     "files. [5.00ms]", 0, "not run"),
    ("python -m unittest 2>&1 | tail -5", "error: as the test wants it\nRan 1 test in 0.1s\n\nOK", 0, "passed"),
    ("make check | tail -9", "2 passed in 0.1s\ntest/a.rb:2:in `require': no such file (LoadError)", 0, "unknown"),
    ("make check | tail -9", "test/a.rb:2:in `require': no such file (LoadError)\n2 passed in 0.1s", 0, "passed"),
    # it is printed
    ("pytest -q > log 2>&1; echo \"exit: $?\"", "exit: 1", 0, "failed"),
    ("pytest -q > log 2>&1; echo \"exit: $?\"", "exit: 0", 0, "passed"),
    ("pytest -q | tail -1; echo \"exit: $?\"", "exit: 0", 0, "unknown"),
    ("pytest -q | tail -1; echo \"exit: ${PIPESTATUS[0]}\"", "x\nexit: 2", 0, "failed"),
    # it went into a variable
    ("$out = npx tsc --noEmit", "", 0, "passed"), ("$out = npx tsc --noEmit; $lines = 2", "", 0, "unknown"),
    ("$out = npx tsc --noEmit; $out | Select-Object -First 5", "", 0, "unknown"),
    ("$out = & npm test; $out | Select-Object -Last 5", JEST_PASSED, 0, "passed"),
    ("$BIN/tsc --noEmit | head -5", "", 0, "passed"),
    # it says the opposite
    ("! pytest -q", FAILED, 0, "failed"), ("! pytest -q", PASSED, 1, "passed"), ("! pytest -q", "", 0, "failed"),
    ("! npx tsc --noEmit", "", 1, "passed"), ("! npx tsc --noEmit | cat", "", 0, "unknown"),
    ("! pytest -q", "zsh: command not found: pytest", 0, "not run"),
    ("! npx tsc --noEmit && make all", "src/a.ts(1,7): error TS2322: Type", 0, "failed"),
    ("! make test; echo \"exit: $?\"", "exit: 0", 0, "unknown"), ("! make test && git push", "", 0, "unknown"),
    # it did not run, or has not ended
    ("pytest -q", "Exit code 127\nzsh: command not found: pytest", None, "not run"),
    ("cd nowhere && pytest", "cd: no such file or directory: nowhere", 1, "not run"),
    ("rtk bun run test", "error: unrecognized subcommand 'bun'\n\nUsage: rtk [OPTIONS] <COMMAND>", 2, "not run"),
    ("npm run test:all", "npm error Missing script: \"test:all\"", 1, "not run"),
    ("mise run lint:all 2>&1", "mise ERROR no task lint:all found", 1, "not run"),
    ("python3 -m mypy src", "/usr/bin/python3: No module named mypy", 1, "not run"),
    ("python -m pytest -q | tail -5", "C:\\py\\python.exe: No module named pytest", 0, "not run"),
    ("pnpm test 2>&1 | tail -5", "(eval):1: command not found: pnpm", 0, "not run"),
    ("cargo build | grep err || echo done", "done\nzsh: command not found: grep", 0, "unknown"),  # it ran
    ("cargo build 2>&1 | grep err", "bash: line 1: grep: command not found", 127, "unknown"),
    ("cargo build | grep err | tail -3", "(eval):1: command not found: grep", 0, "unknown"),
    ("pnpm test | tail -5", "zsh: command not found: tail\nzsh: command not found: pnpm", 127, "not run"),
    ("pytest -q | rg fail", "1 failed, 2 passed in 0.1s\nzsh: command not found: rg", 127, "failed"),
    ("pnpm build 2>&1 | tail -5; echo done", "sh: 1: pnpm: not found\ndone", 0, "not run"),
    ("./gradlew test | tail", "zsh: no such file or directory: ./gradlew", 0, "not run"),
    ("timeout 60 pytest -q | tail", "timeout: failed to run command ‘pytest’: No such file or directory", 0, "not run"),
    ("bun test a.ts | tail", "bun test v1.3.3\nThe following filters did not match any test files:\n a", 0, "not run"),
    ("npx tsc --noEmit | head -3", "Version 5.9.3\ntsc: The TypeScript Compiler - Version 5.9.3", 0, "not run"),
    ("uv run pytest -v | tail -60", "error: Failed to spawn: `pytest`\n  Caused by: program not found", 0, "not run"),
    ("cargo test | tail", "'cargo' is not recognized as an internal or external command,\noperable.", 0, "not run"),
    ("./ci/test.sh | tail", "bash: ./ci/test.sh: Permission denied", 0, "not run"),
    ("npm test | tail", "> a@1 test\n> ./a.sh\n\nsh: 1: ./a.sh: Permission denied", 0, "failed"),
    ("npx tsc --noEmit | head; pnpm test | tail", "(eval):1: command not found: pnpm", 0, "unknown"),
    ("ruff check . && python3 -m mypy .", "All checks passed!\n/usr/bin/python3.9: No module named mypy", 1, "not run"),
    ("python3 -m mypy src", "src/a.py:1: error: No module named mypy\nFound 1 error in 1 file", 1, "failed"),
    ("python3 -m pytest -q", "E   ModuleNotFoundError: No module named 'mypy'\n1 error in 0.1s", 2, "failed"),
    ("python3 -m pytest -q", "/usr/bin/python3: No module named rates\n1 failed in 0.1s", 1, "failed"),
    ("make tests", "make: *** No rule to make target 'tests'.  Stop.", 2, "not run"),
    ("make test", "make: *** No rule to make target 'a.c', needed by 'rates'.  Stop.", 2, "failed"),
    ("pytest", "The user doesn't want to proceed with this tool use. The tool use was rejected", 1, "not run"),
    ("pytest", "<tool_use_error>Sibling tool call errored</tool_use_error>", 1, "not run"),
    ("pytest", "Command running in background with ID: b1. Output is being written to: /tmp/b1.output", 0, "running"),
    ("npm test > log 2>&1 &", "", 0, "running"),
    ("pytest", "[Request interrupted by user for tool use]", 1, "stopped"),
    ("pytest", "[Request interrupted by user for tool use]\n" + FAILED, 1, "stopped"),
    ("pytest", "Exit code 137\n[Request interrupted by user for tool use]\n" + PASSED, None, "stopped"),
    ("pytest", "Command timed out after 2m 0s\n\n" + FAILED, 1, "stopped"),
    ("pytest", "Exit code 143\nCommand timed out after 2m 0.5s", None, "stopped"),
    ("pytest", "Exit code 1\nCommand timed out after 30s", None, "failed"),  # a program's own words
    ("pytest", "Command timed out after 30s\n3 passed in 1s", 0, "passed"),
    ("pytest", "Command timed out after all\n" + FAILED, 1, "failed"),
    ("npm run dev", "Command timed out after 2m 0s\n\n  Ready in 2.2s", 1, "stopped"),
    ("npm run dev", "Command timed out after 2m 0s (node:1) [DEP0060] Warning: x\n Ready in 2s", 1, "stopped"),
    ("git push", "[Request interrupted by user for tool use]", 1, "stopped"),
    ("timeout 9 pytest -q", "", 124, "failed"),
    ("prek | tail -2", "a....Passed\nb....Passed", 0, "unknown"),  # which hook failed above is not seen
    ("prek | tail -9", "a....Passed\nb....Passed", 0, "passed"),
    ("prek | tail -2", "a....Failed\nb....Passed", 0, "failed"),
    ("git add a.py && prek", "a....(no files to check)Skipped\nb....Passed", 0, "passed"),
    ("pytest", "", None, "unknown"),
    # no checks
    ("python3 job.py", "done", 0, "ended"),
    ("python3 job.py", "Traceback (most recent call last):\n  File \"job.py\", line 1\nValueError: no", 1, "failed"),
    ("python3 job.py | tail -3", "  File \"job.py\", line 1\nValueError: no", 0, "unknown"),
    ("python3 job.py | tail -9", "Traceback (most recent call last):\n  File \"x\"\nValueError: no", 0, "failed"),
    ("python3 job.py || echo done", GROUP + "done", 0, "failed"),
    ("python3 job.py || echo done", "| Traceback | a |\n+ Exception Group\n| --- | --- |\ndone", 0, "ended"),
    ("cat pytest.log | tail -3", FAILED, 0, "ended"),
    ("grep -n pytest Makefile", "3:\tpytest", 0, "ended"),
    ("git commit -m 'pytest && make test'", "[main 1a2b3c4] pytest && make test", 0, "ended"),
])
def test_an_exit_code_counts_where_it_is_the_checks_own(
        command: str, output: str, code: int | None, expected: str) -> None:
    is_error = None if code is None and not output.startswith("Exit code") else code != 0
    assert outcome_of(command, output, is_error, code)["verdict"] == expected


@pytest.mark.parametrize(("output", "cause"), [
    (GROUP + "done", "ValueError: no rate"),
    ("\n".join(GROUP.splitlines()[5:]), "ValueError: no rate"),  # its begin was cut off
    ("  + Exception Group Traceback (most recent call last):\ndone", ""),
])
def test_of_a_group_of_errors_the_last_within_is_the_cause(output: str, cause: str) -> None:
    assert outcome_of("python3 job.py; true", output, False, 0)["cause"] == cause


LINES: tuple[tuple[str, str, str], ...] = (  # lines that no recording has, or not alone, and what is read of them
    ("3 passed, 0 failed", "passed", "3 passed, 0 failed"), ("3 passed, 1 failed", "failed", "3 passed, 1 failed"),
    ("Passed: 89, Failed: 1", "failed", "Passed: 89, Failed: 1"),
    ("Passed: 89, Failed: 0", "passed", "Passed: 89, Failed: 0"),
    ("Passed: 89 Failed: 0", "passed", "Passed: 89 Failed: 0"),
    # a script's own totals, in other languages
    ("一共: 14", "unknown", "exit 0"), ("通过 14", "unknown", "exit 0"), ("失败：", "unknown", "exit 0"),
    ("14 通过", "unknown", "exit 0"), ("通过: 14", "unknown", "exit 0"), ("14 通过率, 0 失败", "unknown", "exit 0"),
    ("0 通过, 0 失败", "not run", "0 通过, 0 失败"), ("0 通过, 2 失败", "failed", "0 通过, 2 失败"),
    ("总计: 14 通过, 0 失败", "passed", "14 通过, 0 失败"), ("总计：14 通过，1 失败", "failed", "14 通过，1 失败"),
    ("通过: 14, 失败: 0", "passed", "通过: 14, 失败: 0"), ("合格: 0 不合格: 3", "failed", "合格: 0 不合格: 3"),
    ("결과: 3 통과, 0 실패", "passed", "3 통과, 0 실패"), ("Итого: 3 пройдено, 1 провалено", "failed", "1 провалено"),
    ("Bestanden: 3, Fehlgeschlagen: 0", "passed", "Bestanden: 3"), ("3 réussis / 2 échoués", "failed", "2 échoués"),
    ("通过：12", "unknown", "exit 0"), ("失败：3 个文件，通过：12", "unknown", "exit 0"),
    ("通过：12，失败：0", "passed", "通过：12，失败：0"), ("失败： 3， 通过： 12", "failed", "失败： 3， 通过： 12"),
    ("总计：通过：12，失败：1", "failed", "通过：12，失败：1"), ("3 失败, 12 通过", "failed", "3 失败, 12 通过"),
    ("不合格: 0 合格: 3", "passed", "不合格: 0 合格: 3"), ("0 failas, 3 réussis", "unknown", "exit 0"),
    ("0 échoués, 3 réussis", "passed", "0 échoués"), ("Fehlgeschlagen: 2, Bestanden: 3", "failed", "Fehlgeschlagen: 2"),
    ("     Errors  2 errors", "failed", "Errors 2 errors"),
    ("Test summary: total: 9, failed: 1, succeeded: 8, skipped: 0", "failed", "Test summary: total: 9, failed: 1"),
    ("Test Run Failed.", "failed", "Test Run Failed."), ("Test Run Successful.", "passed", "Test Run Successful."),
    ("NO TESTS RAN", "not run", "NO TESTS RAN"), ("No tests executed!", "not run", "No tests executed!"),
    ("?   \tx/a\t[no test files]", "not run", "[no test files]"),
    ("no packages to test", "not run", "no packages to test"),
    ("No test is available in a.dll.", "not run", "No test is available"),
    ("No examples found.", "not run", "No examples found"),
    ("There are no tests to run", "not run", "There are no tests to run"),
    ("No tests ran.", "not run", "No tests ran"), ("error: no tests to run", "not run", "error: no tests to run"),
    ("error: No test modules found", "not run", "error: No test modules found"),
    ("ERROR: setUpClass (test_a.Rates)", "failed", "test_a.Rates"),
    ("tests/test_a.py::test_b FAILED             [ 50%]", "failed", "tests/test_a.py::test_b"),
    ("collected 5 items", "unknown", "exit 0"), ("ImportError while loading the zones", "unknown", "exit 0"),
    ("Interrupted: 1 error during collection", "unknown", "exit 0"), ("ImportError", "failed", "ImportError"),
    ("collecting ... collected 0 items / 1 error", "failed", "collected 0 items / 1 error"),
    ("!!!!!!!! Interrupted: 2 errors during collection !!!!!!!!", "failed", "2 errors during collection"),
    ("ImportError while loading conftest '/srv/rates/tests/conftest.py'.\ntests/conftest.py:3: in <module>\n"
     "    import click\nE   ModuleNotFoundError: No module named 'click'", "failed",
     "/srv/rates/tests/conftest.py · ModuleNotFoundError: No module named 'click'"),
    ("...............                              [100%]", "passed", "[100%]"),
    ("✖ markdownlint --fix:\na.md:10 error MD001 Heading levels", "failed", "markdownlint --fix · a.md:10 error MD001"),
    ("husky - pre-commit script failed (code 1)", "failed", "husky - pre-commit script failed"),
    ("test tests::rounds ... FAILED", "failed", "tests::rounds"),
    ("thread 'main' panicked at 'no rate', src/main.rs:2:5", "failed", "no rate"),
    ("error: could not compile `rates` due to previous error", "failed", "could not compile"),
    ("--- FAIL: TestA (0.0s)\n    a.go:1:\n        \tError:      \tNot equal: 3", "failed", "TestA"),
    ("        \tError:      \tNot equal: 3\n--- FAIL: TestA (0.0s)", "failed", "TestA · Not equal: 3"),
    ("    a_test.go:7: got 3, want 4\nFAIL\tx/a\t0.1s", "failed", "x/a · a_test.go:7: got 3, want 4"),
    ("    a_test.go:7: got 3, want 4\n    a_test.go:9: ended\n--- FAIL: TestA (0.0s)", "failed", "TestA · a_test.go:7"),
    ("go: cannot find main module", "failed", "go: cannot find main module"),
    ("\timports x/a from b.go: import cycle not allowed", "failed", "import cycle not allowed"),
    ("package x/y is not in GOROOT (/usr/lib/go)", "failed", "package x/y is not in GOROOT"),
    ("no required module provides package x/y; to add it:", "failed", "no required module provides package"),
    ("    ✕ keeps cents (43 ms)", "failed", "keeps cents"), ("   × keeps cents 14ms", "failed", "keeps cents"),
    ("rspec ./spec/bad_spec.rb:2 # Rates keeps cents", "failed", "./spec/bad_spec.rb:2"),
    ("FAILURES!", "failed", "FAILURES!"),
    ("1) BadTest::testCents\nFailed asserting that 3 is identical.", "failed", "BadTest::testCents · Failed asserting"),
    ("  1) a.spec.ts:4:3 › rates › cents ───\n\n    Error: no", "failed", "a.spec.ts:4:3 › rates › cents · Error: no"),
    ("[ERROR]   RatesTest.cents » NullPointer no rate", "failed", "RatesTest.cents · NullPointer no rate"),
    ("Build FAILED.", "failed", "Build FAILED."), ("Build complete! (0.31s)", "passed", "Build complete!"),
    ("Found 3 errors.", "failed", "Found 3 errors"),
    ("Found 0 errors. Watching for file changes.", "passed", "Found 0 errors"),
    (" [ERROR] Found 3 errors", "failed", "Found 3 errors"), (" [OK] No errors", "passed", "[OK] No errors"),
    ("a.go:1: 10-20 lines are duplicate of `b.go:3-13` (dupl)", "failed", "lines are duplicate"),
    ("src/a.js:1:7: ERROR: Unexpected token", "unknown", "exit 0"),
    ("collect2: error: ld returned 1 exit status", "failed", "ld returned 1 exit status"),
    ("[ELIFECYCLE] Test failed. See above for more details.", "failed", "Test failed."),
    ("mise ERROR no tasks defined in ~/a", "failed", "no tasks defined"),
    ("[test] Finished in 3.1ms", "passed", "Finished in 3.1ms"),
    ("error: Recipe `test` failed on line 2 with exit code 1", "failed", "Recipe `test` failed"),
    ("task: Failed to run task \"test\": exit status 1", "failed", "Failed to run task"),
    ("ruff.....................................................Passed", "passed", "ruff"),
    ("  congratulations :) (0.88 seconds)", "passed", "congratulations"),
    ("evaluation failed :( (2.1 s)", "failed", "evaluation failed"),
    ("✗ Build failed in 89ms", "failed", "Build failed"), ("Failed to compile.", "failed", "Failed to compile."),
    ("DTS ⚡️ Build success in 457ms", "passed", "Build success"),
    ("[100%] Built target rates", "passed", "Built target rates"),
    ("[100%] Linking C executable rates", "unknown", "exit 0"),
    ("CMake Error at CMakeLists.txt:3 (add_x):\n  Unknown", "failed", "Unknown"),
    ("ERROR: failed to build: no such platform", "failed", "failed to build"),
    ("Successfully built 1a2b3c", "passed", "Successfully built"),
    ("Exception in thread \"main\" java.lang.Error: no", "failed", "java.lang.Error: no"),
    ("fatal: no such branch", "failed", "fatal: no such branch"),
    ("ERROR: No matching distribution", "failed", "No matching distribution"),
    ("a line of no meaning", "unknown", "exit 0"),
    ("3 tests passed", "unknown", "exit 0"), ("2 tests failed", "unknown", "exit 0"),  # with nothing of ava's above
    ("  ─\n\n  3 tests passed", "passed", "3 tests passed"), ("  ─\n\n  2 tests failed", "failed", "2 tests failed"),
    ("  ─\n\n  1 uncaught exception", "failed", "1 uncaught exception"),
    ("Result: PASS", "unknown", "exit 0"), ("Result: FAIL", "unknown", "exit 0"),
    ("All 3 tests passed.", "unknown", "exit 0"),  # of zig alone
    ("1..2\nok 1 a\nok 2 b # skip", "passed", "1..2 … ok 2 b"), ("ok 1 a\nok 2 b\n1..2", "unknown", "exit 0"),
    ("1..3\nok 1 a\nok 2 b", "unknown", "exit 0"), ("1..2\nok 2 b\nok 3 c", "unknown", "exit 0"),
    ("1..2\nok 1 a\nnot ok 2 b", "failed", "b"), ("1..300\n" + "ok 1 a\n" * 300, "passed", "1..300"),
    ("1..300\nok 1 a\n" + "ok 2 b\n" * 299 + "ok 3 c", "unknown", "exit 0"),
    ("1..300\nok 1 a\n" + "ok 2 b\n" * 150 + "not ok 9 c\n" + "ok 3 c\n" * 148, "failed", "c"),
    ("Chrome 120.0.0.0 (Linux 0.0.0): Executed 1 of 2 SUCCESS (0 secs / 0 secs)", "unknown", "exit 0"),
    ("Chrome 120.0.0.0 (Linux 0.0.0): Executed 2 of 3 (skipped 1) SUCCESS (0 secs / 0 secs)", "passed", "2 of 3"),
    ("Chrome 120.0.0.0 (Linux 0.0.0): Executed 1 of 2 DISCONNECTED (10 secs / 0 secs)", "failed", "DISCONNECTED"),
    ("2 scenarios (1 undefined, 1 passed)\n3 steps (1 undefined, 2 passed)", "unknown", "exit 0"),
    ("2 scenarios (1 skipped, 1 passed)", "passed", "2 scenarios"),
    ("test cases: 3 | 1 passed | 1 failed | 1 failed as expected", "failed", "test cases: 3"),
    ("[  PASSED  ] 0 tests.\n[  FAILED  ] 2 tests, listed below:", "failed", "[ FAILED ] 2 tests"),
    ("[  PASSED  ] 2 test(s).", "passed", "[ PASSED ] 2 test(s)"),  # cmocka's
    ("[  FAILED  ] Rates/Sums.Are/0, where GetParam() = 5 (0 ms)\n 1 FAILED TEST", "failed", "Rates/Sums.Are/0"),
    ("[doctest] Status: SUCCESS!", "unknown", "exit 0"),
    ("*** 1 failure is detected in the test module \"a\"", "failed", "1 failure is detected"),
    ("[info] *** 1 SUITE ABORTED ***", "failed", "1 SUITE ABORTED"),
    ("[error] (Compile / compileIncremental) Compilation failed", "failed", "Compilation failed"),
    ("[success] Total time: 2 s, completed", "passed", "Total time: 2 s"),
    ("Ran 0 tests containing 0 assertions.\n0 failures, 0 errors.", "not run", "Ran 0 tests"),
    ("0 failures, 0 errors.", "unknown", "exit 0"), ("1 failures, 0 errors.", "failed", "1 failures, 0 errors"),
    ("Failed tasks:\n\n- app:test", "failed", "- app:test"),
)


@pytest.mark.parametrize(("lines", "verdict", "part"), LINES)
def test_a_line_tells_how_it_ended(lines: str, verdict: str, part: str) -> None:
    outcome = outcome_of("make check | tail -30", lines, is_error=False, exit_code=0)
    assert (outcome["verdict"], part in outcome["line"]) == (verdict, True), outcome


@pytest.mark.parametrize(("command", "output", "exit_code", "ending"), [
    ("npm run check", "", 0, ("check", "passed")),
    ("npm run check", "> node --check src/price.js", 0, ("check", "passed")),
    ("npm run check", "src/a.ts(1,7): error TS2322: Type 'string' is not assignable", 2, ("check", "failed")),
    ("npm run check", "Tests  2 passed (2)", 0, ("test", "passed")),
    ("npm run check", "Tests  1 failed | 2 passed (3)", 1, ("test", "failed")),
    ("npm run check", "Tests  2 passed (2)\nsrc/a.ts(1,7): error TS2322: Type", 2, ("check", "failed")),
    ("make check | tail -5", "built", 0, ("check", "unknown")),
    ("pnpm run build | tail -9", " Tasks:    5 successful, 5 total\nCached:    2 cached", 0, ("build", "passed")),
    ("pnpm run build | tail -9", " Tasks:    3 successful, 5 total\nCached:    2 cached", 0, ("build", "unknown")),
    ("npm run lint && npm run verify", "Tests  2 passed (2)", 0, ("test", "passed")),
])
def test_a_task_that_may_check_anything_is_tests_where_it_shows_them(
        command: str, output: str, exit_code: int, ending: tuple[str, str]) -> None:
    outcome = outcome_of(command, output, is_error=exit_code != 0, exit_code=exit_code)
    assert (outcome["family"], outcome["verdict"]) == ending, outcome


@pytest.mark.parametrize(("command", "output", "verdict"), [
    ("python3 test_model.py", "Gain error: 10.13 dB\nType accuracy: 42.4%", "unknown"),
    ("python3 test_model.py", "", "passed"),  # it only asserts
    ("python3 test_model.py", "Ran 3 tests in 0.1s\n\nOK", "passed"),
    ("node test_zones.js", "zone 7 costs 12", "unknown"), ("python3 test_model.py", "Ran 3 tests in 0.1s", "passed"),
    ("pytest test_model.py", "3 passed in 0.1s", "passed"), ("sh run_tests.sh", "done", "passed"),
])
def test_a_script_that_is_called_a_test_and_prints_no_total_has_not_passed(
        command: str, output: str, verdict: str) -> None:
    assert outcome_of(command, output, is_error=False, exit_code=0)["verdict"] == verdict


@pytest.mark.parametrize(("command", "output", "expected"), [
    ("pytest -q && git commit -m x", f"{PASSED}\nnothing to commit, working tree clean", "git"),
    ("go test ./... && git push", "ok  \tx/a\t0.1s\nfatal: no such remote", "git"),
    ("go build ./... && go test ./... | tail -3", "rates.go:1:2: undefined: x", "build"),
    ("go build ./... && go test ./...", "--- FAIL: TestA (0.0s)\nFAIL\tx/a\t0.1s", "test"),
    ("npm run lint && npm test", "✖ 1 problem (1 error, 0 warnings)", "lint"),
    ("npm test && npm run lint", f"{JEST_PASSED}\n✖ 1 problem (1 error, 0 warnings)", "lint"),
    ("npm test | tail -9; npm run lint", f"{JEST_PASSED}\n✖ 1 problem (1 error, 0 warnings)", "lint"),
    ("npm test && npx prettier -c . && npx tsc", f"{JEST_PASSED}\n[warn] src/a.ts", "format"),
    ("cargo test && cargo clippy", f"{CARGO_PASSED}\nerror: a bug\nerror: could not compile `a` (lib)", "lint"),
    ("cargo test && cargo clippy && cargo fmt --check", f"{CARGO_PASSED}\nDiff in /srv/a/src/a.rs:4:", "format"),
    ("cargo test && cargo clippy", f"{CARGO_PASSED}\nerror: test failed, to rerun pass `--test b`", "test"),
    ("cargo test && cargo clippy", "test result: FAILED. 1 passed; 1 failed; 0 ignored\nerror: a bug", "test"),
    ("npx vitest run && npm run lint", "Tests  9 passed (9)\nERROR: Coverage for lines (50%) is below 80%", "test"),
    ("npm test && npm run lint", "Tests: 1 failed, 8 passed, 9 total\n✖ 1 problem (1 error, 0 warnings)", "test"),
    ("npm test && npm run e2e && npm run lint", f"{JEST_PASSED}\n✖ 1 problem (1 error, 0 warnings)", "test"),
])
def test_the_family_is_that_of_what_failed(command: str, output: str, expected: str) -> None:
    outcome = outcome_of(command, output, is_error=True, exit_code=1)
    assert (outcome["verdict"], outcome["family"]) == ("failed", expected)


@pytest.mark.parametrize(("output", "line"), [
    ("ruff....Passed\nmypy....Failed\n- hook id: mypy\n\n0 errors, 8 warnings, 0 notes", "mypy"),
    ("ruff....Failed\nmypy....Failed\nFound 4 errors.", "Found 4 errors · ruff, mypy"),
    ("ruff....Passed\njson....(no files to check)Skipped\nmypy....Passed", "2 passed"),
    ("ruff....Passed", "ruff....Passed"),
])
def test_hooks_are_told_by_their_rows(output: str, line: str) -> None:
    code = int("Failed" in output)
    outcome = outcome_of("uv run black a.py && git add a.py && uv run prek", output, bool(code), code)
    assert (outcome["family"], outcome["verdict"], outcome["line"]) == ("lint", ["passed", "failed"][code], line)


@pytest.mark.parametrize(("output", "is_cached"), [
    ("ok  \tx/a\t(cached)\nok  \tx/b\t(cached)", True), ("ok  \tx/a\t(cached)\nok  \tx/b\t0.1s", False)])
def test_that_an_earlier_run_s_result_was_shown(output: str, is_cached: bool) -> None:
    outcome = outcome_of("go test ./... -run TestA", output, is_error=False, exit_code=0)
    assert outcome.get("is_cached", False) is is_cached


@pytest.mark.parametrize(("name", "expected"), [
    ("git-commit", {"commit": "51d36b8", "subject": "Round the rates (half up)", "branch": "feature"}),
    ("git-commit-root", {"commit": "3875da8", "subject": "Add the rates", "branch": "main"}),
    ("git-push-new", {"pushed": pushed_to("../origin.git", "main")}),
    ("git-push-branch", {"pushed": pushed_to("../origin.git", "feature")}),
    ("git-merge-conflict", {"conflicts": ["rates.txt"], "begun": "merge"}),
    ("git-rebase-conflict", {"conflicts": ["rates.txt"], "begun": "rebase"}),
    ("git-cherry-pick-conflict", {"conflicts": ["rates.txt"], "begun": "cherry-pick"}),
    ("git-merge-abort", {"finished": "merge"}),
    ("git-rebase-done", {"finished": "rebase"}),
    ("git-cherry-pick-two", {"commit": "357f601", "subject": "Round half up", "branch": "main", "commits_before": [
        {"branch": "main", "hash": "abde65a", "subject": "Add the sums", "took_in": "1 file, new: sums.txt"}]}),
    ("git-cherry-pick-continue", {"commit": "800cf3b", "subject": "Round the rates (half up)", "branch": "main",
                                  "finished": "cherry-pick"}),
    ("git-push-nothing", {"nothing_to": ["push"]}),
    ("git-push-rejected", {"push_refused": "[rejected]        main -> main (fetch first)"}),
])
def test_git_tells_what_it_did(name: str, expected: dict[str, object]) -> None:
    run = recording(name)
    outcome = outcome_of(run["command"], run["output"], run["exit"] != "0", int(run["exit"]))
    keys = ("commit", "subject", "branch", "pushed", "conflicts", "begun", "finished", "nothing_to",
            "push_refused", "commits_before")
    assert {key: value for key, value in outcome.items() if key in keys and value} == expected


@pytest.mark.parametrize(("command", "below", "begun"), [
    ("git stash pop", "\nThe stash entry is kept in case you need it again.", "stash pop"),
    ("cd a && git stash apply", "", "stash apply"), ("git pull && git stash pop", "", "merge"),
    ("git pull && git stash pop", "\nThe stash entry is kept in case you need it again.", "stash pop"),
    ("git stash && git merge main", "", "merge")])
def test_a_conflict_is_worded_by_the_command_that_met_it(command: str, below: str, begun: str) -> None:
    outcome = outcome_of(command, f"CONFLICT (content): Merge conflict in a.py{below}", is_error=True, exit_code=1)
    assert (outcome["begun"], outcome["line"]) == (begun, f"{begun} stopped: conflict in a.py")


@pytest.mark.parametrize(("command", "below", "took_in"), [
    ("git commit -m x", "\n 1 file changed, 1 insertion(+)", "1 file"),
    ("git commit -m x", "\n 12 files changed, 3 deletions(-)\n rewrite a.py (90%)\n rename a.py => b.py (70%)",
     "12 files"),
    ("git commit -m x", "\n 2 files changed, 9 insertions(+)\n create mode 100644 docs/en/a.md\n"
     " create mode 100755 run.sh\nTo forge:ada/rates.git", "2 files, new: en/a.md, run.sh"),
    ("git commit --amend", "\n Date: Sun Nov 22\n 3 files changed, 9 insertions(+)\n delete mode 100644 b.py\n"
     " create mode 100644 a.py", "3 files, new: a.py; no more in git: b.py"),
    ("git commit -m x", "\n 5 files changed" + "".join(f"\n create mode 100644 {n}.py" for n in range(5)),
     "5 files, new: 0.py, 1.py, 2.py and more"),
    ("git commit -m x", '\n 2 files changed\n create mode 100644 "b\\303.py"\n create mode 100644 a.py',
     "2 files, new: a.py"),
    ("git diff --stat | head -5 && git commit -m x 2>&1 | tail -3", "\n 1 file changed\n create mode 100644 a.py",
     "1 file, new: a.py"),
    ("git commit -m x | head -3", "\n 2 files changed\n create mode 100644 a.py", "2 files"),  # of more rows, perhaps
    ("git commit -m x | tee log | grep a.py", "\n 2 files changed\n create mode 100644 a.py", "2 files"),
    ("git commit -m x && git diff --stat HEAD~5", "\n a.py | 2 +-\n 9 files changed, 1 insertion(+)", ""),
    ("git commit -m x; git show --stat", "\n\n 9 files changed, 1 insertion(+)", ""),
    ("git commit -m x", "\n nine files changed", ""), ("git commit -m x", "", "")])
def test_which_files_a_commit_took_in(command: str, below: str, took_in: str) -> None:
    outcome = outcome_of(command, f"[main 51d36b8] Round up{below}", is_error=False, exit_code=0)
    assert (outcome["commit"], outcome["took_in"]) == ("51d36b8", took_in)


REJECTED_ROW = " ! [rejected]        main -> main (fetch first)\n"
PUSH_FAILED_ROW = "error: failed to push some refs to 'forge:ada/rates.git'\n"


@pytest.mark.parametrize(("command", "output", "expected"), [
    ("pytest -q; git push", f"1 failed, 3 passed in 0.1s\n{REJECTED_ROW}{PUSH_FAILED_ROW}", REJECTED_ROW[3:-1]),
    ("git push; pytest -q", f"{REJECTED_ROW}{PUSH_FAILED_ROW}1 failed, 3 passed in 0.1s", REJECTED_ROW[3:-1]),
    ("npm run lint; git push", f"husky - pre-push hook exited with code 1\n{PUSH_FAILED_ROW}", PUSH_FAILED_ROW[:-1]),
    ("git push && pytest -q", "E   AssertionError: Authentication failed\n1 failed in 0.1s", None),
    ("git push && node post.js", "Error: Authentication failed\n    at post (post.js:3:9)", None)])
def test_of_a_push_git_alone_says_that_it_was_refused(command: str, output: str, expected: str | None) -> None:
    outcome = outcome_of(command, output, is_error=True, exit_code=1)
    assert (outcome["verdict"], outcome.get("push_refused")) == ("failed", expected)


def test_a_rebase_that_stopped_without_a_conflict_names_none() -> None:
    output = ("Rebasing (3/4)error: Unable to create '.git/index.lock': File exists.\nhint: Could not execute the todo"
              " command\nhint: once ready, run \"git rebase --continue\"\n")
    line = outcome_of("git rebase main", output, is_error=True, exit_code=1)["line"]
    assert line.startswith("rebase stopped")
    assert "conflict" not in line


def test_what_a_hook_of_a_push_prints_stands_in_its_line() -> None:
    output = ("[entries] Sending the notes to origin...\n[main 1a2b3c4] Round up\nTo forge:ada/rates.git\n"
              " * [new branch]      main -> main\n")
    outcome = outcome_of("git push", output, is_error=False, exit_code=0)
    assert outcome["pushed"] == pushed_to("forge:ada/rates.git", "main")
    assert outcome["remark"] == "[entries] Sending the notes to origin..."
    assert outcome["line"].endswith("pushed to main · [entries] Sending the notes to origin...")


@pytest.mark.parametrize(("count", "line"), [
    (1, "pushed to b0"), (3, "pushed to b0, b1, b2"), (6, "pushed to 6 branches or tags: b0, b1, b2, …")])
def test_all_that_a_push_sent_is_told(count: int, line: str) -> None:
    rows = "".join(f" * [new branch]      b{number} -> b{number}\n" for number in range(count))
    output = f"To forge:ada/rates.git\n{rows}Everything up-to-date\n"
    outcome = outcome_of("git push --all && git push --tags", output, is_error=False, exit_code=0)
    assert outcome["line"] == line
    assert outcome["pushed"] == pushed_to("forge:ada/rates.git", *(f"b{number}" for number in range(count)))


def test_a_refusal_has_the_rule_that_the_other_side_named() -> None:
    output = ("remote: error: GH013: Repository rule violations found for refs/heads/main.        \n"
              "remote: Review all repository rules at https://forge.example/rules        \nremote: \n"
              "remote: - Changes must be made through a pull request.        \nremote: \nTo https://forge.example/rates\n"
              " ! [remote rejected] main -> main (push declined due to repository rule violations)\n"
              "error: failed to push some refs to 'https://forge.example/rates'\n")
    assert outcome_of("git push", output, is_error=True, exit_code=1)["line"] == (
        "[remote rejected] main -> main (push declined due to repository rule violations): "
        "Changes must be made through a pull request.")


def test_a_password_in_a_remotes_address_is_left_out() -> None:
    output = "To https://ada:s3cret@example.org/rates.git\n   1a2b3c4..5d6e7f8  main -> main\n"
    outcome = outcome_of("git push", output, is_error=False, exit_code=0)
    assert outcome["pushed"] == {"to": "https://example.org/rates.git", "refs": ["main"],
                                 "commits": "1a2b3c4..5d6e7f8"}


def test_nothing_is_cut_within_a_word() -> None:
    token = "t0ken" * 60
    for output in (f"FAILED a.py::test_b - {'word ' * 70}{token}", f"error: {'word ' * 30}{token}", token,
                   f"{'word ' * 76}{token}"):
        outcome = outcome_of("pytest", output, is_error=True, exit_code=1)
        assert "t0ken" not in f"{outcome['line']}{outcome['cause']}{outcome.get('failed_names')}".replace(token, "")


def test_both_ends_of_a_long_output_are_read() -> None:
    log = "\n".join(f"a line of the log, number {number}" for number in range(5_000))
    output = f"src/a.ts(1,2): error TS2322: first\n{log}\nTests: 1 failed, 2 passed, 3 total"
    outcome = outcome_of("npm test | cat", output, is_error=False, exit_code=0)
    assert outcome["line"] == "Tests: 1 failed, 2 passed, 3 total · src/a.ts(1,2): error TS2322: first"


def test_a_warning_above_an_error_is_not_its_cause() -> None:
    output = ("Warning: This declaration shadows another.\n   --> a/Rates.sol:128:9:\n    |\n128 |  string x\n\n"
              "DeclarationError: Undeclared identifier.\n   --> a/Zones.sol:532:22:\n\nError HH600: Compilation failed")
    outcome = outcome_of("npx hardhat compile", output, is_error=True, exit_code=1)
    assert outcome["line"] == "DeclarationError: Undeclared identifier. (a/Zones.sol:532:22)"


@pytest.mark.parametrize(("output", "line"), [
    ("At line:1 char:17\n+ cat <<'EOF'\n+      ~\nMissing file specification after redirection operator.\n"
     "    + CategoryInfo          : ParserError: (:) [], ParentContainsErrorRecordException\n"
     "    + FullyQualifiedErrorId : MissingFileSpecification",
     "Missing file specification after redirection operator."),
    ("zones : The term 'zones' is not recognized\nAt C:\\api\\run.ps1:3 char:1\n+ zones\n+ ~~~~~\n"
     "    + FullyQualifiedErrorId : CommandNotFoundException", "zones : The term 'zones' is not recognized"),
    ("+ FullyQualifiedErrorId : X", "+ FullyQualifiedErrorId : X"),
])
def test_of_an_error_of_powershell_its_message_is_the_cause(output: str, line: str) -> None:
    assert outcome_of("zones --list", f"Exit code 1\n{output}", True, 1)["line"] == line


FOUND, TOTAL = "  3:7  error  'zone' is never reassigned  prefer-const", "\n✖ 1 problem (1 error, 0 warnings)"
WARNED, IN_NORTH = "  1:1  warning  Unexpected console statement  no-console", "/srv/web/north.js"


@pytest.mark.parametrize(("rows", "where"), [
    ([IN_NORTH, FOUND, TOTAL], f"{IN_NORTH}:"), (["", IN_NORTH, WARNED, FOUND], f"{IN_NORTH}:"),
    (["> lint", "", r"C:\web\the north.ts", WARNED, FOUND, WARNED, TOTAL], r"C:\web\the north.ts:"),
    ([IN_NORTH, WARNED, "", "/srv/web/south.js", FOUND, TOTAL], "/srv/web/south.js:"),
    # No path that is sure to be the finding's: let through by `grep north`, cut off, or another row.
    ([IN_NORTH, FOUND, TOTAL.strip()], ""), ([IN_NORTH, FOUND], ""), ([WARNED, FOUND, TOTAL], ""), ([FOUND, TOTAL], ""),
    (["", IN_NORTH, "--", FOUND, TOTAL], ""), (["", "linting north.js", FOUND, TOTAL], ""),
    (["", IN_NORTH, *[WARNED] * 400, "", *[WARNED] * 200, FOUND, TOTAL], ""),
    (["", IN_NORTH, *[WARNED] * 600, FOUND, TOTAL], ""),
])
def test_a_finding_has_the_file_that_stands_above_it(rows: list[str], where: str) -> None:
    outcome = outcome_of("npx eslint .", "\n".join(rows), is_error=True, exit_code=1)
    assert outcome["cause"] == f"{where}{' '.join(FOUND.split())}"


def test_of_many_findings_the_first_names_and_the_totals_are_kept() -> None:
    output = "\n".join(f"FAILED a.py::test_{number} - no {number}" for number in range(900)) + "\n900 failed in 3.1s"
    outcome = outcome_of("pytest", output, is_error=True, exit_code=1)
    assert outcome["failed_names"] == [f"a.py::test_{number}" for number in range(12)]
    assert outcome["has_more_failed"]
    assert outcome["line"] == "900 failed in 3.1s · a.py::test_0, a.py::test_1, a.py::test_2, … · no 0"


def test_a_ruler_of_another_runner_is_no_frame_of_avas_total() -> None:
    rows = ["────────────", " Nextest run ID 2f1ac7d6", "2 tests failed",
            "        PASS [   0.004s] (1/1) rates tests::adds",
            "     Summary [   0.006s] 1 test run: 1 passed, 0 skipped"]
    assert outcome_of("cargo nextest run; true", "\n".join(rows), is_error=False, exit_code=0)["verdict"] == "passed"
    rows[0] = "  ─"
    assert outcome_of("cargo nextest run; true", "\n".join(rows), is_error=False, exit_code=0)["verdict"] == "failed"


def test_names_that_come_twice_are_no_more_than_are_named() -> None:
    names = [f"a.py::test_{number}" for number in range(7)]
    rows = [*(f"{name} FAILED [ 9%]" for name in names), *(f"FAILED {name} - no" for name in names), "7 failed in 1s"]
    outcome = outcome_of("pytest -v", "\n".join(rows), is_error=True, exit_code=1)
    assert (outcome["failed_names"], outcome.get("has_more_failed")) == (names, None)


@pytest.mark.parametrize(("command", "output", "line"), [
    ("npm run dev", "Command timed out after 2m 0s\n\n> next dev\n  Ready in 2.2s",
     "stopped by the tool's time limit after 2m 0s (it had printed: > next dev ⏎ Ready in 2.2s)"),
    ("npm run dev", "Command timed out after 2m 0s\n\n> vite\n  Local: http://localhost:5173/",
     "the tool stopped waiting after 2m 0s; whether it still runs is not known (it had printed: > vite ⏎ Local: "
     "http://localhost:5173/)"),
    ("npm i", "Command timed out after 2m 0s\nadded 29 packages in 41s\n" + "built of the wheel: done\n" * 9
     + "Preparing metadata (pyproject.toml): started",
     "stopped by the tool's time limit after 2m 0s (it had printed: added 29 packages in 41s ⏎ … ⏎ "
     "built of the wheel: done ⏎ Preparing metadata (pyproject.toml): started)"),
    ("make", "[Request interrupted by user for tool use]", "interrupted by the user"),
    ("pytest", "Exit code 143\nCommand timed out after 2m 0s\nFAILED a.py::b - no\n3 failed, 1 passed in 9s",
     "stopped by the tool's time limit after 2m 0s (it had printed: 3 failed, 1 passed in 9s · a.py::b, …)"),
    ("git commit -m x && git push", "[Request interrupted by user for tool use]\n[main 1a2b3c4] x",
     "interrupted by the user (it had printed: [main 1a2b3c4] x)"),
])
def test_what_was_stopped_says_by_what_and_what_was_seen(command: str, output: str, line: str) -> None:
    outcome = outcome_of(command, output, is_error=True, exit_code=None)
    assert (outcome["verdict"], outcome["line"]) == ("stopped", line)
    assert outcome.get("commit") == ("1a2b3c4" if "1a2b3c4" in output else None)


@pytest.mark.parametrize(("command", "output", "verdict", "line"), [
    ("npm run build", "vite v7.1.7\n✓ built in 1.36s\nError: no class `from-indigo`.\n    at ge (lib.js:1)", "unknown",
     "ended, but printed: Error: no class `from-indigo`."),
    ("npm run build", "✓ built in 1.36s\nError: no class `a`." + "\n    at async ge (C:\\a b\\lib.js:1:20)" * 10,
     "unknown", "ended, but printed: Error: no class `a`."),
    ("make build", "Traceback (most recent call last):\n  File \"a.py\", line 1\nValueError: no rate\ndone", "unknown",
     "ended, but printed: ValueError: no rate"),
    ("npm run build", "✓ built in 1.36s\nError: no such class `from-indigo`.\nlook at a.css",
     "passed", "✓ built in 1.36s · it also printed: Error: no such class `from-indigo`."),
    ("npm run lint", "the rule says:\n  at least one error: see docs:1\nevery Error: is a word", "passed", "exit 0"),
    ("npx jest", "Error: thrown on purpose\n    at ge (lib.js:1)\nTests:       2 passed, 2 total", "passed",
     "Tests: 2 passed, 2 total"),
    ("npm run build", "vite v7.1.7 building\n✓ built in 1.36s", "passed", "✓ built in 1.36s"),
])
def test_a_check_that_printed_an_error_with_its_stack_has_not_passed(command: str, output: str, verdict: str,
                                                                      line: str) -> None:
    outcome = outcome_of(command, output, is_error=False, exit_code=None)
    assert (outcome["verdict"], outcome["line"]) == (verdict, line)


def test_a_rebase_that_was_interrupted_has_not_ended() -> None:
    interrupted = "[Request interrupted by user for tool use]"
    outcome = outcome_of("git rebase --continue", interrupted, is_error=True, exit_code=1)
    assert "finished" not in outcome


@pytest.mark.parametrize(("count", "names"), [
    (1, "a.py::t0 ·"), (3, "a.py::t0, a.py::t1, a.py::t2 ·"), (4, "a.py::t0, a.py::t1, a.py::t2 +1 ·"),
    (9, "a.py::t0, a.py::t1, a.py::t2 +6 ·"), (13, "a.py::t0, a.py::t1, a.py::t2, … ·")])
def test_more_that_failed_than_is_named_is_marked(count: int, names: str) -> None:
    output = "\n".join(f"FAILED a.py::t{number} - no" for number in range(count)) + f"\n{count} failed in 3.1s"
    assert names in outcome_of("pytest", output, is_error=True, exit_code=1)["line"]
    hidden = output.replace("FAILED a.py::t0 - no\n", "")
    assert (", … ·" in outcome_of("pytest", hidden, is_error=True, exit_code=1)["line"]) is (count > 1)


def test_what_failed_is_named_though_the_totals_were_cut_off() -> None:
    rows = [f"  ✘  {number} [chromium] › tests/zones.spec.ts:{number}:7 › Zones › {name} (1.{number}s)"
            for number, name in enumerate(("north", "south", "south (retry #1)", "west"), 1)]
    output = "\n".join(["Running 3 tests using 2 workers", *rows,
                         "  1) [chromium] › tests/zones.spec.ts:1:7 › Zones › north ───", "    Error: no rate"])
    outcome = outcome_of("npx playwright test | head -20", output, is_error=False, exit_code=0)
    assert [name.rpartition(" ")[2] for name in outcome["failed_names"]] == ["north", "south", "west"]


HOSTILE = (  # lines that begin as telling ones do, and go on
    "FAILED a.py::" + "x " * 9_000, "Tests: " + "1 failed, " * 2_000, "1 failed, " * 2_000 + " in 3s",
    "0 passed" + " " * 9_000,
    "a:1:2: " + "error " * 3_000, "a" * 300 + ":1:2: error: x", "● " + "› " * 9_000, "1) " + "─" * 20_000,
    "a....b" * 3_000 + "Failed",
    "[x] " * 5_000, "\x1b[" + "0" * 20_000, "\x1b]" + "a" * 20_000, "\x1b[" * 10_000, "> Task " * 3_000 + " FAILED",
    "Traceback (most recent call last):\n" * 600, "--- FAIL: x\n" * 2_000, "● x\n" * 4_000, "1) a\n" * 4_000,
    "error[E1]: x\n  --> a:1:2\n" * 900, "CONFLICT (x): " * 1_500, "To http://" + "a" * 20_000,
    "x test: " * 2_500, "# # # " * 3_000,
    "hint: " * 3_000, "exit: " * 3_000, "test a ... FAILED\n" * 1_300, "Summary [" + " " * 20_000,
    "9" * 20_000 + " failed in 3s")


@pytest.mark.parametrize(
    "command", ["npm test | tail -400; echo \"exit: $?\"", "git commit -m x && git push", "gofmt -l ."])
def test_any_output_is_read_to_its_end(command: str) -> None:
    with ending():
        for output in (*slow_texts(24_000), *HOSTILE):
            outcome = outcome_of(command, f"{output}\n", is_error=False, exit_code=0)
            assert units(outcome["line"]) <= 240


@pytest.mark.parametrize(("command", "code", "expected"), [
    ("go build ./... && mise run lint 2>&1 | tail -3", 0, "lint"),  # the line went on, as the build had passed
    ("mise run test && mise run lint 2>&1 | tail -3", 0, "lint"),
    ("mise run lint 2>&1 | tail -3; mise run build | tail -3", 0, "build"),  # either of them
])
def test_what_a_line_went_on_behind_has_not_failed(command: str, code: int, expected: str) -> None:
    outcome = outcome_of(command, "rates.go:1:2: no such thing (errcheck)\n1 issues:", code != 0, code)
    assert (outcome["verdict"], outcome["family"]) == ("failed", expected)


COMMITTED = "[main (root-commit) a1b2c3d] First\n {} files changed, 12 insertions(+)\n"


@pytest.mark.parametrize(("path", "is_private"), [
    (".env", True), ("web/.env.production", True), (".claude/.credentials.json", True), (".claude.json", True),
    (".claude.json.backup", True),
    ("keys/id_rsa", True), ("tls/server.pem", True), (".claude/projects/-home-ada/7f3.jsonl", True),
    (".claude/file-history/a/b@v2", True), ("a folder/.npmrc", True), ("home/.claude/history.jsonl", True),
    ("history.jsonl", False), (".claude/skills/history.jsonl", False), (".claude/history.jsonl.md", False),
    (".env.example", False), ("src/env.ts", False), (".claude/settings.json", False), (".claude/hooks/save.py", False),
    ("docs/credentials.md", False), ("src/credentials.py", False), ("id_rsa.pub", False), ("todos/list.md", False)])
def test_private_files_in_a_commit_are_known_by_their_names(path: str, is_private: bool) -> None:
    output = COMMITTED.format(2) + f" create mode 100644 README.md\n create mode 100644 {path}\n"
    outcome = outcome_of("git add . && git commit -m First", output, False, 0)
    assert outcome.get("private", []) == [path] * is_private


def test_keys_are_named_before_the_files_of_the_client() -> None:
    paths = [f".claude/todos/{number}.json" for number in range(30)] + ["deploy/.env"]
    output = COMMITTED.format(31) + "".join(f" create mode 100644 {path}\n" for path in paths)
    outcome = outcome_of("git commit -qam First; git commit -m First", output, False, 0)
    assert outcome["private"][0] == "deploy/.env"
    assert len(outcome["private"]) == 20


def test_what_failed_before_the_command_that_stands_in_for_it_has_not_failed() -> None:
    output = "error: pathspec 'main' did not match any file(s) known to git\nSwitched to a new branch 'main'"
    command = "git checkout main 2>&1 || git checkout -b main"
    assert outcome_of(command, output, False, 0)["verdict"] != "failed"
    assert outcome_of(command, output.partition("\n")[0], True, 1)["verdict"] == "failed"
    pushed = outcome_of("git push || echo no", "error: failed to push\nfatal: no remote\nno", False, 0)
    assert pushed["verdict"] == "failed"


CUT_OFF = {  # what `tail` left of two failures, the first without its name: the command; the output; the names
    "unittest": ("python3 -m unittest 2>&1 | tail -20", """\
  File "/usr/lib/python3.9/unittest/case.py", line 59, in testPartExecutor
    yield
  File "/srv/test_plan.py", line 6, in test_rain_skips
    self.assertEqual(plan(2), {})
AssertionError: {'a': 2} != {}

======================================================================
FAIL: test_sun (test_plan.Plans.test_sun)
----------------------------------------------------------------------
Traceback (most recent call last):
  File "/srv/test_plan.py", line 8, in test_sun
    self.assertEqual(plan(3), {})
AssertionError: {'a': 3} != {}

----------------------------------------------------------------------
Ran 3 tests in 0.001s

FAILED (failures=2)""", ["test_rain_skips", "test_plan.Plans.test_sun"]),
    "node, as a list": ("node --test 2>&1 | tail -20", """\
      at TestContext.<anonymous> (file:///srv/test/cart.test.mjs:3:10)
      at Test.run (node:internal/test_runner/test:796:25)

test at test/cart.test.mjs:5:1
✖ coupon never below zero (0.231394ms)
  AssertionError [ERR_ASSERTION]: -30 == 0
      at TestContext.<anonymous> (file:///srv/test/cart.test.mjs:6:10)""",
                        ["cart.test.mjs:3", "coupon never below zero"]),
    "node, for programs": ("node --test | tail -9", """\
  error: |-
    Expected values to be strictly equal:

    94 !== 90

  stack: |-
    TestContext.<anonymous> (C:\\srv\\test\\cart.test.js:3:10)
  ...
# pass 1
# fail 1""", ["cart.test.js:3"])}


@pytest.mark.parametrize("form", CUT_OFF)
def test_of_a_failure_whose_name_was_cut_off_its_trace_tells(form: str) -> None:
    command, output, names = CUT_OFF[form]
    outcome = outcome_of(command, output, is_error=False, exit_code=0)
    assert (outcome["verdict"], outcome.get("failed_names", [])) == ("failed", names)
    assert ", ".join(names) in outcome["line"]


def test_what_a_trace_tells_is_no_second_name_of_a_failure() -> None:
    whole = CUT_OFF["unittest"][1].partition("FAIL: ")[2]
    assert outcome_of("python3 -m unittest", f"FAIL: {whole}", is_error=True, exit_code=1)["failed_names"] == [
        "test_plan.Plans.test_sun"]
    trace = CUT_OFF["unittest"][1].partition("=====")[0]
    native = f"{trace}\nFAILED test_plan.py::test_rain_skips - x\n1 failed in 0.1s"
    assert outcome_of("pytest --tb=native | tail", native, is_error=False, exit_code=0)["failed_names"] == [
        "test_plan.py::test_rain_skips"]


@pytest.mark.parametrize(("message", "below", "cause"), [
    ("zone 7, 2.5 kg", "12.4 !== 12.41", "zone 7, 2.5 kg 12.4 !== 12.41"),
    ("Expected values to be equal:", "'sun' != 'rain'", "Expected values to be equal: 'sun' != 'rain'"),
    ("zone 7", "    at TestContext.<anonymous> (file:///srv/zone.test.js:2:26)", "zone 7")])
def test_the_values_that_node_compared_stand_behind_the_message(message: str, below: str, cause: str) -> None:
    output = f"  AssertionError [ERR_ASSERTION]: {message}\n  \n  {below}\n  \n      at Test.run (node:test:7:2)"
    assert outcome_of("npm test", output, is_error=True, exit_code=1)["cause"] == (
        f"AssertionError [ERR_ASSERTION]: {cause}")


def test_the_values_that_node_compared_are_the_cause() -> None:
    command, output, _ = CUT_OFF["node, for programs"]
    assert outcome_of(command, output, is_error=False, exit_code=0)["cause"] == (
        "Expected values to be strictly equal: 94 !== 90")


@pytest.mark.parametrize("command", ["bash test.sh", "./test.sh | tail -30"])
@pytest.mark.parametrize(("row", "verdict"), [
    ("❌ FAILED: zone 4", "failed"), ("[FAIL] zone 4", "failed"), ("FAIL: zone 4", "failed"), ("Test 3: FAILED", ""),
    ("1/2 tests passed", "failed"), ("❌ zone 4", ""), ("  ✗ zone 4: 3, not 4", ""), ("| zone 4 | ❌ |", ""),
    ("Passed: 1, Failed: 1", "failed"), ("3 failures", "")])
def test_a_scripts_own_words_of_failure_count_whatever_its_last_echo_exits_with(command: str, row: str,
                                                                                verdict: str) -> None:
    outcome = outcome_of(command, f"✅ PASSED zone 3\n{row}\ndone", False, 0)
    assert (outcome["verdict"], row.strip() in outcome["line"]) == (verdict or "unknown", True)


@pytest.mark.parametrize("row", [
    "✅ rejects what FAILED", "FAILED: 0", "❌ Failed: 0", "❌ 0 failed", "2/2 tests passed", "0 failures",
    "Failures: 0", "✓ says 3 failed", "failed over to zone 4", "FAILOVER zone 4"])
def test_other_words_of_a_script_are_none_of_failure(row: str) -> None:
    assert outcome_of("bash test.sh", f"✅ zone 3\n{row}\ndone", False, 0)["verdict"] == "passed"


RULED = "====================\n{}\n===================="


@pytest.mark.parametrize(("command", "output", "code", "said_of_it"), [
    # a name, a log, what another row says: no totals, or not enough
    ("bash test.sh", "import of rates: 3 passed, 1 failed\nready", 0, ""),
    ("bash test.sh", f"✓ says so: 1 failed, 3 passed\n{RULED.format('END')}", 0, "passed test: exit 0"),
    ("bash test.sh", "[info] import of rates: 3 passed, 1 failed", 0, ""),
    ("bash test.sh", "Results of all: 3 passed, 0 failed\n[FAIL] zone 4", 0, "failed test: [FAIL] zone 4"),
    ("bash test.sh", "[FAIL] zone 4\nResults of all: 3 passed, 0 failed", 0,
     "failed test: Results of all: 3 passed, 0 failed · [FAIL] zone 4"),
    ("bash test.sh", "Behind 3 failed calls: 3 passed, 0 failed", 0, ""),
    ("pytest -s | grep -A1 RATES", RULED.format("RATES OF ALL: 5 passed, 0 failed"), 0, ""),
    ("npm test", f"{RULED.format('RATES OF ALL: 5 passed, 1 failed')}\nTests: 5 passed, 5 total", 0,
     "passed test: Tests: 5 passed, 5 total"),
    # totals
    ("python3 test_rates.py", f"✗ cents\n{RULED.format('RATES OF ALL: 86 passed, 3 failed')}\n\nFailed:\n✗ cents", 1,
     "failed test: RATES OF ALL: 86 passed, 3 failed · ✗ cents"),
    ("python3 test_rates.py | tail -9", f"{RULED.format('RATES OF ALL: 89 passed, 0 failed')}\n✓ ready", 0,
     "passed test: RATES OF ALL: 89 passed, 0 failed"),
    ("node test_rates.js", "📊 Test Results: 3 passed, 0 failed (3 total)", 0,
     "passed test: 📊 Test Results: 3 passed, 0 failed (3 total)"),
    ("node test_rates.js", "Test Results: 1 failed, 3 passed\n", 0, "failed test: Test Results: 1 failed, 3 passed"),
    ("bash test.sh", "Results of all: 0 passed, 0 failed", 0,
     "not run test: no test ran: Results of all: 0 passed, 0 failed"),
])
def test_a_scripts_own_total_behind_a_title_counts_as_its_last_row_or_beside_a_ruler(
        command: str, output: str, code: int, said_of_it: str) -> None:
    outcome = outcome_of(command, output, code != 0, code)
    assert said(outcome) == said_of_it if said_of_it else outcome["verdict"] == "unknown"


BY_POWERSHELL = 'npx tsc 2>&1; if ($LASTEXITCODE -eq 0) { Write-Output "GOOD: A" } else { Write-Output "BAD: A" }'
BY_SHELL = "npx tsc --noEmit; if [ $? -eq 0 ]; then echo GOOD: A; else echo BAD: A; fi"


@pytest.mark.parametrize(("command", "output", "verdict"), [
    (BY_POWERSHELL, "GOOD: A", "passed"), (BY_POWERSHELL, "BAD: A", "failed"),
    (BY_SHELL, "GOOD: A", "passed"), (BY_SHELL, "BAD: A", "failed"), (BY_SHELL, "GOOD: A\nBAD: A", "unknown"),
    ("if npx tsc --noEmit; then echo GOOD; else echo BAD; fi", "GOOD", "passed"),
    ("if ! npx tsc --noEmit; then echo GOOD; else echo BAD; fi", "GOOD", "unknown"),
    ("npx tsc --noEmit | tail -3; if [ $? -eq 0 ]; then echo GOOD; else echo BAD; fi", "GOOD", "unknown"),
    ('npx tsc --noEmit; echo "exit: $LASTEXITCODE"', "exit: 0", "passed"),
    ('npx tsc --noEmit; echo "exit: $LASTEXITCODE"', "exit: 2", "failed")])
def test_what_a_line_prints_by_its_checks_exit_code_is_how_it_ended(command: str, output: str, verdict: str) -> None:
    assert outcome_of(command, output, False, 0)["verdict"] == verdict


@pytest.mark.parametrize(("command", "code", "verdict"), [
    ("git diff HEAD | head -80", 141, "ended"), ("git diff HEAD | Select-Object -First 80", 255, "unknown"),
    ("git diff HEAD | tail -80", 141, "failed"), ("git diff HEAD | head -80", 128, "failed")])
def test_what_a_pipe_cut_off_did_not_fail(command: str, code: int, verdict: str) -> None:
    assert outcome_of(command, "diff --git a/a.ts b/a.ts\n- error: string;\n+ rate", True, code)["verdict"] == verdict


AUDIT_FOUND = ("# npm audit report\n\nzones  <1.2.3\nSeverity: high\nfix available via `npm audit fix`\n\n"
               "5 vulnerabilities (2 moderate, 3 high)\n\nTo address all issues, run:\n  npm audit fix")
FIVE = "5 vulnerabilities (2 moderate, 3 high)"
THREE_PASSED = "Tests: 3 passed, 3 total"


@pytest.mark.parametrize(("command", "output", "code", "said_of_it"), [
    ("npm audit", "npm error code ENOLOCK\nnpm error audit This command requires an existing lockfile.", 1,
     "failed other: audit This command requires an existing lockfile."),
    ("npm audit", "npm warn audit 400 Bad Request\nundefined", 1, "failed other: npm warn audit 400 Bad Request"),
    ("npm run audit", AUDIT_FOUND, 1, "failed other: npm audit fix"), ("npm audit", "", 0, "ended other: "),
    ("npm audit | tail -2", "To address all issues, run:\n  npm audit fix", 0, "unknown other: exit 0 of `tail`"),
    ("npm test; npm audit", f"Tests: 1 failed, 3 total\n{AUDIT_FOUND}", 1, "failed test: Tests: 1 failed, 3 total"),
    ("npm audit && ./check.sh", "found 0 vulnerabilities", 1, "failed check: found 0 vulnerabilities"),
    ("npm audit --audit-level=critical && ./check.sh", AUDIT_FOUND, 1, f"unknown check: {FIVE}"),
    ("npm audit && npm test", f"{AUDIT_FOUND}\n\n> a@1 test\n> ./a.sh\n", 1, f"unknown test: {FIVE}"),
    ("npm audit", AUDIT_FOUND, 1, f"ended audit: {FIVE}"), ("npm audit", "found 0 vulnerabilities", 0,
                                                            "ended audit: found 0 vulnerabilities"),
    ("cd web && npm audit fix", f"up to date in 4s\n\n{AUDIT_FOUND}", 1, f"ended audit: {FIVE}"),
    ("npm audit fix --force", "1 high severity vulnerability\n\nSome issues need review, and may require choosing\n"
     "a different dependency.", 1, "ended audit: 1 high severity vulnerability"),
    ("npm --prefix web audit | tail -5", AUDIT_FOUND[-90:], 0, f"ended audit: {FIVE}"),
    ("npm audit || true", AUDIT_FOUND, 0, f"ended audit: {FIVE}"),
    ("npm audit; printf x", AUDIT_FOUND, 0, f"ended audit: {FIVE}"),
    ("npm ci && npm audit", f"added 9 packages\n\nfound 2 vulnerabilities\n{AUDIT_FOUND}", 1, f"ended audit: {FIVE}"),
    ("npm audit --json", '{"metadata": {"vulnerabilities": {\n  "info": 0,\n  "total": 5\n}}}', 1,
     "ended audit: 5 vulnerabilities"),
    ("pnpm audit", "2 vulnerabilities found\nSeverity: 1 moderate | 1 high", 1,
     "ended audit: 2 vulnerabilities found · Severity: 1 moderate | 1 high"),
    ("npm test && npm audit", f"{THREE_PASSED}\n{AUDIT_FOUND}", 1, f"passed test: {THREE_PASSED} · {FIVE}"),
    ("npx tsc --noEmit && npm audit", AUDIT_FOUND, 1, f"passed types: exit 0 · {FIVE}"),
    ("npm audit; npm test", f"{AUDIT_FOUND}\n{THREE_PASSED}", 0, f"passed test: {THREE_PASSED} · {FIVE}"),
    ("npm audit && npm test", AUDIT_FOUND, 1, f"unknown test: {FIVE}"),
    ("npm run lint && npm audit && npm test", AUDIT_FOUND, 1, f"unknown test: {FIVE}"),
    ("git commit -m x && npm audit", f"[main 1a2b3c4] x\n{AUDIT_FOUND}", 1, f"ended git: [main 1a2b3c4] x · {FIVE}"),
    ("npm audit && git push", AUDIT_FOUND, 1, f"failed git: {FIVE}")])
def test_an_audit_is_told_by_what_it_counted(command: str, output: str, code: int, said_of_it: str) -> None:
    assert said(outcome_of(command, output, code != 0, code)) == said_of_it


def test_hostile_audits_end() -> None:
    with ending():
        for text in slow_texts(20_000):
            outcome_of("npm audit && npm test", f"{text}\n5 vulnerabilities {text}", is_error=True, exit_code=1)
        for fill in ('"vulnerabilities": {', '"info": 0,', "found 5 ", "fixed 1 of "):
            outcome_of("npm audit", fill * (20_000 // len(fill)), is_error=True, exit_code=1)


@pytest.mark.parametrize(("output", "verdict"), [
    ("├ ● /zones/[id]\n└ ƒ /rates\n\n○  (Static)   prerendered as static content\n"
     "●  (SSG)      prerendered as static HTML (uses generateStaticParams)\nƒ  (Dynamic)  server-rendered on demand",
     "passed"),
    ("●  (SSG)      prerendered as static HTML (uses generateStaticParams)", "passed"),
    ("● (SSG) rates › keeps cents\n\n    expected 12, got 13", "failed"),
])
def test_the_legend_of_a_table_of_routes_is_no_failed_test(output: str, verdict: str) -> None:
    assert outcome_of("npm run build 2>&1 | tail -20", output, is_error=False, exit_code=0)["verdict"] == verdict
