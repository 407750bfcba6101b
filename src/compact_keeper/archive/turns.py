"""What a transcript's records make a turn of: what was typed, said, run, changed, what failed, what was decided.

A turn goes from what a person typed to before the next; a long one is stored in parts. Summaries of the client's and
subagents' work are turns of their own kind. Secrets are replaced and marks of the client's own kind disarmed before
anything else. Of tools' output only the last line of a command that passed and the telling line of a call that failed
are kept.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from typing import Any

from compact_keeper.archive.kinds import KINDS
from compact_keeper.client.blocks import REJECTION, exit_code, is_by_model, rejection_words, result_text
from compact_keeper.client.tools import SHELL_TOOLS
from compact_keeper.client.transcript import content_blocks, own_words, typed_text
from compact_keeper.store.folder import SESSION_ID
from compact_keeper.store.json_lines import parse_line, read_lines, records_of
from compact_keeper.text.fields import text_of
from compact_keeper.text.quotation import quote
from compact_keeper.text.redact import redact
from compact_keeper.text.sanitize import clean
from compact_keeper.text.telling import telling_line
from compact_keeper.text.times import moment
from compact_keeper.types import Record

TURN_MAX_CHARACTERS = 12_000  # a longer turn goes on in another row, else its length hides what stands in it
COMMAND_MAX_CHARACTERS, CALL_MAX_UTF16, FILE_MAX_UTF16, LAST_LINE_MAX_UTF16 = 4_000, 1_000, 500, 160
QUESTION_MAX_UTF16 = 150  # a hit shows a line of less than 200 whole, and so that it is a question
PROJECT_MAX_CHARACTERS, BRANCH_MAX_UTF16 = 1_000, 200
MARKED_WITHIN_BYTES = 900  # of a line, in which the marks below stand
TURN_RECORD_TYPES = ("user", "assistant", "attachment", "queue-operation", "system")  # records that may tell something
UNREAD_MARKS = (b'"type":"progress"', b'"content":[{"type":"thinking"', b'"type":"file-history-snapshot"')
MORE_BLOCKS = b',{"type":"t'  # a text or a call behind the thought
OUTPUT_END_CHARACTERS = 4_000  # of an output, in which its last line is looked for; a private key is shorter
DECIDING = (r"(?i)\b(?:decided|decision|settled on|agreed (?:on|to)|going with|instead of|rather than"
            r"|(?:let'?s|we(?:'ll| will)?) (?:use|keep|go with|stick))\b")
SENTENCE_MAX_CHARACTERS = 400
PATH_FIELDS = ("file_path", "notebook_path", "path")
INPUT_FIELDS = ("description", "prompt", "query", "url", "subject", "skill", "args")  # of other tools' input


class Reader:
    """Makes turns of a transcript's records, from the first of a turn on; `state` is that of the session there."""

    def __init__(self, state: Record, session: str, is_subagent: bool) -> None:
        """`state`: empty at a transcript's beginning; `session`: the name of its file, else "unknown"."""
        self.state: Record = {"session": session, "project": "", "branch": "", "cycle": 0, "turn": 0, "until": "",
                              "queue": [], **state}  # of what waits in the queue the bytes where it stands
        self.is_subagent, self.until, self.folder = is_subagent, self.state["until"], ""
        self.at = (0, "", self.state["queue"])  # byte and time of the record in hand, the queue before it
        self.turn: Record = {}
        self.is_first = bool(state)  # the record in hand began a turn when it was read before
        self.calls: dict[str, list[str]] = {}  # the steps whose results are awaited
        self.waiting: dict[int, str] = {}  # typed while the agent worked, by byte
        self.seen: set[str] = set()  # a second /compact appends old records again

    def add(self, record: Record, start: int) -> Iterator[Record]:
        """Takes the record that begins at this byte; gives the turn that ended before it."""
        stamp, uuid, kind = text_of(record, "timestamp"), text_of(record, "uuid"), record.get("type")
        stamp = stamp if moment(stamp) else ""
        was_read = uuid in self.seen or (stamp and stamp < self.until)
        if was_read or kind not in TURN_RECORD_TYPES or (record.get("isSidechain") and not self.is_subagent):
            return
        self.seen.update([uuid] if uuid else [])
        blocks, queue = content_blocks(record), self.state["queue"]
        typed = typed_text(record) or self.unqueued(record, start) or "\n".join(map(self.refused_with, blocks)).strip()
        self.is_first = False
        is_summary = bool(record.get("isCompactSummary")) or (
            kind == "user" and text_of((blocks or [{}])[0], "text").startswith("This session is being continued"))
        for block in blocks:
            if step := self.calls.pop(text_of(block, "tool_use_id"), None):
                self.add_result(step, block, record.get("toolUseResult"))
        is_again = ["prompt", redact(clean(typed)).strip()] in self.turn.get("steps", [])[-1:]  # as it left the queue
        begins = (bool(typed) and not is_again) or is_summary or self.turn.get("who") == "summary"
        is_full = self.turn.get("size", 0) > TURN_MAX_CHARACTERS and not self.calls
        if (begins or is_full) and self.turn.get("start", start) != start:  # what stands on one line is one turn
            yield self.close()
        self.note_state(record, (start, stamp or self.state["until"], queue))
        self.state["turn"] = start if begins else self.state["turn"]
        if is_summary:
            self.step("answer", "\n".join(text_of(block, "text") for block in blocks), "summary")
        elif typed:
            self.step("prompt", typed)
        for block in () if is_summary or typed else blocks:
            self.add_block(block, record)

    def note_state(self, record: Record, at: tuple[int, str, list[int]]) -> None:
        """Notes the session's state at this record."""
        state, self.at = self.state, at
        if SESSION_ID.match(text_of(record, "sessionId")):
            state["session"] = record["sessionId"]
        self.folder = self.folder or text_of(record, "cwd") or state["project"]  # as it is called, for its settings
        state["project"] = state["project"] or redact(clean(text_of(record, "cwd")))[:PROJECT_MAX_CHARACTERS]
        state["branch"] = quote(text_of(record, "gitBranch"), BRANCH_MAX_UTF16) or state["branch"]
        state["cycle"] += record.get("subtype") == "compact_boundary"
        state["until"] = max(at[1], state["until"])

    def unqueued(self, record: Record, start: int) -> str:
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
            first, *self.state["queue"] = queue
            return self.waiting.get(first, "") if operation == "remove" else ""
        return ""

    def refused_with(self, block: Record) -> str:
        """The person's words in a rejected call's result; an MCP tool could imitate one, so not there."""
        text = block.get("content") if block.get("is_error") is True else None
        unknown = ["", "" if self.is_first else "mcp__"]
        by_mcp = self.calls.get(text_of(block, "tool_use_id"), unknown)[1].startswith("mcp__")
        if by_mcp or not isinstance(text, str) or not text.startswith(REJECTION):
            return ""
        return rejection_words(text)

    def step(self, kind: str, text: str, who: str = "", is_clean: bool = False) -> list[str]:
        """A new step of the open turn, which it begins when there is none; the same one again is left out."""
        step = [kind, (text if is_clean else redact(clean(text))).strip()]
        if not self.turn and step[1]:
            who = who or ("subagent" if self.is_subagent else "person")
            self.until = min(self.until, self.at[1])  # a prompt may be older than the last words before it
            self.turn = {"who": who, "start": self.at[0], "stamp": self.at[1], "steps": [], "size": 0,
                         "state": {**self.state, "until": self.until, "queue": self.at[2]}}
        if step[1] and step not in self.turn["steps"]:
            self.turn["steps"].append(step)
            self.turn["size"] += len(step[1])
        return step

    def add_block(self, block: Record, record: Record) -> None:
        """A block of a message: the assistant's words, a call, a subagent's task."""
        by_model, what = is_by_model(record), block.get("type")
        if what == "text" and (by_model or (self.is_subagent and not self.turn)):
            self.step("answer", text_of(block, "text"))
        elif by_model and what == "tool_use" and isinstance(block.get("input"), dict):
            self.calls[text_of(block, "id")] = self.call(text_of(block, "name"), block["input"])

    def call(self, tool: str, given: Record) -> list[str]:
        """The step of a tool call: the command line, the file, or the tool with what it was given."""
        if tool in SHELL_TOOLS:
            command = redact(clean(text_of(given, "command")))[:COMMAND_MAX_CHARACTERS]
            return self.step("command", command, is_clean=True)
        if tool == "ExitPlanMode":
            return self.step("answer", text_of(given, "plan"))
        path = next(filter(None, (text_of(given, name) for name in PATH_FIELDS)), "")
        if path or tool in ("Grep", "Glob"):
            words = f"{tool} {path} {text_of(given, 'pattern')}"
            return self.step("file", quote(words, FILE_MAX_UTF16), is_clean=True)
        words = " ".join([tool, *(text_of(given, name) for name in INPUT_FIELDS)])
        return self.step("command", quote(words, CALL_MAX_UTF16), is_clean=True)

    def add_result(self, step: list[str], block: Record, extra: Any) -> None:
        """How the call ended; what the person chose of the answers offered counts as typed."""
        text = result_text(block)
        is_asked = isinstance(extra, dict) and step[1].startswith("AskUserQuestion")
        answers = extra.get("answers") if is_asked else None
        for question, answer in answers.items() if isinstance(answers, dict) else ():
            if isinstance(answer, str):
                self.step("prompt", f"{answer}\n  (to the question: {quote(question, QUESTION_MAX_UTF16)})")
        if block.get("is_error") is True:
            code = exit_code(text)
            step[1] += "\n  → failed" if code is None else f"\n  → failed (exit {code})"
            self.step("error", telling_line(text), is_clean=True)
        elif step[0] == "command":
            last = quote(last_line(text), LAST_LINE_MAX_UTF16)
            step[1] += f"\n  → ok{': ' if last else ''}{last}"

    def close(self) -> Record:
        """The open turn as a row of the archive; there is none then."""
        turn, self.turn, self.calls, self.until = self.turn, {}, {}, self.state["until"]
        texts = {kind: "\n".join(text for its_kind, text in turn["steps"] if its_kind == kind) for kind in KINDS}
        lengths = json.dumps([[kind, len(text)] for kind, text in turn["steps"]])
        return {**turn, **turn["state"], **texts, "decision": "\n".join(decisions(texts)), "steps": lengths,
                "folder": self.folder, "project": turn["state"]["project"] or self.state["project"],
                "time": moment(turn["stamp"])}


