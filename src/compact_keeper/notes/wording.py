"""Words of a session as the notes show them: cut, and so that Markdown fetches and hides nothing."""

from __future__ import annotations

import re

from compact_keeper.text.length import cut
from compact_keeper.text.marks import as_code, in_quotes

NOTE_WORDS_MAX_UTF16, NOTE_NAME_MAX_UTF16 = 220, 110  # of words; of a command, a file, a heading


def spoken(text: str, limit: int = NOTE_WORDS_MAX_UTF16) -> str:
    """Words on one line in quotation marks."""
    return in_quotes(escaped(cut(" ".join(text.split()), limit)))


def escaped(text: str) -> str:
    """The text so that Markdown shows what looks like HTML or a link as it stands: no picture is fetched."""
    return re.sub(r"\\?(<(?=[\w/!?])|\](?=[(\[:]))", r"\\\1", text)


def code_shown(text: str) -> str:
    """The beginning of the text as inline code."""
    return as_code(cut(text, NOTE_NAME_MAX_UTF16))
