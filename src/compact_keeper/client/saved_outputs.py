"""Outputs too long for the transcript, which the client has saved to files of the session."""

from __future__ import annotations

import os
import re

from compact_keeper.store.disk import end_of
from compact_keeper.store.folder import NO_LINK

SAVED = (
    r"<persisted-output>\s{0,9}(?P<reason>Output too large(?: \([^)\n]{1,20}\))?)[^\n]{0,200}?"
    r"saved to: (?P<path>[^\n]{1,4096})\n")
END_MAX_BYTES = 64 << 10  # read of a saved output: a runner says at its end how it went


def too_large_of(text: str) -> str:
    """That an output was too large to be shown, with its size, as the client says it; empty where it was shown."""
    saved = re.match(SAVED, text) if text.startswith("<persisted-output>") else None
    return saved["reason"] if saved else ""


def whole_output(text: str, folder: str) -> str:
    """A result's text; where the client saved it to a file in this folder, its beginning as shown and the file's end.

    Any program could print such a line: so only files of the session's own folder are read.
    """
    saved = re.match(SAVED, text) if text.startswith("<persisted-output>") else None
    if not saved or not folder:
        return text
    name = os.path.basename(saved["path"].strip())
    if os.path.normpath(saved["path"].strip()) != os.path.normpath(folder + name):
        return text
    shown = re.sub(r"</?persisted-output>|^Preview \(first [^\n]*$", "", text[saved.end():], flags=re.MULTILINE).strip()
    end = end_of(folder + name, END_MAX_BYTES, NO_LINK).decode("utf-8", "replace")
    return f"{shown}\n{end}" if end else shown
