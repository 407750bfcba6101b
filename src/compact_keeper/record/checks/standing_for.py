"""Whether a run of a check stands for another one: it is the same check or a whole task, and at least as broad."""

from __future__ import annotations

import re

from compact_keeper.record.commands.check_breadth import (
    are_elsewhere,
    build_targets_of,
    covers_check,
    is_same_name,
    options_in,
    targets_in,
)
from compact_keeper.record.commands.check_programs import ANY_CHECK
from compact_keeper.record.commands.program_languages import NO_NPM_PROGRAMS
from compact_keeper.record.commands.programs import PACKAGE_RUNNERS, TASK_RUNNERS
from compact_keeper.text.paths import is_at_or_below
from compact_keeper.types import Check, CheckRun

WHOLE_TASK_WORDS = frozenset(
    "test tests spec specs run all full check checks ci verify preflight qa lint build fmt format types".split())
NAME_WORD = r"[a-z0-9]+"
NARROWING_OPTIONS = ("--filter", "--workspace")  # that choose a package, where the files of both are compared
SPECIAL_TESTS = r"\b(?:e2e|integration|playwright|cypress|smoke|browser)\b"
OUTPUT_OF_BUILD = r"\s-o ?([^\s-]\S*)"
FORMS_OF_PASSED_TESTS = {"go": r"\bpackages ok\b|\bok \S", "cargo": r"test result: ok|\d passed; 0 failed"}


def is_same_check(run: CheckRun, other: CheckRun) -> bool:
    """Whether both are runs of one check, however broad: of one name and target, and in no two folders."""
    check, other_check = run["check"], other["check"]
    if not is_same_name(check, other_check) or build_targets_of(check) != build_targets_of(other_check):
        return False
    return not are_elsewhere(check, other_check)


def stands_for(later: CheckRun, earlier: CheckRun) -> bool:
    """Whether the later run is of at least the earlier one's breadth, as far as that is certain."""
    if is_beside(later, earlier):
        return False
    if covers_check(later["check"], earlier["check"]):
        return True
    if later["family"] != earlier["family"] or later["family"] == ANY_CHECK:
        return False
    above, folder = later["check"]["folder"], earlier["check"]["folder"]
    return (not folder or is_at_or_below(folder, above)) and runs_all(later, earlier)


def is_beside(run: CheckRun, other: CheckRun) -> bool:
    """Whether they are two commands of one line, on the same files: what one passed does not mend what the other found.

    `python3 -m unittest tests.test_new; python3 -m unittest`: the whole suite does not load the module that is missing.
    """
    return (run["position"], run["line"]) == (other["position"], other["line"]) and run["command"] != other["command"]


def runs_all(later: CheckRun, failed: CheckRun) -> bool:
    """Whether a task of the whole project's stands for the check of its family: `make test` for `pytest tests/a.py`.

    One of e2e or integration tests only where its name says that it runs them, or everything.
    """
    program, _, task = later["name"].partition(" ")
    if program not in TASK_RUNNERS or later["check"]["runner"]:
        return False
    if later["check"]["limits"]:
        return runs_same_targets(later["check"], failed["check"])
    if program in PACKAGE_RUNNERS and failed["name"].startswith(NO_NPM_PROGRAMS):
        return False
    special = special_words(failed, program)
    words = {*re.findall(NAME_WORD, task.lower())}
    narrowing = words - WHOLE_TASK_WORDS - special - {failed["family"]}
    return not narrowing and (special <= words or "all" in words)


def special_words(failed: CheckRun, program: str) -> set[str]:
    """The words that say that the check is of a special kind, which a task of the program has to name."""
    special = {*re.findall(SPECIAL_TESTS, failed["check"]["command"])}
    if failed["name"].startswith(f"{program} "):  # `test:live` may be no part of `test`
        plain = {*re.findall(NAME_WORD, program), "unit", failed["family"]} | WHOLE_TASK_WORDS
        special |= {*re.findall(NAME_WORD, failed["name"].lower())} - plain
    return special


def runs_same_targets(later: Check, failed: Check) -> bool:
    """Whether the task was given the same files, perhaps as seen from another folder, and nothing else."""
    if not all(option.startswith(NARROWING_OPTIONS) for option in options_in(later)):
        return False
    targets = targets_in(later)
    earlier = [target.removeprefix("./") for target in targets_in(failed)]
    return bool(earlier) and all(
        "." in target and any(f"/{other}".endswith(f"/{target}") for other in targets) for target in earlier)


def output_built(check: Check) -> str:
    """The file that a compiler was told to make; empty: none, or one that nobody keeps."""
    named = re.search(OUTPUT_OF_BUILD, check["command"])
    return "" if named is None or named[1] == "/dev/null" else named[1]


def shows_built(later: CheckRun, failed: CheckRun) -> bool:
    """Whether a build of the same output, or tests that passed, show that what did not compile compiles now."""
    if later["family"] == failed["family"] == "build" and later["verdict"] == "passed":
        output = output_built(failed["check"])
        return bool(output) and output == output_built(later["check"]) and not are_elsewhere(later["check"],
                                                                                             failed["check"])
    form = FORMS_OF_PASSED_TESTS.get(failed["name"].partition(" ")[0], "")
    if failed["family"] != "build" or not form or later["check"]["limits"]:
        return False
    return later["family"] == "test" and later["verdict"] == "passed" and re.search(form, later["result"]) is not None
