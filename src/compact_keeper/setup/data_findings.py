"""What the doctor finds in the data folder, the settings and the log. Only reads."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import stat
import time
from collections.abc import Iterator

from compact_keeper.client.compactions import failure
from compact_keeper.setup.finding import Finding
from compact_keeper.setup.reading import fault_in_settings, file_text
from compact_keeper.setup.target import settings_files
from compact_keeper.store.compaction import COMPACTION_FILE, read_compaction
from compact_keeper.store.disk import size_counted
from compact_keeper.store.folder import ARCHIVE_FILE, HOOK_LOG, data_home, why_not_writable
from compact_keeper.store.json_files import read_json
from compact_keeper.store.refusal import Refusal
from compact_keeper.store.settings import NO_SUCH_SETTING, NOT_READ, OFF_ALONE, OWN_ALONE, settings_of
from compact_keeper.text.kind_words import count_shown
from compact_keeper.text.listing import first_and_more
from compact_keeper.text.quotation import quote

OLD_LOG_SECONDS = 7 * 86_400
UNDER_WAY_SECONDS = 3_600  # what is older is no longer at work
OF_SETTINGS = r"/(?:config|compact-keeper)\.json: .*is not used: "  # a line of hook.log
FREE_LEAST_BYTES = 200 << 20


def home_findings() -> Iterator[Finding]:
    """Whether anything can be kept: where the data folder is, and whether a file can be made in it; then its state."""
    try:
        home = data_home()
    except Refusal as fault:
        yield Finding("fix", f"nothing is kept: {fault}", "Set it to a full path, or take it out of the environment.")
        return
    folders = [home, os.path.join(home, "sessions")]
    if why := next(filter(None, map(why_not_writable, folders)), ""):
        yield Finding("fix", f"nothing can be kept in the data folder {home}: {why}", "Make it a folder in which you "
                      "can write and the disk has room, or name another by its full path in COMPACT_KEEPER_HOME.")
    if os.path.isdir(home):
        yield from data_findings(home)
        yield from log_findings(home)
    elif not why:
        yield Finding("ok", f"no data yet in {home}")


def data_findings(home: str) -> Iterator[Finding]:
    """What is wrong with the data folder's owner and permissions; what was left in it; how large it is."""
    paths = [home, *(os.path.join(at, name) for at, folders, names in os.walk(home) for name in (*folders, *names))]
    states = {path: os.lstat(path) for path in paths if os.path.lexists(path)}
    loose = [path for path, state in states.items() if state.st_mode & 0o077 and not stat.S_ISLNK(state.st_mode)
             and os.path.basename(path) != "config.json"]
    foreign = [path for path, state in states.items() if state.st_uid != os.geteuid()]
    old = time.time() - UNDER_WAY_SECONDS
    drafts = [path for path, state in states.items() if path.endswith(".tmp") and state.st_mtime < old]
    begun = [path for path, state in states.items() if os.path.basename(path) == COMPACTION_FILE
             and state.st_mtime < old and has_failed(os.path.dirname(path))]
    if loose:
        yield Finding("fix", f"{first_and_more(loose, 1)}: others may read it", f"chmod -R go= {shlex.quote(home)}")
    else:
        yield Finding("ok", f"{home} is private")
    if foreign:
        yield Finding("fix", f"{first_and_more(foreign, 1)}: belongs to another user",
                      f"sudo chown -R {os.geteuid()} {shlex.quote(home)}")
    if drafts:
        yield Finding("note", f"{first_and_more(drafts, 1)}: left by a process that was killed",
                      f"rm {shlex.join(drafts)}")
    if begun:
        yield Finding("note", f"{first_and_more(begun, 1)}: a compaction began and did not finish",
                      "/compact-keeper:restore in that session brings in what was saved before it.")
    yield from size_findings(home, {path: state.st_size for path, state in states.items()})


def has_failed(folder: str) -> bool:
    """Whether the session in the folder stopped at its compaction, as its transcript shows."""
    try:
        compaction = read_compaction(folder)
        return compaction.get("stage") == "begun" and bool(failure(compaction))
    except (OSError, Refusal):
        return False


def size_findings(home: str, sizes: dict[str, int]) -> Iterator[Finding]:
    """How much of the disk the data take, by part, and what is free."""
    part_bytes: dict[str, int] = {}
    for path, size in sizes.items():
        name = os.path.relpath(path, home).split(os.sep)[0]
        part = "sessions" if name == "sessions" else "archive" if name.startswith(ARCHIVE_FILE) else "events and log"
        part_bytes[part] = part_bytes.get(part, 0) + (size_counted(path) if part == "archive" else size)
    limit = settings_of("", lambda *_: None)["archive_mb"]
    shown = ", ".join(f"{part} {size / 1e6:.1f} MB" for part, size in sorted(part_bytes.items()))
    yield Finding("ok", f"{shown} (the archive may have {limit:,} MB)")
    free = shutil.disk_usage(home).free
    if free < FREE_LEAST_BYTES:
        yield Finding("fix", f"only {free / 1e6:.0f} MB are free where {home} lies", "Make room.")


def what_to_do_with_setting(why: str) -> str:
    """How a setting that is not used is mended, by why it is not."""
    if why.endswith(NO_SUCH_SETTING):
        return "Take it out, or mend its name."
    if why.endswith((OWN_ALONE, OFF_ALONE)):
        return "Take it out of the project's file: your config.json's value holds, without one the default."
    counts = "the file counts" if NOT_READ in why else "it counts"
    return f"Mend that in the file; until then {counts} as not there."


def settings_findings(project: str) -> Iterator[Finding]:
    """What is wrong with compact-keeper's own settings and with the client's."""
    complaints: list[str] = []
    settings_of(project, lambda path, faults: complaints.extend(f"{path}: {fault}" for fault in faults))
    for why in complaints:
        yield Finding("fix", quote(why, 400), what_to_do_with_setting(why))
    for path in settings_files(project):
        fault = fault_in_settings(path)
        if fault:
            yield Finding("fix", fault, "Mend that line: the client does not read the file as it is.")
        if read_json(path).get("disableAllHooks") is True:
            yield Finding("fix", f"{path}: disableAllHooks switches every hook off", "Take disableAllHooks out.")
    if os.environ.get("COMPACT_KEEPER_OFF"):
        yield Finding("fix", "COMPACT_KEEPER_OFF is set: no hook does anything", "unset COMPACT_KEEPER_OFF")


def log_findings(home: str) -> Iterator[Finding]:
    """The newest lines of hook.log; those on settings by their count: what is wrong now is a finding of its own."""
    path, since = os.path.join(home, HOOK_LOG), time.time() - OLD_LOG_SECONDS
    oldest = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(since))
    lines = [line for line in file_text(path).splitlines() if line[:20] >= oldest]
    new = [line for line in lines if not re.search(OF_SETTINGS, line)]
    of_settings = len(lines) - len(new)
    if not lines:
        yield Finding("ok", "nothing in the log of the last 7 days")
        return
    if not new:
        yield Finding("ok", f"{path}: {count_shown(of_settings, 'line')} in the last 7 days, on settings alone (a "
                            "setting that is still wrong is named in a line of its own)")
        return
    named_apart = "one that is still wrong is named in a line of its own"
    others = f" ({of_settings} more on settings; {named_apart})" * bool(of_settings)
    yield Finding("note", f"{path}: {count_shown(len(new), 'line')} in the last 7 days{others}, the last: "
                          f"{quote(new[-1], 300)}",
                  "A single one may be an odd input. Where the same comes again and again, send it, with what the "
                  "doctor says, to those from whom you have compact-keeper.")
