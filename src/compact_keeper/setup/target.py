"""Where things are: the folder that install.py runs from, and the configuration folder that it copies into."""

from __future__ import annotations

import hashlib
import os
import shlex
from typing import NamedTuple

from compact_keeper.client.project import config_folder
from compact_keeper.store.folder import data_home
from compact_keeper.store.refusal import Refusal

INSTALLED_FROM = os.path.dirname(os.path.abspath(__file__))
PLUGIN_FOLDER = os.path.dirname(INSTALLED_FROM)  # a clone, or the plugin's folder
INSTALL_SCRIPT = os.path.join(INSTALLED_FROM, "install.py")
OUR_FOLDER = "hooks/compact-keeper"  # in the configuration folder, where settings.json lies
BACKUP, SETTINGS_FOLDER = ".before-compact-keeper", "settings"  # how its name ends; below the data folder
MANIFEST_FILE, SETTINGS_FILE = f"{OUR_FOLDER}/installed.json", "settings.json"
LOCAL_FILE = "settings.local.json"  # of a project, kept out of git; install.py puts nothing into it


class Target(NamedTuple):
    """Where copies go: the configuration folder, and how a hook's command names a file in it."""

    config: str
    project: str  # empty for the user's

    def path(self, name: str) -> str:
        """The path of a file in the configuration folder."""
        return os.path.normpath(os.path.join(self.config, *name.split("/")))

    def settings_before(self) -> str:
        """Where the settings file lies as it is without anything of ours.

        A project's lies among the person's data: beside it, everybody's git would see it.
        """
        path = self.path(SETTINGS_FILE)
        if not self.project:
            return path + BACKUP
        name = hashlib.sha256(os.path.realpath(path).encode("utf-8", "surrogateescape")).hexdigest()[:16]
        return os.path.join(data_home(), SETTINGS_FOLDER, f"{name}.json")

    def in_command(self, name: str) -> str:
        """The path of a copied file as a word of the shell."""
        if self.project:
            return f'"$CLAUDE_PROJECT_DIR/.claude/{OUR_FOLDER}/{name}"'
        return shlex.quote(self.path(f"{OUR_FOLDER}/{name}").replace(os.sep, "/"))

    def whose(self) -> str:
        """For whom it is installed."""
        return f"the project {self.project}" if self.project else "this user"

    def to_run(self, command: str, script: str = INSTALL_SCRIPT) -> str:
        """What a person types to have install.py do this here."""
        return shlex.join(["python3", script, command, *(["--project", self.project] if self.project else [])])


def is_run_in_session() -> bool:
    """Whether the client has started this: to what it starts it says as what it runs (2.1.76 to 2.1.330)."""
    return bool(os.environ.get("CLAUDE_CODE_ENTRYPOINT"))


def typed_command(name: str) -> str:
    """How one of the plugin's commands is typed; of copies with a dash."""
    return f"/compact-keeper{':' if os.path.isdir(os.path.join(PLUGIN_FOLDER, 'skills')) else '-'}{name}"


def existing(project: str) -> str:
    """The project's folder; refused where there is none."""
    folder = os.path.abspath(project)
    if not os.path.isdir(folder):
        raise Refusal(f"{folder} is no folder; name the project's folder")
    return folder


def target_of(project: str | None) -> Target:
    """The user's configuration folder, or the project's."""
    config = os.path.abspath(config_folder())
    if project is None:
        return Target(config, "")
    project = existing(project)
    if os.path.realpath(os.path.join(project, ".claude")) == os.path.realpath(config):
        raise Refusal(f"{config} is the user's configuration, not a project's; use --user")
    return Target(os.path.join(project, ".claude"), project)


def target_at(path: str, project: str) -> Target:
    """The one whose settings file this is."""
    folder, config = os.path.dirname(path), target_of(None).config
    return Target(config, "") if folder == config else Target(folder, project)


def settings_files(project: str) -> list[str]:
    """The settings files that a session in this folder has, the one that counts most last; each once."""
    own = target_of(None).path(SETTINGS_FILE)
    of_project = [os.path.join(project, ".claude", name) for name in (SETTINGS_FILE, LOCAL_FILE)]
    return list({os.path.realpath(path): path for path in (own, *of_project)}.values())  # at home two are one
