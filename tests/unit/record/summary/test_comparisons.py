"""What a summary says that the record knows otherwise: hostile texts first, then each comparison and its limits."""

from __future__ import annotations

from typing import Any

import pytest

from compact_keeper.record.outcomes.check_ends import ends_of_checks
from compact_keeper.record.summary.comparisons import COMPARED_MAX, SAID_MAX_UTF16, compare
from compact_keeper.record.summary.file_claims import paths_in
from compact_keeper.record.summary.statements import body_of, statements_of
from compact_keeper.types import GitNow, Item

JsonObject = dict[str, Any]
AT = {"source": "s", "first": "2026-03-04T10:00:00.000Z", "last": "2026-03-04T10:20:00.000Z", "status": "open"}
GIT: GitNow = {"branch": "rates", "head": "4be1c09d7a", "commits": [], "staged": [], "modified": [], "untracked": [],
    "conflicts": [],
       "in_progress": "", "ahead": 0, "behind": 0, "upstream": "origin/rates"}


def run(position: int, command: str, verdict: str, result: str = "", family: str = "test") -> Any:
    ends = ends_of_checks(command, "", verdict, family)
    return {**AT, "kind": "action", "tool": "Bash", "text": command, "verdict": verdict, "result": result,
            "family": family, "position": position, **({"ends": ends} if ends else {})}


def edit(position: int, path: str) -> Any:
    return {**AT, "kind": "action", "tool": "Edit", "text": path, "path": path, "verdict": "ended", "edits": 1,
            "position": position}


def task(key: str, text: str, status: str) -> Any:
    return {**AT, "kind": "task", "key": key, "text": text, "status": status, "position": 1}


COMMIT: Any = {**run(7, "git commit -m x", "ended", family="git"), "commit": "4be1c09",
               "subject": "round the fees half up"}
LONG = ("The importer reads the rates of the carrier row by row and writes the zones of all parcels beside them, with "
        "the surcharge of the islands and what the ledger has of their weight.")
QUESTION = f"{LONG[:-1]}, or which zone is it then?"
PASSED = [run(1, "pytest", "passed", "9 passed")]
FAILED = [run(1, "pytest", "passed", "9 passed"), run(2, "pytest", "failed", "1 failed, 8 passed · test_zone")]
TASKS = [task("#1", "Add the zone column", "completed"), task("#2", "Backfill the old parcels", "in_progress"),
         task("#3", "Print the zone on labels", "pending")]


def records_of(summary: str, items: list[Item], git: Any = None, files: Any = None) -> list[str]:
    """What the record has against the summary."""
    facts: Any = git or {}
    return [finding["record"] for finding in compare(summary, items, facts, (files or {}).get)]


# --- hostile ---


@pytest.mark.parametrize("summary", [
    "", "\0", "\ud800", "```",
    "```\n" * 5_000, "all tests pass " * 20_000, "a" * 300_000, "`" * 100_000, "# " * 50_000,
    "task #1 " * 20_000, "Task #1, #2, " * 20_000, "- [x] " * 30_000, "created `" + "a/" * 50_000, "\"" * 100_000,
    "(" * 50_000 + ")" * 50_000, "<summary>" * 10_000, "all the changes " * 10_000, "created file file " * 9_000,
    "passes " * 20_000, "HEAD is now at " * 9_000, "the user " * 20_000 + "answered"], ids=lambda text: repr(text[:20]))
def test_hostile_summaries_find_little(summary: str) -> None:
    items = [*FAILED, *TASKS, COMMIT, edit(3, "/w/a.py"), {**AT, "kind": "question", "text": "Which zone?",
        "position": 9}]
    findings = compare(summary, items, GIT, {"a/a.py": False}.get)
    paths_in(statements_of(summary))
    assert len(findings) <= COMPARED_MAX


def test_without_facts_nothing_is_said_of_git_and_disk() -> None:
    lines = "- All changes are committed.\n- Current branch: `main`\n- Everything is pushed.\n- Created `src/b.py`"
    assert records_of(lines, [edit(1, "/w/src/a.py")]) == []


def test_words_of_others_are_quoted_and_redacted() -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    [finding] = compare(f"All tests pass, {token}\x1b[31m", FAILED, {})
    assert "[redacted" in finding["said"]
    assert token not in finding["said"]
    assert "\x1b" not in finding["said"]


