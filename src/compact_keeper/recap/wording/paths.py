"""Paths as they are shown: as seen from the folder that the session works in now."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set

from compact_keeper.text.paths import PATH_BEGINS, file_name, forms_of_folder, with_slashes

FOLDER_NAME_MIN_CHARACTERS = 4  # of a folder that is named alone
NO_VALUE = r"(?<![=:] [\"'])"  # `$base = 'C:\\work'` of a script: without its folder it had looked like the fault
HOME = r"/(?:Users|home)/[\w.-]+(?=/|\Z)"


class Paths:
    """Paths in short, as seen from the working folder."""

    def __init__(self, root: str, folder: str, top: str = "") -> None:
        """`root`: the session's first folder, `folder`: the one that it works in now, `top`: its repository's."""
        self.root, self.folder, self.top = (with_slashes(path).rstrip("/") for path in (root, folder, top))
        ways = {self.root: "", **ways_up(self.folder, (self.root, self.top))}
        self.left_out: list[tuple[str, str]] = []  # how a path may begin and what stands for that, the longest first
        for path in sorted(filter(None, ways), key=len, reverse=True):
            self.left_out += [(form, ways[path]) for form in forms_of_folder(path)]
        home = re.match(HOME, self.root or self.folder)  # another person's stays as it is, as after `sudo -u deploy`
        self.home = f"{home[0]}/" if home else ""
        self.first_from_top = ""  # of the way from the repository's top to the folder the first part
        if self.top and self.folder.startswith(f"{self.top}/"):
            self.first_from_top = self.folder[len(self.top) + 1:].partition("/")[0] + "/"
        self.folders_named: set[str] = set()

    def short(self, text: str) -> str:
        """A path, or a text that names paths, as seen from the folder that the session works in now."""
        for folder, above in self.left_out:
            if folder in text:
                name, end = f"{re.escape(folder)}?", r"[\s;|&)]|$"
                # Where nothing would be left of it; not `a/'b c'`, whose quote is of what follows.
                alone = rf"(?<=\s){name}(?={end})|(?<=\"){name}(?=\"(?:{end}))|(?<='){name}(?='(?:{end}))"
                text = re.sub(f"{NO_VALUE}(?:{alone})", above or ".", text)
                text = re.sub(f"{NO_VALUE}{PATH_BEGINS}{re.escape(folder)}", above, text)
        return self.with_short_home(text)

    def with_short_home(self, text: str) -> str:
        """A text that names paths, those of the person's home from `~/` on."""
        if not self.home or self.home not in text:
            return text
        return re.sub(rf"(?<![\w.:/]){re.escape(self.home)}", "~/", text)

    def from_top(self, text: str, files: Set[str]) -> str:
        """A text that a command printed, with the files that it names from the repository's top, as git does.

        They are named as seen from the folder. `files`: whole paths of those that are known; a name that may be meant
        from either folder stays.
        """
        if not self.first_from_top or self.first_from_top not in text:
            return text
        names = rf"{PATH_BEGINS}{re.escape(self.first_from_top)}[\w./@+-]{{0,400}}\w"
        return re.sub(names, lambda name: self.name_from_top(name[0], files), text)

    def name_from_top(self, name: str, files: Set[str]) -> str:
        """The name of a file that is seen from the repository's top, as seen from the folder where it is certain."""
        is_certain = f"{self.top}/{name}" in files and f"{self.folder}/{name}" not in files
        return self.short(f"{self.top}/{name}") if is_certain else name


def ways_up(folder: str, above: Sequence[str]) -> dict[str, str]:
    """By path the way from the folder to itself, which is empty, and to each folder above it: `../`, `../../`.

    Up to the outermost of those `above` it.
    """
    outermost = min((path for path in above if path and folder.startswith(f"{path}/")), key=len, default=folder)
    ways = {folder: ""}
    while folder != outermost:
        folder = folder.rpartition("/")[0]
        ways[folder] = "../" * len(ways)
    return ways


def folder_named(folder: str, paths: Paths) -> str:
    """The folder: first whole, then by its name behind `…/`: the name alone would be a folder in this one."""
    short = paths.short(folder)
    if short in paths.folders_named:
        return f"…/{file_name(short)}"
    if len(file_name(short)) >= FOLDER_NAME_MIN_CHARACTERS:
        paths.folders_named.add(short)
    return short
