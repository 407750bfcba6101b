"""Files that were read: those of which only the name is known share a line."""

from __future__ import annotations

from typing import Any

from compact_keeper.recap.lines.looks import bare_reads_line, is_bare_read
from compact_keeper.recap.lines.work import work_lines
from compact_keeper.recap.wording.paths import Paths
from compact_keeper.record.items import new_item
from entries import entry

ROOT = "/srv/zones"


def look(number: int, path: str, **more: Any) -> Any:
    fields = {"tool": "Read", "path": path, "result": "", "key": path, **more}
    return new_item("look", entry(number, "x"), fields["path"], "user", **fields)


def test_files_of_which_only_the_name_is_known_share_a_line() -> None:
    reads = [look(1, "a.py"), look(2, "b.py"), look(3, "c.py", result="File does not exist."),
             look(5, "e.py", limits=["10–20"])]
    texts = [line["text"] for line in work_lines(reads, Paths(ROOT, ROOT), set(), "", {})]
    assert texts == ["- Read e.py (lines 10–20), b.py, a.py", "- Read c.py (File does not exist.)"]
    assert [is_bare_read(item) for item in reads] == [True, True, False, True]


def test_of_very_many_files_the_newest_are_named() -> None:
    reads = [look(number, f"zone{number}.py") for number in range(200)]
    text = bare_reads_line(reads[::-1], Paths(ROOT, ROOT))["text"]
    assert text.startswith("- Read zone199.py, zone198.py")
    assert text.endswith("…")


def test_a_look_that_only_waited_is_no_line() -> None:
    looks = [look(1, "", tool="Bash"), look(2, "", tool="Bash", result="a.py")]
    for item, command in zip(looks, ("sleep 5", "sleep 5 && ls")):
        item["text"] = command
    lines = work_lines(looks, Paths(ROOT, ROOT), set(), "", {})
    assert [line["text"] for line in lines] == ["- `sleep 5 && ls` → a.py"]
