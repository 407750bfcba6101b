"""The section in a project's CLAUDE.md that says what a summary should keep, between two marks."""

from __future__ import annotations

from compact_keeper.store.refusal import Refusal

BEGIN, END = b"<!-- compact-keeper:begin -->", b"<!-- compact-keeper:end -->"
INSTRUCTIONS = """\
## Compact Instructions

A summary of the conversation keeps word for word, in quotes, the user's standing rules, corrections and newest request.
It spends its room on reasons, decisions, rejected alternatives, what was learned and what is half done. It calls done
only what was seen to work, the rest claimed, and is written in the language that the user writes in.
"""


def section_in(text: bytes) -> tuple[int, int] | None:
    """Where the marked section begins and ends; None when there is none, refused when the marks are no pair."""
    begin, end = text.find(BEGIN), text.find(END)
    if begin < 0 and end < 0:
        return None
    if not 0 <= begin < end or text.count(BEGIN) > 1 or text.count(END) > 1:
        line = text.count(b"\n", 0, max(begin, end)) + 1
        raise Refusal(f"the marks {BEGIN.decode()} and {END.decode()} do not stand there once each, in this order (see "
                      f"line {line}); mend that, then run this again")
    return begin, end + len(END)


def with_section(text: bytes | None) -> bytes:
    """The file with the section as it is now, where it stands or at the end.

    It ends in a line break where the file did (None: there was no file), by which its removal tells the two apart.
    """
    newline = b"\r\n" if b"\r\n" in (text or b"") else b"\n"
    section = newline.join([BEGIN, *INSTRUCTIONS.encode().splitlines(), END])
    if text is None:
        return section + newline
    span = section_in(text)
    if span:
        return text[:span[0]] + section + text[span[1]:]
    if text.endswith(b"\n"):
        return text + newline + section + newline
    return text + (2 * newline if text else b"") + section


def without_section(text: bytes | None) -> bytes | None:
    """The file as it was before it had the section; None where that is no file."""
    span = section_in(text or b"")
    if text is None or not span:
        return text
    before, after = text[:span[0]], text[span[1]:]
    newline = b"\r\n" if b"\r\n" in text[span[0]:span[1]] else b"\n"
    ended = after.startswith(newline)
    before = before.removesuffix(newline) if ended else before.removesuffix(2 * newline)
    return before + after[len(newline):] if before or after != newline else None
