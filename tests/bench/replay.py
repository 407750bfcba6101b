#!/usr/bin/env python3
"""Replay real sessions: what the work after a compaction used, what the client lost of it, what the hooks gave back.

Usage: replay.py [PATHS…] [--half fit|check] [--budget N,…] [--peer NAME=COMMAND] [--limit N] [--show CASE | --json]

Reads   transcripts: files, or folders with *.jsonl anywhere below; by default the client's own projects folder. A case
        is one compaction of a main thread with 20 tool calls before it and 8 after. The prefix (all before it) goes to
        the hooks; the future (up to 50 calls after it) tells what was needed; the client's context (all between it
        and the next answer, and the messages kept verbatim) tells what of that was not lost.
Runs    the hooks of PreCompact and SessionStart as hooks.json has them, each time with an empty data folder; a peer is
        a shell command that gets the PreCompact JSON and then the SessionStart JSON, in a HOME of its own.
Scores  lost paths, commands, values and directives that stand in what arrives: over the client's cap, the beginning.
Prints  a table, a row for each tool and budget, and how much was asked for; --show prints one case to read.

Transcripts are only read. --half splits the sessions by their file names: weights are fitted to one half and checked
on the other. Exits 0, 1 when there is nothing to replay, 2 on a usage error. Python 3.9+, standard library only.
"""

from __future__ import annotations

import argparse
import json
import os
import posixpath
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

SOURCES = str(Path(__file__).resolve().parents[2] / "src")
sys.path[:0] = [SOURCES] if SOURCES not in sys.path else []

from compact_keeper.client.transcript import content_blocks, own_words, typed_text  # noqa: E402
from compact_keeper.store.json_lines import parse_line, read_lines  # noqa: E402
from compact_keeper.text.length import units  # noqa: E402
from shipped import hook_command, hook_environment  # noqa: E402

JsonObject = dict[str, Any]
Figures = dict[str, "float | None"]

CATEGORIES = ("path", "command", "value")
CALLS_BEFORE, CALLS_AFTER, FUTURE = 20, 8, 50  # fewer say little of what is needed; no snapshot foresees later needs
CAP, PREVIEW = 10_000, 2_000  # UTF-16 units; of a longer hook output the first 2,000 characters arrive
TIMEOUT = 60.0  # seconds; the client gives hooks 5 to 15, but a slow machine is no fault of theirs
EVENTS: tuple[JsonObject, ...] = (
    {"hook_event_name": "PreCompact", "trigger": "auto", "custom_instructions": None},
    {"hook_event_name": "SessionStart", "source": "compact"})
PRESERVED = ("preservedMessages", "preservedSegment")  # in compactMetadata
KINDS = ("user", "assistant", "attachment", "system", "queue-operation")  # other records never reach the model
COLUMNS = {  # of the table, with their digits
    "cases": 0, "path": 3, "command": 3, "value": 3, "mean": 3, "directives": 2, "characters": 0, "hits/1,000 chars": 2,
    "empty": 0, "over cap": 0, "save ms": 0, "restore ms": 0, "unused lines": 2}

PATH_INPUTS = ("file_path", "notebook_path", "path")
VALUE_INPUTS = ("command", "pattern", "query", "url", "old_string", "prompt", "description")
COMMAND_LENGTH, DIRECTIVE_LENGTH = range(6, 161), range(15, 301)  # characters
DOMAINS = r"(?:com|org|net|io|dev|ai|app|local|internal|test|example)"  # else main.go:42 is a host with a port
URL = r"\b[a-zA-Z][\w+.-]*://[^\s\"'<>`|\\()\[\]{}]+"
HEREDOC = re.compile(r"(?sm)(?<!<)<<-?\s*[\"'\\]?(\w+)[\"']?(?P<rest>[^\n]*\n).*?(?:^\s*\1\s*$|\Z)")
CHANGED_FOLDER = re.compile(r"\A\s*(?:cd\s+(?:\"[^\"]*\"|'[^']*'|\S+)\s*&&\s*)+")
SHELL_BREAK = re.compile(r"[\s;|&()<>\"'`=,:]+")
PATH_WORD = re.compile(  # marked as a path, or with an ending, or of three parts: `and/or` and `origin/main` are none
    rf"(?!-|[sy]/|[\w-]+(?:\.[\w-]+)*\.{DOMAINS}/|/dev/|.*//)(?=.*[a-zA-Z])"
    r"(?:(?:~|\.\.?)?/[\w.@+~/-]+|[\w.@+~-]+/(?:[\w.@+~/-]*\.\w{1,8}|[\w.@+~-]+/[\w.@+~/-]*))")
