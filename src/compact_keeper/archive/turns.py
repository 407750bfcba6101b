"""What a transcript's records make a turn of: its steps, each what was typed, said, run or changed and how it ended.

A turn goes from what a person typed to before the next; a long one is stored in parts. The steps are counted through
the whole transcript: 57 is the same one whatever row it stands in. Summaries of the client's and subagents' work are
turns of their own kind. Secrets are replaced and marks of the client's own kind disarmed before anything else.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Sequence
from typing import Any

from compact_keeper.archive.kinds import KINDS
from compact_keeper.archive.steps import call_step, result_lines
from compact_keeper.client.blocks import REJECTION, is_by_model, notices_in, rejection_words, result_text
from compact_keeper.client.editor_calls import is_through_editor, output_of_client, tool_of_client
from compact_keeper.client.thread_order import in_order_of_thread
from compact_keeper.client.tools import SHELL_TOOLS
from compact_keeper.client.transcript import (
    BLOCK_BEHIND,
    PASTED_PLAN,
    PLAN_WOVEN,
    content_blocks,
    index_leaving,
    is_by_program,
    message_of_teammate,
    note_firing,
    own_words,
    typed_text,
    without_paste_tags,
)
from compact_keeper.store.folder import SESSION_ID
from compact_keeper.store.json_lines import parse_line, read_lines, records_of
from compact_keeper.text.fields import text_of
from compact_keeper.text.marks import OPEN_QUESTION, QUESTION_MARKS
from compact_keeper.text.quotation import quote
from compact_keeper.text.redact import redact
from compact_keeper.text.sanitize import clean
from compact_keeper.text.tags import tag_of
from compact_keeper.text.telling import telling_line
from compact_keeper.text.times import moment
from compact_keeper.types import JsonObject

PART_MAX_CHARACTERS = 6_000  # a longer turn goes on in another row, else its length hides what stands in it
QUESTION_MAX_UTF16 = 300  # of what a short reply answers
REPLY_MAX_CHARACTERS = 60  # of a reply that says little without its question
QUESTION_LOOKED_AT_CHARACTERS = 8_000  # of an answer, with the question at its end
TO_THE_QUESTION = "  (to the question: {})"
PROJECT_MAX_CHARACTERS, BRANCH_MAX_UTF16 = 1_000, 200
MARKED_WITHIN_BYTES = 900  # of a line, in which the marks below stand
TURN_RECORD_TYPES = ("user", "assistant", "attachment", "queue-operation", "system")  # records that may tell something
UNREAD_MARKS = (b'"type":"progress"', b'"content":[{"type":"thinking"', b'"type":"file-history-snapshot"')
DECIDING = (r"(?i)(?=[adgilrsw])\b(?:decided|decision|settled on|agreed (?:on|to)|going with|instead of|rather than"
            r"|(?:let'?s|we(?:'ll| will)?) (?:use|keep|go with|stick))\b")
SENTENCE_MAX_CHARACTERS = 400
# What the client writes around a summary (2.1.76 to 2.1.330): behind it an order to the model, which asked for none.
BEFORE_SUMMARY = (r"\AThis session is being continued from a previous conversation[^\n]*\n+"
                  r"(?:<system-reminder>\n.{0,4000}?\n</system-reminder>\n+)?")
BEHIND_SUMMARY = (r"(?=\s|\Z)(?:\n+If you need specific details from before compaction \(like exact code[^\n]*)?"
                  r"(?:\n+(?:Please c|C)ontinue the conversation from where (?:we|it) left [^\n]*)?"
                  r"(?:\n+The messages after this summary are the most recent messages [^\n]*)?\s*\Z")


class Reader:
    """Makes turns of a transcript's records, from the first of a turn on; `state` is that of the session there."""

    def __init__(self, state: JsonObject, session: str, is_subagent: bool) -> None:
        """`state`: empty at a transcript's beginning; `session`: the name of its file, else "unknown"."""
        self.state: JsonObject = {"session": session, "project": "", "branch": "", "cycle": 0, "turn": 0, "until": "",
                              "count": 0, "question": "", "fires": "", "queue": [], **state}  # of what waits the bytes
        self.is_subagent, self.until, self.folder = is_subagent, self.state["until"], ""
        self.at = (0, "", self.state["queue"])  # byte and time of the record in hand, the queue before it
        self.uuid = ""  # of the record in hand
        self.turn: JsonObject = {}
        self.is_first = bool(state)  # the record in hand began a turn when it was read before
        self.calls: dict[str, JsonObject] = {}  # tool, input and step of the calls whose results are awaited
        self.waiting: dict[int, str] = {}  # typed while the agent worked, by byte
        self.seen: set[str] = set()  # a second /compact appends old records again

    def add(self, record: JsonObject, start: int) -> Iterator[JsonObject]:
        """Takes the record that begins at this byte; gives the turn that ended before it."""
        stamp = text_of(record, "timestamp")
        stamp = stamp if moment(stamp) else ""
        if not self.is_new(record, stamp):
            return
        self.uuid = text_of(record, "uuid")
        if self.uuid:
            self.seen.add(self.uuid)
        blocks, queue = content_blocks(record), self.state["queue"]
        in_row = typed_text(record, self.state)
        self.take_from_queue(in_row)
        typed = without_paste_tags(
            in_row or self.unqueued(record, start) or "\n".join(map(self.refused_with, blocks)).strip())
        prompt = self.with_its_question(redact(clean(typed)).strip()) if typed else ""
        self.is_first = False
        self.add_results(blocks, record)
        is_summary = is_by_summariser(record, blocks)
        is_again = self.turn.get("steps", [])[-1:] == [["prompt", prompt]]  # it came when it left the queue
        begins = is_summary or self.turn.get("who") == "summary" or (bool(typed) and not is_again)
        if (begins or self.is_full()) and self.turn.get("start", start) != start:  # what stands on one line is one turn
            yield self.close()
        self.note_state(record, (start, stamp or self.state["until"], queue))
        if begins:
            self.state["turn"] = start
        if is_summary:
            self.step("answer", summary_alone("\n".join(text_of(block, "text") for block in blocks)), "summary")
        elif typed:
            self.step("prompt", prompt, is_clean=True)
        else:
            for block in blocks:
                self.add_block(block, record)
        note_firing(record, self.state)

    def is_new(self, record: JsonObject, stamp: str) -> bool:
        """Whether the record may tell something of this thread, and was not read before: by its id, by its time."""
        if text_of(record, "uuid") in self.seen or (stamp and stamp < self.until):
            return False
        is_of_other_thread = record.get("isSidechain") and not self.is_subagent
        return record.get("type") in TURN_RECORD_TYPES and not is_of_other_thread

    def is_full(self) -> bool:
        """Whether the open turn is long enough to go on in another row; not while a result is awaited."""
        return self.turn.get("size", 0) > PART_MAX_CHARACTERS and not self.calls

    def add_results(self, blocks: Sequence[JsonObject], record: JsonObject) -> None:
        """The results among the blocks, each to its call."""
        for block in blocks:
            call = self.calls.pop(text_of(block, "tool_use_id"), None)
            if call:
                self.add_result(call, block, record.get("toolUseResult"))

    def note_state(self, record: JsonObject, at: tuple[int, str, list[int]]) -> None:
        """Notes the session's state at this record."""
        state, self.at = self.state, at
        if SESSION_ID.match(text_of(record, "sessionId")):
            state["session"] = record["sessionId"]
        self.folder = self.folder or text_of(record, "cwd") or state["project"]  # as it is called, for its settings
        state["project"] = state["project"] or redact(clean(text_of(record, "cwd")))[:PROJECT_MAX_CHARACTERS]
        state["branch"] = quote(text_of(record, "gitBranch"), BRANCH_MAX_UTF16) or state["branch"]
        state["cycle"] += record.get("subtype") == "compact_boundary"
        state["until"] = max(at[1], state["until"])

    def unqueued(self, record: JsonObject, start: int) -> str:
        """Words typed while the agent worked that reached it in the middle of its turn: they stand nowhere else."""
        queue, operation = self.state["queue"], record.get("operation")  # replaced, not changed: turns keep theirs
        if record.get("type") != "queue-operation":
            return ""
        if operation == "enqueue":
            self.waiting[start] = own_words(text_of(record, "content"))
            self.state["queue"] = [*queue, start]
        elif operation == "popAll":
            self.state["queue"] = []
        elif queue:
            left = queue[index_leaving(operation, [self.waiting.get(at, "") for at in queue])]
            self.state["queue"] = [at for at in queue if at != left]
            return self.waiting.get(left, "") if operation == "remove" else ""
        return ""

    def take_from_queue(self, words: str) -> None:
        """Words that come in a row of their own wait no more: the client took a notice off the queue for them."""
        queue = self.state["queue"]
        left = next((at for at in queue if words and self.waiting.get(at) == words), None)
        self.state["queue"] = [at for at in queue if at != left]

    def refused_with(self, block: JsonObject) -> str:
        """The person's words in a rejected call's result; an MCP tool could imitate one, so not there."""
        text = block.get("content") if block.get("is_error") is True else None
        unknown = {"tool": "" if self.is_first else "mcp__", "is_by_editor": False}
        call = self.calls.get(text_of(block, "tool_use_id"), unknown)
        by_mcp = call["is_by_editor"] or call["tool"].startswith("mcp__")
        if by_mcp or not isinstance(text, str) or not text.startswith(REJECTION):
            return ""
        return rejection_words(text)

    def step(self, kind: str, text: str, who: str = "", is_clean: bool = False, call: str = "") -> list[str]:
        """A new step of the open turn, which it begins when there is none; the same one again is left out.

        Its tag is made of the call's id, else the record's; a step that came again has those of both.
        """
        step = [kind, (text if is_clean else redact(clean(text))).strip()]
        if not self.turn and step[1]:
            who = who or ("subagent" if self.is_subagent else "person")
            self.until = min(self.until, self.at[1])  # a prompt may be older than the last words before it
            self.turn = {"who": who, "start": self.at[0], "stamp": self.at[1], "steps": [], "tags": [], "size": 0,
                         "errors": [], "state": {**self.state, "until": self.until, "queue": self.at[2]}}
        tags = [*filter(None, [tag_of(call or self.uuid)])] if step[1] else []
        if step[1] and step in self.turn["steps"]:
            self.turn["tags"][self.turn["steps"].index(step)] += tags
        elif step[1]:
            self.turn["steps"].append(step)
            self.turn["tags"].append(tags)
            self.turn["size"] += len(step[1])
            self.state["count"] += 1
        return step

    def with_its_question(self, reply: str) -> str:
        """What was typed; a short reply with the question that it answers, where the last words before were one."""
        is_short = 0 < len(reply) <= REPLY_MAX_CHARACTERS and self.state["question"]
        return f"{reply}\n{TO_THE_QUESTION.format(self.state['question'])}" if is_short else reply

    def add_block(self, block: JsonObject, record: JsonObject) -> None:
        """A block of a message: the assistant's words, a call, a subagent's task, others' words in a user's place."""
        by_model, what, text = is_by_model(record), block.get("type"), text_of(block, "text")
        if what == "text" and (by_model or (self.is_subagent and not self.turn)):
            self.step("answer", text)
            self.state["question"] = question_at_end(text)
        elif by_model and what == "tool_use" and isinstance(block.get("input"), dict):
            name = text_of(block, "name")
            self.add_call(text_of(block, "id"), tool_of_client(name), block["input"], is_through_editor(name))
        elif what == "text" and record["type"] == "user" and text.startswith("<teammate-message"):
            sender, words = message_of_teammate(text)
            self.step("answer", f"message of {sender}: {words}" if words else "")
        elif what == "text" and text.startswith(PASTED_PLAN) and not is_by_program(record):
            self.step("answer", text.partition(PLAN_WOVEN)[0])
        elif what == "text" and not by_model:
            for job, status, words in notices_in(text):
                self.step("answer", f"{job} {status}: {words}")

    def add_call(self, number: str, tool: str, given: JsonObject, is_by_editor: bool) -> None:
        """A call, whose result is awaited; of an editor's, which may have run it, the output is another."""
        kind, text = call_step(tool, given)
        step = self.step(kind, text, is_clean=True, call=number)
        self.calls[number] = {"tool": tool, "given": given, "step": step, "is_by_editor": is_by_editor}

    def add_result(self, call: JsonObject, block: JsonObject, extra: Any) -> None:
        """How the call ended; what the person chose of the answers offered counts as typed."""
        text, is_error = result_text(block), block.get("is_error") is True
        if call["is_by_editor"] and call["tool"] in SHELL_TOOLS:
            text, has_failed = output_of_client(text)
            is_error = is_error or has_failed
        answers = extra.get("answers") if isinstance(extra, dict) and call["tool"] == "AskUserQuestion" else None
        for question, answer in answers.items() if isinstance(answers, dict) else ():
            if isinstance(answer, str):
                self.step("prompt", f"{answer}\n{TO_THE_QUESTION.format(quote(question, QUESTION_MAX_UTF16))}")
        result = "\n".join(["", *result_lines(call["tool"], call["given"], text, is_error)])
        call["step"][1] += result
        if self.turn:
            self.turn["size"] += len(result)
            self.turn["errors"] += [telling_line(text)] if is_error else []

    def close(self) -> JsonObject:
        """The open turn as a row of the archive; there is none then."""
        turn, self.turn, self.calls, self.until = self.turn, {}, {}, self.state["until"]
        texts = {kind: "\n".join(text for its_kind, text in turn["steps"] if its_kind == kind) for kind in KINDS}
        lengths = json.dumps([[kind, len(text), *tags] for (kind, text), tags in zip(turn["steps"], turn["tags"])])
        derived = {"error": "\n".join(filter(None, turn["errors"])), "decision": "\n".join(decisions(texts))}
        return {**turn, **turn["state"], **texts, **derived, "steps": lengths, "first": turn["state"]["count"] + 1,
                "folder": self.folder, "project": turn["state"]["project"] or self.state["project"],
                "time": moment(turn["stamp"])}


