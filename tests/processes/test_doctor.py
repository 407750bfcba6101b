"""The doctor as a real process: what is broken on purpose is found, named, and nothing of the person's is written."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from compact_keeper.setup import doctor as setup_doctor
from compact_keeper.setup import interpreter, plugin_folder, status_line_setting
from compact_keeper.setup.finding import Finding
from compact_keeper.setup.installed import Hook
from compact_keeper.text.version import VERSION
from homes import (
    OUR_FOLDER,
    REPOSITORY,
    Person,
    clone_in,
    files,
    hook_commands,
    person_in,
    played_once,
    plugin_from_folder,
    plugin_is_installed,
    script_of,
    tree,
    write,
)

pytestmark = pytest.mark.rows(3)  # each takes a second or more

STEPS = ("recorded", "saved", "put back", "compared", "noted")
BY_RUN = [Hook("Stop", "sh '/x y/hooks/run' save_snapshot || true", 5)]
Break = Callable[[Person], object]


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return played_once(tmp_path_factory.mktemp("clone"))


@pytest.fixture
def person(tmp_path: Path, clone: Path) -> Person:
    """A person with a client that tells a version of which nothing is known."""
    person = person_in(tmp_path, clone)
    program(person, "claude", "echo '2.1.999 (Claude Code)'")
    return person


@pytest.fixture
def in_process(person: Person, monkeypatch: pytest.MonkeyPatch) -> Person:
    """The same; what the doctor starts in this process finds the person's home and programs."""
    monkeypatch.setenv("HOME", str(person.home))
    monkeypatch.setenv("PATH", path_of(person))
    monkeypatch.delenv("CLAUDE_CODE_ENTRYPOINT", raising=False)
    return person


def path_of(person: Person) -> str:
    return os.pathsep.join([str(person.home / "bin"), str(Path(sys.executable).parent), "/usr/bin", "/bin"])


def program(person: Person, name: str, body: str) -> None:
    """Puts a program into a folder that stands first in PATH."""
    write(person.home / "bin" / name, f"#!/bin/sh\n{body}\n", 0o755)


def examined(person: Person, code: int = 0, project: str = "", **more: str) -> list[dict[str, Any]]:
    """The findings; in a project that is named, those of its own hooks too."""
    named = ["--project", project] if project else []
    answer = person.run("doctor", "--json", *named, code=code, **{"PATH": path_of(person), **more})
    findings: list[dict[str, Any]] = json.loads(answer)["findings"]
    for finding in findings:
        assert finding["level"] in ("ok", "note", "fix")
        assert "\n" not in finding["what"]
        assert bool(finding["to_do"]) == (finding["level"] != "ok"), finding
    return findings


def of_level(findings: list[dict[str, Any]], level: str = "fix") -> str:
    """What the findings of a level tell, and what to do about it."""
    return "\n".join(f"{finding['what']} -> {finding['to_do']}" for finding in findings if finding["level"] == level)


# The Python that the hooks get ------------------------------------------------------------------------


@pytest.mark.parametrize(("body", "why"), {
    "crashes": ("echo 'dyld: no' >&2; exit 134", "dyld: no"),
    "silent": ("exit 3", "ended with exit code 3"),
    "too-old": ('echo "3 8 1 cpython-38 /usr/bin/python3.8"', "is Python 3.8"),
    "python-2": ("echo 'Unknown option: -I' >&2; exit 2", "Unknown option: -I"),
    "talks": ("echo hello", "ended with exit code 0"),
}.values(), ids=str)
def test_an_interpreter_that_does_not_serve_is_named(in_process: Person, body: str, why: str) -> None:
    program(in_process, "python3", body)
    python, [finding] = interpreter.python_of(BY_RUN)
    assert python is None
    assert finding.level == "fix"
    assert finding.what == f"python3 ({in_process.home / 'bin' / 'python3'}): {why}"


def test_without_a_python_that_serves_no_step_works(person: Person) -> None:
    program(person, "python3", "exit 3")
    findings = of_level(examined(person, code=1))
    assert "ended with exit code 3" in findings
    assert all(f"not {step}" in findings for step in STEPS)


