"""What `git status` said last, where git cannot be asked now: never a file that a commit may have taken in."""

from __future__ import annotations

from typing import Any

import pytest

from compact_keeper.recap.lines import git_status
from recaps import texts


def last_status(items: Any, ago: Any, folder: str, branch: str = "") -> list[str]:
    """The line on what `git status` showed last; none where it tells nothing of now."""
    return texts(git_status.last_status(items, ago, folder, branch))


def test_a_status_of_another_branch_is_not_of_now() -> None:
    look: Any = {"kind": "look", "text": "git status", "result": "On branch old ⏎ modified: a.py", "position": 3,
                 "last": ""}
    assert last_status([look], str, "", "new") == []
    assert last_status([look], str, "", "old") == last_status([look], str, "") != []


def test_what_git_status_showed_says_what_came_after_it() -> None:
    look: Any = {"kind": "look", "text": "git status --short", "result": "M a.py ⏎ ?? b.py", "position": 3, "last": ""}
    edit: Any = {"kind": "action", "text": "a.py", "position": 4}
    commit: Any = {"kind": "action", "text": "git add -A && git commit -m x", "position": 5}

    def before(_: str) -> str:
        return "2 min before"

    committed: Any = {**commit, "commit": "5b23401"}
    clean: Any = {**look, "position": 1, "result": "clean"}
    silent: Any = {**look, "result": ""}
    assert last_status([clean, look, edit], before, "") == [
        "- `git status` showed 2 min before: M a.py ⏎ ?? b.py"]
    assert last_status([look, edit, commit], before, "") == [
        "- `git status` showed 2 min before (before `git add -A && git commit -m x`): M a.py ⏎ ?? b.py"]
    assert last_status([look, committed], before, "") == []  # what was changed is in it
    assert last_status([edit, commit], before, "") == last_status([silent], before, "") == []
    shown = 'On branch main ⏎ Changes not staged: ⏎ (use "git add <file>..." to update) ⏎ modified: a.py ⏎ '
    names = "".join(f"modified: src/rates_{n}.py ⏎ " for n in range(30))
    long: Any = {**look, "text": "git status", "result": f"{shown}{names}modi…"}
    [line] = last_status([long], before, "")
    assert "(use" not in line
    assert line.startswith(
        "- `git status` showed 2 min before: On branch main ⏎ Changes not staged: ⏎ modified: a.py ⏎ ")
    assert line.endswith(".py ⏎ …")  # no half of a path
    counted: Any = {**look, "text": "git status --short | wc -l", "result": "41"}
    assert last_status([counted], before, "") == ["- `git status --short | wc -l` showed 2 min before: 41"]


def test_behind_a_commit_stands_what_no_command_took_in() -> None:
    def before(_: str) -> str:
        return "2 min before"

    def status(result: str, text: str = "git status --short", **fields: Any) -> Any:
        return {"kind": "look", "text": text, "result": result, "position": 3, "last": "", **fields}

    def commit(text: str, position: int = 5) -> Any:
        return {"kind": "action", "text": text, "position": position, "commit": "5b23401"}

    def shown(*items: Any) -> str:
        [line] = last_status(items, before, "/srv/rates/web") or [""]
        return line.partition("): ")[2]

    look = status("M a.py ⏎ M b.py ⏎ A c.py ⏎ ?? docs/")
    assert shown(look, commit("git add a.py && git commit -m x")) == "M b.py ⏎ ?? docs/"
    assert shown(look, commit("git add a.py docs/x.md && git commit -m x")) == "M b.py"
    assert shown(look, commit("git commit -am x")) == shown(look, commit("git add . && git commit -m x")) == ""
    assert shown(look, commit("git add a.py b.py dir/very_lo…")) == ""  # names may lie behind it
    earlier: Any = {"kind": "action", "text": "git add -A", "position": 2}
    assert shown(earlier, look, commit("git commit -m x")) == ""
    assert shown(commit("git add -A && git commit -m w", 1), look, commit("git commit -m x")) != ""
    long = "On branch main ⏎ Changes not staged for commit: ⏎ modified: a.py ⏎ Untracked files: ⏎ notes.md"
    assert shown(status(long, "git status"), commit("git commit -m x b.py")) == "modified: a.py ⏎ ?? notes.md"
    staged = "On branch main ⏎ Changes to be committed: ⏎ modified: s.py ⏎ Untracked files: ⏎ .x/ ⏎ ~/ ⏎ "
    assert shown(status(f'{staged}no changes added to commit (use "git add" and/or "git commit -a")', "git status"),
                 commit("git commit -m x")) == "?? .x/ ⏎ ?? ~/"
    remark = status("On branch main ⏎ Untracked files: ⏎ .x/ ⏎ …", "git status", rows=["nothing added to commit", "x"])
    assert shown(remark, commit("git commit -m x b.py")) == "?? .x/"
    more = status("M a.py ⏎ … ⏎ ?? z.md", rows=["M m.py", "M a.py"])
    assert shown(more, commit("git commit -m x b.py")) == "M a.py ⏎ M m.py ⏎ ?? z.md"


