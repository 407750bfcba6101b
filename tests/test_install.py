"""install.py in homes and projects of its own, each run as a real process; what it must not touch is compared whole."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from compact_keeper.setup import edit_settings as setup_edit_settings

REPOSITORY = Path(__file__).resolve().parents[1]
OUR_FOLDER = "hooks/compact-keeper"
ODD_NAMES = ["a b", "it's", 'say "so"', "$HOME `id` \\", "line\nbreak", "🚢 überraschend", "-n", "%s {0}"]
OWN_SETTINGS = '{\r\n    "model":  "opus",\r\n    "hooks": {"Stop": []}\r\n}'
TIMEOUT = 60  # seconds


class Person(NamedTuple):
    """A home, a project in it, and the clone that this person installs from."""

    home: Path
    project: Path
    clone: Path

    def run(self, *arguments: str, code: int = 0, before: str = "", **more: str) -> str:
        """What install.py printed; `before` is Python code that runs first in its process."""
        scripts = self.clone / "scripts"
        program = f"{before}\nimport sys\nsys.path[0] = {str(scripts)!r}\nimport install\nsys.exit(install.main())"
        start = [sys.executable, *(["-c", program] if before else [str(scripts / "install.py")])]
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        environment = {"PATH": path, "HOME": str(self.home), **more}
        done = subprocess.run([*start, *arguments], cwd=self.project, env=environment, capture_output=True,
                              encoding="utf-8", errors="replace", timeout=TIMEOUT)
        assert done.returncode == code, done.stdout + done.stderr
        assert "Traceback" not in done.stderr
        return done.stdout + done.stderr

    @property
    def settings(self) -> Path:
        return self.home / ".claude" / "settings.json"

    def write_settings(self, text: str) -> None:
        self.settings.parent.mkdir(exist_ok=True)
        self.settings.write_bytes(text.encode("utf-8", "surrogatepass"))

    def commands(self) -> list[str]:
        """The commands of all hooks in the user's settings."""
        events = json.loads(self.settings.read_text(encoding="utf-8"))["hooks"].values()
        return [entry["command"] for groups in events for group in groups for entry in group["hooks"]]


