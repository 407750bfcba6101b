"""Which files a command line may put into git's index or into a commit."""

from __future__ import annotations

import re
from collections.abc import Sequence

from compact_keeper.record.git.parsed_calls import git_calls, without_options
from compact_keeper.text.length import is_cut_text
from compact_keeper.types import GitCall

ADDS_WHAT_IT_LIKES = r"[*?$`\[]|^\.{1,2}/?$|^-(?:A|u|p|i|-all|-update|-patch|-interactive|-pathspec-from-file)"
ADDING_VERBS = ("add", "mv", "rm", "commit", "checkout", "restore", "apply")
COMMITS_ALL = r"^-(?!-)\w*[aio]|^--(?:all|include|only|interactive|patch|pathspec-from-file)"
REMOVED = r"\brm (?:-\w+ )?(\S+)"


def may_take_in_others(command: str, calls: Sequence[GitCall]) -> bool:
    """Whether a command with these calls of git may take in files that it does not name, or names behind its cut."""
    is_cut = is_cut_text(command) and any(call["verb"] == "add" for call in calls)
    return is_cut or any(map(takes_all, calls))


def takes_all(call: GitCall) -> bool:
    """Whether a call adds or commits files that it does not name."""
    pattern = {"add": ADDS_WHAT_IT_LIKES, "commit": COMMITS_ALL}.get(call["verb"], "")
    return bool(pattern) and any(re.search(pattern, word) for word in call["arguments"])


def words_naming(command: str) -> list[str]:
    """The words of a command that may name files that git takes in, or that are removed."""
    words = [word.strip("\"'") for call in git_calls(command) if call["verb"] in ADDING_VERBS
             for word in without_options(call["arguments"])]
    return [*words, *re.findall(REMOVED, command)]
