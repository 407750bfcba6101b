#!/usr/bin/env python3
"""Which settings are taken: those known, of the default's type, in their range, and allowed in that file.

save_snapshot.py, index_turns.py and recall_prompt.py ask, each for its own, where there is one of the two files:
config.json in the data folder, and a project's .claude/compact-keeper.json, which may come from anyone (it is checked
in) and so sets only what changes the text for that project, or keeps it out of the archive. Nothing is written.
Python 3.9+, standard library only.
"""

from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Callable

TYPE_CHECKING = False  # typing itself is not imported: it costs a hook 2.7 ms
if TYPE_CHECKING:
    from typing import Any

    Record = dict[str, Any]

NO_LINK_NO_WAIT = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)  # 0 on Windows
LIMITS = {  # least and most
    "budget": (500, 9_500), "max_items": (20, 2_000), "ttl_minutes": (1, 1_440), "half_life": (1, 1_000),
    "retention_days": (1, 3_650), "tail_bytes": (64 << 10, 64 << 20), "gate_holds": (0, 20), "gate_max": (0.0, 0.95),
    "archive_days": (1, 36_500), "archive_mb": (1, 1 << 20)}
CHOICES = {"gate": ("off", "hold"), "transcript_backup": ("off", "gzip")}
INNER_FILE = r"(?:(?!\.{0,2}/)[^/\\:\0-\x1f\x7f]{1,99}/){0,9}[^/\\:\0-\x1f\x7f]{1,99}\.md|"  # no path that leads out
FORMS = {"notes_file": (INNER_FILE, 'a path inside the project that ends in .md, or "" for none')}
OF_A_PROJECT = ("budget", "half_life", "weights", "markers", "language_line", "instructions", "archive", "recall_note")
OFF_ONLY = ("archive", "recall_note")  # a project may not switch these on where the person switched them off
KNOWN = {*LIMITS, *CHOICES, *FORMS, *OF_A_PROJECT, "notes"}  # by one script or another


def in_force(defaults: Record, own: str, of_project: str, log: Callable[[str], None]) -> Record:
    """The settings of the two files over the defaults; what is not taken is named in the log."""
    used = dict(defaults)
    for path, allowed in ((own, defaults), (of_project, OF_A_PROJECT)):
        told = read_settings(path, log) if os.path.lexists(path) else {}
        good = {name: value for name, value in told.items()
                if name in allowed and name in defaults and usable(name, value, defaults[name])
                and (allowed is defaults or name not in OFF_ONLY or value is False)}
        used.update(good)
        of_others = {"schema", *(KNOWN - {*defaults})}
        if wrong := [name for name in told if name not in good and name not in of_others][:20]:
            wrong = [f"{name} (takes {FORMS[name][1]})" if name in FORMS else name for name in wrong]
            log(f"{path}: not used, no setting here or not of a usable value: {', '.join(wrong)}")
    return used


def read_settings(path: str, log: Callable[[str], None]) -> Record:
    """The file's object; empty, with a line in the log, when it is no readable JSON object of at most 64 KB."""
    why: object = "not a regular file"
    try:
        with os.fdopen(os.open(path, os.O_RDONLY | NO_LINK_NO_WAIT), "rb") as file:
            if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                return {**json.loads(file.read(64 << 10))}
    except (OSError, ValueError, TypeError, RecursionError) as fault:
        why = fault
    log(f"{path} is not used: {why}")
    return {}


def usable(name: str, value: object, default: object) -> bool:
    """Whether the value has the type of the setting's default and lies in its range."""
    if type(value) is not type(default):
        return False
    if isinstance(value, dict):
        return all(type(one) in (int, float) and 0 <= one <= 100 for one in value.values())
    if isinstance(value, list):
        return len(value) <= 20 and all(type(one) is str and 0 < len(one) < 40 for one in value)
    if isinstance(value, str):
        return value in CHOICES[name] if name in CHOICES else bool(re.fullmatch(FORMS[name][0], value))
    least, most = LIMITS.get(name, (False, True))
    return bool(least <= value <= most)  # type: ignore[operator]