VALUE = re.compile(
    rf"(?a)(?P<url>{URL})"
    rf"|(?P<host>(?<![\w.-])(?:localhost|\d{{1,3}}(?:\.\d{{1,3}}){{3}}|[\w-]+(?:\.[\w-]+)*\.{DOMAINS}):\d{{2,5}}(?!\d))"
    r"|(?P<path>(?<![\w.@~+/-])[\w.@~+-]*/[\w.@~+-][\w.@/~+-]*)"  # a fact of its own: its parts are not counted again
    r"|(?P<flag>(?<![\w-])--[a-zA-Z][\w-]+)|(?P<number>(?<![\w#&])#\d+(?!\w))|(?P<test>(?<!\w)(?:Test[A-Z]\w+|test_\w+))"
    r"|(?P<version>(?<![\w.])(?:v\d+\.\d+(?:\.\d+)?|\d+\.\d+\.\d+)(?:-(?:alpha|beta|rc|pre)[\w.]*)?(?!\w|\.\d))"
    r"|(?P<hex>(?<![\w-])(?=[0-9a-fA-F-]*\d)[0-9a-fA-F]{7,}(?:-[0-9a-fA-F]{4,})*(?![\w-]))"  # `deadbeef` is a word
    r"|(?P<constant>(?<!\w)[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+(?!\w))"
    r"|(?P<name>(?<!\w)(?=[a-z_]\w{7})\w*?[a-z0-9](?:_[a-z0-9]|[A-Z])\w*)")
CUE = re.compile(
    r"(?i)\b(?:never|always|don['’]?t|do not|must(?:n['’]?t)?|should(?:n['’]?t)?|only|make sure|instead|avoid|remember"
    r"|prefer|use|keep|from now on|i (?:said|want|need|asked|told you))\b")
SHINGLE, COVERED = 4, 0.6  # words; the share of a sentence's shingles that makes it present


class Case(NamedTuple):
    """A compaction: the first `prefix` bytes of the file are what the hooks see, lost is what they may give back."""

    name: str
    session: str
    file: Path
    prefix: int
    cwd: str
    lost: dict[str, list[str]]
    directives: list[str]


class Hits(NamedTuple):
    """What a text gave back of a case's losses; units, lines (no empty ones) and used lines are of what arrives."""

    given: dict[str, list[str]]
    directives: list[str]
    units: int
    over_cap: bool
    lines: int
    used_lines: int


class Tool(NamedTuple):
    """A row of the table: the commands of its two hooks, and its config.json; None for a peer."""

    name: str
    hooks: list[list[str]]
    config: JsonObject | None


class Outcome(NamedTuple):
    """A tool's run on a case: the text it printed, the score, and how long its processes took."""

    case: Case
    text: str
    hits: Hits
    save_ms: float
    restore_ms: float


# --- read: the main thread of a session, and where it was compacted ---


def transcripts(paths: Iterable[Path], half: str) -> list[Path]:
    """The transcripts at or below the paths; of a half those whose name's hash says so, whatever folder they are in."""
    files = {file.resolve() for path in paths for file in ([path] if path.is_file() else path.rglob("*.jsonl"))}
    return sorted(file for file in files if file.is_file()
                  and half in ("all", ("fit", "check")[sha256(file.name.encode()).digest()[0] % 2]))



