"""Where the session ended: the newest message, then the agent's last words, whichever of them came later.

Behind them the error that broke the turn off, the order that the agent worked on, and what waits for the person.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from compact_keeper.client.tools import SHELL_TOOLS
from compact_keeper.recap.lines.plans import TICKS
from compact_keeper.recap.lines.typed_words import with_fewer_words
from compact_keeper.recap.wording.commands import command_in_short
from compact_keeper.recap.wording.paths import Paths
from compact_keeper.recap.wording.phrases import code, ends_with_question, folded_line, shared_line, without_known_lines
from compact_keeper.recap.wording.quoted import is_quoted, rows_in
from compact_keeper.record.calls.open_tasks import tasks_of_client
from compact_keeper.record.items import is_file_edit, is_typed, last_words_position
from compact_keeper.store.settings import is_small
from compact_keeper.text.fields import text_of
from compact_keeper.text.holding import holds_any
from compact_keeper.text.length import behind_space, cut, units
from compact_keeper.text.listing import file_names
from compact_keeper.text.marks import OPEN_QUESTION, in_quotes
from compact_keeper.types import Ago, Item, Line, Snapshot

LAST_WORDS_SHARE, LAST_WORDS_SMALL_SHARE = 0.17, 0.08  # of the budget, of a small one
ANSWERED_WORDS_SHARE, SHORT_ANSWER_CHARACTERS = 0.30, 60  # what "yes, do that" answers is needed whole
# Of a longer message, in a small text of so many characters, that the summary quotes whole half as many stand.
QUOTED_MIN_CHARACTERS, QUOTED_MIN_SMALL_CHARACTERS, WHOLLY_QUOTED_SHARE = 400, 120, 0.98
QUOTED_WHOLE = " (the summary quotes it whole)"
CALL_SHOWN_UTF16 = 120
NEXT_WORDS_UTF16 = 220  # of the agent's, behind a message that was typed while it worked
QUESTION_MAX_UTF16, OPTION_MAX_UTF16 = 400, 160
WAITING_PLAN_MAX_UTF16, OLD_PLAN_MAX_UTF16 = 700, 120
MAY_ANSWER = ("message", "answer", "refusal", "question", "plan")  # items, the last two as they ask anew
WEB_TOOLS = ("WebSearch", "WebFetch")
TICKED_MEMBER = rf"(?m)^\s*(?:[-*+•]|\d{{1,3}}[.)])\s*(?:{'|'.join(map(re.escape, TICKS))})"
TICKED_BEFORE_EDITS = " (ticked before any edit of its turn)"  # what was to be built had stood as done
WITHIN_TURN = ("queue", "rejection", "compact")  # how words came that begin no turn


def end_lines(snapshot: Snapshot, newest: Sequence[Line], worked_on: Sequence[Line], paths: Paths,
              ago: Ago) -> list[Line]:
    """All lines of the section, of a snapshot with completed items.

    `newest`: the newest message's line and what was refused after it, `worked_on`: the line of the order that the agent
    worked on then; each may be none.
    """
    items, summary, budget = snapshot["items"], text_of(snapshot, "summary"), snapshot["settings"]["budget"]
    share, quoted_min = LAST_WORDS_SHARE, QUOTED_MIN_CHARACTERS
    if is_small(budget):
        share, quoted_min = LAST_WORDS_SMALL_SHARE, QUOTED_MIN_SMALL_CHARACTERS
    is_unanswered = follows_last_words(items)
    if is_unanswered and any(len(line["items"][0]["text"]) < SHORT_ANSWER_CHARACTERS for line in newest):
        share = ANSWERED_WORDS_SHARE
    last_words = [*last_words_line(snapshot, int(share * budget), last_call(items, paths))]
    messages = [quoted_in_short(line, summary, quoted_min) for line in newest if not is_refusal(line)]
    unanswered = ", no words of the agent follow it" if is_unanswered else ""
    labelled = with_label(f"The user's newest message{unanswered}: ", messages, next_words(newest, items))
    order = with_label("The agent's turn had begun with: ",
                       [quoted_in_short(line, summary, quoted_min) for line in worked_on])
    return [
        *([] if is_unanswered else order),  # before a question that had its answer in passing
        *(labelled or plan_line(items, ago)),
        *last_words,
        *(line for line in newest if is_refusal(line)),
        *broken_off_lines(snapshot["state"]),
        *(order if is_unanswered else []),
        *question_lines(items)]


def next_words(newest: Sequence[Line], items: Sequence[Item]) -> str:
    """What the agent said next, behind a newest message that was typed while it worked; else empty.

    Its last words are left out: they stand below.
    """
    message = newest[0]["items"][0] if newest else None
    if not message or message.get("via") != "queue":
        return ""
    said = [item for item in items if item["kind"] == "said" and item["position"] > message["position"]]
    words = cut(folded_line(said[0]["text"]), NEXT_WORDS_UTF16) if len(said) > 1 else ""
    return f" (the agent said next: {in_quotes(words)})" if words else ""


def follows_last_words(items: Sequence[Item]) -> bool:
    """Whether the person typed something after the agent's last words: no answer to it follows."""
    said = last_words_position(items)
    return any(item["kind"] == "message" and item["position"] > said for item in items)


