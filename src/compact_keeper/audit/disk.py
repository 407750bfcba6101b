"""What the disk says now of a file that a summary names."""

from __future__ import annotations

import os
from collections.abc import Iterable


def exists(folder: str, known: Iterable[str], path: str) -> bool | None:
    """Whether the file exists; None where it is not sure which one it is: told from a folder below, or of several.

    `folder` is the working folder, `known` are the whole paths of the session's files.
    """
    candidates = {whole for whole in known if whole.endswith(f"/{path.lstrip('/')}")}
    whole = next(iter(candidates)) if candidates else os.path.normpath(os.path.join(folder, path))
    if len(candidates) > 1 or not os.path.isabs(whole) or not os.path.isdir(folder):
        return None
    if os.path.lexists(whole):
        return True
    # "/src/a.py" may mean the project's, and "/robots.txt" an address of it.
    top = os.path.dirname(path) if os.path.isabs(path) else path.partition("/")[0]
    is_sure = bool(candidates) or (top not in (path, "/") and os.path.isdir(os.path.join(folder, top)))
    return False if is_sure else None
