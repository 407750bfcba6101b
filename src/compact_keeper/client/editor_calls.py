"""Calls of the client's own tools that go through an editor: names and outputs as the client itself would have them.

An adapter between editor and client (ACP: Zed and others) offers the client's tools under names of its own, and lets
the editor run them. Of 12 real sessions one had all of its 73 commands, edits and reads so, and none was taken for one.
"""

from __future__ import annotations

import re

EDITOR_PREFIX = "mcp__acp__"
# Before the output: "Exited with code 1.Signal `Hangup: 1`. Final output:".
END_BY_EDITOR = (
    r"(?P<how>Killed\. |Timed out\. |Interrupted by the user\. )?(?:Exited with code (?P<code>\d{1,3})\.)?"
    r"(?:Signal `[^`\n]{0,60}`\. ?)?Final output:(?:\n\n|\s*\Z)")
CODES_OF_ENDS = {"Killed. ": "137", "Timed out. ": "124", "Interrupted by the user. ": "130"}  # as a shell has them


def tool_of_client(name: str) -> str:
    """The client's name of the tool of that name; of any other tool its own."""
    return name.removeprefix(EDITOR_PREFIX)


def is_through_editor(name: str) -> bool:
    """Whether the tool of that name is one of the client's, offered by the adapter."""
    return name.startswith(EDITOR_PREFIX)


def output_of_client(output: str) -> tuple[str, bool]:
    """A command's output through an editor as the client shows its own, behind "Exit code N" where it failed.

    And whether it failed. An output without the adapter's words stands as it is, and did not.
    """
    end = re.match(END_BY_EDITOR, output)
    if not end:
        return output, False
    code = end["code"] or CODES_OF_ENDS.get(end["how"] or "", "0")
    rest = output[end.end():]
    return (rest, False) if int(code) == 0 else (f"Exit code {code}\n{rest}", True)
