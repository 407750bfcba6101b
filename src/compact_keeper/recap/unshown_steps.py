"""The steps on record that no line is about: what was read, run or changed, and stands nowhere in the text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from compact_keeper.client.tools import SHELL_TOOLS
from compact_keeper.recap.wording.from_root import names_command
from compact_keeper.types import Item, Line

KINDS_OF_STEPS = ("action", "look")


def steps_without_line(lines: Sequence[Line], items: Iterable[Item]) -> list[Item]:
    """The steps that none of the lines is about or names, the newest first."""
    with_line = [item for line in lines for item in line["items"]]
    calls = {item["source"] for item in with_line}
    runs = {text for item in with_line for text in item.get("same", ())}  # of several alike the line has the newest
    stated = "\n".join(line["text"] for line in lines)
    steps = [item for item in items if item["kind"] in KINDS_OF_STEPS and item["source"] not in calls]
    return [step for step in reversed(steps)
            if step["text"] not in runs and not (is_command(step) and names_command(stated, step))]


def is_command(step: Item) -> bool:
    """Whether the step is a command of a shell."""
    return step["tool"] in SHELL_TOOLS
