"""Orders of events around compactions: what clients do in other orders and hours apart, and what is made up.

Clients from 2.1.330 on prepare a compaction beside the turn: PreCompact comes up to four times, the summary is swapped
in later without another one, or never. Here seeds make such orders: PreCompact 0 to 3 times with work between, Stop or
none, the boundary before or behind SessionStart, PostCompact before or behind it, a second installation, another
session beside, delays up to two days, the clock set back. For each boundary exactly one text, with what was typed and
run up to it; nothing of another session; no alarm.

A delay is no sleep: all that is on disk grows older by it (`elapse`).
"""

from __future__ import annotations

import importlib.util
import json
import os
import random
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

HERE = Path(__file__).resolve().parent
sys.path += [str(HERE), *(str(HERE.parents[1] / name) for name in ("src", "tests"))]

from ageing import elapse  # noqa: E402
from attack import SCRIPTS, Attack, Ground, Outcome  # noqa: E402
from place import Call, Place, feed  # noqa: E402
from sessions import CWD, JsonObject, Session  # noqa: E402

SESSIONS = {"main": "5e551011-0000-4000-8000-00000000000a", "beside": "5e551011-0000-4000-8000-00000000000b"}
NEXT = "5e551011-0000-4000-8000-00000000000c"  # a session that begins behind the end of the first
TEXT = "compact-keeper: the record of this session before the compaction"  # how what is put back begins
DELAYS = (0, 0, 0, 0, 3, 40, 400, 700, 7_200, 90_000, 172_800, -3_600)  # seconds; the last sets the clock back
FILLER = 40  # records of a turn: three compactions within 100 records would shorten the text
SUMMARY = "1. Primary Request and Intent: the user works on the rates.\n2. Current Work: the rates."


# --- the hooks, as processes and as functions ---

HOOKS = {"record_event.py": "record", "answer_prompt.py": "meet", "save_snapshot.py": "save",
         "restore_snapshot.py": "restore", "audit_summary.py": "audit"}  # the function that each script's main runs
Run = Callable[[str, JsonObject, int], "list[str]"]  # a script, its input, how many at once: what each printed


def as_processes(place: Place) -> Run:
    """Starts hooks as hooks.json does."""
    def run(script: str, given: JsonObject, times: int) -> list[str]:
        running = [place.begin(Call(script, given)) for _ in range(times)]
        for process in running:
            feed(process, Call(script, given))
        return [process.communicate(timeout=60)[0].decode() for process in running]
    return run


@cache
def built(script: str) -> Any:
    """The built script as a module, under a name of its own: sources of that name may be imported too."""
    spec = importlib.util.spec_from_file_location(f"built_{script.removesuffix('.py')}", SCRIPTS / script)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def as_functions(place: Place) -> Run:
    """Calls hooks in this process; several at once are one after the other."""
    os.environ.update({name: place.environment[name] for name in ("COMPACT_KEEPER_HOME", "COMPACT_KEEPER_ARCHIVE")})

    def run(script: str, given: JsonObject, times: int) -> list[str]:
        return [called(script, given).decode() for _ in range(times)]
    return run


def called(script: str, given: JsonObject) -> bytes:
    """What the hook writes to stdout when it is called here; what it would start is a call too."""
    module, out, write = built(script), list[bytes](), os.write

    def kept(handle: int, data: Any) -> int:
        if handle != 1:
            return write(handle, data)
        out.append(bytes(data))
        return len(data)

    def saved(data: JsonObject) -> str:
        called("save_snapshot.py", {**data, "hook_event_name": "SessionStart"})
        return ""

    def answered(name: str, _arguments: object, data: JsonObject, *_more: object) -> bytes:
        return called(name, data) if name in HOOKS else b""

    doubles = {"save_now": saved, "script_output": answered, "STARTED": time.time()}
    with ExitStack() as stack:
        stack.enter_context(mock.patch.object(os, "write", kept))
        for name, double in doubles.items():
            if hasattr(module, name) and not (name == "STARTED" and script != "restore_snapshot.py"):
                stack.enter_context(mock.patch.object(module, name, double))
        getattr(module, HOOKS[script])(given)
        if hasattr(module, "unlock_session"):
            module.unlock_session()  # as the end of a process does
    return b"".join(out)


