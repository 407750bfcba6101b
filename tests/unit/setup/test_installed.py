"""What is installed for a session: which copies there are, what their hooks start, which are of an older version."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from compact_keeper.setup.copy_faults import copies_warnings, outdated
from compact_keeper.setup.installed import Hook, copies, started_scripts
from compact_keeper.text.version import VERSION
from homes import OUR_FOLDER, Person, plugin_is_installed, write


@pytest.mark.parametrize(("command", "name"), [
    ('sh "${CLAUDE_PLUGIN_ROOT}/hooks/run" save_snapshot || true', "save_snapshot"),
    ("sh '/a run b/it'\"'\"'s/run' answer_prompt || true", "answer_prompt"),
    ("sh /x/hooks/run record_event", "record_event"),
    ('set -- -IS "/x/run_hook.py" audit_summary.py; python3 "$@"', "audit_summary"),
    ('python3 -IS "$CLAUDE_PROJECT_DIR/.claude/hooks/restore_snapshot.py" || true', "restore_snapshot"),
    ("sh /x/hooks/run stats", ""),
    ("make run save_snapshot_of_mine", ""),
    ("python3 my_record_event.py", ""),
    ("prune save_snapshot", ""),
])
def test_a_hook_is_known_by_the_name_of_what_it_starts(command: str, name: str) -> None:
    assert Hook("Stop", command, 5).name() == name


PLACES = {  # the command; the scripts that it starts, below the project; all of these are there
    "directly": ('python3 -IS "$CLAUDE_PROJECT_DIR/.claude/hooks/record_event.py" || true',
                 [".claude/hooks/record_event.py"]),
    "braces": ("python3 ${CLAUDE_PROJECT_DIR}/.claude/hooks/record_event.py", [".claude/hooks/record_event.py"]),
    "home": ("python3 ~/parcel-rates/.claude/hooks/record_event.py; true", [".claude/hooks/record_event.py"]),
    "home-named": ('python3 "$HOME/parcel-rates/.claude/hooks/record_event.py"', [".claude/hooks/record_event.py"]),
    "from-the-project": ("python3 .claude/hooks/record_event.py", [".claude/hooks/record_event.py"]),
    "through-run-hook": ('set -- -IS ".claude/hooks/run_hook.py" record_event.py; python3 "$@"',
                         [".claude/hooks/run_hook.py", ".claude/hooks/record_event.py"]),
    "through-run": ('sh "$CLAUDE_PROJECT_DIR/.claude/hooks/run" record_event || true',
                    [".claude/hooks/run_hook.py", ".claude/hooks/record_event.py"]),
    "a-clone's-run": ('sh "$CLAUDE_PROJECT_DIR/clone/hooks/run" record_event',
                      ["clone/scripts/run_hook.py", "clone/scripts/record_event.py"]),
    "gone": ("python3 /gone/record_event.py", []),
    "in-a-comment": ("touch x # save_snapshot.py", []),
    "a-quote-that-does-not-end": ("python3 '.claude/hooks/record_event.py", []),
    "long": ("python3 .claude/hooks/record_event.py " + "x " * 5_000, []),
}


@pytest.mark.parametrize(("command", "scripts"), PLACES.values(), ids=PLACES)
def test_the_scripts_of_a_hook_written_by_hand(person: Person, command: str, scripts: list[str]) -> None:
    for name in (".claude/hooks/record_event.py", ".claude/hooks/run_hook.py", ".claude/hooks/run", "clone/hooks/run",
                 "clone/scripts/run_hook.py", "clone/scripts/record_event.py"):
        write(person.project / name, "")
    hook = Hook("Stop", command, 5)
    assert [*started_scripts(hook, str(person.project))] == [str(person.project / name) for name in scripts]


def by_hand(person: Person, *versions: tuple[str, str]) -> None:
    """Copies of these scripts in the project's hooks, each with its version, empty for none, and a hook for each."""
    hooks = []
    for name, version in versions:
        write(person.project / ".claude/hooks" / f"{name}.py", f'import os\nVERSION = "{version}"\n' * bool(version))
        command = f'python3 -IS "$CLAUDE_PROJECT_DIR/.claude/hooks/{name}.py" || true'
        hooks.append({"hooks": [{"type": "command", "command": command}]})
    write(person.project / ".claude/settings.json", json.dumps({"hooks": {"Stop": hooks}}))


