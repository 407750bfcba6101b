"""Commands as they are shown: without the way to the working folder, and without what says nothing of what was done."""

from __future__ import annotations

import re

from compact_keeper.recap.wording.paths import Paths, folder_named
from compact_keeper.record.commands.shell import without_joined_outputs
from compact_keeper.record.outputs.telling_rows import ROW_END
from compact_keeper.text.length import cut
from compact_keeper.text.marks import as_code
from compact_keeper.text.paths import as_compared, with_slashes

COMMAND_MAX_UTF16, OTHER_COMMAND_MAX_UTF16 = 200, 90  # of a line's own command, of others beside it
# A change of the folder, before what is run there.
MOVED = r"cd (?P<folder>\"[^\"]{1,300}\"|'[^']{1,300}'|[^\s;&|]{1,300})(?P<sign> && | ?; | ?\n)\s*"
# Of a command in the background; of one that runs the whole path stands with what runs.
FOLDER_OF_OUTPUTS = r"(?:/private)?/tmp/claude-\d+/[^\s\"']{1,200}/tasks/(?=\w+\.output\b)"
HEADING_PRINTED = (  # between a line's commands: it took the room of what was run
    r"(?:(?<=&& )|(?<=; )|(?<=;)|(?<=\n)|^)\s*(?:echo|printf)(?: -e)? (?:\"[^\"$`\\]{0,120}\"|'[^']{0,120}')\s*"
    r"(?:&& |;(?!;)\s*|\n+)")
LONE_CONTINUATION = r"(?m)^\s*\\\n"


def command_in_short(command: str, paths: Paths, has_whole_folder: bool = False) -> str:
    """The command without the change into the working folder; another folder is named whole when first it comes.

    Or always, where it `has_whole_folder`. What is run in another one keeps its whole paths: as seen from here they
    would name other files. Without the headings that it prints between its parts, as their output shows them, and
    without where errors went.
    """
    folder, sign, rest = change_of_folder(without_joined_outputs(without_headings(command)))
    below, _, behind = change_of_folder(rest)
    if below and f"{folder}/{below}" == paths.folder:
        folder, rest = paths.folder, behind
    rest = rows_joined(rest)
    if folder in ("", ".") or as_compared(folder) == as_compared(paths.folder):
        return without_folder_of_outputs(paths.short(rest))
    name = paths.short(folder) if has_whole_folder else folder_named(folder, paths)
    return without_folder_of_outputs(f"cd {name}{sign}{paths.with_short_home(rest)}")


def short_command(command: str, paths: Paths, limit: int = COMMAND_MAX_UTF16) -> str:
    """The command in short as code, at most so many UTF-16 units of it from its beginning; it may stand alone."""
    return as_code(cut(command_in_short(command, paths, has_whole_folder=True), limit))


def rows_of_command(command: str) -> str:
    """The command's rows on one line, without the headings that it prints and without where its errors went."""
    return rows_joined(without_joined_outputs(without_headings(command)))


def rows_joined(command: str) -> str:
    """The command's rows on one line, but for empty ones."""
    return ROW_END.join(row.strip() for row in command.splitlines() if row.strip())


def change_of_folder(command: str) -> tuple[str, str, str]:
    """The folder into which the command changes first, with slashes and none at its end, a sign, what it runs there.

    The sign is `;` unless it is typed as `&&`, which PowerShell 5 does not know. Without a change the whole command is
    what is run, in an empty folder.
    """
    moved = re.match(MOVED, command) if command.startswith("cd ") else None
    if not moved:
        return "", "", command
    sign = " && " if "&&" in moved["sign"] else "; "
    return with_slashes(moved["folder"].strip("\"'")).rstrip("/"), sign, command[moved.end():]


def without_headings(command: str) -> str:
    """The command without the headings that it prints between its parts, and the signs that the line goes on there."""
    if "echo" not in command and "printf" not in command:
        return command
    return re.sub(LONE_CONTINUATION, "", re.sub(HEADING_PRINTED, "", command))


def without_folder_of_outputs(text: str) -> str:
    """The text with the files in which the client keeps outputs by their names: their folder took half of a line."""
    return re.sub(FOLDER_OF_OUTPUTS, "…/tasks/", text) if "/tasks/" in text else text