def read_records(file: Path) -> tuple[list[int], list[JsonObject]]:
    """The offsets of the main thread's records in the file, and the records; written again, one counts once."""
    offsets, records, seen, start = list[int](), list[JsonObject](), set[str](), 0
    for end, line in read_lines(str(file), 0, file.stat().st_size):
        for record in parse_line(line):
            uuid = str(record.get("uuid") or "")
            if record.get("type") in KINDS and not record.get("isSidechain") and uuid not in seen:
                offsets.append(start)
                records.append(record)
                seen.update([uuid] if uuid else [])
        start = end
    return offsets, records


def compactions(records: list[JsonObject]) -> list[int]:
    """Where the compactions begin: at a boundary, in old files at a summary that has none."""
    starts, summary_due = list[int](), False
    for index, record in enumerate(records):
        boundary, summary = record.get("subtype") == "compact_boundary", bool(record.get("isCompactSummary"))
        if boundary or (summary and not summary_due):
            starts.append(index)
        if boundary or summary or record["type"] == "assistant":
            summary_due = boundary
    return starts


def tool_calls(records: Iterable[JsonObject]) -> list[tuple[str, JsonObject]]:
    """Name and input of each tool call."""
    blocks = (block for record in records if record["type"] == "assistant" for block in content_blocks(record))
    return [(str(block.get("name")), block["input"]) for block in blocks
            if block.get("type") == "tool_use" and isinstance(block.get("input"), dict)]


def strings(value: Any) -> Iterator[str]:
    """Every text inside a JSON value, decoded; pictures are none."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list) or (isinstance(value, dict) and value.get("type") != "base64"):
        for inner in value if isinstance(value, list) else value.values():
            yield from strings(inner)


def record_text(record: JsonObject) -> str:
    """What the model was given or wrote in a record: no thoughts, nothing that other hooks said."""
    parts: list[Any] = [record.get("content")] if record["type"] in ("system", "queue-operation") else []
    attachment = record.get("attachment")
    if isinstance(attachment, dict) and not str(attachment.get("type")).startswith("hook_"):
        parts.append(attachment)
    parts += [[block.get(field) for field in ("text", "content", "input")] for block in content_blocks(record)]
    return "\n".join(strings(parts))


def folded(text: str) -> str:
    """The text on one line, each run of white space one space."""
    return " ".join(text.split())


def client_context(records: list[JsonObject], at: int) -> str:
    """What the client gave the model itself: all from the compaction to the next answer, and what it preserved."""
    after = next((index for index in range(at, len(records)) if records[index]["type"] == "assistant"), len(records))
    given = [record for record in records[at:after] if record["type"] in ("user", "attachment")]
    return folded("\n".join(map(record_text, given + preserved(records[:at], records[at].get("compactMetadata")))))


def preserved(before: list[JsonObject], metadata: Any) -> list[JsonObject]:
    """The messages kept verbatim: listed by newer clients, by older ones named by their first and last."""
    fields = metadata if isinstance(metadata, dict) else {}
    listed, segment = (value if isinstance(value := fields.get(name), dict) else {} for name in PRESERVED)
    if uuids := set(listed.get("allUuids") or listed.get("uuids") or []):
        return [record for record in before if record.get("uuid") in uuids]
    place = {record.get("uuid"): index for index, record in enumerate(before)}
    head, tail = place.get(segment.get("headUuid", "")), place.get(segment.get("tailUuid", ""))
    return [] if head is None or tail is None else before[head:tail + 1]


# --- facts: what tool inputs name exactly; directives: what typed prompts ask for ---


def facts_of(name: str, tool_input: JsonObject, cwd: str) -> Iterator[tuple[str, str]]:
    """The facts that a tool call uses, each after its category."""
    texts = {field: text for field, text in tool_input.items() if isinstance(text, str)}
    shell = HEREDOC.sub(r" \g<rest>", texts.get("command", ""))  # its body is content, as a Write's is, no reference
    yield from (("path", plain_path(texts[field], cwd)) for field in PATH_INPUTS if field in texts)
    if name == "Bash":
        yield "command", plain_command(texts.get("command", ""))
        words = [word.rstrip(".") for word in SHELL_BREAK.split(re.sub(URL, " ", shell))]
        paths = [plain_path(word, cwd) for word in words if PATH_WORD.fullmatch(word)]
        yield from (("path", path) for path in paths if re.search(r"[^/][/.]", path))  # a bare name stands everywhere
    for text in [{**texts, "command": shell}.get(field, "") for field in VALUE_INPUTS]:
        yield from (("value", match.group().rstrip(".,;:!?")) for match in VALUE.finditer(text)
                    if match.lastgroup != "path")


def plain_path(word: str, cwd: str) -> str:
    """The path, relative where it lies in the working folder; empty for that folder, which the client always tells."""
    path = posixpath.normpath(word.strip() or ".")
    inside = bool(cwd) and path.startswith((cwd + "/", cwd + "\\"))
    return "" if path in (cwd, ".", "/") else path[len(cwd) + 1:] if inside else path


def plain_command(command: str) -> str:
    """The command without the way to its folder and its output's; empty for one of several lines or another length."""
    text = CHANGED_FOLDER.sub("", command).strip()
    first = re.split(r" \| | 2>&1", folded(text))[0].strip()
    return first if "\n" not in text and len(first) in COMMAND_LENGTH else ""


