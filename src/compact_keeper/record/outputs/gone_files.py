"""What an `ls` of just one folder has not: files written before it, which someone took away, and written after it.

Six files of a session stood as written, in a folder that its own `ls` had shown to be empty since.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence

from compact_keeper.client.tools import SHELL_TOOLS
from compact_keeper.record.items import is_file_edit
from compact_keeper.record.outputs.telling_rows import ROW_END, ROWS_BETWEEN
from compact_keeper.text.paths import whole_path, with_slashes
from compact_keeper.types import Item

BARE_LS = (  # of one folder, with no option that lists others or sorts some out; nothing behind it
    r"(?:cd (?P<moved>\"[^\"$]{1,300}\"|'[^']{1,300}'|[^\s;&|$*]{1,300}) && )?"
    r"ls(?P<options>(?: -[aAhlrStF1]{1,8}){0,4})"
    r"(?: (?P<folder>\"[^\"$*]{1,300}\"|'[^'*]{1,300}'|[^\s;&|$*<>\"'-][^\s;&|$*<>\"']{0,300}))?(?: 2>&1)?$")
SUM_ROW, ITSELF_OR_ABOVE = r"\S{1,12} [\d.,]{1,12}[KMG]?$", r"d[rwx-]{9}.{1,200} \.{1,2}/?$"
ROW_OF_MODES, SIZE_BEHIND = "[dl-][rwxst-]{9}", r" \([\d.,]{1,15}[KMGT]?\)$"
MOVES = r"\b(?:mv|move|ren|rename|Move-Item|Rename-Item) "  # a file that such a command names is there by another name
LIST_MARKS = "*/@"  # behind a name


def gone_when_listed(items: Sequence[Item], root: str) -> list[tuple[Item, list[str]]]:
    """Each listing of a folder with the written files that it lacks, by name, the newest first; none written since."""
    written = {whole_path(item["path"], root): item["position"] for item in items if is_file_edit(item)}
    listings: dict[str, Item] = {}
    for look in items:
        folder = folder_listed(look, root) if written else ""
        if folder:
            listings[folder] = look
    moves = [item["text"] for item in items if item["kind"] == "action" and re.search(MOVES, item["text"])]
    gone: list[tuple[Item, list[str]]] = []
    for folder, look in listings.items():
        names = names_listed(look)
        lacking = [posixpath.basename(path) for path, position in written.items()
                   if posixpath.dirname(path) == folder and position < look["position"]]
        lacking = [name for name in lacking if names is not None and name not in names
                   and (shows_hidden(look) or not name.startswith(".")) and not any(name in move for move in moves)]
        if lacking:
            gone.append((look, lacking))
    return sorted(gone, key=lambda listed: -listed[0]["position"])


def listed_before_more_came(items: Sequence[Item], root: str) -> set[int]:
    """The positions of listings of a folder in which the session wrote, after that, what the listing has not."""
    written = [(whole_path(item["path"], root), item["position"]) for item in items if is_file_edit(item)]
    positions = set[int]()
    for look in items:
        folder = folder_listed(look, root) if written else ""
        names = names_listed(look) if folder else None
        below = f"{folder}/"
        if names is not None and any(
                path.startswith(below) and path[len(below):].partition("/")[0] not in names
                for path, position in written if position > look["position"]):
            positions.add(look["position"])
    return positions


def folder_listed(look: Item, root: str) -> str:
    """The whole path of the folder that a command lists and nothing else; empty: it is another command."""
    is_command = look["kind"] == "look" and look["tool"] in SHELL_TOOLS and "ls" in look["text"]
    match = re.match(BARE_LS, look["text"]) if is_command else None
    if not match:
        return ""
    moved, folder = (with_slashes((word or "").strip("\"'")) for word in (match["moved"], match["folder"]))
    if moved.startswith("~") or folder.startswith("~"):
        return ""
    at = whole_path(moved, look.get("folder", "") or root) if moved else look.get("folder", "") or root
    return whole_path(folder or at, at)


def shows_hidden(look: Item) -> bool:
    """Whether the listing has files that begin with a dot."""
    match = re.match(BARE_LS, look["text"])
    return match is not None and re.search("[aA]", match["options"]) is not None


def names_listed(look: Item) -> set[str] | None:
    """The names in a listing; None where it is not known whole, or is none of a folder."""
    rows = look["result"].split(ROW_END) if look["result"] else []
    if not rows:
        return set() if look.get("is_silent") else None
    names = set[str]()
    for index, row in enumerate(rows):
        if (index == 0 and re.match(SUM_ROW, row)) or re.match(ITSELF_OR_ABOVE, row):
            continue
        name = re.sub(SIZE_BEHIND, "", row).rstrip(LIST_MARKS)
        if ROWS_BETWEEN in row or "/" in name or not name or re.match(ROW_OF_MODES, row) or ": " in row:
            return None
        names.add(name)
    return names
