#!/usr/bin/env python3
"""What is left to do when a save has stored the snapshot: old sessions' folders go, the archive is fed.

save_snapshot.py calls it last. The archive takes in the session's new turns in a process of its own (recall.py index
--quiet), which nobody waits for: started in 0.3 ms, it outlives the client, whose old versions would wait for it if it
held their pipes (measured with 2.1.76 to 2.1.329). It logs its faults itself. COMPACT_KEEPER_ARCHIVE=off starts none.
Python 3.9+, standard library only.
"""

from __future__ import annotations

import os
import sys
import time

TYPE_CHECKING = False  # typing itself is not imported: it costs a hook 2.7 ms
if TYPE_CHECKING:
    from typing import Any

    Record = dict[str, Any]


def finish(data: Record, home: str, used: Record) -> None:
    """Does what is due after the save for this hook input; `home` is the data folder, `used` the settings in force."""
    if data["hook_event_name"] == "PreCompact":
        forget_old_sessions(os.path.join(home, "sessions"), used["retention_days"])
    recall = os.path.join(os.path.dirname(os.path.abspath(__file__)), "recall.py")
    wanted = used["archive"] and os.environ.get("COMPACT_KEEPER_ARCHIVE") != "off"
    if wanted and os.path.isfile(data["transcript_path"]) and os.path.isfile(recall):
        feed(recall, data["transcript_path"])


def forget_old_sessions(sessions: str, days: int) -> None:
    """Removes the folders of sessions in which nothing was written for so many days; links are left alone."""
    for session in os.scandir(sessions):
        files = [*os.scandir(session.path)] if session.is_dir(follow_symlinks=False) else []
        written = max((file.stat(follow_symlinks=False).st_mtime for file in files), default=time.time())
        if time.time() - written > days * 86_400 and not any(file.is_dir() for file in files):
            for file in files:
                os.unlink(file.path)
            os.rmdir(session.path)


def feed(recall: str, transcript: str) -> None:
    """Starts the process that takes the transcript, and those of the session's subagents, into the archive."""
    if not sys.executable or not hasattr(os, "posix_spawn"):  # Windows: `recall.py index` by hand fills it
        return
    subagents = transcript.removesuffix(".jsonl")
    paths = [transcript, *([subagents] if os.path.isdir(subagents) else [])]
    nothing = [(os.POSIX_SPAWN_OPEN, stream, os.devnull, os.O_RDWR, 0) for stream in (0, 1, 2)]
    os.posix_spawn(sys.executable, [sys.executable, "-IS", recall, "index", "--quiet", *paths], os.environ,
                   file_actions=nothing)


def main() -> int:
    """Prints this page: save_snapshot.py imports the file."""
    print(__doc__)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
