"""Lines that tell where to go on, from the items of a session."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from compact_keeper.recap.lines.also_on_record import runner_commands
from compact_keeper.record.outputs.made_outside_tree import made_outside_tree, stands_as_made
from compact_keeper.record.outputs.named_hits import hits_by_name
from compact_keeper.record.outputs.sweeps import uncovered_hits
from compact_keeper.types import Item
from slow_texts import ending

HITS = ["src/a.py:3: rate = load_rates(day)", "src/b.py:7: return load_rates(day)", "src/c.py:9: load_rates(None)",
        "tests/test_a.py:5: load_rates(1)", "src/d.py:1: # load_rates is slow", "src/e.py:2: def load_rates(day):"]


def session(*items: Item) -> list[Item]:
    """Items in their order."""
    return [{"position": place, **item} for place, item in enumerate(items, 1)]


def search(pattern: str = "load_rates", hits: Sequence[str] = HITS, **more: Any) -> Any:
    return {"kind": "look", "tool": "Grep", "text": pattern, "path": "", "result": "", "hits": [*hits], **more}


def edit(path: str, change: str) -> Any:
    return {"kind": "action", "tool": "Edit", "text": path, "path": path, "edits": 1, "change": change}


def run(command: str, **more: Any) -> Any:
    return {"kind": "action", "tool": "Bash", "text": command, "path": "", "result": "", "verdict": "ended", **more}


CHANGED = "- rate = load_rates(day)\n+ rate = load_rates(day, zone)"


@pytest.mark.parametrize(("items", "expected"), [
    # a sweep over two files: the third is left
    ([search(), edit("src/a.py", CHANGED), edit("src/b.py", CHANGED)],
     ["`load_rates`: edited in src/a.py, src/b.py; not in src/c.py:9 `load_rates(None)`"]),
    # the definition itself changed: every other caller is left
    ([search(), edit("/home/ada/src/e.py", "- def load_rates(day):\n+ def load_rates(day, zone):")],
     ["`load_rates`: edited in src/e.py; not in src/a.py:3 `rate = load_rates(day)`; src/b.py:7 `return"
      " load_rates(day)`; src/c.py:9 `load_rates(None)`"]),
    # later work on the rest, by an edit, by a command
    ([search(), edit("src/a.py", CHANGED), edit("src/b.py", CHANGED), edit("src/c.py", "+ x")], []),
    ([search(), edit("src/a.py", CHANGED), edit("src/b.py", CHANGED), run("sed -i s/x/y/ src/c.py")], []),
    # no sweep: a single place, lines that only use the name, edits before the search, another name
    ([search(), edit("src/a.py", CHANGED)], []),
    ([search(), edit("src/a.py", "+ load_rates(1)"), edit("src/b.py", "+ load_rates(2)")], []),
    ([edit("src/a.py", CHANGED), edit("src/b.py", CHANGED), search()], []),
    ([search("rates"), edit("src/a.py", CHANGED), edit("src/b.py", CHANGED)], []),
    ([search(hits=[f"src/f{number}.py:1: load_rates()" for number in range(30)] + HITS[:2]),
      edit("src/a.py", CHANGED), edit("src/b.py", CHANGED)], []),  # it stands everywhere
    # the name is gone: what tests still hold counts
    ([search(hits=[HITS[0], HITS[3], HITS[5]]), edit("src/e.py", "- def load_rates(day):\n+ def read_rates(day):"),
      edit("src/a.py", "- load_rates(day)\n+ read_rates(day)")],
     ["`load_rates`: edited in src/e.py, src/a.py; not in tests/test_a.py:5 `load_rates(1)`"]),
    ([search(hits=[])], []),
    ([], []),
])
def test_hits_that_a_sweep_left_out(items: list[Item], expected: list[str]) -> None:
    assert uncovered_hits(session(*items)) == expected


def test_hits_of_the_next_steps_names() -> None:
    items = session(search())
    lines = hits_by_name(items, ["load_rates", "src/a.py"], "")
    assert lines == ["src/a.py:3 `rate = load_rates(day)`", "src/b.py:7 `return load_rates(day)`",
                            "src/c.py:9 `load_rates(None)`"]
    assert hits_by_name(items, ["rates.load_rates"], "seen: a.py:3 and b.py:7")[0].startswith("src/c.py:9")
    assert hits_by_name(items, ["os.load_rates", "rates", "a.py"], "") == []
    only_tests = session(search(hits=[HITS[3]]))
    assert hits_by_name(only_tests, ["load_rates"], "") == []
    assert len(hits_by_name(only_tests, ["load_rates", "test_a.py"], "")) == 1


def test_a_name_that_stands_everywhere_points_nowhere() -> None:
    items = session(search(hits=[f"src/f{number}.py:1: load_rates()" for number in range(9)]))
    assert hits_by_name(items, ["load_rates"], "") == []


def test_runners_and_what_was_made() -> None:
    items = session(run("mise run t", evidence=["[t] $ pytest -q"]), run("mise run t", evidence=["[t] $ pytest"]),
                    run("gh pr create", evidence=["gh pr create “A” → https://example.org/pull/7"]),
                    run("gh pr comment", evidence=["gh pr comment → https://example.org/pull/7#c1"]),
                    run("gh issue create", evidence=["gh issue create “B” → https://example.org/8"], verdict="failed"),
                    run("x", made="create_issue: title A → ABC-1"))
    assert runner_commands(items) == ["[t] $ pytest"]
    assert made_outside_tree(items) == [
        "create_issue: title A → ABC-1", "gh pr comment → https://example.org/pull/7#c1"]


def test_many_things_of_a_kind_share_a_line() -> None:
    made = [f"gh issue create “Zone {number}” → https://example.org/issues/{number}" for number in (1, 2, 3)]
    assert made_outside_tree(session(*[run(text, evidence=[text]) for text in made])) == [
        "3 times gh issue create: “Zone 3” → https://example.org/issues/3; “Zone 2” → #2; “Zone 1” → #1"]
    assert made_outside_tree(session(*[run(text, evidence=[text]) for text in made[:2]])) == [made[1], made[0]]
    elsewhere = "gh issue create “Bay” → https://example.com/issues/4"
    assert made_outside_tree(session(*[run(text, evidence=[text]) for text in (elsewhere, *made[1:])])) == [
        "3 times gh issue create: “Zone 3” → https://example.org/issues/3; “Zone 2” → #2; "
        "“Bay” → https://example.com/issues/4"]


@pytest.mark.parametrize(("verdict", "line", "is_told"), [
    ("ended", "gh issue create “A” → https://a.org/1", True), ("ended", "gh issue comment → https://a.org/1", False),
    ("failed", "gh issue create “A” → https://example.org/1", False), ("ended", "[t] $ gh issue create", False)])
def test_what_stands_as_made(verdict: str, line: str, is_told: bool) -> None:
    assert stands_as_made(run("x", evidence=[line], verdict=verdict)) is is_told


def test_hits_with_the_same_code_share_a_line() -> None:
    items = session(search(hits=["src/a.py:3: x = load_rates(day)", "src/b.py:7: x = load_rates(day)"]))
    assert hits_by_name(items, ["load_rates"], "") == ["src/a.py:3, src/b.py:7 `x = load_rates(day)`"]


RULES: tuple[Callable[[list[Any]], list[str]], ...] = (
    uncovered_hits, lambda items: hits_by_name(items, ["load_rates"], ""), runner_commands, made_outside_tree)


@pytest.mark.parametrize("text", ["a:" * 4_000, "load_rates " * 800, "`" * 8_000, "- " * 4_000, "(" * 8_000,
                                  "def " * 2_000, "\0\ud800"])
def test_hostile_items_take_no_long_time(text: str) -> None:
    items = session(*[search(text, [text[:160]] * 40), edit("src/a.py", text), run(text, evidence=[text[:200]] * 6)]
                    * 40)
    with ending():
        for rule in RULES:
            assert all(len(line) < 1_500 for line in rule(items))


@pytest.mark.parametrize("rule", RULES)
def test_nothing_comes_of_nothing(rule: Callable[[list[Any]], list[str]]) -> None:
    assert rule([]) == []
