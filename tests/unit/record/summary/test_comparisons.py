"""What a summary says that the record knows otherwise: hostile texts first, then each comparison and its limits."""

from __future__ import annotations

from typing import Any

import pytest

from compact_keeper.record.summary.comparisons import COMPARED_MAX, compare
from compact_keeper.record.summary.file_claims import paths_in
from compact_keeper.record.summary.statements import body_of, statements_in
from compact_keeper.types import Facts, GitNow, Item

Record = dict[str, Any]
AT = {"source": "s", "first": "2026-03-04T10:00:00.000Z", "last": "2026-03-04T10:20:00.000Z", "status": "open"}
GIT: GitNow = {"branch": "rates", "head": "4be1c09d7a", "commits": [], "staged": [], "modified": [], "untracked": [],
    "conflicts": [],
       "in_progress": "", "ahead": 0, "behind": 0, "upstream": "origin/rates"}
NO_FACTS: Facts = {"git": {}, "files": {}}


def run(position: int, command: str, verdict: str, result: str = "", family: str = "test") -> Any:
    return {**AT, "kind": "action", "tool": "Bash", "text": command, "verdict": verdict, "result": result,
        "family": family,
            "position": position}


def edit(position: int, path: str) -> Any:
    return {**AT, "kind": "action", "tool": "Edit", "text": path, "path": path, "verdict": "ended", "edits": 1,
            "position": position}


def task(key: str, text: str, status: str) -> Any:
    return {**AT, "kind": "task", "key": key, "text": text, "status": status, "position": 1}


COMMIT: Any = {**run(7, "git commit -m x", "ended", family="git"), "commit": "4be1c09",
               "subject": "round the fees half up"}
FAILED = [run(1, "pytest", "passed", "9 passed"), run(2, "pytest", "failed", "1 failed, 8 passed · test_zone")]
TASKS = [task("#1", "Add the zone column", "completed"), task("#2", "Backfill the old parcels", "in_progress"),
         task("#3", "Print the zone on labels", "pending")]


def records_of(summary: str, items: list[Item], git: Any = None, files: Any = None) -> list[str]:
    """What the record has against the summary."""
    return [finding["record"] for finding in compare(summary, items, {"git": git, "files": files})]


# --- hostile ---


@pytest.mark.parametrize("summary", [
    "", "\0", "\ud800", "```", "```\n" * 5_000, "all tests pass " * 20_000, "a" * 300_000, "`" * 100_000, "# " * 50_000,
    "task #1 " * 20_000, "Task #1, #2, " * 20_000, "- [x] " * 30_000, "created `" + "a/" * 50_000, "\"" * 100_000,
    "(" * 50_000 + ")" * 50_000, "<summary>" * 10_000, "all the changes " * 10_000, "created file file " * 9_000,
    "passes " * 20_000, "HEAD is now at " * 9_000, "the user " * 20_000 + "answered"], ids=lambda text: repr(text[:20]))
def test_hostile_summaries_find_little(summary: str) -> None:
    items = [*FAILED, *TASKS, COMMIT, edit(3, "/w/a.py"), {**AT, "kind": "question", "text": "Which zone?",
        "position": 9}]
    findings = compare(summary, items, {"git": GIT, "files": {"a/a.py": False}})
    paths_in(summary)
    assert len(findings) <= COMPARED_MAX


@pytest.mark.parametrize("git", [
    None, {}, {"branch": 7, "head": None, "in_progress": 3, "ahead": "x", "modified": 7, "staged": [None],
    "conflicts": {}}])
def test_odd_facts_are_no_findings(git: object) -> None:
    lines = "- All changes are committed.\n- Current branch: `main`\n- The merge is complete.\n- Nothing is committed."
    assert records_of(lines, [edit(1, "/w/src/a.py")], git) in ([], ["git: the branch is 7"])


def test_words_of_others_are_quoted_and_redacted() -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    [finding] = compare(f"All tests pass; {token}\x1b[31m", FAILED, NO_FACTS)
    assert token not in finding["said"]
    assert "\x1b" not in finding["said"]


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
    statements = list(statements_in("## Done\n- a. B.\n3. Next Step:\n   - c"))
    assert [(each["text"], each["heading"]) for each in statements] == [("a.", "Done"), ("B.", "Done"),
        ("c", "Next Step")]


