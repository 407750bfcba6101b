"""installed.json: what install.py put into a configuration folder, by which it takes exactly that out again."""

from __future__ import annotations

import os
import re
import zlib

from compact_keeper.setup.reading import names_in, read_bytes
from compact_keeper.setup.target import MANIFEST_FILE, OUR_FOLDER, Target
from compact_keeper.store.json_files import read_store
from compact_keeper.types import JsonObject

OUR_FILE = re.compile(
    rf"{OUR_FOLDER}/(?:[\w-]+\.py|run|waiting|\.gitignore)\Z|skills/compact-keeper-[\w-]+/SKILL\.md\Z")
FOLDERS = ("hooks", "skills", ".")  # that may have to be made, the inner ones first


def read_manifest(target: Target) -> JsonObject:
    """What was installed here; names that are not ours are passed over: the file may be a repository's."""
    manifest = read_store(target.path(MANIFEST_FILE))
    for name in ("files", "replaced"):
        files = manifest.get(name)
        sums = files.items() if isinstance(files, dict) else ()
        manifest[name] = {path: known for path, known in sums if OUR_FILE.match(path)}
    made = manifest["folders"] if isinstance(manifest.get("folders"), list) else []
    return {**manifest, "folders": [name for name in FOLDERS if name in made]}


def length_and_sum(content: bytes | None) -> list[int]:
    """Length and CRC-32, by which a file is known again; empty for none."""
    return [] if content is None else [len(content), zlib.crc32(content)]


def is_as_installed(target: Target, manifest: JsonObject, name: str) -> bool:
    """Whether the file is there as an installation wrote it."""
    there = length_and_sum(read_bytes(target.path(name)))
    return bool(there) and there in (manifest["files"].get(name), manifest["replaced"].get(name))


def whole_files(target: Target, manifest: JsonObject) -> list[str]:
    """The installed files that are there as they were written."""
    return [name for name in files_there(target, manifest) if is_as_installed(target, manifest, name)]


def changed_files(target: Target, manifest: JsonObject) -> list[str]:
    """The installed files that were changed since."""
    return [name for name in files_there(target, manifest) if not is_as_installed(target, manifest, name)]


def files_there(target: Target, manifest: JsonObject) -> list[str]:
    """The installed files that are there."""
    return [name for name in {**manifest["replaced"], **manifest["files"]} if os.path.lexists(target.path(name))]


def bytecode_of(target: Target, names: list[str]) -> list[str]:
    """What Python has kept of the scripts among these files."""
    folder = f"{OUR_FOLDER}/__pycache__"
    return [f"{folder}/{name}" for name in names_in(target.path(folder))
            if name.endswith(".pyc") and f"{OUR_FOLDER}/{name.partition('.')[0]}.py" in names]
