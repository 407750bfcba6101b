"""The client's list of plugins, as far as a script asks whether the plugin that it came with is still in it."""

from __future__ import annotations

import json
import os

from compact_keeper.store.folder import open_regular

CACHE_PARTS = 6  # from a plugin's script up to the client's folder of plugins: cache/MARKET/PLUGIN/VERSION/scripts/NAME
LIST_MAX_BYTES = 4 << 20


def is_uninstalled(script: str, plugin: str) -> bool:
    """Whether the script lies in the client's copy of the plugin, and the client lists the plugin no more.

    The client leaves its copy behind and says so by a file in it, which an update leaves in the version before, too: so
    the list is asked. What cannot be read as one says nothing.
    """
    parts = os.path.abspath(script).split(os.sep)
    if len(parts) <= CACHE_PARTS or parts[-CACHE_PARTS] != "cache" or parts[-4] != plugin:
        return False
    path = os.sep.join([*parts[:-CACHE_PARTS], "installed_plugins.json"])
    with os.fdopen(open_regular(path, os.O_RDONLY), "rb") as file:
        listed = json.loads(file.read(LIST_MAX_BYTES))
    plugins = listed.get("plugins") if isinstance(listed, dict) else None
    return isinstance(plugins, dict) and not any(name.partition("@")[0] == plugin for name in plugins)
