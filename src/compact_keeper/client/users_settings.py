"""The settings.json of the person who runs the client, whatever project the session is in."""

from __future__ import annotations

import json
import os

from compact_keeper.client.project import config_folder
from compact_keeper.store.folder import open_regular
from compact_keeper.store.refusal import Refusal
from compact_keeper.text.fields import text_of
from compact_keeper.types import JsonObject

SETTINGS_MAX_BYTES = 1 << 20


def users_settings() -> JsonObject:
    """The object in it; empty where there is none, or it cannot be read."""
    try:
        with os.fdopen(open_regular(os.path.join(config_folder(), "settings.json"), os.O_RDONLY), "rb") as file:
            settings = json.loads(file.read(SETTINGS_MAX_BYTES))
    except (OSError, ValueError, RecursionError, Refusal):
        return {}
    return settings if isinstance(settings, dict) else {}


def users_status_line() -> str:
    """The command of the person's own status line; empty where there is none."""
    line = users_settings().get("statusLine")
    return text_of(line, "command") if isinstance(line, dict) and line.get("type") == "command" else ""