def newest_message_and_refusal(messages: Sequence[Line], items: Sequence[Item]) -> list[Line]:
    """The newest of the person's messages and choices, and what they last refused without words after it.

    No message where that is a plan, which stands among the tasks.
    """
    refused = [line for line in messages[:1] if is_refusal(line)]
    words = [line for line in messages if not is_refusal(line)][:1]
    return refused if are_before_plan(words, items) else [*words, *refused]


def is_refusal(line: Line) -> bool:
    """Whether the line is of a call that the person rejected without words."""
    return line["items"][0]["kind"] == "refusal"


def newest_plan_given(items: Sequence[Item]) -> Item | None:
    """The plan that the person handed over last; None without one."""
    return next((item for item in reversed(items) if item["kind"] == "message" and item.get("via") == "plan"), None)


def are_before_plan(messages: Sequence[Line], items: Sequence[Item]) -> bool:
    """Whether the first of the messages came before the plan that was handed over last."""
    plan = newest_plan_given(items)
    return bool(plan and messages and messages[0]["items"][0]["position"] < plan["position"])


def plan_line(items: Sequence[Item], ago: Ago) -> Iterator[Line]:
    """That the newest message is a plan, which stands among the tasks."""
    plan = newest_plan_given(items)
    if plan:
        text = f"- The user's newest message: ({ago(plan['last'])}) to carry out the plan below"
        yield {"items": [plan], "text": text}


def order_worked_on(newest: Sequence[Line], messages: Sequence[Line], items: Sequence[Item]) -> list[Line]:
    """The message that the agent's turn began with, where the newest one does not tell its order; else none.

    It does not where it was typed while the agent worked, or chosen in a dialog. What began with a plan has its line.
    """
    first_items = [line["items"][0] for line in newest]
    if not any(item.get("via") == "queue" or item["kind"] == "answer" for item in first_items):
        return []
    orders = [line for line in messages if line not in newest
              and line["items"][0]["kind"] == "message" and line["items"][0].get("via") != "queue"][:1]
    return [] if are_before_plan(orders, items) else orders


def with_label(label: str, lines: Sequence[Line], behind: str = "") -> list[Line]:
    """The lines, which begin with a dash, with the label before what they say, and with what stands `behind` that.

    Behind few words the file that the IDE had open, too: "Run it" had been typed with the order's document before it.
    """
    labelled: list[Line] = []
    for line in lines:
        opened = text_of(line["items"][0], "opened")
        more = f" (the IDE had {opened} open){behind}" if opened else behind
        new: Line = {**line, "text": f"- {label}{line['text'][2:]}{more}"}
        if "whole" in line:
            new["whole"] = f"- {label}{line['whole'][2:]}{more}"
        labelled.append(new)
    return labelled


