"""snapshot.json of a session: what a save stored, from which what is put back is chosen."""

from __future__ import annotations

import os

from compact_keeper.store.folder import SNAPSHOT_FILE, why_not_writable
from compact_keeper.store.json_files import read_store
from compact_keeper.store.memory import RECORD_FORMAT
from compact_keeper.store.refusal import Refusal
from compact_keeper.types import Snapshot


def own_snapshot(folder: str, session: str) -> Snapshot:
    """The snapshot in the folder; empty when it is not the session's, or holds the items of an earlier version."""
    snapshot: Snapshot = read_store(os.path.join(folder, SNAPSHOT_FILE))
    is_usable = snapshot.get("session") == session and snapshot.get("record") == RECORD_FORMAT
    return snapshot if is_usable else {}


def can_come_back(folder: str, session: str) -> bool:
    """Whether what an earlier save stored can be put back: it holds something, and its mark can be made beside it."""
    try:
        return bool(own_snapshot(folder, session).get("items")) and not why_not_writable(folder)
    except (OSError, Refusal):
        return False
