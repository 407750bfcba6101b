"""What the runs of checks come to: which failures stay open, what was run last, what was edited after it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from compact_keeper.record.checks.last_runs import failed_again, last_runs, open_failures, passed_later
from compact_keeper.record.checks.runs import check_runs
from compact_keeper.record.checks.unchecked_edits import never_run, no_checks
from compact_keeper.record.commands.checks_in_line import checks_in, strongest
from compact_keeper.record.endings import LOST_OUTPUT
from compact_keeper.record.outcomes.check_ends import ends_in_background, ends_of_checks
from slow_texts import ending, slow_texts

ROOT = "/home/ada/.rates/app"  # what stands above the working folder says nothing about a file


def ran(position: int, text: str, verdict: str = "passed", result: str = "", **more: Any) -> Any:
    """A command as an action item."""
    family = more.pop("family", strongest(checks_in(text)))
    ends = ends_of_checks(text, result.replace(" ⏎ ", "\n").replace(" · ", "\n"), verdict, family)
    return {"kind": "action", "tool": "Bash", "text": text, "key": text, "path": "", "verdict": verdict,
            "result": result, "family": family, "uses": 1, "position": position,
            "last": f"2026-01-01T10:{position:02d}:00Z", **({"ends": ends} if ends else {}), **more}


def edited(position: int, path: str) -> Any:
    """A file's last edit as an action item."""
    return {"kind": "action", "tool": "Edit", "text": path, "key": path, "path": f"{ROOT}/{path}" if path[0] != "/"
            else path, "verdict": "ended", "result": "", "family": "", "uses": 1, "edits": 1,
            "position": position, "last": f"2026-01-01T10:{position:02d}:00Z"}


def last_of(actions: Sequence[Any], root: str = "") -> Any:
    """Of each check of these actions its last runs."""
    return last_runs(actions, root, check_runs(actions))


def failures_of(actions: Sequence[Any], root: str = "") -> Any:
    """The checks of these actions that fail."""
    return open_failures(actions, root, check_runs(actions))


def still_open(*runs: tuple[str, ...]) -> list[str]:
    """The commands whose failure is open after these: command, verdict, and perhaps the result."""
    return [run["command"] for run in failures_of([ran(place, *fields) for place, fields in enumerate(runs)])]


