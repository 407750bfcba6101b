"""What git was seen to do: commits, pushes, merges that wait, branches, pull requests, what is not committed."""

from __future__ import annotations

from typing import Any

import pytest

from compact_keeper.record.git.marked_events import (
    commits_made_since,
    marked_events,
    may_have_pushed,
    refused_push,
    standing_refusal,
)
from compact_keeper.record.git.parsed_calls import git_calls
from compact_keeper.record.git.uncommitted import uncommitted
from compact_keeper.types import Item
from git_items import PUSHED, ROOT, edited, pushed_to, ran
from slow_texts import ending, slow_texts


def committed(position: int, text: str, name: str, branch: str = "main", **more: Any) -> Any:
    """A commit as an action item."""
    return ran(position, text, result=f"[{branch} {name}] Round up", commit=name, subject="Round up", branch=branch,
               **more)


def commits(*actions: Item) -> list[tuple[str, str, bool]]:
    """Hash, whether pushed, whether replaced, of the commits, the oldest first."""
    return [(event["hash"], event["pushed"], event["replaced"]) for event in reversed(marked_events(actions))
            if event["what"] == "commit"]


COMMIT = committed(1, "git add -A && git commit -m 'Round up'", "aaaaaaa")


@pytest.mark.parametrize(("later", "expected"), [
    ([], "no"),
    ([ran(2, "git push")], "yes"),
    ([ran(2, "git push 2>&1 | tail -1", "unknown", "exit 0 of `tail`")], ""),
    ([ran(2, "git push | tail -1", "unknown", "", pushed=pushed_to("forge:ada/rates", "main"))], "yes"),
    ([ran(2, "git push", "failed", "[rejected] main -> main (fetch first)")], "no"),
    ([ran(2, "git push --dry-run")], "no"), ([ran(2, "git push origin --delete old")], "no"),
    ([ran(2, "git push origin main")], "yes"), ([ran(2, "git push -u origin HEAD")], "yes"),
    ([ran(2, "git push origin other")], ""), ([ran(2, "git push", pushed=pushed_to("forge:ada/rates", "other"))], ""),
    ([ran(2, "git checkout other"), ran(3, "git push")], ""),
    # by another branch that holds it: made at it, or merged; by all branches
    ([ran(2, "git checkout -b next && git push -u origin next")], "yes"),
    ([ran(2, "git switch -c next"), ran(3, "git push", pushed=pushed_to("forge:ada/rates", "next"))], "yes"),
    ([ran(2, "git switch -c next main"), ran(3, "git push origin next")], "yes"),
    ([ran(2, "git switch -c next origin/main"), ran(3, "git push origin next")], ""),
    ([ran(2, "git checkout other"), ran(3, "git checkout -b next"), ran(4, "git push origin next")], ""),
    ([ran(2, "git checkout other"), ran(3, "git checkout main"), ran(4, "git checkout -b next"),
      ran(5, "git push origin next")], "yes"),
    ([ran(2, "git reset --hard origin/main"), ran(3, "git checkout -b next"), ran(4, "git push origin next")], ""),
    ([ran(2, "git worktree add -b next ../next"), ran(3, "git push origin next")], ""),
    ([ran(2, "git push origin other main")], "yes"), ([ran(2, "git push --all")], "yes"),
    ([ran(2, "git push", pushed=pushed_to("forge:ada/rates", "next", "main"))], "yes"),
    ([ran(2, "git push", pushed=pushed_to("forge:ada/rates", "next", "other"))], ""),
    ([ran(2, "gh pr create --fill", result="https://forge.example/ada/rates/pull/3")], ""),
    ([ran(2, "git stash push -m 'later'")], "no"), ([ran(2, "echo git push")], "no"),
])
def test_whether_a_commit_was_pushed(later: list[Any], expected: str) -> None:
    assert commits(COMMIT, *later) == [("aaaaaaa", expected, False)]


def test_a_commit_whose_branch_is_not_known_is_not_told_as_pushed() -> None:
    assert commits(committed(1, "git commit -m x", "aaaaaaa", branch=""), ran(2, "git push origin main")) == [
        ("aaaaaaa", "", False)]


