"""Made-up data folders for the tests of stats.py: events, histories and transcripts as hooks and client write them."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from sessions import CWD, SESSION_ID, START, Session

JsonObject = dict[str, Any]

RULES = ("Never touch the alpha table.", "Run the linter before every commit, without exception.",
         "Answers in German, code and comments in English.", "No new dependency without asking first.")
FILES = ("src/rates/table.py", "src/rates/parcel.py", "tests/test_parcel.py", "docs/zones.md", "Makefile")
PROJECTS = ("parcel-rates", "harbour", "öre-tables")
INJECTIONS = (  # words that would come alive in a page that does not escape them
    "<script>alert(1)</script>", "</style><img src=x onerror=alert(2)>", "--> <!-- ]]> <![CDATA[",
    '"><svg onload=alert(3)>', "' onfocus='alert(4)", "</title></head></body></html>", "&lt;b&gt; &#60;i&#62;",
    "\u202eRTL\u2066 \u200f", "\ud800 \udfff", "`</code><script>alert(5)</script>`",
    "{{7*7}} ${alert(6)} \\u003cscript\\u003e", "javascript:alert(7)", "\0\x1b]0;x\x07")
SECTIONS = {  # heading, kind, a line
    "Standing rules, as the user typed them": ("rule", '- "{rule}" (typed {n} min before)'),
    "Where it ended": (
        "message", "- The user's newest message: ({n} min before) \"Let the zones of {file} tell islands.\""),
    "Tasks": ("task", "- [ ] Round up to whole grams in {file} (after {n})"),
    "What was done, newest first, and how it ended": (
        "action", "- `make test FILE={file}` → passed: {n} passed ({n} runs)"),
    "Seen and not acted on": ("look", "- Read {file}, {n} hits"),
    "What the agent said before its last words, newest first": (
        "said", "- ({n} min before) Zones stay a table, because the carrier changes them each {n} months.")}


def event(name: str, second: float, session: str = SESSION_ID, **fields: Any) -> JsonObject:
    """A line of events.jsonl, so many seconds after a made-up session's begin."""
    return {"schema": 1, "time": START + second, "event": name, "session": session, **fields}


def stop(second: float, ms: float = 24, session: str = SESSION_ID, **fields: Any) -> JsonObject:
    """A save at Stop, its fields in the order in which save_snapshot.py writes them."""
    return event("save", second, session, on="Stop", items=120, cycle=1, **fields, ms=ms)


def compaction(second: int, outcome: str = "verified", session: str = SESSION_ID, **more: Any) -> list[JsonObject]:
    """The events of one compaction that ended so."""
    shown = {"rule": 4, "message": 4, "task": 6, "answer": 2, "said": 3, "look": 12, "action": 30}
    events = [event("save", second, session, on="PreCompact", items=180, cycle=1, ms=31),
              event("restore", second + 30, session, units=8_200, ms=22, shown=shown),
              event("audit", second + 31, session, contradicted=2, left_out=1, kinds={"check": 2, "rule": 1},
                    trigger="auto", units=410, ms=9)]
    ends = {"verified": [event("receipt", second + 90, session, verified=True)],
            "cannot tell": [event("receipt", second + 90, session, verified=False)],
            "repaired": [event("repair", second + 90, session, units=8_100)], "unchecked": []}
    lines = {"missed": [events[0], events[2]], "unfinished": events[:1]}.get(outcome) or events + ends[outcome]
    return [{**line, "id": f"{second:x}", **more} for line in lines]


