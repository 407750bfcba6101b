"""What has grown old in the data folder goes: drafts of killed processes, folders of old sessions."""

from __future__ import annotations

import os
import re
import time

from compact_keeper.store.log import log

DRAFT_NAME = r".+\.\d+\.tmp\Z"  # of a file that is going to be replaced, by the process of that number
DRAFT_ABANDONED_SECONDS = 10 * 60  # seconds after which that process has died: no hook may take 20


def remove_drafts(folder: str) -> None:
    """Removes from the folder the drafts that no process is at work on."""
    for entry in os.scandir(folder):
        try:
            is_draft = entry.name.endswith(".tmp") and re.match(DRAFT_NAME, entry.name)
            if is_draft and not entry.is_dir(follow_symlinks=False):
                age = time.time() - entry.stat(follow_symlinks=False).st_mtime
                if age > DRAFT_ABANDONED_SECONDS:
                    os.unlink(entry.path)
        except FileNotFoundError:  # it has become the file
            continue


def forget_old_sessions(own: str, days: int) -> None:
    """Removes the folders of other sessions in which nothing was written for so many days."""
    sessions = [entry for entry in os.scandir(os.path.dirname(own)) if entry.is_dir(follow_symlinks=False)]
    for session in [session for session in sessions if session.path != own]:
        try:
            forget_if_old(session.path, days)
        except FileNotFoundError:  # another process is at work in it
            continue
        except OSError as fault:
            log(f"after the save, old sessions: {fault}")


def forget_if_old(session: str, days: int) -> None:
    """Removes the session's folder, copies of the transcript too; not where it has another folder or a link to one."""
    files = [*os.scandir(session)]
    backups = os.path.join(session, "backups")
    copies = [*os.scandir(backups)] if os.path.isdir(backups) else []
    written = max((entry.stat(follow_symlinks=False).st_mtime for entry in files + copies), default=time.time())
    folders = [entry for entry in files + copies if entry.is_dir()]
    if time.time() - written < days * 86_400 or any(entry.path != backups or entry.is_symlink() for entry in folders):
        return
    for entry in copies + [entry for entry in files if entry not in folders]:
        os.unlink(entry.path)
    for path in [entry.path for entry in folders] + [session]:
        os.rmdir(path)
