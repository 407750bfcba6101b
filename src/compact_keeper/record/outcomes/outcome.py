"""How a command ended, by its exit code and by what its output says: the one vocabulary of results.

Whether its checks passed is said by `verdicts.py`, what is shown of it by `shown_line.py`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from compact_keeper.client.call_output import LIMIT_REACHED, end_by_client, name_in_background
from compact_keeper.record.commands.check_programs import ANY_CHECK, MAY_TEST
from compact_keeper.record.commands.checks_in_line import checks_in, other_family, strongest
from compact_keeper.record.commands.detached import port_seen
from compact_keeper.record.commands.looking import is_looking
from compact_keeper.record.commands.shell import PIPES, ending_program, pieces_of
from compact_keeper.record.endings import BUT_PRINTED, HAD_PRINTED
from compact_keeper.record.outcomes.ended_command import EndedCommand
from compact_keeper.record.outcomes.git_output import git_outcome, is_made_good
from compact_keeper.record.outcomes.lacks import lacking_in
from compact_keeper.record.outcomes.not_started import NOT_STARTED, cd_failed, lost_output, never_started
from compact_keeper.record.outcomes.own_kill import kill_of_itself
from compact_keeper.record.outcomes.package_audit import AUDIT, COUNTS_SOME, ends_in_audit, vulnerabilities_counted
from compact_keeper.record.outcomes.shown_line import (
    CAUSE_MAX_UTF16,
    cut_words,
    first_said,
    joined_line,
    last_said,
    names_in_line,
    names_of_failed,
    passed_parts,
    rows_without_count,
    said_best,
    short_totals,
    total_in_short,
    unique_names,
)
from compact_keeper.record.outcomes.verdicts import (
    LOOKS_FAILED,
    OF_TESTS,
    SAYS_FAILED,
    is_passed_before_other_failed,
    own_words_of_failure,
    verdict_of_checks,
)
from compact_keeper.record.outputs.telling_rows import ROW_END, telling_rows
from compact_keeper.record.runner_output.total_counts import FAILURE_COUNTS, sum_of
from compact_keeper.text.length import units
from compact_keeper.types import Check, Outcome

PRINTED_BEFORE_UTF16 = 150  # of what a command had printed when it was stopped
EXITS_OF_CUT_PIPES = (141, 255)  # of a shell; of PowerShell
TAKES_FIRST_ROWS = r"(?i)\|\s{0,3}(?:head|select(?:-object)? -first)\b"
OWN_BEHIND_TOTAL = (  # what a runner of tests fails for behind a total without failures
    r"(?i)coverage|threshold|unhandled|uncaught|tests? failed|script [`\"']?test|teardown|worker|leak|open handle|hook")
TIMED_OUT = 124  # a shell's exit code
LASTING_FIELDS = ("commit", "branch", "subject", "took_in", "commits_before", "pushed", "remark")
COUNTED_WARNINGS = r"(?i)(?:^|[\s(:,])[1-9]\d{0,5} (?:\w{1,20} )?warnings?\b"
# Signs behind a command that let the line go on whether or not it failed.
GOING_ON = frozenset((";", "||", "\n", "&"))


def outcome_of(command: str, output: str, is_error: bool | None, exit_code: int | None) -> Outcome:
    """How the command ended; `is_error` and `exit_code` are the client's, None where it does not say."""
    checks = checks_in(command)
    outcome: Outcome = {"verdict": "unknown", "family": strongest(checks) or other_family(command), "line": "",
                        "cause": ""}
    end = end_by_client(output, is_error, exit_code)
    if end["is_refused"]:
        return {**outcome, "verdict": "not run", "line": joined_line([first_said(end["output"])])}
    background = name_in_background(end["output"])
    if background:
        return {**outcome, "verdict": "running", "line": f"in the background: {background}"}
    run = EndedCommand(command, checks, end["output"], end["exit_code"])
    if 0 < run.reading.packages == run.reading.cached:
        outcome["is_cached"] = True
    of_git = git_outcome(run)
    if stopped := end["stopped"] or kill_of_itself(command, end["output"], end["exit_code"]):
        return stopped_outcome(run, {**outcome, **commit_and_push_of(of_git)}, stopped)
    outcome.update(of_git)
    counted = vulnerabilities_counted(run)
    if counted:
        return outcome_with_audit(run, outcome, counted)
    return outcome_of_checks(run, outcome) if checks else outcome_of_other(run, outcome)


