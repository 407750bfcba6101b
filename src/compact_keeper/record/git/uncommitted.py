"""Edited files that are in no commit, as far as the session's commands make that certain."""

from __future__ import annotations

import re
from collections.abc import Sequence

from compact_keeper.client.call_output import KEPT_BY_CLIENT
from compact_keeper.record.commands.programs import OTHER_VERSION_CONTROL, SELDOM_FAILING
from compact_keeper.record.commands.removed_paths import paths_taken_away
from compact_keeper.record.commands.shell import PIPES, pieces_of, program_in
from compact_keeper.record.endings import END_NOT_KNOWN, endings_of, has_ended_well
from compact_keeper.record.git.events import OUTSIDE
from compact_keeper.record.git.marked_events import has_push, says_push_refused
from compact_keeper.record.git.parsed_calls import git_calls, has_call
from compact_keeper.record.git.stashes import NOT_BACK, calls_on_changes, spans_away, stashes_all, stashes_of
from compact_keeper.record.git.taken_in import may_take_in_others, words_naming
from compact_keeper.record.items import edits_newest_first
from compact_keeper.record.outcomes.git_output import is_key_file
from compact_keeper.record.outputs.telling_rows import ROW_END
from compact_keeper.text.holding import holds_any
from compact_keeper.text.length import is_cut_text
from compact_keeper.text.paths import from_root, is_at_or_below, is_below, is_whole_path, may_name
from compact_keeper.types import Ending, GitEvent, Item, SeenStatus

RESETS_ALL = r"\bgit (?:reset --hard|(?:checkout|restore) \.)"  # to what is committed
NAMES_FILES = r"\bgit |\brm |\bmv "
WHOLE_STATUS = r"git status(?: (?:--short|-sb?|-b|--branch|--porcelain|-u\w*|2>&1))*$"
UNDOING = r"\brm |\bgit (?:checkout|restore) "  # of the files that the command names
DRY_RUN = "--dry-run"
COMMITS_QUIETLY = r"-[a-z]*q|--quiet$"
NOWHERE = "/dev/null"
SELDOM_FAILING_VERBS = frozenset(("add", "status", "log", "diff", "show", "rev-parse"))
HEADS_OF_STATUS = ("On branch ", "Your branch ")  # rows that name no path


def uncommitted(actions: Sequence[Item], events: Sequence[GitEvent], root: str, status: SeenStatus | None) -> list[str]:
    """The files below `root` that were edited after the last commit and not taken back, the newest first.

    `events` are the marked ones of these actions. `status` is git's, where it was seen whole: what was edited before
    and is not named there is in a commit, whoever made that.
    """
    commands = [action for action in actions if not action.get("path") and has_ended_well(action)]
    resets = [command["position"] for command in commands if resets_all(command["text"])]
    stashes = [stash for stash in stashes_of(actions) if is_below(stash["folder"], root)]
    borders = [*resets, *commit_positions(actions, events, root)]
    since = max([-1, *borders])
    undoing = [(command["position"], command["text"].split()) for command in commands
               if re.search(UNDOING, command["text"])]
    removed = removals(commands, root)
    paths = list[str]()
    for edit in edits_newest_first(actions):
        path, spans = from_root(edit["path"], root), spans_away(edit["position"], stashes, borders)
        position = spans[-1][1] if spans else edit["position"]  # where it came into the working tree last
        is_gone = position == NOT_BACK or position <= since or any(
            later > position and path in words for later, words in undoing) or is_removed(path, position, removed)
        is_here = is_below(edit["path"], root) and not path.startswith(OUTSIDE)
        if is_here and not is_gone and not is_clean(path, position, status):
            paths.append(path)
    return [*dict.fromkeys(paths)]


def are_committed_otherwise(actions: Sequence[Item]) -> bool:
    """Whether another program than git keeps the repository's versions: which files are in a commit only it says.

    With jj ten files stood as edited and in no commit that were committed, pushed and released.
    """
    return any(program_in(piece) in OTHER_VERSION_CONTROL for action in actions
               if not action.get("path") for piece, _ in pieces_of(action["text"]))


