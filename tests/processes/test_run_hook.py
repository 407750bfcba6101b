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
    return subprocess.run([sys.executable, "-IS", str(scripts / arguments[0]), *arguments[1:]], input=given,
                          env={**os.environ, "COMPACT_KEEPER_HOME": str(home)}, capture_output=True, timeout=PATIENCE)


def given_to(event: str, folder: Path) -> bytes:
    session = Session()
    session.typed("Never push to main. Rename the table.")
    more = {"tool_name": "Bash", "tool_input": {"command": "make"}, "compact_summary": "All is well.",
            "source": "compact", "trigger": "auto", "prompt": "Go on."}
    return json.dumps(hook_input(event, session.write(folder / "session.jsonl"), **more)).encode()


@pytest.mark.rows(1)
@pytest.mark.parametrize("script", HOOKS)
def test_any_input_ends_with_exit_code_0_and_prints_nothing(tmp_path: Path, script: str) -> None:
    for given in (b"", b"[]", b"\xff\x00", b'{"session_id": "../x"}'):
        done = run(SCRIPTS, ["run_hook.py", script], given, tmp_path / "home")
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.mark.rows(1)
@pytest.mark.parametrize("missing", ["nobody.py", "", "no-module.py"])
def test_a_script_that_is_gone_prints_nothing_for_the_model(tmp_path: Path, missing: str) -> None:
    done = run(SCRIPTS, ["run_hook.py", missing], b"{}", tmp_path / "home")
    assert done.returncode == 1  # hooks/run makes it 0; 2 would hold a compaction back
    assert done.stdout == b""
    assert (done.stderr.count(b"\n"), b"Traceback" in done.stderr) == (1, False)
    assert done.stderr.endswith(b"usage: run_hook.py NAME.py [ARGUMENTS]\n")
    assert run(SCRIPTS, ["run_hook.py"], b"{}", tmp_path / "home").stderr.startswith(b"compact-keeper: no name: ")


@pytest.mark.rows(1)
@pytest.mark.parametrize("is_removed", [False, True])
def test_a_removed_folder_of_scripts_is_not_made_anew_for_bytecode(tmp_path: Path, is_removed: bool) -> None:
    """Python compiles for half a second and then made the folders above the bytecode: a removed clone was back."""
    scripts = tmp_path / "clone" / "scripts"
    scripts.mkdir(parents=True)
    shutil.copy(SCRIPTS / "run_hook.py", scripts)
    (scripts / "sitting.py").write_text("def main(arguments):\n    return 0\n", encoding="utf-8")
    code = ("import shutil, sys; from importlib.machinery import SourceFileLoader as Loader\n"
            f"sys.argv[:] = path, _ = [{str(scripts / 'run_hook.py')!r}, 'sitting.py']\n"
            "to_code = Loader.source_to_code\n"
            "def slowly(self, data, path, **more):\n"
            f"    {is_removed} and shutil.rmtree({str(scripts.parent)!r})\n"
            "    return to_code(self, data, path, **more)\n"
            "Loader.source_to_code = slowly\n"
            "exec(open(path).read(), {'__name__': '__main__', '__file__': path, '__loader__': Loader('', path)})\n")
    done = subprocess.run([sys.executable, "-IS", "-c", code], capture_output=True, timeout=PATIENCE)
    assert (done.returncode, done.stderr) == (0, b"")
    assert scripts.parent.exists() is not is_removed
    assert bool([*scripts.glob("__pycache__/sitting*")]) is not is_removed


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
    assert b"compact-keeper: messages, tasks" in done.stdout


def test_files_beside_it_do_not_hide_pythons_own(tmp_path: Path) -> None:
    shutil.copytree(SCRIPTS, scripts := tmp_path / "scripts")
    for name in ("json.py", "re.py", "time.py"):
        (scripts / name).write_text("raise SystemExit('the wrong one')", encoding="utf-8")
    done = run(scripts, ["run_hook.py", "record_event.py"], given_to("PostToolUse", tmp_path), tmp_path / "home")
    assert (done.returncode, done.stderr) == (0, b"")
    assert list((tmp_path / "home").rglob("ledger.jsonl"))


# --- the commands of hooks.json; the shell's part of them: test_run.py ---


def test_each_hook_runs_a_script_that_is_there() -> None:
    hooks = json.loads((SCRIPTS.parent / "hooks/hooks.json").read_text(encoding="utf-8"))["hooks"]
    commands = {hook["command"] for rows in hooks.values() for row in rows for hook in row["hooks"]}
    form = re.compile(r'sh "\$\{CLAUDE_PLUGIN_ROOT\}/hooks/run" (\w+)( --[a-z-]+)? \|\| true\Z')
    matches = [match for command in commands if (match := form.search(command))]
    assert len(matches) == len(commands)
    assert {f"{match[1]}.py" for match in matches} == {*HOOKS}


def test_the_whole_command_records_a_prompt_once(tmp_path: Path) -> None:
    hooks = json.loads((SCRIPTS.parent / "hooks/hooks.json").read_text(encoding="utf-8"))["hooks"]
    variables = {"CLAUDE_PLUGIN_ROOT": str(SCRIPTS.parent), "COMPACT_KEEPER_HOME": str(tmp_path / "home")}
    for row in hooks["UserPromptSubmit"]:
        for hook in row["hooks"]:
            done = subprocess.run(["sh", "-c", hook["command"]], input=given_to("UserPromptSubmit", tmp_path),
                                  check=True, capture_output=True, env={**os.environ, **variables}, timeout=PATIENCE)
            assert done.stdout == b""
    [ledger] = [path.read_bytes() for path in (tmp_path / "home").rglob("ledger.jsonl")]
    assert ledger.count(b'"event": "prompt"') == 1
