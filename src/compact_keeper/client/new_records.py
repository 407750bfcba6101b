"""Which lines of a transcript are parsed, and the records on them.

A first read of a long file parses its end whole, and of what lies before only the lines with words that a person typed.
"""

from __future__ import annotations

from collections.abc import Iterator

from compact_keeper.client.blocks import REASON
from compact_keeper.client.transcript import BLOCK_BEHIND, FIRES
from compact_keeper.store.json_lines import parse_line, read_lines
from compact_keeper.types import JsonObject

TYPED_MARKS = (b'"type":"user"', b'"queue-operation"', b'"queued_command"', b'"compact_boundary"', FIRES.encode())
TOLD_IN_COPY_ALONE = (b'"answers":', b'"totalToolUseCount":', b"[ ] ")  # the last: boxes of an edited file
LINE_MIN_BYTES = 40  # of a line that tells anything
LINE_HEAD_BYTES = 900  # of a line, which say of what kind it is
REJECTION_MAX_BYTES = 2_000  # of a result's line, within which it says that the call was rejected
PROGRESS, THINKING = b'"type":"progress"', b'"content":[{"type":"thinking"'  # lines of these mostly tell nothing


def new_records(path: str, start: int, stop: int, tail_bytes: int) -> Iterator[tuple[int, JsonObject]]:
    """The records of the lines that are to be parsed, each with the offset behind its line; last an empty one."""
    for end, line in new_lines(path, start, stop, tail_bytes):
        copy = line.find(b',"toolUseResult":')  # a result's second copy
        is_needless = copy >= 0 and all(line.rfind(field, copy) < 0 for field in TOLD_IN_COPY_ALONE)
        for record in parse_line(line[:copy] + b"}" if is_needless else line or b"{}"):
            yield end, record


def new_lines(path: str, start: int, stop: int, tail_bytes: int) -> Iterator[tuple[int, bytes]]:
    """The lines that are to be parsed, each with the offset behind it: before the tail those that may hold typed words.

    Not of progress and thinking, nor what tells nothing; last the offset up to which was read, with an empty line.
    """
    tail, end = max(start, stop - tail_bytes), start
    for first, last in ((start, tail), (tail, stop)):
        for end, line in read_lines(path, first, last) if first < last else ():
            if len(line) > LINE_MIN_BYTES and (first == tail or may_be_typed(line)) and not is_silent(line):
                yield end, line
    yield end, b""


def may_be_typed(line: bytes) -> bool:
    """Whether the line may hold words that a person typed, or the call of another's tool that a person may reject.

    By `rfind`, which takes a third of the time of `in`: a long session has 100,000 lines.
    """
    if b"tool_use_id" in line:  # at the beginning of the longest lines
        return any(line.rfind(begin, 0, REJECTION_MAX_BYTES) >= 0 for begin in (b"user said:", REASON.encode()))
    if line.rfind(b'"type":"assistant"') >= 0:
        return line.rfind(b'"name":"mcp__') >= 0
    return any(map(line.__contains__, TYPED_MARKS))


def is_silent(line: bytes) -> bool:
    """Whether the line has nothing to keep: progress, or a thought with nothing behind it."""
    if line.rfind(THINKING, 0, LINE_HEAD_BYTES) >= 0:
        return BLOCK_BEHIND not in line
    return line.rfind(PROGRESS, 0, LINE_HEAD_BYTES) >= 0