def history(second: int, size: int = 70, text: str = "") -> list[JsonObject]:
    """The two lines of history.jsonl for a compaction; `text` stands in a line and in a finding."""
    lines = []
    for number in range(size):
        title, (kind, line) = list(SECTIONS.items())[number * len(SECTIONS) // size]
        worded = line.format(rule=RULES[number % len(RULES)], file=FILES[number % len(FILES)], n=number % 50 + 2)
        lines.append({"kind": kind, "section": title, "line": worded})
    lines[:0] = [{"kind": "rule", "section": next(iter(SECTIONS)), "line": text}
                 for _ in range(bool(text))]
    findings = [{"what": "left out", "kind": "rule", "text": "", "record": text or RULES[1]},
                {"what": "contradicted", "kind": "check", "text": "All zones are covered by passing tests.",
                 "record": "the last run of `make test` failed: 2 failed, 40 passed"},
                {"what": "contradicted", "kind": "check", "text": text or "`make lint` passes.",
                 "record": "lint: 3 errors"}]
    return [{"schema": 1, "time": START + second + 30, "event": "restore", "id": f"{second:x}", "position": second,
             "cycle": 1, "units": 8_200, "lines": lines},
            {"schema": 1, "time": START + second + 31, "event": "audit", "id": f"{second:x}", "found": findings}]


def transcript(lines: int, compactions: Iterable[int]) -> Session:
    """A session of so many lines, each a second after the one before, which was compacted at these lines."""
    session, seeded, filled, ahead = Session(), random.Random(7), 24_000, sorted(compactions)
    most = 600_000 * (len(ahead) + 1) // lines  # tokens that an answer adds: at each compaction the context is full
    while len(session.records) < lines:
        if ahead and session.number() >= ahead[0]:
            session.system("compact_boundary", compactMetadata={
                "trigger": "auto" if len(ahead) % 3 else "manual", "preTokens": filled, "postTokens": 24_000})
            ahead.pop(0)
            filled = 24_000
        filled += seeded.randrange(most)
        session.assistant({"type": "text", "text": "Next: the zones."}, usage={
            "input_tokens": 12, "cache_read_input_tokens": filled - 812, "cache_creation_input_tokens": 800,
            "output_tokens": seeded.randrange(600)})
        session.user([{"type": "tool_result", "tool_use_id": f"toolu_{session.number()}", "content": "ok " * 200}])
    return session


def write_lines(path: Path, records: Iterable[JsonObject]) -> Path:
    """Appends the records to the file, a line each."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as file:
        file.writelines(json.dumps(record, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n"
                        for record in records)
    return path


def make_home(home: Path, compactions: int = 3, lines: int = 600, text: str = "") -> Path:
    """A data folder with one session of so many compactions and its transcript of so many lines; returns the folder."""
    every = lines // (compactions + 1)
    seconds = [every * (number + 1) for number in range(compactions)]
    outcomes = ("verified", "repaired", "verified", "cannot tell")
    folder = home / "sessions" / SESSION_ID
    for number, second in enumerate(seconds):
        write_lines(home / "events.jsonl", [
            *(stop(second - 9 * turn, 20 + turn, cleared=turn // 7, recorded={"1.4": 12, "2.0": 3})
              for turn in range(8)),
            *compaction(second - 31, outcomes[number % 4])])
        write_lines(folder / "history.jsonl", history(second - 31, text=text if not number else ""))
    path = transcript(lines, seconds).write(home.parent / f"{SESSION_ID}.jsonl")
    status = {"schema": 1, "time": START, "tasks": 4, "rules": 3, "items": 180, "cycle": 1, "project": CWD,
              "transcript": str(path)}
    write_lines(folder / "status.json", [status])
    return home


def make_sessions(home: Path, count: int) -> Path:
    """A data folder with so many sessions of different sizes; returns the folder."""
    for number in range(count):
        name = f"{number:08x}-0000-4000-8000-000000000001"
        write_lines(home / "events.jsonl", [
            *(stop(number * 4_000 + turn * 60, 20 + number % 17 + turn, name) for turn in range(number % 5 + 2)),
            *(line for turn in range(number % 4) for line in compaction(
                number * 4_000 + turn * 700, ("verified", "missed", "repaired")[number % 3], name))])
        write_lines(home / "sessions" / name / "status.json", [
            {"schema": 1, "time": START, "project": f"/home/ada/{PROJECTS[number % 3]}"}])
    return home
