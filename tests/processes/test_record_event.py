"""record_event.py: whatever comes in on stdin, one safe line of the ledger for each event, or none."""

from __future__ import annotations

import json
import os
import resource
import stat
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from hostile import odd_inputs, stdin_table
from sessions import HOOK_TIMEOUT, SCRIPTS, SESSION_ID, Home, JsonObject, hook_input
from tool_events import FAILED, STARTED, STOPPED, TOOL

PASSWORD = "hunter2hunter2"


# --- hostile input ---


@pytest.mark.parametrize(("raw", "fault"), stdin_table(FAILED))
def test_hostile_stdin_costs_nothing(home: Home, raw: bytes, fault: bool) -> None:
    home.session.mkdir(parents=True)
    (home.session / "ledger.jsonl").write_bytes(b'{"schema": 1, "event": "prompt", "text": "Never push."}\n')
    before = home.files()
    done = home.record(raw)
    assert (done.code, done.stdout, done.stderr) == (0, "", "")
    assert len(home.log()) == fault
    if fault:
        assert home.files() == before
    assert all(line["schema"] == 1 for line in home.ledger())


@pytest.mark.rows(1)
@pytest.mark.parametrize("third", range(3))
@pytest.mark.parametrize("event", [STOPPED, STARTED], ids=lambda event: str(event["hook_event_name"]))
def test_odd_fields_in_every_event(home: Home, event: JsonObject, third: int) -> None:
    for name, data in [*odd_inputs(event)][third::3]:
        assert home.record(data)[:3] == (0, "", ""), name
    assert home.log() == []


def test_debug_sends_the_log_line_to_stderr_too(home: Home) -> None:
    done = home.record(b"no JSON", extra={"COMPACT_KEEPER_DEBUG": "1"})
    assert (done.code, done.stdout) == (0, "")
    assert done.stderr.splitlines() == home.log()
    assert len(home.log()) == 1
    assert "record_event.py" in home.log()[0]


def test_off_switches_off(home: Home) -> None:
    assert home.record(TOOL, extra={"COMPACT_KEEPER_OFF": "1"})[:3] == (0, "", "")
    assert not home.path.exists()


@pytest.mark.parametrize("place", ["file/home", "/proc/self/home"])
def test_data_folder_that_cannot_be_made(tmp_path: Path, place: str) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    done = Home(tmp_path / place).record(TOOL, extra={"COMPACT_KEEPER_DEBUG": "1"})
    assert (done.code, done.stdout, len(done.stderr.splitlines())) == (0, "", 1)


def test_full_disk(home: Home) -> None:
    home.record(TOOL)
    before = home.files()

    def no_room() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))

    done = home.record(TOOL, before=no_room, extra={"COMPACT_KEEPER_DEBUG": "1"})
    assert (done.code, done.stdout, len(done.stderr.splitlines())) == (0, "", 1)
    assert home.files() == before


@pytest.mark.parametrize("name", ["sessions", f"sessions/{SESSION_ID}", f"sessions/{SESSION_ID}/ledger.jsonl"])
def test_nothing_is_written_through_a_link(home: Home, tmp_path: Path, name: str) -> None:
    elsewhere = tmp_path / "elsewhere"
    link = home.path / name
    link.parent.mkdir(parents=True)
    if link.suffix:
        elsewhere.write_text("mine\n", encoding="utf-8")
    else:
        elsewhere.mkdir()
    link.symlink_to(elsewhere)
    assert home.record(TOOL)[:3] == (0, "", "")
    assert elsewhere.read_text(encoding="utf-8") == "mine\n" if link.suffix else not list(elsewhere.iterdir())
    assert len(home.log()) == 1


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir], ids=["fifo", "folder"])
def test_ledger_that_is_no_file(home: Home, make: Any) -> None:
    home.session.mkdir(parents=True)
    make(home.session / "ledger.jsonl")
    assert home.record(TOOL)[:3] == (0, "", "")
    assert len(home.log()) == 1


