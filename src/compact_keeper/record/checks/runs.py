"""The runs of checks that the record's actions hold, each with its own verdict where a line ran several."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from compact_keeper.record.commands.check_programs import CHECK_FAMILIES
from compact_keeper.record.commands.checks_in_line import checks_in
from compact_keeper.record.commands.programs import SILENT_RUNNERS
from compact_keeper.record.commands.shell import UNNAMED_FOLDER, pieces_of
from compact_keeper.record.endings import endings_of, said_of_checks
from compact_keeper.record.git.stashes import runs_without_changes
from compact_keeper.record.outcomes.check_ends import with_tests_shown
from compact_keeper.text.paths import whole_path, with_home
from compact_keeper.types import Check, CheckEnd, CheckRun, Ending, Item

NO_WORDS: CheckEnd = {}
RUNS_MAX = 200  # compared, the newest: each with each


def check_runs(actions: Iterable[Item], root: str = "") -> list[CheckRun]:
    """The newest runs of checks that the actions hold, the oldest first.

    `root` is the folder in which commands ran that name none; empty: not known.
    """
    endings = [ending for ending in endings_of(actions) if may_run_checks(ending)][-RUNS_MAX:]
    return [run for ending in endings if not runs_without_changes(ending["text"]) for run in runs_of(ending, root)]


def may_run_checks(ending: Ending) -> bool:
    """Whether the line may run a check: its family says so, if not another command failed, or none is known yet."""
    is_open = ending["verdict"] in ("failed", "running") or ending.get("is_in_background", False)
    return is_open or ending["family"] in CHECK_FAMILIES


def runs_of(ending: Ending, root: str) -> list[CheckRun]:
    """The runs of checks of a command line that ended so."""
    checks = with_tests_shown(checks_in(ending["text"]), ending["family"])
    alike: CheckEnd = {"verdict": ending["verdict"]}
    ends = ending.get("ends", [alike] * len(checks))
    owner = family_of_result(ending, checks)
    runs: list[CheckRun] = []
    for check, end in zip(checks, ends):
        is_own = "result" in end
        source = end if is_own else ending if check["family"] == owner else NO_WORDS
        is_alone = sum(other["family"] == check["family"] for other in checks) == 1
        runs.append({
            **said_of_checks(source), "check": in_whole_folder(check, ending, root), "family": check["family"],
            "name": check["name"],
            "command": check["typed"] if is_own else ending["text"], "line": ending["text"],
            "verdict": end["verdict"], "is_certain": is_own or is_alone or end["verdict"] != "failed",
            "result": source.get("result", ""),
            "is_in_background": ending.get("is_in_background", False),
            "last": ending["last"], "position": ending["position"],
            "edited_after": [], "taken_back_after": [], "passed_since": [], "same_failure_in": [], "unseen": [],
            "later_runs": []})
    return runs


def in_whole_folder(check: Check, ending: Ending, root: str) -> Check:
    """The check of a command that ended so, its folder as a whole path where it is known.

    A build that failed in one package had stood as passed later, by a build of the package that the shell was in.
    """
    base, folder = ending.get("folder", "") or root, with_home(check["folder"], root)
    if not base or re.search(UNNAMED_FOLDER, folder):
        return check
    return {**check, "folder": whole_path(folder, base)}


def family_of_result(ending: Ending, checks: Sequence[Check]) -> str:
    """The family of the line's checks of which its result tells: that which failed, else the first that says much."""
    if ending["family"] and (ending["verdict"] == "failed" or len(pieces_of(ending["text"])) == 1):
        return ending["family"]
    speaking = [check["family"] for check in checks if check["runner"] not in SILENT_RUNNERS]
    return next((family for family in CHECK_FAMILIES if family in speaking), "")