@pytest.mark.parametrize(("runs", "expected"), [
    ([("pytest", "failed")], ["pytest"]),
    ([("pytest", "failed"), ("pytest -q", "passed")], []),
    ([("pytest", "failed"), ("pytest tests/a.py", "passed")], ["pytest"]),
    ([("pytest tests/a.py", "failed"), ("pytest", "passed")], []),
    ([("pytest", "failed"), ("pytest", "failed")], ["pytest"]),  # the newer one stands for both
    ([("pytest", "failed"), ("pytest tests/a.py", "failed")], ["pytest tests/a.py", "pytest"]),
    ([("pytest", "failed"), ("ruff check .", "passed")], ["pytest"]),
    ([("pytest", "failed"), ("pytest", "running")], ["pytest"]), ([("pytest", "failed"), ("pytest", "not run")],
                                                                 ["pytest"]),
    ([("pytest", "failed"), ("pytest | grep -c x", "unknown")], []),  # how its last run ended is not known
    # what stands before hooks in their line, or passed there, is another matter
    ([("black a.py && git add a.py && uv run prek", "failed", "mypy....Failed"), ("git add a.py && prek", "passed")],
     []),
    ([("black a.py && git add a.py && uv run prek", "failed", "mypy....Failed")],
     ["black a.py && git add a.py && uv run prek"]),
    ([("prek run --all-files", "failed"), ("git add a.py && prek", "passed")], ["prek run --all-files"]),
    ([("python3 -c 'import rates'", "failed")], []), ([("pytest", "not run")], []), ([("ls nowhere", "failed")], []),
    # a task of the project's stands for the checks it is known to run, or everything
    ([("go test ./rates -run TestA", "failed"), ("make test", "passed")], []),
    ([("go test ./rates -run TestA", "failed"), ("mise run test:unit", "passed")], ["go test ./rates -run TestA"]),
    ([("go test -tags=integration ./rates", "failed"), ("mise run test", "passed")],
     ["go test -tags=integration ./rates"]),
    ([("go test -tags=integration ./rates", "failed"), ("mise run test:integration", "passed")], []),
    ([("go test -tags=integration ./rates", "failed"), ("mise run test:all", "passed")], []),
    ([("go test -tags=integration ./rates", "failed"), ("mise run test:ci", "passed")],
     ["go test -tags=integration ./rates"]),  # it may leave them out
    ([("npx playwright test a.spec.ts", "failed"), ("npm test", "passed")], ["npx playwright test a.spec.ts"]),
    ([("npx playwright test e2e/a.spec.ts", "failed"), ("pnpm --filter e2e test -- web/e2e/a.spec.ts", "passed")], []),
    ([("npx playwright test e2e/a.spec.ts", "failed"), ("pnpm --filter e2e test -- web/e2e/b.spec.ts", "passed")],
     ["npx playwright test e2e/a.spec.ts"]),
    ([("cargo test", "failed"), ("npm test", "passed")], ["cargo test"]),
    ([("cd api && pytest", "failed"), ("cd web && make test", "passed")], ["cd api && pytest"]),
    ([("cd /a/api && pytest", "failed"), ("cd /a && make test", "passed")], []),
    ([("cd /a && pytest", "failed"), ("cd /a/api && make test", "passed")], ["cd /a && pytest"]),
    # a task that may check anything, by its name
    ([("npm test", "failed"), ("npm run check", "passed")], ["npm test"]),
    ([("npm test", "failed"), ("npm run verify", "passed")], ["npm test"]),
    ([("npm run verify", "failed"), ("npm run check", "passed")], ["npm run verify"]),
    ([("npm run check", "failed"), ("npm run check", "passed")], []),
    ([("npm run check", "failed"), ("npm test", "passed")], ["npm run check"]),
    # what compiles, as its tests have run
    ([("go build ./...", "failed"), ("make test", "passed", "3 packages ok")], []),
    ([("go build ./...", "failed"), ("make test", "passed", "4 passed in 0.1s")], ["go build ./..."]),
    ([("go build ./...", "failed"), ("go test ./a", "passed", "ok x/a 0.1s")], ["go build ./..."]),
    # on the tree without the changes
    ([("git stash && pytest && git stash pop", "failed")], []),
    ([("pytest", "failed"), ("git stash && pytest; git stash pop", "passed")], ["pytest"]),
    ([("pytest", "failed"), ("git stash pop && pytest", "passed")], []),
    # a folder of Windows, as Git's shell and as others write it
    ([("cd /c/rates && pytest", "failed"), ("cd C:/rates && pytest", "passed")], []),
    ([("Set-Location C:\\rates; pytest", "failed"), ("cd /c/rates && pytest", "passed")], []),
    ([("Set-Location C:\\a; pytest", "failed"), ("Set-Location C:\\b; pytest", "passed")],
     ["Set-Location C:\\a; pytest"]),
    ([("cd /c/rates && pytest", "failed"), ("cd D:/rates && pytest", "passed")], ["cd /c/rates && pytest"]),
    # of one line, whose output does not show which of its suites failed
    ([("pytest a.py; pytest b.py", "failed")], ["pytest a.py; pytest b.py"]),
    ([("pytest a.py; pytest b.py", "failed"), ("pytest a.py", "passed")], []),
    ([("pytest a.py; pytest b.py", "failed"), ("pytest b.py", "passed")], []),
    ([("pytest a.py; pytest b.py", "failed"), ("pytest c.py", "passed")], ["pytest a.py; pytest b.py"]),
    ([("pytest a.py; pytest b.py", "failed"), ("pytest a.py", "failed")], ["pytest a.py", "pytest a.py; pytest b.py"]),
    ([("pytest a.py", "passed"), ("pytest a.py; pytest b.py", "failed")], ["pytest a.py; pytest b.py"]),
    ([("pytest a.py; ruff check .", "failed"), ("ruff check .", "passed")], ["pytest a.py; ruff check ."]),
])
def test_a_failure_is_open_until_as_much_passed(runs: list[tuple[str, ...]], expected: list[str]) -> None:
    assert still_open(*runs) == expected