@pytest.mark.parametrize(("text", "said"), [
    ("- Added a zone. **All tests pass.** The rest (e.g. v1.2) is next.", ["All tests pass."]),
    ("All tests pass. Task #3 is done!", ["All tests pass.", "Task #3 is done!"]),
    ("1. a (b.) c. All tests pass.", ["All tests pass."]),
    ("Ran `git add . && make`. All tests pass.", ["All tests pass."]),
    ("He wrote “Push it. Then rest a while.” to me. All tests pass.", ["All tests pass."]),
    ("Use !important. All tests pass.", ["All tests pass."]),
    (f"{LONG} All tests pass.", ["All tests pass."]), (f"{LONG} All tests pass! {LONG}", ["All tests pass!"])])
def test_the_sentence_that_is_contradicted_is_quoted_alone(text: str, said: list[str]) -> None:
    assert [finding["said"] for finding in compare(text, [*FAILED, *TASKS], {})] == said


@pytest.mark.parametrize(("text", "said"), [
    ("All is well. Current branch: `main`. Tests pass.", "Current branch: `main`."),
    (f"{LONG} **HEAD is at `1111111`.** {LONG}", "HEAD is at `1111111`."),
    (f"{LONG} Committed `1111111`: round the fees half up. Fine.", "Committed `1111111`: round the fees half up.")])
def test_the_sentence_that_git_contradicts_is_quoted_alone(text: str, said: str) -> None:
    assert [finding["said"] for finding in compare(text, [COMMIT], GIT)] == [said]


@pytest.mark.parametrize(("text", "said"), [
    (f"{LONG} Use !x. All tests pass. {LONG}", "All tests pass."),
    (f"The tests of !x are slow. {LONG} All tests pass. {LONG}", "All tests pass."),
    (f"{LONG[:-1]}; all tests pass.", "all tests pass."), (f"{LONG[:-1]} (all tests pass) {LONG}", "all tests pass"),
    (f"{LONG} Use !x. `pytest  -q: a`: passes. {LONG}", "`pytest -q: a`: passes."),
    (f"{LONG} {'x' * 200}`pytest`. {LONG} (`pytest` passes)", "`pytest` passes"),
    (f"{LONG[:-1]}; current branch: `main`", "current branch: `main`"),
    (f"{LONG} {QUESTION} The user chose zone 2. {LONG}", "The user chose zone 2."),
    (f"Resolved: {QUESTION}", "Resolved: The importer")])
def test_no_cut_leaves_out_the_words_that_are_contradicted(text: str, said: str) -> None:
    items = [*FAILED[:1], run(2, "pytest -q: a", "failed", "1 failed"), COMMIT,
             {**AT, "kind": "question", "text": QUESTION, "position": 9}]
    [finding] = [finding for finding in compare(text, items, GIT) if finding["said"]]
    assert said in finding["said"]
    assert len(finding["said"]) <= SAID_MAX_UTF16


def test_a_piece_of_a_line_is_redacted_before_it_is_cut() -> None:
    secret = "a1B2c3D4e5F6g7H8i9J0"
    [finding] = compare(f"{LONG} Use !x. The password: {secret} {LONG[:40]}. All tests pass.", FAILED, {})
    assert "All tests pass." in finding["said"]
    assert secret not in finding["said"]


# --- what a statement is ---


@pytest.mark.parametrize(("summary", "body"), [
    ("<analysis>all tests pass</analysis><summary>Done.</summary>", "Done."), ("Analysis:\nx\n\nSummary:\ny", "\ny"),
    ("plain", "plain"), ("Summary of the rates\nAnalysis: none", "Summary of the rates\nAnalysis: none")])
def test_the_analysis_is_none(summary: str, body: str) -> None:
    assert body_of(summary) == body


@pytest.mark.parametrize("text", [
    "```\nAll tests pass.\n```", "> All tests pass.", "4. Errors and fixes:\n   All tests pass.",
    "6. All user messages:\n - All tests pass.",
    '- "All tests pass, says the log"', "All tests pass?", "All tests should pass.", "If all tests pass, push.",
    "The user says that all tests pass.", "All tests passed earlier.", "All zone tests pass.", "Get all tests green.",
    "All tests pass without test_zone.", "Tests pass on Linux.", "Run it until all tests pass."])
def test_no_statement_of_now_is_compared(text: str) -> None:
    assert records_of(text, FAILED) == []


def test_a_statement_knows_its_heading() -> None:
    statements = statements_of("## Done\n- a. B.\n3. Next Step:\n   - c\n   **Beside**\n**Ends**\nf")
    assert [(each["line"], each["heading"]) for each in statements] == [
        ("a.", "done"), ("B.", "done"), ("c", "next step"), ("Beside", "next step"), ("f", "ends")]


