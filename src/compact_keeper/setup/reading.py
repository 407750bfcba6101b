"""The files of a configuration folder and of the plugin, as they are read: no pipe or device is waited for."""

from __future__ import annotations

import os

from compact_keeper.setup.json_text import check_text
from compact_keeper.store.folder import open_regular
from compact_keeper.store.refusal import Refusal


def read_bytes(path: str) -> bytes | None:
    """The regular file's content; None when there is none."""
    try:
        with os.fdopen(open_regular(path, os.O_RDONLY), "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None


def file_text(path: str) -> str:
    """The file's text, empty when it cannot be read."""
    try:
        return (read_bytes(path) or b"").decode("utf-8", "replace")
    except (OSError, Refusal):
        return ""


def settings_text(path: str) -> str | None:
    """The text of a settings file, byte for byte; None when there is none."""
    content = read_bytes(path)
    try:
        return None if content is None else content.decode()
    except UnicodeDecodeError as fault:
        raise Refusal(f"{path} is not in UTF-8 (byte {fault.start}); write it so, then run this again") from None


def fault_in_settings(path: str) -> str:
    """Why a settings file is not read; empty when it is, or is not there."""
    try:
        check_text(settings_text(path) or "{}")
    except (OSError, Refusal) as why:
        return f"{path}, {why}"
    return ""


def names_in(folder: str) -> list[str]:
    """The names in a folder, sorted; none where there is no such folder."""
    return sorted(os.listdir(folder)) if os.path.isdir(folder) else []
