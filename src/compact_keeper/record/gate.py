"""(docstring)"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Sequence

from compact_keeper.client.context import LATE_LINES_SECONDS, client_version, last_records, usage_tokens
from compact_keeper.record.calls import CHANGING_TOOLS
from compact_keeper.types import Record

BLOCKABLE, UNLIMITED = (2, 1, 105), (2, 1, 150)  # clients that can be blocked; that do so without a limit of their own
OWN_LIMIT_TOKENS = 25_000  # tokens below the model's window; 23,000 below it the client sends no request any more
SMALLEST_WINDOW_TOKENS = 200_000  # tokens of the smallest window that a model has; before UNLIMITED the named one counts as its own
COMPACT_ROOM_TOKENS = 33_000  # tokens below the window's end where a client compacts
CHARACTERS_PER_TOKEN = 3  # characters of a transcript's line a token has at least
LOOKING_TOOLS = ("Read", "Grep", "Glob", "LS")  # calls that do not end a series of edits


def held_compaction(compaction: Record, memory: Record, transcript: str, used: Record) -> Record:
    """What is noted of a hold in compaction.json: why, and its number in this context fill; empty for none.

    A compaction that was let go and is not known to have ended has failed: it is not held again.
    """
    fill = memory.get("cycle", 0)
    before = compaction.get("holds", 0) if compaction.get("held_in") == fill else 0
    if type(before) is not int or not 0 <= before < used["gate_holds"] or compaction.get("stage") == "begun":
        return {}
    why = reason_to_hold(memory.get("items", []), whole_records(transcript), used)
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


def named_window_tokens() -> int:
    """The context window in tokens, as the client's own variable names it; 0 when it is not known."""
    named = os.environ.get("CLAUDE_CODE_AUTO_COMPACT_WINDOW", "")
    return int(named) if re.fullmatch(r"\d{4,8}", named) else 0


def whole_records(transcript: str) -> list[Record]:
    """The transcript's last records; none where they still tell of a context that no client compacts yet: some lack."""
    until = time.monotonic() + LATE_LINES_SECONDS
    while named_window_tokens() and context_of(records := last_records(transcript)) < named_window_tokens() - COMPACT_ROOM_TOKENS:
        if time.monotonic() > until:
            return []
        time.sleep(LATE_LINES_SECONDS / 10)
    return records if named_window_tokens() else []


def context_of(records: Sequence[Record]) -> int:
    """Tokens in the context by the last answer that told them and what came after it; 0 where none told."""
    context = 0
    for record in records:
        message = record.get("message")
        known = usage_tokens(message.get("usage")) if isinstance(message, dict) else 0
        context = known or (context and context + len(str(message or "")) // CHARACTERS_PER_TOKEN)
    return context


def fits(records: Sequence[Record], used: Record) -> bool:
    """Whether the context leaves room for another request."""
    client = next(filter(None, map(client_version, reversed(records))), ())
    of_model = max(named_window_tokens(), SMALLEST_WINDOW_TOKENS) if client >= UNLIMITED else named_window_tokens()
    return client >= BLOCKABLE and 0 < context_of(records) <= min(used["gate_max"] * named_window_tokens(), of_model - OWN_LIMIT_TOKENS)


def being_changed(records: Sequence[Record]) -> set[str]:
    """The files of the series of edits that the last calls are; reading between them does not end it."""
    changed: set[str] = set()
    for record in reversed(records):
        message = record.get("message")
        content = message.get("content") if isinstance(message, dict) else None
        for block in reversed(content if isinstance(content, list) else []):
            tool = block.get("name") if isinstance(block, dict) and block.get("type") == "tool_use" else None
            given = block["input"] if tool and isinstance(block.get("input"), dict) else {}
            if tool in CHANGING_TOOLS:
                changed.add(str(given.get("file_path") or given.get("notebook_path")))
            elif tool and tool not in LOOKING_TOOLS:
                return changed
        if isinstance(content, str) and record.get("type") == "user":
            return changed  # a prompt
    return changed