def stands(fact: tuple[str, str], text: str) -> bool:
    """Whether the fact stands in the folded text, of a path the last two parts, and in no longer word: no #1 in #12."""
    tail = re.search(r"[^/\\]+[/\\][^/\\]+\Z", fact[1]) if fact[0] == "path" else None
    sought = tail.group() if tail else fact[1]
    at = text.find(sought)
    while at >= 0:
        before, after = text[max(at - 1, 0):at] + sought[0], sought[-1] + text[at + len(sought):at + len(sought) + 2]
        if not re.match(r"(?a)[\w-][\w#-]", before) and not re.match(r"(?a)\w(?:\w|-\w)", after):
            return True
        at = text.find(sought, at + 1)
    return False


def prompts(records: Iterable[JsonObject]) -> list[str]:
    """Typed prompts; those sent while the agent worked stand only in the queue, unless they were pulled back."""
    texts, waiting = list[str](), list[str]()
    for record in records:
        if record["type"] != "queue-operation":
            texts.append(typed_text(record, {}))
        elif record.get("operation") == "enqueue":
            waiting.append(own_words(str(record.get("content") or "")))
        elif record.get("operation") == "popAll":
            waiting.clear()
        elif waiting:
            texts.append(waiting.pop(0))
    return list(filter(None, texts))


def directives(text: str) -> list[str]:
    """The sentences and list entries with a directive's cue; fenced code and quoted lines are left out."""
    prose = re.sub(r"(?s)```.*?(?:```|\Z)", "\n", text)
    parts = (re.sub(r"^(?:[-*•]|\d+[.)])\s+", "", part.strip())
             for part in re.split(r"(?<=[.!?])\s+|(?<=[。！？])|\n+", prose))
    return [part for part in parts if len(part) in DIRECTIVE_LENGTH and part[0] != ">" and CUE.search(part)]


def plain_words(text: str) -> str:
    """The words alone, in lower case, a space around each."""
    return " " + " ".join(re.findall(r"[\w']+", text.lower().replace("’", "'"))) + " "


def covered(sentence: str, words: str) -> bool:
    """Whether enough of the sentence's shingles stand among the words; a shorter sentence is one shingle."""
    parts = plain_words(sentence).split()
    shingles = [" ".join(parts[at:at + SHINGLE]) for at in range(max(len(parts) - SHINGLE, 0) + 1)]
    return sum(f" {shingle} " in words for shingle in shingles) >= COVERED * len(shingles)


# --- cases, and the score of a text ---


