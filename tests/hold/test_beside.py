"""Each attack on what runs beside the work finds scripts, or a shell's test, that cannot stand it."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import beside
from attack import Ground, Outcome
from broken_scripts import Break, ground_with

FOLLOWING = """
def open_regular(path, flags):
    return os.open(path, flags & ~NO_LINK | NO_WAIT, 0o600)"""
TAKEN_UNDER_ONE_NAME = """
def take_store(path):
    os.path.exists(path)
    try:
        os.replace(path, f"{path}.given")
    except FileNotFoundError:
        return {}
    return read_store(f"{path}.given")"""
UNLOCKED = """
def lock_session(folder, patience=0.0):
    return True"""


EXCHANGED = 'PARTS = {"--record": hand_over_alone, "--hand-over": record_alone}'
ALL = ""
Case = tuple[Callable[[Ground], Outcome], str, list[Break], str]
CASES: dict[str, Case] = {  # the attack, of the meetings the one alone, what is broken, what is said then
    "a line lost": (beside.beside_the_work, ALL, [
        Break("save_snapshot.py", "fold_ledger", """
def fold_ledger(folder):
    if os.path.exists(ledger := os.path.join(folder, LEDGER_FILE)):
        os.unlink(ledger)
    return False"""),
        Break("save_snapshot.py", "read_ledgers", """
def read_ledgers(folder, known, reading):
    return {}""")], "in memory 0 times"),
    "told to nobody": (beside.beside_the_work, ALL, [Break("record_event.py", "PARTS", EXCHANGED)], " notes"),
    "a pin beside": (beside.meetings, "a pin and a hand-over", [
        Break("answer_prompt.py", "lock_session", UNLOCKED)], "went out 2 times"),
    "a pin lost": (beside.meetings, "a hand-over that leaves some, and a pin", [
        Break("record_event.py", "lock_session", UNLOCKED)], "went out 0 times"),
    "another's note": (beside.meetings, "a hand-over, the next note and its hand-over", [
        Break("record_event.py", "take_store", TAKEN_UNDER_ONE_NAME)], "went out 2 times"),
    "two take it": (beside.meetings, "two hand-overs", [Break("record_event.py", "take_store", """
def take_store(path):
    data = read_store(path)
    if os.path.exists(path):
        os.replace(path, f"{path}.given")
    return data""")], "went out 2 times"),
    "links": (beside.strange_files, ALL, [Break("record_event.py", "open_regular", FOLLOWING)], "the key is told"),
    "folders": (beside.strange_files, ALL, [Break("record_event.py", "take_store", TAKEN_UNDER_ONE_NAME)],
                "does not go out")}


@pytest.mark.rows(1)
@pytest.mark.parametrize("name", CASES)
def test_it_is_found(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    attack, only, breaks, words = CASES[name]
    monkeypatch.setattr(beside, "MEETINGS", [meeting for meeting in beside.MEETINGS if meeting.name == only])
    broken = list[str]()
    for patience in (beside.MEETING_SECONDS, 10 * beside.MEETING_SECONDS):  # the longer one on a loaded machine
        monkeypatch.setattr(beside, "MEETING_SECONDS", patience)
        folder = tmp_path / str(patience)
        folder.mkdir()
        broken += attack(ground_with(folder, *breaks, full=bool(only), until=words)).broken
        if any(words in line for line in broken):
            return
    raise AssertionError(broken)


@pytest.mark.parametrize(("right", "wrong"), [
    ('[ -e "$data/note.json" ]', 'eval "[ -e $data/note.json ]"'), ("sessions/$CLAUDE_CODE_SESSION_ID", "sessions/x")])
def test_a_shells_test_that_is_wrong(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, right: str, wrong: str) -> None:
    shutil.copytree(beside.ROOT / "hooks", tmp_path / "root" / "hooks")
    waiting = tmp_path / "root" / "hooks" / "waiting"
    text = waiting.read_text(encoding="utf-8")
    assert right in text
    waiting.write_text(text.replace(right, wrong), encoding="utf-8")
    monkeypatch.setattr(beside, "ROOT", tmp_path / "root")
    ground = ground_with(tmp_path)
    assert beside.odd_places(ground).broken
