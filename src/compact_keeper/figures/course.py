"""(docstring)"""

from __future__ import annotations

import glob
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from compact_keeper.client.context import usage_tokens
from compact_keeper.figures.counting import MOST, Compaction, number
from compact_keeper.store.json_lines import parse_line, read_lines, records_of
from compact_keeper.store.refusal import Refusal
from compact_keeper.text.fields import text_of
from compact_keeper.types import Record

POINTS_MAX = 600  # of the line that shows the context: more are not to be told apart
HISTORY_MAX_BYTES = 16 << 20  # bytes of history.jsonl's end; a compaction takes some 15 KB
NEAR_SECONDS = 15 * 60  # seconds between what is told of one compaction: a summary takes minutes
SPENT = {  # of `usage`, and how it is told
    "input_tokens": "input, not cached", "cache_read_input_tokens": "input, read from the cache",
    "cache_creation_input_tokens": "input, written to the cache", "output_tokens": "output"}
TELLING_MARKS = (b'"usage"', b'"compact_boundary"')  # one of these is on every line that counts here


@dataclass
class Course:
    """What the transcript tells."""

    context: list[tuple[float, int]] = field(default_factory=list)  # time, tokens in the context of the main thread
    boundaries: list[Record] = field(default_factory=list)  # time, trigger, tokens before and after
    spent: dict[str, int] = field(default_factory=dict)  # tokens by the names of SPENT; empty where none are told


@dataclass
class Passage:
    """One compaction with all that is told of it; a part that is missing is None or empty."""

    time: float
    events: Compaction | None = None
    boundary: Record = field(default_factory=dict)
    restored: Record = field(default_factory=dict)  # lines of history.jsonl
    audited: Record = field(default_factory=dict)


def second(stamp: str) -> float:
    """Seconds since 1970 of a record's time; 0 for anything else."""
    try:
        return max(datetime.fromisoformat(stamp.replace("Z", "+00:00")).timestamp(), 0.0)
    except (ValueError, OverflowError, OSError):
        return 0.0


def transcript_of(session: str, told: str) -> str:
    """The session's transcript: the one told, else by its name in the client's folder; empty where there is none."""
    client = os.environ.get("CLAUDE_CONFIG_DIR") or os.path.join(os.path.expanduser("~"), ".claude")
    named = glob.glob(os.path.join(glob.escape(client), "projects", "*", f"{glob.escape(session)}.jsonl"))
    return next(filter(os.path.isfile, (told, *named)), "")


def read_course(path: str, since: float = 0.0) -> Course:
    """The course that the transcript tells of, from that time on; empty where it cannot be read."""
    course, answers = Course(), {}
    try:
        for record in telling_records(path):
            when, message = second(text_of(record, "timestamp")), record.get("message")
            if when < max(since, 1.0):
                continue
            if record.get("subtype") == "compact_boundary":
                course.boundaries.append(boundary_of(record, when))
            elif record.get("type") == "assistant" and isinstance(message, dict):
                name = text_of(message, "id") or text_of(record, "uuid")
                answers[name] = (when, message.get("usage"), record.get("isSidechain") is not True)
    except (OSError, Refusal):
        return Course()
    course.context = thinned(sorted(context_of(answers.values())))
    course.spent = spent(usage for _, usage, _ in answers.values())
    return course


def telling_records(path: str) -> Iterator[Record]:
    """The records that count here; one that a second compaction has written again comes once."""
    seen: set[str] = set()
    for _, line in read_lines(path, 0, os.path.getsize(path)) if path else ():
        if any(map(line.__contains__, TELLING_MARKS)):
            for record in parse_line(line):
                if not (name := text_of(record, "uuid")) or name not in seen:
                    seen.add(name)
                    yield record


def boundary_of(record: Record, when: float) -> Record:
    """What the client says of its compaction."""
    found = record.get("compactMetadata")
    told = found if isinstance(found, dict) else {}
    return {"time": when, "trigger": text_of(told, "trigger"), "before": number(told.get("preTokens")),
            "after": number(told.get("postTokens"))}


def context_of(answers: Iterable[tuple[float, object, bool]]) -> Iterator[tuple[float, int]]:
    """Time and tokens of the context that each of the main thread's answers was given."""
    for when, usage, is_main in answers:
        filled = usage_tokens({**usage, "output_tokens": 0}) if isinstance(usage, dict) else 0
        if is_main and 0 < filled < MOST:
            yield when, filled


def thinned(points: Sequence[tuple[float, int]]) -> list[tuple[float, int]]:
    """At most POINTS of the points: of each stretch the highest, so that no peak is lost; the first and the last."""
    if len(points) <= POINTS_MAX:
        return list(points)
    inner, room = points[1:-1], POINTS_MAX - 2
    edges = [len(inner) * number // room for number in range(room + 1)]
    peaks = [max(inner[start:end], key=lambda point: point[1]) for start, end in zip(edges, edges[1:])]
    return [points[0], *peaks, points[-1]]


def spent(usages: Iterable[object]) -> dict[str, int]:
    """Tokens of all answers, by the names of SPENT."""
    added: Counter[str] = Counter()
    for usage in usages:
        told = usage if isinstance(usage, dict) else {}
        added.update({name: int(number(told.get(name)) or 0) for name in SPENT if name in told})
    return {name: added[name] for name in SPENT if name in added}


def read_history(folder: str, since: float = 0.0) -> list[Record]:
    """The lines of the session's history from that time on; empty where there is none."""
    path = os.path.join(folder, "history.jsonl")
    try:
        size = os.path.getsize(path)
        found = list(records_of(path, max(size - HISTORY_MAX_BYTES, 0), size)) if not os.path.islink(path) else []
    except (OSError, Refusal):
        return []
    return [one for one in found if one.get("schema") == 1 and (number(one.get("time")) or -1) >= since]


def passages_of(compactions: Iterable[Compaction], course: Course, history: Iterable[Record]) -> list[Passage]:
    """The session's compactions in their order, each with what events, transcript and history tell of it."""
    passages = [Passage(moment_of(events), events) for events in compactions]
    for line in history:
        part = {"restore": "restored", "audit": "audited"}.get(text_of(line, "event"))
        if part:
            join(passages, part, line)
    for boundary in course.boundaries:
        join(passages, "boundary", boundary)
        boundary["after"] = boundary["after"] or next((filled for when, filled in course.context
                                                       if when > boundary["time"]), None)
    return sorted(passages, key=lambda one: one.time)


def moment_of(compaction: Compaction) -> float:
    """When the text was put back, else when the summary came, else when it was saved."""
    times = {name: float(one["time"]) for name, one in compaction.events.items()}
    return next((times[name] for name in ("restore", "audit", "save") if name in times), compaction.began)


def join(passages: list[Passage], part: str, told: Record) -> None:
    """Adds the part to the nearest compaction that lacks it, or to a new one where none is near."""
    def distance(one: Passage) -> float:
        return abs(one.time - float(told["time"]))
    lacking = [one for one in passages if not getattr(one, part) and distance(one) <= NEAR_SECONDS]
    if not lacking:
        lacking = [Passage(told["time"])]
        passages += lacking
    setattr(min(lacking, key=distance), part, told)
