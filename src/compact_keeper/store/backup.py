"""Compressed copies of a session's transcript, in sessions/<session_id>/backups/, for the owner alone.

A copy is raw: it holds whatever secrets the transcript holds. It has what was in the file when it began. Subagents'
transcripts are not copied: their own compactions leave these files as they are, and nobody resumes them.
"""

from __future__ import annotations

import os
import re
import time
from typing import BinaryIO

from compact_keeper.store.folder import NO_LINK, open_regular, private_folder, session_folder
from compact_keeper.store.refusal import Refusal
from compact_keeper.store.session_lock import lock_session

COPIES_MAX = 5  # copies of a session
COPY_NAME = r"\d{8}T\d{6}\.\d{3}Z\.jsonl\.gz\Z"  # sorted by name they are by time
CHUNK_BYTES = 1 << 20  # bytes read at once: a transcript may have hundreds of MB


def copy_transcript(transcript: str, session: str) -> str:
    """The path of the new copy, the oldest ones removed."""
    now = time.time()
    name = time.strftime("%Y%m%dT%H%M%S", time.gmtime(now)) + f".{int(now % 1 * 1000):03d}Z.jsonl.gz"
    folder = private_folder("sessions", session, "backups")
    path = os.path.join(folder, name)
    draft = os.path.join(folder, "draft.tmp")
    if not lock_session(folder, patience=0):
        raise Refusal("another process is copying it")
    if os.path.lexists(draft):  # of a process that was killed
        os.unlink(draft)
    with os.fdopen(open_regular(transcript, os.O_RDONLY), "rb") as file:
        handle = open_regular(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | NO_LINK)
        try:
            with os.fdopen(handle, "wb") as target:
                compress(file, target)
            os.replace(draft, path)
        except BaseException:  # stopped too: no draft may keep later copies out
            os.unlink(draft)
            raise
    for old in copies(folder)[:-COPIES_MAX]:
        os.unlink(os.path.join(folder, old))
    return path


def compress(source: BinaryIO, target: BinaryIO) -> None:
    """Writes what the source holds now, compressed; what is appended meanwhile is left out."""
    import gzip
    left = os.fstat(source.fileno()).st_size
    with gzip.GzipFile("", "wb", 6, target) as packed:
        while left > 0 and (part := source.read(min(left, CHUNK_BYTES))):
            packed.write(part)
            left -= len(part)


def copies(folder: str) -> list[str]:
    """The names of the copies in the folder, the oldest first."""
    return sorted(name for name in os.listdir(folder) if re.match(COPY_NAME, name)) if os.path.isdir(folder) else []


def backups_listed(session: str) -> list[str]:
    """A line for each copy of the session: its size in bytes and its path; a refusal where there is none."""
    of_session = session_folder(session)
    folder = os.path.join(of_session, "backups")
    paths = [os.path.join(folder, name) for name in copies(folder)]
    if not os.path.isdir(of_session):
        raise Refusal(f"there is no {of_session}: a session is named by its whole id")
    if not paths:
        raise Refusal(f"no copies of session {session}; `transcript_backup` is the setting")
    return [f"{os.path.getsize(path):>12,}  {path}" for path in paths]
