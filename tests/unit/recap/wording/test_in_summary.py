"""What a summary holds already of a line, and its part on what comes next."""

from __future__ import annotations

import pytest

from compact_keeper.recap.wording.in_summary import in_summary, next_part
from slow_texts import ending

SUMMARY = """Summary:
1. Primary Request:
   Make `loadRates` read the new table.

3. Files:
   - `src/rates.py` (lines 10-40): `loadRates` rewritten, parse_row untouched
   - commit 4be2a91 "Read the table once" is pushed
   - test_rates.py: 3 failed before the fix, all passed after it

7. Pending Tasks:
   - `web/rates.ts` still calls the old endpoint

8. Current Work:
   Was editing `RateTable`.
"""


@pytest.mark.parametrize(("summary", "begin"), [
    (SUMMARY, "7. Pending Tasks:"),
    (f"{SUMMARY}## Next steps\nShip it.", "7. Pending Tasks:"),
    ("x\n" * 9 + "**Optional Next Step:**\nRun it.", "**Optional Next Step:**"),
    ("Current state\n" + "x\n" * 99, ""),  # far above the end: a heading of something else
    ("", ""),
])
def test_the_part_on_what_comes_next(summary: str, begin: str) -> None:
    part = next_part(summary)
    assert part.strip().partition("\n")[0] == begin


@pytest.mark.parametrize(("line", "expected"), [
    ("src/rates.py: `loadRates`", True),
    ("rates.py:10 loadRates", True),
    ("rates.py:99 loadRates", False),  # the place is new
    ("rates.ts:10 RateTable", False),  # the number stands there, of another file
    ("loadRates and dropRates", False),
    ("4be2a91 Read the table once", True),
    ("4be2a91 is not pushed", False),  # names and values stand there, the state does not
    ("test_rates.py: 3 failed", True),
    ("test_rates.py: 4 failed", False),
    ("`web/rates.ts` still calls the old endpoint", True),
    ("`web/rates.ts` wants a header of its own for every locale, says `loadRates`", False),
    ("", False),
])
def test_a_line_is_in_the_summary_only_with_names_values_and_state(line: str, expected: bool) -> None:
    assert in_summary(line, SUMMARY) is expected


def test_nothing_is_in_a_summary_that_is_not_known() -> None:
    assert not in_summary("loadRates", "")


@pytest.mark.parametrize("text", [
    "a-" * 30_000, "a." * 30_000, "_" * 60_000, "A" * 60_000, "`" * 60_000, "1a" * 30_000])
def test_hostile_summaries_take_no_long_time(text: str) -> None:
    with ending():
        in_summary(text[:2_000], text)
        next_part(text)
