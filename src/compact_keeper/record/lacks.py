"""What a session's commands were refused by the machine itself: programs that are not there, a password for sudo.

Of 83 real sessions 7 met such a lack and went another way. Summaries tell the other way, seldom why, and the agent that
goes on tries the first one again.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from compact_keeper.client.tools import SHELL_TOOLS
from compact_keeper.record.results import results_of
from compact_keeper.record.shell import pieces_of, program_of, shell_words
from compact_keeper.types import Ending, Item, Lack

LACKS = r"command not found|: not found|sudo: a "  # looked for first: most results have none
NOT_FOUND = (  # by bash and sh; by zsh: the row may stand behind others on one line
    r"(?:^|[\s|])(?:(?:[\w./-]{0,40}sh: )?line \d{1,6}|[\w./-]{0,40}sh: \d{1,6}|[\w./-]{0,40}sh)"
    r": ([\w.+-]{1,60}): (?:command )?not found"
    r"|(?:\(eval\):\d{1,6}|zsh(?::\d{1,6})?): command not found: ([\w.+-]{1,60})")
SUDO_REFUSES = r"sudo: a (?:terminal|password) is required"
HIDES_ERRORS = r"2> ?/dev/null|\|\|"  # what such a command shows does not tell whether the program was there
SUDO = "sudo"


def lacks(items: Sequence[Item]) -> list[Lack]:
    """The programs that no command of the session got to run, the newest refusal first.

    Only what a command's own words start counts, and what worked in no other command: where the PATH was broken once,
    or the program was installed later, nothing is lacking.
    """
    runs: list[Ending] = [item for item in items if item["kind"] == "look" and item["tool"] in SHELL_TOOLS]
    runs += results_of(item for item in items if item["kind"] == "action" and item["tool"] in SHELL_TOOLS)
    refused: dict[str, Lack] = {}
    for run in runs:
        for program in missing_in(run.get("result", "")):
            if program in programs_of(run["text"]):
                refused[program] = {"program": program, "command": run["text"], "last": run["last"],
                                    "position": run["position"]}
    for run in runs if refused else ():
        if run.get("verdict") != "not run" and not re.search(HIDES_ERRORS, run["text"]):
            for program in programs_of(run["text"]) - {*missing_in(run.get("result", ""))}:
                refused.pop(program, None)
    return sorted(refused.values(), key=lambda lack: -lack["position"])


def missing_in(result: str) -> list[str]:
    """The programs of which a shell says that it does not find them; sudo where it wants a password."""
    if not re.search(LACKS, result):
        return []
    names = [bash or zsh for bash, zsh in re.findall(NOT_FOUND, result)]
    return [*names, SUDO] if re.search(SUDO_REFUSES, result) else names


def programs_of(command: str) -> set[str]:
    """The first word of each of the line's commands, and the program that it starts."""
    programs = set[str]()
    for piece, _ in pieces_of(command):
        programs.update(piece.split(None, 1)[:1])
        programs.add(program_of(shell_words(piece)))
    return programs
