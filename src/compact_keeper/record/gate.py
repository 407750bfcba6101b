"""Whether an automatic compaction is held for a moment; asked only where the setting `gate` is "hold".

A compaction is held while a question to the user is open or while a series of edits runs through several files, at most
`gate_holds` times until the context was compacted, and never when the context may be fuller than `gate_max` of the
window, or when the window is not known.

Why it is off, as measured: a held compaction comes again before the next request (2.1.105 to 2.1.329; 2.1.76 takes no
"block"), and nobody is told of the reason. When the API itself has refused the context as too long, which from 2.1.197
on is the rule where the person has set no window, one "block" ends the user's request with "Prompt is too long", and no
field of the hook's input tells this case. So a compaction is held only where CLAUDE_CODE_AUTO_COMPACT_WINDOW names the
window: then the client compacts 33,000 tokens before its end. The newest result counts too, which `usage` leaves out.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from compact_keeper.client.threads import LATE_LINES_SECONDS, client_version, last_records
from compact_keeper.client.tokens import ROOM_TOKENS, usage_tokens, window_in_environment
from compact_keeper.client.tools import CHANGING_TOOLS, LOOKING_TOOLS, PATH_FIELDS
from compact_keeper.record.words.dialogs import WAITING_FOR_APPROVAL
from compact_keeper.text.fields import first_text
from compact_keeper.types import CompactionState, Item, JsonObject, Memory, Settings

BLOCKABLE_CLIENTS = (2, 1, 105)  # and newer ones take a "block"
MODEL_WINDOW_CLIENTS = (2, 1, 150)  # and newer ones send requests up to the model's window, others up to the named one
UNSENT_TOKENS = 25_000  # below the end of that window; 23,000 below it the client sends no request any more
SMALLEST_WINDOW_TOKENS = 200_000  # that a model has
CHARACTERS_IN_TOKEN_MIN = 3  # of a transcript's line


def hold_for(
        compaction: CompactionState, memory: Memory, transcript: str, settings: Settings) -> CompactionState:
    """What is noted of a hold in compaction.json: why, and its number in this context fill; empty for none.

    A compaction that was let go and is not known to have ended has failed: it is not held again.
    """
    fill = memory.get("cycle", 0)
    before = compaction.get("holds", 0) if compaction.get("held_in") == fill else 0
    most = settings["gate_holds"]
    if type(before) is not int or not 0 <= before < most or compaction.get("stage") == "begun":
        return {}
    why = reason_to_hold(memory.get("items", []), whole_records(transcript), settings)
    if not why:
        return {}
    number = before + 1
    return {"why": f"{why}; compaction held, {number} of at most {most} times", "holds": number, "held_in": fill}


def reason_to_hold(items: Sequence[Item], records: Sequence[JsonObject], settings: Settings) -> str:
    """Why the compaction is held, by the session's items and the transcript's last records; empty when it is not."""
    if not fits(records, settings):
        return ""
    if any(item["kind"] == "question" or item["status"] == WAITING_FOR_APPROVAL for item in items):
        return "a question to the user is open"
    changed = being_changed(records)
    return f"changes to {len(changed)} files are under way" if len(changed) > 1 else ""


def whole_records(transcript: str) -> list[JsonObject]:
    """The transcript's last records; none where they still tell of a context that no client compacts yet: some lack."""
    window, until = window_in_environment(), time.monotonic() + LATE_LINES_SECONDS
    if not window:
        return []
    while context_of(records := last_records(transcript)) < window - ROOM_TOKENS:
        if time.monotonic() > until:
            return []
        time.sleep(LATE_LINES_SECONDS / 10)
    return records


def context_of(records: Sequence[JsonObject]) -> int:
    """Tokens in the context by the last answer that told them and what came after it; 0 where none told."""
    context = 0
    for record in records:
        message = record.get("message")
        known = usage_tokens(message.get("usage")) if isinstance(message, dict) else 0
        context = known or (context and context + len(str(message or "")) // CHARACTERS_IN_TOKEN_MIN)
    return context


def fits(records: Sequence[JsonObject], settings: Settings) -> bool:
    """Whether the context leaves room for another request."""
    client = next(filter(None, map(client_version, reversed(records))), ())
    if client < BLOCKABLE_CLIENTS:
        return False
    named = window_in_environment()
    window = max(named, SMALLEST_WINDOW_TOKENS) if client >= MODEL_WINDOW_CLIENTS else named
    most: float = min(settings["gate_max"] * named, window - UNSENT_TOKENS)
    return 0 < context_of(records) <= most


def being_changed(records: Sequence[JsonObject]) -> set[str]:
    """The files of the series of edits that the last calls are; reading between them does not end it."""
    changed: set[str] = set()
    for record in reversed(records):
        message = record.get("message")
        content = message.get("content") if isinstance(message, dict) else None
        for block in reversed(content if isinstance(content, list) else []):
            tool = block.get("name") if isinstance(block, dict) and block.get("type") == "tool_use" else None
            arguments = block["input"] if tool and isinstance(block.get("input"), dict) else {}
            if tool in CHANGING_TOOLS:
                changed.add(first_text(arguments, PATH_FIELDS))
            elif tool and tool not in LOOKING_TOOLS:
                return changed
        if isinstance(content, str) and record.get("type") == "user":
            return changed  # a prompt
    return changed
