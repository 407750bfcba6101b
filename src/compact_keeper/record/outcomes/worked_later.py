"""Commands that failed and worked later on the same line behind something else: `pip install click && …`.

With its words alone the same command is one action, whose newest end is told. Behind an installation it had other
words: it stood as failed, and the next line, which worked, said nothing of it.
"""

from __future__ import annotations

from collections.abc import Sequence

from compact_keeper.client.tools import SHELL_TOOLS
from compact_keeper.record.commands.shell import (
    EACH_ENDED_WELL,
    commands_in_folders,
    pieces_of,
    shell_words,
    without_redirections,
)
from compact_keeper.record.endings import has_ended_well
from compact_keeper.record.outcomes.mended import folded_command
from compact_keeper.record.outputs.telling_rows import says_error
from compact_keeper.text.length import CUT_MARK, MIDDLE_GONE
from compact_keeper.types import Item

NOT_COMPARED = ("<<", MIDDLE_GONE, CUT_MARK)  # in a command: it has more than its words here tell
LATER_MAX = 60  # commands behind one that failed that are compared with it, the first


def worked_later(actions: Sequence[Item]) -> dict[int, str]:
    """By the position of a command that failed what stood before it where it worked later; its last such run counts.

    Empty where of a line of several commands the last one worked alone: `chmod +x a.py && ./a.py`, then `./a.py`.
    """
    commands = [item for item in actions if item["tool"] in SHELL_TOOLS and not item["path"]]
    known = dict[int, str]()
    for index, failed in enumerate(commands):
        if failed["verdict"] != "failed" or not (parts := parts_of_failed(failed["text"])):
            continue
        later = [(item, before) for item in commands[index + 1:index + 1 + LATER_MAX]
                 if item.get("folder", "") == failed.get("folder", "")
                 and ((before := what_stands_before(item["text"], parts)) or is_last_alone(item["text"], parts))]
        if later and has_worked(later[-1][0]):
            known[failed["position"]] = later[-1][1]
    return known


def has_worked(item: Item) -> bool:
    """Whether each command of the line ended well: it waited for those before it, and printed no error."""
    return has_ended_well(item) and each_waits(item["text"]) and not says_error(item["result"])


def each_waits(command: str) -> bool:
    """Whether each command of the line waits for those before it to end well."""
    return all(sign in EACH_ENDED_WELL for _, sign in pieces_of(command))


def is_known_whole(command: str) -> bool:
    """Whether nothing of the command is left out here, and no text is fed to it."""
    return not any(sign in command for sign in NOT_COMPARED)


def parts_of_failed(command: str) -> list[tuple[str, ...]]:
    """The commands of a line that failed, as they are compared; none where it is not known whole, or some do not wait.

    Taken apart once for all lines behind it.
    """
    line = folded_command(command) if is_known_whole(command) else ""
    return [*map(words_in_folder, commands_in_folders(line))] if line and each_waits(line) else []


def what_stands_before(later: str, parts: Sequence[tuple[str, ...]]) -> str:
    """What the later line has beside all these commands, in their order and with their last one at its end.

    Empty: it is another command, or runs in another folder, or is not known whole.
    """
    if not is_known_whole(later):
        return ""
    others = commands_in_folders(later)
    if len(others) <= len(parts) or words_in_folder(others[-1]) != parts[-1] or not each_waits(later):
        return ""
    added, position = list[str](), 0
    for other in others[:-1]:
        if position < len(parts) - 1 and words_in_folder(other) == parts[position]:
            position += 1
        else:
            added.append(other[0])
    return " && ".join(added) if position == len(parts) - 1 else ""


def is_last_alone(later: str, parts: Sequence[tuple[str, ...]]) -> bool:
    """Whether the later line is the last of these commands and no other, where they are several."""
    if len(parts) < 2 or not is_known_whole(later):
        return False
    return [*map(words_in_folder, commands_in_folders(later))] == [parts[-1]]


def words_in_folder(command: tuple[str, str]) -> tuple[str, ...]:
    """What makes two commands the same: the folder, what stands before the program, and the words."""
    piece, folder = command
    part = without_redirections(shell_words(piece))
    before = piece.partition(part[0])[0] if part else piece
    return folder, before, *part
