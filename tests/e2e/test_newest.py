"""newest.py: what two profiles differ in, how they are measured, what is said when it cannot be tried."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import client
import newest
from client_profile import (
    NO_LIMIT,
    PLAYS,
    Profile,
    Seen,
    about_compaction,
    known_events,
    lengthy,
    longest,
    marks,
    see,
    shapes,
)
from delivered import utf16_units
from newest import changes, differences
from scripted_api import Request

OLD: Profile = {
    "events": {"PreCompact": "known", "Stop": "known"},
    "plays": {"automatic": {
        "course": ["PreCompact auto", "request: summary", "SessionStart compact", "PostCompact auto"],
        "marks": {"SessionStart stdout": "output, request: turn"}}},
    "inputs": {"PreCompact": {"trigger": "text", "custom_instructions": "null or text"}},
    "limits": {"SessionStart additionalContext": 10_000},
    "transcript": {"user": {"type": "text"}},
    "compaction": {"settings": {"autoCompactEnabled": "By itself."}, "variables": {"DISABLE_COMPACT": "named"}},
}
# Where a profile is changed, to what (None: taken out), and the lines that say so.
CHANGES: list[tuple[str, Any, list[str]]] = [
    ("events Stop", None, ["events: gone: Stop"]),
    ("events Compacted", "known", ["events: new: Compacted (known)"]),
    ("plays automatic course", ["PreCompact auto", "request: summary", "PostCompact auto", "SessionStart compact"],
     ["plays: automatic: course: new behind request: summary: PostCompact auto",
      "plays: automatic: course: gone behind SessionStart compact: PostCompact auto"]),
    ("plays automatic course", [], [
        "plays: automatic: course: gone behind the beginning: "
        "PreCompact auto > request: summary > SessionStart compact > PostCompact auto"]),
    ("plays automatic marks SessionStart\N{NO-BREAK SPACE}stdout", "output",
     ["plays: automatic: marks: SessionStart stdout: output, was output, request: turn"]),
    ("inputs PreCompact trigger", None, ["inputs: PreCompact: gone: trigger"]),
    ("inputs PreCompact agent_id", "missing or text", ["inputs: PreCompact: new: agent_id (missing or text)"]),
    ("inputs PreCompact custom_instructions", "text",
     ["inputs: PreCompact: custom_instructions: text, was null or text"]),
    ("inputs Compacted", {"cwd": "text", "trigger": "text"}, ["inputs: new: Compacted (cwd, trigger)"]),
    ("limits SessionStart\N{NO-BREAK SPACE}additionalContext", 12_000,
     ["limits: SessionStart additionalContext: 12000, was 10000"]),
    ("transcript progress", {"type": "text"}, ["transcript: new: progress (type)"]),
    ("compaction settings idleCompaction", "While\N{NO-BREAK SPACE}idle.",
     ["compaction: settings: new: idleCompaction (While\N{NO-BREAK SPACE}idle.)"]),
    ("compaction variables CLAUDE_CODE_SLEEP_COMPACT", "named",
     ["compaction: variables: new: CLAUDE_CODE_SLEEP_COMPACT (named)"]),
]


def changed(path: str, value: Any) -> Profile:
    """The profile with something else at this path; None takes it out."""
    profile: Profile = json.loads(json.dumps(OLD))
    *parents, last = (part.replace("\N{NO-BREAK SPACE}", " ") for part in path.split(" "))
    part = profile
    for name in parents:
        part = part[name]
    part.update({last: value})
    if value is None:
        del part[last]
    return profile


def test_equal_profiles_do_not_differ() -> None:
    assert list(differences(changed("events Stop", "known"), OLD)) == []


@pytest.mark.parametrize(("path", "value", "lines"), CHANGES, ids=lambda value: value if isinstance(value, str) else "")
def test_each_change_is_told_in_a_line(path: str, value: Any, lines: list[str]) -> None:
    assert list(differences(changed(path, value), OLD)) == lines


# Measuring ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("limit", [0, 1, 2_000, 9_999, 10_000, 10_001, 50_000, NO_LIMIT])
def test_limit_is_found(limit: int) -> None:
    assert longest(lambda number: number <= limit) == limit


def test_the_usual_limit_is_found_in_two_trials() -> None:
    tried: list[int] = []
    longest(lambda number: tried.append(number) or number <= 10_000)  # type: ignore[func-returns-value]
    assert tried == [10_000, 10_001]


@pytest.mark.parametrize("units", [2_000, 10_001])
def test_lengthy_texts_have_their_length(units: int) -> None:
    assert {utf16_units(text) for text in lengthy(units).values()} == {units}


def test_fields_that_are_missing_at_times_say_so() -> None:
    records: list[tuple[str, Profile]] = [("Stop", {"a": 1, "b": "x"}), ("Stop", {"a": None}), ("End", {"a": True})]
    assert shapes(records) == {"End": {"a": "yes or no"}, "Stop": {"a": "null or number", "b": "missing or text"}}


def test_events_are_read_from_the_program(tmp_path: Path) -> None:
    program = tmp_path / "claude"
    program.write_bytes(b'\0a=["PreToolUse","Stop"],b=["PreToolUse","PreCompact","Stop"];c=["PreToolUse",1,2,3,4,5,6]')
    assert known_events(program) == ["PreCompact", "PreToolUse", "Stop"]


def test_course_and_marks_are_put_together() -> None:
    turn, side = (Request(kind, {"messages": [{"role": "user", "content": "(probe: Stop stdout)"}]})
                  for kind in ("turn", "side"))
    seen = Seen([{"at": 1.0, "event": "Stop"}, {"at": 3.0, "event": "SessionEnd other"}], [(2.0, turn), (2.5, side)],
                "(probe: Stop stdout)", "(probe: Stop systemMessage)")
    assert seen.course() == ["Stop", "request: turn", "SessionEnd other"]
    assert marks(seen) == {"Stop stdout": "output, request: side, request: turn", "Stop systemMessage": "transcript"}


# The command --------------------------------------------------------------------------------------


@pytest.fixture
def clients(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> dict[str, Profile]:
    """The clients that are to be had, with their profiles; npm names the last, 1.0.0 is pinned."""
    known: dict[str, Profile] = {}
    monkeypatch.setattr(client, "ensure", lambda version: tmp_path / version)
    monkeypatch.setattr(client, "pinned_versions", lambda: ["1.0.0"])
    monkeypatch.setattr(newest, "measured", lambda program: known[program.name])
    monkeypatch.setattr(newest, "newest_on_npm", lambda: max(known))
    return known


@pytest.mark.parametrize(("new", "words", "said"), [
    ({}, [], "1.0.0, the newest on npm, beside 1.0.0 again:\nNothing differs.\n"),
    ({"1.0.1": OLD}, [], "1.0.1, the newest on npm, beside 1.0.0:\nNothing differs.\n"),
    ({"1.0.1": changed("events Stop", None)}, [], "1.0.1, the newest on npm, beside 1.0.0:\nevents: gone: Stop\n"),
    ({"0.9.0": changed("events Stop", None), "2.0.0": {}}, ["1.0.0", "0.9.0"],
     "1.0.0 beside 0.9.0:\nevents: new: Stop (known)\n"),
])
def test_output_and_exit_code_say_what_differs(
        clients: dict[str, Profile], capsys: pytest.CaptureFixture[str], new: dict[str, Profile], words: list[str],
        said: str) -> None:
    clients.update({"1.0.0": OLD, **new})
    assert newest.main(words) == (0 if "Nothing differs." in said else 1)
    assert capsys.readouterr().out == said


@pytest.mark.parametrize(("npm", "complaint"), [
    ("", "missing: node, npm"),
    ("echo 'npm error code E404' >&2; exit 1", "npm does not name the newest version: code E404"),
    ("exit 0", "npm does not name the newest version: exit code 0"),
    ('[ "$1" = view ] && echo 9.9.9', "npm could not install"),
])
def test_what_cannot_be_tried_is_said_in_one_line(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], npm: str,
        complaint: str) -> None:
    monkeypatch.setenv("COMPACT_KEEPER_CACHE", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    for name in ("node", "npm") if npm else ():
        (tmp_path / name).write_text(f"#!/bin/sh\n{npm}\n")
        (tmp_path / name).chmod(0o755)
    assert newest.main([]) == 2
    errors = capsys.readouterr().err
    assert errors.startswith(f"newest.py: {complaint}")
    assert errors.count("\n") == 1


# A real client ------------------------------------------------------------------------------------


@pytest.mark.e2e
def test_real_clients_are_told_apart_by_what_they_take_for_a_block() -> None:
    """All of two profiles is a minute's work: `make hold` compares them."""
    newest_pinned, *_, oldest = client.pinned_versions()
    programs = [client.ensure(version) for version in (newest_pinned, oldest)]
    new, old = (see(program, known_events(program), PLAYS["PreCompact, block"]).course() for program in programs)
    gone = "request: summary > SessionStart compact > PostCompact auto"
    assert f"gone behind PreCompact auto: {gone}" in set(changes(new, old))


def test_settings_and_variables_about_compaction_are_found_in_the_program(tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.write_bytes(
        b'\0\1{idleCompaction:()=>P().optional().describe("Set to false to stop compacting while \\"idle\\"."),'
        b'verboseMode:()=>P().describe("Show all."),armTokens:()=>v().catch(void 0).describe("Before compaction."),'
        b'compact_summary:z.string().describe("The compaction\'s summary"),a:"describe(compaction"}'
        b"process.env.CLAUDE_CODE_SLEEP_COMPACT||s.DISABLE_COMPACT||x.COMPACT_BOUNDARY_MARKER\0")
    assert about_compaction(program) == {
        "settings": {"armTokens": "Before compaction.",
                     "idleCompaction": 'Set to false to stop compacting while \\"idle\\".'},
        "variables": {"CLAUDE_CODE_SLEEP_COMPACT": "named", "DISABLE_COMPACT": "named"}}
