"""What follows a save: old sessions' folders go, and a process of its own feeds the archive, which nobody waits for."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import time
from pathlib import Path

import pytest

import after_save
import save_snapshot
from sessions import SCRIPTS, SESSION_ID, Home, Session, hook_input

FEEDING = {"COMPACT_KEEPER_ARCHIVE": ""}  # the tests' own homes have it off
SOON = 20.0  # seconds: a loaded machine; the process itself takes 0.1


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = Home(tmp_path / "home")
    made.path.mkdir()
    (made.path / "config.json").write_text(json.dumps({"archive_days": 36_500}), encoding="utf-8")
    return made


def prompts(home: Home) -> list[str]:
    """The prompts in the archive, when it has come that far."""
    try:
        with sqlite3.connect(f"file:{home.path / 'archive.db'}?mode=ro", uri=True) as archive:
            return [row[0] for row in archive.execute("SELECT prompt FROM turns ORDER BY id")]
    except sqlite3.Error:
        return []


def come(home: Home, *expected: str) -> bool:
    """Whether these prompts come into the archive soon."""
    until = time.monotonic() + SOON
    while time.monotonic() < until and prompts(home) != [*expected]:
        time.sleep(0.02)
    return prompts(home) == [*expected]


def session(*typed: str) -> Session:
    made = Session()
    for text in typed:
        made.typed(text)
        made.says("Done.")
    return made


# --- what starts nothing ---


@pytest.mark.parametrize("switched_off", ["environment", "setting", "no transcript", "not copied"])
def test_nothing_is_started(home: Home, tmp_path: Path, switched_off: str, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[str] = []
    monkeypatch.setattr(after_save, "feed", lambda *_: started.append("feed"))
    monkeypatch.setenv("COMPACT_KEEPER_ARCHIVE", "off" if switched_off == "environment" else "")
    if switched_off == "not copied":
        monkeypatch.setattr(after_save, "__file__", str(tmp_path / "after_save.py"))
    transcript = session("Hello there.").write(tmp_path / "transcript.jsonl")
    data = hook_input("Stop", "" if switched_off == "no transcript" else transcript)
    after_save.finish(data, str(home.path), {"archive": switched_off != "setting"})
    assert not started


def test_a_save_is_whole_when_the_process_cannot_start(
        home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    def refuse(*_: object, **__: object) -> int:
        raise OSError("no more processes")
    monkeypatch.setattr(os, "posix_spawn", refuse)
    monkeypatch.setenv("COMPACT_KEEPER_HOME", str(home.path))
    monkeypatch.setenv("COMPACT_KEEPER_ARCHIVE", "")
    transcript = session("Never push to main.").write(tmp_path / "transcript.jsonl")
    with pytest.raises(OSError, match="no more processes"):  # run_hook logs it
        save_snapshot.save(hook_input("PreCompact", transcript))
    assert "Keep word for word" in capfd.readouterr().out
    assert home.stored("snapshot.json")["items"]


# --- what is fed ---


@pytest.mark.parametrize("event", ["Stop", "PreCompact"])
def test_a_save_feeds_the_archive(home: Home, tmp_path: Path, event: str) -> None:
    made = session("Which port does the carrier use?")
    transcript = made.write(tmp_path / "transcript.jsonl")
    assert home.save(transcript, event, extra=FEEDING).code == 0
    assert come(home, "Which port does the carrier use?")
    (made + session("And the rate table?")).write(transcript)
    made.first = 100
    made.typed("And the rate table?")
    made.write(transcript)
    assert home.save(transcript, event, extra=FEEDING).code == 0
    assert come(home, "Which port does the carrier use?", "And the rate table?")
    assert not home.log()


def test_subagents_transcripts_are_fed_too(home: Home, tmp_path: Path) -> None:
    transcript = session("Look at the tariffs.").write(tmp_path / f"{SESSION_ID}.jsonl")
    folder = tmp_path / SESSION_ID / "subagents"
    folder.mkdir(parents=True)
    agent = session("Read tariffs.csv and count its rows.")
    for record in agent.records:
        record.update(isSidechain=True, agentId="a1")
    agent.write(folder / "agent-a1.jsonl")
    home.save(transcript, "Stop", extra=FEEDING)
    assert come(home, "Look at the tariffs.", "")


def test_the_hook_does_not_wait(tmp_path: Path) -> None:
    """The process holds none of the hook's pipes: its end shows when they close."""
    scripts = tmp_path / "hooks"
    shutil.copytree(SCRIPTS, scripts)
    (scripts / "recall.py").write_text("import time\ntime.sleep(60)\n", encoding="utf-8")
    transcript = session("Hello there.").write(tmp_path / "transcript.jsonl")
    data = {"hook_event_name": "Stop", "transcript_path": str(transcript)}
    began = time.monotonic()
    reading, writing = os.pipe()
    if not os.fork():
        os.dup2(writing, 1)
        os.dup2(writing, 2)
        after_save.feed(str(scripts / "recall.py"), data["transcript_path"])
        os._exit(0)
    os.close(writing)
    assert os.read(reading, 1) == b""
    assert time.monotonic() - began < 30


def test_faults_stand_in_the_log(home: Home, tmp_path: Path) -> None:
    (home.path / "archive.db").write_bytes(b"no database at all" * 100)
    transcript = session("Hello there.").write(tmp_path / "transcript.jsonl")
    assert home.save(transcript, "Stop", extra=FEEDING).code == 0
    until = time.monotonic() + SOON
    while time.monotonic() < until and not home.log():
        time.sleep(0.02)
    assert [line for line in home.log() if "not a database" in line]
