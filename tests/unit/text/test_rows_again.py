"""Rows that come again and again in what a person pasted."""

from __future__ import annotations

import pytest

from compact_keeper.text.rows_again import without_rows_again

LOG = "\n".join(f"21:33:35.{number}+0100 rates: no zone for carrier {number % 2}" for number in range(311, 331))
TRACEBACK = "\n".join(f'  File "app/layer_{number % 3}.py", line 7, in call\n    ^^^^^^^^^^^^^^' for number in range(9))
OWN_LIST = "\n".join(["Carriers without islands:", *(f"- carrier {number}, as it was before" for number in range(30)),
                       "and once more:", "- carrier 3, as it was before", "- carrier 4, as it was before"])


@pytest.mark.parametrize("text", ["", "\n" * 40, OWN_LIST, "yes\n" * 30, "\n".join(["| a | b |"] * 20)])
def test_what_a_person_wrote_keeps_its_rows(text: str) -> None:
    assert without_rows_again(text) == text


def test_a_pasted_log_has_each_row_once_with_how_many_came_again() -> None:
    rows = without_rows_again(f"Why is that?\n{LOG}\nLook at it.").splitlines()
    assert rows[1:4] == [*LOG.splitlines()[:2], "[… rows as before: 18]"]
    assert (rows[0], rows[-1]) == ("Why is that?", "Look at it.")


def test_a_pasted_traceback_loses_its_marks_and_second_copies() -> None:
    shown = without_rows_again(TRACEBACK)
    assert "^^" not in shown
    assert [shown.count(f"layer_{number}.py") for number in range(3)] == [1, 1, 1]


def test_of_warnings_with_a_trace_each_the_warnings_stay() -> None:
    trace = "at div\nat https://localhost:3000/chunk-36.js:30815:13\nat App"
    warnings = [f"Warning: two zones with the same key, zone-{number}." for number in range(7)]
    rows = without_rows_again("\n".join(f"{warning}\n{trace}" for warning in warnings)).splitlines()
    assert rows[4:8] == [warnings[1], "[… rows as before: 3]", warnings[2], "[… rows as before: 3]"]
    assert [row for row in rows if row.startswith("Warning")] == warnings
