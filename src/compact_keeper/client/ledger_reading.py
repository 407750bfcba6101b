"""A session's ledger as a save takes it in: each line once, no line lost.

Folding renames ledger.jsonl to ledger.folded.jsonl. A hook may have opened the file before and writes into the folded
one then, so that is read on too, and goes only when no hook can hold it any more. memory.json says how far each was
read: it is replaced whole, so a line counts once, wherever a save is killed.
"""

from __future__ import annotations

import os
import re
import time
from collections import Counter

from compact_keeper.client.entries import NOTICE_MAX_UTF16, Reading
from compact_keeper.client.transcript import own_words
from compact_keeper.store.folder import open_regular
from compact_keeper.store.json_lines import parse_line, read_lines
from compact_keeper.store.ledger import FOLDED_LEDGER_FILE, LEDGER_FILE
from compact_keeper.text.fields import text_of
from compact_keeper.text.quotation import quote
from compact_keeper.types import FilePlace, JsonObject

READ_MAX_BYTES = 8 << 20  # of each file at one save, the last ones
HOOK_MS = rb'"hook_ms": ?(\d{1,6}(?:\.\d)?)'  # in quoted words the quotation marks have backslashes
RESTED_SECONDS = 10  # after the renaming no hook writes to the file any more: each has it open for one write


def read_ledgers(folder: str, known: dict[str, FilePlace], reading: Reading) -> dict[str, FilePlace]:
    """Adds the lines that are new since the places known to the reading; the new places, by file."""
    transcript_time = reading.time
    places: dict[str, FilePlace] = {}
    for name in (FOLDED_LEDGER_FILE, LEDGER_FILE):
        path = os.path.join(folder, name)
        if os.path.exists(path):
            about = os.stat(path)
            # The folded one was the ledger at the last save, or folded already.
            earlier = known.values() if name == FOLDED_LEDGER_FILE else [known.get(LEDGER_FILE, {})]
            start = max((place["offset"] for place in earlier if place.get("inode") == about.st_ino), default=0)
            offset = start if start <= about.st_size else 0
            for end, line in read_lines(path, max(offset, about.st_size - READ_MAX_BYTES), about.st_size):
                if line.endswith(b"\n"):  # else its hook was killed in its middle
                    offset = end
                    for event in parse_line(line):
                        add_event(reading, event, transcript_time)
            places[name] = {"inode": about.st_ino, "offset": offset}
    return places


def add_event(reading: Reading, event: JsonObject, transcript_time: str) -> None:
    """Adds a call or prompt of which the transcript, which was read up to that time, has not told."""
    call_id, reading.time = text_of(event, "id"), max(text_of(event, "time"), reading.time)
    reading.position += 1
    if event.get("event") == "prompt" and text_of(event, "time") > transcript_time:
        reading.add_typed(own_words(text_of(event, "text")), "ledger", "prompt")
    elif event.get("event") == "tool":
        call_input = {"command": event.get("command"), "file_path": event.get("path"), "prompt": event.get("task")}
        reading.add_call(call_id, text_of(event, "tool"), call_input)
        call = reading.calls.get(call_id, {})
        if call and text_of(event, "agent"):
            call["by_agent"] = text_of(event, "agent")
        if call.get("ok") is None and not event.get("interrupted"):
            call.update({"ok": event.get("ok") is True, "exit": event.get("exit"), "error": text_of(event, "error"),
                         "output": text_of(event, "output"), "is_by_ledger": True})
    elif event.get("event") == "subagent" and event.get("ended"):
        words = quote(text_of(event, "said"), NOTICE_MAX_UTF16)
        reading.stream.append(reading.entry("ended", "ledger", key=text_of(event, "agent"), text=words, status=""))


def fold_ledger(folder: str) -> bool:
    """Renames the ledger that was read, where no hook can hold the one renamed before any more; whether it did."""
    ledger = os.path.join(folder, LEDGER_FILE)
    folded = os.path.join(folder, FOLDED_LEDGER_FILE)
    is_rested = not os.path.exists(folded) or time.time() - os.stat(folded).st_mtime > RESTED_SECONDS
    if not is_rested or not os.path.exists(ledger):
        return False
    os.utime(ledger)  # from now on it rests
    os.replace(ledger, folded)
    return True


def hook_times(folder: str) -> dict[str, int]:
    """How often record_event.py took so many milliseconds, by the ledger that was folded just now: each line once."""
    with os.fdopen(open_regular(os.path.join(folder, FOLDED_LEDGER_FILE), os.O_RDONLY), "rb") as file:
        return Counter(map(bytes.decode, re.findall(HOOK_MS, file.read(READ_MAX_BYTES))))
