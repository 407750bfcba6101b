"""Files that were read: those of which only the name is known share a line."""

from __future__ import annotations

from typing import Any

import pytest

from compact_keeper.recap.lines.looks import (
    file_lines,
    files_read_lines,
    is_bare_read,
    is_telling_look,
    route_edited_since,
    rows_edited_since,
    too_large_lines,
)
from compact_keeper.recap.lines.work import work_lines
from compact_keeper.recap.wording.paths import Paths
from compact_keeper.record.items import new_item
from entries import entry

ROOT = "/srv/zones"


def look(number: int, path: str, **more: Any) -> Any:
    fields = {"tool": "Read", "path": path, "result": "", "key": path, **more}
    return new_item("look", entry(number, "x"), fields["path"], "user", **fields)


@pytest.mark.parametrize(("text", "is_told"), [("git status", False), ("git status --short src", False),
                                                ("git status && cat a.txt", True), ("git stash list", True)])
def test_what_git_listed_before_a_commit_is_no_line(text: str, is_told: bool) -> None:
    status: Any = {**look(1, text, tool="Bash", result="modified: a.py ⏎ Untracked files: b.py"), "path": ""}
    commit: Any = new_item("action", entry(2, "x"), "git commit -am x", "assistant", tool="Bash", commit="8c1d0e2")
    assert is_telling_look(status, [status, commit], {}, "") is is_told
    later: Any = {**status, "position": 3}
    assert is_telling_look(later, [commit, later], {}, "")


def test_where_room_is_left_a_search_stands_with_all_that_it_printed() -> None:
    search = look(1, "cat zones.txt", tool="Bash", result="row 1 ⏎ …", printed="row 1 ⏎ row 2 ⏎ row 3")
    search["path"] = ""
    [line] = work_lines([search], Paths(ROOT, ROOT), set(), "", {})
    assert line["text"] == "- `cat zones.txt` → row 1 ⏎ …"
    assert line["fuller"] == ["- `cat zones.txt` → row 1 ⏎ row 2 ⏎ row 3"]
    files = " ".join(f"zones-of-harbour-{number}.csv" for number in range(12))
    search = look(1, f"cat {files}", tool="Bash", result="3")
    search["path"] = ""
    [line] = work_lines([search], Paths(ROOT, ROOT), set(), "", {})
    assert files not in line["text"]
    assert line["fuller"] == [f"- `cat {files}` → 3"]


def test_files_of_which_only_the_name_is_known_share_a_line() -> None:
    reads = [look(1, "a.py"), look(2, "b.py"), look(3, "c.py", result="File does not exist."),
             look(5, "e.py", rows_read=["10–20"])]
    texts = [line["text"] for line in work_lines(reads, Paths(ROOT, ROOT), set(), "", {})]
    assert texts == ["- Read c.py (File does not exist.)"]
    assert read_in_short(reads) == ["- read, newest first: e.py (lines 10–20), b.py, a.py"]
    assert [is_bare_read(item) for item in reads] == [True, True, False, True]


def test_of_short_files_those_that_nobody_changed_or_shows_again() -> None:
    others = [look(number, f"other{number}.py") for number in range(20, 24)]
    edit = new_item("action", entry(9, "x"), "b.py", "assistant", tool="Edit", path=f"{ROOT}/b.py", edits=1)
    reads = [look(1, "a.py", printed="a = 1 ⏎ zones = 7"), look(2, "b.py", printed="b = 1"), look(3, "c.py"),
             look(4, "node_modules/react/index.js", printed="react"), look(5, "d.py", printed="d = 1", by_agent="ac1"),
             look(6, "e.py", printed="e = 1", rows_read=["10–20"])]
    shown = [line["text"] for line in file_lines([*reads, edit, *others], Paths(ROOT, ROOT))]
    assert shown == ["- e.py (lines 10–20): e = 1", "- a.py: a = 1 ⏎ zones = 7"]
    assert [*file_lines(reads[:4], Paths(ROOT, ROOT))] == []  # the client shows the newest again


