"""What the commands leave in the repository: commits elsewhere, commits of others, files that nobody added."""

from __future__ import annotations

from typing import Any

import pytest

from compact_keeper.record.git.marked_events import marked_events
from compact_keeper.record.git.stashes import newest_left, runs_without_changes, spans_away, stashes_of
from compact_keeper.record.git.state import commits_of_others, missing_in_branch, own_commits_elsewhere
from compact_keeper.record.git.uncommitted import never_added, status_seen, uncommitted
from git_items import ROOT, SAVED, edited, looked, ran
from slow_texts import ending, slow_texts


def committed(position: int, name: str, branch: str = "main", text: str = "git add a.py && git commit -m x",
              **more: Any) -> Any:
    """A commit as an action item."""
    return ran(position, text, result=f"[{branch} {name}] Round up", commit=name, subject="Round up", branch=branch,
               **more)


COMMIT = committed(1, "aaaaaaa", "rates")


@pytest.mark.parametrize(("actions", "is_own"), [
    ([], False), ([ran(1, "git log -1 --format=%s try", result="Check target")], False),
    ([committed(1, "bbbbbbb", "try")], False), ([ran(1, "git commit -qam 'Check targets'")], False),
    ([committed(1, "d923c6a0", "try")], True), ([ran(1, "git commit -qam 'Check target'")], True),
    ([ran(1, "git checkout -q -b try && git commit -qam \"Check target\" && git checkout -q main")], True)])
def test_commits_elsewhere_that_the_session_made(actions: list[Any], is_own: bool) -> None:
    elsewhere = [("try", "d923c6a", "Check target")]
    own = own_commits_elsewhere({"elsewhere": elsewhere}, actions, marked_events(actions))
    assert own == (elsewhere if is_own else [])
    assert own_commits_elsewhere({}, actions, marked_events(actions)) == []


@pytest.mark.parametrize(("later", "expected"), [
    ([ran(2, "git checkout main"), ran(3, "git checkout -b sums")], ("sums", ["aaaaaaa"])),
    ([ran(2, "git checkout main && git pull"), ran(3, "git checkout -b sums")], ("sums", ["aaaaaaa"])),
    ([ran(2, "git checkout -b sums origin/main")], ("sums", ["aaaaaaa"])),
    ([ran(2, "git checkout main")], ("main", ["aaaaaaa"])),
    ([ran(2, "git checkout -b sums")], None),  # it begins where the commit is
    ([ran(2, "git checkout -b sums rates")], None), ([ran(2, "git checkout -b sums HEAD~1")], None),
    ([ran(2, "git checkout -")], None), ([ran(2, "git checkout 4be2a91")], None),
    ([ran(2, "git checkout main"), ran(3, "git merge rates")], None),
    ([ran(2, "git checkout main"), ran(3, "git cherry-pick aaaaaaa")], None),
    ([ran(2, "git checkout main"), ran(3, "git reset --hard rates")], None),
    ([ran(2, "git push"), ran(3, "git checkout main && git pull")], None),  # merged by the forge, perhaps
    ([ran(2, "git push"), ran(3, "git checkout main")], None),
    ([ran(2, "gh pr checkout 3")], None), ([ran(2, "git worktree add -b sums ../sums main")], None),
    ([committed(3, "bbbbbbb", "sums")], None),  # nobody saw how it got there
    ([ran(2, "git checkout main"), looked(3, "git status", "On branch rates ⏎ nothing to commit")], None),
    ([ran(2, "git checkout main"), looked(3, "git status", "On branch main ⏎ nothing")], ("main", ["aaaaaaa"])),
    ([ran(2, "cd /elsewhere && git checkout main")], None), ([ran(2, "git checkout -- a.py")], None),
    ([ran(2, "git rebase main"), ran(3, "git checkout main")], None),
])
def test_commits_that_the_current_branch_lacks(later: list[Any], expected: tuple[str, list[str]] | None) -> None:
    actions = [COMMIT, *(item for item in later if item["kind"] == "action")]
    looks = [item for item in later if item["kind"] == "look"]
    current = missing_in_branch(actions, looks, marked_events(actions), ROOT)
    assert (current and (current["branch"], [event["hash"] for event in current["lacking"]])) == expected