def find_cases(paths: Iterable[Path], half: str = "all") -> list[Case]:
    """The cases of all transcripts at or below the paths, each named after its file and the compaction's number."""
    cases = []
    for file in transcripts(paths, half):
        offsets, records = read_records(file)
        starts = compactions(records)
        for number, (at, stop) in enumerate(zip(starts, [*starts[1:], len(records)]), 1):
            before, future = records[:at], tool_calls(records[at:stop])[:FUTURE]
            if len(tool_calls(before)) >= CALLS_BEFORE and len(future) >= CALLS_AFTER:
                about = {name: record[name] for record in before for name in ("cwd", "sessionId") if record.get(name)}
                cwd, context = str(about.get("cwd", "")), client_context(records, at)
                cases.append(Case(
                    f"{file.stem}#{number}", str(about.get("sessionId", "")), file, offsets[at], cwd,
                    lost_facts(before, context, future, cwd), lost_directives(before, plain_words(context))))
    return cases


def lost_facts(before: list[JsonObject], context: str, future: list[tuple[str, JsonObject]],
               cwd: str) -> dict[str, list[str]]:
    """By category, what the future uses and the prefix held, but not the client's context."""
    future_facts = dict.fromkeys(fact for call in future for fact in facts_of(*call, cwd) if fact[1])
    text_before = folded("\n".join(map(record_text, before)))
    lost = [fact for fact in future_facts if not stands(fact, context) and stands(fact, text_before)]
    return {kind: [text for category, text in lost if category == kind] for kind in CATEGORIES}


def lost_directives(before: list[JsonObject], words: str) -> list[str]:
    """The directives typed so far, each once, that the words of the client's context do not cover."""
    parts = {plain_words(part): part for text in prompts(before) for part in directives(text)}
    return [part for part in parts.values() if not covered(part, words)]


def scored(text: str, case: Case) -> Hits:
    """What the text gives back of what the case lost, counted in as much of it as arrives."""
    arrived = text[:PREVIEW] if (over := units(text) > CAP) else text
    line, words = folded(arrived), plain_words(arrived)
    given = {kind: [fact for fact in case.lost[kind] if stands((kind, fact), line)] for kind in CATEGORIES}
    restored = [part for part in case.directives if covered(part, words)]
    facts = [(kind, fact) for kind, several in given.items() for fact in several]
    lines = [folded(row) for row in arrived.splitlines() if row.strip()]
    used_lines = sum(
        any(stands(fact, row) for fact in facts) or any(covered(part, plain_words(row)) for part in restored)
        for row in lines)
    return Hits(given, restored, units(arrived), over, len(lines), used_lines)


def figures(results: Sequence[tuple[Case, Hits]]) -> Figures:
    """The scores over all cases; None where nothing was to be given back."""
    lost = {kind: sum(len(case.lost[kind]) for case, _ in results) for kind in CATEGORIES}
    given = {kind: sum(len(hits.given[kind]) for _, hits in results) for kind in CATEGORIES}
    scores = {kind: share(given[kind], lost[kind]) for kind in CATEGORIES}
    known = [score for score in scores.values() if score is not None]
    size, lines = sum(hits.units for _, hits in results), sum(hits.lines for _, hits in results)
    deliveries, directed = sum(hits.units > 0 for _, hits in results), sum(len(case.directives) for case, _ in results)
    return {
        "cases": len(results), **scores, "mean": share(sum(known), len(known)),
        "directives": share(sum(len(hits.directives) for _, hits in results), directed),
        "characters": share(size, deliveries), "hits/1,000 chars": share(1000 * sum(given.values()), size),
        "empty": len(results) - deliveries, "over cap": sum(hits.over_cap for _, hits in results),
        "unused lines": share(lines - sum(hits.used_lines for _, hits in results), lines)}


def share(part: float, whole: float) -> float | None:
    """The ratio; None when there is no whole."""
    return part / whole if whole else None


# --- the tools, as processes ---