def commit_positions(actions: Sequence[Item], events: Sequence[GitEvent], root: str = "") -> list[int]:
    """Where in the session commits were made below the root, as git said or as far as nothing speaks against it."""
    seen = [event["position"] for event in events
            if event["what"] == "commit" and not event["replaced"] and is_below(event["folder"], root)]
    return [*seen, *(ending["position"] for ending in endings_of(actions) if may_commit_unseen(ending, root))]


def may_commit_unseen(ending: Ending, root: str) -> bool:
    """Whether a command may have committed below the root, and says of no commit: `git commit -q`."""
    if "commit" not in ending["text"] or ending.get("commit"):
        return False
    return (has_ended_well(ending) or may_fail_beside_commit(ending)) and commits_below(ending["text"], root)


def commits_below(command: str, root: str) -> bool:
    """Whether the command has a call of git that commits below the root."""
    commits = [call for call in git_calls(command) if call["verb"] == "commit"] if "commit" in command else []
    return any(DRY_RUN not in call["arguments"] and is_below(call["folder"], root) for call in commits)


def has_commit_without_end(actions: Sequence[Item], events: Sequence[GitEvent], root: str) -> bool:
    """Whether behind the last commit below the root a command commits of which nobody knows how it ended."""
    since = max([-1, *commit_positions(actions, events, root)])
    return any(ending["position"] > since and ending["verdict"] in END_NOT_KNOWN and not ending.get("commit")
               and commits_below(ending["text"], root) for ending in endings_of(actions))


def may_fail_beside_commit(ending: Ending) -> bool:
    """Whether what failed in a line may be another of its commands than its commit, which printed nothing of itself.

    `git commit -qm x && git push` fails with the push: an edit that stands in that commit had been told as taken back.
    """
    if ending["verdict"] == "not run":
        return False
    pieces = pieces_of(ending["text"])
    for index, (piece, sign) in enumerate(pieces):
        if not is_hidden_commit(piece, sign):
            continue
        begin, behind = first_of_chain(pieces, index), [other for other, _ in pieces[index + 1:]]
        beside = [*(other for other, _ in pieces[:begin]), *behind]
        if any(map(may_fail, beside)) and not any(may_fail(other) for other, _ in pieces[begin:index]):
            return True
        if says_push_refused(ending) and any(map(has_push, behind)):
            return True
    return False


def is_hidden_commit(piece: str, sign: str) -> bool:
    """Whether the command, with this sign behind it, commits and shows nothing of that, or may show nothing."""
    commits = [call for call in git_calls(piece) if call["verb"] == "commit"] if "commit" in piece else []
    is_away = sign in PIPES or NOWHERE in piece
    return any(is_away or any(re.match(COMMITS_QUIETLY, word) for word in call["arguments"]) for call in commits)


def may_fail(piece: str) -> bool:
    """Whether a command of a line is one that fails more than seldom."""
    program, calls = program_in(piece), git_calls(piece)
    return program not in SELDOM_FAILING and not (calls and all(call["verb"] in SELDOM_FAILING_VERBS for call in calls))


def first_of_chain(pieces: Sequence[tuple[str, str]], index: int) -> int:
    """The index of the first of the commands that must all succeed for the one at `index` to run."""
    while index and pieces[index - 1][1] == "&&":
        index -= 1
    return index


def resets_all(command: str) -> bool:
    """Whether the command makes all files what is committed, and no stash of its own has their changes meanwhile."""
    if "git " not in command or not re.search(RESETS_ALL, command):
        return False
    return any(re.match(RESETS_ALL, " ".join(["git", call["verb"], *call["arguments"]]))
               for call in calls_on_changes(command))


def is_clean(path: str, position: int, status: SeenStatus | None) -> bool:
    """Whether a status that was seen after the edit at this position does not name its file."""
    if status is None or position >= status["position"]:
        return False
    return not any(may_name(name, path) for name in status["paths"])


def status_seen(looks: Sequence[Item]) -> SeenStatus | None:
    """The newest `git status` that was seen whole; None: none was."""
    for look in reversed(looks):
        result = look.get("result", "")
        has_quoted_path = ' "' in result  # with other letters, written as numbers
        is_cut = not result or is_cut_text(result) or has_quoted_path
        if not is_cut and look["text"].startswith("git status") and re.match(WHOLE_STATUS, look["text"]):
            rows = [row.strip() for row in result.split(ROW_END)]
            paths = [row.split()[-1] for row in rows if row and not row.startswith(HEADS_OF_STATUS)]
            return {"position": look["position"], "paths": paths}
    return None


