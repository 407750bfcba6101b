"""Tasks with numbers, of the client's own list.

    TaskCreate, TaskUpdate  -> a task by its number; deleted ones go
    TaskList, TaskGet       -> what they print is the truth

A client's task tools in a subagent are none of this session's; of a team only what its lead lists stands here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from compact_keeper.record.items import new_item
from compact_keeper.text.fields import text_of
from compact_keeper.text.length import cut
from compact_keeper.text.quotation import quote
from compact_keeper.types import Entry, Item, TaskFields, Unpack

TASK_SUBJECT_MAX_UTF16, DETAIL_MAX_UTF16, OWNER_MAX_UTF16 = 300, 600, 60
TASKS_MAX = 200  # of a listing
STATUSES = ("pending", "in_progress", "completed")
LISTED_TASK = (
    r"^#(?P<number>\d{1,6}) \[(?P<status>\w{1,20})\] (?P<subject>\S.{0,1000}?)"
    r"(?: \[blocked by (?P<after>#\d{1,6}(?:, #\d{1,6}){0,50})\])?$")
SHOWN_TASK = (
    r"Task #(?P<number>\d{1,6}): (?P<subject>\S.{0,1000})\nStatus: (?P<status>\w{1,20})\n"
    r"Description: (?P<detail>.{0,5000}?)(?:\nBlocked by: (?P<after>#\d{1,6}(?:, #\d{1,6}){0,50}))?"
    r"(?:\nBlocks: #[#\d, ]{1,500})?\s{0,9}$")


class NumberedTasks:
    """The tasks as they stand; each call gives those that it adds or changes, whole."""

    def __init__(self, known: Sequence[Item]) -> None:
        """Goes on from the items of earlier saves."""
        self.numbered = {item["key"]: item for item in known if item["kind"] == "task" and item.get("list") == "task"}

    def items_of(self, entry: Entry) -> Iterator[Item]:
        """The tasks that a call adds, changes, or ends with the status `gone`.

        One that failed, was rejected or waits for its result changes nothing.
        """
        if entry["what"] != "call" or not entry["ok"]:
            return
        if entry["tool"] == "TaskCreate":
            yield from self.created(entry)
        elif entry["tool"] == "TaskUpdate" and entry["output"].startswith("Updated task #"):
            yield from self.updated(entry)
        elif entry["tool"] == "TaskList":
            yield from self.listed(entry)
        elif entry["tool"] == "TaskGet":
            yield from self.shown(entry)

    def created(self, call: Entry) -> Iterator[Item]:
        """A new task; one of the same number is of a list that is no more."""
        number = re.match(r"Task #(\d{1,6}) created", call["output"])
        subject = text_of(call["input"], "subject") or text_of(call["input"], "activeForm")
        if number and subject:
            detail = quote(text_of(call["input"], "description"), DETAIL_MAX_UTF16)
            if old := self.numbered.pop(f"#{number[1]}", None):
                yield {**old, "status": "gone"}
            yield from self.task(call, number[1], text=quote(subject, TASK_SUBJECT_MAX_UTF16), detail=detail,
                                 status="pending")

    def updated(self, call: Entry) -> Iterator[Item]:
        """A task changed in some of its fields."""
        changes, number = call["input"], str(call["input"].get("taskId", "")).lstrip("#")
        if not re.match(r"\d{1,6}$", number):
            return
        fields = {"text": quote(text_of(changes, "subject"), TASK_SUBJECT_MAX_UTF16),
                  "detail": quote(text_of(changes, "description"), DETAIL_MAX_UTF16),
                  "owner": quote(text_of(changes, "owner"), OWNER_MAX_UTF16)}
        status = text_of(changes, "status")
        if status == "deleted":
            status = "gone"
        if status in (*STATUSES, "gone"):
            fields["status"] = status
        before = self.numbered.get(f"#{number}", {}).get("after", "").split()
        if added := [f"#{task}" for task in as_list(changes.get("addBlockedBy")) if str(task).isdecimal()]:
            fields["after"] = " ".join(dict.fromkeys([*before, *added]))
        yield from self.task(call, number, **{name: value for name, value in fields.items() if value})

    def listed(self, call: Entry) -> Iterator[Item]:
        """All tasks as TaskList prints them; those that it does not print are deleted."""
        lines = call["output"].strip().splitlines()
        matches = [re.match(LISTED_TASK, line.strip()) for line in lines[:TASKS_MAX]]
        rows = [match for match in matches if match]
        if not rows and call["output"].strip() != "No tasks found":
            return
        if len(rows) == len(lines):  # read whole
            for key in [key for key in self.numbered if key not in {f"#{row['number']}" for row in rows}]:
                yield {**self.numbered.pop(key), "status": "gone"}
        elif not rows:
            for key in list(self.numbered):
                yield {**self.numbered.pop(key), "status": "gone"}
        for row in rows:
            subject, owner = subject_and_owner(quote(row["subject"], TASK_SUBJECT_MAX_UTF16), self.numbered.get(
                f"#{row['number']}", {}))
            yield from self.task(call, row["number"], text=subject, status=row["status"], owner=owner,
                                 after=(row["after"] or "").replace(",", ""))

    def shown(self, call: Entry) -> Iterator[Item]:
        """A task as TaskGet prints it."""
        if row := re.match(SHOWN_TASK, call["output"].strip(), re.DOTALL):
            yield from self.task(call, row["number"], text=quote(row["subject"], TASK_SUBJECT_MAX_UTF16),
                                 detail=quote(row["detail"], DETAIL_MAX_UTF16), status=row["status"],
                                 after=(row["after"] or "").replace(",", ""))

    def task(self, call: Entry, number: str, **fields: Unpack[TaskFields]) -> Iterator[Item]:
        """The task with these fields and all that was known of it; first its old form, where a field is emptied."""
        key = f"#{number}"
        old = self.numbered.get(key, {})
        if fields.get("status", "pending") not in (*STATUSES, "gone") or not (old or fields.get("text")):
            return  # of another tool, or of a task that nothing is known of
        whole = new_item("task", call, "", "assistant", key=key, list="task", order=int(number), detail="", after="",
                         owner="")
        names = ("text", "detail", "after", "owner", "status", "first")
        kept: Any = {name: value for name in names if (value := old.get(name))}
        task: Item = {**whole, "status": "pending", **kept, **fields}
        if any(old.get(name) and not task.get(name) for name in ("after", "owner", "detail")):
            yield {**old, "status": "gone"}
        if task["status"] == "gone":
            self.numbered.pop(key, None)
        elif all(task.get(name) == old.get(name, "") for name in ("text", "detail", "after", "owner", "status")):
            return  # as it was
        else:
            self.numbered[key] = task
        yield task


def subject_and_owner(text: str, known: Item) -> tuple[str, str]:
    """A listed line's subject and who it is assigned to: without the known subject, brackets may be its own."""
    subject = known.get("text", "")
    owner = text[len(subject) + 2:-1] if subject and text.startswith(f"{subject} (") and text.endswith(")") else ""
    return (subject, cut(owner, OWNER_MAX_UTF16)) if owner else (text, "")


def as_list(value: object) -> list[object]:
    """The value where it is a list."""
    return value if isinstance(value, list) else []
