"""install.py in homes and projects of its own, each run as a real process; what it must not touch is compared whole."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from compact_keeper.setup.edit_settings import without_ours
from compact_keeper.setup.manifest import length_and_sum
from compact_keeper.text.version import VERSION
from homes import (
    ODD_NAME,
    OUR_FOLDER,
    OWN_SETTINGS,
    Person,
    clone_in,
    files,
    hook_commands,
    person_in,
    played_once,
    plugin_is_installed,
    tree,
    write,
)
from hostile import socket_at

pytestmark = pytest.mark.rows(2)  # each takes a second or more

@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return played_once(tmp_path_factory.mktemp("clone"))


@pytest.fixture
def person(tmp_path: Path, clone: Path) -> Person:
    return person_in(tmp_path, clone)


def manifest_of(person: Person) -> Path:
    return person.copies / "installed.json"


# What is refused: nothing is changed then ---------------------------------------------------------

BROKEN = {  # all forms of them: tests/unit/setup/test_edit_settings.py
    "broken": ('{\n  "model": "opus",\n  "hooks": {\n}\n', "line 5, column 1"),
    "empty": ("", "line 1, column 1: Expecting value: (an empty line)"),
    "surrogate": ('{"a": "\ud800"}', "is not in UTF-8 (byte 7)"),
    "hooks-list": ('{"hooks": [1]}', '"hooks" is not an object'),
}


@pytest.mark.rows(1)
@pytest.mark.parametrize(("text", "why"), BROKEN.values(), ids=BROKEN)
def test_settings_that_cannot_be_edited_are_refused_and_named(person: Person, text: str, why: str) -> None:
    person.write_settings(text)
    before = tree(person.home)
    for command in ("install", "uninstall", "status-line", "status-line --remove", "status-line --dry-run"):
        complaint = person.run(*command.split(), code=1)
        assert why in complaint
        assert str(person.settings) in complaint
        assert tree(person.home) == before


def test_a_projects_settings_as_they_were_lie_where_git_does_not_see_them(person: Person) -> None:
    settings = person.project / ".claude" / "settings.json"
    write(settings, OWN_SETTINGS)
    before = tree(person.home)
    own = settings.read_bytes()
    said = person.run("install", "--project")
    assert not [*person.project.rglob("*before-compact-keeper*")]
    [kept] = (person.home / ".claude" / "compact-keeper" / "settings").iterdir()
    assert kept.read_bytes() == own
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert str(kept) in said
    person.run("uninstall", "--project")
    after = tree(person.home)
    assert {name: content for name, content in after.items() if name != ".claude"} == before


def test_a_status_line_of_another_form_is_refused_and_stays(person: Person) -> None:
    person.write_settings('{"statusLine": {}}')
    before = tree(person.home)
    assert '"statusLine" is not of type' in person.run("status-line", code=1)
    assert "has no status line of compact-keeper's" in person.run("status-line", "--remove")
    assert tree(person.home) == before


@pytest.mark.parametrize("put", [os.mkfifo, Path.mkdir, socket_at, lambda path: path.symlink_to("/dev/zero"),
                                 lambda path: path.symlink_to(path)],
                         ids=["fifo", "folder", "socket", "device", "link-to-itself"])
def test_what_is_no_file_in_place_of_the_settings_is_refused(person: Person, put: Callable[[Path], None]) -> None:
    person.settings.parent.mkdir()
    put(person.settings)
    before = person.settings.lstat()
    assert os.path.realpath(person.settings) in person.run("install", code=1)
    assert person.settings.lstat() == before
    assert os.listdir(person.settings.parent) == ["settings.json"]


@pytest.mark.parametrize("name", [".claude", ".claude/hooks", ".claude/hooks/compact-keeper", ".claude/skills"])
def test_a_file_in_place_of_a_folder_ends_it_in_one_line(person: Person, name: str) -> None:
    write(person.home / name, "mine")
    complaint = person.run("install", code=1)
    assert complaint.count("\n") == 1
    assert name in complaint
    assert not person.settings.exists()


@pytest.mark.parametrize("name", [OUR_FOLDER, f"{OUR_FOLDER}/run", "skills/compact-keeper-recall"])
def test_nothing_is_written_through_a_link_in_our_own_place(person: Person, name: str) -> None:
    elsewhere = person.home / "elsewhere"
    elsewhere.mkdir()
    place = person.project / ".claude" / name
    place.parent.mkdir(parents=True)
    place.symlink_to(elsewhere)
    before = tree(person.home)
    assert f"{place} is a link" in person.run("install", "--project", code=1)
    assert tree(person.home) == before


@pytest.mark.parametrize("name", ["", "hooks", "skills", "settings.json"])
def test_nothing_is_written_through_a_link_that_leads_out_of_the_project(person: Person, name: str) -> None:
    elsewhere, place = person.home / "elsewhere", person.project / ".claude" / name
    if name == "settings.json":
        elsewhere.mkdir()
        elsewhere /= name
        elsewhere.write_text("{}\n")
    else:
        elsewhere.mkdir()
    place.parent.mkdir(exist_ok=True)
    place.symlink_to(elsewhere)
    before = tree(person.home)
    assert f"is not in {person.project}: a link there leads out" in person.run("install", "--project", code=1)
    assert tree(person.home) == before


@pytest.mark.rows(1)
@pytest.mark.parametrize("name", ["recall.py", "run"])
def test_a_file_that_somebody_changed_is_not_written_over(person: Person, name: str) -> None:
    person.run("install")
    changed = person.copies / name
    changed.write_text("mine")
    assert f"{changed} was not installed so, or was changed since" in person.run("install", code=1)
    assert changed.read_text() == "mine"


def test_a_manifest_of_a_strange_repository_removes_nothing_of_others(person: Person) -> None:
    victim = person.home / "thesis.txt"
    victim.write_text("years of work")
    names = ["../../thesis.txt", str(victim), f"{OUR_FOLDER}/../../../../thesis.txt", "settings.json"]
    write(person.project / ".claude" / OUR_FOLDER / "installed.json", json.dumps(
        {"schema": 1, "files": dict.fromkeys(names, length_and_sum(victim.read_bytes())), "folders": ["../..", "."]}))
    person.run("uninstall", "--project")
    assert victim.read_text() == "years of work"
    assert person.project.is_dir()


def test_a_home_that_is_not_in_utf8_is_told_of(tmp_path: Path, clone: Path) -> None:
    person = person_in(Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff")), clone)
    assert "a path is not in UTF-8" in person.run("install", code=1)
    assert files(person.home) == {}
    person.run("install", "--project")


@pytest.mark.rows(1)
@pytest.mark.parametrize("manifest", ["", "[]", '{"schema": 1, "files": [1], "folders": "x"}', "{" * 50_000,
                                      '{"schema": 1, "files": {"hooks/compact-keeper/recall.py": null}}'],
                         ids=["empty", "list", "other-types", "deep", "no-sums"])
def test_a_broken_manifest_stops_nothing_and_loses_nothing(person: Person, manifest: str) -> None:
    person.write_settings(OWN_SETTINGS)
    person.run("install")
    manifest_of(person).write_text(manifest)
    assert "installed for this user" in person.run("install")
    person.run("uninstall")
    assert person.settings.read_bytes().decode() == OWN_SETTINGS
    assert not person.copies.exists()


def test_a_manifest_of_a_later_version_is_left_alone(person: Person) -> None:
    person.run("install")
    manifest_of(person).write_text('{"schema": 99}')
    before = tree(person.home)
    assert "has schema 99" in person.run("uninstall", code=1)
    assert tree(person.home) == before


def test_the_users_own_folder_is_no_project(person: Person) -> None:
    assert "use --user" in person.run("install", "--project", str(person.home), code=1)
    assert "is no folder" in person.run("install", "--project", str(person.home / "gone"), code=1)


def test_copies_cannot_be_copied_on(person: Person) -> None:
    person.run("install")
    done = subprocess.run([sys.executable, str(person.copies / "install.py"), "install", "--project"],
                          cwd=person.project, capture_output=True, text=True, env={"HOME": str(person.home)})
    assert (done.returncode, "run install.py of a clone or of the plugin" in done.stderr) == (1, True)


def test_a_bundle_without_hooks_run_is_refused(person: Person, tmp_path: Path) -> None:
    whole = clone_in(tmp_path / "torn")
    (whole / "hooks" / "run").unlink()
    assert "run is missing; take a whole clone" in person._replace(clone=whole).run("install", code=1)
    assert files(person.home) == {}


# Broken off in the middle --------------------------------------------------------------------------

KILLED = """
import os, signal
left = [{steps}]
def counted(name, real):
    def call(*given, **more):
        left[0] -= 1
        if left[0] < 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return real(*given, **more)
    setattr(os, name, call)