# --- checks ---


@pytest.mark.parametrize(("text", "items", "finds"), [
    ("`pytest` passes.", FAILED, True), ("pytest passes", FAILED, True), ("All 9 tests pass.", FAILED, True),
    ("`npm test` passes.", FAILED, False), ("`pytest tests/a.py` passes.", FAILED, False),
    ("`pytest` passes.", [*FAILED, run(3, "make test", "passed")], False),  # may have run the same
    ("`pytest` passes.", [*FAILED, run(3, "npx jest", "passed")], True), ("`pytest` passes.", FAILED[:1], False),
    ("`pytest` passes.", [*FAILED, run(3, "pytest | head", "unknown")], False),
    ("`pytest` passes.", [*FAILED, run(3, "pytest", "running")], False),
    ("`pytest` passes.", [FAILED[0], run(3, "pytest", "not run")], False),
    ("`ruff check` is clean.", [run(3, "pytest && ruff check", "failed", "3 errors", "lint")], True),
    ("`pytest` passes.", [run(3, "pytest && ruff check", "failed", "3 errors", "lint")], False),
     # which of them failed?
    ("`pytest` passes.\n- test_zone is red", FAILED, False),
    ("`pytest` passes.\n- one of the tests fails", FAILED, False),
    ("`pytest a.py` passes.", [run(3, "pytest a.py && pytest b.py", "failed", "1 failed")], False),
    ("`pytest`: 12 passed", FAILED[:1], True), ("`pytest`: 9 passed", FAILED[:1], False),
    ("`pytest`: 12 passed", [run(1, "pytest", "passed", "9 passed, 3 skipped")], False),
    ("`pytest` still fails", FAILED[:1], True), ("`pytest` still fails", FAILED, False),
    ("`pytest` still fails", [run(1, "pytest tests/a.py", "passed")], False),
    ("The tests are failing.", FAILED[:1], True),
    ("The build is broken.", [run(1, "make", "passed", "", "build")], True),
    ("The build is broken.", FAILED[:1], False),
    ("| `pytest` | ✅ passes |", FAILED, True), ("| Check | Before |\n| --- | --- |\n| `pytest` | ✅ |", FAILED, False),
    ("`pytest`: 1 failed, 8 passed", FAILED[:1], True), ("`pytest`: 2 failed, 7 passed", FAILED, True),
    ("`pytest` finds 2 failures in a.py", FAILED, False), ("`pytest` failed", FAILED[:1], False),
    ("`pytest` failed", [FAILED[1], *FAILED[:1]], False), ("`pytest` without errors", FAILED, True),
    ("8 of 9 tests in `pytest` pass", FAILED, False), ("✅ Added `pytest` to the steps", FAILED, False),
    ("✅ `pytest`", FAILED, True), ("All 9 pass (`pytest`)", FAILED, True), ("`pytest` passes `-x` on", FAILED, False),
    ("`pytest --no-slow` passes", FAILED, False), ("pytest passes on `tests/a.py`", FAILED, False),
    ("`pytest` passes", [FAILED[1], run(3, "pytest tests/a.py", "passed")], False),  # may have been what failed
    ("pytest finished without findings", FAILED, True), ("`pytest` exits 0", FAILED, True),
    ("✅ All tests passing", FAILED, True), ("All tests pass (`pytest`)", FAILED, True),
    ("Desktop: all tests pass", FAILED, False), ("| web | all tests pass |", FAILED, False),  # whose tests?
    ("`pytest`: 8 passed", FAILED, False), ("Tests failing: 0", FAILED[:1], False),
    ("Red phase: `pytest` fails", FAILED[:1], False),
    ("## Errors\n- `pytest` still fails", FAILED[:1], True), ("## Errors\n- `pytest` fails", FAILED[:1], False),
    ("Ran `pytest` one last time; 9/9 green", FAILED, True), ("I ran `pytest`; ruff is clean", FAILED, False),
    ("The last run of `pytest` was green", FAILED, True), ("`pytest` was green", FAILED, False),
    ("`pytest` passed when the summary was requested", FAILED, True), ("`pytest` passed when asked", FAILED, False),
    ("`pytest`: 7 passed, 2 failed", FAILED[:1], True), ("`pytest`: 9 passed, 0 failed", FAILED, True),
    ("`pytest` doesn't pass yet", FAILED[:1], True), ("`pytest` no longer fails", FAILED, True),
    ("`pytest` finished with 9 out of 9 tests passed", FAILED, True), ("8 of 9 tests pass", FAILED, False),
    ("`pytest` is clean, no warnings or errors", FAILED, True), ("`pytest` reports no warnings", FAILED, False),
    ("`pytest` passes with `-x`", FAILED, False), ("`pytest` passed at the start", FAILED, False),
    ("On Linux, `pytest` passes", FAILED, False), ("After the fix, `pytest` passes", FAILED, False),
    ("`pytest` passes after the fix", FAILED, True), ("The tests are clean and short", FAILED, False),
    ("## Problem Solving\n- `pytest` is green", FAILED, True), ("## Errors\n- `pytest` passes now", FAILED, True),
    ("## Files\n- All tests pass", FAILED, False), ("Las pruebas pasan", FAILED, True),
    ("13 de las 14 pruebas pasan", FAILED, False),
    ("`pytest` was failing", FAILED[:1], False), ("`pytest` is failing; fixed by now", FAILED[:1], False)])
