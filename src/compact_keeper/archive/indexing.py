"""Takes transcripts into the archive: which ones, from where on, and how far it has come."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from compact_keeper.archive.kinds import NAMING
from compact_keeper.archive.progress import Progress
from compact_keeper.archive.turns import turns_of
from compact_keeper.client.project import transcripts_folder
from compact_keeper.store.folder import data_home
from compact_keeper.store.log import log
from compact_keeper.store.refusal import Refusal
from compact_keeper.store.settings import default_settings, settings_for
from compact_keeper.text.quotation import forget_named_secrets
from compact_keeper.types import JsonObject

TURNS_PER_BATCH = 200  # that are stored in one go: so long other writers wait at most
QUIET_RUN_SECONDS = 60  # that a run beside a session takes at most


def transcripts(paths: Sequence[str]) -> list[str]:
    """The files named and the transcripts in the folders named; with none, those in the client's projects folder."""
    files = []
    for path in map(os.path.realpath, paths or [transcripts_folder()]):  # one name for each: see `source`
        below = sorted(os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names)
        if os.path.isdir(path):
            files += [file for file in below if file.endswith(".jsonl")]
        elif paths:
            files.append(path)
    return files


def is_kept_out(folder: str) -> bool:
    """Whether the folder, or one that it lies in, says that it stays out of the archive."""
    parts = folder.split("/")
    folders = ["/".join(parts[:count]) for count in range(len(parts), 1, -1)]
    with_settings = [parent for parent in folders
                     if os.path.lexists(os.path.join(parent, ".claude", "compact-keeper.json"))]
    return any(not settings_for(parent)["archive"] for parent in with_settings or [folder])


def take_in(
        archive: Any, path: str, tell: Callable[[int, int], None], until: float, is_by_hand: bool = False) -> bool:
    """Stores what is new in a transcript, some turns at a time; stops at `until` (seconds since 1970), to go on later.

    Reading goes on where the last turn stored begins: it may have grown. Of a transcript that an older version took in
    all is read anew, and of what that one had read only the turns are stored that the archive still has. By hand what
    was passed over is read again where more days are kept since. `tell` is given the bytes and the new rows. Returns
    whether turns of it stay away since they are too old.
    """
    about = os.stat(path)
    forget_named_secrets()  # another session's
    source = archive.source(path, about)
    oldest = max(time.time() - 86_400 * settings_for("")["archive_days"], 0.0)  # 36,500 days lead to before 1970
    passed, is_noted = newest_passed(source)
    is_again = is_by_hand and not source["is_old"] and passed > oldest
    if source["size"] == about.st_size and not source["is_old"] and not is_again:
        tell(about.st_size, 0)
        return bool(source["state"].get("passed"))
    known_to = source["offset"]
    start, state, kept, too_old = known_to, source["state"], None, passed if is_noted else 0.0
    if source["is_old"] or is_again:
        start, state, too_old, is_noted = 0, {}, 0.0, True
        kept = archive.turns_kept(source["id"], known_to) if source["is_old"] else None
    kept_out = lru_cache(maxsize=None)(is_kept_out)  # each folder's settings are read once, and anew for the next file
    batch: list[JsonObject] = []
    read = 0
    turn = {"start": start, "state": state}
    for turn, end in turns_of(path, start, about.st_size, state):
        is_known = is_again and turn["time"] > passed and turn["start"] < known_to  # it was stored, or forgotten since
        if kept_out(turn["folder"]):
            turn["state"] = {name: value for name, value in turn["state"].items() if name not in NAMING}
        elif turn["time"] <= oldest:
            too_old = max(too_old, turn["time"])
        elif not is_known and (kept is None or turn["turn"] > known_to or turn["turn"] in kept):
            batch.append(turn)
        if len(batch) >= TURNS_PER_BATCH:
            state = {**turn["state"], **({"passed": too_old} if is_noted else {})}
            tell(end - read, archive.store(source["id"], batch, -1, turn["start"], state))
            batch, read = [], end
            if time.time() > until:
                return bool(too_old)
    state = {**turn["state"], **({"passed": too_old} if is_noted else {})}
    new = archive.store(source["id"], batch, about.st_size, turn["start"], state)
    tell(about.st_size - read, new)
    return bool(too_old)


def newest_passed(source: JsonObject) -> tuple[float, bool]:
    """The time of the newest turn of the transcript that was passed over as too old, 0 for none; whether it is noted.

    Versions up to 0.11.0 noted nothing of it: what they have passed over was older than is kept by default.
    """
    if "passed" in source["state"] or not source["offset"] + max(source["size"], 0):
        return float(source["state"].get("passed", 0.0)), True
    return time.time() - 86_400 * default_settings()["archive_days"], False


def complain(text: str) -> None:
    """Writes a line to stderr."""
    sys.stderr.write(f"compact-keeper: {text}\n")


def index_transcripts(archive: Any, paths: list[str], is_quiet: bool) -> None:
    """Takes in the transcripts and folders named, else all; then removes what is too old or too much.

    A quiet run goes on with what an older version has taken in, as long as it may run; the next one goes on there.
    """
    until = float("inf")
    if is_quiet:  # beside a session at work, which it outlives
        until = time.time() + QUIET_RUN_SECONDS
        if hasattr(os, "nice"):
            os.nice(10)
        if hasattr(os, "setsid") and os.getpid() != os.getpgrp():  # the first of a group may not
            os.setsid()
    there = transcripts(paths)
    if not there and not paths and not is_quiet:
        complain("Claude Code has kept no transcript here yet; others can be named: recall.py index PATH")
        return
    too_old = take_in_all(archive, there, is_quiet, until)
    if archive.has_old() and time.time() < until:
        take_in_all(archive, [path for path in transcripts([]) if archive.is_old(path)], True, until)
        if time.time() < until:
            archive.leave_old()
    settings = settings_for("")
    archive.retain(settings["archive_days"], settings["archive_mb"])
    if too_old and not is_quiet:
        files = f"{too_old:,} file{'s' if too_old > 1 else ''}"
        complain(f"{files} with turns older than {settings['archive_days']} days (archive_days), which are passed "
                 f"over. To take them in, set archive_days to more in {os.path.join(data_home(), 'config.json')} and "
                 "run this again")


def take_in_all(archive: Any, paths: Sequence[str], is_quiet: bool, until: float) -> int:
    """Takes in the transcripts named, until then; how many have turns that are too old."""
    progress, too_old = Progress(paths, is_quiet), 0
    for path in paths:
        if time.time() > until:
            break
        try:
            too_old += bool(take_in(archive, path, progress.tell, until, not is_quiet))
        except (OSError, Refusal) as fault:
            if not is_quiet:
                complain(f"{path} is left out: {fault}")
            elif not os.path.isdir(data_home()):  # removed since, and not made anew for this
                break
            elif not isinstance(fault, FileNotFoundError):  # a client that ends takes an empty folder of its away
                log(f"{path} is left out: {fault}")
        progress.done += 1
    progress.tell(0, 0, is_end=True)
    return too_old
