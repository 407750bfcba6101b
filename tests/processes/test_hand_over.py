"""The hand-over: a note that waits goes to the model with the next event of the main thread, once, and costs no event.

At a prompt by answer_prompt.py, at the other events by record_event.py.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from compact_keeper.store.note import NOTE_MAX_UTF16
from sessions import SESSION_ID, Home, JsonObject, Run, hook_input, units

NOTE = 'The summary left out a rule: "Never push to main."'
CARRIERS: dict[str, JsonObject] = {
    "UserPromptSubmit": {"prompt": "Go on."},
    "PostToolUse": {"tool_name": "Bash", "tool_input": {"command": "make test"}, "tool_use_id": "toolu_1"},
    "PostToolUseFailure": {"tool_name": "Bash", "tool_input": {"command": "make"}, "tool_use_id": "toolu_1",
                           "error": "Exit code 2\nmake: *** No rule"}}
OTHERS = ("SubagentStart", "SubagentStop", "Stop", "SessionStart", "PreCompact", "PreToolUse", "Notification", "")


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = Home(tmp_path / "home")
    made.session.mkdir(parents=True)
    return made


def leave(home: Home, text: object = NOTE, **more: Any) -> Path:
    """A note that waits, as audit_summary.py writes it."""
    path = home.session / "note.json"
    path.write_text(json.dumps({"schema": 1, "session": SESSION_ID, "text": text, **more}), encoding="utf-8")
    return path


def event(name: str, **more: Any) -> Any:
    return hook_input(name, "/tmp/transcript.jsonl", **CARRIERS.get(name, {}), **more)


def run_hook(home: Home, data: JsonObject, **more: Any) -> Run:
    """What the event's hook does."""
    return home.prompt(data, **more) if data["hook_event_name"] == "UserPromptSubmit" else home.record(data, **more)


def handed(done: Run) -> str:
    """What was handed over; the output is one JSON object of the hook's and nothing else, or nothing."""
    assert (done.code, done.stderr) == (0, "")
    if not done.stdout:
        return ""
    answer = json.loads(done.stdout)
    assert set(answer) == {"hookSpecificOutput"}
    assert set(answer["hookSpecificOutput"]) == {"hookEventName", "additionalContext"}
    return str(answer["hookSpecificOutput"]["additionalContext"])


def notes(home: Home) -> list[JsonObject]:
    """The lines about notes in events.jsonl."""
    path = home.path / "events.jsonl"
    lines = map(json.loads, filter(None, path.read_bytes().splitlines())) if path.exists() else ()
    return [line for line in lines if line["event"] == "note"]


# --- hostile notes ---


def content(raw: bytes) -> Callable[[Path], object]:
    return lambda path: path.write_bytes(raw)


def fifo(path: Path) -> None:
    os.mkfifo(path)


def link(path: Path) -> None:
    (path.parent / "elsewhere").write_text(json.dumps({"schema": 1, "text": "not ours"}), encoding="utf-8")
    path.symlink_to(path.parent / "elsewhere")


def big(path: Path) -> None:
    with path.open("wb") as file:
        file.write(b'{"schema": 1, "text": "')
        file.seek(100 << 20)
        file.write(b'"}')


HOSTILE: dict[str, tuple[Callable[[Path], object], bool]] = {  # how it is made, and whether it is a fault
    "empty": (content(b""), False), "torn": (content(b'{"schema": 1, "text": "The sum'), False),
    "garbage": (content(bytes(range(256))), False), "list": (content(b'[{"schema": 1}]'), False),
    "null": (content(b"null"), False), "deep": (content(b"[" * 100_000), False),
    "without-schema": (content(b'{"text": "x"}'), False), "schema-as-text": (content(b'{"schema": "1"}'), False),
    "later-schema": (content(b'{"schema": 2, "text": "x"}'), True),
    "without-text": (content(b'{"schema": 1}'), False), "empty-text": (content(b'{"schema": 1, "text": ""}'), False),
    "list-as-text": (content(b'{"schema": 1, "text": ["x"]}'), False),
    "number-as-text": (content(b'{"schema": 1, "text": 7}'), False),
    "null-as-text": (content(b'{"schema": 1, "text": null}'), False),
    "fifo": (fifo, True), "folder": (Path.mkdir, True), "link": (link, True), "100-megabytes": (big, False),
    "link-to-nothing": (lambda path: path.symlink_to("nowhere"), False),
    "link-to-a-device": (lambda path: path.symlink_to("/dev/zero"), True)}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("on", CARRIERS)