@pytest.mark.parametrize(("result", "is_edited", "shown"), [
    ("On branch main ⏎ nothing to commit, working tree clean", False,
     "On branch main ⏎ nothing to commit, working tree clean"),
    ("On branch main ⏎ nothing to commit, working tree clean", True, ""),
    ("On branch main ⏎ Your branch is ahead by 2 commits. ⏎ nothing to commit, working tree clean", True,
     "On branch main ⏎ Your branch is ahead by 2 commits."),
    ("On branch main ⏎ modified: a.py", True, "On branch main ⏎ modified: a.py"),
    ("M a.py ⏎ --- ⏎ 23c05e9 Rates", False, "M a.py"),  # `git status -s; echo ---; git log`
])
def test_a_clean_tree_that_was_edited_since_is_none(result: str, is_edited: bool, shown: str) -> None:
    look: Any = {"kind": "look", "text": "git status", "tool": "Bash", "result": result, "position": 3, "last": ""}
    edit: Any = {"kind": "action", "text": "a.py", "tool": "Edit", "position": 4 if is_edited else 2}
    [line] = last_status([edit, look], lambda _: "2 min before", "") or [""]
    assert line.partition("before: ")[2] == shown


@pytest.mark.parametrize(("later", "shown"), [
    ("git stash pop", ""), ("git stash drop", "nothing to commit, working tree clean")])
def test_a_clean_tree_into_which_a_stash_came_back_is_none(later: str, shown: str) -> None:
    def ran(position: int, text: str, result: str = "") -> Any:
        return {"kind": "action", "text": text, "tool": "Bash", "position": position, "last": "", "family": "git",
                "result": result, "verdict": "ended"}

    look: Any = {"kind": "look", "text": "git status", "tool": "Bash", "position": 3, "last": "",
                 "result": "On branch main ⏎ nothing to commit, working tree clean"}
    stash = ran(2, "git stash", "Saved working directory and index state WIP on main: 1a2b3c4 Zones")
    [line] = last_status([stash, look, ran(4, later)], lambda _: "now", "") or [""]
    assert line.rpartition(" ⏎ ")[2] == shown


@pytest.mark.parametrize(("command", "named"), [
    ("cd /srv/rates/web && git status -s", "`git status`"), ("cd /srv/rates && git status", "`git status`"),
    ("cd /srv/api && git status", "`cd /srv/api && git status`"), ("git status | wc -l", "`git status | wc -l`")])
def test_a_status_of_another_repository_is_named_with_its_folder(command: str, named: str) -> None:
    look: Any = {"kind": "look", "text": command, "result": "M a.py", "position": 3, "last": ""}
    assert last_status([look], lambda _: "now", "/srv/rates/web") == [f"- {named} showed now: M a.py"]


@pytest.mark.parametrize("moved", ["cd /srv/rates && ", "cd /srv/rates; ", "cd '/srv/rates' ; ", "cd \"/srv/rates\"\n"])
def test_a_status_behind_a_change_of_folder_is_a_status(moved: str) -> None:
    look: Any = {"kind": "look", "text": f"{moved}git status --short", "result": "M a.py", "position": 3, "last": ""}
    assert last_status([look], lambda _: "1 min before", "/srv/rates/web") == [
        "- `git status` showed 1 min before: M a.py"]


@pytest.mark.parametrize(("result", "is_stated"), [
    ("On branch main ⏎ Untracked files: ⏎ ../../.bash_history ⏎ ../../.cache/", False), ("?? ../../.ssh/", False),
    ("On branch main ⏎ modified: ../web/a.ts", True), ("?? .config/app.json", True), ("?? ../.cached.json", True)])
def test_a_status_of_a_persons_home_is_none_of_the_project(result: str, is_stated: bool) -> None:
    look: Any = {"kind": "look", "text": "git status", "result": result, "position": 3, "last": ""}
    assert bool(last_status([look], lambda _: "2 min before", "")) is is_stated


@pytest.mark.parametrize(("text", "result", "expected"), [
    ("git add a.py && git status", "x ⏎ On branch main ⏎ … ⏎ .x/ ⏎ ~/", ["On branch main ⏎ … ⏎ .x/ ⏎ ~/"]),
    ("git add a.py && git status -s", "warning: LF ⏎ A a.py ⏎ ?? ~/", ["A a.py ⏎ ?? ~/"]),
    ("git commit -m x && git status", "[main 5b23401] x", []), ("git add a.py; git status | grep x", "x", ["old"]),
    ("git status && git add a.py", "On branch main", ["old"])])
def test_a_status_at_the_end_of_a_line_is_the_newest(text: str, result: str, expected: list[str]) -> None:
    look: Any = {"kind": "look", "text": "git status", "result": "old", "position": 3, "last": ""}
    line: Any = {"kind": "action", "text": text, "result": result, "verdict": "ended", "position": 4, "last": ""}
    assert [shown.rpartition(": ")[2] for shown in last_status([look, line], str, "")] == expected
