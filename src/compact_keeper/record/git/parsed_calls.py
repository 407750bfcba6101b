"""The calls of git in a command line: verb, arguments, and the folder that each is for."""

from __future__ import annotations

from collections.abc import Sequence

from compact_keeper.record.commands.shell import (
    commands_in_folders,
    folder_from,
    program_of,
    shell_words,
    without_redirections,
)
from compact_keeper.types import GitCall, GitEvent

OPTIONS_WITH_VALUE_OF_GIT = ("-C", "-c", "--git-dir", "--work-tree")  # before the verb


def git_calls(command: str, ran_in: str = "") -> list[GitCall]:
    """The calls of git in the line; their folder is that of the `cd` and `git -C` before the verb, else `ran_in`."""
    calls: list[GitCall] = []
    for piece, folder in commands_in_folders(command, ran_in):
        words = without_redirections(shell_words(piece))
        if program_of(words) != "git":
            continue
        words, own_folder = words[1:], folder
        while words and words[0].startswith("-"):
            if words[0] == "-C" and len(words) > 1:
                own_folder = folder_from(own_folder, words[1].strip("\"'"))
            words = words[2:] if words[0] in OPTIONS_WITH_VALUE_OF_GIT else words[1:]
        if words:
            calls.append({"verb": words[0], "arguments": words[1:], "folder": own_folder})
    return calls


def has_call(command: str, verb: str) -> bool:
    """Whether the command has a call of git with this verb."""
    return verb in command and any(call["verb"] == verb for call in git_calls(command))


def without_options(arguments: Sequence[str]) -> list[str]:
    """The arguments that are no options."""
    return [word for word in arguments if not word.startswith("-")]


def names_in_call(event: GitEvent) -> list[str]:
    """The arguments, no options, of the call that an event's text is: `main` of `git switch main`."""
    return without_options(event["text"].split()[2:])


def same_commit(name: str, other: str) -> bool:
    """Whether both, of whatever length, may name one commit."""
    return name.startswith(other) or other.startswith(name)
