"""Edits that a later command of git took back: which these are, and which stand for all that is certain."""

from __future__ import annotations

from typing import Any

import pytest

from compact_keeper.record.git.marked_events import marked_events
from compact_keeper.record.git.taken_back import (
    edits_between,
    files_taken_back,
    taken_back,
    with_spans_away,
    with_taken_back,
)
from compact_keeper.types import Item
from git_items import ROOT, SAVED, edited, ran


def paths_back(*actions: Item, folder: str = "") -> list[str]:
    """The paths of which an edit was taken back, below the root."""
    back = taken_back(actions, marked_events(actions), ROOT, folder)
    return sorted({path.removeprefix(f"{ROOT}/") for _, path in back})


def committed(position: int) -> Any:
    """A commit of everything."""
    return ran(position, "git commit -am x", result="[main aaaaaaa] x", commit="aaaaaaa", subject="x", branch="main")


def written(position: int, path: str) -> Any:
    """A file that was written whole."""
    item: Any = {**edited(position, path), "tool": "Write"}
    return item


@pytest.mark.parametrize(("later", "expected"), [
    ("git checkout src/a.py", True), ("git checkout -- src/a.py", True), ("git checkout HEAD -- src/a.py", True),
    ("git checkout src/a.py src/b.py", True), ("git restore src/a.py", True), ("git restore src", True),
    ("git restore --source=HEAD~1 src/a.py", True), ("git checkout .", True), ("git checkout -- src", True),
    ("cd src && git checkout a.py", True), (f"git -C {ROOT}/src checkout .", True), ("git reset --hard", True),
    (f"git checkout {ROOT}/src/a.py", True), ("git checkout src/", True),
    ("git checkout src/b.py", False), ("git checkout main", False), ("git checkout src", False),
    ("git checkout -b src/a.py", False), ("git checkout -p src/a.py", False), ("git checkout --theirs src/a.py", False),
    ("git restore --staged src/a.py", False), ("git reset src/a.py", False), ("git reset --soft HEAD~1", False),
    ("cd /elsewhere && git checkout .", False), ("git -C /elsewhere reset --hard", False), ("git diff src/a.py", False),
    ("git checkout a.py", False), ("echo git checkout src/a.py", False)])
def test_which_commands_take_an_edit_back(later: str, expected: bool) -> None:
    assert paths_back(edited(1, "src/a.py"), ran(2, later)) == (["src/a.py"] if expected else [])
    assert paths_back(ran(1, later), edited(2, "src/a.py")) == []
    assert paths_back(edited(1, "src/a.py"), ran(2, later, "failed")) == []


def test_a_commit_or_an_added_file_is_not_taken_back() -> None:
    edit, discard = edited(1, "a.py"), ran(3, "git checkout a.py")
    assert paths_back(edit, committed(2), discard) == []
    assert paths_back(edit, committed(2), ran(3, "git reset --hard")) == []
    assert paths_back(edit, ran(2, "git commit -qam x && git reset --hard")) == []
    assert paths_back(edit, ran(2, "git commit -qam x && git stash", result=SAVED)) == []
    assert paths_back(edit, ran(2, "git checkout a.py && git commit -qam x")) == ["a.py"]
    assert paths_back(edit, ran(2, "git add a.py"), discard) == []
    assert paths_back(edit, ran(2, "git add a.py"), ran(3, "git checkout HEAD a.py")) == ["a.py"]
    assert paths_back(edit, ran(2, "git add a.py"), ran(3, "git reset --hard")) == ["a.py"]


@pytest.mark.parametrize(("command", "is_certain"), [
    ("cp", True), ("cp /tmp/a.py", True), ("cp src/a.py /tmp/a.py", True), ("cp /tmp/a.py src/b.py", True),
    ("echo cp /tmp/a.py src/a.py", True), ("cp -p /tmp/x.py src/a.py && make", False), ("mv a.bak src/a.py", False),
    ("cp /tmp/a.py /tmp/b.py src/", False), (f"cp /tmp/a.py {ROOT}/src/a.py", False),
    ("cd src && cp ../a.bak a.py", False), ("cp /tmp/a.py 'src/a.py' 2>/dev/null", False)])
def test_what_was_copied_back_is_not_known_to_be_gone(command: str, is_certain: bool) -> None:
    edit, discard = edited(1, "src/a.py"), ran(3, "git checkout src/a.py")
    assert paths_back(edit, discard, ran(4, command)) == (["src/a.py"] if is_certain else [])
    assert paths_back(edit, ran(2, command), discard) == ["src/a.py"]
    assert paths_back(edit, discard, ran(4, command, "failed")) == ["src/a.py"]


REFUSED = "fatal: No configured push destination."


@pytest.mark.parametrize(("line", "verdict", "result", "is_border"), [
    ("git commit -qam 'Feet' && git push -q", "failed", REFUSED, True),
    ("git commit -qam 'Feet' && git push origin feet", "failed", "! [remote rejected] feet -> feet", True),
    ("git add -A && git commit --quiet -m 'Feet' && git push", "failed", REFUSED, True),
    ("npm test && git commit -qam 'Feet' && git push", "failed", REFUSED, True),
    ("git commit -am 'Feet' > /dev/null && git push", "failed", REFUSED, True),
    ("git commit -qam 'Feet'; npm run nothere", "failed", 'Missing script: "nothere"', True),
    ("git commit -qam 'Feet' && git push", "stopped", "timed out", True),
    ("npm test | tail -3; git commit -qam 'Feet'", "failed", "fail 1", True),
    ("git commit -qam 'Feet' && git commit -qm 'Again'", "failed", "exit 1", True),
    ("npm test && git commit -qam 'Feet' && git push", "failed", "fail 1", False),
    ("npm test && git commit -qam 'Feet'", "failed", "fail 1", False),
    ("git add -A && git commit -qam 'Feet'", "failed", "hook failed", False),
    ("git commit -qam 'Feet' && git log --oneline -1", "failed", "hook failed", False),
    ("git commit -am 'Feet' 2>&1 | tail -3", "failed", "hook failed", False),
    ("git commit -am 'Feet' && git push", "failed", "hook failed", False),  # git would have named it
    ("git commit -qam 'Feet' && git push", "not run", "", False),
    ("git push -q", "failed", REFUSED, False)])
