#!/usr/bin/env python3
"""Whether an automatic compaction is held for a moment; asked only where the setting `gate` is "hold".

save_snapshot.py asks at PreCompact. A compaction is held while a question to the user is open or while a series of
edits runs through several files, at most `gate_holds` times until the context was compacted, and never when the context
may be fuller than `gate_max` of the window, or when the window is not known.

Why it is off, as measured: a held compaction comes again before the next request (2.1.105 to 2.1.329; 2.1.76 takes no
"block"), and nobody is told of the reason. When the API itself has refused the context as too long, which from 2.1.197
on is the rule where the person has set no window, one "block" ends the user's request with "Prompt is too long", and no
field of the hook's input tells this case. So a compaction is held only where CLAUDE_CODE_AUTO_COMPACT_WINDOW names the
window: then the client compacts 33,000 tokens before its end. The newest result counts too, which `usage` leaves out.

The transcript is read through the caller's reader, nothing is written. Python 3.9+, standard library only.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Sequence

from compacted_context import LATE, last_records, tokens, version
from interpret_calls import CHANGING

TYPE_CHECKING = False  # typing itself is not imported: it costs a hook 2.7 ms
if TYPE_CHECKING:
    from typing import Any

    from compacted_context import Reader

    Record = dict[str, Any]

BLOCKABLE, UNLIMITED = (2, 1, 105), (2, 1, 150)  # clients that can be blocked; that do so without a limit of their own
OWN_LIMIT = 25_000  # tokens below the model's window; 23,000 below it the client sends no request any more
SMALLEST = 200_000  # tokens of the smallest window that a model has; before UNLIMITED the named one counts as its own
ROOM = 33_000  # tokens below the window's end where a client compacts
PER_TOKEN = 3  # characters of a transcript's line a token has at least
READING = ("Read", "Grep", "Glob", "LS")  # calls that do not end a series of edits


def held(compaction: Record, memory: Record, transcript: str, records_of: Reader, used: Record) -> Record:
    """What is noted of a hold in compaction.json: why, and its number in this context fill; empty for none.

    A compaction that was let go and is not known to have ended has failed: it is not held again.
    """
    fill = memory.get("cycle", 0)
    before = compaction.get("holds", 0) if compaction.get("held_in") == fill else 0
    if type(before) is not int or not 0 <= before < used["gate_holds"] or compaction.get("stage") == "begun":
        return {}
    why = reason_to_hold(memory.get("items", []), whole_records(transcript, records_of), used)
    told = f"{why}; compaction held, {before + 1} of at most {used['gate_holds']} times"
    return {"why": told, "holds": before + 1, "held_in": fill} if why else {}


def reason_to_hold(items: Sequence[Record], records: Sequence[Record], used: Record) -> str:
    """Why the compaction is held, by the session's items and the transcript's last records; empty when it is not."""
    room = fits(records, used)
    waiting = next((one for one in items if one["kind"] == "question" or one["status"] == "waiting for approval"), None)
    changed = being_changed(records)
    if room and waiting:
        return "a question to the user is open"
    return f"changes to {len(changed)} files are under way" if room and len(changed) > 1 else ""


def window() -> int:
    """The context window in tokens, as the client's own variable names it; 0 when it is not known."""
    named = os.environ.get("CLAUDE_CODE_AUTO_COMPACT_WINDOW", "")
    return int(named) if re.fullmatch(r"\d{4,8}", named) else 0


def whole_records(transcript: str, records_of: Reader) -> list[Record]:
    """The transcript's last records; none where they still tell of a context that no client compacts yet: some lack."""
    until = time.monotonic() + LATE
    while window() and context_of(records := last_records(transcript, records_of)) < window() - ROOM:
        if time.monotonic() > until:
            return []
        time.sleep(LATE / 10)
    return records if window() else []


def context_of(records: Sequence[Record]) -> int:
    """Tokens in the context by the last answer that told them and what came after it; 0 where none told."""
    context = 0
    for record in records:
        message = record.get("message")
        known = tokens(message.get("usage")) if isinstance(message, dict) else 0
        context = known or (context and context + len(str(message or "")) // PER_TOKEN)
    return context


def fits(records: Sequence[Record], used: Record) -> bool:
    """Whether the context leaves room for another request."""
    client = next(filter(None, map(version, reversed(records))), ())
    of_model = max(window(), SMALLEST) if client >= UNLIMITED else window()
    return client >= BLOCKABLE and 0 < context_of(records) <= min(used["gate_max"] * window(), of_model - OWN_LIMIT)


def being_changed(records: Sequence[Record]) -> set[str]:
    """The files of the series of edits that the last calls are; reading between them does not end it."""
    changed: set[str] = set()
    for record in reversed(records):
        message = record.get("message")
        content = message.get("content") if isinstance(message, dict) else None
        for block in reversed(content if isinstance(content, list) else []):
            tool = block.get("name") if isinstance(block, dict) and block.get("type") == "tool_use" else None
            given = block["input"] if tool and isinstance(block.get("input"), dict) else {}
            if tool in CHANGING:
                changed.add(str(given.get("file_path") or given.get("notebook_path")))
            elif tool and tool not in READING:
                return changed
        if isinstance(content, str) and record.get("type") == "user":
            return changed  # a prompt
    return changed