def test_python_stands_in_where_python3_is_no_program(person: Person) -> None:
    program(person, "python3", "exit 49")  # as Windows' stub does
    program(person, "python", f'exec {shlex.quote(sys.executable)} "$@"')
    findings = examined(person)
    assert "ended with exit code 49 -> Nothing: the hooks take python." in of_level(findings, "note")
    assert f"python is Python {sys.version_info[0]}.{sys.version_info[1]}, " in of_level(findings, "ok")


@pytest.mark.parametrize(("command", "names"), [
    ("sh '/x/hooks/run' record_event || true", ["python3", "python"]),
    ("python3.12 -IS /x/record_event.py", ["python3.12"]),
    ("cd /x; python record_event.py", ["python"]),
    ("$PYTHON /x/record_event.py", []),
    ("/opt/python3/bin/thing /x/record_event.py", []),
])
def test_the_interpreters_of_a_command_are_those_that_it_tries(command: str, names: list[str]) -> None:
    assert interpreter.interpreters([Hook("Stop", command, 5)]) == names


def test_hooks_that_name_no_python_are_told_of() -> None:
    python, [finding] = interpreter.python_of([Hook("Stop", "$PYTHON /x/record_event.py", 5)])
    assert python is None
    assert finding.level == "note"
    assert "name no Python that could be asked" in finding.what


@pytest.mark.parametrize(("fts5", "level", "what"), [
    (True, "ok", "SQLite has FTS5"), (False, "note", "has no FTS5, which the archive needs")])
def test_an_sqlite_without_full_text_search_is_told_of(fts5: bool, level: str, what: str) -> None:
    python = interpreter.Python(sys.executable, sys.executable, (3, 11), fts5, "cpython-311")
    [finding] = interpreter.python_findings(python, "")
    assert finding.level == level
    assert what in finding.what


def test_bytecode_that_cannot_be_kept_is_told_of(tmp_path: Path) -> None:
    python = interpreter.Python(sys.executable, sys.executable, (3, 11), True, "cpython-399")
    assert "Python keeps no bytecode in" in str([*interpreter.python_findings(python, str(tmp_path))])
    write(tmp_path / "__pycache__" / "save_snapshot.cpython-399.pyc", "")
    assert [finding.level for finding in interpreter.python_findings(python, str(tmp_path))] == ["ok", "ok"]


def test_a_stand_in_for_python_that_takes_its_time_is_named(in_process: Person) -> None:
    program(in_process, "python3", f'sleep 0.3; exec {shlex.quote(sys.executable)} "$@"')
    python, _ = interpreter.python_of(BY_RUN)
    assert python
    [_, finding] = interpreter.python_findings(python, "")
    stand_in = re.escape(str(in_process.home / "bin" / "python3"))
    assert re.match(rf"{stand_in} takes \d{{2,}} ms each time to find ", finding.what)


# Hooks that are broken --------------------------------------------------------------------------------


NOTHING = "def main(argv=None):\n    return 0\n"


@pytest.mark.rows(2)
@pytest.mark.parametrize(("script", "body", "step"), [
    ("record_event.py", NOTHING, "not recorded"),
    ("record_event.py", "import nowhere\n", "No module named 'nowhere'"),
    ("answer_prompt.py", NOTHING, "not noted"),
    ("save_snapshot.py", NOTHING, "not saved"),
    ("restore_snapshot.py", NOTHING, "not put back"),
    ("audit_summary.py", NOTHING, "not compared"),
    ("run_hook.py", "raise SystemExit(1)\n", "not saved"),
    ("run", "exit 3\n", "not saved"),
])
def test_a_hook_that_does_nothing_is_found(person: Person, script: str, body: str, step: str) -> None:
    person.install()
    (person.copies / script).write_text(body)
    assert step in of_level(examined(person, code=1))


