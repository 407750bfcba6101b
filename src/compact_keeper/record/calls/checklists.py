"""Lists of tasks without numbers, each known by its name.

TodoWrite                        -> the whole list each time
`- [ ]` in plan files and words  -> a list by its file
... in a pull request's body     -> a list by its address
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from compact_keeper.client.tools import CHANGING_TOOLS, SHELL_TOOLS
from compact_keeper.record.calls.numbered_tasks import STATUSES, TASK_SUBJECT_MAX_UTF16, TASKS_MAX
from compact_keeper.record.calls.open_tasks import LIST_SAID
from compact_keeper.record.commands.shell import QUOTED_TEXT, parted_from_texts, pieces_of
from compact_keeper.record.items import new_item
from compact_keeper.text.fences import lines_outside_fences
from compact_keeper.text.fields import text_of
from compact_keeper.text.length import is_same_when_cut
from compact_keeper.text.quotation import quote
from compact_keeper.types import Entry, Item

CHECKLIST_MAX = 100  # of one file or message
LISTS_MAX_CHARACTERS = 40_000  # of a file or message that is looked through
PLAN_FILE = r"(?i)(?:/plans?/[^/]*|(?:plan|todos?|tasks?|checklist|roadmap|progress)[^/]*)\.(?:md|txt)$"
CHECK_LINE = r"^(?:\+ ?)?[ \t]{0,20}(?:[-*+]|\d{1,3}[.)]) \[([ xX~])\] (\S.{0,1000})"
PART_OF_A_LINE = r"- (?P<old>.{1,300})\n\+ (?P<new>.{1,300})"  # an edit within lines
PART_MIN_CHARACTERS, ANY_OPEN_BOX = 4, "[ ]"  # of what is replaced wherever it stands; it may have lost spaces
BOX_BULLET = r"^(?:[-*+]|\d{1,3}[.)]) (?=\[)"
WRITES_REQUEST = r"(?:gh (?:pr|issue) (?:create|new|edit)|glab (?:mr|issue) (?:create|new|update))\b"
BODY_OF_REQUEST = rf"(?s)(?<=\s)(?:--body|-b|--description|-d)[ =](?P<body>{QUOTED_TEXT})"
ADDRESS_OF_REQUEST = r"https?://\S{1,200}/((?:pull|issues|merge_requests)/\d{1,9})\b"
CHECK_STATUS = {" ": "pending", "~": "in_progress"}
CHECK_MARKS = {"pending": " ", "in_progress": "~", "completed": "x"}


class Checklists:
    """The lists as they stand; each entry gives the tasks that it adds or changes, whole."""

    def __init__(self, known: Sequence[Item]) -> None:
        """Goes on from the items of earlier saves."""
        self.lists: dict[str, list[Item]] = {}  # by name
        for item in known:
            if item["kind"] == "task" and item.get("list") != "task":
                self.lists.setdefault(item.get("list", ""), []).append(item)

    def items_of(self, entry: Entry) -> Iterator[Item]:
        """The tasks that an entry adds, changes, or ends with the status `gone`.

        A call that failed, was rejected or waits for its result changes nothing.
        """
        if entry["what"] == "said":
            yield from self.checklist_said(entry)
        if entry["what"] != "call" or not entry["ok"]:
            return
        if entry["tool"] == "TodoWrite":
            yield from self.todos(entry)
        elif entry["tool"] in CHANGING_TOOLS and is_plan_file(entry["path"]):
            yield from self.checklist_in_file(entry)
        elif entry["tool"] in SHELL_TOOLS and "] " in text_of(entry["input"], "command"):
            yield from self.checklist_in_body(entry)

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
