"""How runs, forms that worked and what git did read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from compact_keeper.recap.lines.checks import RunsInWords, check_lines, known_since_failures
from compact_keeper.recap.lines.command_forms import form_lines, lack_lines
from compact_keeper.recap.lines.git import git_lines
from compact_keeper.recap.wording.paths import Paths
from compact_keeper.record.checks.last_runs import last_runs, open_failures
from compact_keeper.record.checks.runs import check_runs
from compact_keeper.record.commands.checks_in_line import checks_in, strongest
from compact_keeper.record.git.marked_events import marked_events
from compact_keeper.record.git.taken_back import taken_back, with_taken_back
from compact_keeper.record.outcomes.git_output import REFS_KEPT_MAX
from compact_keeper.text.length import units
from compact_keeper.text.listing import file_names
from compact_keeper.types import Item
from git_items import kept_of_git, pushed_to
from recaps import texts
from slow_texts import ending, slow_texts

ROOT = "/home/ada/rates"
PATHS = Paths(ROOT, ROOT)
LONG_NAMES = [f"{number:02}-{'harbour-' * 3}zones" for number in range(REFS_KEPT_MAX)]
SHORT_NAMES = [f"b{number}" for number in range(REFS_KEPT_MAX)]


def ran(position: int, text: str, verdict: str = "passed", result: str = "", **more: Any) -> Any:
    """A command as an action item."""
    return {"kind": "action", "tool": "Bash", "text": text, "path": "", "verdict": verdict, "result": result, "uses": 1,
            **kept_of_git(text, verdict, result), "family": strongest(checks_in(text)),
            "position": position, "last": str(position), **more}


def edited(position: int, path: str) -> Any:
    """A file's last edit as an action item."""
    return {**ran(position, path), "tool": "Edit", "path": path if path[0] == "/" else f"{ROOT}/{path}", "edits": 1}


def ordered(position: int, verdict: str = "ended", **more: Any) -> Any:
    """A subagent's order as an action item."""
    return {**ran(position, "Look at the rates", verdict), "tool": "Agent", **more}


def ago(stamp: str) -> str:
    """How long ago, as the caller words it."""
    return f"{60 - int(stamp)} min before"


def lines_of_git(actions: Sequence[Item], is_now_known: bool = False) -> list[str]:
    """The lines on the repository after these actions."""
    ledger = marked_events([action for action in actions if action["kind"] == "action"])
    return texts(git_lines(actions, ago, PATHS, is_now_known, ledger))


def lines_of_checks(actions: Sequence[Item]) -> list[str]:
    """The lines on the checks of these actions."""
    words = RunsInWords(actions, marked_events(actions), ago, PATHS)
    actions = with_taken_back(actions, taken_back(actions, marked_events(actions), ROOT, ROOT))
    runs = check_runs(actions)
    shown = check_lines(words, last_runs(actions, ROOT, runs), open_failures(actions, ROOT, runs))
    return texts(shown)


@pytest.mark.parametrize(("later", "expected"), [
    ([], ""), ([ordered(2)], "; since then 1 subagent ended"),
    ([edited(2, "a.md"), ordered(3), ordered(4)], "; since then 2 subagents ended"),
    ([edited(2, "a.py"), ordered(3)], "; edited since: a.py"),  # says as much
    ([ordered(2, "failed"), ordered(3, "running")], ""),
    ([ordered(2, subagent_type="Explore"), ordered(3, tool_calls=0)], ""),
    ([ordered(3), {**edited(2, "a.md"), "by_agent": "a1"}], ""),  # what they did is known
])
def test_a_check_tells_how_many_subagents_ended_since(later: list[Any], expected: str) -> None:
    before = ordered(0)
    assert lines_of_checks([before, ran(1, "pytest", result="9 passed"), *later])[0] == (
        f"- test: `pytest` → passed: 9 passed (59 min before){expected}")
    assert lines_of_checks([before, ran(1, "pytest", "failed", "1 failed"), *later])[0] == (
        f"- test failed: `pytest` → 1 failed (59 min before){expected}")


