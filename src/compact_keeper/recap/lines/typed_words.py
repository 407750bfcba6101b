"""The person's words as lines of the recap: pins, standing rules, messages."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from compact_keeper.client.tools import SHELL_TOOLS
from compact_keeper.client.wordless import is_wordless
from compact_keeper.recap.lines.offered_ways import ways_offered
from compact_keeper.recap.lines.said_sentences import mark_of
from compact_keeper.recap.wording.phrases import (
    SENTENCE_END,
    code,
    ends_with_question,
    folded_line,
    middle_out,
    rows_on_a_line,
    shortened_words,
    typed_next,
)
from compact_keeper.recap.wording.quoted import is_quoted, rows_in
from compact_keeper.recap.wording.tagged import tagged
from compact_keeper.record.endings import ENDED_WELL
from compact_keeper.record.items import ORDER_MIN_CHARACTERS, is_typed
from compact_keeper.record.summary.statements import LIST_MARK
from compact_keeper.record.words.assent import only_agrees, only_orders_commit
from compact_keeper.record.words.pasted import words_behind_log
from compact_keeper.text.ends import end_on_a_line
from compact_keeper.text.fields import text_of
from compact_keeper.text.length import cut, units
from compact_keeper.text.marks import QUESTION_MARKS, in_quotes
from compact_keeper.text.rows_again import without_rows_again
from compact_keeper.text.times import moment
from compact_keeper.types import Ago, Item, Line, MessageRoom

RECENT_MESSAGES, OLD_WORDS_MAX_UTF16, OPTION_SHOWN_UTF16 = 6, 200, 90  # the first: of those that are understood alone
ERROR_SHOWN_UTF16 = 80  # of the API, with which a turn broke off; of a slash command
LINE_ANSWERED_UTF16 = 120  # of a question that a message answers by its number
PICKED_SHOWN_UTF16 = 220  # of a line of the agent's
ANSWERED_UTF16, ANSWERED_BY_NEWEST_UTF16 = 220, 400  # of what a message answers
PASTE_IN_SHORT = r"(?m)^(\[\d{1,6} pasted lines): .{1,200}\]$"
RECENT_ANSWERS, QUESTION_SHOWN_UTF16, OLD_QUESTION_SHOWN_UTF16 = 4, 220, 130  # of dialogs
SEVERAL_GAPS = r"\n(?:[^\S\n]*\n){2,}"  # empty rows: one parts as well
LAID_OUT = r"\S {3,}\S|^(?: {2,}|\t)\S|[│┌└├─╭╰|]"  # of a row
PIECE_MAX_CHARACTERS, PIECE_SECONDS = 120, 60  # of what was typed in pieces; between two of them
BEHIND_INTERRUPT_SECONDS = 120  # until the words that say why
FEW_WORDS, TYPED_AGAIN_MIN_CHARACTERS, MENDED_MIN_CHARACTERS = 3, 30, 100
COMMON_WORDS = frozenset((  # that a question and an order may share by chance
    "about also before could does done first from have here into just like look make more need next only over please "
    "same should some such take test tests than that their them then there they this those want well were what when "
    "where which will with work would write your").split())
ANSWER_MAX_CHARACTERS, QUESTION_BEFORE_UTF16 = 80, 130  # of an answer to a question, and of the question
POINTS_BACK = (r"(?i)\b(?:yes|yeah|yep|no|nope|ok|okay|sure|right|correct|it|its|this|that|these|those|them|they|there"
               r"|one|ones|both|all|none|same|first|second|last|other|option|former|latter|\d{1,2}|[b-h])\b")
RULE_POINTS_BACK, BEFORE_RULE_UTF16 = r"(?i)\b(?:(?<!is )there(?! (?:is|are|was|were)\b)|in (?:it|them|those))\b", 120
RULE_MEMBER_MAX_UTF16 = 300  # of a list's member that stands whole for the rule in it
ENGLISH = r"(?i)\b(?:the|we|you|need|please|is|are|my|and|to)\b"  # of others it is not known which words point back
NO_SENTENCES = r"(?m)^\s*(?:[-*•+](?=\s)|[|>`~#]|\d{1,3}[.)](?=\s))"  # of a paragraph
UNDERSTOOD_ALONE_CHARACTERS = 60  # a longer message is mostly understood without what it answers
ASSENTS_KEPT = 3  # lines, the newest, among which a mere assent stands
ANSWERED_HEADING, HEADINGS_SHOWN, HEADING_SHOWN_UTF16 = r"#{1,6} ", 2, 60
REPLY = (  # a sentence that is nothing but an answer; "ok" and "thanks" may only take note of what was said
    r"(?i)(?:yes|yeah|yep|yup|sure|no|nope|rather not|not yet|not now|go ahead|do it|do so|please (?:do|don['’]?t)"
    r"|of course(?: not)?|both|neither|none|either|no preference|i (?:don['’]?t|do not) (?:know|care)|you decide"
    r"|ja|nein|lieber nicht|noch nicht|beides?|oui|non|plutôt pas|pas encore|sí|mejor no|todavía no|sim|não|ainda não"
    r"|да|нет|пока нет|лучше не надо|はい|いいえ|네|아니요|好的?|是的?|不|不要|不用)"
    r"(?:,? (?:please|thanks|thank you|bitte|danke|merci|gracias|obrigad[oa]|пожалуйста|спасибо))?[.!;。！]?")
VIA = {"rejection": "when rejecting a tool call", "interrupt": "after interrupting", "queue": "while the agent worked",
       "compact": "behind /compact"}
REJECTED_SHOWN_UTF16 = 200  # of a call
REJECTED_WITH_WORDS_SECONDS, TYPED_BEFORE_SECONDS = 300, 60  # within which words came behind a rejection, or before
DONE_LATER = " (done later)"
RAN_LATER_SHOWN_UTF16 = 110  # of the command that ran
TO_FOLDER = r"^cd [^&|;]{1,300} && "
COMMAND_SIGN = "$ "  # before a command that was rejected
REFUSED_QUESTION = "the question: "  # of a refusal: the dialog was closed


def pin_lines(items: Sequence[Item]) -> Iterator[Line]:
    """The person's pins, word for word; later lines of one are indented."""
    for item in items:
        if item["kind"] == "pin":
            text = "\n  ".join(item["text"].splitlines())
            yield {"items": [item], "text": f"- {in_quotes(text)}"}


