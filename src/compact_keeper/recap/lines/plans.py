"""The task as it was given: a plan, a team lead's words, a long order, a ticket; how old it is, what is done of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from compact_keeper.recap.lines.announcements import is_announcement
from compact_keeper.recap.lines.plan_rows import TASK_ROW_MAX_UTF16, labels_of_steps, rows_of, task_in_short
from compact_keeper.recap.lines.said_sentences import sentences_of
from compact_keeper.recap.lines.typed_words import how_command_failed
from compact_keeper.recap.lines.wanted_parts import ask_for_part, asking_words
from compact_keeper.recap.wording.phrases import ends_with_question, folded_line
from compact_keeper.record.calls.open_tasks import (
    LATER_MESSAGES,
    SAME_ORDER_MAX_CHARACTERS,
    messages_in,
    tasks_of_client,
)
from compact_keeper.record.git.marked_events import commits_made_since
from compact_keeper.record.items import ORDER_MIN_CHARACTERS, is_typed
from compact_keeper.record.words.pasted import is_document
from compact_keeper.text.ends import end_on_a_line
from compact_keeper.text.fields import text_of
from compact_keeper.text.kind_words import count_shown
from compact_keeper.text.length import cut, units
from compact_keeper.text.listing import first_and_more
from compact_keeper.text.marks import in_quotes
from compact_keeper.text.paths import file_name
from compact_keeper.types import Ago, Item, Line, TaskKnown

GIVEN_TASK_MAX_UTF16, OLD_TASK_MAX_UTF16 = 2_800, 900  # the second: where all is done
FULLER_TASK_UTF16 = (2_800, 4_000, 5_500, 7_000, 9_000)  # where room is left when all other lines have theirs
WHOLE_TASK_MAX_UTF16, WHOLE_OLD_TASK_MAX_UTF16, TASK_TITLE_MAX_UTF16 = 4_000, 1_800, 240
STEP_OF_PLAN = r"(?i)\b(?:plan|phase|step|fase|schritt|étape|etapa|paso|passo|task|continue|weiter|resume)\b"
LABEL_OF_STEP = r"\b[A-Za-z]{1,12}[-.]?\d{1,3}[a-z]?\b"  # "dev2", "M3", "stage-1b"
TICKS, TICKED_WHEN_GIVEN = ("✅", "☑", "✔", "[x]"), " (the ticks in it were there when it was given)"
STEPS = ("said", "action", "look", "refusal", "answer", "message")  # kinds of items that are what was said and done
BROKEN_OFF, ENDED_WITH_MAX_UTF16 = ("interrupt", "rejection", "queue"), 120
COMMITS_NAMED, TICKETS_SHOWN, ORDERS_SHOWN = 3, 4, 2
TYPED_ORDER_MIN_CHARACTERS, TYPED_ORDER_MIN_LINES = 1_500, 8  # of a typed message that is shown as a task is
TICKET_MAX_UTF16, WHOLE_TICKET_MAX_UTF16 = 700, 1_500
UNTICKED_BOX = "- [ ] "
ROOM_FOR_TAG_UTF16 = 7  # behind a title, and for the line's end
TICKET_NUMBER = r"(?:issue view |issues/|#)(\d{1,6})\b|\b([A-Z][A-Z0-9]{1,9}-\d{1,6})\b"


def plan_lines(items: Sequence[Item], ago: Ago, summary: str, most: int, last_words: str) -> Iterator[Line]:
    """The tasks: a plan handed over or approved, a team lead's words, long orders that were typed, tickets looked up.

    A plan that was gone on from is told by its title and its commits; an order that was, not at all: it stands among
    the person's words. `most`: UTF-16 units of a short form; `last_words`: the agent's.
    """
    known: TaskKnown = {"summary": summary, "asking": asking_words(items, last_words)}
    messages = [item for item in items if item["kind"] == "message"]
    plans = [item for item in items if (item["kind"] == "plan" and item["status"] == "approved")
             or (item["kind"] == "message" and item.get("via") == "plan")]
    leads = [item for item in messages if item.get("via") == "teammate" and "lead" in text_of(item, "sender")]
    # The newest message stands where it ended, whatever it is.
    orders = [item for item in [*filter(is_typed, messages)][:-1] if is_long_order(item)]
    tickets = {item["ticket"].partition("\n")[0]: item for item in items if item.get("ticket")}
    for plan in plans[-1:]:
        how = "handed over" if plan["kind"] == "message" else "approved"
        where = f" (in {plan['path']})" if plan.get("path") else ""
        stopped = ", then interrupted before any step" if is_stopped_at_once(plan, items) else ""
        title = f"A plan, {how} {ago(plan['last'])}{stopped}{where}"
        commits = commits_before_another_order(plan, items)
        is_past = commits or is_gone_on_from(plan, items)
        yield past_plan(title, plan, commits) if is_past else given_task(title, plan, items, known, most)
    for lead in leads[-2:][::-1]:
        yield given_task(f"From {lead['sender']} ({ago(lead['last'])})", lead, items, known, most)
    for order in orders[-ORDERS_SHOWN:][::-1]:
        if is_gone_on_from(order, items) or is_ticked_off(order, items):
            break  # and so are those before it
        title = f"An order, typed {ago(order.get('typed_at') or order['last'])}{how_command_failed(order)}"
        yield given_task(title, order, items, known, most)
    for ticket in [*tickets.values()][-TICKETS_SHOWN:][::-1]:
        yield ticket_line(ticket, items, ago, summary)


def is_stopped_at_once(plan: Item, items: Sequence[Item]) -> bool:
    """Whether the person interrupted right after a plan was approved, before any call.

    Of older calls than the plan's at least a look must be kept: then none behind it had to go. What came three times or
    more may have come between, too.
    """
    since = items_since(plan, items)
    words = next(filter(is_typed, since), None)
    if plan["kind"] != "plan" or not words or words.get("via") != "interrupt":
        return False
    calls = [item for item in since if item["kind"] in ("action", "look", "task", "refusal", "answer")]
    are_all_kept = any(item["kind"] == "look" and item["position"] < plan["position"] for item in items)
    return are_all_kept and not any(
        item["position"] < words["position"]
        or (item["first"] < words["last"] and (item["uses"] > 2 or item["first"] > plan["last"])) for item in calls)


def items_since(item: Item, items: Sequence[Item]) -> list[Item]:
    """The items that came after this one in the session."""
    return [other for other in items if other["position"] > item["position"]]


def task_title(text: str) -> str:
    """The first line of a task's text, without the marks of a heading."""
    return cut(text.strip().partition("\n")[0].lstrip("# "), TASK_TITLE_MAX_UTF16)