@pytest.mark.parametrize(("actions", "expected"), [
    ([ran(1, "go test ./...", result="12 packages ok"), edited(2, "a.go"), edited(3, "b.go")],
     ["- test: `go test ./...` → passed: 12 packages ok (59 min before); edited since: b.go, a.go"]),
    ([ran(1, f"cd {ROOT} && pytest 2>&1 | tail -3", "failed", f"1 failed · {ROOT}/a.py:3: KeyError"), edited(2, "a.py"),
      ran(3, "pytest tests/b.py", result="2 passed")],
     ["- test failed: `pytest | tail -3` → 1 failed · a.py:3: KeyError (59 min before); edited since: a.py;"
      " others passed since: `pytest tests/b.py`", "- test: `pytest tests/b.py` → passed: 2 passed (57 min before)"]),
    ([ran(1, "make fmt && make lint && make test", result="3 passed in 0.1s")],
     ["- test, lint, format: `make fmt && make lint && make test` → passed: 3 passed in 0.1s (59 min before)"]),
    ([ran(1, "make build && ls dist", "failed", "ls: cannot access 'dist': No such file or directory",
          ends=[{"verdict": "passed", "result": ""}])],
     ["- build: `make build` → passed (59 min before)"]),
    ([edited(1, "a.py"), ran(2, "pytest", "failed", "1 failed"), edited(3, "a.py"), ran(4, "git checkout a.py")],
     ["- test failed: `pytest` → 1 failed (58 min before); taken back since: a.py"]),
    ([ran(1, "pytest", "failed", "1 failed"), edited(2, "a.py"), ran(3, "git checkout a.py")],
     ["- test failed: `pytest` → 1 failed (59 min before)"]),
    ([edited(1, "a.py"), ran(2, "pytest", result="9 passed"), ran(3, "git checkout a.py"), edited(4, "a.py")],
     ["- test: `pytest` → passed: 9 passed (58 min before); edited since: a.py; taken back since: a.py"]),
    ([edited(1, "a.py"), ran(2, "git checkout a.py"), ran(3, "pytest", "failed", "1 failed")],
     ["- test failed: `pytest` → 1 failed (57 min before)"]),
    ([ran(1, f"git stash list; {'git add docs/of-the-harbour.md; ' * 8}pytest -q", "failed", "1 failed")],
     ["- test failed: `pytest -q` → 1 failed (59 min before)"]),  # the check itself had been cut off
    ([ran(1, "make lint", result="exit 0")], ["- lint: `make lint` → passed (59 min before)"]),
    ([ran(1, "make fmt", result="exit 0")], []),
    ([ran(1, "pytest", result="2 passed"), ran(2, "pytest | wc -l", "unknown", "exit 0 of `wc`")],
     ["- test: `pytest` → passed: 2 passed (59 min before); run again (58 min before): how it ended is not certain"]),
    ([ran(1, "pytest", result="9 passed"), edited(2, "a.py"), ran(3, "pytest -k a", result="2 passed")],
     ["- test: `pytest` → passed: 9 passed (59 min before); edited since: a.py; since then in part: `pytest -k a`"
      " (57 min before): passed: 2 passed"]),
    ([ran(1, "pytest", result="9 passed"), ran(3, "pytest --cov -k a | grep rates", "unknown", "src/rates.py 100%")],
     ["- test: `pytest` → passed: 9 passed (59 min before); since then in part: `pytest --cov -k a | grep rates`"
      " (57 min before): how it ended is not certain, seen of it: src/rates.py 100%"]),
    ([ran(1, "pytest", result="9 passed"), ran(3, "pytest", "running", "in the background: b1")],
     ["- test: `pytest` → passed: 9 passed (59 min before); run again (57 min before): its end not seen"]),
    ([ran(1, "pytest", "failed", "test_of_sums · 1 failed"), ran(3, "pytest", "running", "")],
     ["- test failed: `pytest` → test_of_sums · 1 failed (59 min before)",
      "- test: `pytest` → started, its result is not in the transcript (57 min before)"]),
    ([ran(1, "python -m py_compile rates/a.py"), ran(2, "rm -rf rates", "ended")],
     ["- lint: `python -m py_compile rates/a.py` → passed (59 min before); what it looked at was deleted or moved since"
      ]),
    ([ran(1, "python -m py_compile a.py"), ran(2, "git mv a.py b.py", "ended"), edited(3, "a.py")],
     ["- lint: `python -m py_compile a.py` → passed (59 min before); edited since: a.py",
      "- no `pytest` in this session's commands; edited: a.py"]),
    ([ran(1, "python -m py_compile a.py b.py"), ran(2, "rm a.py", "ended"),
      ran(3, "rm b.py", "failed", "rm: b.py: Permission denied")],
     ["- lint: `python -m py_compile a.py b.py` → passed (59 min before)"]),
    ([ran(1, "rm a.py", "ended"), ran(2, "python -m py_compile a.py")],
     ["- lint: `python -m py_compile a.py` → passed (58 min before)"]),
    ([ran(1, 'node -c "src\\a.js"'), edited(2, "src/b.js"), edited(3, "src/a.js")],
     ['- lint: `node -c "src\\a.js"` → passed (59 min before); edited since: a.js']),
    ([ran(1, "pytest"), ran(2, "rm -r tests", "ended")], ["- test: `pytest` → passed (59 min before)"]),
    ([ran(1, "make types | tail -3 && make test | tail -5", "unknown", "9 passed · exit 0 of `tail`")],
     ["- test, types: `make types | tail -3 && make test | tail -5` → what was seen of how it ended: 9 passed"
      " (59 min before)"]),
    ([ran(1, "make build | tail; make test | tail -1", "unknown", "linked"), ran(2, "make build")],
     ["- build: `make build` → passed (58 min before)",
      "- test: `make build | tail; make test | tail -1` → what was seen of how it ended: linked (59 min before)"]),
    ([ran(1, "make build | tail; make test | tail -1", "unknown"), ran(2, "make build")],
     ["- build: `make build` → passed (58 min before)",
      "- test: `make test` → its output does not show how it ended (59 min before)"]),
    ([ran(1, "make test | rg ok", "unknown", "it went to `rg`, which is not there")],
     ["- test: `make test | rg ok` → its output does not show how it ended: it went to `rg`, which is not there "
      "(59 min before)"]),
    ([ran(1, "npm test", "running", "in the background: b1")],
     ["- test: `npm test` → started, its end was not seen: in the background: b1 (59 min before)"]),
    ([ran(1, "go test ./a", result="ok x/a", is_cached=True)],
     ["- test: `go test ./a` → passed: ok x/a (cached) (59 min before)"]),
    ([ran(1, "git checkout main"), ran(2, "pytest", result="2 passed"), ran(3, "git checkout rates")],
     ["- test: `pytest` → passed: 2 passed (58 min before); since then on branch rates"]),
    ([ran(1, "pytest", result="2 passed"), ran(2, "cd /elsewhere && git checkout -b rates")],
     ["- test: `pytest` → passed: 2 passed (59 min before)"]),
    ([ran(1, "cd /elsewhere && pytest", result="2 passed"), ran(2, "cd /elsewhere/a && git checkout -b rates")],
     ["- test: `cd /elsewhere && pytest` → passed: 2 passed (59 min before); since then on branch rates"]),
    ([ran(1, "pytest", result="2 passed"), ran(2, "git checkout a.py"), ran(3, "git checkout 4be2a91")],
     ["- test: `pytest` → passed: 2 passed (59 min before)"]),
    ([ran(1, "pytest", "failed", "2 failed", failed_names=["test_of_zones", "test_of_sums"]),
      ran(2, "pytest | grep -A 9 sums", "failed", "test_of_sums", failed_names=["test_of_sums"])],
     ["- test failed: `pytest | grep -A 9 sums` → test_of_sums (58 min before); failed before, its end not looked at"
      " since: test_of_zones"]),
    ([ran(1, "pytest", "failed", "2 failed", failed_names=["test_of_zones", "test_of_sums"]),
      ran(2, "pytest | grep -E 'FAILED|==='", "failed", "1 failed, 31 passed · test_of_rates",
          failed_names=["test_of_rates"])],
     ["- test failed: `pytest | grep -E 'FAILED|==='` → 1 failed, 31 passed · test_of_rates (58 min before)"]),
    ([edited(1, "src/a.rs")],
     ["- no shell command of this session did more than look: nothing was tested or built"]),
    *([[edited(1, "src/a.rs"), ran(2, command, "ended")], []] for command in (  # each may have tested
        "python3 zones.py", "cd tools && ./zones", "node -e 'check(1)'", "ssh ci sh all.sh", "cargo run --bin zones",
        "docker run zones", "bash <<'END'\nzones\nEND", "ssh -T ci < all.sh", "ssh git@ci zones",
        "ssh ci git ls-remote git@ci:zones")),
    *([[edited(1, "src/a.rs"), ran(2, command, "ended")],
       ["- no command of this session is known as a test, build or linter"]] for command in (
        "ssh -T git@github.com", "cd a && ssh -o BatchMode=yes -vT git@git.zones.io 2>&1 || true", "ssh -V",
        "python3 --version", "node -v")),
    ([edited(1, "a.py"), ran(2, "python -m py_compile a.py"), ran(3, "python3 zones.py", "ended")],
     ["- lint: `python -m py_compile a.py` → passed (58 min before)"]),
    ([edited(1, "src/a.rs"), ran(2, "mkdir zones && cp src/a.rs zones/", "ended")],
     ["- no command of this session is known as a test, build or linter"]),
    ([edited(1, "notes.md"), edited(1, "/tmp/a.py")], []),
    ([edited(1, "src/a.rs"), ran(2, "cargo build", result="exit 0")],
     ["- build: `cargo build` → passed (58 min before)", "- no `cargo test` in this session's commands; edited: a.rs"]),
    ([edited(1, "a.swift"), ran(2, "xcodebuild build -scheme A", result="exit 0")],
     ["- build: `xcodebuild build -scheme A` → passed (58 min before)",
      "- no `xcodebuild test` in this session's commands; edited: a.swift"]),
    ([ran(1, "pytest", result="2 passed"), edited(2, "a.py"),
      ran(3, "git commit -am x", result="[main aaaaaaa] x", commit="aaaaaaa", subject="x", branch="main")],
     ["- test: `pytest` → passed: 2 passed (59 min before, before commit aaaaaaa); edited since: a.py"]),
    ([ran(1, "pytest", result="2 passed"),
      ran(2, "git commit -am x", result="[main aaaaaaa] x", commit="aaaaaaa", subject="x", branch="main"),
      edited(3, "a.py")],
     ["- test: `pytest` → passed: 2 passed (59 min before); edited since: a.py"]),
    ([ran(1, "go build ./...", "failed", "a.go:1:2: undefined: x"), ran(2, "make test", result="3 packages ok")],
     ["- test: `make test` → passed: 3 packages ok (58 min before)"]),  # it compiles again
])
def test_lines_of_checks(actions: list[Item], expected: list[str]) -> None:
    assert lines_of_checks(actions) == expected