SLOW = {  # words that make a careless pattern try every start with every end
    "curl": "curl " * 60_000, "mysql": "mysql " * 60_000, "jwt": "eyJ-" * 75_000, "sk": "sk-" * 100_000,
    "named": "token:" * 50_000, "named-with-a-digit-behind": "token:" * 50_000 + " 1", "spaces": "<" + " " * 300_000,
    "slashes": "< / " * 75_000, "urls": "://a:" * 60_000, "at": "a:b@" * 75_000, "keys": "-----BEGIN " * 27_000,
    "private": "-----BEGIN PRIVATE KEY" * 13_000, "escapes": "\x1b[0" * 100_000, "osc": "\x1b]" * 150_000,
    "words": "a" * 300_000, "underscores": "_" * 300_000, "bearer": "bearer " * 42_000, "breaks": "\n" * 300_000,
    "errors": "error" * 60_000, "quotes": "password='" * 30_000, "backticks": "```" * 100_000,
    "reminders": "<system-reminder>" * 17_000, "colons": ":" * 300_000, "dashes": "-" * 300_000}


@pytest.mark.rows(1)
@pytest.mark.parametrize("words", SLOW.values(), ids=SLOW.keys())
def test_it_ends_whatever_the_words(home: Home, words: str) -> None:
    done = home.record({**FAILED, "error": words, "tool_input": {"command": words}})
    assert done[:3] == (0, "", "")
    assert len(home.ledger()) == 1


# --- what it records ---


@pytest.mark.parametrize("data", [TOOL, FAILED, STARTED, STOPPED],
                         ids=lambda data: str(data["hook_event_name"]))
def test_one_line_an_event(home: Home, data: JsonObject) -> None:
    before = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime())
    done = home.record(data)
    after = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime())
    [line] = home.ledger()
    assert done[:3] == (0, "", "")
    assert 0 < line.pop("hook_ms") < HOOK_TIMEOUT * 1_000
    assert (line["schema"], line.get("agent")) == (1, data.get("agent_id"))
    assert line["event"] == ("subagent" if "agent_id" in data else "tool")
    assert "" not in line.values()
    assert None not in line.values()
    assert before <= line["time"][:19] <= after
    assert line["time"].endswith("Z")
    assert len(line["time"]) == len("2026-11-21T07:00:00.000Z")
    assert home.log() == []


def test_a_subagents_call_is_told_apart(home: Home) -> None:
    home.record({**TOOL, "agent_id": "a1b2c3", "agent_type": "Explore"})
    assert home.ledger()[0]["agent"] == "a1b2c3"


def test_a_prompt_is_not_recorded_here(home: Home) -> None:
    assert home.record(hook_input("UserPromptSubmit", prompt="Never push to main."))[:3] == (0, "", "")
    assert (home.ledger(), home.log()) == ([], [])


@pytest.mark.parametrize("data", [
    pytest.param({**TOOL, "tool_input": {"command": f"curl -u ada:{PASSWORD} example.org"}}, id="command"),
    pytest.param({**TOOL, "tool_input": {"file_path": f"/tmp/token={PASSWORD}/a"}}, id="path"),
    pytest.param({**TOOL, "tool_name": f"password={PASSWORD}"}, id="tool"),
    pytest.param({**TOOL, "tool_use_id": f"password={PASSWORD}"}, id="tool-id"),
    pytest.param({**FAILED, "error": f"Exit code 1\nfatal: https://ada:{PASSWORD}@example.org denied"}, id="error"),
    pytest.param({**STOPPED, "last_assistant_message": f"The password='{PASSWORD}' works."}, id="said"),
    pytest.param({**STARTED, "agent_type": f"secret={PASSWORD}", "agent_id": f"secret={PASSWORD}"}, id="agent"),
    pytest.param({**TOOL, "tool_name": "Task", "tool_input": {"prompt": f"Log in, password={PASSWORD}"}}, id="task"),
    pytest.param({**TOOL, "tool_response": {"backgroundTaskId": f"token={PASSWORD}"}}, id="job"),
    pytest.param({**TOOL, "tool_input": {"command": "x" * 990 + f" password={PASSWORD}"}}, id="at-the-cut"),
])
def test_secrets_stay_out(home: Home, data: JsonObject) -> None:
    home.record(data)
    text = (home.session / "ledger.jsonl").read_text(encoding="utf-8")
    assert PASSWORD[:8] not in text
    assert "[redacted" in text or "xxxxx" in text