def test_checks(text: str, items: list[Item], finds: bool) -> None:
    assert bool(records_of(text, items)) is finds


def test_a_check_s_record_tells_command_time_and_result() -> None:
    assert records_of("All tests pass.",
        FAILED) == ["the last run of `pytest` at 10:20 UTC failed: 1 failed, 8 passed · test_zone"]


# --- tasks ---


@pytest.mark.parametrize(("text", "names"), [
    ("Task #2 is done.", "#2"), ("- Task #2: Backfill the old parcels (completed)", "#2"),
    ("✅ Print the zone on labels", "#3"),
    ("[pending] Add the zone column", "#1"), ("Task #3 [in progress]", "#3"),
    ("## Completed\n- Print the zone on labels", "#3"),
    ("Pending tasks:\n- Add the zone column", ""),  # new work may have the same words
    ("Task #2 is in progress.", ""), ("Task #4 is done.", ""), ("PR #3 is done.", ""),
    ("Complete task #2 by hand.", ""),
    ("| #3 | Print the zone on labels | ✅ |", "#3"), ("3. Print the zone on labels - **done**", "#3"),
    ("Tasks #1 to #3 are done", "#"),
    ("Tarea #3: Print the zone on labels: terminada", "#3"),
    ("Tasks #1 to #3: #1 completed", ""), ("Print the zone on labels: design done, code pending", ""),
    ("Backfill the old parcels: 40% done", ""), ("Print the zone on labels ✅ agreed", ""),
    ("Task #2 is done if the rest is.", ""), ("Task #2 is not done.", ""), ("Task #2 (reopened), completed once", ""),
    ("[pending] Backfill the old parcels - DONE", ""), ("Task #2 is done.\n- Task #2 (in progress)", ""),
    ("Half of task #2 is done.", ""), ("Task #2: done: the script", ""),
    ("## Errors\n- Task #2 is done.", ""),
    ("Marked task #2 as completed", "#2"), ("Setting #2 to completed needs a check", ""),
    ("Backfilling the parcels (#2) is done", "#2"), ("The backfill script (#2) is done", ""),
    ("Task #2, the backfill, is done", "#2"), ("Task #2, the first half, is done", ""),
    ("The old parcels (#2) and the labels (#3) have been finished", "#"), ("#2 and #3 are not done", ""),
    ("Task 2, old parcels, is done", "#2"),
    ("Task 2 of the guide is done", ""), ("#1 is open: the test is done", "#1"), ("Done so far on #2: a script", ""),
    ("In the demo, #2 is done", ""), ("#2 was done and then reopened", ""), ("#2 isn't done", ""),
    ("#3 Print the zone on labels: done", "#3"), ("Print the zone on labels and boxes: done", ""),
    ("Reprint the zone on labels: done", "")])
