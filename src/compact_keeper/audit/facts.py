"""What git and the disk say now of what a summary names."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

from compact_keeper.machine.git_now import git_now
from compact_keeper.record.summary.file_claims import paths_in
from compact_keeper.types import Facts, Item

GIT_MAX_SECONDS, PATHS_LOOKED_AT_MAX = 0.2, 200  # PostCompact is waited for


def facts_for(summary: str, folder: str, since: str, items: Sequence[Item]) -> Facts:
    """Git's state in the folder, with the commits after `since`; which of the summary's files exist."""
    known: dict[str, set[str]] = {}
    for path in {item["path"] for item in items if item.get("path")}:
        known.setdefault(os.path.basename(path), set()).add(path)
    paths = [*dict.fromkeys(paths_in(summary).values())][:PATHS_LOOKED_AT_MAX]
    files = {path: exists(folder, known.get(os.path.basename(path), ()), path) for path in paths}
    return {"git": git_now(folder, since, GIT_MAX_SECONDS) if folder else {}, "files": files}


def exists(folder: str, known: Iterable[str], path: str) -> bool | None:
    """Whether the file exists; None where it is not sure which one it is: told from a folder below, or of several."""
    candidates = [whole for whole in known if whole.endswith(f"/{path.lstrip('/')}")]
    whole = candidates[0] if candidates else os.path.normpath(os.path.join(folder, path))
    if len(candidates) > 1 or not os.path.isabs(whole) or not os.path.isdir(folder):
        return None
    if os.path.lexists(whole):
        return True
    # "/src/a.py" may mean the project's, and "/robots.txt" an address of it.
    top = os.path.dirname(path) if os.path.isabs(path) else path.partition("/")[0]
    is_sure = bool(candidates) or (top not in (path, "/") and os.path.isdir(os.path.join(folder, top)))
    return False if is_sure else None
