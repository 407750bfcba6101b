"""What the client asked the person in dialogs: questions and answers, plans and their approval, refused calls.

    AskUserQuestion              -> a question that waits; an answer for each question that has one
    EnterPlanMode, ExitPlanMode  -> the plan, and whether it waits, was approved or was not
    a call rejected in silence   -> what was refused; where words came with it, they are a message

What waits is gone once it was answered, rejected, or the person typed something after it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set

from compact_keeper.client.blocks import behind_rejection, rejection_words
from compact_keeper.client.tools import CHANGING_TOOLS
from compact_keeper.record.items import COMMAND_SIGN, REFUSED_PLAN, REFUSED_QUESTION, new_item
from compact_keeper.text.fields import first_text, objects_in, text_of
from compact_keeper.text.length import PLAN_MAX_UTF16, without_middle
from compact_keeper.text.quotation import quote
from compact_keeper.text.redact import redact
from compact_keeper.text.sanitize import clean
from compact_keeper.types import Entry, Item, ItemFields, JsonObject

QUESTION_KEPT_UTF16, OPTION_MAX_UTF16, CHOSEN_MAX_UTF16 = 500, 200, 1_500
REFUSED_CALL_MAX_UTF16, PLAN_PATH_MAX_UTF16 = 200, 300
QUESTIONS_MAX, OPTIONS_MAX = 8, 8  # of one dialog, of one question
ANSWERS_MAX_CHARACTERS = 20_000
ANSWER_END = r"\"(?=, \"|\. You can now|\.?\s{0,9}$| user notes: | selected preview:)"  # what stands behind an answer
NOTES = r" user notes: (.{1,2000}?)(?=, \"|\. You can now|$)"
PART_ANSWERED = r"(?:^|\n)- \"(?P<question>[^\n]{1,600})\"\n {1,9}Answer: (?P<answer>[^\n]{1,2000})"
CLARIFYING = "The user wants to clarify"  # the client's own words in a rejection of questions
PLAN_PATH = r"/\.claude/plans/[^/]{1,200}\.md$"
# The dialog's own choices: some copy one into the words of a rejection, with what is to be done first behind it.
APPROVAL = (r"Yes, (?:clear context(?: \(\d{1,3}% used\))? and |and )?"
            r"(?:auto-accept edits|manually approve edits|bypass permissions)\b")
WAITING_FOR_APPROVAL = "waiting for approval"
PLANNING = "in plan mode: no plan shown yet"


class Dialogs:
    """Questions, plans and refusals as they stand; a later entry may answer, approve or overtake them."""

    def __init__(self, known: Sequence[Item]) -> None:
        """Goes on from the items of earlier saves."""
        self.questions = {item["key"]: item for item in known if item["kind"] == "question"}
        self.refusals = {item["text"]: item for item in known if item["kind"] == "refusal"}
        plans = [item for item in known if item["kind"] == "plan"]
        self.plan: Item = plans[-1] if plans else {}
        self.draft = ("", "")  # path and text of the plan file that was written last

    def items_of(self, entry: Entry) -> Iterator[Item]:
        """The dialogs' items that an entry gives, changes, or ends."""
        if entry["what"] == "typed":
            yield from self.overtaken(entry)
        elif entry["what"] == "plan":
            yield from self.shown_plan(entry, entry["text"], "", "approved")
        elif entry["what"] == "call":
            if entry["tool"] == "AskUserQuestion":
                yield from self.question_items(entry)
            elif entry["tool"] in ("EnterPlanMode", "ExitPlanMode"):
                yield from self.planned(entry)
            elif entry["tool"] in CHANGING_TOOLS:
                yield from self.changed(entry)
            yield from self.refused(entry)

    def overtaken(self, typed: Entry) -> Iterator[Item]:
        """What waited and waits no longer, as the person typed something after it.

        A prompt that lay in the queue may be older than the question, and the ledger tells of such ones too.
        """
        if typed["via"] != "queue" and typed["source"] != "ledger":
            for question in self.questions.values():
                yield {**question, "status": "gone"}
            self.questions.clear()
            if self.plan.get("status") == WAITING_FOR_APPROVAL and typed["source"] != self.plan["source"]:
                yield self.keep_plan({**self.plan, "status": "not approved"})

    def question_items(self, call: Entry) -> Iterator[Item]:
        """A dialog's questions while they wait, and the answers that came."""
        questions = questions_in(call["input"])
        options = {text_of(row, "question"): options_of(row) for row in questions if text_of(row, "question")}
        of_one = {text_of(row, "question") for row in questions if row.get("multiSelect") is False}
        is_waiting = call["ok"] is None and not call["rejected"]
        for number, (question, choices) in enumerate(options.items()):
            item = new_item("question", call, quote(question, QUESTION_KEPT_UTF16), "assistant", options=choices,
                            key=f"{call['id']} {number}", status="open" if is_waiting else "answered")
            if is_waiting:
                self.questions[item["key"]] = item
            if is_waiting or self.questions.pop(item["key"], {}):
                yield item
        for question, answer in answers_of(call, [*options]).items():
            short = quote(question, QUESTION_KEPT_UTF16)
            choices = options.get(question) or options.get(quote(question, QUESTION_KEPT_UTF16 + 100)) or []
            fields: ItemFields = {"key": short, "question": short, "options": choices}
            if question in of_one:
                fields["picks_one"] = True
            yield new_item("answer", call, answer, "user", **fields)

    def planned(self, call: Entry) -> Iterator[Item]:
        """A plan that waits, was approved or was not; that the agent plans and has not shown one yet."""
        if call["tool"] == "EnterPlanMode":
            if call["ok"]:
                yield self.keep_plan(new_item("plan", call, PLANNING, "assistant", key="plan", path="",
                                              status="being made"))
            return
        saved = re.search(r"Your plan has been saved to: (\S{1,500})", call["output"][:2_000])
        path = saved[1] if saved else text_of(call["input"], "planFilePath") or self.draft[0]
        approved = call["output"].partition("## Approved Plan:\n")[2] if call["ok"] else ""
        text = approved or text_of(call, "body") or text_of(call["input"], "plan") or self.draft[1]
        if self.plan.get("source") == call["source"] and not approved and self.plan["text"] != PLANNING:
            text = self.plan["text"]  # whole, while the call that waited on disk is cut
        if call["ok"] is False and not call["rejected"]:  # the tool refused, not the person: there was no plan mode
            return
        is_waiting = call["ok"] is None and not call["rejected"]
        is_approved = call["ok"] or re.match(APPROVAL, rejection_words(call["output"]))
        status = WAITING_FOR_APPROVAL if is_waiting else "approved" if is_approved else "not approved"
        yield from self.shown_plan(call, text or "the plan", path, status)

    def shown_plan(self, entry: Entry, text: str, path: str, status: str) -> Iterator[Item]:
        """The plan in the place of the one before."""
        text = without_middle(redact(clean(text.strip())), PLAN_MAX_UTF16)
        if self.plan and self.plan["source"] != entry["source"]:
            yield {**self.plan, "status": "gone"}
        if text:
            yield self.keep_plan(new_item("plan", entry, text, "assistant", key="plan", status=status,
                                          path=quote(path, PLAN_PATH_MAX_UTF16)))

    def keep_plan(self, plan: Item) -> Item:
        """Remembers the plan as it stands."""
        self.plan = plan
        return plan

    def changed(self, call: Entry) -> Iterator[Item]:
        """A plan file that was written; another file that was changed says that plan mode is over."""
        if not call["ok"]:
            return
        if re.search(PLAN_PATH, call["path"]):
            self.draft = (call["path"], text_of(call, "body") if call["tool"] == "Write" else "")
        elif self.plan.get("text") == PLANNING:
            yield {**self.plan, "status": "gone"}
            self.plan = {}

    def refused(self, call: Entry) -> Iterator[Item]:
        """A call that was refused without words; it is past once the same one ran."""
        if call["rejected"] and call["tool"] != "ExitPlanMode" and not rejection_words(call["output"]):
            text = call_in_words(call)
            self.refusals[text] = new_item("refusal", call, text, "user", key=text)
            yield self.refusals[text]
        elif self.refusals and call["ok"] and call["command"] and (text := call_in_words(call)) in self.refusals:
            yield {**self.refusals.pop(text), "status": "gone"}


