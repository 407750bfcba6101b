"""Sources that were edited though no command of the session could have checked them."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence

from compact_keeper.record.checks.checked_files import is_unchecked
from compact_keeper.record.commands.check_programs import MAY_TEST
from compact_keeper.record.commands.checks_in_line import checks_in, others_than_checks
from compact_keeper.record.commands.program_languages import SOURCE_ENDINGS, TESTS_OF_LANGUAGE
from compact_keeper.record.commands.programs import (
    INTERPRETERS,
    PACKAGE_RUNNERS,
    PROGRAMS_OF_CODE,
    SHELLS,
    TASK_RUNNERS,
)
from compact_keeper.record.commands.shell import program_of, shell_words, without_redirections
from compact_keeper.record.endings import endings_of
from compact_keeper.record.items import edits_newest_first
from compact_keeper.text.paths import from_root, is_at_or_below, is_whole_path
from compact_keeper.types import Item

ASKS_FOR_VERSION = frozenset(("--version", "-V", "-v", "version"))
HOST_OF_REPOSITORIES = r"git@[\w.-]+"
SOURCES_ELSEWHERE_MIN = 5  # edited outside of the working folder: fewer may be probes


def no_checks(actions: Sequence[Item], root: str) -> list[str]:
    """The sources that were edited, the newest first, where no command of the session was a check, whatever its end."""
    if any(checks_in(ending["text"]) for ending in endings_of(actions)):
        return []
    return [path for path in edited_in_project(actions, root) if path.endswith(SOURCE_ENDINGS)]


def may_have_tested(actions: Sequence[Item]) -> bool:
    """Whether a command of the session ran a script or code of its own, which may have tested: nobody knows."""
    return any(may_test(shell_words(piece)) for command in {ending["text"] for ending in endings_of(actions)}
               for piece in others_than_checks(command))


def may_test(words: Sequence[str]) -> bool:
    """Whether a command that is no known check runs a script or code, or something on another machine."""
    program = program_of(words)
    if program == "ssh":
        return not is_greeting(words)
    if ASKS_FOR_VERSION & {*words[1:]} and len(words) == 2:
        return False
    is_code = program in (*SHELLS, *PROGRAMS_OF_CODE) or re.fullmatch(INTERPRETERS, program) is not None
    return is_code or "/" in "".join(words[:1]) or not {"run", "exec"}.isdisjoint(words[1:3])


def is_greeting(words: Sequence[str]) -> bool:
    """Whether an `ssh` asks for its own version, or whether a host of repositories knows the key: neither runs a thing.

    Beside `ssh -T git@github.com` nothing had said that the session tested nothing.
    """
    return "-V" in words or re.fullmatch(HOST_OF_REPOSITORIES, "".join(without_redirections(words)[-1:])) is not None


def never_run(actions: Sequence[Item], root: str) -> list[tuple[str, list[str]]]:
    """Languages' own tests that no command ran though sources of the language were edited: name and those files.

    Only where no task and no script could have run them: `make test` may run anything, a package's script its own. "No
    `pytest`" had stood beside `python3 check_rates.py`, which tested.
    """
    names = names_of_tests_run(actions)
    if any(may_run_anything(name) for name in names) or may_have_tested(actions):
        return []
    paths = edited_in_project(actions, root)
    has_xcodebuild = any("xcodebuild" in action["text"] for action in actions if not action.get("path"))
    absent: list[tuple[str, list[str]]] = []
    for ending, programs in TESTS_OF_LANGUAGE.items():
        files = [path for path in paths if path.endswith(ending)]
        if files and not names & {*programs}:
            absent.append((programs[-1] if has_xcodebuild and ending == ".swift" else programs[0], files))
    return absent


def edited_in_project(actions: Sequence[Item], root: str) -> list[str]:
    """The files of the project that were edited and that checks look at, as seen from its folder, the newest first.

    That is the working folder; where no source lies in it, what all the edited sources share: the session stood there.
    """
    paths = dict.fromkeys(edit["path"] for edit in edits_newest_first(actions))
    sources = [path for path in paths if path.endswith(SOURCE_ENDINGS)]
    root = root or "/"
    is_elsewhere = all(is_whole_path(path) and not is_at_or_below(path, root) for path in sources)
    if is_elsewhere and len(sources) >= SOURCES_ELSEWHERE_MIN:
        root = posixpath.commonpath(sources)
    short = [from_root(path, root) for path in paths]
    return [path for path in short if not is_whole_path(path) and not is_unchecked(path)]


def names_of_tests_run(actions: Sequence[Item]) -> set[str]:
    """The names of the tests that commands of the session ran."""
    ran = [ending for ending in endings_of(actions) if ending["verdict"] != "not run"]
    return {check["name"] for ending in ran for check in checks_in(ending["text"]) if check["family"] in MAY_TEST}


def may_run_anything(name: str) -> bool:
    """Whether the check of this name is a task or a script, which may run tests of any language."""
    program = name.partition(" ")[0]
    return "/" in name or (program in TASK_RUNNERS and program not in PACKAGE_RUNNERS)
