"""When which check was last run, how that ended, what was edited after it, and which failures stay open.

A failure is open when a check's last run failed by its output and no later run of at least the same breadth passed, or
ended unseen: what is not known is not called failing.
Nothing else is called failing: no probe, no typo, nothing that did not run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from compact_keeper.record.checks.checked_files import with_changes_since
from compact_keeper.record.checks.standing_for import is_beside, is_same_check, shows_built, stands_for
from compact_keeper.record.commands.check_breadth import covers_check, may_cover_check
from compact_keeper.record.commands.programs import SEARCHING
from compact_keeper.record.endings import KNOWN_VERDICTS, LOST_OUTPUT
from compact_keeper.record.items import edits_newest_first
from compact_keeper.record.outcomes.mended import mended
from compact_keeper.types import CheckRun, Item, MendedForm

SINCE_MAX = 2  # checks that passed since a failure and are named beside it
SOME_LINES = rf"\|\s*(?:{'|'.join(SEARCHING)})\b"  # of whose output only some lines were asked for
TOTAL_FAILED = r"\b\d+ (?:failed|failing|failures?|errors?)\b"  # beside which each failed test is named, or more failed


def last_runs(actions: Sequence[Item], root: str, runs: Sequence[CheckRun]) -> list[CheckRun]:
    """Of each check its last broad run that is known to have ended, the check that ran last first.

    With it, as `later_runs`, its last run where that was limited, or did not show how it ended; where one of
    them failed each stands by itself.

    `root` is the folder in which commands run that name none; empty: not known, then each path counts. `runs` are the
    actions' check_runs; they stay as they are.
    """
    edits = edits_newest_first(actions)
    last = [run for of_check in runs_worth_telling(runs) for run in with_later_runs(of_check)]
    return [with_changes_since(run, edits, root) for run in last]


def with_those_behind(runs: Sequence[CheckRun]) -> Iterator[tuple[CheckRun, Sequence[CheckRun]]]:
    """Each run with those behind it, the newest first; `runs`, and those behind it, are the oldest first."""
    for index in range(len(runs) - 1, -1, -1):
        yield runs[index], runs[index + 1:]


def runs_worth_telling(runs: Sequence[CheckRun]) -> list[list[CheckRun]]:
    """Of each check, the one that ran last first, the runs of which none says what a later one says, newest first."""
    by_check: list[list[CheckRun]] = []
    for run, later in with_those_behind(runs):
        if run["verdict"] == "not run" or is_overtaken(run, later):
            continue
        of_check = next((others for others in by_check if is_same_check(others[0], run)), None)
        if of_check is None:
            by_check.append([run])
        elif tells_more(run, of_check):
            of_check.append(run)
    return by_check


def with_later_runs(of_check: Sequence[CheckRun]) -> list[CheckRun]:
    """The broadest of a check's runs, the newest first, whose end is known, with a later one as `later_runs`.

    Where one failed, all of them: the failure is told by itself, and so is what came after it.
    """
    if any(run["verdict"] == "failed" for run in of_check):
        return [*of_check]
    known = [run for run in of_check if run["verdict"] in KNOWN_VERDICTS]
    if not known:
        return [of_check[0]]
    whole = known[-1]
    later = known[:-1] or [run for run in of_check if run is not whole]
    return [{**whole, "later_runs": later[:1]}]


def is_overtaken(run: CheckRun, later: Sequence[CheckRun]) -> bool:
    """Whether a later run of another check, or of the same in another folder, stands for the run."""
    others = [other for other in later if other["verdict"] in KNOWN_VERDICTS and not is_same_check(other, run)]
    return any(stands_for(other, run) or shows_built(other, run) for other in others)


def tells_more(run: CheckRun, chosen: Sequence[CheckRun]) -> bool:
    """Whether an earlier run says what those later ones do not: how the check ended, or how a broader run of it did."""
    if run["verdict"] not in KNOWN_VERDICTS:
        return False
    if all(other["verdict"] not in KNOWN_VERDICTS for other in chosen):
        return True
    return all(covers_check(run["check"], other["check"]) and not covers_check(other["check"], run["check"])
               for other in chosen)


def open_failures(actions: Sequence[Item], root: str, runs: Sequence[CheckRun]) -> list[CheckRun]:
    """The checks whose last run failed, where no later one of the same breadth passed or ended unseen; newest first.

    `root` and `runs` are those of last_runs.
    """
    edits = edits_newest_first(actions)
    forms = mended(actions)
    still_open: list[CheckRun] = []
    for run, later in with_those_behind(runs):
        is_ended = run["verdict"] != "failed" or any(ends_failure(other, run) for other in later)
        if is_ended or may_be_of_another_check(run, runs) or had_wrong_form(run, forms):
            continue
        names = failing_names(run)
        if not run["is_certain"] and any(is_same_line(run, newer) for newer in still_open):
            continue
        same = next((newer for newer in still_open if names and names <= failing_names(newer)), None)
        if same:
            same["same_failure_in"].append(run["command"])
            continue
        is_partly_seen = re.search(SOME_LINES, run["command"]) and not re.search(TOTAL_FAILED, run["result"])
        unseen = names_before(run, runs[:-len(later) - 1]) if is_partly_seen else []
        still_open.append({**with_changes_since(run, edits, root), "passed_since": passed_since(run, later),
                           "same_failure_in": [], "unseen": unseen})
    return still_open


def could_not_run(actions: Sequence[Item], runs: Sequence[CheckRun]) -> list[CheckRun]:
    """The last run of each check that could not run and says why, where nothing stands for it since; the newest first.

    What the person refused says nothing. `runs` are the actions' check_runs.
    """
    forms = mended(actions)
    shown: list[CheckRun] = []
    for run, later in with_those_behind(runs):
        is_tried_since = any(other["name"] == run["name"] for other in later) or is_overtaken(run, later)
        if run["verdict"] == "not run" and run["result"] and not is_tried_since and not had_wrong_form(run, forms):
            shown.append(run)
    return shown


def is_same_line(run: CheckRun, other: CheckRun) -> bool:
    """Whether both are runs of one family in one line."""
    return (run["position"], run["command"], run["family"]) == (other["position"], other["command"], other["family"])


def may_be_of_another_check(run: CheckRun, runs: Sequence[CheckRun]) -> bool:
    """Whether the failure may be that of another check of its line, of which a later run passed.

    `pytest tests/a.py; pytest tests/b.py` with one failure in all, and `pytest tests/a.py` passed later: whether
    tests/b.py failed is not known.
    """
    if run["is_certain"]:
        return False
    beside = [other for other in runs if other["verdict"] == "failed" and other["family"] == run["family"]
              and (other["position"], other["line"]) == (run["position"], run["line"])]
    later = [other for other in runs if other["position"] > run["position"] and other["verdict"] == "passed"]
    return any(ends_failure(passed, failed) for passed in later for failed in beside)


def had_wrong_form(run: CheckRun, forms: Sequence[MendedForm]) -> bool:
    """Whether the command was not called as it should be, and another form of it worked."""
    return any(run["position"] <= form["position"] and run["line"] == form["failed"] for form in forms)


def passed_since(run: CheckRun, later: Sequence[CheckRun]) -> list[str]:
    """The newest commands of the same kind that passed after a run."""
    commands = [other["command"] for other in reversed(later)
                if other["verdict"] == "passed" and other["family"] == run["family"]]
    return [*dict.fromkeys(commands)][:SINCE_MAX]


def names_before(run: CheckRun, earlier: Sequence[CheckRun]) -> list[str]:
    """The tests that failed in the last run of the same breadth before this one, and that this one does not name."""
    for other in reversed(earlier):
        if stands_for(run, other) and other["verdict"] in KNOWN_VERDICTS:
            names = other.get("failed_names", ()) if other["verdict"] == "failed" else ()
            return [] if run.get("has_more_failed") else sorted({*names} - {*run.get("failed_names", ())})
    return []


def passed_later(runs: Sequence[CheckRun]) -> set[int]:
    """The positions of failing runs after which a run of at least the same breadth passed."""
    return {run["position"] for run, later in with_those_behind(runs) if run["verdict"] == "failed" and any(
        other["verdict"] == "passed" and stands_for(other, run) for other in later)}


def spans_of_tests_passed_later(runs: Sequence[CheckRun]) -> list[tuple[int, int]]:
    """From where to where, by positions, tests failed that passed later.

    From the run of tests before, as of several that failed the same the last alone is kept, up to the run behind.
    """
    tests = [run for run in runs if run["family"] == "test" and run["verdict"] in KNOWN_VERDICTS]
    passing_later, begins = passed_later(tests), [0, *(run["position"] for run in tests)]
    return [(begin, following["position"]) for begin, run, following in zip(begins, tests, tests[1:])
            if run["verdict"] == "failed" and run["position"] in passing_later]


def failed_again(runs: Sequence[CheckRun]) -> set[int]:
    """The positions of failing runs after which a run of at least the same breadth failed, too."""
    return {run["position"] for run, later in with_those_behind(runs) if run["verdict"] == "failed" and any(
        other["verdict"] == "failed" and other["position"] > run["position"] and stands_for(other, run)
        for other in later)}


def failing_names(run: CheckRun) -> set[str]:
    """The names of what failed in a run; empty where more may have failed than has a name."""
    return set() if run.get("has_more_failed") else {*run.get("failed_names", ())}


def ends_failure(later: CheckRun, failed: CheckRun) -> bool:
    """Whether the failure is no more the last word: the check passed, failed again, or ended in an unknown way.

    Not where nobody saw the output: that run is told beside the failure.
    """
    if later["verdict"] not in (*KNOWN_VERDICTS, "unknown") or later["result"].startswith(LOST_OUTPUT):
        return False
    if not is_beside(later, failed) and may_cover_check(later["check"], failed["check"]):
        return True
    return later["verdict"] != "unknown" and (stands_for(later, failed) or shows_built(later, failed))