# --- checks ---


@pytest.mark.parametrize(("text", "items", "finds"), [
    ("Step 4 passed.", PASSED, False), ("Gate 12 green", PASSED, False), ("Stage 2 passes", PASSED, False),
    ("The linter found 4 problems.", PASSED, False), ("9 tests pass.", PASSED, False),
    ("`pytest` passes.", FAILED, True), ("pytest passes", FAILED, True), ("All 9 tests pass.", FAILED, True),
    ("All three tests pass.", FAILED, False), ("Two tests pass, one fails.", FAILED, False),
    ("All three zone tests pass.", FAILED, False), ("All two thirds of the tests pass.", FAILED, False),
    ("`npm test` passes.", FAILED, False), ("`pytest tests/a.py` passes.", FAILED, False),
    ("`pytest` passes.", [*FAILED, run(3, "make test", "passed")], False),  # may have run the same
    ("`pytest` passes.", [*FAILED, run(3, "npx jest", "failed")], True), ("`pytest` passes.", FAILED[:1], False),
    ("`pytest` passes.", [*FAILED, run(3, "pytest | head", "unknown")], False),
    ("`pytest` passes.", [*FAILED, run(3, "pytest", "running")], False),
    ("`pytest` passes.", [FAILED[0], run(3, "pytest", "not run")], False),
    ("ruff reported no problems.", [run(3, "ruff check .", "not run", "ruff: command not found", "lint")], False),
    ("ruff reported no problems.", [run(3, "ruff check .", "not run", "", "lint"), run(
        2, "make lint", "unknown", "", "lint")], False),  # which may have run it
    ("Lint is clean.", [run(3, "ruff check .", "not run", "", "lint")], False),
    ("ruff finds 2 errors", [run(3, "ruff check .", "not run", "", "lint")], False),
    ("CI reported no problems with ruff.", [run(3, "ruff check .", "not run", "", "lint")], False),
    ("`ruff check` is clean.", [run(3, "pytest && ruff check", "failed", "3 errors", "lint")], True),
    ("`pytest` passes.", [run(3, "pytest && ruff check", "failed", "3 errors", "lint")], False),
    ("ruff is clean.", [run(3, "ruff check .", "failed", "3 errors", "lint")], True),
    ("`pytest a.py` passes.", [run(3, "pytest a.py && pytest b.py", "failed", "1 failed")], False),  # which of them?
    ("`pytest` passes", [FAILED[1], run(3, "pytest tests/a.py", "passed")], False),  # may have been what failed
    ("`pytest` passes.\n- test_zone is red", FAILED, False),
    ("`pytest`: 8 passed", FAILED, False), ("All 7 zone tests pass", FAILED, False),
    ("`pytest`: 1 failed, 8 passed", FAILED[:1], True), ("`pytest`: 8 passed, 1 failed", FAILED[:1], True),
    ("`pytest`: 8 passed, 1 failed", FAILED, False), ("`pytest`: 12 passed, 1 skipped", FAILED, True),
    ("`pytest`: 9 passed, 0 failed", FAILED, True),
    # all of what failed
    ("Ran it before the summary was requested; 9/9 green.", FAILED, True), ("9 out of 9 tests pass", FAILED, True),
    ("9/9 green", [*FAILED, run(3, "pytest", "unknown")], False), ("All 8 tests pass in it", FAILED, False),
    ("`pytest` still fails", FAILED[:1], True), ("`pytest` still fails", FAILED, False),
    ("`pytest` still fails", [run(1, "pytest tests/a.py", "passed")], False),
    ("`pytest tests/a` fails", [run(1, "pytest tests/a", "passed"), run(2, "pytest tests/b", "passed")], False),
    ("`pytest tests/a` fails", [run(1, "pytest tests/a", "passed"), run(2, "pytest tests/b", "failed")], False),
    ("`pytest tests/a` passes", [run(1, "pytest tests/a", "failed"), run(2, "pytest", "failed")], False),
    ("`pytest tests/a` fails", [run(1, "pytest tests/a/b.py", "passed")], False),
    ("The tests are failing.", [FAILED[0], run(2, "pytest tests/a", "passed")], False),
    ("The tests are failing.", FAILED[:1], True), ("Tests failing: 0", FAILED[:1], False),
    ("The build is broken.", [run(1, "make", "passed", "", "build")], True),
    ("The build is broken.", FAILED[:1], False), ("`pytest` finds 2 failures in a.py", FAILED[:1], False),
    ("`pytest` failed", FAILED[:1], False), ("`pytest` reports 2 failures", FAILED[:1], True),
    ("| `pytest` | ✅ passes |", FAILED, True), ("| Check | Before |\n| --- | --- |\n| `pytest` | ✅ |", FAILED, False),
    ("8 of 9 tests in `pytest` pass", FAILED, False), ("✅ Added `pytest` to the steps", FAILED, False),
    ("✅ `pytest`", FAILED, True), ("`pytest` passes `-x` on", FAILED, False), ("`pytest` exits 0", FAILED, True),
    ("`pytest --no-slow` passes", FAILED, False), ("pytest passes on `tests/a.py`", FAILED, False),
    ("Desktop: all tests pass", FAILED, False), ("| web | all tests pass |", FAILED, False),  # whose tests?
    ("## Files\n- All tests pass", FAILED, False), ("## Files\n- `pytest` passes", FAILED, True),
    ("Red phase: `pytest` fails", FAILED[:1], False),
    ("## Errors\n- `pytest` still fails", FAILED[:1], True), ("## Errors\n- `pytest` fails", FAILED[:1], False),
    ("## Problem Solving\n- `pytest` is green", FAILED, True), ("## Errors\n- `pytest` passes now", FAILED, True),
    ("`pytest` passes with no complaints", FAILED, True), ("`pytest` does not compile: it stops", FAILED[:1], True),
    ("`pytest` is green and the last failures are known", FAILED, False), ("All todo tests pass", FAILED, False),
    ("These tests pass", FAILED, False), ("The parser is done; its tests pass", FAILED, False),
    ("This suite passes", FAILED, False), ("9 tests pass", FAILED, False),
    ("Tests pass and the two zone tests fail", FAILED, False),
    ("The suite is green and the zone tests skipped", FAILED, False),
    ("Both suites pass", FAILED, False), ("All session tests pass", FAILED, False),
    ("The obsolete tests are failing", FAILED[:1], False), ("4 tests are failing:", FAILED[:1], False),
    ("`pytest` is green on all targets", FAILED, True), ("`pytest` passes on Linux and the rest", FAILED, False),
    ("Compile command: `pytest` is run", FAILED[:1], False),
    ("All tests pass because two are skipped", FAILED, False),
    ("`pytest` was green", FAILED, False), ("`pytest` was failing", FAILED[:1], False),
    ("`pytest` doesn't pass yet", FAILED[:1], True), ("`pytest` no longer fails", FAILED, True),
    ("`pytest` fails; it passes", FAILED, False), ("`pytest` is failing; fixed by now", FAILED[:1], False),
    ("`pytest` passes with `-x`", FAILED, False), ("`pytest` passed at the start", FAILED, False),
    ("On Linux, `pytest` passes", FAILED, False), ("After the fix, `pytest` passes", FAILED, False),
    ("`pytest` passed when asked", FAILED, False), ("The tests are clean and short", FAILED, False)])