def rule_lines(items: Sequence[Item], ago: Ago) -> Iterator[Line]:
    """The standing rules, the newest first, each with what it is about where that stands before it."""
    typed = {item["source"]: item["text"] for item in items if item["kind"] == "message"}
    lines: dict[str, Line] = {}  # of two rules in a list's member it is one
    for item in reversed(items):
        if item["kind"] == "rule":
            how = f"typed {VIA[item['via']]}" if item.get("via") in VIA else "typed"
            rule, before = rule_and_before(folded_line(item["text"]), typed.get(item["source"], ""))
            behind = f", behind {in_quotes(cut(before, BEFORE_RULE_UTF16))}" if before else ""
            lines.setdefault(rule, {"items": [], "text": f"- {in_quotes(rule)} ({how} {ago(item['first'])}{behind})"})
            lines[rule]["items"].append(item)
    yield from lines.values()


def rule_and_before(rule: str, message: str) -> tuple[str, str]:
    """A rule of a message, and the sentence before it where it may be about that; else an empty one.

    It may where it points back: "Never mention prices there." Behind other sentences in a member of a list the rule is
    the whole member, or stands with the sentence before where that is long: "Always zip them." was of the data alone.
    """
    for row in map(folded_line, message.splitlines()):
        mark = mark_of(row, LIST_MARK)
        member = row[mark.end():] if mark else ""
        before, is_there, _ = member.partition(rule)
        if is_there and before:
            return (member, "") if units(member) <= RULE_MEMBER_MAX_UTF16 else (rule, last_sentence(before))
    before, is_there, _ = folded_line(message).partition(rule)
    return rule, last_sentence(before) if is_there and before and re.search(RULE_POINTS_BACK, rule) else ""


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
                line = rejected_line({**item, "ran_later": ran_later(item["text"], item, items)}, later, ago)
                yield {**line, "items": [item]}


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


def rejected_line(refusal: Item, later: Sequence[Item], ago: Ago) -> Line:
    """A call that the person rejected, with the message that was typed beside it: it says what was wanted.

    `later`: the messages behind it, the next one first; what waited in the queue was typed before, and may be of
    something else.
    """
    call = cut(refusal["text"], REJECTED_SHOWN_UTF16) + text_of(refusal, "ran_later")
    text = f"Rejected without words: {call}"
    typed = ((moment(item.get("typed_at") or item["last"]) - moment(refusal["last"]), item) for item in later)
    seconds, beside = next(((at, item) for at, item in typed if at >= -TYPED_BEFORE_SECONDS), (0, None))
    if beside and seconds <= REJECTED_WITH_WORDS_SECONDS:
        text = f"Rejected: {call}{typed_next(beside, 'typed next' if seconds >= 0 else 'had just typed')}"
    return {"items": [refusal], "text": f"- ({ago(refusal['last'])}) {text}"}


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


