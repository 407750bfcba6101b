"""Texts cut to a length: at lines, at spaces, never within a word."""

from __future__ import annotations

import pytest

from compact_keeper.text.length import both_ends


@pytest.mark.parametrize(("text", "kept"), [
    ("", ""), ("one two", "one two"), ("a b c d e f g h i j", "a b c\n"), ("x" * 30, "\n"),
    ("one\ntwo three four five six\nlast", "one\nlast"), ("one two three\nfour five six\nlast", "one\nlast"),
])
def test_of_a_long_output_whole_lines_of_both_ends_or_the_beginning_of_its_one_line(text: str, kept: str) -> None:
    assert both_ends(text, 7, 6) == kept
