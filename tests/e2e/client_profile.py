"""What a client does around a compaction, measured: a profile, by which two clients are compared.

A plugin made for it has one hook (probe_hook.py) on every event that the client's program names. A few short sessions
are played, in which the hook answers with marks. The profile tells what came of it:

* events: those that the program names;
* plays: of each session the events and requests in their order, and where each mark turned up, which is what an
  output or an exit code means;
* inputs: the fields of what each event's hook is given, with the types of their values;
* variables: those of the client's that a hook has in its environment;
* limits: how long an output may be, in UTF-16 units, before the client cuts it;
* transcript: the kinds of records with their fields;
* compaction: settings and environment variables about it, as the program names them.

Two profiles of one client are equal.
"""

from __future__ import annotations

import functools
import json
import mmap
import re
import shutil
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import scenario
from scenario import COMPACT, FULL_WINDOW, SUMMARY, THIRD_PROMPT
from scripted_api import Request, Script, ScriptedApi, Turn, summary
from special_plays import play_subagent
from workspace import Workspace, new, resumed, write

Profile = dict[str, Any]
Answers = Mapping[str, tuple[str, int]]  # of each event: what the hook prints, and its exit code

HOOK = Path(__file__).with_name("probe_hook.py")
# How the program lists the events; shorter lists hold some of them.
EVENTS = re.compile(rb'\["PreToolUse"(?:,"[A-Za-z]+")+\]')
# What the program calls a setting about compaction, with its own words on it; an environment variable about it.
DESCRIBED = re.compile(rb'\b([a-z]\w*[A-Z]\w*):[^"\n]{0,160}?\.describe\("((?:[^"\\\n]|\\.){0,600})"\)')
VARIABLE = re.compile(rb"\b(?:CLAUDE|DISABLE|ENABLE)_[A-Z0-9_]*COMPACT[A-Z0-9_]*\b")
AROUND = 300, 700  # bytes before and behind a description's beginning that hold the setting's name and the words
WITH_CONTEXT = ("SessionStart", "UserPromptSubmit", "PostToolUse", "PostToolUseFailure")
# Marks; the hook puts the event for the sign @.
MARK = re.compile(r"\(probe: ([\w ]+)\)")
PLAIN = "(probe: @ stdout)"
LOOK, FAIL = (Turn("", "Bash", {"command": command, "description": "Look"}) for command in ("ls", "ls missing"))
ONE_PROMPT = ("Look around.",)
WITH_COMPACT = (*ONE_PROMPT, "And now?", COMPACT, THIRD_PROMPT)
FILLING = 70_000  # tokens at which a client compacts a window of 100,000, and can still go on without
TYPES = {str: "text", int: "number", float: "number", bool: "yes or no", type(None): "null", list: "list",
         dict: "object"}
AT_THE_SAME_TIME = 2  # sessions


class Play(NamedTuple):
    """One session: what is typed, the tokens that fill the context, what the hook answers."""

    prompts: tuple[str, ...]
    tokens: int
    answers: Answers


class Seen(NamedTuple):
    """What was seen of one session."""

    noted: list[dict[str, Any]]  # by the hook
    sent: list[tuple[float, Request]]  # the requests and when they came
    output: str
    transcript: str

    def course(self) -> list[str]:
        """The events and requests in their order."""
        events = [(note["at"], note["event"]) for note in self.noted]
        requests = [(at, f"request: {request.kind}") for at, request in self.sent if request.kind != "side"]
        return [name for _, name in sorted(events + requests)]

    def places(self) -> dict[str, str]:
        """All text by where it turned up."""
        texts = {"output": self.output, "transcript": self.transcript}
        for _, request in self.sent:
            place = f"request: {request.kind}"
            texts[place] = texts.get(place, "") + json.dumps(request.body, ensure_ascii=False)
        return dict(sorted(texts.items()))


def fields(event: str, message: str, context: str) -> str:
    """What a hook prints to say one thing to the person and one to the model."""
    output = {"hookEventName": event, "additionalContext": context}
    return json.dumps({"systemMessage": message, "hookSpecificOutput": output})


def all_fields() -> Answers:
    """Marks in all fields of the events that have some, and as plain text around a compaction."""
    with_fields = {event: fields(event, "(probe: @ systemMessage)", "(probe: @ additionalContext)")
                   for event in WITH_CONTEXT}
    return {event: (text, 0) for event, text in {**with_fields, "PreCompact": PLAIN, "PostCompact": PLAIN}.items()}


