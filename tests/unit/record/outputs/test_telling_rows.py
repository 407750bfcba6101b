"""The rows of an output that tell how it ended."""

from __future__ import annotations

import pytest

from compact_keeper.record.calls.parts import ends_of, with_announced
from compact_keeper.record.outputs.telling_rows import ROW_END, ends_under_heads, is_dull, rows_in_short, telling_rows
from compact_keeper.text.length import units
from slow_texts import check_it_ends, ending

PACKED = [f"  adding: App.dSYM/part{number} (deflated 71%)" for number in range(30)]
STATUS = ["● web.service - The zone's server", "     Loaded: loaded (/etc/systemd/system/web.service; enabled)",
          "     Active: active (running) since Tue 10:52:49 UTC; 4min ago", "   Main PID: 674 (web)",
          "      Tasks: 7 (limit: 9)", "     CGroup: /system.slice/web.service", "    └─674 /srv/web --port 80",
          "Feb 24 08:20:25 host systemd[1]: Started web.service - The zone's server."]


@pytest.mark.parametrize(("rows", "expected"), [
    ([], ""), (["a", "b"], "a ⏎ b"), (["x" * 90, "b"], ""),
    (["a", "x" * 90, "b"], "a ⏎ … ⏎ b"), (["a", "x" * 90], "a ⏎ …"),
    (["=== a ===", "ok 1", "ok 2", "=== b ===", *[f"row {n}" for n in range(30)], "failed 7"],
     "=== a === ⏎ ok 1 ⏎ ok 2 ⏎ === b === ⏎ … ⏎ row 29 ⏎ failed 7"),
    ([f"row {n}" for n in range(9)], "row 0 ⏎ row 1 ⏎ row 2 ⏎ row 3 ⏎ … ⏎ row 6 ⏎ row 7 ⏎ row 8"),
    (["== a ==", "ok 1 of all", "ok 2 of all", *"123456789", "== b ==", *[f"row {n}" for n in range(9)]],
     "== a == ⏎ ok 1 of all ⏎ … ⏎ == b == ⏎ … ⏎ row 7 ⏎ row 8"),
    (["=== a ===", *[f"row {n}" for n in range(9)]], "=== a === ⏎ row 0 ⏎ row 1 ⏎ row 2 ⏎ … ⏎ row 7 ⏎ row 8"),
])
def test_both_ends_of_an_output_stand_under_their_headings(rows: list[str], expected: str) -> None:
    assert ends_under_heads(rows, 60) == expected
    assert units(expected) <= 60


HOSTILE = ("error: ", "error: a:\n ", "a:\n", "0123456789abcdef", "…", " | ", "2026-03-05 03:19:00\n", "  [2026-03-")


@pytest.mark.parametrize("ruler", ["------+-------", "|---|---|", "+-----+-----+", "| :--- | ---: |"])
def test_of_a_table_the_first_rows_stand_before_later_ones(ruler: str) -> None:
    body = [f" zone {number} | read at {number} o'clock, as the reader said" for number in range(20)]
    shown = telling_rows([" zone | reading ", ruler, *body, "(20 rows)"], 200)
    assert shown.startswith("zone | reading ⏎ zone 0 | read")
    assert shown.endswith("(20 rows)")
    assert "zone 1 |" in shown
    assert "zone 18 |" not in shown


def test_of_figures_by_name_the_first_rows_stand_before_later_ones() -> None:
    ranked = [f"{name}_density  max={number}.5  mean={number}.1" for number, name in enumerate("abcdefghijkl")]
    shown = telling_rows(["Ranked, the best first:", *ranked], 120)
    assert "a_density" in shown
    assert "j_density" not in shown
    steps = [f"Epoch {number} loss={number}.5 rate={number}" for number in range(12)]  # the newest is the last
    assert "Epoch 10" in telling_rows(["Training:", *steps], 120)


NIGHT = [f"2026-03-05 03:19:0{at} zones[7]: {what}" for at, what in enumerate((
    "Failed with error 111", "could not connect", "connection refused", "gave up", "exception in a.py", "no rates"))]
DAY = [f"2026-03-05 14:23:0{at} zones[8]: {what}" for at, what in enumerate(("stopping", "started on :80", "waits"))]
OF_MONTH = [row.replace("2026-03-05", "Jan  5") for row in (*NIGHT, *DAY)]