def our_tool(budget: int | None) -> Tool:
    """The hooks of this repository, with their own budget or another."""
    hooks = [hook_command(str(event["hook_event_name"])) for event in EVENTS]
    return Tool(f"compact-keeper{f', budget {budget}' if budget else ''}", hooks, {"budget": budget} if budget else {})


def peer_tool(text: str) -> Tool:
    """Another tool from NAME=COMMAND."""
    name, command = text.split("=", 1)
    return Tool(name, [["sh", "-c", command]] * 2, None)


def replay(tools: list[Tool], cases: list[Case], jobs: int, quiet: bool) -> list[list[Outcome]]:
    """The outcomes of each tool in the order of the cases; unless quiet, stderr tells how far it is."""
    rows, end = list[list[Outcome]](), "\r" if sys.stderr.isatty() else "\n"
    with ThreadPoolExecutor(jobs) as pool:
        for outcomes in pool.map(lambda case: [deliver(tool, case) for tool in tools], cases):
            rows.append(outcomes)
            if not quiet:
                print(f"{len(rows)} of {len(cases)} cases", end=end, file=sys.stderr, flush=True)
    return [list(row) for row in zip(*rows)]


def deliver(tool: Tool, case: Case) -> Outcome:
    """The outcome of the tool's two hooks, run as the client runs them around a compaction."""
    with tempfile.TemporaryDirectory(prefix="replay-") as folder:
        transcript, keeper = Path(folder, Path(case.session).name + ".jsonl"), Path(folder, "keeper")
        transcript.write_bytes(case.file.read_bytes()[:case.prefix])
        keeper.mkdir()
        if tool.config:
            (keeper / "config.json").write_text(json.dumps(tool.config), encoding="utf-8")
        given = {"session_id": case.session, "transcript_path": str(transcript), "cwd": case.cwd}
        (saved, save_ms), (restored, restore_ms) = [
            run(command, {**given, **event}, folder) for command, event in zip(tool.hooks, EVENTS)]
    text = delivered(restored) or (delivered(saved) if tool.config is None else "")
    return Outcome(case, text, scored(text, case), save_ms, restore_ms)


def run(command: list[str], given: JsonObject, home: str) -> tuple[str, float]:
    """What a hook printed, and milliseconds; nothing when it failed, as the client drops the output then."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("CLAUDE", "COMPACT_KEEPER"))}
    environment = {**kept, "HOME": home, **hook_environment(Path(home, "keeper")),
                   "CLAUDE_CODE_SESSION_ID": str(given["session_id"])}
    started = time.perf_counter()
    try:
        done = subprocess.run(command, input=json.dumps(given).encode(), stdout=subprocess.PIPE, cwd=home,
                              stderr=subprocess.DEVNULL, env=environment, timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        return "", TIMEOUT * 1000
    return "" if done.returncode else done.stdout.decode("utf-8", "replace"), (time.perf_counter() - started) * 1000


def delivered(out: str) -> str:
    """The text for the model in a hook's output; what looks like JSON and is none is dropped, as the client does."""
    text = out.strip()
    if not (text.startswith("{") and text.endswith("}")):
        return text
    answers = [record.get("hookSpecificOutput") for record in parse_line(text.encode())]
    return "".join(str(answer.get("additionalContext") or "") for answer in answers if isinstance(answer, dict))


# --- the report ---


def measured(outcomes: list[Outcome]) -> Figures:
    """A tool's figures, and the median times of its processes."""
    return {**figures([(outcome.case, outcome.hits) for outcome in outcomes]),
            "save ms": statistics.median(outcome.save_ms for outcome in outcomes),
            "restore ms": statistics.median(outcome.restore_ms for outcome in outcomes)}


