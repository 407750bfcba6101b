"""Tasks of the client's list that a summary gives another status than the list has."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from compact_keeper.record.summary.claims import SUBJECT_MIN_CHARACTERS, claims_in
from compact_keeper.record.summary.statements import OPEN_WORDS, as_names
from compact_keeper.text.holding import holds_any
from compact_keeper.text.marks import in_quotes
from compact_keeper.types import Item, Statement

TASK_STATES = {
    "open": "open|unfinished|incomplete|left|left to do|☐",
    "completed": "completed|complete|done|finished|closed|✅|✓|✔|☑",
    "in_progress": "in progress|in-progress|in_progress|underway|under way|half done|partly done|🔄",
    "pending": "pending|not started|not been started|not yet started|untouched|to do|next up"}
STATUS_AS_STORED = r"[`\"\[] ?(pending|in_progress|completed) ?[`\"\]]"
OPEN_STATUSES = ("in_progress", "pending")
RANGE = r"#(\d{1,2})(?: (?:to|through|[–-]) |[–-])#?(\d{1,2})(?= )"
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
    claims = claims_in([*map(with_whole_row, statements)], names, TASK_STATES) if tasks else []
    for statement in statements if tasks else ():
        is_stored = holds_any(statement["row"], ("completed", *OPEN_STATUSES))
        statuses = re.findall(STATUS_AS_STORED, statement["row"]) if is_stored else []
        subjects_here = [name for name in names if name[:1] != "#" and f' " {name} " ' in statement["row"]]
        if len(statuses) == len(subjects_here) == 1 and OPEN_WORDS.isdisjoint(statement["row"].split()):
            claims.append((statement, names[subjects_here[0]], statuses[0]))
    statuses_of = Counter(index for index, _ in {(index, status) for _, index, status in claims})
    for statement, index, status in [claim for claim in claims if statuses_of[claim[1]] == 1]:
        task, words = tasks[int(index)], {*statement["row"].split()}
        is_meant = {"task", "tasks", "todo"} & words or len(words & {*subjects[int(index)].split()}) > 1  # by number
        own = {task["status"], "open" if task["status"] in OPEN_STATUSES else ""}
        if is_meant and task["status"] in TASK_STATES and status not in own:
            name = f"{task.get('key', '')} {in_quotes(task['text'])}".strip()
            yield statement["line"], f"the client's task list has {name} as {task['status'].replace('_', ' ')}"


def with_whole_row(statement: Statement) -> Statement:
    """The statement, each number of a range in its row; below a heading that calls it done with that word before it."""
    row = f" completed :{statement['row']}" if statement["heading"] in DONE_HEADINGS else statement["row"]
    if "#" in row:
        row = re.sub(RANGE, lambda match: " ".join(map("#{}".format, range(int(match[1]), int(match[2]) + 1))), row)
    return {**statement, "row": row}
