"""The settings: what there is, what each may be, and which are in force.

A person's own stand in config.json in the data folder. A project's .claude/compact-keeper.json may come from anyone (it
is checked in), and so sets only what changes the text for that project, or keeps it out of the archive.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import Any

from compact_keeper.store.folder import NO_LINK, data_home, open_regular
from compact_keeper.store.log import log_once
from compact_keeper.store.refusal import Refusal
from compact_keeper.text.quotation import quote
from compact_keeper.types import JsonObject, Settings

SETTINGS_FILE_MAX_BYTES = 64 << 10
NOT_READ = "it is not used:"  # of a file as a whole
# Why a setting is not used, beside what it takes.
NO_SUCH_SETTING, OWN_ALONE = "there is no such setting", "a project cannot set it, only your config.json"
OFF_ALONE = "a project can only set it to false"
FAULTS_MAX, NAME_SHOWN_UTF16 = 20, 60  # settings that are named as not used
SETTINGS: dict[str, tuple[object, tuple[object, ...]]] = {
    # by name: the default, and what may be set: least and most of a number, or the words; of others their type alone
    "budget": (28_500, (500, 28_500)),
    "max_items": (800, (20, 2_000)),
    "ttl_minutes": (10, (1, 1_440)),
    "retention_days": (30, (1, 3_650)),
    "tail_bytes": (8 << 20, (64 << 10, 64 << 20)),
    "instructions": (True, ()),
    "gate": ("off", ("off", "hold")),
    "gate_holds": (2, (0, 20)),
    "gate_max": (0.90, (0.0, 0.95)),
    "archive": (True, ()),
    "archive_days": (180, (1, 36_500)),
    "archive_mb": (1_024, (1, 1 << 20)),
    "recall_note": (True, ()),
    "notes": (True, ()),
    "transcript_backup": ("off", ("off", "gzip")),
}
SMALL_BUDGET = 6_000  # below it what binds and what fails comes first, and lines are shorter
OF_A_PROJECT = ("budget", "instructions", "archive", "recall_note")
OFF_ONLY = ("archive", "recall_note")  # a project may not switch these on where the person switched them off


def is_small(budget: int) -> bool:
    """Whether a budget is a small one."""
    return budget < SMALL_BUDGET


def default_settings() -> Settings:
    """The settings where no file sets any."""
    values: Any = {name: default for name, (default, _) in SETTINGS.items()}
    settings: Settings = values
    return settings


def settings_for(project: str) -> Settings:
    """The settings in force in the project, "" for none; what a file sets and cannot is named in the log, once."""
    return settings_of(project, lambda path, faults: log_once(f"{path}: {'; '.join(faults)}"))


def settings_of(project: str, complain: Callable[[str, list[str]], None]) -> Settings:
    """The settings of the two files over the defaults; `complain` is told of each file what is not taken in it."""
    settings = default_settings()
    of_project = os.path.join(project, ".claude", "compact-keeper.json") if project else ""
    for path, is_own in ((own_settings_path(), True), (of_project, False)):
        if not os.path.lexists(path):
            continue
        values = read_settings(path, complain)
        taken: Any = {name: value for name, value in values.items() if is_taken(name, value, is_own)}
        settings.update(taken)
        others = [name for name in values if name not in taken and name != "schema"]
        if others:
            complain(path, [f"{quote(name, NAME_SHOWN_UTF16)} is not used: {why_not(name, is_own)}"
                            for name in others[:FAULTS_MAX]])
    return settings


def own_settings_path() -> str:
    """The path of the person's config.json; empty where no data folder is known, as whatever writes says too."""
    try:
        return os.path.join(data_home(), "config.json")
    except Refusal:
        return ""


def is_taken(name: str, value: object, is_own: bool) -> bool:
    """Whether the setting of a file counts: the person's own (`is_own`), or a project's."""
    if name not in SETTINGS or not is_usable(name, value):
        return False
    return is_own or (name in OF_A_PROJECT and (name not in OFF_ONLY or value is False))


def why_not(name: str, is_own: bool) -> str:
    """What is wrong with a setting that is not used, and what it takes."""
    if name not in SETTINGS:
        return NO_SUCH_SETTING
    if not is_own and name not in OF_A_PROJECT:
        return OWN_ALONE
    if not is_own and name in OFF_ONLY:
        return OFF_ALONE
    default, values = SETTINGS[name]
    if isinstance(default, bool):
        return "it is true or false"
    if isinstance(default, str):
        return f"it is {' or '.join(json.dumps(value) for value in values)}"
    return f"it is a {'whole ' * isinstance(default, int)}number from {values[0]:,} to {values[1]:,}"


def read_settings(path: str, complain: Callable[[str, list[str]], None]) -> JsonObject:
    """The file's object; empty, with a complaint, when it is no readable JSON object of at most 64 KB."""
    try:
        with os.fdopen(open_regular(path, os.O_RDONLY | NO_LINK), "rb") as file:
            return {**json.loads(file.read(SETTINGS_FILE_MAX_BYTES))}
    except json.JSONDecodeError as fault:
        comma = " (a comma too many before it?)" if fault.doc[:fault.pos].rstrip()[-1:] == "," else ""
        location = f"line {fault.lineno}, column {fault.colno}"
        complain(path, [f"{NOT_READ} {location} is not as JSON has it: {fault.msg}{comma}"])
    except (OSError, ValueError, TypeError, RecursionError, Refusal) as fault:
        complain(path, [f"{NOT_READ} {fault}"])
    return {}


def is_usable(name: str, value: object) -> bool:
    """Whether the value has the type of the setting's default and is one that may be set."""
    default, allowed = SETTINGS[name]
    if type(value) is not type(default):
        return False
    if isinstance(value, str):
        return value in allowed
    return not allowed or bool(allowed[0] <= value <= allowed[1])  # type: ignore[operator]
