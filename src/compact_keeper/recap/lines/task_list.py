"""The list of tasks: the client's own tasks, and boxes to be ticked in files and in the agent's words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from itertools import accumulate

from compact_keeper.client.tools import SHELL_TOOLS, SUBAGENT_TOOLS
from compact_keeper.recap.lines.plans import items_since, since_then, typed_since
from compact_keeper.recap.wording.in_summary import tokens_in
from compact_keeper.recap.wording.phrases import folded_line, middle_out, shared_line
from compact_keeper.record.calls.open_tasks import (
    LIST_SAID,
    LISTS_OF_THE_CLIENT,
    boxes_left_behind,
    open_tasks,
    tasks_of_client,
)
from compact_keeper.record.items import is_file_edit, is_typed
from compact_keeper.text.fields import text_of
from compact_keeper.text.length import cut, units
from compact_keeper.text.listing import and_more
from compact_keeper.text.paths import file_name, is_path_named_in, same_file
from compact_keeper.types import Ago, Item, Line

LISTED_TASK_MAX_UTF16, TASK_DETAIL_MAX_UTF16 = 160, 600
TICKED_BOX = "[x"  # in a command that may tick boxes of any file
MARKS = {"completed": "[x]", "in_progress": "[~] in progress:"}  # others are "[ ]"
DONE_TASK_MAX_UTF16, DONE_LINE_MAX_UTF16 = 80, 500
UNTICKED_MAX_UTF16, UNTICKED_LINE_MAX_UTF16 = 90, 700
DONE_TASKS = "done tasks"  # what a line tells
NAMED_WORDS_SHARE = 0.7  # of a done task's words, that the summary has
CHANGING_VERBS = (
    "(?:create|update|delete|remove|add|activate|deactivate|execute|send|publish|deploy|insert|upload|move|rename|merge"
    "|close|write|edit|apply|push)")
# Of an MCP tool: in its name; the kind of an operation, in what it was given.
LOOKING_VERBS = "(?:get|list|search|find|read|fetch|describe)"
NAMED_CHANGE = (
    rf"mcp__.{{1,100}}__(?!(?:\w{{1,20}}_)?{LOOKING_VERBS}(?![a-z]))(?:\w{{0,60}}_)?{CHANGING_VERBS}(?![a-z])")
GIVEN_CHANGE = rf"(?:^|[{{,] ?)\"?(?:action|operation|method|type)\"?: \"?{CHANGING_VERBS}(?![a-z])"


def task_list_lines(items: Sequence[Item], summary: str, ago: Ago, shown: Set[str]) -> Iterator[Line]:
    """How the list stands, then the tasks that are not done in their order, unticked boxes, and those done in short.

    A box that is `shown` above, in a plan, is not shown again. Of a list whose unticked boxes were left behind the
    ticked ones go, too: one had stood there as if it were all (see `old_box_lines`).
    """
    listed = tasks_of_client(items)
    if listed:
        yield from state_lines(listed, items, ago)
    tasks = sorted((item for item in items if item["kind"] == "task"),
                   key=lambda item: (text_of(item, "list"), item.get("order", 0), item["position"]))
    still_open = open_tasks(items)
    not_done = [item for item in tasks if item in still_open]
    made = files_made_since(listed, items) if not_done else {}
    yield from (open_task_line(task, made) for task in not_done if text_of(task, "list") in LISTS_OF_THE_CLIENT)
    boxes = [box for box in not_done if text_of(box, "list") not in LISTS_OF_THE_CLIENT]
    yield from box_lines(boxes, items, shown, ago)
    left_behind = {text_of(box, "list") for box in boxes_left_behind(items)}
    done = [item for item in tasks if item["status"] == "completed" and text_of(item, "list") not in left_behind]
    # Beside a summary it is enough that all is done: under names that it has not, readers called the rest of it noise.
    if summary and listed and all(task in done for task in listed):
        done = [] if len(done) == len(tasks) else [task for task in done if task not in listed]
    yield from done_lines(done, summary)


def old_box_lines(items: Sequence[Item], shown: Set[str], ago: Ago) -> Iterator[Line]:
    """The unticked boxes that do not count as open any more, for where room is left at last.

    They are likely to be done; but six short prompts had hidden a whole plan, in a text of 832 units.
    """
    yield from (shared_line(line["text"]) for line in box_lines(boxes_left_behind(items), items, shown, ago))


def box_lines(boxes: Sequence[Item], items: Sequence[Item], shown: Set[str], ago: Ago) -> Iterator[Line]:
    """The boxes that are not ticked, a line for each file that they stand in; without those that are `shown` above.

    Which they are stands before where they do, as a small budget may cut what stands last. Of a file in which nobody
    ticks them it is only told how many there are: of the first eight of 75 six were done.
    """
    by_file: dict[str, list[Item]] = {}
    for box in boxes:
        by_file.setdefault(text_of(box, "list"), []).append(box)
    for name, of_file in by_file.items():
        others = [box for box in of_file if not any(above.startswith(box["text"]) for above in shown)]
        newest = max(of_file, key=lambda box: box["position"])
        since = since_then(newest, items)
        if others and is_never_ticked(newest, items):
            boxes_of_file = f"{newest['unticked']} boxes" if newest["unticked"] > 1 else "1 box"
            none = f"none ticked on record since it was written {ago(newest['last'])}"
            yield {"items": others, "text": f"- [ ] {boxes_of_file} in {name}, {none}{since}"}
        elif others:
            beside = " beside those above" if len(others) < len(of_file) else ""
            names = [cut(folded_line(box["text"]), UNTICKED_MAX_UTF16) for box in others]
            rooms = accumulate(units(name) + 2 for name in names)
            count = sum(room <= UNTICKED_LINE_MAX_UTF16 for room in rooms)
            words = "; ".join(names[:count]) + and_more(len(names) - count)
            where = "a list that the agent wrote" if name == LIST_SAID else name
            yield {"items": others, "text": f"- [ ] boxes not ticked{beside}: {words} (in {where}){since}"}


def is_never_ticked(box: Item, items: Sequence[Item]) -> bool:
    """Whether a box's file was written whole, and since then neither a message nor a step had to do with it."""
    path = text_of(box, "list")
    since = [item for item in items if item["position"] > box["position"] and (
        item["kind"] == "action" or is_typed(item))]
    return box.get("unticked", 0) > 0 and not any(
        text_of(item, "path") == path or is_path_named_in(path, item["text"]) or TICKED_BOX in item["text"]
        for item in since)