def test_checks(text: str, items: list[Item], finds: bool) -> None:
    assert bool(records_of(text, items)) is finds


def test_a_check_s_record_tells_command_time_and_result() -> None:
    assert records_of("All tests pass.",
        FAILED) == ["the last run of `pytest` at 10:20 UTC failed: 1 failed, 8 passed · test_zone"]


# --- tasks ---


@pytest.mark.parametrize(("text", "names"), [
    ("Task #2 is done.", "#2"), ("- Task #2: Backfill the old parcels (completed)", "#2"),
    ("✅ Print the zone on labels", "#3"), ("[x] Print the zone on labels", "#3"),
    ("[pending] Add the zone column", "#1"), ("Task #3 [in progress]", "#3"),
    ("## Completed\n- Print the zone on labels", "#3"),
    ("Pending tasks:\n- Add the zone column", ""),  # new work may have the same words
    ("Task #2 is in progress.", ""), ("Task #2 is open.", ""), ("Task #4 is done.", ""),
    ("PR #3 is done.", ""),
    ("#2 is done.", ""), ("#2 (old parcels) is done.", ""), ("#2 (parcels) is done.", ""),
    ("Old parcels (#2 of 3) done", ""),
    ("Tasks #1 through #3 are done", ""), ("Tasks #1-#2 done", ""), ("Tasks #1 – #3: #1 done", ""),
    ("Task #3: complete the zone labels", ""), ("Task #3 labels: done; zone: open", ""),
    ("#3 zone labels: not in print, done", ""),
    ("Backfilled it and marked task #2 as completed", "#2"),
    ("Task #2 (parcels) done, task #2 (rest) open", ""), ("Task #2 is completed: false", ""),
    ("Complete task #2 by hand.", ""),
    ("| #3 | Print the zone on labels | ✅ |", "#3"), ("3. Print the zone on labels - **done**", "#3"),
    ("#3 Print the zone on labels: done", "#3"), ("#2 backfill the rest. Task #2 is done", "#2"),
    ("Print the zone on labels: design done, code pending", ""), ("Backfill the old parcels: 40% done", ""),
    ("Print the zone on labels ✅ agreed", ""), ("Task #2 is done if the rest is.", ""), ("Task #2 is not done.", ""),
    ("Task #1 is not done.", "#1"), ("Task #2 (reopened), completed once", ""),
    ("[pending] Backfill the old parcels - DONE", ""), ("Task #2 is done.\n- Task #2 (in progress)", ""),
    ("Half of task #2 is done.", ""), ("Task #2: done: the script", ""), ("## Errors\n- Task #2 is done.", ""),
    ("Marked task #2 as completed", "#2"), ("Setting #2 to completed needs a check", ""),
    ("The backfill script (#2) is done", ""), ("Task #2, the first half, is done", ""),
    ("Tasks #2 and #3 are done", "#"), ("Tasks #2 and #3 are not done", ""), ("Task 2 of the guide is done", ""),
    ("In the demo, task #2 is done", ""), ("Print the zone on labels and boxes: done", ""),
    ("The list has \"Print the zone on labels\" as `pending`", ""),
    ("The list has \"Print the zone\" as `completed`", ""),
    ("\"Print the zone on labels\" has been completed by half", ""),
    ("\"Print the zone on labels\" was `in_progress` before it", ""),
    ("\"Print the zone on labels\" went from `in_progress` to `completed`", ""),
    ("Reprint the zone on labels: done", "")])
