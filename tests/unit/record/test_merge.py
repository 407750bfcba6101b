"""Items of the same thing are one; what is closed goes, and what is too much."""

from __future__ import annotations

from typing import Any

import pytest

from compact_keeper.record.items import new_item
from compact_keeper.record.merge import KIND_MAX, OLD_MESSAGE_MAX_UTF16, WHOLE_MESSAGES, merge
from compact_keeper.store.settings import default_settings
from entries import entry
from sessions import units

SETTINGS = default_settings()


def item(kind: Any, text: str, number: int = 1, **more: Any) -> Any:
    more = {"key": text, "verdict": "ended", "result": "", "tool": "Bash", "path": "",
            **more} if kind == "action" else more
    return new_item(kind, entry(number, "call"), text, "assistant", **more)


def run(verdict: str, number: int, result: str = "", **more: Any) -> Any:
    return item("action", "pytest", number, verdict=verdict, result=result, **more)


def test_the_same_action_is_one_with_its_other_ends_before() -> None:
    [action] = merge([run("failed", 1, "1 failed")], [run("passed", 2), run("failed", 3, "2 failed"), run("passed", 4)],
                     SETTINGS)
    assert (action["verdict"], action["uses"], action["position"]) == ("passed", 4, 4)
    assert [(end["verdict"], end["result"]) for end in action["earlier"]] == [("failed", "1 failed"),
                                                                              ("failed", "2 failed")]


def test_what_a_run_showed_for_later_stays_where_the_next_one_cuts_it_off() -> None:
    task, other = "[test] $ go test ./...", "[test] $ go test ./rates"
    [cut_off] = merge([run("failed", 1, evidence=[task])], [run("passed", 2)], SETTINGS)
    [shown] = merge([run("failed", 1, evidence=[task])], [run("passed", 2, evidence=[other])], SETTINGS)
    assert (cut_off["evidence"], shown["evidence"]) == ([task], [other])


@pytest.mark.parametrize(("same", "expected"), [(399, 2), (450, 2), (499, 2), (500, 1)])
def test_two_long_commands_are_two_as_far_as_their_words_are_kept(same: int, expected: int) -> None:
    keys = [f"{'x' * same}{name}" for name in ("first", "second")]
    items = merge([], [item("action", f"run {name}", number, key=key)
                       for number, (name, key) in enumerate(zip(("first", "second"), keys))], SETTINGS)
    assert [item["uses"] for item in items] == ([1, 1] if expected == 2 else [2])


def test_of_many_ends_the_last_three_are_kept() -> None:
    [action] = merge([], [run("failed", number, f"{number} failed") for number in range(1, 50)], SETTINGS)
    assert [end["result"] for end in action["earlier"]] == ["46 failed", "47 failed", "48 failed"]


@pytest.mark.parametrize("saves", [1, 2, 5])
def test_a_call_that_waits_counts_once(saves: int) -> None:
    items = [run("failed", 1, "1 failed")]
    for _ in range(saves):
        items = merge(items, [run("running", 2)], SETTINGS)
    [action] = merge(items, [run("passed", 2)], SETTINGS)
    assert (action["uses"], action["verdict"], [end["verdict"] for end in action["earlier"]]) == (2, "passed",
                                                                                                  ["failed"])


@pytest.mark.parametrize(("kind", "status", "is_kept"), [
    ("question", "answered", False), ("task", "gone", False), ("rule", "ended", False), ("job", "ended", True),
    ("task", "completed", True), ("plan", "approved", True)])
def test_what_is_closed_goes(kind: str, status: str, is_kept: bool) -> None:
    new = [item(kind, "x"), {**item(kind, "x", 2), "status": status}]
    assert len(merge([], new, SETTINGS)) == is_kept
    assert len(merge(new[:1], new[1:], SETTINGS)) == is_kept


def test_an_end_without_a_begin_and_no_words_are_nothing() -> None:
    assert merge([], [item("job", "x", status="ended"), item("message", "")], SETTINGS) == []