def test_a_path_that_one_form_alone_has_stays_whole_in_both() -> None:
    actions = [ran(1, "make -f rates/all.mk zones", "failed", "make: rates/all.mk: No such file or directory"),
               ran(2, f"make -f {ROOT}/all.mk zones")]
    assert texts(form_lines(actions, PATHS)) == [
        "- `make -f rates/all.mk zones` → make: rates/all.mk: No such file or directory; "
        f"ran in this form: `make -f {ROOT}/all.mk zones`"]


def test_a_form_that_failed_reads_beside_the_one_that_worked() -> None:
    actions = [ran(n, f"ruff check {ROOT}/src", "not run", "bash: ruff: command not found", key=str(n)) for n in (1, 2)]
    assert texts(form_lines([*actions, ran(3, f"uv run ruff check {ROOT}/src")], PATHS)) == [
        "- `ruff check src` → bash: ruff: command not found; ran in this form: `uv run ruff check src`"]


def test_what_the_machine_has_not_reads_with_the_command_that_met_it() -> None:
    refused = [ran(1, f"cd {ROOT}/web && tree", "not run", "bash: line 1: tree: command not found", key="1",
                   lacking=["tree"]),
               ran(2, "sudo apt install tree", "failed", "sudo: a password is required", key="2", lacking=["sudo"])]
    assert texts(lack_lines(refused, PATHS)) == [
        "- sudo asked for a password that no command could type: `sudo apt install tree`",
        "- command not found, and not seen to run in this session: `tree` in `cd web && tree`"]