def test_tasks(text: str, names: str) -> None:
    records = records_of(text, TASKS)
    assert bool(records) == bool(names)
    assert names in "".join(records)


def test_a_number_or_subject_of_two_tasks_names_none() -> None:
    twice = [*TASKS, {**TASKS[2], "status": "completed"}]
    assert records_of("Task #3 is done. ✅ Print the zone on labels", twice) == []


# --- git and files ---


@pytest.mark.parametrize(("text", "items", "git", "record"), [
    ("All changes are committed.", [edit(1, "/w/src/a.py")], {"modified": [("src/a.py", "")]},
     "git: not committed: src/a.py"),
    ("All changes are committed.", [edit(1, "/w/a.py")], {"staged": [("a.py", "new")]}, "git: not committed: a.py"),
    ("All changes are committed.", [], {"modified": [("src/a.py", "")]}, ""),  # another one's
    ("Docs: all changes are committed", [edit(1, "/w/a.py")], {"untracked": ["a.py"]}, ""),
    ("Committed everything but `a.py`", [edit(1, "/w/a.py")], {"untracked": ["a.py"]}, ""),
    ("Changes committed: the fees", [edit(1, "/w/a.py")], {"untracked": ["a.py"]}, ""),
    ("`src/a.py` is committed.", [edit(1, "/w/src/a.py")], {"untracked": ["src/a.py"]}, "git: not committed: src/a.py"),
    ("`committed.py` and `src/a.py`", [edit(1, "/w/src/a.py")], {"untracked": ["src/a.py"]}, ""),
    ("src/b.py, src/a.py (committed)", [edit(1, "/w/src/a.py"), edit(2, "/w/src/b.py")], {"untracked": ["src/a.py"]},
     "git: not committed: src/a.py"),
    ("src/a.py (committed)", [edit(1, "/w/src/a.py")], {"untracked": ["src/"], "folder": "/w"},
     "git: not committed: src/"),
    ("`a.py` (committed)", [edit(1, "/w/src/a.py")], {"untracked": ["../src/"], "folder": "/w/b"},
     "git: not committed: ../src/"),
    ("`a.py` (committed)", [edit(1, "/w/a.py")], {"modified": [("../a.py", "")], "folder": "/w/b"},
     "git: not committed: ../a.py"),
    ("`a.py` (committed)", [edit(1, "/w/b/a.py")], {"modified": [("../a.py", "")], "folder": "/w/b"}, ""),
    ("src/c.py, src/a.py (committed)", [edit(1, "/w/src/a.py")], {"untracked": ["src/a.py"]},
     "git: not committed: src/a.py"),
    ("src/c.py (committed)", [edit(1, "/w/src/a.py")], {"untracked": ["src/c.py"]}, ""),  # another one's
    ("src/a.py (committed)", [edit(1, "/w/a/src/a.py")], {"untracked": ["src/"], "folder": "/w"}, ""),
    ("src/a.py (committed)", [edit(1, "/w/src/a.py")], {"untracked": ["a.py"], "folder": "/w"}, ""),
    ("src/a.py: its docs are committed", [edit(1, "/w/src/a.py")], {"untracked": ["src/a.py"]}, ""),
    ("The src/a.py changes are committed.", [edit(1, "/w/b.py")], {"untracked": ["b.py"]}, ""),
    ("The changes are not committed.", [COMMIT], {},
     "git: nothing is uncommitted"),
    ("The changes are not committed.", [], {}, ""), ("Their changes are not committed.", [COMMIT], {}, ""),
    ("The changes are not committed.", [COMMIT], {"untracked": ["x"]}, ""),
    ("Git status: clean", [], {"untracked": ["x"]}, ""),  # not this session's
    ("Git status: clean", [edit(1, "/w/x")], {"untracked": ["x"]}, "git: not committed: x"),
    ("Everything is clean", [edit(1, "/w/x")], {"untracked": ["x"]}, ""), ("`x.py` is clean", [], {}, ""),
    ("Current branch: `main`", [], {}, "git: the branch is rates"), ("Current branch: `rates`", [], {}, ""),
    ("Everything works; current branch: `main`", [], {}, "git: the branch is rates"),
    ("It was made from the current branch: `main`", [], {}, ""),
    ("We are currently on branch `main`", [], {}, "git: the branch is rates"), ("Base branch: `main`", [], {}, ""),
    ("Current branch: `main`", [run(1, "git worktree add ../x", "ended", "", "git")], {}, ""),
    ("Current branch: `main`", [run(1, "cd /x && git log", "ended", "", "git")], {}, ""),
    ("Current branch: `main`", [run(1, "cd /x && git log", "ended", "", "git")], {"root": "/x"},
     "git: the branch is rates"),
    ("Committed `1111111`: round the fees half up", [COMMIT], {}, 'git: "round the fees half up" is 4be1c09'),
    ("Committed `4be1c09d7a2f`: round the fees half up", [COMMIT], {}, ""),
    ("Committed as 1111111 (\"Round the fees half up\").", [COMMIT], {}, 'git: "round the fees half up" is 4be1c09'),
    ("- `1111111` - round the fees half up", [COMMIT], {}, 'git: "round the fees half up" is 4be1c09'),
    ("Cherry-picked commit `1111111`: round the fees half up", [COMMIT], {}, ""),
    ("\"Round the fees half up\" has the checkpoint `1111111aaaaa`", [COMMIT], {}, ""),
    ("Commit `1111111`: round the fees half up", [COMMIT], {"commits": [("1111111", "x")]}, ""),
    ("`1111111` and 4be1c09: round the fees half up", [COMMIT], {}, ""),
    ("Commit `1111111`: round the fees", [COMMIT], {}, ""),
    ("Currently on main branch.", [], {}, "git: the branch is rates"),
    ("Currently on the main branch.", [], {}, ""), ("Currently on `main` branch of the docs.", [], {}, ""),
    ("Currently on `main`.\n- Currently on `b`.", [], {}, ""),
    ("Latest commit: `1111111`", [COMMIT], {}, "git: the last commit is 4be1c09d7a"),
    ("HEAD is now at `1111111`.", [], {}, "git: the last commit is 4be1c09d7a"),
    ("Latest commit: `4be1c09`", [], {}, ""),
    ("Last commit: `4be1c09`", [COMMIT], {"head": "5be1c09d7a"}, ""),
    ("HEAD is at `1111111` of main", [], {}, ""),
    ("HEAD is at `1111111`", [], {"head": ""}, ""), ("HEAD is at `main`", [], {}, ""),
    ("Latest commit: `1111111`, by the other team", [], {}, ""),
    ("The last commit: `1111111`", [], {}, "git: the last commit is 4be1c09d7a"),
    ("Latest commit: `1111111` (on main)", [], {}, ""),
    ("Checked out on `main`, tracking it", [], {}, "git: the branch is rates"),
    ("Checked out on `main` in b", [], {}, ""),
    ("The rebase is complete.", [], {"in_progress": "rebase of x, step 1 of 2"},
     "git: in progress: rebase of x, step 1 of 2"),
    ("The rebase is complete.", [], {}, ""), ("The merge is done.", [], {"in_progress": "rebase of x"}, ""),
    ("The rebase is not complete.", [], {"in_progress": "rebase of x"}, ""),
    ("The merge request is done.", [], {"in_progress": "merge of 1a2b3c4"}, ""),
    ("All merge conflicts are resolved.", [], {"conflicts": ["a.py"]}, "git: not resolved: a.py"),
    ("All conflicts are resolved.", [], {}, ""),
    ("The conflicts in a.py are resolved", [], {"conflicts": ["b.py"]}, ""),
    ("Everything is pushed to `origin/rates`.", [], {"ahead": 1}, "git: 1 commit of rates not pushed to origin/rates"),
    ("Everything is pushed to `mirror/rates`.", [], {"ahead": 1}, ""),
    ("Everything is committed and pushed.", [], {"ahead": 2}, "git: 2 commits of rates not pushed to origin/rates"),
    ("Everything is committed and pushed.", [], {"ahead": 2, "upstream": ""}, ""),
    ("The branch is pushed.", [], {"is_without_remote": True, "upstream": ""}, "git: the repository has no remote"),
    ("The changes were pushed.", [run(8, "git push git@a:b", "ended", "", "git")], {"is_without_remote": True}, ""),
    ("The changes were pushed to origin.", [], {"upstream": ""}, ""),
    ("The changes were pushed to origin.", [], {"ahead": 1}, ""),  # before the others
    ("The changes were not pushed.", [], {"is_without_remote": True}, ""),
    ("Pushed both commits.", [], {"ahead": 1}, "git: 1 commit of rates not pushed to origin/rates"),
    ("Pushed both commits.", [run(8, "git push", "ended", "", "git")], {"ahead": 1}, ""),  # before the others
    # git says that nothing is uncommitted
    ("The working tree has uncommitted changes.", [], {}, "git: nothing is uncommitted"),
    ("`lib/a.js` has uncommitted changes.", [edit(1, "/w/lib/a.js")], {"root": "/w", "commits": [("4be1c09", "x")]},
     "git: nothing is uncommitted"),
    ("The changes are not committed.", [COMMIT], {"stashes": 1}, ""),
    ("The changes are not committed.", [COMMIT, edit(1, "/v/a.js")], {"root": "/w"}, ""),
    ("lib/a.js has uncommitted changes.", [COMMIT, edit(1, "/v/lib/a.js")], {"root": "/w"}, ""),
    ("lib/a.js has uncommitted changes.", [COMMIT, edit(1, "/w/lib/a.js")], {"modified": [("b.js", "")]}, ""),
    ("There are committed changes.", [edit(1, "/w/a.js")], {"modified": [("a.js", "")]}, ""),
    ("The working tree has uncommitted changes.", [], {"modified": [("a.js", "")]}, ""),
    ("The working tree has no uncommitted changes.", [edit(1, "/w/a.js")], {"modified": [("a.js", "")]},
     "git: not committed: a.js")])
