"""note.json of a session: what the model is to be told of a summary, once."""

from __future__ import annotations

import os

from compact_keeper.store.json_files import read_store
from compact_keeper.text.fields import text_of
from compact_keeper.text.length import cut
from compact_keeper.text.sanitize import clean

NOTE_MAX_UTF16 = 2_000


def take_note(folder: str) -> str:
    """The text of the note that waits in the session's folder, for the one process that renames it; else empty."""
    path = os.path.join(folder, "note.json")
    if not os.path.exists(path):
        return ""
    try:
        os.replace(path, f"{path}.given")
    except FileNotFoundError:
        return ""
    return cut(clean(text_of(read_store(f"{path}.given"), "text")), NOTE_MAX_UTF16)
