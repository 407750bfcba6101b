"""Calls of the client's tools that were refused each time: which count, and how they are said."""

from __future__ import annotations

import json
from typing import Any

import pytest

from compact_keeper.recap.lines.refused_calls import refused_call_lines
from compact_keeper.record.calls.actions import items_of_call
from compact_keeper.record.calls.refused_calls import why_misfit
from compact_keeper.record.merge import merge
from compact_keeper.store.settings import default_settings
from compact_keeper.types import Item
from entries import call
from sessions import CWD
from slow_texts import check_it_ends

UNION = json.dumps([{"code": "invalid_union", "errors": [[{
    "values": ["open", "done"], "path": [], "message": 'Invalid option: expected one of "open"|"done"'}]],
    "path": ["status"], "message": "Invalid input"}], indent=2)
NO_TOOL = "<tool_use_error>Error: No such tool available: mcp__zones__list</tool_use_error>"


def refused(output: str) -> dict[str, Any]:
    return {"output": f"<tool_use_error>{output}</tool_use_error>", "ok": False, "error": output.splitlines()[0]}


def lines_of(*calls: Any) -> list[str]:
    items: list[Item] = []
    for number, (tool, fields) in enumerate(calls, 1):
        made = call(tool, **fields)
        made.update({"position": number, "source": str(number)})
        items = merge(items, items_of_call(made, f"{CWD}/"), default_settings())
    return [line["text"] for line in refused_call_lines([item for item in items if item["kind"] == "action"])]


@pytest.mark.parametrize(("output", "words"), [
    ("", ""), ("InputValidationError", ""), ("InputValidationError: [", ""), ("no such zone", ""),
    (f"InputValidationError: {UNION}",
     'InputValidationError: status: Invalid option: expected one of "open"|"done"'),
    ("<tool_use_error>InputValidationError: Grep failed due to the following issue:\nAn unexpected parameter `limit` "
     "was provided</tool_use_error>", "InputValidationError: An unexpected parameter `limit` was provided"),
    (f"{'x' * 80} InputValidationError: {UNION}", "")])
def test_which_argument_did_not_fit(output: str, words: str) -> None:
    assert why_misfit(output) == words


def test_long_refusals_are_read_in_time() -> None:
    check_it_ends(lambda text: why_misfit(f"InputValidationError: {text}"))


UPDATE = {"input": {"taskId": "3", "status": '"done"'}, **refused(f"InputValidationError: {UNION}")}
FIND = {"input": {"query": "rates"}, "output": "call read_page first", "ok": False, "error": "call read_page first"}
WORKED = {"input": {"query": "zones"}, "output": "2 met", "ok": True}


@pytest.mark.parametrize(("calls", "lines"), [
    ([("TaskUpdate", UPDATE)], []),  # refused once: the next call may have mended it
    ([("TaskUpdate", UPDATE), ("TaskUpdate", UPDATE)], [
        "- refused each time, and no call of the tool worked: `TaskUpdate taskId: 3, status: \"done\"` (the last of 2 "
        "calls) → InputValidationError: status: Invalid option: expected one of \"open\"|\"done\""]),
    ([("TaskUpdate", UPDATE), ("TaskUpdate", UPDATE), ("TaskUpdate", {"ok": True})], []),
    ([("mcp__web__find", FIND), ("mcp__web__find", {**FIND, "input": {"query": "zones"}})], [
        "- refused each time, and no call of the tool worked: `mcp__web__find query: zones` (the last of 2 calls) → "
        "call read_page first"]),
    ([("mcp__web__find", WORKED), ("mcp__web__find", FIND), ("mcp__web__find", FIND)], []),
    ([("mcp__web__find", FIND), ("mcp__web__find", {**FIND, "error": "no tab"})], []),  # not alike
    ([("mcp__zones__list", {"input": {"in": "north"}, "output": NO_TOOL, "ok": False, "error": NO_TOOL[16:-17]})], [
        "- no such tool, said the client, and none of them worked: `mcp__zones__list`"]),
    ([("Edit", {"path": "a.py", **refused("File has not been read yet.")})] * 3, []),  # the next call mends it
    ([("Bash", {"command": "make", "ok": False, "output": "no rule", "error": "no rule"})] * 3, [])])
def test_what_was_refused_each_time_is_said_once(calls: Any, lines: list[str]) -> None:
    assert lines_of(*calls) == lines