@pytest.mark.parametrize(("versions", "older"), [
    ([("record_event", VERSION), ("save_snapshot", VERSION)], ""),
    ([("record_event", "0.0.9"), ("save_snapshot", VERSION)], "record_event.py is 0.0.9;"),
    ([("record_event", "0.0.9"), ("save_snapshot", "0.1.0")], "record_event.py is 0.0.9, save_snapshot.py is 0.1.0;"),
    ([("record_event", "99.10.0"), ("save_snapshot", "99.9.0")], "save_snapshot.py is 99.9.0;"),
    ([("record_event", ""), ("save_snapshot", VERSION)], ""),
])
def test_a_copy_by_hand_that_is_older_than_the_others_is_named(
        person: Person, versions: list[tuple[str, str]], older: str) -> None:
    by_hand(person, *versions)
    findings = outdated(copies(str(person.project)))
    assert [what for what, _ in findings] == [
        f"copied by hand for the project {person.project}: {older} these scripts are {VERSION}"] * bool(older)
    assert all("copy it anew from " in to_do for _, to_do in findings)


def copied_by_install(person: Person, version: str, script: str) -> None:
    """What install.py leaves of this version, with a script of that one."""
    folder = person.home / ".claude" / OUR_FOLDER
    write(folder / "installed.json", json.dumps({"schema": 1, "version": version}))
    write(folder / "save_snapshot.py", f'VERSION = "{script}"\n')
    write(folder / "run_hook.py", f'VERSION = "{VERSION}"\n')
    write(folder / "mine.py", "")
    command = f"sh {folder}/run save_snapshot || true"
    write(person.settings, json.dumps({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": command}]}]}}))


@pytest.mark.parametrize(("version", "script", "what"), [
    (VERSION, VERSION, ""),
    ("0.0.9", "0.0.9", f"is 0.0.9, these scripts are {VERSION}"),
    ("0.4", VERSION, f"is 0.4, these scripts are {VERSION}"),
    (VERSION, "0.0.9", f": save_snapshot.py is 0.0.9; these scripts are {VERSION}"),
    ("99.0.0", VERSION, ""), ("?", VERSION, ""), ("0.0.x", VERSION, ""), ("", VERSION, ""),
])
def test_copies_of_an_older_version_are_named(person: Person, version: str, script: str, what: str) -> None:
    copied_by_install(person, version, script)
    findings = outdated(copies(str(person.project)))
    assert bool(findings) == bool(what)
    for said, to_do in findings:
        assert what in said
        assert to_do.endswith("install.py install")


def test_each_copy_is_found_and_more_than_one_is_warned_of(person: Person) -> None:
    plugin_is_installed(person)
    assert [copy.version for copy in copies(str(person.project))] == ["0.3.0"]
    by_hand(person, ("save_snapshot", VERSION))
    installed = copies(str(person.project))
    assert [copy.how for copy in installed] == [
        f"copied by hand for the project {person.project}", "plugin compact-keeper@market (user)"]
    assert copies_warnings(installed)[0].startswith("Installed 2 times")
    plugin_is_installed(person, enabled=False)
    assert [copy.active for copy in copies(str(person.project))] == [True, False]
    assert copies_warnings(copies(str(person.project))) == []


def test_a_local_file_of_the_project_counts_too(person: Person) -> None:
    command = 'sh "$CLAUDE_PROJECT_DIR/.claude/hooks/run" save_snapshot'
    write(person.project / ".claude/settings.local.json",
          json.dumps({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": command, "timeout": 7}]}]}}))
    [copy] = copies(str(person.project))
    assert copy.hooks == [Hook("Stop", command, 7)]
    assert Path(copy.path).name == "settings.local.json"