def answer_line(item: Item, ago: Ago, is_old: bool) -> Line:
    """What was chosen in a dialog, with the options passed over; what the chosen one means where room is left.

    An option is its label and what it means; the answer names several options, or has notes behind them. An old one
    stays short: a row of dialogs had filled the section, most of them overtaken by the last.
    """
    question = in_quotes(cut(item["question"], OLD_QUESTION_SHOWN_UTF16 if is_old else QUESTION_SHOWN_UTF16))
    chosen, options = folded_line(item["text"]), item.get("options", [])
    others = [option for option in options if not is_chosen(option, chosen, item.get("picks_one", False))]
    is_typed = bool(options) and len(others) == len(options)
    verb = "typed" if is_typed else "chose"
    meaning = chosen if is_old else next((option for option in options if option.startswith(f"{chosen}: ")), chosen)
    head, tail = f"- ({ago(item['last'])}) In a dialog: {question} → {verb} ", passed_over(others, is_typed)
    return {"items": [item], "text": f"{head}{in_quotes(chosen)}{tail}", "whole": f"{head}{in_quotes(meaning)}{tail}"}


def is_chosen(option: str, answer: str, picks_one: bool) -> bool:
    """Whether an answer is the option, or names it among others; "ImageGeneratorPro" is not "ImageGenerator".

    Where one alone may be picked, "Whole year, but never on holidays" is an answer of one's own, not "Whole year".
    """
    label = re.escape(option.partition(": ")[0])
    form = rf"{label}(?=$|: | \()" if picks_one else rf"(?:^|.*, ){label}(?=$|, |: | \()"
    return option.startswith(answer) or re.match(form, answer) is not None


def passed_over(options: Sequence[str], is_typed: bool = False) -> str:
    """The options that were not taken, each its label or beginning; empty when there are none.

    Of an answer in words of one's own only that they were offered: it may take one of them on a condition.
    """
    labels = [in_quotes(cut(option.partition(": ")[0], OPTION_SHOWN_UTF16)) for option in options]
    return f"; {'offered' if is_typed else 'not'} {', '.join(labels)}" if labels else ""


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


def what_it_picks_or_follows(item: Item, is_newest: bool) -> str:
    """The agent's lines that a message picks or answers by their signs, or the call that was rejected before it."""
    if item.get("picks"):
        others = passed_over([option for option in item.get("options", []) if option != item["picks"]])
        return f" (picks the agent's line {in_quotes(cut(item['picks'], PICKED_SHOWN_UTF16))}{others})"
    if item.get("options"):
        return f" (to the agent's {', '.join(in_quotes(cut(line, LINE_ANSWERED_UTF16)) for line in item['options'])})"
    rejected = rejection_shown(item, is_newest)
    call = rejected_in_short(rejected, REJECTED_SHOWN_UTF16)
    return f" (after rejecting {call}{text_of(item, 'ran_later')})" if rejected else ""


def rejection_shown(item: Item, is_newest: bool) -> str:
    """The call that was rejected before a message, where that stands behind it; else empty."""
    if item.get("picks") or item.get("options"):
        return ""
    return text_of(item, "follows") if is_newest or is_understood_with_more(item["text"]) else ""


def rejected_in_short(call: str, most: int) -> str:
    """A call that was rejected, in at most so many UTF-16 units; a command as code."""
    if call.startswith(COMMAND_SIGN):
        return code(call.removeprefix(COMMAND_SIGN), most)
    return middle_out(call, most)


def ran_later(call: str, refusal: Item, items: Sequence[Item]) -> str:
    """How a call that was rejected ran later without failing, in words behind it; empty where that is not certain.

    Certain it is of a command whose later text begins with it, and of an address. "Do not clone it" had stood behind a
    clone that was ordered the next day. `refusal`: the item that tells of the rejection.
    """
    if not call:
        return ""
    tool, _, given = call.partition(": ")
    command = call.removeprefix(COMMAND_SIGN)
    later = [item for item in items if item["kind"] == "action" and item["position"] > refusal["position"]
             and item["verdict"] in ENDED_WELL]
    if not call.startswith(COMMAND_SIGN):
        is_done = any(item["tool"] == tool == "WebFetch" and f"{item['text']}, ".startswith(f"url: {given}, ")
                      for item in later)
        return DONE_LATER if is_done else ""
    texts = [folded_line(item["text"]) for item in later if item["tool"] in SHELL_TOOLS]
    if any(f"{text} && ".startswith(f"{command} && ") for text in texts):
        return DONE_LATER
    longer = next((text for text in reversed(texts)
                   if f"{re.sub(TO_FOLDER, '', text)} ".startswith(f"{command} ")), "")
    return f" (later ran: {code(longer, RAN_LATER_SHOWN_UTF16)})" if longer else ""


