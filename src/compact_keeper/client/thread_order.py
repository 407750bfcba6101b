"""The rows of a transcript, a prompt before the answer to it, a call before its result.

The client writes the file beside its work. Of a session's first turn 2.1.150 wrote what was answered within 0.4 seconds
before the prompt: read in that order the prompt had no answer. Most models take longer: of 512 prompts in public
transcripts none stood so. Of 23,489 calls in them 81 stood behind their results, and had none as they were read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from compact_keeper.client.transcript import content_blocks
from compact_keeper.text.fields import text_of
from compact_keeper.types import JsonObject

ROWS_AHEAD = 6  # within which the row is looked for that an answer goes on from; the 4th seen


def in_order_of_thread(rows: Iterable[tuple[int, JsonObject]]) -> Iterator[tuple[int, JsonObject]]:
    """The rows, each with its offset in the file; what an answer or a result goes on from comes before it.

    With its offset, so that a reader who goes on at the prompt reads the answer, too. Where the row that one goes on
    from does not follow soon, it stands before what is read here, or is of a kind that nobody parses.
    """
    read = {""}  # uuids; an empty one is none
    waiting: list[tuple[int, JsonObject]] = []
    for row in rows:
        record = row[1]
        read.add(text_of(record, "uuid"))
        if waiting:
            waiting.append(row)
            while waiting and (len(waiting) > ROWS_AHEAD or is_behind_parent(waiting[0][1], read)):
                yield from take_first(waiting)
        elif is_behind_parent(record, read):
            yield row
        else:
            waiting.append(row)
    while waiting:
        yield from take_first(waiting)


def is_behind_parent(record: JsonObject, read: set[str]) -> bool:
    """Whether the row is no answer and no result, or what it goes on from is read already."""
    return text_of(record, "parentUuid") in read or not is_answer_or_result(record)


def is_answer_or_result(record: JsonObject) -> bool:
    """Whether the row holds words or calls of the agent's, or a call's result."""
    if record.get("type") == "user":
        return any(block.get("type") == "tool_result" for block in content_blocks(record))
    return record.get("type") == "assistant"


def take_first(waiting: list[tuple[int, JsonObject]]) -> list[tuple[int, JsonObject]]:
    """Takes the first row off those that wait, and those that it goes on from: these before it, with its offset."""
    offset, record = waiting.pop(0)
    before = rows_up_to(waiting, text_of(record, "parentUuid")) if is_answer_or_result(record) else []
    for row in before:
        waiting.remove(row)
    return [*((offset, moved) for _, moved in before), (offset, record)]


def rows_up_to(rows: Sequence[tuple[int, JsonObject]], uuid: str) -> list[tuple[int, JsonObject]]:
    """The row with this uuid and those among the rows that it goes on from, in their order; none without it."""
    thread: list[tuple[int, JsonObject]] = []
    for row in reversed(rows):
        if uuid and row[1].get("uuid") == uuid:
            thread.insert(0, row)
            uuid = text_of(row[1], "parentUuid")
    return thread