def quoted_in_short(line: Line, summary: str, least: int) -> Line:
    """A message's line; of one longer than `least` characters that the summary quotes whole its beginning and end."""
    item = line["items"][0]
    is_long = item["kind"] == "message" and len(item["text"]) > least
    if not summary or not is_long or not is_quoted(item["text"], rows_in(summary), WHOLLY_QUOTED_SHARE):
        return line
    return with_fewer_words(line, least // 2, QUOTED_WHOLE)


def last_words_line(snapshot: Snapshot, limit: int, call: str) -> Iterator[Line]:
    """The agent's last words with their lines; of longer ones the last lines within `limit` UTF-16 units.

    `call`: what was done after them, last; empty: nothing.
    """
    words = text_of(snapshot["state"], "last_words").strip()
    last = next((item for item in reversed(snapshot["items"]) if item["kind"] == "said"), None)
    if not words or not last:
        return
    lines = without_known_lines([line.rstrip() for line in words.splitlines() if line.strip()],
                                text_of(snapshot, "summary"))
    whole = "\n".join(f"  {line}" for line in lines)
    short = whole if units(whole) <= limit else "  […]" + end_of_lines(lines, limit)
    is_new_turn = call and any(is_typed(item) and item.get("via") not in WITHIN_TURN
                               and item["position"] > last["position"] for item in snapshot["items"])
    facts = f"{', of the turn before' if is_new_turn else ''} (then {call})" if call else ""
    is_answered = any(item["kind"] in MAY_ANSWER and item["position"] > last["position"] for item in snapshot["items"])
    if not call and not is_answered and any(map(ends_with_question, lines)):
        facts = ", with a question that no message answers"  # summaries called such questions answered
    has_ticks = holds_any(short, TICKS) and re.search(TICKED_MEMBER, short)
    asks_with_ticks = has_ticks and re.search(OPEN_QUESTION, lines[-1])
    if asks_with_ticks and is_of_no_change(last, snapshot["items"]):
        facts = TICKED_BEFORE_EDITS + facts
    title = f"- The agent's last words{facts}:"
    yield {"items": [last], "text": f"{title}\n{short}", "whole": f"{title}\n{whole}"}


def is_of_no_change(said: Item, items: Sequence[Item]) -> bool:
    """Whether nothing but looks, also on the web, came between the message that began the turn of words and these.

    A call that came before that turn and again behind it may have come in it, too.
    """
    begins = [item for item in items if is_typed(item) and item.get("via") not in WITHIN_TURN
              and item["position"] < said["position"]]
    return bool(begins) and not any(
        item["kind"] == "action" and item["tool"] not in WEB_TOOLS
        and item["last"] >= begins[-1]["last"] and item["first"] <= said["last"] for item in items)


def end_of_lines(lines: Sequence[str], limit: int) -> str:
    """The last lines within so many units; of a last line that is longer, its end."""
    kept, room = list[str](), limit
    for line in reversed(lines):
        room -= units(line) + 3
        if room < 0:
            break
        kept.insert(0, f"\n  {line}")
    return "".join(kept) or f"\n  …{behind_space(lines[-1][-limit:])}"


def last_call(items: Sequence[Item], paths: Paths) -> str:
    """The newest call in few words, where it came after the agent's last words, in their row too; else empty."""
    said = last_words_position(items)
    calls = [item for item in items if item["kind"] in ("action", "look") and item["position"] >= said
             and not item.get("by_agent")]
    if not calls:
        return ""
    newest = max(reversed(calls), key=lambda item: item["position"])  # of several in one row the last
    if newest["tool"] in SHELL_TOOLS:
        call = code(command_in_short(newest["text"], paths), CALL_SHOWN_UTF16)
    else:
        call = f"{newest['tool']} {code(paths.short(newest['text']), CALL_SHOWN_UTF16)}"
    has_changed_tasks = any(task["position"] >= said for task in tasks_of_client(items))
    # The same again is the same item, so calls are not counted.
    if len(calls) == 1 and newest["uses"] == 1 and not has_changed_tasks:
        return f"one call{how_it_ended(newest)}: {call}"
    edited = dict.fromkeys(item["path"] for item in calls if is_made_edit(item) and item is not newest)
    edits = f", edits of {file_names([*edited])} among them" if edited else ""
    return f"calls{edits}, last{how_it_ended(newest)}: {call}"


def is_made_edit(call: Item) -> bool:
    """Whether it is an edit of a file that was made."""
    return is_file_edit(call) and text_of(call, "verdict") == "ended"


def how_it_ended(call: Item) -> str:
    """Of an action that failed, of one without a result, and of an edit that was made, this in words; else empty.

    A summary called an edit pending that was made just before the compaction. A result may be lost, not to come: by
    "without a result yet" a summary's figures looked made up.
    """
    if is_made_edit(call):
        return ", which was made"
    verdict = text_of(call, "verdict")  # a look with a result has none
    return {"failed": ", which failed", "running": ", its result is not in the transcript"}.get(verdict, "")


def broken_off_lines(state: Mapping[str, str]) -> list[Line]:
    """That the newest turn broke off with an error of the API, where the client says so."""
    error = text_of(state, "broken_off")
    return [shared_line(f"- The turn broke off with an error of the API: {in_quotes(error)}")] if error else []


def question_lines(items: Sequence[Item]) -> Iterator[Line]:
    """Questions to the person that have no answer, with their options; a plan that waits for approval."""
    for item in items:
        if item["kind"] == "question":
            options = "; ".join(cut(str(option), OPTION_MAX_UTF16) for option in item.get("options", []))
            more = f" Options: {options}" if options else ""
            question = in_quotes(cut(item["text"], QUESTION_MAX_UTF16))
            yield {"items": [item], "text": f"- Asked in a dialog, no answer yet: {question}{more}"}
        elif item["kind"] == "plan" and item["status"] != "approved" and not is_passed_over(item, items):
            yield waiting_plan_line(item, items)


def is_passed_over(plan: Item, items: Sequence[Item]) -> bool:
    """Whether more than one prompt came behind a plan, besides words that rejected it: it waits no longer.

    A plan of the day before had stood there, of which one change was ordered and committed since.
    """
    prompts = [item for item in items if is_typed(item) and item.get("via") == "prompt"]
    return sum(item["position"] > plan["position"] for item in prompts) > 1


def waiting_plan_line(plan: Item, items: Sequence[Item]) -> Line:
    """A plan that was not approved; little of one whose file was written anew since."""
    path, where, limit = text_of(plan, "path"), "", WAITING_PLAN_MAX_UTF16
    if path:
        where = f" (in {path})"
        if any(item["position"] > plan["position"] and item.get("edits") and item.get("path") == path
               for item in items):
            where, limit = f" (in {path}, which was written anew since)", OLD_PLAN_MAX_UTF16
    words = in_quotes(cut(folded_line(plan["text"]), limit))
    return {"items": [plan], "text": f"- Plan, {plan['status']}{where}: {words}"}