def is_laid_out(words: str) -> bool:
    """Whether the words are laid out in rows and columns, as a drawing or code is: on one line nobody can read them."""
    rows = words.splitlines()
    return len(rows) > 2 and sum(re.search(LAID_OUT, row) is not None for row in rows) > 1


def is_understood_with_more(words: str) -> bool:
    """Whether short words may hang on what they answer: a few of them, ones that point back, or in other languages."""
    if len(words) > UNDERSTOOD_ALONE_CHARACTERS:
        return False
    if len(words.split()) <= FEW_WORDS or re.search(POINTS_BACK, words):
        return True
    return not re.search(ENGLISH, words)


def question_answered(words: str, before: str) -> str:
    """The question at the end of the words before, of a long one its end, where a message answers it; else empty.

    It does where its first sentence is an answer and no more ("Rather not. Commit it on …" says less than nothing
    without the question), and where short words, of a longer message the first sentence, take up a word of the
    question: "in metres. You may use a subagent" reads as an order of its own. Most orders behind a question answer
    nothing: of 195 longer ones three did, with its words.
    """
    question, first = last_sentence(before), re.split(SENTENCE_END, folded_line(words))[0]
    if not question.endswith(QUESTION_MARKS):
        return ""
    if not re.fullmatch(REPLY, first):
        answer = words if len(words) <= ANSWER_MAX_CHARACTERS else first
        if len(answer) > ANSWER_MAX_CHARACTERS or answer.rstrip().endswith(QUESTION_MARKS):
            return ""
        taken_up, asked_for = ({*re.findall(r"\w{4,}", text.casefold())} - COMMON_WORDS for text in (answer, question))
        if not (taken_up & asked_for or repeats_part_of(first, question)):
            return ""
    return end_on_a_line(question, QUESTION_BEFORE_UTF16)


def last_sentence(words: str) -> str:
    """The last sentence of the words, without marks of emphasis around it."""
    return re.split(SENTENCE_END, folded_line(words).rstrip("*_ "))[-1].lstrip("*_#>- ")


def repeats_part_of(sentence: str, question: str) -> bool:
    """Whether the sentence, of two words or more, stands in the question: "a test first. …" to "… a test first?"."""
    answer, whole = (" ".join(re.findall(r"\w+", text.casefold())) for text in (sentence, question))
    return " " in answer and f" {answer} " in f" {whole} "


def what_it_answers(item: Item, is_newest: bool, most: int) -> str:
    """What stands behind a message that is not understood alone: the line that it picks, or the words before it.

    Of these at most so many UTF-16 units, none of 0. Behind the newest one also where it is longer: the next step hangs
    on it. Words that ask nothing stand behind older ones of few words alone, with their closing paragraph, and no words
    that calls came behind: "yes" had stood after "All tests pass", to which it was no answer.
    """
    answers = text_of(item, "answers")
    is_aside = item.get("via") == "queue"  # typed while the agent worked: it answers nothing that was said
    certain = what_it_picks_or_follows(item, is_newest)
    if certain or not (answers and most) or is_aside:
        return certain
    if not is_newest and not is_understood_with_more(item["text"]):
        question = question_answered(item["text"], answers)
        return f" (to the agent's {in_quotes(question)})" if question else ""
    is_in_few_words = is_reply_in_few_words(item["text"])
    is_short = is_in_few_words and len(item["text"]) <= UNDERSTOOD_ALONE_CHARACTERS  # of scripts without spaces, too
    under = item.get("headings", "") if is_short and units(answers) > most else ""
    end = in_quotes(under + end_on_a_line(answers, most))
    if text_of(item, "broken_off"):
        error = in_quotes(cut(item["broken_off"], ERROR_SHOWN_UTF16))
        return f" (the turn had broken off with {error}, after the agent's {end})"
    if any(mark in end for mark in QUESTION_MARKS) or (is_newest and not item.get("is_behind_calls")):
        return f" (after the agent's {end})"
    is_reply = is_in_few_words and not item.get("is_behind_calls")
    closing = closing_paragraph(answers) if is_reply else ""
    return f" (after the agent's {in_quotes(end_on_a_line(closing, most))})" if closing else ""


def is_reply_in_few_words(words: str) -> bool:
    """Whether a message is a few words that ask nothing: alone they say nothing."""
    return len(words.split()) <= FEW_WORDS and not ends_with_question(words)


def closing_paragraph(words: str) -> str:
    """The last paragraph of the words; empty where that is a list, a table, or code."""
    paragraph = re.split(r"\n\s*\n", words.strip())[-1]
    return "" if re.search(NO_SENTENCES, paragraph) else paragraph
