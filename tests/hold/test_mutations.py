"""The attacks by mutants see what they are there for: scripts with one line changed, and made-up ends of runs."""

from __future__ import annotations

import json
import re
from pathlib import Path
from random import Random
from typing import NamedTuple

import pytest

import mutations
from broken_scripts import Break, ground_with
from mutants import mutant_line
from mutation_runs import Ended, faults_of
from mutations import EXTREMES, faults_of_extreme, in_process
from pattern_bait import baits
from sessions import JsonObject, hook_input


class Change(NamedTuple):
    """A broken definition, and what rounds of that kind tell of it."""

    kind: str
    rounds: int
    broken: Break
    words: str


CHANGES = [Change(*fields) for fields in (
    ("inputs", 40, Break("record_event.py", "tool_event", """
def tool_event(data):
    data.get("tool_input", {}).get("command")
    return right_tool_event(data)"""), "AttributeError"),
    ("lines", 2, Break("save_snapshot.py", "content_blocks", """
def content_blocks(record):
    record["message"]["content"]
    return right_content_blocks(record)"""), "Error: .* in content_blocks"),
    ("stores", 3, Break("restore_snapshot.py", "of_right_types", """
def of_right_types(compaction):
    return compaction["none"]"""), "KeyError: 'none'"),
    ("messages", 12, Break("recall.py", "request_of", """
def request_of(message):
    message["params"]["name"]
    return right_request_of(message)"""), "internal error"),
    ("patterns", 1, Break("answer_prompt.py", "clean", """
ONCE = []
def clean(text):
    ONCE or ONCE.append(1) or re.match(r"(.+)+\\0", text)
    return right_clean(text)"""), "over 2.0 s of CPU"))]


@pytest.mark.rows(1)
@pytest.mark.parametrize("change", CHANGES, ids=lambda change: str(change.kind))
def test_a_fault_of_ours_is_seen(change: Change, tmp_path: Path) -> None:
    ground = ground_with(tmp_path, change.broken)
    broken = in_process(change.kind, 0, change.rounds, ground).broken
    assert any(re.search(change.words, line) for line in broken), broken


def test_a_share_that_does_not_end_well_is_seen(tmp_path: Path) -> None:
    ground = ground_with(tmp_path, Break("record_event.py", "record", "raise SystemExit  # before record"))
    assert "ended with" in in_process("inputs", 0, 1, ground).broken[0]


def test_too_much_memory_and_time_are_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ground = ground_with(tmp_path, Break("save_snapshot.py", "EVENTS", 'EVENTS = (*right_EVENTS, "x" * (80 << 20))'))
    monkeypatch.setitem(mutations.TIMEOUTS, "save_snapshot.py", 0.01)
    folder = tmp_path / "extreme"
    folder.mkdir()
    faults = faults_of_extreme(ground, folder, EXTREMES["a ledger of 8 MB"])
    assert [re.sub(r"[\d.]+", "#", fault) for fault in faults] in (["# s of #", "# MiB of #"], ["killed after # s"])


PROMPT, START = hook_input("UserPromptSubmit", prompt="go on"), hook_input("SessionStart", source="compact")
TOO_LONG = json.dumps({"hookSpecificOutput": {
    "hookEventName": "SessionStart", "additionalContext": "\U0001f69a" * 5_001}}).encode()
ENDS: list[tuple[str, JsonObject, Ended, str]] = [
    ("record_event.py", PROMPT, Ended(0, b"", b"", ""), ""),
    ("record_event.py", PROMPT, Ended(1, b"", b"", ""), "exit 1"),
    ("record_event.py", PROMPT, Ended(0, b"", b"warning\n", ""), "stderr"),
    ("record_event.py", PROMPT, Ended(0, b"{", b"", ""), "stdout JSONDecodeError"),
    ("record_event.py", PROMPT, Ended(0, b'{"systemMessage": NaN}', b"", ""), "stdout ValueError"),
    ("record_event.py", PROMPT, Ended(0, b'{"odd": 1}', b"", ""), "field odd"),
    ("record_event.py", PROMPT, Ended(0, b'{"decision": "approve"}', b"", ""), "decision"),
    ("record_event.py", PROMPT, Ended(0, TOO_LONG, b"", ""), "names SessionStart"),
    ("restore_snapshot.py", START, Ended(0, TOO_LONG, b"", ""), "10002 units"),
    ("restore_snapshot.py", START, Ended(0, b'{"systemMessage": "\\ud800"}', b"", ""), "stdout UnicodeEncodeError"),
    ("save_snapshot.py", START, Ended(0, b"x" * 301, b"", ""), "instructions"),
    ("save_snapshot.py", START, Ended(0, b"x" * 300, b"", ""), ""),
    ("status_line.py", {}, Ended(0, b"one\ntwo\n", b"", ""), "line"),
    ("status_line.py", {}, Ended(0, b"\x1b[31mone\x1b[0m\n", b"", ""), ""),
    ("stats.py", {}, Ended(1, b"", b"compact-keeper: no session\n", ""), ""),
    ("stats.py", {}, Ended(1, b"", b"Traceback\n", ""), "stderr"),
    ("record_event.py", PROMPT, Ended(0, b"", b"", log="KeyError: 'items'"), "log record_event.py: KeyError"),
    ("record_event.py", PROMPT, Ended(0, b"", b"", log="RecursionError: maximum recursion depth exceeded"), "log"),
    ("record_event.py", PROMPT, Ended(0, b"", b"", log="RecursionError: exceeded while decoding a JSON array"), ""),
    ("record_event.py", PROMPT, Ended(0, b"", b"", log="FileNotFoundError: gone"), ""),
    ("record_event.py", PROMPT, Ended(0, b"", b"", log="Refusal: hook input of 7 bytes is no object"), "")]


@pytest.mark.parametrize(("script", "given", "ended", "words"), ENDS)
def test_the_judge_tells_good_ends_from_bad_ones(script: str, given: JsonObject, ended: Ended, words: str) -> None:
    line = f"2026-11-21T07:00:00Z {script}: {ended.log}\n" if ended.log else ""
    faults = list(faults_of(script, json.dumps(given).encode(), ended._replace(log=line)))
    assert bool(faults) == bool(words)
    assert words in "".join(faults)


def test_the_same_numbers_make_the_same_mutants() -> None:
    made = [[mutant_line(Random(number), PROMPT, START) for number in range(300)] for _ in "ab"]
    assert made[0] == made[1]
    assert len(set(made[0])) > 250
    assert all(b"\n" not in line for line in made[0])


def test_baits_are_what_a_pattern_repeats() -> None:
    assert "-----BEGIN ABABAB" in "\n".join(baits(r"-----BEGIN (?:AB|[0-9])+KEY", 0, 40))
    assert any(set(bait) <= {"a", "b"} and len(bait) == 30 for bait in baits(r"(?:ab?)*c", 0, 30))
