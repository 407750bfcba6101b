"""The end of a long text, on one line."""

from __future__ import annotations

import pytest

from compact_keeper.text.ends import end_on_a_line, last_part
from compact_keeper.text.length import units

LONG = "and then half up or half even, which of the two?"


@pytest.mark.parametrize(("text", "limit", "expected"), [
    ("", 10, ""), (" which\n of the two? ", 17, "which of the two?"), (LONG, units(LONG), LONG),
    (LONG, 24, "…which of the two?"),
    ("Do not run it on any. Keep the small set and feed the gate.", 48, "…Keep the small set and feed the gate."),
    ("不要对全部区域运行。请保留小的集合并从那里开始执行。", 18, "…请保留小的集合并从那里开始执行。"),
    ("🚢" * 30, 11, f"…{'🚢' * 5}"), ("x" * 30, 10, f"…{'x' * 9}"), ("哪" * 30, 10, f"…{'哪' * 9}"),
])
def test_of_a_long_text_the_end_within_the_limit_is_shown(text: str, limit: int, expected: str) -> None:
    assert end_on_a_line(text, limit) == expected


@pytest.mark.parametrize(("text", "most", "expected"), [
    ("", 10, ""), (" which of the two? ", 17, "which of the two?"), (LONG, 21, "… which of the two?"),
    ("🚢" * 5, 10, "🚢" * 5), ("🚢" * 30, 10, f"… {'🚢' * 5}"), ("🚢" * 30, 11, f"… {'🚢' * 5}"),
])
def test_the_last_part_is_as_long_as_the_client_counts_it(text: str, most: int, expected: str) -> None:
    assert last_part(text, most) == expected