def test_git(text: str, items: list[Item], git: Any, record: str) -> None:
    assert records_of(text, items, {**GIT, **git}) == ([record] if record else [])


def test_what_git_was_not_asked_it_does_not_say() -> None:
    text = "- The changes are not committed.\n- Everything is pushed.\n- The commits are unpushed."
    assert records_of(text, [COMMIT], {"branch": "rates", "head": "4be1c09d7a"}) == []


@pytest.mark.parametrize(("text", "items", "is_there", "finds"), [
    ("Created `src/a.py`.", [], False, True), ("Created `src/a.py`.", [], True, False),
    ("Created `src/a.py`.", [], None, False),
    ("Created `src/a.py`.", [edit(4, "/w/src/a.py"), run(5, "rm -r src", "ended", "", "")], False, False),
    ("Created `src/a.py`.", [run(5, "rm -r src", "ended", "", "")], False, True),  # it was never there
    ("Created `src/a.py`.", [run(5, "rm -r src", "ended", "", ""), edit(6, "/w/src/a.py")], False, True),
    ("Created `src/a.py`.", [run(4, "touch a.py", "ended", "", ""), run(5, "git checkout x", "ended", "", "")],
     False, False),
    ("Created `src/a.py`.\n- Deleted `src/a.py`.", [], False, False), ("Create `src/a.py` later", [], False, False),
    ("`src/a.py` (new file)", [], False, True), ("**`src/a.py`** (created): x", [], False, True),
    ("- Created `src/a.py` with x", [], False, True), ("`src/a.py` was created for the rates", [], False, True),
    ("Created src/a.py.", [], False, True), ("I added (src/a.py), see x", [], False, False),
    ("Created `src/a.py` for now", [], False, False),
    ("Added a test for `src/a.py`", [], False, False), ("Deleted the obsolete `src/a.py`", [], True, True),
    ("The old `src/a.py` is gone", [], True, False), ("`src/a.py` does not exist yet, it is next", [], True, True),
    ("`src/a.py` does not exist yet", [], False, False), ("`src/a.py` does not exist upstream", [], True, False),
    ("`src/a.py` does not exist", [], True, False), ("Deleted the old code of `src/a.py`", [], True, False),
    ("Deleted `src/a.py` for the moment", [], True, False),
    ("Created `src/a.py` tests", [], False, False),
    ("Created `src/a.py`-like files", [], False, False), ("`src/a.py`: new", [], False, False),
    ("Created `src/a.py`, renamed later", [], False, False), ("Removed `src/a.py` as a source", [], True, False),
    ("## Plan\n- `src/a.py` (new file)", [], False, False), ("Added `src/a.py` to the list", [], False, False),
    ("**Removed** `src/a.py` with its tests", [], True, True),
    ("Removed the import from `src/a.py`", [], True, False),
    ("Import in `src/a.py`: removed", [], True, False), ("`src/a.py`: Added “x” to it", [], False, False),
    ("`src/a.py` deleted.", [], True, True), ("Deleted `src/a.py` from the index", [], True, False),
    ("`src/a.py` was deleted.", [], True, True), ("`src/a.py` has been removed.", [], True, True),
    ("`src/a.py` was deleted by accident.", [], True, False), ("`src/a.py` was deleted earlier.", [], True, False),
    ("`src/a.py` was not deleted.", [], True, False), ("`src/a.py` was created.", [], False, True),
    ("When `src/a.py` was deleted, x", [], True, False), ("`src/a.py` was deleted and restored.", [], True, False),
    ("`src/a.py` was deleted on `main`.", [], True, False), ("Was `src/a.py` deleted?", [], True, False),
    ("Deleted `src/a.py`.", [edit(2, "/w/src/a.py")], True, True),
    ("Deleted `src/a.py`.", [run(1, "rm src/a.py", "ended", "", ""), edit(2, "/w/src/a.py")], True, False)])
