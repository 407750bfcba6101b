"""Calls that the person rejected as lines, with what was typed beside it and whether they were made later."""

from __future__ import annotations

import re
from collections.abc import Sequence

from compact_keeper.client.tools import SHELL_TOOLS
from compact_keeper.recap.wording.phrases import code, folded_line, middle_out, typed_next
from compact_keeper.record.endings import has_ended_well
from compact_keeper.record.items import COMMAND_SIGN
from compact_keeper.text.length import cut
from compact_keeper.text.times import moment
from compact_keeper.types import Ago, Item, Line

REJECTED_SHOWN_UTF16 = 200  # of a call
REJECTED_WITH_WORDS_SECONDS, TYPED_BEFORE_SECONDS = 300, 60  # within which words came behind a rejection, or before
DONE_LATER = " (done later)"
RAN_LATER_SHOWN_UTF16 = 110  # of the command that ran
TO_FOLDER = r"^cd [^&|;]{1,300} && "


def rejected_line(refusal: Item, later: Sequence[Item], items: Sequence[Item], ago: Ago) -> Line:
    """A call that the person rejected, with the message that was typed beside it: it says what was wanted.

    `later`: the messages behind it, the next one first; what waited in the queue was typed before, and may be of
    something else.
    """
    call = cut(refusal["text"], REJECTED_SHOWN_UTF16) + ran_later(refusal["text"], refusal, items)
    text = f"Rejected without words: {call}"
    typed = ((moment(item.get("typed_at") or item["last"]) - moment(refusal["last"]), item) for item in later)
    seconds, beside = next(((at, item) for at, item in typed if at >= -TYPED_BEFORE_SECONDS), (0, None))
    if beside and seconds <= REJECTED_WITH_WORDS_SECONDS:
        text = f"Rejected: {call}{typed_next(beside, 'typed next' if seconds >= 0 else 'had just typed')}"
    return {"items": [refusal], "text": f"- ({ago(refusal['last'])}) {text}"}


def rejected_in_short(call: str, most: int) -> str:
    """A call that was rejected, in at most so many UTF-16 units; a command as code."""
    if call.startswith(COMMAND_SIGN):
        return code(call.removeprefix(COMMAND_SIGN), most)
    return middle_out(call, most)


def ran_later(call: str, refusal: Item, items: Sequence[Item]) -> str:
    """How a call that was rejected ran later without failing, in words behind it; empty where that is not certain.

    Certain it is of a command whose later text begins with it, and of an address. "Do not clone it" had stood behind a
    clone that was ordered the next day. `refusal`: the item that tells of the rejection.
    """
    if not call:
        return ""
    tool, _, given = call.partition(": ")
    command = call.removeprefix(COMMAND_SIGN)
    later = [item for item in items if item["kind"] == "action" and item["position"] > refusal["position"]
             and has_ended_well(item)]
    if not call.startswith(COMMAND_SIGN):
        is_done = any(item["tool"] == tool == "WebFetch" and f"{item['text']}, ".startswith(f"url: {given}, ")
                      for item in later)
        return DONE_LATER if is_done else ""
    texts = [folded_line(item["text"]) for item in later if item["tool"] in SHELL_TOOLS]
    if any(f"{text} && ".startswith(f"{command} && ") for text in texts):
        return DONE_LATER
    longer = next((text for text in reversed(texts)
                   if f"{re.sub(TO_FOLDER, '', text)} ".startswith(f"{command} ")), "")
    return f" (later ran: {code(longer, RAN_LATER_SHOWN_UTF16)})" if longer else ""