def test_hostile_note_costs_neither_the_event_nor_the_turn(home: Home, name: str, on: str) -> None:
    make, fault = HOSTILE[name]
    make(home.session / "note.json")
    done = run_hook(home, event(on))
    assert (done[:3], len(home.ledger())) == ((0, "", ""), 1)
    assert len(home.log()) == fault
    assert run_hook(home, event(on))[:3] == (0, "", "")
    assert (len(home.ledger()), len(home.log())) == (2, fault)  # it is not met again
    assert notes(home) == []


def test_note_behind_a_hostile_one_is_handed_over(home: Home) -> None:
    for make, _ in (HOSTILE["garbage"], HOSTILE["link"], HOSTILE["fifo"]):
        make(home.session / "note.json")
        assert handed(run_hook(home, event("PostToolUse"))) == ""
    leave(home)
    assert handed(run_hook(home, event("PostToolUse"))) == NOTE


def test_reader_that_has_gone_costs_a_log_line(home: Home) -> None:
    leave(home)
    with home.start("record_event.py") as process:
        assert process.stdout
        assert process.stdin
        process.stdout.close()
        process.stdin.write(json.dumps(event("PostToolUse")).encode())
        process.stdin.close()
        assert process.wait(30) == 0
    assert (len(home.ledger()), len(home.log())) == (1, 1)


# --- what it is for ---


@pytest.mark.parametrize("on", CARRIERS)
def test_note_goes_out_once(home: Home, on: str) -> None:
    path = leave(home)
    before = path.read_bytes()
    done = run_hook(home, event(on))
    assert handed(done) == NOTE
    assert json.loads(done.stdout)["hookSpecificOutput"]["hookEventName"] == on
    assert not path.exists()
    assert path.with_name("note.json.given").read_bytes() == before
    assert [(line["session"], line["on"], line["units"]) for line in notes(home)] == [(SESSION_ID, on, len(NOTE))]
    assert [handed(run_hook(home, event(name))) for name in CARRIERS] == ["", "", ""]
    assert (len(home.ledger()), len(notes(home)), home.log()) == (4, 1, [])


def test_later_note_goes_out_too(home: Home) -> None:
    for text in ("The first.", "The second."):
        leave(home, text)
        assert handed(run_hook(home, event("PostToolUse"))) == text
    assert len(notes(home)) == 2


@pytest.mark.parametrize("on", CARRIERS)
def test_subagent_carries_no_note(home: Home, on: str) -> None:
    path = leave(home)
    assert handed(run_hook(home, event(on, agent_id="a1b2c3", agent_type="Explore"))) == ""
    assert len(home.ledger()) == 1
    assert path.exists()
    assert handed(run_hook(home, event(on))) == NOTE


@pytest.mark.parametrize("on", OTHERS)
def test_other_events_carry_no_note(home: Home, on: str) -> None:
    path = leave(home)
    assert handed(run_hook(home, event(on, agent_type="Explore", tool_name="Bash", prompt="x"))) == ""
    assert path.exists()


def test_note_of_another_session_stays(home: Home) -> None:
    path = leave(home)
    assert handed(run_hook(home, event("PostToolUse") | {"session_id": "another"})) == ""
    assert path.exists()


def test_switched_off(home: Home) -> None:
    path = leave(home)
    assert handed(run_hook(home, event("PostToolUse"), extra={"COMPACT_KEEPER_OFF": "1"})) == ""
    assert path.exists()


def test_two_processes_at_once_hand_it_over_once(home: Home) -> None:
    """Plugin and copied script both installed, or tools that ended together."""
    for number in range(4):
        leave(home, f"Note {number}.")
        running = [home.start("record_event.py") for _ in range(4)]
        for process in running:
            assert process.stdin
            process.stdin.write(json.dumps(event("PostToolUse")).encode())
            process.stdin.flush()
        for process in running:
            assert process.stdin
            process.stdin.close()
            process.stdin = None
        printed = [process.communicate()[0] for process in running]
        assert [f"Note {number}." in out.decode() for out in printed if out] == [True]
    assert (len(home.ledger()), len(notes(home)), home.log()) == (16, 4, [])


@pytest.mark.parametrize("text", ["ä" * NOTE_MAX_UTF16, "🚚" * (NOTE_MAX_UTF16 // 2), "x" * NOTE_MAX_UTF16])
def test_a_note_of_its_length_is_not_cut(home: Home, text: str) -> None:
    leave(home, text)
    assert handed(run_hook(home, event("PostToolUse"))) == text


def test_longer_note_is_cut(home: Home) -> None:
    leave(home, "🚚" * (NOTE_MAX_UTF16 // 2 + 1))
    text = handed(run_hook(home, event("PostToolUse")))
    assert (units(text), text[-1]) == (NOTE_MAX_UTF16 - 1, "…")
    assert notes(home)[0]["units"] == NOTE_MAX_UTF16 - 1
