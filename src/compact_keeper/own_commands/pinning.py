"""The commands that pin words, list what is pinned and take pins off."""

from __future__ import annotations

import re
from collections.abc import Callable

from compact_keeper.client.hook import is_in_full_screen
from compact_keeper.client.other_scripts import ANSWER_SECONDS, script_output
from compact_keeper.client.project import project_folder
from compact_keeper.machine.repository import project_top
from compact_keeper.own_commands.how_typed import NOTHING_DONE, command_prefix
from compact_keeper.store.folder import data_home, why_not_writable
from compact_keeper.store.pins import PINS_SHARE, SessionPins, pin_name
from compact_keeper.store.refusal import Refusal, fault_words
from compact_keeper.store.settings import SETTINGS, own_settings_path, settings_for
from compact_keeper.store.untold import leave_untold, session_waiting
from compact_keeper.text.fields import text_of
from compact_keeper.text.length import cut, units
from compact_keeper.text.marks import in_quotes
from compact_keeper.text.quotation import quote
from compact_keeper.text.redact import redact
from compact_keeper.text.sanitize import clean
from compact_keeper.types import HookInput, JsonObject

READ_NEXT = " Claude is told with your next message."
NUMBERED_ANEW = "Pins of this session, numbered anew:"
PINS_CHANGED = "compact-keeper: the user has changed what is pinned."
UNTOLD_TILL_THEN = (
    "Other sessions have it from their first compaction on. What Claude is to know from a session's start belongs in "
    "CLAUDE.md.")
SHOWN_UTF16 = 300  # of a pin's words where it is told that they are pinned
FULL_STOPS = (".", "!", "?")
FOR_THE_PROJECT = " (in every session in {})"
PROJECT_SHOWN_UTF16 = 200  # of its folder
QUOTED_OPTION = r"([\"'])(--.*)\1"  # words that begin as an option does
NUMBER_SHOWN_UTF16 = 40  # of what was typed in a number's place
LINE_AROUND_UTF16 = 60  # of a pin's line in the recap, beside its words


def pin(data: HookInput, words: str) -> str:
    """Keeps a pin."""
    return changed_pins(data, lambda pinned: add_pin(pinned, words.strip()))


def unpin(data: HookInput, words: str) -> str:
    """Takes off a pin; the answer lists the others, which have other numbers now, and says so."""
    text = changed_pins(data, lambda pinned: remove_pins(pinned, words.strip()))
    return f"{text}\n{listed_pins(pins_of_session(data), NUMBERED_ANEW)}"


def pins(data: HookInput, _words: str) -> str:
    """The session's pins."""
    return f"compact-keeper: {listed_pins(pins_of_session(data))}"


def pins_of_session(data: HookInput) -> SessionPins:
    """The pins of this hook input's session."""
    return SessionPins(data["session_id"], project_folder(data), project_top)


def changed_pins(data: HookInput, change: Callable[[SessionPins], str]) -> str:
    """Changes the pins, and leaves for the model what is pinned then; returns what the person is told.

    A text that was brought in and waits has pins in it: it is made anew.
    """
    try:
        pinned = pins_of_session(data)
        before = pinned.in_force()
        text = change(pinned)
        after = pinned.in_force()
    except Refusal as fault:
        raise Refusal(f"{NOTHING_DONE}: {fault}") from None
    except OSError as fault:
        raise Refusal(f"{NOTHING_DONE}, as nothing can be kept: {why_not_writable(data_home()) or fault_words(fault)}. "
                      f"{command_prefix()}doctor says what to do.") from None
    if after == before:
        return f"compact-keeper: {text}"
    is_left = leave_untold(pinned.folder, {"pins": f"{PINS_CHANGED} {listed_pins(pinned)}"})
    if session_waiting(pinned.folder):
        script_output("restore_snapshot.py", ["--bring-in-anew", data["session_id"]], {}, ANSWER_SECONDS)
    return f"compact-keeper: {text}{READ_NEXT if is_left and is_in_full_screen() else ''}"


def add_pin(pinned: SessionPins, typed: str) -> str:
    """Pins what was typed; returns what to tell of it. Raises Refusal where there are no words, or no room for them."""
    text, project = words_to_pin(typed, pinned.top)
    if any(pin["text"] == text for pin in pinned.in_force()):
        return "That is pinned already."
    check_room(pinned, text)
    name = pinned.add(text, project)
    names = [pin_name(pin) for pin in pinned.in_force()]
    number = f" {names.index(name) + 1}" if name in names else ""
    till_then = f" {UNTOLD_TILL_THEN}" if project else ""
    return (f"Pinned{number}{for_whom(project)}: {in_quotes(cut(text, SHOWN_UTF16))} (what is pinned stands first in "
            f"what is put back after each compaction).{till_then}")


