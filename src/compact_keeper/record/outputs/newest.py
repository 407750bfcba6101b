"""What the newest calls showed: the next step goes on from that, and where room is left more of older ones is shown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from compact_keeper.client.call_output import is_put_in_background, without_clients_last_rows
from compact_keeper.client.entries import Reading
from compact_keeper.client.tools import CHANGING_TOOLS, SHELL_TOOLS
from compact_keeper.record.commands.looking import prints_own_words
from compact_keeper.record.items import NEWEST_CALLS, name_of_output, position_in_name, whole_command
from compact_keeper.record.outputs.plain_rows import plain_rows
from compact_keeper.record.outputs.search_hits import without_rows_around
from compact_keeper.record.outputs.telling_rows import (
    ROW_END,
    ROWS_BETWEEN,
    ends_under_heads,
    has_all_rows,
    is_progress,
)
from compact_keeper.text.ends import both_ends_on_a_line
from compact_keeper.text.length import units
from compact_keeper.text.quotation import quote
from compact_keeper.text.redact import redact
from compact_keeper.text.sanitize import clean
from compact_keeper.types import Entry

OUTPUT_KEPT_UTF16 = 1_200
# Of the calls before them, what is kept where all of it is short: of longer outputs the rows that tell most are known.
WHOLE_OUTPUT_UTF16, WHOLE_OUTPUTS_UTF16 = 2_000, 24_000  # of a call, of all of them together
OUTPUT_LOOKED_AT_CHARACTERS = 40_000
LIMIT_OF_FILES = r"(?<=^Found )(\d+ files?) limit: \d.*"  # behind how many files a search met
WITHOUT_OUTPUT = (*CHANGING_TOOLS, "Read", "TodoWrite", "Skill")  # the file stands there, or the client restores it


def newest_outputs(reading: Reading, known: Mapping[str, str]) -> dict[str, str]:
    """What the newest calls showed, by `name_of_output`, the newest last: whole or both ends of it.

    Of more than NEWEST_CALLS, back to where there are enough, what is whole.
    """
    ended = [entry for entry in reading.stream if entry["what"] == "call" and has_output_to_keep(entry)]
    outputs = dict[str, str]()
    room = WHOLE_OUTPUTS_UTF16
    for name, output in newest_first(ended, known):
        if len(outputs) >= NEWEST_CALLS:
            if not has_all_rows(output):
                continue
            room -= units(output)
            if room < 0:
                break
        outputs[name] = output
    return dict(reversed(outputs.items()))


def newest_first(ended: Sequence[Entry], known: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The outputs with their names: those of the calls that are read now, then those that are known.

    Long ones of the newest calls alone: to look at all of a session took a first save 50 ms, and none of them is kept.
    """
    calls = {name_of_output(entry): entry for entry in ended}
    for index, name in enumerate(sorted({**known, **calls}, key=position_in_name)[::-1]):
        if name not in calls:
            yield name, known[name]
        elif index < NEWEST_CALLS or len(calls[name]["output"]) <= WHOLE_OUTPUT_UTF16:
            yield name, output_in_short(calls[name])


def has_output_to_keep(call: Entry) -> bool:
    """Whether the call has ended and its output is its own.

    Not of failed calls of other tools than shells: what failed may imitate the client's own words. Nor of a command
    that only prints words of its own, or was put into the background: there stands what the client says to the agent.
    """
    if call["tool"] in WITHOUT_OUTPUT or call["ok"] is None:
        return False
    if call["tool"] not in SHELL_TOOLS:
        return call["ok"]
    if prints_own_words(whole_command(call)):
        return False
    return (call["ok"] or not call["rejected"]) and not is_put_in_background(call["output"])


def output_in_short(call: Entry) -> str:
    """What the call showed, on one line, of much both ends; redacted before it is cut: no part of a key is left.

    Of a search without the lines around those that it met, which pushed these out of the text.
    """
    output = without_clients_last_rows(call["output"]) if call["tool"] in SHELL_TOOLS else call["output"]
    rows = redact(clean(output[:OUTPUT_LOOKED_AT_CHARACTERS])).splitlines()
    lines = [row for row in plain_rows(rows) if not is_progress(row)]
    if call["tool"] == "Grep":
        lines = [re.sub(LIMIT_OF_FILES, r"\1", line) for line in without_rows_around(lines)]
    shown = ends_under_heads(lines, WHOLE_OUTPUT_UTF16)
    if not has_all_rows(shown):
        shown = ends_under_heads(lines, OUTPUT_KEPT_UTF16)
    if not shown:
        shown = both_ends_on_a_line(ROW_END.join(line.rstrip() for line in lines if line.strip()), OUTPUT_KEPT_UTF16)
    if call.get("is_output_cut") and has_all_rows(shown):
        shown = f"{shown}{ROW_END}{ROWS_BETWEEN}"
    return quote(shown, WHOLE_OUTPUT_UTF16)
