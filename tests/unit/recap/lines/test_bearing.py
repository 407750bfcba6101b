"""Rows of files and searches that bear on what is to be done, by the words that both have."""

from __future__ import annotations

from typing import Any

import pytest

from compact_keeper.recap.lines.bearing import bears_on, telling_words, with_rows_at_hand, words_at_hand
from compact_keeper.recap.lines.looks import bare_reads_line, is_bare_read
from compact_keeper.recap.lines.work import work_lines
from compact_keeper.recap.wording.paths import Paths
from compact_keeper.record.items import new_item
from entries import entry
from slow_texts import check_it_ends

ROOT = "/srv/zones"
AT_HAND = telling_words("Sort the parcels by harbour.")


def look(number: int, path: str = "zones.py", **more: Any) -> Any:
    fields = {"tool": "Read", "path": path, "result": "", "key": path, **more}
    return new_item("look", entry(number, "x"), fields["path"], "user", **fields)


def test_hostile_rows_take_no_long_time() -> None:
    check_it_ends(lambda text: bears_on(text, AT_HAND))


@pytest.mark.parametrize(("row", "bears"), [
    ("", False), ("x = 1", False), ("return data[0];", False), ("const user = null;", False),  # words of any code
    ("sorted(parcels)", True), ("HARBOUR = 7", True), ("parcel = 1", False),
    ("区域按大小排序", True), ("für die Häfen", True),  # nothing can be said of it
])
def test_a_row(row: str, bears: bool) -> None:
    assert bears_on(row, AT_HAND) == bears


@pytest.mark.parametrize(("item", "kept"), [
    (look(1, rows=["sorted(parcels)", "x = y"]), ["sorted(parcels)"]),
    (look(1, rows=["x = y"]), []),
    (look(1, path="zones.md", rows=["Samoa has two zones."]), ["Samoa has two zones."]),  # a sentence
    (look(1, tool="Bash", rows=["12: x = y", "14: parcels = []"]), ["14: parcels = []"]),
    (look(1, tool="Grep", hits=["a.py:1: x = y", "a.py:2: parcels = []"]), ["a.py:2: parcels = []"]),
    (look(1, tool="Glob", hits=["a.py", "b.py"]), ["a.py", "b.py"]),  # names
])
def test_rows_of_a_look(item: Any, kept: list[str]) -> None:
    bearing = with_rows_at_hand([item], AT_HAND)[0]
    assert [*bearing.get("rows", []), *bearing.get("hits", [])] == kept
    assert with_rows_at_hand([item], frozenset()) == [item]  # nothing is at hand


@pytest.mark.parametrize(("items", "word"), [
    ([new_item("message", entry(1, "x"), "Sort the parcels.", "user")], "parcels"),
    ([new_item("task", entry(1, "x"), "Weigh the crates", "assistant", status="pending", list="task", order=1)],
     "crates"),
    ([new_item("action", entry(1, "x"), "harbours.py", "assistant", tool="Edit", path=f"{ROOT}/harbours.py", edits=1)],
     "harbours"),
    ([], "moles"), ([], "quays")])
def test_what_is_at_hand(items: list[Any], word: str) -> None:
    snapshot: Any = {"items": items, "state": {"last_words": "I counted the moles."},
                     "summary": "1. Zones\n" * 40 + "\n## Pending tasks\n- paint the quays"}
    assert word in words_at_hand(snapshot)
    assert "zones" not in words_at_hand(snapshot)


def test_files_of_which_only_the_name_is_known_share_a_line() -> None:
    reads = [look(1, "a.py"), look(2, "b.py", rows=["x = y"]), look(3, "c.py", result="File does not exist."),
             look(4, "d.py", rows=["parcels = []"]), look(5, "e.py", limits=["10–20"])]
    texts = [line["text"] for line in work_lines(with_rows_at_hand(reads, AT_HAND), Paths(reads, ROOT, ROOT))]
    assert texts == ["- Read e.py (lines 10–20), b.py, a.py", "- Read d.py", "- Read c.py (File does not exist.)"]
    assert [is_bare_read(item) for item in reads] == [True, False, False, False, True]


def test_of_very_many_files_the_newest_are_named() -> None:
    reads = [look(number, f"zone{number}.py") for number in range(200)]
    text = bare_reads_line(reads[::-1], Paths(reads, ROOT, ROOT))["text"]
    assert text.startswith("- Read zone199.py, zone198.py")
    assert text.endswith("…")


@pytest.mark.parametrize(("result", "left"), [
    ("a.py:1: x = y ⏎ … ⏎ a.py:9: parcels = []", "a.py:9: parcels = []"),
    ("1: x = y ⏎ 9: parcels = []", "9: parcels = []"),
    ("a.py:1: x = y ⏎ a.py:2: y = x", None),
    ("x = y ⏎ y = x", "x = y ⏎ y = x"),  # no hits with places
    ("10:45:12 up 3 days", "10:45:12 up 3 days"), ("", "")])
def test_hits_of_a_search_in_code(result: str, left: str | None) -> None:
    search = look(1, tool="Bash", result=result)
    bearing = with_rows_at_hand([search], AT_HAND)
    assert [item["result"] for item in bearing] == ([] if left is None else [left])
    newest: Any = {**search, "output": result}
    assert with_rows_at_hand([newest], AT_HAND) == [newest]
