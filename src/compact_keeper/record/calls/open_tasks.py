"""Which tasks count as open: the same ones for the status line, notes.md and the text that is put back.

Each had a rule of its own: boxes that the agent had drawn in its words were open tasks on screen and "Next" in the
notes, while the recap left them out, as they were done by then.
"""

from __future__ import annotations

from collections.abc import Sequence

from compact_keeper.record.items import is_typed
from compact_keeper.text.fields import text_of
from compact_keeper.types import Item

LISTS_OF_THE_CLIENT = ("task", "todo")  # tasks of other lists are check marks in files and in the agent's words
LIST_SAID = "said"  # the name of the list of boxes that the agent drew in its words
LATER_MESSAGES = 3  # typed after a task; with so many it is mostly done
SAME_ORDER_MAX_CHARACTERS = 60  # typed: "go on", "phase 2": the plan goes on


def open_tasks(items: Sequence[Item]) -> list[Item]:
    """The tasks that are not done, without the boxes in the agent's words that are likely to be."""
    tasks = [item for item in items if item["kind"] == "task" and item["status"] != "completed"]
    said = [task for task in tasks if text_of(task, "list") == LIST_SAID]
    if said and may_be_done(said, items):
        return [task for task in tasks if text_of(task, "list") != LIST_SAID]
    return tasks


def count_of_open_tasks(items: Sequence[Item]) -> int:
    """How many of the client's list are open, as it shows them; without such a list those of checklists.

    Boxes that the agent wrote are mostly the parts of a task of the list.
    """
    tasks = open_tasks(items)
    if tasks_of_client(items):
        return len(tasks_of_client(tasks))
    return len(tasks)


def tasks_of_client(items: Sequence[Item]) -> list[Item]:
    """The tasks of the client's own lists."""
    return [item for item in items if item["kind"] == "task" and text_of(item, "list") in LISTS_OF_THE_CLIENT]


def may_be_done(boxes: Sequence[Item], items: Sequence[Item]) -> bool:
    """Whether something was committed, or several things asked, after them: in what was said nobody ticks a box."""
    newest = max(box["position"] for box in boxes)
    since = [other for other in items if other["position"] > newest]
    is_committed = any(other.get("commit") for other in since) and any(other["kind"] == "message" for other in since)
    return is_committed or messages_in(since) >= LATER_MESSAGES


def messages_in(items: Sequence[Item]) -> int:
    """How many messages were typed that are longer than "go on", with which a task goes on."""
    return sum(is_typed(item) and len(item["text"]) > SAME_ORDER_MAX_CHARACTERS for item in items)
