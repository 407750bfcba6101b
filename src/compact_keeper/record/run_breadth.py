"""Whether a run of a check stands for another one: it is the same check or a whole task, and at least as broad."""

from __future__ import annotations

import re

from compact_keeper.record.check_breadth import covers_check, target_of
from compact_keeper.record.check_programs import AMBIGUOUS_TASKS, TASK_RUNNERS
from compact_keeper.types import Check, CheckRun

WHOLE_TASK_WORDS = "test tests spec specs run all full check checks ci verify preflight qa lint build fmt format types"
SPECIAL_TESTS = r"\b(?:e2e|integration|playwright|cypress|smoke|browser)\b"
NO_NPM_PROGRAMS = ("go ", "cargo", "pytest", "unittest", "swift", "dotnet", "rspec", "mix ", "phpunit", "mvn", "gradle",
                   "ruff", "mypy", "golangci-lint")  # what a package's own scripts are not known to run
FORMS_OF_PASSED_TESTS = {"go": r"\bpackages ok\b|\bok \S", "cargo": r"test result: ok|\d passed; 0 failed"}


def is_same_check(run: CheckRun, other: CheckRun) -> bool:
    """Whether both are runs of one check, however broad: of one name and target, and in no two folders."""
    return (run["name"] == other["name"] and target_of(run["check"]) == target_of(other["check"])
            and len({run["check"]["folder"], other["check"]["folder"]} - {""}) < 2)


def stands_for(later: CheckRun, earlier: CheckRun) -> bool:
    """Whether the later run is of at least the earlier one's breadth, as far as that is certain."""
    if later["family"] != earlier["family"]:
        return False
    if covers_check(later["check"], earlier["check"]):
        return True
    above, folder = (run["check"]["folder"].strip("\"'").rstrip("/") for run in (later, earlier))
    return (not above or not folder or f"{folder}/".startswith(f"{above}/")) and runs_all(later, earlier)


def runs_all(later: CheckRun, failed: CheckRun) -> bool:
    """Whether a task of the whole project's stands for the check: `make test` for `pytest tests/a.py`.

    One of e2e or integration tests only where its name says that it runs them, or everything.
    """
    program, _, task = later["name"].partition(" ")
    is_task = program in TASK_RUNNERS and not later["check"]["runner"]
    if not is_task or later["family"] != failed["family"]:
        return False
    if later["check"]["limits"]:
        return runs_same_places(later["check"], failed["check"])
    if program in ("npm", "bun") and failed["name"].startswith(NO_NPM_PROGRAMS):
        return False
    special = {*re.findall(SPECIAL_TESTS, failed["check"]["command"])}
    words = {*re.findall(r"[a-z0-9]+", task.lower())}
    if failed["name"].startswith(f"{program} "):  # `test:live` may be no part of `test`
        special |= {*re.findall(r"[a-z0-9]+", failed["name"].lower())} - {
            *re.findall(r"[a-z0-9]+", program), *WHOLE_TASK_WORDS.split(), "unit", failed["family"]}
    narrowing = words - {*WHOLE_TASK_WORDS.split(), failed["family"]} - special
    return not narrowing and (special <= words or bool(words & {"all", *AMBIGUOUS_TASKS}))


def runs_same_places(later: Check, failed: Check) -> bool:
    """Whether the task was given the same files, perhaps as seen from another folder, and nothing else."""
    places, options = list[str](), list[str]()
    for limit in later["limits"]:
        (options if limit.startswith("-") else places).append(limit)
    earlier = [limit.removeprefix("./") for limit in failed["limits"] if not limit.startswith("-")]
    return (bool(earlier) and all(option.startswith(("--filter", "--workspace")) for option in options)
            and all("." in place and any(f"/{other}".endswith(f"/{place}") for other in places) for place in earlier))


def shows_built(later: CheckRun, failed: CheckRun) -> bool:
    """Whether tests that passed show that what did not compile compiles now."""
    program, _, _ = failed["name"].partition(" ")
    form = FORMS_OF_PASSED_TESTS.get(program, "")
    if failed["family"] != "build" or not form or (later["family"], later["verdict"]) != ("test", "passed"):
        return False
    return not later["check"]["limits"] and bool(re.search(form, later["result"]))