# --- a session that goes on ---


class Text(NamedTuple):
    """What was put back: for which boundary of the session, and what it has to hold."""

    boundary: int
    words: str
    typed: list[str]
    ran: str


class Course:
    """A session with its transcript, as its client lives through it."""

    def __init__(self, name: str, folder: Path, run: Run, chance: random.Random) -> None:
        self.name, self.id, self.run, self.chance = name, SESSIONS[name], run, chance
        self.transcript = folder / "projects" / f"{self.id}.jsonl"
        self.number, self.boundary, self.typed, self.ran = 0, 1, list[str](), ""
        self.texts, self.printed = list[Text](), list[str]()

    def hook(self, script: str, event: str, times: int = 1, **fields: Any) -> list[str]:
        """What so many processes of the hook printed; a text for the model is kept."""
        given = {"hook_event_name": event, "session_id": self.id, "transcript_path": str(self.transcript), "cwd": CWD,
                 **fields}
        printed = [out for out in self.run(script, given, times) if out]
        self.printed += printed
        for out in printed if event != "PreCompact" else ():
            words = json.loads(out).get("hookSpecificOutput", {}).get("additionalContext", "")
            if words.startswith(TEXT):
                self.texts.append(Text(self.boundary, words, [*self.typed], self.ran))
        return printed

    def write(self, session: Session) -> None:
        """Appends records to the transcript, with the present moment."""
        now = time.time()
        for record in session.records:
            record.update(sessionId=self.id, **({"timestamp": moment(now)} if "timestamp" in record else {}))
            record.update({"uuid": f"{self.name}-{self.number:08d}"} if "uuid" in record else {})
            self.number += 1
        self.transcript.parent.mkdir(exist_ok=True)
        with self.transcript.open("ab") as file:
            file.write(session.as_bytes())

    def turn(self) -> None:
        """A prompt, a call, an answer, and mostly the turn's end."""
        rule = f"Never rename the {self.name}{len(self.typed)} column."
        first, rest = Session(), Session()
        first.typed(rule)
        late = self.chance.random() < 0.3  # the transcript gets the prompt behind the hook
        if not late:
            self.write(first)
        self.hook("answer_prompt.py", "UserPromptSubmit", prompt=rule)
        if late:
            self.write(first)
        self.typed.append(rule)
        self.ran = f"make {self.name}-step-{self.number}"
        call_id = rest.ran("Bash", "done", command=self.ran)
        for number in range(FILLER):
            rest.says(f"I look at the rates, part {number}.")
        self.write(rest)
        self.hook("record_event.py", "PostToolUse", tool_name="Bash", tool_input={"command": self.ran},
                  tool_use_id=f"{self.name}-{call_id}-{self.number}", tool_response={})
        if self.chance.random() < 0.7:
            self.hook("save_snapshot.py", "Stop")

    def compact(self, elapsing: Callable[[], None]) -> None:
        """A compaction: prepared some times or never, work between, then the summary takes the conversation's place."""
        for _ in range(self.chance.choice((0, 1, 1, 1, 2, 3))):
            self.hook("save_snapshot.py", "PreCompact", trigger="auto")
            elapsing()
            if self.chance.random() < 0.5:
                self.turn()
        self.swap(elapsing)

    def swap(self, elapsing: Callable[[], None]) -> None:
        """The boundary with the hooks around it, in one of the orders, then the model's answer."""
        post, before = [("audit_summary.py", "PostCompact")], self.chance.random()
        steps = [("restore_snapshot.py", "SessionStart"), ("", "boundary"), *post]
        if before < 0.2:
            steps = [("", "boundary"), ("restore_snapshot.py", "SessionStart"), *post]
        elif before < 0.4:
            steps = [*post, ("restore_snapshot.py", "SessionStart"), ("", "boundary")]
        if self.chance.random() < 0.2:  # the next one is prepared at once, maybe before the boundary is in the file
            steps.insert(self.chance.randint(2, 3), ("save_snapshot.py", "PreCompact"))
        given = {"SessionStart": {"source": "compact"}, "PreCompact": {"trigger": "auto"},
                 "PostCompact": {"trigger": "auto", "compact_summary": SUMMARY}}
        known = len(self.texts)
        for script, name in steps:
            if name == "boundary":
                compacted = Session()
                compacted.compacted(SUMMARY)
                self.write(compacted)
            else:
                self.hook(script, name, self.chance.choice((1, 1, 2)), **given[name])
        kept = Session()
        for text in self.texts[known:]:  # as clients write it from 2.1.150 on
            kept.attachment(type="hook_additional_context", content=[text.words], hookName="SessionStart")
        self.write(kept)
        elapsing()
        answer = Session()
        answer.says("On I go.")
        self.write(answer)
        self.turn()
        self.boundary += 1

    def faults(self) -> Iterator[str]:
        """What is wrong with the texts that the session was given."""
        for boundary in range(1, self.boundary):
            texts = [text for text in self.texts if text.boundary == boundary]
            if len(texts) != 1:
                yield f"{self.name}, boundary {boundary}: {len(texts)} texts"
            for text in texts:
                yield from (f"{self.name}, boundary {boundary}: not put back: {words}"
                            for words in (*text.typed, text.ran) if words not in text.words)
        others = [f"{start}{name}" for name in SESSIONS if name != self.name for start in ("the ", "make ")]
        yield from (f"{self.name} was given {other}" for other in others if other in "".join(self.printed))
        alarms = ("did not finish", "nothing was put back", "had been lost")
        yield from (f"{self.name}: {alarm}" for alarm in alarms if alarm in "".join(self.printed))