@pytest.mark.parametrize(("family", "verdict", "expected"), [
    ("test", "passed", []), ("check", "passed", ["npx vitest"]), ("test", "failed", ["npm run check"])])
def test_a_task_that_showed_tests_stands_for_them(family: str, verdict: str, expected: list[str]) -> None:
    runs = [ran(0, "npx vitest", "failed"), ran(1, "npm run check", verdict, family=family)]
    assert [run["command"] for run in failures_of(runs)] == expected


@pytest.mark.parametrize("family", ["test", "check"])
def test_the_same_task_ends_its_failure_whatever_each_run_showed(family: str) -> None:
    runs = [ran(0, "npm run check", "failed", family="test"), ran(1, "npm run check", family=family)]
    assert failures_of(runs) == []


def test_failures_after_which_as_much_passed() -> None:
    runs = [("pytest a.py", "failed"), ("pytest", "failed"), ("pytest a.py", "passed"), ("ruff check .", "failed")]
    assert passed_later(check_runs([ran(place, *fields) for place, fields in enumerate(runs)])) == {0}


WEB, API = f"{ROOT}/web", f"{ROOT}/api"


@pytest.mark.parametrize(("failed", "passed", "is_mended", "is_open"), [
    (("cd $HERE && make lint", ""), ("make lint", ""), False, False),  # nobody knows where
    (("make lint", ""), ("cd - && make lint", ""), False, False),
    (("cd $HERE && make lint", ""), ("cd $HERE && make lint", ""), True, False),
    ((f"cd {WEB} && npm run build", ""), ("npm run build", API), False, True),
    (("npm run build", WEB), ("npm run build", API), False, True),
    (("npm run build", WEB), ("cd ../api && npm run build", WEB), False, True),
    (("npm run build", WEB), ("cd web && npm run build", ""), True, False),
    (("npm run build", WEB), (f"cd {WEB}/ && npm run build", API), True, False),
    (("cd ~/.rates/app/web && npm run build", ""), ("npm run build", WEB), True, False),
    (("pytest", ""), ("cd web && pytest", ""), False, True),  # less than all
    (("cd web && pytest", ""), ("pytest", ""), False, False),  # perhaps all
    (("cd web && npm test", ""), ("npm test", ""), True, False), (("npm test", "/home/ada/.rates"), ("npm test", ""),
                                                                  False, True)])
def test_a_failure_is_mended_by_a_run_in_its_folder(failed: tuple[str, str], passed: tuple[str, str], is_mended: bool,
                                                    is_open: bool) -> None:
    runs = check_runs([ran(1, failed[0], "failed", folder=failed[1]), ran(2, passed[0], folder=passed[1])], ROOT)
    assert (bool(passed_later(runs)), bool(open_failures([], ROOT, runs))) == (is_mended, is_open)


def test_an_earlier_end_of_a_command_is_of_its_folder() -> None:
    before = {"verdict": "failed", "result": "1 failed", "position": 1, "last": "2026-01-01T10:01:00Z"}
    action = ran(3, "npm test", folder=WEB, earlier=[{**before, "text": "npm test"}])
    runs = check_runs([action, ran(2, "npm test", folder=API)], ROOT)
    assert [run["check"]["folder"] for run in runs] == [WEB, API, WEB]


