"""The mark `unasked` of a session: the compaction after which no prompt has asked the archive yet."""

from __future__ import annotations

import os
import re

from compact_keeper.store.compaction import COMPACTION_ID
from compact_keeper.store.folder import NO_LINK, append_line, open_regular
from compact_keeper.store.log import log
from compact_keeper.store.refusal import Refusal

UNASKED_FILE = "unasked"
UNASKED_MAX_BYTES = 1_000  # an id, or those of several compactions without a prompt between them


def leave_unasked(folder: str, compaction_id: str) -> None:
    """Leaves the mark: the next prompt is the first after this compaction."""
    append_line(os.path.join(folder, UNASKED_FILE), compaction_id)


def take_unasked(folder: str) -> str:
    """The newest compaction's id, for the one process that removes the mark; else empty.

    Of two installations' processes only one looks the prompt up.
    """
    mark = os.path.join(folder, UNASKED_FILE)
    if not os.path.exists(mark):
        return ""
    try:
        with os.fdopen(open_regular(mark, os.O_RDONLY | NO_LINK), "rb") as file:
            ids = file.read(UNASKED_MAX_BYTES).decode("utf-8", "replace").split()
        os.unlink(mark)
    except FileNotFoundError:
        return ""
    except (OSError, Refusal) as fault:
        log(f"the archive is not searched: {fault}")
        return ""
    return ids[-1] if ids and re.match(COMPACTION_ID, ids[-1]) else ""
