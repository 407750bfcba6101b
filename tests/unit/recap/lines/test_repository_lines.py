"""The lines on the repository: what they say, and that nothing which is not known is said."""

from __future__ import annotations

from typing import Any, cast

import pytest

from compact_keeper.recap.lines.repository import PATHS_SHOWN, repository_lines
from compact_keeper.types import CommitElsewhere, GitNow, JsonObject
from recaps import texts

CLEAN: JsonObject = {
    "root": "/srv/rates", "branch": "main", "head": "1a2b3c4", "upstream": "origin/main", "ahead": 0, "behind": 0,
    "commits": [], "since": "2026-11-22T10:00:00Z", "staged": [], "modified": [], "untracked": [], "conflicts": [],
    "totals": {"staged": 0, "modified": 0, "untracked": 0, "conflicts": 0, "commits": 0}, "in_progress": "",
    "stashes": 0, "is_complete": True}
PARTIAL = "- Git could not tell everything: what is not named here is not known"


def lines(then: Any = None, **other: Any) -> list[str]:
    return texts(repository_lines(cast("GitNow", {**CLEAN, **other}), then or {}, [], []))


def test_clean_and_none() -> None:
    assert lines() == ["- Branch `main`, HEAD `1a2b3c4`, level with upstream `origin/main`",
                       "- No commit on this branch since the session began", "- Working tree clean"]
    assert repository_lines({}, {"branch": "main"}, [], []) == []


@pytest.mark.parametrize(("fields", "line"), [
    ({"ahead": 2}, "- Branch `main`, HEAD `1a2b3c4`, 2 ahead of upstream `origin/main`"),
    ({"ahead": 2, "behind": 1}, "- Branch `main`, HEAD `1a2b3c4`, 2 ahead and 1 behind of upstream `origin/main`"),
    ({"upstream": ""}, "- Branch `main`, HEAD `1a2b3c4`, no upstream"),
    ({"head": "", "upstream": ""}, "- Branch `main`, its commit not known, no upstream"),
    ({"head": "", "upstream": "", "is_without_commit": True}, "- Branch `main`, no commit yet, no upstream"),
    ({"branch": ""}, "- HEAD detached at `1a2b3c4`"),
    ({"branch": "a`b"}, "- Branch `` a`b ``, HEAD `1a2b3c4`, level with upstream `origin/main`"),
])
def test_branch_commit_and_upstream(fields: JsonObject, line: str) -> None:
    assert lines(**fields)[0] == line


@pytest.mark.parametrize(("branch", "words"), [
    ("main", ""), ("", ""), ("HEAD", ""), ("topic", " (when saved `topic`)"), ("x\ny", " (when saved `x y`)")])
def test_the_branch_when_it_was_saved(branch: str, words: str) -> None:
    assert lines({"branch": branch})[0].startswith(f"- Branch `main`{words}, HEAD")
    assert lines({"gitBranch": branch})[0].startswith(f"- Branch `main`{words}, HEAD")


def test_everything_at_once() -> None:
    paths = [(f"src/rates/{number}.py", "") for number in range(20)]
    rows = lines(
        commits=[("2b3c4d5", 'Round "half" even'), ("3c4d5e6", "First")], conflicts=["a.py"], untracked=["new/"],
        staged=[("src/a.py", "new"), ("src/b/c.py", "deleted")], modified=paths, in_progress="merge of 4d5e6f7",
        stashes=2, totals={"staged": 2, "modified": 30, "untracked": 1, "conflicts": 1, "commits": 3})
    shown = ", ".join(f"`{number}.py`" for number in range(PATHS_SHOWN))
    assert rows[1:] == [
        "- Begun and not ended: `merge of 4d5e6f7`",
        "- Commits since the session began: `2b3c4d5` “Round \"half\" even”; `3c4d5e6` \"First\", and more",
        "- In conflict: `a.py`", "- Staged in `src/`: `a.py` (new), `b/c.py` (deleted)",
        f"- Modified, not staged in `src/rates/`: {shown} and 18 more", "- Untracked: `new/`", "- Stashed: 2"]


