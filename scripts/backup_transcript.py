#!/usr/bin/env python3
"""Keep compressed copies of a session's transcript: at each compaction where transcript_backup is "gzip", or by hand.

Usage: backup_transcript.py [--session SESSION] TRANSCRIPT    (without a session: the one that the file is named after)
       backup_transcript.py --list SESSION
       gzip -dc sessions/SESSION/backups/TIME.jsonl.gz         (in the data folder: reads a copy back)

A copy is raw: it holds whatever secrets the transcript holds. It lies in sessions/<session_id>/backups/ as
<time in UTC>.jsonl.gz, for the owner alone; the newest 5 stay, and all go with the session's folder. It has what was in
the file when it began. To go on from one, put it in the transcript's place while no client runs: `claude --resume`.
Subagents' transcripts are not copied: their own compactions leave these files as they are, and nobody resumes them.

after_save.py starts this at a compaction, in a process of its own with low priority, with --quiet: faults go to
hook.log. Two at once make one copy.

Exits 0, 1 when nothing was copied, 2 on a usage error. Python 3.9+, standard library only.
"""

from __future__ import annotations

import argparse
import gzip
import os
import re
import sys
import time
from collections.abc import Sequence
from typing import BinaryIO

sys.path.append(os.path.dirname(os.path.abspath(__file__)))  # for `python3 -I`; last: hides nothing of Python's own
from save_snapshot import NO_LINK, SESSION_ID, Refusal, data_home, log, open_regular, private_folder
from session_ledger import hold

KEPT = 5  # copies of a session
NAME = re.compile(r"\d{8}T\d{6}\.\d{3}Z\.jsonl\.gz\Z")  # sorted by name they are by time
CHUNK = 1 << 20  # bytes read at once: a transcript may have hundreds of MB


def back_up(transcript: str, session: str) -> str:
    """The path of the new copy, the oldest ones removed."""
    now = time.time()
    name = time.strftime("%Y%m%dT%H%M%S", time.gmtime(now)) + f".{int(now % 1 * 1000):03d}Z.jsonl.gz"
    folder = private_folder("sessions", session, "backups")
    path, draft = os.path.join(folder, name), os.path.join(folder, "draft.tmp")
    if not hold(folder, patience=0):
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
    for old in copies(folder)[:-KEPT]:
        os.unlink(os.path.join(folder, old))
    return path


def compress(source: BinaryIO, target: BinaryIO) -> None:
    """Writes what the source holds now, compressed; what is appended meanwhile is left out."""
    left = os.fstat(source.fileno()).st_size
    with gzip.GzipFile("", "wb", 6, target) as packed:
        while left > 0 and (part := source.read(min(left, CHUNK))):
            packed.write(part)
            left -= len(part)


def copies(folder: str) -> list[str]:
    """The names of the copies in the folder, the oldest first."""
    return sorted(filter(NAME.match, os.listdir(folder))) if os.path.isdir(folder) else []


def listing(session: str) -> str:
    """A line for each copy of the session: its size in bytes and its path."""
    folder = os.path.join(data_home(), "sessions", session, "backups")
    paths = [os.path.join(folder, name) for name in copies(folder)]
    return "\n".join(f"{os.path.getsize(path):>12,}  {path}" for path in paths)


def parse(argv: Sequence[str] | None) -> argparse.Namespace:
    """The command line; a usage error exits with 2."""
    parser = argparse.ArgumentParser(description="Keeps compressed copies of a session's transcript.")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("transcript", nargs="?", help="the *.jsonl file to copy")
    what.add_argument("--list", metavar="SESSION", help="name the copies of this session")
    parser.add_argument("--session", help="whose copy it is (default: the file's name)")
    parser.add_argument("--quiet", action="store_true", help="low priority; faults go to hook.log")
    given = parser.parse_args(argv)
    given.session = given.session or given.list or os.path.basename(given.transcript or "").removesuffix(".jsonl")
    if not SESSION_ID.match(given.session):
        parser.error(f"{given.session!r} is no session's id; name it with --session")
    return given


def main(argv: Sequence[str] | None = None) -> int:
    """0 when the copy was made or the copies were listed."""
    given = parse(argv)
    if given.list:
        print(listing(given.session))
        return 0
    if given.quiet and hasattr(os, "nice"):
        os.nice(10)
    tell = log if given.quiet else lambda text: print(text, file=sys.stderr)
    try:
        path = back_up(given.transcript, given.session)
    except (OSError, Refusal) as fault:
        tell(f"backup_transcript.py: {given.transcript} was not copied: {fault}")
        return 1
    if not given.quiet:
        print(path)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