@pytest.mark.parametrize(("failed", "worked", "expected"), [
    ("npm run zones", f"cd {ROOT} && npm run zones", (r"`npm run zones`", rf"`cd {ROOT} && npm run zones`")),
    ("npm run zones " + "a " * 200 + "--old", "npm run zones " + "a " * 200 + "--new",
     ("`…" + "a " * 18 + "a --old`", "`…" + "a " * 18 + "a --new`")),
])
def test_two_forms_that_are_cut_to_the_same_are_shown_where_they_differ(failed: str, worked: str,
                                                                        expected: tuple[str, str]) -> None:
    actions = [ran(1, failed, "failed", "fatal: no such file or directory", key="1"), ran(2, worked, key="2")]
    [line] = texts(form_lines(actions, PATHS))
    assert (line.partition(" → ")[0].removeprefix("- "), line.partition("ran in this form: ")[2]) == expected


def test_lines_of_git() -> None:
    commit = {"branch": "main", "subject": "Round up"}
    lines = lines_of_git([
        ran(1, "git switch -c main", "ended"), ran(2, "git commit -m 'Round up'", "ended", commit="aaaaaaa", **commit),
        ran(3, "git push", "ended", pushed=pushed_to("forge:ada/rates", "main")),
        ran(4, "gh pr create", "ended", "https://forge.example/ada/rates/pull/3"),
        ran(5, "git commit -m 'Round up'", "ended", commit="bbbbbbb", **commit),
        ran(6, "git commit --amend --no-edit", "ended", commit="ccccccc", **commit),
        ran(7, "git merge next", "failed", begun="merge", conflicts=["src/a.py"]), edited(8, "src/a.py")])
    assert lines == [
        "- waits for its end: `git merge next` (53 min before); in conflict: a.py",
        "- edited after the last commit: a.py",
        "- last push: `git push` (57 min before), to forge:ada/rates main",
        "- pull request opened: https://forge.example/ada/rates/pull/3 (56 min before)",
        "- commit ccccccc on main: Round up (54 min before, no push seen)",
        "- commit aaaaaaa: Round up (58 min before, pushed)",
        "- replaced by a later amend or reset: bbbbbbb",
        "- also: `git switch -c main` (59 min before)"]