@pytest.mark.parametrize(("actions", "expected"), [
    ([edited(0, "a.py"), edited(0, "b.md"), committed(1, "aaaaaaa")], ["b.md"]),
    ([edited(0, "docs/b.md"), committed(1, "aaaaaaa")], ["docs/b.md"]),
    ([edited(0, "web/.env"), edited(0, ".env.example"), committed(1, "aaaaaaa")], [".env.example"]),
    ([edited(0, "docs/b.md"), committed(1, "aaaaaaa", text="git add docs && git commit -m x")], []),
    ([edited(0, "docs/b.md"), committed(1, "aaaaaaa", text="cd docs && git add b.md && git commit -m x")], []),
    ([edited(0, "web/docs/b.md"), committed(1, "aaaaaaa", text="git add ../docs/ && git commit -m x")], []),
    ([edited(0, "b.md"), committed(1, "aaaaaaa", text="git add -A && git commit -m x")], []),
    ([edited(0, "b.md"), committed(1, "aaaaaaa", text="git add . && git commit -m x")], []),
    ([edited(0, "b.md"), committed(1, "aaaaaaa", text="git add *.py && git commit -m x")], []),
    ([edited(0, "b.md"), committed(1, "aaaaaaa", text="git add $(git ls-files -m) && git commit -m x")], []),
    ([edited(0, "b.md"), committed(1, "aaaaaaa", text="git add a.py && git commit -am x")], []),
    ([edited(0, "b.md"), committed(1, "aaaaaaa", text="git add a.py && git commit --all -m x")], []),
    ([edited(0, "b.md"), committed(1, "aaaaaaa", text="git commit -m x")], []),  # the index is not the session's
    ([edited(0, "b.md"), committed(1, "aaaaaaa"), ran(2, "rm b.md")], []),
    ([edited(0, "b.md"), committed(1, "aaaaaaa"), ran(2, "git add b.md")], []),
    ([edited(0, "B.md"), committed(1, "aaaaaaa", text="git add a.py b.md && git commit -m x")], []),
    ([edited(0, "b.md"), committed(1, "aaaaaaa"), ran(2, "git merge main")], []),
    ([edited(0, "b.md"), committed(1, "aaaaaaa"), ran(2, "git checkout .")], []),
    ([ran(0, "git add -A && git commit -qm x"), edited(1, "b.md"), committed(2, "aaaaaaa")], ["b.md"]),
    ([edited(0, "b.md"), ran(1, "git add -A"), edited(2, "b.md"), edited(2, "c.md"), committed(3, "aaaaaaa"),
      committed(4, "bbbbbbb", text="git add c.md && git commit -m x")], ["b.md"]),
    ([ran(0, "git merge main"), edited(1, "b.md"), committed(2, "aaaaaaa")], ["b.md"]),
    ([ran(0, "git merge main"), edited(1, "b.md"), committed(2, "aaaaaaa", text="git commit -m x")], []),
    ([edited(0, "b.md"), ran(1, "git add -A"), committed(2, "aaaaaaa")], []),
    ([edited(0, "b.md"), committed(1, "aaaaaaa"), ran(2, "git add ."), committed(3, "bbbbbbb")], []),
    ([edited(0, "b.md")], []), ([committed(1, "aaaaaaa"), edited(2, "b.md")], []),  # told as edited after it
    ([edited(0, "b.md"), committed(1, "aaaaaaa", text="git add a.py c.py …")], []),  # cut: it may have named it
    ([edited(0, "[redacted].md"), committed(1, "aaaaaaa")], []),  # one of those that the command named, perhaps
    ([edited(0, "/tmp/b.md"), edited(0, "/elsewhere/b.md"), committed(1, "aaaaaaa")], []),
    ([edited(0, "D:/elsewhere/b.md"), committed(1, "aaaaaaa")], []),
])
def test_files_that_no_add_named(actions: list[Any], expected: list[str]) -> None:
    assert never_added(actions, marked_events(actions), ROOT) == expected


@pytest.mark.parametrize(("took_in", "before", "text", "expected"), [
    ("2 files", [], "git add src/a.py README.md && git commit -m 'x y'", "2 files: src/a.py, README.md"),
    ("2 files", [ran(0, "git add a.py"), ran(0, "git add ./a.py b.py")], "git commit -qF - --no-verify",
     "2 files: a.py, b.py"),
    ("1 file", [edited(0, "Makefile")], "git add Makefile && git commit -m x", "1 file: Makefile"),
    ("3 files, new: docs/b.md", [], "git add a.py web/docs/b.md c.py && git commit -m x",
     "3 files, new: docs/b.md; changed: a.py, c.py"),
    ("2 files, new: b.md; no more in git: a.py", [], "git add a.py b.md && git commit -m x", None),
    ("3 files", [], "git add a.py && git commit -m x", None),  # others were in the index
    ("1 file", [], "git add a.py b.py && git commit -m x", None),  # one had no change
    ("2 files, new: z.py", [], "git add a.py && git commit -m x", None),
    ("2 files, new: z.py", [], "git add a.py b.py && git commit -m x", None),
    ("1 file", [], "git add src && git commit -m x", None), ("1 file", [], "git add .github && git commit -m x", None),
    ("1 file", [], "git add src/ && git commit -m x", None), ("1 file", [], "git add *.py && git commit -m x", None),
    ("1 file", [], "git add -A && git commit -m x", None), ("1 file", [], "git add -u a.py && git commit -m x", None),
    ("1 file", [], "git add a.py && git commit -am x", None),
    ("1 file", [], "git add a.py && git commit b.py -m x", None),
    ("1 file", [], "git add a.py && git commit -m x -- b.py", None),
    ("1 file", [], "git add a.py && git commit --amend --no-edit", None),
    ("1 file", [ran(0, "git rm b.py")], "git add a.py && git commit -m x", None),
    ("1 file", [ran(0, "git add a.py"), ran(0, "git reset")], "git commit -m x", None),
    ("2 files", [committed(0, "bbbbbbb", took_in="1 file")], "git add b.py && git commit -m x", None),
    ("1 file", [ran(0, "git add b.py && git commit -qm x")], "git add a.py && git commit -m y", "1 file: a.py"),
    ("2 files", [ran(0, "git add b.py && git commit -m x", "failed")], "git add a.py && git commit -m x",
     "2 files: b.py, a.py"),
    ("6 files", [], "git add a.py b.py c.py d.py e.py f.py && git commit -m x", None),
    ("2 files, new: a-very-long-name…", [], "git add b.py c.py && git commit -m x", None)])
