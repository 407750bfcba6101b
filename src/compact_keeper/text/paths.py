"""A file's path in one form, whatever system it comes from."""

from __future__ import annotations

import re

WINDOWS_PATH = r"[A-Za-z]:\\|\\\\\w"  # how one begins that backslashes part


def with_slashes(path: str) -> str:
    """The path; of Windows with slashes, which its programs take too: name, folder and root are found by them.

    With backslashes ten files of six folders had stood as one row of whole paths, without a word of what is in them.
    """
    return path.replace("\\", "/") if "\\" in path and re.match(WINDOWS_PATH, path) else path


def forms_of_folder(folder: str) -> list[str]:
    """How a text may begin the paths below a folder: with slashes, of Windows with backslashes, and as Git's shell."""
    whole = with_slashes(folder).rstrip("/") + "/"
    if not re.match(r"[A-Za-z]:/", whole):
        return [whole]
    return [whole, whole.replace("/", "\\"), f"/{whole[0].lower()}{whole[2:]}"]
