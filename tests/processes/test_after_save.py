"""What follows a save: the line and the figures of it, and processes of their own, which nobody waits for."""

from __future__ import annotations

import json
import os
import sqlite3
import time
from pathlib import Path

import after_save
import pytest
import session_ledger

import save_snapshot
from compact_keeper.record import session as record_session
from compact_keeper.store import retention, session_lock
from sessions import CWD, SESSION_ID, Home, Record, Session, as_line, hook_input, stamp

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


def ledger(home: Home, *lines: Record) -> None:
    home.session.mkdir(parents=True, exist_ok=True)
    with (home.session / "ledger.jsonl").open("ab") as file:
        file.writelines(as_line({"schema": 1, "time": stamp(number), **line}) for number, line in enumerate(lines))


def events(home: Home) -> list[Record]:
    return [json.loads(line) for line in (home.path / "events.jsonl").read_text(encoding="utf-8").splitlines()]


# --- the line of the save ---


def test_commands_that_passed_since_the_last_save(home: Home, tmp_path: Path) -> None:
    made = Session()
    for command in ("make test", "make lint", "make docs"):
        made.failed("Bash", "Exit code 1\nerror: bad", command=command)
    home.save(made.write(tmp_path / "transcript.jsonl"), "Stop")
    made.ran("Bash", command="make test")
    made.ran("Bash", command="make other")
    home.save(made.write(tmp_path / "transcript.jsonl"), "Stop")
    home.save(made.write(tmp_path / "transcript.jsonl"), "Stop")
    assert [line["cleared"] for line in events(home)] == [0, 1, 0]


def test_failures_that_are_only_pruned_are_not_cleared(home: Home, tmp_path: Path) -> None:
    made = Session()
    for number in range(8):
        made.failed("Bash", "Exit code 1\nerror: bad", command=f"make part{number}")
    home.save(made.write(tmp_path / "transcript.jsonl"), "Stop")
    (home.path / "config.json").write_text('{"max_items": 20}', encoding="utf-8")
    for number in range(30):
        made.typed(f"Do step {number}.")
    home.save(made.write(tmp_path / "transcript.jsonl"), "Stop")
    assert not [one for one in home.stored("memory.json")["items"] if one["kind"] == "failure"]
    assert events(home)[-1]["cleared"] == 0


def test_times_of_the_recording_hook_count_once(home: Home) -> None:
    told = {"event": "prompt", "text": 'I typed "hook_ms": 7.7 here.'}
    ledger(home, {**told, "hook_ms": 1.4}, {**told, "hook_ms": 2}, {**told, "hook_ms": 1.4}, told)
    home.save(event="Stop")
    home.save(event="Stop")
    ledger(home, {**told, "hook_ms": 12.25})
    home.save(event="Stop")
    folded = home.session / "ledger.folded.jsonl"
    os.utime(folded, (1, folded.stat().st_mtime - session_ledger.RESTED))
    home.save(event="Stop")
    assert [line.get("recorded") for line in events(home)] == [{"1.4": 2, "2": 1}, None, None, {"12.2": 1}]


def test_status(home: Home, tmp_path: Path) -> None:
    made = session("Never push to main.")
    made.todos(Ship="in_progress", Test="pending", Read="completed")
    made.compacted()
    before = time.time()
    path = made.write(tmp_path / "transcript.jsonl")
    home.save(path, "Stop")
    told = home.stored("status.json")
    assert before <= told.pop("time") <= time.time()
    assert told == {"schema": 1, "tasks": 2, "rules": 1, "items": len(home.stored("memory.json")["items"]), "cycle": 1,
                    "project": CWD, "transcript": str(path)}


@pytest.mark.parametrize(("bad", "others"), [
    ("events.jsonl", {"status.json", "notes.md"}), ("status.json", {"events.jsonl", "notes.md"}),
    ("notes.md", {"events.jsonl", "status.json"})])
