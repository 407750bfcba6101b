"""The tag of a step: four letters and digits by which a line of the recap and the archive name the same step.

It is made of the id that the client gave the call, else the record, which both read in the transcript: so neither has
to know how the other counts. It begins with a letter, which tells it from a step's number, and has no vowels, so that
it is no word; of 5,000 steps another has the same for one in 75.
"""

from __future__ import annotations

TAG_LETTERS, TAG_DIGITS = "bcdfghjkmnpqrstvwxz", "23456789"
SOURCE_MAX_CHARACTERS = 64  # of an id, its end; the client's have 30 and 36
TAG_PATTERN = f"[{TAG_LETTERS}][{TAG_LETTERS}{TAG_DIGITS}]{{3}}"


def tag_of(source: str) -> str:
    """The tag of what the client gave this id; empty where it is none, as of words that waited (`queue`)."""
    if source.isalpha() or not source:
        return ""
    number = int.from_bytes(source[-SOURCE_MAX_CHARACTERS:].encode("utf-8", "replace"), "big")
    letters, tag = TAG_LETTERS + TAG_DIGITS, ""
    number %= len(letters) ** 3 * len(TAG_LETTERS)  # to divide the long one again and again takes ten times as long
    for _ in range(3):
        number, index = divmod(number, len(letters))
        tag += letters[index]
    return TAG_LETTERS[number % len(TAG_LETTERS)] + tag