def test_tasks(text: str, names: str) -> None:
    found = records_of(text, TASKS)
    assert bool(found) == bool(names)
    assert names in "".join(found)


def test_a_number_or_subject_of_two_tasks_names_none() -> None:
    twice = [*TASKS, {**TASKS[2], "status": "completed"}]
    assert records_of("Task #3 is done. ✅ Print the zone on labels", twice) == []


# --- git and files ---


@pytest.mark.parametrize(("text", "items", "git", "record"), [
    ("All changes are committed.", [edit(1, "/w/src/a.py")], {"modified": ["src/a.py"]},
    "git: not committed: src/a.py"),
    ("All changes are committed.", [edit(1, "/w/a.py")], {"staged": [("a.py", "new")]}, "git: not committed: a.py"),
    ("Latest commit: `4be1c09d7a2f`", [], {"head": "4be1c09"}, ""),
    ("All changes are committed.", [], {"modified": ["src/a.py"]}, ""),  # another one's
    ("`src/a.py` is committed.", [edit(1, "/w/src/a.py")], {"untracked": ["src/a.py"]}, "git: not committed: src/a.py"),
    ("`committed.py` and `src/a.py`", [edit(1, "/w/src/a.py")], {"modified": ["src/a.py"]}, ""),
    ("The changes are not committed.", [COMMIT], {},
    "git: nothing is uncommitted; the last commit here: 4be1c09 round the fees half up"),
    ("The changes are not committed.", [], {}, ""), ("Their changes are not committed.", [COMMIT], {}, ""),
    ("The changes are not committed.", [COMMIT], {"untracked": ["x"]}, ""),
    ("Current branch: `main`", [], {}, "git: the branch is rates"), ("Current branch: `rates`", [], {}, ""),
    ("Current branch: `main`", [run(1, "git worktree add ../x", "ended", "", "git")], {}, ""),
    ("Latest commit: `0000000`", [], {}, "git: HEAD is 4be1c09d7a"), ("Latest commit: `4be1c09`", [], {}, ""),
    ("Latest commit on branch `main`: `0000000`", [], {}, ""),
    ("Committed `1111111`: round the fees half up", [COMMIT], {}, "git: “round the fees half up” is 4be1c09"),
    ("Everything is committed and pushed.", [], {"ahead": 2}, "git: 2 commits of rates not pushed to origin/rates"),
    ("Everything is committed and pushed.", [], {"ahead": None}, ""),
    ("The commits are unpushed.", [], {"ahead": 1}, ""),
    ("The commits are unpushed.", [], {}, "git: rates has no commit that origin/rates lacks"),
    ("The merge is complete.", [], {"in_progress": "merge", "conflicts": ["a.py"]},
    "git: the merge is not finished, conflicts in a.py"),
    ("The merge of `main` into `rates` is done.", [], {"in_progress": "merge of 1a2b3c4"},
     "git: the merge is not finished"),
    ("Git status: clean", [], {"untracked": ["x"]}, ""),  # not this session's
    ("Git status: clean", [edit(1, "/w/x")], {"untracked": ["x"]}, "git: not committed: x"),
    ("The tree is clean.", [], {"untracked": ["x"]}, ""),
    ("Pushed both commits.", [], {"ahead": 1}, "git: 1 commit of rates not pushed to origin/rates"),
    ("Pushed both commits.", [run(8, "git push", "ended", "", "git")], {"ahead": 1}, ""),
    ("Committed: round the fees half up", [{**COMMIT, "text": "git commit -am 'round the fees half up'",
        "verdict": "failed", "commit": ""}], {},
        "git: “round the fees half up” was not committed: its command failed"),
    ("Everything was committed in one commit, `4be1c09`", [edit(1, "/w/a.py")], {"modified": ["a.py"]},
    "git: not committed: a.py"),
    ("Lists staged, committed work, and more", [edit(1, "/w/a.py")], {"modified": ["a.py"]}, ""),
    ("The code is clean. `a.py` is clean", [edit(1, "/w/a.py")], {"modified": ["a.py"]}, ""),
    ("Docs: all changes are committed", [edit(1, "/w/a.py")], {"modified": ["a.py"]}, ""),
    ("- **Branch**: `main`", [], {}, "git: the branch is rates"), ("Base branch: `main`", [], {}, ""),
    ("- Branch: `main`", [run(1, "git log main", "ended", "", "git")], {}, ""),  # what the work was about
    ("On branch `main`: rounded down", [], {}, ""), ("Docs: last commit `0000000`", [], {}, ""),
    ("The branch has been pushed", [run(8, "git push", "ended", "", "git")], {"ahead": 1}, ""),
    ("All conflicts resolved", [], {"in_progress": "rebase"}, ""),  # it goes on
    ("Latest commit: `0000000`", [run(1, "cd /x && git log", "ended", "", "git")], {}, ""),
    ("Latest commit: `0000000`", [run(1, "cd /x && git log", "ended", "", "git")], {"root": "/x"},
    "git: HEAD is 4be1c09d7a"),
    ("Committed as `4be1c09` and pushed it to `origin/rates`", [], {"ahead": 2},
     "git: 2 commits of rates not pushed to origin/rates"),
    ("The commits are ready; they have not been pushed yet", [], {},
     "git: rates has no commit that origin/rates lacks"),
    ("The tags are ready; they have not been pushed yet", [], {}, ""),
    ("So far no commit has been made in this session", [COMMIT], {},
     "git: this session made 4be1c09 round the fees half up"),
    ("So far no commit has been made", [COMMIT], {}, ""),
    ("There are no uncommitted changes", [edit(1, "/w/a.py")], {"modified": ["a.py"]}, "git: not committed: a.py"),
    ("There are no uncommitted changes in `docs`", [edit(1, "/w/a.py")], {"modified": ["a.py"]}, ""),
    ("The index is empty", [edit(1, "/w/a.py")], {"staged": ["a.py"]}, "git: staged: a.py"),
    ("No git operation is in progress", [], {"in_progress": "rebase"}, "git: the rebase is not finished"),
    ("No merge is in progress", [], {"in_progress": "rebase"}, ""),
    ("We are on `main`", [], {}, "git: the branch is rates"), ("We are on `step three`", [], {}, ""),
    ("Checked out on `main`", [], {}, "git: the branch is rates"), ("`x` branch: what it holds", [], {}, ""),
    ("Changes committed: the fees", [edit(1, "/w/a.py")], {"modified": ["a.py"]}, ""),
    ("Committed everything but `a.py`", [edit(1, "/w/a.py")], {"modified": ["a.py"]}, ""),
    ("- **`a.py`**\n  - committed", [edit(1, "/w/a.py")], {"modified": ["a.py"]}, "git: not committed: a.py"),
    ("The merge is complete.", [], {}, ""), ("The rebase is still in progress.", [], {},
    "git: no rebase is in progress"),
    ("No rebase is in progress.", [], {}, "")])