def never_added(actions: Sequence[Item], events: Sequence[GitEvent], root: str) -> list[str]:
    """The edited files that no `git add` named since though commits followed, the newest first.

    Of edits behind the last command that may have put files into a commit without their names: of everything, of a
    pattern, of a choice by hand. No file of keys: git is mostly told to ignore it. `events` has the newest first.
    """
    commands = [action for action in actions if not action.get("path") and re.search(NAMES_FILES, action["text"])]
    since = last_without_names(commands, events)
    commits = [event for event in events
               if event["what"] == "commit" and not event["replaced"] and event["position"] > since]
    if not commits or may_hold_others(commits, commands, since):
        return []
    words = [(command["position"], word) for command in commands for word in words_naming(command["text"])]
    removed, paths = removals(commands, root), list[str]()
    for path, position in first_edits([action for action in actions if action["position"] > since]):
        short = from_root(path, root)
        has_commit_behind = position < commits[0]["position"]
        is_named_behind = any(later > position and may_name(word, short) for later, word in words)
        is_gone = is_removed(short, position, removed)
        is_left_out = is_named_behind or is_gone or is_key_file(short)
        if has_commit_behind and not is_left_out and is_in_tree(path, root):
            paths.append(short)
    return paths


def removals(commands: Sequence[Item], root: str) -> list[tuple[int, str]]:
    """Where commands removed or moved a path below the root, and that path as seen from it."""
    return [(command["position"], path) for command in commands
            for paths in paths_taken_away(command["text"], root, command.get("folder", "")) for path in paths]


def is_removed(path: str, position: int, removed: Sequence[tuple[int, str]]) -> bool:
    """Whether the file, or a folder above it, was removed or moved after that position.

    Nine files of a folder that was removed whole had stood as edited and not added.
    """
    return any(later > position and is_at_or_below(path, gone) for later, gone in removed)


def first_edits(actions: Sequence[Item]) -> list[tuple[str, int]]:
    """Each edited path with the position of its first edit, that which was edited first last."""
    first = {edit["path"]: edit["position"] for edit in edits_newest_first(actions)}  # the first comes last, and stays
    return sorted(first.items(), key=lambda edit: -edit[1])


def edited_elsewhere(actions: Sequence[Item], root: str) -> list[str]:
    """The edited files outside of the root, each once, without temporary ones and plans and notes of the client's."""
    return [path for path, _ in first_edits(actions)
            if not is_below(path, root) and not path.startswith(OUTSIDE) and not holds_any(path, KEPT_BY_CLIENT)]


def is_in_tree(path: str, root: str) -> bool:
    """Whether the file lies below the root, and its name is whole, nothing hidden in it."""
    short = from_root(path, root)
    return not (is_whole_path(short) or path.startswith(OUTSIDE) or "redacted" in short.lower())


def last_without_names(commands: Sequence[Item], events: Sequence[GitEvent]) -> int:
    """Where in the session the last command stands behind which files may be committed or gone without their names.

    Of everything, a merge or rebase, a stash that was left, a reset. -1 where there is none.
    """
    left = {stash["position"] for stash in stashes_of(commands) if stash["put_back"] == NOT_BACK}
    positions = [event["position"] for event in events if event["what"] == "history"]
    positions += [command["position"] for command in commands
                  if may_take_in_others(command["text"], git_calls(command["text"])) or resets_all(command["text"])
                  or (command["position"] in left and stashes_all(command["text"]))]
    return max(positions, default=-1)


def may_hold_others(commits: Sequence[GitEvent], commands: Sequence[Item], since: int) -> bool:
    """Whether one of the commits behind that position may hold files that no command named: without an `add` before."""
    added = [command["position"] for command in commands
             if has_call(command["text"], "add")]
    before = since - 1
    for commit in reversed(commits):
        if not commit["amends"] and not any(before < position <= commit["position"] for position in added):
            return True  # somebody else put into the index what it holds
        before = commit["position"]
    return False