def call_in_words(call: Entry) -> str:
    """What a call was to do, short: "$ command", "Edit path", a question's words, else tool and arguments."""
    tool, given = text_of(call, "tool"), call.get("input") or {}
    if text_of(call, "command"):
        return quote(f"{COMMAND_SIGN}{call['command']}", REFUSED_CALL_MAX_UTF16)
    if text_of(call, "path"):
        return quote(f"{tool} {call['path']}", REFUSED_CALL_MAX_UTF16)
    if tool == "AskUserQuestion":
        first = next(iter(questions_in(given)), {})
        return quote(f"{REFUSED_QUESTION}{text_of(first, 'question')}", REFUSED_CALL_MAX_UTF16)
    if tool == "ExitPlanMode":
        plan = (text_of(call, "body") or text_of(given, "plan")).strip()
        heading = plan.partition("\n")[0].strip("# ")
        return quote(f"{REFUSED_PLAN}: {heading}" if plan else REFUSED_PLAN, REFUSED_CALL_MAX_UTF16)
    names = ("description", "url", "query", "skill", "subject", "pattern", "prompt", "title", "name")
    words = first_text(given, names)
    return quote(f"{tool}: {words}" if words else tool, REFUSED_CALL_MAX_UTF16)


def questions_in(arguments: Mapping[str, object]) -> list[JsonObject]:
    """The questions of a dialog, of its call's arguments."""
    return objects_in(arguments.get("questions"))[:QUESTIONS_MAX]