def test_a_push_in_the_line_of_its_commit_counts() -> None:
    assert commits(committed(1, "git commit -am x && git push", "aaaaaaa")) == [("aaaaaaa", "yes", False)]
    rejected: Any = {**committed(1, "git commit -am x && git push", "aaaaaaa"), "verdict": "failed"}
    assert commits(rejected) == [("aaaaaaa", "no", False)]


@pytest.mark.parametrize(("later", "pushed"), [
    ([], "no"), ([ran(3, "git push", result=PUSHED)], "yes"),
    ([ran(3, "git pull --rebase"), ran(4, "git push", result=PUSHED)], ""),  # under another hash
    ([ran(3, "git push", result=PUSHED), ran(4, "git pull --rebase")], "yes"),
    ([ran(3, "git pull --rebase")], "no")])
def test_a_commit_that_a_rebase_rewrote_is_not_the_one_that_was_pushed(later: list[Any], pushed: str) -> None:
    assert commits(COMMIT, *later)[0][1] == pushed


@pytest.mark.parametrize(("between", "last", "expected"), [
    ([], committed(5, "git commit --amend --no-edit", "bbbbbbb"), True),
    ([], committed(5, "git commit -m 'Round down'", "bbbbbbb"), False),
    ([], ran(5, "git reset --soft HEAD~1"), True), ([], ran(5, "git reset HEAD^"), True),
    ([], ran(5, "git reset HEAD a.py"), False), ([], ran(5, "git reset --hard origin/main"), False),  # not certain
    ([ran(3, "git checkout other")], committed(5, "git commit --amend --no-edit", "bbbbbbb"), False),
    ([ran(3, "git pull --rebase")], committed(5, "git commit --amend --no-edit", "bbbbbbb"), False),
    ([ran(3, "git checkout -- a.py"), ran(4, "git worktree list"), ran(4, "git stash")],
     committed(5, "git commit --amend --no-edit", "bbbbbbb"), True),
    ([], committed(5, "git commit --amend --no-edit", "bbbbbbb", branch="other"), False),
    ([committed(3, "git cherry-pick x", "ccccccc")], committed(5, "git commit --amend", "bbbbbbb"), False),
    ([{**ran(3, "Add the zones"), "tool": "Agent"}], committed(5, "git commit --amend --no-edit", "bbbbbbb"), False),
])
def test_a_commit_is_replaced_only_where_that_is_certain(between: list[Any], last: Any, expected: bool) -> None:
    assert commits(COMMIT, *between, last)[0] == ("aaaaaaa", "no", expected)


@pytest.mark.parametrize(("later", "expected"), [
    ([], True), ([committed(3, "git commit --no-edit", "bbbbbbb")], False),
    ([ran(3, "git merge --abort")], False), ([ran(3, "git merge --abort", "failed", "fatal: no merge")], True),
    ([ran(3, "git reset --hard HEAD")], False), ([ran(3, "git add a.py")], True), ([ran(3, "git push")], True),
])
def test_a_merge_waits_until_it_is_committed_or_given_up(later: list[Any], expected: bool) -> None:
    merge = ran(2, "git merge origin/main", "failed", "merge stopped: conflict in a.py", begun="merge",
                conflicts=["a.py"])
    begun = next(event for event in marked_events([merge, *later]) if event["text"] == "git merge origin/main")
    assert (begun["waits"], begun["files"]) == (expected, ["a.py"])


def test_a_rebase_waits_until_its_last_step() -> None:
    begun = ran(2, "git rebase origin/main", "failed", "rebase stopped", begun="rebase", conflicts=["a.py"])
    step = ran(3, "git add a.py && git rebase --continue", "failed", "[detached HEAD bbbbbbb] Round up · stopped",
               begun="rebase", conflicts=["b.py"], commit="bbbbbbb", subject="Round up", branch="detached HEAD")
    last = ran(4, "git rebase --continue", result="rebase ended", finished="rebase")
    waiting = [event["files"] for event in marked_events([begun, step]) if event.get("waits")]
    assert waiting == [["b.py"]]
    assert not any(event.get("waits") for event in marked_events([begun, step, last]))
    # a commit in between ends no rebase
    assert any(event.get("waits") for event in marked_events([begun, committed(3, "git commit -m x", "bbbbbbb")]))