@pytest.mark.parametrize(("commits", "line"), [
    ([("try", "3c4d5e6", "Check target")], "on `try` `3c4d5e6` \"Check target\""),
    ([("try", "3c4d5e6", "B"), ("x`y", "4d5e6f7", 'A "b"'), ("try", "2b3c4d5", "A")],
     "on `try` `3c4d5e6` \"B\", `2b3c4d5` \"A\"; on `` x`y `` `4d5e6f7` “A \"b\"”"),
    ([("try", "3c4d5e6", "A")] * 8, "on `try` " + ", ".join(["`3c4d5e6` \"A\""] * 6) + " and 2 more")])
def test_commits_that_only_other_branches_have(commits: list[CommitElsewhere], line: str) -> None:
    rows = texts(repository_lines(cast("GitNow", CLEAN), {}, commits, []))
    assert rows[1:3] == ["- No commit on this branch since the session began",
                         f"- Commits of this session that HEAD has not: {line}"]
    assert lines(branch="")[1] == "- No commit of HEAD since the session began"


def test_a_commit_has_the_files_that_its_command_told_where_there_is_room() -> None:
    now: Any = {**CLEAN, "commits": [("2b3c4d5", "Round"), ("3c4d5e6", "Second"), ("4d5e6f7", "First")]}
    events: Any = [{"what": "commit", "hash": "2b3c4d5e", "took_in": "2 files: a.py, b.py"},
                   {"what": "commit", "hash": "4d5e6f7", "took_in": ""}, {"what": "push", "hash": "3c4d5e6"}]
    line = repository_lines(now, {}, [], events)[1]
    assert line["text"].endswith('`2b3c4d5` "Round"; `3c4d5e6` "Second"; `4d5e6f7` "First"')
    assert line["whole"].endswith('`2b3c4d5` "Round" (2 files: a.py, b.py); `3c4d5e6` "Second"; `4d5e6f7` "First"')


def test_paths_that_share_no_folder_and_folders_of_their_own() -> None:
    totals = {**dict.fromkeys(CLEAN["totals"], 0), "untracked": 2}
    assert "- Untracked: `a/`, `a/b.py`" in lines(untracked=["a/", "a/b.py"], totals=totals)
    assert "- Untracked: `ab/c.py`, `a/d.py`" in lines(untracked=["ab/c.py", "a/d.py"], totals=totals)
    assert "- Untracked: `/x/a`, `b`" in lines(untracked=["/x/a", "b"], totals=totals)  # of a folder named with a space
    assert "- Untracked in `a/`: `b/`, `c/`" in lines(untracked=["a/b/", "a/c/"], totals=totals)
    assert "- Untracked: `../a.py`, `../../b.py`" in lines(untracked=["../a.py", "../../b.py"], totals=totals)
    assert "- Untracked: `../../a.py`, `../../b/c.py`" in lines(untracked=["../../a.py", "../../b/c.py"], totals=totals)
    assert "- Untracked in `../a/`: `b.py`, `c.py`" in lines(untracked=["../a/b.py", "../a/c.py"], totals=totals)


def test_what_is_not_known_is_not_said() -> None:
    facts = {name: CLEAN[name] for name in ("root", "since", "in_progress", "stashes")}
    known = cast("GitNow", {**facts, "is_complete": False, "totals": {}})
    rows = texts(repository_lines(known, {}, [], []))
    assert rows == ["- Repository `/srv/rates`: branch and commit not known", PARTIAL]
    rows = texts(repository_lines(cast("GitNow", {
        **known, "branch": "main", "head": "1a2b3c4", "upstream": "o/m"}), {}, [], []))
    assert rows == ["- Branch `main`, HEAD `1a2b3c4`, upstream `o/m` (distance not known)", PARTIAL]
    assert lines(is_complete=False)[-1] == PARTIAL
    totals = {"staged": 0, "modified": 0, "untracked": 99, "conflicts": 0, "commits": 0}
    rows = lines(is_complete=False, untracked=[f"{number}" for number in range(60)], totals=totals)
    assert rows[2].endswith("`11` and at least 87 more")
