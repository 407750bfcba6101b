"""Forms of commands that failed beside those that worked, and programs that the machine has not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from compact_keeper.recap.wording.commands import COMMAND_MAX_UTF16, OTHER_COMMAND_MAX_UTF16, short_command
from compact_keeper.recap.wording.paths import Paths
from compact_keeper.recap.wording.phrases import folded_line, shared_beginning, shared_line
from compact_keeper.recap.wording.stated import naming
from compact_keeper.record.outcomes.lacks import SUDO, lacks
from compact_keeper.record.outcomes.mended import mended
from compact_keeper.text.length import cut
from compact_keeper.text.marks import as_code
from compact_keeper.types import Item, Line

FORMS_MAX, LACKS_MAX = 6, 4
DIFFERENCE_CONTEXT_CHARACTERS = 40


def form_lines(actions: Sequence[Item], paths: Paths) -> Iterator[Line]:
    """Forms of commands that failed beside the one that worked, which stands once."""
    failures: dict[str, list[str]] = {}  # by the command that worked, as it is shown
    tells: dict[str, set[str]] = {}
    for form in mended(actions)[:FORMS_MAX]:
        commands = (form["failed"], form["worked"])
        is_of_one = sum(paths.root in command for command in commands) == 1  # the path may be what made the difference
        failed, worked = (short_command(command, Paths("", "") if is_of_one else paths) for command in commands)
        if failed == worked:  # the folder makes the difference, or what lies behind the cut
            failed, worked = from_difference(form["failed"], form["worked"])
        result = cut(paths.short(form["result"]), OTHER_COMMAND_MAX_UTF16)
        failures.setdefault(worked, []).append(f"{failed} → {result}")
        tells.setdefault(worked, set()).update(naming(*commands))
    for worked, of_worked in failures.items():
        yield shared_line(f"- {'; '.join(of_worked)}; ran in this form: {worked}", tells[worked])


def from_difference(failed: str, worked: str) -> tuple[str, str]:
    """Both commands as code, each from a little before where they begin to differ."""
    lines = (folded_line(failed), folded_line(worked))
    begin = max(shared_beginning(*lines) - DIFFERENCE_CONTEXT_CHARACTERS, 0)
    mark = "…" if begin else ""
    shown = [as_code(mark + cut(line[begin:], COMMAND_MAX_UTF16)) for line in lines]
    return shown[0], shown[1]


def lack_lines(items: Sequence[Item], paths: Paths) -> Iterator[Line]:
    """What the machine refused to the session's commands: programs that it has not, and a password for sudo."""
    refused = {lack["program"]: lack["command"] for lack in lacks(items)}
    command = refused.pop(SUDO, "")
    if command:
        shown = short_command(command, paths, OTHER_COMMAND_MAX_UTF16)
        yield shared_line(f"- sudo asked for a password that no command could type: {shown}", naming(command))
    missing = dict([*refused.items()][:LACKS_MAX])
    if missing:
        shown = ", ".join(f"{as_code(program)} in {short_command(command, paths, OTHER_COMMAND_MAX_UTF16)}"
                          for program, command in missing.items())
        yield shared_line(f"- command not found, and not seen to run in this session: {shown}",
                          naming(*missing.values()))
