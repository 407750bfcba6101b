"""Pins and standing rules as lines, word for word."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from compact_keeper.recap.wording.phrases import VIA, folded_line, last_sentence
from compact_keeper.record.summary.statements import LIST_MARK
from compact_keeper.text.fields import text_of
from compact_keeper.text.length import cut, units
from compact_keeper.text.marks import in_quotes
from compact_keeper.types import Ago, Item, Line

RULE_POINTS_BACK, BEFORE_RULE_UTF16 = r"(?i)\b(?:(?<!is )there(?! (?:is|are|was|were)\b)|in (?:it|them|those))\b", 120
RULE_MEMBER_MAX_UTF16 = 300  # of a list's member that stands whole for the rule in it


def pin_lines(items: Sequence[Item]) -> Iterator[Line]:
    """The person's pins, word for word; later lines of one are indented."""
    for item in items:
        if item["kind"] == "pin":
            text = "\n  ".join(item["text"].splitlines())
            yield {"items": [item], "text": f"- {in_quotes(text)}"}


def rule_lines(items: Sequence[Item], ago: Ago) -> Iterator[Line]:
    """The standing rules, the newest first, each with what it is about where that stands before it."""
    messages = [item for item in items if item["kind"] == "message"]
    lines: dict[str, Line] = {}  # of two rules in a list's member it is one
    for item in reversed(items):
        if item["kind"] == "rule":
            how = f"typed {VIA[item['via']]}" if item.get("via") in VIA else "typed"
            rule = folded_line(item["text"])
            nothing: Any = {}
            message = next((message for message in messages if message["source"] == item["source"]
                            and rule in folded_line(message["text"])), nothing)  # several that waited have one source
            rule, before = rule_and_before(rule, text_of(message, "text"))
            behind = f", behind {in_quotes(cut(before, BEFORE_RULE_UTF16))}" if before else ""
            is_typed_once = item["first"] == item["last"]  # the message, the newest with it, may have waited
            when = ago((is_typed_once and text_of(message, "typed_at")) or item["first"])
            lines.setdefault(rule, {"items": [], "text": f"- {in_quotes(rule)} ({how} {when}{behind})"})
            lines[rule]["items"].append(item)
    yield from lines.values()


def rule_and_before(rule: str, message: str) -> tuple[str, str]:
    """A rule of a message, and the sentence before it where it may be about that; else an empty one.

    It may where it points back: "Never mention prices there." Behind other sentences in a member of a list the rule is
    the whole member, or stands with the sentence before where that is long: "Always zip them." was of the data alone.
    """
    for row in map(folded_line, message.splitlines()):
        member = re.sub(LIST_MARK, "", row)
        before, mark, _ = member.partition(rule)
        if mark and before and member != row:
            return (member, "") if units(member) <= RULE_MEMBER_MAX_UTF16 else (rule, last_sentence(before))
    before, mark, _ = folded_line(message).partition(rule)
    return rule, last_sentence(before) if mark and re.search(RULE_POINTS_BACK, rule) else ""
