"""The repository that a folder is in: its branch, commit and working tree, read from .git; git itself is not started.

Only regular files are read, each up to a bound. One call of the system on a network file system that hangs cannot be
cut short: no number here helps against that.
"""

from __future__ import annotations

import os
import re
from itertools import islice

from compact_keeper.store.disk import beginning, time_of_change
from compact_keeper.types import RepositoryState

GIT_LINE_MAX_BYTES = 4_096  # of HEAD, a ref, commondir, a .git that is a file
PACKED_REFS_MAX_BYTES = 16 << 20
BRANCHES_LOOKED_AT_MAX, BRANCHES_MAX = 2_000, 12  # files below refs/heads; those that are read
SYMREFS_MAX = 5  # refs that name another ref, one after the other; git stops there too
REF_OF_REFTABLE = "refs/heads/.invalid"  # what HEAD names for older readers where refs are kept as reftable


def repository(folder: str) -> RepositoryState:
    """Branch, commit and working tree of the folder's repository; empty outside of one.

    Without a branch HEAD is detached; without a commit there is none yet; with neither git keeps its refs in a form
    that is not read here (reftable). A name is handed on as it stands there: whoever prints it cleans it.
    """
    top, git = git_folder(folder)
    if not git:
        return {}
    common = first_line(os.path.join(git, "commondir"))  # only a linked worktree has it: its refs are elsewhere
    ref, commit = ref_and_commit(os.path.join(git, common), first_line(os.path.join(git, "HEAD")))
    if not ref and not commit:
        return {}
    branch = "" if ref == REF_OF_REFTABLE else ref.partition("refs/heads/")[2]
    return {"branch": branch, "head": commit, "worktree": top}


def git_folder(folder: str) -> tuple[str, str]:
    """The top of the repository that the folder is in, and git's own folder for it; both empty outside of one."""
    top = folder
    while not (os.path.isabs(top) and os.path.exists(os.path.join(top, ".git"))):
        above = os.path.dirname(top)
        if above == top:
            return "", ""
        top = above
    git = os.path.join(top, ".git")
    elsewhere = first_line(git).partition("gitdir: ")[2]  # in a linked worktree or a submodule .git is a file
    return top, os.path.join(top, elsewhere or git)


def ref_and_commit(git: str, head: str) -> tuple[str, str]:
    """The ref that HEAD's line leads to, empty when it is detached, and the commit, empty when there is none."""
    ref = ""
    for _ in range(SYMREFS_MAX):
        if not re.match(r"ref: *refs/(?!.*\.\.)", head):
            break
        ref = head[4:].strip()
        head = first_line(os.path.join(git, ref)) or packed_commit(git, ref)
    return ref, head if re.fullmatch("[0-9a-f]{40}|[0-9a-f]{64}", head) else ""


def project_top(folder: str) -> str:
    """The top folder of the project that the folder is in: of a repository's worktrees the first one's, or itself.

    A worktree counts as one where its repository names it, too. A repository of the person's whole home is no project.
    """
    top, git = git_folder(folder)
    if not git or os.path.realpath(top) == os.path.realpath(os.path.expanduser("~")):
        return folder
    common = os.path.normpath(os.path.join(git, first_line(os.path.join(git, "commondir"))))
    worktree = os.path.join(git, first_line(os.path.join(git, "gitdir")))  # as a linked one's folder names it
    if common == os.path.normpath(git) or os.path.realpath(worktree) != os.path.realpath(os.path.join(top, ".git")):
        return os.path.realpath(top)
    is_beside_files = os.path.basename(common) == ".git"  # else the repository has worktrees alone
    return os.path.realpath(os.path.dirname(common) if is_beside_files else common)


def project_folders(folder: str) -> tuple[str, str]:
    """The folders whose pins hold in a session of this one: itself, as older pins name it, and its project's top."""
    return folder, project_top(folder)


def branches_since(git: str, start: float) -> dict[str, str]:
    """The commit of each branch whose ref was written since the start, by the branch's name, the newest first.

    Of a branch whose ref git has packed since nothing is known. `git` is the folder that the worktrees share.
    """
    if "\0" in git:
        return {}
    top = os.path.join(git, "refs", "heads")
    paths = (os.path.join(folder, file) for folder, _, files in os.walk(top) for file in files)
    written = [(time_of_change(path), path) for path in islice(paths, BRANCHES_LOOKED_AT_MAX)]
    branches = [os.path.relpath(path, top).replace(os.sep, "/")
                for changed, path in sorted(written, reverse=True) if changed >= start]
    commits = {branch: ref_and_commit(git, f"ref: refs/heads/{branch}")[1] for branch in branches[:BRANCHES_MAX]}
    return {branch: commit for branch, commit in commits.items() if commit}


def packed_commit(git: str, ref: str) -> str:
    """The commit of a ref in packed-refs; empty when the ref is not there."""
    text = beginning(os.path.join(git, "packed-refs"), PACKED_REFS_MAX_BYTES)
    before, name, _ = text.partition(f" {ref}\n".encode())
    return before.rpartition(b"\n")[2].decode("utf-8", "replace") if name else ""


def first_line(path: str) -> str:
    """The file's first line; empty when it cannot be read."""
    return beginning(path, GIT_LINE_MAX_BYTES).partition(b"\n")[0].decode("utf-8", "replace").strip()
