"""A note that waits is handed over to the main thread's model."""

from __future__ import annotations

from compact_keeper.client.hook import print_answer
from compact_keeper.store.events import note_event
from compact_keeper.store.note import take_note
from compact_keeper.text.fields import text_of
from compact_keeper.text.length import units
from compact_keeper.types import HookInput

CARRIERS = ("PostToolUse", "PostToolUseFailure")  # what hooks print at these events the model reads at once


def hand_over(data: HookInput, folder: str) -> None:
    """Prints the note that waits in the session's folder, where the main thread's model reads it."""
    event = data["hook_event_name"]
    if event not in CARRIERS or text_of(data, "agent_id"):
        return
    text = take_note(folder)
    if text:
        print_answer(event, {"additionalContext": text})
        note_event("note", data["session_id"], on=event, units=units(text))