def is_by_summariser(record: JsonObject, blocks: Sequence[JsonObject]) -> bool:
    """Whether the record is the summary that the client wrote at a compaction."""
    if record.get("isCompactSummary"):
        return True
    first = text_of(blocks[0], "text") if blocks else ""
    return record.get("type") == "user" and first.startswith("This session is being continued")


def question_at_end(text: str) -> str:
    """The last paragraph of an answer, where it asks something; else empty.

    Redacted with what stands before it: a value alone in its paragraph was no secret without the words that named it.
    """
    end = text.rstrip()[-QUESTION_LOOKED_AT_CHARACTERS:]
    if not re.search(OPEN_QUESTION, end.rpartition("\n\n")[2]):
        return ""  # as of most answers, each of which is redacted once already
    last = redact(clean(end))[-4 * QUESTION_MAX_UTF16:].rpartition("\n\n")[2]
    return quote(last, QUESTION_MAX_UTF16) if re.search(OPEN_QUESTION, last) else ""


def decisions(texts: JsonObject) -> list[str]:
    """The sentences of a turn, typed or said, that settle something in plain English words: found before others."""
    settling = [texts[kind] for kind in ("prompt", "answer") if re.search(DECIDING, texts[kind])]
    sentences = [part.strip() for text in settling for part in re.split(r"(?<=[.!?。！？])\s+|\n", text)]
    statements = [part for part in sentences
                  if 8 < len(part) <= SENTENCE_MAX_CHARACTERS and not part.endswith(QUESTION_MARKS)]
    return [part for part in statements if re.search(DECIDING, part)]