def test_one_bad_file_keeps_no_other_from_being_written(home: Home, tmp_path: Path, bad: str, others: set[str]) -> None:
    home.session.mkdir(parents=True)
    places = {"events.jsonl": home.path, "status.json": home.session, "notes.md": home.session}
    (places[bad] / bad).mkdir()
    path = session("Never push to main.").write(tmp_path / "transcript.jsonl")
    assert home.save(path, extra=FEEDING)[:3] == (0, save_snapshot.INSTRUCTIONS, "")
    assert {name for name, place in places.items() if (place / name).is_file()} == others
    line, = home.log()
    assert f"after the save, {bad}: " in line
    assert come(home, "Never push to main.")
    assert not list(home.session.glob("*.tmp"))


def test_a_save_that_came_too_late_tells_nothing(home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another save has read further meanwhile: what it told stays."""
    monkeypatch.setenv("COMPACT_KEEPER_HOME", str(home.path))
    path = session("One.", "Two.").write(tmp_path / "transcript.jsonl")
    remember = record_session.read_on

    def overtaken(*given: object) -> Record:
        late: Record = remember(*given)  # type: ignore[arg-type]
        session("One.", "Two.", "Three.").write(path)
        assert home.save(path, "Stop").code == 0
        return late
    monkeypatch.setattr(record_session, "read_on", overtaken)
    monkeypatch.setattr(session_lock, "lock_session", lambda _: True)  # as where there are no locks
    save_snapshot.save(hook_input("Stop", path))
    assert len(events(home)) == 1
    assert "Three." in (home.session / "notes.md").read_text(encoding="utf-8")


def test_a_session_that_cannot_be_removed_keeps_no_other(
        home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMPACT_KEEPER_HOME", str(home.path))
    for number in range(6):
        folder = tmp_path / "sessions" / f"s{number}"
        folder.mkdir(parents=True)
        (folder / "memory.json").write_text("{}", encoding="utf-8")
        os.utime(folder / "memory.json", (1, 1))
    unlink = os.unlink

    def refuse(path: str) -> None:
        if f"{os.sep}s3{os.sep}" in path:
            raise PermissionError(f"not {path}")
        unlink(path)
    monkeypatch.setattr(os, "unlink", refuse)
    retention.forget_old_sessions(str(tmp_path / "sessions" / "own"), 30)
    assert os.listdir(tmp_path / "sessions") == ["s3"]
    line, = home.log()
    assert "old sessions: not " in line


# --- what starts nothing ---


@pytest.mark.parametrize("switched_off", ["environment", "setting", "no transcript", "not copied"])
def test_nothing_is_started(home: Home, tmp_path: Path, switched_off: str, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[str] = []
    monkeypatch.setattr(os, "posix_spawn", lambda *_, **__: started.append("a process"))
    monkeypatch.setenv("COMPACT_KEEPER_HOME", str(home.path))
    monkeypatch.setenv("COMPACT_KEEPER_ARCHIVE", "off" if switched_off == "environment" else "")
    if switched_off == "not copied":
        monkeypatch.setattr(after_save, "HERE", str(tmp_path))
    if switched_off == "setting":
        (home.path / "config.json").write_text('{"archive": false}', encoding="utf-8")
    transcript = session("Hello there.").write(tmp_path / "transcript.jsonl")
    save_snapshot.save(hook_input("Stop", "" if switched_off == "no transcript" else transcript))
    assert (started, home.log()) == ([], [])


def test_a_save_is_whole_when_the_process_cannot_start(
        home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    def refuse(*_: object, **__: object) -> int:
        raise OSError("no more processes")
    monkeypatch.setattr(os, "posix_spawn", refuse)
    monkeypatch.setenv("COMPACT_KEEPER_HOME", str(home.path))
    monkeypatch.setenv("COMPACT_KEEPER_ARCHIVE", "")
    transcript = session("Never push to main.").write(tmp_path / "transcript.jsonl")
    save_snapshot.save(hook_input("PreCompact", transcript))
    assert "Keep word for word" in capfd.readouterr().out
    assert home.stored("snapshot.json")["items"]
    line, = home.log()
    assert line.endswith("after the save, archive: no more processes")


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
    (tmp_path / "recall.py").write_text("import time\ntime.sleep(60)\n", encoding="utf-8")
    transcript = session("Hello there.").write(tmp_path / "transcript.jsonl")
    began = time.monotonic()
    reading, writing = os.pipe()
    if not os.fork():
        os.dup2(writing, 1)
        os.dup2(writing, 2)
        after_save.HERE = str(tmp_path)
        after_save.feed(str(transcript))
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