@pytest.mark.parametrize("kind", KIND_MAX)
def test_of_each_kind_the_newest_are_kept(kind: str) -> None:
    items = [item(kind, f"{kind} {number}", number) for number in range(KIND_MAX[kind] + 50)]
    kept = merge([item("rule", "Never push.", 0)], items, SETTINGS)
    assert [kept_item["text"] for kept_item in kept if kept_item["kind"] == kind][-1] == items[-1]["text"]
    first = [items[0]["text"]] if kind == "message" else []  # it mostly says what the session is for
    assert [kept_item["text"] for kept_item in kept if kept_item["kind"] == kind][:-KIND_MAX[kind]] == first


def test_of_all_what_lasts_goes_last() -> None:
    settings: Any = {**SETTINGS, "max_items": 40}
    items = [item("rule", "Never push.", 0), item("message", "Fix it.", 1),
             *(item("action", f"echo {number}", number) for number in range(2, 900))]
    kept = merge([], items, settings)
    assert [kept_item["text"] for kept_item in kept[:2]] == ["Never push.", "Fix it."]
    assert [kept_item["text"] for kept_item in kept[2:]] == [f"echo {number}" for number in range(862, 900)]


def test_items_of_one_entry_keep_their_order() -> None:
    kept = [item("question", f"{name}?", 1) for name in "abc"] + [item("action", f"echo {name}", 1) for name in "abc"]
    for _ in range(3):
        kept = merge(kept, [], SETTINGS)
        assert [kept_item["text"] for kept_item in kept] == ["a?", "b?", "c?", "echo a", "echo b", "echo c"]


@pytest.mark.parametrize("word", ["words ", "🚚", "日本"])
def test_old_messages_are_shortened_and_a_plan_is_not(word: str) -> None:
    long = word * 3_000
    items = [item("message", f"{number} {long}", number) for number in range(WHOLE_MESSAGES + 10)]
    items.insert(5, item("message", f"plan {long}", 5, via="plan"))
    kept = merge([], items, SETTINGS)
    lengths = {kept_item["text"].split()[0]: units(kept_item["text"]) for kept_item in kept}
    assert lengths["plan"] == units(f"plan {long}")
    assert lengths["0"] > OLD_MESSAGE_MAX_UTF16, "the first order stays whole"
    assert {lengths[str(number)] <= OLD_MESSAGE_MAX_UTF16 for number in range(1, 10)} == {True}
    assert {lengths[str(number)] > OLD_MESSAGE_MAX_UTF16 for number in range(10, 40)} == {True}


@pytest.mark.parametrize("saves", [1, 3])
def test_a_call_that_never_ends_hides_no_newer_one(saves: int) -> None:
    items = [run("running", 1)]
    items = merge(items, [run("passed", 2)], SETTINGS)
    for _ in range(saves):
        items = merge(items, [run("running", 1)], SETTINGS)
    assert [(action["verdict"], action["uses"]) for action in items] == [("passed", 2)]


@pytest.mark.parametrize(("reads", "expected"), [
    ([["1–200"], ["700–797"]], ["1–200", "700–797"]), ([["1–200"], ["1–200"]], ["1–200"]),
    ([["1–200"], []], None), ([[], ["1–200"]], None),  # one of them took it whole
    ([[f"{row}–{row}"] for row in range(1, 31)], [f"{row}–{row}" for row in range(23, 31)]),
])
def test_a_file_that_is_read_in_parts_keeps_their_rows(reads: list[list[str]], expected: list[str] | None) -> None:
    looks: list[Any] = [{**item("look", "a.py", number, tool="Read", key="Read a.py", result=""),
              **({"rows_read": rows} if rows else {})} for number, rows in enumerate(reads)]
    [kept] = merge([], looks, SETTINGS)
    assert kept.get("rows_read") == expected
    assert kept["uses"] == len(reads)


@pytest.mark.parametrize(("first", "second", "uses"), [
    ("Use zones.", "Use zones.", 2), ("Use zones. " * 60 + "Two.", "Use zones. " * 60 + "Three.", 1),
    ("Use zones. " * 60 + "…", "Use zones. " * 60 + "Three.", 2),
])
def test_a_message_is_typed_twice_only_with_the_same_words(first: str, second: str, uses: int) -> None:
    [message] = merge([item("message", first)], [item("message", second, 5)], SETTINGS)
    assert (message["uses"], message["text"]) == (uses, second)
