"""Whether a summary that a hook brings is one that the transcript has already: then it comes behind its compaction.

The event names no compaction, and the next may have begun by then: newer clients prepare it at once.
"""

from __future__ import annotations

import json

from compact_keeper.store.json_lines import lines_from

SUMMARY_MARK = b'"isCompactSummary":true'
TAIL_BYTES = 8 << 20  # of a transcript's end, in which the summary before lies


def is_in_transcript(summary: str, transcript: str) -> bool:
    """Whether every line of the summary stands in a summary's row at the transcript's end.

    The next summary repeats some lines of it, never all.
    """
    lines = [json.dumps(line.strip(), ensure_ascii=False)[1:-1].encode("utf-8", "replace")
             for line in summary.splitlines()]
    return any(SUMMARY_MARK in row and all(line in row for line in lines)
               for _, row in lines_from(transcript, 0, TAIL_BYTES))