def turns_of(path: str, start: int, stop: int, state: JsonObject) -> Iterator[tuple[JsonObject, int]]:
    """The turns of the transcript from a byte where a turn begins, each with the byte up to which that was read.

    The last one may still be open: reading on begins at its `start`, with its `state`.
    """
    name = os.path.basename(path).removesuffix(".jsonl")
    reader = Reader(state, name if SESSION_ID.match(name) else "unknown", "/subagents/" in path)
    reader.waiting = {at: own_words(text_of(record, "content"))
                      for at in reader.state["queue"] for record in records_of(path, at, at + 1)}
    for offset, record in in_order_of_thread(records_to_read(path, start, stop)):
        for turn in reader.add(record, offset):
            yield turn, offset
    if reader.turn:
        yield reader.close(), stop


def records_to_read(path: str, start: int, stop: int) -> Iterator[tuple[int, JsonObject]]:
    """The records of the lines that may tell something, each with the byte at which its line begins."""
    before = start
    for end, line in read_lines(path, start, stop):
        if not any(map(line[:MARKED_WITHIN_BYTES].__contains__, UNREAD_MARKS)) or BLOCK_BEHIND in line:
            needed, again, more = line.partition(b',"toolUseResult":')  # a result's second copy
            is_copy = again and b'"answers":' not in more and b'}{"' not in more
            for record in (parse_line(needed + b"}") if is_copy else []) or parse_line(line):
                yield before, record
        before = end


def summary_alone(text: str) -> str:
    """What the summary says, without the client's words before and behind it, as far as they are known."""
    begin = re.match(BEFORE_SUMMARY, text, re.DOTALL)
    behind = re.search(BEHIND_SUMMARY, text)
    return text[begin.end() if begin else 0:behind.start() if behind else len(text)].strip()
