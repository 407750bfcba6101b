"""record_event.py: the fields of the ledger's line for each event."""

from __future__ import annotations

from typing import Any

import pytest

import record_event
from compact_keeper.client.tools import CHANGING_TOOLS
from sessions import JsonObject, hook_input, units
from tool_events import FAILED, STARTED, STOPPED, TOOL, changing_input

BASH: JsonObject = {"event": "tool", "tool": "Bash", "command": "make test", "id": "toolu_1"}


def fields_of(data: JsonObject) -> JsonObject:
    """The event's fields without those that say nothing."""
    given: Any = data
    return {key: value for key, value in record_event.event_of(given).items() if value not in ("", None)}


@pytest.mark.parametrize(("data", "fields"), [
    pytest.param(TOOL, {**BASH, "ok": True}, id="passed"),
    pytest.param(FAILED, {**BASH, "ok": False, "exit": 3, "error": "E assert 2 == 3"}, id="failed"),
    pytest.param({**FAILED, "error": "File not found"}, {**BASH, "ok": False, "error": "File not found"},
                 id="failed-without-a-code"),
    pytest.param({**FAILED, "is_interrupt": True, "error": "stopped"},
                 {**BASH, "ok": False, "error": "stopped", "interrupted": True}, id="interrupted"),
    *(pytest.param({**TOOL, "tool_name": tool, "tool_input": changing_input(tool, "/a/b.py", "y")},
                   {"event": "tool", "tool": tool, "path": "/a/b.py", "ok": True, "id": "toolu_1"}, id=tool)
      for tool in CHANGING_TOOLS),
    pytest.param(STARTED, {"event": "subagent", "ended": False}, id="subagent-start"),
    pytest.param(STOPPED, {"event": "subagent", "ended": True, "said": "Found 3 callers."}, id="subagent-stop"),
    pytest.param({**STOPPED, "agent_type": ""}, {}, id="the-clients-own-summariser"),
    pytest.param({**STOPPED, "agent_type": None}, {}, id="no-agent-type"),
    pytest.param(hook_input("Stop"), {}, id="another-event"),
    pytest.param(hook_input("PreToolUse", tool_name="Bash"), {}, id="before-a-call"),
    pytest.param(hook_input("UserPromptSubmit", prompt="Never push to main."), {}, id="prompts-are-another-hooks"),
])
def test_fields_of_an_event(data: JsonObject, fields: JsonObject) -> None:
    assert fields_of(data) == fields


@pytest.mark.parametrize(("response", "output"), [
    ({"backgroundTaskId": "b1f2", "stdout": ""}, "in background with ID: b1f2"),
    ({"status": "async_launched", "agentId": "ac27", "outputFile": "/tmp/ac27.out"},
     "in background with ID: ac27 written to: /tmp/ac27.out"),
    ({"status": "completed", "agentId": "ac27"}, None),
    ("a string", None), (None, None), ([{"type": "text", "text": "x"}], None),
])
def test_what_was_started_in_the_background(response: object, output: str | None) -> None:
    assert fields_of({**TOOL, "tool_response": response}).get("output") == output


@pytest.mark.parametrize(("field", "data", "limit"), [
    ("command", {**TOOL, "tool_input": {"command": "echo 🚚 " * 5_000}}, 1_000),
    ("said", {**STOPPED, "last_assistant_message": "Done 🚚 " * 5_000}, 500),
    ("error", {**FAILED, "error": "Exit code 1\n" + "bad 🚚 " * 5_000}, 240),
])
def test_long_words_are_cut(field: str, data: JsonObject, limit: int) -> None:
    text = fields_of(data)[field]
    assert limit - 3 <= units(text) <= limit
    assert text.endswith("…")
