"""Edits that a later command of git took back: a checkout or restore of their file, a hard reset, a stash.

Only where that is certain: no commit came between, of a file that is made of the index no `git add`, and no `cp` made
the file again, which may be of a copy with the edits.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from itertools import takewhile

from compact_keeper.record.commands.shell import commands_in_folders, program_of, shell_words, without_redirections
from compact_keeper.record.endings import endings_of, has_ended_well
from compact_keeper.record.git.marked_events import marked_events
from compact_keeper.record.git.parsed_calls import git_calls, has_call, without_options
from compact_keeper.record.git.stashes import NOT_BACK, calls_on_changes, spans_away, stashes_of
from compact_keeper.record.git.uncommitted import commit_positions
from compact_keeper.record.items import is_file_edit
from compact_keeper.text.fields import text_of
from compact_keeper.text.paths import file_name, whole_path, with_end_slash
from compact_keeper.types import Discard, EditKey, Ending, GitCall, GitEvent, Item, Stash

DISCARDING_VERBS = ("checkout", "restore", "reset")
NOT_DISCARDING = frozenset((  # a new branch, a choice by hand, a side of a conflict, the index alone
    "-b", "-B", "--orphan", "-t", "--track", "-p", "--patch", "--ours", "--theirs", "-m", "--merge", "-S", "--staged"))
COPYING, COPIES = ("cp", "mv"), r"\b(?:cp|mv) "
OTHER_SOURCE = ("-s", "--source")  # of a restore: than the index


def taken_back(actions: Sequence[Item], events: Sequence[GitEvent], root: str,
               folder: str) -> dict[EditKey, Discard]:
    """By the key of each edit that was taken back the command that did so.

    `events` are the marked ones of these actions; `folder` is where commands without a folder of their own ran.
    """
    commits = commit_positions(actions, events, root)
    added = [ending["position"] for ending in endings_of(actions)
             if has_call(ending["text"], "add")]
    edits = [*filter(is_file_edit, actions)]
    written = [edit for edit in edits if edit["tool"] == "Write"]
    stashes = stashes_of(actions)
    spans = {edit_key(edit): spans_away(edit["position"], stashes, commits) for edit in edits}
    back: dict[EditKey, Discard] = {}
    copied = [*files_copied(actions, folder or root)]
    for discard in [*discards_of(actions, folder or root), *stashes_left(stashes, folder or root)]:
        copied_since = {path for position, path in copied if position >= discard["position"]}
        since = max([-1, *(position for position in commits if position < discard["position"])])
        since_added = max([since, *(position for position in added if position < discard["position"])])
        new = {edit["path"] for edit in written if since < edit["position"] < discard["position"]}
        for edit in edits:
            begin = since_added if discard["is_of_index"] else since
            position = position_in_tree(edit, discard["position"], spans[edit_key(edit)], stashes)
            is_copied = bool(copied_since) and whole_path(edit["path"], root) in copied_since
            if begin < position < discard["position"] and takes(discard, edit, new, root) and not is_copied:
                back.setdefault(edit_key(edit), discard)
    return back


def files_copied(actions: Sequence[Item], base: str) -> Iterator[tuple[int, str]]:
    """Where in the session `cp` or `mv` may have made a file, and its whole path.

    A file that was put back for one build, and then its copy with the edits, had stood as taken back.
    """
    for ending in endings_of(actions):
        if not has_ended_well(ending) or not re.search(COPIES, ending["text"]):
            continue
        for piece, folder in commands_in_folders(ending["text"], ending.get("folder", "")):
            words = without_redirections(shell_words(piece))
            names = [word.strip("\"'") for word in words[1:] if not word.startswith("-")]
            if program_of(words) in COPYING and len(names) > 1:
                target = whole_path(names[-1], whole_path(folder, base))
                yield ending["position"], target
                yield from ((ending["position"], f"{target}/{file_name(name)}") for name in names[:-1])


def position_in_tree(edit: Item, position: int, spans: Sequence[tuple[int, int]], stashes: Sequence[Stash]) -> int:
    """Where the edit had come into the working tree last when the session was at that position.

    NOT_BACK where a stash had it then that was put back later, or may have had it as one of some files.
    """
    if any(edit["position"] < stash["position"] < position <= stash["put_back"] for stash in stashes):
        return NOT_BACK
    return max([edit["position"], *(end for _, end in spans if end < position)])


def takes(discard: Discard, edit: Item, new: Set[str], root: str) -> bool:
    """Whether the command is for the edit's file; a `new` one no command takes that does not name it."""
    path = whole_path(edit["path"], root)
    return path in discard["paths"] or (
        edit["path"] not in new and any(path.startswith(folder) for folder in discard["folders"]))


