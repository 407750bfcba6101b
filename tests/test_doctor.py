"""doctor.py as a real process: what is broken on purpose is found, named, and nothing of the person's is written."""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from compact_keeper.setup import doctor as setup_doctor
from compact_keeper.setup import installed
from test_install import OUR_FOLDER, Person, clone_in, files, made, plugin_is_installed, tree

OFF = '{"disableAllHooks": true}'
STEPS = ("recorded", "saved", "put back", "compared", "noted")


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return clone_in(tmp_path_factory.mktemp("clone"))


@pytest.fixture
def person(tmp_path: Path, clone: Path) -> Person:
    """A person with a client that tells a version of which nothing is known."""
    one = made(tmp_path, clone)
    program(one, "claude", "echo '2.1.999 (Claude Code)'")
    return one


def program(person: Person, name: str, body: str) -> None:
    """Puts a program into a folder that stands first in PATH."""
    (person.home / "bin").mkdir(exist_ok=True)
    path = person.home / "bin" / name
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)


def examined(person: Person, code: int = 0, project: str = "", **more: str) -> list[dict[str, Any]]:
    """The findings; in a project that is named, those of its own hooks too."""
    path = os.pathsep.join([str(person.home / "bin"), str(Path(sys.executable).parent), "/usr/bin", "/bin"])
    named = ["--project", project] if project else []
    told = person.run("doctor", "--json", *named, code=code, **{"PATH": path, **more})
    findings: list[dict[str, Any]] = json.loads(told)["findings"]
    for one in findings:
        assert one["level"] in ("ok", "note", "fix")
        assert "\n" not in one["what"]
        assert bool(one["to_do"]) == (one["level"] != "ok"), one
    return findings


def wrong(findings: list[dict[str, Any]], level: str = "fix") -> str:
    """What the findings of a level tell, and what to do about it."""
    return "\n".join(f"{one['what']} -> {one['to_do']}" for one in findings if one["level"] == level)


# What is broken ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("body", "told"), {
    "crashes": ("echo 'dyld: no' >&2; exit 134", "dyld: no"),
    "silent": ("exit 3", "ended with exit code 3"),
    "too-old": ('echo "3 8 1 cpython-38 /usr/bin/python3.8"', "is Python 3.8"),
    "python-2": ("echo 'Unknown option: -I' >&2; exit 2", "Unknown option: -I"),
    "talks": ("echo hello", "ended with exit code 0"),
}.values(), ids=str)
def test_an_interpreter_that_does_not_serve_is_named(person: Person, body: str, told: str) -> None:
    program(person, "python3", body)
    found = wrong(examined(person, code=1))
    assert f"python3 ({person.home / 'bin' / 'python3'})" in found
    assert told in found
    assert all(f"not {step}" in found for step in STEPS)


def test_python_stands_in_where_python3_is_no_program(person: Person) -> None:
    program(person, "python3", "exit 49")  # as Windows' stub does
    program(person, "python", f'exec {shlex.quote(sys.executable)} "$@"')
    findings = examined(person)
    assert "ended with exit code 49 -> Nothing: the hooks take python." in wrong(findings, "note")
    assert f"python is Python {sys.version_info[0]}.{sys.version_info[1]}, " in wrong(findings, "ok")


def test_hooks_that_name_no_python_are_told_of(person: Person) -> None:
    person.run("install")
    person.settings.write_text(re.sub(r"\bpython3? ", "$PYTHON ", person.settings.read_text()))
    assert "name no Python that could be asked" in wrong(examined(person, PYTHON=sys.executable), "note")


@pytest.mark.parametrize(("script", "body", "step"), [
    ("record_event.py", "def main(argv=None):\n    return 0\n", "not recorded"),
    ("record_event.py", "import nowhere\n", "No module named 'nowhere'"),
    ("save_snapshot.py", "def main(argv=None):\n    return 0\n", "not saved"),
    ("restore_snapshot.py", "def main(argv=None):\n    return 0\n", "not put back"),
    ("audit_summary.py", "def main(argv=None):\n    return 0\n", "not compared"),
    ("run_hook.py", "raise SystemExit(1)\n", "not saved"),
])
def test_a_hook_that_does_nothing_is_found(person: Person, script: str, body: str, step: str) -> None:
    person.run("install")
    (person.home / ".claude" / OUR_FOLDER / script).write_text(body)
    assert step in wrong(examined(person, code=1))


