"""The commands that try the installation and put the status line into the settings: install.py does the work."""

from __future__ import annotations

import os

from compact_keeper.client.other_scripts import script_text
from compact_keeper.client.project import config_folder, project_folder
from compact_keeper.own_commands.how_typed import options_in
from compact_keeper.types import HookInput

DOCTOR_SECONDS = 12.0  # that it is waited for: it starts every hook several times


def doctor(data: HookInput, words: str) -> str:
    """What install.py's doctor finds where the session's folder is: it tries the whole loop, which takes seconds.

    Hooks that the project brings are tried with "project", and where they have asked for this.
    """
    project = copied_for() or (project_folder(data) if "project" in options_in(words) else "")
    return script_text("install.py", ["doctor", *(["--project", project] if project else [])], {}, DOCTOR_SECONDS)


def status_line(_data: HookInput, words: str) -> str:
    """Puts the status line into the person's settings, of a project's copies into the project's; "remove": out."""
    where = ["--project", copied_for()] if copied_for() else []
    more = ["--remove"] if "remove" in options_in(words) else []
    return script_text("install.py", ["status-line", *where, *more], {})


def copied_for() -> str:
    """The project into whose .claude install.py has copied this script; empty for the user's copies, and the plugin."""
    folder = os.path.dirname(os.path.abspath(__file__))
    config = os.path.dirname(os.path.dirname(folder))
    is_copied = folder.endswith(os.path.join("", ".claude", "hooks", "compact-keeper"))
    is_users = os.path.realpath(config) == os.path.realpath(config_folder())
    return os.path.dirname(config) if is_copied and not is_users else ""
