"""Paths as they are shown: as seen from the folder that the session works in now."""

from __future__ import annotations

import re

from compact_keeper.text.paths import file_name, forms_of_folder, with_slashes

FOLDER_NAME_MIN_CHARACTERS = 4  # of a folder that is named alone
HOME = r"/(?:Users|home)/[\w.-]+(?=/|\Z)"


class Paths:
    """Paths in short, as seen from the working folder."""

    def __init__(self, root: str, folder: str) -> None:
        """`root`: the session's first folder, `folder`: the one that it works in now."""
        self.root, self.folder = (with_slashes(path).rstrip("/") for path in (root, folder))
        self.left_out = [form for path in sorted({self.root, self.folder}, key=len, reverse=True) if path
                         for form in forms_of_folder(path)]
        home = re.match(HOME, self.folder) or re.match(HOME, self.root)  # another person's stays as it is
        self.home = f"{home[0]}/" if home else ""
        self.inner = self.folder[len(self.root) + 1:] if self.folder.startswith(f"{self.root}/") else ""
        self.outer = f"{self.root}/" if self.inner else ""  # the first folder, where it lies above the present one
        self.above = "../" * (self.inner.count("/") + 1)
        self.folders_named: set[str] = set()

    def short(self, text: str) -> str:
        """A path, or a text that names paths, as seen from the folder that the session works in now."""
        for folder in self.left_out:
            if folder in text:
                above = self.above if folder == self.outer else ""
                name = f"{re.escape(folder)}?"
                # Where nothing would be left of it; not `a/'b c'`, whose quote is of what follows.
                alone = rf"(?<=\s){name}(?=[\s;|&]|$)|(?<=\"){name}(?=\")|(?<='){name}(?=')"
                text = re.sub(alone, above or ".", text).replace(folder, above)
        return self.with_short_home(text)

    def with_short_home(self, text: str) -> str:
        """A text that names paths, those of the person's home from `~/` on."""
        if not self.home or self.home not in text:
            return text
        return re.sub(rf"(?<![\w.:/]){re.escape(self.home)}", "~/", text)

    def from_root(self, text: str) -> str:
        """A text that names paths as seen from the session's first folder: as seen from the one below that it works in.

        A path that lies elsewhere below the first folder stays, as it may have been typed so.
        """
        if not self.inner or self.inner not in text:
            return text
        text = re.sub(rf"`cd {re.escape(self.inner)}/? ?(?:&&|;|⏎) ", "`", text)
        return re.sub(rf"(?<![\w./~-]){re.escape(self.inner)}/", "", text)


def folder_named(folder: str, paths: Paths) -> str:
    """The folder: whole when first it comes, then by its name, which alone would be a folder in the present one."""
    short = paths.short(folder)
    if short in paths.folders_named:
        return f"…/{file_name(short)}"
    if len(file_name(short)) >= FOLDER_NAME_MIN_CHARACTERS:
        paths.folders_named.add(short)
    return short
