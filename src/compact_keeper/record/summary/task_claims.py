"""Tasks of the client's list that a summary gives another status than the list has."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from compact_keeper.record.summary.claims import SUBJECT_MIN_CHARACTERS, claims_in
from compact_keeper.record.summary.statements import as_names
from compact_keeper.text.marks import in_quotes
from compact_keeper.types import Item, Statement

TASK_STATES = {
    "open": "open|unfinished|incomplete|left|left to do|☐",
    "completed": "completed|complete|done|finished|closed|✅|✓|✔|☑",
    "in_progress": "in progress|in-progress|in_progress|underway|under way|half done|partly done|🔄",
    "pending": "pending|not started|not been started|not yet started|untouched|to do|next up"}
OPEN_STATUSES = ("in_progress", "pending")
DONE_HEADINGS = ("completed", "completed tasks", "done")  # what is listed below one is called so


def task_claims(statements: Sequence[Statement], tasks: Sequence[Item]) -> Iterator[tuple[str, str]]:
    """The summary's line that names a task of the client's list, by number or subject, with another status.

    What two tasks share names none.
    """
    subjects = as_names([task["text"] for task in tasks])
    pairs = [(name, str(index)) for index, task in enumerate(tasks) for name in {subjects[index], task.get("key", "")}]
    times = Counter(name for name, _ in pairs)
    names = {name: index for name, index in pairs
             if times[name] == 1 and (name[:1] == "#" or len(name) >= SUBJECT_MIN_CHARACTERS)}
    listed: list[Statement] = [{**each, "row": f" completed :{each['row']}"} for each in statements
                               if each["heading"] in DONE_HEADINGS]
    for statement, index, status in claims_in([*statements, *listed], names, TASK_STATES):
        task, row = tasks[int(index)], statement["row"]
        is_meant = f" {subjects[int(index)]} " in row or re.search(r" (?:tasks?|todo) ", row)  # "#2" may be a PR
        own = (task["status"], "open" if task["status"] in OPEN_STATUSES else "")
        if is_meant and task["status"] in TASK_STATES and status not in own:
            name = f"{task.get('key', '')} {in_quotes(task['text'])}".strip()
            yield statement["line"], f"the client's task list has {name} as {task['status'].replace('_', ' ')}"
