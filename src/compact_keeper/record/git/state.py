"""What the session's commands leave of the repository's state: commits elsewhere, commits of others.

All of it only as far as the commands and their outputs make it certain, most of it where git itself cannot be asked.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set

from compact_keeper.record.commands.shell import pieces_of
from compact_keeper.record.endings import endings_of, has_ended_well
from compact_keeper.record.git.events import git_events
from compact_keeper.record.git.marked_events import BRANCH_NAME, branch_moved_to
from compact_keeper.record.git.parsed_calls import git_calls, names_in_call, same_commit
from compact_keeper.record.items import is_file_edit
from compact_keeper.record.outputs.gone_files import folder_listed
from compact_keeper.record.outputs.telling_rows import ROW_END
from compact_keeper.text.holding import has_word
from compact_keeper.text.paths import from_root, is_at_or_below, is_below, whole_path
from compact_keeper.types import CommitElsewhere, GitCall, GitEvent, GitNow, Item, LackingBranch, OthersCommits

OTHER_BRANCHERS = (
    r"\b(?:gh pr (?:checkout|merge)|git worktree|gt|jj|git branch -[fmMdD]|git symbolic-ref|git update-ref)\b")
ON_BRANCH = rf"(?:^|{ROW_END})On branch (\S{{1,200}})"
LOG_OF_HEAD = (
    r"git log(?: (?:-\d+|-n ?\d+|--oneline|--no-decorate|--first-parent|--format=%h %s|[\w./-]+\.\.HEAD|HEAD))*$")
ADDRESS_OF_REPOSITORY = r"\w+://\S+|[\w.-]+@[\w.-]+:\S+|[^-\s]\S*\.git/?$"
REMOVES_GIT_FOLDER = r"\b(?:rm|rmdir|rd|Remove-Item)\b.{0,200}\.git(?![\w.-])"
GIT_FOLDER = rf"(?:^|{ROW_END})\.git(?:/| \(|{ROW_END}|$)"  # in a listing
LOG_ROW = r"([0-9a-f]{7,40}) (.{1,110})"


class BranchContents:
    """Which of the session's commits each branch holds, as far as the events tell, and where the session stands.

    A branch holds what was committed there and what its start held; a merge, rebase, pull may have brought all others.
    What was pushed may have come back by any way.
    """

    def __init__(self, unpushed: Set[str]) -> None:
        """`unpushed` are the hashes of the commits that were certainly not pushed."""
        self.unpushed = unpushed
        self.current = ""  # empty: not known
        self.commits: dict[str, set[str]] = {}  # hashes, by branch

    def take(self, event: GitEvent) -> None:
        """What an event does to the branches."""
        made = {name for names in self.commits.values() for name in names}
        pushed = made - self.unpushed
        if event["what"] == "commit":
            if event["branch"] != self.current:  # another way led there: what it held is not known
                self.commits.setdefault(event["branch"], made)
            self.current = "" if event["branch"].startswith("detached") else event["branch"]
            self.commits.setdefault(self.current, set()).add(event["hash"])
        elif event["what"] == "branch":
            self.commits[event["branch"]] = {*self.at_start_of(event, made), *pushed}
            self.current = event["branch"]
        elif event["what"] == "moved":
            self.current = branch_moved_to(event)
        elif event["what"] == "history":
            self.commits.setdefault(self.current, set()).update(pushed if event["verb"] == "pull" else made)

    def at_start_of(self, event: GitEvent, made: Set[str]) -> Set[str]:
        """The commits that a new branch holds: those of where it starts; all of them where that is not known."""
        names = names_in_call(event)
        start = (names[1] if len(names) > 1 else self.current).removeprefix("origin/")
        return self.commits.get(start, set()) if re.fullmatch(BRANCH_NAME, start) else made


def missing_in_branch(actions: Sequence[Item], looks: Sequence[Item], events: Sequence[GitEvent],
                      root: str) -> LackingBranch | None:
    """The branch where the session stands with the unpushed commits that it lacks; None where none are certain."""
    commands = [action["text"] for action in actions if not action.get("path")]
    if any(re.search(OTHER_BRANCHERS, text) for text in commands):
        return None
    commits = [event for event in events if event["what"] == "commit"]
    contents = BranchContents({event["hash"] for event in commits if event["pushed"] == "no"})
    events = [event for event in git_events(actions, root) if is_below(event.get("folder", ""), root)]
    for event in events:
        contents.take(event)
    branch, last = contents.current, events[-1]["position"] if events else -1
    if not branch or "" in contents.commits or branch_seen(looks, last) not in ("", branch):
        return None
    holds = contents.commits.get(branch, set())
    lacking = [event for event in commits if event["pushed"] == "no" and event["branch"] != branch
               and event["hash"] not in holds and not event["replaced"] and not event.get("rebased")]
    return {"branch": branch, "lacking": lacking} if lacking else None


def repositories_edited(items: Sequence[Item], root: str) -> list[str]:
    """The folders below the root, as seen from it, that are repositories of their own and in which files were edited.

    The session cloned them there, or listed their `.git`. The root's branch had stood as that of a clone within it.
    """
    actions = [item for item in items if item["kind"] == "action"]
    if any(".git" in action["text"] and re.search(REMOVES_GIT_FOLDER, action["text"]) for action in actions):
        return []  # a clone that became part of the repository around it
    folders = [whole_path(name, whole_path(call["folder"], ending.get("folder", "") or root))
               for ending in endings_of(actions) if "clone" in ending["text"] and has_ended_well(ending)
               for call in git_calls(ending["text"]) if (name := folder_cloned(call))]
    folders += [folder_listed(item, root) for item in items
                if item["kind"] == "look" and ".git" in item["result"] and re.search(GIT_FOLDER, item["result"])]
    paths = [whole_path(item["path"], root) for item in filter(is_file_edit, actions)]
    below = [folder for folder in folders if folder and from_root(folder, root) != folder]
    edited = [folder for folder in below if any(is_at_or_below(path, folder) for path in paths)]
    return [*dict.fromkeys(from_root(folder, root) for folder in edited)]


def folder_cloned(call: GitCall) -> str:
    """The folder that a call of `git clone` makes; empty: the call is another, or that is not certain."""
    words = [word.strip("\"'") for word in call["arguments"]] if call["verb"] == "clone" else []
    begin = next((index for index, word in enumerate(words) if re.match(ADDRESS_OF_REPOSITORY, word)), None)
    if begin is None:
        return ""
    behind = words[begin + 1:] or [re.split("[/:]", words[begin].rstrip("/"))[-1].removesuffix(".git")]
    return "" if behind[0].startswith("-") else behind[0]


def own_commits_elsewhere(now: GitNow, actions: Sequence[Item], events: Sequence[GitEvent]) -> list[CommitElsewhere]:
    """Those of git's commits of other branches that the session made, the newest first.

    By the hash that git printed, or by the subject in a command that commits: `git commit -q` prints none. Others may
    work in the same repository, each on a branch of their own.
    """
    hashes = [event["hash"] for event in events if event["what"] == "commit"]
    commands = [action["text"] for action in actions if "git" in action["text"] and "commit" in action["text"]]
    return [(branch, name, subject) for branch, name, subject in now.get("elsewhere", [])
            if any(same_commit(name, other) for other in hashes)
            or any(has_word(command, subject) for command in commands)]


def branch_seen(looks: Sequence[Item], since: int) -> str:
    """The branch that the last `git status` behind that position in the session named; empty: none did."""
    seen = ""
    for look in looks:
        match = re.search(ON_BRANCH, look.get("result", "")) if look["position"] > since else None
        seen = match[1] if match else seen
    return seen


def commits_of_others(items: Sequence[Item], events: Sequence[GitEvent]) -> OthersCommits | None:
    """The commits behind the session's first one that no command of it made, as the newest `git log` showed them.

    None where a merge, pull or rebase may have brought them.
    """
    made = [event for event in events if event["what"] == "commit"]
    hashes = [event["hash"] for event in made]
    if not made or any(event["what"] == "history" and event["position"] > made[-1]["position"] for event in events):
        return None
    for item in sorted(items, key=lambda item: -item["position"]):
        if not shows_log(item):
            continue
        matches = [re.match(LOG_ROW, row) for row in item.get("result", "").split(ROW_END)]
        rows = [(match[1], match[2].strip()) for match in matches if match]
        is_own = [any(same_commit(name, other) for other in hashes) for name, _ in rows]
        own_indexes = [index for index, own in enumerate(is_own) if own]
        if own_indexes:  # the last of them is the session's oldest commit: what stands behind it was there before
            others = [rows[index] for index in range(own_indexes[-1]) if not is_own[index]]
            return {"look": item, "commits": others} if others else None
    return None


def shows_log(item: Item) -> bool:
    """Whether the command shows the log of HEAD as it is, and nothing else."""
    if "git log" not in item["text"]:
        return False
    pieces = [piece for piece, _ in pieces_of(item["text"]) if not piece.startswith(("cd ", "head"))]
    return len(pieces) == 1 and re.match(LOG_OF_HEAD, re.sub(r"[\"']", "", pieces[0])) is not None
