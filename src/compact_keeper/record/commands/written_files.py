"""The files of the project that a shell command wrote: by `> file`, by `tee file`, by `sed -i`.

Only names that stand there whole: none with a variable or a pattern in it, no output of a program kept in a log.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from compact_keeper.record.commands.shell import (
    FILLED_IN,
    QUOTED_TEXT,
    commands_in_folders,
    program_of,
    shell_words,
    without_redirections,
)
from compact_keeper.text.paths import from_root, whole_path, with_home

REDIRECTION = r"(?<![\d<>=\-&])(?:\b1|&)?>{1,2}\s*(?!&)(\"[^\"\n]{1,300}\"|'[^'\n]{1,300}'|[^\s;&|<>()\"']{1,300})"
UNNAMED = rf"{FILLED_IN}|[\[\]…]|^-|^/dev/|^\d+$"
OUTPUT_ENDINGS = (".log", ".out", ".err", ".pid", ".tmp")
TEE_OPTION = "-"
WRITES = r">|\b(?:tee|g?sed|perl) "  # most lines are not taken apart
IN_PLACE = {"sed": r"-(?:[nrEsuz]*i|-in-place)", "gsed": r"-(?:[nrEsuz]*i|-in-place)", "perl": r"-[pnlw0]*i"}
SCRIPT_FOLLOWS = {"sed": r"-[nrEsuz]*[ef]|--(?:expression|file)", "gsed": r"-[nrEsuz]*[ef]|--(?:expression|file)",
                  "perl": r"-\w*[eE]"}
SCRIPT_GIVEN = r"--(?:expression|file)="
BARE_IN_PLACE, ENDING_OF_COPY = r"-\w*i", r"[\"']{2}|[\"']?\.\w{1,12}[\"']?"  # two words on macOS


def files_written(command: str, root: str, ran_in: str = "") -> list[str]:
    """The files below `root` that the command writes, as seen from it; a name without a folder is taken as below it.

    A name in a folder that a `cd` of the line went to stands with that folder. `ran_in`: where it ran, if not in the
    root.
    """
    paths = list[str]()
    for piece, folder in commands_in_folders(command, ran_in) if re.search(WRITES, command) else ():
        for name in names_written(piece, shell_words(piece)):
            path = path_below(root, folder, name)
            if path and not path.endswith(OUTPUT_ENDINGS):
                paths.append(path)
    return [*dict.fromkeys(paths)]


def names_written(piece: str, words: list[str]) -> Iterator[str]:
    """The names of the files that it fills, and those that are edited in place."""
    yield from names_filled(piece, words)
    if edits_in_place(words):
        yield from names_edited(without_redirections(words))


def names_filled(piece: str, words: list[str]) -> Iterator[str]:
    """The names behind `>` outside of quoted text, and those that `tee` is given."""
    if ">" in piece:
        blanked = re.sub(QUOTED_TEXT, lambda match: match[0] if ">" not in match[0] else "x" * len(match[0]), piece)
        yield from (name.strip("\"'") for name in re.findall(REDIRECTION, blanked))
    if program_of(words) == "tee":
        yield from (word.strip("\"'") for word in words[1:] if not word.startswith(TEE_OPTION) and ">" not in word)


def edits_in_place(words: Sequence[str]) -> bool:
    """Whether the words are those of a stream editor that changes the files which it is given."""
    form = IN_PLACE.get(program_of(words))
    return form is not None and any(re.match(form, word) for word in words[1:])


def names_edited(words: Sequence[str]) -> list[str]:
    """The names of files that a stream editor is given: what is no option, nor its script."""
    form, names, is_script_given, is_script = SCRIPT_FOLLOWS[program_of(words)], list[str](), False, False
    for before, word in zip(words, words[1:]):
        if is_script:
            is_script = False
        elif word.startswith("-"):
            is_script = re.fullmatch(form, word) is not None
            is_script_given = is_script_given or is_script or re.match(SCRIPT_GIVEN, word) is not None
        elif not (re.fullmatch(BARE_IN_PLACE, before) and re.fullmatch(ENDING_OF_COPY, word)):
            names.append(word.strip("\"'"))
    return names if is_script_given else names[1:]


def path_below(root: str, folder: str, name: str) -> str:
    """The file as seen from the root; empty where it lies elsewhere, or its name is not known."""
    if re.search(UNNAMED, name) or re.search(UNNAMED, folder):
        return ""
    path = whole_path(with_home(name, root), whole_path(with_home(folder, root), root))
    short = from_root(path, root)
    return short if root.rstrip("/") and short != path else ""
