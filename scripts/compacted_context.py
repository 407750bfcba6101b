#!/usr/bin/env python3
"""Whose context is compacted: the main thread's or a subagent's, where the client does not say.

restore_snapshot.py asks at SessionStart (at PreCompact the last lines may be missing). Up to 2.1.280 a subagent's
compaction comes with the main session's id and path and nothing else (measured with seven clients from 2.1.76 on);
2.1.329 adds agent_id, so that without it the main thread is meant. What tells it apart before lies in the transcripts:
a thread is compacted between a tool's result (or a prompt) and the next request, never while it waits for a call or
after its turn has ended.

`records_of` is the caller's reader: the records of a file from one byte offset to another.
Nothing is written. Python 3.9+, standard library only.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterable, Iterator

TYPE_CHECKING = False  # typing itself is not imported: it costs a hook 2.7 ms
if TYPE_CHECKING:
    from typing import Any

    Record = dict[str, Any]
    Reader = Callable[[str, int, int], Iterator[Record]]

LATE = 0.15  # seconds by which a transcript may be late (82 ms measured): as long it is waited for
TELLING = (2, 1, 329)  # clients whose hook input names the subagent
TAIL, AT_WORK = 1 << 20, 8  # bytes of a transcript's end that tell where its thread stands; subagents looked at


def subagents_folder(transcript: str) -> str:
    """Where the client keeps the transcripts of a session's subagents, as agent-<id>.jsonl."""
    return transcript.removesuffix(".jsonl") + "/subagents"


def last_records(path: str, records_of: Reader) -> list[Record]:
    """The records at the file's end."""
    size = os.path.getsize(path) if os.path.isfile(path) else 0
    return list(records_of(path, max(size - TAIL, 0), size)) if size else []


def subagents_of(transcript: str) -> list[os.DirEntry[str]]:
    """The transcripts of the session's subagents that were written last, the newest first."""
    folder = subagents_folder(transcript)
    files = os.scandir(folder) if os.path.isdir(folder) else ()
    found = [file for file in files if re.fullmatch(r"agent-.+\.jsonl", file.name) and os.path.isfile(file)]
    return sorted(found, key=lambda file: -file.stat().st_mtime)[:AT_WORK]


def compacted_agent(transcript: str, records_of: Reader) -> str:
    """The id of the subagent whose context an automatic compaction was about; empty for the main thread.

    Right for 71 of 71 compactions measured, 21 of them of subagents, in tiny sessions.
    """
    until = time.monotonic() + LATE
    while True:
        records = last_records(transcript, records_of)
        main, client = standing(records), max(map(version, records), default=())
        for file in subagents_of(transcript) if client < TELLING else ():
            agent = standing(last_records(file.path, records_of))
            if agent["awaits"] == "answer" and (main["awaits"] != "answer" or agent["usage"] > main["usage"]):
                return file.name[len("agent-"):-len(".jsonl")]
        if client >= TELLING or main["awaits"] == "answer" or time.monotonic() > until:
            return ""
        time.sleep(LATE / 10)  # one of the threads was compacted: its last lines are still to come


def version(record: Record) -> tuple[int, ...]:
    """The client's version that wrote the record; () when it names none."""
    found = re.match(r"(\d{1,6})\.(\d{1,6})\.(\d{1,6})", str(record.get("version", "")))
    return tuple(map(int, found.groups())) if found else ()


def standing(records: Iterable[Record]) -> Record:
    """What a thread waits for by its last records (a call's result, the model's answer, nothing), and its tokens."""
    pending: set[str] = set()
    awaits, usage = "", 0
    for record in records:
        message = record.get("message")
        if record.get("type") not in ("user", "assistant") or not isinstance(message, dict):
            continue
        content = message.get("content")
        blocks = [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []
        pending |= {str(block.get("id")) for block in blocks if block.get("type") == "tool_use"}
        pending -= {str(block.get("tool_use_id")) for block in blocks if block.get("type") == "tool_result"}
        awaits = "result" if pending else "answer" if record["type"] == "user" else ""
        usage = tokens(message.get("usage")) or usage
    return {"awaits": awaits, "usage": usage}


def tokens(usage: object) -> int:
    """Tokens in the context after an answer, as its `usage` tells; 0 where it does not tell those of the request."""
    names = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens")
    counts = [usage.get(name) for name in names] if isinstance(usage, dict) else [None]
    numbers = [count for count in counts if type(count) is int and count > 0]  # True is no number
    return sum(numbers) if type(counts[0]) is int else 0


def task_of(transcript: str, agent: str, records_of: Reader) -> tuple[str, int]:
    """The words that the subagent was given (the first record of its transcript), and that transcript's bytes."""
    path = os.path.join(subagents_folder(transcript), f"agent-{agent}.jsonl")
    if not os.path.isfile(path):
        return "", 0
    message = next(records_of(path, 0, 1), {}).get("message")
    told = message.get("content") if isinstance(message, dict) else ""
    return told if isinstance(told, str) else "", os.path.getsize(path)
