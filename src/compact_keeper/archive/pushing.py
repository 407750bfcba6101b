"""Turns of this machine's archive are sent to the server, some at a time, by one process."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from typing import Any

from compact_keeper.archive.database import COLUMNS, digest
from compact_keeper.archive.index_words import indexed
from compact_keeper.archive.kinds import KINDS
from compact_keeper.archive.lexemes import vector, without_nul
from compact_keeper.archive.local_archive import Archive
from compact_keeper.archive.postgres import SERVER_VARIABLE, Away, Server, host_name
from compact_keeper.store.folder import NO_LINK, open_regular, private_folder
from compact_keeper.store.refusal import Refusal
from compact_keeper.types import JsonObject

ROWS_PER_BATCH = 200  # sent in one go
RETRY_FIRST_SECONDS, RETRY_MAX_SECONDS = 1.0, 60.0  # between two tries to reach the server
UNSENT_SQL = """
SELECT turns.*, sources.name, sources.inode FROM turns LEFT JOIN sources ON sources.id = turns.source
WHERE NOT pushed ORDER BY turns.id LIMIT ?"""


class Busy(Refusal):
    """Another process of this machine sends just now."""


def push_turns(archive: Archive, seconds: float = 0) -> int:
    """Sends to the server the turns that it does not have; how many. Tries again for so long where it is away."""
    until, count, pause = time.time() + seconds, 0, RETRY_FIRST_SECONDS
    if os.environ.get(SERVER_VARIABLE, "off") in ("", "off"):
        raise Refusal(f"no server is named: set {SERVER_VARIABLE}=postgresql://USER@HOST/DATABASE (docs/recall.md)")
    with alone():
        while True:
            try:
                server = Server(os.environ.get(SERVER_VARIABLE, ""))
                with closing(server.db):
                    for sent in batches(archive, server):
                        count, pause = count + sent, RETRY_FIRST_SECONDS
            except Away:
                if time.time() + pause > until:
                    raise
            else:
                return count
            time.sleep(pause)
            pause = min(2 * pause, RETRY_MAX_SECONDS)


@contextmanager
def alone() -> Iterator[None]:
    """Holds a lock of this machine's archive; refused while another process sends."""
    try:
        import fcntl
    except ImportError:  # Windows: two that send at once do double work, no harm
        yield
        return
    path = os.path.join(private_folder(), "push.lock")
    with os.fdopen(open_regular(path, os.O_RDWR | os.O_CREAT | NO_LINK), "r+b") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Busy("another process is sending them") from None
        yield


def batches(archive: Archive, server: Server) -> Iterator[int]:
    """Sends some turns at a time; gives how many, each time. One that grows meanwhile stays unsent."""
    host, name = without_nul(host_name()), without_nul(person())
    while rows := archive.db.execute(UNSENT_SQL, (ROWS_PER_BATCH,)).fetchall():
        server.put([row_to_send(row, host, name) for row in rows])
        with archive.writing():
            archive.db.executemany("UPDATE turns SET pushed = 1 WHERE id = ? AND hash = ?",
                                   [(row["id"], row["hash"]) for row in rows])
        yield len(rows)


def person() -> str:
    """Who runs this, as the system names them."""
    from getpass import getuser
    try:
        return getuser()
    except (ImportError, KeyError, OSError):  # a container's user without a name
        return str(os.getuid())


def row_to_send(row: Mapping[str, Any], host: str, person: str) -> JsonObject:
    """A row of this machine's archive, with its transcript's mark, as the server stores it."""
    source = digest(f"{host}\0{row['name'] or row['source']}\0{row['inode']}")
    turn = {name: without_nul(row[name]) for name in COLUMNS}
    words = {kind: indexed(turn[kind]).split() for kind in KINDS}
    return {**turn, "uid": digest(f"{source}\0{row['start']}"), "host": host, "person": person, "source": source,
            "size": sum(map(len, words.values())), "words": vector(words)}
