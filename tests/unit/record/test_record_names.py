"""Names in texts, and what a summary holds already."""

from __future__ import annotations

import pytest

from compact_keeper.record.names import in_summary, is_plain_word, names_of, next_part
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


@pytest.mark.parametrize(("text", "names"), [
    ("call loadRates, then parse_row and RateTable", ["loadRates", "parse_row", "RateTable"]),
    ("see src/rates.py:12 and ./web/rates.ts", ["src/rates.py", "rates.py", "./web/rates.ts", "rates.ts"]),
    ("tariffs.WithZone() is in tariffs/zone.go.", ["tariffs.WithZone", "tariffs/zone.go", "zone.go"]),
    ("commit 4be2a91 for ABC-12, #7, run --dry-run", ["4be2a91", "ABC-12", "#7", "--dry-run"]),
    ("0f8fad5b-d9cb-469f-a165-70867728950e", ["0f8fad5b-d9cb-469f-a165-70867728950e"]),
    ("the `redact()` function and `well-known` words", ["redact", "well-known"]),
    ("add and/or remove a follow-up. Then Python, JavaScript or GitHub, e.g. v1.2", []),
    ("1234567 defaced facade 10:30 3.14", []),  # no hashes: digits alone, letters alone
    ("", []),
])
def test_names_are_those_of_code_and_not_words(text: str, names: list[str]) -> None:
    assert names_of(text) == names


def test_a_name_comes_once_and_names_are_bounded() -> None:
    assert names_of("loadRates `loadRates` loadRates()") == ["loadRates"]
    assert len(names_of(" ".join(f"name_{number}" for number in range(999)))) == 60


@pytest.mark.parametrize(("name", "plain"), [
    ("session", True), ("loadRates", False), ("a1b2c3d", False), ("x_y", False)])
def test_a_plain_word_is_known(name: str, plain: bool) -> None:
    assert is_plain_word(name) is plain


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


@pytest.mark.parametrize(("line", "held"), [
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
def test_a_line_is_in_the_summary_only_with_names_values_and_state(line: str, held: bool) -> None:
    assert in_summary(line, SUMMARY) is held


def test_nothing_is_in_a_summary_that_is_not_known() -> None:
    assert not in_summary("loadRates", "")


@pytest.mark.parametrize("text", [
    "a-" * 30_000, "a." * 30_000, "_" * 60_000, "A" * 60_000, "`" * 60_000, "1a" * 30_000])
def test_hostile_words_take_no_long_time(text: str) -> None:
    with ending():
        names_of(text)
        in_summary(text[:2_000], text)
        next_part(text)
