"""Lines of the recap that show less of a step than there is end with its tag, by which recall prints the step.

Where nobody can ask recall, items have no tag, and lines stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, Literal

from compact_keeper.record.items import PASTED_LINES
from compact_keeper.text.fields import text_of
from compact_keeper.text.holding import holds_any
from compact_keeper.text.tags import TAG_PATTERN, tag_of
from compact_keeper.types import Item, Line

# How the words of a line say that some are missing, or by "…".
LEFT_OUT = rf"(?:\d characters|\[a long part) left out\]|\d{PASTED_LINES}"
PARTS_OF_SHORTENED = ("…", " left out]", PASTED_LINES)  # of which each has one: few lines have
FORMS: tuple[Literal["text", "whole", "in_few_words"], ...] = ("text", "whole", "in_few_words")  # of a line
OTHERS_BEGIN = "before the user typed "
OTHERS_WORDS = OTHERS_BEGIN + r".{0,100}?…\W{1,2}: "  # shortened in a line that is not about them


def with_tags(items: Sequence[Item]) -> list[Item]:
    """The items, each with the tag of its step."""
    return [{**item, "tag": tag_of(item["source"])} for item in items]


def tagged(text: str, item: Item) -> str:
    """The text; where it is shortened, with the item's tag at the end of its first line."""
    tag = text_of(item, "tag")
    is_shortened = bool(item.get("more")) or says_shortened(text)
    if not tag or not is_shortened or f" #{tag}" in text:
        return text
    first, line_break, rest = text.partition("\n")
    return f"{first} #{tag}{line_break}{rest}"


def says_shortened(text: str) -> bool:
    """Whether the text says that some of its own words are missing."""
    if not holds_any(text, PARTS_OF_SHORTENED):
        return False
    own = re.sub(OTHERS_WORDS, "", text) if OTHERS_BEGIN in text else text
    return "…" in own or bool(re.search(LEFT_OUT, own))


def tagged_lines(lines: Iterable[Line]) -> list[Line]:
    """The lines; those of a single step end with its tag where they are shortened."""
    return [tagged_line(line) if len(line["items"]) == 1 else line for line in lines]


def tagged_line(line: Line) -> Line:
    """The line of a single step; each of its forms that is shortened has the tag."""
    item = line["items"][0]
    forms: Any = {name: tagged(line[name], item) for name in FORMS if name in line}
    if "fuller" in line:
        forms["fuller"] = [tagged(form, item) for form in line["fuller"]]
    return {**line, **forms}


def has_tag(line: Line) -> bool:
    """Whether the line as it stands has the tag of one of its steps."""
    tags = [line.get("tag"), *(item.get("tag") for item in line["items"])]
    return any(tag and f" #{tag}" in line["text"] for tag in tags)


def before_tag(text: str) -> tuple[str, str]:
    """The text without the tag at its end, and that tag with its blank; an empty tag where there is none."""
    tag = re.search(rf" #{TAG_PATTERN}$", text) if " #" in text else None
    return (text[:tag.start()], tag[0]) if tag else (text, "")


def without_tags(text: str) -> str:
    """The text without tags."""
    return re.sub(rf" #{TAG_PATTERN}\b", "", text) if " #" in text else text
