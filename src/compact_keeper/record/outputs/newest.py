"""What the newest calls showed, as it is kept for the next step, which goes on from that."""

from __future__ import annotations

import re
from collections.abc import Mapping

from compact_keeper.client.call_output import is_put_in_background
from compact_keeper.client.entries import Reading
from compact_keeper.client.tools import CHANGING_TOOLS, SHELL_TOOLS
from compact_keeper.record.items import name_of_output
from compact_keeper.record.outputs.plain_rows import plain_rows
from compact_keeper.record.outputs.search_hits import without_rows_around
from compact_keeper.record.outputs.telling_rows import ROW_END, ends_under_heads, is_progress
from compact_keeper.text.ends import both_ends_on_a_line
from compact_keeper.text.quotation import quote
from compact_keeper.text.redact import redact
from compact_keeper.text.sanitize import clean
from compact_keeper.types import Entry

NEWEST_CALLS = 3  # whose output is kept, as far as nothing is known of what it is for
OUTPUT_KEPT_UTF16 = 1_200
OUTPUT_LOOKED_AT_CHARACTERS = 40_000
LIMIT_OF_FILES = r"(?<=^Found )(\d+ files?) limit: \d.*"  # behind how many files a search met
WITHOUT_OUTPUT = (*CHANGING_TOOLS, "Read", "TodoWrite", "Skill")  # the file stands there, or the client restores it


def newest_outputs(reading: Reading, known: Mapping[str, str]) -> dict[str, str]:
    """What the newest calls showed, whole or both ends, by `name_of_output`: the next step goes on from that."""
    ended = [entry for entry in reading.stream if entry["what"] == "call" and has_output_to_keep(entry)]
    outputs = {**known, **{name_of_output(entry): output_in_short(entry) for entry in ended[-NEWEST_CALLS:]}}
    newest = sorted(outputs, key=position_in_name)[-NEWEST_CALLS:]
    return {name: outputs[name] for name in newest}


def position_in_name(name: str) -> int:
    """The position that the name of an output begins with."""
    return int(name.partition(" ")[0])


def has_output_to_keep(call: Entry) -> bool:
    """Whether the call has ended and its output is its own.

    Not of failed calls of other tools than shells: what failed may imitate the client's own words. Nor of a command
    that was put into the background: there stands what the client says of it to the agent.
    """
    if call["tool"] in WITHOUT_OUTPUT or call["ok"] is None:
        return False
    if call["tool"] not in SHELL_TOOLS:
        return call["ok"]
    return (call["ok"] or not call["rejected"]) and not is_put_in_background(call["output"])


def output_in_short(call: Entry) -> str:
    """What the call showed, on one line, of much both ends; redacted before it is cut: no part of a key is left.

    Of a search without the lines around those that it met, which pushed these out of the text.
    """
    rows = redact(clean(call["output"][:OUTPUT_LOOKED_AT_CHARACTERS])).splitlines()
    lines = [row for row in plain_rows(rows) if not is_progress(row)]
    if call["tool"] == "Grep":
        lines = [re.sub(LIMIT_OF_FILES, r"\1", line) for line in without_rows_around(lines)]
    shown = ends_under_heads(lines, OUTPUT_KEPT_UTF16)
    if not shown:
        shown = both_ends_on_a_line(ROW_END.join(line.rstrip() for line in lines if line.strip()), OUTPUT_KEPT_UTF16)
    return quote(shown, OUTPUT_KEPT_UTF16)