def test_branches_pull_requests_and_folders() -> None:
    events = marked_events([
        ran(1, "git -C ../api checkout -b rounding origin/main"),
        ran(2, "git switch -c sums", "failed", "fatal: exists"),
        ran(3, "gh pr create --fill", result="https://forge.example/ada/rates/pull/3"),
        ran(4, "gh pr view 3", result="https://forge.example/ada/rates/pull/4")])
    assert [(event["what"], event["text"]) for event in events] == [
        ("pull request", "https://forge.example/ada/rates/pull/3"),
        ("branch", "git checkout -b rounding origin/main")]
    assert (events[1]["branch"], events[1]["folder"]) == ("rounding", "../api")


def test_a_repository_made_to_try_something_is_none_of_the_session_s() -> None:
    assert marked_events([committed(1, "cd /tmp/x && git commit -m 'try'", "aaaaaaa")]) == []
    assert marked_events([committed(1, "git -C /var/folders/x commit -m 'try'", "aaaaaaa")], "/srv") == []


@pytest.mark.parametrize("command", ["git commit -m x", "cd .. && git commit -m x", "cd /tmp/zones && git commit -m x"])
@pytest.mark.parametrize("folder", ["", "/tmp/zones", "/tmp/zones/web"])
def test_a_session_whose_own_folder_is_a_temporary_one_works_there(command: str, folder: str) -> None:
    item: Any = {**committed(1, command, "aaaaaaa"), "folder": folder}
    assert [event["text"] for event in marked_events([item], "/tmp/zones")] == ["Round up"]
    assert len(marked_events([item])) == (not command.startswith("cd /")), "where the root is not known"


@pytest.mark.parametrize(("command", "folder", "expected"), [
    ("mkdir x && cd x && git init && git commit -am x", "", []),
    ("git init x && git -C x commit -am x", "", []),
    ("git init --template x && git add -A && git commit -m x", "", []),
    ("cd ../x && git init && git add -A && git commit -m x", "/srv/zones", []),
    ("git init && git add -A && git commit -m x", "", [""]),
    ("git init -q -b main . && git add -A && git commit -m x", "", [""]),
    ("git init && git add -A && git commit -m x", "/srv/zones", ["/srv/zones"]),
    # in the root, which the line goes to itself or names
    ("cd /srv/rates && git init && git add -A && git commit -m x", "", ["/srv/rates"]),
    ("cd .. && git init -q && git add -A && git commit -m x", "/srv/rates/web", ["/srv/rates"]),
    ("git init '/srv/rates/' -b main && git add -A && git commit -m x", "", [""]),
    ("git -C /srv/rates init && git -C /srv/rates commit -m x", "/srv/zones", ["/srv/rates"]),
    ("cd /srv/rates/web && git init && git add -A && git commit -m x", "", []),
    ("git init --bare && git commit -m x", "", []), ("git init /srv/rates x && git commit -m x", "", []),
    ("cd /srv/rates && git init web && git commit -m x", "", []),
    ("cd - && git init && git commit -m x", "", []), ("cd $X && git init && git commit -m x", "", []),
])
def test_a_repository_that_is_made_where_the_line_runs_is_the_session_s(command: str, folder: str,
                                                                        expected: list[str]) -> None:
    item = committed(1, command, "aaaaaaa")
    item["folder"] = folder
    assert [event["folder"] for event in marked_events([item], "/srv/rates")] == expected


def test_a_repository_in_tmp_that_went_to_another_machine_is_work() -> None:
    commit = committed(1, "cd /tmp/x && git commit -m one", "aaaaaaa")
    for address, count in (("https://forge.example/x", 2), ("git@forge.example:x.git", 2), ("/tmp/bare", 0),
                           ("../bare.git", 0), ("", 0)):
        push = ran(2, "cd /tmp/x && git push", pushed=pushed_to(address, "main"))
        assert len(marked_events([commit, push])) == count, address
    other = ran(2, "cd /tmp/y && git push", result=PUSHED, pushed=pushed_to("https://forge.example/y", "main"))
    assert [event["what"] for event in marked_events([commit, other])] == ["push"]