PLAYS = {
    "automatic": Play(ONE_PROMPT, FULL_WINDOW, all_fields()),
    "manual": Play(WITH_COMPACT, 1_000, all_fields()),
    "plain text": Play(ONE_PROMPT, FULL_WINDOW, dict.fromkeys(WITH_CONTEXT, (PLAIN, 0))),
    "exit code 1": Play(ONE_PROMPT, FULL_WINDOW, dict.fromkeys((*WITH_CONTEXT, "PreCompact"), (PLAIN, 1))),
    "UserPromptSubmit, exit code 2": Play(ONE_PROMPT, 1_000, {"UserPromptSubmit": (PLAIN, 2)}),
    "PreCompact, exit code 2": Play(ONE_PROMPT, FILLING, {"PreCompact": (PLAIN, 2)}),
    "PreCompact, block": Play(ONE_PROMPT, FILLING, {"PreCompact": ('{"decision": "block", "reason": "Later."}', 0)}),
}


# Playing ------------------------------------------------------------------------------------------


def known_events(program: Path) -> list[str]:
    """The hook events that the client's program names."""
    lists = EVENTS.findall(program.resolve().read_bytes())
    return sorted(json.loads(max(lists, key=len, default=b"[]")))


def about_compaction(program: Path) -> dict[str, dict[str, str]]:
    """Settings and environment variables about compaction that the client's program names."""
    with program.resolve().open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as text:
        variables = {name.decode() for name in VARIABLE.findall(text)}
        settings: dict[str, str] = {}
        for call in re.finditer(rb"\.describe\(", text):
            near = text[max(call.start() - AROUND[0], 0):call.start() + AROUND[1]]
            described = DESCRIBED.finditer(near, 1) if b"ompact" in near else ()  # 1: behind half a name
            settings.update({match[1].decode(): match[2].decode("utf-8", "replace") for match in described
                             if b"ompact" in match[1] + match[2]})
    return {"settings": dict(sorted(settings.items())), "variables": dict.fromkeys(sorted(variables), "named")}


def put_probe(workspace: Workspace, events: Iterable[str], answers: Answers) -> Path:
    """Makes the plugin; the file in which its hook notes what it is given."""
    plugin = workspace.root / "probe"
    command = f'python3 -IS "${{CLAUDE_PLUGIN_ROOT}}/hooks/{HOOK.name}"'
    hooks = {event: [{"hooks": [{"type": "command", "command": command}]}] for event in events}
    write(plugin / ".claude-plugin" / "plugin.json", json.dumps({"name": "probe", "version": "1.0.0"}))
    write(plugin / "hooks" / "hooks.json", json.dumps({"hooks": hooks}))
    write(plugin / "hooks" / "answers.json", json.dumps(answers))
    shutil.copy(HOOK, plugin / "hooks")
    workspace.plugin_options = ["--plugin-dir", str(plugin)]
    return plugin / "hooks" / "noted.jsonl"


def see(program: Path, events: Iterable[str], play: Play) -> Seen:
    """What is seen of a session in a workspace of its own."""
    sent: list[tuple[float, Request]] = []

    def note(request: Request) -> bool:
        sent.append((time.time(), request))
        return True

    turns = [LOOK, FAIL, LOOK._replace(input_tokens=play.tokens), Turn("That is all."), Turn("Nothing."), Turn("Yes.")]
    start = new()
    with Workspace(program, scenario.FILES) as workspace, ScriptedApi(Script(turns, [summary(SUMMARY)], note)) as api:
        noted = put_probe(workspace, events, play.answers)
        starts = [start, *[resumed(start[-1])] * len(play.prompts)]
        runs = [workspace.prompt(api, typed, begun) for typed, begun in zip(play.prompts, starts)]
        output = "".join(run.stdout + run.stderr for run in runs)
        return Seen(json_lines(noted.read_text(encoding="utf-8")), sent, output, workspace.transcript(start[-1]))


def see_subagent(program: Path, events: Iterable[str]) -> Seen:
    """What is seen of a session with a subagent, both compacted; side by side, so the order tells nothing."""
    with Workspace(program, scenario.FILES) as workspace:
        noted = put_probe(workspace, events, {})
        played = play_subagent(workspace).played
        return Seen(json_lines(noted.read_text(encoding="utf-8")), [], played.output(), played.transcript)


def json_lines(text: str) -> list[dict[str, Any]]:
    """The record of each line."""
    return [json.loads(line) for line in text.splitlines()]


