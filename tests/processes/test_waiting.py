"""The two commands of a tool call: one records beside the work, the other starts only where something waits.

They run as hooks.json has them, each in a shell, with an interpreter that counts its starts.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from homes import ODD_NAME, REPOSITORY, hook_commands

RECORD, HAND_OVER = (command for event, command in hook_commands(REPOSITORY / "hooks/hooks.json")
                     if event == "PostToolUse")
SESSION, NOTE = "5e551011-0000-4000-8000-000000000001", 'The summary left out: "Never push."'
CALL = {"hook_event_name": "PostToolUse", "session_id": SESSION, "transcript_path": "", "cwd": "/", "tool_name": "Bash",
        "tool_input": {"command": "make"}, "tool_use_id": "toolu_1"}


class Place(NamedTuple):
    """A person's home with an odd name, which PATH leads to our interpreter and nothing else."""

    home: Path
    environment: dict[str, str]
    bin: Path

    def run(self, command: str, shell: str = "sh", **more: object) -> str:
        """What the command of a hook told the model; it blocks nothing and complains of nothing."""
        done = subprocess.run([f"/bin/{shell}", "-c", command], input=json.dumps({**CALL, **more}), text=True,
                              capture_output=True, env=self.environment, cwd=self.bin, timeout=60)
        assert (done.returncode, done.stderr) == (0, "")
        context = json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"] if done.stdout else ""
        return str(context)

    def starts(self) -> int:
        """How often Python was started since this was asked last."""
        path = self.bin / "started"
        count = len(path.read_text().split()) if path.exists() else 0
        path.write_text("")
        return count

    def session(self, name: str = SESSION) -> Path:
        """A session's folder, where Python says that the data are."""
        code = (f"import sys\nsys.path.append({str(REPOSITORY / 'src')!r})\n"
                "from compact_keeper.store.folder import data_home\nprint(data_home())")
        home = subprocess.run([sys.executable, "-IS", "-c", code], env=self.environment, check=True, text=True,
                              capture_output=True).stdout.strip()
        folder = Path(home, "sessions", name)
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def leave(self, folder: Path, file: str = "note.json") -> None:
        """Something that waits in the session's folder."""
        texts = {"note.json": {"text": NOTE}, "rest.json": {"text": NOTE, "id": "a1"}, "untold.json": {"pins": NOTE}}
        (folder / file).write_text(json.dumps({"schema": 1, **texts[file]}))
        (folder / "compaction.json").write_text(json.dumps({"schema": 1, "id": "a1", "stage": "delivered"}))


@pytest.fixture
def place(tmp_path: Path) -> Place:
    home, programs = tmp_path / ODD_NAME, tmp_path / "bin"
    home.mkdir()
    programs.mkdir()
    python = programs / "python3"
    python.write_text(f"#!/bin/sh\necho 1 >> {shlex.quote(str(programs / 'started'))}\n"
                      f'exec {shlex.quote(sys.executable)} "$@"\n')
    python.chmod(0o755)
    (programs / "sh").symlink_to("/bin/sh")
    return Place(home, {"PATH": str(programs), "HOME": str(home), "CLAUDE_PLUGIN_ROOT": str(REPOSITORY),
                        "CLAUDE_CODE_SESSION_ID": SESSION}, programs)


@pytest.mark.parametrize("shell", ["dash", "bash"])
@pytest.mark.parametrize("where", [
    {}, {"COMPACT_KEEPER_HOME": "{home}/my $HOME 'data'"}, {"COMPACT_KEEPER_HOME": "~/its \"data\""},
    {"COMPACT_KEEPER_HOME": "~"}, {"CLAUDE_CONFIG_DIR": "{home}/`id`*"}, {"CLAUDE_CONFIG_DIR": "~/config"},
    {"COMPACT_KEEPER_HOME": "", "CLAUDE_CONFIG_DIR": ""},
    {"OS": "Windows_NT", "USERPROFILE": "{home}", "HOME": "{home}/no"},
], ids=str)
def test_shell_and_python_mean_the_same_folder(place: Place, where: dict[str, str], shell: str) -> None:
    place.environment.update({name: value.replace("{home}", str(place.home)) for name, value in where.items()})
    as_on_windows = {"HOME": place.environment.get("USERPROFILE", place.environment["HOME"])}  # as Python has it there
    folder = place._replace(environment={**place.environment, **as_on_windows}).session()
    assert place.run(HAND_OVER, shell) == ""
    assert place.starts() == 0
    place.leave(folder)
    output = place.run(HAND_OVER, shell)
    assert place.starts() == 1
    assert output == ("" if "OS" in where else NOTE)  # this Python is not Windows' own


@pytest.mark.parametrize("file", ["note.json", "rest.json", "untold.json"])
def test_what_waits_goes_out_once_and_the_call_is_recorded_once(place: Place, file: str) -> None:
    folder = place.session()
    place.leave(folder, file)
    assert [place.run(RECORD), place.run(HAND_OVER), place.run(RECORD), place.run(HAND_OVER)] == ["", NOTE, "", ""]
    assert place.starts() == 3
    assert len((folder / "ledger.jsonl").read_text().splitlines()) == 2


def test_another_sessions_note_neither_goes_out_nor_costs_a_start(place: Place) -> None:
    other = place.session("another")
    place.leave(other)
    assert place.run(HAND_OVER) == ""
    assert place.starts() == 0
    assert (other / "note.json").exists()


def test_what_cannot_go_out_now_waits_and_what_never_can_costs_one_start(place: Place) -> None:
    folder = place.session()
    place.leave(folder)
    assert place.run(HAND_OVER, agent_id="a1") == ""  # a subagent's call
    assert place.run(HAND_OVER) == NOTE
    assert place.starts() == 2
    os.mkfifo(folder / "note.json")
    assert [place.run(HAND_OVER), place.run(HAND_OVER)] == ["", ""]
    assert place.starts() == 1


def test_where_the_client_names_no_session_one_process_does_both(place: Place) -> None:
    """Up to 2.1.105; nothing is started for the command that would run beside it."""
    folder = place.session()
    del place.environment["CLAUDE_CODE_SESSION_ID"]
    place.leave(folder)
    assert [place.run(RECORD), place.run(HAND_OVER), place.run(RECORD), place.run(HAND_OVER)] == ["", NOTE, "", ""]
    assert place.starts() == 2
    assert len((folder / "ledger.jsonl").read_text().splitlines()) == 2