@pytest.mark.parametrize(("folder", "other", "pushed"), [
    ("/srv/api", "/srv/api", "yes"), ("/srv/api", "/srv/api/src", "yes"), ("/srv/api", "/srv/web", ""),
    ("/srv/api", "/srv/api-2", ""), ("~/api", "~/web", ""), ("api", "/srv/web", "yes"), (".", "/srv/web", "yes"),
])
def test_a_push_of_another_folder_pushes_no_commit_of_this_one(folder: str, other: str, pushed: str) -> None:
    commit = committed(1, f"cd {folder} && git commit -m one", "aaaaaaa")
    assert marked_events([commit, ran(2, f"cd {other} && git push origin main")])[-1]["pushed"] == pushed


def test_all_commits_of_a_line_are_told() -> None:
    picked = ran(1, "git cherry-pick a b", result=f"[main aaaaaaa] Round up ⏎ [main bbbbbbb] Sums ⏎ {PUSHED}")
    amended = committed(2, "git commit --amend --no-edit", "ccccccc")
    assert commits(picked, amended) == [("aaaaaaa", "no", False), ("bbbbbbb", "no", False), ("ccccccc", "no", False)]


def test_an_earlier_commit_of_the_same_command_stands_with_its_end() -> None:
    earlier = [committed(1, "git commit -am wip && git push", "aaaaaaa", pushed=pushed_to("forge:ada/rates", "main"))]
    again = committed(5, "git commit -am wip && git push", "bbbbbbb", earlier=earlier)
    assert commits(again) == [("aaaaaaa", "yes", False), ("bbbbbbb", "yes", False)]


@pytest.mark.parametrize(("command", "folder"), [
    ("git status", ""), ("cd a && cd b && git add x", "a/b"), ("(cd a && git pull) && git push", ""),
    ("cd a && git -C b add x", "a/b"), ("cd a && git -C '/srv/b' add x", "/srv/b"), ("git -C a -C b add x", "a/b"),
])
def test_the_folder_of_a_call(command: str, folder: str) -> None:
    assert git_calls(command)[-1]["folder"] == folder


@pytest.mark.parametrize(("command", "expected"), [
    ('ssh root@h "cd /srv && git add -A && git push origin main"', True), ('ssh root@h "git commit -m x"', False),
    ("git push", True), ("cd a && git -C b push --force", True), ("gh pr create", True), ("make push-docs", True),
    ("gt submit", True), ("git stash push", False), ("git commit -m 'push it'", False), ("grep -n push a.py", False),
    ("git log", False),
])
def test_what_may_have_pushed(command: str, expected: bool) -> None:
    assert may_have_pushed([ran(1, command)]) is expected


REJECTED = "[rejected] main -> main (fetch first)"


@pytest.mark.parametrize(("command", "verdict", "result", "expected"), [
    ("git push", "failed", "fatal: the remote end hung up", True), ("git push", "ended", REJECTED, True),
    ("git push && make", "failed", "no rule to make target", True),
    ("git push a; git push b", "failed", REJECTED, True),
    ("make push", "failed", REJECTED, True),
    ("git push", "failed", REJECTED, False),
    ("git commit -m x && git push 2>&1 | tail -3", "failed", REJECTED, False),
    ("git push", "failed", "[remote rejected] main -> main (push declined)", False),
    ("git push", "failed", "fatal: Authentication failed for 'https://forge.example/'", False),
    ("git push", "failed", "fatal: could not read Username for 'https://forge.example'", False),
])
def test_a_refused_push_has_pushed_nothing(command: str, verdict: str, result: str, expected: bool) -> None:
    run: Any = ran(1, command, verdict, result)
    assert may_have_pushed([run]) is expected
    assert (refused_push([run]) is None) is expected
    run["earlier"] = [ran(0, command, result=PUSHED)]
    assert may_have_pushed([run])


