"""compaction.json of a session: how far its newest compaction has come, its `stage`.

    begun         at PreCompact, by save_snapshot.py; another one begins anew: newer clients prepare several summaries
    delivered     the text was put back; whether the client kept it is not known yet. Then one of
    verified      its nonce stands in the transcript
    repaired      it was lost, and went out again
    unseen        this client (up to 2.1.76) writes nothing that would tell
It ends too as "a subagent's", "brought in" (by /compact-keeper:restore, once the model reads it), "kept back" (and told
to the person) and "nothing known". `earlier` is a delivery that is not verified when the next compaction begins, until
it is.
"""

from __future__ import annotations

import os
import time
from typing import Any

from compact_keeper.store.json_files import read_store, refuse_later_version, replace_store
from compact_keeper.store.session_lock import lock_session, unlock_session
from compact_keeper.types import CompactionState, JsonObject, Snapshot

COMPACTION_FILE = "compaction.json"
UNSETTLED_STAGES = ("delivered", "unseen")  # of a compaction of which it is not known whether its text was kept
DELIVERED_STAGES = ("delivered", "verified", "repaired", "unseen")  # of a compaction whose text went out
COMPACTION_ID = r"[0-9a-f]{8,20}\Z"  # it becomes part of a file's name
POSITIONS_MAX = 20  # of compactions, that are kept
NONCE_CHARACTERS = 8  # of a compaction's id, which tell its text from all others of the session
COMPACTION: CompactionState = {  # a value of the type that each field of compaction.json has
    "id": "", "offset": 0, "stage": "", "trigger": "", "project": "", "transcript": "", "time": 0.0, "resumed": True,
    "ended": 0.0, "settled": 0.0, "before": [0], "earlier": {}}


def read_compaction(folder: str) -> CompactionState:
    """How far the session's compaction has come; without the fields that are of another type than they should be."""
    usable: Any = {"stage": "", **of_right_types(read_store(os.path.join(folder, COMPACTION_FILE)))}
    compaction: CompactionState = usable
    if "earlier" in usable:
        usable["earlier"] = of_right_types(usable["earlier"])
    return compaction


def of_right_types(compaction: JsonObject) -> JsonObject:
    """Its fields without those that are of another type than they should be."""
    return {name: value for name, value in compaction.items() if type(value) is type(COMPACTION.get(name, value))}


def positions_of(compaction: CompactionState, snapshot: Snapshot) -> list[int]:
    """Where in the session its last compactions came that began by themselves, the one of the snapshot last.

    None for one by hand: that says nothing of how much room is left.
    """
    if compaction.get("trigger") == "manual":
        return []
    before = [position for position in compaction.get("before", []) if type(position) is int]
    return [*before, snapshot["position"]][-POSITIONS_MAX:]


def begin_compaction(folder: str, begun: CompactionState) -> None:
    """Notes that a compaction begins, with what PreCompact tells of it, for restore_snapshot.py to follow.

    `earlier` is the one before, while it is not known whether its text was kept: the next may be prepared at once.
    """
    path = os.path.join(folder, COMPACTION_FILE)
    known = read_store(path)
    last = {name: known[name] for name in ("id", "offset", "resumed", "stage") if name in known}
    earlier = last if last.get("stage") in UNSETTLED_STAGES else known.get("earlier")
    state = {**begun, "before": known.get("before", []), "stage": "begun"}
    replace_store(path, {**state, "earlier": earlier} if earlier else state)


def set_stage(folder: str, compaction: CompactionState, stage: str) -> None:
    """Notes how far the compaction has come."""
    path = os.path.join(folder, COMPACTION_FILE)
    refuse_later_version(path)
    replace_store(path, {**compaction, "stage": stage})


def is_waiting(compaction: CompactionState) -> bool:
    """Whether it is not known yet what became of the compaction's text; what was taken for a subagent's may be ours."""
    return compaction.get("stage") in ("begun", "delivered", "a subagent's") and {"id", "offset"} <= compaction.keys()


def end_compaction(folder: str, compaction: CompactionState, stage: str, behind: int) -> None:
    """Notes how a compaction has ended, in the file as it is now: a PreCompact may have begun the next one by then.

    `behind` is the byte behind an earlier one's boundary, which the present one's must follow.
    """
    lock_session(folder)
    now = read_compaction(folder)
    if now.get("earlier", {}).get("id") == compaction["id"]:
        del now["earlier"]
        set_stage(folder, {**now, "offset": max(now.get("offset", 0), behind)}, now["stage"])
    elif now.get("id") == compaction["id"]:
        set_stage(folder, {**now, "settled": time.time()} if stage == "repaired" else now, stage)
    unlock_session()  # a save that this process starts later would wait for it
