"""What the machine itself refused to a session's commands: programs that are not there, a password for sudo.

Of 83 real sessions 7 met such a lack and went another way. Summaries tell the other way, seldom why, and the agent that
goes on tries the first one again.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from compact_keeper.client.tools import SHELL_TOOLS
from compact_keeper.record.commands.shell import pieces_of, program_in
from compact_keeper.record.outcomes.not_started import program_not_started
from compact_keeper.text.holding import holds_any
from compact_keeper.types import Item, Lack

SAID_OF_LACKS = ("not found", "o such file", "not recognized", "Unknown command", "sudo: a ")  # most rows have none
REFUSAL_MAX_CHARACTERS, REFUSALS_MAX = 300, 50
SUDO_REFUSES = r"sudo: a (?:terminal|password) is required"
HIDES_ERRORS = r"2> ?/dev/null|\|\|"  # what such a command shows does not tell whether the program was there
SUDO = "sudo"
ON_EVERY_MACHINE = {"cat", "grep", "head", "ls", "sed", "sort", "tail", "wc"}  # else the PATH is broken


def lacking_in(command: str, output: str) -> list[str]:
    """The programs of a command that the output says are not there; sudo where it wants a password."""
    if not holds_any(output, SAID_OF_LACKS):
        return []
    rows = [row.strip()[:REFUSAL_MAX_CHARACTERS] for row in output.splitlines() if holds_any(row, SAID_OF_LACKS)]
    refused = [SUDO if re.search(SUDO_REFUSES, row) else program_not_started(row) for row in rows[:REFUSALS_MAX]]
    if ON_EVERY_MACHINE & {*refused}:
        return []
    own = programs_of(command)  # what a script of its own starts is the script's matter
    return [program for program in dict.fromkeys(refused) if program in own and "/" not in program]


def programs_of(command: str) -> set[str]:
    """The first word of each of the line's commands, and the program that it starts."""
    programs = set[str]()
    for piece, _ in pieces_of(command):
        programs.update(piece.split(None, 1)[:1])
        programs.add(program_in(piece))
    return programs


def lacks(items: Sequence[Item]) -> list[Lack]:
    """The programs that no command of the session got to run, the newest refusal first.

    What worked in another command is left out: there the PATH was broken once, or the program was installed later.
    """
    runs = [item for item in items if item["kind"] in ("action", "look") and item["tool"] in SHELL_TOOLS]
    refused: dict[str, Lack] = {
        program: {"program": program, "command": run["text"], "last": run["last"], "position": run["position"]}
        for run in runs for program in run.get("lacking", [])}
    for run in runs if refused else ():
        if run.get("verdict") != "not run" and not re.search(HIDES_ERRORS, run["text"]):
            for program in programs_of(run["text"]) - {*run.get("lacking", [])}:
                refused.pop(program, None)
    return sorted(refused.values(), key=lambda lack: -lack["position"])
