"""What is new in a session, as entries: words typed and said, calls with their results, ends of jobs, compactions.

The one reader of a session's transcript for the record; the archive reads turns (archive/turns.py).
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import Any

from compact_keeper.client.blocks import REJECTION, is_by_model, notices_in, rejection_words, result_text
from compact_keeper.client.call_arguments import kept_input
from compact_keeper.client.call_output import (
    REMINDER_OF_SEARCH,
    SAVED_OUTPUTS,
    exit_code_in,
    without_folder_note,
    without_repetition,
)
from compact_keeper.client.changed_lines import changed_lines
from compact_keeper.client.editor_calls import is_through_editor, output_of_client, tool_of_client
from compact_keeper.client.new_records import new_records
from compact_keeper.client.prompt_queue import QUEUE_TO_ROW_SECONDS, QUEUED_MAX_UTF16, PromptQueue
from compact_keeper.client.saved_outputs import too_large_of, whole_output
from compact_keeper.client.thread_order import in_order_of_thread
from compact_keeper.client.tokens import whole_number
from compact_keeper.client.tools import (
    CHANGING_FIELDS,
    CHANGING_TOOLS,
    OUTPUT_TOOLS,
    PATH_FIELDS,
    SCHEDULING_TOOLS,
    SEARCH_TOOLS,
    SHELL_TOOLS,
)
from compact_keeper.client.transcript import (
    HOOK_FEEDBACK,
    PASTED_PLAN,
    PICTURE_MARK,
    PLAN_WOVEN,
    attached_to,
    content_blocks,
    is_by_program,
    is_fired,
    is_machine_made,
    is_own_command,
    is_without_text,
    message_of_teammate,
    note_firing,
    open_in_ide,
    own_words,
    words_behind,
    words_given,
)
from compact_keeper.client.wordless import NOT_IN_TRANSCRIPT, SENT_ALONE
from compact_keeper.store.folder import open_regular
from compact_keeper.text.fields import first_text, objects_in, text_of
from compact_keeper.text.length import PLAN_MAX_UTF16, cut, ends_of_output, without_middle
from compact_keeper.text.paths import with_slashes
from compact_keeper.text.quotation import quote
from compact_keeper.text.redact import redact, redact_across_lines
from compact_keeper.text.sanitize import clean
from compact_keeper.text.telling import telling_line
from compact_keeper.text.times import moment
from compact_keeper.types import Entry, EntryFields, EntryKind, FilePlace, JsonObject, Memory, Unpack

SEEN_IDS_MAX = 2_000  # rows that may come again
ROOTS_MAX = 20  # uuids by which a fork may begin
FIELD_MAX_UTF16 = 500  # of a command, a path, an item's words: one number, so that no text is quoted twice
NO_OUTPUT = r"\(\w{1,20} completed with no output\)"  # the client's words in place of an output
TYPED_COMPARED_CHARACTERS = 600  # by which words in transcript and ledger are seen to be the same
IN_TRANSCRIPT, IN_LEDGER = 0, 1  # indexes in a memory's `typed`
ERROR_MAX_UTF16 = 200
WRITE_CHAIN_AGAIN = ("1.", "2.0.")  # how versions of clients begin that do so
COMMAND_ERROR = "<local-command-stderr>"
ROWS_TO_NOTE = 3  # behind typed words: within so many the client notes what the IDE had open
IDENTIFIER = re.compile(r"[\w.:-]{1,128}\Z")  # of rows, calls, tools and moments; else not kept
# The ledger has less of these.
BY_TRANSCRIPT = ("tool", "path", "command", "pattern", "input", "body", "change", "folder")
FILES_WITH_BOXES, BOXES_LOOKED_AT_CHARACTERS = (".md", ".txt"), 40_000
BODY_ARGUMENTS = (  # of a call, which hold text
    "pattern", *dict.fromkeys(name for fields in CHANGING_FIELDS.values() for part, name in fields.items()
                              if part in ("old", "new", "content")), "plan")
OUTPUT_NOT_KEPT = (*CHANGING_TOOLS, "Read")  # no words of their outputs are kept; of a file read line numbers are
NOTICE_MAX_UTF16 = 16_000  # of a job's end, with a subagent's report
TRIGGER_MAX_UTF16 = 20  # of what the client tells of a compaction


class Reading:
    """What is new since the last save, as a stream of entries: words typed and said, calls, ends of jobs."""

    def __init__(self, memory: Memory) -> None:
        self.calls: dict[str, Entry] = {call["id"]: {**call} for call in memory.get("pending", [])}
        self.stream: list[Entry] = [*self.calls.values()]
        self.seen: dict[str, None] = dict.fromkeys(memory.get("seen", []))
        self.state: dict[str, str] = dict(memory.get("state", {}))
        self.position, self.cycle, self.time = memory.get("position", 0), memory.get("cycle", 0), memory.get("time", "")
        self.queue = PromptQueue(memory)
        self.after: str = memory.get("after", "")  # what came just before: boundary, interrupt
        self.typed: list[str] = [*memory.get("typed", ["", ""])]  # the newest words IN_TRANSCRIPT and IN_LEDGER
        self.roots: list[str] = memory.get("roots", [])  # uuids by which a fork's transcript may begin
        self.results_folder = ""  # where the client saves outputs that are too long for the transcript

    def entry(self, what: EntryKind, source: str, **fields: Unpack[EntryFields]) -> Entry:
        """An entry at the present position in the session."""
        return {"what": what, "time": self.time, "source": source, "position": self.position, "cycle": self.cycle,
                **fields}

    def add(self, record: JsonObject) -> None:
        """Takes a record of the transcript; a re-appended row counts once, kinds unknown to us do not count."""
        kind, uuid = record.get("type"), identifier_in(record, "uuid")
        known = kind in ("user", "assistant", "attachment", "system", "queue-operation")
        if not known or uuid[-12:] in self.seen or record.get("isSidechain") or self.is_written_again(record):
            return
        self.go_on_to(record, uuid)
        if kind == "queue-operation":
            self.add_notices(text_of(record, "content") if record.get("operation") == "enqueue" else "", "queue")
            self.add_queued(record.get("operation"), words_queued(record))
        elif record.get("subtype") == "compact_boundary" or record.get("isCompactSummary"):
            if self.after != "boundary":  # a boundary and its summary are one compaction
                self.cycle += 1
                self.stream.append(self.entry("compacted", uuid, **fields_of_compaction(record)))
            self.after = "boundary" if record.get("subtype") == "compact_boundary" else ""
        else:
            self.add_message(record, uuid)

    def is_written_again(self, record: JsonObject) -> bool:
        """Whether a resume wrote the record anew: clients before 2.1 write a chain of them again, at one moment.

        Under new ids: 13 messages had stood as typed twice. Such a chain begins elsewhere than at the record before,
        with a record that counts.
        """
        if not text_of(record, "version").startswith(WRITE_CHAIN_AGAIN):
            return False
        moment = identifier_in(record, "timestamp")
        if moment and moment == self.state.get("chain"):
            return True
        goes_on = text_of(record, "parentUuid")[-12:] == next(reversed(self.seen), "")
        self.state["chain"] = "" if goes_on or record.get("type") != "user" else moment
        return False

    def go_on_to(self, record: JsonObject, uuid: str) -> None:
        """Goes on to the record: its position, time, folder and branch are the present ones; its uuid is known then."""
        if uuid:
            self.seen[uuid[-12:]] = None
        if uuid and (not self.roots or record.get("subtype") == "compact_boundary"):
            self.roots = [*self.roots[:1], *self.roots[1:][-ROOTS_MAX:], uuid]
        self.position += 1
        self.time = identifier_in(record, "timestamp") or self.time
        if text_of(record, "cwd"):  # a record that has one names its branch: of a folder without a repository none
            self.state["cwd"], self.state["gitBranch"] = (
                with_slashes(text_of(record, "cwd")), text_of(record, "gitBranch"))
        self.state["root"] = self.state.get("root") or self.state.get("cwd", "")

    def add_message(self, record: JsonObject, uuid: str) -> None:
        """Takes what was typed, said, called and answered in a record of none of the other kinds."""
        kind = record.get("type")
        if isinstance(record.get("attachment"), dict):  # a notice that came while the agent worked
            self.add_notices(text_of(record["attachment"], "prompt"), uuid)
        blocks = content_blocks(record)
        if kind == "assistant":
            self.state["broken_off"] = words_of_error(record, blocks)
            if self.after == "interrupt" and is_by_model(record):
                self.after = ""  # the agent went on: what is typed next comes after no interrupting
        if may_be_prompt(kind, blocks):
            if not self.is_of_no_person(record):
                self.add_prompt(record, uuid)
            self.add_command(record, uuid)
            self.add_file_in_ide(open_in_ide(record))
        note_firing(record, self.state)
        for block in blocks:
            self.add_block(block, record, uuid)

    def add_prompt(self, record: JsonObject, source: str) -> None:
        """A prompt's words, with what came beside them: "go on with this" had pointed to what a picture showed.

        Nothing is noted where the words themselves have the mark of a picture.
        """
        words, attached = words_given(record), attached_to(record)
        if attached and is_without_text(record):
            words, attached = SENT_ALONE.format(attached), ""
        is_queued = record.get("type") == "attachment"
        if words and not is_queued:
            self.bring_before_typed()
        self.add_typed(words, source, "queue" if is_queued else "prompt",
                       attached="" if PICTURE_MARK in words else attached)

    def add_typed(self, text: str, source: str, via: str, typed_at: str = "", attached: str = "") -> None:
        """Words that a person typed, redacted before anything looks at them, once: the ledger may tell them too.

        It has their beginning alone, and not what came with them: where it was first, their row tells these.
        """
        text = redact(clean(text)) if text else ""
        if not text:
            return
        if source == "ledger" and self.queue.is_scheduled(text):
            return  # its row tells whether a person typed it
        if source not in ("ledger", "queue"):
            if left := self.queue.entry_of(text, self.time):
                left.update({"source": source, "via": via, "text": text, "attached": attached})
                return
            if dequeued := self.queue.take(text, self.time):
                via, typed_at = "waited", dequeued["time"]
            elif waiting := self.queue.take_waiting(text):
                typed_at = waiting["time"]
        own, other = (IN_LEDGER, IN_TRANSCRIPT) if source == "ledger" else (IN_TRANSCRIPT, IN_LEDGER)
        begin = text[:TYPED_COMPARED_CHARACTERS]
        if self.typed[other] == begin:  # they are the same words
            if source != "queue":  # its row is still to come, and the same
                self.typed = ["", ""]  # both files have told these: they stand for no later words
                self.stream += [] if source == "ledger" else [self.entry("row", source, text=text, attached=attached)]
            return
        self.typed = ["", ""]  # the other file's stand for no later words
        self.typed[own] = begin
        via = "interrupt" if self.after == "interrupt" and via != "waited" else via  # what waited was typed before it
        self.after = ""
        typed = self.entry("typed", source, text=text, via=via, typed_at=typed_at or self.time,
                           broken_off=self.state.get("broken_off", ""), attached=attached)
        self.stream.append(typed)
        if source == "queue":
            self.queue.note_left(typed)

    def bring_before_typed(self) -> None:
        """What was said and run before words that are typed now came before them, whatever its time says.

        Clients of 1.0 wrote what was not on disk yet at a resume, all with its moment; what was typed between kept its
        own. A refusal had stood with words that were typed eight minutes and two messages later.
        """
        for entry in reversed(self.stream):
            if entry["time"] <= self.time or entry["what"] in ("typed", "compacted"):
                break
            if entry["what"] in ("said", "call"):
                entry["time"] = self.time

    def add_file_in_ide(self, path: str) -> None:
        """What the IDE had open, beside the words that were typed just before: in their row, or in one behind it."""
        newest: Entry = self.stream[-1] if self.stream else {}
        if path and newest.get("what") == "typed" and self.position - newest["position"] <= ROWS_TO_NOTE:
            newest["opened"] = quote(with_slashes(path), FIELD_MAX_UTF16)

    def add_command_error(self, text: str) -> None:
        """Why the slash command failed that was typed just before: the agent got nothing of it."""
        newest: Entry = self.stream[-1] if self.stream else {}
        is_behind = newest.get("what") == "typed" and self.position - newest["position"] <= ROWS_TO_NOTE
        if text.startswith(COMMAND_ERROR) and is_behind and newest["text"].startswith("/"):
            newest["command_error"] = quote(text.removeprefix(COMMAND_ERROR).partition("</")[0], FIELD_MAX_UTF16)

    def add_command(self, record: JsonObject, source: str) -> None:
        """Words that a person typed behind /compact, and that a command of ours was typed."""
        self.add_typed(words_behind(record, "compact"), source, "compact")
        if is_own_command(record):
            self.stream.append(self.entry("looked up", source))

    def is_of_no_person(self, record: JsonObject) -> bool:
        """Whether nobody typed the record's words; what left the queue with the same ones is typed no more.

        A prompt that the agent scheduled comes through the queue as a typed one does, and had stood as the newest
        message: only its row says whose it is. Its words are known then, where its hook runs before its next row comes.
        """
        is_by_client = is_fired(record, self.state)
        if not (is_by_client or is_machine_made(record)):
            return False
        left = self.queue.left_before(self.time)
        text = redact(clean(words_given(record))) if left or is_by_client else ""
        if is_by_client and text:
            self.queue.note_scheduled(text)
        for entry in left:
            if entry["text"] == cut(text, QUEUED_MAX_UTF16):
                entry["what"] = "scheduled"
                break
        return True

    def add_queued(self, operation: object, text: str) -> None:
        """A prompt sent while the agent worked: counts when it leaves the queue, not when it is pulled back.

        It is "removed" into the agent's turn, "dequeued" when that turn or a compaction is over: then its own row, that
        comes next, tells it, and whether a person typed it. Of an editor's prompts only that they leave: twelve that
        were removed in three sessions stand nowhere else, and an order that was carried out had headed the text.
        """
        if operation == "enqueue":
            self.queue.put(text, self.time)
        elif operation == "popAll":
            self.queue.pull_back(text)
        else:
            left = self.queue.take_next(operation, self.time)
            if operation == "dequeue":
                self.queue.note_dequeued(left, self.time)
            elif left["text"] != NOT_IN_TRANSCRIPT or not self.has_row_already():
                self.add_typed(left["text"], "queue", "queue", left["time"])
                self.after = "" if left["text"] else self.after

    def has_row_already(self) -> bool:
        """Whether what leaves the queue now has a row of its own just before."""
        newest = next((entry for entry in reversed(self.stream) if entry["what"] == "typed"), None)
        return (newest is not None and newest["via"] == "queue" and newest["source"] != "queue"
                and moment(self.time) - moment(newest["time"]) <= QUEUE_TO_ROW_SECONDS)

    def add_block(self, block: JsonObject, record: JsonObject, source: str) -> None:
        """A block of a message: the assistant's words, a call, a result, or what the client tells in a user's place."""
        what, text = block.get("type"), text_of(block, "text").strip()
        by_model = is_by_model(record)
        if by_model and what == "text" and text:
            self.stream.append(self.entry("said", source, text=text))
        elif by_model and what == "tool_use" and isinstance(block.get("input"), dict):
            name = text_of(block, "name")
            self.add_call(text_of(block, "id"), tool_of_client(name), block["input"], is_through_editor(name))
        elif what == "tool_result":
            self.add_result(block, record.get("toolUseResult"))
        elif text.startswith("[Request interrupted"):
            self.after = "interrupt"
        elif text.startswith(PASTED_PLAN) and not is_by_program(record):
            plan = text.partition(":")[2].partition(PLAN_WOVEN)[0].strip()
            plan = without_middle(redact(clean(plan)), PLAN_MAX_UTF16)
            self.stream.append(self.entry("plan", source, text=plan))
        elif record.get("isMeta") and text.startswith(HOOK_FEEDBACK):
            words = ends_of_output(text.removeprefix(HOOK_FEEDBACK))
            self.stream.append(self.entry("feedback", source, text=redact(clean(words)).strip()))
        elif record["type"] == "user" and text.startswith("<teammate-message"):
            sender, words = message_of_teammate(text)
            if words:
                self.stream.append(self.entry("teammate", source, text=redact(clean(words)), sender=sender))
        elif not by_model and what == "text":
            self.add_notices(text, source)
            self.add_command_error(text)

    def add_notices(self, text: str, source: str) -> None:
        """What the client tells of jobs in a user's place, where it says that they have ended."""
        for job, status, words in notices_in(text):
            kept = cut(redact(clean(words)), NOTICE_MAX_UTF16)
            self.stream.append(self.entry("ended", source, key=job, text=kept, status=status))

    def add_call(self, call_id: str, tool: str, arguments: JsonObject, is_by_editor: bool = False) -> None:
        """A tool call, not ended so far; of one that the ledger has told of, what only the transcript knows.

        `is_by_editor`: whether an editor offers the tool and runs the call.
        """
        known = self.calls.get(call_id)
        is_old = call_id in self.seen if known is None else not known.get("is_by_ledger")
        if is_old or not IDENTIFIER.match(call_id + tool):
            return
        if tool in SCHEDULING_TOOLS and text_of(arguments, "prompt"):  # the ledger has none
            self.queue.note_scheduled(own_words(text_of(arguments, "prompt")))
        path = first_text(arguments, PATH_FIELDS)
        call = self.entry(
            "call", call_id, id=call_id, tool=tool, path=quote(with_slashes(path), FIELD_MAX_UTF16), ok=None,
            exit=None, error="", output="", command=quote(text_of(arguments, "command"), FIELD_MAX_UTF16),
            rejected=False, answers={},
            body="\n".join(text_of(arguments, name) for name in BODY_ARGUMENTS),
            pattern=quote(text_of(arguments, "pattern"), FIELD_MAX_UTF16),
            change=changed_lines(tool, arguments) if tool in CHANGING_TOOLS else "",
            input=kept_input(tool, arguments))
        if is_by_editor:
            call["is_by_editor"] = True
        if self.state.get("cwd", "") != self.state.get("root", ""):
            call["folder"] = quote(self.state["cwd"], FIELD_MAX_UTF16)
        if known is None:
            self.calls[call_id] = call
            self.stream.append(call)
        else:
            read: Any = {name: value for name, value in call.items() if name in BY_TRANSCRIPT}
            known.update(read)

    def add_result(self, block: JsonObject, extra: Any) -> None:
        """A call's result. A rejection holds words of the person; one by an MCP tool or an editor may be imitated."""
        call = self.calls.get(text_of(block, "tool_use_id"), {})
        shown, is_error = result_text(block), block.get("is_error") is True
        text = whole_output(shown, self.results_folder)
        if call.get("is_by_editor") and call.get("tool") in SHELL_TOOLS:
            text, has_failed = output_of_client(text)
            is_error = is_error or has_failed
        text = without_repetition(text) if is_error else text.partition(REMINDER_OF_SEARCH)[0]
        text = without_folder_note(text) if call.get("tool") in (*SHELL_TOOLS, *OUTPUT_TOOLS) else text
        text = "" if text.startswith("(") and re.fullmatch(NO_OUTPUT, text) else text
        copy = extra if isinstance(extra, dict) else {}
        answers, tool_calls = copy.get("answers"), copy.get("totalToolUseCount")
        is_plan = call.get("tool") == "ExitPlanMode"  # an approved one
        output = without_middle(text, PLAN_MAX_UTF16) if is_plan else ends_of_output(text)
        is_cut = len(output) < len(text) or too_large_of(shown) != ""
        if call.get("tool") not in OUTPUT_NOT_KEPT:
            output = redact_across_lines(output)
        call.update({"output": output, "time": self.time, "is_by_ledger": False,
                     "answers": answers if isinstance(answers, dict) else {}})
        if isinstance(tool_calls, int):
            call["tool_calls"] = tool_calls
        if is_cut:
            call["is_output_cut"] = True
        if call.get("change") and call["path"].endswith(FILES_WITH_BOXES):
            call["boxes_before"] = boxes_before(copy)
        if not is_error:
            is_look = call.get("tool") in ("Read", *SEARCH_TOOLS)
            call.update({"ok": True, "body": text if is_look else call.get("body", "")})
            if call.get("tool") == "Read":
                call["error"] = too_large_of(shown)
        elif text.startswith(REJECTION) and not (call.get("is_by_editor") or call.get("tool", "").startswith("mcp__")):
            call["rejected"] = True
            self.add_typed(rejection_words(text), call.get("id", ""), "rejection")
        else:
            text = "It says that the user rejected it" if text.startswith(REJECTION) else text
            call.update({"ok": False, "exit": exit_code_in(text), "error": telling_line(text)})


