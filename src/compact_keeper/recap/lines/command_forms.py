"""Forms of commands that failed beside those that worked, and programs that the machine has not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from compact_keeper.recap.wording.from_root import (
    COMMAND_MAX_UTF16,
    OTHER_COMMAND_MAX_UTF16,
    short_command,
    short_result,
)
from compact_keeper.recap.wording.phrases import folded_line, shared_beginning
from compact_keeper.record.outcomes.lacks import SUDO, lacks
from compact_keeper.record.outcomes.mended import mended
from compact_keeper.text.length import cut
from compact_keeper.text.marks import as_code
from compact_keeper.types import Item

FORMS_MAX, LACKS_MAX = 6, 4
DIFFERENCE_CONTEXT_CHARACTERS = 40


def form_lines(actions: Sequence[Item], root: str) -> list[str]:
    """Forms of commands that failed beside the one that worked, which stands once."""
    failures: dict[str, list[str]] = {}
    for form in mended(actions)[:FORMS_MAX]:
        commands = (form["failed"], form["worked"])
        is_of_one = sum(root in command for command in commands) == 1  # the path may be what made the difference
        failed, worked = (short_command(command, "" if is_of_one else root) for command in commands)
        if failed == worked:  # the folder makes the difference, or what lies behind the cut
            failed, worked = from_difference(form["failed"], form["worked"])
        result = short_result(form["result"], root, OTHER_COMMAND_MAX_UTF16)
        failures.setdefault(worked, []).append(f"{failed} → {result}")
    return [f"- {'; '.join(failed)}; worked: {worked}" for worked, failed in failures.items()]


def from_difference(failed: str, worked: str) -> tuple[str, str]:
    """Both commands as code, each from a little before where they begin to differ."""
    lines = (folded_line(failed), folded_line(worked))
    begin = max(shared_beginning(*lines) - DIFFERENCE_CONTEXT_CHARACTERS, 0)
    mark = "…" if begin else ""
    shown = [as_code(mark + cut(line[begin:], COMMAND_MAX_UTF16)) for line in lines]
    return shown[0], shown[1]


def lack_lines(items: Sequence[Item], root: str) -> Iterator[str]:
    """What the machine refused to the session's commands: programs that it has not, and a password for sudo."""
    refused = {lack["program"]: short_command(lack["command"], root, OTHER_COMMAND_MAX_UTF16) for lack in lacks(items)}
    if command := refused.pop(SUDO, ""):
        yield f"- sudo asked for a password that no command could type: {command}"
    if refused:
        named = [f"{as_code(program)} in {command}" for program, command in [*refused.items()][:LACKS_MAX]]
        yield f"- command not found, and not seen to run in this session: {', '.join(named)}"
