"""The names of the client's tools, by what they do; a tool's name alone stands where its own calls are read."""

from __future__ import annotations

SHELL_TOOLS = ("Bash", "PowerShell")
CHANGING_TOOLS = ("Edit", "Write", "MultiEdit", "NotebookEdit")  # of files
SEARCH_TOOLS = ("Grep", "Glob")
LOOKING_TOOLS = ("Read", *SEARCH_TOOLS, "LS", "NotebookRead")
SUBAGENT_TOOLS = ("Task", "Agent")
TASK_TOOLS = ("TodoWrite", "TodoRead", "TaskCreate", "TaskUpdate", "TaskList", "TaskGet")
DIALOG_TOOLS = ("AskUserQuestion", "ExitPlanMode", "EnterPlanMode")
OUTPUT_TOOLS = ("BashOutput", "TaskOutput", "AgentOutputTool", "BashOutputTool")  # of what runs in the background
STOP_TOOLS = ("KillShell", "KillBash", "TaskStop")
OUTLASTING_TOOLS = ("Skill", "TodoWrite", "EnterPlanMode", "ToolSearch")  # the client itself puts back what they did
SCHEDULING_TOOLS = ("ScheduleWakeup", "CronCreate")  # with a prompt that the client gives at its time, as if typed