def last_line(output: str) -> str:
    """The last line, without secrets; empty when it is very long: half a secret is not seen as one."""
    end = output if len(output) < OUTPUT_END_CHARACTERS else output[-OUTPUT_END_CHARACTERS:].partition("\n")[2]
    return redact(clean(end)).rstrip().rpartition("\n")[2]


def decisions(texts: Record) -> list[str]:
    """The sentences of a turn, typed or said, that settle something in plain English words: found before others."""
    sentences = [part.strip() for kind in ("prompt", "answer")
                 for part in re.split(r"(?<=[.!?。！？])\s+|\n", texts[kind])]
    statements = [part for part in sentences if 8 < len(part) <= SENTENCE_MAX_CHARACTERS and not part.endswith("?")]
    return [part for part in statements if re.search(DECIDING, part)]


def turns_of(path: str, start: int, stop: int, state: Record) -> Iterator[tuple[Record, int]]:
    """The turns of the transcript from a byte where a turn begins, each with the byte up to which that was read.

    The last one may still be open: reading on begins at its `start`, with its `state`.
    """
    name = os.path.basename(path).removesuffix(".jsonl")
    reader = Reader(state, name if SESSION_ID.match(name) else "unknown", "/subagents/" in path)
    reader.waiting = {at: own_words(text_of(record, "content"))
                      for at in reader.state["queue"] for record in records_of(path, at, at + 1)}
    before = end = start
    for end, line in read_lines(path, start, stop):
        if not any(mark in line[:MARKED_WITHIN_BYTES] for mark in UNREAD_MARKS) or MORE_BLOCKS in line:
            needed, again, more = line.partition(b',"toolUseResult":')  # a result's second copy
            is_copy = again and b'"answers":' not in more and b'}{"' not in more
            for record in (parse_line(needed + b"}") if is_copy else []) or parse_line(line):
                for turn in reader.add(record, before):
                    yield turn, end
        before = end
    if reader.turn:
        yield reader.close(), end
