"""Which files a check looks at, and which of those were edited after it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from compact_keeper.record.commands.check_breadth import targets_in
from compact_keeper.record.commands.program_languages import LANGUAGES_OF_PROGRAM, SOURCE_LANGUAGES, SOURCES_OF_PROGRAM
from compact_keeper.record.git.stashes import is_away
from compact_keeper.text.paths import from_root, is_at_or_below, whole_path, with_home
from compact_keeper.types import Check, CheckRun, Item

# What a check does not look at, of the paths below its folder: documentation, locks, output.
UNCHECKED_FOLDERS = frozenset(
    "doc docs build dist out target tmp coverage node_modules __pycache__ venv".split())  # and those with a dot before
UNCHECKED_ENDINGS = (".md", ".mdx", ".txt", ".rst", ".adoc", ".log", ".lock", ".lockb")
UNCHECKED_LOCKS = ("-lock.json", "-lock.yaml", "-lock.yml", "go.sum", "npm-shrinkwrap.json")
UNCHECKED_NAMES = ("licence", "license", "changelog", "notice", "authors", ".gitignore")  # how they begin
OTHER_THAN_WEB = "(?i)ios|android|native|mobile|tauri|electron|swift|rust|go\\b|python|wasm|ci\\b|all|check|verify|e2e"
CHECKED_TEXTS = ("requirements", "cmakelists")  # texts by their endings that are checked all the same


def with_changes_since(run: CheckRun, edits: Sequence[Item], root: str) -> CheckRun:
    """The run with the files that it covers and that changed after it, as seen from the root; `edits`: newest first.

    An edit that git took back changed nothing that stands; one that the run saw is no longer there. One that a stash
    had during the run came back after it.
    """
    since = [edit for edit in edits if "taken_back_at" not in edit and (
        edit["position"] > run["position"] or is_away(edit.get("away", ()), run["position"]))]
    gone = [edit for edit in edits if edit["position"] < run["position"] < edit.get("taken_back_at", -1)]
    return {**run, "edited_after": covered_files(run["check"], since, root),
            "taken_back_after": covered_files(run["check"], gone, root)}


def changes_since(edited: Sequence[str], taken_back: Sequence[str],
                  in_short: Callable[[Sequence[str]], str]) -> list[str]:
    """What changed after a run, in words: which files were edited, and which git took back; each with its names."""
    files = {"edited": edited, "taken back": taken_back}
    return [f"{how} since: {in_short([*dict.fromkeys(paths)])}" for how, paths in files.items() if paths]


def covered_files(check: Check, edits: Iterable[Item], root: str) -> list[str]:
    """The files of the edits that the check looks at, as seen from the root."""
    covered = [edit["path"] for edit in edits if covers_file(check, edit["path"], root)]
    return [*dict.fromkeys(from_root(path, root or "/") for path in covered)]


def are_targets_gone(run: CheckRun, removed: Sequence[tuple[int, str]], edits: Sequence[Item], root: str) -> bool:
    """Whether all files and folders that the check names were taken away after it, and not written again.

    A file that had compiled, with its package long gone, had stood as the only linter's run. `removed`: where, and the
    path as seen from the root.
    """
    targets = [from_root(path, root or "/") for path in paths_of_targets(run["check"], root)]
    gone = [(position, path) for position, path in removed if position > run["position"]]
    return bool(targets and gone) and all(any(
        is_at_or_below(target, path) and not any(
            edit["position"] > position and is_at_or_below(from_root(edit["path"], root or "/"), target)
            for edit in edits) for position, path in gone) for target in targets)


def paths_of_targets(check: Check, root: str) -> list[str]:
    """The whole paths of the files and folders that the check names."""
    targets = [target.strip("\"'").replace("\\", "/") for target in targets_in(check)]
    return [whole_path(target.removesuffix("/..."), folder_of(check, root)) for target in targets]


def folder_of(check: Check, root: str) -> str:
    """The whole path of the folder in which the check ran."""
    return whole_path(with_home(check["folder"], root), root or "/")


def covers_file(check: Check, path: str, root: str) -> bool:
    """Whether the check looks at the file: it lies below the folder in which it runs, and is of its language.

    Tests run against all there is, whatever test is named; a check of files looks at no more than those it names.
    """
    root = root or "/"
    path = whole_path(path, root)
    endings = tuple(SOURCES_OF_PROGRAM.get(check["name"].partition(" ")[0], "").split())
    if (endings and not path.endswith(endings)) or is_foreign(check, path):
        return False
    targets = paths_of_targets(check, root)
    if check["family"] in ("test", "build") or not targets:
        targets = [folder_of(check, root)]
    return any(holds_checked(target, path) for target in targets)


def holds_checked(target: str, path: str) -> bool:
    """Whether the target is the file, or a folder above it below which a check looks at such files."""
    return path == target or (is_at_or_below(path, target) and not is_unchecked(from_root(path, target)))


def is_foreign(check: Check, path: str) -> bool:
    """Whether the file is a source of a language that the check's program does not read.

    Of a package's own script only where its name says of nothing else: `npm run ios` may build what it likes.
    """
    program, _, task = check["name"].partition(" ")
    languages = LANGUAGES_OF_PROGRAM.get(program, "").split()
    if not languages or ("web" in languages and re.search(OTHER_THAN_WEB, task)):
        return False
    foreign = " ".join(endings for language, endings in SOURCE_LANGUAGES.items() if language not in languages)
    return path.endswith(tuple(foreign.split()))


def is_unchecked(path: str) -> bool:
    """Whether the path, as seen from the folder that is checked, is documentation, a lock file or output."""
    *folders, name = path.lower().split("/")
    if name.endswith(UNCHECKED_ENDINGS) and not any(text in name for text in CHECKED_TEXTS):
        return True
    if name.endswith(UNCHECKED_LOCKS) or name.startswith(UNCHECKED_NAMES):
        return True
    return any(folder.startswith(".") or folder in UNCHECKED_FOLDERS for folder in folders)