def read_in_short(reads: list[Any], summary: str = "") -> list[str]:
    return [line["text"] for line in files_read_lines(reads, summary, Paths(ROOT, ROOT))]


def test_of_files_read_those_that_others_tell_are_left_out() -> None:
    edit = new_item("action", entry(9, "x"), "b.py", "assistant", tool="Edit", path="b.py", edits=1)
    others = ["node_modules/react/index.js", "/home/ada/.claude/plans/zones.md", "/tmp/claude-0/tasks/b1.output"]
    reads = [look(number, path) for number, path in enumerate(["a.py", "b.py", *others])]
    assert read_in_short([*reads, edit], "All of a.py was read.") == []
    assert read_in_short([*reads, look(8, "a.py")]) == ["- read, newest first: a.py, b.py"]
    named = ["- read and not named in the summary, newest first: b.py"]
    assert read_in_short(reads, "All of a.py was read.") == named
    assert read_in_short(reads, "All of {a, b}.py was read.") == []
    helpers = [look(1, "src/ZoneRateHelper.kt"), look(2, "src/types.ts")]
    assert read_in_short(helpers, "ZoneRateHelper has its types.") == [
        "- read and not named in the summary, newest first: src/types.ts"]


def test_a_file_is_not_told_by_another_of_its_name() -> None:
    edit = new_item("action", entry(9, "x"), "zones/page.tsx", "assistant", tool="Edit", path="zones/page.tsx", edits=1)
    reads = [look(1, "zones/page.tsx"), look(2, "rates/page.tsx"), look(3, "tolls/page.tsx")]
    assert read_in_short([*reads, edit], "The tolls/page.tsx and zones/page.tsx.") == [
        "- read and not named in the summary, newest first: rates/page.tsx"]
    assert read_in_short([reads[1], edit], "I read C:\\web\\rates\\page.tsx.") == []
    assert read_in_short([look(1, "/srv/web/zones/page.tsx"), edit]) == []


def test_of_very_many_files_the_newest_are_named() -> None:
    reads = [look(number, f"zone{number}.py") for number in range(200)]
    [text] = read_in_short(reads)
    assert text.startswith("- read, newest first: zone199.py, zone198.py, ")
    assert text.endswith("…")


def test_which_files_a_search_by_names_met_is_no_line() -> None:
    met, met_none = (look(number, "*.py", tool="Glob", result=result)
                     for number, result in ((1, "a.py ⏎ b.py"), (2, "no matches")))
    looks = [{**met, "output": "a.py ⏎ b.py"}, met, met_none]
    assert [line["items"] for line in work_lines(looks, Paths(ROOT, ROOT), set(), "", {})] == [[met_none]]


def test_a_look_that_only_waited_is_no_line() -> None:
    looks = [look(1, "", tool="Bash"), look(2, "", tool="Bash", result="a.py")]
    for item, command in zip(looks, ("sleep 5", "sleep 5 && ls")):
        item["text"] = command
    lines = work_lines(looks, Paths(ROOT, ROOT), set(), "", {})
    assert [line["text"] for line in lines] == ["- `sleep 5 && ls` → a.py"]


def test_an_older_look_that_showed_nothing_and_hid_its_errors_is_no_line() -> None:
    commands = ("grep -r zone days 2>/dev/null", "grep -r zone days", "ls zones 2>/dev/null", "ls days 2>/dev/null")
    looks: list[Any] = [{**look(place, "", tool="Bash"), "text": command} for place, command in enumerate(commands)]
    looks[2]["result"] = "seven.csv"
    lines = work_lines(looks, Paths(ROOT, ROOT), set(), "", {})
    assert [line["text"] for line in lines] == [
        "- `ls days` → (no output; errors were hidden)", "- `ls zones` → seven.csv", "- `grep -r zone days`"]


