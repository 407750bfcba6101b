"""What the client says of the plugin, as far as a script asks whether the one that it came with is there and is on."""

from __future__ import annotations

import json
import os

from compact_keeper.store.folder import open_regular
from compact_keeper.store.refusal import Refusal

PLUGIN = "compact-keeper"
LIST_MAX_BYTES = 4 << 20


def is_uninstalled(script: str) -> bool:
    """Whether the script lies in the client's copy of the plugin, and the client lists the plugin no more.

    The client leaves its copy behind and says so by a file in it, which an update leaves in the version before, too: so
    the list is asked. What cannot be read as one says nothing.
    """
    folder, _ = folder_and_market(script)
    if not folder:
        return False
    plugins = object_in(os.path.join(folder, "installed_plugins.json")).get("plugins")
    return isinstance(plugins, dict) and not any(name.partition("@")[0] == PLUGIN for name in plugins)


def is_disabled(script: str, project: str) -> bool:
    """Whether the script lies in the client's copy of the plugin, and the settings of a session in `project` say no.

    The user's settings, then the project's, then those kept out of git: the last that names the plugin counts. A file
    that cannot be read says nothing.
    """
    folder, market = folder_and_market(script)
    if not folder:
        return False
    paths = [os.path.join(os.path.dirname(folder), "settings.json")]
    if project:
        paths += [os.path.join(project, ".claude", name) for name in ("settings.json", "settings.local.json")]
    is_on = True
    for path in paths:
        word = enabled_plugins(path).get(f"{PLUGIN}@{market}")
        is_on = word if isinstance(word, bool) else is_on
    return not is_on


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


def folder_and_market(script: str) -> tuple[str, str]:
    """The client's folder of plugins, and the marketplace, where the script lies in the client's copy of the plugin.

    That is FOLDER/cache/MARKETPLACE/PLUGIN/VERSION/scripts/NAME; else both are empty.
    """
    of_plugin = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(script))))
    of_market, name = os.path.split(of_plugin)
    cache, market = os.path.split(of_market)
    folder, last = os.path.split(cache)
    return (folder, market) if (last, name) == ("cache", PLUGIN) else ("", "")
