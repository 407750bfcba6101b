"""How each check of a command line ended, where the output can be divided surely between the checks.

`python3 -m unittest; python3 -m unittest tests.test_new` prints two reports, each with a last row of its own. Taken as
one they made a run that never was: the total of one with the verdict of the other.

The output is divided only where the checks stand side by side, each of them ends in a row that is known (CLOSING_ROWS),
and these rows are as many, and in the order, as the checks that can have run. Else nobody says which part is whose.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from compact_keeper.client.call_output import end_by_client
from compact_keeper.record.commands.checks_in_line import checks_in, has_loop, indexes_of_checks
from compact_keeper.record.commands.programs import WITHOUT_EFFECT
from compact_keeper.record.commands.shell import PIPES, pieces_of, program_in
from compact_keeper.record.endings import said_of_checks
from compact_keeper.record.outcomes.lacks import lacking_in
from compact_keeper.record.outcomes.not_started import lacks_module
from compact_keeper.record.outcomes.outcome import outcome_of
from compact_keeper.record.runner_output.reading import output_lines
from compact_keeper.types import Check, CheckEnd, Outcome

CLOSING_ROWS = {  # the last row of a runner's report, which each run has once
    "unittest": r"(?:OK|FAILED|NO TESTS RAN)(?: \(.{1,80}\))?$",
    "pytest": (r"(?:=+ )?(?:\d+ (?:passed|failed|errors?|skipped|xfailed|xpassed|deselected|warnings?)|no tests ran)\b"
               r".{0,200} in [\d.]+ ?s\b"),
    "ruff check": r"All checks passed!$|Found \d+ errors?(?: \(.{1,60}\))?\.$",
    "mypy": r"Success: no issues found|Found \d+ errors? in ",
    "jest": "Ran all test suites", "vitest": r"Duration +[\d.]+"}
FILTERS_OF_BEGIN = ("tail", "cat", "tee")  # that leave the last row
GROUPED = r"(?:^|[;&|\n])\s*[({]"  # whose output may go through one filter
SENT_AWAY = r">(?!&[12]\b)"


def divided_ends(command: str, output: str) -> list[CheckEnd]:
    """Of each check of the line its verdict and result, in their order; none where that is not certain of each."""
    checks = checks_in(command)
    if len(checks) < 2 or not stand_side_by_side(command) or not show_their_ends(command, checks):
        return []
    closings = [*closing_rows(end_by_client(output, None, None)["output"], checks)]
    outcomes: list[Outcome] = []
    for check in checks:
        if outcomes and is_skipped(command, check, checks[len(outcomes) - 1], outcomes[-1]):
            outcomes.append({"verdict": "not run", "line": ""})
        elif closings and closings[0][0] in (check["runner"], lack_of(check)):
            outcomes.append(outcome_of(" | ".join([check["typed"], *check["filters"]]), closings.pop(0)[1], None, None))
        else:
            return []
    if closings:
        return []
    return [{**said_of_checks(outcome), "verdict": outcome["verdict"], "result": outcome["line"]}
            for outcome in outcomes]


def stand_side_by_side(command: str) -> bool:
    """Whether nothing stands between the line's checks that might mend what one found, and none is a second try."""
    checks, pieces = checks_in(command), pieces_of(command)
    if not checks or "pipefail" in command:
        return False
    own = indexes_of_checks(checks)
    first, last = checks[0]["index"], max(own)
    signs = {pieces[index][1] for index in range(first, last)}
    others = [program_in(pieces[index][0]) for index in range(first, last) if index not in own]
    return signs <= {";", "\n", "&&", *PIPES} and {*others} <= {*WITHOUT_EFFECT}


def show_their_ends(command: str, checks: Sequence[Check]) -> bool:
    """Whether each check's last row stands in the output, in the checks' order.

    Older clients put what went to stderr behind all else: a later `2>&1` may have come before an earlier run.
    """
    if re.search(GROUPED, command) or has_loop(pieces_of(command)):
        return False
    if not all(map(shows_last_row, checks)):
        return False
    joined: dict[str, list[bool]] = {}  # of each runner's checks, whether stderr is joined
    for check in checks:
        joined.setdefault(check["runner"], []).append("2>&1" in check["typed"])
    return all(signs == sorted(signs, reverse=True) for signs in joined.values())


def shows_last_row(check: Check) -> bool:
    """Whether the check ends in a row that is known, and nothing keeps that out of the output."""
    if check["runner"] not in CLOSING_ROWS or re.search(SENT_AWAY, check["typed"]):
        return False
    return all(program_in(text) in FILTERS_OF_BEGIN for text in check["filters"])


def is_skipped(command: str, check: Check, before: Check, outcome: Outcome) -> bool:
    """Whether the shell left the check out, as the one right before it, with `&&` between them, did not pass."""
    joined = pieces_of(command)[check["index"] - 1]
    is_behind = check["index"] == before["index"] + len(before["filters"]) + 1
    return is_behind and joined[1] == "&&" and not before["filters"] and outcome["verdict"] != "passed"


def closing_rows(output: str, checks: Sequence[Check]) -> Iterator[tuple[str, str]]:
    """The parts of the output, each up to a row with which a check ended: whose it is, and its rows."""
    runners = dict.fromkeys(check["runner"] for check in checks)
    part: list[str] = []
    for row in output_lines(output):
        part.append(row)
        text = row.strip()
        runner = next((name for name in runners if re.match(CLOSING_ROWS[name], text)), "")
        runner = runner or next((lack_of(check) for check in checks if lacks_program(check, text)), "")
        if runner:
            yield runner, "\n".join(part)
            part = []


def lack_of(check: Check) -> str:
    """What closes the check whose program is not there."""
    return f"no {check['command'].split()[0]}"


def lacks_program(check: Check, text: str) -> bool:
    """Whether the row says that the check's program, or Python's module of it, is not there."""
    return lacks_module(check["typed"], text) or bool(lacking_in(check["typed"], text))
