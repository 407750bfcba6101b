"""hooks/run and the commands that the client gives a shell: which Python starts what, and that nothing blocks."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from compact_keeper.setup.status_line_text import add_status_line
from homes import ODD_NAME, REPOSITORY, hook_commands, script_of
from waiting import comes

RUN, WAITING = (REPOSITORY / "hooks" / name for name in ("run", "waiting"))
SHELLS = ("sh", "dash", "bash")
ECHO = "import json, sys\nprint(json.dumps([*sys.argv, sys.flags.isolated, sys.flags.no_site, sys.stdin.read()]))\n"
REAL = f'exec {shlex.quote(sys.executable)} "$@"'
COMMANDS = hook_commands(REPOSITORY / "hooks" / "hooks.json")


class Place(NamedTuple):
    """A folder with a bundle whose run_hook.py tells how it was started, and a PATH that holds no Python but ours."""

    root: Path
    run: Path
    bin: Path

    def program(self, name: str, body: str, mode: int = 0o755) -> None:
        """Puts a program into the PATH."""
        path = self.bin / name
        path.write_text(f"#!/bin/sh\necho {name} >> {shlex.quote(str(self.bin / 'started'))}\n{body}\n")
        path.chmod(mode)

    def started(self) -> list[str]:
        """The programs that were started, in their order."""
        path = self.bin / "started"
        return path.read_text().split() if path.exists() else []

    def start(self, shell: str, *arguments: str, given: str = "{}",
              wait: str = "1") -> subprocess.CompletedProcess[str]:
        """The process of the shell with these arguments, and what it left."""
        environment = {"PATH": str(self.bin), "CLAUDE_PLUGIN_ROOT": str(self.root), "CLAUDE_CODE_SESSION_ID": "s",
                       "COMPACT_KEEPER_HOME": str(self.root / "data"), "COMPACT_KEEPER_WAIT": wait}
        return subprocess.run([str(shutil.which(shell)), *arguments], input=given, capture_output=True, text=True,
                              timeout=60, cwd=self.root, env=environment)


@pytest.fixture(params=["plugin", "copies"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    """The two ways in which the bundle lies on a disk; no file may be executed."""
    root = tmp_path / ODD_NAME
    scripts = root / ("scripts" if request.param == "plugin" else "hooks")
    for folder in {scripts, root / "hooks", tmp_path / "bin"}:
        folder.mkdir(parents=True)
    (scripts / "run_hook.py").write_text(ECHO)
    for file in (RUN, WAITING):
        shutil.copyfile(file, root / "hooks" / file.name)
        (root / "hooks" / file.name).chmod(0o444)
    (root / "data" / "sessions" / "s").mkdir(parents=True)
    (root / "data" / "sessions" / "s" / "note.json").touch()
    made = Place(root, root / "hooks" / "run", tmp_path / "bin")
    made.program("sh", 'exec /bin/sh "$@"')
    return made


@pytest.mark.parametrize("shell", SHELLS)
def test_the_named_script_is_started_apart_from_the_environment(place: Place, shell: str) -> None:
    place.program("python3", REAL)
    place.program("python", REAL)
    done = place.start(shell, str(place.run), "save_snapshot")
    path, *rest = json.loads(done.stdout)
    assert os.path.samefile(path, next(place.root.rglob("run_hook.py")))
    assert rest == ["save_snapshot.py", 1, 1, "{}"]
    assert (done.returncode, done.stderr, place.started()) == (0, "", ["python3"])


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("python3", ["exit 49", "exit 126", "exit 127", "not-executable", "missing"])
def test_python_is_started_where_there_is_no_python3(place: Place, shell: str, python3: str) -> None:
    place.program("python", REAL)
    if python3 != "missing":
        place.program("python3", python3, mode=0o644 if python3 == "not-executable" else 0o755)
    done = place.start(shell, str(place.run), "save_snapshot")
    assert json.loads(done.stdout)[1:] == ["save_snapshot.py", 1, 1, "{}"]
    assert done.returncode == 0
    assert place.started()[-1:] == ["python"]


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("code", [0, 1, 2, 3, 120, 137])
def test_whatever_python3_ends_with_is_no_fault_and_nothing_runs_twice(place: Place, shell: str, code: int) -> None:
    place.program("python3", f"exit {code}")
    place.program("python", REAL)
    done = place.start(shell, str(place.run), "save_snapshot")
    assert (done.returncode, done.stdout, place.started()) == (0, "", ["python3"])


@pytest.mark.parametrize("shell", SHELLS)
def test_without_any_python_nothing_is_blocked(place: Place, shell: str) -> None:
    done = place.start(shell, str(place.run), "save_snapshot")
    assert (done.returncode, done.stdout) == (0, "")


# The commands that the client runs --------------------------------------------------------------------


@pytest.mark.parametrize("shell", SHELLS)
def test_each_command_starts_its_script_in_a_folder_of_any_name(place: Place, shell: str) -> None:
    place.program("python3", REAL)
    for _, command in COMMANDS:
        done = place.start(shell, "-c", command)
        assert json.loads(done.stdout)[1] == f"{script_of(command)}.py"
        assert done.returncode == 0


@pytest.mark.parametrize("shell", SHELLS)
def test_a_turns_end_waits_for_no_save_and_the_save_gets_all(place: Place, shell: str) -> None:
    """The client drops what a hook has not read when it ends; more than a pipe holds is read before."""
    place.program("python3", REAL)
    (place.bin / "cat").symlink_to(str(shutil.which("cat")))
    fifo, got = place.root / "fifo", place.root / "got"
    os.mkfifo(fifo)
    next(place.root.rglob("run_hook.py")).write_text(
        f"import os, sys\nraw = sys.stdin.read()\nopen({str(fifo)!r}).read()\n"
        f"text = sys.argv[1] + os.environ['COMPACT_KEEPER_BESIDE'] + raw\n"
        f"open({str(got)!r} + 'x', 'w').write(text)\nos.replace({str(got)!r} + 'x', {str(got)!r})\n"
        "print('nobody reads this')")
    given = json.dumps({"last_assistant_message": "it's 5 % \\n `id` $HOME \u00e9 " * 20_000}, ensure_ascii=False)
    [command] = [command for event, command in COMMANDS if event == "Stop"]
    done = place.start(shell, "-c", command, given=given, wait="")
    assert (done.returncode, done.stdout, done.stderr, got.exists()) == (0, "", "", False)
    fifo.write_text("")  # it lives, and goes on
    assert comes(got.exists)
    assert got.read_text().strip() == f"save_snapshot.py1{given}"


def left_in_session(place: Place, name: str, text: str = "") -> None:
    """Leaves only this file in the session's folder; a FIFO for the text "|"."""
    folder = place.root / "data" / "sessions" / "s"
    (folder / "note.json").unlink()
    if text == "|":
        os.mkfifo(folder / name)
    elif name:
        (folder / name).write_text(text)


