"""Commands that are no checks and whose last run failed for certain: the session's own program that broke, a push.

A program counts where its source was edited in the session, and its error is of the code, whatever it was given: no
such name, a panic. An error that an argument or a missing file may cause is none: it may have been what was tried.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

from compact_keeper.record.checks.checked_files import is_unchecked
from compact_keeper.record.commands.checks_in_line import checks_in
from compact_keeper.record.commands.program_languages import SOURCE_ENDINGS
from compact_keeper.record.commands.programs import INTERPRETERS
from compact_keeper.record.commands.shell import pieces_of, program_of, without_redirections
from compact_keeper.record.endings import endings_of
from compact_keeper.record.git.events import OUTSIDE
from compact_keeper.record.git.marked_events import has_push, may_have_pushed, says_push_refused
from compact_keeper.record.git.stashes import runs_without_changes
from compact_keeper.record.items import is_file_edit
from compact_keeper.text.paths import file_name
from compact_keeper.types import BrokenRun, Ending, Item

CODE_ERROR = (  # in what an output says of its end
    r"\b(?:NameError|UnboundLocalError|AttributeError|SyntaxError|IndentationError|ReferenceError): "
    r"|\bImportError: cannot import name|\bTypeError: (?!fetch failed)|(?:^|\s)panic: |\bpanicked at ")
STARTING_SCRIPTS = rf"(?:{INTERPRETERS}|bun|deno|go)$"
INLINE = rf"<<|(?:{INTERPRETERS}|bun|deno) (?:-\w+ )*-[a-z]*[cepr]\b"  # the error may be that text's
BEFORE_SCRIPT = ("run",)  # of go, bun and deno
OTHER_STATE = r"\bgit (?:checkout|switch|worktree|bisect)\b"  # of the sources is what ran then
PIECES_LOOKED_AT = 12


def broken_runs(actions: Sequence[Item]) -> list[BrokenRun]:
    """The programs whose last run broke, and the push that failed last, the newest first."""
    if not any(action["verdict"] == "failed" for action in actions):
        return []
    changes = [(action["position"], action["text"]) for action in actions  # as seen from the working folder
               if is_file_edit(action) and action["text"].endswith(SOURCE_ENDINGS)]
    endings = endings_of(actions)
    shown: list[BrokenRun] = []
    for ending in last_runs_broken(endings, [path for _, path in changes]):
        since = [path for position, path in sorted(changes, reverse=True) if position > ending["position"]]
        is_checked = any(other["verdict"] == "passed" and other["position"] > ending["position"] for other in endings)
        if not (since and is_checked):
            shown.append({"command": ending["text"], "result": ending["result"], "last": ending["last"],
                          "position": ending["position"], "edited_after": list(dict.fromkeys(since))})
    return sorted([*shown, *failed_push(actions, endings)], key=lambda run: -run["position"])


def last_runs_broken(endings: Sequence[Ending], edited: Sequence[str]) -> list[Ending]:
    """The last run of each program of the edited sources, where that broke; each run once.

    From the first that broke on: to part all commands of a session took 7 ms of each save.
    """
    first = next((index for index, ending in enumerate(endings) if is_broken(ending)), len(endings))
    last: dict[tuple[str, ...], Ending] = {}
    for ending in endings[first:]:
        if ending["verdict"] != "not run":
            for target in own_programs(ending["text"], edited):
                last[target] = ending
    broken = {ending["position"]: ending for ending in last.values() if is_broken(ending)}
    return [*broken.values()]


def is_broken(ending: Ending) -> bool:
    """Whether the run ended with an error of its code, and was one of the sources as they stand."""
    return (ending["verdict"] == "failed" and not checks_in(ending["text"])
            and bool(re.search(CODE_ERROR, str(ending.get("result") or "")))
            and not re.search(OTHER_STATE, ending["text"]) and not runs_without_changes(ending["text"]))


def own_programs(command: str, edited: Sequence[str]) -> list[tuple[str, ...]]:
    """What the command starts of the sources that were edited, each with its first word behind: `cli.py next`."""
    programs = list[tuple[str, ...]]()
    if not edited or re.search(INLINE, command):
        return programs
    for piece, _ in pieces_of(command)[:PIECES_LOOKED_AT]:
        words = without_redirections(piece.split())
        while words and "=" in words[0]:
            words = words[1:]
        script, rest = script_of_words(words)
        if script and any(is_its_source(script, path) for path in edited):
            order = next((word for word in rest if not word.startswith("-")), "")
            programs.append((script, order.strip("\"'")))
    return programs


def script_of_words(words: Sequence[str]) -> tuple[str, Sequence[str]]:
    """The script or module that the words start, as a path, and the words behind it; empty: none."""
    if not words or not re.match(STARTING_SCRIPTS, program_of(words)):
        is_script = bool(words) and "/" in words[0] and re.search(r"\.\w{1,4}$", words[0])
        return (os.path.normpath(words[0]), words[1:]) if is_script else ("", [])
    rest = [word for word in words[1:] if word not in BEFORE_SCRIPT]
    if rest[:1] == ["-m"] and len(rest) > 1:
        return rest[1].replace(".", "/"), rest[2:]
    index = next((index for index, word in enumerate(rest) if not word.startswith("-")), None)
    if index is None:
        return "", []
    return os.path.normpath(rest[index].strip("\"'")), rest[index + 1:]


def is_its_source(script: str, path: str) -> bool:
    """Whether the edited file is the script, or lies in the package or folder that is started."""
    if script.startswith((*OUTSIDE, "..", "-")) or is_unchecked(path):
        return False
    stem = os.path.splitext(path)[0]
    top = script.partition("/")[0] if "." not in file_name(script) else script
    pairs = ((path, script), (script, path), (stem, script))
    is_script = any(f"/{longer}".endswith(f"/{shorter}") for longer, shorter in pairs)
    return is_script or (top not in ("", ".") and f"/{top}/" in f"/{path}")


def failed_push(actions: Sequence[Item], endings: Sequence[Ending]) -> list[BrokenRun]:
    """The last push where git says why it failed, and nothing later may have pushed; none else."""
    last = next((ending for ending in reversed(endings) if has_push(ending["text"])), None)
    if not last or not says_push_refused(last):
        return []
    later = [action for action in actions if action["position"] > last["position"]]
    return [] if may_have_pushed(later) else [{
        "command": last["text"], "result": last["result"], "last": last["last"], "position": last["position"],
        "edited_after": []}]
