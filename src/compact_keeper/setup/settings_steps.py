"""The steps by which a settings file gets or loses what is ours, with a copy of it as it was before."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

from compact_keeper.setup.edit_settings import without_ours
from compact_keeper.setup.file_steps import Step
from compact_keeper.setup.reading import fault_in_settings, settings_text
from compact_keeper.setup.status_line_text import remove_status_line
from compact_keeper.setup.target import LOCAL_FILE, SETTINGS_FILE, Target
from compact_keeper.store.refusal import Refusal
from compact_keeper.types import JsonObject


def settings_steps(target: Target, manifest: JsonObject, edit: Callable[[str], str]) -> Iterator[Step]:
    """The edit of the settings; as they are without anything of ours they lie beside them, as long as they hold it."""
    path = os.path.realpath(target.path(SETTINGS_FILE))
    before = settings_text(path)
    try:
        after = edit("{}\n" if before is None else before)
    except Refusal as why:
        raise Refusal(f"{path}, {why}\nNothing was changed. Mend that, then run this again.") from None
    bare = without_ours(after)
    is_needless = after.strip() == "{}" and (before is None or settings_made(target, manifest))
    backup, is_data = target.settings_before(), bool(target.project)
    if before not in (None, after) and after != bare:
        yield Step(backup, bare.encode(), is_data=is_data)
    yield Step(path, None if is_needless else after.encode(), is_own=True)
    if after == bare:
        yield Step(backup, None, is_data=is_data)


def local_steps(target: Target) -> Iterator[Step]:
    """The removal of a status line of ours that somebody has moved into a project's settings kept out of git.

    What cannot be read as settings draws nothing, and stays.
    """
    path = target.path(LOCAL_FILE)
    text = settings_text(path) if target.project and not fault_in_settings(path) else None
    if text is not None:
        yield Step(os.path.realpath(path), remove_status_line(text).encode(), is_own=True)


def settings_made(target: Target, manifest: JsonObject) -> bool:
    """Whether we made the settings file: as installed.json tells, else where it holds ours, and no backup is there."""
    text = settings_text(target.path(SETTINGS_FILE))
    ours = text is None or (without_ours(text) != text and not os.path.lexists(target.settings_before()))
    return bool(manifest.get("settings made", ours))