@pytest.mark.parametrize(("rows", "is_listing", "kept", "left_out"), [
    ([*NIGHT, *DAY], False, ["started on", "waits"], "03:19"),
    ([*NIGHT, *DAY, "Ubuntu 24.04.4 LTS"], False, ["started on", "Ubuntu"], "03:19"),
    (OF_MONTH, True, ["started on", "waits"], "03:19"), ([*NIGHT, *DAY], True, ["started on", "waits"], "03:19"),
    (["a.conf:4: server_name zones", *NIGHT, *DAY], False, ["a.conf:4", "waits"], "03:19"),
    ([*DAY, *NIGHT], False, ["Failed with error"], "none"),  # the newest first, or in no order
    (NIGHT, False, ["Failed with error", "no rates"], "none"),  # all of one hour
    ([f"{row} | 7 | zone" for row in (*NIGHT, *DAY)], False, ["Failed with error"], "none"),  # a table
    (["03:19:00 error: a", "14:23:00 started", *"1234567"], False, ["03:19:00 error"], "none"),  # hours without a day
    (["2026-03-05 13:59:00 error: a", "2026-03-05 14:00:00 started", *"1234567"], False, ["13:59:00 error"], "none"),
])
def test_of_a_log_rows_of_hours_before_come_last(rows: list[str], is_listing: bool, kept: list[str],
                                                 left_out: str) -> None:
    shown = telling_rows(rows, 140, is_listing)
    assert [part for part in kept if part not in shown] == []
    assert left_out not in shown


