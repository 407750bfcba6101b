"""note.json of a session: what the model is to be told of a summary, once."""

from __future__ import annotations

import os

from compact_keeper.store.json_files import read_store
from compact_keeper.store.refusal import Refusal
from compact_keeper.text.fields import text_of
from compact_keeper.text.length import cut
from compact_keeper.text.sanitize import clean
from compact_keeper.types import Record

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
    note = read_store(f"{path}.given")
    return cut(clean(without_delivered(note, delivered_text(folder, text_of(note, "id")))), NOTE_MAX_UTF16)


def delivered_text(folder: str, number: str) -> str:
    """The text that was put back after the compaction of that id, on one line; empty when there is none."""
    try:
        text = text_of(read_store(os.path.join(folder, f"delivered-{os.path.basename(number)}")), "text")
    except (OSError, Refusal):
        text = ""
    return " ".join(text.split())


def without_delivered(note: Record, delivered: str) -> str:
    """The note's text without the lines of findings whose words (`unless`) were put back; empty when none is left."""
    findings = [line for line in note.get("findings") or [] if isinstance(line, dict)]
    gone = {text_of(line, "line") for line in findings
            if any(isinstance(words, str) and words and words in delivered for words in line.get("unless") or [])}
    lines = [line for line in text_of(note, "text").split("\n") if line not in gone]
    is_all_gone = bool(gone) and len(gone) == len({text_of(line, "line") for line in findings})
    return "\n".join(lines[1:] if is_all_gone else lines).strip("\n")  # the first line says what the findings are
