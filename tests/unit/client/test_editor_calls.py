"""The client's own tools through an editor are the client's tools; what they print is no word of a person."""

from __future__ import annotations

from pathlib import Path

import pytest

from compact_keeper.client.editor_calls import output_of_client, tool_of_client
from recaps import recap_of
from sessions import Session, snapshot_of


@pytest.mark.parametrize(("name", "tool"), [
    ("mcp__acp__Bash", "Bash"), ("mcp__acp__Edit", "Edit"), ("Bash", "Bash"), ("mcp__other__Bash", "mcp__other__Bash"),
    ("x mcp__acp__Bash", "x mcp__acp__Bash"), ("", "")])
def test_the_name_is_the_clients(name: str, tool: str) -> None:
    assert tool_of_client(name) == tool


@pytest.mark.parametrize(("output", "shown", "has_failed"), [
    ("Exited with code 0.Final output:\n\n3 passed\n", "3 passed\n", False),
    ("Exited with code 2.Final output:\n\n1 failed", "Exit code 2\n1 failed", True),
    ("Exited with code 1.Signal `Hangup: 1`. Final output:\n\nno", "Exit code 1\nno", True),
    ("Killed. Signal `Terminated`. Final output:\n\n", "Exit code 137\n", True),
    ("Timed out. Final output:\n\nhalf", "Exit code 124\nhalf", True),
    ("Exited with code 0.Final output:", "", False),
    ("it printed: Exited with code 2.Final output:\n\n", "it printed: Exited with code 2.Final output:\n\n", False),
    ("Exited with code 2222.Final output:\n\n", "Exited with code 2222.Final output:\n\n", False), ("", "", False)])
def test_an_output_is_shown_as_the_client_does(output: str, shown: str, has_failed: bool) -> None:
    assert output_of_client(output) == (shown, has_failed)


def test_commands_and_edits_through_an_editor_come_back_as_such(tmp_path: Path) -> None:
    session = Session()
    session.typed("Make the zones right.")
    session.ran("mcp__acp__Bash", "Exited with code 1.Final output:\n\n1 failed in 0.1s", command="pytest -q tests")
    session.ran("mcp__acp__Edit", "Index: zones.py", file_path="/srv/zones.py", old_string="A = 1", new_string="A = 2")
    session.rejected("mcp__acp__Bash", "Never trust the tests.", command="make all")
    text = recap_of(snapshot_of(session, tmp_path))[0]
    assert "test failed: `pytest -q tests` → 1 failed" in text
    assert "zones.py: A = ⟦1 → 2⟧" in text
    assert "mcp__acp__" not in text
    assert '"Never trust' not in text
