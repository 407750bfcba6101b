"""save_snapshot.py: a save that another one overtakes, and what it starts or does not when the snapshot is safe."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import save_snapshot
from compact_keeper.record import session as record_session
from sessions import Home, JsonObject, Session, hook_input


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    made = Home(tmp_path / "home")
    made.path.mkdir()
    monkeypatch.setenv("COMPACT_KEEPER_HOME", str(made.path))
    monkeypatch.setattr(save_snapshot, "lock_session", lambda _: True)  # as where there are no locks
    return made


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The commands that would have been started."""
    commands: list[list[str]] = []
    monkeypatch.setenv("COMPACT_KEEPER_ARCHIVE", "")
    monkeypatch.setattr(save_snapshot, "script_command", lambda *words: [*words])
    monkeypatch.setattr(save_snapshot, "start_alone", commands.append)
    return commands


def transcript_of(tmp_path: Path, *typed: str) -> Path:
    session = Session()
    for text in typed:
        session.typed(text)
    return session.write(tmp_path / "transcript.jsonl")


def events(home: Home) -> list[JsonObject]:
    path = home.path / "events.jsonl"
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []


@pytest.mark.parametrize("event", ["Stop", "PreCompact"])
def test_a_save_that_came_too_late_stores_and_tells_nothing(
        home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], event: str,
        ) -> None:
    """Another save has read further meanwhile: what that stored stays. A compaction begins all the same."""
    path = transcript_of(tmp_path, "One.", "Two.")

    def overtaken(*given: Any) -> object:
        late = record_session.read_on(*given)
        monkeypatch.setattr(save_snapshot, "read_on", record_session.read_on)
        transcript_of(tmp_path, "One.", "Two.", "Three.")
        save_snapshot.save(hook_input("Stop", path))
        return late

    monkeypatch.setattr(save_snapshot, "read_on", overtaken)
    save_snapshot.save(hook_input(event, path))
    assert [line["on"] for line in events(home)] == ["Stop"]
    assert "Three." in (home.session / "notes.md").read_text(encoding="utf-8")
    assert home.stored("snapshot.json")["position"] == 3
    assert (home.session / "compaction.json").exists() is (event == "PreCompact")
    assert capfd.readouterr().out == (save_snapshot.INSTRUCTIONS if event == "PreCompact" else "")


@pytest.mark.parametrize("event", ["Stop", "PreCompact"])
def test_the_archive_is_fed_with_the_session_and_its_subagents(
        home: Home, tmp_path: Path, started: list[list[str]], event: str) -> None:
    path = transcript_of(tmp_path, "Hello there.")
    save_snapshot.save(hook_input(event, path))
    (tmp_path / "transcript" / "subagents").mkdir(parents=True)
    save_snapshot.save(hook_input(event, path))
    feeding = ["recall.py", "index", "--quiet", str(path)]
    assert (started, home.log()) == ([feeding, [*feeding, str(tmp_path / "transcript")]], [])


@pytest.mark.parametrize("switched_off", ["environment", "setting", "no transcript"])
def test_nothing_is_started(home: Home, tmp_path: Path, started: list[list[str]], switched_off: str,
                            monkeypatch: pytest.MonkeyPatch) -> None:
    if switched_off == "environment":
        monkeypatch.setenv("COMPACT_KEEPER_ARCHIVE", "off")
    if switched_off == "setting":
        (home.path / "config.json").write_text('{"archive": false}', encoding="utf-8")
    transcript = transcript_of(tmp_path, "Hello there.")
    save_snapshot.save(hook_input("Stop", "" if switched_off == "no transcript" else transcript))
    assert (started, home.log()) == ([], [])


def test_a_save_is_whole_when_no_process_can_start(
        home: Home, tmp_path: Path, started: list[list[str]], monkeypatch: pytest.MonkeyPatch,
        capfd: pytest.CaptureFixture[str]) -> None:
    def refuse(_command: object) -> None:
        raise OSError("no more processes")
    monkeypatch.setattr(save_snapshot, "start_alone", refuse)
    save_snapshot.save(hook_input("PreCompact", transcript_of(tmp_path, "Never push to main.")))
    assert "compact-keeper: messages, tasks" in capfd.readouterr().out
    assert home.stored("snapshot.json")["items"]
    line, = home.log()
    assert line.endswith("after the save, archive: no more processes")
    assert started == []


