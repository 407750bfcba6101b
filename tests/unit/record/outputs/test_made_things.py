"""What a call made outside of the tree."""

from __future__ import annotations

from typing import Any

import pytest

from compact_keeper.record.outputs.made_things import made_outside


@pytest.mark.parametrize(("tool", "arguments", "output", "line"), [
    ("mcp__tracker__create_issue",
     {"title": "Sum rates", "team": "Core", "priority": 2, "labels": ["bug"], "body": "x\ny"},
     '{"id": "77", "identifier": "ABC-12", "url": "https://t.example/ABC-12"}',
     "create_issue: title “Sum rates”, team Core, priority 2, labels bug → ABC-12 https://t.example/ABC-12"),
    ("mcp__tracker__create_issue", {"title": "x" * 91}, "no JSON", "create_issue: "),
    ("mcp__tracker__get_issue", {"id": "ABC-12"}, "{}", ""),
    ("Bash", {"command": "create_issue"}, "{}", ""),
])
def test_what_was_made_in_a_tracker(tool: str, arguments: dict[str, Any], output: str, line: str) -> None:
    assert made_outside(tool, arguments, output) == line.strip()
