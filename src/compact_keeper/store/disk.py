"""Files of any kind, looked at without waiting for them: how large, what stands at their beginning and end."""

from __future__ import annotations

import os
import stat

from compact_keeper.store.folder import NO_WAIT, open_regular
from compact_keeper.store.refusal import Refusal

# How the names of files end that SQLite keeps beside an open one. They come with whoever asks, and are written back and
# gone then: with them `recall stats` had said 366 KB, and `stats --global` a second later 70.
BESIDE_DATABASE = ("-wal", "-shm")
OLD_ENDING = ".1"  # of a file that was set aside


def size_of(path: str) -> int:
    """The file's bytes; 0 when it is gone."""
    return os.path.getsize(path) if os.path.isfile(path) else 0


def size_below(path: str) -> int:
    """Bytes of the file, or of all files in the folder and below; links are not followed."""
    try:
        if not os.path.isdir(path) or os.path.islink(path):
            return os.lstat(path).st_size
        return sum(size_below(entry.path) for entry in os.scandir(path))
    except OSError:  # it went meanwhile
        return 0


def size_counted(path: str) -> int:
    """Bytes of a file or folder in the data folder, as all tell them: none of what lies beside an open archive."""
    return 0 if path.endswith(BESIDE_DATABASE) else size_below(path)


def state_of_file(path: str) -> tuple[int, ...]:
    """What is another as soon as the file is: another file, longer or written later; empty when it is gone."""
    try:
        about = os.lstat(path)
    except FileNotFoundError:
        return ()
    return about.st_ino, about.st_size, about.st_mtime_ns


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


def set_aside(path: str, most: int) -> None:
    """Sets a file of more bytes aside, beside it, so that it begins anew; the one that was set aside before goes."""
    if size_of(path) > most:
        try:
            os.replace(path, f"{path}{OLD_ENDING}")
        except FileNotFoundError:  # another hook has just done it
            return


def end_of(path: str, size: int, flags: int = 0) -> bytes:
    """The file's last so many bytes; none where it cannot be read. `flags` are those that open it, beside reading."""
    try:
        with os.fdopen(open_regular(path, os.O_RDONLY | flags), "rb") as file:
            file.seek(max(os.fstat(file.fileno()).st_size - size, 0))
            return file.read(size)
    except (OSError, ValueError, Refusal):  # a name with a NUL is no file
        return b""
