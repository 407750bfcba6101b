"""What was done in another folder than the session works in now, with that folder."""

from __future__ import annotations

import re
from collections.abc import Iterable

from compact_keeper.client.tools import SHELL_TOOLS
from compact_keeper.record.commands.shell import goes_to_whole_path
from compact_keeper.text.paths import is_whole_path
from compact_keeper.types import Item

NOT_IN_A_WORD = r"[\s\"'$&;|()<>*?\\]"
SEEN_FROM_ELSEWHERE = ("$", "../")  # how a path begins that is neither whole nor below the session's first folder


def seen_from_folder(items: Iterable[Item], root: str, folder: str) -> list[Item]:
    """The items; what was done in another folder than the session works in now with that folder.

    A `find app` had come back with "no such folder" though it was there: the shell had been in a folder below.
    """
    root, folder = root.rstrip("/"), folder.rstrip("/")
    items = [with_change_of_folder(item, root, folder) for item in items]
    return items if root == folder else [with_whole_path(item, root) for item in items]


def with_change_of_folder(item: Item, root: str, folder: str) -> Item:
    """The item; a command that ran in another folder than this one behind the change into it."""
    ran_in = item.get("folder", root).rstrip("/")
    is_command = item["kind"] in ("action", "look") and item.get("tool") in SHELL_TOOLS
    if not is_command or not ran_in or ran_in == folder or goes_to_whole_path(item["text"]):
        return item
    word = f'"{ran_in}"' if re.search(NOT_IN_A_WORD, ran_in) else ran_in
    return {**item, "text": f"cd {word} && {item['text']}"}


def with_whole_path(item: Item, root: str) -> Item:
    """The item; a look at a file that is named as seen from the root with the file's whole path."""
    path = item.get("path", "")
    if item["kind"] != "look" or not path or is_whole_path(path) or path.startswith(SEEN_FROM_ELSEWHERE):
        return item
    whole = f"{root}/{path}"
    return {**item, "path": whole, "text": whole if item["text"] == path else item["text"]}
