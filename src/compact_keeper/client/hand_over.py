"""What waits for the main thread's model is handed over to it: a further part, a note, what the person changed."""

from __future__ import annotations

from compact_keeper.client.hook import print_answer
from compact_keeper.store.events import note_event
from compact_keeper.store.note import take_note
from compact_keeper.store.rest import take_rest
from compact_keeper.store.untold import take_untold
from compact_keeper.text.fields import text_of
from compact_keeper.text.length import CLIENT_CUTS_AT_UTF16, units
from compact_keeper.types import HookInput

CONTEXT_MAX_UTF16 = CLIENT_CUTS_AT_UTF16 - 100  # of what one event carries
CARRIERS = ("PostToolUse", "PostToolUseFailure")  # what hooks print at these events the model reads at once


def hand_over(data: HookInput, folder: str) -> None:
    """Prints what waits in the session's folder, where the main thread's model reads it."""
    event = data["hook_event_name"]
    if event not in CARRIERS or text_of(data, "agent_id"):
        return
    rest = take_rest(folder)
    note = "" if rest else take_note(folder)  # a long rest leaves it no room: it waits for the next event
    untold = take_untold(folder, room_beside(rest, note))
    if rest or note or untold:
        print_answer(event, {"additionalContext": in_reading_order(rest=rest, untold=untold, note=note)})
        note_what_went_out(data, rest=rest, note=note, untold=untold)


def in_reading_order(*, lost: str = "", rest: str, untold: str, note: str) -> str:
    """The texts that wait, as the model reads them: first what belongs to the text that was put back, the note last."""
    return "\n\n".join(filter(None, [lost, rest, untold, note]))


def room_beside(*texts: str) -> int:
    """UTF-16 units that an event still carries beside the texts."""
    return CONTEXT_MAX_UTF16 - sum(units(f"{text}\n\n") for text in texts)


def note_what_went_out(data: HookInput, **texts: str) -> None:
    """Adds a line to events.jsonl for each of the texts that is not empty, with the event that carried it."""
    for name, text in texts.items():
        if text:
            note_event(name, data["session_id"], on=data["hook_event_name"], units=units(text))