def test_files_are_private(home: Home) -> None:
    home.record(TOOL)
    home.record(b"no JSON")
    for path in [home.path, *home.path.rglob("*")]:
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path


def test_only_appended_to(home: Home) -> None:
    home.record(TOOL)
    path = home.session / "ledger.jsonl"
    first, inode = path.read_bytes(), path.stat().st_ino
    home.record(TOOL)
    assert path.read_bytes().startswith(first)
    assert path.stat().st_ino == inode
    assert path.read_bytes().count(b"\n") == 2


def test_parallel_hooks_lose_nothing(home: Home) -> None:
    inputs = [json.dumps({**TOOL, "tool_input": {"command": f"{number:02d} " + "ä" * 900}}).encode()
              for number in range(24)]
    running = [home.start("record_event.py") for _ in inputs]
    for process, given in zip(running, inputs):
        assert process.stdin
        process.stdin.write(given)
    for process in running:
        assert process.communicate(timeout=30) == (b"", b"")
    assert sorted(line["command"][:2] for line in home.ledger()) == [f"{number:02d}" for number in range(24)]


@pytest.mark.parametrize(("variables", "place"), [
    ({"COMPACT_KEEPER_HOME": "own", "CLAUDE_CONFIG_DIR": "config"}, "own"),
    ({"COMPACT_KEEPER_HOME": "", "CLAUDE_CONFIG_DIR": "config"}, "config/compact-keeper"),
    ({"COMPACT_KEEPER_HOME": "", "HOME": "home"}, "home/.claude/compact-keeper"),
])
def test_where_the_data_folder_lies(home: Home, tmp_path: Path, variables: dict[str, str], place: str) -> None:
    home.record(TOOL, extra={name: value and str(tmp_path / value) for name, value in variables.items()})
    assert (tmp_path / place / "sessions" / SESSION_ID / "ledger.jsonl").exists()


def test_a_long_log_starts_anew(home: Home) -> None:
    home.path.mkdir()
    (home.path / "hook.log").write_text("old\n" * 70_000, encoding="utf-8")
    home.record(b"no JSON")
    assert len(home.log()) == 1
    assert (home.path / "hook.log.1").read_text(encoding="utf-8").startswith("old\n")


def test_help_prints_the_page(home: Home) -> None:
    done = home.run("record_event.py", b"", "--help")
    assert done.code == 0
    assert done.stdout.startswith("Record one event of a Claude Code session")


def test_the_settings_in_the_file_can_be_pasted_as_they_stand(tmp_path: Path) -> None:
    """Into a project with a copy of this file alone: the hook's command, as the shell runs it, records."""
    text = (SCRIPTS / "record_event.py").read_text(encoding="utf-8")
    settings = json.loads(text[text.index('    {"hooks": '):text.index("\n\nExits 0")])
    [command] = [hook["command"] for entry in settings["hooks"]["PostToolUse"] for hook in entry["hooks"]]
    project = tmp_path / "a project"
    (project / ".claude" / "hooks").mkdir(parents=True)
    (project / ".claude" / "hooks" / "record_event.py").write_text(text, encoding="utf-8")
    home = Home(tmp_path / "home")
    done = subprocess.run(["sh", "-c", command], input=json.dumps(FAILED).encode(), capture_output=True, check=False,
                          env=home.environment({"CLAUDE_PROJECT_DIR": str(project)}))
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert [line["ok"] for line in home.ledger()] == [False]
    assert home.log() == []