def test_rows_that_a_command_showed_of_a_file_are_no_line_once_it_was_edited() -> None:
    commands = ("sed -n '8,27p' /srv/rates.py | cat -A", "grep -n zone 'src/rates.py'", "git log -3 rates.py",
                "cat zones.py", "cat rates.py")
    edit = new_item("action", entry(4, "x"), "rates.py", "assistant", tool="Edit", path="rates.py", edits=1,
                    verdict="ended", result="", change="")
    looks: list[Any] = [{**look(5 if index == 4 else index, "", tool="Bash", result="9: zone"), "text": command}
             for index, command in enumerate(commands)]
    lines = work_lines([*looks[:4], edit, looks[4]], Paths(ROOT, ROOT), set(), "", {})
    shown = [line["text"] for line in lines if "zone" in line["text"]]
    assert shown == ["- `cat rates.py` → 9: zone", "- `cat zones.py` → 9: zone", "- `git log -3 rates.py` → 9: zone"]


def test_an_edit_that_failed_overtakes_no_look() -> None:
    search: Any = {**look(1, "zone", tool="Grep", result="rates.py:3: zone"), "path": ""}
    failed = new_item("action", entry(2, "x"), "rates.py", "assistant", tool="Edit", path="/srv/rates.py", edits=0,
                      verdict="failed", result="String not found", change="")
    texts = [line["text"] for line in work_lines([search, failed], Paths(ROOT, ROOT), set(), "", {})]
    assert texts[1:] == ["- Grep `zone` → rates.py:3: zone"]
    assert len([*work_lines([search, {**failed, "edits": 1}], Paths(ROOT, ROOT), set(), "", {})]) == 1


def test_what_was_asked_again_beside_something_else_is_no_line_and_a_deed_says_so() -> None:
    commands = ("find data | wc -l", "kill 7; find data | wc -l", "ls; find data | wc -l")
    items: list[Any] = [{**look(index, "", tool="Bash", result=str(index)), "text": command}
                        for index, command in enumerate(commands)]
    items[1] = {**items[1], "kind": "action", "verdict": "ended"}
    lines = work_lines(items, Paths(ROOT, ROOT), set(), "", {})
    assert [line["text"] for line in lines] == ["- `ls; find data | wc -l` → 2",
                                                "- `kill 7; find data | wc -l` → 1 (asked again later)"]
    items[0] = {**items[0], "output": "0"}
    assert len([*work_lines(items, Paths(ROOT, ROOT), set(), "", {})]) == 3


@pytest.mark.parametrize(("command", "path", "position", "is_said"), [
    ("make notes && head -5 docs/rates.md", "/srv/a/docs/rates.md", 9, True),
    ("cd docs && node -e '1' && grep -n zone 'rates.md' | head -3", "/srv/a/docs/rates.md", 9, True),
    ("cat rates.md", "/srv/a/docs/rates.md", 3, False), ("cat docs/rates.md", "/srv/a/web/rates.md", 9, False),
    ("cat rates.mdx", "/srv/a/rates.md", 9, False), ("node rates.js | tail -3", "/srv/a/rates.js", 9, False),
    ("echo rates.md; cat zones.md", "/srv/a/rates.md", 9, False),
    ("cat '' ' ' docs/", "/srv/a/docs/rates.md", 9, False)])
def test_rows_of_a_file_that_was_edited_later_say_so(command: str, path: str, position: int, is_said: bool) -> None:
    shown: Any = {**look(4, "", tool="Bash", result="zone 2"), "text": command}
    expected = f" (edited since: {path.rpartition('/')[2]})" if is_said else ""
    assert rows_edited_since(shown, {"/srv/a/other.md": 9, path: position}) == expected
    search: Any = {**shown, "tool": "Grep"}
    assert rows_edited_since(search, {path: position}) == ""
    later: Any = new_item("action", entry(position, "x"), "sed -i s/a/b/ x", "assistant", key="sed", tool="Bash",
                          path="", family="", verdict="ended", result="", wrote=[path])
    deed: Any = {**shown, "kind": "action", "verdict": "ended"}
    for step in (shown, deed):
        lines = work_lines([step, later], Paths(ROOT, ROOT), set(), "", {})
        assert any(line["text"].endswith(f"zone 2{expected}") for line in lines)


