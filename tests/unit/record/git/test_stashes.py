"""Stashes: which are left, what they took out of the working tree, what ran while they had it."""

from __future__ import annotations

from typing import Any

import pytest

from compact_keeper.record.git.events import git_events
from compact_keeper.record.git.marked_events import marked_events
from compact_keeper.record.git.stashes import (
    NOT_BACK,
    calls_on_changes,
    newest_left,
    runs_without_changes,
    spans_away,
    stashes_all,
    stashes_of,
)
from compact_keeper.record.git.uncommitted import never_added, status_seen, uncommitted
from compact_keeper.record.outcomes.outcome import outcome_of
from git_items import ROOT, SAVED, edited, looked, ran

SAVED_A, SAVED_B, SAVED_C = (f"Saved working directory and index state On main: {name}" for name in "abc")
KEPT = "CONFLICT (content): Merge conflict in a.py"


@pytest.mark.parametrize(("items", "expected"), [
    ([ran(1, "git stash && git checkout main", result=f"{SAVED} ⏎ Switched")], 1),
    ([ran(1, "git stash push -u -m x", result="Saved working directory and index state On main: x")], 1),
    ([ran(1, "git stash", result=SAVED), ran(2, "git stash pop")], None),
    ([ran(1, "git stash", result=SAVED), ran(2, "git stash drop -q")], None),
    ([ran(1, "git stash", result=SAVED), ran(2, "git stash apply")], None),
    ([ran(1, "git stash", result=SAVED), ran(2, "make; git stash pop; exit", "failed", "1 error")], None),
    ([ran(1, "git stash", result=SAVED), ran(2, "git stash pop", "failed", KEPT)], 1),
    ([ran(1, "git stash", result=SAVED), ran(2, "git stash pop", "failed", "The stash entry is kept in case")], 1),
    ([ran(1, "git stash", result=SAVED), looked(2, "git stash list", "stash@{0}: WIP on main")], 1),
    ([ran(1, "git stash", result=SAVED), looked(2, "git stash list", "")], None),
    ([ran(1, "git stash && make && git stash pop", "passed", SAVED)], None),
    ([ran(1, "git stash", result="No local changes to save")], None), ([ran(1, "git stash -q")], None),
    ([ran(1, "git -C ../api stash", result=SAVED)], None), ([ran(1, "echo git stash", result=SAVED)], None),
    ([ran(1, "git stash", result=SAVED), ran(2, "git stash pop"), ran(3, "git stash", result=SAVED)], 3),
])
def test_a_stash_is_open_until_one_is_taken_back(items: list[Any], expected: int | None) -> None:
    stash = newest_left(stashes_of(items))
    assert (stash["position"] if stash else None) == expected


def test_a_stash_is_known_where_what_ran_behind_it_failed() -> None:
    line, name = "git stash && git checkout api && make rates", "WIP on main: 1a2b3c4 Zones"
    output = f"Exit code 1\nSaved working directory and index state {name}\nerror: no zone 4"
    outcome = outcome_of(line, output, True, 1)
    assert outcome["stashed"] == [name]
    failed: Any = {**ran(2, line, "failed", "error: no zone 4"), "stashed": [name]}
    assert newest_left(stashes_of([failed]))
    items = [edited(1, "a.py"), failed]
    assert uncommitted(items, git_events(items), ROOT, None) == []


FIRST, SECOND = ran(1, "git stash push -m a", result=SAVED_A), ran(2, "git stash push -m b", result=SAVED_B)
THIRD = ran(3, "git stash push -m c", result=SAVED_C)