for name in ("replace", "unlink", "rmdir"):
    counted(name, getattr(os, name))
"""


def killed_runs(person: Person, *arguments: str) -> Iterator[None]:
    """Runs the command again and again, killed after 0, 1, 3, 6 … steps, until it comes to its end."""
    steps = 0
    for wider in range(1, 30):
        try:
            person.run(*arguments, code=-9, before=KILLED.format(steps=steps))
        except AssertionError:
            break
        yield
        steps += wider
    assert steps > 9


def all_hooks_run(person: Person) -> bool:
    """Whether everything that our hooks start is there."""
    commands = [shlex.split(command) for _, command in hook_commands(person.settings) if OUR_FOLDER in command]
    new = [(Path(words[at + 1]), words[at + 2]) for words in commands if "sh" in words for at in [words.index("sh")]]
    old = [(Path(words[3]), words[4]) for words in commands if words[0] == "set"]
    paths = [start.parent / name for start, script in (*new, *old)
             for name in (start.name, "run_hook.py", f"{script.removesuffix(';').removesuffix('.py')}.py")]
    return bool(paths) and all(path.is_file() for path in paths)


def test_an_installation_killed_anywhere_works_and_goes_on(person: Person) -> None:
    person.write_settings(OWN_SETTINGS)
    for _ in killed_runs(person, "install"):
        text = person.settings.read_bytes().decode()
        assert text == OWN_SETTINGS or all_hooks_run(person)
        assert without_ours(text) == OWN_SETTINGS
    before = tree(person.home)
    assert "up to date" in person.run("install")
    assert tree(person.home) == before
    person.run("uninstall")
    assert files(person.home) == {".claude/settings.json": (0o644, OWN_SETTINGS.encode())}


@pytest.mark.rows(1)
@pytest.mark.parametrize("steps", [12, 0, 1, 20])
def test_what_a_killed_installation_left_goes(person: Person, steps: int) -> None:
    person.run("install", code=-9, before=KILLED.format(steps=steps))
    person.run("uninstall")
    assert files(person.home) == {}


def test_a_killed_removal_goes_on(person: Person) -> None:
    person.write_settings(OWN_SETTINGS)
    person.run("install")
    for _ in killed_runs(person, "uninstall"):
        text = person.settings.read_bytes().decode()
        assert text == OWN_SETTINGS or all_hooks_run(person)
    person.run("uninstall")
    assert files(person.home) == {".claude/settings.json": (0o644, OWN_SETTINGS.encode())}


# An update from 0.6.0 --------------------------------------------------------------------------------

OF_OLD = {  # what 0.6.0 started at each event
    "PostToolUse": ["record_event"], "PostToolUseFailure": ["record_event"],
    "UserPromptSubmit": ["record_event", "restore_snapshot"], "SubagentStart": ["record_event"],
    "SubagentStop": ["record_event"], "PreCompact": ["save_snapshot"], "Stop": ["save_snapshot"],
    "PostCompact": ["audit_summary"], "SessionEnd": ["restore_snapshot"], "SessionStart": ["restore_snapshot"]}
OLD_COMMAND = ('set -- -IS {folder}/run_hook.py {name}.py; python3 "$@" || case $? in 49|126|127) python "$@"; esac '
               "|| true")
OLD_SCRIPTS = ("doctor", "edit_settings", "interpret_words", "session_ledger", "write_notes")  # no longer in the bundle
OLD_LINE = {"type": "command", "command": 'f={folder}/run_hook.py; [ -f "$f" ] && exec python3 -IS "$f" status_line.py'}


def as_of_0_6_0(person: Person) -> None:
    """Makes of what is installed a 0.6.0: its hooks and status line, other contents, scripts that are no more."""
    manifest = json.loads(manifest_of(person).read_text())
    (person.copies / "run").unlink()
    (person.copies / "answer_prompt.py").unlink()
    del manifest["files"][f"{OUR_FOLDER}/run"], manifest["files"][f"{OUR_FOLDER}/answer_prompt.py"]
    for name in OLD_SCRIPTS:
        (person.copies / f"{name}.py").write_text("# gone")
    for script in person.copies.glob("*.py"):
        script.write_text(script.read_text(encoding="utf-8") + "# of old\n", encoding="utf-8")
        manifest["files"][f"{OUR_FOLDER}/{script.name}"] = length_and_sum(script.read_bytes())
        write(person.copies / "__pycache__" / f"{script.stem}.cpython-399.pyc", "")
    manifest_of(person).write_text(json.dumps({**manifest, "version": "0.6.0"}))
    settings = json.loads(without_ours(person.settings.read_bytes().decode()))
    for event, names in OF_OLD.items():
        entries = [{"type": "command", "command": OLD_COMMAND.format(folder=person.copies, name=name), "timeout": 5}
                   for name in names]
        settings.setdefault("hooks", {}).setdefault(event, []).append({"hooks": entries})
    settings["statusLine"] = {**OLD_LINE, "command": OLD_LINE["command"].format(folder=person.copies)}
    person.settings.write_text(json.dumps(settings, indent=2))


def test_an_update_replaces_all_that_was_of_the_older_version(person: Person) -> None:
    person.run("install")
    new = {name: content for name, content in files(person.copies).items() if name != "installed.json"}
    hooks = hook_commands(person.settings)
    as_of_0_6_0(person)
    assert "installed for this user" in person.run("install")
    assert hook_commands(person.settings) == hooks
    assert {name: content for name, content in files(person.copies).items() if name != "installed.json"} == new
    assert not {path.name.partition(".")[0] for path in (person.copies / "__pycache__").iterdir()} & {*OLD_SCRIPTS}
    assert "ctx 50%" in drawn(person, person.settings)
    assert f"Status line: set in {person.settings}\n" in person.run("status")
    person.run("uninstall")
    assert files(person.home) == {}
    assert not person.copies.exists()


def test_an_update_killed_anywhere_goes_on(person: Person) -> None:
    person.run("install")
    as_of_0_6_0(person)
    for _ in killed_runs(person, "install"):
        assert all_hooks_run(person)
        assert "ctx 50%" in drawn(person, person.settings)
    assert "up to date" in person.run("install")
    assert not [name for name in OLD_SCRIPTS if (person.copies / f"{name}.py").exists()]


def test_an_update_names_what_it_does_not_need_and_somebody_changed(person: Person) -> None:
    person.run("install")
    as_of_0_6_0(person)
    changed = person.copies / "write_notes.py"
    changed.write_text("mine")
    assert f"kept, as it was changed since: {changed}" in person.run("install")
    assert changed.read_text() == "mine"
    assert not (person.copies / "doctor.py").exists()


def test_an_update_replaces_what_was_written_by_hand_for_the_same_folder(person: Person) -> None:
    folder = "$CLAUDE_PROJECT_DIR/.claude/hooks/compact-keeper"
    entries = [{"type": "command", "command": f'python3 -IS "{folder}/{name}.py" || true'}
               for name in ("record_event", "restore_snapshot")]
    settings = person.project / ".claude" / "settings.json"
    own = {"type": "command", "command": "make lint"}
    write(settings, json.dumps({"hooks": {"UserPromptSubmit": [{"hooks": [*entries, own]}]}}))
    person.run("install", "--project")
    assert [command for event, command in hook_commands(settings) if event == "UserPromptSubmit"] == [
        "make lint", f'sh "{folder}/run" answer_prompt --later || true']
    person.run("uninstall", "--project")
    assert hook_commands(settings) == [("UserPromptSubmit", "make lint")]


# What people do --------------------------------------------------------------------------------------


@pytest.mark.rows(1)
@pytest.mark.parametrize("scope", ["--user", "--project"])
def test_every_hook_runs_wherever_it_is_installed(tmp_path: Path, clone: Path, scope: str) -> None:
    person = person_in(tmp_path / f"-n {ODD_NAME}", clone)
    before = tree(person.home)
    person.install(scope)
    settings = person.settings if scope == "--user" else person.project / ".claude" / "settings.json"
    for event, command in hook_commands(settings):
        given = {"session_id": "s1", "hook_event_name": event, "prompt": "Never push.", "cwd": str(tmp_path),
                 "transcript_path": ""}
        done = person.in_shell(command, json.dumps(given))
        assert (done.returncode, done.stderr) == (0, "")
    data = person.home / ".claude/compact-keeper"
    assert "Never push." in (data / "sessions/s1/memory.json").read_text()
    assert not (data / "hook.log").exists()
    person.run("uninstall", scope)
    refused = person.run("uninstall", "--data", code=1)
    assert f"--data removes what was remembered of all projects from {data}:\n" in refused
    assert refused.rstrip().endswith("\nNobody can be asked here, so that stayed. To remove it, add --yes")
    assert f"removed from {data}: " in person.run("uninstall", "--data", "--yes")
    assert {name: content for name, content in tree(person.home).items() if name != ".claude"} == before


def test_hooks_are_those_of_the_plugin(person: Person) -> None:
    person.run("install", "--project")
    text = (person.clone / "hooks/hooks.json").read_text(encoding="utf-8")
    own = text.replace("${CLAUDE_PLUGIN_ROOT}/hooks/", "$CLAUDE_PROJECT_DIR/.claude/hooks/compact-keeper/")
    settings = json.loads((person.project / ".claude/settings.json").read_text())
    assert settings == {"hooks": json.loads(own)["hooks"]}
    person.run("install")
    waiting = f"[ -r {person.copies}/waiting ] && . {person.copies}/waiting && "
    assert {command for _, command in hook_commands(person.settings)} == {
        f"{waiting if '--hand-over' in name else ''}sh {person.copies}/run {name} || true"
        for name in ("record_event", "record_event --record", "record_event --hand-over", "answer_prompt --later",
                     "save_snapshot", "save_snapshot --later", "restore_snapshot", "restore_snapshot --rest",
                     "restore_snapshot --third", "audit_summary")}


def test_scripts_and_skills_are_those_of_the_plugin(person: Person) -> None:
    person.run("install")
    assert {path.name for path in person.copies.glob("*.py")} == {
        path.name for path in (person.clone / "scripts").glob("*.py")}
    for name in ("run", "waiting"):
        assert (person.copies / name).read_bytes() == (person.clone / "hooks" / name).read_bytes()
    for skill in (person.clone / "skills").iterdir():
        text = (person.home / f".claude/skills/compact-keeper-{skill.name}/SKILL.md").read_text(encoding="utf-8")
        assert "CLAUDE_PLUGIN_ROOT" not in text
        assert text.count("${CLAUDE_SKILL_DIR}/../../hooks/compact-keeper/") == (
            skill / "SKILL.md").read_text(encoding="utf-8").count("${CLAUDE_PLUGIN_ROOT}/scripts/")
    for copy in (person.home / ".claude").rglob("*.[pm][yd]"):
        assert "/compact-keeper:re" not in copy.read_text(encoding="utf-8")


@pytest.mark.rows(1)  # every form of settings: tests/unit/setup/test_edit_settings.py
@pytest.mark.parametrize("text", [OWN_SETTINGS, "\ufeff{}", '{"hooks":{ }}\n\n', '{"env": {"A": "\\u00e9 é"}}',
                                  '{\n\t"hooks": {\n\t\t"PreCompact": []\n\t}\n}\n'])
def test_settings_and_mode_come_back_byte_for_byte(person: Person, text: str) -> None:
    person.write_settings(text)
    person.settings.chmod(0o600)
    before = tree(person.home)
    person.run("install")
    assert stat.S_IMODE(person.settings.stat().st_mode) == 0o600
    backup = person.home / ".claude/settings.json.before-compact-keeper"
    assert backup.read_bytes().decode() == text
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    person.run("uninstall")
    assert tree(person.home) == before


def test_a_linked_settings_file_is_written_through(person: Person) -> None:
    person.settings.parent.mkdir()
    target = person.home / "dotfiles" / "claude.json"
    target.parent.mkdir()
    target.write_bytes(OWN_SETTINGS.encode())
    person.settings.symlink_to("../dotfiles/claude.json")
    before = tree(person.home)
    person.run("install")
    assert person.settings.is_symlink()
    assert OUR_FOLDER in target.read_text()
    person.run("uninstall")
    assert tree(person.home) == before


def test_what_was_written_into_the_settings_since_stays(person: Person) -> None:
    person.write_settings(OWN_SETTINGS)
    person.run("install")
    person.write_settings(person.settings.read_bytes().decode().replace('"opus"', '"sonnet"'))
    person.run("install")
    person.run("uninstall")
    assert person.settings.read_bytes().decode() == OWN_SETTINGS.replace('"opus"', '"sonnet"')


def test_what_is_not_a_hook_and_names_our_folder_is_told(person: Person) -> None:
    text = json.dumps({"statusLine": {"type": "command", "command": "~/.claude/hooks/compact-keeper/status_line.py"}})
    person.write_settings(text)
    person.run("install")
    assert f"{person.settings} names hooks/compact-keeper still" in person.run("uninstall")
    assert person.settings.read_text() == text


def test_bytecode_of_a_projects_copies_stays_out_of_its_repository(person: Person) -> None:
    person.install("--project")
    subprocess.run(["git", "init", "--quiet"], cwd=person.project, check=True)
    person.in_shell(hook_commands(person.project / ".claude/settings.json")[0][1], "{}")
    assert (person.project / ".claude" / OUR_FOLDER / "__pycache__").is_dir()
    listed = subprocess.run(["git", "status", "--porcelain", "-uall"], cwd=person.project, check=True,
                            capture_output=True, text=True).stdout
    assert "install.py" in listed
    assert "__pycache__" not in listed


def test_a_changed_file_and_foreign_files_stay_when_it_is_removed(person: Person) -> None:
    person.run("install")
    (person.copies / "recall.py").write_text("mine")
    (person.copies / "notes.txt").write_text("mine too")
    assert f"kept, as it was changed since: {person.copies / 'recall.py'}" in person.run("uninstall")
    assert {path.name for path in person.copies.iterdir()} == {"recall.py", "notes.txt"}
    assert not person.settings.exists()


@pytest.mark.parametrize("command", [["install"], ["install", "--project"], ["uninstall", "--data"], ["instructions"],
                                     ["instructions", "--remove"], ["status-line"]])
def test_a_dry_run_changes_nothing_and_shows_the_difference(person: Person, command: list[str]) -> None:
    person.write_settings(OWN_SETTINGS)
    if command[0] == "uninstall":
        person.run("install")
        (person.home / ".claude/compact-keeper/sessions").mkdir(parents=True)
    if command[-1] == "--remove":
        person.run("instructions")
    before = tree(person.home)
    answer = person.run(*command, "--dry-run")
    assert tree(person.home) == before
    sign, mark = ("-", "would remove") if command[-1] in ("--data", "--remove") else ("+", "would write")
    assert mark in answer
    assert f"\n    {sign}" in answer


def test_data_go_only_when_asked_for_and_nothing_of_others_with_them(person: Person) -> None:
    data = person.home / ".claude" / "compact-keeper"
    for name in ("sessions/s1/memory.json", "events.jsonl", "events.jsonl.1", "archive.db", "archive.db-wal",
                 "hook.log", "config.json.77.tmp", "mine.txt"):
        write(data / name, "x")
    person.run("install")
    assert f"stays in {data}" in person.run("uninstall")
    assert (data / "sessions/s1/memory.json").exists()
    removed = person.run("uninstall", "--data", "--yes")
    assert "mine.txt" in removed
    assert "session that is still open has the hooks until it is closed, and begins the data anew" in removed
    assert os.listdir(data) == ["mine.txt"]
    (data / "mine.txt").unlink()
    person.run("uninstall", "--data", "--yes")
    assert not data.exists()


def test_a_dry_run_lists_what_would_go_before_it_says_that_nothing_was_changed(person: Person) -> None:
    write(person.home / ".claude/compact-keeper/pins.jsonl", "x")
    person.run("install")
    before = tree(person.home)
    lines = person.run("uninstall", "--dry-run", "--data").splitlines()
    assert lines[-1] == "compact-keeper: nothing was changed"
    assert lines.count(lines[-1]) == 1
    assert f"would remove {person.home}/.claude/compact-keeper/pins.jsonl" in lines
    assert tree(person.home) == before


def test_with_the_data_the_folder_of_sessions_by_plugin_dir_goes(person: Person) -> None:
    """The client makes it, and where no plugin was ever installed it has no list in which that would stand."""
    inline = person.home / ".claude/plugins/data/compact-keeper-inline"
    inline.mkdir(parents=True)
    assert f"The client left {inline} (--data removes it)" in person.run("uninstall")
    assert f"is removed: {inline}" in person.run("uninstall", "--data", "--yes")
    assert not inline.exists()


@pytest.mark.parametrize(("typed", "goes"), [("y\n", True), ("\n", False), ("n\n", False), (None, False)])
def test_data_go_only_when_the_answer_is_yes(person: Person, typed: str | None, goes: bool) -> None:
    """Without a terminal nobody can be asked: the data stay, and what needs no question goes."""
    path = person.home / ".claude/compact-keeper/pins.jsonl"
    write(path, "x")
    left = person.home / ".claude/plugins/cache/compact-keeper/compact-keeper/0.9.0/left.py"
    write(left, "x")
    write(person.home / ".claude/plugins/installed_plugins.json", '{"version": 2, "plugins": {}}')
    person.run("install")
    person.run("status-line")
    terminal, stdin = os.openpty()
    if typed:
        os.write(terminal, typed.encode())
    start = [sys.executable, "-IS", str(person.clone / "scripts/run_hook.py"), "install.py"]
    done = subprocess.run([*start, "uninstall", "--data"], stdin=stdin if typed else subprocess.DEVNULL, timeout=60,
                          capture_output=True, text=True, env=person.environment(), cwd=person.project)
    assert path.exists() is not goes
    is_asked = typed is not None
    assert person.copies.exists() is (is_asked and not goes)
    assert person.settings.exists() is (is_asked and not goes), "hooks and status line"
    assert left.exists() is (is_asked and not goes), "the client's copy is nothing that was remembered"
    assert "of all projects" in done.stdout + done.stderr
    assert (done.returncode, "--yes" in done.stderr) == (int(not goes), typed is None)


@pytest.mark.rows(1)
@pytest.mark.parametrize(("put", "words"), [
    ([["install"], ["status-line"]], ": scripts and skills, hooks, the status line"),
    ([["status-line"]], ": the status line"), ([["install"]], ": scripts and skills, hooks")])
def test_uninstall_says_what_it_took_out(person: Person, put: list[list[str]], words: str) -> None:
    for arguments in put:
        person.run(*arguments)
    assert f"compact-keeper: removed from {person.home / '.claude'}{words}\n" in person.run("uninstall")


def test_a_reader_that_has_enough_is_no_fault(person: Person) -> None:
    start = shlex.join([sys.executable, "-IS", str(person.clone / "scripts/install.py"), "status"])
    done = person.in_shell(f"{{ sleep 0.5; {start}; echo $? >&2; }} | true", "")
    assert done.stderr == "0\n"


@pytest.mark.rows(1)
@pytest.mark.parametrize("more", [(), ("--dry-run",)])
def test_what_is_there_already_is_said_before_anything_is_written(person: Person, more: tuple[str, ...]) -> None:
    plugin_is_installed(person)
    answer = person.run("install", "--project", *more)
    assert answer.startswith("Installed here already: plugin compact-keeper@market (user). ")
    assert "To take that out: claude plugin uninstall compact-keeper@market\n" in answer
    assert (person.project / ".claude").exists() is not bool(more)
    person.run("install", "--project", *more)
    plugin_is_installed(person, enabled=False)
    assert "Installed here" not in person.run("install", "--project", *more)


def test_what_else_is_installed_is_named(person: Person) -> None:
    plugin_is_installed(person)
    answer = person.run("install", "--project")
    assert "Installed 2 times" in answer
    assert "claude plugin uninstall compact-keeper@market" in answer
    assert f"uninstall --project {person.project}" in answer
    answer = person.run("uninstall", "--project")
    assert "Still installed: plugin compact-keeper@market (user). To remove it: claude plugin uninstall" in answer
    assert "copied" not in answer
    plugin_is_installed(person, enabled=False)
    assert "times" not in person.run("install")


# The status line ----------------------------------------------------------------------------------

MINE = ('{\r\n\t"statusLine" : {"command":"printf \\u0027%s\\n mine' + "' \\\"it's\\\"\""
        ',  "type":"command", "padding": 0}}')
EVENT = json.dumps({"session_id": "s1", "context_window": {"context_window_size": 200_000, "current_usage": {
    "input_tokens": 83_500, "output_tokens": 0}}})


def drawn(person: Person, settings: Path) -> str:
    """What the client gets from the status line's command, in a folder that tries to be run in its place."""
    (person.project / "__main__.py").write_text("print('a stranger')")
    command = json.loads(settings.read_text(encoding="utf-8"))["statusLine"]["command"]
    output = person.in_shell(command, EVENT, NO_COLOR="1").stdout
    (person.project / "__main__.py").unlink()
    return output


