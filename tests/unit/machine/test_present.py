"""What is true now of a snapshot: the repository as git tells it, which jobs still run; both in bounded time."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from compact_keeper.machine import present
from compact_keeper.machine.present import compared_now
from compact_keeper.types import Item
from entries import BEFORE, job_item
from sessions import repository_at

NOW = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime())


def look_at(*items: Item, folder: object = "") -> Any:
    return compared_now({"items": list(items), "state": {"cwd": str(folder)}, "began": BEFORE, "time": NOW})


@pytest.mark.parametrize("folder", ["", "/nowhere", "/a\0b", "relative", "/\ud800", "/dev/null"])
def test_where_there_is_no_repository_nothing_is_said_of_one(folder: str) -> None:
    assert look_at(folder=folder) == {"repository": {}, "jobs": {}}
    assert compared_now({"items": [], "state": {}, "began": ""}) == {"repository": {}, "jobs": {}}


def test_the_repository_is_asked(tmp_path: Path) -> None:
    folder = repository_at(tmp_path / "rates")
    (folder / "new.py").write_text("x", encoding="utf-8")
    now = look_at(folder=folder)["repository"]
    assert (now["branch"], now["root"], now["untracked"]) == ("main", str(folder), ["new.py"])


def test_git_has_its_time_and_not_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(present, "git_now", lambda *given: {"given": given})
    assert look_at(folder=tmp_path)["repository"] == {"given": (str(tmp_path), BEFORE, 0.3)}


def test_a_job_is_not_called_ended_when_time_ran_out(monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = iter(range(1_000))
    monkeypatch.setattr(time, "monotonic", lambda: next(ticks))
    assert look_at(job_item("sleep 61.5"))["jobs"] == {}


def test_jobs_without_a_process_are_told_and_no_more_than_40_are_looked_at(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(present, "JOBS_MAX_SECONDS", 60)
    jobs = [job_item(f"sleep 61.{number}", f"b{number}", position=number) for number in range(1_000)]
    assert look_at(*jobs, folder="/nowhere")["jobs"] == {}, "the session ran on another machine"
    looked_at = look_at(*jobs, folder=tmp_path)["jobs"]
    assert len(looked_at) == 40
    assert set(looked_at.values()) == {False}
    old = compared_now({"items": jobs, "state": {"cwd": str(tmp_path)}, "began": BEFORE, "time": BEFORE})
    assert old["jobs"] == {}, "that was another machine, or another day"
