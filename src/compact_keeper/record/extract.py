"""From the entries of a session to the items that they give."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from compact_keeper.client.call_output import is_put_in_background
from compact_keeper.client.entries import FIELD_MAX_UTF16, Reading
from compact_keeper.client.tools import CHANGING_TOOLS, SHELL_TOOLS
from compact_keeper.record.actions import items_of_call
from compact_keeper.record.call_parts import both_parts
from compact_keeper.record.command_actions import feedback_item
from compact_keeper.record.dialogs import Dialogs
from compact_keeper.record.jobs import Jobs
from compact_keeper.record.merge import KIND_MAX
from compact_keeper.record.messages import Thread
from compact_keeper.record.own_edits import OwnEdits
from compact_keeper.record.tasks import Tasks
from compact_keeper.record.telling_rows import ends_under_heads
from compact_keeper.text.fields import text_of
from compact_keeper.text.length import cut
from compact_keeper.text.quotation import quote
from compact_keeper.text.redact import redact
from compact_keeper.text.sanitize import clean
from compact_keeper.types import Entry, Item

SAID_MAX_CHARACTERS = 60_000  # of the agent's words, the newest, that are kept
SAID_END_CHARACTERS = 200  # of its earlier words: their end
NEWEST_CALLS, OUTPUT_KEPT_UTF16 = 3, 1_200  # calls whose output is kept, as far as nothing is known of what it is for
OUTPUT_LOOKED_AT_CHARACTERS = 40_000
LINE_MET = r"(?:[^:]{1,300}:)?\d+:"  # of a search with numbered lines; those around have a hyphen
WITHOUT_OUTPUT = (*CHANGING_TOOLS, "Read", "TodoWrite", "Skill")  # the file stands there, or the client restores it


def items_of_entries(reading: Reading, known: Sequence[Item]) -> Iterator[tuple[Entry, list[Item]]]:
    """Each entry of the reading in the order of time with the items that it gives; last those of what is true now."""
    thread, tasks = Thread(known, reading.state), Tasks(known)
    dialogs, jobs, own_edits = Dialogs(known), Jobs(known), OwnEdits(known)
    room = SAID_MAX_CHARACTERS
    for age, entry in enumerate([entry for entry in reversed(reading.stream) if entry["what"] == "said"]):
        room -= len(entry["text"])
        entry["is_old"] = age >= KIND_MAX["said"]  # not kept, only what messages answer
        entry["text"] = redact(clean(entry["text"])) if room >= 0 else (
            redact(clean(entry["text"][-SAID_END_CHARACTERS:].partition(" ")[2])))
    root = (text_of(reading.state, "root") or "/") + "/"
    for entry in sorted(reading.stream, key=lambda entry: str(entry["time"])):
        items = [*thread.items_of(entry), *tasks.items_of(entry), *dialogs.items_of(entry), *jobs.items_of(entry)]
        if entry["what"] == "call":
            items += own_edits.items_of(entry, [*items_of_call(entry, root)])
        elif entry["what"] == "feedback":
            items.append(feedback_item(entry))
        yield entry, [with_short_key(item) for item in items]
    if reading.stream:
        yield {}, [with_short_key(item) for item in thread.items_at_rest()]


def newest_outputs(reading: Reading, known: Mapping[str, str]) -> dict[str, str]:
    """What the newest calls showed, whole or both ends, by their positions: the next step goes on from that.

    Not of failed calls of other tools than shells: what failed may imitate the client's own words. Nor of a command
    that was put into the background: there stands what the client says of it to the agent.
    """
    ended = [entry for entry in reading.stream if entry["what"] == "call" and entry["tool"] not in WITHOUT_OUTPUT
             and (entry["ok"] or (entry["ok"] is False and not entry["rejected"] and entry["tool"] in SHELL_TOOLS))
             and not (entry["tool"] in SHELL_TOOLS and is_put_in_background(entry["output"]))]
    outputs = {**known, **{str(entry["position"]): output_in_short(entry) for entry in ended[-NEWEST_CALLS:]}}
    newest = sorted(outputs, key=int)[-NEWEST_CALLS:]
    return {position: outputs[position] for position in newest}


def output_in_short(call: Entry) -> str:
    """What the call showed, on one line, of much both ends; redacted before it is cut: no part of a key is left.

    Of a search without the lines around those that it met, which pushed these out of the text.
    """
    lines = redact(clean(call["output"][:OUTPUT_LOOKED_AT_CHARACTERS])).splitlines()
    met = [line for line in lines if re.match(LINE_MET, line)] if call["tool"] == "Grep" else []
    shown = ends_under_heads(met or lines, OUTPUT_KEPT_UTF16)
    if not shown:
        shown = both_parts(" ⏎ ".join(line.rstrip() for line in met or lines if line.strip()), OUTPUT_KEPT_UTF16)
    return quote(shown, OUTPUT_KEPT_UTF16)


def with_short_key(item: Item) -> Item:
    """The item with its key on one line; it is made of words that were redacted when they were read."""
    key = cut(" ".join(item.get("key", "").split()), FIELD_MAX_UTF16)
    return {**item, "key": key} if key != item.get("key", "") else item