@pytest.mark.parametrize(("later", "verdict", "is_open"), [
    ("g++ b.cc -o out/rates", "passed", False), ("g++ a.cc -oout/rates", "passed", False),
    ("g++ b.cc -o out/rates", "failed", True), ("g++ b.cc -o out/rates", "unknown", True),
    ("g++ b.cc -o out/zones", "passed", True), ("g++ b.cc -o", "passed", True), ("g++ b.cc", "passed", True),
    ("cd b && g++ b.cc -o out/rates", "passed", True), ("pytest -o out/rates", "passed", True)])
def test_a_build_of_the_same_output_ends_its_failure(later: str, verdict: str, is_open: bool) -> None:
    runs = check_runs([ran(1, "clang++ a.cc -o out/rates", "failed"), ran(2, later, verdict)], ROOT)
    assert bool([run for run in open_failures([], ROOT, runs) if run["position"] == 1]) == is_open


@pytest.mark.parametrize(("result", "is_open"), [("", False), (f"{LOST_OUTPUT}grep`, which is not there", True)])
def test_a_run_whose_output_nobody_saw_ends_no_failure_and_is_told_beside_it(result: str, is_open: bool) -> None:
    runs = check_runs([ran(1, "cargo build", "failed"), ran(2, "cargo build | grep err", "unknown", result)], ROOT)
    assert len(open_failures([], ROOT, runs)) == is_open
    assert last_runs([], ROOT, runs)[0]["position"] == 2


@pytest.mark.parametrize("command", ["g++ a.cc -o /dev/null", "g++ a.cc -o -", "g++ a.cc"])
def test_a_build_without_a_lasting_output_ends_no_other(command: str) -> None:
    runs = check_runs([ran(1, f"clang++ b.cc{command[8:]}", "failed"), ran(2, command)], ROOT)
    assert len(open_failures([], ROOT, runs)) == 1


def test_a_run_fails_again_where_one_as_broad_does() -> None:
    runs = [ran(1, "pytest tests/", "failed", "2 failed"), ran(2, "pytest tests/a.py", "failed", "1 failed"),
            ran(3, "pytest", "failed", "1 failed, 9 passed"), ran(4, "mypy .", "failed", "1 error")]
    assert failed_again(check_runs(runs)) == {1, 2}



def test_what_failed_by_its_form_is_open_no_more_when_another_form_worked() -> None:
    form = ("go test -run TestA ./rates", "failed", "x/rates · build constraints exclude all Go files")
    assert still_open(form, ("go test -tags it -run TestA ./rates", "passed", "ok x/rates 0.1s")) == []
    assert still_open(form, ("go test ./other", "passed", "ok x/other 0.1s")) == [form[0]]


def test_of_a_line_of_checks_that_failed_only_that_one_is_open() -> None:
    line = "make lint && make build && make test"
    failed = failures_of([ran(1, line, "failed", "1 error", family="build")])
    assert [(run["name"], run["result"]) for run in failed] == [("make build", "1 error")]
    verdicts = {run["name"]: run["verdict"] for run in last_of([ran(1, line, "failed", family="build")])}
    assert verdicts == {"make lint": "passed", "make build": "failed"}  # the tests were not reached
    hidden = last_of([ran(1, "make lint | tail -1; make test", "failed", family="test")])
    assert {run["name"]: run["verdict"] for run in hidden} == {"make lint": "unknown", "make test": "failed"}


def test_checks_passed_when_another_command_of_their_line_failed() -> None:
    runs = last_of([ran(1, "pytest -q && git push", "failed", "[rejected]", family="git")])
    assert [(run["verdict"], run["result"]) for run in runs] == [("passed", "")]


def test_a_call_without_a_result_is_a_run() -> None:
    waiting: Any = {**ran(2, "pytest", "running"), "family": ""}
    shown = last_of([ran(1, "pytest"), waiting])
    assert [(run["position"], run["verdict"]) for run in shown] == [(1, "passed")]
    assert [(run["position"], run["verdict"]) for run in shown[0]["later_runs"]] == [(2, "running")]


