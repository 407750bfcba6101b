"""What is true now of a snapshot's items: files, checks that passed, jobs, the repository; and what bounds the look."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from compact_keeper.machine.file_states import with_file_states
from compact_keeper.machine.repository import repository
from compact_keeper.record import present
from compact_keeper.record.present import compared_now
from entries import AFTER, BEFORE, command_item, file_item, job_item
from sessions import Record, repository_at

NO_LIMIT = 60.0  # seconds; what a test has when its subject is not the deadline
NOON = 1_795_262_400  # seconds: 2026-11-21T12:00:00Z


def look_at(*items: Record, folder: object = "/nowhere", seconds: float = NO_LIMIT, limit: int = 40) -> Record:
    """What is true now of these items, of a session that began in the folder."""
    state = {"cwd": str(folder), "root": str(folder)}
    return compared_now({"items": list(items), "state": state}, limit, seconds)


# --- files ---


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "rates.py"
    path.write_text("RATE = 1\n", encoding="utf-8")
    return path


def odd_places(folder: Path) -> dict[str, str]:
    """Paths at which no regular file stands."""
    (folder / "loop").symlink_to("loop")
    (folder / "dangling").symlink_to("nothing")
    (folder / "file").write_text("x", encoding="utf-8")
    os.mkfifo(folder / "fifo")
    return {"folder": str(folder), "loop": str(folder / "loop"), "dangling": str(folder / "dangling"), "nul": "/a\0b",
            "below-a-file": str(folder / "file" / "x"), "fifo": str(folder / "fifo"), "relative": "file", "empty": "",
            "surrogate": "/\ud800", "cut": str(folder / "fi") + "…", "long": "/" + "x" * 5_000, "device": os.devnull}


def test_odd_places_are_neither_marked_nor_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    items = [file_item(path) for path in odd_places(tmp_path).values()]
    assert with_file_states(items, 0) == items
    assert look_at(*items)["files"] == {}


def test_a_mark_outlives_a_file_that_is_gone(source: Path) -> None:
    first = with_file_states([file_item(source)], 0)
    source.unlink()
    assert with_file_states(first, 0) == first
    assert look_at(*first)["files"] == {str(source): "gone"}


def replaced_by(make: Callable[[Path], object]) -> Callable[[Path], None]:
    def change(path: Path) -> None:
        path.unlink()
        make(path)
    return change


def written(text: str, seconds: int) -> Callable[[Path], None]:
    def change(path: Path) -> None:
        path.write_text(text, encoding="utf-8")
        os.utime(path, (seconds, seconds))
    return change


def below_a_file(path: Path) -> None:
    path.unlink()
    folder = path.parent
    folder.rmdir()
    folder.write_text("", encoding="utf-8")


CHANGES: dict[str, tuple[Callable[[Path], object], str]] = {
    "nothing": (lambda path: path.read_text(encoding="utf-8"), "unchanged"),
    "longer": (lambda path: path.write_text("RATE = 10\n", encoding="utf-8"), "changed"),
    "same-size": (written("RATE = 2\n", 9), "changed"),
    "same-time": (written("", 5), "changed"),
    "touched": (written("RATE = 1\n", 6), "changed"),
    "older": (written("RATE = 1\n", 1), "changed"),
    "before-1970": (written("RATE = 1\n", -9), "changed"),
    "removed": (Path.unlink, "gone"),
    "folder-removed": (below_a_file, "gone"),
    "folder": (replaced_by(Path.mkdir), "changed"),
    "fifo": (replaced_by(os.mkfifo), "changed"),
    "dangling-link": (replaced_by(lambda path: path.symlink_to("nothing")), "gone"),
    "link-loop": (replaced_by(lambda path: path.symlink_to(path)), ""),
}


@pytest.mark.parametrize("name", CHANGES)
def test_what_became_of_a_file(tmp_path: Path, name: str) -> None:
    path, (change, told) = tmp_path / "src" / "rates.py", CHANGES[name]
    path.parent.mkdir()
    path.write_text("RATE = 1\n", encoding="utf-8")
    os.utime(path, (5, 5))
    items = with_file_states([file_item(path)], 0)
    assert items[0]["size"] == 9
    change(path)
    assert look_at(*items)["files"] == ({str(path): told} if told else {})


def test_a_file_that_may_not_be_seen_is_not_told(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    items = with_file_states([file_item(source)], 0)

    def refuse(*_: object) -> None:
        raise PermissionError(13, "denied")
    monkeypatch.setattr(os, "stat", refuse)
    assert look_at(*items, folder="")["files"] == {}


def test_without_a_mark_nothing_is_told(source: Path) -> None:
    assert look_at(file_item(source), file_item(source.parent / "never-here.py"))["files"] == {}


def test_changed_files_come_first_then_the_newest(tmp_path: Path) -> None:
    paths = [tmp_path / f"{number}.py" for number in range(6)]
    for path in paths:
        path.write_text("", encoding="utf-8")
    items = with_file_states([file_item(path, 10 + number, edits=int(number in (1, 2)))
                    for number, path in enumerate(paths)], 0)
    assert list(look_at(*items, limit=3)["files"]) == [str(paths[number]) for number in (2, 1, 5)]


@pytest.fixture
def stats(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every path that os.stat is asked about."""
    asked: list[str] = []
    real = os.stat

    def counted(path: Any, **more: Any) -> os.stat_result:
        asked.append(str(path))
        return real(path, **more)
    monkeypatch.setattr(os, "stat", counted)
    return asked