@pytest.mark.parametrize(("later", "expected"), [
    ([], "main"), ([ran(3, "git push origin next")], "main"), ([ran(3, "gh pr create --fill")], "main"),
    ([ran(3, "git push", "failed", REJECTED)], "main"),
    ([ran(3, "git push origin main")], None), ([ran(3, "git push", pushed=pushed_to("forge:ada/rates", "main"))], None),
    ([ran(3, "git push")], None), ([ran(3, "git push origin --all")], None), ([ran(3, "make publish")], None),
    ([ran(3, "git push | tail -1", "unknown")], None),
])
def test_a_refused_push_stands_until_its_branch_may_have_been_pushed(later: list[Any], expected: str | None) -> None:
    actions = [ran(2, "git push", "failed", f"[main aaaaaaa] Round up · {REJECTED}"), *later]
    refusal = standing_refusal(actions, marked_events(actions))
    assert (refusal and refusal["branch"]) == expected
    assert refusal is None or refusal["remark"] == REJECTED


def test_a_push_that_never_left_is_overtaken_by_any_other() -> None:
    failed = ran(2, "git push origin master", "failed", "error: src refspec master does not match any")
    assert standing_refusal([failed], [])
    actions = [failed, ran(3, "git push origin main")]
    assert standing_refusal(actions, marked_events(actions)) is None


@pytest.mark.parametrize(("actions", "expected"), [
    ([edited(1, "a.py")], ["a.py"]),
    ([edited(0, "a.py"), COMMIT, edited(2, "b.py"), edited(3, "c.py")], ["c.py", "b.py"]),
    ([edited(0, "a.py"), COMMIT], []), ([edited(1, "/elsewhere/a.py")], []), ([edited(1, "/tmp/a.py")], []),
    ([edited(1, "a.py"), ran(2, "git checkout -- a.py")], []), ([edited(1, "a.py"), ran(2, "git checkout .")], []),
    ([edited(1, "a.py"), ran(2, "rm a.py")], []), ([edited(1, "a.py"), ran(2, "git reset --hard")], []),
    ([edited(1, "a.py"), ran(2, "git stash")], []), ([edited(1, "a.py"), ran(2, "git stash list")], ["a.py"]),
    ([edited(1, "a.py"), ran(2, "git stash -u"), ran(3, "make"), ran(4, "git stash pop")], ["a.py"]),
    ([edited(1, "a.py"), ran(2, "git stash && make; git stash pop -q")], ["a.py"]),
    ([edited(1, "a.py"), ran(2, "git stash pop"), ran(3, "git stash")], []),
    ([edited(1, "a.py"), ran(2, "git commit -m x", "failed", "hook failed")], ["a.py"]),
    ([edited(1, "a.py"), committed(2, "cd /elsewhere && git commit -am x", "aaaaaaa")], ["a.py"]),
    ([edited(1, "a.py"), committed(2, "git commit -am x", "aaaaaaa"), ran(3, "git reset --soft HEAD~1")], ["a.py"]),
    # a commit that prints nothing of its own may have taken it in; one elsewhere, a failed or a tried one has not
    ([edited(1, "a.py"), ran(2, "git commit -qam x && echo done", result="done")], []),
    ([edited(1, "a.py"), ran(2, "cd /elsewhere && git commit -qam x")], ["a.py"]),
    ([edited(1, "a.py"), ran(2, "git commit -qam x", "failed", "hook failed")], ["a.py"]),
    ([edited(1, "a.py"), ran(2, "git commit -qam x && git push", "failed", "fatal: No configured push destination.")],
     []),
    ([edited(1, "a.py"), ran(2, "git commit --dry-run -a")], ["a.py"]),
    ([edited(1, "a.py"), ran(2, "git log --grep commit")], ["a.py"]),
])
def test_files_edited_after_the_last_commit(actions: list[Item], expected: list[str]) -> None:
    assert uncommitted(actions, marked_events(actions), ROOT, status=None) == expected


@pytest.mark.parametrize(("folder", "root", "expected"), [
    ("~/api", "/home/ada/rates", ["/home/ada/rates/a.py"]), ("~/rates-2", "/home/ada/rates", ["/home/ada/rates/a.py"]),
    ("~/rates", "/srv/rates", ["/srv/rates/a.py"]), ("~", "/home/ada/rates", ["/home/ada/rates/a.py"]),
    ("~bob/rates", "/home/ada/rates", ["/home/ada/rates/a.py"]), ("~/rates", "/home/ada/rates", []),
    ("~/rates/zones", "/home/ada/rates", []), ("~/rates", "/home/ada", []), ("~/rates", "/Users/ada/rates", []),
    ("~/rates", "/home/ada/work", ["/home/ada/work/a.py"]),
])
def test_a_commit_below_a_person_s_home_is_seen_from_there(folder: str, root: str, expected: list[str]) -> None:
    actions = [edited(1, f"{root}/a.py"), committed(2, f"cd {folder} && git commit -am x", "aaaaaaa")]
    shown = [f"{root}/{path}" for path in uncommitted(actions, marked_events(actions), root, status=None)]
    assert shown == expected


