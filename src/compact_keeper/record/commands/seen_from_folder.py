"""What was done in another folder than the session works in now, with that folder."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import takewhile

from compact_keeper.client.tools import SHELL_TOOLS
from compact_keeper.record.commands.programs import WITH_FILES, WITH_FILES_BEHIND, WITHOUT_FILES
from compact_keeper.record.commands.shell import (
    goes_to_whole_path,
    pieces_of,
    program_of,
    shell_words,
    without_redirections,
)
from compact_keeper.text.holding import holds_any
from compact_keeper.text.paths import as_compared, is_whole_path
from compact_keeper.types import Item

NOT_IN_A_WORD = r"[\s\"'$&;|()<>*?\\]"
NAMES_ELSEWHERE = ("cd ", "$(", "`", "PWD")  # a line that may go somewhere itself, or names files in another command
INTO_FILE = r">\s*([^\s<>&]+)"
TAKES_NUMBER, BELOW_TOO = "-[ncABCm]", r"-\w*[rR]"  # options: with a number behind it; that looks into folders
FIND_BY = frozenset("-name -iname -type -maxdepth -mindepth -size -mtime -mmin -o -print -delete".split())
SEEN_FROM_ELSEWHERE = ("$", "../")  # how a path begins that is neither whole nor below the session's first folder


def seen_from_folder(items: Iterable[Item], root: str, folder: str) -> list[Item]:
    """The items; what was done in another folder than the session works in now with that folder.

    A `find app` had come back with "no such folder" though it was there: the shell had been in a folder below.
    """
    root, folder = root.rstrip("/"), folder.rstrip("/")
    items = [with_change_of_folder(item, root, folder) for item in items]
    return items if as_compared(root) == as_compared(folder) else [with_whole_path(item, root) for item in items]


def with_change_of_folder(item: Item, root: str, folder: str) -> Item:
    """The item; a command that ran in another folder than this one behind the change into it, where that counts."""
    ran_in = item.get("folder", root).rstrip("/")
    is_command = item["kind"] in ("action", "look") and item.get("tool") in SHELL_TOOLS
    if not is_command or not ran_in or as_compared(ran_in) == as_compared(folder) or goes_to_whole_path(item["text"]):
        return item
    if not counts_where_it_runs(item["text"]):
        return item
    word = f'"{ran_in}"' if re.search(NOT_IN_A_WORD, ran_in) else ran_in
    return {**item, "text": f"cd {word} && {item['text']}"}


def counts_where_it_runs(command: str) -> bool:
    """Whether a line may do another thing in another folder; not where it names whole paths alone.

    `cd web && ls /srv/rates/fees` had stood for a command that nobody typed so.
    """
    pieces = [] if holds_any(command, NAMES_ELSEWHERE) else pieces_of(command)
    return not pieces or not all(may_run_anywhere(piece) for piece, _ in pieces)


def may_run_anywhere(piece: str) -> bool:
    """Whether one command of a line certainly does the same wherever it runs."""
    words = shell_words(piece)
    program, rest = program_of(words), without_redirections(words)[1:]
    names = re.findall(INTO_FILE, piece)
    if program == "find":
        searched = [*takewhile(lambda word: not word.startswith("-"), rest)]
        if not searched or not FIND_BY.issuperset(word for word in rest if word.startswith("-")):
            return False
        names += searched
    elif program in WITH_FILES or program in WITH_FILES_BEHIND:
        behind = [word for before, word in zip([program, *rest], rest)
                  if not word.startswith("-") and not (word.isdigit() and re.fullmatch(TAKES_NUMBER, before))]
        if program in WITH_FILES_BEHIND:
            behind = behind[1:]
            if "-f" in rest:
                return False
        if not behind and (program in ("ls", "du") or any(re.match(BELOW_TOO, word) for word in rest)):
            return False
        names += behind
    elif program in WITHOUT_FILES:
        names += [word for word in rest if "*" in word and not word.startswith(("'", '"'))]
    else:
        return False
    if "/" in words[0]:
        names.append(words[0])
    return all(is_whole_path(name.strip("\"'")) for name in names)


def with_whole_path(item: Item, root: str) -> Item:
    """The item; a look at a file that is named as seen from the root with the file's whole path."""
    path = item.get("path", "")
    if item["kind"] != "look" or not path or is_whole_path(path) or path.startswith(SEEN_FROM_ELSEWHERE):
        return item
    whole = f"{root}/{path}"
    return {**item, "path": whole, "text": whole if item["text"] == path else item["text"]}