@pytest.mark.parametrize(("command", "path", "is_said"), [
    ("curl -s http://localhost:3002/api/rates | head -5", "/srv/a/pages/api/rates.js", True),
    ("curl -X POST http://127.0.0.1/api/rates?zone=2 -d '{}'", "/srv/a/app/api/rates/route.ts", True),
    ("curl 'http://[::1]:80/auth/sign-in/'", "/srv/a/src/app/auth/sign-in/page.tsx", True),
    ("curl localhost:3002/api/rates", "/srv/a/pages/api/rates.js", False),  # not by the form of an address
    ("curl https://rates.example.org/api/rates", "/srv/a/pages/api/rates.js", False),  # not what was edited
    ("curl http://localhost/rates", "/srv/a/tests/rates.js", False),  # one name says too little
    ("curl http://localhost/api/rates", "/srv/a/pages/api/rates/zones.js", False),
    ("curl http://localhost/api/rates", "/srv/a/pages/my-api/rates.js", False),
    ("curl http://localhost/", "/srv/a/index.html", False), ("curl http://localhost/a/b", "/srv/a/b", True)])
def test_an_answer_of_before_the_edit_of_its_file_says_so(command: str, path: str, is_said: bool) -> None:
    request: Any = {**look(4, "", tool="Bash", result="[]"), "text": command}
    expected = f" (edited since: {path.rpartition('/')[2]})" if is_said else ""
    assert route_edited_since(request, {"/srv/a/other.js": 9, path: 5}) == expected
    assert route_edited_since(request, {path: 3}) == ""
    edit = new_item("action", entry(5, "x"), path, "assistant", tool="Edit", path=path, edits=1, verdict="ended",
                    result="", change="")
    deed: Any = {**request, "kind": "action", "verdict": "ended"}
    for item in (request, deed):
        [line] = [line for line in work_lines([item, edit], Paths(ROOT, ROOT), set(), "", {}) if "curl" in line["text"]]
        assert line["text"].endswith(f"→ []{expected}")


LARGE = "File content ({}) exceeds maximum allowed tokens (25000). Use offset and limit parameters."


def test_files_too_large_for_read_share_a_line_the_newest_first() -> None:
    reads = [look(1, "rates.md", result=LARGE.format("30414 tokens")), look(2, "zones.csv", result="Is a folder."),
             look(3, f"{ROOT}/web/zones.tsx", result=LARGE.format("88KB")), look(4, "rates.md", rows_read=["1–200"]),
             look(5, f"{ROOT}/.claude/1f/tool-results/b1.txt", result=LARGE.format("99KB")),
             look(6, "", tool="Bash", result=LARGE.format("7KB")), look(7, "a.md", result="Output too large (86.7KB)")]
    assert [line["text"] for line in too_large_lines(reads, Paths(ROOT, ROOT))] == [
        "- too large for Read as a whole, when it was tried: a.md (86.7KB), web/zones.tsx (88KB), "
        "rates.md (30414 tokens)"]
    assert [*too_large_lines(reads[1:2], Paths(ROOT, ROOT))] == []
    steps = [line["text"] for line in work_lines(reads, Paths(ROOT, ROOT), set(), "", {})]
    assert not any("rates.md (File" in text for text in steps)
    assert read_in_short(reads) == ["- read, newest first: rates.md (lines 1–200)"]


def test_many_files_too_large_are_the_newest_alone() -> None:
    reads = [look(number, f"zone{number}.csv", result=LARGE.format("9MB")) for number in range(9)]
    [line] = too_large_lines(reads, Paths(ROOT, ROOT))
    assert line["text"].endswith(": zone8.csv (9MB), zone7.csv (9MB), zone6.csv (9MB), zone5.csv (9MB)")