# Limits -------------------------------------------------------------------------------------------

# Each output is made of letters of its own: bytes, characters and UTF-16 units are told apart.
LETTERS = {"SessionStart additionalContext": "a", "UserPromptSubmit additionalContext": "\N{SHIP}",
           "PostToolUse additionalContext": "\N{CYRILLIC SMALL LETTER ZHE}", "PreCompact stdout": "b"}
GUESS, NO_LIMIT = 10_000, 100_000  # UTF-16 units


def lengthy(units: int) -> dict[str, str]:
    """A text of so many UTF-16 units for each output; a ship counts twice."""
    return {name: "x" * (units % 2) + letter * (units // 2 if letter > "\uffff" else units - units % 2)
            for name, letter in LETTERS.items()}


def whole(see_play: Callable[[Play], Seen], units: int) -> dict[str, bool]:
    """Whether each output arrives whole when it is so long."""
    texts = lengthy(units)
    outputs = {name.partition(" ")[0]: (name, text) for name, text in texts.items()}
    answers = {event: (text if name.endswith("stdout") else fields(event, "", text), 0)
               for event, (name, text) in outputs.items()}
    places = see_play(Play(ONE_PROMPT, FULL_WINDOW, answers)).places()
    requests = places["request: turn"] + places["request: summary"]
    return {name: text in requests for name, text in texts.items()}


def longest(fits: Callable[[int], bool]) -> int:
    """The largest number that fits, NO_LIMIT when that one does; the guesses save most of the trials."""
    low, high = 0, NO_LIMIT + 1
    guesses = [NO_LIMIT, GUESS + 1, GUESS]
    while high - low > 1:
        middle = guesses.pop() if guesses else (low + high) // 2
        if low < middle < high:
            low, high = (middle, high) if fits(middle) else (low, middle)
    return low


def limits_of(see_play: Callable[[Play], Seen]) -> dict[str, int]:
    """The longest text of each output that arrives whole."""
    tried = functools.lru_cache(None)(functools.partial(whole, see_play))
    return {name: longest(lambda units, name=name: tried(units)[name]) for name in LETTERS}  # type: ignore[misc]


# Telling ------------------------------------------------------------------------------------------


def measured(program: Path) -> Profile:
    """The profile of the client."""
    events = known_events(program)
    see_play = functools.partial(see, program, events)
    with ThreadPoolExecutor(AT_THE_SAME_TIME) as pool:
        limits = pool.submit(limits_of, see_play)
        subagent = pool.submit(see_subagent, program, events)
        plays = dict(zip(PLAYS, pool.map(see_play, PLAYS.values())))
    seen = [*plays.values(), subagent.result()]
    notes = [note for play in seen for note in play.noted]
    records = [record for play in seen for record in json_lines(play.transcript)]
    return {
        "events": dict.fromkeys(events, "known"),
        "plays": {name: {"course": play.course(), "marks": marks(play)} for name, play in plays.items()},
        "inputs": shapes((note["given"]["hook_event_name"], note["given"]) for note in notes),
        "variables": dict.fromkeys(sorted({name for note in notes for name in note["variables"]}), "set"),
        "limits": limits.result(),
        "transcript": shapes((record_name(record), record) for record in records),
        "compaction": about_compaction(program),
    }


def marks(seen: Seen) -> dict[str, str]:
    """Where each mark turned up."""
    marks_by_place = {place: set(MARK.findall(text)) for place, text in seen.places().items()}
    return {mark: ", ".join(place for place in marks_by_place if mark in marks_by_place[place])
            for mark in sorted(set().union(*marks_by_place.values()))}


def shapes(records: Iterable[tuple[str, Mapping[str, Any]]]) -> dict[str, dict[str, str]]:
    """The fields of each kind of record, with the types of their values."""
    kinds: dict[str, list[Mapping[str, Any]]] = {}
    for kind, record in records:
        kinds.setdefault(kind, []).append(record)
    return {kind: {field: types(field, group) for field in sorted({field for record in group for field in record})}
            for kind, group in sorted(kinds.items())}


def types(field: str, records: Iterable[Mapping[str, Any]]) -> str:
    """The types of a field in all records of a kind."""
    return " or ".join(sorted({TYPES[type(record[field])] if field in record else "missing" for record in records}))


def record_name(record: Mapping[str, Any]) -> str:
    """The kind of a transcript's record."""
    inner = record.get("subtype") or (record.get("attachment") or {}).get("type") or ""
    return f"{record['type']} {inner}".strip()
