"""The course of a session in numbers: its context over time, the tokens spent, where it was compacted.

Of the transcript only numbers, times and the words manual and auto are taken.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from compact_keeper.client.entries import fields_of_compaction
from compact_keeper.client.tokens import usage_tokens
from compact_keeper.figures.compactions import NEAR_SECONDS
from compact_keeper.figures.counting import count
from compact_keeper.store.json_lines import parse_line, read_lines
from compact_keeper.store.refusal import Refusal
from compact_keeper.text.fields import FIGURE_MAX, text_of
from compact_keeper.types import Figures, JsonObject

POINTS_MAX = 600  # of the line that shows the context: more are not to be told apart
SPENT = {  # fields of `usage`, and their words for people
    "input_tokens": "input, not cached", "cache_read_input_tokens": "input, read from the cache",
    "cache_creation_input_tokens": "input, written to the cache", "output_tokens": "output"}
TELLING_MARKS = (b'"usage"', b'"compact_boundary"')  # one of these is on every line that counts here


@dataclass
class Course:
    """What the transcript tells."""

    context: list[tuple[float, int]] = field(default_factory=list)  # time, tokens in the context of the main thread
    boundaries: list[JsonObject] = field(default_factory=list)  # events as a save notes them
    spent: dict[str, int] = field(default_factory=dict)  # tokens by the names of SPENT; empty where none are told


def read_course(path: str) -> Course:
    """The course that the transcript tells of; empty where it cannot be read."""
    course = Course()
    answers: dict[str, tuple[float, object, bool]] = {}  # time, usage, whether the main thread's; by message
    try:
        for record in telling_records(path):
            when = second(text_of(record, "timestamp"))
            message = record.get("message")
            if when < 1:
                continue
            if record.get("subtype") == "compact_boundary":
                course.boundaries.append(boundary_of(record, when))
            elif record.get("type") == "assistant" and isinstance(message, dict):
                name = text_of(message, "id") or text_of(record, "uuid")
                answers[name] = (when, message.get("usage"), record.get("isSidechain") is not True)
    except (OSError, Refusal):
        return Course()
    course.context = thinned(sorted(context_of(answers.values())))
    course.spent = tokens_spent(usage for _, usage, _ in answers.values())
    for boundary in course.boundaries:
        following = (tokens for when, tokens in course.context if when > boundary["time"])
        boundary["tokens_after"] = boundary["tokens_after"] or next(following, None)
    return course


def with_tokens(figures: Figures, transcript: str) -> Figures:
    """A session's figures; of its last compaction with the tokens that its transcript tells and no event does yet.

    The next save notes them; until then the transcript is read.
    """
    last = figures["each"][-1:]
    if not last or "tokens_before" in last[0]:
        return figures
    near = [row for row in read_course(transcript).boundaries if abs(row["time"] - last[0]["time"]) <= NEAR_SECONDS]
    tokens: Any = {name: near[-1][name] for name in ("tokens_before", "tokens_after") if near and near[-1][name]}
    return {**figures, "each": [*figures["each"][:-1], {**last[0], **tokens}]}


def telling_records(path: str) -> Iterator[JsonObject]:
    """The records that count here; one that a second compaction has written again comes once."""
    seen: set[str] = set()
    for _, line in read_lines(path, 0, os.path.getsize(path)) if path else ():
        if any(map(line.__contains__, TELLING_MARKS)):
            for record in parse_line(line):
                if not (name := text_of(record, "uuid")) or name not in seen:
                    seen.add(name)
                    yield record


def second(stamp: str) -> float:
    """Seconds since 1970 of a record's time; 0 for anything else."""
    try:
        return max(datetime.fromisoformat(stamp.replace("Z", "+00:00")).timestamp(), 0.0)
    except (ValueError, OverflowError, OSError):
        return 0.0


def boundary_of(record: JsonObject, when: float) -> JsonObject:
    """What the client says of its compaction."""
    about = fields_of_compaction(record)
    before, after = [*about.get("tokens", []), None, None][:2]
    return {"event": "boundary", "time": when, "trigger": about.get("trigger", ""),
            "tokens_before": before, "tokens_after": after}


def context_of(answers: Iterable[tuple[float, object, bool]]) -> Iterator[tuple[float, int]]:
    """Time and tokens of the context that each of the main thread's answers was given."""
    for when, usage, is_main in answers:
        filled = usage_tokens({**usage, "output_tokens": 0}) if isinstance(usage, dict) else 0
        if is_main and 0 < filled < FIGURE_MAX:
            yield when, filled


def thinned(points: Sequence[tuple[float, int]]) -> list[tuple[float, int]]:
    """At most POINTS_MAX of the points: the first, the last, and of each stretch the highest: no peak is lost."""
    if len(points) <= POINTS_MAX:
        return list(points)
    inner, room = points[1:-1], POINTS_MAX - 2
    edges = [len(inner) * number // room for number in range(room + 1)]
    peaks = [max(inner[start:end], key=lambda point: point[1]) for start, end in zip(edges, edges[1:])]
    return [points[0], *peaks, points[-1]]


def tokens_spent(usages: Iterable[object]) -> dict[str, int]:
    """Tokens of all answers, by the names of SPENT."""
    added: Counter[str] = Counter()
    for usage in usages:
        if isinstance(usage, dict):
            added.update({name: count(usage, name) for name in SPENT if name in usage})
    return {name: added[name] for name in SPENT if name in added}
