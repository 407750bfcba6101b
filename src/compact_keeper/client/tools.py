"""The names of the client's tools, by what they do; a tool's name alone stands where its own calls are read.

A new tool that changes files is taught in CHANGING_FIELDS, and in the matchers of hooks/hooks.json.
"""

from __future__ import annotations

from compact_keeper.text.fields import objects_in, text_of
from compact_keeper.types import JsonObject

SHELL_TOOLS = ("Bash", "PowerShell")
# The tools that change a file, each with the fields of its call: the file's path; the text that goes and the one that
# comes in its place, in each member of a list where the tool makes several edits; the whole of a new file or cell.
CHANGING_FIELDS: dict[str, dict[str, str]] = {
    "Edit": {"path": "file_path", "old": "old_string", "new": "new_string"},
    "MultiEdit": {"path": "file_path", "edits": "edits", "old": "old_string", "new": "new_string"},
    "Write": {"path": "file_path", "content": "content"},
    "NotebookEdit": {"path": "notebook_path", "content": "new_source"}}
CHANGING_TOOLS = tuple(CHANGING_FIELDS)
PATH_FIELDS = (*dict.fromkeys(fields["path"] for fields in CHANGING_FIELDS.values()), "path")  # of any tool's call
SEARCH_TOOLS = ("Grep", "Glob")
LOOKING_TOOLS = ("Read", *SEARCH_TOOLS, "LS", "NotebookRead")
SUBAGENT_TOOLS = ("Task", "Agent")
READING_SUBAGENTS = ("Explore", "Plan")  # the client's own types that change no file
GENERAL_SUBAGENTS = ("general-purpose", *READING_SUBAGENTS)
TASK_TOOLS = ("TodoWrite", "TodoRead", "TaskCreate", "TaskUpdate", "TaskList", "TaskGet")
DIALOG_TOOLS = ("AskUserQuestion", "ExitPlanMode", "EnterPlanMode")
OUTPUT_TOOLS = ("BashOutput", "TaskOutput", "AgentOutputTool", "BashOutputTool")  # of what runs in the background
WATCHING_TOOLS = ("Monitor",)  # of what a command prints, while the agent works
STOP_TOOLS = ("KillShell", "KillBash", "TaskStop")
OUTLASTING_TOOLS = ("Skill", "TodoWrite", "EnterPlanMode", "ToolSearch")  # the client itself puts back what they did
SCHEDULING_TOOLS = ("ScheduleWakeup", "CronCreate")  # with a prompt that the client gives at its time, as if typed


def edits_in(tool: str, arguments: JsonObject) -> list[tuple[str, str]]:
    """Of each edit that a call of a changing tool makes, the text that goes and the text that comes."""
    fields = CHANGING_FIELDS[tool]
    if "old" not in fields:
        return []
    edits = objects_in(arguments.get(fields["edits"])) if "edits" in fields else [arguments]
    return [(text_of(edit, fields["old"]), text_of(edit, fields["new"])) for edit in edits]


def content_in(tool: str, arguments: JsonObject) -> str:
    """The whole of what a call of a changing tool writes; empty where it edits."""
    return text_of(arguments, CHANGING_FIELDS[tool].get("content", ""))
