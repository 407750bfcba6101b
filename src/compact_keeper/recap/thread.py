"""The person's words as lines of the recap: pins, standing rules, the task as it was given, the thread."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from compact_keeper.recap.wording import folded_line, shortened_words
from compact_keeper.text.fields import text_of
from compact_keeper.text.length import behind_space, cut, units
from compact_keeper.text.marks import in_quotes
from compact_keeper.types import Line, Record

QUOTED_WORDS_MAX_UTF16, ANSWERED_SHOWN_UTF16, ANSWERED_BY_NEWEST_UTF16 = 450, 220, 400
GIVEN_TASK_MAX_UTF16, OLD_TASK_MAX_UTF16, TASK_LINE_MAX_UTF16 = 1_500, 600, 240
LATER_MESSAGES_MAX = 3  # typed after a task; with so many it is mostly done
BINDING = r"(?i)\b(?:only|do(?:es)? not|don'?t|must|never|keep|without|no|not|required?|exactly|always)\b"
ORDER_MIN_CHARACTERS = 250
UNDERSTOOD_ALONE_CHARACTERS = 60  # a longer message is mostly understood without what it answers
VIA = {"rejection": "when rejecting a tool call", "interrupt": "after interrupting", "queue": "while the agent worked",
       "compact": "behind /compact"}
Ago = Callable[[str], str]


def pin_lines(items: Sequence[Record]) -> Iterator[Line]:
    """The person's pins, word for word; later lines of one are indented."""
    for item in items:
        if item["kind"] == "pin":
            text = "\n  ".join(item["text"].splitlines())
            yield {"items": [item], "text": f"- {in_quotes(text)}"}


def rule_lines(items: Sequence[Record], ago: Ago) -> Iterator[Line]:
    """The standing rules, the newest first."""
    for item in reversed(items):
        if item["kind"] == "rule":
            how = f"typed {VIA[item['via']]}" if item.get("via") in VIA else "typed"
            yield {"items": [item], "text": f"- {in_quotes(folded_line(item['text']))} ({how} {ago(item['first'])})"}


def task_lines(items: Sequence[Record], ago: Ago) -> Iterator[Line]:
    """The task where it came in another form than typing: a plan handed over or approved, a team lead's words.

    One that the person has gone on from, in several messages, stands there in short.
    """
    plans = [item for item in items if (item["kind"] == "plan" and item["status"] == "approved")
             or (item["kind"] == "message" and item.get("via") == "plan")]
    leads = [item for item in items if item["kind"] == "message" and item.get("via") == "teammate"
             and "lead" in text_of(item, "sender")]
    for item in plans[-1:]:
        how = "handed over" if item["kind"] == "message" else "approved"
        where = f" (in {item['path']})" if item.get("path") else ""
        text = task_in_short(item["text"], room_for_task(item, items))
        yield {"items": [item], "text": f"A plan, {how} {ago(item['last'])}{where}:\n{text}"}
    for item in leads[-2:][::-1]:
        text = task_in_short(item["text"], room_for_task(item, items))
        yield {"items": [item], "text": f"From {item['sender']} ({ago(item['last'])}):\n{text}"}


def room_for_task(task: Record, items: Sequence[Record]) -> int:
    """UTF-16 units for a task's words: fewer where the person typed several messages after it."""
    later = sum(item["kind"] == "message" and item["position"] > task["position"] for item in items)
    return GIVEN_TASK_MAX_UTF16 if later < LATER_MESSAGES_MAX else OLD_TASK_MAX_UTF16


def task_in_short(text: str, limit: int) -> str:
    """A task's text; of a long one its first lines, then its headings and the lines that bind."""
    lines = [line.rstrip() for line in text.splitlines() if line.strip()]
    if units("\n".join(lines)) <= limit:
        return "\n".join(f"> {line}" for line in lines)
    shown, room = list[str](), limit
    is_left_out = False
    for line in lines:
        is_wanted = room > limit // 2 or line.startswith("#") or re.search(BINDING, line)
        short = cut(line, TASK_LINE_MAX_UTF16)
        if is_wanted and units(short) < room:
            shown += ["> […]"] if is_left_out else []
            shown.append(f"> {short}")
            room -= units(short) + 3
        is_left_out = not is_wanted
    return "\n".join(shown)


def message_lines(items: Sequence[Record], ago: Ago, newest_max: int, with_answered: bool) -> Iterator[Line]:
    """What the person typed, chose and refused, the newest first, each with what it answers.

    What the newest one answers is left out where the agent's last words, which stand behind it, are that.
    The newest message is shortened to `newest_max` UTF-16 units, and so is the newest long one: it mostly is the order
    that the short ones behind it are about. A message that is a rule and nothing
    else stands among the rules.
    """
    rules = {folded_line(item["text"]) for item in items if item["kind"] == "rule"}
    newest, has_order = True, False
    for item in reversed(items):
        if item["kind"] == "message" and item.get("via") not in ("plan", "teammate"):
            is_order = not has_order and len(item["text"]) >= ORDER_MIN_CHARACTERS
            if newest or item.get("refused") or folded_line(item["text"]) not in rules:
                words_max = newest_max if newest or is_order else QUOTED_WORDS_MAX_UTF16
                shown = {**item, "answers": ""} if newest and not with_answered else item
                yield {**message_line(shown, ago, words_max, newest), "items": [item]}
            newest, has_order = False, has_order or is_order
        elif item["kind"] == "answer":
            question, chosen = in_quotes(cut(item["question"], 220)), in_quotes(folded_line(item["text"]))
            yield {"items": [item], "text": f"- ({ago(item['last'])}) In a dialog: {question} → chose {chosen}"}
        elif item["kind"] == "refusal":
            yield {"items": [item], "text": f"- ({ago(item['last'])}) Rejected without words: {cut(item['text'], 200)}"}


def message_line(item: Record, ago: Ago, words_max: int, is_newest: bool) -> Line:
    """A typed message as a line, with at most so many UTF-16 units of its words, and whole."""
    when = ago(item["last"])
    how = f", {VIA[item['via']]}" if item.get("via") in VIA else ""
    refused = f" Rejected: {item['refused']}." if item.get("refused") else ""
    count = f", typed {item['uses']} times" if item.get("uses", 1) > 1 else ""
    head, tail = f"- ({when}{how}{count}) ", f"{refused}{what_it_answers(item, is_newest)}"
    whole = in_quotes(folded_line(item["text"]))
    return {"items": [item], "text": f"{head}{shortened_words(item['text'], words_max)}{tail}",
            "whole": f"{head}{whole}{tail}"}


def what_it_answers(item: Record, is_newest: bool) -> str:
    """What stands behind a message that is not understood alone: the line that it picks, or the words before it.

    Behind the newest one more of these words, also where it is longer: the next step hangs on it.
    """
    if item.get("picks"):
        return f" (picks the agent's line {in_quotes(cut(item['picks'], ANSWERED_SHOWN_UTF16))})"
    answers = text_of(item, "answers")
    is_aside = item.get("via") == "queue"  # typed while the agent worked: it answers nothing that was said
    if not answers or is_aside or (len(item["text"]) > UNDERSTOOD_ALONE_CHARACTERS and not is_newest):
        return ""
    limit = ANSWERED_BY_NEWEST_UTF16 if is_newest else ANSWERED_SHOWN_UTF16
    end = folded_line(answers)
    if units(end) > limit:
        end = "…" + behind_space(end[-limit:])
    return f" (answers the agent's {in_quotes(end)})"
