"""Tasks with their states, as the client's own lists and checklists in files have them.

    TodoWrite                        -> the whole list each time
    TaskCreate, TaskUpdate           -> a task by its number; deleted ones go
    TaskList, TaskGet                -> what they print is the truth
    `- [ ]` in plan files and words  -> a list by its file
    ... in a pull request's body     -> a list by its address

A client's task tools in a subagent are none of this session's; of a team only what its lead lists stands here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from compact_keeper.client.tools import CHANGING_TOOLS, SHELL_TOOLS
from compact_keeper.record.calls.open_tasks import LIST_SAID
from compact_keeper.record.commands.shell import QUOTED_TEXT, parted_from_texts, pieces_of
from compact_keeper.record.items import new_item
from compact_keeper.text.fences import lines_outside_fences
from compact_keeper.text.fields import text_of
from compact_keeper.text.length import cut, is_same_when_cut
from compact_keeper.text.quotation import quote
from compact_keeper.types import Entry, Item, TaskFields, Unpack

TASK_SUBJECT_MAX_UTF16, DETAIL_MAX_UTF16, OWNER_MAX_UTF16 = 300, 600, 60
TASKS_MAX, CHECKLIST_MAX = 200, 100  # of a listing, of one file or message
LISTS_MAX_CHARACTERS = 40_000  # of a file or message that is looked through
STATUSES = ("pending", "in_progress", "completed")
PLAN_FILE = r"(?i)(?:/plans?/[^/]*|(?:plan|todos?|tasks?|checklist|roadmap|progress)[^/]*)\.(?:md|txt)$"
CHECK_LINE = r"^(?:\+ ?)?[ \t]{0,20}(?:[-*+]|\d{1,3}[.)]) \[([ xX~])\] (\S.{0,1000})"
LISTED_TASK = (
    r"^#(?P<number>\d{1,6}) \[(?P<status>\w{1,20})\] (?P<subject>\S.{0,1000}?)"
    r"(?: \[blocked by (?P<after>#\d{1,6}(?:, #\d{1,6}){0,50})\])?$")
SHOWN_TASK = (
    r"Task #(?P<number>\d{1,6}): (?P<subject>\S.{0,1000})\nStatus: (?P<status>\w{1,20})\n"
    r"Description: (?P<detail>.{0,5000}?)(?:\nBlocked by: (?P<after>#\d{1,6}(?:, #\d{1,6}){0,50}))?"
    r"(?:\nBlocks: #[#\d, ]{1,500})?\s{0,9}$")
PART_OF_A_LINE = r"- (?P<old>.{1,300})\n\+ (?P<new>.{1,300})"  # an edit within lines
PART_MIN_CHARACTERS, ANY_OPEN_BOX = 4, "[ ]"  # of what is replaced wherever it stands; it may have lost spaces
BOX_BULLET = r"^(?:[-*+]|\d{1,3}[.)]) (?=\[)"
WRITES_REQUEST = r"(?:gh (?:pr|issue) (?:create|new|edit)|glab (?:mr|issue) (?:create|new|update))\b"
BODY_OF_REQUEST = rf"(?s)(?<=\s)(?:--body|-b|--description|-d)[ =](?P<body>{QUOTED_TEXT})"
ADDRESS_OF_REQUEST = r"https?://\S{1,200}/((?:pull|issues|merge_requests)/\d{1,9})\b"
CHECK_STATUS = {" ": "pending", "~": "in_progress"}
CHECK_MARKS = {"pending": " ", "in_progress": "~", "completed": "x"}


class Tasks:
    """The tasks as they stand; each entry gives those that it adds or changes, whole."""

    def __init__(self, known: Sequence[Item]) -> None:
        """Goes on from the items of earlier saves."""
        tasks = [item for item in known if item["kind"] == "task"]
        self.numbered = {item["key"]: item for item in tasks if item.get("list") == "task"}
        self.lists: dict[str, list[Item]] = {}  # those without numbers, by list
        for item in tasks:
            if item.get("list") != "task":
                self.lists.setdefault(item.get("list", ""), []).append(item)

    def items_of(self, entry: Entry) -> Iterator[Item]:
        """The tasks that an entry adds, changes, or ends with the status `gone`."""
        if entry["what"] == "said":
            yield from self.checklist_said(entry)
        elif entry["what"] == "call":
            yield from self.call_items(entry)

    def call_items(self, call: Entry) -> Iterator[Item]:
        """What a call changes; one that failed, was rejected or waits for its result changes nothing."""
        tool = call["tool"]
        if not call["ok"]:
            return
        if tool == "TodoWrite":
            yield from self.todos(call)
        elif tool == "TaskCreate":
            yield from self.created(call)
        elif tool == "TaskUpdate" and call["output"].startswith("Updated task #"):
            yield from self.updated(call)
        elif tool == "TaskList":
            yield from self.listed(call)
        elif tool == "TaskGet":
            yield from self.shown(call)
        elif tool in CHANGING_TOOLS and is_plan_file(call["path"]):
            yield from self.checklist_in_file(call)
        elif tool in SHELL_TOOLS and "] " in text_of(call["input"], "command"):
            yield from self.checklist_in_body(call)

    # --- numbered tasks ---

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

    # --- lists without numbers ---

    def todos(self, call: Entry) -> Iterator[Item]:
        """TodoWrite's list, which replaces the one before."""
        todos = call["input"].get("todos")
        if isinstance(todos, list):
            rows = [(quote(text_of(todo, "content"), TASK_SUBJECT_MAX_UTF16), text_of(todo, "status"))
                    for todo in todos[:TASKS_MAX] if isinstance(todo, dict)]
            yield from self.replaced("todo", call, rows)

    def checklist_in_file(self, call: Entry) -> Iterator[Item]:
        """The checklist of a plan file that was written, or those of its lines that an edit changed."""
        if call["tool"] == "Write":
            rows = checklist_lines(call["body"])
            is_all = len(rows) < CHECKLIST_MAX and len(call["body"]) <= LISTS_MAX_CHARACTERS
            unticked = len(rows) if is_all and all(status == "pending" for _, status in rows) else 0
            yield from self.replaced(call["path"], call, rows, unticked)
            return
        known, change = self.lists.get(call["path"], []), text_of(call, "change")
        if not known:  # a list that was only read: what is open in it stood nowhere; who did the rest, and when?
            known = [new_item("task", call, text, "assistant", status=status)
                     for text, status in checklist_lines(text_of(call, "boxes_before")) if status != "completed"]
        part = re.fullmatch(PART_OF_A_LINE, change)
        if part and (edited := edited_within(known, part["old"], part["new"])):
            yield from self.replaced(call["path"], call, edited)
        elif rows := checklist_lines(change):
            body = checklist_lines(call["body"])
            changed, texts = rows_put_there(rows, body), [text for text, _ in body]
            statuses = {**{item["text"]: item["status"] for item in known}, **changed}
            gone = {text for text in texts if text not in changed and texts.count(text) == 1}  # else it is there twice
            in_order = with_added([item["text"] for item in known], [*changed], texts)
            yield from self.replaced(call["path"], call, [(text, statuses[text]) for text in in_order
                                                          if text not in gone])

    def checklist_in_body(self, call: Entry) -> Iterator[Item]:
        """The checklist in the body of a pull request or an issue that a command wrote, by the address it printed."""
        address = re.search(ADDRESS_OF_REQUEST, call["output"])
        body = body_of_request(text_of(call["input"], "command")) if address else ""
        if address and body:
            yield from self.replaced(f"the body of {address[1]}", call, checklist_lines(body))

    def checklist_said(self, entry: Entry) -> Iterator[Item]:
        """The checklist in the agent's words, outside of blocks of code; it replaces the one that it said before."""
        text = entry["text"][:LISTS_MAX_CHARACTERS]
        if "] " in text and (rows := checklist_lines("\n".join(lines_outside_fences(text)))):
            yield from self.replaced(LIST_SAID, entry, rows)

    def replaced(self, name: str, entry: Entry, rows: Iterable[tuple[str, str]], unticked: int = 0) -> Iterator[Item]:
        """The list of that name with these rows, text and status; what no longer stands there goes.

        unticked: how many boxes a file has that was written whole, none of them ticked; else 0.
        """
        texts = {text: status if status in STATUSES else "pending" for text, status in rows if text}
        old = {item["text"]: item for item in self.lists.get(name, [])}
        for text in [text for text in old if text not in texts]:
            yield {**old[text], "status": "gone"}
        self.lists[name] = []
        for order, (text, status) in enumerate([*texts.items()][:TASKS_MAX]):
            task = new_item("task", entry, text, "assistant", key="", list=name, order=order, status=status, detail="",
                            after="", owner="", unticked=unticked)
            is_as_before = text in old and old[text]["status"] == status and name != LIST_SAID  # said again is new
            self.lists[name].append({**old[text], "order": order, "unticked": unticked} if is_as_before else
                                    {**task, "first": old.get(text, task)["first"]})
            if not is_as_before or (old[text].get("order"), old[text].get("unticked", 0)) != (order, unticked):
                yield self.lists[name][-1]