def table(rows: dict[str, Figures]) -> str:
    """The figures as an aligned Markdown table."""
    cells = [["tool", *COLUMNS], *([tool] + [
        "–" if (value := row[name]) is None else f"{value:,.{digits}f}" for name, digits in COLUMNS.items()]
        for tool, row in rows.items())]
    widths = [max(map(len, column)) for column in zip(*cells)]
    lines = ["| " + " | ".join(text.ljust(width) for text, width in zip(row, widths)) + " |" for row in cells]
    return "\n".join([lines[0], "|" + "|".join("-" * (width + 2) for width in widths) + "|", *lines[1:]])


def counts(cases: list[Case]) -> dict[str, int]:
    """How much there was to give back."""
    return {"sessions": len({case.file for case in cases}), "cases": len(cases),
            **{f"lost {kind}s": sum(len(case.lost[kind]) for case in cases) for kind in CATEGORIES},
            "lost directives": sum(len(case.directives) for case in cases)}


def as_json(tools: list[Tool], results: list[list[Outcome]], cases: list[Case]) -> str:
    """All figures, also of each case with what it lost, for other programs."""
    rows = [{"tool": tool.name, **measured(outcomes), "by case": [
        {"case": outcome.case.name, **measured([outcome]),
         "lost": {**outcome.case.lost, "directives": outcome.case.directives},
         "given back": {**outcome.hits.given, "directives": outcome.hits.directives}} for outcome in outcomes]}
        for tool, outcomes in zip(tools, results)]
    return json.dumps({**counts(cases), "tools": rows}, indent=1, ensure_ascii=False)


def shown(tool: Tool, outcome: Outcome) -> str:
    """A delivery to read: the text, then what was lost, with a plus what came back."""
    case, hits = outcome.case, outcome.hits
    parts = [f"=== {case.name}: {tool.name}, {hits.units:,} characters arrive ===", outcome.text or "(nothing)"]
    lost, given = {**case.lost, "directive": case.directives}, {**hits.given, "directive": hits.directives}
    for kind, facts in lost.items():
        parts.append(f"--- {kind}: {len(given[kind])} of {len(facts)} given back ---")
        parts += [f"{'+' if fact in given[kind] else '-'} {fact}" for fact in facts]
    return "\n".join(parts)


def main(argv: Sequence[str] | None = None) -> int:
    """0 when there was something to replay."""
    config = os.environ.get("CLAUDE_CONFIG_DIR") or os.path.join(os.path.expanduser("~"), ".claude")
    parser = argparse.ArgumentParser(description="Replays real sessions and scores what the hooks give back.")
    parser.add_argument("paths", nargs="*", type=Path, default=[Path(config, "projects")], metavar="PATHS")
    parser.add_argument("--half", choices=("fit", "check", "all"), default="all", help="a fixed split by session")
    parser.add_argument("--budget", action="extend", default=[], metavar="N[,N…]", help="a row for each",
                        type=lambda text: [int(number) for number in text.split(",")])
    parser.add_argument("--peer", action="append", default=[], metavar="NAME=COMMAND", type=peer_tool)
    parser.add_argument("--limit", type=int, metavar="N", help="the first N cases")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="cases at a time")
    parser.add_argument("--show", metavar="CASE", help="print what one case was given, to read")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args(argv)
    tools = [*map(our_tool, given.budget or [None]), *given.peer]
    cases = [case for case in find_cases(given.paths, given.half) if given.show in (None, case.name)][:given.limit]
    if not cases:
        print(f"replay.py: no {given.show or 'compaction'} to replay in {', '.join(map(str, given.paths))}: it takes "
              f"{CALLS_BEFORE} tool calls before one and {CALLS_AFTER} after", file=sys.stderr)
        return 1
    results = replay(tools, cases, max(given.jobs, 1), bool(given.show) or (given.json and not sys.stderr.isatty()))
    if given.show:
        print("\n\n".join(shown(tool, outcomes[0]) for tool, outcomes in zip(tools, results)))
    elif given.json:
        print(as_json(tools, results, cases))
    else:
        print(table({tool.name: measured(outcomes) for tool, outcomes in zip(tools, results)}))
        print("\n" + ", ".join(f"{number:,} {name}" for name, number in counts(cases).items()))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
