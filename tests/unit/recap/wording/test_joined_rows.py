"""Rows that begin alike stand together, and can be read as they were."""

from __future__ import annotations

import re

import pytest

from compact_keeper.recap.wording.joined_rows import joined_in_text, joined_rows, rows_shown


@pytest.mark.parametrize(("text", "joined"), [
    ("rates_2024.csv ⏎ rates_2025.csv ⏎ rates_2026.csv", "rates_{2024,2025,2026}.csv"),
    ("v3.50.2 ⏎ v3.50.1 ⏎ v3.50.0 ⏎ v3.49.2", "v3.50.{2,1,0} ⏎ v3.49.2"),
    ("src/rates/a.py ⏎ … ⏎ src/rates/b.py ⏎ src/rates/", "src/rates/{a.py,…,b.py,}"),
    ("src/a.py:1: x ⏎ src/a.py:5: y ⏎ … ⏎ src/a.py:9: z ⏎ src/b.py:9: z",
     "src/a.py:1: x ⏎ :5: y ⏎ … ⏎ :9: z ⏎ src/b.py:9: z"),
    # Too few, too little in common, or no names: as they are.
    ("rates_2024.csv ⏎ rates_2025.csv", "rates_2024.csv ⏎ rates_2025.csv"),
    ("deploy/all.sh ⏎ deploy/env/asia-southeast/web.env ⏎ deploy/env/europe-west/beta.env",
     "deploy/all.sh ⏎ deploy/env/asia-southeast/web.env ⏎ deploy/env/europe-west/beta.env"),
    ("parcel one ⏎ parcel two ⏎ parcel three", "parcel one ⏎ parcel two ⏎ parcel three"),
    ("rates_{a}.csv ⏎ rates_{b}.csv ⏎ rates_{c}.csv", "rates_{a}.csv ⏎ rates_{b}.csv ⏎ rates_{c}.csv"),
    ("10:04:01: up ⏎ 10:04:02: down", "10:04:01: up ⏎ 10:04:02: down"),
    ("2026-05-22T04:51:46 up ⏎ 2026-05-22T04:51:47 down", "2026-05-22T04:51:46 up ⏎ 2026-05-22T04:51:47 down"),
    ("", ""), ("…", "…"), ("one", "one"),
])
def test_rows_that_begin_alike_stand_together(text: str, joined: str) -> None:
    assert joined_in_text(text) == joined


@pytest.mark.parametrize("names", [
    ["rates_2024.csv", "rates_2025.csv", "rates_20.csv"], ["a/b/c/d.py", "a/b/c/e.py", "a/b/c/d.py"],
    ["web-app-one-x", "web-app-two-x", "web-app-x"], ["aaa_aaa_b", "aaa_aaa_aaa_b", "aaa_aaa_aaa_aaa_b"],
])
def test_each_name_can_be_read_from_the_braces(names: list[str]) -> None:
    [joined] = joined_rows(names)
    parts = re.fullmatch(r"(.*)\{(.*)\}(.*)", joined)
    assert parts is not None
    assert [parts[1] + part + parts[3] for part in parts[2].split(",")] == names


def test_more_names_have_room_together() -> None:
    names = [f"src/rates/zone_{number}.py" for number in range(20)]
    text = " ⏎ ".join(names)
    assert rows_shown(text, 120, is_listing=True) == f"src/rates/zone_{{{','.join(map(str, range(20)))}}}.py"
    assert len(rows_shown(text, 60, is_listing=True)) <= 60