def outcome_with_audit(run: EndedCommand, outcome: Outcome, counted: str) -> Outcome:
    """How a command ended in which an audit counted vulnerabilities: that it exits 1 as there are some is no failure.

    Of checks beside one that is not the line's last command nobody knows whether they were run.
    """
    has_some = bool(run.is_error) and re.match(COUNTS_SOME, counted) is not None
    if has_some and ends_in_audit(run.command):
        run = EndedCommand(run.command, run.checks, "\n".join(run.lines), 0)
    elif has_some and run.checks:
        return {**outcome, "line": counted}
    if run.checks:
        of_checks = outcome_of_checks(run, outcome)
        return {**of_checks, "line": joined_line([of_checks["line"], counted])}
    outcome = {**outcome, "line": joined_line([outcome["line"], counted])}
    if ends_in_audit(run.command) and outcome["family"] != "git":
        outcome["family"] = AUDIT
    return outcome_of_other(run, outcome)


def commit_and_push_of(of_git: Outcome) -> Outcome:
    """Of what git said that which stays true when the command was stopped later."""
    lasting: Any = {name: value for name, value in of_git.items() if name in LASTING_FIELDS}
    kept: Outcome = lasting
    return kept


def stopped_outcome(run: EndedCommand, outcome: Outcome, stopped: str) -> Outcome:
    """The outcome of a command that something ended: neither passed nor failed, with what it had printed until then.

    A server in the foreground had been told as failed, whose "Ready" was seen, and as stopped, though it still had its
    port: the tool's limit need not end what listens.
    """
    reading, printed = run.reading, ""
    if run.checks and (reading.tests or run.has_failed):
        names = names_in_line(unique_names(reading.failed_names), reading.tests)
        printed = joined_line([*short_totals(reading.tests)[-2:], names])
    printed = printed or rows_until_stopped(run.text)
    if stopped.startswith(LIMIT_REACHED) and port_seen("", "\n".join(run.text)):
        stopped = f"the tool stopped waiting{stopped.removeprefix(LIMIT_REACHED)}; whether it still runs is not known"
    return {**outcome, "verdict": "stopped", "line": f"{stopped}{HAD_PRINTED}{printed})" if printed else stopped}