def boxes_before(copy: JsonObject) -> str:
    """The rows with boxes that a file had before an edit, by the client's copy: of all of it, else around the edit."""
    whole, hunks = text_of(copy, "originalFile"), objects_in(copy.get("structuredPatch"))
    lines = [line for hunk in hunks if isinstance(hunk.get("lines"), list) for line in hunk["lines"]]
    rows = whole[:BOXES_LOOKED_AT_CHARACTERS].splitlines() or [
        line[1:] for line in lines if isinstance(line, str) and not line.startswith("+")]
    return "\n".join(row for row in rows if "] " in row)


def words_of_error(record: JsonObject, blocks: Sequence[JsonObject]) -> str:
    """With which error of the API the client says that the turn broke off; empty where it says nothing of one.

    That the prompt was too long is over with the compaction.
    """
    words = text_of(blocks[0], "text") if blocks and record.get("isApiErrorMessage") else ""
    return "" if words.startswith("Prompt is too long") else quote(words, ERROR_MAX_UTF16)


def may_be_prompt(kind: object, blocks: Sequence[JsonObject]) -> bool:
    """Whether a record of this kind may hold what a person typed or sent: most hold results alone."""
    return kind == "attachment" or (kind == "user" and any(
        "text" in block or block.get("type") in ("image", "document") for block in blocks))


