#!/usr/bin/env python3
"""Whether an automatic compaction is held for a moment; asked only where the setting `gate` is "hold".

save_snapshot.py asks at PreCompact. A compaction is held while a question to the user is
open or while a series of edits runs through several files, at most `gate_holds` times until the context was compacted,
and never when the context may be fuller than `gate_max` of the window, or when the window is not known.

Why it is off, as measured: a held compaction comes again before the next request (2.1.105 to 2.1.329; 2.1.76 takes no
"block"), and nobody is told of the reason. When the API itself has refused the context as too long, which from 2.1.197
on is the rule where the person has set no window, one "block" ends the user's request with "Prompt is too long", and no
field of the hook's input tells this case. So a compaction is held only where CLAUDE_CODE_AUTO_COMPACT_WINDOW names the
window: then the client compacts 33,000 tokens before its end. The newest result counts too, which `usage` leaves out.

Nothing is read or written. Python 3.9+, standard library only.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

from compacted_context import last_records, tokens, version

TYPE_CHECKING = False  # typing itself is not imported: it costs a hook 2.7 ms
if TYPE_CHECKING:
    from typing import Any

    from compacted_context import Reader

    Record = dict[str, Any]

BLOCKABLE, UNLIMITED = (2, 1, 105), (2, 1, 150)  # clients that can be blocked; that do so without a limit of their own
OWN_LIMIT = 25_000  # tokens below the model's window; 23,000 below it the client sends no request any more
SMALLEST = 200_000  # tokens of the smallest window that a model has; before UNLIMITED the named one counts as its own
PER_TOKEN = 3  # characters of a transcript's line a token has at least
CHANGING, READING = ("Edit", "MultiEdit", "Write", "NotebookEdit"), ("Read", "Grep", "Glob", "LS")


def held(compaction: Record, memory: Record, transcript: str, records_of: Reader, used: Record) -> Record:
    """What is noted of a hold in compaction.json: why, and its number in this context fill; empty for none.

    A compaction that was let go and is not known to have ended has failed: it is not held again.
    """
    fill = memory.get("cycle", 0)
    before = compaction.get("holds", 0) if compaction.get("held_in") == fill else 0
    if type(before) is not int or not 0 <= before < used["gate_holds"] or compaction.get("stage") == "begun":
        return {}
    why = reason_to_hold(memory.get("items", []), last_records(transcript, records_of), used)
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


def fits(records: Sequence[Record], used: Record) -> bool:
    """Whether the context, with what came after the last answer that told its size, leaves room for another request."""
    context, client = 0, tuple[int, ...]()
    for record in records:
        message = record.get("message")
        known = tokens(message.get("usage")) if isinstance(message, dict) else 0
        context = known or (context and context + len(str(message or "")) // PER_TOKEN)
        client = version(record) or client
    of_model = max(window(), SMALLEST) if client >= UNLIMITED else window()
    return client >= BLOCKABLE and 0 < context <= min(used["gate_max"] * window(), of_model - OWN_LIMIT)


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