@pytest.mark.parametrize(("later", "expected"), [
    ([], "b"), ([ran(5, "git stash pop")], "a"), ([ran(5, "git stash pop"), ran(6, "git stash pop -q")], ""),
    ([ran(5, "git stash pop", uses=2)], ""),  # where it ran first is not known
    ([ran(5, "git stash pop", uses=2, earlier=[ran(4, "git stash pop", "failed", KEPT)])], "a"),
    ([ran(5, "git stash pop", "failed", KEPT)], "b"),
    ([ran(5, "git stash pop", "failed", "error: could not restore untracked files from stash")], "b"),
    ([ran(5, "git stash pop", "not run")], "b"),
    ([ran(5, "git stash pop", "failed", KEPT), ran(6, "git stash drop")], "a"),
    ([ran(5, "git stash apply"), ran(6, "git stash drop")], "a"), ([ran(5, "git stash apply")], "a"),
    ([ran(5, "git stash pop stash@{1}")], "b"), ([ran(5, "git stash drop 'stash@{1}'")], "b"),
    ([ran(5, "git stash pop stash@{4}")], ""), ([ran(5, "git stash clear")], ""),
    ([ran(5, "git stash branch rounding")], "a"), ([ran(5, "git stash branch rounding stash@{1}")], "b"),
    ([ran(3, "git stash -q"), ran(5, "git stash pop")], "a"),  # nothing may have been stashed at 3
    ([ran(3, "git stash -q"), ran(5, "git stash pop stash@{1}")], ""),
    ([ran(3, "git -C ../api stash", result=SAVED), ran(5, "git stash pop")], "a"),
    ([THIRD, ran(5, "git stash pop && git stash pop")], "a"), ([THIRD, ran(5, "git stash pop")], "b"),
    ([looked(5, "git stash list", "")], ""), ([looked(5, "git stash show", "")], "b"),
])
def test_of_two_stashes_the_one_that_no_command_took_is_left(later: list[Any], expected: str) -> None:
    stash = newest_left(stashes_of([FIRST, SECOND, *later]))
    assert (stash["message"] if stash else "") == (f"On main: {expected}" if expected else "")


@pytest.mark.parametrize(("items", "is_left"), [
    ([ran(3, "git stash", result=SAVED, uses=2)], True),
    ([ran(3, "git stash", result=SAVED, uses=2), ran(4, "git stash pop")], True),
    ([ran(2, "git stash pop"), ran(3, "git stash", result=SAVED, uses=2), ran(4, "git stash pop -q")], False),
    ([ran(3, "git stash", result=SAVED, uses=2), ran(4, "git stash pop", uses=2)], False),
    ([ran(3, "git stash", result=SAVED, uses=2, earlier=[
        ran(1, "git stash", result="No local changes to save")]),
      ran(4, "git stash pop")], False),
    ([ran(3, "git stash && make; git stash", result=f"{SAVED} ⏎ {SAVED}"), ran(4, "git stash pop")], True),
])
def test_the_same_line_stashes_as_often_as_it_ran(items: list[Any], is_left: bool) -> None:
    assert (newest_left(stashes_of(items)) is not None) is is_left


@pytest.mark.parametrize(("later", "files"), [
    ([], []), ([ran(5, "git stash pop")], ["b.py"]),
    ([ran(5, "git stash pop"), ran(6, "git stash pop -q")], ["b.py", "a.py"]),
    ([ran(5, "git stash pop", uses=2)], ["b.py", "a.py"]), ([ran(5, "git stash pop", "failed", KEPT)], []),
    ([ran(5, "git stash pop && make", "failed", "1 error")], ["b.py"]), ([ran(5, "git stash drop")], []),
    ([ran(5, "git stash apply"), ran(6, "git stash drop")], ["b.py"]),
    ([ran(5, "git stash pop"), ran(6, "git stash")], []),
    ([ran(5, "git stash apply stash@{1}")], ["a.py"]),
])
def test_edits_are_in_the_working_tree_once_their_stash_is_back(later: list[Any], files: list[str]) -> None:
    items = [edited(1, "a.py"), {**FIRST, "position": 2}, edited(3, "b.py"), {**SECOND, "position": 4}, *later]
    assert uncommitted(items, git_events(items), ROOT, status=None) == files
    spans = [spans_away(edit["position"], stashes_of(items), []) for edit in (items[2], items[0])]
    assert [name for name, of_edit in zip(("b.py", "a.py"), spans) if of_edit[-1][1] != NOT_BACK] == files


STASH, POP = ran(2, "git stash", result=SAVED), ran(6, "git stash pop")


