"""What the person typed as lines: messages, the newest first."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from compact_keeper.client.wordless import is_wordless
from compact_keeper.recap.lines.answered_words import (
    ERROR_SHOWN_UTF16,
    UNDERSTOOD_ALONE_CHARACTERS,
    rejection_shown,
    what_it_answers,
)
from compact_keeper.recap.lines.dialog_answers import answer_line
from compact_keeper.recap.lines.offered_ways import ways_offered
from compact_keeper.recap.lines.rejections import REJECTED_WITH_WORDS_SECONDS, ran_later, rejected_line
from compact_keeper.recap.wording.phrases import (
    VIA,
    folded_line,
    last_sentence,
    middle_out,
    rows_on_a_line,
    shortened_words,
)
from compact_keeper.recap.wording.quoted import is_quoted, rows_in
from compact_keeper.recap.wording.tagged import tagged
from compact_keeper.record.items import ORDER_MIN_CHARACTERS, PASTED_LINES, REFUSED_QUESTION, is_typed
from compact_keeper.record.words.assent import only_agrees, only_orders_commit
from compact_keeper.record.words.pasted import words_behind_log
from compact_keeper.text.fields import text_of
from compact_keeper.text.length import cut, units
from compact_keeper.text.marks import QUESTION_MARKS, in_quotes
from compact_keeper.text.rows_again import without_rows_again
from compact_keeper.text.times import moment
from compact_keeper.types import Ago, Item, Line, MessageRoom

RECENT_MESSAGES, OLD_WORDS_MAX_UTF16 = 6, 200  # the first: of those that are understood alone
ANSWERED_UTF16, ANSWERED_BY_NEWEST_UTF16 = 220, 400  # of what a message answers
PASTE_IN_SHORT = rf"(?m)^(\[\d{{1,6}}{PASTED_LINES}): .{{1,200}}\]$"
RECENT_ANSWERS = 4  # of dialogs
SEVERAL_GAPS = r"\n(?:[^\S\n]*\n){2,}"  # empty rows: one parts as well
LAID_OUT = r"\S {3,}\S|^(?: {2,}|\t)\S|[│┌└├─╭╰|]"  # of a row
PIECE_MAX_CHARACTERS, PIECE_SECONDS = 120, 60  # of what was typed in pieces; between two of them
BEHIND_INTERRUPT_SECONDS = 120  # until the words that say why
TYPED_AGAIN_MIN_CHARACTERS, MENDED_MIN_CHARACTERS = 30, 100
ASSENTS_KEPT = 3  # lines, the newest, among which a mere assent stands
ANSWERED_HEADING, HEADINGS_SHOWN, HEADING_SHOWN_UTF16 = r"#{1,6} ", 2, 60


def message_lines(items: Sequence[Item], ago: Ago, room: MessageRoom) -> Iterator[Line]:
    """What the person typed, chose and refused, the newest first, each with what it answers."""
    rules = {folded_line(item["text"]) for item in items if item["kind"] == "rule"}
    # The newest long message is mostly the order that the short ones behind it are about.
    orders = [item for item in items if is_typed(item) and len(item["text"]) >= ORDER_MIN_CHARACTERS]
    order = orders[-1] if orders else None
    (behind_calls, behind_answers), offered = messages_behind_steps(items), ways_offered(items)
    headings = headings_before(items)
    rejected_at = {item["text"]: moment(item["last"]) for item in items if item["kind"] == "refusal"}
    is_settled = False  # whether something was typed or chosen later
    later: list[Item] = []  # the messages that came after the present item, the next one first
    refused = ""  # the call whose rejection that one names
    understood_alone = answered = 0  # how many of such messages, and of answers, came later
    for item in reversed(items):
        if is_typed(item):
            is_settled = True
            is_newest = not later
            is_left_out = bool(later) and says_nothing_beside(item, later[0], rules)
            typed_at = moment(item.get("typed_at") or item["last"])
            is_late = typed_at - rejected_at.get(text_of(item, "follows"), typed_at) > REJECTED_WITH_WORDS_SECONDS
            whole: Item = {**item, "follows": "" if is_late else text_of(item, "follows"),
                           "is_behind_calls": item["position"] in behind_calls,
                           "headings": headings.get(item["position"], "")}
            whole["ran_later"] = ran_later(item.get("refused") or text_of(whole, "follows"), item, items)
            later, refused = [item, *later], "" if is_left_out else rejection_shown(whole, is_newest)
            if is_left_out:
                continue
            is_old = understood_alone >= RECENT_MESSAGES
            words_max, answered_max = room_of_message(item, room, is_newest, item is order, is_old)
            if item["position"] in behind_answers:
                whole["answers"] = ""
            ways = offered.get(item["position"], "")
            line: Line = {**message_line(whole, ago, (words_max, answered_max), is_newest, ways), "items": [item]}
            if is_old:  # with what it answers, where room is left at last
                fuller = message_line(whole, ago, (words_max, ANSWERED_UTF16), False, ways)
                line["fuller"] = [tagged(fuller.get("whole", ""), item)]
            yield line
            if len(item["text"]) > UNDERSTOOD_ALONE_CHARACTERS:
                understood_alone += 1
        elif item["kind"] == "answer":
            is_settled = True
            answered += 1
            yield answer_line(item, ago, answered > RECENT_ANSWERS)
        elif item["kind"] == "refusal" and item["text"] != refused:
            is_question_settled = is_settled and item["text"].startswith(REFUSED_QUESTION)
            if not is_question_settled:
                yield rejected_line(item, later, items, ago)


def headings_before(items: Sequence[Item]) -> dict[int, str]:
    """By the position of a message the last headings of the agent's words before it, for a reply in few words.

    "lets try it!" had stood behind the closing question alone, which named nothing of what was to be tried.
    """
    headings, words = dict[int, str](), ""
    for item in items:
        if item["kind"] == "said":
            words = item["text"]
        elif is_typed(item):
            rows = [row.strip() for row in words.splitlines() if re.match(ANSWERED_HEADING, row)]
            headings[item["position"]] = "".join(f"{cut(row, HEADING_SHOWN_UTF16)} " for row in rows[-HEADINGS_SHOWN:])
            words = ""
    return headings


def messages_behind_steps(items: Sequence[Item]) -> tuple[set[int], set[int]]:
    """The positions of the messages before which the agent made calls behind its words; of those behind an answer.

    Another message came before these, on which the agent went to work without a word: "I misclicked" had stood as the
    answer to a question that had its answer. None before the oldest words that are kept: older calls are kept.
    """
    behind_calls, behind_answers = set[int](), set[int]()
    has_said = has_called = has_answer = is_settled = False
    for item in items:
        if item["kind"] == "said":
            has_said, has_called, has_answer, is_settled = True, False, False, False
        elif item["kind"] in ("action", "look", "refusal") and not item.get("by_agent"):
            has_called = has_called or (has_said and item["kind"] != "refusal")
            is_settled = has_answer
        elif is_typed(item):
            behind_calls |= {item["position"]} if has_called else set()
            behind_answers |= {item["position"]} if is_settled else set()
            has_answer = has_answer or (has_said and item.get("via") in ("prompt", "interrupt"))
    return behind_calls, behind_answers


def says_nothing_beside(item: Item, later: Item, rules: Collection[str]) -> bool:
    """Whether a message has no words, is a rule alone that was no choice, or was typed anew as the next one."""
    is_choice = item.get("refused") or item.get("picks")
    is_rule_alone = not is_choice and folded_line(item["text"]) in rules
    return is_wordless(item["text"]) or is_rule_alone or is_typed_again(item, later["text"])


def room_of_message(item: Item, room: MessageRoom, is_newest: bool, is_order: bool, is_old: bool) -> tuple[int, int]:
    """How many UTF-16 units of a message's words are shown, and how many of what it answers.

    The newest order has two thirds of the newest message's room. Of old messages only an assent keeps what it answers.
    """
    if is_newest:
        return room["newest"], room["answered_by_newest"]
    if is_order:
        return max(room["newest"] * 2 // 3, OLD_WORDS_MAX_UTF16), room["answered"]
    if not is_old:
        return room["earlier"], room["answered"]
    return OLD_WORDS_MAX_UTF16, room["answered"] if is_mere_assent(item) else 0


def with_pieces_joined(lines: Sequence[Line], items: Sequence[Item]) -> list[Line]:
    """The lines, the newest first; messages that the person typed in pieces while the agent worked are one line.

    "changelog", "which has to incorporate any improvements", "that affect our rates" had come back in reverse order.
    """
    steps = [item for item in items if item["kind"] in ("said", "action", "look")]
    joined: list[Line] = []
    for line in lines:
        later = joined[-1]["items"] if joined else []
        if later and is_piece_before(line["items"][0], later[-1], steps):
            words = [in_quotes(rows_on_a_line(item["text"])) for item in reversed(later)]
            joined[-1] = {"items": [*later, *line["items"]], "text": ", then ".join([line["text"], *words])}
        else:
            joined.append(line)
    return joined


def without_old_assents(lines: Sequence[Line], items: Sequence[Item]) -> list[Line]:
    """The lines, the newest first, without mere assents behind the newest lines: what they allowed was done since.

    One to a question stays: "yes" to "May I push the tag?" is why that was tried. A mere "commit" that was obeyed does
    not: the commit stands among the others.
    """
    kept, obeyed = [*lines[:ASSENTS_KEPT]], obeyed_orders_to_commit(items)
    for line in lines[ASSENTS_KEPT:]:
        if obeyed.issuperset(item["position"] for item in line["items"]):
            continue
        answers_question = any(last_sentence(text_of(item, "answers")).endswith(QUESTION_MARKS)
                               for item in line["items"])
        if answers_question or not all(map(is_mere_assent, line["items"])):
            kept.append(line)
    return kept


def obeyed_orders_to_commit(items: Sequence[Item]) -> set[int]:
    """The positions of messages that say to commit and no more, before whose next one a commit was made."""
    steps = [item for item in items if item["kind"] == "message" or item.get("commit")]
    return {order["position"] for order, step in zip(steps, steps[1:])
            if order["kind"] == "message" and step.get("commit") and only_orders_commit(order["text"])}


def is_mere_assent(item: Item) -> bool:
    """Whether a message says yes, or that it goes on, and nothing else; it refuses nothing and picks no line."""
    if item["kind"] != "message" or item.get("refused") or item.get("picks") or item.get("options"):
        return False
    return only_agrees(item["text"])


def is_piece_before(item: Item, later: Item, steps: Sequence[Item]) -> bool:
    """Whether both were typed while the agent worked, which said nothing between them, or say why it was interrupted.

    Behind an interruption "Stopped. What is it?" may stand between; a step may not.
    """
    pieces = (item, later)
    is_interruption = item.get("via") == "interrupt" and is_typed(later)
    is_in_pieces = is_interruption or all(piece.get("via") == "queue" for piece in pieces)
    is_short = is_in_pieces and all(len(piece["text"]) <= PIECE_MAX_CHARACTERS for piece in pieces)
    typed_at, later_at = (moment(piece.get("typed_at") or piece["last"]) for piece in pieces)
    most = BEHIND_INTERRUPT_SECONDS if is_interruption else PIECE_SECONDS
    return (is_short and 0 <= later_at - typed_at <= most
            and not any(item["position"] < step["position"] < later["position"] for step in steps
                        if (step["kind"] == "said") != is_interruption))


def is_typed_again(item: Item, later: str) -> bool:
    """Whether the next message begins with the same words, or has nearly all of a longer one's: it was typed anew.

    An order whose turn was interrupted twice stood there three times, with a few words more each time.
    """
    words = item["text"]
    if len(words) >= TYPED_AGAIN_MIN_CHARACTERS and later.startswith(words):
        return True
    return len(words) >= MENDED_MIN_CHARACTERS and is_quoted(words, rows_in(later))


def message_line(item: Item, ago: Ago, most: tuple[int, int], is_newest: bool, behind: str = "") -> Line:
    """A typed message as a line, with at most so many UTF-16 units of its words and of what it answers; and whole.

    `behind`: what stands at its end.
    """
    words_max, answered_max = most
    when = ago(item.get("typed_at") or item["last"])
    how = f", {VIA[item['via']]}" if item.get("via") in VIA else ""
    refused = f" Rejected: {item['refused']}{text_of(item, 'ran_later')}." if item.get("refused") else ""
    count = f", typed {item['uses']} times" if item.get("uses", 1) > 1 else ""
    beside = f" (with {item['attached']}, not kept here)" if item.get("attached") else ""
    head = f"- ({when}{how}{count}) "
    beside += how_command_failed(item) + refused
    tail = f"{beside}{what_it_answers(item, is_newest, answered_max)}{behind}"
    line: Line = {"items": [item], "label": head, "tail": tail}
    words = item["text"] if is_newest else text_of(item, "own") or item["text"]
    if is_newest and is_laid_out(words):
        laid_out = re.sub(SEVERAL_GAPS, "\n\n", words.strip("\n"))
        if units(laid_out) <= words_max:
            rows = "\n  ".join(laid_out.splitlines())
            return {**line, "text": f"{head.rstrip()} as it was typed:{tail}\n  {rows}"}
    shown = words_between_logs(item, words_max) or shortened_words(without_rows_again(words), words_max)
    whole = in_quotes(rows_on_a_line(without_rows_again(item["text"])))
    return {**line, "text": f"{head}{shown}{tail}", "whole": f"{head}{whole}{tail}"}


def how_command_failed(item: Item) -> str:
    """That a slash command failed, and why; empty of other messages."""
    error = text_of(item, "command_error")
    return f" (the command failed: {in_quotes(cut(folded_line(error), ERROR_SHOWN_UTF16))})" if error else ""


def words_between_logs(item: Item, most: int) -> str:
    """The person's words around rows of a pasted log, where they are too long to stand whole: both their ends.

    With what was pasted as a count alone; empty of other messages. By both ends of all of it the log had stood there,
    and the wish in the middle had not; of the words' beginning alone what was typed behind the log was lost.
    """
    own = text_of(item, "own")
    if units(own) <= most or not any(map(words_behind_log, item["text"].splitlines())):
        return ""
    return in_quotes(middle_out(rows_on_a_line(re.sub(PASTE_IN_SHORT, r"\1]", own)), most))


def with_fewer_words(line: Line, most: int, known: str) -> Line:
    """A message's line with at most so many units of its words; `known` says where they stand besides."""
    words = shortened_words(without_rows_again(line["items"][0]["text"]), most)
    return {"items": line["items"], "text": f"{line['label']}{words}{known}{line['tail']}"}


def is_laid_out(words: str) -> bool:
    """Whether the words are laid out in rows and columns, as a drawing or code is: on one line nobody can read them."""
    rows = words.splitlines()
    return len(rows) > 2 and sum(re.search(LAID_OUT, row) is not None for row in rows) > 1
