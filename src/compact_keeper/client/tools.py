"""The names of the client's tools, by what they do."""

from __future__ import annotations

SHELL_TOOLS = ("Bash", "PowerShell")
CHANGING_TOOLS = ("Edit", "Write", "MultiEdit", "NotebookEdit")  # of files
SUBAGENT_TOOLS = ("Task", "Agent")
