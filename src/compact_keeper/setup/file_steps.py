"""Changes to files as steps, which are done or told: each file is replaced in one step, none through a strange link."""

from __future__ import annotations

import difflib
import json
import os
import stat
from collections.abc import Iterable
from typing import NamedTuple

from compact_keeper.setup.reading import read_bytes
from compact_keeper.setup.target import BACKUP, SETTINGS_FOLDER
from compact_keeper.store.folder import private_folder, replace_file
from compact_keeper.store.refusal import Refusal
from compact_keeper.types import JsonObject

DRAFT = ".compact-keeper.tmp"  # how the name of a file ends that is not whole yet


class Step(NamedTuple):
    """A file that gets this content, or goes where there is none."""

    path: str
    content: bytes | None
    is_own: bool = False  # the person's own file, of which a dry run shows the difference
    is_data: bool = False  # it lies among the person's data, for the owner alone


def perform(steps: Iterable[Step], dry_run: bool, project: str) -> int:
    """How many files were changed, or would be: those that are not so already; of a project, where one is named."""
    due = [step for step in steps if os.path.lexists(step.path) or step.content is not None]
    due = [step for step in due if step.content is None or read_bytes(step.path) != step.content]
    outside = [step.path for step in due if project and not step.is_data and not leads_into(project, step.path)]
    if outside:
        raise Refusal(f"{outside[0]} is not in {project}: a link there leads out of it\n"
                      "Nothing was changed. Replace that link, then run this again.")
    for step in {step.path: step for step in due}.values() if dry_run else due:
        if dry_run:
            show(step)
        elif step.content is not None and step.is_data:
            private_folder(SETTINGS_FOLDER)
            replace_file(step.path, step.content)
        elif step.content is not None:
            write(step.path, step.content)
        elif os.path.lexists(step.path):  # a draft that a killed process left may be gone with what was written since
            os.unlink(step.path)
    return len(due)


def leads_into(project: str, path: str) -> bool:
    """Whether what is written to the path comes to lie in the project: its links may come from anyone."""
    folder, inside = os.path.realpath(os.path.dirname(path)), os.path.join(os.path.realpath(project), "")
    return os.path.join(folder, "").startswith(inside)


def write(path: str, content: bytes) -> None:
    """Replaces the file in one step; the mode stays as it was, and a backup has that of what it keeps."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    kept = path.removesuffix(BACKUP)
    mode = stat.S_IMODE(os.stat(kept).st_mode) if os.path.exists(kept) else None
    draft = path + DRAFT
    if os.path.lexists(draft):  # of a process that was killed
        os.unlink(draft)
    try:
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode or 0o666), "wb") as file:
            file.write(content)
        if mode is not None:
            os.chmod(draft, mode)
        os.replace(draft, path)
    finally:
        if os.path.lexists(draft):
            os.unlink(draft)


def show(step: Step) -> None:
    """Prints what a step would do."""
    print(f"would {'remove' if step.content is None else 'write'} {step.path}")
    if step.is_own:
        old, new = ((content or b"").decode("utf-8", "replace").split("\n")
                    for content in (read_bytes(step.path), step.content))
        for line in difflib.unified_diff(old, new, "before", "after", lineterm=""):
            print(f"    {line}")


def as_json(data: JsonObject) -> bytes:
    """The object as a file's content."""
    return (json.dumps(data, indent=1) + "\n").encode()