@pytest.mark.rows(1)  # the version tells which copy runs: tests/unit/setup/test_plugin_folder.py
@pytest.mark.parametrize(("client", "broken"), [("2.1.330", "clone"), ("2.1.76", "cached")])
def test_of_two_copies_of_the_plugin_the_one_that_the_client_runs_is_tried(
        person: Person, tmp_path: Path, client: str, broken: str) -> None:
    program(person, "claude", f"echo {client}")
    folders = {name: clone_in(tmp_path / name) for name in ("clone", "cached")}
    plugin_from_folder(person, folders["clone"], folders["cached"])
    write(folders[broken] / "scripts/save_snapshot.py", NOTHING)
    findings = examined(person, code=1)
    assert "not saved before the compaction" in of_level(findings)
    assert "in scripts/save_snapshot.py" in of_level(findings, "note")


@pytest.mark.rows(1)
@pytest.mark.parametrize(("gone", "why"), [("*.py", "can't open file"), ("run", "run")])
def test_scripts_that_are_gone_are_found(person: Person, gone: str, why: str) -> None:
    person.install("--project")
    for path in (person.project / ".claude" / OUR_FOLDER).glob(gone):
        path.unlink()
    findings = of_level(examined(person, code=1, project="."))
    assert "not put back" in findings
    assert why in findings


def test_what_a_project_brings_runs_only_where_it_is_named(person: Person) -> None:
    mark = person.home / "ran"
    hook = {"hooks": [{"type": "command", "command": f"touch {mark} # save_snapshot.py"}]}
    write(person.project / ".claude/settings.json", json.dumps({"hooks": {"Stop": [hook]}}))
    assert "copied by hand for the project" in of_level(examined(person), "note")
    assert not mark.exists()
    assert "brings no hooks" not in of_level(examined(person, code=1, project="."), "ok")
    assert mark.exists()


def test_the_line_of_a_project_is_drawn_only_where_it_is_named(person: Person) -> None:
    person.install("--project")
    person.run("status-line", "--project")
    for path in (person.project / ".claude" / OUR_FOLDER).glob("*.py"):
        path.unlink()
    assert of_level(examined(person), "note").count("the project's own -> Where you trust") == 2
    assert "does not draw" in of_level(examined(person, code=1, project="."))


# The client, the status line --------------------------------------------------------------------------


@pytest.mark.parametrize(("client", "level", "what"), [
    ("echo 2.1.50", "fix", "client 2.1.50 switches all hooks off"),
    ("echo 2.1.76", "note", "when another process resumes"),
    ("echo 2.1.105", "note", "loses what was put back"),
    ("exit 1", "note", "version is not known"),
    ("exec sleep 60", "note", "version is not known"),
    ("", "note", "version is not known"),
])
def test_what_is_known_of_the_client_is_told(in_process: Person, monkeypatch: pytest.MonkeyPatch, client: str,
                                             level: str, what: str) -> None:
    monkeypatch.setattr(plugin_folder, "CLIENT_MAX_SECONDS", 0.1 if "sleep" in client else 60)
    plugin_folder.client_on_path.cache_clear()
    program(in_process, "claude", client)
    if not client:
        (in_process.home / "bin" / "claude").unlink()
    findings = [finding._asdict() for finding in setup_doctor.client_findings("")]
    assert what in of_level(findings, level)
    assert bool(of_level(findings)) == (level == "fix")
    assert "the gate" not in of_level(findings, "note")  # it is off


