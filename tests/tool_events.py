"""What the client gives the hooks of tool calls and subagents."""

from __future__ import annotations

from compact_keeper.client.tools import CHANGING_FIELDS
from sessions import JsonObject, hook_input

TOOL = hook_input(
    "PostToolUse", "/tmp/transcript.jsonl", permission_mode="default", tool_name="Bash", tool_use_id="toolu_1",
    tool_input={"command": "make test", "description": "Run the tests"},
    tool_response={"stdout": "ok", "stderr": "", "interrupted": False, "isImage": False})
FAILED = {**TOOL, "hook_event_name": "PostToolUseFailure", "error": "Exit code 3\nE   assert 2 == 3",
          "is_interrupt": False}
STARTED = hook_input("SubagentStart", "/tmp/transcript.jsonl", agent_id="a1b2c3", agent_type="Explore")
STOPPED = {**STARTED, "hook_event_name": "SubagentStop", "last_assistant_message": "Found 3 callers.",
           "agent_transcript_path": "/tmp/agent.jsonl", "stop_hook_active": False}


def changing_input(tool: str, path: str, text: str) -> JsonObject:
    """The input of a call of a changing tool that puts the text into the file: in place of `x` where the tool edits."""
    fields = CHANGING_FIELDS[tool]
    texts = {fields["content"]: text} if "content" in fields else {fields["old"]: "x", fields["new"]: text}
    return {fields["path"]: path, **({fields["edits"]: [texts]} if "edits" in fields else texts)}
