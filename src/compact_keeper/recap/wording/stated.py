"""What lines state of the session's steps, so that no other line says it again: commands, their results, commits.

A step is known again by how its command begins, and by its result: of a check that ended again as it did.
"""

from __future__ import annotations

from collections.abc import Iterable, Set

from compact_keeper.recap.wording.commands import change_of_folder, rows_of_command
from compact_keeper.types import Item, Line

BEGINNING_CHARACTERS = 60  # of a command or a result, by which it is known again
RESULT_SIGN = "→ "  # before a result, which is no command


def naming(*commands: str, result: str = "") -> set[str]:
    """What a line tells that names these commands, and a result where it says that."""
    tells = {in_its_folder(command) for command in commands}
    if result:
        tells.add(RESULT_SIGN + result[:BEGINNING_CHARACTERS])
    return tells


def in_its_folder(command: str, most: int | None = None) -> str:
    """The command, its first so many characters, behind the folder into which it changes first.

    Of `cd /srv/a/long/way/to/the/folder && make` the way would be all by which it is known.
    """
    folder, _, rest = change_of_folder(rows_of_command(command))
    return f"{folder}: {rest[:most]}"


def stated_by(lines: Iterable[Line]) -> set[str]:
    """All that the lines tell of steps."""
    return {step for line in lines for step in line.get("tells", ())}


def is_named(step: Item, stated: Set[str]) -> bool:
    """Whether the step's command is among what is stated, or the commit that it made."""
    begins = [in_its_folder(step["text"], BEGINNING_CHARACTERS)]
    if step.get("commit"):
        begins.append(step["commit"])
    return any(name.startswith(tuple(begins)) for name in stated)


def is_stated(step: Item, stated: Set[str]) -> bool:
    """Whether the step is named among what is stated, or its result stands there."""
    return is_named(step, stated) or RESULT_SIGN + step["result"][:BEGINNING_CHARACTERS] in stated