def state_lines(listed: Sequence[Item], items: Sequence[Item], ago: Ago) -> Iterator[Line]:
    """That all of the client's list is done, which summaries told otherwise; else, where work came after it, its age.

    A list with open tasks may not be kept up. A command that came several times is one item, and what only looks is no
    command here: of six calls "4 commands" had stood there as if they were all.
    """
    newest = max(listed, key=lambda item: item["position"])
    if all(item["status"] == "completed" for item in listed):
        count = f"all {len(listed)} tasks" if len(listed) > 1 else "the one task"
        later_words = since_then(newest, items)  # what was asked later is in none of them
        last_change = f"(last change {ago(newest['last'])}){later_words}"
        text = f"- [x] {count} of the client's list ticked off by the agent {last_change}"
        yield {"items": [], "text": text, "what": DONE_TASKS}
        return
    actions = [item for item in items if item["kind"] == "action"]
    edits = sum(item.get("edits", 0) for item in items_since(newest, items))
    commands = sum(action["verdict"] != "not run" and (action["tool"] in SHELL_TOOLS or is_change_by_mcp(action))
                   for action in items_since(newest, actions))
    reports = sum(action["tool"] in SUBAGENT_TOOLS and action["verdict"] == "ended" and action["last"] > newest["last"]
                  for action in actions)
    messages, may_be_more = typed_since(newest["last"], items_since(newest, items))
    counts = (("message", "messages", messages), ("edit", "edits", edits),
              ("command besides looks", "commands besides looks and repeats", commands),
              ("subagent's report", "reports of subagents", reports))
    later = [f"{count} {name if count == 1 else names}" for name, names, count in counts if count]
    if messages and may_be_more:
        later[0] = f"at least {later[0]}"
    if later:
        yield shared_line(f"- (the list's last change {ago(newest['last'])}; since then {', '.join(later)})")


