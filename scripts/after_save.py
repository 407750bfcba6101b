#!/usr/bin/env python3
"""What is left to do when a save has stored the snapshot: tell of it, old sessions' folders, processes of their own.

save_snapshot.py calls it last. Each part is done whatever became of the others; one that fails is a line in hook.log.

    ledger.jsonl  is folded: renamed, once it was read
    events.jsonl  a line for the save: failing commands that passed since the last one, how long record_event.py took
    status.json   a few figures of the session, for the status line and for pins
    notes.md      the session for people (write_notes.py)
    *.tmp         drafts of processes that were killed go
    sessions/     at a compaction, the folders of sessions in which nothing was written for so many days go
    recall.py     takes the session's new turns into the archive; COMPACT_KEEPER_ARCHIVE=off starts none
    backup_transcript.py  copies the transcript at a compaction, where the person has set transcript_backup

The last two run as processes that nobody waits for: started in 0.3 ms, they outlive the client, whose old versions
would wait for them if they held their pipes (measured with 2.1.76 to 2.1.329). They log their faults themselves.
Python 3.9+, standard library only.
"""

from __future__ import annotations

import json
import os
import re
import sys
import time
from collections import Counter
from collections.abc import Callable

from save_snapshot import (
    SCHEMA,
    Refusal,
    append_line,
    data_home,
    log,
    open_regular,
    project_folder,
    read_store,
    replace_store,
)

TYPE_CHECKING = False  # typing itself is not imported: it costs a hook 2.7 ms
if TYPE_CHECKING:
    from typing import Any

    Record = dict[str, Any]

HERE = os.path.dirname(os.path.abspath(__file__))
DRAFT = re.compile(r".+\.\d+\.tmp\Z")  # of a file that is going to be replaced, by the process of that number
ABANDONED = 10 * 60  # seconds after which that process has died: no hook may take 20
HOOK_MS = rb'"hook_ms": ?(\d{1,6}(?:\.\d)?)'  # in quoted words the quotation marks have backslashes


def finish(data: Record, folder: str, used: Record, saved: Record) -> None:
    """Does what is due for this hook input: `saved` has the memory before and after, and when the save began."""
    home = data_home()
    parts: dict[str, Callable[[], object]] = {
        "ledger.jsonl": lambda: saved.update(recorded=hook_times(folder) if folded(folder) else {}),
        "events.jsonl": lambda: append_line(os.path.join(home, "events.jsonl"), save_event(data, saved)),
        "drafts": lambda: remove_drafts(folder),
        "drafts of all sessions": lambda: remove_drafts(home),
        "status.json": lambda: replace_store(os.path.join(folder, "status.json"), status(data, saved))}
    if used["notes"] and (notes := sys.modules.get("write_notes")):  # as the save found it where anything was new
        parts["notes.md"] = lambda: notes.keep(data, folder, saved["after"], used["notes_file"])
    if data["hook_event_name"] == "PreCompact":
        parts["old sessions"] = lambda: forget_old_sessions(folder, used["retention_days"])
    if used["transcript_backup"] == "gzip":
        parts["transcript_backup"] = lambda: back_up(data, folder, saved["started"])
    if used["archive"] and os.environ.get("COMPACT_KEEPER_ARCHIVE") != "off":
        parts["archive"] = lambda: feed(data["transcript_path"])
    for name, part in parts.items():
        try:
            part()
        except (OSError, ValueError, Refusal) as fault:
            log(f"after the save, {name}: {fault}")


# --- what others read ---


def save_event(data: Record, saved: Record) -> str:
    """The save's line of events.jsonl."""
    after, recorded = saved["after"], saved.get("recorded")
    return json.dumps({
        "schema": SCHEMA, "time": saved["started"], "event": "save", "session": data["session_id"],
        "on": data["hook_event_name"], "items": len(after["items"]), "cycle": after["cycle"],
        "cleared": cleared(saved["before"], after), **({"recorded": recorded} if recorded else {}),
        "ms": int((time.time() - saved["started"]) * 1000)})


def cleared(before: Record, after: Record) -> int:
    """How many commands failed before and have passed now; a failure that was only pruned does not count."""
    was, still = ({one["key"] for one in memory.get("items", []) if one["kind"] == "failure"}
                  for memory in (before, after))
    return len((was - still) & {one["key"] for one in after["items"] if one["kind"] == "command" and one["ok"]})