def is_plan_file(path: str) -> bool:
    """Whether a text file is called as plans and lists of tasks are."""
    return path.lower().endswith((".md", ".txt")) and bool(re.search(PLAN_FILE, path))


def body_of_request(command: str) -> str:
    """The body that the command writes for a pull request or an issue; empty where it is not certain which that is."""
    _, texts = parted_from_texts(command)
    requests = [piece for piece, _ in pieces_of(command) if re.match(WRITES_REQUEST, piece)]
    given = re.search(BODY_OF_REQUEST, requests[0]) if len(requests) == 1 else None
    if not given:
        return ""
    is_fed = given["body"].startswith('"$(cat')
    if is_fed or texts:
        return texts[0] if is_fed and len(texts) == 1 else ""
    return given["body"][1:-1]


def checklist_lines(text: str) -> list[tuple[str, str]]:
    """Text and status of each `- [ ]` line; of a changed file's lines those that it has now."""
    rows = re.findall(CHECK_LINE, text[:LISTS_MAX_CHARACTERS], re.MULTILINE)
    return [(quote(task, TASK_SUBJECT_MAX_UTF16), CHECK_STATUS.get(mark, "completed"))
            for mark, task in rows[:CHECKLIST_MAX]]


def edited_within(known: Sequence[Item], old: str, new: str) -> list[tuple[str, str]]:
    """Text and status of a file's boxes after an edit within one line of it; none where it was of no box.

    What was replaced is a whole line, or stood there once, or was replaced wherever it stood: "- [ ] Ship" made
    "- [x] Ship" had left "Ship them" open, and put a box "Ship" beside it.
    """
    old, new = (re.sub(BOX_BULLET, "", text) for text in (old, new))
    lines = [f"[{CHECK_MARKS[item['status']]}] {item['text']}" for item in known]
    count = "\n".join(lines).count(old)
    if old in lines:
        edited = [new if line == old else line for line in lines]
    elif count == 1 or len(old) >= PART_MIN_CHARACTERS or old == ANY_OPEN_BOX:
        edited = [line.replace(old, new) for line in lines]
    else:
        return []
    rows = checklist_lines("\n".join(f"- {line}" for line in edited)) if count else []
    return rows if len(rows) == len(known) else []