def words_queued(record: JsonObject) -> str:
    """The words that a row of the queue tells; of a prompt with blocks, as editors send it, the client writes none."""
    return own_words(text_of(record, "content")) if "content" in record else NOT_IN_TRANSCRIPT


def identifier_in(record: JsonObject, name: str) -> str:
    """The id or moment in that field of a record; empty where it is no usable one."""
    text = text_of(record, name)
    return text if IDENTIFIER.match(text) else ""


def fields_of_compaction(record: JsonObject) -> EntryFields:
    """What the client's row tells of its compaction: the trigger, the tokens before, and after where it does."""
    about = record.get("compactMetadata")
    about = about if isinstance(about, dict) else {}
    counts = [about.get(name) for name in ("preTokens", "postTokens")]
    tokens = [*filter(None, map(whole_number, counts))]
    return {"trigger": quote(text_of(about, "trigger"), TRIGGER_MAX_UTF16), "tokens": tokens} if (
        tokens and counts[0] == tokens[0]) else {}


def read_transcript(reading: Reading, path: str, place: FilePlace, tail_bytes: int) -> FilePlace:
    """Reads what is new, everything when the file is another one than last time; returns the new place."""
    os.close(open_regular(path, os.O_RDONLY))
    about = os.stat(path)
    reading.results_folder = path.removesuffix(".jsonl") + SAVED_OUTPUTS
    offset = place["offset"] if place.get("inode") == about.st_ino and place["offset"] <= about.st_size else 0
    for end, record in in_order_of_thread(new_records(path, offset, about.st_size, tail_bytes)):
        offset = max(offset, end)
        reading.add(record)
    return {"inode": about.st_ino, "offset": offset}