def test_the_line_of_a_commit_names_its_files_where_it_has_room() -> None:
    commit = ran(2, "git add a.py && git commit -m 'Round up'", "ended", "[rates aaaaaaa] Round up", commit="aaaaaaa",
                 branch="rates", subject="Round up", took_in="2 files, new: docs/a.md")
    [line] = [line for line in git_lines([commit], ago, PATHS, False, marked_events([commit]))
              if line["text"].startswith("- commit")]
    assert line["whole"] == line["text"] + "; 2 files, new: docs/a.md"


def test_lines_of_what_the_commands_left_in_the_repository() -> None:
    saved = "Saved working directory and index state WIP on rates: aaaaaaa Round up"
    commit = ran(2, "git add a.py && git commit -m 'Round up'", "ended", "[rates aaaaaaa] Round up", commit="aaaaaaa",
                 branch="rates", subject="Round up")
    look: Any = {"kind": "look", "tool": "Bash", "text": "git log --oneline -3", "path": "", "position": 3,
                 "result": "bbbbbbb Save the session ⏎ aaaaaaa Round up ⏎ 1111111 Old", "last": "3"}
    stash = ran(4, "git stash && git checkout main", "ended", saved)
    lines = lines_of_git([edited(1, "docs/plan.md"), commit, look, stash, edited(5, "b.py")])
    assert lines[:5] == [
        "- stashed by `git stash && git checkout main` (56 min before) and not taken back by this session's commands: "
        "WIP on rates: aaaaaaa Round up",
        "- not in the current branch main: aaaaaaa of rates, no push of it seen",
        "- in `git log` 57 min before, committed by others than this session's own commands: "
        "bbbbbbb Save the session",
        "- edited after the last commit: b.py",
        "- no push in this session's commands"]
    assert lines_of_git([edited(1, "docs/plan.md"), commit, look])[1] == (
        "- edited and named by no `git add` since: plan.md")


def test_a_push_that_had_failed_before_says_how() -> None:
    push = ran(2, "git push", "ended", pushed=pushed_to("forge:ada/rates", "main"))
    refused: Any = {"verdict": "failed", "position": 1, "last": "1", "result": "Permission denied (publickey)."}
    passed: Any = {"verdict": "ended", "position": 0, "last": "0", "result": ""}
    line = "- last push: `git push` (58 min before), to forge:ada/rates main"
    push["earlier"] = [passed, refused]
    assert lines_of_git([push]) == [f"{line}; failed before: Permission denied (publickey)."]
    push["earlier"] = [passed]
    assert lines_of_git([push]) == [line]
    push["earlier"] = [{**refused, "position": 0}, {**passed, "position": 1}]
    assert lines_of_git([push]) == [line]


def test_a_forced_push_says_what_it_took_away() -> None:
    def push(number: int, commits: str) -> Any:
        return ran(number, f"git push x{number}", pushed={**pushed_to("forge:ada/rates", "main"), "commits": commits})
    assert lines_of_git([push(1, "1111111...2222222"), push(2, "2222222..3333333"), push(3, "3333333...4444444")]) == [
        "- last push: `git push x3` (57 min before), to forge:ada/rates main 3333333...4444444; forced, in place of "
        "3333333 there",
        "- push before: `git push x1` (59 min before), to forge:ada/rates main 1111111...2222222; forced, in place of "
        "1111111 there"]


def test_a_push_to_a_long_address_shows_its_branch_and_both_ends_of_its_commits() -> None:
    long = pushed_to(f"https://forge.example/{'harbour-' * 12}rates.git", "refactor/migrate-the-zones")
    [line] = lines_of_git([ran(1, "git push", "ended", pushed={**long, "commits": "e25a5dce0..09658341d"})])
    assert line == "- last push: `git push` (59 min before), to refactor/migrate-the-zones e25a5dce0..09658341d"


@pytest.mark.parametrize(("names", "commits", "shown"), [
    (["main", *LONG_NAMES[:2]], "", f"forge:ada/rates main, {', '.join(LONG_NAMES[:2])}"),
    (["main", *LONG_NAMES[:4]], "", f"main, {', '.join(LONG_NAMES[:3])} and more"),
    (LONG_NAMES, "", f"{', '.join(LONG_NAMES[:3])} and more"),
    (["x" * 200], "1111111..2222222", f"{'x' * 109}… 1111111..2222222"),
    (SHORT_NAMES, "", f"forge:ada/rates {', '.join(SHORT_NAMES)} and more"),
    (SHORT_NAMES[1:], "", f"forge:ada/rates {', '.join(SHORT_NAMES[1:])}"),
])
def test_of_a_push_of_many_branches_it_is_said_that_there_are_more(names: list[str], commits: str, shown: str) -> None:
    [line] = lines_of_git([ran(1, "git push", pushed={**pushed_to("forge:ada/rates", *names), "commits": commits})])
    assert line == f"- last push: `git push` (59 min before), to {shown}"