def rows_until_stopped(text: Sequence[str]) -> str:
    """Telling rows of what a command had printed, and its last one always: there it stood when it was stopped."""
    shown = cut_words(telling_rows(text, PRINTED_BEFORE_UTF16), PRINTED_BEFORE_UTF16)
    last = cut_words("".join(text[-1:]), PRINTED_BEFORE_UTF16 // 2)
    if last in shown:
        return shown
    room = PRINTED_BEFORE_UTF16 - units(last)
    return f"{cut_words(telling_rows(text[:-1], room), room)}{ROW_END}{last}"


def outcome_of_checks(run: EndedCommand, outcome: Outcome) -> Outcome:
    """How the command's checks ended."""
    reading, checks = run.reading, run.checks
    if any(check["in_background"] for check in checks) and not (run.has_failed or reading.tests):
        return {**outcome, "verdict": "running", "line": "in the background of its shell"}
    lost = "" if reading.tests or run.has_failed else lost_output(run)
    if lost and not never_started(run, "unknown"):
        return {**outcome, "cause": lost, "line": lost}
    if run.is_error and (run.exit_code in NOT_STARTED or cd_failed(run)) and not reading.tests:
        return outcome_not_run(outcome, cut_words(reading.cause or last_said(run.text), CAUSE_MAX_UTF16))
    has_others = len(pieces_of(run.command)) > len(checks)
    if run.is_error and has_others and is_passed_before_other_failed(run):
        return outcome_of_other(run, {**outcome, "family": other_family(run.command)})
    verdict = verdict_of_checks(run)
    unknown = "" if reading.tests else never_started(run, verdict)
    if unknown:
        return outcome_not_run(outcome, unknown)
    if verdict == "failed":
        outcome = {**outcome, "family": failing_family(run) or outcome["family"]}
    if outcome["family"] == ANY_CHECK and shows_own_tests(run, verdict):
        outcome = {**outcome, "family": "test"}
    return outcome_with_line(run, outcome, verdict)


def shows_own_tests(run: EndedCommand, verdict: str) -> bool:
    """Whether the output has tests to which the verdict belongs: not where they passed, and what came behind failed."""
    tests = run.reading.tests
    return any(sum_of(FAILURE_COUNTS, line) for line in tests) if verdict == "failed" else bool(tests)


def outcome_not_run(outcome: Outcome, cause: str) -> Outcome:
    """The outcome of checks that were never started, for this cause."""
    return {**outcome, "verdict": "not run", "cause": cause, "line": cause}


def failing_family(run: EndedCommand) -> str:
    """The family of the checks that may have failed."""
    failing: Sequence[Check] = run.checks
    if run.is_error is False:  # those whose exit code this 0 is have passed
        hidden = [check for check in failing if not check["shows_exit"]]
        failing = hidden or failing
    if len(failing) > 1 and failing[-1]["filters"] and run.is_error:  # the pipe at the end did not
        failing = [check for check in failing if check["shows_exit"]]
    reading = run.reading
    if not (reading.tests or reading.failed_names or reading.none):
        failing = [check for check in failing if check["family"] != "test"]
    return strongest(failing_behind_tests(run, failing) or failing)


def failing_behind_tests(run: EndedCommand, failing: Sequence[Check]) -> list[Check]:
    """The checks that failed behind tests whose total says that all passed; none where that is not certain.

    Of `cargo test && cargo clippy && cargo fmt --check` the tests stood as failed, whose total said "0 failed", as a
    file was not formatted. A runner fails behind a clean total too, for its coverage or an error outside of its tests.
    """
    reading = run.reading
    behind = [*failing[1:]]
    if not behind or failing[0]["family"] not in MAY_TEST:
        return []
    if not all(check["shows_exit"] and check["family"] not in MAY_TEST for check in behind):
        return []
    has_clean_total = bool(reading.tests) and not any(sum_of(FAILURE_COUNTS, row) for row in reading.tests)
    runners = {runner for runner, _ in reading.failing_behind}
    if not has_clean_total or not runners or not runners.isdisjoint(OF_TESTS):
        return []
    if any(re.search(OWN_BEHIND_TOTAL, row) for _, row in reading.failing_behind):
        return []
    return [check for check in behind if check["runner"] in runners] or behind


def outcome_of_other(run: EndedCommand, outcome: Outcome) -> Outcome:
    """How a command ended that is no check, or whose checks are not what failed."""
    if run.is_error is None:
        return {**outcome, "line": outcome["line"] or joined_line([last_said(run.text)])}
    if run.is_error and not is_cut_off(run):
        return failed_other(run, outcome)
    if is_looking(run.command):
        return {**outcome, "verdict": "ended"}
    signs = {sign for _, sign in pieces_of(run.command)}
    has_pipe = bool(signs & {*PIPES}) and "pipefail" not in run.command
    passed = run.reading.passed
    success = passed[-1][1] if passed and outcome["family"] else ""
    may_hide_failure = has_pipe or bool(signs & GOING_ON)
    if may_hide_failure and not success and not is_made_good(run) and shows_failure(run, outcome):
        return failed_other(run, outcome)
    line = outcome["line"] or joined_line([success])
    if has_pipe and not line:
        return {**outcome, "line": f"exit 0 of `{ending_program(run.command)}`"}
    return {**outcome, "verdict": "ended", "line": line or joined_line([last_said(run.text)])}


def is_cut_off(run: EndedCommand) -> bool:
    """Whether the command ended as what stood behind its pipe had read enough, which is no failure."""
    return run.exit_code in EXITS_OF_CUT_PIPES and re.search(TAKES_FIRST_ROWS, run.command) is not None


def shows_failure(run: EndedCommand, outcome: Outcome) -> bool:
    """Whether the output says that a command failed that is no check; of an unknown one a traceback alone does."""
    reading = run.reading
    is_known = bool(outcome["family"]) or "traceback" in reading.causes
    return (bool(outcome["cause"]) or (is_known and reading.error_at_end)
            or (outcome["family"] == "git" and reading.failed))


def failed_other(run: EndedCommand, outcome: Outcome) -> Outcome:
    """The outcome of a command that is no check and failed."""
    reading = run.reading
    cause = outcome["cause"] or reading.cause or ("timed out" if run.exit_code == TIMED_OUT else "")
    said, parts = names_of_failed(reading), list[str]()
    names = said.get("failed_names", ())
    if names:
        parts = [*short_totals(reading.tests)[-1:], names_in_line(names, reading.tests)]
    else:
        cause = cause or said_best(run.text)
    line = outcome["line"] or joined_line([*parts, cause]) or f"exit {run.exit_code or 1}"
    verdict = "not run" if run.exit_code in NOT_STARTED else "failed"
    return {**outcome, **said, "line": line, "verdict": verdict, "cause": cut_words(cause, CAUSE_MAX_UTF16)}


def outcome_with_line(run: EndedCommand, outcome: Outcome, verdict: str) -> Outcome:
    """The outcome of checks with its line."""
    reading = run.reading
    cause = ""
    if verdict == "failed":
        outcome = {**outcome, **names_of_failed(reading)}
        cause = reading.cause
        if len(run.checks) > 1 and lacking_in(run.command, cause):  # of the one that is not there; another has failed
            cause = ""
        cause = cause or ("timed out" if run.exit_code == TIMED_OUT and not run.has_failed else "")
        parts = failed_parts(run, outcome.get("failed_names", []), cause)
    elif verdict == "passed":
        parts = passed_parts(reading) or [run.only_line, row_of_warnings(run.lines), "" if run.is_error else "exit 0"]
        if reading.error_at_end and not reading.tests:  # a bundler's "✓ built" had hidden it
            parts.append(f"it also printed: {reading.cause}")
    elif verdict == "not run":
        cause = reading.cause
        row = total_in_short(reading.none[-1]) if reading.none else last_said(run.text)
        if reading.none and outcome["family"] == "test" and not cause:
            outcome, row = {**outcome, "met_no_test": True}, f"no test ran: {row}"
        parts = [cause or row]
    elif run.printed_error:
        parts = [f"{BUT_PRINTED}{run.printed_error}"]
    else:
        parts = short_totals(reading.tests)[-2:]  # of one of several checks; how the others ended was not seen
        parts = parts or rows_without_count(reading)
        parts.append(own_words_of_failure(run, LOOKS_FAILED))
        if run.exit_code is not None:
            parts.append(f"exit {run.exit_code} of `{ending_program(run.command)}`")
    return {**outcome, "verdict": verdict, "line": joined_line(parts), "cause": cut_words(cause, CAUSE_MAX_UTF16)}


def row_of_warnings(lines: Sequence[str]) -> str:
    """The first row that counts warnings of what passed; empty for none: "passed" alone had hidden two."""
    if "arning" not in "\n".join(lines):  # as in most: then no row is looked at
        return ""
    return next((row.strip() for row in lines if "arning" in row and re.search(COUNTED_WARNINGS, row)), "")


def failed_parts(run: EndedCommand, names: Sequence[str], cause: str) -> list[str]:
    """What is said of checks that failed: totals, names, the cause; else the line that tells most."""
    reading = run.reading
    tests = reading.tests
    if sum(check["family"] in MAY_TEST for check in run.checks) > 1:  # a total without failures is another run's
        tests = [line for line in tests if sum_of(FAILURE_COUNTS, line)]
    clean = [line for _, line in reading.passed] if names else ()  # of another than what failed
    problems = [line for line in reading.problems if line not in clean]
    totals = [line for line in [*tests, *problems] if not line.startswith("ok ")]  # Go's, of packages
    parts = [*short_totals(totals)[-2:], names_in_line(names, reading.tests), cause]
    own_words = own_words_of_failure(run, SAYS_FAILED) or own_words_of_failure(run, LOOKS_FAILED)
    if any(parts):
        return [*parts, own_words] if reading.is_titled else parts
    return [reading.failing_line or own_words or said_best(run.text) or f"exit {run.exit_code or 1}"]
