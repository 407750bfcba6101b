#!/usr/bin/env python3
"""Look in the archive for what the first prompt after a compaction speaks of, and add it to the note that waits.

record_event.py imports it at that prompt, for which audit_summary.py left the mark `unasked` in the session's folder.
Reads   the prompt; of the transcript the summary behind the last boundary; delivered-<id>, the block that was put back;
        of this machine's archive the turns of the project; the settings `archive` and `recall_note`.
Writes  note.json: at most three turns that score clearly above the others and that the model was not given, behind
        what waits there already. record_event.py hands it over at once.
Needs   turn_archive.py, index_turns.py and show_turns.py beside it. Python 3.9+, standard library only.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Sequence

from index_turns import (
    NO_LINK,
    SCHEMA,
    content_blocks,
    cut,
    moment,
    open_regular,
    read_store,
    records_of,
    settings,
    text_of,
    units,
)
from show_turns import hit_of, told_hits
from turn_archive import MOST_ASKED, Archive, parts_of, question

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Record = dict[str, Any]

MOST_HITS, NOTE_LIMIT = 3, 2_000  # turns; UTF-16 units of the whole note
CLEARLY, OF_BEST = 1.5, 0.5  # times the mean score of those behind the first three; times the best one's
# Of a score, else of the prompt's share in one sentence: of the hits for 31 real prompts those below both were chance.
LEAST, CLOSE = 15.0, 0.3
FEWEST_TERMS = 2  # telling words of a prompt: "go on" speaks of nothing
LOOKED_BACK = 4 << 20  # bytes of the transcript's end in which the boundary is looked for
PATIENCE = 0.5  # seconds that another process's write is waited for: a hook may take 5
NEW = 0.5  # of a passage's runs of three words, the share that has to be new to the model
HEADER = "compact-keeper: on what this prompt speaks of, the archive has earlier turns of this project, not told above:"

# --- shared: replace ---
def replace_store(path: str, data: Record) -> None:
    """Replaces the file in one step; the old one stays when anything goes wrong before."""
    draft = f"{path}.{os.getpid()}.tmp"
    try:
        with os.fdopen(open_regular(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | NO_LINK), "wb") as file:
            file.write(json.dumps({"schema": SCHEMA, **data}, ensure_ascii=False).encode("utf-8", "replace"))
        os.replace(draft, path)
    finally:
        if os.path.lexists(draft):
            os.unlink(draft)
# --- end of shared: replace ---


# --- shared: project ---
def project_folder(data: Record) -> str:
    """The folder that a session belongs to, by which a later one finds it."""
    return os.path.realpath(os.environ.get("CLAUDE_PROJECT_DIR") or text_of(data, "cwd") or os.getcwd())
# --- end of shared: project ---


def given(transcript: str, folder: str, number: str) -> tuple[str, int]:
    """The summary and the block that the model was given, and when the conversation was cut (seconds since 1970).

    `number` is the compaction's; the client may have begun to prepare the next one since.
    """
    texts, boundary, size = [], "", os.path.getsize(transcript)
    compaction = read_store(os.path.join(folder, "compaction.json"))
    start = compaction.get("offset") if compaction.get("id") == number else max(size - LOOKED_BACK, 0)
    for record in records_of(transcript, start if type(start) is int and 0 <= start <= size else 0, size):
        if record.get("subtype") == "compact_boundary":
            boundary = text_of(record, "timestamp")
        elif record.get("isCompactSummary"):
            texts = [text_of(block, "text") for block in content_blocks(record)]
    block = read_store(os.path.join(folder, f"delivered-{number}"))
    return "\n".join([*texts, text_of(block, "text")]), moment(boundary)


def runs(text: str) -> set[tuple[str, ...]]:
    """The runs of three words in a text."""
    words = parts_of(text)
    return {tuple(words[at:at + 3]) for at in range(max(len(words) - 2, 1))}


def outstanding(rows: Sequence[Record]) -> list[Record]:
    """Of turns, best first, those among the first three that score clearly above the ones behind them."""
    rest = [row["score"] for row in rows[MOST_HITS:MOST_HITS + 7]] or [0]
    least = max(CLEARLY * sum(rest) / len(rest), *(OF_BEST * row["score"] for row in rows[:1]), 0)
    return [row for row in rows[:MOST_HITS] if row["score"] >= least and row["who"] != "summary"
            and (row["score"] >= LEAST or row["closest"]["share"] >= CLOSE)]


def hits_on(prompt: str, project: str, text: str, cut_at: int) -> list[Record]:
    """What the project's turns before the cut say on the prompt, and the model's text does not."""
    asked = {"kind": None, "project": project, "until": cut_at or None, **question(prompt[:MOST_ASKED])}
    if len(asked["terms"]) < FEWEST_TERMS:
        return []
    known = runs(text)
    hits = [(hit, runs(hit["snippet"])) for hit in (hit_of(row) for row in outstanding(Archive(PATIENCE).find(asked)))]
    return [hit for hit, told in hits if len(told - known) >= NEW * len(told)]


def add_hits(data: Record, folder: str, number: str) -> None:
    """Adds to the session's waiting note what the archive has on this prompt, the first after that compaction."""
    project, transcript = project_folder(data), data["transcript_path"]
    used = settings(project)
    if not (used["archive"] and used["recall_note"] and os.path.isfile(transcript)):
        return
    text, cut_at = given(transcript, folder, number)
    hits = hits_on(text_of(data, "prompt"), project, text, cut_at)
    path = os.path.join(folder, "note.json")
    waiting = read_store(path)
    told = "\n".join([HEADER, *told_hits(hits)])
    before = f"{text_of(waiting, 'text')}\n\n" if waiting else ""
    if hits and units(before) < NOTE_LIMIT - 300:
        replace_store(path, {"session": data["session_id"], "time": time.time(), **waiting,
                             "text": cut(before + told, NOTE_LIMIT)})


def main() -> int:
    """Prints this page: record_event.py imports the file."""
    print(__doc__)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
