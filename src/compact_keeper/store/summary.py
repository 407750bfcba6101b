"""summary.json of a session: what the client's summariser wrote, as SubagentStop brings it before SessionStart.

Clients from 2.1.90 on send this event without a type of agent between PreCompact and SessionStart (measured on 2.1.105,
2.1.150 and 2.1.330, automatic and manual); so the recap can be made knowing the summary.
"""

from __future__ import annotations

import os
import time

from compact_keeper.store.compaction import read_compaction
from compact_keeper.store.json_files import readable_store, refuse_later_version, replace_store
from compact_keeper.text.fields import text_of
from compact_keeper.text.redact import redact
from compact_keeper.text.sanitize import clean
from compact_keeper.types import CompactionState

SUMMARY_FILE = "summary.json"
SUMMARY_MAX_CHARACTERS, SUMMARY_MIN_CHARACTERS = 60_000, 200  # a shorter answer is another of the client's own agents


def keep_if_begun(folder: str, summary: str) -> None:
    """Keeps a summary, redacted, where a compaction of the session has begun; no other."""
    if read_compaction(folder).get("stage") == "begun":
        path = os.path.join(folder, SUMMARY_FILE)
        refuse_later_version(path)
        replace_store(path, {"time": time.time(), "text": redact(clean(summary[:SUMMARY_MAX_CHARACTERS]))})


def summary_in(answer: str) -> str:
    """The summary in the summariser's answer, without what it thought before."""
    begin = answer.find("<summary>")
    inner = answer[begin + len("<summary>"):] if begin >= 0 else answer
    return inner.partition("</summary>")[0].strip()


def summary_of(folder: str, compaction: CompactionState) -> str:
    """The summary of the session's newest compaction; empty where none was kept since it began, or none can be read."""
    if not compaction.get("time"):
        return ""
    kept = readable_store(folder, SUMMARY_FILE)  # where it cannot be read, the text goes out all the same
    is_new = isinstance(kept.get("time"), float) and kept["time"] >= compaction["time"]
    return text_of(kept, "text") if is_new else ""