def test_a_ledger_that_cannot_be_folded_keeps_no_line_out_of_the_events(
        home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_folder: str) -> bool:
        raise OSError("no room")
    monkeypatch.setattr(save_snapshot, "fold_ledger", refuse)
    save_snapshot.save(hook_input("Stop", transcript_of(tmp_path, "Never push to main.")))
    assert [line["event"] for line in events(home)] == ["save"]
    line, = home.log()
    assert line.endswith("after the save, ledger.jsonl: no room")


@pytest.mark.parametrize(("event", "config", "is_copied"), [
    ("PreCompact", {"transcript_backup": "gzip"}, True), ("Stop", {"transcript_backup": "gzip"}, False),
    ("PreCompact", {"transcript_backup": "off"}, False), ("PreCompact", {}, False)])
def test_a_compaction_copies_the_transcript_where_that_is_switched_on(  # noqa: PLR0913, PLR0917 - a row's columns
        home: Home, tmp_path: Path, started: list[list[str]], event: str, config: JsonObject, is_copied: bool) -> None:
    (home.path / "config.json").write_text(json.dumps({"archive": False, **config}), encoding="utf-8")
    path = transcript_of(tmp_path, "Hello there.")
    save_snapshot.save(hook_input(event, path))
    assert started == [["save_snapshot.py", "--backup", str(path), home.session.name, "--quiet"]] * is_copied
    save_snapshot.save(hook_input("Stop", path))
    assert (len(started), home.log()) == (is_copied, [])


def test_a_compaction_that_the_gate_holds_copies_nothing(
        home: Home, tmp_path: Path, started: list[list[str]]) -> None:
    home.session.mkdir(parents=True)
    data = hook_input("PreCompact", transcript_of(tmp_path, "Hello there."))
    for begun, count in ((100.0, 0), (200.0, 1)):
        (home.session / "compaction.json").write_text(json.dumps({"schema": 1, "time": begun}), encoding="utf-8")
        save_snapshot.start_backup(data, str(home.session), 150.0)
        assert len(started) == count


def test_a_projects_settings_switch_no_copies_on(
        home: Home, tmp_path: Path, started: list[list[str]], monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude" / "compact-keeper.json").write_text(
        '{"transcript_backup": "gzip", "archive": false}', encoding="utf-8")
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(tmp_path))
    save_snapshot.save(hook_input("PreCompact", transcript_of(tmp_path, "Hello there.")))
    assert started == []
    assert "transcript_backup" in home.log()[0]


def test_a_subagents_compaction_saves_the_session_and_begins_none(
        home: Home, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = transcript_of(tmp_path, "Never push to main.")
    for event in ("Stop", "SessionStart"):
        save_snapshot.save(hook_input(event, path, agent_id="a1b2"))
    assert list(home.path.iterdir()) == []
    save_snapshot.save(hook_input("PreCompact", path, agent_id="a1b2"))
    assert [item["text"] for item in home.stored("snapshot.json")["items"] if item["kind"] == "rule"] == [
        "Never push to main."]
    assert [line["on"] for line in events(home)] == ["Stop"]
    assert not (home.session / "compaction.json").exists()
    assert capfd.readouterr().out == ""


@pytest.mark.parametrize(("arguments", "code", "output"), [
    (["--help"], 0, "Save what a compaction would lose"), (["--quiet"], 2, "Save what a compaction would lose"),
    (["--nothing"], 2, "Save what a compaction would lose"), (["--backups", ".."], 2, "Save what"),
    (["--backups", ""], 2, "Save what"), (["--backups"], 2, "Save what"), (["--backup"], 2, "Save what"),
    (["--backup", "a", "b", "c"], 2, "Save what"), (["--dry-run", "a", "b"], 2, "Save what"),
    (["--dry-run", "/nowhere.jsonl"], 1, "/nowhere.jsonl is not a file"),
    (["--dry-run"], 1, "name one: save_snapshot.py --dry-run TRANSCRIPT")])
def test_command_lines(  # noqa: PLR0913, PLR0917 - a row's columns
        home: Home, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
        arguments: list[str], code: int, output: str) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(home.path / "none"))
    assert save_snapshot.main(arguments) == code
    out, err = capsys.readouterr()
    assert output in (err if code == 1 else out)
    assert not (out and err)
    assert list(home.path.iterdir()) == []
