"""Which commands check something (test, build, lint, types), which files each covers, and which no longer hold.

The one vocabulary of checks for the recap, the notes and the look at what is true now.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterable, Sequence

from compact_keeper.types import Record

VERIFYING = (  # commands, or parts of one, that test, build, lint or check types; not those that only name such a file
    r"(?:.*?(?: &&| \|\||;) )?\(?(?!\(?(?:git|gh|cat|ls|grep|rg|find|fd|head|tail|sed|awk|echo|printf|cd|which|wc|tree"
    r"|stat|sleep|rm|mkdir|touch|cp|mv|chmod|ln|diff|less|open|code|vim?|nano|p?kill|curl|wget|ssh|scp|python\d? -c"
    r"|(?:sudo )?\S+ (?:-m pip |pip )?(?:i|install|add|remove|uninstall))\b)"
    r"[^&;|]{0,60}?\b(?:(?:py|c)?tests?|build|lint|check|type-?check|clippy|vet|verify|jest|vitest|mocha|playwright"
    r"|tox|nox|mypy|pyright|ruff|flake8|pylint|eslint|biome|shellcheck|rubocop|tsc|r?spec|phpunit|ninja)\b(?!/)")
CHECKING_FILES = r"(?i:.*\b(?:lint|check|vet|mypy|pyright|ruff|flake8|pylint|eslint|biome|shellcheck|rubocop|tsc)\b)"
TEST_FOLDER = r"(?i:.*(?:\b|_)(?:tests?|specs?|e2e)(?:\b|_))"
OPTION_OR_SETTINGS_FILE = r"-|.*(?:\.(?:json|toml|ya?ml|ini|cfg)|config\.\w+)$"  # words that name no place to check
# Of the paths that a command checks, as seen from its folder, it does not: documentation, locks, output.
UNCHECKED_FOLDERS = frozenset(
    "doc docs build dist out target tmp coverage node_modules __pycache__ venv".split())  # and those with a dot before
UNCHECKED_ENDINGS = (".md", ".mdx", ".txt", ".rst", ".adoc", ".log", ".lock", ".lockb")
UNCHECKED_LOCKS = ("-lock.json", "-lock.yaml", "-lock.yml", "go.sum", "npm-shrinkwrap.json")
UNCHECKED_NAMES = ("licence", "license", "changelog", "notice", "authors")  # how they begin


def stale(items: Sequence[Record], changes: Sequence[tuple[str, str]], root: str, end: float) -> dict[str, str]:
    """For each check that passed before a file it covers changed: its key, and that file; the newest check first.

    `changes` are times with paths, the newest first; `end` is when to stop.
    """
    files = {item["text"] for item in items if item["kind"] == "file"}
    folders, path_by_key = folders_of(files), dict[str, str]()
    for item in reversed(items if changes else ()):
        if time.monotonic() >= end:
            break
        if item["kind"] != "command" or not item.get("ok") or not item["last"]:
            continue
        later = [path for moment, path in changes if moment > item["last"]]
        if later and re.match(VERIFYING, item["text"]):
            places = covered(item["text"], root, files, folders)
            path = next((path for path in later if any(is_below(path, place) for place in places)), "")
            if path:
                path_by_key[item["key"]] = path
    return path_by_key


def folders_of(paths: Iterable[str]) -> set[str]:
    """All folders above these paths."""
    folders = {""}
    for path in paths:
        while (path := path.rpartition("/")[0]) not in folders:
            folders.add(path)
    return folders


def covered(command: str, root: str, files: set[str], folders: set[str]) -> list[str]:
    """The folders and files that the command checks: those it names, else where it runs.

    A word names one when the session knows a file there, so that no option's value is taken for a place. Tests run
    against all there is, whatever test is named; a check of files looks at no more than those.
    """
    where, places = os.path.normpath(root), list[str]()
    for part in re.split(r" (?:&&|\|\|?) |; ", command):
        words = part.strip(" ()").split()
        if re.fullmatch(r"cd [\"']?[\w./@+][\w./@+-]*[\"']?", " ".join(words)):
            where = place_in(where, words[1])
        elif run := re.match(VERIFYING, part):
            named = [(word, place_in(where, word)) for word in part[run.end():].partition(" ")[2].split()
                     if not re.match(OPTION_OR_SETTINGS_FILE, word)]
            named = [(word, place) for word, place in named if place in files or place in folders]
            by_file = re.match(CHECKING_FILES, run[0])
            whole = not by_file and any(place in files or re.match(TEST_FOLDER, word) for word, place in named)
            places += [place for _, place in named] if named and not whole else [where]
    return places


def place_in(folder: str, word: str) -> str:
    """The path that a command's word names, seen from the folder; `./pkg/...` is Go's for all below."""
    return os.path.normpath(os.path.join(folder, word.strip("\"'()").removesuffix("/...")))


def is_below(path: str, place: str) -> bool:
    """Whether the path is that place, or lies below it and is no documentation, lock file or output."""
    folder = place.rstrip("/") + "/"
    return path == place or (path.startswith(folder) and not is_unchecked(path[len(folder):]))


def is_unchecked(path: str) -> bool:
    """Whether the path, as seen from the folder that is checked, is documentation, a lock file or output."""
    *folders, name = path.lower().split("/")
    is_text = name.endswith(UNCHECKED_ENDINGS) and not any(map(name.__contains__, ("requirements", "cmakelists")))
    return (is_text or name.endswith(UNCHECKED_LOCKS) or name.startswith(UNCHECKED_NAMES)
            or any(folder.startswith(".") or folder in UNCHECKED_FOLDERS for folder in folders))
