"""Blocks of a message: whether the model made them, and what a call's result says."""

from __future__ import annotations

import re

from compact_keeper.client.transcript import own_words
from compact_keeper.text.fields import text_of
from compact_keeper.types import Record

REJECTION = "The user doesn't want to proceed"  # how the result of a call begins that the person rejected


def is_by_model(record: Record) -> bool:
    """Whether the model wrote the record's message; the client writes some in its place."""
    return bool(record["type"] == "assistant" and record["message"].get("model") != "<synthetic>")


def result_text(block: Record) -> str:
    """The text of a call's result."""
    content = block.get("content")
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(text_of(part, "text") for part in parts if isinstance(part, dict))


def rejection_words(text: str) -> str:
    """What the person said to the call that they rejected, in its result's text; empty where they said nothing."""
    return own_words(text.partition("the user said:\n")[2].partition("\n\nNote: The user's next")[0])


def exit_code(text: str) -> int | None:
    """The exit code with which a failed command's result begins."""
    code = re.match(r"Exit code (\d{1,3})\b", text)
    return int(code.group(1)) if code else None
