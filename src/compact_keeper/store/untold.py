"""untold.json of a session: what the person's own commands have changed or brought in, until an event tells the model.

In the full-screen client these commands never reach the model. Else the client would keep the used skill, with the
words typed behind it and all that it printed, and put it back after each later compaction, however old (measured,
2.1.76 and 2.1.330); what a hook says goes with the next compaction.
"""

from __future__ import annotations

import os
import time

from compact_keeper.store.compaction import DELIVERED_STAGES, read_compaction, set_stage
from compact_keeper.store.folder import SESSION_ID
from compact_keeper.store.json_files import read_store, readable_store, replace_store, take_store
from compact_keeper.store.log import log
from compact_keeper.store.refusal import Refusal
from compact_keeper.store.session_lock import lock_session, unlock_session
from compact_keeper.text.fields import list_in, text_of
from compact_keeper.text.length import units
from compact_keeper.text.sanitize import clean
from compact_keeper.types import Untold

UNTOLD_FILE = "untold.json"
UNTOLD_PATIENCE_SECONDS = 0.5  # that another process is waited for, which may be saving


def leave_untold(folder: str, changed: Untold) -> bool:
    """Leaves it for the next event that the model reads, beside what waits already; whether that could be done."""
    try:
        lock_session(folder, UNTOLD_PATIENCE_SECONDS)
        add_untold(folder, changed)
    except (OSError, Refusal) as fault:  # the pin is kept, and the person is answered, all the same
        log(f"what the person's command has changed is not left for the model: {fault}")
        return False
    finally:
        unlock_session()
    return True


def add_untold(folder: str, changed: Untold) -> None:
    """Adds it to what waits; whoever takes that meanwhile would have it told twice, so the folder is locked."""
    path = os.path.join(folder, UNTOLD_FILE)
    replace_store(path, {**read_store(path), **changed, "time": time.time()})


def session_waiting(folder: str) -> str:
    """The session whose text waits, all of it; empty where none does, or its first part has gone out."""
    untold = readable_store(folder, UNTOLD_FILE)
    return "" if untold.get("goes_on") or not list_in(untold, "parts") else text_of(untold, "brought_in")


def replace_waiting(folder: str, session: str, parts: list[str]) -> None:
    """Puts the parts in the place of that session's text that waits, unless something of it has gone out meanwhile."""
    try:
        lock_session(folder, UNTOLD_PATIENCE_SECONDS)
        if session_waiting(folder) == session:
            add_untold(folder, {"parts": parts})
    finally:
        unlock_session()


def take_untold(folder: str, room: int) -> str:
    """What waits and fits into so many UTF-16 units, for the one process that renames it; the rest waits on.

    What a compaction's text has brought since is not told: pins, and what was saved of this very session.
    """
    path = os.path.join(folder, UNTOLD_FILE)
    if not os.path.exists(path):
        return ""
    try:
        lock_session(folder, UNTOLD_PATIENCE_SECONDS)
        untold = take_store(path)
        texts = texts_in(folder, untold)
        fitting = first_within(texts, room)
        rest = rest_of(untold, texts[len(fitting):])
        if rest["parts"]:
            add_untold(folder, rest)
        if rest["goes_on"]:
            note_read(folder, untold)
    except (OSError, Refusal, TypeError) as fault:
        log(f"what the person's commands have changed is not told: {fault}")
        return ""
    finally:
        unlock_session()
    return "\n\n".join(fitting)


def texts_in(folder: str, untold: Untold) -> list[str]:
    """The texts that wait, the pins first; without what came back with a compaction's text since."""
    compaction = read_compaction(folder) if untold else {}
    came_back_at = compaction.get("settled", 0.0) if compaction.get("stage") in DELIVERED_STAGES else 0.0
    pins = "" if came_back_at > (untold.get("time") or 0.0) else text_of(untold, "pins")
    is_own = text_of(untold, "brought_in") == os.path.basename(folder)
    parts = [] if is_own and came_back_at > untold.get("brought_at", 0.0) else list_in({**untold}, "parts")
    return [clean(text) for text in (pins, *parts) if isinstance(text, str) and text]


def rest_of(untold: Untold, texts: list[str]) -> Untold:
    """What waits on when only these of its texts are left."""
    goes_on = len(texts) < len(list_in({**untold}, "parts"))
    return {"brought_in": text_of(untold, "brought_in"), "brought_at": untold.get("brought_at", 0.0), "parts": texts,
            "goes_on": goes_on, "stopped_at": untold.get("stopped_at", 0.0)}


def note_read(folder: str, untold: Untold) -> None:
    """Notes that the compaction is dealt with at which the session stopped whose text the model reads now.

    Until then any session may bring it in: who typed the command may have ended the client before a prompt.
    """
    session, began = text_of(untold, "brought_in"), untold.get("stopped_at")
    stopped = os.path.join(os.path.dirname(folder), session)
    if not began or not SESSION_ID.match(session) or os.path.islink(stopped):
        return
    try:
        compaction = read_compaction(stopped)
        if compaction.get("stage") == "begun" and compaction.get("time") == began:
            set_stage(stopped, compaction, "brought in")
    except (OSError, Refusal) as fault:
        log(f"that the compaction of session {session} is brought in is not noted: {fault}")


def first_within(texts: list[str], room: int) -> list[str]:
    """The first of the texts that fit together into so many UTF-16 units."""
    count = 0
    while count < len(texts) and units("\n\n".join(texts[:count + 1])) <= room:
        count += 1
    return texts[:count]