def moment(seconds: float) -> str:
    """The moment as a transcript writes it."""
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds)) + f".{int(seconds % 1 * 1000):03d}Z"


def broken(ground: Ground, seed: int, way: Callable[[Place], Run]) -> list[str]:
    """What is wrong in the order that the seed makes."""
    folder, chance = ground.folder / f"{way.__name__}-{seed}", random.Random(seed)
    folder.mkdir()
    place = Place(Ground(folder, ground.full, ground.scripts))
    main, beside = (Course(name, folder, way(place), chance) for name in SESSIONS)

    def elapsing() -> None:
        elapse(folder, chance.choice(DELAYS))
        if chance.random() < 0.3:
            beside.turn()
        if chance.random() < 0.2:
            beside.hook("save_snapshot.py", "PreCompact", trigger="auto")
        if beside.typed and chance.random() < 0.1:
            beside.swap(lambda: None)

    for _ in range(chance.randint(1, 3)):
        main.turn()
        elapsing()
        main.compact(elapsing)
    if chance.random() < 0.5:  # prepared, and never used
        main.hook("save_snapshot.py", "PreCompact", trigger="auto")
        main.turn()
    main.hook("restore_snapshot.py", "SessionEnd", reason="other")
    main.hook("restore_snapshot.py", "SessionStart", source=chance.choice(("startup", "clear")), session_id=NEXT)
    faults = [*main.faults(), *beside.faults(), *(f"log: {line}" for line in place.faults())]
    return [f"seed {seed}, {way.__name__}: {fault}" for fault in faults]


def tried(ground: Ground, seeds: range, way: Callable[[Place], Run]) -> Outcome:
    """Each seed's order."""
    return Outcome(len(seeds), [fault for seed in seeds for fault in broken(ground, seed, way)])


ATTACKS = (
    Attack("orders of events and delays as processes: per boundary one text, with all up to it, no alarm",
           lambda ground: tried(ground, range(200 if ground.full else 2), as_processes)),
    Attack("the same as functions",
           lambda ground: tried(ground, range(1_000, 3_000 if ground.full else 1_010), as_functions)))