def test_git(text: str, items: list[Item], git: Any, record: str) -> None:
    assert records_of(text, items, {**GIT, **git}) == ([record] if record else [])


def test_what_git_was_not_asked_it_does_not_say() -> None:
    text = "- The changes are not committed.\n- The merge is still in progress.\n- Everything is pushed."
    assert records_of(f"{text}\n- The commits are unpushed.", [COMMIT], {"branch": "rates", "head": "4be1c09d7a"}) == []


@pytest.mark.parametrize(("text", "items", "is_there", "finds"), [
    ("Created `src/a.py`.", [], False, True), ("Created `src/a.py`.", [], True, False),
    ("Created `src/a.py`.", [], None, False),
    ("Created `src/a.py`.", [run(5, "rm -r src", "ended", "", "")], False, False),
    ("Created `src/a.py`.", [run(5, "git checkout -b x && rm b.py", "ended", "", "")], False, True),
    ("Created `src/a.py`.", [run(5, "git checkout x", "ended", "", "")], False, False),
    ("Created `src/a.py`.\n- Deleted `src/a.py`.", [], False, False), ("Create `src/a.py` later", [], False, False),
    ("`src/a.py` (new file)", [], False, True), ("Created `src/a.py` describing x", [], False, True),
    ("**`src/a.py`** (created): x", [], False, True), ("### `src/a.py` (NEW)", [], False, True),
    ("Wrote src/a.py, which holds x", [], False, True), ("Created `src/a.py` tests", [], False, False),
    ("Created `src/a.py`-like files", [], False, False), ("`src/a.py`: new", [], False, False),
    ("Created `src/a.py`, renamed later", [], False, False), ("Removed `src/a.py` as a source", [], True, False),
    ("## Plan\n- `src/a.py` (new file)", [], False, False),
    ("**Removed** `src/a.py` with its tests", [], True, True), ("Removed the import from `src/a.py`", [], True, False),
    ("Import in `src/a.py`: removed", [], True, False), ("Added `src/a.py` to the list", [], False, False),
    ("`src/a.py` is still there", [], False, True), ("`src/a.py` does not exist yet", [], True, True),
    ("The import of `src/a.py`, which is gone, failed", [], True, False), ("`src/a.py` was gone", [], True, False),
    ("Removed `src/a.py` from the repository", [], True, True), ("There is no `src/a.py` any more", [], True, True),
    ("Dropped the file `src/a.py`, it no longer exists", [], True, True),
    ("`src/a.py`: Added “x” to it", [], False, False),
    ("- **`src/a.py`**\n  - Created with x", [], False, True), ("- **`src/a.py`**\n  - Removed x", [], True, False),
    ("`src/a.py` was deleted.", [], True, True), ("Deleted `src/a.py` from the index", [], True, False),
    ("Deleted `src/a.py`.", [run(1, "rm src/a.py", "ended", "", ""), edit(2, "/w/src/a.py")], True, False)])
