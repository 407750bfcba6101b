"""The runs of checks that the record's actions hold, each with its own verdict where a line ran several."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from compact_keeper.record.commands.check_programs import CHECK_FAMILIES, MAY_TEST, SILENT_RUNNERS
from compact_keeper.record.commands.checks_in_line import checks_in
from compact_keeper.record.commands.shell import pieces_of
from compact_keeper.record.endings import FROM_CACHE, RESULT_OF_END, endings_of
from compact_keeper.record.git.stashes import runs_without_changes
from compact_keeper.record.outcomes.ended_command import EndedCommand
from compact_keeper.record.outcomes.verdicts import STOP_SIGNALS, is_seen_to_pass
from compact_keeper.types import Check, CheckRun, Ending, Item

OUTPUT_LEFT_OUT = "…"
ENDED_IN_BACKGROUND = "in the background: "
RUNS_MAX = 200  # compared, the newest: each with each
ROWS_IN_RESULT = r" [·⏎] "  # between rows of an output in a result


def check_runs(actions: Iterable[Item]) -> list[CheckRun]:
    """The newest runs of checks that the actions hold, the oldest first."""
    endings = [ending for ending in endings_of(actions) if may_run_checks(ending)][-RUNS_MAX:]
    return [run for ending in endings if not runs_without_changes(ending["text"]) for run in runs_of(ending)]


def may_run_checks(ending: Ending) -> bool:
    """Whether the line may run a check: its family says so, if not another command failed, or none is known yet."""
    if ending["family"] in CHECK_FAMILIES or ending["verdict"] in ("failed", "running"):
        return True
    return str(ending.get("result") or "").startswith(ENDED_IN_BACKGROUND)


def runs_of(ending: Ending) -> list[CheckRun]:
    """The runs of checks of a command line that ended so."""
    checks, ends = with_tests_shown(checks_in(ending["text"]), ending["family"]), ending.get("ends", [])
    owner = family_of_result(ending, checks)
    runs: list[CheckRun] = []
    for place, check in enumerate(checks):
        verdict = verdict_of(check, place, checks, ending)
        is_alone = sum(other["family"] == check["family"] for other in checks) == 1
        run: CheckRun = {
            "check": check, "family": check["family"], "name": check["name"],
            "command": ending["text"], "line": ending["text"],
            "verdict": verdict, "is_certain": is_alone or verdict != "failed",
            "result": ending.get("result", "") if check["family"] == owner else "",
            "is_cached": len(checks) == 1 and FROM_CACHE in ending.get("limits", []),
            "last": ending["last"], "position": ending["position"], "number": ending["uses"],
            "edited_after": [], "taken_back_after": [], "since": [], "also": [], "unseen": [], "newer": []}
        if len(ends) == len(checks):  # each check's own, where the output could be divided
            verdict, _, result = ends[place].partition(RESULT_OF_END)
            run.update({"command": check["typed"], "verdict": verdict, "is_certain": True, "result": result.strip()})
        runs.append(run)
    return runs


def with_tests_shown(checks: Sequence[Check], family: str) -> list[Check]:
    """The checks of a line, its `check` or `verify` as tests where the line's own family says that it showed some."""
    may_be = [check for check in checks if check["family"] in MAY_TEST]
    if family != "test" or len(may_be) != 1:
        return [*checks]
    return [{**check, "family": "test"} if check is may_be[0] else check for check in checks]


def family_of_result(ending: Ending, checks: Sequence[Check]) -> str:
    """The family of the line's checks of which its result tells: that which failed, else the first that says much."""
    if ending["family"] and (ending["verdict"] == "failed" or len(pieces_of(ending["text"])) == 1):
        return ending["family"]
    speaking = [check["family"] for check in checks if check["runner"] not in SILENT_RUNNERS]
    return next((family for family in CHECK_FAMILIES if family in speaking), "")


def verdict_of(check: Check, place: int, checks: Sequence[Check], ending: Ending) -> str:
    """How this check of the line ended, as far as the line's own verdict tells."""
    verdict, result = str(ending["verdict"]), str(ending.get("result") or "")
    lacking: object = ending.get("lacking")  # of an action, not of an earlier end that it keeps
    if len(checks) > 1 and isinstance(lacking, list) and check["command"].split()[0] in lacking:
        return "not run"
    if verdict == "failed":
        return verdict_in_failed_line(check, place, checks, ending["family"])
    if verdict == "ended":
        return verdict_in_background(check, checks, result)
    if verdict == "unknown" and len(checks) > 1 and shows_tests_passed(check, result):
        return "passed"
    return verdict


def verdict_in_failed_line(check: Check, place: int, checks: Sequence[Check], failed_family: str) -> str:
    """How the check ended, which stands at this place of a line's checks, where one of the family failed."""
    if failed_family not in CHECK_FAMILIES:  # another command of the line failed when they had passed
        return "passed"
    if check["family"] == failed_family:
        return "failed"
    first = next((number for number, other in enumerate(checks) if other["family"] == failed_family), 0)
    if place < first:  # with nothing but && behind it, the line went on as it had passed
        return "passed" if check["shows_exit"] else "unknown"
    return "not run" if checks[first]["shows_exit"] else "unknown"


def verdict_in_background(check: Check, checks: Sequence[Check], result: str) -> str:
    """How a check of a line ended that had gone into the background, by the exit code that the client tells."""
    code = re.search(r"\bexit code (\d{1,3})\b", result)
    if code is None or not check["shows_exit"]:
        return "unknown"
    if code[1] == "0":
        return "passed"
    if code[1] in STOP_SIGNALS:
        return "stopped"
    return "failed" if len(checks) == 1 else "unknown"


def shows_tests_passed(check: Check, result: str) -> bool:
    """Whether what is kept of the line's output shows whole that its tests passed, whatever its other checks did."""
    if check["family"] != "test" or OUTPUT_LEFT_OUT in result:
        return False
    run = EndedCommand(check["command"], [check], "\n".join(re.split(ROWS_IN_RESULT, result)), None)
    return bool(run.reading.tests) and not run.has_failed and is_seen_to_pass(check, run)
