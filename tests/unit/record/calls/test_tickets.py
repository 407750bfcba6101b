"""Tickets that were shown: which calls show one, and what is kept of it."""

from __future__ import annotations

import json

import pytest

from compact_keeper.record.calls.tickets import TICKET_KEPT_UTF16, ticket_shown
from sessions import units

BODY = "## Problem\nIt loops.\n\n## Acceptance\n- [ ] It ends\n- [ ] It says why\n" + "More words of it.\n" * 6
SHOWN = "title:\tCancel loops\nstate:\tOPEN\nnumber:\t88\n--\n" + BODY
AS_JSON = json.dumps({"body": BODY, "title": "Cancel loops"})


@pytest.mark.parametrize(("command", "tool", "output"), [
    ("gh issue view 88", "Bash", SHOWN),
    ("cd /srv && gh issue view 88 --json title,body", "Bash", AS_JSON),
    ("gh api repos/a/b/issues/88", "Bash", AS_JSON),
    ("", "mcp__linear-server__get_issue", AS_JSON.replace('"body"', '"description"')),
    ("", "mcp__plugin_github_github__issue_read", AS_JSON),
    ("gh issue view 88 --json title,body", "Bash", AS_JSON[:-30]),
])
def test_a_ticket_is_kept_with_its_lines(command: str, tool: str, output: str) -> None:
    rows = ticket_shown(command, tool, output).splitlines()
    assert "- [ ] It ends" in rows
    assert "\\n" not in rows[0]
    assert rows[0] == ("# Cancel loops" if output.endswith(("}", "\n")) else "## Problem")


@pytest.mark.parametrize(("command", "tool", "output"), [
    ("gh pr view 88", "Bash", SHOWN), ("cat issue.md", "Bash", BODY), ("", "mcp__x__list_issues", AS_JSON),
    ("", "get_issue", AS_JSON), ("gh issue list", "Bash", SHOWN), ("gh issue view 88 -q .state", "Bash", "OPEN"),
    ("gh issue view 88 --json labels", "Bash", json.dumps({"labels": ["a"] * 90})),
    ("gh issue view 88 --json body", "Bash", '{"body": "\\ud'), ("gh issue view 88", "Bash", ""),
])
def test_what_shows_no_ticket(command: str, tool: str, output: str) -> None:
    assert ticket_shown(command, tool, output) == ""


@pytest.mark.parametrize("output", ["x" * 90_000, "🚚\n" * 9_000, "title:\t\n--\n" * 900, '{"body":"' * 5_000,
                                    '"body":"' + "a\\n" * 30_000 + '"'])
def test_a_hostile_ticket_is_short(output: str) -> None:
    assert units(ticket_shown("gh issue view 1", "Bash", output)) <= TICKET_KEPT_UTF16


def test_a_key_in_a_ticket_is_not_kept() -> None:
    key = "sk-ant-" + "api03-" + "a1B2" * 12
    assert key not in ticket_shown("gh issue view 1", "Bash", SHOWN + key)
    assert key not in ticket_shown("gh issue view 1", "Bash", AS_JSON.replace("It loops", key))
