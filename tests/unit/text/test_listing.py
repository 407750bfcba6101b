"""The first of many, and how many more there are."""

from __future__ import annotations

import pytest

from compact_keeper.text.listing import first_and_more


@pytest.mark.parametrize(("words", "most", "expected"), [
    ([], 2, ""), (["a"], 2, "a"), (["a", "b"], 2, "a, b"), (["a", "b", "c"], 2, "a, b and 1 more"),
    (["a"] * 1_235, 1, "a and 1,234 more")])
def test_the_first_are_named_and_the_others_counted(words: list[str], most: int, expected: str) -> None:
    assert first_and_more(words, most) == expected
