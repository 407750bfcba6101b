"""When which check was last run, how that ended, what was edited after it, and which failures stay open.

A failure is open when a check's last run failed by its output and no later run of at least the same breadth passed.
Nothing else is called failing: no probe, no typo, nothing that did not run.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence

from compact_keeper.record.checks import is_unchecked
from compact_keeper.record.commands import AMBIGUOUS_TASKS, TASK_RUNNERS, checks_in, covers_check
from compact_keeper.types import Check, CheckRun, Record

CHECK_FAMILIES = ("test", "types", "lint", "format", "build")
RUNS_MAX = 400  # compared, the newest: each with each
SINCE_MAX = 2
SPECIAL_TESTS = r"\b(?:e2e|integration|playwright|cypress|smoke|browser)\b"
NO_NPM_PROGRAMS = ("go ", "cargo", "pytest", "unittest", "swift", "dotnet", "rspec", "mix ", "phpunit", "mvn", "gradle",
                   "ruff", "mypy", "golangci-lint")  # what a package's own scripts are not known to run
FORMS_OF_PASSED_TESTS = {"go": r"\bpackages ok\b|\bok \S", "cargo": r"test result: ok|\d passed; 0 failed"}
SOURCES_OF_PROGRAM = {  # endings of the files that a program reads; another one may read all
    "go": ".go .mod .s .c .h", "gofmt": ".go", "goimports": ".go", "gofumpt": ".go", "golangci-lint": ".go .mod",
    "staticcheck": ".go", "gotestsum": ".go .mod", "cargo": ".rs .toml", "rustfmt": ".rs", "rustc": ".rs",
    "mypy": ".py .pyi .toml .ini .cfg", "pyright": ".py .pyi .toml .json", "ruff": ".py .pyi .ipynb .toml",
    "flake8": ".py .cfg .ini", "pylint": ".py .toml", "black": ".py .pyi .toml", "isort": ".py .toml",
    "tsc": ".ts .tsx .mts .cts .js .jsx .json .vue", "vue-tsc": ".ts .tsx .vue .json", "shellcheck": ".sh .bash",
    "actionlint": ".yml .yaml", "yamllint": ".yml .yaml", "terraform": ".tf .tfvars", "rubocop": ".rb .yml",
    "eslint": ".js .jsx .mjs .cjs .ts .tsx .mts .cts .vue .svelte .json"}
SOURCE_ENDINGS = {  # of a language in which tests are run by programs of its own
    "go": ".go", "rust": ".rs", "python": ".py", "javascript": ".js .jsx .mjs .ts .tsx .vue .svelte", "ruby": ".rb",
    "swift": ".swift", "dart": ".dart", "elixir": ".ex .exs"}


def last_runs(actions: Sequence[Record], root: str = "") -> list[CheckRun]:
    """Of each check its last run, the newest first, and behind a limited one the last broader one.

    `root` is the folder in which commands run that name none; empty: not known, then each path counts.
    """
    runs, chosen = check_runs(actions), list[CheckRun]()
    changes = sorted(changed_files(actions), key=lambda change: -change[0])
    counts = dict[str, int]()
    for run in runs:
        counts[run["name"]] = counts.get(run["name"], 0) + run["number"]
    for run in reversed(runs):
        same = [other for other in chosen if other["name"] == run["name"]]
        is_broader = len(same) == 1 and covers_check(run["check"], same[0]["check"]) and not covers_check(
            same[0]["check"], run["check"])
        if run["verdict"] != "not run" and (not same or is_broader):
            run["number"] = counts[run["name"]]
            run["edited_after"] = list(dict.fromkeys(
                path for position, path in changes
                if position > run["position"] and covers_file(run["check"], path, root)))
            chosen.append(run)
    return chosen


def open_failures(actions: Sequence[Record]) -> list[CheckRun]:
    """The checks whose last run failed and that no later run of the same breadth passed, the newest first."""
    runs, still_open = check_runs(actions), list[CheckRun]()
    for place in range(len(runs) - 1, -1, -1):
        run, later = runs[place], runs[place + 1:]
        if run["verdict"] != "failed" or any(ends_failure(other, run) for other in later):
            continue
        names = failing_names(run)
        same = next((newer for newer in still_open if names and names <= failing_names(newer)), None)
        if same:
            same["also"].append(run["command"])
            continue
        run["since"] = list(dict.fromkeys(
            other["command"] for other in reversed(later)
            if other["verdict"] == "passed" and other["family"] == run["family"]))[:SINCE_MAX]
        still_open.append(run)
    return still_open


def failing_names(run: CheckRun) -> set[str]:
    """The names of tests with which the result of a failing run begins; empty where it begins with none."""
    names = run["result"].partition(" · ")[0].split(", ")
    return {*names} if all(re.match(r"[A-Za-z_][\w./:-]{5,200}$", name) for name in names) else set()


def ends_failure(later: CheckRun, failed: CheckRun) -> bool:
    """Whether the failure is no more the last word: the check passed, failed again, or ended in an unknown way."""
    if later["verdict"] not in ("passed", "failed", "unknown"):
        return False
    if covers_check(later["check"], failed["check"]):
        return True
    if later["verdict"] == "unknown" or {later["check"]["folder"], failed["check"]["folder"]} - {""} not in (
            set(), {later["check"]["folder"]}, {failed["check"]["folder"]}):
        return False
    return runs_all(later, failed) or shows_built(later, failed)


def runs_all(later: CheckRun, failed: CheckRun) -> bool:
    """Whether a task of the whole project's stands for the check: `make test` for `pytest tests/a.py`.

    One of e2e or integration tests only where its name says that it runs them, or everything.
    """
    program, _, task = later["name"].partition(" ")
    is_task = program in TASK_RUNNERS and not later["check"]["runner"]
    if not is_task or later["family"] != failed["family"] or later["check"]["limits"]:
        return False
    if program in ("npm", "bun") and failed["name"].startswith(NO_NPM_PROGRAMS):
        return False
    special = {*re.findall(SPECIAL_TESTS, failed["check"]["command"])}
    words = {*re.findall(r"[a-z0-9]+", task.lower())}
    return not special or special <= words or bool(words & {"ci", "all", *AMBIGUOUS_TASKS})


def shows_built(later: CheckRun, failed: CheckRun) -> bool:
    """Whether tests that passed show that what did not compile compiles now."""
    program, _, _ = failed["name"].partition(" ")
    form = FORMS_OF_PASSED_TESTS.get(program, "")
    if failed["family"] != "build" or not form or (later["family"], later["verdict"]) != ("test", "passed"):
        return False
    return not later["check"]["limits"] and bool(re.search(form, later["result"]))


def check_runs(actions: Iterable[Record]) -> list[CheckRun]:
    """The runs of checks that the actions hold, the oldest first; of each action its last and its `earlier` ones."""
    runs = [run for action in actions if not action.get("path")
            for told in [*earlier_of(action), action] for run in runs_of(told)]
    return sorted(runs, key=lambda run: run["position"])[-RUNS_MAX:]


def earlier_of(action: Record) -> list[Record]:
    """The earlier results of an action, with what they share with it; none of them counts as a use of its own."""
    return [{**action, "limits": [], **told, "uses": 0} for told in action.get("earlier", [])]


def runs_of(told: Record) -> list[CheckRun]:
    """The runs of checks of a command line that ended so."""
    checks = checks_in(told["text"])
    return [{"check": check, "family": check["family"], "name": check["name"], "command": told["text"],
             "verdict": verdict_of(check, place, checks, told),
             "result": told.get("result", "") if check["family"] == told["family"] else "",
             "limits": told.get("limits", []) if len(checks) == 1 else check["limits"], "last": told["last"],
             "position": told["position"], "number": told["uses"], "edited_after": [], "since": [], "also": []}
            for place, check in enumerate(checks)]


def verdict_of(check: Check, place: int, checks: Sequence[Check], told: Record) -> str:
    """How this check of the line ended, as far as the line's own verdict tells."""
    verdict, family = str(told["verdict"]), told["family"]
    if verdict != "failed":
        return verdict
    if family not in CHECK_FAMILIES:  # another command of the line failed when they had passed
        return "passed"
    if check["family"] == family:
        return "failed"
    first = next((number for number, other in enumerate(checks) if other["family"] == family), 0)
    if place < first:  # with nothing but && behind it, the line went on as it had passed
        return "passed" if check["shows_exit"] else "unknown"
    return "not run" if checks[first]["shows_exit"] else "unknown"