def test_hostile_commands_and_results_end() -> None:
    with ending():
        for text in slow_texts(500):
            actions = [ran(1, f"git commit -m {text}", result=f"[main {text}"), ran(2, f"git push {text}", result=text),
                       ran(3, f"gh pr create {text}", result=f"https://{text}"), edited(4, text)]
            assert isinstance(marked_events(actions), list)
            assert isinstance(uncommitted(actions, marked_events(actions), ROOT, status=None), list)


def test_a_rebase_does_not_come_later_than_the_commit_that_it_makes_itself() -> None:
    going_on = committed(3, "git rebase --continue", "bbbbbbb", "detached HEAD", finished="rebase")
    rebased = {event["hash"]: event.get("rebased", False) for event in marked_events([COMMIT, going_on])
               if event["what"] == "commit"}
    assert rebased == {"aaaaaaa": True, "bbbbbbb": False}


@pytest.mark.parametrize(("result", "expected"), [("Already up to date.", []), ("Fast-forward", ["git merge next"])])
def test_a_merge_that_changed_nothing_is_none(result: str, expected: list[str]) -> None:
    events = marked_events([ran(1, "git merge next", "ended", result)])
    assert [event["text"] for event in events if event["what"] == "history"] == expected


SECOND = committed(3, "git commit -m Two", "bbbbbbb")
HIDDEN = ran(2, "git commit -m 'Round down' | tail -3", result="create mode 100644 src/rates.py")


@pytest.mark.parametrize(("actions", "count", "may_be_more"), [
    ([], 0, False), ([COMMIT, SECOND], 2, False), ([COMMIT, HIDDEN, SECOND], 2, True), ([HIDDEN], 0, True),
    ([COMMIT, ran(4, "git push", commit="aaaaaaa")], 1, False),
    ([COMMIT, committed(2, "git commit --amend", "ccccccc")], 1, False),
    ([{**SECOND, "commits_before": [{"branch": "main", "hash": "ccccccc", "subject": "One"}]}], 2, False),
    # the same command several times, of which the last ends are kept
    ([{**SECOND, "uses": 2, "earlier": [{**COMMIT, "text": SECOND["text"]}]}], 2, False),
    ([{**SECOND, "uses": 6, "earlier": [{**COMMIT, "text": SECOND["text"]}]}], 2, True),
    ([COMMIT, ran(2, "git commit -qm b")], 1, True), ([COMMIT, ran(2, "git cherry-pick c1d2e3f")], 1, True),
    ([COMMIT, ran(2, "git commit -qm b", "not run")], 1, False),
    ([COMMIT, ran(2, "git commit -qm b", "running")], 1, True),
    ([COMMIT, ran(2, "git commit -m b", "failed", "nothing to commit, working tree clean")], 1, False),
    ([COMMIT, ran(2, "git merge next", result="Already up to date.")], 1, False),
    ([COMMIT, ran(2, "git log | grep commit"), ran(3, "echo git commit"), edited(4, "a.py")], 1, False),
    ([COMMIT, committed(2, "cd /tmp/try && git commit -m b", "ddddddd")], 1, True),  # not in the list
])
def test_how_many_commits_were_made_since(actions: list[Any], count: int, may_be_more: bool) -> None:
    assert commits_made_since(actions, 0) == (count, may_be_more)
    assert commits_made_since(actions, 9) == (0, False)


def test_commits_before_do_not_count_among_those_since() -> None:
    assert commits_made_since([COMMIT, HIDDEN, SECOND], 1) == (1, True)
    assert commits_made_since([COMMIT, HIDDEN, SECOND], 2) == (1, False)
