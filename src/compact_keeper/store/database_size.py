"""How large the archive is, in the measure of all who tell of it."""

from __future__ import annotations

from compact_keeper.store.disk import size_of


def size_of_database(path: str) -> int:
    """Bytes of an SQLite file, with what it has not written back yet beside it."""
    return sum(size_of(path + ending) for ending in ("", "-wal", "-shm"))