@pytest.mark.parametrize(("text", "steps"), [
    (None, ["status-line", "status-line --remove"]),
    ("{}", ["status-line", "uninstall"]),
    (MINE, ["install", "status-line", "uninstall"]),
    (OWN_SETTINGS, ["status-line", "install", "status-line", "uninstall"]),
    ("\ufeff{ }\n", ["status-line", "install", "uninstall"]),
    (MINE, ["install", "status-line", "status-line --remove", "uninstall"]),
    (None, ["status-line", "install", "status-line --remove", "install", "uninstall"]),
    (OWN_SETTINGS, ["uninstall", "status-line --remove"])])
def test_settings_and_mode_are_as_they_were_before_the_status_line(
        person: Person, text: str | None, steps: list[str]) -> None:
    if text is not None:
        person.write_settings(text)
        person.settings.chmod(0o600)
    before = files(person.home)
    for step in steps[:-1]:
        person.run(*step.split())
        if text and "--remove" not in step and step != "uninstall":
            assert person.settings.with_name("settings.json.before-compact-keeper").read_bytes().decode() == text
    person.run(*steps[-1].split())
    assert files(person.home) == before


def test_a_second_run_says_that_the_status_line_is_as_it_should_be(person: Person) -> None:
    person.write_settings(MINE)
    output = person.run("status-line")
    assert "is set now, in" in output
    assert "last saved (that is after each turn, and at 70, 85 and 95 %, where a │ stands)" in output
    assert output.endswith(f"To take it out: python3 {person.clone}/scripts/install.py status-line --remove\n")
    assert "settings.json. Your own status line stays, in front of it. It shows" in output
    typed = person.run("status-line", CLAUDE_CODE_ENTRYPOINT="cli")
    assert typed.endswith("\nTo take it out: /compact-keeper:status-line remove\n")
    before = tree(person.home)
    assert "is as it should be in" in person.run("status-line")
    assert "nothing was changed" in person.run("status-line", "--dry-run", "--remove")
    assert tree(person.home) == before
    assert "was removed from" in person.run("status-line", "--remove")
    assert "has no status line" in person.run("status-line", "--remove")


