"""Whether a command's checks passed: by the exit code where it is theirs, else by what the output says.

Of 770 runs of tests, builds and linters in 37 real sessions 82 failed with an exit code that said so; 131 more printed
a failure and exited 0, behind a pipe. Where the output says nothing, the verdict is "unknown".
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from compact_keeper.record.commands.check_breadth import HOOKS
from compact_keeper.record.commands.check_programs import MAY_TEST
from compact_keeper.record.commands.checks_in_line import checks_in, strongest
from compact_keeper.record.commands.programs import CUTTING, SILENT_RUNNERS
from compact_keeper.record.commands.shell import NEGATION, PIPES, pieces_of, program_in
from compact_keeper.record.outcomes.ended_command import EndedCommand
from compact_keeper.record.outcomes.not_started import program_not_started
from compact_keeper.record.outcomes.pipe_filters import is_cut, sees_failures
from compact_keeper.record.runner_output.reading import ENDS_WITHOUT_COUNT
from compact_keeper.types import Check

STOP_SIGNALS = (130, 137, 143)  # exit codes of what was interrupted, killed or ended from outside
STARTED_MAX = 6
COMMAND_STARTED = r"(?:\[[\w:./@-]{1,60}\] )?[$>] (\S.{0,300})$"  # as npm, bun, pnpm and mise name it
NEVER_FAILING = ("--exit-zero", "--passWithNoTests", "--soft-fail")  # exit 0 says nothing
OF_TESTS = frozenset((  # whose lines say that tests passed
    "pytest", "playwright", "jest", "vitest", "unittest", "bun", "mocha", "node", "cypress", "gotestsum", "cargo test",
    "cargo nextest", "deno", "go", "rspec", "minitest", "phpunit", "mix", "ctest", "maven", "dotnet", "xctest",
    "flutter", "boost", "prove", "tap", "julia", "zig"))
# Whose last rows count all that the call ran, broken files too: where these say that no test ran, none is hidden.
COUNTING_ALL_AT_END = ("pytest", "unittest", "mocha", "node", "rspec", "phpunit", "bun test", "ctest")
OF_ALL = frozenset(("gradle", "mise", "turbo", "tox", "xcodebuild", "nx", "sbt"))  # say it of tests and of builds alike
# `All 3 tests passed.`, `0 failures, 0 errors.`: they count where that program was called.
WORDS_OF_ANYBODY = frozenset(("zig", "clojure"))
GO_ENDED = "PASS"  # Go says it of no test, too
SCRIPT_NAME = r"\.(?:py|js|mjs|ts|rb|php|pl|lua|R)\Z"  # of what an interpreter runs
# What a script that counts no tests prints of a failure: in words, and by signs that may mean something else.
SAYS_FAILED = (
    r"[\W_]{0,12}(?:FAIL(?:ED|URE)?(?!\w)(?![:=\s]{1,3}0\b)|not ok\b)"
    r"|\W{0,12}(?P<passed>\d{1,6}) ?(?:/|of|out of) ?(?P<all>\d{1,6}) tests? passed")
LOOKS_FAILED = (
    r"\W{0,12}[❌✗✘✖×](?! ?(?:\w{1,10}[: ]{1,3})?0\b)"
    r"|(?!\W{0,3}[✅✓✔]).{0,200}(?:\| ?❌|\bFAIL(?:ED)?\W{0,4}$"
    r"|\b[1-9]\d{0,5} (?:tests? )?(?:failed|failures?)\b|\b(?i:failed|failures?)[:=] ?[1-9])")
# Each test binary has a total of its own: the programs that may have cut off those of others.
SEVERAL_BINARIES = {"cargo test": ("head",), "dune test": CUTTING, "dune runtest": CUTTING, "ginkgo": CUTTING}
# `echo "exit $?"`, with what stands before the code:
ECHOED_EXIT = r"echo\s{1,9}[\"']?(?P<before>[^$\"']{0,60})\$(?:\?|\{PIPESTATUS\[0\]\}|\{\?\}|LASTEXITCODE)"
EXIT_NAMES = ("$?", "PIPESTATUS", "LASTEXITCODE")
# `if [ $? -eq 0 ]; then echo PASS; else echo FAIL; fi`, `if make; then …`, and as PowerShell writes the first.
PRINTS_WORDS = r"(?:echo|Write-Output|Write-Host)\s{1,9}[\"']?(?P<%s>[^\"';{}$\n]{1,60}?)[\"']?\s{0,9}[;}\n]"
WORDS_BY_EXIT = (
    r"\bif (?:\(\$(?:LASTEXITCODE -eq 0|\?)\)|\[{1,2} \$\? (?:-eq|==?) 0 \]{1,2};?|[^;\n!\[(]{3,300};)"
    rf"\s{{0,9}}(?:then|\{{)\s{{1,9}}{PRINTS_WORDS % 'passed'}"
    rf"\s{{0,9}}else\s{{1,9}}\{{?\s{{0,9}}{PRINTS_WORDS % 'failed'}")


def verdict_of_checks(run: EndedCommand) -> str:
    """Passed, failed, not run or unknown: by the exit code where it is the checks' own, else by the output.

    Unknown where they seem to have passed, and printed an error with its stack.
    """
    verdict = verdict_by_exit_or_output(run)
    return "unknown" if verdict == "passed" and run.printed_error else verdict


def verdict_by_exit_or_output(run: EndedCommand) -> str:
    """The verdict by the exit code where it is the checks' own, else by the output."""
    printed = exit_of_only_check(run) if len(run.checks) == 1 else None
    has_own_exit = run.exit_code is not None and all(check["shows_exit"] for check in run.checks)
    says_failed = bool(own_words_of_failure(run, SAYS_FAILED))
    if printed is None and not has_own_exit:
        return "failed" if run.has_failed or says_failed else verdict_seen(run)
    if strongest(run.checks) in MAY_TEST and ran_nothing(run):
        return "not run"
    exit_code = run.exit_code if printed is None else printed
    if exit_code or fails_with_exit_0(run) or says_failed:
        return "failed"
    is_unclear = is_script_without_totals(run) or own_words_of_failure(run, LOOKS_FAILED)
    return "unknown" if is_unclear else "passed"


