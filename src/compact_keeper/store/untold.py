"""untold.json of a session: what the person's own commands have changed or brought in, until an event tells the model.

In the full-screen client these commands never reach the model. Else the client would keep the used skill, with the
words typed behind it and all that it printed, and put it back after each later compaction, however old (measured,
2.1.76 and 2.1.330); what a hook says goes with the next compaction.
"""

from __future__ import annotations

import os
import time

from compact_keeper.store.compaction import read_compaction
from compact_keeper.store.json_files import read_store, replace_store, take_store
from compact_keeper.store.log import log
from compact_keeper.store.note import list_in
from compact_keeper.store.refusal import Refusal
from compact_keeper.store.session_lock import lock_session, unlock_session
from compact_keeper.text.fields import text_of
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


def take_untold(folder: str, room: int) -> str:
    """What waits and fits into so many UTF-16 units, for the one process that renames it; the rest waits on.

    Pins are not told where they came back with a compaction's text since.
    """
    path = os.path.join(folder, UNTOLD_FILE)
    if not os.path.exists(path):
        return ""
    try:
        lock_session(folder, UNTOLD_PATIENCE_SECONDS)
        texts = texts_in(folder, take_store(path))
        fitting = first_within(texts, room)
        if len(fitting) < len(texts):
            add_untold(folder, {"parts": texts[len(fitting):]})
    except (OSError, Refusal, TypeError) as fault:
        log(f"what the person's commands have changed is not told: {fault}")
        return ""
    finally:
        unlock_session()
    return "\n\n".join(fitting)


def texts_in(folder: str, untold: Untold) -> list[str]:
    """The texts that wait, the pins first; without these where they came back since."""
    has_come_back = bool(untold) and read_compaction(folder).get("settled", 0.0) > (untold.get("time") or 0.0)
    pins = "" if has_come_back else text_of(untold, "pins")
    return [clean(text) for text in (pins, *list_in({**untold}, "parts")) if isinstance(text, str) and text]


def first_within(texts: list[str], room: int) -> list[str]:
    """The first of the texts that fit together into so many UTF-16 units."""
    count = 0
    while count < len(texts) and units("\n\n".join(texts[:count + 1])) <= room:
        count += 1
    return texts[:count]
