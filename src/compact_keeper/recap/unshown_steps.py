"""The steps on record that no line is about: what was read, run or changed, and stands nowhere in the text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from compact_keeper.client.tools import SHELL_TOOLS
from compact_keeper.recap.wording.stated import is_named, stated_by
from compact_keeper.record.commands.seen_from_folder import seen_from_folder
from compact_keeper.record.git.taken_back import with_known_discards
from compact_keeper.text.fields import text_of
from compact_keeper.types import Item, Line, Snapshot

KINDS_OF_STEPS = ("action", "look")


def steps_without_line(lines: Sequence[Line], items: Iterable[Item]) -> list[Item]:
    """The steps that none of the lines is about or names, the newest first."""
    with_line = [item for line in lines for item in line["items"]]
    calls = {item["source"] for item in with_line}
    runs = {text for item in with_line for text in item.get("same", ())}  # of several alike the line has the newest
    stated = stated_by(lines)
    steps = [item for item in items if item["kind"] in KINDS_OF_STEPS and item["source"] not in calls]
    return [step for step in reversed(steps)
            if step["text"] not in runs and not (is_command(step) and is_named(step, stated))]


def items_with_discards(snapshot: Snapshot) -> list[Item]:
    """The snapshot's items, edits that git took back with the command that did so."""
    items, state = snapshot["items"], snapshot["state"]
    seen = seen_from_folder(items, text_of(state, "root"), text_of(state, "cwd"))
    return with_known_discards(items, [item for item in seen if item["kind"] == "action"], state)


def is_command(step: Item) -> bool:
    """Whether the step is a command of a shell."""
    return step["tool"] in SHELL_TOOLS
