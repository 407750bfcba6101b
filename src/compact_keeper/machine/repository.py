"""(docstring)"""

from __future__ import annotations

import os
import re

from compact_keeper.store.disk import beginning
from compact_keeper.types import Record

GIT_LINE_MAX_BYTES, PACKED_REFS_MAX_BYTES = 4_096, 16 << 20  # of a small file of git; of packed-refs
NO_REF = "refs/heads/.invalid"  # what HEAD names for older readers where refs are kept as reftable
SYMREFS = 5  # refs that name another ref, one after the other; git stops there too


def repository(folder: str) -> Record:
    """Branch, commit and working tree of the folder's repository, as .git tells them; empty outside of one.

    Without a branch HEAD is detached; without a commit there is none yet; with neither git keeps its refs in a form
    that is not read here (reftable). A name is told as it stands there: whoever prints it cleans it.
    """
    top, git = git_folder(folder)
    if not git:
        return {}
    common = first_line(os.path.join(git, "commondir"))
    ref, commit = resolved(os.path.join(git, common), first_line(os.path.join(git, "HEAD")))
    if not ref and not commit:
        return {}
    branch = "" if ref == NO_REF else ref.partition("refs/heads/")[2]
    return {"branch": branch, "head": commit, "worktree": top, "linked": bool(common)}


def git_folder(folder: str) -> tuple[str, str]:
    """The top of the repository that the folder is in, and git's own folder for it; both empty outside of one."""
    top = folder
    while not (os.path.isabs(top) and os.path.exists(os.path.join(top, ".git"))):
        top, below = os.path.dirname(top), top
        if top == below:
            return "", ""
    git = os.path.join(top, ".git")
    return top, os.path.join(top, first_line(git).partition("gitdir: ")[2] or git)  # a file in a worktree or submodule


def resolved(git: str, head: str) -> tuple[str, str]:
    """The ref that HEAD's line leads to, empty when it is detached, and the commit, empty when there is none."""
    ref = ""
    for _ in range(SYMREFS):
        if not re.match(r"ref: *refs/(?!.*\.\.)", head):
            break
        ref = head[4:].strip()
        head = first_line(os.path.join(git, ref)) or packed(git, ref)
    return ref, head if re.fullmatch("[0-9a-f]{40}|[0-9a-f]{64}", head) else ""


def packed(git: str, ref: str) -> str:
    """The commit of a ref in packed-refs; empty when it is not there."""
    before, found, _ = beginning(os.path.join(git, "packed-refs"), PACKED_REFS_MAX_BYTES).partition(f" {ref}\n".encode())
    return before.rpartition(b"\n")[2].decode("utf-8", "replace") if found else ""


def first_line(path: str) -> str:
    """The file's first line; empty when it cannot be read."""
    return beginning(path, GIT_LINE_MAX_BYTES).partition(b"\n")[0].decode("utf-8", "replace").strip()
