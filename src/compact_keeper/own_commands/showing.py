"""The commands that show something, or bring in what was saved: other scripts do the work."""

from __future__ import annotations

import os
import re

from compact_keeper.client.hook import is_in_full_screen
from compact_keeper.client.other_scripts import SCRIPT_OUTPUT_MAX_BYTES, script_text
from compact_keeper.own_commands.how_typed import command_prefix, options_in
from compact_keeper.own_commands.pinning import listed_pins, pins_of_session
from compact_keeper.store.events import NO_EVENT
from compact_keeper.store.folder import (
    NO_LINK,
    NOTES_PAGE,
    SNAPSHOT_FILE,
    data_home,
    open_regular,
    session_folder,
    why_not_writable,
)
from compact_keeper.store.json_files import json_object
from compact_keeper.store.refusal import NOTHING_KNOWN, Refusal
from compact_keeper.store.settings import settings_for
from compact_keeper.text.hints import without_hints
from compact_keeper.text.length import UNITS_PER_TOKEN
from compact_keeper.types import HookInput

SCREEN_ROWS = 20  # of a text behind which its beginning may be out of sight
BEGINS_WITH = "It begins with what you type and what Claude does."
NOTHING_YET = f"compact-keeper: nothing to put back yet. {BEGINS_WITH}"
PINS_ALONE = f"compact-keeper: nothing is recorded yet. {BEGINS_WITH} What would be put back is pinned:"
NOTHING_COUNTED = f"compact-keeper: nothing is kept of this session yet. {BEGINS_WITH}"
NOTES_ARE_OFF = "The setting `notes` is off: this is what was kept before."
NOTES_ARE_OF_LAST_SAVE = "As of the last save: what was typed or pinned since comes in when the next turn ends."


def show(data: HookInput, words: str) -> str:
    """What would be put back now, under how much that is; with "why" each line's reason, with "notes" the notes."""
    options = options_in(words)
    if "notes" in options:
        return notes_of(data["session_id"])
    folder = session_folder(data["session_id"])
    if not os.path.isfile(data["transcript_path"]) and not os.path.exists(os.path.join(folder, SNAPSHOT_FILE)):
        return nothing_yet(data)
    return what_would_come_back(data, "why" in options)


def nothing_yet(data: HookInput) -> str:
    """That nothing is recorded yet, with the pins that would be put back all the same."""
    pinned = pins_of_session(data)
    return listed_pins(pinned, PINS_ALONE) if pinned.in_force() else NOTHING_YET


def what_would_come_back(data: HookInput, with_reasons: bool) -> str:
    """What restore_snapshot.py would put back of the session as of now."""
    command, fault = command_prefix(), why_not_writable(data_home())
    if fault:
        raise Refusal(f"nothing can be kept, so nothing would be put back: {fault}. {command}doctor says what to do.")
    if not data["transcript_path"]:
        raise Refusal("the client named no transcript of this session")
    printed = script_text("save_snapshot.py", ["--dry-run", data["transcript_path"]], {})
    snapshot = json_object("".join(printed.splitlines()[-1:]))  # behind what COMPACT_KEEPER_DEBUG makes it log
    if not snapshot:
        return printed
    if snapshot.get("items") == []:
        return nothing_yet(data)
    if with_reasons:
        why = script_text("restore_snapshot.py", ["--show", "--why"], snapshot)
        return f"{why}\n\nThe text itself: `{command}show`."
    text = script_text("restore_snapshot.py", ["--show"], snapshot)
    own = len(without_hints(text))
    hints = f", and {len(text) - own:,} on how to ask recall" if len(text) > own else ""
    length = f"{own:,} of {snapshot['settings']['budget']:,} characters, about {own // UNITS_PER_TOKEN:,} tokens,"
    more = f"What would not come back: `{command}show why`. Notes for a person: `{command}show notes`."
    figures = f"{length} would be put back if the session were compacted now{hints}. {more}"
    if text.count("\n") > SCREEN_ROWS:
        return f"If the session were compacted now, Claude would then read:\n\n{text}\n\n{figures}"
    return f"{figures} Claude would then read:\n\n{text}"


def notes_of(session: str) -> str:
    """The session's notes, as save_snapshot.py keeps them."""
    path = os.path.join(session_folder(session), NOTES_PAGE)
    is_kept = settings_for("")["notes"]
    try:
        with os.fdopen(open_regular(path, os.O_RDONLY | NO_LINK), "rb") as file:
            text = file.read(SCRIPT_OUTPUT_MAX_BYTES).decode("utf-8", "replace").strip()
            text = without_escapes(text) if is_in_full_screen() else text
            return f"{NOTES_ARE_OF_LAST_SAVE if is_kept else NOTES_ARE_OFF}\n\n{text}"
    except (OSError, Refusal):
        why = f" yet; the first turn that ends writes {path}" if is_kept else ": the setting `notes` is off"
        raise Refusal(f"no notes of this session{why}") from None


def without_escapes(text: str) -> str:
    """The notes as one reads them where Markdown is not drawn: without its escapes, but in code, and its comment."""
    return re.sub(r"(`+)[^`].*?\1(?!`)|\A<!--.*?-->\n|\\(?=[<\]])", lambda part: part[0] if part[1] else "", text)


def stats(data: HookInput, words: str) -> str:
    """The session's figures, with "global" those of all; with "report" where the page of the session was written."""
    session, options = data["session_id"], options_in(words)
    is_page = "report" in options
    given = ["report", session] if is_page else ["stats", "--global" if "global" in options else session]
    text = script_text("stats.py", given, {})
    is_nothing_known = text.startswith(f"compact-keeper: {NOTHING_KNOWN} {session};")
    if is_nothing_known or text.splitlines()[1:2] == [NO_EVENT]:  # of these only pins were looked at
        return NOTHING_COUNTED
    return f"A page on this session, for a browser: {text}" if is_page else text


def bring_in(data: HookInput, words: str) -> str:
    """What restore_snapshot.py brings in: it leaves the text for the model, and prints it for the person.

    With "anyway" where nothing is missing, too; with "killed" of another session whose compaction has not ended.
    """
    return script_text("restore_snapshot.py", ["--bring-in", data["session_id"], *options_in(words)[:1]], {})
