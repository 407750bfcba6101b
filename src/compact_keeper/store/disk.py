"""Files of any kind, looked at without waiting for them: how large, what stands at their beginning and end."""

from __future__ import annotations

import os
import stat
import sys

from compact_keeper.store.folder import NO_WAIT, open_regular
from compact_keeper.store.refusal import Refusal

BESIDE_DATABASE = ("-wal", "-shm")  # how the names of files end that SQLite keeps beside an open one
LARGEST_PAGE_BYTES = 65_536  # which is written as 1
INDEX_HEADER_BYTES = 24  # up to the number of pages


def size_of(path: str) -> int:
    """The file's bytes; 0 when it is gone."""
    return os.path.getsize(path) if os.path.isfile(path) else 0


def size_of_database(path: str) -> int:
    """Bytes that an SQLite file has once it is closed, and what lies beside it till then is written back and gone.

    Files beside it come with whoever asks, so they are not counted: how many pages there are then is said in one of
    them (https://sqlite.org/walformat.html, the header of the WAL-index).
    """
    header = beginning(f"{path}-shm", INDEX_HEADER_BYTES) if size_of(path) else b""
    if len(header) < INDEX_HEADER_BYTES or not header[12]:  # nothing was read or written yet
        return size_of(path)
    page_bytes, pages = (int.from_bytes(header[at], sys.byteorder) for at in (slice(14, 16), slice(20, 24)))
    return pages * (LARGEST_PAGE_BYTES if page_bytes == 1 else page_bytes)


def size_below(path: str) -> int:
    """Bytes of the file, or of all files in the folder and below; links are not followed."""
    try:
        if not os.path.isdir(path) or os.path.islink(path):
            return os.lstat(path).st_size
        return sum(size_below(entry.path) for entry in os.scandir(path))
    except OSError:  # it went meanwhile
        return 0


def time_of_change(path: str) -> float:
    """When the file itself, and not what a link leads to, was written last; 0 when it is gone."""
    try:
        return os.lstat(path).st_mtime
    except (OSError, ValueError):
        return 0.0


def beginning(path: str, size: int) -> bytes:
    """At most so many bytes of a regular file; none of anything else, and nothing is waited for."""
    try:
        handle = os.open(path, os.O_RDONLY | NO_WAIT)
        try:
            return os.read(handle, size) if stat.S_ISREG(os.fstat(handle).st_mode) else b""
        finally:
            os.close(handle)
    except (OSError, ValueError):
        return b""


def end_of(path: str, size: int) -> bytes:
    """The file's last so many bytes; none where it cannot be read."""
    try:
        with os.fdopen(open_regular(path, os.O_RDONLY), "rb") as file:
            file.seek(max(os.fstat(file.fileno()).st_size - size, 0))
            return file.read(size)
    except (OSError, Refusal):
        return b""