@pytest.mark.rows(1)
@pytest.mark.parametrize("scope", ["--user", "--project"])
def test_ours_is_drawn_behind_theirs_wherever_it_is_installed(tmp_path: Path, clone: Path, scope: str) -> None:
    person = person_in(tmp_path / ODD_NAME, clone)
    settings = person.settings if scope == "--user" else person.project / ".claude" / "settings.json"
    write(settings, MINE)
    person.run("install", scope)
    person.run("status-line", scope)
    assert drawn(person, settings).startswith("it's\n mine\n██████████")
    assert "ctx 50%" in drawn(person, settings)
    assert OUR_FOLDER in settings.read_text(encoding="utf-8").partition('"hooks"')[0]


@pytest.mark.parametrize("copies", [True, False], ids=["copies", "clone"])
def test_in_a_project_it_is_drawn_behind_the_own_line_of_whoever_works_there(person: Person, copies: bool) -> None:
    if copies:
        person.run("install", "--project")
    person.run("status-line", "--project")
    settings = person.project / ".claude" / "settings.json"
    assert drawn(person, settings).startswith("██████████")
    person.write_settings(MINE)  # as of somebody who got the repository
    assert drawn(person, settings).startswith("it's\n mine\n██████████")
    person.run("status-line")  # that line is ours, too: no second time
    assert drawn(person, settings).count("ctx 50%") == 1
    assert drawn(person, settings).startswith("it's\n mine\n██████████")