def test_an_earlier_result_that_an_action_keeps_is_a_run_too() -> None:
    earlier = [{"verdict": "failed", "result": "2 failed", "position": 1, "last": "2026-01-01T10:01:00Z"}]
    action = ran(9, "pytest -q", "running", "in the background: b1", earlier=earlier, uses=3)
    assert [(run["position"], run["result"]) for run in failures_of([action])] == [(1, "2 failed")]
    passed: Any = {**action, "verdict": "passed"}
    assert failures_of([passed]) == []
    shown = last_of([action])
    assert [(run["position"], run["verdict"]) for run in shown] == [(9, "running"), (1, "failed")]


@pytest.mark.parametrize(("command", "code", "verdict"), [
    ("go build ./...", 0, "passed"), ("go build ./...", 2, "failed"), ("go build ./... | tail -3", 0, "unknown"),
    ("go build ./...", None, "unknown"), ("go vet ./... && go build ./...", 2, "unknown"),
    ("go build ./...", 139, "failed"), ("go build ./...", 143, "stopped"), ("go build ./...", 137, "stopped"),
])
def test_a_check_that_ended_in_the_background(command: str, code: int | None, verdict: str) -> None:
    ended: Any = {**ran(1, command, "ended", "in the background: exit code 1"), "family": "", "is_in_background": True,
                  "ends": ends_in_background(command, code)}
    assert {run["verdict"] for run in check_runs([ended])} == {verdict}
    tested: Any = {**ended, "text": "cargo test"}
    assert never_run([tested, edited(2, "a.rs")], ROOT) == []
    assert no_checks([ended, edited(2, "a.rs")], ROOT) == []


def test_a_failure_tells_what_failed_with_it_and_passed_since() -> None:
    named: Any = {"failed_names": ["test_total_rounds"]}
    first, second = ran(1, "make check", "failed", **named), ran(2, "pytest tests -k total", "failed", **named)
    failures = failures_of([first, second, edited(3, "a.py"), ran(4, "pytest tests/b.py", "passed")], ROOT)
    assert [(run["command"], run["same_failure_in"], run["passed_since"], run["edited_after"]) for run in failures] == [
        ("pytest tests -k total", ["make check"], ["pytest tests/b.py"], ["a.py"])]
    others = failures_of([{**first, "has_more_failed": True}, second])
    assert [run["same_failure_in"] for run in others] == [[], []]
    lint = failures_of([ran(1, "make lint", "failed", "2 issues"), ran(2, "ruff check .", "failed", "2 issues")])
    assert [run["same_failure_in"] for run in lint] == [[], []]  # a number names nothing


@pytest.mark.parametrize(("runs", "expected"), [
    ([("pytest", "passed"), ("pytest tests/a.py", "failed")], ["pytest tests/a.py", "pytest"]),
    ([("pytest tests/a.py", "failed"), ("pytest", "passed")], ["pytest"]),
    ([("pytest tests/a.py", "passed"), ("pytest tests/b.py", "passed")], ["pytest tests/b.py"]),
    ([("pytest tests/a.py", "passed"), ("make test", "passed")], ["make test"]),
    ([("make test", "passed"), ("make test:integration", "passed")], ["make test:integration", "make test"]),
    ([("pytest", "passed"), ("pytest | wc -l", "unknown")], ["pytest"]),
    ([("pytest", "failed"), ("pytest | wc -l", "unknown")], ["pytest | wc -l", "pytest"]),
    ([("pytest | wc -l", "unknown")], ["pytest | wc -l"]),
    ([("mise test:live", "passed"), ("mise test", "passed")], ["mise test", "mise test:live"]),
    ([("mise test:unit", "passed"), ("mise test", "passed")], ["mise test"]),
    ([("mise test:live", "passed"), ("mise test:all", "passed")], ["mise test:all"]),
    ([("mise test:live", "passed"), ("mise test:ci", "passed")], ["mise test:ci", "mise test:live"]),
    ([("mise test:live", "passed"), ("mise ci", "passed")], ["mise ci", "mise test:live"]),  # whatever that looks at
    ([("cd a && npm run build", "passed"), ("cd b && npm run build", "passed")],
     ["cd b && npm run build", "cd a && npm run build"]),
    ([("xcodebuild build -scheme A", "passed"), ("xcodebuild -scheme B build", "passed")],
     ["xcodebuild -scheme B build", "xcodebuild build -scheme A"]),
    ([("pytest", "passed"), ("pytest", "not run")], ["pytest"]), ([("git push", "passed")], []),
    ([("mypy src", "passed"), ("ruff check .", "passed")], ["ruff check .", "mypy src"]),
])
def test_the_last_run_of_each_check_is_told(runs: list[tuple[str, str]], expected: list[str]) -> None:
    assert [run["command"] for run in last_of([ran(n, *fields) for n, fields in enumerate(runs)])] == expected


