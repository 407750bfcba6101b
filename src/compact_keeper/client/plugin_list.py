"""What the client says of a plugin, as far as a script asks whether the one that it came with is there and is on."""

from __future__ import annotations

import json
import os

from compact_keeper.store.folder import open_regular
from compact_keeper.store.refusal import Refusal

CACHE_PARTS = 6  # from a plugin's script up to the client's folder of plugins: cache/MARKET/PLUGIN/VERSION/scripts/NAME
LIST_MAX_BYTES = 4 << 20


def is_uninstalled(script: str, plugin: str) -> bool:
    """Whether the script lies in the client's copy of the plugin, and the client lists the plugin no more.

    The client leaves its copy behind and says so by a file in it, which an update leaves in the version before, too: so
    the list is asked. What cannot be read as one says nothing.
    """
    parts = parts_in_cache(script, plugin)
    if not parts:
        return False
    path = os.sep.join([*parts[:-CACHE_PARTS], "installed_plugins.json"])
    plugins = object_in(path).get("plugins")
    return isinstance(plugins, dict) and not any(name.partition("@")[0] == plugin for name in plugins)


def is_disabled(script: str, plugin: str, project: str) -> bool:
    """Whether the script lies in the client's copy of the plugin, and the settings of a session in `project` say no.

    The user's settings, then the project's, then those kept out of git: the last that names the plugin counts. A file
    that cannot be read says nothing.
    """
    parts = parts_in_cache(script, plugin)
    if not parts:
        return False
    config = os.sep.join(parts[:-CACHE_PARTS - 1])
    of_project = [os.path.join(project, ".claude", name) for name in ("settings.json", "settings.local.json")]
    said = [enabled_plugins(path).get(f"{plugin}@{parts[1 - CACHE_PARTS]}")
            for path in (os.path.join(config, "settings.json"), *(of_project if project else []))]
    return [word for word in said if isinstance(word, bool)][-1:] == [False]


def enabled_plugins(path: str) -> dict[str, object]:
    """What a settings file says of plugins, by PLUGIN@MARKETPLACE; empty where it says nothing."""
    try:
        enabled = object_in(path).get("enabledPlugins")
    except (OSError, ValueError, RecursionError, Refusal):
        return {}
    return enabled if isinstance(enabled, dict) else {}


def object_in(path: str) -> dict[str, object]:
    """The object that the file holds as JSON; empty where it holds something else. What cannot be read is raised."""
    with os.fdopen(open_regular(path, os.O_RDONLY), "rb") as file:
        value = json.loads(file.read(LIST_MAX_BYTES))
    return value if isinstance(value, dict) else {}


def parts_in_cache(script: str, plugin: str) -> list[str]:
    """The parts of the script's path where it lies in the client's copy of the plugin; else none."""
    parts = os.path.abspath(script).split(os.sep)
    is_there = len(parts) > CACHE_PARTS and parts[-CACHE_PARTS] == "cache" and parts[-4] == plugin
    return parts if is_there else []