def past_plan(title: str, plan: Item, commits: Sequence[Item]) -> Line:
    """A plan that was gone on from: its first line, and its commits where there are any."""
    done = first_and_more([*map(commit_in_words, commits)], COMMITS_NAMED)
    committed = f". Committed since: {done}" if commits else ""
    first = in_quotes(task_title(plan["text"]))
    return {"items": [plan], "text": f"{title}: {first}{committed}; the user gave other orders since"}


def is_gone_on_from(task: Item, items: Sequence[Item]) -> bool:
    """Whether the person gave another order after a task whose turn had ended: it is carried out, or overtaken.

    It had ended where the agent's words before that order ask nothing and nothing was done behind them. No task is gone
    on from while tasks of its time are open, or where a part of it is asked for by its label since. Such orders had
    stood as if they were open: two thirds of what was shown of orders misled, said readers of whole sessions.
    """
    since = items_since(task, items)
    steps = [item for item in since if item["kind"] in STEPS]
    others = [item for before, item in zip(steps, steps[1:])
              if closing_words(before) and not ends_with_question(before["text"]) and is_another_order(item)]
    if not others:
        return False
    newest = others[-1]
    asked_then = [item["text"] for item in since if is_typed(item) and item["position"] >= newest["position"]]
    is_left_open = any(other["status"] != "completed" and other["first"] < newest["first"]
                       for other in tasks_of_client(items))
    return not is_left_open and not ask_for_part(rows_of(task["text"]), asked_then)