# --- files ---


def changed_files(actions: Iterable[Record]) -> list[tuple[int, str]]:
    """The files that were edited, each with the place of its last edit in the session."""
    return [(action["position"], action["path"]) for action in actions if action.get("path") and action.get("edits")]


def covers_file(check: Check, path: str, root: str) -> bool:
    """Whether the check looks at the file: it lies below the folder in which it runs, and is of its language.

    Tests run against all there is, whatever test is named; a check of files looks at no more than those it names.
    """
    root = root.rstrip("/")
    folder = os.path.normpath(os.path.join(root or "/", os.path.expanduser(check["folder"].strip("\"'")) or "."))
    path = os.path.normpath(os.path.join(root or "/", path))
    endings = SOURCES_OF_PROGRAM.get(check["name"].partition(" ")[0], "").split()
    if endings and not path.endswith(tuple(endings)):
        return False
    places = [limit.strip("\"'") for limit in check["limits"] if not limit.startswith("-")]
    if check["family"] in ("test", "build") or not places:
        places = ["."]
    for place in places:
        below = os.path.normpath(os.path.join(folder, place.removesuffix("/..."))).rstrip("/") + "/"
        if path == below[:-1] or (path.startswith(below) and not is_unchecked(path[len(below):])):
            return True
    return False