def test_scripts_that_are_gone_are_found(person: Person) -> None:
    person.run("install", "--project")
    for path in (person.project / ".claude" / OUR_FOLDER).glob("*.py"):
        path.unlink()
    found = wrong(examined(person, code=1, project="."))
    assert "not put back" in found
    assert "can't open file" in found


def test_what_a_project_brings_runs_only_where_it_is_named(person: Person) -> None:
    mark = person.home / "ran"
    hook = {"hooks": [{"type": "command", "command": f"touch {mark} # save_snapshot.py"}]}
    write(person.project / ".claude/settings.json", json.dumps({"hooks": {"Stop": [hook]}}))
    assert "copied by hand for the project" in wrong(examined(person), "note")
    assert not mark.exists()
    examined(person, code=1, project=".")
    assert mark.exists()


def test_the_line_of_a_project_is_drawn_only_where_it_is_named(person: Person) -> None:
    person.run("install", "--project")
    person.run("status-line", "--project")
    for path in (person.project / ".claude" / OUR_FOLDER).glob("*.py"):
        path.unlink()
    assert wrong(examined(person), "note").count("the project's own -> Where you trust") == 2
    assert "does not draw" in wrong(examined(person, code=1, project="."))


Break = Callable[[Person], object]


def data(person: Person) -> Path:
    folder = person.home / ".claude" / "compact-keeper"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return folder


def write(path: Path, text: str, mode: int = 0o600, age: float = 0) -> None:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    path.write_text(text)
    path.chmod(mode)
    os.utime(path, (time.time() - age,) * 2)


def failed_compaction(folder: Path) -> None:
    """A compaction that began, and a transcript that shows its failure."""
    transcript = folder / "transcript.jsonl"
    write(transcript, '{"type":"assistant","isApiErrorMessage":true,"message":{"content":"Prompt is too long"}}\n')
    begun = {"schema": 1, "stage": "begun", "id": "660dbe41a41f3", "offset": 0, "transcript": str(transcript)}
    write(folder / "compaction.json", json.dumps(begun), age=9_000)


def now(age: float = 0) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - age))


FAULTS: dict[str, tuple[str, Break, str]] = {
    "open-file": ("fix", lambda one: write(data(one) / "events.jsonl", "", 0o644), "chmod -R go= "),
    "open-folder": ("fix", lambda one: data(one).chmod(0o755), "others may read it"),
    "draft": ("note", lambda one: write(data(one) / "memory.json.77.tmp", "", age=9_000), "memory.json.77.tmp"),
    "begun": ("note", lambda one: failed_compaction(data(one)), "a compaction began and did not finish"),
    "log": ("note", lambda one: write(data(one) / "hook.log", f"{now()} x.py: KeyError: 'x'\n"), "KeyError"),
    "config-broken": ("fix", lambda one: write(data(one) / "config.json", "{"), "config.json is not used"),
    "config-unknown": ("fix", lambda one: write(data(one) / "config.json", '{"budgett": 9}'), "budgett"),
    "config-of-project": ("fix", lambda one: write(one.project / ".claude/compact-keeper.json", '{"budget": 5}'),
                          "compact-keeper.json: not used, no setting here or not of a usable value: budget"),
    "settings-broken": ("fix", lambda one: one.write_settings('{\n"a": 1,\n}'), "settings.json, line "),
    "settings-fifo": ("fix", lambda one: os.mkfifo(data(one).parent / "settings.json"), "settings.json"),
    "hooks-off": ("fix", lambda one: one.write_settings(OFF), "disableAllHooks"),
    "hooks-off-here": ("fix", lambda one: write(one.project / ".claude/settings.local.json", OFF),
                       "settings.local.json: disableAllHooks"),
    "plugin-off": ("fix", lambda one: plugin_is_installed(one, enabled=False), "claude plugin enable compact-keeper@"),
    "plugin-empty": ("fix", plugin_is_installed, "it has no hooks"),
    "twice": ("fix", lambda one: (one.run("install"), one.run("install", "--project")), "Installed 2 times"),
    "old-client": ("fix", lambda one: program(one, "claude", "echo 2.1.50"), "claude update"),
    "client-76": ("note", lambda one: program(one, "claude", "echo 2.1.76"), "does not heed the gate"),
    "client-105": ("note", lambda one: program(one, "claude", "echo 2.1.105"), "put back again at the next prompt"),
    "client-silent": ("note", lambda one: program(one, "claude", "exit 1"), "version is not known"),
    "client-hangs": ("note", lambda one: program(one, "claude", "exec sleep 60"), "version is not known"),
    "client-gone": ("note", lambda one: (one.home / "bin" / "claude").unlink(), "version is not known"),
    "nothing-installed": ("note", lambda _: None, "not installed for this folder"),
}