def words_to_pin(typed: str, top: str) -> tuple[str, str]:
    """The words to pin, safe to keep, and the project that they are for: `top` where that was typed, else empty.

    Raises Refusal, with what to type, where there are none or where another command was meant.
    """
    wide = re.match(r"--project(?:\s+|\Z)", typed)
    if not wide and (option := re.match(r"--[\w-]+", typed)):
        raise Refusal(f"pin does not know \"{quote(option[0], NUMBER_SHOWN_UTF16)}\". It knows \"--project\" "
                      "(for all sessions of this project); to pin words that begin so, put them in quotes.")
    if typed.lower() in ("list", "show", "ls"):
        raise Refusal(f"\"{typed}\" alone is not pinned. {command_prefix()}pins lists what is.")
    text = without_quotes(redact(clean(typed[wide.end():] if wide else typed)).strip())
    if not text:
        raise Refusal("type the words to pin behind the command.")
    return text, top if wide else ""


def without_quotes(text: str) -> str:
    """The words without the quotes around them, where these only keep them from being read as an option."""
    quoted = re.fullmatch(QUOTED_OPTION, text, re.DOTALL)
    return quoted[2] if quoted else text


def check_room(pinned: SessionPins, text: str) -> None:
    """Raises Refusal where not all pins would come back whole, as their share of the budget is full."""
    budget, most, taken = room_of_pins(pinned)
    left = most - taken - LINE_AROUND_UTF16
    if units(text) > left:
        beside, do = (" beside what is pinned", "Take a pin off (unpin NUMBER), pin") if taken else ("", "Pin")
        raise Refusal(
            f"no room for a pin of {units(text):,} characters: a `budget` of {budget:,} leaves "
            f"{max(left, 0):,}{beside}. {do} fewer words{how_to_raise(budget)}. "
            "If the line still holds the words, empty it before you type.")


def how_to_raise(budget: int) -> str:
    """What else than fewer words makes room for pins: a larger budget, where it is not the largest; else empty."""
    most = SETTINGS["budget"][1][1]
    return "" if budget == most else f", or raise `budget` (up to {most:,}) in {own_settings_path()}"


def room_of_pins(pinned: SessionPins) -> tuple[int, int, int]:
    """How long the text may be that is put back, how many characters of pins in it, and how many there are."""
    budget = settings_for(pinned.project)["budget"]
    taken = sum(units(pin["text"]) + LINE_AROUND_UTF16 for pin in pinned.in_force())
    return budget, int(PINS_SHARE * budget), taken


def remove_pins(pinned: SessionPins, typed: str) -> str:
    """Takes off the pins of the numbers that were typed, as they were listed; returns what to tell of it.

    Raises Refusal, and takes none off, where a number is no pin's.
    """
    in_force, numbers = pinned.in_force(), numbers_in(typed)
    if not numbers or not all(0 < number <= len(in_force) for number in numbers):
        what = f"{quote(typed, NUMBER_SHOWN_UTF16)!r} is no pin's number." if typed else "name a pin by its number."
        raise Refusal(f"{what} {listed_pins(pinned)}")
    taken_off = [in_force[number - 1] for number in numbers]
    for pin in taken_off:
        pinned.end(pin)
    off, last = ", ".join(map(pin_shown, taken_off)), taken_off[-1]
    has_stop = clean(last["text"]).endswith(FULL_STOPS) and "project" not in last
    return f"Not pinned any more: {off}{'' if has_stop else '.'}"


def listed_pins(pinned: SessionPins, heading: str = "Pins of this session:") -> str:
    """The pins that hold, numbered, each with where it holds."""
    rows = [f"{number}. {pin_shown(pin)}" for number, pin in enumerate(pinned.in_force(), 1)]
    if not rows:
        return "Nothing is pinned."
    budget, most, taken = room_of_pins(pinned)
    if taken > most:
        rows.append(f"They have {taken:,} characters, of which {most:,} come back whole with a `budget` of "
                    f"{budget:,}: unpin one{how_to_raise(budget)}.")
    return "\n".join([heading, *rows])


def pin_shown(pin: JsonObject) -> str:
    """A pin's words, and where it holds."""
    return f"{in_quotes(clean(pin['text']))}{for_whom(text_of(pin, 'project'))}"


def for_whom(project: str) -> str:
    """The words behind a pin that holds in every session of a project; empty behind one of this session's."""
    return FOR_THE_PROJECT.format(quote(project, PROJECT_SHOWN_UTF16)) if project else ""


def numbers_in(typed: str) -> list[int]:
    """The numbers that were typed, each once: "2", "#2", "2 1", "1, 3", "1-2"; none where anything else stands."""
    numbers: dict[int, None] = {}
    for part in re.split(r"[\s,]+", typed.strip(" ,")):
        span = re.fullmatch(r"#?(\d{1,4})(?:-#?(\d{1,4}))?", part)
        if not span:
            return []
        numbers.update(dict.fromkeys(range(int(span[1]), int(span[2] or span[1]) + 1)))
    return list(numbers)
