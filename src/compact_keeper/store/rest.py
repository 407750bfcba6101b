"""rest.json of a session: the further parts of what is put back after a compaction, until events carry them.

restore_snapshot.py leaves them before it prints the first part. Each goes out once, in their order, when that has gone
out: by the hook's further commands at the same start, and where there are none with the next events whose words the
model reads.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from compact_keeper.store.compaction import DELIVERED_STAGES, read_compaction
from compact_keeper.store.json_files import refuse_later_version, replace_store, take_store
from compact_keeper.store.log import log
from compact_keeper.store.refusal import Refusal
from compact_keeper.store.removal import remove_file
from compact_keeper.text.fields import list_in, text_of
from compact_keeper.text.length import CLIENT_CUTS_AT_UTF16, cut
from compact_keeper.text.sanitize import clean

REST_FILE = "rest.json"
REST_MAX_UTF16 = CLIENT_CUTS_AT_UTF16 - 300


def leave_rest(folder: str, compaction_id: str, texts: Sequence[str]) -> None:
    """Leaves the further parts of the compaction of that id; where it has none, an earlier compaction's go."""
    path = os.path.join(folder, REST_FILE)
    if not texts:
        remove_rest(folder)
        return
    try:
        refuse_later_version(path)
        replace_store(path, {"id": compaction_id, "text": texts[0], "further": [*texts[1:]]})
    except (OSError, Refusal) as fault:  # the first part goes out all the same
        log(f"the further parts of what is put back are not kept: {fault}")


def remove_rest(folder: str) -> None:
    """Removes parts that nobody has taken: they are an earlier compaction's, as their id tells where they stay."""
    remove_file(os.path.join(folder, REST_FILE), "an earlier compaction's further parts")


def take_rest(folder: str) -> str:
    """The next part that waits, for the one process that renames the file; else empty. Those behind it go on waiting.

    Only what was delivered last has any: before the first part has gone out they stay, after another compaction they
    are nobody's.
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
        log(f"the next part of what was put back is not handed over: {fault}")
        return ""
    if not rest or text_of(rest, "id") != compaction.get("id"):
        return ""
    further = [text for text in list_in(rest, "further") if isinstance(text, str)]
    if further:
        leave_rest(folder, compaction["id"], further)
    return cut(clean(text_of(rest, "text")), REST_MAX_UTF16)
