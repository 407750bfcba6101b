"""What is true now of a snapshot: the repository, and which of its jobs still run; within a bounded time."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from compact_keeper.record import present
from compact_keeper.record.present import compared_now
from entries import job_item
from sessions import Record, repository_at

BEGAN = "2026-09-21T14:13:20.000Z"


def look_at(*items: Record, folder: object = "") -> Record:
    """What is true now of these items, of a session in the folder."""
    return compared_now({"items": list(items), "state": {"cwd": str(folder)}, "began": BEGAN})


def test_nothing_at_all() -> None:
    assert look_at() == {"repository": {}, "jobs": {}}
    assert compared_now({"items": [], "state": {}, "began": ""}) == {"repository": {}, "jobs": {}}


def test_the_repository_is_told_of_a_folder_in_one(tmp_path: Path) -> None:
    assert look_at(folder=tmp_path)["repository"] == {}
    assert look_at(folder=repository_at(tmp_path / "rates"))["repository"]["branch"] == "main"


def test_a_job_is_not_called_ended_when_time_ran_out(monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = iter(range(1_000))
    monkeypatch.setattr(time, "monotonic", lambda: next(ticks))
    monkeypatch.setattr(present, "JOBS_MAX_SECONDS", 3)
    assert look_at(job_item("sleep 61.5"))["jobs"] == {}
    monkeypatch.setattr(present, "JOBS_MAX_SECONDS", 900)
    assert look_at(job_item("sleep 61.5"))["jobs"] == {"b1": False}


def test_of_very_many_jobs_the_newest_are_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(present, "JOBS_MAX_SECONDS", 60)
    jobs = [job_item(f"sleep 61.{number}", f"b{number}") for number in range(present.JOBS_MAX + 10)]
    assert [*look_at(*jobs)["jobs"]] == [f"b{number}" for number in range(10, present.JOBS_MAX + 10)]