def test_files(text: str, items: list[Item], is_there: bool | None, finds: bool) -> None:
    assert bool(records_of(text, items, {}, {"src/a.py": is_there})) is finds


def test_the_disk_is_asked_of_what_the_summary_names() -> None:
    summary = ("- Created `A/b.py` with x\n- `c.d()` deleted, see d.md\n- Deleted `e.rs`, (lib/G.py).\n"
               "```\nCreated `f.py`\n```\n- Created `ops/Dockerfile` beside `Makefile` and/or `Rest`")
    assert {*paths_in(statements_of(summary)).values()} == {"A/b.py", "e.rs", "lib/G.py", "ops/Dockerfile", "Makefile"}


# --- the person's words ---


@pytest.mark.parametrize(("summary", "is_missing"), [
    ("The user wrote: “Never push  to **main**”", False), ("never PUSH to main!", False),
    ("Pushing to main is forbidden.", True)])
@pytest.mark.parametrize("kind", ["rule", "pin"])
def test_rules_and_pins_stand_whole_or_are_told(summary: str, is_missing: bool, kind: str) -> None:
    rule: Any = {**AT, "kind": kind, "text": "Never push to main.", "position": 1}
    assert compare(summary, [rule], {}) == ([{
        "kind": kind, "said": "", "record": "Never push to main."}] if is_missing else [])
    rule["status"] = "revoked"
    assert compare(summary, [rule], {}) == []


@pytest.mark.parametrize(("summary", "later", "kind"), [
    ("Open: “Which zone is the default?”", [], ""), ("The importer is next.", [], "left out"),
    ("Which zone is the default? The user chose zone 2.", [], "answered"),
    ("Which zone is the default? A: zone 2", [], "answered"),
    ("Resolved: which zone is the default?", [], "answered"),
    ("The user chose a name; then I asked which zone is the default?", [], ""),
    ("The user has not answered: which zone is the default?", [], ""),
    ("The importer is next.", [{**AT, "kind": "message", "text": "Zone 2", "position": 6}], "")])
def test_a_question_that_waits(summary: str, later: list[Any], kind: str) -> None:
    question: Any = {**AT, "kind": "question", "text": "Which zone is the default?", "position": 5}
    findings = compare(summary, [question, *later], {})
    assert [bool(finding["said"]) for finding in findings] == {"": [], "left out": [False], "answered": [True]}[kind]