def test_what_a_push_and_a_pull_request_remark() -> None:
    lines = lines_of_git([
        ran(1, "git push", "ended", "pushed to main · [entries] Sending the notes to origin...",
            remark="[entries] Sending the notes to origin...",
            pushed={**pushed_to("forge:ada/rates", "main"), "commits": "1111111..2222222"}),
        ran(2, "gh pr create", "ended", "Warning: 4 uncommitted changes ⏎ https://forge.example/ada/rates/pull/3")])
    assert lines == [
        '- last push: `git push` (59 min before), to forge:ada/rates main 1111111..2222222; it printed '
        '"[entries] Sending the notes to origin..."',
        '- pull request opened: https://forge.example/ada/rates/pull/3 (58 min before); it warned: '
        '"4 uncommitted changes"']


def test_what_git_itself_tells_is_not_said_again() -> None:
    runs = [ran(1, "git commit -m a", "ended", commit="aaaaaaa", branch="main", subject="A"), edited(2, "src/a.py"),
            ran(3, "git merge next", "failed", begun="merge", conflicts=["src/a.py"])]
    assert lines_of_git(runs, True) == ["- no push in this session's commands"]


def test_that_nothing_was_pushed_or_committed_is_said() -> None:
    commits = [ran(n, f"git commit -m {n}", "ended", commit=f"{n:07}", branch="main", subject="Sums")
               for n in range(11)]
    lines = lines_of_git(commits)
    assert lines[:2] == ["- no push in this session's commands",
                         "- commit 0000010 on main: Sums (50 min before, no push seen)"]
    assert lines[-1] == "- and 3 commits before, from 0000000 on"
    rejected = ran(12, "git push 2>&1 | tail -5", "failed", "[rejected] main -> main (fetch first)")
    refusal = ("- push to main refused, no later one seen: `git push` (48 min before): "
               "[rejected] main -> main (fetch first)")
    assert lines_of_git([*commits, rejected])[:3] == ["- no push went through", refusal, lines[1]]
    by_branch = ran(13, "git checkout -b next && git push -u origin next", pushed=pushed_to("forge:ada/rates", "next"))
    assert lines_of_git([*commits, rejected, by_branch])[:3] == [
        "- last push: `git push -u origin next` (47 min before), to forge:ada/rates next", refusal,
        "- commit 0000010 on main: Sums (50 min before, pushed with next)"]
    by_all = ran(13, "git push --all", pushed=pushed_to("forge:ada/rates", "main", "next"))
    assert lines_of_git([*commits, rejected, by_all])[:2] == [
        "- last push: `git push --all` (47 min before), to forge:ada/rates main, next",
        "- commit 0000010 on main: Sums (50 min before, pushed)"]
    line = "- edited; no commit in this session's commands: a.py"
    assert lines_of_git([edited(1, "a.py")]) == [line]
    elsewhere = [edited(2, path) for path in ("/opt/b.py", "/tmp/c.py", "/home/ada/.claude/plans/d.md",
                                                    "/home/ada/.claude/skills/e.md")]
    both = lines_of_git([edited(1, "a.py"), *elsewhere])[0]
    assert both == f"{line}; edited too, outside of /home/ada/rates: b.py, e.md"
    read: Any = {**ran(2, "Read"), "kind": "look", "path": f"{ROOT}/web/a.py", "result": ""}
    assert lines_of_git([edited(1, "cli/a.py"), read]) == ["- edited; no commit in this session's commands: cli/a.py"]
    assert lines_of_git([ran(1, "ls")]) == []


@pytest.mark.parametrize(("command", "verdict", "words"), [
    ("git commit -m a --dry-run", "running", "no commit in this session's commands"),
    ("git log --grep commit", "running", "no commit in this session's commands"),
    ("cd /opt/zones && git commit -m a", "running", "no commit in this session's commands"),
    ("git commit -m a", "not run", "no commit in this session's commands"),
    ("git commit -m a", "failed", "no commit in this session's commands"),
    ("git commit -m a", "running", "whether this session's last `git commit` went through is not known"),
    ("git add -A && git commit -m a", "stopped", "whether this session's last `git commit` went through is not known"),
    ("git commit -m a; make -s test | tail -1", "unknown",
     "whether this session's last `git commit` went through is not known")])
def test_a_commit_of_which_nobody_saw_the_end_is_not_denied(command: str, verdict: str, words: str) -> None:
    assert f"- edited; {words}: a.py" in lines_of_git([edited(1, "a.py"), ran(2, command, verdict)])
    committed = ran(3, "git commit -m b", "ended", commit="bbbbbbb", branch="main", subject="Zones")
    lines = lines_of_git([edited(1, "a.py"), ran(2, command, verdict), committed, edited(4, "b.py")])
    assert "- edited after the last commit: b.py" in lines


@pytest.mark.parametrize("command", ["jj describe -m 'Zones' && jj git push -b main", "hg commit -m Zones", "svn ci"])
def test_what_another_program_commits_only_that_knows(command: str) -> None:
    assert lines_of_git([edited(1, "a.py"), ran(2, command)]) == []


