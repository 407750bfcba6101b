"""The first of many, and how many more there are."""

from __future__ import annotations

import pytest

from compact_keeper.text.listing import file_names, first_and_more


@pytest.mark.parametrize(("words", "most", "expected"), [
    ([], 2, ""), (["a"], 2, "a"), (["a", "b"], 2, "a, b"), (["a", "b", "c"], 2, "a, b and 1 more"),
    (["a"] * 1_235, 1, "a and 1,234 more")])
def test_the_first_are_named_and_the_others_counted(words: list[str], most: int, expected: str) -> None:
    assert first_and_more(words, most) == expected


@pytest.mark.parametrize(("paths", "others", "expected"), [
    (["a/x.md", "b/y.md"], [], "x.md, y.md"), (["a/x.md", "b/x.md", "z.md"], [], "a/x.md, b/x.md, z.md"),
    (["b/a/x.md", "y.md"], ["x.md", "y.md"], "a/x.md, y.md"), (["x.md"], ["b/x.md"], "x.md")])
def test_a_name_that_several_files_have_is_told_with_its_folder(paths: list[str], others: list[str],
                                                               expected: str) -> None:
    assert file_names(paths, others) == expected
