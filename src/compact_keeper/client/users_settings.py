"""The settings.json of the person who runs the client, whatever project the session is in."""

from __future__ import annotations

import os

from compact_keeper.client.project import config_folder
from compact_keeper.store.json_files import read_json
from compact_keeper.text.fields import text_of
from compact_keeper.types import JsonObject


def users_settings() -> JsonObject:
    """The object in it; empty where there is none, or it cannot be read."""
    return read_json(os.path.join(config_folder(), "settings.json"))


def users_status_line() -> str:
    """The command of the person's own status line; empty where there is none."""
    line = users_settings().get("statusLine")
    return text_of(line, "command") if isinstance(line, dict) and line.get("type") == "command" else ""
