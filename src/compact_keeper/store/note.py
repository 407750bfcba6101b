"""note.json of a session: what the model is to be told of a summary, once."""

from __future__ import annotations

import os

from compact_keeper.store.json_files import GIVEN, readable_store, replace_store, take_store
from compact_keeper.store.removal import remove_file
from compact_keeper.text.fields import objects_in, text_of
from compact_keeper.text.length import cut
from compact_keeper.text.sanitize import clean
from compact_keeper.types import JsonObject

NOTE_FILE = "note.json"
NOTE_MAX_UTF16 = 1_200


def leave_note(folder: str, note: JsonObject) -> None:
    """Leaves the note for the next event that can carry it; without findings none, and an older one goes."""
    path = os.path.join(folder, NOTE_FILE)
    if note["findings"]:
        replace_store(path, note)
    elif os.path.lexists(path):
        os.unlink(path)


def keep_given(folder: str, note: JsonObject) -> None:
    """Keeps what the model was told of a compaction's summary, for the status line; without findings nothing.

    What it was told of an earlier compaction goes: the status line had shown it behind a summary without an error.
    """
    path = os.path.join(folder, f"{NOTE_FILE}{GIVEN}")
    if note["findings"]:
        replace_store(path, note)
    else:
        remove_file(path, "what was told of an earlier summary")


def take_note(folder: str) -> str:
    """The text of the note that waits in the session's folder, for the one process that renames it; else empty.

    Two installations, or two hooks of one event, hand it over once.
    """
    note = take_store(os.path.join(folder, NOTE_FILE))
    if not note:
        return ""
    return cut(clean(without_delivered(note, delivered_text(folder, text_of(note, "id")))), NOTE_MAX_UTF16)


def delivered_text(folder: str, compaction_id: str) -> str:
    """The text that was put back after the compaction of that id, on one line; empty when there is none."""
    delivered = readable_store(folder, f"delivered-{os.path.basename(compaction_id)}")
    return " ".join(text_of(delivered, "text").split())


def without_delivered(note: JsonObject, delivered: str) -> str:
    """The note's text without the lines of findings whose words of the record were put back; empty when none is left.

    Only here is it known: PostCompact, which writes the note, may come before or after what is put back.
    """
    findings = objects_in(note.get("findings"))
    gone = {text_of(finding, "line") for finding in findings
            if (words := text_of(finding, "record")) and words in delivered}
    lines = [line for line in text_of(note, "text").split("\n") if line not in gone]
    is_all_gone = bool(gone) and gone == {text_of(finding, "line") for finding in findings}
    return "\n".join(lines[1:] if is_all_gone else lines).strip("\n")  # the first line says what the findings are
