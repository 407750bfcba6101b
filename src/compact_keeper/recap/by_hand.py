"""What was saved of a session, shown and brought in by hand: restore_snapshot.py with --now, --bring-in and --show."""

from __future__ import annotations

import json
import os
import sys
import time
from typing import Any

from compact_keeper.client.catch_up import current_snapshot
from compact_keeper.client.fork import take_over
from compact_keeper.client.project import project_folder
from compact_keeper.client.unfinished import UNFINISHED_SECONDS, not_ended, unfinished
from compact_keeper.recap.for_person import reasons
from compact_keeper.recap.parts import KEPT_SHORT, as_of_now, recap_parts
from compact_keeper.recap.unshown_steps import items_with_discards
from compact_keeper.store.compaction import positions_of, read_compaction, set_stage
from compact_keeper.store.folder import SESSION_ID, SNAPSHOT_FILE, STATUS_FILE, private_folder, session_folder
from compact_keeper.store.json_files import read_store
from compact_keeper.store.memory import RECORD_FORMAT
from compact_keeper.store.refusal import Refusal
from compact_keeper.store.snapshot import own_snapshot
from compact_keeper.store.untold import leave_untold, replace_waiting, session_waiting
from compact_keeper.text.fields import text_of
from compact_keeper.text.times import clock
from compact_keeper.types import Snapshot

SNAPSHOT_MAX_BYTES = 8 << 20  # on stdin
SAVED_OF_OTHER = "compact-keeper: what was saved of {}:"  # above a text that calls that one "this session"
BROUGHT_IN = "compact-keeper: the user has brought in what was saved of {}:"
THIS_SESSION, STOPPED_SESSION = "this session", "session {} of this folder, whose compaction did not finish"
ANYWAY, HOW_ANYWAY = "anyway", "`/compact-keeper:restore anyway` brings in all that is saved all the same"
OF_KILLED = "killed"
IS_READ_NEXT = "Claude reads this with your next message."
IS_TAKEN_OVER = f"{IS_READ_NEXT} The record is this session's now, too: it comes back after a compaction here."
IS_READ_ONCE = f"{IS_READ_NEXT} It is another session's, and told once: a compaction brings back this session's own."


def bring_in(session: str, wish: str) -> int:
    """Prints what is saved and leaves it for the model of the session named, where something may be missing there; 0.

    Of this folder's session whose compaction did not finish, else of the one named. `wish`: ANYWAY, also where nothing
    is missing, or OF_KILLED, of a session of this folder whose compaction has not ended: it may be at work in another
    window, so it is named and taken only then. Where no session is named it is printed alone.
    """
    if not SESSION_ID.match(session):
        return print_saved(session)
    began = time.time()
    killed, hint = killed_here(session)
    stopped, named = (killed, "") if wish == OF_KILLED else (stopped_here(), session)
    waiting = session_waiting(private_folder("sessions", session))
    if waiting and os.path.basename(waiting) == os.path.basename(stopped) != session:
        print(f"compact-keeper: brought in already. {IS_READ_NEXT}")
        return 0
    for folder in folders_of(stopped, named):
        is_others = folder == stopped and os.path.basename(folder) != session
        why = "" if wish == ANYWAY or is_others else why_not_due(folder, folder == stopped)
        if why:
            print(f"compact-keeper: {why}. {HOW_ANYWAY}.{hint}")
            return 0
        parts = parts_saved(folder)
        if parts:
            stopped_at = read_compaction(folder).get("time", 0.0) if folder == stopped else 0.0
            print_and_leave(parts, folder, session, began, stopped_at)
            return 0
    minutes = UNFINISHED_SECONDS // 60
    if wish == OF_KILLED:
        print(f"compact-keeper: no other session of this folder began a compaction in the last {minutes} minutes that "
              "has not ended; nothing to restore.")
    else:
        print("compact-keeper: nothing is saved of this session yet, and no other in this folder is known to have "
              f"failed at a compaction in the last {minutes} minutes; nothing to restore.{hint}")
    return 0


def print_and_leave(parts: list[str], folder: str, session: str, began: float, stopped_at: float) -> None:
    """Prints what is saved in the folder and leaves it for the session, which takes over another session's record.

    `began`: when it was asked for; `stopped_at`: when the compaction began that did not finish, 0 without one.
    """
    saved, own = os.path.basename(folder), private_folder("sessions", session)
    shown, how_it_is_read = [*parts], IS_READ_NEXT
    if saved != session:
        shown.insert(0, SAVED_OF_OTHER.format(STOPPED_SESSION.format(saved)))
        how_it_is_read = IS_TAKEN_OVER if take_over(own, folder) else IS_READ_ONCE
    is_left = leave_untold(own, {"parts": brought_in(parts, folder, session), "brought_in": saved,
                                 "brought_at": began, "goes_on": False, "stopped_at": stopped_at})
    if is_left:
        shown.append(how_it_is_read)
    os.write(1, ("\n\n".join(shown) + "\n\n").encode())


def print_saved(session: str) -> int:
    """Prints the text of this folder's session whose compaction did not finish, else of the one named; 1 for none."""
    stopped = stopped_here()
    for folder in folders_of(stopped, session):
        parts = parts_saved(folder)
        if parts:
            os.write(1, ("\n\n".join(parts) + "\n").encode())
            if folder == stopped:
                set_stage(stopped, read_compaction(stopped), "brought in")
            return 0
    rest = f"nothing is saved of session {session}; another is named by its id" if session else "no session is named"
    print(f"compact-keeper: no compaction in this folder failed in the last {UNFINISHED_SECONDS // 60} minutes, and "
          f"{rest}: restore_snapshot.py --now SESSION")
    return 1