@pytest.mark.parametrize(("own", "printed"), [(MINE, "it's\n mine\n"), ("{}", ""), ("same", "")])
def test_a_projects_line_without_its_scripts_leaves_the_persons_own(person: Person, own: str, printed: str) -> None:
    person.run("install", "--project")
    person.run("status-line", "--project")
    settings = person.project / ".claude" / "settings.json"
    person.write_settings(settings.read_text(encoding="utf-8") if own == "same" else own)
    shutil.rmtree(person.project / ".claude" / OUR_FOLDER)
    assert drawn(person, settings).strip() == printed.strip()


def test_a_projects_line_is_named_where_the_users_is_taken_out(person: Person) -> None:
    person.run("status-line", "--project")
    settings = person.project / ".claude" / "settings.json"
    command = f"python3 {person.clone}/scripts/install.py status-line --project {person.project} --remove"
    named = f"\nA session here draws the status line of {settings}. To take it out: {command}\n"
    said = person.run("status-line", "--remove", CLAUDE_CODE_ENTRYPOINT="cli")
    assert said == f"compact-keeper: {person.settings} has no status line of compact-keeper's{named}"
    person.run("status-line")
    assert person.run("status-line", "--remove").endswith(named)
    assert named not in person.run("status-line", "--remove", "--dry-run")
    assert person.run("uninstall").endswith(named)
    assert "draws" not in person.run("status-line", "--remove", "--project")


