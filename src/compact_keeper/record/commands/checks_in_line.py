"""What a command line runs: its checks, each with what it leaves out and whose exit code it shows, or another kind."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from compact_keeper.record.commands.check_breadth import limits_of
from compact_keeper.record.commands.check_programs import CHECK_FAMILIES, check_name
from compact_keeper.record.commands.looking import is_looking_piece
from compact_keeper.record.commands.programs import INSTALLING_PROGRAMS, OTHER_FAMILIES, WITHOUT_EFFECT
from compact_keeper.record.commands.shell import (
    COMMANDS_KEPT,
    NEGATION,
    PIPES,
    commands_in_folders,
    folder_from,
    pieces_of,
    program_in,
    program_of,
    shell_words,
    without_redirections,
)
from compact_keeper.record.commands.written_files import names_filled
from compact_keeper.types import Check

LOOP_WORDS = ("for", "while", "until", "if")
INSTALLING_WORDS = ("install", "i", "add", "ci", "sync", "get", "mod", "remove")


@lru_cache(maxsize=COMMANDS_KEPT)
def checks_in(command: str) -> list[Check]:
    """The checks that a command runs, in their order.

    A script that the line itself writes is none, whatever it is called: `/tmp/test-x.sh`, which set something up, had
    stood as a test that passed.
    """
    pieces = pieces_of(command)
    in_loop = has_loop(pieces)
    checks: list[Check] = []
    written = set[str]()
    for index, (piece, folder) in enumerate(commands_in_folders(command)):
        words = shell_words(piece)
        written |= {folder_from(folder, name) for name in names_filled(piece, words)}
        named = check_name(words)
        if not named or folder_from(folder, named["name"]) in written:
            continue
        filters = filters_behind(pieces, index)
        signs_behind = [sign for _, sign in pieces[index + len(filters):]]
        is_exit_hidden = in_loop or piece.startswith(NEGATION) or (filters and "pipefail" not in command)
        runs_on = signs_behind[0] == "&" or (piece.startswith("nohup ") and "&" in signs_behind)
        checks.append({
            **named,
            "command": " ".join(without_redirections(words)),
            "typed": piece,
            "index": index,
            "folder": folder,
            "limits": limits_of(named["name"], words),
            "filters": filters,
            "shows_exit": not is_exit_hidden and passes_exit_on(signs_behind),
            "in_background": runs_on})
    return checks


def has_loop(pieces: Sequence[tuple[str, str]]) -> bool:
    """Whether one of the line's commands begins a loop or a condition: how often what stands in it ran nobody knows."""
    return any(piece.split(" ", 1)[0] in LOOP_WORDS for piece, _ in pieces)


def passes_exit_on(signs_behind: Sequence[str]) -> bool:
    """Whether a line can only end with exit code 0 where the command before these signs did.

    That is so at the line's end, and where every later command waits by && for the one before it; pipes of later
    commands do not matter.
    """
    if signs_behind[0] not in ("", "&&"):
        return False
    return all(sign in ("", "&&", *PIPES) for sign in signs_behind)


def filters_behind(pieces: Sequence[tuple[str, str]], index: int) -> list[str]:
    """The commands that the output of the one at this index goes through."""
    filters = list[str]()
    for number in range(index + 1, len(pieces)):
        if pieces[number - 1][1] not in PIPES:
            break
        filters.append(pieces[number][0])
    return filters


def has_more_than_checks(command: str) -> bool:
    """Whether a line ran something else beside its checks: that a check passed later says nothing of that."""
    return bool(checks_in(command)) and not {*map(program_in, others_than_checks(command))} <= {*WITHOUT_EFFECT}


def others_than_checks(command: str) -> list[str]:
    """The commands of a line that are none of its checks, and through which the output of none goes."""
    own = {check["index"] + number for check in checks_in(command) for number in range(len(check["filters"]) + 1)}
    return [piece for index, (piece, _) in enumerate(pieces_of(command)) if index not in own]


def other_family(command: str) -> str:
    """What kind of command this is where it is no check: that of its last program with a known one."""
    for piece, _ in reversed(pieces_of(command)):
        words = shell_words(piece)
        program = program_of(words)
        if program in OTHER_FAMILIES and (program == "gh" or not is_looking_piece(piece)):
            return OTHER_FAMILIES[program]
        if program in INSTALLING_PROGRAMS and "".join(words[1:2]) in INSTALLING_WORDS:
            return "install"
        if "migrate" in words or "db:migrate" in words:
            return "migration"
    return ""


def strongest(checks: Sequence[Check]) -> str:
    """The family of what is run: tests before builds, those before the others."""
    families = [check["family"] for check in checks]
    return next((family for family in CHECK_FAMILIES if family in families), "")
