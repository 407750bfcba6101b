"""Calls of the client's tools that were refused each time: no such tool, an argument that does not fit.

An agent had sent `"status": "\"completed\""` seven times, and the next one had no line that says why it was refused.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from compact_keeper.client.tools import CHANGING_TOOLS, LOOKING_TOOLS, SHELL_TOOLS, SUBAGENT_TOOLS
from compact_keeper.types import Item

MISFIT = "InputValidationError"
MISFIT_ARGUMENT, MISFIT_MESSAGE = r'"path": \[\s*"(\w{1,60})"', r'"message": "((?:[^"\\]|\\.){1,400})"'
NO_SUCH_TOOL = "Error: No such tool available"
ALIKE_MIN, ALIKE_CHARACTERS = 2, 60  # so many refusals that begin alike are told
MENDED_OTHERWISE = (*SHELL_TOOLS, *CHANGING_TOOLS, *LOOKING_TOOLS, *SUBAGENT_TOOLS)


def why_misfit(output: str) -> str:
    """Which argument did not fit and what was expected, of the client's refusal; empty: it is none of that kind."""
    if MISFIT not in output[:60]:
        return ""
    arguments = re.findall(MISFIT_ARGUMENT, output)
    message = re.search(MISFIT_MESSAGE, output)
    if arguments and message:
        words = message[1].replace('\\"', '"')
        return f"{MISFIT}: {arguments[-1]}: {words}"
    rows = [row.strip() for row in re.sub(r"</?tool_use_error>", "", output).splitlines() if row.strip()]
    return f"{MISFIT}: {' '.join(rows[1:])}" if len(rows) > 1 else ""


def refused_each_time(actions: Sequence[Item]) -> list[list[Item]]:
    """The calls whose tool is not there, and those that were refused alike, where no call of the tool worked.

    Those of one tool together, the tool that was called last first.
    """
    calls = [action for action in actions if action["tool"] not in MENDED_OTHERWISE]
    worked = {call["tool"] for call in calls if call["verdict"] != "failed"}
    by_refusal: dict[tuple[str, str], list[Item]] = {}
    for call in reversed(calls):
        if call["tool"] not in worked and call["result"]:
            by_refusal.setdefault((call["tool"], call["result"][:ALIKE_CHARACTERS]), []).append(call)
    return [alike for alike in by_refusal.values()
            if times_refused(alike) >= ALIKE_MIN or alike[0]["result"].startswith(NO_SUCH_TOOL)]


def times_refused(calls: Sequence[Item]) -> int:
    """How often these calls were refused as they were last, at least."""
    return sum(call["uses"] - len(call.get("earlier", [])) for call in calls)