@pytest.mark.parametrize("command", ["uninstall --project", "status-line --remove --project"])
def test_a_projects_line_goes_wherever_it_stands_in_the_project(person: Person, command: str) -> None:
    person.run("status-line", "--project")
    settings = person.project / ".claude" / "settings.json"
    local = settings.with_name("settings.local.json")
    line = json.loads(settings.read_text(encoding="utf-8"))["statusLine"]
    local.write_text(json.dumps({"model": "opus", "statusLine": line}), encoding="utf-8")
    said = person.run(*command.split())
    assert "the status line" in said
    assert "draws" not in said
    assert not settings.exists()
    assert json.loads(local.read_text(encoding="utf-8")) == {"model": "opus"}
    local.write_text(json.dumps({"statusLine": line}), encoding="utf-8")
    assert "nothing is installed" not in person.run(*command.split())
    assert local.read_text(encoding="utf-8") == "{}"
    local.write_text("{", encoding="utf-8")
    assert "nothing is installed" in person.run("uninstall", "--project")


def test_below_a_project_the_removal_names_where_it_is_installed(person: Person) -> None:
    below = person.project / "web" / "src"
    below.mkdir(parents=True)
    person.run("install", "--project")
    settings = person.project / ".claude" / "settings.json"
    before = settings.read_bytes()
    said = person.run("uninstall", "--project", str(below))
    assert f"nothing is installed for the project {below}\nIt is installed for the project {person.project}." in said
    assert f"uninstall --project {person.project}\n" in said
    assert settings.read_bytes() == before
    person.run("uninstall", "--project")
    assert "It is installed" not in person.run("uninstall", "--project", str(below))
    person.run("install")
    assert "It is installed" not in person.run("uninstall", "--project", str(below))  # the user's is no project's


