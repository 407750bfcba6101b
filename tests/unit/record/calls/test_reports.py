"""Orders to subagents and their reports: which rows are kept."""

from __future__ import annotations

import pytest

from compact_keeper.record.calls.reports import (
    LOOKED_AT_CHARACTERS,
    ORDER_ROWS_MAX_UTF16,
    agent_to_resume,
    order_rows,
    order_title,
    report_rows,
)
from sessions import units

REPORT = ("Perfect! Now I have all the information I need.\n\n## Review\n" + "It is done well in many ways.\n" * 30
          + "### Issues\n| Bug | `quote.py:7` takes zone 2 | Important |\n```\ncode = 1\n```\nCommitted as 27a8171.\n"
          + "It is all well.\n" * 30 + "**Verdict:** approved with 2 changes.\nagentId: a3f (for resuming it)\n")


def test_the_rows_of_a_report_that_tell() -> None:
    rows = report_rows(REPORT, 200)
    for row in ("### Issues", "| Bug | `quote.py:7` takes zone 2 | Important |", "Committed as 27a8171.",
                "**Verdict:** approved with 2 changes."):
        assert row in rows
    assert not any(words in " ".join(rows) for words in ("Perfect", "code = 1", "agentId"))
    assert rows.index("### Issues") == rows.index("| Bug | `quote.py:7` takes zone 2 | Important |") - 1


def test_a_row_comes_with_the_heading_above_it_and_its_section() -> None:
    report = ("## Strengths\nAll rows of `rates.py` are sorted in it.\n" + "Well made.\n" * 90
              + "## Weaknesses\n1. No check of the form:\n`zones.py` takes 0 to 99 as a zone.\n")
    assert report_rows(report, 180)[-3:] == [
        "## Weaknesses", "1. No check of the form:", "`zones.py` takes 0 to 99 as a zone."]


@pytest.mark.parametrize("report", ["", "\n", "x" * 90_000, "# A\n" * 9_000, "a:\n" * 9_000, "🚚 a " * 9_000,
                                    "```\nx\n", "Done.", "| a | 1 |\n" * 9_000])
def test_any_report_fits(report: str) -> None:
    rows = report_rows(report, 600)
    assert sum(units(row) + 3 for row in rows if row != "…") <= 603
    assert bool(rows) == bool(report.strip(" `\nx") or "xx" in report)
    assert all("\n" not in row for row in rows)


@pytest.mark.parametrize(("rows", "kept"), [
    (["⚠️ **BUG 4: `a.py`, `b.py`**", "This is fine."], ["⚠️ **BUG 4: `a.py`, `b.py`**", "This is fine."]),
    (["**Open:**", "It is.", "Bug 7 in `a.py`, `b.py`"], ["**Open:**", "It is.", "Bug 7 in `a.py`, `b.py`"]),
    (["Open:", "It is.", "Bug 7 in `a.py`, `b.py`"], ["Open:", "It is.", "Bug 7 in `a.py`, `b.py`"]),
    (["| Bug | `a.py` | `b.py` |", "| 1 | no |"], ["| Bug | `a.py` | `b.py` |", "| 1 | no |"]),
    (["Bug 7 in `a.py`", "Well.", "Bug 8 in `b.py`"], ["Bug 7 in `a.py`", "…", "Bug 8 in `b.py`"])])
def test_what_leads_to_the_next_row_has_it_behind_it_and_a_mark_stands_for_others(
        rows: list[str], kept: list[str]) -> None:
    most = sum(units(row) + 3 for row in kept if row != "…")
    assert report_rows("\n".join(["Well.", *rows, *["Well."] * 9]), most) == kept


TABLE = "## Summary\n" + "".join(f"| Zone {number} | ✓ done | `z{number}.py`, `rates.py` |\n" for number in range(30))


@pytest.mark.parametrize(("end", "shown"), [
    ("**Note:** These are not the client's own zones.", "**Note:** These are not the client's own zones."),
    ("**The handler does NOT change the rates.**", "**The handler does NOT change the rates.**"),
    ("It is sound but the zones have to be rounded.\nWould you like me to do that?", "It is sound but the zones"),
    ("It is sound but the zones have to be rounded.\n\n**Let me know** which.", "It is sound but the zones"),
    ("The zones are used in all parts of it.", ""), ("- The zones should be rounded.", ""), ("| Zone | not done |", ""),
    ("1. The zones should be rounded.", ""), ("Shall I round them?", ""),
    ("## What is not done", ""), ("But these are not done:", "")])
def test_what_a_report_comes_to_stands_before_its_table(end: str, shown: str) -> None:
    rows = report_rows(TABLE + end, 120)
    assert rows[-1].startswith(shown or "| Zone")


def test_a_report_that_only_offers_something_stands() -> None:
    assert report_rows("Would you like me to round them?", 120) == ["Would you like me to round them?"]


@pytest.mark.parametrize("order", ["", "x" * 90_000, "Never push.\n" * 9_000, "- a b c d e f\n" * 9_000, "🚚\n"])
def test_any_order_fits(order: str) -> None:
    assert sum(map(units, order_rows(order))) <= ORDER_ROWS_MAX_UTF16


def test_what_binds_in_an_order_goes_first_and_code_is_none_of_it() -> None:
    order = "Do the task. You MUST commit.\n```\nnever = 1\n```\n" + "".join(
        f"- step {number} of many more steps\n" for number in range(90)) + "- Never push\n# Only a heading:\n"
    rows = order_rows(order)
    assert rows[:2] == ["Do the task.", "You MUST commit."]
    assert rows[-1] == "Never push"
    assert not any("never = 1" in row or "heading" in row for row in rows)


def test_keys_are_not_kept() -> None:
    key = "sk-ant-" + "api03-" + "a1B2" * 12
    assert key not in " ".join(order_rows(f"Only use {key} here."))
    assert key not in " ".join(report_rows(f"The key 7 is {key}.", 900))


@pytest.mark.parametrize(("output", "agent"), [
    ("Done.\nagentId: a1f (for resuming to continue this agent's work if needed)", "a1f"),
    ("Done.\nagentId: a1f (use SendMessage with to: 'a1f' to continue)", "a1f"),
    ("Done.\nagentId: a1f", ""), ("agentId: a1f (for resuming)", ""), ("", ""),
    ("\nagentId: a1f (for resuming)" + "x" * LOOKED_AT_CHARACTERS, "")])
def test_who_can_be_gone_on_with(output: str, agent: str) -> None:
    assert agent_to_resume(output) == agent


def test_what_an_order_is_called() -> None:
    assert order_title(" Find\nthe callers ", "Look at all of it.") == "Find the callers"
    assert order_title("", "Find the callers.") == "Find the callers."
    assert order_title("", "word " * 90).endswith("word")
