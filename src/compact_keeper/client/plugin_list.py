"""What the client says of the plugin, as far as a script asks whether the one that it came with is there and is on."""

from __future__ import annotations

import os
from collections.abc import Iterable

from compact_keeper.store.json_files import read_json
from compact_keeper.types import JsonObject

PLUGIN = "compact-keeper"


def is_uninstalled(script: str) -> bool:
    """Whether the script lies in the client's copy of the plugin, and the client lists the plugin no more.

    The client leaves its copy behind and says so by a file in it, which an update leaves in the version before, too: so
    the list is asked. What cannot be read as one says nothing.
    """
    folder, _ = folder_and_market(script)
    if not folder:
        return False
    return listed_plugins(folder) == {}


def listed_plugins(folder: str) -> JsonObject | None:
    """Compact-keeper in the list in the client's folder of plugins, by PLUGIN@MARKETPLACE; None without such a list."""
    plugins = read_json(os.path.join(folder, "installed_plugins.json")).get("plugins")
    if not isinstance(plugins, dict):
        return None
    return {name: entry for name, entry in plugins.items() if name.partition("@")[0] == PLUGIN}


def is_marketplace_gone(script: str) -> bool:
    """Whether the script lies in the client's copy of the plugin, and the folder that it came from is there no more.

    Then no client loads the plugin (2.1.76 to 2.1.330); a status line, which runs from the copy, goes on.
    """
    folder, market = folder_and_market(script)
    clone = marketplace_folder(folder, market) if folder else ""
    return bool(clone) and not os.path.isdir(clone)


def marketplace_folder(plugins: str, market: str) -> str:
    """The folder that was added as this marketplace; empty where it is none, or is not known.

    `plugins` is the client's folder of plugins.
    """
    entry = read_json(os.path.join(plugins, "known_marketplaces.json")).get(market)
    source = entry.get("source") if isinstance(entry, dict) else None
    path = source.get("path") if isinstance(source, dict) and source.get("source") == "directory" else None
    return path if isinstance(path, str) else ""


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
    return enabled_plugins(paths).get(f"{PLUGIN}@{market}") is False


def enabled_plugins(paths: Iterable[str]) -> dict[str, bool]:
    """What these settings files say of plugins, by PLUGIN@MARKETPLACE: the last that names one counts."""
    words: dict[str, bool] = {}
    for path in paths:
        enabled = read_json(path).get("enabledPlugins")
        for name, word in enabled.items() if isinstance(enabled, dict) else ():
            words.update({name: word} if isinstance(word, bool) else {})
    return words


def folder_and_market(script: str) -> tuple[str, str]:
    """The client's folder of plugins, and the marketplace, where the script lies in the client's copy of the plugin.

    That is FOLDER/cache/MARKETPLACE/PLUGIN/VERSION/scripts/NAME; else both are empty.
    """
    of_plugin = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(script))))
    of_market, name = os.path.split(of_plugin)
    cache, market = os.path.split(of_market)
    folder, last = os.path.split(cache)
    return (folder, market) if (last, name) == ("cache", PLUGIN) else ("", "")
