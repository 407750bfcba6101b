"""newest.py says in what two profiles differ."""

from __future__ import annotations

from pathlib import Path

import pytest

import client
import newest
from client_profile import Profile

OLD: Profile = {
    "events": {"PreCompact": "known", "Stop": "known"},
    "plays": {"automatic": {"course": ["PreCompact auto", "request: summary", "SessionStart compact"]}},
    "inputs": {"PreCompact": {"trigger": "text", "custom_instructions": "null or text"}},
    "limits": {"SessionStart additionalContext": 10_000}}
NEW: Profile = {
    "events": {"PreCompact": "known", "Compacted": "known"},
    "plays": {"automatic": {"course": ["PreCompact auto", "SessionStart compact", "request: summary"]}},
    "inputs": {"PreCompact": {"trigger": "text", "custom_instructions": "text"}},
    "limits": {"SessionStart additionalContext": 10_000}}
SAID = """\
1.0.1, the newest on npm, beside 1.0.0:
events: gone: Stop
events: new: Compacted (known)
plays: automatic: course: new behind PreCompact auto: SessionStart compact
plays: automatic: course: gone behind request: summary: SessionStart compact
inputs: PreCompact: custom_instructions: text, was null or text
"""


def test_each_difference_is_a_line_and_none_is_said_too(
        monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """`make hold` compares what the real clients do."""
    profiles = {"1.0.0": OLD, "1.0.1": NEW}
    monkeypatch.setattr(client, "ensure", Path)
    monkeypatch.setattr(client, "pinned_versions", lambda: ["1.0.0"])
    monkeypatch.setattr(newest, "measured", lambda program: profiles[program.name])
    monkeypatch.setattr(newest, "newest_on_npm", lambda: "1.0.1")
    assert (newest.main([]), capsys.readouterr().out) == (1, SAID)
    assert (newest.main(["1.0.0"]), capsys.readouterr().out) == (0, "1.0.0 beside 1.0.0 again:\nNothing differs.\n")