@pytest.mark.parametrize(("command", "is_shown"), [
    ("git tag v0.4.5 && git push origin v0.4.5", True), ("git tag -a v1 -m 'Zones'", True), ("git tag", False),
    ("git tag -l 'v*'", False), ("git tag --sort=-v:refname", False), ("git tag -d v1", False)])
def test_a_tag_that_was_made_is_told(command: str, is_shown: bool) -> None:
    lines = lines_of_git([ran(1, command)])
    assert any(line.startswith("- also: `git tag ") for line in lines) is is_shown


PULL = "https://forge.example/ada/rates/pull/"


@pytest.mark.parametrize(("command", "result", "address"), [
    ("gh pr list --head topic --json number,url", f'[{{"number":7,"url":"{PULL}7"}}]', f"{PULL}7"),
    ("gh pr view", f"title: Round up\nurl: {PULL}7\nsee {PULL}7", f"{PULL}7"),
    ("gh pr list", f"{PULL}7 {PULL}8", ""), ("gh pr view 9", f"url: {PULL}9", ""),
    ("gh pr view", "no pull requests", ""),
    ("gh issue view 7", f"see {PULL}7", ""), ("curl forge.example", f"{PULL}7", "")])
def test_the_pull_request_that_was_looked_at(command: str, result: str, address: str) -> None:
    opened = ran(1, "gh pr create --fill", "ended", f"{PULL}9")
    look: Any = {**ran(2, command, "ended", result), "kind": "look"}
    lines = lines_of_git([opened, look])
    shown = [f"- pull request that `{command}` showed (58 min before): {address}"] if address else []
    assert lines[0].startswith("- pull request opened: ")
    assert lines[1:] == shown


@pytest.mark.parametrize(("command", "verdict", "expected"), [
    ("gh pr merge 9 --squash --delete-branch", "ended", ", merged 58 min before"), ("gh pr merge 8", "ended", ""),
    (f"cd web && gh pr close {PULL}9 && git pull", "ended", ", closed 58 min before"), ("gh pr merge", "ended", ""),
    ("gh pr merge 9", "failed", ""), ("gh pr merge 9; git pull", "ended", ""), ("gh pr merge 9 | tail", "ended", ""),
    ("gh pr merge 9 --auto", "ended", ""), ("gh pr merge 9 -R ada/other", "ended", ""),
    ("gh pr merge --squash 9", "ended", ", merged 58 min before")])
def test_a_pull_request_that_was_ended_says_so(command: str, verdict: str, expected: str) -> None:
    lines = lines_of_git([ran(1, "gh pr create --fill", "ended", f"{PULL}9"), ran(2, command, verdict)])
    assert lines[0] == f"- pull request opened: {PULL}9 (59 min before){expected}"
    again = [ran(1, "gh pr create", "ended", f"{PULL}9"), ran(2, command, verdict), ran(3, "gh pr reopen 9", "ended")]
    assert lines_of_git(again)[0] == f"- pull request opened: {PULL}9 (59 min before)"


def test_what_was_done_in_another_folder_names_it() -> None:
    actions = [edited(1, "a.py"), *(
        ran(n, f"cd {folder} && git commit -m x", "ended", commit=f"{n:07}", branch="main", subject="Sums")
        for n, folder in enumerate(("/srv/api", "/srv/api", f"{ROOT}/web"), 2)),
        ran(5, "cd /srv/api && git push", "ended", pushed=pushed_to("https://forge.example/api", "main"))]
    assert lines_of_git(actions) == [
        "- last push: `git push` (55 min before) in /srv/api, to https://forge.example/api main",
        "- commit 0000004 on main: Sums (56 min before)",
        "- commit 0000003 in /srv/api: Sums (57 min before, pushed)",
        "- commit 0000002 in /srv/api: Sums (58 min before, pushed)"]
    assert lines_of_git(actions, True)[1:] == [  # git is asked in the root alone
        "- commit 0000003 on main in /srv/api: Sums (57 min before, pushed)",
        "- commit 0000002 in /srv/api: Sums (58 min before, pushed)"]
    assert lines_of_git([ran(1, "git -C /srv/api switch -c x", "ended")]) == [
        "- also: `git switch -c x` (59 min before) in /srv/api"]
    assert lines_of_git(actions[:3])[0] == (
        "- edited; this session's commands committed in other folders alone: a.py")


@pytest.mark.parametrize("folder", [
    "/c/Users/ada/rates", "C:/Users/ada/Rates", "c:\\Users\\ada\\rates", "/mnt/c/Users/ada/rates"])