def own_words_of_failure(run: EndedCommand, pattern: str) -> str:
    """The first row that says so of a failure, of tests of which no known runner says anything; empty: none does.

    `bash test.sh` exits 0 by its last echo, whatever its rows with ❌ say. Beside a runner's words it is a log's.
    """
    reading = run.reading
    is_of_runner = not reading.is_titled and (reading.tests or reading.passed or reading.seen_passing)
    if is_of_runner or not all(check["family"] == "test" and not check["runner"] for check in run.checks):
        return ""
    return next((row for row in run.text if is_of_failure(re.match(pattern, row))), "")


def is_of_failure(match: re.Match[str] | None) -> bool:
    """Whether the row was matched, and does not count all of its tests as passed."""
    if not match:
        return False
    groups = match.groupdict()
    return groups.get("passed") is None or int(groups["passed"]) < int(groups["all"])


def is_script_without_totals(run: EndedCommand) -> bool:
    """Whether the check is a script that is only called a test, and printed what no runner prints.

    A script that measures exits 0 whatever it measured: of two of these the figures that the session was about stood
    behind "passed". One that prints nothing only asserts.
    """
    is_called_test = all(check["family"] == "test" and not check["runner"] and re.search(SCRIPT_NAME, check["name"])
                         for check in run.checks)
    reading = run.reading
    return is_called_test and bool(run.text) and not (reading.tests or reading.passes or reading.seen_passing
                                                      or reading.passed)


def fails_with_exit_0(run: EndedCommand) -> bool:
    """Whether checks that exited 0 failed all the same: where that says nothing, and a total counts failures."""
    if run.lists_files():
        return True
    may_be_anything = any(not check["runner"] for check in run.checks)
    never_fails = any(option in run.command for option in NEVER_FAILING)
    has_failing_total = run.reading.failures > 0 and bool(run.reading.tests or run.reading.problems)
    return (may_be_anything or never_fails) and has_failing_total


def verdict_seen(run: EndedCommand) -> str:
    """The verdict where the exit code is another program's and no line says that a check failed."""
    reading = run.reading
    has_tests = any(check["family"] in MAY_TEST for check in run.checks)
    if has_tests and reading.none and not (reading.tests or reading.causes):
        return "unknown" if any(may_hide_runs(check, run) for check in run.checks) else "not run"
    ends_in_error = reading.error_at_end or (reading.none and reading.causes)
    if ends_in_error and not reading.passes:
        return "not run" if "not found" in reading.cause and program_not_started(reading.cause) else "failed"
    if has_tests and reading.error_behind:  # of another one, behind the totals of this one
        return "unknown"
    hidden = run.checks
    if run.is_error is False:  # those whose exit code this 0 is have passed
        hidden = [check for check in run.checks if not check["shows_exit"]]
    return "passed" if all(is_seen_to_pass(check, run) for check in hidden) else "unknown"


def is_seen_to_pass(check: Check, run: EndedCommand) -> bool:
    """Whether the output shows that this check passed."""
    if check["family"] in MAY_TEST and are_tests_seen_to_pass(check, run):
        return True
    if check["family"] == "test" or (check["runner"] == HOOKS and is_cut(check, len(run.lines) + 1)):
        return False
    if runners_that_passed(check, run) or run.reading.problems:
        return True
    count = len(run.text)
    if count:
        return names_silent_program(run.text) and sees_failures(check, count) and not is_cut(check, count)
    return check["runner"] in SILENT_RUNNERS and sees_failures(check, 0)