def test_files(text: str, items: list[Item], is_there: bool | None, finds: bool) -> None:
    assert bool(records_of(text, items, {}, {"src/a.py": is_there})) is finds


def test_the_disk_is_asked_of_what_the_summary_names() -> None:
    summary = "- Created `a/b.py` with x\n- `c.d()` deleted\n- Deleted `e.rs`\n```\nCreated `f.py`\n```"
    assert paths_in(summary) == ["a/b.py", "e.rs"]


# --- the person's words ---


@pytest.mark.parametrize(("summary", "is_missing"), [
    ("The user wrote: “Never push  to **main**”", False), ("never PUSH to main!", False),
    ("Pushing to main is forbidden.", True)])
@pytest.mark.parametrize("kind", ["rule", "pin"])
def test_rules_and_pins_stand_whole_or_are_told(summary: str, is_missing: bool, kind: str) -> None:
    rule: Any = {**AT, "kind": kind, "text": "Never push to main.", "position": 1}
    assert compare(summary, [rule], NO_FACTS) == ([{
        "kind": kind, "said": "", "record": "Never push to main.",
        "unless": "Never push to main."}] if is_missing else [])
    rule["status"] = "revoked"
    assert compare(summary, [rule], NO_FACTS) == []


@pytest.mark.parametrize(("summary", "later", "kind"), [
    ("Open: “Which zone is the default?”", [], ""), ("The importer is next.", [], "left out"),
    ("Which zone is the default? The user chose zone 2.", [], "answered"),
    ("Which zone is the default? A: zone 2", [], "answered"), ("Resolved: which zone is the default?", [], "answered"),
    ("The user chose a name; then I asked which zone is the default?", [], ""),
    ("The user has not answered: which zone is the default?", [], ""),
    ("The importer is next.", [{**AT, "kind": "message", "text": "Zone 2", "position": 6}], "")])
def test_a_question_that_waits(summary: str, later: list[Any], kind: str) -> None:
    question: Any = {**AT, "kind": "question", "text": "Which zone is the default?", "position": 5}
    findings = compare(summary, [question, *later], NO_FACTS)
    assert [bool(finding["said"]) for finding in findings] == {"": [], "left out": [False], "answered": [True]}[kind]
