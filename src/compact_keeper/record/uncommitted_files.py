"""Edited files that are in no commit, as far as the session's commands make that certain."""

from __future__ import annotations

import re
from collections.abc import Sequence

from compact_keeper.record.git_calls import git_calls, is_below
from compact_keeper.record.git_events import OUTSIDE
from compact_keeper.types import GitEvent, Item

TAKEN_BACK = r"\bgit (?:stash(?! (?:pop|apply|list|show|drop))|reset --hard|(?:checkout|restore) \.)"
ADDS_WHAT_IT_LIKES = r"[*?$`\[]|^\.{1,2}/?$|^-(?:A|u|p|i|-all|-update|-patch|-interactive|-pathspec-from-file)"
ADDING_VERBS = ("add", "mv", "rm", "commit", "checkout", "restore", "apply")
NAMES_FILES = r"\bgit |\brm "
COMMITS_ALL = r"^-(?!-)\w*[aio]|^--(?:all|include|only|interactive|patch|pathspec-from-file)"
WHOLE_STATUS = r"git status(?: (?:--short|-sb?|-b|--branch|--porcelain|-u\w*|2>&1))*$"


def uncommitted(actions: Sequence[Item], events: Sequence[GitEvent], root: str = "",
                status: tuple[int, Sequence[str]] = (-1, ())) -> list[str]:
    """The files below `root` that were edited after the last commit and not taken back, the newest first.

    `events` is the ledger of these actions. `status` is where git's status was seen whole, and the paths that it named:
    what was edited before and is not among them is in a commit, whoever made that.
    """
    root = root.rstrip("/") + "/" if root else ""
    since = max((event["position"] for event in events if event["what"] == "commit" and not event["replaced"]
                 and is_below(event["folder"], root)), default=-1)
    commands = [action for action in actions if not action.get("path") and action["verdict"] in ("passed", "ended")]
    for action in commands:
        if re.search(TAKEN_BACK, action["text"]):
            since = max(since, action["position"])
    undoing = [(command["position"], command["text"].split()) for command in commands
               if re.search(r"\brm |\bgit (?:checkout|restore) ", command["text"])]
    files = [action for action in actions if action.get("path") and action.get("edits") and action["position"] > since]
    paths = list[str]()
    for file in sorted(files, key=lambda file: -int(file["position"])):
        path = file["path"]
        short = path[len(root):] if root and path.startswith(root) else path
        is_gone = any(position > file["position"] and short in words for position, words in undoing)
        is_clean = file["position"] < status[0] and not any(is_same_or_above(name, short) for name in status[1])
        if is_below(path, root) and not is_gone and not is_clean and not short.startswith(OUTSIDE):
            paths.append(short)
    return [*dict.fromkeys(paths)]


def status_seen(looks: Sequence[Item]) -> tuple[int, list[str]]:
    """The place of the newest `git status` that was seen whole, and the paths that it named; place -1: none."""
    whole = [look for look in looks if re.match(WHOLE_STATUS, look["text"]) and look.get("result")
             and not look["result"].endswith("…") and ' "' not in look["result"].replace('(use "', "")]
    rows = [row.strip() for row in whole[-1]["result"].split("|")] if whole else []
    paths = [row.split()[-1] for row in rows if row and not row.startswith(("(use ", "On branch ", "Your branch "))]
    return (whole[-1]["position"] if whole else -1), paths


def never_added(actions: Sequence[Item], ledger: Sequence[GitEvent], root: str = "") -> list[str]:
    """The edited files that no `git add` named though commits followed, the newest first; none where one may hold all.

    A commit of everything, a folder's, a pattern, a choice by hand: then it is not certain.
    """
    commits = [event for event in ledger if event["what"] == "commit" and not event["replaced"]]
    commands = [action for action in actions if not action.get("path") and re.search(NAMES_FILES, action["text"])]
    if not commits or may_hold_others(commits, commands, ledger):
        return []
    named = [(command["position"], word) for command in commands for word in words_naming(command["text"])]
    edits = [action for action in actions if action.get("path") and action.get("edits")]
    first = {edit["path"]: edit["position"] for edit in sorted(edits, key=lambda edit: -edit["position"])}
    root, paths = root.rstrip("/") + "/" if root else "", list[str]()
    for path in sorted(first, key=lambda path: -first[path]):
        short = path.removeprefix(root)
        is_own = not short.startswith(("/", "~")) and not path.startswith(OUTSIDE) and "redacted" not in short.lower()
        is_before = first[path] < commits[0]["position"]
        later = (word for place, word in named if place > first[path])
        if is_own and is_before and not any(is_same_or_above(word, short) for word in later):
            paths.append(short)
    return paths


def may_hold_others(commits: Sequence[GitEvent], commands: Sequence[Item], ledger: Sequence[GitEvent]) -> bool:
    """Whether a commit may hold files that no command named: one of everything, or one without an `add` before it."""
    if any(event["what"] == "history" and event["verb"] != "stash" for event in ledger):
        return True
    before, added = -1, list[int]()
    for command in commands:
        calls = [words for words, _ in git_calls(command["text"])]
        is_sweep = any(re.search(ADDS_WHAT_IT_LIKES if words[0] == "add" else COMMITS_ALL, word)
                       for words in calls if words[0] in ("add", "commit") for word in words[1:])
        is_cut = command["text"].endswith("…") and any(words[0] == "add" for words in calls)  # names may lie behind it
        if is_sweep or is_cut or re.search(TAKEN_BACK, command["text"]):
            return True
        added += [command["position"] for words in calls if words[0] == "add"]
    for commit in reversed(commits):
        if not commit["amends"] and not any(before < place <= commit["position"] for place in added):
            return True  # somebody else put into the index what it holds
        before = commit["position"]
    return False


def words_naming(command: str) -> list[str]:
    """The words of a command that may name files that git takes in, or that are removed."""
    words = [word.strip("\"'") for call, _ in git_calls(command) if call[0] in ADDING_VERBS
             for word in call[1:] if not word.startswith("-")]
    return [*words, *re.findall(r"\brm (?:-\w+ )?(\S+)", command)]


def is_same_or_above(word: str, path: str) -> bool:
    """Whether a word of a command may name the file, seen from some folder, or a folder above it."""
    word = re.sub(r"^(?:\.{1,2}/)+", "", word).rstrip("/")
    return bool(word) and (f"/{path}".endswith(f"/{word}") or f"{word}".endswith(f"/{path}")
                           or f"/{path}/".find(f"/{word}/") >= 0 or path.rpartition("/")[2] == word.rpartition("/")[2])
