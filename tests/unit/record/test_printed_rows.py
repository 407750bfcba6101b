"""Of what a call printed the rows that are kept beside its result: few, no secret, none that was printed on the way."""

from __future__ import annotations

from pathlib import Path

import pytest

from compact_keeper.record.printed_rows import FIRST_ROWS, LAST_ROWS, ROW_MAX_UTF16, ROWS_KEPT, rows_beside
from secrets_table import TOKENS
from sessions import Session, snapshot_of, units

LONG = "\n".join(f"zone {number} costs {number * 7} cents" for number in range(2_000))


@pytest.mark.parametrize("output", [
    "", "\n\n", "   ", "}\n};", "ok", "Exit code 1", "Downloading zones.tar.gz\nDownloading rates.tar.gz",
    "Shell cwd was reset to /srv/rates", "x" * 100_000])
def test_nothing_is_kept(output: str) -> None:
    assert rows_beside(output, "") == []


def test_what_the_result_has_is_not_kept_again() -> None:
    seven, eight = "zone 7 costs 12 cents", "zone 8 costs 13 cents"
    assert rows_beside(f"{seven}\n{eight}", eight) == [seven]


def test_few_rows_each_once_in_their_order() -> None:
    rows = rows_beside("\n".join(["zone 7 costs 12 cents"] * 50 + ["zone 8 costs 13 cents"]), "")
    assert rows == ["zone 7 costs 12 cents", "zone 8 costs 13 cents"]
    many = rows_beside(LONG, "")
    assert len(many) == ROWS_KEPT
    assert [LONG.index(row) for row in many] == sorted(LONG.index(row) for row in many)
    numbers = [int(row.split()[1]) for row in many]
    assert all(number < FIRST_ROWS or number >= 2_000 - LAST_ROWS for number in numbers)


def test_rows_with_more_words_come_first() -> None:
    telling = "the cache of zones is keyed by number, not by name"
    output = "\n".join([*(f"=== {number} ===" for number in range(20)), telling])
    assert telling in rows_beside(output, "")


@pytest.mark.parametrize("kind", sorted(TOKENS))
def test_no_row_holds_a_secret(tmp_path: Path, kind: str) -> None:
    secret = TOKENS[kind]
    session = Session()
    session.typed("Look at the settings.")
    output = "\n".join([*(f"row {number} of the settings of zones" for number in range(3)),
                        f"{'word ' * 60}{secret}", f"value {secret} of the last zone", "the last row of all"])
    session.ran("Bash", output, command="python3 show_settings.py")
    stored = str(snapshot_of(session, tmp_path)["items"])
    assert secret not in stored


def test_a_row_is_cut_at_a_word() -> None:
    [row] = rows_beside("word " * 100, "")
    assert units(row) <= ROW_MAX_UTF16
    assert set(row.split()) == {"word"}
