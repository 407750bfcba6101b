"""run_hook.py: a hook that is imported does what it does when it is started itself."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from sessions import SCRIPTS, Session, hook_input

HOOKS = {"record_event.py": "PostToolUse", "answer_prompt.py": "UserPromptSubmit", "save_snapshot.py": "PreCompact",
         "restore_snapshot.py": "SessionStart", "audit_summary.py": "PostCompact"}
PATIENCE = 30.0  # seconds after which a process hangs


def run(scripts: Path, arguments: list[str], given: bytes, home: Path) -> subprocess.CompletedProcess[bytes]:
    """The process as hooks.json starts it, without what follows its `||`."""
    return subprocess.run(["python3", "-IS", str(scripts / arguments[0]), *arguments[1:]], input=given, check=False,
                          capture_output=True, env={**os.environ, "COMPACT_KEEPER_HOME": str(home)}, timeout=PATIENCE)


def given_to(event: str, folder: Path) -> bytes:
    session = Session()
    session.typed("Never push to main. Rename the table.")
    more = {"tool_name": "Bash", "tool_input": {"command": "make"}, "compact_summary": "All is well.",
            "source": "compact", "trigger": "auto", "prompt": "Go on."}
    return json.dumps(hook_input(event, session.write(folder / "session.jsonl"), **more)).encode()


@pytest.mark.parametrize("script", HOOKS)
def test_any_input_ends_with_exit_code_0_and_prints_nothing(tmp_path: Path, script: str) -> None:
    for given in (b"", b"[]", b"\xff\x00", b'{"session_id": "../x"}'):
        done = run(SCRIPTS, ["run_hook.py", script], given, tmp_path / "home")
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.mark.parametrize("missing", ["nobody.py", "", "no-module.py"])
def test_a_script_that_is_gone_prints_nothing_for_the_model(tmp_path: Path, missing: str) -> None:
    done = run(SCRIPTS, ["run_hook.py", missing], b"{}", tmp_path / "home")
    assert done.returncode != 0  # hooks/run makes it 0
    assert done.stdout == b""


@pytest.mark.parametrize("script", HOOKS)
def test_the_same_is_printed_and_written_as_by_the_script_itself(tmp_path: Path, script: str) -> None:
    outcomes = []
    for name, arguments in (("direct", [script]), ("imported", ["run_hook.py", script])):
        home, given = tmp_path / name, given_to(HOOKS[script], tmp_path)
        if script in ("restore_snapshot.py", "audit_summary.py"):
            run(SCRIPTS, ["save_snapshot.py"], given_to("PreCompact", tmp_path), home)
        done = run(SCRIPTS, arguments, given, home)
        written = sorted(str(path.relative_to(home)).split("-")[0] for path in home.rglob("*") if path.is_file())
        outcomes.append((done.returncode, len(done.stdout), done.stderr, written))
    assert outcomes[0] == outcomes[1]
    assert outcomes[0][3]


def test_it_works_where_no_bytecode_can_be_kept(tmp_path: Path) -> None:
    shutil.copytree(SCRIPTS, scripts := tmp_path / "scripts", ignore=shutil.ignore_patterns("__pycache__"))
    (scripts / "__pycache__").write_text("no folder", encoding="utf-8")
    done = run(scripts, ["run_hook.py", "save_snapshot.py"], given_to("PreCompact", tmp_path), tmp_path / "home")
    assert done.returncode == 0
    assert b"Keep word for word" in done.stdout


def test_files_beside_it_do_not_hide_pythons_own(tmp_path: Path) -> None:
    shutil.copytree(SCRIPTS, scripts := tmp_path / "scripts")
    for name in ("json.py", "re.py", "time.py"):
        (scripts / name).write_text("raise SystemExit('the wrong one')", encoding="utf-8")
    done = run(scripts, ["run_hook.py", "record_event.py"], given_to("PostToolUse", tmp_path), tmp_path / "home")
    assert (done.returncode, done.stderr) == (0, b"")
    assert list((tmp_path / "home").rglob("ledger.jsonl"))


# --- the whole command of hooks.json, by a shell: `python` runs where `python3` does not start, and only there ---


def test_each_hook_runs_a_script_that_is_there() -> None:
    hooks = json.loads((SCRIPTS.parent / "hooks/hooks.json").read_text(encoding="utf-8"))["hooks"]
    commands = {hook["command"] for rows in hooks.values() for row in rows for hook in row["hooks"]}
    form = re.compile(r'sh "\$\{CLAUDE_PLUGIN_ROOT\}/hooks/run" (\w+) \|\| true\Z')
    names = {match[1] for command in commands if (match := form.match(command))}
    assert len(names) == len(commands)
    assert {f"{name}.py" for name in names} == {*HOOKS}


def shell(folder: Path, given: bytes, **programs: str) -> subprocess.CompletedProcess[bytes]:
    """The command of a prompt's hook, with `sh` and these programs alone to be found, each a shell script's text."""
    hooks = json.loads((SCRIPTS.parent / "hooks/hooks.json").read_text(encoding="utf-8"))["hooks"]
    (folder / "sh").symlink_to("/bin/sh")
    for name, text in programs.items():
        (folder / name).write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
        (folder / name).chmod(0o755)
    variables = {"PATH": str(folder), "CLAUDE_PLUGIN_ROOT": str(SCRIPTS.parent),
                 "COMPACT_KEEPER_HOME": str(folder / "home")}
    return subprocess.run(["/bin/sh", "-c", hooks["UserPromptSubmit"][0]["hooks"][0]["command"]], input=given,
                          check=False, capture_output=True, env=variables, timeout=PATIENCE)


PYTHON = f'exec {sys.executable} "$@"'
PLACEHOLDER = "echo 'Python was not found; run without arguments to install from the Microsoft Store' >&2; exit 49"


def prompts_recorded(folder: Path) -> int:
    ledgers = [path.read_bytes() for path in (folder / "home").rglob("ledger.jsonl")]
    return b"".join(ledgers).count(b'"event": "prompt"')


@pytest.mark.parametrize(("programs", "recorded"), [
    ({"python3": PYTHON}, 1),
    ({"python3": PYTHON, "python": PYTHON}, 1),
    ({"python": PYTHON}, 1),
    ({"python3": PLACEHOLDER, "python": PYTHON}, 1),
    ({"python3": f"{PYTHON.removeprefix('exec ')}; exit 1", "python": PYTHON}, 1),
    ({"python3": f"{PYTHON.removeprefix('exec ')}; kill -9 $$", "python": PYTHON}, 1),
    ({"python3": "exit 2", "python": PYTHON}, 0),
    ({"python3": PLACEHOLDER}, 0),
    ({"python3": PLACEHOLDER, "python": PLACEHOLDER}, 0),
    ({}, 0),
], ids=["python3", "both", "python alone", "a placeholder", "fails after it ran", "killed after it ran", "fails before",
        "a placeholder alone", "two placeholders", "none"])
def test_the_command_runs_the_hook_once_whatever_python_is_called(
        tmp_path: Path, programs: dict[str, str], recorded: int) -> None:
    done = shell(tmp_path, given_to("UserPromptSubmit", tmp_path), **programs)
    assert (done.returncode, done.stdout) == (0, b"")
    assert prompts_recorded(tmp_path) == recorded


def test_a_script_that_is_gone_costs_nothing(tmp_path: Path) -> None:
    (tmp_path / "hooks").mkdir()
    shutil.copy(SCRIPTS.parent / "hooks" / "run", tmp_path / "hooks" / "run")
    done = subprocess.run(["sh", str(tmp_path / "hooks" / "run"), "save_snapshot"], capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (0, b"")


def test_copies_lie_beside_the_shell_script(tmp_path: Path) -> None:
    """install.py puts them there."""
    for path in (SCRIPTS.parent / "hooks" / "run", SCRIPTS / "run_hook.py", SCRIPTS / "answer_prompt.py"):
        shutil.copy(path, tmp_path)
    subprocess.run(["sh", str(tmp_path / "run"), "answer_prompt"], input=given_to("UserPromptSubmit", tmp_path),
                   check=True, env={**os.environ, "COMPACT_KEEPER_HOME": str(tmp_path / "home")}, timeout=PATIENCE)
    assert prompts_recorded(tmp_path) == 1


def test_a_python3_that_cannot_be_run_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "python3").write_text("no program", encoding="utf-8")
    done = shell(tmp_path, given_to("UserPromptSubmit", tmp_path), python=PYTHON)
    assert done.returncode == 0
    assert prompts_recorded(tmp_path) == 1
