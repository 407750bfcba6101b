"""The files that a session changed, for the notes, and which of them git took back to what is committed."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from compact_keeper.client.tools import SHELL_TOOLS
from compact_keeper.notes.wording import code_shown, local
from compact_keeper.record.commands.written_files import files_written
from compact_keeper.record.git.stashes import puts_stash_back, stash_holding, stashes_of
from compact_keeper.text.fields import text_of
from compact_keeper.text.paths import same_file
from compact_keeper.text.times import moment
from compact_keeper.types import Item, Stash

RESETS_ALL_FILES = r"\bgit (?:-C \S+ )?reset --hard"
TAKES_NAMED_BACK = r"\bgit (?:-C \S+ )?(?:checkout|restore)\b(?![^;&|]* (?:--staged|-S)\b)([^;&|]*)"
NOT_DONE = ("failed", "not run", "stopped")  # commands of which it is not known what they wrote


def files_changed(items: Sequence[Item], state: Mapping[str, str]) -> list[str]:
    """The files that were changed, each with the time of its last change, the last one first.

    Those that a shell command wrote, too: the session had committed one that was not listed.
    """
    last: dict[str, Item] = {}
    for item in reversed(items):
        if item.get("edits"):
            last.setdefault(item["text"], item)
        elif item["kind"] == "action" and text_of(item, "tool") in SHELL_TOOLS and item["verdict"] not in NOT_DONE:
            for path in files_written(item["text"], text_of(state, "root")):
                last.setdefault(path, {**item, "text": path})
    commands = [item for item in reversed(items) if item["kind"] == "action" and not item.get("edits")]
    done = [item for item in commands if item["verdict"] in ("ended", "passed") and re.search(r"\bgit\b", item["text"])]
    stashes = stashes_of(commands)
    return [f"{code_shown(path)} ({local(moment(item['last']))}){taken_back(item, done, stashes)}"
            for path, item in last.items()]


def taken_back(edit: Item, commands: Sequence[Item], stashes: Sequence[Stash]) -> str:
    """That a later command of git's took the file back to what is committed, and which; empty where none did.

    `commands`: those with git, the newest first. None where a command up to that one may have committed the file, or
    where a stash was put back later.
    """
    later = [item for item in commands if item["position"] > edit["position"]]
    stash = stash_holding(edit["position"], stashes)
    if stash:
        before = [item for item in later if item["position"] <= stash["position"]]
        return "" if may_commit(before) else f", taken back since by {code_shown(stash['command'])}"
    for place, command in enumerate(later):
        if puts_stash_back(command["text"]):
            return ""
        if takes_back(command["text"], edit["text"]) and not may_commit(later[place:]):
            return f", taken back since by {code_shown(command['text'])}"
    return ""


def may_commit(commands: Sequence[Item]) -> bool:
    """Whether a command may have committed files."""
    return any("git commit" in command["text"] for command in commands)


def takes_back(command: str, path: str) -> bool:
    """Whether a command makes all files what is committed, or names this one for that."""
    if re.search(RESETS_ALL_FILES, command):
        return True
    named = [word for words in re.findall(TAKES_NAMED_BACK, command) for word in words.split()]
    return any(word == "." or same_file(word, path) for word in named)
