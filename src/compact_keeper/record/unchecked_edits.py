"""Sources that were edited though no command of the session could have checked them."""

from __future__ import annotations

from collections.abc import Sequence

from compact_keeper.record.check_programs import TASK_RUNNERS
from compact_keeper.record.checked_files import SOURCE_LANGUAGES, changed_files, is_unchecked
from compact_keeper.record.commands import checks_in
from compact_keeper.record.results import results_of
from compact_keeper.types import Item

TESTS_OF_LANGUAGE = {  # endings of sources; the tests that programs of the language's own run
    ".go": ("go test", "gotestsum"), ".rs": ("cargo test", "cargo nextest"),
    ".swift": ("swift test", "xcodebuild test"),
    ".py": ("pytest", "unittest", "nose2", "tox", "nox", "manage.py test", "behave"),
    ".rb": ("rspec", "minitest", "rails test", "cucumber"), ".ex": ("mix test",),
    ".dart": ("flutter test", "dart test")}


def no_checks(actions: Sequence[Item], root: str = "") -> list[str]:
    """The sources that were edited, the newest first, where no command of the session was a check, whatever its end."""
    if any(checks_in(outcome["text"]) for outcome in results_of(actions)):
        return []
    root, endings = root.rstrip("/") + "/", tuple(" ".join(SOURCE_LANGUAGES.values()).split())
    paths = dict.fromkeys(path.removeprefix(root) for _, path in sorted(changed_files(actions), reverse=True))
    return [path for path in paths
            if path.endswith(endings) and not path.startswith(("/", "~")) and not is_unchecked(path)]


def never_run(actions: Sequence[Item], root: str = "") -> list[tuple[str, list[str]]]:
    """Languages' own tests that no command ran though sources of the language were edited: name and those files.

    Only where no task and no script could have run them: `make test` may run anything, a package's script its own.
    """
    names = {check["name"] for outcome in results_of(actions)
             for check in checks_in(outcome["text"]) if check["family"] == "test" and outcome["verdict"] != "not run"}
    if any(name.partition(" ")[0] in {*TASK_RUNNERS} - {"npm", "bun"} or "/" in name for name in names):
        return []
    root, absent = root.rstrip("/") + "/", list[tuple[str, list[str]]]()
    changes = sorted(changed_files(actions), reverse=True)
    paths = [*dict.fromkeys(path.removeprefix(root) for _, path in changes)]
    has_xcodebuild = any("xcodebuild" in action["text"] for action in actions if not action.get("path"))
    for ending, programs in TESTS_OF_LANGUAGE.items():
        name = programs[-1] if has_xcodebuild and ending == ".swift" else programs[0]
        files = [path for path in paths
                 if path.endswith(ending) and not path.startswith("/") and not is_unchecked(path)]
        if files and not names & {*programs}:
            absent.append((name, files))
    return absent