def test_a_commit_is_a_border_also_where_its_line_failed(line: str, verdict: str, result: str, is_border: bool) -> None:
    """What was committed by `commit -q && push` had been told as taken back: the push had failed."""
    path = "lib/depth.js"
    actions = [edited(1, path), ran(2, line, verdict, result), edited(3, path), ran(4, f"git checkout HEAD {path}")]
    back = taken_back(actions, marked_events(actions), ROOT, "")
    assert sorted(position for position, _ in back) == ([3] if is_border else [1, 3])


def test_a_commit_that_git_names_is_a_border_where_the_push_failed() -> None:
    line = ran(2, "git commit -am Feet && git push", "failed", f"[main aaaaaaa] Feet · {REFUSED}", commit="aaaaaaa",
               subject="Feet", branch="main")
    assert paths_back(edited(1, "a.py"), line, ran(3, "git restore a.py")) == []


def test_a_new_file_stays_unless_it_is_named() -> None:
    assert paths_back(written(1, "a.py"), edited(2, "a.py"), ran(3, "git checkout .")) == []
    assert paths_back(written(1, "a.py"), committed(2), edited(3, "a.py"), ran(4, "git checkout .")) == ["a.py"]
    assert paths_back(written(1, "a.py"), ran(2, "git checkout a.py")) == ["a.py"]


def test_what_a_stash_holds_is_taken_back() -> None:
    stash = ran(2, "git stash", result=SAVED)
    assert paths_back(edited(1, "a.py"), stash) == ["a.py"]
    assert paths_back(edited(1, "a.py"), stash, ran(3, "git stash pop")) == []
    assert paths_back(edited(1, "a.py"), stash, ran(3, "git stash drop")) == ["a.py"]
    assert paths_back(edited(1, "a.py"), stash, ran(3, "git stash pop", "failed", "stash entry is kept")) == ["a.py"]
    assert paths_back(edited(1, "a.py"), ran(2, "git stash push b.py", result=SAVED)) == []


@pytest.mark.parametrize(("actions", "expected"), [
    ([ran(2, "git stash", result=SAVED), ran(3, "git checkout a.py"), ran(4, "git stash pop")], []),
    ([ran(2, "git stash", result=SAVED), ran(3, "git reset --hard"), ran(4, "git stash apply")], []),
    ([ran(2, "git stash push a.py", result=SAVED), ran(3, "git checkout ."), ran(4, "git stash pop")], []),
    ([ran(2, "git stash && git checkout . && git stash pop", result=SAVED)], []),
    ([ran(2, "git checkout a.py && git stash; git stash pop")], ["a.py"]),
    ([ran(2, "git stash", result=SAVED), ran(3, "git stash pop"), ran(4, "git checkout a.py")], ["a.py"]),
    ([ran(2, "git stash", result=SAVED), committed(3), ran(4, "git stash pop"), ran(5, "git checkout a.py")], ["a.py"]),
    ([committed(2), ran(3, "git stash", result=SAVED), ran(4, "git stash pop"), ran(5, "git checkout a.py")], []),
    ([ran(2, "git stash", result=SAVED), ran(3, "git checkout a.py"), ran(4, "git stash drop")], ["a.py"])])
def test_what_ran_while_a_stash_had_an_edit_that_came_back_took_nothing_of_it(actions: list[Any],
                                                                             expected: list[str]) -> None:
    assert paths_back(edited(1, "a.py"), *actions) == expected


def test_from_where_to_where_a_stash_had_an_edit() -> None:
    actions = [edited(1, "a.py"), ran(2, "git stash", result=SAVED), ran(4, "git stash pop"), edited(5, "a.py"),
               ran(6, "git stash -u", result=SAVED)]
    away = [item.get("away", []) for item in with_spans_away(actions, [], ROOT)]
    assert away == [[(2, 4), (6, -1)], [], [], [(6, -1)], []]


def test_where_commands_ran_counts() -> None:
    assert paths_back(edited(1, "src/a.py"), ran(2, "git checkout a.py"), folder=f"{ROOT}/src") == ["src/a.py"]


def test_the_files_of_which_no_edit_stands() -> None:
    actions = [edited(1, "a.py"), edited(2, "b.py"), edited(3, "a.py"), ran(4, "git checkout a.py b.py"),
               edited(5, "b.py")]
    back = taken_back(actions, marked_events(actions), ROOT, ROOT)
    files = files_taken_back(actions, back)
    assert {path: discard["command"] for path, discard in files.items()} == {
        f"{ROOT}/a.py": "git checkout a.py b.py"}
    assert edits_between(actions, files) == [(f"{ROOT}/a.py", 1, 4)]
    assert [item.get("taken_back", "") for item in with_taken_back(actions, back)] == [
        "git checkout a.py b.py", "git checkout a.py b.py", "git checkout a.py b.py", "", ""]
