"""What follows a save: the line and the figures of it, and processes of their own, which nobody waits for."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from compact_keeper.client.ledger_reading import RESTED_SECONDS
from sessions import CWD, SCRIPTS, SESSION_ID, Home, JsonObject, Session, as_line, hook_input, stamp
from waiting import comes

FEEDING = {"COMPACT_KEEPER_ARCHIVE": ""}  # the tests' own homes have it off


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = Home(tmp_path / "home")
    made.path.mkdir()
    (made.path / "config.json").write_text(json.dumps({"archive_days": 36_500}), encoding="utf-8")
    return made


def prompts(home: Home) -> list[str]:
    """The prompts in the archive."""
    try:
        with closing(sqlite3.connect(f"file:{home.path / 'archive.db'}?mode=ro", uri=True)) as archive:
            return [row[0] for row in archive.execute("SELECT prompt FROM turns ORDER BY id")]
    except sqlite3.Error:
        return []


def come(home: Home, *expected: str) -> bool:
    """Whether these prompts come into the archive."""
    home.rests()
    beside = sum(path.stat().st_size for path in home.path.glob("archive.db-wal"))  # what asks leaves an empty one
    return not beside and prompts(home) == [*expected]


def session(*typed: str) -> Session:
    made = Session()
    for text in typed:
        made.typed(text)
        made.says("Done.")
    return made


def ledger(home: Home, *lines: JsonObject) -> None:
    home.session.mkdir(parents=True, exist_ok=True)
    with (home.session / "ledger.jsonl").open("ab") as file:
        file.writelines(as_line({"schema": 1, "time": stamp(number), **line}) for number, line in enumerate(lines))


def events(home: Home) -> list[JsonObject]:
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


def test_what_failed_and_passed_within_a_turn_counts_once(home: Home, tmp_path: Path) -> None:
    made = Session()
    made.failed("Bash", "Exit code 1\nerror: bad", command="make test")
    made.ran("Bash", "1 passed in 0.10s", command="pytest -q")
    made.ran("Bash", command="make test")
    home.save(made.write(tmp_path / "transcript.jsonl"), "Stop")
    made.ran("Bash", command="make other")
    home.save(made.write(tmp_path / "transcript.jsonl"), "Stop")
    made.failed("Bash", "Exit code 1\n1 failed in 0.10s", command="pytest -q")
    made.ran("Bash", "1 passed in 0.10s", command="pytest -q")
    home.save(made.write(tmp_path / "transcript.jsonl"), "Stop")
    assert [line["cleared"] for line in events(home)] == [1, 0, 1]


def test_a_failure_is_cleared_once_however_often_the_command_passes_later(home: Home, tmp_path: Path) -> None:
    made = Session()
    made.failed("Bash", "Exit code 1\nerror: bad", command="make test")
    for _ in range(3):
        made.ran("Bash", command="make test")
        home.save(made.write(tmp_path / "transcript.jsonl"), "Stop")
    assert [line["cleared"] for line in events(home)] == [1, 0, 0]


def test_failures_that_are_only_pruned_are_not_cleared(home: Home, tmp_path: Path) -> None:
    made = Session()
    for number in range(8):
        made.failed("Bash", "Exit code 1\nerror: bad", command=f"make part{number}")
    home.save(made.write(tmp_path / "transcript.jsonl"), "Stop")
    (home.path / "config.json").write_text('{"max_items": 20}', encoding="utf-8")
    for number in range(30):
        made.typed(f"Do step {number}.")
    home.save(made.write(tmp_path / "transcript.jsonl"), "Stop")
    assert not [item for item in home.stored("memory.json")["items"] if item["kind"] == "failure"]
    assert events(home)[-1]["cleared"] == 0


def test_times_of_the_recording_hook_count_once(home: Home) -> None:
    prompt = {"event": "prompt", "text": 'I typed "hook_ms": 7.7 here.'}
    ledger(home, {**prompt, "hook_ms": 1.4}, {**prompt, "hook_ms": 2}, {**prompt, "hook_ms": 1.4}, prompt)
    home.save(event="Stop")
    home.save(event="Stop")
    ledger(home, {**prompt, "hook_ms": 12.25})
    home.save(event="Stop")
    folded = home.session / "ledger.folded.jsonl"
    os.utime(folded, (1, folded.stat().st_mtime - RESTED_SECONDS))
    home.save(event="Stop")
    assert [line.get("recorded") for line in events(home)] == [{"1.4": 2, "2": 1}, None, None, {"12.2": 1}]


def test_status(home: Home, tmp_path: Path) -> None:
    made = session("Never push to main.")
    made.todos(Ship="in_progress", Test="pending", Read="completed")
    made.compacted()
    path = made.write(tmp_path / "transcript.jsonl")
    home.save(path, "Stop")
    status = home.stored("status.json")
    assert isinstance(status.pop("time"), float)
    assert status.pop("items") == len(home.stored("memory.json")["items"])
    assert status == {"schema": 1, "tasks": 2, "rules": 1, "cycle": 1, "project": CWD, "transcript": str(path)}


def test_boxes_beside_the_clients_list_are_no_further_tasks(home: Home, tmp_path: Path) -> None:
    """So the status line has the number that the client shows; where there is no such list the boxes count."""
    made = Session()
    made.says("The steps:\n- [ ] parse the marks\n- [ ] tests for it\n- [x] read the tables")
    home.save(made.write(tmp_path / "transcript.jsonl"), "Stop")
    assert home.stored("status.json")["tasks"] == 2
    made.created(1, "Extend the parser")
    home.save(made.write(tmp_path / "transcript.jsonl"), "Stop")
    assert home.stored("status.json")["tasks"] == 1


@pytest.mark.parametrize(("bad", "others"), [
    ("events.jsonl", {"status.json", "notes.md"}), ("status.json", {"events.jsonl", "notes.md"}),
    ("notes.md", {"events.jsonl", "status.json"})])
def test_one_bad_file_keeps_no_other_from_being_written(home: Home, tmp_path: Path, bad: str, others: set[str]) -> None:
    places = {"events.jsonl": home.path, "status.json": home.session, "notes.md": home.session}
    path = session("Never push to main.").write(tmp_path / "transcript.jsonl")
    home.session.mkdir(parents=True)
    (places[bad] / bad).mkdir()
    assert home.save(path, extra=FEEDING).stdout.startswith("compact-keeper: messages, tasks, edits")
    assert {name for name, place in places.items() if (place / name).is_file()} == others
    line, = home.log()
    assert f"after the save, {bad}: " in line
    assert come(home, "Never push to main.")
    assert not list(home.session.glob("*.tmp"))


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


def test_the_hook_does_not_wait(home: Home, tmp_path: Path) -> None:
    """The process that it starts holds none of the hook's pipes: else the client would wait for its end."""
    shutil.copy(SCRIPTS / "save_snapshot.py", tmp_path / "save_snapshot.py")
    started = tmp_path / "started"
    (tmp_path / "recall.py").write_text(
        f"import os, time\nopen({str(started)!r}, 'w').write(str(os.getpid()))\ntime.sleep(600)\n", encoding="utf-8")
    transcript = session("Hello there.").write(tmp_path / "transcript.jsonl")
    done = home.run(str(tmp_path / "save_snapshot.py"), hook_input("Stop", transcript), extra=FEEDING)  # to their end
    assert (done.code, done.stdout, done.stderr) == (0, "", "")
    assert comes(lambda: started.exists() and started.read_text(encoding="utf-8"))
    os.kill(int(started.read_text(encoding="utf-8")), signal.SIGKILL)  # it runs still


def test_faults_stand_in_the_log(home: Home, tmp_path: Path) -> None:
    (home.path / "archive.db").write_bytes(b"no database at all" * 100)
    transcript = session("Hello there.").write(tmp_path / "transcript.jsonl")
    assert home.save(transcript, "Stop", extra=FEEDING).code == 0
    home.rests()
    assert [line for line in home.log() if "not a database" in line]