def prompt_seen(place: Place, shell: str, given: str, kept_in: Path) -> subprocess.CompletedProcess[str]:
    """The prompt's hook; its script keeps in a file what it was given, and answers with the same."""
    place.program("python3", REAL)
    (place.bin / "cat").symlink_to(str(shutil.which("cat")))
    next(place.root.rglob("run_hook.py")).write_text(
        f"import os, sys\nraw = sys.stdin.read()\nprint(raw)\nopen({str(kept_in)!r} + 'x', 'w').write(raw)\n"
        f"os.replace({str(kept_in)!r} + 'x', {str(kept_in)!r})\n")
    [command] = [command for event, command in COMMANDS if event == "UserPromptSubmit"]
    return place.start(shell, "-c", command, given=given, wait="")


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize(("name", "text"), [
    ("", ""), ("compaction.json", '{"stage": "verified", "earlier": {"stage": "unseen"}}'), ("compaction.json", ""),
    ("compaction.json", "|"), ("ledger.jsonl", "{}"),
])
def test_a_prompt_that_gets_no_answer_is_kept_beside(place: Place, shell: str, name: str, text: str) -> None:
    left_in_session(place, name, text)
    kept = place.root / "kept"
    given = json.dumps({"prompt": "it's 5 % \\n `id` $HOME \u00e9 " * 20_000}, ensure_ascii=False)
    done = prompt_seen(place, shell, given, kept)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert comes(kept.exists)
    assert kept.read_text().strip() == given


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize(("name", "text", "prompt"), [
    ("", "", "/compact-keeper:show"), ("", "", "<command-name>/compact-keeper:pin</command-name>"),
    ("note.json", "", "Go on."), ("rest.json", "", "Go on."), ("untold.json", "", "Go on."),
    ("unasked", "", "Go on."), ("compaction.json", '{"stage": "begun"}', "Go on."),
    ("compaction.json", '{"stage": "delivered", "id": "abc"}', "Go on."),
    ("compaction.json", """{"stage": "a subagent's"}""", "Go on."),
    ("compaction.json", '{"stage": "verified", "earlier": {"stage": "delivered"}}', "Go on."),
])
def test_a_prompt_that_may_get_an_answer_is_waited_for(
        place: Place, shell: str, name: str, text: str, prompt: str) -> None:
    left_in_session(place, name, text)
    given = json.dumps({"prompt": prompt})
    done = prompt_seen(place, shell, given, place.root / "kept")
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, given, "")


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("gone", ["hooks/run", "hooks/waiting", "hooks", "."])
def test_a_bundle_that_is_gone_blocks_nothing(place: Place, shell: str, gone: str) -> None:
    place.program("python3", REAL)
    if gone.startswith("hooks/"):
        (place.root / gone).unlink()
    else:
        shutil.rmtree(place.root / gone)
        place.root.mkdir(exist_ok=True)  # the client's working folder is another one
    for _, command in COMMANDS[:2]:  # of a tool call
        if gone == "hooks/waiting" and gone not in command:
            continue
        done = place.start(shell, "-c", command)
        assert (done.returncode, done.stdout) == (0, "")


