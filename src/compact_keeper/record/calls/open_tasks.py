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
LATER_SHORT_MESSAGES = 6  # of whatever length: "1", "continue"
SAME_ORDER_MAX_CHARACTERS = 60  # typed: "go on", "phase 2": the plan goes on


def open_tasks(items: Sequence[Item]) -> list[Item]:
    """The tasks that are not done, without the boxes that are likely to be, as nobody ticks them.

    These are boxes in the agent's words, and those of a file of which none was changed later: of four such lists that
    stood as open behind many messages all was done long before.
    """
    boxes: dict[str, list[Item]] = {}  # by the list, ticked ones too
    for item in items:
        if item["kind"] == "task" and text_of(item, "list") not in LISTS_OF_THE_CLIENT:
            boxes.setdefault(text_of(item, "list"), []).append(item)
    left_behind = {name for name, of_list in boxes.items() if is_left_behind(name, of_list, items)}
    return [item for item in items if item["kind"] == "task" and item["status"] != "completed"
            and text_of(item, "list") not in left_behind]


def boxes_left_behind(items: Sequence[Item]) -> list[Item]:
    """The boxes that nobody ticked and that do not count as open any more, in their order."""
    still_open = open_tasks(items)
    boxes = [item for item in items if item["kind"] == "task" and item["status"] != "completed"
             and item not in still_open]
    return sorted(boxes, key=lambda box: (text_of(box, "list"), box.get("order", 0)))


def is_left_behind(name: str, boxes: Sequence[Item], items: Sequence[Item]) -> bool:
    """Whether a list's boxes are likely to be done: nobody ticks what was said, nor a file that was written once."""
    newest = max(box["position"] for box in boxes)
    since = [other for other in items if other["position"] > newest]
    is_asked_more = messages_in(since) >= LATER_MESSAGES or sum(map(is_typed, since)) >= LATER_SHORT_MESSAGES
    if name != LIST_SAID:
        is_written_once = len({box["position"] for box in boxes}) == 1
        return is_written_once and is_asked_more
    is_committed = any(other.get("commit") for other in since) and any(other["kind"] == "message" for other in since)
    return is_committed or is_asked_more


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


def messages_in(items: Sequence[Item]) -> int:
    """How many messages were typed that are longer than "go on", with which a task goes on."""
    return sum(is_typed(item) and len(item["text"]) > SAME_ORDER_MAX_CHARACTERS for item in items)
