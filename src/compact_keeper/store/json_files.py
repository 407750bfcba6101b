"""JSON files: ours, and as they are the client's and the person's."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

from compact_keeper.store.folder import NO_LINK, SCHEMA, open_regular, replace_file
from compact_keeper.store.refusal import Refusal
from compact_keeper.types import JsonObject

FILE_MAX_BYTES = 8 << 20
OWN_BEGINNING = f'{{"schema": {SCHEMA}, '.encode()  # as replace_store writes it
GIVEN = ".given"  # the ending of a file that was handed over


def json_object(text: bytes | str) -> JsonObject:
    """The object that the text is, as JSON; empty when it is none."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def read_json(path: str) -> JsonObject:
    """The object of a file of the client's or the person's; empty when there is none, or it cannot be read."""
    try:
        with os.fdopen(open_regular(path, os.O_RDONLY), "rb") as file:
            return json_object(file.read(FILE_MAX_BYTES))
    except (OSError, Refusal):
        return {}


def read_store(path: str) -> Any:
    """The file's object, as it is; empty when there is none or it is broken, refused when it has another schema."""
    try:
        with os.fdopen(open_regular(path, os.O_RDONLY | NO_LINK), "rb") as file:
            data = json.loads(file.read(FILE_MAX_BYTES))
    except (FileNotFoundError, ValueError, RecursionError):
        return {}
    schema = data.get("schema") if isinstance(data, dict) else None
    if isinstance(schema, int) and schema != SCHEMA:
        raise Refusal(f"{path} has schema {schema}, not {SCHEMA}, and is left alone")
    return data if schema == SCHEMA else {}


def readable_store(folder: str, name: str) -> JsonObject:
    """The object of a file of a session's; empty, too, where none can be read, or the folder is not known."""
    try:
        return read_store(os.path.join(folder, name)) if folder else {}
    except (OSError, Refusal):
        return {}


def refuse_later_version(path: str) -> None:
    """Raises Refusal where a later version wrote the file: nothing of this one may take its place."""
    try:
        with os.fdopen(open_regular(path, os.O_RDONLY | NO_LINK), "rb") as file:
            is_as_ours = file.read(len(OWN_BEGINNING)) == OWN_BEGINNING
    except FileNotFoundError:
        return
    if not is_as_ours:
        read_store(path)


def take_store(path: str) -> Any:
    """The object of a file that is handed over once, for the one process that renames it; empty for every other.

    It is read under a name of this process's own: under that of all, the next one could have taken its place.
    """
    if not os.path.exists(path):
        return {}
    own = f"{path}.{os.getpid()}.tmp"  # of a killed process it goes as drafts do
    try:
        os.replace(path, own)
    except FileNotFoundError:
        return {}
    try:
        return read_store(own)
    finally:
        if os.path.isdir(own) == os.path.isdir(f"{path}{GIVEN}"):
            os.replace(own, f"{path}{GIVEN}")


def replace_store(path: str, data: Mapping[str, Any], **encoded: str) -> None:
    """Replaces the file in one step; the old one stays when anything goes wrong before.

    `encoded` are fields that are JSON already, as several files hold them; in the file they come last.
    """
    text = encoded_json({"schema": SCHEMA, **{name: value for name, value in data.items() if name not in encoded}})
    fields = [text[:-1], *(f'"{name}": {value}' for name, value in encoded.items())]
    replace_file(path, f"{', '.join(fields)}}}".encode("utf-8", "replace"))


def encoded_json(value: object) -> str:
    """The value as it stands in a file of ours."""
    return json.dumps(value, ensure_ascii=False)
