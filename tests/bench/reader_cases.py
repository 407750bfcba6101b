"""The cases of the reader's test: compactions in transcripts, what lay before and after, and what each reader gets.

A Case is one compaction of a main thread that the client wrote a summary for. From it come: the story of what lay
before and of what was done after it (for whoever writes the questions), the client's own new context (the condition
"summary"), and what our hooks add to it (the condition "ours"). Transcripts are only read.
Python 3.9+, standard library only.
"""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import replay  # first: it makes the sources importable
from compact_keeper.client.transcript import content_blocks, own_words, typed_text
from compact_keeper.text.length import units
from compact_keeper.text.times import moment
from shipped import hook_command

JsonObject = dict[str, Any]

TYPED_MAX, SAID_MAX, CALL_MAX, RESULT_MAX, ERROR_MAX = 6_000, 3_000, 900, 500, 1_500  # characters of a story's parts
TYPED_SHARE = 0.5  # of a story's length, at most, goes to the person's words before anything else is chosen
QUEUED_PARTS_MAX = 40  # of a story, between words in the queue and the same words sent
GAP = "[…]"  # where parts of a story are left out
NO_SESSION = "00000000-0000-4000-8000-000000000000"  # of a transcript that names none
EVENTS = {"PreCompact": 0, "SubagentStop": 0, "SessionStart": 0, "PostCompact": 0, "PostToolUse": 1}  # which command


class Case(NamedTuple):
    """A compaction: the records before it, and those from its boundary to the next; `prefix` bytes lie before it."""

    name: str
    file: Path
    prefix: int
    seconds: int  # since 1970, when it was compacted
    before: list[JsonObject]
    after: list[JsonObject]


# --- finding them ---


def find_cases(paths: Iterable[Path], most: int, least_before: int, least_after: int) -> list[Case]:
    """The newest compactions at or below the paths, newest first, each once: a fork's file holds its parent's too."""
    cases: dict[str, Case] = {}
    for changed, file in sorted(((file.stat().st_mtime, file) for file in replay.transcripts(paths, "all")),
                                reverse=True):
        if len(cases) == most and changed < min(case.seconds for case in cases.values()):
            break  # a file holds nothing that is newer than its last change
        for uuid, case in compactions_of(file):
            if case_fits(case, least_before, least_after) and case.name not in {other.name for other in cases.values()}:
                cases.setdefault(uuid, case)
        newest = sorted(cases.items(), key=lambda pair: -pair[1].seconds)[:most]
        cases = dict(newest)
    return list(cases.values())


def compactions_of(file: Path) -> Iterator[tuple[str, Case]]:
    """Each compaction of the file that has a boundary and a summary, after the boundary's uuid."""
    if b'"compact_boundary"' not in file.read_bytes():
        return
    offsets, records = replay.read_records(file)
    starts = replay.compactions(records)
    for number, (at, stop) in enumerate(zip(starts, [*starts[1:], len(records)]), 1):
        if records[at].get("subtype") == "compact_boundary":
            name = f"{re.sub(r'[^A-Za-z0-9._-]', '_', file.stem)[:60]}-{number}"
            case = Case(name, file, offsets[at], moment(str(records[at].get("timestamp"))), records[:at],
                        records[at:stop])
            yield str(records[at].get("uuid") or name), case


def case_fits(case: Case, least_before: int, least_after: int) -> bool:
    """Whether there is a summary, and enough work of the thread on both sides to ask about."""
    work = [record for record in case.after[first_answer(case.after):] if record["type"] in ("user", "assistant")]
    known = [record for record in case.before if record["type"] in ("user", "assistant")]
    return bool(summary_of(case)) and len(known) >= least_before and len(work) >= least_after


def first_answer(after: list[JsonObject]) -> int:
    """Where the agent first wrote after the compaction: what lies before that is what it began from."""
    return next((at for at, record in enumerate(after) if record["type"] == "assistant"), len(after))


def summary_of(case: Case) -> str:
    """The summary as it stands in the new context; empty where there is none."""
    summaries = (record for record in case.after[:first_answer(case.after)] if record.get("isCompactSummary"))
    return next(("\n".join(str(block.get("text") or "") for block in content_blocks(record))
                 for record in summaries), "").strip()


# --- what readers get ---


def own_context(case: Case) -> str:
    """What the client itself gives the agent to begin from: the summary, what it reads again, the messages it keeps."""
    given = [record for record in case.after[:first_answer(case.after)] if record["type"] in ("user", "attachment")]
    kept = replay.preserved(case.before, case.after[0].get("compactMetadata"))
    return "\n\n".join(filter(None, map(replay.record_text, given + kept)))


