"""What the client leaves of the plugin when it uninstalls it: its copy, a folder for data, the marketplace."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator

from compact_keeper.client.plugin_list import PLUGIN
from compact_keeper.setup.plugin_folder import own_plugins
from compact_keeper.setup.reading import names_in
from compact_keeper.setup.target import target_of
from compact_keeper.store.json_files import read_json


def left_folders() -> Iterator[str]:
    """The folders that the client made for the plugin from marketplaces it is installed from no more.

    That of sessions which --plugin-dir has started in any case: of them the client lists nothing.
    """
    listed = own_plugins()
    if listed is None:
        inline = target_of(None).path(f"plugins/data/{PLUGIN}-inline")
        yield from (path for path in [inline] if os.path.isdir(path) and not os.path.islink(path))
        return
    markets = [name.partition("@")[2] for name in listed]
    cache, data = target_of(None).path("plugins/cache"), target_of(None).path("plugins/data")
    copies = (os.path.join(cache, market, PLUGIN) for market in names_in(cache) if market not in markets)
    own = (os.path.join(data, name) for name in names_in(data)
           if name.startswith(f"{PLUGIN}-") and name.removeprefix(f"{PLUGIN}-") not in markets)
    yield from (path for path in (*copies, *own) if os.path.isdir(path) and not os.path.islink(path))


def tell_leftovers(is_to_go: bool, dry_run: bool) -> None:
    """Removes what the client left of the plugin where that is wanted, else says what is there and what removes it."""
    for folder in left_folders():
        if not is_to_go:
            print(f"The client left {folder} (--data removes it)")
        elif dry_run:
            print(f"would remove {folder}")
        else:
            shutil.rmtree(folder)
            print(f"What the client left of the plugin is removed: {folder}")
            above = os.path.dirname(folder)  # the marketplace's, or that of all plugins' data
            if not os.listdir(above):
                os.rmdir(above)
    known, listed = read_json(target_of(None).path("plugins/known_marketplaces.json")), own_plugins() or {}
    if PLUGIN in known and f"{PLUGIN}@{PLUGIN}" not in listed:
        print(f"The client still knows the marketplace. To remove it: claude plugin marketplace remove {PLUGIN}")
