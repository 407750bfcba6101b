"""When which check was last run, how that ended, what was edited after it, and which failures stay open.

A failure is open when a check's last run failed by its output and no later run of at least the same breadth passed.
Nothing else is called failing: no probe, no typo, nothing that did not run.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence

from compact_keeper.record.checks import is_unchecked
from compact_keeper.record.commands import (
    AMBIGUOUS_TASKS,
    SILENT_RUNNERS,
    TASK_RUNNERS,
    checks_in,
    covers_check,
    pieces_of,
    target_of,
)
from compact_keeper.record.mended import mended
from compact_keeper.record.outcomes import Run, is_seen_to_pass
from compact_keeper.record.results import results_of
from compact_keeper.types import Check, CheckRun, Ending, Item

CHECK_FAMILIES = ("test", "build", "types", "lint", "format")  # those that tell most first
KNOWN_VERDICTS = ("passed", "failed")
OUTPUT_LEFT_OUT, ENDED_IN_BACKGROUND = "…", "in the background: "
RUNS_MAX = 200  # compared, the newest: each with each
PUT_AWAY = r"\bgit stash(?: push| -\S{1,20})*\s*(?:&&|;)"  # the run is of the tree before the changes
SINCE_MAX = 2
SOME_LINES = r"\|\s*(?:e?grep|rg|ag)\b"
WHOLE_TASK_WORDS = "test tests spec specs run all full check checks ci verify preflight qa lint build fmt format types"
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
SOURCE_LANGUAGES = {  # endings of sources that belong to one of them
    "apple": ".swift .m .mm .storyboard .xib .pbxproj .xcconfig .entitlements",
    "go": ".go", "rust": ".rs", "python": ".py .pyi", "jvm": ".kt .java",
    "dotnet": ".cs .fs .vb", "ruby": ".rb", "php": ".php", "dart": ".dart", "elixir": ".ex .exs",
    "web": ".ts .tsx .mts .cts .js .jsx .mjs .cjs .vue .svelte .html .css .scss"}
SOURCE_ENDINGS = tuple(" ".join(SOURCE_LANGUAGES.values()).split())
SOURCES_ELSEWHERE_MIN = 5  # edited outside of the working folder: fewer may be probes
LANGUAGES_OF_PROGRAM = {  # programs that read many kinds of files, but no sources of other languages than these
    "xcodebuild": "apple", "swift": "apple", "dotnet": "dotnet web", "flutter": "dart", "dart": "dart",
    "mix": "elixir web", "rspec": "ruby web",
    **dict.fromkeys(("npm", "bun", "vitest", "jest", "vite", "next", "webpack", "tsup"), "web")}
OTHER_THAN_WEB = "(?i)ios|android|native|mobile|tauri|electron|swift|rust|go\\b|python|wasm|ci\\b|all|check|verify|e2e"
TESTS_OF_LANGUAGE = {  # endings of sources; the tests that programs of the language's own run
    ".go": ("go test", "gotestsum"), ".rs": ("cargo test", "cargo nextest"),
    ".swift": ("swift test", "xcodebuild test"),
    ".py": ("pytest", "unittest", "nose2", "tox", "nox", "manage.py test", "behave"),
    ".rb": ("rspec", "minitest", "rails test", "cucumber"), ".ex": ("mix test",),
    ".dart": ("flutter test", "dart test")}



def last_runs(actions: Sequence[Item], root: str = "", runs: Sequence[CheckRun] = ()) -> list[CheckRun]:
    """Of each check its last broad run that is known to have ended, the check that ran last first.

    With it, as `newer`, its last run where that was limited, or did not show how it ended; where one of them failed
    each stands by itself.

    `root` is the folder in which commands run that name none; empty: not known, then each path counts. `runs` are the
    actions' check_runs, where they are known already; they stay as they are.
    """
    runs = runs or check_runs(actions)
    changes = sorted(changed_files(actions), key=lambda change: -change[0])
    counts = dict[str, int]()
    for run in runs:
        counts[run["name"]] = counts.get(run["name"], 0) + run["number"]
    by_check: list[list[CheckRun]] = []  # of each check, the one that ran last first: its runs worth telling
    for place in range(len(runs) - 1, -1, -1):
        run = runs[place]
        if run["verdict"] == "not run" or is_overtaken(run, runs[place + 1:]):
            continue
        same = next((chosen for chosen in by_check if is_same_check(chosen[0], run)), None)
        if same is None:
            by_check.append([run])
        elif tells_more(run, same):
            same.append(run)
    last: list[CheckRun] = []
    for chosen in by_check:
        whole = next((run for run in reversed(chosen) if run["verdict"] in KNOWN_VERDICTS), chosen[0])
        is_failed = any(run["verdict"] == "failed" for run in chosen)  # told by itself, and so is what came after it
        later = [run for run in chosen if run is not whole and not is_failed]
        newer = ([run for run in later if run["verdict"] in KNOWN_VERDICTS] or later)[:1]
        shown = chosen if is_failed else [whole]
        last += [{**run, "number": counts[run["name"]], "edited_after": edited_after(run, changes, root),
                  "newer": newer} for run in shown]
    return last


def is_overtaken(run: CheckRun, later: Sequence[CheckRun]) -> bool:
    """Whether a later run of another check stands for the run."""
    others = [other for other in later if other["verdict"] in KNOWN_VERDICTS and other["name"] != run["name"]]
    return any(stands_for(other, run) or shows_built(other, run) for other in others)


def is_same_check(run: CheckRun, other: CheckRun) -> bool:
    """Whether both are runs of one check, however broad: of one name and target, and in no two folders."""
    return (run["name"] == other["name"] and target_of(run["check"]) == target_of(other["check"])
            and len({run["check"]["folder"], other["check"]["folder"]} - {""}) < 2)


def tells_more(run: CheckRun, chosen: Sequence[CheckRun]) -> bool:
    """Whether an earlier run says what those later ones do not: how the check ended, or how a broader run of it did."""
    if run["verdict"] not in KNOWN_VERDICTS:
        return False
    if all(other["verdict"] not in KNOWN_VERDICTS for other in chosen):
        return True
    return all(covers_check(run["check"], other["check"]) and not covers_check(other["check"], run["check"])
               for other in chosen)


def open_failures(actions: Sequence[Item], root: str = "", runs: Sequence[CheckRun] = ()) -> list[CheckRun]:
    """The checks whose last run failed and that no later run of the same breadth passed, the newest first.

    `root` and `runs` are those of last_runs.
    """
    changes = sorted(changed_files(actions), key=lambda change: -change[0])
    runs, forms = runs or check_runs(actions), mended(actions)
    still_open: list[CheckRun] = []
    for place in range(len(runs) - 1, -1, -1):
        run, later = runs[place], runs[place + 1:]
        if run["verdict"] != "failed" or any(ends_failure(other, run) for other in later):
            continue
        if any(run["position"] <= form["position"] and run["command"] == form["failed"] for form in forms):
            continue  # its form was wrong, and another one worked
        names = failing_names(run)
        same = next((newer for newer in still_open if names and names <= failing_names(newer)), None)
        if same:
            same["also"].append(run["command"])
            continue
        since = list(dict.fromkeys(
            other["command"] for other in reversed(later)
            if other["verdict"] == "passed" and other["family"] == run["family"]))[:SINCE_MAX]
        unseen = names_before(run, runs[:place]) if re.search(SOME_LINES, run["command"]) else []
        still_open.append({**run, "since": since, "also": [], "unseen": unseen,
                           "edited_after": edited_after(run, changes, root)})
    return still_open


def names_before(run: CheckRun, earlier: Sequence[CheckRun]) -> list[str]:
    """The tests that failed in the last run of the same breadth before this one, and that this one does not name."""
    for other in reversed(earlier):
        if stands_for(run, other) and other["verdict"] in ("passed", "failed"):
            names = failing_names(other) if other["verdict"] == "failed" else set[str]()
            return sorted(names - failing_names(run))
    return []


def mended_later(runs: Sequence[CheckRun]) -> set[int]:
    """The positions of failing runs after which a run of at least the same breadth passed."""
    return {run["position"] for place, run in enumerate(runs) if run["verdict"] == "failed"
            and any(later["verdict"] == "passed" and stands_for(later, run) for later in runs[place + 1:])}


def failing_names(run: CheckRun) -> set[str]:
    """The names of tests with which the result of a failing run begins; empty where it begins with none."""
    names = run["result"].partition(" · ")[0].split(", ")
    return {*names} if all(re.match(r"[A-Za-z_][\w./:-]{5,200}$", name) for name in names) else set()


def ends_failure(later: CheckRun, failed: CheckRun) -> bool:
    """Whether the failure is no more the last word: the check passed, failed again, or ended in an unknown way."""
    if later["verdict"] == "unknown":
        return covers_check(later["check"], failed["check"])
    return later["verdict"] in ("passed", "failed") and (stands_for(later, failed) or shows_built(later, failed))


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
    run = Run(check["command"], [check], "\n".join(re.split(r" [|·] ", result)), None)
    return bool(run.reading.tests) and not run.has_failed and is_seen_to_pass(check, run)


# --- files ---


def changed_files(actions: Iterable[Item]) -> list[tuple[int, str]]:
    """The files that were edited, each with the place of its last edit in the session."""
    return [(action["position"], action["path"]) for action in actions if action.get("path") and action.get("edits")]


def edited_after(run: CheckRun, changes: Iterable[tuple[int, str]], root: str) -> list[str]:
    """The files that the run covers and that changed after it, as seen from the root."""
    covered = (path for position, path in changes
               if position > run["position"] and covers_file(run["check"], path, root))
    return [*dict.fromkeys(path.removeprefix(root.rstrip("/") + "/") for path in covered)]


def covers_file(check: Check, path: str, root: str) -> bool:
    """Whether the check looks at the file: it lies below the folder in which it runs, and is of its language.

    Tests run against all there is, whatever test is named; a check of files looks at no more than those it names.
    """
    root = root.rstrip("/")
    folder = os.path.normpath(os.path.join(root or "/", os.path.expanduser(check["folder"].strip("\"'")) or "."))
    path = os.path.normpath(os.path.join(root or "/", path))
    endings = SOURCES_OF_PROGRAM.get(check["name"].partition(" ")[0], "").split()
    if (endings and not path.endswith(tuple(endings))) or is_foreign(check, path):
        return False
    places = [limit.strip("\"'") for limit in check["limits"] if not limit.startswith("-")]
    if check["family"] in ("test", "build") or not places:
        places = ["."]
    for place in places:
        below = os.path.normpath(os.path.join(folder, place.removesuffix("/..."))).rstrip("/") + "/"
        if path == below[:-1] or (path.startswith(below) and not is_unchecked(path[len(below):])):
            return True
    return False


def is_foreign(check: Check, path: str) -> bool:
    """Whether the file is a source of a language that the check's program does not read.

    Of a package's own script only where its name says of nothing else: `npm run ios` may build what it likes.
    """
    program, _, task = check["name"].partition(" ")
    own = LANGUAGES_OF_PROGRAM.get(program, "").split()
    if not own or ("web" in own and re.search(OTHER_THAN_WEB, task)):
        return False
    return any(path.endswith(tuple(endings.split()))
               for language, endings in SOURCE_LANGUAGES.items() if language not in own)


def no_checks(actions: Sequence[Item], root: str = "") -> list[str]:
    """The sources that were edited, the newest first, where no command of the session was a check, whatever its end."""
    if any(checks_in(outcome["text"]) for outcome in results_of(actions)):
        return []
    return [path for path in edited_in_project(actions, root) if path.endswith(SOURCE_ENDINGS)]


def edited_in_project(actions: Sequence[Item], root: str) -> list[str]:
    """The files that were edited and may be checked, as seen from the working folder, the newest first.

    Where no source lies in it, those of the folder that all the edited sources share: the session stood elsewhere.
    """
    paths = dict.fromkeys(path for _, path in sorted(changed_files(actions), reverse=True))
    sources = [path for path in paths if path.endswith(SOURCE_ENDINGS)]
    if len(sources) >= SOURCES_ELSEWHERE_MIN and all(
            path.startswith("/") and not path.startswith(root.rstrip("/") + "/") for path in sources):
        root = os.path.commonpath(sources)
    below = [path.removeprefix(root.rstrip("/") + "/") for path in paths]
    return [path for path in below if not path.startswith(("/", "~")) and not is_unchecked(path)]


def never_run(actions: Sequence[Item], root: str = "") -> list[tuple[str, list[str]]]:
    """Languages' own tests that no command ran though sources of the language were edited: name and those files.

    Only where no task and no script could have run them: `make test` may run anything, a package's script its own.
    """
    names = {check["name"] for outcome in results_of(actions)
             for check in checks_in(outcome["text"]) if check["family"] == "test" and outcome["verdict"] != "not run"}
    if any(name.partition(" ")[0] in {*TASK_RUNNERS} - {"npm", "bun"} or "/" in name for name in names):
        return []
    absent, paths = list[tuple[str, list[str]]](), edited_in_project(actions, root)
    has_xcodebuild = any("xcodebuild" in action["text"] for action in actions if not action.get("path"))
    for ending, programs in TESTS_OF_LANGUAGE.items():
        name = programs[-1] if has_xcodebuild and ending == ".swift" else programs[0]
        files = [path for path in paths if path.endswith(ending)]
        if files and not names & {*programs}:
            absent.append((name, files))
    return absent