def test_the_files_that_were_added_for_a_commit(took_in: str, before: list[Any], text: str,
                                                expected: str | None) -> None:
    events = marked_events([*before, committed(1, "aaaaaaa", text=text, took_in=took_in)])
    assert events[0]["took_in"] == (expected or took_in)


@pytest.mark.parametrize(("text", "result", "expected"), [
    ("git log --oneline -5", "bbbbbbb Sums ⏎ aaaaaaa Round up ⏎ 1111111 Old", ["bbbbbbb"]),
    ("git log main..HEAD --oneline", "ccccccc Sums ⏎ bbbbbbb Zones ⏎ aaaaaaa Round up", ["ccccccc", "bbbbbbb"]),
    ("git log --oneline -5", "aaaaaaa Round up ⏎ 1111111 Old", []),
    ("git log --oneline -5", "bbbbbbb Sums ⏎ 1111111 Old", []),  # a rebase elsewhere, or another branch
    ("git log --oneline main", "bbbbbbb Sums ⏎ aaaaaaa Round up", []),
    ("git log --oneline --all", "bbbbbbb Sums ⏎ aaaaaaa Round up", []),
    ("git log --oneline -- src/a.py", "bbbbbbb Sums ⏎ aaaaaaa Round up", []),
    ("git log --oneline | grep Sums", "bbbbbbb Sums ⏎ aaaaaaa Round up", []),
    ("git log --oneline -5 | head -3", "bbbbbbb Sums ⏎ aaaaaaa11 Round up", ["bbbbbbb"]),
    ("git log --oneline -5", "bbbbbbb Sums | 1234567 of them ⏎ aaaaaaa Round up", ["bbbbbbb"]),
])
def test_commits_that_the_session_did_not_make(text: str, result: str, expected: list[str]) -> None:
    others = commits_of_others([COMMIT, looked(2, text, result)], marked_events([COMMIT]))
    assert [name for name, _ in (others["commits"] if others else [])] == expected


def test_commits_that_a_merge_may_have_brought_are_not_told() -> None:
    actions = [COMMIT, ran(2, "git pull")]
    look = looked(3, "git log --oneline -5", "bbbbbbb Sums ⏎ aaaaaaa Round up")
    assert commits_of_others([*actions, look], marked_events(actions)) is None
    before = [ran(0, "git pull"), COMMIT]
    assert commits_of_others([*before, look], marked_events(before)) is not None


@pytest.mark.parametrize(("look", "expected"), [
    (looked(3, "git status --short", "M b.py ⏎ ?? docs/"), ["b.py", "docs/c.md"]),
    (looked(3, "git status", "On branch main ⏎ nothing to commit, working tree clean"), []),
    (looked(3, "git status --short", "M x|y.md ⏎ M b.py"), ["b.py"]),
    (looked(3, "git status --short", "M b.py …"), ["a.py", "b.py", "docs/c.md"]),
    (looked(3, "git status --short src", "M b.py"), ["a.py", "b.py", "docs/c.md"]),
    (looked(3, "git status --short | grep b", "M b.py"), ["a.py", "b.py", "docs/c.md"]),
    (looked(3, "git status --short", 'M "b \\303.py"'), ["a.py", "b.py", "docs/c.md"]),
    (looked(0, "git status --short", "M b.py"), ["a.py", "b.py", "docs/c.md"]),
])
def test_what_a_later_status_does_not_name_is_in_a_commit(look: Any, expected: list[str]) -> None:
    actions = [edited(1, "a.py"), edited(1, "b.py"), edited(1, "docs/c.md")]
    assert sorted(uncommitted(actions, [], ROOT, status_seen([look]))) == expected


def test_hostile_commands_and_results_end() -> None:
    with ending():
        for text in slow_texts(500):
            items = [committed(1, "aaaaaaa", text=f"git add {text} && git commit -m {text}"), edited(2, text),
                     ran(3, f"git stash {text}", result=f"{SAVED} {text}"), ran(4, f"git checkout -b {text}"),
                     looked(5, f"git log --oneline {text}", text), looked(6, "git status", text)]
            ledger = marked_events(items[:4])
            newest_left(stashes_of(items))
            spans_away(0, stashes_of(items), [])
            runs_without_changes(f"git stash {text} && {text}")
            missing_in_branch(items[:4], items[4:], ledger, ROOT)
            never_added(items[:4], ledger, ROOT)
            commits_of_others(items, ledger)
            status_seen(items[4:])
