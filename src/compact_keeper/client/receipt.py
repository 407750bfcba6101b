"""Whether a transcript shows that the client kept what was put back after a compaction."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from compact_keeper.client.threads import client_version
from compact_keeper.store.compaction import NONCE_CHARACTERS
from compact_keeper.store.json_lines import lines_from, parse_line
from compact_keeper.types import CompactionState

KEEPING_CLIENTS = (2, 1, 105)  # and newer ones write a hook's text to the transcript
RESUMING_CLIENTS = (2, 1, 150)  # and newer ones go on from it when another process resumes the session
RECEIPT_BYTES = 4 << 20  # of the transcript behind the compaction's begin that are searched for the nonce
BOUNDARY = rb'"subtype": ?"compact_boundary"'


def is_boundary(line: bytes) -> bool:
    """Whether the line is a compaction's boundary; a call whose input reads like one is none."""
    if line.rfind(b'"compact_boundary"') < 0 or not re.search(BOUNDARY, line):
        return False
    try:
        record = json.loads(line.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return False
    return isinstance(record, dict) and (record.get("type"), record.get("subtype")) == ("system", "compact_boundary")


def receipt(transcript: str, compaction: CompactionState) -> str:
    """What the transcript tells of the delivery: kept, lost or unknown; empty when it shows no compaction.

    The proof is the recap's nonce in an attachment record behind the boundary. Measured: 2.1.76 writes no such record
    and loses hook text when another process resumes the session; so does 2.1.105, which writes it, but goes on from
    the last message before it (a manual compaction that nothing followed).
    """
    boundary, kept, followed = boundary_and_recap(transcript, compaction)
    if not boundary:
        return ""
    resumed = bool(compaction.get("resumed"))
    client = client_version(parse_line(boundary)[0])
    if kept and (followed or not resumed or client >= RESUMING_CLIENTS):
        return "kept"
    return "lost" if resumed or client >= KEEPING_CLIENTS else "unknown"


def boundary_and_recap(transcript: str, compaction: CompactionState) -> tuple[bytes, bool, bool]:
    """The boundary's line, whether the recap stands behind it, and whether the conversation went on from there."""
    nonce = compaction["id"][-NONCE_CHARACTERS:].encode("utf-8", "replace")
    boundary, kept = b"", False
    for _, line in lines_since_begun(transcript, compaction):
        if not boundary:
            boundary = line if is_boundary(line) else b""
        elif b'"type":"attachment"' in line:
            kept = kept or nonce in line
        elif kept and (b'"type":"user"' in line or b'"type":"assistant"' in line):
            return boundary, True, True
    return boundary, kept, False


def behind_boundary(transcript: str, compaction: CompactionState) -> int:
    """The byte behind the compaction's boundary; where its begin is, when there is none."""
    for end, line in lines_since_begun(transcript, compaction):
        if is_boundary(line):
            return end
    return int(compaction["offset"])


def lines_since_begun(transcript: str, compaction: CompactionState) -> Iterator[tuple[int, bytes]]:
    """The transcript's lines since the compaction began, as far as it is searched, each with the offset behind it."""
    stop = compaction["offset"] + RECEIPT_BYTES
    for end, line in lines_from(transcript, compaction["offset"]):
        yield end, line
        if end > stop:
            return