def is_change_by_mcp(item: Item) -> bool:
    """Whether it is a call of an MCP tool that changes something, by its name or by the kind of an operation in it."""
    if item["kind"] != "action" or not item["tool"].startswith("mcp__"):
        return False
    return any(re.search(pattern, text) for pattern, text in
               ((NAMED_CHANGE, item["tool"]), (GIVEN_CHANGE, item["text"])))


def files_made_since(listed: Sequence[Item], items: Sequence[Item]) -> dict[str, str]:
    """By path which files were "written" or "edited" since the client's list was last changed.

    Without files of whose name the session knows others: a task that names `index.ts` may be of one of these.
    """
    newest = max((item["position"] for item in listed), default=0)
    edits = [item for item in items if is_file_edit(item) and item["position"] > newest]
    written = {item["path"] for item in edits if item["tool"] == "Write"}
    known = {text_of(item, "path") for item in items} if edits else set[str]()
    return {path: "written" if path in written else "edited" for path in dict.fromkeys(edit["path"] for edit in edits)
            if all(same_file(path, other) for other in known if file_name(other) == file_name(path))}


def open_task_line(task: Item, made: Mapping[str, str]) -> Line:
    """A task that is not done; where room is left with its details.

    `made`: as `files_made_since` has it. A component had stood as in progress that was written whole.
    """
    mark = MARKS.get(task["status"], "[ ]")
    subject = cut(folded_line(task["text"]), LISTED_TASK_MAX_UTF16)
    owner = f" (owner: {task['owner']})" if task.get("owner") else ""  # in a team another agent's stood as our own
    after = f" (after {task['after']})" if task.get("after") else ""
    named = [path for path in made if file_name(path) in task["text"] and is_path_named_in(path, task["text"])]
    since = "".join(f" ({file_name(path)} was {made[path]} since)" for path in named)
    short = f"- {mark} {number_of_task(task)}{subject}{owner}{after}{since}"
    detail = text_of(task, "detail")
    more = f": {middle_out(detail, TASK_DETAIL_MAX_UTF16)}" if detail and detail != task["text"] else ""
    return {"items": [task], "text": short, "whole": f"{short}{more}"}


def done_lines(done: Sequence[Item], summary: str) -> Iterator[Line]:
    """The done tasks that the summary does not name, on one line, the last ones first; none where it names all."""
    by_words = {folded_line(item["text"]): item for item in done}  # a task of two lists once
    tasks = sorted(by_words.values(), key=lambda item: item["position"])[::-1]
    news = [item for item in tasks if not names_task(item["text"], summary)]
    if news:
        names = [number_of_task(item) + cut(folded_line(item["text"]), DONE_TASK_MAX_UTF16) for item in news]
        which = "" if len(news) == len(tasks) else "; not by these names in the summary"
        text = f"- [x] ticked off as done{which}: {cut('; '.join(names), DONE_LINE_MAX_UTF16)}"
        yield {"items": tasks, "text": text, "what": DONE_TASKS}


def names_task(subject: str, summary: str) -> bool:
    """Whether the summary has the names of a done task, and most of its words, in whatever row.

    By `in_summary`, which wants them in the same rows, a fifth of texts named tasks again that the summary has.
    """
    if not all(token in summary for token in tokens_in(subject)):
        return False
    words = re.findall(r"[^\W\d_]{4,}", subject.casefold())
    text = summary.casefold()
    return bool(summary) and sum(word in text for word in words) >= NAMED_WORDS_SHARE * len(words)


def number_of_task(item: Item) -> str:
    """The number that the client gave the task, with a space; empty without one."""
    return f"{item['key']} " if text_of(item, "key").startswith("#") else ""
