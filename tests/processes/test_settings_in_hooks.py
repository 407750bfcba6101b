"""What each setting does, by the scripts as processes."""

from __future__ import annotations

import json
import os
import re
import time
from pathlib import Path
from typing import Any

import pytest

from compact_keeper.store.settings import SETTINGS
from save_snapshot import INSTRUCTIONS
from sessions import Home, Session, hook_input, items_of, units


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = Home(tmp_path / "home")
    made.path.mkdir()
    return made


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "project" / ".claude").mkdir(parents=True)
    return tmp_path / "project"


def configure(home: Home, **settings: Any) -> None:
    (home.path / "config.json").write_text(json.dumps(settings), encoding="utf-8")


def configure_project(project: Path, raw: str) -> None:
    (project / ".claude" / "compact-keeper.json").write_text(raw, encoding="utf-8")


@pytest.mark.parametrize("value", [True, None, 7, "x", [7], {"a": []}, 1e308])
def test_no_value_of_a_project_keeps_the_rest_from_coming_back(
        home: Home, project: Path, tmp_path: Path, value: object) -> None:
    configure_project(project, json.dumps(dict.fromkeys(SETTINGS, value)))
    made = Session()
    made.typed("Never push to main.")
    extra, path = {"CLAUDE_PROJECT_DIR": str(project)}, made.write(tmp_path / "transcript.jsonl")
    assert home.save(path, extra=extra).code == 0
    assert "Never push to main." in home.restore(path, extra=extra).restored


def busy(words: str = "Add the importer.") -> Session:
    """A session that fills the default budget."""
    made = Session()
    made.typed(words)
    for number in range(120):
        made.ran("Edit", file_path=f"/home/ada/parcel-rates/src/module_{number}/handler_of_{number}.py", old_string="x",
                 new_string="y")
        made.ran("Bash", command=f"make test-{number} CARRIER={number}")
        made.typed(f"Never touch the table of carrier {number}, it is filled by the importer at night.")
    return made


def delivered(home: Home, made: Session, tmp_path: Path, **settings: Any) -> str:
    """What is put back for the session with these settings in config.json."""
    configure(home, **settings)
    path = made.write(tmp_path / "transcript.jsonl")
    (home.session / "compaction.json").unlink(missing_ok=True)  # the third compaction in a row would be cut short
    saved = home.save(path)
    assert (saved.code, saved.stderr) == (0, "")
    return home.restore(path).restored


def test_budget_is_the_size_of_what_is_put_back(home: Home, tmp_path: Path) -> None:
    texts = [delivered(home, busy(), tmp_path, budget=budget) for budget in (1_500, 9_000)]
    assert all(re.fullmatch(r"\d+ rules had no room here\.", text.splitlines()[-1]) for text in texts)
    sizes = [units(text.rpartition("\n\n")[0]) for text in texts]
    assert all(0.7 * budget < size <= budget for budget, size in zip((1_500, 9_000), sizes))


def test_a_projects_budget_counts_in_the_hook(home: Home, project: Path, tmp_path: Path) -> None:
    configure_project(project, '{"budget": 1500, "ttl_minutes": 60}')
    path = busy().write(tmp_path / "transcript.jsonl")
    for extra, cwd in (({"CLAUDE_PROJECT_DIR": str(project)}, "/nonexistent"), ({}, str(project))):
        home.run("save_snapshot.py", {**hook_input("PreCompact", path), "cwd": cwd}, extra=extra)
        assert units(home.restore(path).restored.rpartition("\n\n")[0]) <= 1_500
        assert home.stored("snapshot.json")["ttl"] == 600


@pytest.mark.parametrize(("is_on", "printed"), [(True, INSTRUCTIONS), (False, "")])
def test_instructions(home: Home, tmp_path: Path, is_on: bool, printed: str) -> None:
    configure(home, instructions=is_on)
    assert home.save(busy().write(tmp_path / "transcript.jsonl"))[:3] == (0, printed, "")
    assert home.save(event="Stop").stdout == ""


def test_max_items(home: Home, tmp_path: Path) -> None:
    delivered(home, busy(), tmp_path, max_items=30)
    assert len(home.stored("memory.json")["items"]) == 30


def test_tail_bytes(home: Home, tmp_path: Path) -> None:
    made = Session()
    made.typed("Never push to main.")
    made.ran("Bash", command="make early")
    for _ in range(60):
        made.ran("Bash", "x" * 2_000, command="make late")
    for tail_bytes, commands in ((64 << 10, ["make late"]), (1 << 20, ["make early", "make late"])):
        (home.session / "memory.json").unlink(missing_ok=True)
        delivered(home, made, tmp_path, tail_bytes=tail_bytes)
        memory = home.stored("memory.json")
        assert [item["text"] for item in items_of(memory, "action")] == commands
        assert [item["text"] for item in items_of(memory, "message")] == ["Never push to main."]


@pytest.mark.rows(1)
@pytest.mark.parametrize("minutes", [60, 1])
def test_ttl_minutes(home: Home, tmp_path: Path, minutes: int) -> None:
    path = busy().write(tmp_path / "transcript.jsonl")
    configure(home, ttl_minutes=minutes)
    home.save(path)
    snapshot = home.stored("snapshot.json")
    assert snapshot["ttl"] == 60 * minutes
    for age, holds in ((60 * minutes + 5, False), (60 * minutes - 5, True)):
        aged = {**snapshot, "created": time.time() - age}
        (home.session / "snapshot.json").write_text(json.dumps(aged), encoding="utf-8")
        assert bool(home.restore("/nonexistent/transcript.jsonl").restored) == holds
        (home.session / "compaction.json").unlink()


def test_retention_days(home: Home) -> None:
    """Old sessions go at a compaction, not at the end of a turn."""
    configure(home, retention_days=7)
    folders = {days: home.path / "sessions" / f"{days}-days-old" for days in (6, 8)}
    for days, folder in folders.items():
        folder.mkdir(parents=True)
        (folder / "memory.json").write_text("{}", encoding="utf-8")
        os.utime(folder / "memory.json", (time.time() - days * 86_400,) * 2)
    home.save(event="Stop")
    assert [folder.exists() for folder in folders.values()] == [True, True]
    home.save()
    assert [folder.exists() for folder in folders.values()] == [True, False]
    assert home.log() == []
