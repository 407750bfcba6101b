"""How each check of a command line ended, as far as the line's verdict and its output tell."""

from __future__ import annotations

from collections.abc import Sequence

from compact_keeper.client.call_output import end_by_client
from compact_keeper.record.commands.check_programs import CHECK_FAMILIES, MAY_TEST
from compact_keeper.record.commands.checks_in_line import checks_in
from compact_keeper.record.outcomes.ended_command import EndedCommand
from compact_keeper.record.outcomes.lacks import lacking_in
from compact_keeper.record.outcomes.shown_line import joined_line, passed_parts
from compact_keeper.record.outcomes.verdicts import STOP_SIGNALS, is_seen_to_pass
from compact_keeper.types import Check, CheckEnd


def ends_of_checks(command: str, output: str, verdict: str, family: str) -> list[CheckEnd]:
    """Of each check of the line how it ended, in their order; none where each ended as the line did, by its verdict.

    `family` is that of which its verdict tells.
    """
    checks = with_tests_shown(checks_in(command), family)
    lacking = lacking_in(command, output) if len(checks) > 1 else []
    verdicts = ["not run" if check["command"].split()[0] in lacking else
                verdict_of_check(index, checks, output, verdict, family) for index, check in enumerate(checks)]
    if not {*verdicts} - {verdict}:
        return []
    return [end_of_check(check, own, checks, output, verdict) for check, own in zip(checks, verdicts)]


def end_of_check(check: Check, own: str, checks: Sequence[Check], output: str, verdict: str) -> CheckEnd:
    """The check's verdict; where the line's only tests are seen to have passed, with their totals as the result.

    What else the line printed, of a build before them, had stood as what the tests said.
    """
    is_only_test = [other for other in checks if other["family"] == "test"] == [check]
    if verdict != "unknown" or own != "passed" or not is_only_test:
        return {"verdict": own}
    return {"verdict": own, "result": joined_line(passed_parts(run_of(check, output).reading))}


def with_tests_shown(checks: Sequence[Check], family: str) -> list[Check]:
    """The checks of a line, its `check` or `verify` as tests where the line's own family says that it showed some."""
    may_be = [check for check in checks if check["family"] in MAY_TEST]
    if family != "test" or len(may_be) != 1:
        return [*checks]
    return [{**check, "family": "test"} if check is may_be[0] else check for check in checks]


def verdict_of_check(index: int, checks: Sequence[Check], output: str, verdict: str, family: str) -> str:
    """How the check at this index of the line's checks ended, as far as the line's own verdict tells."""
    if verdict == "failed":
        return verdict_in_failed_line(index, checks, family)
    if verdict == "unknown" and len(checks) > 1 and shows_tests_passed(checks[index], output):
        return "passed"
    return verdict


def verdict_in_failed_line(index: int, checks: Sequence[Check], failed_family: str) -> str:
    """How the check ended, which stands at this index of a line's checks, where one of the family failed."""
    check = checks[index]
    if failed_family not in CHECK_FAMILIES:  # another command of the line failed when they had passed
        return "passed"
    if check["family"] == failed_family:
        return "failed"
    first = next((number for number, other in enumerate(checks) if other["family"] == failed_family), 0)
    if index < first:  # with nothing but && behind it, the line went on as it had passed
        return "passed" if check["shows_exit"] else "unknown"
    return "not run" if checks[first]["shows_exit"] else "unknown"


def shows_tests_passed(check: Check, output: str) -> bool:
    """Whether the line's output shows whole that its tests passed, whatever its other checks did."""
    if check["family"] != "test":
        return False
    run = run_of(check, output)
    return bool(run.reading.tests) and not run.has_failed and is_seen_to_pass(check, run)


def run_of(check: Check, output: str) -> EndedCommand:
    """The check as if it had printed all that its line did."""
    return EndedCommand(check["command"], [check], end_by_client(output, None, None)["output"], None)


def ends_in_background(command: str, exit_code: int | None) -> list[CheckEnd]:
    """How each check of a line ended that had gone into the background, by the exit code that the client tells."""
    checks = checks_in(command)
    return [{"verdict": verdict_in_background(check, len(checks), exit_code)} for check in checks]


def verdict_in_background(check: Check, count: int, exit_code: int | None) -> str:
    """How the check ended, one of so many of its line."""
    if exit_code is None or not check["shows_exit"]:
        return "unknown"
    if exit_code == 0:
        return "passed"
    if exit_code in STOP_SIGNALS:
        return "stopped"
    return "failed" if count == 1 else "unknown"