@pytest.mark.parametrize(("runs", "whole", "newer"), [
    ([("make test", "passed"), ("make test tests/a_test.py", "passed")], "make test", ["make test tests/a_test.py"]),
    ([("mise test", "passed"), ("mise test --coverage src/a.test.ts", "passed"), ("mise test b.test.ts", "unknown")],
     "mise test", ["mise test --coverage src/a.test.ts"]),  # of two that are less the one that is known to have ended
    ([("pytest tests/a.py", "passed"), ("pytest", "passed"), ("pytest -k a", "passed")], "pytest", ["pytest -k a"]),
    ([("pytest", "passed"), ("pytest | grep -c a", "unknown"), ("pytest", "running")], "pytest", ["pytest"]),
    ([("pytest tests/a.py", "passed"), ("pytest", "passed")], "pytest", []),
    ([("pytest", "passed"), ("make test", "passed"), ("pytest -k a", "passed")], "pytest -k a", []),
])
def test_a_limited_run_and_one_without_an_end_stand_behind_the_whole(
        runs: list[tuple[str, str]], whole: str, newer: list[str]) -> None:
    shown = last_of([ran(n, *fields) for n, fields in enumerate(runs)])[0]
    assert (shown["command"], [run["command"] for run in shown["later_runs"]]) == (whole, newer)


@pytest.mark.parametrize(("result", "verdict"), [
    ("$ tsc --noEmit ⏎ 12 pass ⏎ 0 fail ⏎ Ran 12 tests across 2 files. [7.00ms]", "passed"),
    ("$ tsc --noEmit ⏎ 11 pass ⏎ 1 fail ⏎ Ran 12 tests across 2 files. [7.00ms]", "unknown"),
    ("$ tsc --noEmit · Test Files 1 passed (1) · Tests 3 passed (3)", "passed"),
    ("$ tsc --noEmit ⏎ Test Files 1 passed (1) ⏎ Tests 3 passed | 2 skipped (5)", "passed"),
    ("$ tsc --noEmit ⏎ Test Files 1 failed | 2 passed (3) ⏎ Tests 1 failed | 3 passed (4)", "unknown"),
    ("$ tsc --noEmit", "unknown"), ("", "unknown"),
])
def test_of_a_line_whose_end_is_not_known_its_tests_may_be_seen_to_pass(result: str, verdict: str) -> None:
    line = "mise typecheck | tail -3 && mise test | tail -5"
    runs = last_of([ran(1, line, "unknown", result)])
    assert {run["family"]: run["verdict"] for run in runs} == {"test": verdict, "types": "unknown"}
    [said] = [run["result"] for run in runs if run["family"] == "test"]
    assert ("$ tsc" in said) == ("$ tsc" in result and verdict == "unknown")