def test_a_client_that_does_not_heed_the_gate_is_named_where_the_gate_is_on(
        in_process: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMPACT_KEEPER_HOME", str(in_process.home / ".claude/compact-keeper"))
    write(in_process.home / ".claude/compact-keeper/config.json", '{"gate": "hold"}')
    for version, notes in (("2.1.76", 1), ("2.1.105", 0)):
        program(in_process, "claude", f"echo {version}")
        plugin_folder.client_on_path.cache_clear()
        findings = [finding._asdict() for finding in setup_doctor.client_findings("")]
        assert of_level(findings, "note").count("does not heed the gate") == notes


LINES: dict[str, tuple[str, Break, str]] = {
    "none": ("ok", lambda _: None, "status line: none is set; `python3 "),
    "another": ("ok", lambda person: person.write_settings('{"statusLine": {"type": "command", "command": "exit 3"}}'),
                "status line: another is set in "),
    "sound": ("ok", lambda person: person.run("status-line"), " ms"),
    "of-the-project": (
        "ok", lambda person: (person.install("--project"), person.run("status-line", "--project")), " ms"),
    "wrapping": ("ok", lambda person: wrapping(person, "echo mine"), " ms"),
    "slow": ("note", lambda person: wrapping(person, "echo mine"), "takes its time"),
    "old-form": (
        "note", lambda person: hand_made(person, "python3 -IS {}/scripts/run_hook.py status_line.py --wrap 'x'"),
        "but not as it would be set now -> `python3 "),
    "gone": ("fix", lambda person: hand_made(person, "python3 -IS {}/gone/run_hook.py status_line.py"),
             "can't open file"),
    "fails": ("fix", lambda person: hand_made(person, "f=/x/run_hook.py; [ -f $f ] && $f status_line.py"),
              "exit code 1"),
    "silent": ("fix", lambda person: started_by(person, "exit 0"), "it printed nothing"),
    "of-theirs": ("fix", lambda person: started_by(person, "echo x y"), "it printed x y"),
    "hangs": ("fix", lambda person: started_by(person, "exec sleep 60"), "no end within"),
}


def hand_made(person: Person, command: str) -> None:
    """Sets the command, {} being the clone, as the status line."""
    command = command.format(person.clone)
    person.write_settings(json.dumps({"statusLine": {"type": "command", "command": command}}))


def started_by(person: Person, python: str) -> None:
    """Sets ours, with a python3 of this body."""
    person.run("status-line")
    program(person, "python3", python)


def wrapping(person: Person, command: str) -> None:
    """Sets ours behind the command."""
    hand_made(person, command)
    person.run("status-line")


@pytest.mark.rows(12)
@pytest.mark.parametrize(("level", "put", "what"), LINES.values(), ids=LINES)
def test_the_status_line_is_drawn_once_and_nothing_is_written(
        in_process: Person, monkeypatch: pytest.MonkeyPatch, level: str, put: Break, what: str) -> None:
    put(in_process)
    monkeypatch.setattr("compact_keeper.setup.played_session.HOOK_MAX_SECONDS", 1 if "no end" in what else 60)
    monkeypatch.setattr(setup_doctor, "REDRAW_SECONDS", 0 if "its time" in what else 60)
    monkeypatch.setattr(status_line_setting, "INSTALLED_FROM", str(in_process.clone / "scripts"))
    before = files(in_process.home)
    findings = [finding._asdict()
                for finding in setup_doctor.status_line_findings(str(in_process.project), is_trusted=True)]
    assert what in of_level(findings, level)
    assert [finding["level"] for finding in findings if finding["level"] == "fix"] == ["fix"] * (level == "fix")
    assert files(in_process.home) == before


def test_a_data_folder_in_which_nothing_can_be_kept_is_found(person: Person) -> None:
    """The played session has a folder of its own, and works; each way: tests/unit/setup/test_findings.py."""
    home = person.home / "data"
    write(home, "")
    before = tree(person.home)
    findings = examined(person, code=1, COMPACT_KEEPER_HOME=str(home))
    assert f"nothing can be kept in the data folder {home}: " in of_level(findings)
    assert all(step in of_level(findings, "ok") for step in STEPS)
    assert tree(person.home) == before


@pytest.mark.rows(1)
@pytest.mark.parametrize("command", [["uninstall", "--data", "--yes"], ["status"], ["install"]])
def test_every_command_refuses_a_data_folder_of_each_working_folder(person: Person, command: list[str]) -> None:
    before = tree(person.home)
    assert "is no full path" in person.run(*command, code=1, COMPACT_KEEPER_HOME="relative/home")
    assert tree(person.home) == before


def test_the_line_of_a_plugin_that_was_uninstalled_stays_until_the_client_draws_it(person: Person) -> None:
    """A doctor changes nothing, and does not say that it is set anew."""
    cached = person.home / ".claude/plugins/cache/market/compact-keeper/0.3.0"
    clone_in(cached)
    plugin_is_installed(person, folder=cached)
    wrapping(person, "echo mine")
    write(person.home / ".claude/plugins/installed_plugins.json", '{"plugins": {}}')
    before = files(person.home)
    notes = of_level(examined(person), "note")
    assert "left over from the plugin, which is uninstalled; it takes itself out when the client draws it next" in notes
    assert "status-line --remove" in notes
    assert "brings it up to date" not in notes
    status = person.run("status")
    left_over = "left over from the plugin, which is uninstalled; it takes itself out when the client draws it next"
    assert left_over in status
    assert "status-line --remove` takes it out at once" in status
    assert files(person.home) == before


# What works -------------------------------------------------------------------------------------------


def by_hand(person: Person) -> None:
    """Copies all scripts into the project's own hooks, and writes hooks for them that start each directly."""
    place = person.project / ".claude" / "hooks"
    shutil.copytree(person.clone / "scripts", place)
    hooks: dict[str, list[dict[str, Any]]] = {}
    for event, command in hook_commands(person.clone / "hooks/hooks.json"):
        options = [word for word in command.split() if word in ("--rest", "--third", "--record", "--hand-over")]
        name = script_of(command)
        own = " ".join([f'python3 -IS "$CLAUDE_PROJECT_DIR/.claude/hooks/{name}.py"', *options, "|| true"])
        hooks.setdefault(event, []).append({"hooks": [{"type": "command", "command": own, "timeout": 15}]})
    write(person.project / ".claude/settings.json", json.dumps({"hooks": hooks}))


@pytest.mark.rows(2)  # of the user's and of the plugin; those of a project: test_install.py
@pytest.mark.parametrize(("install", "project"), [
    (lambda person: person.install(), "."), (lambda person: person.install("--project"), "."),
    (lambda person: plugin_is_installed(person, folder=person.clone), ""), (by_hand, ".")],
    ids=["user", "project", "plugin", "by-hand"])
def test_a_sound_installation_has_nothing_to_fix(person: Person, install: Break, project: str) -> None:
    install(person)
    before = files(person.home)
    findings = examined(person, project=project)
    rest = [finding for finding in findings if "the start of Python" not in finding["what"]]  # a hook may be slow here
    good = of_level(rest, "ok")
    assert of_level(rest) == ""
    assert len([finding for finding in rest if finding["level"] == "note"]) == ("0.3.0" in str(findings))
    assert all(step in good for step in STEPS)
    is_users = "copied for this user" in good
    assert (f"the project {person.project} brings no hooks of its own" in good) is is_users
    events = {event for event, _ in hook_commands(person.clone / "hooks/hooks.json")}
    [slowest] = re.findall(r"Claude waits for compact-keeper at most \d+ ms[^(]*\((\w+), ", str(findings))
    assert slowest in events
    assert "client 2.1.999" in good
    assert files(person.home) == before


def three_by_hand(person: Person) -> dict[str, Any]:
    """Copies the three scripts as docs/install.md says, with its settings; the hooks."""
    page = (REPOSITORY / "docs/install.md").read_text(encoding="utf-8")
    block = page.partition("```json\n")[2].partition("```")[0]
    write(person.project / ".claude/settings.json", block)
    place = person.project / ".claude/hooks"
    place.mkdir()
    for name in ("record_event", "save_snapshot", "restore_snapshot"):
        shutil.copy(person.clone / f"scripts/{name}.py", place)
    hooks: dict[str, Any] = json.loads(block)["hooks"]
    return hooks


def test_three_scripts_with_the_settings_of_the_page_are_sound(person: Person) -> None:
    three_by_hand(person)
    findings = examined(person, project=".")
    good, notes = of_level(findings, "ok"), of_level(findings, "note")
    assert all(step in good for step in STEPS[:3])
    assert f"copied by hand for the project {person.project}, {VERSION}: " in good
    assert [line.partition(",")[0] for line in notes.splitlines()] == ["not installed: audit_summary.py"]
    assert f", {VERSION}: " in person.run("status", "--project")


def test_the_settings_of_the_page_are_the_plugins_own(person: Person) -> None:
    """Each event with its matchers and times; the two commands at a tool call are done by a single one."""
    expected: dict[str, list[tuple[str, str, int]]] = {}
    for event, groups in json.loads((REPOSITORY / "hooks/hooks.json").read_text(encoding="utf-8"))["hooks"].items():
        for group, entry in ((there, entry) for there in groups for entry in there["hooks"]):
            script = "restore_snapshot" if event == "UserPromptSubmit" else script_of(entry["command"])
            options = "".join(f" {word}" for word in ("--rest", "--third") if word in entry["command"])
            command = f'python3 -IS "$CLAUDE_PROJECT_DIR/.claude/hooks/{script}.py"{options} || true'
            if script != "audit_summary" and "--record" not in entry["command"]:
                expected.setdefault(event, []).append((group.get("matcher", ""), command, entry["timeout"]))
    assert {event: [(group.get("matcher", ""), entry["command"], entry["timeout"])
                    for group in groups for entry in group["hooks"]]
            for event, groups in three_by_hand(person).items()} == expected


@pytest.mark.rows(1)
@pytest.mark.parametrize("enabled", [False, True])
def test_of_a_plugin_that_is_switched_off_no_status_line_is_missed(person: Person, enabled: bool) -> None:
    cached = person.home / ".claude/plugins/cache/market/compact-keeper/0.3.0"
    clone_in(cached)
    plugin_is_installed(person, enabled=enabled, folder=cached)
    person.run("status-line")
    findings = examined(person, code=int(not enabled))
    assert ("it is switched off" in of_level(findings)) is not enabled
    assert ("status line: set in" in of_level(findings, "ok")) is enabled
    assert "does not draw" not in of_level(findings)


def test_settings_and_switch_of_the_person_do_not_reach_the_made_up_session(person: Person) -> None:
    """That they are off is said; the archive and the data folder of the person stay as they are."""
    write(person.home / ".claude/compact-keeper/config.json", '{"gate": "hold", "instructions": false}')
    write(person.project / ".claude/compact-keeper.json", '{"instructions": false}')
    before = tree(person.home)
    assert of_level(examined(person, code=1, COMPACT_KEEPER_OFF="1")) == (
        "COMPACT_KEEPER_OFF is set: no hook does anything -> unset COMPACT_KEEPER_OFF")
    assert tree(person.home) == before


def test_for_people_each_finding_is_a_line_and_what_to_do_a_second(person: Person) -> None:
    answer = person.run("doctor", PATH=path_of(person))
    assert "\nTried on a made-up session:\n  ok    recorded: " in answer
    assert "\n  ok    put back: " in answer
    assert answer.count("made-up session:") == 1
    assert "\nok    Claude waits for compact-keeper at most " in answer
    assert answer.startswith("note  not installed for this folder")
    assert f"claude plugin marketplace add {person.clone} && claude plugin install" in answer
    assert answer.splitlines()[1].startswith("      python3 ")
    assert answer.splitlines()[-1].startswith("Not installed for this folder, so nothing is kept here")
    assert "`claude --plugin-dir` has started has it all the same: type /compact-keeper:doctor there." in answer


def test_a_plugin_that_a_session_alone_has_loaded_is_what_is_tried(person: Person, tmp_path: Path) -> None:
    """With --plugin-dir the client names the folder to what it starts, and lists it nowhere."""
    loaded: Any = {"CLAUDE_PLUGIN_ROOT": str(person.clone), "CLAUDE_CODE_ENTRYPOINT": "cli", "PATH": path_of(person)}
    plugin_is_installed(person, folder=tmp_path / "another")  # the client leaves it out
    answer = person.run("doctor", **loaded)
    assert str(tmp_path / "another") not in answer
    assert answer.startswith(f"ok    plugin of this session alone (--plugin-dir), {VERSION}: {person.clone}\n")
    assert "not installed" not in answer
    assert "status line: none is set; `/compact-keeper:status-line` sets it" in answer
    assert answer.endswith("\nNothing to fix\n")


def test_a_finding_of_two_lines_to_do_stands_below_it_and_the_last_line_counts(
        in_process: Person, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    plugin_is_installed(in_process, folder=in_process.clone)
    for level, code, last in (("fix", 1, "1 to fix"), ("note", 0, "Nothing to fix; 1 note above")):
        monkeypatch.setattr(setup_doctor, "examine", lambda *_, level=level: iter([Finding(level, "what", "one\ntwo")]))
        assert setup_doctor.run_doctor(None, as_json=False) == code
        assert capsys.readouterr().out == f"{level:<4}  what\n      one\n      two\n\n{last}\n"