def test_the_shell_reads_each_line_to_its_end() -> None:
    """With a carriage return before it no line would end; git keeps them out on Windows too (.gitattributes)."""
    assert b"\r" not in RUN.read_bytes() + WAITING.read_bytes()
    kept = subprocess.run(["git", "check-attr", "eol", "hooks/run", "hooks/waiting"], cwd=REPOSITORY, check=True,
                          capture_output=True, text=True)
    assert kept.stdout == "hooks/run: eol: lf\nhooks/waiting: eol: lf\n"


# The status line's command ------------------------------------------------------------------------------


def line_of(theirs: str | None, run_hook: str) -> str:
    """The command that the status line has, behind theirs."""
    text = json.dumps({} if theirs is None else {"statusLine": {"type": "command", "command": theirs}})
    return str(json.loads(add_status_line(text, run_hook))["statusLine"]["command"])


@pytest.mark.parametrize("theirs", [
    None, "echo mine", "", "'", "''''", "\\", "\\'", "'\\''", "it's \"it\" $HOME `id` \\", "\\u0027", "a\nb",
    "'; exec sh -c 'x", " --wrap 'x'"])
@pytest.mark.parametrize("is_gone", [False, True])
def test_the_shell_starts_ours_with_the_whole_command_or_theirs_where_ours_is_gone(
        tmp_path: Path, is_gone: bool, theirs: str | None) -> None:
    run_hook = tmp_path / ODD_NAME / "run_hook.py"
    run_hook.parent.mkdir()
    command = line_of(theirs, shlex.quote(str(run_hook)))
    if is_gone:
        (tmp_path / "__main__.py").write_text("print('a stranger')")
    else:
        run_hook.write_text("import json, sys\nprint(json.dumps([*sys.argv[1:], sys.stdin.read()]))")
    ours, alone = (subprocess.run(["sh", "-c", text], input="{}", capture_output=True, text=True, cwd=tmp_path).stdout
                   for text in (command, theirs or ""))
    if is_gone:
        assert ours == alone
    else:
        assert json.loads(ours) == ["status_line.py", *([] if theirs is None else ["--wrap", theirs]), "{}"]


def test_the_shell_replaces_itself_so_that_a_signal_reaches_ours(tmp_path: Path) -> None:
    (tmp_path / "run_hook.py").write_text("import os\nprint(os.getpid())")
    with subprocess.Popen(["sh", "-c", line_of("x", f"{tmp_path}/run_hook.py")], stdout=subprocess.PIPE,
                          text=True) as process:
        assert process.stdout
        assert int(process.stdout.read()) == process.pid