@pytest.mark.parametrize(("level", "break_it", "told"), FAULTS.values(), ids=FAULTS)
def test_what_is_wrong_is_found_and_nothing_is_written(
        person: Person, monkeypatch: pytest.MonkeyPatch, level: str, break_it: Break, told: str) -> None:
    monkeypatch.setenv("HOME", str(person.home))
    monkeypatch.setenv("PATH", f"{person.home / 'bin'}:/usr/bin:/bin")
    monkeypatch.setattr(setup_doctor, "tried", lambda *_: iter(()))  # it has tests of its own, with real processes
    break_it(person)
    before = tree(person.home)
    findings = [one._asdict() for one in setup_doctor.examine(str(person.project), is_trusted=True)]
    assert told in wrong(findings, level)
    assert tree(person.home) == before
    assert sum(one["level"] == "fix" for one in findings) == (level == "fix")


def test_the_switch_in_the_environment_is_found(person: Person) -> None:
    found = wrong(examined(person, code=1, COMPACT_KEEPER_OFF="1"))
    assert found == "COMPACT_KEEPER_OFF is set: no hook does anything -> unset COMPACT_KEEPER_OFF"


def test_a_slow_hook_is_named(person: Person) -> None:
    person.run("install")
    slow = person.home / ".claude" / OUR_FOLDER / "audit_summary.py"
    slow.write_text(slow.read_text().replace("\nimport json\n", "\nimport time\ntime.sleep(2.6)\nimport json\n", 1))
    assert "PostCompact, audit_summary.py: " in wrong(examined(person), "note")


def test_a_stand_in_for_python_that_takes_its_time_is_named(person: Person) -> None:
    program(person, "python3", f'sleep 0.3; exec {shlex.quote(sys.executable)} "$@"')
    found = wrong(examined(person), "note")
    assert re.search(rf"{re.escape(str(person.home))}/bin/python3 takes \d{{2,}} ms each time to find ", found)


# The status line --------------------------------------------------------------------------------------


