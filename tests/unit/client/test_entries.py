"""The entries of a transcript: what of a call's input is kept."""

from __future__ import annotations

from typing import Any

import pytest

from compact_keeper.client.entries import SCRIPT_MAX_UTF16, Reading
from sessions import Session


def entries_of(session: Session) -> list[dict[str, Any]]:
    """What the session's records give, in their order."""
    reading = Reading({})
    for record in session.records:
        reading.add(record)
    return reading.stream


@pytest.mark.parametrize("arguments, kept", [
    ({"command": "npm run dev"}, {}),
    ({"command": "npm run dev", "run_in_background": True, "timeout": 9000, "description": "Start it"},
     {"run_in_background": True, "timeout": 9000}),
    ({"command": "npm run dev", "run_in_background": "yes", "timeout": [9]}, {}),
    ({"command": "# Start it\nnpm run dev &\n"}, {"command": "# Start it\nnpm run dev &"}),
    ({"command": "a\nexport API_TOKEN=Tr0ub4dor+3horse9\n"}, {"command": "a\nexport API_TOKEN=[redacted: password]"}),
    ({"command": ["a\nb"]}, {}),
])
def test_of_a_shell_command_stays_what_its_quoted_line_does_not_tell(
        arguments: dict[str, Any], kept: dict[str, Any]) -> None:
    session = Session()
    session.ran("Bash", **arguments)
    assert entries_of(session)[0]["input"] == kept


def test_a_long_script_is_cut() -> None:
    session = Session()
    session.ran("Bash", command="echo a\n" * 5_000)
    assert len(entries_of(session)[0]["input"]["command"]) <= SCRIPT_MAX_UTF16
