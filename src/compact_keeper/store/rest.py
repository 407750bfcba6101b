"""rest.json of a session: the second part of what is put back after a compaction, until an event carries it.

restore_snapshot.py leaves it before it prints the first part. It goes out once, when that has gone out: by the hook's
second command at the same start, else with the next event whose words the model reads.
"""

from __future__ import annotations

import os

from compact_keeper.store.compaction import DELIVERED_STAGES, read_compaction
from compact_keeper.store.json_files import refuse_later_version, replace_store, take_store
from compact_keeper.store.log import log
from compact_keeper.store.refusal import Refusal
from compact_keeper.store.removal import remove_file
from compact_keeper.text.fields import text_of
from compact_keeper.text.length import cut
from compact_keeper.text.sanitize import clean

REST_FILE = "rest.json"
REST_MAX_UTF16 = 9_700  # the client cuts what an event says at 10,000


def leave_rest(folder: str, compaction_id: str, text: str) -> None:
    """Leaves the second part of the compaction of that id; an empty text: an earlier compaction's goes."""
    path = os.path.join(folder, REST_FILE)
    if not text:
        remove_rest(folder)
        return
    try:
        refuse_later_version(path)
        replace_store(path, {"id": compaction_id, "text": text})
    except (OSError, Refusal) as fault:  # the first part goes out all the same
        log(f"the second part of what is put back is not kept: {fault}")


def remove_rest(folder: str) -> None:
    """Removes a second part that nobody has taken: it is an earlier compaction's, as its id tells where it stays."""
    remove_file(os.path.join(folder, REST_FILE), "an earlier compaction's second part")


def take_rest(folder: str) -> str:
    """The second part that waits, for the one process that renames it; else empty.

    Only what was delivered last has one: before the first part has gone out it stays, after another compaction it is
    nobody's.
    """
    path = os.path.join(folder, REST_FILE)
    if not os.path.exists(path):
        return ""
    try:
        compaction = read_compaction(folder)
        if compaction["stage"] not in DELIVERED_STAGES:
            return ""
        rest = take_store(path)
    except (OSError, Refusal) as fault:
        log(f"the second part of what was put back is not handed over: {fault}")
        return ""
    is_newest = text_of(rest, "id") == compaction.get("id")
    return cut(clean(text_of(rest, "text")), REST_MAX_UTF16) if is_newest else ""