def discards_of(actions: Sequence[Item], base: str) -> list[Discard]:
    """The calls of git that made files what is committed or in the index, the oldest first."""
    discards: list[Discard] = []
    for ending in endings_of(actions):
        if not has_ended_well(ending) or not any(verb in ending["text"] for verb in DISCARDING_VERBS):
            continue
        for call in calls_before_commit(calls_on_changes(ending["text"])):
            folder = whole_path(call["folder"], base)
            if call["verb"] == "reset" and "--hard" in call["arguments"]:
                discards.append(new_discard(ending, call, [with_end_slash(folder)]))
            elif call["verb"] in ("checkout", "restore") and not NOT_DISCARDING & {*call["arguments"]}:
                named = [(name, whole_path(name, folder)) for name in names_of_files(call)]
                folders = [with_end_slash(path) for name, path in named if may_be_folder(name, call)]
                discards.append(new_discard(ending, call, folders, [path for _, path in named]))
    return discards


def new_discard(ending: Ending, call: GitCall, folders: list[str], paths: Sequence[str] = ()) -> Discard:
    """What a call took back: all below the folders, and the files at the paths."""
    words = call["arguments"]
    names_commit = "HEAD" in words or bool("--" in words and without_options(words[:words.index("--")]))
    has_source = any(word.startswith(OTHER_SOURCE) for word in words) and call["verb"] == "restore"
    is_of_index = call["verb"] in ("checkout", "restore") and not (names_commit or has_source)
    return {"command": " ".join(["git", call["verb"], *words]), "last": ending["last"],
            "position": ending["position"], "folders": folders, "paths": [*paths], "is_of_index": is_of_index,
            "is_stash": False}


def stashes_left(stashes: Sequence[Stash], base: str) -> list[Discard]:
    """The stashes of all changes that no command put back."""
    return [{"command": "git stash", "last": stash["last"], "position": stash["position"],
             "folders": [with_end_slash(whole_path(stash["folder"], base))], "paths": [], "is_of_index": False,
             "is_stash": True}
            for stash in stashes if stash["is_whole"] and stash["put_back"] == NOT_BACK
            and any(call["verb"] == "stash" for call in calls_before_commit(git_calls(stash["command"])))]


def calls_before_commit(calls: Iterable[GitCall]) -> list[GitCall]:
    """The calls of git in a line up to a commit: what was edited before the line no later call takes back."""
    return [*takewhile(lambda call: call["verb"] != "commit", calls)]


def names_of_files(call: GitCall) -> list[str]:
    """The arguments that may be files or folders: those behind `--` where it has that."""
    words = call["arguments"]
    return [word.strip("\"'") for word in (words[words.index("--") + 1:] if "--" in words else without_options(words))]


def may_be_folder(name: str, call: GitCall) -> bool:
    """Whether the argument may name a folder; of a checkout without `--` a word is a branch's name sooner."""
    return name.endswith(("/", ".")) or "--" in call["arguments"] or call["verb"] == "restore"


def edit_key(edit: Item) -> EditKey:
    """The position of the edit, and its file: two of one message share their position."""
    return edit["position"], edit["path"]


def with_taken_back(items: Sequence[Item], back: Mapping[EditKey, Discard]) -> list[Item]:
    """The items, of edits that were taken back with the command that did so, and where it stands."""
    discards = [back.get(edit_key(item)) if is_file_edit(item) else None for item in items]
    return [{**item, "taken_back": discard["command"], "taken_back_at": discard["position"]} if discard else item
            for item, discard in zip(items, discards)]


def with_spans_away(items: Sequence[Item], events: Sequence[GitEvent], root: str) -> list[Item]:
    """The items, of edits that a stash had for a while with from where to where that was; `items` are actions."""
    stashes = stashes_of(items)
    commits = commit_positions(items, events, root) if stashes else []
    spans = [spans_away(item["position"], stashes, commits) if is_file_edit(item) else [] for item in items]
    return [{**item, "away": of_item} if of_item else item for item, of_item in zip(items, spans)]


def with_known_discards(items: Sequence[Item], actions: Sequence[Item], state: Mapping[str, str]) -> list[Item]:
    """The items, of edits that were taken back with the command that did so, by what the session's actions tell.

    `actions` are its actions, as seen from the folder that it works in now.
    """
    root, folder = text_of(state, "root"), text_of(state, "cwd")
    return with_taken_back(items, taken_back(actions, marked_events(actions, root), root, folder))


def files_taken_back(actions: Sequence[Item], back: Mapping[EditKey, Discard]) -> dict[str, Discard]:
    """By its path each file of which no edit stands, with the command that took back the last of them."""
    files: dict[str, Discard] = {}
    for edit in actions:
        if is_file_edit(edit) and edit_key(edit) in back:
            files[edit["path"]] = back[edit_key(edit)]
    standing = {edit["path"] for edit in actions if is_file_edit(edit) and edit_key(edit) not in back}
    return {path: discard for path, discard in files.items() if path not in standing}


def edits_between(actions: Sequence[Item], files: Mapping[str, Discard]) -> list[tuple[str, int, int]]:
    """The path of each of these files, the positions of its first edit and of the command that took back the last."""
    first: dict[str, int] = {}
    for edit in filter(is_file_edit, actions):
        first[edit["path"]] = min(edit["position"], first.get(edit["path"], edit["position"]))
    return [(path, first[path], discard["position"]) for path, discard in files.items()]
