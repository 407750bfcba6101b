"""Scripts that do not stand a kill are found, and what a kill has left wrong is seen."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

import kills
from attack import Ground
from broken_scripts import Break, ground_with
from kills import NAME, VICTIMS, Scene
from place import Ended, Place

KILLED = Ended(-9, "")


def scene_of(ground: Ground, name: str) -> Scene:
    """The victim of that name before its run."""
    return Scene(ground, next(victim for victim in VICTIMS if victim.name == name))


@pytest.mark.parametrize(("victim", "change", "words"), [
    ("answer_prompt.py, a pin", Break("answer_prompt.py", "append_line", """
def append_line(path, line):
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600), "ab", buffering=0) as file:
        file.write(line[:9].encode())
        file.write((line[9:] + "\\n").encode())"""), "after the kill: "),
    ("audit_summary.py", Break("audit_summary.py", "replace_store", """
def replace_store(path, data):
    right_replace_store(path, data)
    os.truncate(path, 9)
    os.utime(path)
    raise OSError"""), "note.json"),
], ids=["two writes", "no whole file"])
def test_a_script_that_a_kill_breaks(victim: str, change: Break, words: str, tmp_path: Path,
                                     monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kills, "STEPPED", (victim,))
    broken = kills.at_each_step(ground_with(tmp_path, change, full=True, until=words)).broken
    assert any(words in line for line in broken), broken


def halved(name: str) -> Callable[[Place], None]:
    """Leaves half of that store of the session."""
    def halve(place: Place) -> None:
        path = place.session(NAME) / name
        path.write_bytes(path.read_bytes()[:40])
    return halve


def forgotten(place: Place) -> None:
    """Leaves no ledger."""
    (place.session(NAME) / "ledger.jsonl").unlink()


def drafted(place: Place) -> None:
    """Leaves what no script calls a draft."""
    (place.session(NAME) / "memory.json.new.tmp").touch()


@pytest.mark.parametrize(("leave", "words"), [
    (halved("memory.json"), "after the kill: sessions/killed/memory.json"),
    (halved("ledger.jsonl"), "after the kill: sessions/killed/ledger.jsonl"),
    (forgotten, "after the next run: commands in memory"), (drafted, "memory.json.new.tmp stays")])
def test_what_a_kill_leaves_wrong_is_seen(leave: Callable[[Place], None], words: str, tmp_path: Path) -> None:
    scene = scene_of(Ground(tmp_path, full=False), "save_snapshot.py at Stop")
    assert list(scene.faults(scene.copy(), KILLED)) == []
    place = scene.copy()
    leave(place)
    assert any(words in fault for fault in scene.faults(place, KILLED))


def test_torn_settings_and_archives_are_seen(tmp_path: Path) -> None:
    scene = scene_of(Ground(tmp_path, full=False), "install.py uninstall")
    place = scene.copy()
    assert list(scene.broken_stores(place)) == []
    settings = place.person / ".claude" / "settings.json"
    settings.write_bytes(settings.read_bytes()[:-9])
    place.home.mkdir()
    with closing(sqlite3.connect(place.home / "archive.db")) as db:
        db.execute("CREATE TABLE turns(id)")
    assert list(scene.broken_stores(place)) == ["settings.json is neither the old nor the new one"]
    (place.home / "archive.db").write_bytes(b"no archive" * 500)
    assert [fault.partition(":")[0] for fault in scene.broken_stores(place)][1:] == ["archive.db"]
