"""The files of the project that a shell command wrote: by `> file`, by `tee file`, also with the text in the command.

Only names that stand there whole: none with a variable or a pattern in it, no output of a program kept in a log.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from compact_keeper.record.commands.shell import QUOTED_TEXT, commands_in_folders, program_of, shell_words
from compact_keeper.text.paths import from_root, whole_path, with_home

REDIRECTION = r"(?<![\d<>=\-&])(?:\b1|&)?>{1,2}\s*(?!&)(\"[^\"\n]{1,300}\"|'[^'\n]{1,300}'|[^\s;&|<>()\"']{1,300})"
UNNAMED = r"[$*?`{}\[\]…]|^-|^/dev/|^\d+$"
OUTPUT_ENDINGS = (".log", ".out", ".err", ".pid", ".tmp")
TEE_OPTION = "-"


def files_written(command: str, root: str) -> list[str]:
    """The files below `root` that the command writes, as seen from it; a name without a folder is taken as below it.

    A name in a folder that a `cd` of the line went to stands with that folder.
    """
    paths = list[str]()
    for piece, folder in commands_in_folders(command):
        for name in names_written(piece, shell_words(piece)):
            path = path_below(root, folder, name)
            if path and not path.endswith(OUTPUT_ENDINGS):
                paths.append(path)
    return [*dict.fromkeys(paths)]


def names_written(piece: str, words: list[str]) -> Iterator[str]:
    """The names behind `>` outside of quoted text, and those that `tee` is given."""
    if ">" in piece:
        blanked = re.sub(QUOTED_TEXT, lambda match: match[0] if ">" not in match[0] else "x" * len(match[0]), piece)
        yield from (name.strip("\"'") for name in re.findall(REDIRECTION, blanked))
    if program_of(words) == "tee":
        yield from (word.strip("\"'") for word in words[1:] if not word.startswith(TEE_OPTION) and ">" not in word)


def path_below(root: str, folder: str, name: str) -> str:
    """The file as seen from the root; empty where it lies elsewhere, or its name is not known."""
    if re.search(UNNAMED, name) or re.search(UNNAMED, folder):
        return ""
    path = whole_path(with_home(name, root), whole_path(with_home(folder, root), root))
    short = from_root(path, root)
    return short if root.rstrip("/") and short != path else ""