def options_of(question: Mapping[str, object]) -> list[str]:
    """A question's options, each its label and what it means."""
    rows = objects_in(question.get("options"))[:OPTIONS_MAX]
    texts = [": ".join(filter(None, (text_of(row, "label"), text_of(row, "description")))) for row in rows]
    return [quote(text, OPTION_MAX_UTF16) for text in texts if text]


def answers_of(call: Entry, questions: Sequence[str]) -> dict[str, str]:
    """What the person answered, by question, with their notes."""
    return {question: whole_answer(answer, notes) for question, answer, notes in given_answers(call, questions)
            if answer.strip()}


def typed_answers(call: Entry) -> list[str]:
    """What the person typed in a dialog: notes, and answers that are none of the options; those are the agent's words.

    Where the options are not known, none counts as typed.
    """
    questions = questions_in(call["input"])
    labels = {text_of(option, "label") for question in questions for option in objects_in(question.get("options"))}
    answers = given_answers(call, [text_of(question, "question") for question in questions]) if labels else ()
    words = [text for _, answer, notes in answers for text in (without_labels(answer, labels), notes)]
    return [redact(clean(text)) for text in dict.fromkeys(words) if text.strip()]


def given_answers(call: Entry, questions: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """Question, answer, notes: as the client keeps them, else as it tells the agent."""
    output = call["output"][:ANSWERS_MAX_CHARACTERS]
    if call["rejected"]:  # to say more, with some of the questions answered
        words = behind_rejection(output)
        if words.startswith(CLARIFYING):
            yield from ((row["question"], row["answer"], "") for row in re.finditer(PART_ANSWERED, words))
    elif call["ok"]:
        kept = {str(question): ", ".join(map(str, answer)) if isinstance(answer, list) else str(answer)
                for question, answer in call["answers"].items()}
        answers = kept or {question: answer_in(output, question) for question in questions}
        yield from ((question, answer, notes_in(output, question, answer)) for question, answer in answers.items())


def without_labels(answer: str, labels: Set[str]) -> str:
    """The answer without the options picked, which stand first."""
    while picked := next((label for label in labels if label and f"{answer}, ".startswith(f"{label}, ")), ""):
        answer = answer[len(picked) + 2:]
    return answer


def answer_in(output: str, question: str) -> str:
    """The question's answer in the client's sentence about all of them; a long or many-lined question is not found."""
    _, begin, rest = output.partition(f'"{question}"="')
    end = re.search(ANSWER_END, rest) if begin else None
    return rest[:end.start()] if end else ""


def notes_in(output: str, question: str, answer: str) -> str:
    """What the person wrote beside their choice."""
    _, begin, rest = output.partition(f'"{question}"="{answer}"')
    notes = re.match(NOTES, rest, re.DOTALL) if begin else None
    return notes[1] if notes else ""


def whole_answer(answer: str, notes: str) -> str:
    """Answer and notes, the notes where they say something else."""
    text = f"{answer} ({notes})" if notes and notes.strip() != answer.strip() else answer
    return quote(text, CHOSEN_MAX_UTF16)