def is_ticked_off(order: Item, items: Sequence[Item]) -> bool:
    """Whether all of the client's list is done that was begun in an order's turn, and several messages came behind it.

    None of these asks for a part of it. What had been carried out, committed and pushed hours before stood as the task.
    """
    tasks = tasks_of_client(items)
    later = [item for item in items_since(order, items) if is_typed(item) and item.get("via") == "prompt"]
    if not tasks or not later or any(task["status"] != "completed" for task in tasks):
        return False
    since = items_since(max(tasks, key=lambda task: task["position"]), items)
    is_of_its_turn = order["last"] <= min(task["first"] for task in tasks) <= later[0]["last"]
    is_past = is_of_its_turn and messages_in(since) >= LATER_MESSAGES
    return is_past and not ask_for_part(rows_of(order["text"]), [item["text"] for item in later])


def is_another_order(item: Item) -> bool:
    """Whether a message is long, began a turn, answers nothing by its signs, and begins with no step of a task."""
    if not is_typed(item) or item.get("via") != "prompt" or item.get("options") or item.get("picks"):
        return False
    words = text_of(item, "own") or item["text"]
    is_long = len(words) >= ORDER_MIN_CHARACTERS
    return is_long and re.search(STEP_OF_PLAN, words[:SAME_ORDER_MAX_CHARACTERS]) is None


def is_long_order(item: Item) -> bool:
    """Whether it is a message of many lines that was typed or pasted as an order, without a program's output in it."""
    return (is_typed(item) and not item.get("own")
            and len(item["text"]) >= TYPED_ORDER_MIN_CHARACTERS and item["text"].count("\n") >= TYPED_ORDER_MIN_LINES
            and is_document(item["text"]))


def since_then(item: Item, items: Sequence[Item]) -> str:
    """How many messages were typed after the task, and how many commits were seen to be made; empty for none."""
    actions = [other for other in items if other["kind"] == "action"]
    counted = {"message": typed_since(item["last"], items_since(item, items)),
               "commit": commits_made_since(actions, item["position"])}
    counts = [f"{'at least ' if may_be_more else ''}{count_shown(count, noun)}"
              for noun, (count, may_be_more) in counted.items() if count]
    return f" (since then {', '.join(counts)})" if counts else ""


def typed_since(moment_before: str, since: Sequence[Item]) -> tuple[int, bool]:
    """How many messages were typed since that moment, and whether there may be more.

    What was typed again is one item, which does not say how often where its end was another: three pasted errors that
    began alike had counted as one.
    """
    messages = [item for item in since if is_typed(item)]
    count = sum(item["uses"] if item["first"] > moment_before else 1 for item in messages)
    return count, any(item["first"] != item["last"] for item in messages)


def end_of_turn(since: Sequence[Item]) -> str:
    """How the agent ended the turn of a task: the end of its last words before the next message that was typed.

    `since`: what came after the task. Empty where the turn was broken off, or goes on. Two orders had stood as if they
    were open that had been answered in full, point by point.
    """
    steps = [item for item in since if item["kind"] in STEPS]
    index = next((index for index, item in enumerate(steps) if is_typed(item)), 0)
    if not index:  # nothing was typed since, or at once
        return ""
    last, message = steps[index - 1], steps[index]
    closing = "" if message.get("via") in BROKEN_OFF else closing_words(last)
    return f" (its turn ended with {in_quotes(end_on_a_line(closing, ENDED_WITH_MAX_UTF16))})" if closing else ""


def closing_words(last: Item) -> str:
    """The words of a turn's last step, without marks; empty where it is none of words, or they only announce something.

    The turn was broken off behind these.
    """
    sentences = sentences_of(last["text"]) if last["kind"] == "said" else []
    texts = [sentence["text"].replace("**", "").strip("#*- ") for sentence in sentences]
    worded = [text for text in texts if re.search(r"\w", text)]
    return "" if not worded or is_announcement(worded[-1]) else " ".join(worded)


def ticket_line(item: Item, items: Sequence[Item], ago: Ago, summary: str) -> Line:
    """A ticket that was shown, by the rows that bind; of one that a later commit names its title alone."""
    what = f"A ticket, shown {ago(item['last'])} ({cut(folded_line(item['text']), 80)})"
    since = items_since(item, items)
    number = re.search(TICKET_NUMBER, item["text"])  # "#12", or a tracker's "ABC-12"
    commits: list[Item] = []
    if number:
        called = f"#{number[1]}" if number[1] else number[2]
        commits = [later for later in since if later.get("commit")
                   and re.search(rf"(?<!\w){re.escape(called)}(?!\w)", text_of(later, "subject"))]
    if commits or messages_in(since) >= LATER_MESSAGES:
        done = f". Committed since: {commit_in_words(commits[-1])}" if commits else ""
        return {"items": [item], "text": f"{what}: {in_quotes(task_title(item['ticket']))}{done}"}
    forms = task_in_short(item["ticket"], (TICKET_MAX_UTF16, WHOLE_TICKET_MAX_UTF16), {"summary": summary})
    return task_line(f"{what}:", item, forms)


