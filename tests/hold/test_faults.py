"""The attacks with faults find a script that does not stand them: broken copies, one line changed."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

import faults
from attack import SCRIPTS
from broken_scripts import Break, ground_with
from compact_keeper.store import memory as store_memory
from course import COMPACTED, PRECOMPACT, STOP, Place, faults_of
from sessions import Run, Session, crowded, memory_of


def begun(folder: Path, scripts: Path = SCRIPTS) -> Place:
    """A place with a session that has begun its compaction."""
    folder.mkdir()
    return Place(folder, scripts).begun()


def with_odd_items(place: Place) -> list[str]:
    """A memory that an editor has broken, met twice."""
    faults.change(place.session / "memory.json", items=7)
    place.meet(STOP)
    return place.goes_on()


class Breakage(NamedTuple):
    """A broken definition, the attack that has to find it, and what that says."""

    broken: Break
    attack: Callable[[Place], list[str]]
    words: str


BREAKAGES = (
    Breakage(Break("restore_snapshot.py", "take_mark", """
def take_mark(folder, series, name, text=""):
    with open(os.path.join(folder, series + name), "xb") as file:
        file.write(json.dumps({"schema": SCHEMA, "text": text}).encode())
    return True"""), faults.delivered_late, "was never put back"),
    Breakage(Break("restore_snapshot.py", "UNFINISHED_SECONDS", "UNFINISHED_SECONDS = 10 ** 12"),
             faults.times_to_come, "told: "),
    Breakage(Break("save_snapshot.py", "forget_old_sessions", """
def forget_old_sessions(own, days):
    for entry in os.scandir(os.path.dirname(own)):
        forget_if_old(entry.path, days)"""), faults.retention, "the own session's folder went"),
    Breakage(Break("save_snapshot.py", "usable_memory", """
def usable_memory(path):
    memory = read_store(path)
    if memory and fault_in(memory):
        raise KeyError(path)
    return memory"""), with_odd_items, "lines in the log"))


@pytest.mark.rows(1)
@pytest.mark.parametrize("case", BREAKAGES, ids=[case.words for case in BREAKAGES])
def test_a_broken_copy_is_found(tmp_path: Path, case: Breakage) -> None:
    broken = ground_with(tmp_path, case.broken)
    messages = case.attack(begun(tmp_path / "place", broken.scripts))
    assert any(case.words in message for message in messages)


def test_what_bothers_a_client_is_named() -> None:
    good = '{"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": "compact-keeper: facts"}}'
    assert faults_of(COMPACTED, Run(0, good, "", 0.1)) == faults_of(STOP, Run(0, "", "", 0.1)) == []
    for run in (Run(1, "", "", 0.1), Run(0, "", "Traceback", 0.1), Run(0, "", "", 21.0)):
        assert faults_of(STOP, run) != []
    for was, becomes in (("compact-keeper", "x"), ("facts", "x" * 9_900), ("SessionStart", "Stop"), ("}}", "}"),
                         ('{"hookS', '{"decision": "block", "hookS')):
        assert faults_of(COMPACTED, Run(0, good.replace(was, becomes, 1), "", 0.1)) != []
    assert faults_of(PRECOMPACT, Run(0, "", "", 0.1)) == ["printed ''"]


def test_a_hook_that_does_not_end_is_named(tmp_path: Path) -> None:
    assert "no end within" in "".join(begun(tmp_path / "place").judged(STOP, timeout=0.001))


def test_a_torn_store_and_a_draft_are_named(tmp_path: Path) -> None:
    place = begun(tmp_path / "place")
    assert place.broken_stores() == []
    (place.session / "snapshot.json").write_bytes(b'{"schema": 1, "it')
    (place.session / "memory.json.77.tmp").touch()
    assert [fault.partition(" ")[0] for fault in place.broken_stores()] == ["memory.json.77.tmp", "snapshot.json"]


def test_what_was_lost_is_named(tmp_path: Path) -> None:
    place = begun(tmp_path / "place")
    place.transcript.write_bytes(b"")
    (place.session / "memory.json").unlink()
    assert "0 times known: Never touch the alpha table." in "".join(place.goes_on())


@pytest.mark.skipif(sys.platform != "linux", reason="mounts")
def test_a_disk_fills(tmp_path: Path) -> None:
    if not shutil.which("unshare"):
        pytest.skip("no unshare")
    broken = ground_with(tmp_path, Break("save_snapshot.py", "INSTRUCTIONS", 'INSTRUCTIONS = ""'))
    outcome = faults.in_namespace(broken)
    assert outcome.attempts == 0 or any("printed ''" in fault for fault in outcome.broken)


def test_a_memory_is_as_a_save_leaves_it(tmp_path: Path) -> None:
    session = crowded("é")
    session.queued("Later.", None)
    session.call("Task", prompt="Look it up.")
    session.compacted()
    for memory in (memory_of(session, tmp_path), memory_of(Session(), tmp_path)):
        assert store_memory.fault_in(memory) == ""


def test_odd_fields_are_all_fields(tmp_path: Path) -> None:
    place = begun(tmp_path / "place")
    fields = {where.partition(" ")[0] for where, _ in faults.odd_fields(place, "memory.json")}
    assert {"items", "position", "typed", "items[0].kind", "place.offset"} <= fields
    assert any(where.startswith("progress[") for where in fields)
