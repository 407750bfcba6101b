#!/usr/bin/env python3
"""A session's ledger as a save takes it in: one save at a time, each line once, no line lost.

save_snapshot.py reads on through this; after_save.py folds, which renames ledger.jsonl to ledger.folded.jsonl. A hook
may have opened the file before and writes into the folded one then, so that is read on too, and goes only when no hook
can hold it any more. memory.json says how far each was read: it is replaced whole, so a line counts once, wherever a
save is killed. Two saves of a session take turns; where the system has no flock (Windows, some network folders) they
may count a line twice.
Python 3.9+, standard library only.
"""

from __future__ import annotations

import os
import time

from save_snapshot import own_words, parse_line, read_lines, text_of
from session_lock import hold

TYPE_CHECKING = False  # typing itself is not imported: it costs a hook 2.7 ms
if TYPE_CHECKING:
    from typing import Any

    Record = dict[str, Any]

__all__ = ("fold", "hold", "read_on")  # what save_snapshot.py and after_save.py call

FOLDED, LEDGER = "ledger.folded.jsonl", "ledger.jsonl"
MOST_READ = 8 << 20  # bytes of each file at one save, the last ones
RESTED = 10  # seconds after the renaming no hook writes to the file any more: the client ends record_event.py after 5


def read_on(folder: str, known: Record, reading: Any) -> Record:
    """Adds the lines that are new since the places known to save_snapshot.py's Reading; the new places, by file."""
    told_until, places = reading.time, {}
    for name in (FOLDED, LEDGER):
        path = os.path.join(folder, name)
        if os.path.exists(path):
            about = os.stat(path)
            earlier = known.values() if name == FOLDED else [known.get(LEDGER, {})]  # it was the ledger then, or folded
            start = max((one["offset"] for one in earlier if one.get("inode") == about.st_ino), default=0)
            place = start if start <= about.st_size else 0
            for end, line in read_lines(path, max(place, about.st_size - MOST_READ), about.st_size):
                if line.endswith(b"\n"):  # else its hook was killed in its middle
                    place = end
                    for event in parse_line(line):
                        add_event(reading, event, told_until)
            places[name] = {"inode": about.st_ino, "offset": place}
    return places


def add_event(reading: Any, event: Record, told_until: str) -> None:
    """Adds a call or prompt of which the transcript, up to that time, has not told."""
    call_id, reading.time = text_of(event, "id"), max(text_of(event, "time"), reading.time)
    reading.position += 1
    if event.get("event") == "prompt" and text_of(event, "time") > told_until:
        reading.add_typed(own_words(text_of(event, "text")), "ledger", "prompt")
    elif event.get("event") == "tool":
        asked = {"command": event.get("command"), "file_path": event.get("path"), "prompt": event.get("task")}
        reading.add_call(call_id, text_of(event, "tool"), asked)
        call, told = reading.calls.get(call_id, {}), {name: text_of(event, name) for name in ("error", "output")}
        if call.get("ok") is None and not event.get("interrupted"):
            call.update(told, ok=event.get("ok") is True, exit=event.get("exit"))
    elif event.get("event") == "subagent" and event.get("ended"):
        reading.stream.append(reading.entry("ended", "ledger", key=text_of(event, "agent")))


def fold(folder: str) -> bool:
    """Renames the ledger that was read, where no hook can hold the one renamed before any more; whether it did."""
    ledger, folded = (os.path.join(folder, name) for name in (LEDGER, FOLDED))
    rested = not os.path.exists(folded) or time.time() - os.stat(folded).st_mtime > RESTED
    if due := rested and os.path.exists(ledger):
        os.utime(ledger)  # from now on it rests
        os.replace(ledger, folded)
    return due


def main() -> int:
    """Prints this page: save_snapshot.py imports the file."""
    print(__doc__)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