@pytest.mark.parametrize(("between", "later", "expected"), [
    ([ran(3, "git checkout -- a.py")], [], ["a.py"]), ([ran(3, "git reset --hard origin/main")], [], ["a.py"]),
    ([ran(3, "git commit -am x", commit="aaaaaaa", subject="x", branch="main")], [], ["a.py"]),
    ([looked(3, "git status --short", "?? b.md")], [], ["a.py"]), ([ran(3, "rm a.py")], [], ["a.py"]),
    ([], [looked(7, "git status --short", "?? b.md")], []), ([], [ran(7, "git checkout -- a.py")], []),
    ([], [ran(7, "git reset --hard")], []), ([], [ran(7, "git stash", result=SAVED)], []),
    ([], [ran(7, "git commit -am x", commit="aaaaaaa", subject="x", branch="main")], []),
    ([], [ran(7, "git stash && git reset --hard && git stash pop", result=SAVED)], ["a.py"])])
def test_what_came_back_is_as_uncommitted_as_if_no_stash_had_been(between: list[Any], later: list[Any],
                                                                  expected: list[str]) -> None:
    items = [edited(1, "a.py"), STASH, *between, POP, *later]
    actions: list[Any] = [item for item in items if item["kind"] == "action"]
    status = status_seen([item for item in items if item["kind"] == "look"])
    assert uncommitted(actions, marked_events(actions), ROOT, status) == expected
    dropped: list[Any] = [{**item, "text": "git stash drop"} if item is POP else item for item in actions]
    assert uncommitted(dropped, marked_events(dropped), ROOT, status) == []


def test_what_was_committed_before_a_stash_does_not_come_back_from_it() -> None:
    items = [edited(0, "a.py"), ran(1, "git commit -am x", commit="aaaaaaa", subject="x", branch="main"), STASH, POP]
    assert uncommitted(items, marked_events(items), ROOT, None) == []


@pytest.mark.parametrize(("later", "files"), [
    ([POP], ["b.py"]), ([], []), ([ran(6, "git stash drop")], []), ([ran(6, "git stash pop", "failed", KEPT)], []),
    ([POP, ran(7, "git reset --hard")], [])])
def test_an_edit_that_came_back_was_named_by_no_add(later: list[Any], files: list[str]) -> None:
    commit = ran(8, "git add a.py && git commit -m x", commit="aaaaaaa", subject="x", branch="main")
    items = [edited(0, "a.py"), edited(1, "b.py"), STASH, *later, commit]
    assert never_added(items, marked_events(items), ROOT) == files


@pytest.mark.parametrize(("command", "verbs"), {
    "git stash && git checkout . && git stash pop && git reset --hard": "stash stash reset",
    "git stash push a.py && git checkout .": "stash checkout", "git stash; git checkout .": "stash",
    "git stash list && git checkout .": "stash checkout", "git add a.py": "add", "": ""}.items())
def test_what_ran_while_a_stash_of_the_line_had_the_changes_is_none_on_them(command: str, verbs: str) -> None:
    assert [call["verb"] for call in calls_on_changes(command)] == verbs.split()


@pytest.mark.parametrize(("command", "expected"), {
    "git stash": True, "git stash -u": True, "git stash push": True, "git stash -m 'round a.py'": True,
    "git stash save round/sums": True, "git stash push -qu --message x": True, "cd api && git stash": True,
    "git stash push a.py": False, "git stash -- a.py": False, "git stash -p": False, "git stash push -S": False,
    "git stash --staged": False, "git stash pop": False, "git stash list": False, "git stash apply": False,
    "git stash create": False, "echo git stash": False, "": False}.items())
def test_what_takes_all_changes_away(command: str, expected: bool) -> None:
    assert stashes_all(command) is expected


@pytest.mark.parametrize(("command", "expected"), {
    "git stash && pytest": True, "git stash\npytest\ngit stash pop": True, "git stash -q; make; git stash pop": True,
    "git stash && git checkout main && make": True, "git stash -m 'before' && make": True,
    "git stash pop && pytest": False, "git stash; git pull; git stash pop; pytest": False, "pytest; git stash": False,
    "git stash push a.py && pytest": False, "git stash list && pytest": False, "git stash": False, "": False}.items())
def test_what_runs_without_the_changes(command: str, expected: bool) -> None:
    assert runs_without_changes(command) is expected