def test_hostile_outputs_take_no_long_time() -> None:
    def read(text: str) -> None:
        assert units(rows_in_short(text, 240)) <= 240
        assert units(ends_under_heads(text.split("\n"), 240)) <= 240
        assert isinstance(ends_of(text, 240), str)
        assert isinstance(with_announced("error: a:", text), str)
    check_it_ends(read, 24_000)
    with ending():
        for fill in HOSTILE:
            read(fill * (24_000 // len(fill)))


@pytest.mark.parametrize(("rows", "kept", "left_out"), [
    ([*PACKED, "warning: symbols were not sent", "==> Done. Build 130 uploaded"], ["==> Done. Build 130", "warning:"],
     ["adding"]),
    ([*STATUS, *STATUS[-1:] * 9, "---", "d41d8cd98f00b204e9800998ecf8427e  /srv/web"],
     ["Active: active (running)", "d41d8cd98f00b204e9800998ecf8427e"], ["Loaded:", "Main PID", "CGroup"]),
    (["Switched to main", *[f"line {number} of a long text that says nothing" for number in range(40)], "pushed"],
     ["Switched to main", "pushed"], ["line 20"]),
    (["error: these files would be overwritten by checkout:", "\tgo/server", "Please commit your changes", "Aborting",
      *[f"note {number} of a long text that says nothing" for number in range(40)]],
     ["overwritten by checkout: go/server", "note 39"], ["note 20"]),
    ([*["the same row again, as long as it is"] * 20, "and the end of it"], ["the same row", "and the end"], []),
    (PACKED, ["part29"], []),  # nothing else was printed
], ids=range(6))
def test_of_a_long_output(rows: list[str], kept: list[str], left_out: list[str]) -> None:
    shown = telling_rows(rows, 200)
    assert units(shown) <= 200
    assert [part for part in kept if part not in shown] == []
    assert [part for part in left_out if part in shown] == []


@pytest.mark.parametrize("rows", [[], [""], ["  ", "\t"]])
def test_nothing_was_printed(rows: list[str]) -> None:
    assert telling_rows(rows, 100) == ""


def test_a_short_output_is_whole() -> None:
    assert telling_rows(["a  b", "", "  adding: c"], 100) == "a b ⏎ adding: c"


def test_of_a_listing_the_first_rows() -> None:
    names = [f"screens/Screen{number}.swift" for number in range(20)]
    shown = telling_rows(names, 120, is_listing=True)
    assert shown == " ⏎ ".join([*names[:4], "…"])


@pytest.mark.parametrize("is_listing", [False, True])
@pytest.mark.parametrize("status", ["< HTTP/2 401", "< HTTP/1.1 401 Unauthorized", "HTTP/1.1 200 OK"])
def test_how_a_server_answered_stands_there(status: str, is_listing: bool) -> None:
    sent = [f"> X-Zone-{name}: a header that was sent" for name in "abcdefgh"]
    came = [f"< X-Zone-{name}: error of a header that came" for name in "abcdefgh"]
    assert status in telling_rows([*sent, status, *came], 120, is_listing)
    assert "> GET / HTTP/1.1" not in telling_rows([*sent, "> GET / HTTP/1.1", *came], 60, is_listing)


def test_what_is_not_redacted_yet_is_cut_at_a_blank() -> None:
    key = "x" * 300
    assert telling_rows([f"the key is {key}", "and the end"], 100) == "the key is … ⏎ and the end"
    assert telling_rows([key], 100) == key  # nothing of it fits: it is redacted whole, and then cut


@pytest.mark.parametrize(("line", "output", "expected"), [
    ("would be overwritten by checkout:", "error: would be overwritten by checkout:\n\tgo/a\n\tgo/b\nAborting",
     "would be overwritten by checkout: go/a ⏎ go/b"),
    ("Validation failed:", "Validation failed:\nInvalid Items[0]\nnext", "Validation failed: Invalid Items[0]"),
    ("blocking response:", "blocking response:\n--- FAIL: TestA (0.00s)", "blocking response:"),
    ("failed:", "no such words", "failed:"), ("failed:", "failed:\n\n", "failed:")])
def test_what_a_failure_announces(line: str, output: str, expected: str) -> None:
    assert with_announced(line, output) == expected


@pytest.mark.parametrize(("row", "expected"), [
    ("Get:3 https://deb.example.org bookworm amd64", True), ("Get:12 https://deb.example.org bookworm amd64", True),
    ("Get: zones", False), ("Total 12 (delta 3), reused 0", True), ("Total 12 zones", False),
    ("remote: Counting objects", True), ("remote: error: denied", False),
    (r" /\\ / ___'_ __ _ _(_)_ __  __ _ \ \ \ \ ", True), ("=========|_|=======|___/=/_/_/_/", True),
    ("}: (", False), (r"\\/  zone 7  \\/\\/\\/\\/", False),
])
def test_what_was_printed_on_the_way(row: str, expected: bool) -> None:
    assert is_dull(row) is expected


def test_the_meter_of_a_download_says_nothing() -> None:
    meter = ["  % Total    % Received % Xferd  Average Speed   Time    Time     Time  Current",
             "                                 Dload  Upload   Total   Spent    Left  Speed",
             "  0     0    0     0    0     0      0      0 --:--:-- --:--:-- --:--:--     0",
             "100  354k  100  354k    0     0  69.7M      0  0:00:07  0:00:06  0:00:01 86.5M"]
    assert not telling_rows(meter, 300)
    assert telling_rows([*meter, '{"status":"healthy"}'], 300) == '{"status":"healthy"}'
    for row in ("0:00:01 1 2 3", "Downloads: 4", "12 tests in 0:00:07", "load 1 2 3 4 5 6 7 8 --:--"):
        assert telling_rows([row], 300) == row


@pytest.mark.parametrize(("row", "says_something"), [
    ("  0      0   0      0   0      0      0      0                              0", False),
    ("100    230 100     62 100    168    632   1713                              0", False),
    ("12:[Omitted long matching line]", False), ("api/zones.json-7-[Omitted long context line]", False),
    ("83cbce76a497 Download complete", False), ("1b83b22fdc34: Pulling fs layer", False), (" postgres Pulling ", False),
    ("83cbce76a497 Extracting 3 s", False), ("83cbce76a497 zones are Waiting", True), ("postgres Pulling zones", True),
    ("100 230 100 62 100 168 632 1713 0", True), ("zone 7            0 cents", True),
    ("2869 12 7 1 2 3 4 5                              0", True), ("[Omitted long ] matching line", True),
])
def test_a_row_of_a_meter_a_layer_or_a_hit_that_is_not_shown_says_nothing(row: str, says_something: bool) -> None:
    before = f"{' '.join(row.split())} ⏎ " if says_something else ""
    assert telling_rows([row, "12 zones"], 300) == f"{before}12 zones"


def test_a_row_stands_under_the_heading_of_its_own_part() -> None:
    parts = [[f"=== {name} ===", *(f"step {number} of {name} went on" for number in range(9)), f"error_um: {name}00.5"]
             for name in ("788406", "790322", "767022")]
    for limit in range(40, 400, 20):
        shown = telling_rows([row for part in parts for row in part], limit).split(ROW_END)
        for place, row in enumerate(shown):
            if row.startswith("error_um"):
                [head] = [other for other in shown[:place] if other.startswith("===")][-1:]
                assert head.strip("= ") in row
