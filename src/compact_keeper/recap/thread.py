"""The person's words as lines of the recap: pins, standing rules, the task as it was given, the thread."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from compact_keeper.recap.wording import folded_line, shortened_words, without_known_lines
from compact_keeper.text.fields import text_of
from compact_keeper.text.length import MIDDLE_GONE, behind_space, cut, units
from compact_keeper.text.marks import in_quotes
from compact_keeper.types import Item, Line

RECENT_MESSAGES, OLD_WORDS_MAX_UTF16, OPTION_SHOWN_UTF16 = 6, 200, 90  # the first: of those that are understood alone
LINE_ANSWERED_UTF16 = 120  # of a question that a message answers by its number
QUOTED_WORDS_MAX_UTF16, ANSWERED_SHOWN_UTF16, ANSWERED_BY_NEWEST_UTF16 = 450, 220, 400
GIVEN_TASK_MAX_UTF16, OLD_TASK_MAX_UTF16, TASK_LINE_MAX_UTF16, WHOLE_TASK_MAX_UTF16 = 2_600, 600, 240, 4_000
ENDS_WITH = (  # what the headings of those parts of a task name that say when it is done, and what it must not do
    r"(?i)^#{1,6} .*\b(?:verif\w+|test(?:s|ing)?|accept\w+|criteria|done|success|constraints?|rules|requirements"
    r"|non-?goals|out of scope|important|notes?|open questions?|decisions?)\b")
BINDING = r"(?i)\b(?:only|do(?:es)? not|don'?t|must|never|keep|without|no|not|required?|exactly|always)\b"
LATER_MESSAGES_MAX = 3  # typed after a task; with so many it is mostly done
ORDER_MIN_CHARACTERS = 250
RECENT_ANSWERS, QUESTION_SHOWN_UTF16, OLD_QUESTION_SHOWN_UTF16 = 4, 220, 130  # of dialogs
FEW_WORDS = 3
POINTS_BACK = (r"(?i)\b(?:yes|yeah|yep|no|nope|ok|okay|sure|right|correct|it|its|this|that|these|those|them|they|there"
               r"|one|ones|both|all|none|same|first|second|last|other|option|former|latter|\d{1,2}|[b-h])\b")
ENGLISH = r"(?i)\b(?:the|we|you|need|please|is|are|my|and|to)\b"  # of others it is not known which words point back
UNDERSTOOD_ALONE_CHARACTERS = 60  # a longer message is mostly understood without what it answers
VIA = {"rejection": "when rejecting a tool call", "interrupt": "after interrupting", "queue": "while the agent worked",
       "compact": "behind /compact"}
REFUSED_QUESTION = "the question: "  # of a refusal: the dialog was closed
Ago = Callable[[str], str]


def pin_lines(items: Sequence[Item]) -> Iterator[Line]:
    """The person's pins, word for word; later lines of one are indented."""
    for item in items:
        if item["kind"] == "pin":
            text = "\n  ".join(item["text"].splitlines())
            yield {"items": [item], "text": f"- {in_quotes(text)}"}


def rule_lines(items: Sequence[Item], ago: Ago) -> Iterator[Line]:
    """The standing rules, the newest first."""
    for item in reversed(items):
        if item["kind"] == "rule":
            how = f"typed {VIA[item['via']]}" if item.get("via") in VIA else "typed"
            yield {"items": [item], "text": f"- {in_quotes(folded_line(item['text']))} ({how} {ago(item['first'])})"}


def task_lines(items: Sequence[Item], ago: Ago, summary: str = "") -> Iterator[Line]:
    """The task where it came in another form than typing: a plan handed over or approved, a team lead's words.

    One that the person has gone on from, in several messages, stands there in short. What the summary holds line for
    line is left out.
    """
    plans = [item for item in items if (item["kind"] == "plan" and item["status"] == "approved")
             or (item["kind"] == "message" and item.get("via") == "plan")]
    leads = [item for item in items if item["kind"] == "message" and item.get("via") == "teammate"
             and "lead" in text_of(item, "sender")]
    for item in plans[-1:]:
        how = "handed over" if item["kind"] == "message" else "approved"
        where = f" (in {item['path']})" if item.get("path") else ""
        since = [later for later in items if later["position"] > item["position"]]
        if any(later.get("commit") for later in since) and messages_in(since) >= LATER_MESSAGES_MAX:
            title = cut(item["text"].strip().partition("\n")[0].lstrip("# "), TASK_LINE_MAX_UTF16)
            yield {"items": [item], "text": f"A plan, {how} {ago(item['last'])}{where}, since then committed on and "
                                            f"gone on from: {in_quotes(title)}"}
            continue
        title = f"A plan, {how} {ago(item['last'])}{where}:"
        yield given_task(title, item, items, summary)
    for item in leads[-2:][::-1]:
        yield given_task(f"From {item['sender']} ({ago(item['last'])}):", item, items, summary)