@pytest.mark.parametrize("limit", [0, 1, 40])
@pytest.mark.parametrize("count", [0, 1, 41, 500])
def test_never_more_than_the_limit_is_looked_at(stats: list[str], tmp_path: Path, limit: int, count: int) -> None:
    items = [file_item(tmp_path / str(number), number + 1, mtime=1, size=1) for number in range(count)]
    extra = [command_item(f"pytest {number}") for number in range(50)] + [job_item("sleep 12345")]
    stats.clear()
    look_at(*items, *extra, folder="", limit=limit)
    assert len(stats) == min(limit, count)
    stats.clear()
    with_file_states(items, 0, limit)
    assert len(stats) == min(limit, count)


# --- checks that passed, and what changed after them ---


def touched(folder: Path, name: str, seconds: float) -> Path:
    """A file that changed at that time."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("x", encoding="utf-8")
    os.utime(path, ns=(0, int(seconds * 1_000) * 1_000_000))
    return path


def test_a_check_is_stale_when_the_disk_says_so(tmp_path: Path) -> None:
    old, new = touched(tmp_path, "old.py", NOON - 7_200), touched(tmp_path, "new.py", NOON)
    check = command_item("pytest -q")
    assert look_at(file_item(old), check, folder=tmp_path)["stale"] == {}
    assert look_at(file_item(old), file_item(new), check, folder=tmp_path)["stale"] == {check["key"]: str(new)}


@pytest.mark.parametrize(("seconds", "expected"), [(NOON, False), (NOON + 0.001, True), (NOON - 0.001, False)])
def test_the_moment_counts_to_the_millisecond(tmp_path: Path, seconds: float, expected: bool) -> None:
    path = touched(tmp_path, "a.py", seconds)
    told = look_at(file_item(path), command_item("pytest", last=AFTER), folder=tmp_path)
    assert bool(told["stale"]) is expected


def test_the_file_that_changed_last_is_told(tmp_path: Path) -> None:
    paths = [touched(tmp_path, f"{number}.py", NOON + place) for number, place in enumerate((1, 3, 2))]
    touched(tmp_path, "README.md", NOON + 9)
    items = [*map(file_item, paths), file_item(tmp_path / "README.md")]
    check = command_item("make test")
    assert look_at(*items, check, folder=tmp_path)["stale"] == {check["key"]: str(paths[1])}


def test_a_read_after_the_check_is_no_change(tmp_path: Path) -> None:
    path = touched(tmp_path, "a.py", NOON - 7_200)
    told = look_at(file_item(path, last=AFTER, uses=3, edits=2), command_item("pytest"), folder=tmp_path)
    assert told["stale"] == {}


@pytest.mark.parametrize(("edits", "last", "expected"), [(1, AFTER, True), (0, AFTER, False), (1, BEFORE, False)])
def test_of_a_file_that_is_not_here_its_edits_count(tmp_path: Path, edits: int, last: str, expected: bool) -> None:
    told = look_at(file_item(tmp_path / "gone.py", edits=edits, last=last), command_item("pytest"), folder=tmp_path)
    assert bool(told["stale"]) is expected


@pytest.mark.parametrize("more", [{"ok": False}, {"ok": None}, {"last": ""}, {"last": AFTER}, {"kind": "failure"}])
def test_other_commands_are_not_stale(tmp_path: Path, more: Record) -> None:
    path = touched(tmp_path, "a.py", NOON)
    assert look_at(file_item(path), command_item("pytest", **more), folder=tmp_path)["stale"] == {}


@pytest.mark.parametrize("seconds", [-NOON, -1, 0, 2**33, 2**34])
def test_strange_times_of_files_do_no_harm(tmp_path: Path, seconds: int) -> None:
    path = touched(tmp_path, "a.py", seconds)
    told = look_at(file_item(path), command_item("pytest"), folder=tmp_path)
    assert bool(told["stale"]) is (os.stat(path).st_mtime > NOON)


@pytest.mark.parametrize("time_told", [1 << 62, -(1 << 62)])
def test_a_time_that_no_calendar_knows(source: Path, monkeypatch: pytest.MonkeyPatch, time_told: int) -> None:
    monkeypatch.setattr(present, "file_state", lambda _: {"size": 1, "mtime": time_told})
    assert bool(look_at(file_item(source), command_item("pytest"), folder=source.parent)["stale"]) is (time_told > 0)


def test_without_a_working_folder_nothing_is_stale(tmp_path: Path) -> None:
    path = touched(tmp_path, "a.py", NOON)
    snapshot = {"items": [file_item(path), command_item("pytest")], "state": {}}
    assert compared_now(snapshot, seconds=NO_LIMIT)["stale"] == {}


# --- bounds ---


@pytest.fixture
def rates(tmp_path: Path) -> Path:
    """A repository with one commit on the branch `main`."""
    return repository_at(tmp_path / "rates")


def test_with_no_time_only_the_repository_is_told(rates: Path) -> None:
    path = touched(rates, "a.py", NOON)
    items = [*with_file_states([file_item(path, last=AFTER)], 0), command_item("pytest"), job_item("sleep 61.5")]
    assert look_at(*items, folder=rates, seconds=NO_LIMIT)["stale"]
    told = look_at(*items, folder=rates, seconds=0)
    assert told == {"repository": repository(str(rates)), "files": {}, "stale": {}, "jobs": {}}


def test_a_job_is_not_called_ended_when_time_ran_out(monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = iter(range(1_000))
    monkeypatch.setattr(time, "monotonic", lambda: next(ticks))
    assert look_at(job_item("sleep 61.5"), seconds=3)["jobs"] == {}
    assert look_at(job_item("sleep 61.5"), seconds=900)["jobs"] == {"b1": False}


def ten_thousand(folder: Path) -> list[Record]:
    """Items of all kinds that are looked at; the 40 newest files are there, and changed after every check."""
    paths = [touched(folder, f"src/{number}.py", NOON) for number in range(40)]
    paths += [folder / f"x{number}" / "y.py" for number in range(4_960)]
    items = [file_item(path, 10_000 - number, size=1, mtime=1) for number, path in enumerate(paths)]
    items += [command_item(f"pytest tests/{number} -k 'a or b'") for number in range(4_000)]
    return items + [job_item(f"sleep 61.{number}", f"b{number}") for number in range(1_000)]


@pytest.mark.parametrize(("steps", "files", "checks"), [(1, 0, 0), (11, 10, 0), (41, 40, 0), (1_041, 40, 0),
                                                        (1_051, 40, 10), (5_041, 40, 4_000)])
def test_ten_thousand_items_are_cut_short(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, steps: int, files: int, checks: int
) -> None:
    ticks = iter(range(100_000))
    monkeypatch.setattr(time, "monotonic", lambda: next(ticks))
    told = look_at(*ten_thousand(tmp_path), folder=tmp_path, seconds=steps)
    assert (len(told["files"]), len(told["stale"]), told["jobs"]) == (files, checks, {})


def test_of_ten_thousand_items_all_is_told_when_there_is_time(tmp_path: Path) -> None:
    told = look_at(*ten_thousand(tmp_path), folder=tmp_path)
    assert (len(told["files"]), len(told["stale"]), len(told["jobs"])) == (40, 4_000, 40)


def test_nothing_at_all() -> None:
    assert look_at(folder="") == {"repository": {}, "files": {}, "stale": {}, "jobs": {}}
    assert compared_now({"items": [], "state": {}}) == {"repository": {}, "files": {}, "stale": {}, "jobs": {}}
    assert with_file_states([], 0) == []
