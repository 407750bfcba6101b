"""Which files a commit took in, where the calls of `git add` before it name all of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence, Set

from compact_keeper.record.endings import NOT_DONE, endings_of
from compact_keeper.record.git.parsed_calls import git_calls
from compact_keeper.record.git.taken_in import may_take_in_others
from compact_keeper.record.items import is_file_edit
from compact_keeper.text.length import is_cut_text
from compact_keeper.text.listing import FILES_MAX
from compact_keeper.text.paths import WITH_FOLDER, ends_in, last_parts, same_file
from compact_keeper.types import GitCall, GitEvent, Item

A_FILE = r".*[^/]\.\w{1,12}"  # by its name: in a folder lies any number
LEAVING_INDEX = frozenset(("blame", "branch", "cat-file", "check-ignore", "config", "describe", "diff", "fetch", "grep",
                           "log", "ls-files", "ls-remote", "ls-tree", "push", "remote", "rev-list", "rev-parse",
                           "shortlog", "show", "status", "tag"))
WITH_VALUE = r"-[a-z]*[mF]|--(?:message|file|author|date|trailer)"  # options of a commit


def name_added_files(events: Iterable[GitEvent], actions: Sequence[Item]) -> None:
    """Adds to commits the files that calls of `git add` named for them, where these are as many as git counted.

    The index may hold what was put there before: `git add notes.md` had gone before a commit of three files.
    """
    commits = {event["hash"]: event for event in events if event["what"] == "commit" and event["took_in"]}
    edited = {item["path"] for item in filter(is_file_edit, actions)} if commits else set[str]()
    added: list[str] | None = []  # since the last commit; None: not each by its name
    for ending in endings_of(actions) if commits else ():
        calls = git_calls(ending["text"]) if "git" in ending["text"] else []
        for call in calls:
            if call["verb"] == "add":
                is_whole = added is not None and not may_take_in_others(ending["text"], [call])
                added = with_files_of(call, added or [], edited) if is_whole else None
            elif call["verb"] == "commit":
                commit = commits.get(ending.get("commit", ""))
                if commit and added and takes_index(call) and not ending.get("commits_before"):
                    commit["took_in"] = with_names(commit["took_in"], added)
                added = added if ending["verdict"] in NOT_DONE and not commit else []
            elif call["verb"] not in LEAVING_INDEX:
                added = None


def files_named(commit: GitEvent) -> str:
    """What is known of a commit's files, where some are named; else empty: a count alone tells nothing."""
    took_in = commit.get("took_in", "")
    return took_in if ":" in took_in else ""


def with_files_of(call: GitCall, added: Sequence[str], edited: Set[str]) -> list[str] | None:
    """The added files with those of a further call; None where a word may be no single file."""
    files = [*added]
    for word in [word.strip("\"'") for word in call["arguments"] if not word.startswith("-")]:
        if not re.fullmatch(A_FILE, word) and not any(ends_in(path, word) for path in edited):
            return None
        if not any(same_file(word, other) for other in files):
            files.append(word)
    return files


def takes_index(call: GitCall) -> bool:
    """Whether a call of `git commit` takes in what the index holds and nothing else."""
    words, has_value = call["arguments"], False
    for word in words:
        if not has_value and (not word.startswith("-") or word in ("--", "--amend")):
            return False
        has_value = not has_value and re.fullmatch(WITH_VALUE, word) is not None
    return not may_take_in_others("", [call])


def with_names(took_in: str, files: Sequence[str]) -> str:
    """What git said of a commit's files with the names of the others, where just these are missing."""
    count = int(took_in.split(maxsplit=1)[0])
    known = [re.sub("^(?:new|no more in git): ", "", name) for name in re.split(", |; ", took_in)[1:]]
    others = [name for name in (last_parts(path, WITH_FOLDER) for path in files)
              if not any(same_file(name, other) for other in known)]
    is_all = len(files) == count == len(known) + len(others)
    if not others or not is_all or count > FILES_MAX or is_cut_text(took_in):
        return took_in
    return f"{took_in}{'; changed' if known else ''}: {', '.join(others)}"