def given_task(title: str, item: Item, items: Sequence[Item], summary: str) -> Line:
    """A task in short, and longer where room is left."""
    short, whole = (task_in_short(item["text"], room, summary)
                    for room in (room_for_task(item, items), WHOLE_TASK_MAX_UTF16))
    return {"items": [item], "text": f"{title}\n{short}", "whole": f"{title}\n{whole}"}


def room_for_task(task: Item, items: Sequence[Item]) -> int:
    """UTF-16 units for a task's words: fewer where the person typed several messages after it."""
    later = messages_in([item for item in items if item["position"] > task["position"]])
    return GIVEN_TASK_MAX_UTF16 if later < LATER_MESSAGES_MAX else OLD_TASK_MAX_UTF16


def messages_in(items: Sequence[Item]) -> int:
    """How many messages were typed."""
    return sum(item["kind"] == "message" and item.get("via") != "teammate" for item in items)


def task_in_short(text: str, limit: int, summary: str = "") -> str:
    """A task's text; of a long one what fits of its beginning, of the rest the headings, then the lines that bind.

    Those are the parts that say how it is checked and what it must not do, and single lines of others.
    """
    is_whole = MIDDLE_GONE not in text and not text.endswith("…")
    rows = [line.rstrip() for line in text.splitlines() if re.search(r"\w", line) and line != MIDDLE_GONE]
    lines = without_known_lines(rows, summary)
    if units("\n".join(lines)) <= limit:
        return "\n".join(f"> {line}" for line in lines)
    begin = lines_within(lines, limit * 2 // 5)
    while begin and re.match(r"#|\W{0,4}$", begin[-1]):  # a heading with nothing below it
        begin.pop()
    rest = lines[len(begin):]
    ends = lines_within(parts_that_bind(rest), limit * 3 // 10)
    others = [line for line in rest if re.search(BINDING, line) and not line.startswith("#") and line not in ends]
    chosen = {*ends, *lines_within(others, limit // 5)}
    headings = "; ".join(line.lstrip("# ") for line in rest if re.match(r"#{1,4} ", line))
    beyond = "" if is_whole else " and what lies beyond the record"
    more = f"[…] {len(rest)} lines more{beyond}" + (f", under: {cut(headings, limit // 5)}" if headings else "")
    if chosen:
        more += "; of these:"
    return "\n".join(f"> {cut(line, TASK_LINE_MAX_UTF16)}"
                     for line in [*begin, more, *(line for line in rest if line in chosen)])


def parts_that_bind(lines: Sequence[str]) -> list[str]:
    """The parts whose headings say that they tell how the task is checked or what it must not do."""
    kept, level = list[str](), 0
    for line in lines:
        heading = re.match(r"(#{1,6}) ", line)
        if heading and level and len(heading[1]) <= level:
            level = 0
        if heading and not level and re.match(ENDS_WITH, line):
            level = len(heading[1])
        if level:
            kept.append(line)
    return kept


def lines_within(lines: Sequence[str], room: int) -> list[str]:
    """The first of the lines that fit, each shortened to what is shown of one."""
    kept = list[str]()
    for line in lines:
        room -= units(cut(line, TASK_LINE_MAX_UTF16)) + 3
        if room < 0:
            break
        kept.append(line)
    return kept


def message_lines(items: Sequence[Item], ago: Ago, newest_max: int, with_answered: bool) -> Iterator[Line]:
    """What the person typed, chose and refused, the newest first, each with what it answers.

    What the newest one answers is left out where the agent's last words, which stand behind it, are that.
    The newest message is shortened to `newest_max` UTF-16 units, the newest long one to two thirds of it: it mostly is
    the order that the short ones behind it are about. A message that is a rule and nothing else, not a choice either,
    stands among the rules.
    """
    rules = {folded_line(item["text"]) for item in items if item["kind"] == "rule"}
    newest, has_order, count, answered = True, False, 0, 0
    is_settled = False  # whether something was typed or chosen later
    for item in reversed(items):
        if item["kind"] == "message" and item.get("via") not in ("plan", "teammate"):
            is_order = not has_order and len(item["text"]) >= ORDER_MIN_CHARACTERS
            is_more = newest or item.get("refused") or item.get("picks")
            if is_more or folded_line(item["text"]) not in rules:
                is_old = count >= RECENT_MESSAGES
                order_max = max(newest_max * 2 // 3, OLD_WORDS_MAX_UTF16)
                words_max = newest_max if newest else order_max if is_order else (
                    OLD_WORDS_MAX_UTF16 if is_old else QUOTED_WORDS_MAX_UTF16)
                shown: Item = {**item, "answers": ""} if is_old or (newest and not with_answered) else item
                yield {**message_line(shown, ago, words_max, newest), "items": [item]}
                count += len(item["text"]) > UNDERSTOOD_ALONE_CHARACTERS
            newest, has_order, is_settled = False, has_order or is_order, True
        elif item["kind"] == "answer":
            answered += 1
            yield answer_line(item, ago, answered > RECENT_ANSWERS)
            is_settled = True
        elif item["kind"] == "refusal" and not (is_settled and item["text"].startswith(REFUSED_QUESTION)):
            yield {"items": [item], "text": f"- ({ago(item['last'])}) Rejected without words: {cut(item['text'], 200)}"}


def answer_line(item: Item, ago: Ago, is_old: bool = False) -> Line:
    """What was chosen in a dialog, with the options passed over; what the chosen one means where room is left.

    An option is its label and what it means; the answer names several options, or has notes behind them. An old one
    stays short: a row of dialogs had filled the section, most of them overtaken by the last.
    """
    asked_max = OLD_QUESTION_SHOWN_UTF16 if is_old else QUESTION_SHOWN_UTF16
    question, chosen = in_quotes(cut(item["question"], asked_max)), folded_line(item["text"])
    others = [option for option in item.get("options", [])
              if option.partition(": ")[0] not in chosen and not option.startswith(chosen)]
    head, tail = f"- ({ago(item['last'])}) In a dialog: {question} → chose ", passed_over(others)
    means = (option for option in item.get("options", []) if option.startswith(f"{chosen}: "))
    whole = chosen if is_old else next(means, chosen)
    return {"items": [item], "text": f"{head}{in_quotes(chosen)}{tail}", "whole": f"{head}{in_quotes(whole)}{tail}"}


def passed_over(options: Sequence[str]) -> str:
    """The options that were not taken, each its label or beginning; empty when there are none."""
    labels = [in_quotes(cut(option.partition(": ")[0], OPTION_SHOWN_UTF16)) for option in options]
    return f"; not {', '.join(labels)}" if labels else ""


def message_line(item: Item, ago: Ago, words_max: int, is_newest: bool, known: str = "") -> Line:
    """A typed message as a line, with at most so many UTF-16 units of its words, and whole.

    `known` says where its words stand besides: it is not made longer then.
    """
    when = ago(item["last"])
    how = f", {VIA[item['via']]}" if item.get("via") in VIA else ""
    refused = f" Rejected: {item['refused']}." if item.get("refused") else ""
    count = f", typed {item['uses']} times" if item.get("uses", 1) > 1 else ""
    head, tail = f"- ({when}{how}{count}) ", f"{known}{refused}{what_it_answers(item, is_newest)}"
    words = item["text"] if is_newest else text_of(item, "own") or item["text"]
    shown = shortened_words(words, words_max)
    whole = shown if known else in_quotes(folded_line(item["text"]))
    return {"items": [item], "text": f"{head}{shown}{tail}", "whole": f"{head}{whole}{tail}"}


def is_understood_with_more(words: str) -> bool:
    """Whether short words may hang on what they answer: a few of them, ones that point back, or in other languages."""
    is_short = len(words) <= UNDERSTOOD_ALONE_CHARACTERS
    is_full = len(words.split()) > FEW_WORDS and re.search(ENGLISH, words) and not re.search(POINTS_BACK, words)
    return is_short and not is_full


def what_it_answers(item: Item, is_newest: bool) -> str:
    """What stands behind a message that is not understood alone: the line that it picks, or the words before it.

    Behind the newest one more of these words, also where it is longer: the next step hangs on it.
    """
    if item.get("picks"):
        others = passed_over([option for option in item.get("options", []) if option != item["picks"]])
        return f" (picks the agent's line {in_quotes(cut(item['picks'], ANSWERED_SHOWN_UTF16))}{others})"
    if item.get("options"):
        return f" (to the agent's {', '.join(in_quotes(cut(line, LINE_ANSWERED_UTF16)) for line in item['options'])})"
    answers = text_of(item, "answers")
    is_aside = item.get("via") == "queue"  # typed while the agent worked: it answers nothing that was said
    if not answers or is_aside or not (is_newest or is_understood_with_more(item["text"])):
        return ""
    limit = ANSWERED_BY_NEWEST_UTF16 if is_newest else ANSWERED_SHOWN_UTF16
    end = folded_line(answers)
    if units(end) > limit:
        end = "…" + behind_space(end[-limit:])
    return f" (after the agent's {in_quotes(end)})"
