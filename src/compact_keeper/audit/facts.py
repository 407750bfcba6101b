"""What git and the disk say now of what a summary names."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

from compact_keeper.machine.git_now import git_now
from compact_keeper.record.summary.file_claims import paths_in
from compact_keeper.types import Facts, Item

GIT_MAX_SECONDS = 0.2  # PostCompact is waited for
PATHS_LOOKED_AT_MAX = 40  # that are looked at


def facts_for(summary: str, folder: str, since: str, items: Sequence[Item]) -> Facts:
    """Git's state in the folder, with the commits after `since`; whether files exist that the summary calls so."""
    known = {str(item["path"]) for item in items if item.get("path")}
    files = {path: exists(folder, known, path) for path in paths_in(summary)[:PATHS_LOOKED_AT_MAX]}
    return {"git": git_now(folder, since, GIT_MAX_SECONDS) if folder else {}, "files": files}


def exists(folder: str, known: Iterable[str], path: str) -> bool | None:
    """Whether the file exists; None where its place is not sure: told from a folder below, or of several."""
    places = [place for place in known if place.endswith(f"/{path}")]
    place = places[0] if places else os.path.normpath(os.path.join(folder, path))
    if len(places) > 1 or not os.path.isabs(place) or not os.path.isdir(folder):
        return None
    if os.path.lexists(place):
        return True
    top = path.partition("/")[0]
    is_sure = bool(places) or (top != path and os.path.isdir(os.path.join(folder, top)))
    return False if is_sure else None