@pytest.mark.parametrize(("command", "path", "expected"), [
    ("npm run build", "ios/a.swift", False), ("npm run build", "a.tsx", True), ("npm run build", "a.css", True),
    ("npm run build:ios", "ios/a.swift", True), ("npm run ci:test", "a.go", True), ("npm test", "api/a.py", False),
    ("npm test", "data/a.json", True), ("npx vitest", "a.py", False), ("make test", "a.py", True),
    ("pytest", "web/a.ts", True), ("xcodebuild test -scheme A", "web/a.html", False),
    ("xcodebuild test -scheme A", "A/a.swift", True), ("xcodebuild build -scheme A", "A/Info.plist", True),
    ("swift test", "a.ts", False), ("dotnet test", "a.cs", True), ("dotnet build", "a.razor", True),
    ("dotnet build", "tools/a.py", False), ("./scripts/test.sh", "a.swift", True),
    ("pytest", "src/a.py", True), ("pytest tests/a.py", "src/a.py", True), ("pytest", "README.md", False),
    ("pytest", "uv.lock", False), ("pytest", "/tmp/a.py", False), ("cd web && npm test", "api/a.py", False),
    ("cd web && npm test", "web/a.ts", True), (f"cd {ROOT}/web && npm test", "web/a.ts", True),
    ("cd /elsewhere && npm test", "web/a.ts", False), ("go test ./...", "a/b.go", True),
    ("go test ./...", "scripts/run.sh", False), ("go build ./cmd", "rates/a.go", True),
    ("mypy src", "tests/a.py", False), ("mypy src", "src/a.py", True),
    ("go vet ./rates/...", "rates/x/a.go", True), ("go vet ./rates/...", "b.go", False),
    ("make lint", "web/dist/a.js", False), ("make lint", ".github/ci.yml", False), ("cargo build", "src/a.rs", True),
    ("cargo build", "web/a.ts", False),
])
def test_what_was_edited_after_a_run_and_is_covered_by_it(command: str, path: str, expected: bool) -> None:
    before, after = [edited(1, path), ran(2, command)], [ran(2, command), edited(3, path)]
    assert last_of(before, ROOT)[0]["edited_after"] == []
    assert last_of(after, ROOT)[0]["edited_after"] == ([path] if expected else [])


@pytest.mark.parametrize(("commands", "path", "expected"), [
    ([], "src/a.go", ["go test"]), (["npm test"], "src/a.rs", ["cargo test"]), (["go test ./a"], "src/a.go", []),
    (["make test"], "src/a.go", []), (["./scripts/test.sh"], "src/a.go", []), (["go build ./..."], "a.go", ["go test"]),
    ([], "src/a.ts", []), ([], "/tmp/a.go", []), ([], "build/a.go", []), ([], "notes.md", []),
])
def test_a_language_s_tests_were_never_run(commands: list[str], path: str, expected: list[str]) -> None:
    actions = [*(ran(n, command) for n, command in enumerate(commands)), edited(90, path)]
    assert [name for name, _ in never_run(actions, ROOT)] == expected


@pytest.mark.parametrize(("paths", "expected"), [
    (["/srv/rates/a.py", "/srv/rates/b/c.py", "/srv/rates/d.py", "/srv/rates/e.py", "/srv/rates/f.py"], 5),
    (["/srv/rates/a.py", "/srv/rates/b.py"], 0),  # probes
    ([f"{ROOT}/a.py", *(f"/srv/rates/{n}.py" for n in range(5))], 1),  # the session's own folder is the project
])
def test_what_was_edited_in_another_folder_than_the_working_one_counts_where_it_is_all(paths: list[str],
                                                                                       expected: int) -> None:
    actions = [edited(n, path) for n, path in enumerate(paths)]
    assert len(no_checks(actions, ROOT)) == expected
    assert sum(len(files) for _, files in never_run(actions, ROOT)) == expected


def test_hostile_commands_and_results_end() -> None:
    with ending():
        for text in slow_texts(500):
            actions = [ran(1, f"pytest {text}", "failed", text), edited(2, text), ran(3, text, "failed", text)]
            assert isinstance(failures_of(actions, ROOT) + last_of(actions, ROOT), list)


def test_many_runs_end() -> None:
    with ending():
        actions = [ran(n, f"pytest tests/test_{n}.py", "failed", f"test_{n} · failed") for n in range(2_000)]
        assert failures_of(actions)[0]["position"] == 1_999
