"""The paths of the project that a shell command took away: removed, or moved elsewhere.

Only names that stand there whole: none with a variable or a pattern in it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from compact_keeper.record.commands.programs import MOVING_PROGRAMS, REMOVING_PROGRAMS
from compact_keeper.record.commands.shell import commands_in_folders, program_of, shell_words, without_redirections
from compact_keeper.record.commands.written_files import path_below

KEPT_ON_DISK = "--cached"  # the file stays where it is
TAKES_AWAY = rf"\b(?:{'|'.join((*REMOVING_PROGRAMS, *MOVING_PROGRAMS))}) "  # most lines are not taken apart


def paths_taken_away(command: str, root: str, folder: str) -> tuple[list[str], list[str]]:
    """The paths below `root` that the command removes, then those that it moves, as seen from it.

    `folder`: where it ran, if not in the root.
    """
    removed, moved = list[str](), list[str]()
    if not re.search(TAKES_AWAY, command):
        return removed, moved
    for piece, ran_in in commands_in_folders(command, folder):
        program, names = program_and_names(without_redirections(shell_words(piece)))
        if program in REMOVING_PROGRAMS:
            removed += [path_below(root, ran_in, name) for name in names]
        elif program in MOVING_PROGRAMS:
            moved += [path_below(root, ran_in, name) for name in names[:-1]]
    return [*filter(None, removed)], [*filter(None, moved)]


def program_and_names(words: Sequence[str]) -> tuple[str, list[str]]:
    """The program, of git its subcommand, and the names that it is given; none of what git only leaves to itself."""
    program, rest = program_of(words), words[1:]
    if program == "git" and rest:
        program, rest = rest[0], rest[1:] if KEPT_ON_DISK not in rest else []
    return program, [word.strip("\"'") for word in rest if not word.startswith("-")]