def commits_before_another_order(plan: Item, items: Sequence[Item]) -> list[Item]:
    """What was committed after a plan, where the person then gave another order; else none.

    No other order is a few words, or what names a step, unless all tasks are done and several followed. Nor is a plan
    done while tasks that are older than the order are open, or where the person asked since for a step by its label:
    "ok now do dev2" came after talk about how the commit before it was to look.
    """
    since = items_since(plan, items)
    commits = [item for item in since if item.get("commit")]
    later = [item for item in items_since(commits[0], since) if is_typed(item)] if commits else []
    labels = {*re.findall(LABEL_OF_STEP, plan["text"])}
    if any(labels.intersection(re.findall(LABEL_OF_STEP, item["text"])) for item in later):
        return []
    orders = [item for item in later if len(item["text"]) > SAME_ORDER_MAX_CHARACTERS
              and not re.search(STEP_OF_PLAN, item["text"])]
    tasks = tasks_of_client(items)
    open_since = [task["first"] for task in tasks if task["status"] != "completed"]
    if not orders and tasks and not open_since:
        orders = later[LATER_MESSAGES - 1:]
    if not orders or any(begun < orders[0]["first"] for begun in open_since):
        return []
    return [item for item in commits if item["position"] < orders[0]["position"]]


def commit_in_words(commit: Item) -> str:
    """A commit's hash and subject."""
    subject = text_of(commit, "subject")
    return f"{commit['commit']} {in_quotes(cut(subject, 90))}" if subject else commit["commit"]


def given_task(title: str, item: Item, items: Sequence[Item], known: TaskKnown, most: int) -> Line:
    """A task in short, and longer where room is left; less of one that is done or old.

    Its title says how much came since: an order of before may be done, and only the reader can tell.
    """
    ticked = TICKED_WHEN_GIVEN if any(mark in item["text"] for mark in TICKS) else ""
    since = items_since(item, items)
    title = f"{title}{since_then(item, items)}{end_of_turn(since)}{ticked}:"
    listed = tasks_of_client(items)
    done = {task["text"] for task in listed if task["status"] == "completed"}
    is_done = bool(listed) and len(done) == len(listed)
    labels = set[str]() if is_done else labels_of_steps(done)  # of what is done whole each part is as good
    edited = {file_name(text_of(other, "path")) for other in since if other.get("edits")}
    short, whole = GIVEN_TASK_MAX_UTF16, WHOLE_TASK_MAX_UTF16
    if is_done or messages_in(since) >= LATER_MESSAGES or any(map(is_long_order, since)):
        short, whole = OLD_TASK_MAX_UTF16, WHOLE_OLD_TASK_MAX_UTF16
    most = max(most - units(title) - ROOM_FOR_TAG_UTF16, TASK_ROW_MAX_UTF16)
    limits = [min(short, most), whole, *FULLER_TASK_UTF16]
    if is_stopped_at_once(item, items) and not edited:  # it may be given up
        limits = [min(OLD_TASK_MAX_UTF16, most)] * 2
    of_task: TaskKnown = {**known, "done": labels, "edited": edited, "is_typed": is_typed(item)}
    forms = task_in_short(item["text"], limits, of_task)
    return task_line(title, item, forms)


def task_line(title: str, item: Item, forms: Sequence[Sequence[str]]) -> Line:
    """A task's line of its rows in each form, the shortest first, with the boxes that are unticked in that."""
    shortest = [row.strip() for row in forms[0]]
    boxes = {row.removeprefix(UNTICKED_BOX) for row in shortest if row.startswith(UNTICKED_BOX)}
    shown, longer, *fuller = ("\n".join([title, *(f"> {row}" for row in rows)]) for rows in forms)
    return {"items": [item], "text": shown, "whole": longer, "fuller": fuller, "boxes": boxes}