def test_a_clone_alone_draws_it(person: Person) -> None:
    person.run("status-line")
    assert "ctx 50%" in drawn(person, person.settings)
    assert str(person.clone) in person.settings.read_text()


def version_comes(person: Person, version: str, home: Path | None = None) -> Path:
    """Puts a version of the plugin where the client does, and marks the one before as the client does at an update."""
    place = (home or person.home) / ".claude/plugins/cache/my market/compact-keeper" / version
    for older in place.parent.glob("*"):
        (older / ".orphaned_at").write_text("")
    shutil.copytree(person.clone / "scripts", place / "scripts", copy_function=shutil.copyfile)
    (place / "scripts/status_line.py").write_text(f"def main(argv):\n    print('of {version}', *argv)\n    return 0\n")
    for older in place.parent.glob("*"):
        if older != place:
            os.utime(older / "scripts" / "run_hook.py", (time.time() - 60,) * 2)
            os.utime(older, (time.time() + 60,) * 2)
    installed = place.parents[3] / "installed_plugins.json"
    installed.write_text(json.dumps({"plugins": {"compact-keeper@my market": [
        {"scope": "user", "installPath": str(place), "version": version}]}}))
    return place


@pytest.mark.rows(1)
@pytest.mark.parametrize("config", ["it's elsewhere/.claude", ".claude"])
def test_the_newest_version_of_the_plugin_draws_it(person: Person, config: str) -> None:
    home = (person.home / config).parent
    settings = home / ".claude" / "settings.json"
    more = {} if home == person.home else {"CLAUDE_CONFIG_DIR": str(home / ".claude")}
    version_comes(person, "0.10.0", home)
    settings.write_text('{"statusLine": {"type": "command", "command": "echo mine"}}')
    person.run("status-line", code=0, **more)
    assert drawn(person, settings) == "of 0.10.0 --wrap echo mine\n"
    text = settings.read_text()
    newest = version_comes(person, "0.9.0", home)  # the newest is the one that came last
    assert drawn(person, settings) == "of 0.9.0 --wrap echo mine\n"
    assert "as it should be" in person.run("status-line", code=0, **more)
    assert settings.read_text() == text
    shutil.rmtree(newest.parent)
    assert drawn(person, settings) == "mine\n"
    person.run("status-line", "--remove", code=0, **more)
    assert drawn(person, settings) == "mine\n"


def test_without_the_plugin_and_without_a_line_of_theirs_nothing_is_drawn(person: Person) -> None:
    place = version_comes(person, "0.5.0")
    person.run("status-line")
    assert drawn(person, person.settings) == "of 0.5.0\n"
    shutil.rmtree(place)
    assert drawn(person, person.settings) == ""


# Status, instructions, the command line ---------------------------------------------------------------


