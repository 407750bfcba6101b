"""The lines of orders to subagents: title, what binds, the telling rows of the report, what several orders share."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from compact_keeper.recap.lines.orders import Orders
from compact_keeper.recap.lines.work import work_lines
from compact_keeper.recap.wording.paths import Paths
from compact_keeper.record.items import new_item
from entries import entry
from recaps import recap_of
from sessions import Session, snapshot_of

RULE = "Never add a footer to a commit of yours."


def order(number: int, result: str = "Done.", **more: Any) -> Any:
    item: dict[str, Any] = {**new_item("action", entry(number, "x"), f"Task {number}", "assistant", key=f"k{number}",
                                        tool="Agent", path="/srv/rates", verdict="ended", result=result, ordered=[],
                                        agent=""), **more}
    return item


def lines(*orders: Any, summary: str = "") -> list[dict[str, Any]]:
    shown = Orders(orders, summary, Paths("/srv/rates", "/srv/rates"))
    return [{**(shown.line_of(item["key"]) or {})} for item in orders]


@pytest.mark.parametrize(("extra", "end"), [
    ({"totalToolUseCount": 0}, ""), (None, "\nagentId: a3f\n<usage>total_tokens: 9\ntool_uses: 0</usage>")])
def test_that_no_tool_was_called_is_read_from_the_transcript(tmp_path: Path, extra: Any, end: str) -> None:
    session = Session()
    session.typed("Let somebody add the zones.")
    session.ran("Task", f"Files created: `zones.py` ✅{end}", extra=extra, description="Add zones", prompt="Add them.")
    text, _ = recap_of(snapshot_of(session, tmp_path))
    assert "Add zones → reported (without one call of a tool: it wrote and ran nothing): Files created" in text


@pytest.mark.parametrize(("more", "begin"), [
    ({"subagent_type": "tide-reader", "agent": "a3f"}, "- Subagent a3f (tide-reader): Task 1 → "),
    ({"subagent_type": "tide-reader"}, "- Subagent (tide-reader): Task 1 → "),
    ({"subagent_type": "general-purpose"}, "- Subagent: Task 1 → "),
    ({"subagent_type": "Plan"}, "- Subagent: Task 1 → "), ({}, "- Subagent: Task 1 → ")])
def test_of_what_type_a_subagent_is(more: dict[str, str], begin: str) -> None:
    [line] = lines(order(1, **more))
    assert [line["text"].startswith(begin), line["whole"].startswith(begin)] == [True, True]


def test_a_report_by_its_telling_rows() -> None:
    report = "\n".join(["## Review", *["It is well."] * 90, "Bug: `/srv/rates/quote.py` takes zone 2", "27a8171 is it"])
    [line] = lines(order(1, report, agent="a3f"))
    assert line["text"].startswith("- Subagent a3f: Task 1 → reported: ")
    assert "… Bug: `quote.py` takes zone 2 ⏎ 27a8171 is it" in line["text"]
    assert "its order" not in line["whole"]


@pytest.mark.parametrize(("row", "shown"), [
    ("It fails in zone 7. It raises `Un" + "x" * 400, "It fails in zone 7. …"), ("It raises `Un" + "x" * 400, None),
    ("It fails in zone 7. It raises `Un…", "It fails in zone 7. …"), ("| It fails in zone 7. | It" + "x" * 400, None),
    ("区域七失败。它" + "读" * 400, "区域七失败。 …"), ("See v1.2, e.g. in " + "x" * 400, None),
    ("1. It raises " + "x" * 400, None)])
def test_a_row_of_a_report_ends_with_a_sentence(row: str, shown: str | None) -> None:
    [line] = lines(order(1, f"The zones.\n{row}"))
    assert line["text"] == f"- Subagent: Task 1 → reported: The zones.{f' ⏎ {shown}' if shown else ' …'}"
    [line] = lines(order(1, row))
    assert line["text"].startswith(f"- Subagent: Task 1 → reported: {shown or row[:20].strip('| ')}")


LONG = "it drops row 7, since it counts from one, " * 20
CHINESE = "它丢失最后一行，因为它从一开始计数，" * 30


@pytest.mark.parametrize(("report", "shown"), [
    (f"**Bug in `a.py`:**\n{LONG}\nAll 12 tests pass.", f"Bug in `a.py`: ⏎ {LONG[:200]}"),
    (f"Root cause:\n{LONG}", f"Root cause: ⏎ {LONG[:200]}"), (f"## Result\n{LONG}", f"Result ⏎ {LONG[:200]}"),
    (f"结果\n{CHINESE}", f"结果 ⏎ {CHINESE[:200]}"), (f"I have read all of it.\n{LONG}", f"… {LONG[:200]}"),
    (f"It fails.\n**Bug in `a.py`:**\n{LONG}\nAll 12 tests pass.", "It fails. …")])
def test_no_title_stands_without_what_it_leads_to(report: str, shown: str) -> None:
    [line] = lines(order(1, report))
    assert line["text"].startswith(f"- Subagent: Task 1 → reported: {shown}")


@pytest.mark.parametrize(("result", "end"), [
    ("[Request interrupted by user for tool use]", "interrupted by the user, no report"),
    ("API Error", "FAILED: API Error")])
def test_what_failed_has_reported_nothing(result: str, end: str) -> None:
    [line] = lines(order(1, result, verdict="failed"))
    assert line["text"] == line["whole"] == f"- Subagent: Task 1 → {end}"


def test_what_the_summary_has_of_a_report_goes_last() -> None:
    report = "\n".join([f"`zone_{name}.py` takes {number} of them" for number, name in enumerate("abcdefghijklmnop")])
    for summary, is_shown in (("", False), ("\n".join(report.splitlines()[:13]), True)):
        [line] = lines(order(1, report), summary=summary)
        assert ("zone_o.py" in line["text"]) == is_shown


def test_what_binds_stands_where_the_report_is_awaited_or_room_is_left() -> None:
    rules: Any = {"ordered": ["Read all of it.", "Do NOT commit."]}
    [waiting] = lines(order(1, "", verdict="running", **rules))
    assert waiting["text"] == "- Subagent: Task 1; in its order: Do NOT commit. → (no report yet)"
    assert waiting["whole"] == "- Subagent: Task 1; in its order: Read all of it. ⏎ Do NOT commit. → (no report yet)"
    [ended] = lines(order(1, **rules))
    assert ended["text"] == "- Subagent: Task 1 → reported: Done."
    assert ended["whole"] == "- Subagent: Task 1; in its order: Do NOT commit. → reported: Done."
    [failed] = lines(order(1, "API Error", verdict="failed", **rules))
    assert "order" not in failed["whole"]
    [known] = lines(order(1, **rules), summary="Do NOT commit.")
    assert "order" not in known["whole"]


@pytest.mark.parametrize(("row", "is_shown"), [
    ("2. Type check: yarn type-check", True), ("Run `npx prettier --write src` then", True), ("pytest -q tests", True),
    ("Write output to: tasks/zones.md", True), ("Then write the report into docs/zones.md", True),
    ("", False), ("make", False), ("Makers of zones, write to them.", False), ("Write it well.", False),
    ("They make zones.", False), ("Look at the yarn lock.", False)])
def test_what_an_order_says_to_run_and_where_to_write_stands_behind_it(row: str, is_shown: bool) -> None:
    [ended] = lines(order(1, ordered=["Read all of it.", row]))
    assert ended["text"] == f"- Subagent: Task 1{f'; in its order: {row}' if is_shown else ''} → reported: Done."


ZONES = "Bug: `zone_a.py` takes zone 2\n" * 20  # more than has room


@pytest.mark.parametrize(("report", "shown"), [
    ("Bug: `quote.py` takes zone 2\n`zones.py` is well", "takes zone 2 ⏎ `zones.py` is well (edited since: quote.py)"),
    (ZONES + "quote.py is next\n" + ZONES, "takes zone 2 (edited since: quote.py)"),
    ("Bug: zone 2 is taken", "reported: Bug: zone 2 is taken"), ("", "- Subagent: Task 1")])
def test_files_that_a_report_names_and_that_were_edited_since(report: str, shown: str) -> None:
    edits: list[Any] = [{**new_item("action", entry(number, "x"), name, "assistant", tool="Edit", verdict="ended",
                                    path=f"/srv/rates/{name}", edits=1), "last": f"2026-03-05T10:0{number}:00Z"}
                        for number, name in ((1, "zones.py"), (7, "quote.py"), (8, "other.py"))]
    given = order(1, report, last="2026-03-05T10:05:00Z")
    line = Orders([edits[0], given, *edits[1:]], "", Paths("/srv/rates", "/srv/rates")).line_of("k1") or {}
    assert line["text"].endswith(shown)
    assert line["whole"].endswith(shown[-10:])
    assert "is next" not in line["text"]


def test_what_several_orders_share_stands_once() -> None:
    given = [order(number, ordered=[RULE, f"Never touch part {number} of all."]) for number in range(4)]
    shown = lines(*given)
    assert [RULE in line["whole"] for line in shown] == [False, False, False, True]
    assert shown[3]["text"].endswith(f"\n- In 4 subagents' orders alike: {RULE}")
    assert not any(RULE in line["whole"] for line in lines(*given, summary=RULE))
    assert not any("alike" in line["whole"] for line in lines(*given[:2]))


def test_what_only_older_orders_share_is_not_joined_to_it() -> None:
    old = [order(number, ordered=["Never write a file in this phase."]) for number in range(4)]
    new = [order(number, ordered=[RULE]) for number in (4, 5, 6)]
    shown = lines(*old, *new)
    assert shown[6]["text"].endswith(f"\n- In 3 subagents' orders alike: {RULE}")
    assert "in this phase" in shown[3]["whole"]
    assert "alike" not in "".join(line["whole"] for line in lines(*new, *old[:1]))


@pytest.mark.parametrize(("calls", "is_shown"), [(0, True), (1, False), (None, False)])
def test_a_subagent_that_called_no_tool_did_nothing(calls: int | None, is_shown: bool) -> None:
    [line] = lines(order(1, "Files created: `zones.py` ✅", **({} if calls is None else {"tool_calls": calls})))
    assert (" → reported (without one call of a tool: it wrote and ran nothing): Files" in line["text"]) == is_shown
    assert lines() == []


@pytest.mark.parametrize(("more", "is_anew"), [
    ({}, True), ({"text": "Other task"}, False), ({"ordered": ["Read the fares."]}, False), ({"ordered": []}, False),
    ({"last": "2027-01-01T00:00:00Z"}, False),  # both were worked on at once
])
def test_an_order_that_was_given_anew_and_reported_on_is_no_line(more: Any, is_anew: bool) -> None:
    rows = {"text": "Check the zones", "ordered": ["Read all of it.", "Run it.", "Do NOT commit.", "Count the zones."]}
    first, again = order(1, "I have no permission.", **{**rows, **more}), order(2, "All zones are well.", **rows)
    again["ordered"] = [*rows["ordered"][1:], "Do it now."]
    message: Any = {"kind": "message", "text": "Go on.", "position": 3, "source": ""}  # which has no key
    work = [*work_lines([first, again, message], Paths("/srv/rates", "/srv/rates"), set(), "", {})]
    assert [line["items"][0]["key"] for line in work] == (["k2"] if is_anew else ["k2", "k1"])
    for unreported in ({"result": ""}, {"verdict": "running"}, {"verdict": "failed"}):
        both = [first, {**again, **unreported}]
        assert len([*work_lines(both, Paths("/srv/rates", "/srv/rates"), set(), "", {})]) == 2
