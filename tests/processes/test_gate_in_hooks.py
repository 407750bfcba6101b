"""The gate, by the process at PreCompact: off by default; what a hold prints, stores and leaves as it was."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from save_snapshot import INSTRUCTIONS
from sessions import SCRIPTS, SESSION_ID, Home, Run, Session, hook_input

WINDOW = {"CLAUDE_CODE_AUTO_COMPACT_WINDOW": "100000"}
ROOM = 70_000  # tokens: the client compacts from 67,000 on, the gate lets go above 90,000
QUESTION, CHANGES = "a question to the user is open", "changes to 2 files are under way"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A data folder in which the gate is on."""
    made = Home(tmp_path / "home")
    configure(made)
    return made


def configure(home: Home, **settings: Any) -> None:
    home.path.mkdir(exist_ok=True)
    (home.path / "config.json").write_text(json.dumps({"gate": "hold", **settings}), encoding="utf-8")


def filled(session: Session) -> Session:
    """The session, its assistant's newest record telling of a context that leaves room."""
    newest = next(record for record in reversed(session.records) if record["type"] == "assistant")
    newest["message"]["usage"] = {"input_tokens": ROOM, "output_tokens": 20}
    return session


def edited() -> Session:
    """A session whose last calls are edits of two files."""
    session = Session()
    session.typed("Rename the table everywhere.")
    for path in ("/srv/a.py", "/srv/b.py"):
        session.ran("Edit", file_path=path, old_string="a", new_string="b")
    return filled(session)


def with_question() -> Session:
    session = Session()
    session.typed("Clean up the schema.")
    session.says("There are two tables of that name.")
    session.posed("Shall I drop the old one?")
    return filled(session)


def precompact(home: Home, session: Session, extra: dict[str, str] | None = None, **fields: Any) -> Run:
    """The process at an automatic PreCompact."""
    transcript = session.write(home.path.parent / "transcript.jsonl")
    done = home.run("save_snapshot.py", hook_input("PreCompact", transcript, **fields), extra=WINDOW | (extra or {}))
    assert (done.code, done.stderr) == (0, "")
    return done


def why(done: Run) -> str:
    """Why it was held; empty when it was let go with the words for the summariser."""
    if done.stdout == INSTRUCTIONS:
        return ""
    answer = json.loads(done.stdout)
    assert set(answer) == {"decision", "reason"}
    assert answer["decision"] == "block"
    return str(answer["reason"]).removeprefix("compact-keeper: ")


def test_project_cannot_switch_it_on(tmp_path: Path) -> None:
    home, project = Home(tmp_path / "home"), tmp_path / "project"
    (project / ".claude").mkdir(parents=True)
    (project / ".claude" / "compact-keeper.json").write_text('{"gate": "hold", "gate_holds": 20}', encoding="utf-8")
    assert why(precompact(home, edited(), cwd=str(project))) == ""
    assert "gate" in home.log()[0]


def test_full_disk_holds_nothing(home: Home) -> None:
    """Where the count of holds cannot be kept, a hold would never end."""
    transcript = edited().write(home.path.parent / "transcript.jsonl")
    for _ in range(3):
        done = home.save(transcript, extra=WINDOW, before=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)))
        assert (done.code, done.stdout) == (0, "")


@pytest.mark.parametrize("gate", ["hold", "off"])
def test_a_save_that_fails_still_tells_the_summariser(home: Home, gate: str) -> None:
    configure(home, gate="off")
    precompact(home, edited())
    configure(home, gate=gate)
    (home.session / "memory.json").write_text('{"schema": 2}', encoding="utf-8")
    assert precompact(home, edited()).stdout == INSTRUCTIONS
    assert len(home.log()) == 1
    configure(home, gate=gate, instructions=False)
    assert precompact(home, edited()).stdout == ""


def test_the_count_is_stored_before_the_hold_is_told(home: Home) -> None:
    """Ended between the two, it would else hold again and again."""
    transcript = edited().write(home.path.parent / "transcript.jsonl")
    nobody, answer = os.pipe()
    os.close(nobody)
    subprocess.run([sys.executable, "-IS", str(SCRIPTS / "save_snapshot.py")], stdout=answer, check=False,
                   input=json.dumps(hook_input("PreCompact", transcript)).encode(), env=home.environment(WINDOW))
    os.close(answer)
    assert "BrokenPipeError" in home.log()[0]
    assert home.stored("compaction.json")["holds"] == 1


def fifo(path: Path) -> None:
    os.mkfifo(path)


def loop(path: Path) -> None:
    path.symlink_to(path)


def later(path: Path) -> None:
    path.write_text('{"schema": 2}', encoding="utf-8")


@pytest.mark.parametrize("make", [Path.mkdir, fifo, loop, later])
def test_count_that_cannot_be_kept_holds_nothing(home: Home, make: Callable[[Path], None]) -> None:
    home.session.mkdir(parents=True)
    make(home.session / "compaction.json")
    transcript = edited().write(home.path.parent / "transcript.jsonl")
    assert home.save(transcript, extra=WINDOW).stdout == INSTRUCTIONS
    assert len(home.log()) == 1


def test_off_by_default(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    assert precompact(home, edited()).stdout == INSTRUCTIONS
    assert home.stored("compaction.json")["stage"] == "begun"
    assert home.log() == []


@pytest.mark.parametrize(
    ("session", "reason"), [(with_question(), QUESTION), (edited(), CHANGES)], ids=["question", "edits"])
def test_holds_twice_then_lets_go(home: Home, session: Session, reason: str) -> None:
    assert [why(precompact(home, session)) for _ in range(4)] == [
        f"{reason}; compaction held, 1 of at most 2 times", f"{reason}; compaction held, 2 of at most 2 times", "", ""]


def test_manual_is_never_held(home: Home) -> None:
    assert why(precompact(home, edited(), trigger="manual")) == ""
    assert home.stored("compaction.json")["trigger"] == "manual"


def test_snapshot_is_saved_though_held(home: Home) -> None:
    assert why(precompact(home, edited()))
    assert any(item["text"] == "Rename the table everywhere." for item in home.stored("snapshot.json")["items"])


def test_held_compaction_keeps_the_stage(home: Home) -> None:
    """So a later start or /clear says nothing of a compaction that did not end: none has begun."""
    assert why(precompact(home, edited()))
    first = home.stored("compaction.json")
    assert (first["stage"], first["holds"], first["held_in"]) == ("", 1, 0)
    started = hook_input("SessionStart", "", source="clear") | {"session_id": "another"}
    assert home.run("restore_snapshot.py", started).stdout == ""
    (home.session / "compaction.json").write_text(
        '{"schema": 1, "stage": "delivered", "id": "abc", "offset": 0}', encoding="utf-8")
    assert why(precompact(home, edited()))
    kept = home.stored("compaction.json")
    assert (kept["stage"], kept["id"], kept["holds"]) == ("delivered", "abc", 1)


def test_instructions_switched_off_stay_off(home: Home) -> None:
    configure(home, instructions=False)
    assert why(precompact(home, edited()))
    assert precompact(home, edited(), trigger="manual").stdout == ""


def test_of_another_session_nothing_is_counted(home: Home) -> None:
    for name in ("one", "two"):
        assert why(precompact(home, edited(), session_id=name)).endswith("1 of at most 2 times")
    assert not home.session.exists()
    assert SESSION_ID not in os.listdir(home.path / "sessions")
