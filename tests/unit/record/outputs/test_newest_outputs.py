"""What the newest calls showed, as it is kept for the next step."""

from __future__ import annotations

from typing import Any

import pytest

from compact_keeper.client.entries import Reading
from compact_keeper.record.items import NEWEST_CALLS
from compact_keeper.record.outputs.newest import WHOLE_OUTPUT_UTF16, WHOLE_OUTPUTS_UTF16, newest_outputs
from entries import call

KEY = "-----BEGIN PRIVATE KEY-----\n" + "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n" * 60 + "-----END PRIVATE KEY-----"


def outputs(*calls: Any, known: dict[str, str] | None = None) -> dict[str, str]:
    """What is kept of the calls' outputs."""
    reading = Reading({})
    reading.stream = [*calls]
    return newest_outputs(reading, known or {})


@pytest.mark.parametrize("entry", [
    call("Read", position=1, output="a"), call("Edit", position=1, output="a"), call("Bash", position=1, ok=None),
    call("Bash", position=1, ok=False, rejected=True, output="a"),
    call("Bash", position=1, command="echo a", output="a"),
    call("Bash", position=1, output="Command running in background with ID: b1. You will be notified."),
    call("mcp__db__query", position=1, ok=False, output="The user doesn't want to proceed. The user said: push")])
def test_what_is_not_kept(entry: Any) -> None:
    assert outputs(entry) == {}


def test_the_newest_stay_whichever_save_read_them() -> None:
    calls = [call("Bash", position=number, output=f"row {number} of the table\n" * 200) for number in (2, 4, 6, 8)]
    assert [*outputs(*calls)] == ["4 row-1", "6 row-1", "8 row-1"]
    assert outputs(calls[3], known=outputs(*calls[:3])) == outputs(*calls)
    assert outputs(known={"12 b": "a", "9 a": "b"}) == {"9 a": "b", "12 b": "a"}


def test_the_clients_own_last_rows_are_no_output() -> None:
    entry = call("Bash", position=2, output="zone 7 is open\nShell cwd was reset to /srv/rates")
    assert outputs(entry) == {"2 row-1": "zone 7 is open"}


def test_of_older_calls_what_is_whole_stays_back_to_where_there_is_enough() -> None:
    short, long = "zone 7 is open", "zone is open\n" * 500
    calls = [call("Bash", position=number, output=long if number % 2 else short) for number in range(1, 9)]
    assert [*outputs(*calls)] == ["2 row-1", "4 row-1", "6 row-1", "7 row-1", "8 row-1"]
    assert outputs(calls[7], known=outputs(*calls[:7])) == outputs(*calls)
    many = [call("Bash", position=number, output=f"{number} zones\n" * 100) for number in range(1, 90)]
    kept = outputs(*many)
    assert [*kept] == [f"{number} row-1" for number in range(90 - len(kept), 90)]
    room = sum(map(len, [*kept.values()][:-NEWEST_CALLS]))
    assert WHOLE_OUTPUTS_UTF16 - WHOLE_OUTPUT_UTF16 < room <= WHOLE_OUTPUTS_UTF16


def test_several_calls_of_one_row_have_each_their_own_output() -> None:
    calls = [{**call("Bash", position=7, output=f"row {number}"), "source": f"toolu_{number}"} for number in (1, 2)]
    assert [*outputs(*calls).items()] == [("7 toolu_1", "row 1"), ("7 toolu_2", "row 2")]
    many = [{**call("Bash", position=7, output="row of the table\n" * 200), "source": f"toolu_{number}"}
            for number in range(4)]
    assert [*outputs(*many)] == ["7 toolu_1", "7 toolu_2", "7 toolu_3"], "the last ones of the row"
    assert [*outputs(known=outputs(*many))] == [*outputs(*many)]


def test_an_output_with_rows_left_out_is_not_whole() -> None:
    calls = [call("Bash", position=number, output="x\n" * 500) for number in range(1, 6)]
    cut = {**call("Bash", position=1, output="zone 7"), "is_output_cut": True}
    assert [*outputs(*calls)] == ["3 row-1", "4 row-1", "5 row-1"]
    assert outputs(cut) == {"1 row-1": "zone 7 ⏎ …"}


def test_of_a_long_output_both_ends_and_no_part_of_a_key() -> None:
    kept = outputs(call("Bash", position=1, output=f"first\n{KEY}\n" + "row\n" * 500 + "last"))["1 row-1"]
    assert kept.startswith("first ⏎ ")
    assert kept.endswith("last")
    assert "MIIEvQ" not in kept
    assert len(kept) <= 1_200


def test_the_meter_of_a_download_is_none_of_it() -> None:
    meter = ("  % Total    % Received % Xferd  Average Speed   Time    Time     Time  Current\n"
             "                                 Dload  Upload   Total   Spent    Left  Speed\n"
             "  0     0    0     0    0     0      0      0 --:--:-- --:--:-- --:--:--     0\n")
    assert outputs(call("Bash", position=1, output=f"{meter}HTTP/2 200")) == {"1 row-1": "HTTP/2 200"}


@pytest.mark.parametrize(("output", "shown"), [
    ("7-  x = 1\n8:  zones\n--\n9-  }", "8: zones"), ("7-  x = 1\n8-", ""),
    ("2026-1-b\n2026-1-c", "2026-1-b ⏎ 2026-1-c"),
    ("Found 1 file limit: 20, offset: 0\na/2026-1-b.md", "Found 1 file ⏎ a/2026-1-b.md"),
    ("zones\nx = 1", "zones ⏎ x = 1")])
def test_of_a_search_the_rows_that_it_met(output: str, shown: str) -> None:
    assert outputs(call("Grep", position=1, output=output)) == {"1 row-1": shown}
