"""Of what a call printed the rows that are kept beside its result: few, no secret, none that was printed on the way."""

from __future__ import annotations

from pathlib import Path

import pytest

from compact_keeper.record.outputs.printed_rows import (
    FIRST_ROWS,
    LAST_ROWS,
    ROW_MAX_UTF16,
    ROWS_KEPT,
    TABLE_ROWS_KEPT,
    rows_beside,
)
from compact_keeper.text.quotation import forget_named_secrets
from secrets_table import TOKENS
from sessions import Session, snapshot_of, units

LONG = "\n".join(f"zone {number} costs {number * 7} cents" for number in range(2_000))


@pytest.mark.parametrize("output", [
    "", "\n\n", "   ", "}\n};", "ok", "Exit code 1", "Downloading zones.tar.gz\nDownloading rates.tar.gz",
    "Updating files:  12% (18/147)\nUpdating files:  26% (39/147)",
    "platform linux -- Python 3.13.5, pytest-9.0.2, pluggy-1.6.0\ncachedir: .pytest_cache\nplugins: mock-3.15.1",
    "asyncio: mode=Mode.AUTO, debug=False\ncollecting ... collected 29 items",
    "INFO: pip is looking at multiple versions of zones to determine which version is compatible",
    "Found existing installation: zones 1.3\nUninstalling zones-1.3:\n  Successfully uninstalled zones-1.3",
    '  File "<frozen runpy>", line 88, in _run_code\n    exec(code, run_globals)',
    "Progress: resolved 61, reused 0, downloaded 54, added 0",
    "Shell cwd was reset to /srv/rates",
    "[This command modified 2 files you've previously read: rates.py, zones.py. Call Read before editing.]",
    "Command running in background with ID: b1. Output is being written to: /tmp/b1.output. You will be notified.",
    "x" * 100_000, "┌──────┬── zone ──┬──────┐", "PAR1\ufffd|\ufffd\ufffd>L zone",
    "━━━━━━━━━━━━━━━ 9", "Traceback (most recent call last):",
    '  File "/usr/lib/python3.11/unittest/case.py", line 766, in assertRaises',
    '  File "/srv/venv/lib/python3.9/site-packages/zones/rates.py", line 7, in rate\n    return table[zone] or zone',
    "    at Module._compile (node:internal/modules/cjs/loader:1358:14)",
    "    at f (/srv/node_modules/zones/rates.js:7:3)"])
def test_nothing_is_kept(output: str) -> None:
    assert rows_beside(output, "") == []


@pytest.mark.parametrize("row", [
    'File "/srv/rates/tides.py", line 6, in mean', "at mean (/srv/rates/tides.js:6:3)", "at noon the tide was high"])
def test_a_frame_in_the_project_s_code_is_kept(row: str) -> None:
    assert rows_beside(f"  {row}", "") == [row]


def test_no_row_of_a_log_that_is_hours_older_than_its_last() -> None:
    night, day = "2026-03-05 03:19:00 zones[7]: Failed", "2026-03-05 14:23:54 zones[8]: started on :80"
    assert rows_beside(f"{night}\n{day}", "") == [day]
    assert rows_beside(f"{day}\n{night}", "") == [day, night]


def test_what_the_result_has_is_not_kept_again() -> None:
    seven, eight = "zone 7 costs 12 cents", "zone 8 costs 13 cents"
    assert rows_beside(f"{seven}\n{eight}", eight) == [seven]


@pytest.mark.parametrize("section", ["=== {} ===", "==> {} <==", "--- {} ---", "===== {}.md =====", "==={}==="])
def test_no_row_behind_sections_that_the_result_shows(section: str) -> None:
    """A title of the first file had stood behind the name of the second."""
    heads = [section.format("zones/north"), section.format("zones/south")]
    output = f"{heads[0]}\ntitle: the tide of the north\n{heads[1]}\ntitle: the tide of the south"
    assert rows_beside(output, f"{heads[1]} ⏎ title: the tide of the south") == []
    for result in ("2 failed", f"assert 1 {section[:3].strip()} 2"):  # a runner's, with no section in it
        assert "title: the tide of the north" in rows_beside(output, result)
    assert rows_beside(output.rpartition(heads[1])[0], heads[0]) == ["title: the tide of the north"]


@pytest.mark.parametrize("row", ["=", "===", "=== RUN north", "--- a/north.py", "-------", "== north = south", "==>"])
def test_other_rows_with_signs_begin_no_section(row: str) -> None:
    assert "the tide of the north" in rows_beside(f"{row}\n{row} of it\n{row}\nthe tide of the north", row)


def test_few_rows_each_once_in_their_order() -> None:
    rows = rows_beside("\n".join(["zone 7 costs 12 cents"] * 50 + ["zone 8 costs 13 cents"]), "")
    assert rows == ["zone 7 costs 12 cents", "zone 8 costs 13 cents"]
    many = rows_beside(LONG, "")
    assert len(many) == ROWS_KEPT
    assert [LONG.index(row) for row in many] == sorted(LONG.index(row) for row in many)
    numbers = [int(row.split()[1]) for row in many]
    assert all(number < FIRST_ROWS or number >= 2_000 - LAST_ROWS for number in numbers)


def test_of_a_table_the_first_rows_alone() -> None:
    """Three rows of its middle had looked as if no newer reading were there."""
    body = [f" zone {number} | read at {20 - number} o'clock" for number in range(9)]
    table = [" zone | reading ", "------+---------", *body]
    rows = rows_beside("\n".join([*table, "(9 rows)", "all zones are read twice an hour"]), "")
    assert [row for row in rows if "|" in row] == [
        "zone | reading", *(f"zone {number} | read at {20 - number} o'clock" for number in range(TABLE_ROWS_KEPT))]
    assert rows[-1] == "all zones are read twice an hour"


def test_rows_with_more_words_come_first() -> None:
    telling = "the cache of zones is keyed by number, not by name"
    output = "\n".join([*(f"=== {number} ===" for number in range(20)), telling])
    assert telling in rows_beside(output, "")


def test_no_row_holds_a_secret(tmp_path: Path) -> None:
    def stored(secret: str) -> str:
        forget_named_secrets()
        session = Session()
        session.typed("Look at the settings.")
        output = "\n".join([*(f"row {number} of the settings of zones" for number in range(3)),
                            f"{'word ' * 60}{secret}", f"value {secret} of the last zone", "the last row of all"])
        session.ran("Bash", output, command="python3 show_settings.py")
        return str(snapshot_of(session, tmp_path)["items"])

    assert [name for name, secret in TOKENS.items() if secret in stored(secret)] == []


def test_a_row_is_cut_at_a_word() -> None:
    [row] = rows_beside("word " * 100, "")
    assert units(row) <= ROW_MAX_UTF16
    assert set(row.split()) == {"word"}


def test_of_a_file_that_was_read_no_row_is_kept(tmp_path: Path) -> None:
    session = Session()
    session.typed("Look at the zones.")
    session.ran("Read", "     1→import zones\n     2→PASSWORD = 'hunter2x-of-the-zones'", file_path="/srv/zones.py")
    [read] = [item for item in snapshot_of(session, tmp_path)["items"] if item["kind"] == "look"]
    assert "rows" not in read
    assert "zones'" not in str(read)