LINES: dict[str, tuple[str, Break, str]] = {
    "none": ("ok", lambda _: None, "status line: none is set; `python3 "),
    "another": ("ok", lambda one: one.write_settings('{"statusLine": {"type": "command", "command": "exit 3"}}'),
                "status line: another is set in "),
    "sound": ("ok", lambda one: one.run("status-line"), " ms"),
    "of-the-project": ("ok", lambda one: (one.run("install", "--project"), one.run("status-line", "--project")), " ms"),
    "wrapping": ("ok", lambda one: wrapping(one, "echo mine"), " ms"),
    "slow": ("note", lambda one: wrapping(one, "sleep 1.6"), "takes its time"),
    "old-form": ("note", lambda one: hand_made(one, "python3 -IS {}/scripts/run_hook.py status_line.py --wrap 'x'"),
                 "but not as it would be set now -> `python3 "),
    "gone": ("fix", lambda one: hand_made(one, "python3 -IS {}/gone/run_hook.py status_line.py"), "can't open file"),
    "fails": ("fix", lambda one: hand_made(one, "f=/x/run_hook.py; [ -f $f ] && $f status_line.py"), "exit code 1"),
    "silent": ("fix", lambda one: started_by(one, "exit 0"), "it printed nothing"),
    "of-theirs": ("fix", lambda one: started_by(one, "echo x y"), "it printed x y"),
    "hangs": ("fix", lambda one: started_by(one, "exec sleep 60"), "no end within"),
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


@pytest.mark.parametrize(("level", "put", "told"), LINES.values(), ids=LINES)
def test_the_status_line_is_drawn_once_and_nothing_is_written(
        person: Person, monkeypatch: pytest.MonkeyPatch, level: str, put: Break, told: str) -> None:
    put(person)
    monkeypatch.setenv("HOME", str(person.home))
    monkeypatch.setenv("PATH", f"{person.home / 'bin'}:{Path(sys.executable).parent}:/usr/bin:/bin")
    monkeypatch.setattr(setup_doctor, "HOOK_LIMIT", 4)
    monkeypatch.setattr(setup_doctor, "REDRAW", 1.5)  # a machine under load takes its time
    monkeypatch.setattr(installed, "INSTALLED_FROM", str(person.clone / "scripts"))
    before = files(person.home)
    findings = [one._asdict() for one in setup_doctor.status_line_findings(str(person.project), is_trusted=True)]
    assert told in wrong(findings, level)
    assert [one["level"] for one in findings if one["level"] == "fix"] == ["fix"] * (level == "fix")
    assert {name: content for name, content in files(person.home).items() if "__pycache__" not in name} == before


def test_a_copy_of_an_older_version_is_named(person: Person) -> None:
    person.run("install")
    manifest = person.home / ".claude" / OUR_FOLDER / "installed.json"
    manifest.write_text(json.dumps({**json.loads(manifest.read_text()), "version": "0.0.9"}))
    told = r"copied for this user is 0\.0\.9, these scripts are .* -> Bring it up to date: python3 .* install"
    assert re.search(told, wrong(examined(person), "note"))


# What works -------------------------------------------------------------------------------------------



@pytest.mark.parametrize(("install", "project"), [
    (lambda one: one.run("install"), ""), (lambda one: one.run("install", "--project"), "."),
    (lambda one: plugin_of(one, str(one.clone)), "")], ids=["user", "project", "plugin"])
def test_a_sound_installation_has_nothing_to_fix(person: Person, install: Break, project: str) -> None:
    install(person)
    before = files(person.home)
    begun = time.monotonic()
    findings = examined(person, project=project)
    took = time.monotonic() - begun
    assert wrong(findings) == ""
    good = wrong(findings, "ok")
    assert all(step in good for step in STEPS)
    events = json.loads((person.clone / "hooks/hooks.json").read_text(encoding="utf-8"))["hooks"]
    assert all(f"{event}, " in good for event in events)
    assert "client 2.1.999" in good
    assert {name: content for name, content in files(person.home).items() if "__pycache__" not in name} == before
    assert took < 20  # mostly 2 to 3; a machine under load takes its time


def plugin_of(person: Person, place: str) -> None:
    """The plugin as a marketplace install leaves it, with this folder as its cache."""
    plugin_is_installed(person)
    path = person.home / ".claude/plugins/installed_plugins.json"
    path.write_text(path.read_text().replace(str(person.home / "cache/0.3.0"), place))


def test_settings_of_the_person_do_not_reach_the_made_up_session(person: Person) -> None:
    """The project's notes file, the archive and the data folder of the person stay as they are."""
    write(data(person) / "config.json", '{"gate": "hold", "instructions": false}')
    write(person.project / ".claude/compact-keeper.json", '{"instructions": false}')
    before = tree(person.home)
    assert wrong(examined(person)) == ""
    assert tree(person.home) == before


def test_for_people_each_finding_is_a_line_and_what_to_do_a_second(person: Person) -> None:
    told = person.run("doctor", PATH=os.pathsep.join([str(person.home / "bin"), str(Path(sys.executable).parent),
                                                     "/usr/bin", "/bin"]))
    assert "\nok    put back: " in told
    assert told.startswith("note  not installed for this folder")
    assert told.splitlines()[1].startswith("      python3 ")
    assert told.endswith("\nNothing to fix\n")


def test_versions_are_compared_by_number() -> None:
    uptos = [tuple(map(int, last.split("."))) for last, *_ in setup_doctor.QUIRKS]
    assert uptos == sorted(uptos)