def rows_put_there(changed: Sequence[tuple[str, str]], body: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Text and status of the boxes that an edit put there: from the first changed one on all in its `body`.

    `changed`: the first of them, a long one cut. By these alone eleven boxes that had been ticked stood as open.
    """
    places = [next((index for index in range(len(body) - 1, -1, -1) if is_same_when_cut(text, body[index][0])), -1)
              for text, _ in changed]
    start = min((place for place in places if place >= 0), default=len(body))
    unseen = [row for row, place in zip(changed, places) if place < 0]
    return dict([*unseen, *body[start:]])


def with_added(known: Sequence[str], added: Sequence[str], body: Sequence[str]) -> list[str]:
    """The texts of a file's boxes in its order; `body`: those that an edit took away, and behind them those put there.

    One that was added stands before its next there, else behind the one before it; where neither is known, last.
    """
    texts, places = [*known], {text: index for index, text in enumerate(body)}
    for step, several in ((1, added[::-1]), (-1, added)):
        for text in several:
            index = places.get(text, len(body)) + step
            if text not in texts and 0 <= index < len(body) and body[index] in texts:
                texts.insert(texts.index(body[index]) + (step < 0), text)
    return [*texts, *(text for text in added if text not in texts)]


def subject_and_owner(text: str, known: Item) -> tuple[str, str]:
    """A listed line's subject and who it is assigned to: without the known subject, brackets may be its own."""
    subject = known.get("text", "")
    owner = text[len(subject) + 2:-1] if subject and text.startswith(f"{subject} (") and text.endswith(")") else ""
    return (subject, cut(owner, OWNER_MAX_UTF16)) if owner else (text, "")


def as_list(value: object) -> list[object]:
    """The value where it is a list."""
    return value if isinstance(value, list) else []
