"""Which ways the agent offered in answer to a question, and what only looks like it."""

from __future__ import annotations

from typing import Any

import pytest

from compact_keeper.recap.lines.offered_ways import titles_of_ways, ways_offered
from compact_keeper.record.items import new_item
from entries import entry
from slow_texts import ending, slow_texts

NAMED = "Two ways:\n### Option 1: by name (Recommended)\nSlow.\n### Option 2: by **number**\nFast."
NUMBERED = "**1. By the official API (推荐)**\nSafe.\n**2. By a browser**\n"


@pytest.mark.parametrize(("words", "titles"), [
    ("", []), ("# Option 1", []), (NAMED, ["Option 1: by name (Recommended)", "Option 2: by number"]),
    (NUMBERED, ["1. By the official API (推荐)", "2. By a browser"]),
    ("### 方案一：按名称\n### 方案二：按编号", ["方案一：按名称", "方案二：按编号"]),
    ("# Option 2 & 3 are done!\n## Option 2: by name\n## Option 3: by number", []),  # no offer
    ("## Option A: one\n…\n## Option C: three …", ["Option A: one", "…", "Option C: three"]),
    ("## Option 1: one\n## Option 9: nine\n## Option 10", ["Option 1: one", "…", "Option 9: nine", "Option 10"]),
    ("## Option 1: one\n## Option 3: three\n## Option 2: two", ["Option 1: one", "Option 3: three", "Option 2: two"]),
    ("## 1. Goal\n## 2. Schema", []), ("## 1. Goal\n## 2. Schema\nBoth are recommended.", []),
    ("## 1. Goal (recommended)\n## 2. Schema\n## 1. Risks", []),  # two lists
    ("## Options\n## Optional: by name\n## Optional: by number", []),
    ("Option 1: by name\nOption 2: by number", []), ("```\n# Option 1\n# Option 2\n```", []),  # no headings
])
def test_titles_of_ways(words: str, titles: list[str]) -> None:
    assert titles_of_ways(words) == titles


def items_of(*kinds: str, **next_message: Any) -> list[Any]:
    """A question, the items of these kinds, and the message that was typed next."""
    between = [new_item("said", entry(at, "x"), NAMED, "assistant") if kind == "said" else
               new_item(kind, entry(at, "x"), "make zones", "assistant")  # type: ignore[arg-type]
               for at, kind in enumerate(kinds, start=2)]
    return [new_item("message", entry(1, "x"), "How could it be sorted?", "user", via="prompt"), *between,
            new_item("message", entry(9, "x"), "And the tests?", "user", via="prompt", **next_message)]


SHOWN = {1: ' (in answer the agent offered "Option 1: by name (Recommended)", "Option 2: by number")'}


@pytest.mark.parametrize(("items", "shown"), [
    (items_of("said"), SHOWN), (items_of(), {}), (items_of("said", "rule"), SHOWN),
    (items_of("action", "said"), {}), (items_of("said", "look"), {}), (items_of("question", "answer", "said"), {}),
    (items_of("said", picks="Option 1: by name"), {}), (items_of("said", options=["Option 1", "Option 2"]), {}),
    (items_of("said")[:-1], {}), (items_of("said")[1:], {}),  # not answered yet; nobody asked
])
def test_ways_stand_beside_a_question_that_words_alone_answered(items: list[Any], shown: dict[int, str]) -> None:
    assert ways_offered(items) == shown


def test_of_many_long_ways_some_and_in_short() -> None:
    said = new_item("said", entry(2, "x"), "\n".join(f"# Option {n}: {'z' * 200}" for n in range(1, 10)), "assistant")
    message, _, newest = items_of("said")
    ways = ways_offered([message, said, newest])[1]
    assert ways.count("Option") == 6
    assert len(ways) < 550


def test_hostile_words_end() -> None:
    with ending():
        for text in slow_texts(2_000):
            titles_of_ways(f"# {text}\n# Option 1 ({text}\n**1. ({text}")
