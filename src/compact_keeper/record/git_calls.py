"""The calls of git in a command line: their words, and the folder that each is for."""

from __future__ import annotations

from compact_keeper.record.shell import pieces_of, program_of, shell_words, without_redirections

GIT_OPTIONS = ("-C", "-c", "--git-dir", "--work-tree")


def git_calls(command: str) -> list[tuple[list[str], str]]:
    """The words of each call of git in the line, without `git` and its options before the verb, and its folder."""
    calls, folder = list[tuple[list[str], str]](), ""
    for piece, _ in pieces_of(command):
        words = without_redirections(shell_words(piece))
        if words[:1] == ["cd"] and len(words) == 2:
            folder = words[1].strip("\"'")
        if program_of(words) != "git":
            continue
        words, where = words[1:], folder
        while words and words[0].startswith("-"):
            where = words[1] if words[0] == "-C" and len(words) > 1 else where
            words = words[2:] if words[0] in GIT_OPTIONS else words[1:]
        if words:
            calls.append((words, where))
    return calls


def is_below(path: str, root: str) -> bool:
    """Whether the path lies below the root, which ends with a slash; one that begins nowhere does."""
    return not root or not path.startswith(("/", "~")) or f"{path}/".startswith(root)
