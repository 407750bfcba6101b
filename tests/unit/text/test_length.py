"""Texts cut to a length: at lines, at spaces, never within a word."""

from __future__ import annotations

import pytest

from compact_keeper.text import length
from compact_keeper.text.length import MIDDLE_GONE, ends_of_output, units, without_middle


@pytest.mark.parametrize(("text", "kept"), [
    ("", ""), ("one two", "one two"), ("a b c d e f g h i j", "a b c\n\n"), ("x" * 30, "\n\n"),
    ("one\ntwo three four five six\nlast", "one\n\nlast"), ("one two three\nfour five six\nlast", "one\n\nlast"),
])
def test_of_a_long_output_whole_lines_of_both_ends_or_the_beginning_of_its_one_line(
        monkeypatch: pytest.MonkeyPatch, text: str, kept: str) -> None:
    monkeypatch.setattr(length, "OUTPUT_HEAD_CHARACTERS", 7)
    monkeypatch.setattr(length, "OUTPUT_TAIL_CHARACTERS", 6)
    assert ends_of_output(text) == kept


@pytest.mark.parametrize(("text", "kept"), [
    ("a\nb", "a\nb"), ("\n".join(f"row {number}" for number in range(40)), None), ("x" * 300, "x" * 199 + "…"),
    ("x" * 300 + "\nend", "x" * 199 + "…"), ("", ""), ("\U0001f600\n" * 200, None),
])
def test_of_a_long_plan_both_ends_are_kept_by_lines_with_a_mark_between(text: str, kept: str | None) -> None:
    shown = without_middle(text, 200)
    assert units(shown) <= 200
    if kept is not None:
        assert shown == kept
    else:
        begin, _, end = shown.partition(f"\n{MIDDLE_GONE}\n")
        assert text.startswith(begin)
        assert end
        assert text.endswith(end)
