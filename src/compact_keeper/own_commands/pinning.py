"""The commands that pin words, list what is pinned and take pins off."""

from __future__ import annotations

from collections.abc import Callable

from compact_keeper.client.hook import is_in_full_screen
from compact_keeper.client.other_scripts import ANSWER_SECONDS, script_output
from compact_keeper.client.project import project_folder
from compact_keeper.machine.repository import project_top
from compact_keeper.own_commands.how_typed import command_prefix
from compact_keeper.store.folder import data_home, why_not_writable
from compact_keeper.store.pins import Pinning
from compact_keeper.store.refusal import Refusal, fault_words
from compact_keeper.store.untold import leave_untold, session_waiting
from compact_keeper.types import HookInput

READ_NEXT = " Claude is told with your next prompt."
NUMBERED_ANEW = "Pins of this session, numbered anew:"
PINS_CHANGED = "compact-keeper: the user has changed what is pinned."


def pin(data: HookInput, words: str) -> str:
    """Keeps a pin."""
    return changed_pins(data, lambda pinning: pinning.add(words.strip()))


def unpin(data: HookInput, words: str) -> str:
    """Takes off a pin; the answer lists the others, which have other numbers now, and says so."""
    text = changed_pins(data, lambda pinning: pinning.remove(words.strip()))
    return f"{text}\n{pinning_of(data).listed(NUMBERED_ANEW)}"


def pins(data: HookInput, _words: str) -> str:
    """The session's pins."""
    return pinning_of(data).listed()


def pinning_of(data: HookInput) -> Pinning:
    """The pins of this hook input's session."""
    return Pinning(data["session_id"], project_folder(data), project_top)


def changed_pins(data: HookInput, change: Callable[[Pinning], str]) -> str:
    """Changes the pins, and leaves for the model what is pinned then; returns what the person is told.

    A text that was brought in and waits has pins in it: it is made anew.
    """
    try:
        pinning = pinning_of(data)
        before = pinning.in_force()
        text = change(pinning)
        after = pinning.in_force()
    except Refusal as fault:
        raise Refusal(f"Not done: {fault}") from None
    except OSError as fault:
        raise Refusal(f"Not done, as nothing can be kept: {why_not_writable(data_home()) or fault_words(fault)}. "
                      f"{command_prefix()}doctor says what to do.") from None
    if after == before:
        return f"compact-keeper: {text}"
    is_left = leave_untold(pinning.folder, {"pins": f"{PINS_CHANGED} {pinning.listed()}"})
    if session_waiting(pinning.folder):
        script_output("restore_snapshot.py", ["--bring-in-anew", data["session_id"]], {}, ANSWER_SECONDS)
    return f"compact-keeper: {text}{READ_NEXT if is_left and is_in_full_screen() else ''}"