def are_tests_seen_to_pass(check: Check, run: EndedCommand) -> bool:
    """Whether the output shows that tests passed, in lines that would have told of a failure as well."""
    reading, count = run.reading, len(run.text)
    # The client leaves out the blank lines at an output's ends.
    if is_cut(check, len(run.lines) + 1, SEVERAL_BINARIES.get(check["runner"], ())):
        return False
    runners = runners_that_passed(check, run) & (OF_TESTS | OF_ALL)
    if reading.has_whole_total or runners - {*ENDS_WITHOUT_COUNT} or (runners and reading.tests):
        return True
    has_seen_some = reading.seen_passing and {*run.text} != {GO_ENDED}
    return bool(reading.tests or has_seen_some) and sees_failures(check, count)


def may_hide_runs(check: Check, run: EndedCommand) -> bool:
    """Whether tests may have run of which a filter kept the rows back.

    Of seven that ran, `cargo test zones | tail` had left other binaries' "0 passed" alone. The client leaves out the
    blank lines at an output's ends.
    """
    if check["runner"] in COUNTING_ALL_AT_END and len(run.checks) == 1:
        return False
    has_several = check["runner"] in SEVERAL_BINARIES
    return is_cut(check, len(run.lines) + 1 if has_several else len(run.text))


def runners_that_passed(check: Check, run: EndedCommand) -> set[str]:
    """The runners whose lines say that something passed; mise's, which end each task, where the last ones were seen."""
    program = check["runner"].partition(" ")[0]
    runners = {runner for runner, _ in run.reading.passed if runner not in WORDS_OF_ANYBODY or runner == program}
    only_tails = all(program_in(text) == "tail" for text in check["filters"])
    is_task = not check["runner"]
    return runners if is_task and only_tails else runners - {"mise"}


def names_silent_program(lines: Sequence[str]) -> bool:
    """Whether a task runner printed nothing but what it started, last a check that says nothing when all is well."""
    if len(lines) > STARTED_MAX:
        return False
    started = [re.match(COMMAND_STARTED, line) for line in lines]
    last = started[-1] if all(started) else None
    checks = checks_in(last[1]) if last else []
    return bool(checks) and all(check["runner"] in SILENT_RUNNERS and not check["filters"] for check in checks)


def is_passed_before_other_failed(run: EndedCommand) -> bool:
    """Whether the checks are seen to have passed, so that what failed is another command behind them."""
    return not run.has_failed and not run.reading.none and all(is_seen_to_pass(check, run) for check in run.checks)


def ran_nothing(run: EndedCommand) -> bool:
    """Whether the output says that no test was run, and nothing else."""
    reading = run.reading
    return bool(reading.none) and not (reading.tests or reading.causes or reading.passes or run.has_failed)


def exit_of_only_check(run: EndedCommand) -> int | None:
    """The exit code of a line's only check, which it printed, or of which its own is the opposite; else None."""
    typed = run.checks[0]["typed"]
    if not typed.startswith(NEGATION):
        return exit_printed(run)
    is_last = pieces_of(run.command)[-1][0] == typed
    return int(run.exit_code == 0) if is_last and run.exit_code is not None else None


def exit_printed(run: EndedCommand) -> int | None:
    """The exit code that the command has printed itself, as in `pytest > log; echo "exit $?"`."""
    by_words = exit_by_words(run)
    if by_words is not None or not any(name in run.command for name in EXIT_NAMES):
        return by_words
    pieces = pieces_of(run.command)
    for index in range(1, len(pieces)):
        piece = pieces[index][0]
        echo = re.match(ECHOED_EXIT, piece)
        if not echo:
            continue
        is_behind_pipe = index > 1 and pieces[index - 2][1] in PIPES
        if is_behind_pipe and "pipefail" not in run.command and "PIPESTATUS" not in piece:
            return None  # the exit code of its last program
        pattern = re.escape(echo["before"].strip()) + r"\s{0,9}(\d{1,3})(?!\d)"
        codes = [match[1] for match in (re.match(pattern, line) for line in run.text) if match]
        if codes:
            return int(codes[-1])
    return None


def exit_by_words(run: EndedCommand) -> int | None:
    """0 or 1 by which of the two words the output has that the command prints by its check's exit code; else None."""
    branches = re.search(WORDS_BY_EXIT, run.command) if "else" in run.command else None
    if not branches or run.checks[0]["filters"]:
        return None
    printed = [name for name in ("passed", "failed") if branches[name].strip() in run.text]
    return int(printed == ["failed"]) if len(printed) == 1 else None