def bring_in_anew(session: str) -> int:
    """Makes the text anew that waits for the session's model, as what is pinned has changed since it was left; 0."""
    folder = private_folder("sessions", session)
    saved = session_waiting(folder)
    if saved:
        its_folder = session_folder(os.path.basename(saved))
        replace_waiting(folder, saved, brought_in(parts_saved(its_folder), its_folder, session))
    return 0


def parts_saved(folder: str) -> list[str]:
    """The text of what is saved in a session's folder, with pins and what is true now; none where nothing is."""
    present = saved_in(folder)
    return recap_parts(present)[0] if present["items"] else []


def brought_in(parts: list[str], folder: str, session: str) -> list[str]:
    """The parts as the session's model is told them, under a line that says of which session they were saved."""
    saved = os.path.basename(folder)
    head = BROUGHT_IN.format(THIS_SESSION if saved == session else STOPPED_SESSION.format(saved))
    return [f"{head}\n\n{first}" for first in parts[:1]] + parts[1:]


def why_not_due(folder: str, has_failed: bool) -> str:
    """Why nothing of the session needs to be brought in; empty where something may be missing, or that is not known.

    A compaction that failed, or could not begin in a full context, has dropped nothing of its own session.
    """
    if has_failed:
        return "this session's compaction did not finish: the conversation is whole; nothing to restore"
    if not os.path.isfile(os.path.join(folder, SNAPSHOT_FILE)):
        return ""
    stage = read_compaction(folder).get("stage")
    if not stage:
        return "this session was not compacted yet; nothing to restore"
    is_there = stage in ("delivered", "verified", "repaired")
    return "the last compaction was put back; nothing to restore" if is_there else ""


def folders_of(stopped: str, session: str) -> list[str]:
    """Where something may be saved: of the session that stopped, then of the one named."""
    named = session_folder(session) if SESSION_ID.match(session) else ""
    return [folder for folder in (stopped, named) if os.path.isdir(folder)]


def stopped_here() -> str:
    """The folder of this project's session whose compaction did not finish; empty where there is none."""
    return next((folder for folder, _, _ in unfinished(project_folder({}))), "")


def killed_here(session: str) -> tuple[str, str]:
    """The folder of this project's other session whose compaction has not ended, and how to take it; both may be empty.

    The session itself has lost nothing: its transcript is whole. Nothing is said of one that was brought in already, or
    of which nothing is saved: the client starts the hook before it finds that there is too little to compact.
    """
    others = [(folder, compaction) for folder, compaction in not_ended(project_folder({}))
              if folder != session_folder(session) and own_snapshot(folder, os.path.basename(folder)).get("items")]
    new = [other for other in others if other[1].get("stage") == "begun"]
    if not new:
        return others[0][0] if others else "", ""
    folder, compaction = new[0]
    return folder, (f" Another session of this folder began a compaction at {clock(compaction.get('time', 0.0))} that "
                    f"has not ended. Where it was killed or closed, `claude --resume {os.path.basename(folder)}` "
                    f"goes on with it, and `/compact-keeper:restore {OF_KILLED}` brings in here what was saved of it.")


def saved_in(folder: str) -> Snapshot:
    """The snapshot in a session's folder with pins and what is true now; without items where there is none.

    It is brought up to the end of the session's transcript first: the save at a turn's end may have come before the
    answer stood in it.
    """
    session, status = os.path.basename(folder), read_store(os.path.join(folder, STATUS_FILE))
    snapshot = own_snapshot(folder, session)
    if not snapshot:
        return as_of_now(snapshot, folder)
    current, _, as_of = current_snapshot({
        "session_id": session, "transcript_path": text_of(status, "transcript"), "cwd": text_of(snapshot, "project"),
        "hook_event_name": ""}, folder)
    return as_of_now({**current, "id": text_of(snapshot, "id"), "as_of": as_of, "is_by_hand": True}, folder)


def show(with_reasons: bool) -> int:
    """Prints what would come back of the snapshot on stdin, or in its place why each line does; nothing is written."""
    snapshot = snapshot_on_stdin()
    folder = session_folder(os.path.basename(text_of(snapshot, "session")))
    current = as_of_now(snapshot, folder)
    if not current["items"]:
        print("compact-keeper: nothing to put back yet")
        return 0
    parts, lines = recap_parts(current, positions_of(read_compaction(folder), current))
    if not with_reasons:
        print("\n\n".join(parts))
        return 0
    summary, root = text_of(current, "summary"), text_of(current["state"], "root")
    print(reasons(lines, items_with_discards(current), summary, root))
    end = parts[-1].rpartition("\n\n")[2]
    if end.startswith(KEPT_SHORT):
        print(f"\n{end}")
    return 0


def snapshot_on_stdin() -> Snapshot:
    """The snapshot that save_snapshot.py --dry-run has printed; refused where stdin holds something else."""
    try:
        snapshot: Any = json.loads(sys.stdin.buffer.read(SNAPSHOT_MAX_BYTES))
    except (ValueError, RecursionError):
        snapshot = None
    is_usable = isinstance(snapshot, dict) and snapshot.get("record") == RECORD_FORMAT
    if not is_usable:
        raise Refusal("no snapshot on stdin; it is what save_snapshot.py --dry-run TRANSCRIPT prints")
    usable: Snapshot = snapshot
    return usable