def test_a_folder_of_windows_is_one_however_it_is_spelled(folder: str) -> None:
    before, after = ({**edited(n, name), "path": name} for n, name in ((1, "a.py"), (3, "b.py")))
    actions = [before, ran(2, f"cd '{folder}' && git add a.py && git commit -m x", "ended",
                           commit="0000001", branch="main", subject="Sums"), after]
    paths = Paths("c:\\Users\\ada\\rates", "C:/Users/ada/rates")
    assert texts(git_lines(actions, ago, paths, False, marked_events(actions))) == [
        "- edited after the last commit: b.py", "- no push in this session's commands",
        "- commit 0000001 on main: Sums (58 min before, no push seen)"]


def test_files_are_told_by_name_and_by_folder_where_two_have_the_same() -> None:
    assert file_names(["a/x.py", "b/x.py", "b/y.py"]) == "a/x.py, b/x.py, y.py"
    assert file_names([f"{n}.py" for n in range(7)]) == "0.py, 1.py, 2.py, 3.py, 4.py and 2 more"


def test_hostile_texts_end_in_short_lines_of_one() -> None:
    with ending():
        for slow_text in slow_texts(500):
            text = " ".join(slow_text.encode("utf-8", "replace").decode().split())  # as they are stored: one line
            actions = [ran(1, f"pytest {text}", "failed", text), edited(2, text),
                       ran(3, f"pytest -x {text}", result=text),
                       ran(4, f"git commit -m {text}", commit="aaaaaaa", branch=text, subject=text)]
            for line in [*lines_of_checks(actions), *texts(form_lines(actions, PATHS)), *lines_of_git(actions)]:
                assert "\n" not in line
                assert units(line) < 1_700


def test_a_check_says_how_it_had_failed_where_room_is_left() -> None:
    failed = {"verdict": "failed", "result": "2 failed · test_zones", "last": "5"}
    words = RunsInWords([], [], ago, PATHS)
    assert words.failed_before(ran(9, "pytest", earlier=[failed, {**failed, "verdict": "passed"}])) == (
        "; had failed 55 min before: 2 failed · test_zones")
    assert words.failed_before(ran(9, "pytest", earlier=[{**failed, "verdict": "passed"}])) == ""
    assert words.failed_before({}) == ""


def test_what_is_known_since_of_runs_that_failed() -> None:
    actions = [ran(1, "git merge main", "failed", "merge stopped: conflict in a.py", family="git", begun="merge",
                   conflicts=["a.py"]), ran(2, "git commit --no-edit", "ended", "[main 4be2a91] Merge", family="git",
                                            commit="4be2a91", branch="main", subject="Merge"),
               ran(3, "pytest a.py", "failed", "1 failed"), ran(4, "pytest", "passed", "9 passed"),
               ran(5, "ruff check .", "failed", "2 errors"), ran(6, "mypy a.py", "failed", "1 error"),
               ran(7, "mypy .", "failed", "3 errors"), ran(8, "python3 rates.py", "failed", "no module"),
               ran(9, "pip install click && python3 rates.py", "ended", "4.31"),
               ran(10, "pytest b.py", "failed", "2 failed in 1s", failed_names=["b.py::test_c", "b.py::test_d"]),
               ran(11, "pytest", "failed", "1 failed, 9 passed in 1s", failed_names=["b.py::test_d"])]
    runs = check_runs(actions)
    since = known_since_failures(actions, marked_events(actions), runs, open_failures(actions, ROOT, runs))
    assert {position: words for position, words in since.items() if position != 2} == {
        1: " then, ended later", 3: " then, passed later", 5: "", 6: " then, as did a later run", 7: "",
        8: " then, worked later behind `pip install click`", 10: " then, as did a later run", 11: ""}


def test_a_commit_on_no_branch_names_none() -> None:
    commit = {"branch": "detached HEAD", "subject": "Round up"}
    going_on = ran(1, "git rebase --continue", result="[detached HEAD 4be2a91] Round up", commit="4be2a91", **commit)
    assert "- commit 4be2a91: Round up (59 min before, no push seen)" in lines_of_git([going_on])


PRIVATE_FILES = [".claude/.credentials.json", ".claude.json"]


@pytest.mark.parametrize(("later", "is_said"), [
    ([], True), (["git push"], True), (["ls .claude"], True), (["git rm -r --cached .claude"], False),
    (["git reset --soft HEAD~1"], False), (["git-filter-repo --path .claude --invert-paths"], False)])
def test_a_commit_that_took_in_private_files_is_named_until_they_are_taken_out(later: list[str], is_said: bool) -> None:
    commit = ran(1, "git add . && git commit -m 'First'", "ended", commit="aaaaaaa", subject="First", branch="main",
                 private=PRIVATE_FILES)
    lines = lines_of_git([commit, *(ran(2 + at, text, "ended") for at, text in enumerate(later))])
    line = "- commit aaaaaaa took in files that are mostly private: .claude/.credentials.json, .claude.json"
    assert (line in lines) is is_said