def recap_of(case: Case) -> str:
    """What our hooks add, run as the client runs them around the compaction, with an empty data folder and project.

    The project is empty because the real one has gone on since; what git and files say now would be the future.
    """
    folder = Path(tempfile.mkdtemp(prefix="reader-"))
    try:
        project = folder / "project"
        project.mkdir()
        (folder / "keeper").mkdir()
        session = next((str(record["sessionId"]) for record in reversed(case.before) if record.get("sessionId")),
                       NO_SESSION)
        transcript = folder / f"{Path(session).name}.jsonl"
        with case.file.open("rb") as source:
            transcript.write_bytes(source.read(case.prefix))
        base = {"session_id": session, "transcript_path": str(transcript), "cwd": str(project)}
        fields = event_fields(summary_of(case))
        texts = {event: replay.delivered(replay.run(
            hook_command(event, number), {**base, "hook_event_name": event, **fields[event]}, str(folder))[0])
            for event, number in EVENTS.items()}
    finally:
        shutil.rmtree(folder, ignore_errors=True)  # a process that a hook started may write there still
    arrived = (text[:replay.PREVIEW] if units(text) > replay.CAP else text
               for text in (texts["SessionStart"], texts["PostToolUse"]))
    return "\n\n".join(filter(None, arrived))


def event_fields(summary: str) -> dict[str, JsonObject]:
    """What the client tells each hook beside session, transcript and folder."""
    body = summary.partition("Summary:\n")[2] or summary
    answer = f"<analysis>\nThe conversation in order.\n</analysis>\n\n<summary>\n{body}\n</summary>"
    return {
        "PreCompact": {"trigger": "auto", "custom_instructions": None},
        "SubagentStop": {"agent_type": "", "agent_id": "a0123456789abcdef", "stop_hook_active": False,
                         "last_assistant_message": answer},
        "SessionStart": {"source": "compact"},
        "PostCompact": {"trigger": "auto", "compact_summary": summary},
        "PostToolUse": {"tool_name": "Bash", "tool_use_id": "toolu_first", "tool_input": {"command": "true"},
                        "tool_response": {"stdout": "", "stderr": "", "interrupted": False}}}


# --- what the writer of the questions gets ---


def story_before(case: Case, most: int) -> str:
    """What was said and done before the compaction: of a long session the person's words and the newest work."""
    return story(case.before, most, newest=True)


def story_after(case: Case, most: int) -> str:
    """What was said and done after it: of much the beginning."""
    return story(case.after[first_answer(case.after):], most, newest=False)


def story(records: list[JsonObject], most: int, newest: bool) -> str:
    """The records as text of at most `most` characters; a mark stands where parts are left out."""
    parts = [part for record in records for part in record_parts(record)]
    parts = [part for at, part in enumerate(parts)  # words that waited in the queue stand again where they were sent
             if not (part.startswith("USER:") and part in parts[max(at - QUEUED_PARTS_MAX, 0):at])]
    typed = [at for at, part in enumerate(parts) if part.startswith("USER:")]
    work = [at for at, part in enumerate(parts) if not part.startswith("USER:")]
    if newest:
        typed, work = typed[:1] + typed[:0:-1], work[::-1]  # the first words are the task
    chosen = fitting(typed, parts, int(most * TYPED_SHARE))
    chosen |= fitting(work, parts, most - sum(len(parts[at]) + 2 for at in chosen))
    lines, in_gap = list[str](), False
    for at, part in enumerate(parts):
        if at in chosen or not in_gap:
            lines.append(part if at in chosen else GAP)
        in_gap = at not in chosen
    return shortened("\n\n".join(lines), most)


def fitting(order: list[int], parts: list[str], room: int) -> set[int]:
    """The parts that fit into so many characters, in their order up to the first that does not."""
    chosen = set[int]()
    for at in order:
        room -= len(parts[at]) + 2
        if room < 0:
            break
        chosen.add(at)
    return chosen


def record_parts(record: JsonObject) -> Iterator[str]:
    """What a record tells of the story, each part shortened: typed, said, called, resulted."""
    if record.get("isCompactSummary") or record.get("isMeta"):
        return  # an earlier summary is no part of what happened
    queued = record["type"] == "queue-operation" and record.get("operation") == "enqueue"
    typed = own_words(str(record.get("content") or "")) if queued else typed_text(record, {})
    if typed:
        yield f"USER: {shortened(typed, TYPED_MAX)}"
        return
    for block in content_blocks(record):
        kind, text = block.get("type"), str(block.get("text") or "").strip()
        if kind == "text" and text:
            yield f"{'AGENT' if record['type'] == 'assistant' else 'CLIENT'}: {shortened(text, SAID_MAX)}"
        elif kind == "tool_use":
            given = json.dumps(block.get("input"), ensure_ascii=False)
            yield f"CALL {block.get('name')}: {shortened(given, CALL_MAX)}"
        elif kind == "tool_result":
            label, most = ("ERROR", ERROR_MAX) if block.get("is_error") else ("RESULT", RESULT_MAX)
            yield f"{label}: {shortened(chr(10).join(replay.strings(block.get('content'))), most)}"


def shortened(text: str, most: int) -> str:
    """At most so many characters: two thirds of them the beginning, the rest the end."""
    if len(text) <= most:
        return text
    room = max(most - len(" […] "), 0)
    return f"{text[:room * 2 // 3]} […] {text[len(text) - room // 3:]}"[:most]