def test_status_tells_of_the_status_line(person: Person) -> None:
    assert "Status line: none is set; `python3 " in person.run("status")
    person.write_settings(MINE)
    assert f"Status line: another is set in {person.settings}; `python3 " in person.run("status")
    person.run("status-line")
    assert f"Status line: set in {person.settings}\n" in person.run("status")
    person.run("install")
    assert f"Status line: set in {person.settings}; `python3 " in person.run("status")
    person.run("status-line")
    assert f"Status line: set in {person.settings}\n" in person.run("status")
    theirs = person.project / ".claude" / "settings.local.json"
    write(theirs, '{"statusLine": 7}')
    in_place = "the client draws that in place of any that install.py sets"
    assert f"Status line: another is set in {theirs}; {in_place}\n" in person.run("status")


def test_what_install_prints_for_a_project_names_the_project(person: Person) -> None:
    project = shlex.quote(str(person.project))
    assert f"install.py doctor --project {project}\n" in person.run("install", "--project")
    assert f"install.py status-line --project {project}` sets it" in person.run("status")
    assert "was removed from" not in person.run("uninstall", "--project", "--dry-run")
    assert f"removed from {person.project}" in person.run("uninstall", "--project")
    person.run("install")
    assert "install.py status-line` sets it" in person.run("status")


def test_status_tells_of_a_copy_of_an_older_version(person: Person) -> None:
    person.run("install", "--project")
    assert "these scripts are" not in person.run("status")
    manifest = person.project / ".claude" / OUR_FOLDER / "installed.json"
    manifest.write_text(json.dumps({**json.loads(manifest.read_text()), "version": "0.0.9"}))
    answer = person.run("status")
    assert "is 0.0.9, these scripts are" in answer
    assert f"install.py install --project {person.project}" in answer
    person.run("install", "--project")
    assert "these scripts are" not in person.run("status")


def test_the_section_in_claude_md_comes_and_goes(person: Person) -> None:
    path = person.project / "CLAUDE.md"
    person.run("instructions")
    assert "## Compact Instructions" in path.read_text()
    assert "as it should be" in person.run("instructions")
    path.write_text(path.read_text() + "More.\n")
    assert "was removed from" in person.run("instructions", "--remove")
    assert path.read_text() == "More.\n"
    path.write_text("<!-- compact-keeper:end -->")
    assert f"{path}: the marks" in person.run("instructions", code=1)


def test_a_linked_claude_md_is_written_through(person: Person) -> None:
    (person.project / "AGENTS.md").write_text("# Rules\n")
    (person.project / "CLAUDE.md").symlink_to("AGENTS.md")
    person.run("instructions")
    assert "## Compact Instructions" in (person.project / "AGENTS.md").read_text()
    assert (person.project / "CLAUDE.md").is_symlink()


@pytest.mark.parametrize("arguments", [[], ["instal"], ["install", "--user", "--project"], ["status", "--dry-run"]])
def test_wrong_usage(person: Person, arguments: list[str]) -> None:
    person.run(*arguments, code=2)


def test_its_version_is_the_plugins(person: Person) -> None:
    assert person.run("--version") == f"compact-keeper {VERSION}\n"


def test_help_is_one_page_that_names_every_command(person: Person) -> None:
    page = person.run("--help")
    assert page.count("\n") < 40
    for command in ("install", "uninstall", "status-line", "status", "instructions", "doctor", "--dry-run", "--data",
                    "--remove"):
        assert command in page


# A project's own copies, asked in a session -------------------------------------------------------


def answered(person: Person, words: str) -> str:
    """What the project's copies answer to a command typed in the full-screen client."""
    script = person.project / ".claude" / OUR_FOLDER / "run_hook.py"
    given = json.dumps({"hook_event_name": "UserPromptSubmit", "session_id": "s1", "cwd": str(person.project),
                        "transcript_path": "", "prompt": f"/compact-keeper-{words}"})
    done = person.in_shell(f"python3 -IS {shlex.quote(str(script))} answer_prompt.py", given,
                           CLAUDE_CODE_ENTRYPOINT="cli")
    assert (done.returncode, done.stderr) == (0, "")
    return str(json.loads(done.stdout)["reason"])


def test_the_doctor_of_a_projects_copies_tries_them(person: Person) -> None:
    """The session runs these hooks: who typed the command in it trusts them."""
    person.install("--project")
    for words in ("doctor", "doctor --project ."):
        answer = answered(person, words)
        assert "put back: the typed rule stands in what the model is given" in answer
        assert "not tried" not in answer
        assert "README, Install" not in answer
        assert "`/compact-keeper-status-line` sets it" in answer


def test_a_projects_hooks_that_are_not_trusted_are_no_fault(person: Person) -> None:
    person.install("--project")
    copied = Person(person.home, person.project, person.home / "copied")
    shutil.copytree(person.project / ".claude" / OUR_FOLDER, copied.clone / "scripts")
    person.run("status-line", "--project")
    answer = copied.run("doctor")
    assert "not tried, its hooks are the project's own" in answer
    assert "not tried, it is the project's own" in answer
    command = f"python3 {copied.clone}/scripts/install.py doctor --project {person.project}"
    assert answer.count(f"Where you trust the project's files: {command}\n") == 2
    assert answer.count("or typed in a session there: /compact-keeper-doctor project\n") == 2
    assert "there are no hooks" not in answer


def test_the_status_line_of_a_projects_copies_is_the_projects(person: Person) -> None:
    person.install("--project")
    settings = person.project / ".claude" / "settings.json"
    assert str(settings) in answered(person, "status-line")
    assert "statusLine" in json.loads(settings.read_text(encoding="utf-8"))
    assert not person.settings.exists()
    assert str(settings) in answered(person, "status-line remove")
    assert "statusLine" not in json.loads(settings.read_text(encoding="utf-8"))
