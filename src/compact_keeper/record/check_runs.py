"""The runs of checks that the record's actions hold, each with its own verdict where a line ran several."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from compact_keeper.record.check_programs import CHECK_FAMILIES, SILENT_RUNNERS
from compact_keeper.record.commands import checks_in
from compact_keeper.record.ended_command import EndedCommand
from compact_keeper.record.results import results_of
from compact_keeper.record.shell import pieces_of
from compact_keeper.record.verdicts import is_seen_to_pass
from compact_keeper.types import Check, CheckRun, Ending, Item

KNOWN_VERDICTS = ("passed", "failed")
OUTPUT_LEFT_OUT = "…"
ENDED_IN_BACKGROUND = "in the background: "
RUNS_MAX = 200  # compared, the newest: each with each
PUT_AWAY = r"\bgit stash(?: push| -\S{1,20})*\s*(?:&&|;)"  # the run is of the tree before the changes


def check_runs(actions: Iterable[Item]) -> list[CheckRun]:
    """The newest runs of checks that the actions hold, the oldest first."""
    outcomes = [outcome for outcome in results_of(actions) if may_run_checks(outcome)][-RUNS_MAX:]
    of_changes = [outcome for outcome in outcomes
                  if "git stash" not in outcome["text"] or not re.search(PUT_AWAY, outcome["text"])]
    return [run for outcome in of_changes for run in runs_of(outcome)]


def may_run_checks(outcome: Ending) -> bool:
    """Whether the line may run a check: its family says so, if not another command failed, or none is known yet."""
    return (outcome["family"] in CHECK_FAMILIES or outcome["verdict"] in ("failed", "running")
            or str(outcome.get("result") or "").startswith(ENDED_IN_BACKGROUND))


def runs_of(outcome: Ending) -> list[CheckRun]:
    """The runs of checks of a command line that ended so."""
    checks = checks_in(outcome["text"])
    speaking = [check["family"] for check in checks if check["runner"] not in SILENT_RUNNERS]
    owner = next((family for family in CHECK_FAMILIES if family in speaking), "")
    if outcome["verdict"] == "failed" or len(pieces_of(outcome["text"])) == 1:
        owner = outcome["family"] or owner
    return [{"check": check, "family": check["family"], "name": check["name"], "command": outcome["text"],
             "verdict": verdict_of(check, place, checks, outcome),
             "result": outcome.get("result", "") if check["family"] == owner else "",
             "limits": outcome.get("limits", []) if len(checks) == 1 else check["limits"], "last": outcome["last"],
             "position": outcome["position"], "number": outcome["uses"], "edited_after": [], "since": [], "also": [],
             "unseen": [], "newer": []}
            for place, check in enumerate(checks)]


def verdict_of(check: Check, place: int, checks: Sequence[Check], outcome: Ending) -> str:
    """How this check of the line ended, as far as the line's own verdict tells."""
    verdict, family = str(outcome["verdict"]), outcome["family"]
    if verdict == "unknown" and len(checks) > 1 and shows_tests_passed(check, str(outcome.get("result") or "")):
        return "passed"
    if verdict != "failed":
        return verdict_in_background(check, checks, outcome) if verdict == "ended" else verdict
    if family not in CHECK_FAMILIES:  # another command of the line failed when they had passed
        return "passed"
    if check["family"] == family:
        return "failed"
    first = next((number for number, other in enumerate(checks) if other["family"] == family), 0)
    if place < first:  # with nothing but && behind it, the line went on as it had passed
        return "passed" if check["shows_exit"] else "unknown"
    return "not run" if checks[first]["shows_exit"] else "unknown"


def verdict_in_background(check: Check, checks: Sequence[Check], outcome: Ending) -> str:
    """How a check of a line ended that had gone into the background, by the exit code that the client tells."""
    code = re.search(r"\bexit code (\d{1,3})\b", str(outcome.get("result") or ""))
    if code is None or not check["shows_exit"] or (code[1] != "0" and len(checks) > 1):
        return "unknown"
    return "passed" if code[1] == "0" else "failed"


def shows_tests_passed(check: Check, result: str) -> bool:
    """Whether what is kept of the line's output shows whole that its tests passed, whatever its other checks did."""
    if check["family"] != "test" or OUTPUT_LEFT_OUT in result:
        return False
    run = EndedCommand(check["command"], [check], "\n".join(re.split(r" [|·] ", result)), None)
    return bool(run.reading.tests) and not run.has_failed and is_seen_to_pass(check, run)
