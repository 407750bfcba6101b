"""What short files held when they were read, for where room is left: versions, scripts by name, settings."""

from __future__ import annotations

import re
from collections.abc import Mapping

from compact_keeper.client.call_output import CLIENTS_OWN, ROW_NUMBER, without_row_numbers
from compact_keeper.client.changed_lines import FILE_OF_SECRETS
from compact_keeper.client.entries import Reading
from compact_keeper.record.items import name_of_output, position_in_name
from compact_keeper.record.outputs.telling_rows import ROW_END
from compact_keeper.text.length import units
from compact_keeper.text.quotation import quote
from compact_keeper.text.redact import redact
from compact_keeper.text.sanitize import clean
from compact_keeper.types import Entry

FILE_MAX_UTF16, FILES_MAX_UTF16 = 2_000, 16_000  # of a file, of all of them together


def files_read(reading: Reading, known: Mapping[str, str]) -> dict[str, str]:
    """The rows of the short files that were read last, on one line each, by `name_of_output`, the newest last."""
    new = [entry for entry in reading.stream if is_short_file(entry)]
    shown = {**known, **{name_of_output(entry): rows_of_file(entry) for entry in new}}
    files = dict[str, str]()
    room = FILES_MAX_UTF16
    for name in sorted(shown, key=position_in_name)[::-1]:
        room -= units(shown[name])
        if room < 0:
            break
        files[name] = shown[name]
    return dict(reversed(files.items()))


def is_short_file(entry: Entry) -> bool:
    """Whether it is a call that showed a short file, or a few rows of a file, and none that is there for secrets.

    Its rows have numbers; of a PDF, a picture or an unchanged file the client says something of its own.
    """
    if entry["what"] != "call" or entry["tool"] != "Read" or not entry["ok"]:
        return False
    is_short = len(entry["output"]) <= FILE_MAX_UTF16 and re.match(ROW_NUMBER, entry["output"]) is not None
    return is_short and not re.search(FILE_OF_SECRETS, entry["path"].lower())


def rows_of_file(call: Entry) -> str:
    """The rows that a call showed, without their numbers and what the client says below them."""
    shown = without_row_numbers(redact(clean(call["output"].partition(CLIENTS_OWN)[0])))
    return quote(ROW_END.join(row.strip() for row in shown.splitlines() if row.strip()), FILE_MAX_UTF16)