def folded(folder: str) -> bool:
    """Whether the ledger was folded, by what the save has read it with."""
    ledger = sys.modules.get("session_ledger")
    return bool(ledger and ledger.fold(folder))


def hook_times(folder: str) -> dict[str, int]:
    """How often record_event.py took so many milliseconds, by the ledger that was folded just now: each line once."""
    from session_ledger import FOLDED, MOST_READ  # which has folded it
    with os.fdopen(open_regular(os.path.join(folder, FOLDED), os.O_RDONLY), "rb") as file:
        return Counter(map(bytes.decode, re.findall(HOOK_MS, file.read(MOST_READ))))


def status(data: Record, saved: Record) -> Record:
    """The session's figures."""
    items = saved["after"]["items"]
    return {"time": saved["started"], "cycle": saved["after"]["cycle"], "items": len(items),
            "tasks": sum(one["kind"] == "task" and one["status"] != "completed" for one in items),
            "rules": sum(one["kind"] == "rule" for one in items),
            "project": project_folder(data), "transcript": data["transcript_path"]}


# --- what has grown old ---


def remove_drafts(folder: str | int, of: str = "") -> None:
    """Removes from the folder, a path or open, the drafts of that file, else of all, that no process is at work on."""
    for one in os.scandir(folder):
        try:
            is_draft = DRAFT.match(one.name) and one.name.startswith(of)
            if is_draft and time.time() - one.stat(follow_symlinks=False).st_mtime > ABANDONED:
                os.unlink(one.path, dir_fd=folder if isinstance(folder, int) else None)
        except FileNotFoundError:  # it has become the file
            continue


def forget_old_sessions(own: str, days: int) -> None:
    """Removes the folders of sessions, not of this one, in which nothing was written for so many days."""
    sessions = [one for one in os.scandir(os.path.dirname(own)) if one.is_dir(follow_symlinks=False)]
    for session in [one for one in sessions if one.path != own]:
        try:
            forget_if_old(session.path, days)
        except FileNotFoundError:  # another process is at work in it
            continue
        except OSError as fault:
            log(f"after the save, old sessions: {fault}")


def forget_if_old(session: str, days: int) -> None:
    """Removes the session's folder, copies of the transcript too; not one with another folder or link to a folder."""
    files, backups = [*os.scandir(session)], os.path.join(session, "backups")
    copies = [*os.scandir(backups)] if os.path.isdir(backups) else []
    written = max((one.stat(follow_symlinks=False).st_mtime for one in files + copies), default=time.time())
    folders = [one for one in files + copies if one.is_dir()]
    if time.time() - written < days * 86_400 or any(one.path != backups or one.is_symlink() for one in folders):
        return
    for one in copies + [one for one in files if one not in folders]:
        os.unlink(one.path)
    for path in [one.path for one in folders] + [session]:
        os.rmdir(path)


# --- processes of their own ---


def feed(transcript: str) -> None:
    """Starts the process that takes the transcript, and those of the session's subagents, into the archive."""
    subagents = transcript.removesuffix(".jsonl")
    if os.path.isfile(transcript):
        start("recall.py", "index", "--quiet", transcript, *([subagents] if os.path.isdir(subagents) else []))


def back_up(data: Record, folder: str, since: float) -> None:
    """Starts the process that copies the transcript, where a compaction has begun: none did that the gate held."""
    begun = read_store(os.path.join(folder, "compaction.json")).get("time", 0) >= since
    if begun and os.path.isfile(data["transcript_path"]):
        start("backup_transcript.py", f"--session={data['session_id']}", data["transcript_path"])


def start(script: str, *arguments: str) -> None:
    """Starts a script from beside this file with none of the hook's pipes; nothing where it was not copied too."""
    path = os.path.join(HERE, script)
    if not sys.executable or not hasattr(os, "posix_spawn") or not os.path.isfile(path):
        return  # on Windows these run by hand
    nothing = [(os.POSIX_SPAWN_OPEN, stream, os.devnull, os.O_RDWR, 0) for stream in (0, 1, 2)]
    os.posix_spawn(sys.executable, [sys.executable, "-IS", path, *arguments], os.environ, file_actions=nothing)


def main() -> int:
    """Prints this page: save_snapshot.py imports the file."""
    print(__doc__)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
