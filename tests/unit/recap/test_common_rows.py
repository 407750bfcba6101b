"""What many outputs have stands in the newest alone."""

from __future__ import annotations

from typing import Any

from compact_keeper.recap.common_rows import without_common_rows

NOISE = "conda.sh:48: parse error near `()'"


def ran(position: int, result: str, **fields: Any) -> Any:
    return {"kind": "action", "tool": "Bash", "text": "make", "position": position, "result": result, **fields}


def results(*items: Any) -> list[str]:
    return [item["result"] for item in without_common_rows(items)]


def test_a_row_of_four_outputs_stands_in_the_newest() -> None:
    items = [ran(n, f"{NOISE} ⏎ loss={n}") for n in range(4)]
    assert results(*items) == ["loss=0", "loss=1", "loss=2", f"{NOISE} ⏎ loss=3"]
    assert results(*items[:3]) == [item["result"] for item in items[:3]]


def test_a_mark_stands_where_it_stood_between_others() -> None:
    items = [ran(n, f"begun {n} ⏎ {NOISE} ⏎ … ⏎ done {n}") for n in range(4)]
    assert results(*items)[0] == "begun 0 ⏎ … ⏎ done 0"


def test_rows_beside_a_result_go_too() -> None:
    items = [ran(n, f"loss={n}", rows=[NOISE, f"rate={n}"]) for n in range(4)]
    assert without_common_rows(items)[0]["rows"] == ["rate=0"]


def test_what_would_have_nothing_left_stays() -> None:
    items = [ran(n, "Saved all parcels.") for n in range(5)]
    assert results(*items) == ["Saved all parcels."] * 5


def test_the_first_rows_of_a_log_of_git_stay() -> None:
    tip = "1a2b3c4 Round the zones up"
    looks = [ran(n, f"{tip} ⏎ 5d6e7f{n} Sums", kind="look", text=text) for n, text in enumerate((
        "git log --oneline -2", "cd web && git log --oneline", "git -C api log --oneline", "git log --oneline -3"))]
    assert results(*looks) == [look["result"] for look in looks]
    others = [{**look, "text": "cat zones"} for look in looks]
    assert results(*others)[0] == "5d6e7f0 Sums"


def test_short_rows_and_those_of_checks_stay() -> None:
    short = [ran(n, f"done ⏎ loss={n}") for n in range(5)]
    assert results(*short) == [item["result"] for item in short]
    checks = [ran(n, f"{NOISE} ⏎ {n} passed", family="test") for n in range(5)]
    assert results(*checks) == [item["result"] for item in checks]
    words: list[Any] = [{"kind": "said", "text": NOISE, "position": n} for n in range(5)]
    assert without_common_rows(words) == words
