"""The section on working folder and repository: what is there now, and what this session's commands did to it.

What git said last, what the commands leave to guess of the state, and the branch that the client noted last, stand only
where git cannot be asked now.
"""

from __future__ import annotations

from compact_keeper.recap.lines.git import git_lines, taken_back_lines
from compact_keeper.recap.lines.git_status import last_status
from compact_keeper.recap.lines.repository import BRANCH_SHOWN_UTF16, repository_lines
from compact_keeper.recap.wording.paths import Paths
from compact_keeper.recap.wording.phrases import shared_line
from compact_keeper.record.git.state import own_commits_elsewhere, repositories_edited
from compact_keeper.text.fields import text_of
from compact_keeper.text.paths import are_apart, is_at_or_below
from compact_keeper.text.quotation import quote
from compact_keeper.types import Ago, Known, Line, Snapshot


def working_folder_lines(snapshot: Snapshot, known: Known, paths: Paths, ago: Ago) -> list[Line]:
    """All lines of the section, of a snapshot with completed items; `known`: what follows from these."""
    state, items = snapshot["state"], snapshot["items"]
    actions, events = known["actions"], known["events"]
    now_in_git = snapshot.get("present", {}).get("repository", {})
    folder = "" if text_of(snapshot, "agent") else text_of(state, "cwd")  # a subagent may work in another
    is_of_branch = folder and not are_apart(folder, paths.root)  # the client notes that of the session's first folder
    branch = text_of(state, "gitBranch") if is_of_branch and not now_in_git else ""
    branch = "" if branch == "HEAD" else branch  # detached, or no repository
    on_branch = f", on branch {quote(branch, BRANCH_SHOWN_UTF16)}" if branch else ""
    within = [name for name in repositories_edited(items, paths.root)
              if not is_at_or_below(folder, f"{paths.root}/{name}")] if folder else []
    each = "each " if len(within) > 1 else ""
    own = f"; edits lie in {', '.join(within)}, {each}a repository of its own with its own branch" if within else ""
    now = [shared_line(f"- working folder {folder}{on_branch}{own}")] if folder else []
    elsewhere = own_commits_elsewhere(now_in_git, actions, events)
    now += repository_lines(now_in_git, state, elsewhere, events)
    lines = git_lines(items, ago, paths, bool(now_in_git), events)
    lines += taken_back_lines(known["files_back"], ago, paths)
    if not now_in_git:
        lines += last_status(items, ago, folder, branch)
    return [*now, *lines]
