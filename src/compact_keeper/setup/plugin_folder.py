"""From which folder the client runs the plugin: its own copy, or the clone that was added as a marketplace.

Every client copies an installed plugin into its cache and names that copy in installed_plugins.json. Of a marketplace
that is a folder, newer clients run that folder, the clone, and leave the copy as it was; older ones run the copy. Their
files are the same, so the client's version decides (measured with `claude -p`, each copy's hook telling its folder).
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from functools import cache

from compact_keeper.client.plugin_list import PLUGIN, listed_plugins, marketplace_folder
from compact_keeper.setup.reading import file_text
from compact_keeper.setup.target import PLUGIN_FOLDER, target_of
from compact_keeper.store.json_files import read_json
from compact_keeper.types import JsonObject

RUNS_CLONE_SINCE = (2, 1, 105)  # measured: 2.1.76 runs the copy; 2.1.105, 150, 197, 250, 329 and 330 run the folder
CLIENT_MAX_SECONDS = 5  # that `claude --version` may take
PARTS = ("hooks", "scripts", "skills")  # of the plugin, that the client or a hook reads


def own_plugins() -> JsonObject | None:
    """Compact-keeper in the client's list of plugins; None where no list can be read."""
    return listed_plugins(target_of(None).path("plugins"))


def folder_added_for(name: str) -> str:
    """The folder that was added as the marketplace of PLUGIN@MARKETPLACE; empty where it is none, or is not known."""
    return marketplace_folder(target_of(None).path("plugins"), name.partition("@")[2])


def clone_folder(name: str) -> str:
    """Where the marketplace's folder has the plugin; empty where it is no folder, or has none that is known."""
    folder = folder_added_for(name)
    listed = read_json(os.path.join(folder, ".claude-plugin", "marketplace.json")).get("plugins") if folder else None
    for entry in listed if isinstance(listed, list) else ():
        if isinstance(entry, dict) and entry.get("name") == PLUGIN and isinstance(entry.get("source"), str):
            clone = os.path.normpath(os.path.join(folder, entry["source"]))
            return clone if os.path.isdir(clone) else ""
    return ""


def running_folder(name: str, cached: str) -> str:
    """The folder whose hooks the client runs; `cached` is its own copy of the plugin.

    Started by the client itself, it is the one around this file. Else its version tells; a version that is not known
    counts as a new one.
    """
    clone = clone_folder(name)
    if not clone or clone == cached:
        return cached
    root = os.environ.get("CLAUDE_PLUGIN_ROOT")
    if root and same(root, PLUGIN_FOLDER):
        started_from = next((folder for folder in (clone, cached) if same(root, folder)), "")
        if started_from:
            return started_from
    return clone if (client_on_path() or RUNS_CLONE_SINCE) >= RUNS_CLONE_SINCE else cached


@cache  # starting it takes long
def client_on_path() -> tuple[int, ...]:
    """The three numbers of the version of the client that a shell starts; empty where it does not tell them."""
    try:
        done = subprocess.run(["claude", "--version"], capture_output=True, text=True, errors="replace",
                              timeout=CLIENT_MAX_SECONDS, stdin=subprocess.DEVNULL)
    except (OSError, subprocess.TimeoutExpired):
        return ()
    version = re.match(r"(\d+)\.(\d+)\.(\d+)", done.stdout)
    return tuple(map(int, version.groups())) if version else ()


def same(path: str, other: str) -> bool:
    """Whether both are one file or folder."""
    return os.path.realpath(path) == os.path.realpath(other)


def differing(folder: str, other: str) -> list[str]:
    """The files of the plugin that are not the same in both folders, sorted."""
    names = {*plugin_files(folder), *plugin_files(other)}
    return [name for name in sorted(names)
            if file_text(os.path.join(folder, name)) != file_text(os.path.join(other, name))]


def plugin_files(folder: str) -> Iterator[str]:
    """The files of the plugin in the folder, by their path in it, without bytecode."""
    for part in PARTS:
        for at, folders, names in os.walk(os.path.join(folder, part)):
            folders[:] = [name for name in folders if name != "__pycache__"]
            yield from (os.path.relpath(os.path.join(at, name), folder) for name in names)