def clone_in(folder: Path) -> Path:
    """The repository as it is now: nobody's work on it comes in between two runs."""
    for name in ("scripts", "skills", "hooks", ".claude-plugin"):
        shutil.copytree(REPOSITORY / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return clone_in(tmp_path_factory.mktemp("clone"))


@pytest.fixture
def person(tmp_path: Path, clone: Path) -> Person:
    return made(tmp_path, clone)


def made(folder: Path, clone: Path) -> Person:
    """A person whose home is empty but for a project's folder."""
    one = Person(folder / "home", folder / "home" / "parcel-rates", clone)
    one.project.mkdir(parents=True)
    return one


def tree(folder: Path) -> dict[str, object]:
    """All that lies below the folder: content and mode of each file, target of each link."""
    found: dict[str, object] = {}
    for path in sorted(folder.rglob("*")):
        about = path.lstat()
        content = os.readlink(path) if path.is_symlink() else path.read_bytes() if path.is_file() else about.st_mode
        found[str(path.relative_to(folder))] = (stat.S_IMODE(about.st_mode), content)
    return found


def files(folder: Path) -> dict[str, object]:
    """The same without folders."""
    return {name: told for name, told in tree(folder).items() if not (folder / name).is_dir()}


# What is refused: nothing is changed then ---------------------------------------------------------


BROKEN = {
    "broken": ('{\n  "model": "opus",\n  "hooks": {\n}\n', "line 5, column 1"),
    "empty": ("", "line 1, column 1: Expecting value: (an empty line)"),
    "list": ("[]", "the whole is not an object"),
    "hooks-list": ('{"hooks": [1]}', '"hooks" is not an object'),
    "event-twice": ('{"hooks": {"Stop": [],\n"Stop": []}}', 'line 2, column 1: "Stop" stands here a second time'),
    "surrogate": ('{"a": "\ud800"}', "is not in UTF-8 (byte 7)"),
    "deep": ('{"a": ' + "[" * 100_000, "nested too deep"),
}


@pytest.mark.parametrize("command", ["install", "uninstall"])
@pytest.mark.parametrize(("text", "told"), BROKEN.values(), ids=BROKEN)
def test_settings_that_cannot_be_edited_are_refused_and_named(
        person: Person, command: str, text: str, told: str) -> None:
    person.write_settings(text)
    before = tree(person.home)
    complaint = person.run(command, code=1)
    assert told in complaint
    assert str(person.settings) in complaint
    assert tree(person.home) == before


def _socket(path: Path) -> None:
    here = os.getcwd()
    os.chdir(path.parent)  # a socket's path may have 108 bytes only
    try:
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(path.name)
    finally:
        os.chdir(here)


@pytest.mark.parametrize("put", [os.mkfifo, Path.mkdir, _socket, lambda path: path.symlink_to("/dev/zero"),
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
    (person.home / name).parent.mkdir(parents=True, exist_ok=True)
    (person.home / name).write_text("mine")
    complaint = person.run("install", code=1)
    assert complaint.count("\n") == 1
    assert name in complaint
    assert not person.settings.exists()


def test_a_folder_that_cannot_be_written_is_named(person: Person) -> None:
    if os.geteuid() == 0:
        pytest.skip("root writes everywhere")
    person.settings.parent.mkdir(mode=0o500)
    assert str(person.settings.parent) in person.run("install", code=1)


@pytest.mark.parametrize("name", [OUR_FOLDER, f"{OUR_FOLDER}/run_hook.py", "skills/compact-keeper-recall"])
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


def test_a_file_that_somebody_changed_is_not_written_over(person: Person) -> None:
    person.run("install")
    changed = person.home / ".claude" / OUR_FOLDER / "recall.py"
    changed.write_text("mine")
    assert f"{changed} was not installed so, or was changed since" in person.run("install", code=1)
    assert changed.read_text() == "mine"


def test_a_manifest_of_a_strange_repository_removes_nothing_of_others(person: Person) -> None:
    victim = person.home / "thesis.txt"
    victim.write_text("years of work")
    manifest = person.project / ".claude" / OUR_FOLDER / "installed.json"
    manifest.parent.mkdir(parents=True)
    size = edit_size(victim)
    names = ["../../thesis.txt", str(victim), f"{OUR_FOLDER}/../../../../thesis.txt", "settings.json"]
    manifest.write_text(json.dumps({"schema": 1, "files": dict.fromkeys(names, size), "folders": ["../..", "."]}))
    person.run("uninstall", "--project")
    assert victim.read_text() == "years of work"
    assert person.project.is_dir()


def edit_size(path: Path) -> list[int]:
    import install

    return install.sums(path.read_bytes())


def test_a_home_that_is_not_in_utf8_is_told_of(tmp_path: Path, clone: Path) -> None:
    person = made(Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff")), clone)
    assert "a path is not in UTF-8" in person.run("install", code=1)
    assert files(person.home) == {}
    person.run("install", "--project")


@pytest.mark.parametrize("manifest", ["", "[]", "null", '{"schema": 1}', '{"schema": 1, "files": [1], "folders": "x"}',
                                      '{"schema": 1, "files": {"hooks/compact-keeper/recall.py": null}}', "{" * 50_000])
def test_a_broken_manifest_stops_nothing_and_loses_nothing(person: Person, manifest: str) -> None:
    person.write_settings(OWN_SETTINGS)
    person.run("install")
    (person.home / ".claude" / OUR_FOLDER / "installed.json").write_text(manifest)
    assert "installed for this user" in person.run("install")
    person.run("uninstall")
    assert person.settings.read_bytes().decode() == OWN_SETTINGS
    assert not (person.home / ".claude" / OUR_FOLDER).exists()


def test_a_manifest_of_a_later_version_is_left_alone(person: Person) -> None:
    person.run("install")
    manifest = person.home / ".claude" / OUR_FOLDER / "installed.json"
    manifest.write_text('{"schema": 99}')
    before = tree(person.home)
    assert "has schema 99" in person.run("uninstall", code=1)
    assert tree(person.home) == before


def test_the_users_own_folder_is_no_project(person: Person) -> None:
    assert "use --user" in person.run("install", "--project", str(person.home), code=1)
    assert "is no folder" in person.run("install", "--project", str(person.home / "gone"), code=1)


def test_copies_cannot_be_copied_on(person: Person) -> None:
    person.run("install")
    copy = person.home / ".claude" / OUR_FOLDER / "install.py"
    done = subprocess.run([sys.executable, str(copy), "install", "--project"], cwd=person.project, capture_output=True,
                          text=True, env={"HOME": str(person.home)})
    assert (done.returncode, "run install.py of a clone or of the plugin" in done.stderr) == (1, True)


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
    assert steps > 20


def test_an_installation_killed_anywhere_works_and_goes_on(person: Person) -> None:
    person.write_settings(OWN_SETTINGS)
    for _ in killed_runs(person, "install"):
        text = person.settings.read_bytes().decode()
        assert text == OWN_SETTINGS or all_hooks_run(person)
        assert setup_edit_settings.without_ours(text) == OWN_SETTINGS
    assert "up to date" in person.run("install")
    person.run("uninstall")
    assert files(person.home) == {".claude/settings.json": (0o644, OWN_SETTINGS.encode())}


@pytest.mark.parametrize("steps", [0, 1, 5, 20, 30])
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


def all_hooks_run(person: Person) -> bool:
    """Whether every hook's scripts are there."""
    words = [word for command in person.commands() if OUR_FOLDER in command for word in shlex.split(command)]
    paths = [Path(word) for word in words if word.endswith("run_hook.py")]
    names = {word for word in words if word.endswith(".py") and "/" not in word}
    return bool(paths) and all((path.parent / name).is_file() for path in paths for name in (path.name, *names))


def test_an_update_killed_anywhere_goes_on(person: Person) -> None:
    person.run("install")
    as_older_version(person)
    for _ in killed_runs(person, "install"):
        assert all_hooks_run(person)
    assert "up to date" in person.run("install")
    assert not (person.home / ".claude" / OUR_FOLDER / "of_old.py").exists()


def as_older_version(person: Person) -> None:
    """Makes of what is installed an older version: other contents, a script and a hook that are no more."""
    import install

    folder = person.home / ".claude" / OUR_FOLDER
    manifest = json.loads((folder / "installed.json").read_text())
    (folder / "of_old.py").write_text("# gone")
    for script in folder.glob("*.py"):
        script.write_text(script.read_text(encoding="utf-8") + "# of old\n", encoding="utf-8")
        manifest["files"][f"{OUR_FOLDER}/{script.name}"] = install.sums(script.read_bytes())
    (folder / "installed.json").write_text(json.dumps({**manifest, "version": "0.1.0"}))
    settings = json.loads(person.settings.read_text())
    settings["hooks"]["Notification"] = [{"hooks": [{"type": "command", "command": f"python3 {folder}/of_old.py"}]}]
    person.settings.write_text(json.dumps(settings, indent=2))


# What people do --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ODD_NAMES)
@pytest.mark.parametrize("scope", ["--user", "--project"])
def test_every_hook_runs_wherever_it_is_installed(tmp_path: Path, clone: Path, name: str, scope: str) -> None:
    person = made(tmp_path / name, clone)
    before = tree(person.home)
    person.run("install", scope)
    settings = person.settings if scope == "--user" else person.project / ".claude" / "settings.json"
    environment = {"PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
                   "HOME": str(person.home), "CLAUDE_PROJECT_DIR": str(person.project), "COMPACT_KEEPER_ARCHIVE": "off"}
    event = {"session_id": "s1", "hook_event_name": "UserPromptSubmit", "prompt": "Never push.", "cwd": str(tmp_path)}
    for entry in json.loads(settings.read_text())["hooks"]["UserPromptSubmit"][0]["hooks"]:
        done = subprocess.run(["sh", "-c", entry["command"]], input=json.dumps(event), env=environment, text=True,
                              capture_output=True, cwd=tmp_path, timeout=TIMEOUT)
        assert (done.returncode, done.stderr) == (0, "")
    assert "Never push." in (person.home / ".claude/compact-keeper/sessions/s1/ledger.jsonl").read_text()
    person.run("uninstall", scope, "--data")
    assert {k: v for k, v in tree(person.home).items() if k != ".claude"} == before


def test_hooks_are_those_of_the_plugin(person: Person) -> None:
    person.run("install", "--project")
    text = (person.clone / "hooks/hooks.json").read_text(encoding="utf-8")
    own = text.replace("${CLAUDE_PLUGIN_ROOT}/scripts/", "$CLAUDE_PROJECT_DIR/.claude/hooks/compact-keeper/")
    settings = json.loads((person.project / ".claude/settings.json").read_text())
    assert settings == {"hooks": json.loads(own)["hooks"]}


def test_scripts_and_skills_are_those_of_the_plugin(person: Person) -> None:
    person.run("install")
    copies = person.home / ".claude" / OUR_FOLDER
    assert {path.name for path in copies.glob("*.py")} == {
        path.name for path in (person.clone / "scripts").glob("*.py")}
    for skill in (person.clone / "skills").iterdir():
        text = (person.home / f".claude/skills/compact-keeper-{skill.name}/SKILL.md").read_text(encoding="utf-8")
        assert "CLAUDE_PLUGIN_ROOT" not in text
        assert text.count("${CLAUDE_SKILL_DIR}/../../hooks/compact-keeper/") == (
            skill / "SKILL.md").read_text(encoding="utf-8").count("${CLAUDE_PLUGIN_ROOT}/scripts/")
    for copy in (person.home / ".claude").rglob("*.[pm][yd]"):
        assert "/compact-keeper:re" not in copy.read_text(encoding="utf-8")


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


def test_settings_of_five_megabytes(person: Person) -> None:
    person.write_settings(json.dumps({f"key {number}": ["x" * 40] * 10 for number in range(11_000)}, indent=2))
    before = tree(person.home)
    begun = time.monotonic()
    person.run("install")
    person.run("uninstall")
    assert time.monotonic() - begun < 30
    assert tree(person.home) == before


def test_a_second_run_changes_nothing_and_says_so(person: Person) -> None:
    person.write_settings(OWN_SETTINGS)
    person.run("install")
    before = tree(person.home)
    assert "up to date" in person.run("install")
    assert tree(person.home) == before


def test_what_was_written_into_the_settings_since_stays(person: Person) -> None:
    person.write_settings(OWN_SETTINGS)
    person.run("install")
    person.write_settings(person.settings.read_bytes().decode().replace('"opus"', '"sonnet"'))
    person.run("install")
    person.run("uninstall")
    assert person.settings.read_bytes().decode() == OWN_SETTINGS.replace('"opus"', '"sonnet"')


def test_a_newer_version_replaces_the_older(person: Person) -> None:
    person.write_settings(OWN_SETTINGS)
    before = tree(person.home)
    person.run("install")
    new = {name: told for name, told in tree(person.home).items() if not name.endswith("installed.json")}
    as_older_version(person)
    stop = json.loads(person.settings.read_text())["hooks"]["Stop"]
    person.write_settings(OWN_SETTINGS.replace("[]", json.dumps(stop)))
    assert "installed for this user" in person.run("install")
    assert new.items() <= tree(person.home).items()
    person.run("uninstall")
    assert tree(person.home) == before


def test_what_is_not_a_hook_and_names_our_folder_is_told(person: Person) -> None:
    text = json.dumps({"statusLine": {"type": "command", "command": "~/.claude/hooks/compact-keeper/status_line.py"}})
    person.write_settings(text)
    person.run("install")
    assert f"{person.settings} names hooks/compact-keeper still" in person.run("uninstall")
    assert person.settings.read_text() == text


def test_bytecode_of_a_projects_copies_stays_out_of_its_repository(person: Person) -> None:
    person.run("install", "--project")
    subprocess.run(["git", "init", "--quiet"], cwd=person.project, check=True)
    copy = person.project / ".claude" / OUR_FOLDER / "install.py"
    subprocess.run([sys.executable, str(copy), "status"], check=True, stdout=subprocess.DEVNULL,
                   env={"HOME": str(person.home)})
    assert (copy.parent / "__pycache__").is_dir()
    listed = subprocess.run(["git", "status", "--porcelain", "-uall"], cwd=person.project, check=True,
                            capture_output=True, text=True).stdout
    assert "install.py" in listed
    assert "__pycache__" not in listed


def test_a_changed_file_and_foreign_files_stay_when_it_is_removed(person: Person) -> None:
    person.run("install")
    folder = person.home / ".claude" / OUR_FOLDER
    (folder / "recall.py").write_text("mine")
    (folder / "notes.txt").write_text("mine too")
    assert f"kept, as it was changed since: {folder / 'recall.py'}" in person.run("uninstall")
    assert {path.name for path in folder.iterdir()} == {"recall.py", "notes.txt"}
    assert not person.settings.exists()


@pytest.mark.parametrize("command", [["install"], ["install", "--project"], ["uninstall", "--data"], ["instructions"],
                                     ["instructions", "--remove"]])
def test_a_dry_run_changes_nothing_and_shows_the_difference(person: Person, command: list[str]) -> None:
    person.write_settings(OWN_SETTINGS)
    if command[0] == "uninstall":
        person.run("install")
        (person.home / ".claude/compact-keeper/sessions").mkdir(parents=True)
    if command[-1] == "--remove":
        person.run("instructions")
    before = tree(person.home)
    told = person.run(*command, "--dry-run")
    assert tree(person.home) == before
    sign, mark = ("-", "would remove") if command[-1] in ("--data", "--remove") else ("+", "would write")
    assert mark in told
    assert f"\n    {sign}" in told


def test_data_go_only_when_asked_for_and_nothing_of_others_with_them(person: Person) -> None:
    data = person.home / ".claude" / "compact-keeper"
    (data / "sessions" / "s1").mkdir(parents=True)
    for name in ("sessions/s1/memory.json", "events.jsonl", "archive.db", "archive.db-wal", "hook.log", "mine.txt"):
        (data / name).write_text("x")
    person.run("install")
    assert f"stays in {data}" in person.run("uninstall")
    assert (data / "sessions/s1/memory.json").exists()
    assert "mine.txt" in person.run("uninstall", "--data")
    assert os.listdir(data) == ["mine.txt"]
    (data / "mine.txt").unlink()
    person.run("uninstall", "--data")
    assert not data.exists()


# Status ---------------------------------------------------------------------------------------------


def plugin_is_installed(person: Person, enabled: bool = True) -> None:
    """What `claude plugin install` leaves (2.1.76 and 2.1.329 alike)."""
    place = {"scope": "user", "installPath": str(person.home / "cache/0.3.0"), "version": "0.3.0"}
    other = {"scope": "project", "installPath": "/x", "version": "0.1.0", "projectPath": "/somewhere/else"}
    (person.home / ".claude/plugins").mkdir(parents=True)
    (person.home / ".claude/plugins/installed_plugins.json").write_text(json.dumps(
        {"version": 2, "plugins": {"compact-keeper@market": [place, other], "other@market": [place]}}))
    person.write_settings(json.dumps({"enabledPlugins": {"compact-keeper@market": enabled}}))


def test_status_of_nothing(person: Person) -> None:
    told = person.run("status")
    assert "nothing; " in told
    assert told.count("never") == 2


@pytest.mark.parametrize("path", ["settings.json", "plugins/installed_plugins.json", "compact-keeper/events.jsonl"])
@pytest.mark.parametrize("text", ["", "{", "[]", '{"plugins": 7, "hooks": {"Stop": [7, {"hooks": [7]}]}}', "\0" * 99,
                                  '{"plugins": {"compact-keeper@m": [7]}, "hooks": 7, "enabledPlugins": []}'])
def test_status_of_broken_files(person: Person, path: str, text: str) -> None:
    place = person.home / ".claude" / path
    place.parent.mkdir(parents=True)
    place.write_text(text)
    assert "nothing; " in person.run("status")


def test_status_names_every_copy_and_warns_of_two(person: Person) -> None:
    plugin_is_installed(person)
    assert "0.3.0" in person.run("status")
    told = person.run("install", "--project")
    assert "Installed 2 times" in told
    assert "claude plugin uninstall compact-keeper@market" in told
    assert f"uninstall --project {person.project}" in told
    (person.project / ".claude/settings.local.json").write_text(json.dumps({"hooks": {"Stop": [{"hooks": [
        {"type": "command", "command": 'python3 "$CLAUDE_PROJECT_DIR/.claude/hooks/save_snapshot.py"'}]}]}}))
    assert "Installed 3 times" in person.run("status")
    assert "copied by hand" in person.run("status")


def test_removal_names_what_is_still_installed(person: Person) -> None:
    plugin_is_installed(person)
    person.run("install")
    told = person.run("uninstall")
    assert "Still installed: plugin compact-keeper@market (user). To remove it: claude plugin uninstall" in told
    assert "copied" not in told


def test_a_plugin_that_is_switched_off_counts_not(person: Person) -> None:
    plugin_is_installed(person, enabled=False)
    assert "switched off" in person.run("status")
    assert "times" not in person.run("install")


def test_status_tells_of_the_last_save_and_restore(person: Person) -> None:
    data = person.home / ".claude" / "compact-keeper"
    data.mkdir(parents=True)
    now = time.time()
    events = [{"schema": 1, "time": now - 9_000, "event": "save", "session": "old"},
              {"schema": 1, "time": now - 300, "event": "save", "session": "new"},
              {"schema": 1, "time": now - 200_000, "event": "restore", "session": "\x1b[31mred"},
              {"schema": 2, "time": now, "event": "save", "session": "later"}]
    (data / "events.jsonl").write_text("\n".join(map(json.dumps, events)) + '\n{"torn')
    told = person.run("status")
    assert "Last save: 5 minutes ago, session new" in told
    assert "Last put back: 2 days ago, session red" in told
    assert f"Data: {data}, 0.0 MB" in told


# The status line ----------------------------------------------------------------------------------

MINE = ('{\r\n\t"statusLine" : {"command":"printf \\u0027%s\\n mine' + "' \\\"it's\\\"\""
        ',  "type":"command", "padding": 0}}')
EVENT = json.dumps({"session_id": "s1", "context_window": {"context_window_size": 200_000, "current_usage": {
    "input_tokens": 83_500, "output_tokens": 0}}})


def drawn(person: Person, settings: Path, **more: str) -> str:
    """What the client gets from the status line's command, in a folder that tries to be run in its place."""
    (person.project / "__main__.py").write_text("print('a stranger')")
    command = json.loads(settings.read_text(encoding="utf-8"))["statusLine"]["command"]
    environment = {"PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]), **more,
                   "HOME": str(person.home), "CLAUDE_PROJECT_DIR": str(person.project), "NO_COLOR": "1"}
    return subprocess.run(["sh", "-c", command], input=EVENT, env=environment, capture_output=True, encoding="utf-8",
                          cwd=person.project, timeout=TIMEOUT).stdout


@pytest.mark.parametrize("command", [["status-line"], ["status-line", "--remove"], ["status-line", "--dry-run"]])
@pytest.mark.parametrize(("text", "told"), [*BROKEN.values(), ('{"statusLine": {}}', '"statusLine" is not of type'),
                                            ('{"statusLine": null}', '"statusLine" is not an object')])
def test_settings_in_which_no_status_line_can_be_set_are_refused_and_named(
        person: Person, command: list[str], text: str, told: str) -> None:
    person.write_settings(text)
    before = tree(person.home)
    if "statusLine" in text and "--remove" in command:
        assert "has no status line of compact-keeper's" in person.run(*command)
    else:
        complaint = person.run(*command, code=1)
        assert told in complaint
        assert str(person.settings) in complaint
    assert tree(person.home) == before


@pytest.mark.parametrize("text", [None, "{}", "\ufeff{ }\n", OWN_SETTINGS, MINE])
@pytest.mark.parametrize("steps", [
    ["status-line", "status-line --remove"], ["status-line", "uninstall"],
    ["install", "status-line", "uninstall"], ["status-line", "install", "status-line", "uninstall"],
    ["status-line", "install", "uninstall"], ["install", "status-line", "status-line --remove", "uninstall"],
    ["status-line", "install", "status-line --remove", "install", "uninstall"], ["uninstall", "status-line --remove"]])
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
    assert "is set in" in person.run("status-line")
    before = tree(person.home)
    assert "is as it should be in" in person.run("status-line")
    assert tree(person.home) == before
    assert "nothing was changed" in person.run("status-line", "--dry-run", "--remove")
    assert "nothing was changed" in person.run("install", "--dry-run")
    assert tree(person.home) == before
    assert "went out of" in person.run("status-line", "--remove")
    assert "has no status line" in person.run("status-line", "--remove")


def test_a_dry_run_shows_the_command_and_changes_nothing(person: Person) -> None:
    person.write_settings(MINE)
    before = tree(person.home)
    told = person.run("status-line", "--dry-run")
    assert tree(person.home) == before
    assert "\n    -\t\"statusLine\"" in told
    assert "status_line.py --wrap" in told


@pytest.mark.parametrize("name", ODD_NAMES)
@pytest.mark.parametrize("scope", ["--user", "--project"])
def test_ours_is_drawn_behind_theirs_wherever_it_is_installed(
        tmp_path: Path, clone: Path, name: str, scope: str) -> None:
    person = made(tmp_path / name, clone)
    settings = person.settings if scope == "--user" else person.project / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text(MINE)
    person.run("install", scope)
    person.run("status-line", scope)
    assert drawn(person, settings).startswith("it's\n mine\n██████████")
    assert "ctx 50%" in drawn(person, settings)
    assert OUR_FOLDER in settings.read_text(encoding="utf-8").partition('"hooks"')[0]


def test_a_clone_alone_draws_it(person: Person) -> None:
    person.run("status-line")
    assert "ctx 50%" in drawn(person, person.settings)
    assert str(person.clone) in person.settings.read_text()


def version_comes(person: Person, version: str, home: Path | None = None) -> Path:
    """Puts a version of the plugin where the client does, and marks the one before as the client does at an update."""
    place = (home or person.home) / ".claude/plugins/cache/my market/compact-keeper" / version
    for one in place.parent.glob("*"):
        (one / ".orphaned_at").write_text("")
    shutil.copytree(person.clone / "scripts", place / "scripts", copy_function=shutil.copyfile)
    (place / "scripts/status_line.py").write_text(f"def main(argv):\n    print('of {version}', *argv)\n    return 0\n")
    for one in place.parent.glob("*"):
        if one != place:
            os.utime(one / "scripts" / "run_hook.py", (time.time() - 60,) * 2)
            os.utime(one, (time.time() + 60,) * 2)
    installed = place.parents[3] / "installed_plugins.json"
    installed.write_text(json.dumps({"plugins": {"compact-keeper@my market": [
        {"scope": "user", "installPath": str(place), "version": version}]}}))
    return place


@pytest.mark.parametrize("config", [".claude", "it's elsewhere/.claude"])
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
    theirs.parent.mkdir()
    theirs.write_text('{"statusLine": 7}')
    assert f"Status line: another is set in {theirs}; `python3 " in person.run("status")


@pytest.mark.parametrize(("version", "told"), [
    ("0.0.9", True), ("0.4", True), ("99.0.0", False), ("?", False), ("0.0.x", False), ("", False)])
def test_status_tells_of_a_copy_of_an_older_version(person: Person, version: str, told: bool) -> None:
    person.run("install", "--project")
    assert "these scripts are" not in person.run("status")
    manifest = person.project / ".claude" / OUR_FOLDER / "installed.json"
    manifest.write_text(json.dumps({**json.loads(manifest.read_text()), "version": version}))
    lines = person.run("status")
    assert ("these scripts are" in lines) == told
    assert (f"install.py install --project {person.project}" in lines) == told
    person.run("install", "--project")
    assert "these scripts are" not in person.run("status")


# Instructions -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", [
    None, "", "\n", "# Rules", "# Rules\n", "# Rules\r\n\r\nTabs.\r\n", "a\r\nb", "\n\n\n", "\ufeff# \udcff\n"])
def test_the_section_comes_and_goes_and_the_rest_stays(person: Person, text: str | None) -> None:
    path, content = person.project / "CLAUDE.md", (text or "").encode("utf-8", "surrogateescape")
    if text is not None:
        path.write_bytes(content)
    person.run("instructions")
    written = path.read_bytes()
    assert written.startswith(content)
    assert b"## Compact Instructions" in written
    assert written.count(b"\n") == written.count(b"\r\n") or b"\r\n" not in content
    assert "as it should be" in person.run("instructions")
    path.write_bytes(written.replace(b"Compact Instructions", b"Of Old"))
    person.run("instructions")
    assert path.read_bytes() == written
    person.run("instructions", "--remove")
    assert (path.read_bytes() if path.exists() else None) == (None if text is None else content)
    person.run("instructions", "--remove")


def test_what_was_written_behind_the_section_stays(person: Person) -> None:
    path = person.project / "CLAUDE.md"
    path.write_text("# Rules\n")
    person.run("instructions")
    path.write_text(path.read_text() + "\nMore.\n")
    person.run("instructions", "--remove")
    assert path.read_text() == "# Rules\n\nMore.\n"


def test_a_linked_file_is_written_through(person: Person) -> None:
    (person.project / "AGENTS.md").write_text("# Rules\n")
    (person.project / "CLAUDE.md").symlink_to("AGENTS.md")
    person.run("instructions")
    assert "## Compact Instructions" in (person.project / "AGENTS.md").read_text()
    assert (person.project / "CLAUDE.md").is_symlink()


@pytest.mark.parametrize("text", ["{0}\n{0}\n{1}", "{1}\n{0}", "{0}", "x {1}", "{0}{1}{0}{1}"])
def test_marks_that_are_no_pair_are_refused(person: Person, text: str) -> None:
    path = person.project / "CLAUDE.md"
    path.write_text(text.format("<!-- compact-keeper:begin -->", "<!-- compact-keeper:end -->"))
    before = tree(person.home)
    for arguments in ([], ["--remove"]):
        assert f"{path}: the marks" in person.run("instructions", *arguments, code=1)
    assert tree(person.home) == before


# The command line ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("arguments", [[], ["instal"], ["install", "--user", "--project"], ["status", "--dry-run"]])
def test_wrong_usage(person: Person, arguments: list[str]) -> None:
    person.run(*arguments, code=2)


def test_help_is_one_page_that_names_every_command(person: Person) -> None:
    told = person.run("--help")
    assert told.count("\n") < 40
    for command in ("install", "uninstall", "status-line", "status", "instructions", "doctor", "--dry-run", "--data",
                    "--remove"):
        assert command in told
