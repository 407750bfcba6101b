"""Files of JSON lines, ours and the client's: read by offset, so that a later reader goes on where this one stopped."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator

from compact_keeper.store.disk import size_of
from compact_keeper.store.folder import open_regular
from compact_keeper.types import JsonObject

LINE_MAX_BYTES = 16 << 20  # a pasted picture has a few MB; a longer line is passed over
OBJECTS_MAX = 20  # on a line
BUFFER_BYTES = 1 << 17  # with 1 << 20 it takes 400 page faults
DECODER, NOT_BLANK = json.JSONDecoder(), re.compile(r"\S")


def read_lines(path: str, start: int, stop: int) -> Iterator[tuple[int, bytes]]:
    """The lines that begin from `start` to before `stop`, each with the offset behind it; a torn one with its own."""
    with os.fdopen(open_regular(path, os.O_RDONLY), "rb", buffering=BUFFER_BYTES) as file:
        file.seek(max(start - 1, 0))
        offset = start + (max(len(file.readline()) - 1, 0) if start else 0)
        while offset < stop and (line := file.readline(LINE_MAX_BYTES)):
            size, whole = len(line), line.endswith(b"\n")
            while not whole and size >= LINE_MAX_BYTES and (more := file.readline(LINE_MAX_BYTES)):
                size, line, whole = size + len(more), b"", more.endswith(b"\n")
            offset += size if whole else 0
            yield offset, line
            if not whole:
                return


def lines_from(path: str, start: int, most_bytes: int = sys.maxsize) -> Iterator[tuple[int, bytes]]:
    """The lines from that byte on, at most the last so many bytes of them, each with the offset behind it.

    All lines where the file is shorter: then it is another one. None where there is no file.
    """
    size = size_of(path)
    if size:
        begin = start if 0 <= start <= size else 0
        yield from read_lines(path, max(begin, size - most_bytes), size)


def parse_line(line: bytes) -> list[JsonObject]:
    """The records on a line: mostly one, two when objects stand glued together, none when it is torn."""
    text, values, offset = line.decode("utf-8", "replace"), list[object](), 0
    try:  # by offset: the rest of a line of 16 MB behind its first object was 16 MB more
        while len(values) < OBJECTS_MAX and (begin := NOT_BLANK.search(text, offset)):
            value, offset = DECODER.raw_decode(text, begin.start())
            values.append(value)
    except (ValueError, RecursionError):
        pass
    return [value for value in values if isinstance(value, dict)]


def records_at_end(path: str, most_bytes: int = sys.maxsize) -> Iterator[JsonObject]:
    """The records of the lines that begin in the file's last so many bytes; none where there is no file."""
    size = size_of(path)
    return records_of(path, max(size - most_bytes, 0), size) if size else iter(())


def records_of(path: str, start: int, stop: int) -> Iterator[JsonObject]:
    """The records of the lines that begin from `start` to before `stop`, in bytes."""
    for _, line in read_lines(path, start, stop):
        yield from parse_line(line)
