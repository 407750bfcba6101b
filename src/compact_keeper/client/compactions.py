"""What a session's transcript shows of its compactions: whether another one came, and whether one has failed.

PreCompact proves nothing: clients from 2.1.329 on prepare summaries beside the turn, several times, and use one of them
hours later or never (measured: PreCompact up to four times before one SessionStart, and again at once behind it).
"""

from __future__ import annotations

import json
import re
import time

from compact_keeper.client.receipt import is_boundary
from compact_keeper.client.threads import last_records, thread_state
from compact_keeper.client.tokens import ROOM_TOKENS, window_in_environment
from compact_keeper.store.compaction import DELIVERED_STAGES
from compact_keeper.store.disk import size_of
from compact_keeper.store.json_lines import lines_from
from compact_keeper.types import CompactionState

BOUNDARY_TAIL_BYTES = 1 << 20  # of a transcript's end, in which a fresh boundary lies
FAILURE_MAX_BYTES = 16 << 20  # behind a compaction's begin, the last ones, which tell whether it failed
ANSWER_MARK = b'"type":"assistant"'
SAME_START = 10  # seconds within which two installations start the hook for one compaction
NO_ANSWER = (b'"isSidechain":true', b'"model":"<synthetic>"')  # a subagent's; the client's own words
API_ERROR = b'"isApiErrorMessage":true'  # an answer that is none: the client writes the error in the model's place
# What a manual compaction leaves that failed (2.1.76 to 2.1.330; 2.1.332); one that the person stopped says "canceled".
REFUSED = rb"<local-command-std(?:err|out)>(?:(?:Error: )?Error during compaction|Compaction failed)"
TOO_LONG = r"(?i)too long|compaction"
STAMP = rb'"timestamp":"([\d-]{10}T[\d:]{8}(?:\.\d{3})?)'
WINDOWS_TOKENS = (200_000, 1_000_000)  # that models have


def is_answer(line: bytes) -> bool:
    """Whether the line is an answer of the model's on the main thread."""
    return ANSWER_MARK in line and not any(mark in line for mark in NO_ANSWER)


def is_due(compaction: CompactionState, transcript: str) -> bool:
    """Whether a SessionStart(compact) that comes now belongs to a compaction for which nothing was delivered yet.

    Two installations start the same hook twice, so a delivery counts for every such start until another compaction
    shows: a PreCompact since (stage begun), or a boundary behind the delivery that the model has answered after. Where
    there is no transcript, or nothing was put back, only the time can tell.
    """
    is_delivered = compaction.get("stage") in DELIVERED_STAGES
    if compaction.get("stage") == "kept back" or (is_delivered and not size_of(transcript)):
        return bool(abs(time.time() - compaction.get("settled", 0.0)) > SAME_START)
    if not is_delivered:
        return True
    has_boundary = False
    for _, line in lines_from(transcript, compaction.get("offset", 0)):
        if has_boundary and is_answer(line):
            return True
        has_boundary = has_boundary or is_boundary(line)
    return False


def boundary_offset(transcript: str) -> int:
    """The byte from which the boundary of the compaction that is being delivered is to be looked for.

    Mostly the file's end: at SessionStart the boundary is not written yet (measured, 2.1.76 to 2.1.330). Where a client
    has written it before, it is the last one, and no answer follows it.
    """
    size = size_of(transcript)
    offset = size
    for end, line in lines_from(transcript, 0, BOUNDARY_TAIL_BYTES):
        if is_boundary(line):
            offset = end - len(line)
        elif offset < size and is_answer(line):
            offset = size
    return offset


def failure(compaction: CompactionState) -> str:
    """What the transcript shows of a compaction that had begun: "failed", "full" (so was the context) or nothing.

    Work that went on is no failure, whatever became of the summary.
    """
    last, transcript = shown_since(compaction), compaction.get("transcript", "")
    if last in ("compacted", "went on"):
        return ""
    if last == "failed":
        return "failed"
    return "full" if size_of(transcript) and is_full(compaction, transcript, last) else ""


def shown_since(compaction: CompactionState) -> str:
    """What the transcript shows last behind a compaction's begin, as far as it tells; empty for nothing.

    "compacted", "failed", "error" (of the API, on another request) or "went on" (an answer).
    """
    begun = stamp(compaction.get("time", 0))
    last = ""
    for _, line in lines_from(compaction.get("transcript", ""), compaction.get("offset", 0), FAILURE_MAX_BYTES):
        if is_boundary(line):
            return "compacted"
        if says_that_it_failed(line):
            last = "failed"
        elif API_ERROR in line:
            last = last or "error"
        elif is_answer(line) and moment_of(line) > begun:  # the one that filled the context may come late into the file
            last = "went on"
    return last


def says_that_it_failed(line: bytes) -> bool:
    """Whether the client says in the line that a compaction failed, or that a request was too long for the API."""
    return bool(re.search(REFUSED, line)) or (API_ERROR in line and bool(re.search(TOO_LONG, message_words(line))))


def is_full(compaction: CompactionState, transcript: str, last: str) -> bool:
    """Whether an automatic compaction was needed for the next request, which did not come or ended in an error."""
    thread = thread_state(last_records(transcript))
    windows = [tokens for tokens in (window_in_environment(), *WINDOWS_TOKENS) if tokens]
    window = next((tokens for tokens in windows if thread["usage"] <= tokens), windows[0])
    is_last = thread["awaits"] == "answer" or last == "error"
    return compaction.get("trigger") == "auto" and is_last and thread["usage"] >= window - ROOM_TOKENS


def message_words(line: bytes) -> str:
    """The words of the message on the line."""
    try:
        content = json.loads(line.decode("utf-8", "replace"))["message"]["content"]
    except (ValueError, RecursionError, KeyError, TypeError):
        return ""
    return content if isinstance(content, str) else json.dumps(content)


def moment_of(line: bytes) -> bytes:
    """When the line's record was made, as it says; empty when it does not."""
    moment = re.search(STAMP, line)
    return moment.group(1) if moment else b""


def stamp(seconds: float) -> bytes:
    """The moment as a transcript begins it, to the millisecond: UTC, sortable.

    A compaction that failed and the answer with which its turn went on may lie in one second.
    """
    try:
        whole = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds))
        return f"{whole}.{int(seconds % 1 * 1000):03}".encode()
    except (ValueError, OverflowError, OSError):  # a number that is no moment
        return b""
