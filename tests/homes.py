"""People with a home, a project and a clone of their own; install.py run for them; their folders, compared whole."""

from __future__ import annotations

import compileall
import json
import os
import re
import shutil
import stat
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

REPOSITORY = Path(__file__).resolve().parents[1]
OUR_FOLDER = "hooks/compact-keeper"
OWN_SETTINGS = '{\r\n    "model":  "opus",\r\n    "hooks": {"Stop": []}\r\n}'
TIMEOUT = 60  # seconds after which a process hangs
ODD_NAME = "it's \"so\" $HOME `id` \\ line\nbreak 🚢 %s {0}"  # of a folder: all that a shell may stumble over


class Person(NamedTuple):
    """A home, a project in it, and the clone that this person installs from."""

    home: Path
    project: Path
    clone: Path

    def run(self, *arguments: str, code: int = 0, before: str = "", **more: str) -> str:
        """What install.py printed, run from its bytecode; `before` is Python code that runs first in its process."""
        scripts = self.clone / "scripts"
        program = f"{before}\nimport sys\nsys.path[:0] = [{str(scripts)!r}]\nimport install\nsys.exit(install.main())"
        start = ["-c", program] if before else [str(scripts / "run_hook.py"), "install.py"]
        done = subprocess.run([sys.executable, "-IS", *start, *arguments], cwd=self.project, capture_output=True,
                              env={**self.environment(), **more}, encoding="utf-8", errors="replace", timeout=TIMEOUT)
        assert done.returncode == code, done.stdout + done.stderr
        assert "Traceback" not in done.stderr
        return done.stdout + done.stderr

    def install(self, *scope: str) -> None:
        """Installs the copies, beside which their bytecode lies as behind a first start: to compile takes a second."""
        self.run("install", *scope)
        copies = self.project / ".claude" / OUR_FOLDER if "--project" in scope else self.copies
        compileall.compile_dir(self.clone / "scripts", quiet=1)
        shutil.copytree(self.clone / "scripts" / "__pycache__", copies / "__pycache__")
        for script in copies.glob("*.py"):  # by its time Python knows of which file it is
            shutil.copystat(self.clone / "scripts" / script.name, script)

    def environment(self) -> dict[str, str]:
        """What this person's client gives to what it runs in the project."""
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        return {"PATH": path, "HOME": str(self.home), "CLAUDE_PROJECT_DIR": str(self.project),
                "CLAUDE_CODE_SESSION_ID": "s1", "COMPACT_KEEPER_WAIT": "1", "COMPACT_KEEPER_ARCHIVE": "off"}

    def in_shell(self, command: str, given: str, **more: str) -> subprocess.CompletedProcess[str]:
        """The command's process, started by the shell as the client does."""
        return subprocess.run(["sh", "-c", command], input=given, env={**self.environment(), **more},
                              capture_output=True, encoding="utf-8", cwd=self.project, timeout=TIMEOUT)

    @property
    def settings(self) -> Path:
        return self.home / ".claude" / "settings.json"

    @property
    def copies(self) -> Path:
        return self.home / ".claude" / OUR_FOLDER

    def write_settings(self, text: str) -> None:
        self.settings.parent.mkdir(exist_ok=True)
        self.settings.write_bytes(text.encode("utf-8", "surrogatepass"))


def clone_in(folder: Path) -> Path:
    """The repository as it is now, with its bytecode: nobody's work on it comes in between two runs."""
    for name in ("scripts", "skills", "hooks", ".claude-plugin"):
        shutil.copytree(REPOSITORY / name, folder / name, ignore=shutil.ignore_patterns("*.pyc.*"))  # being written
    return folder


def played_once(folder: Path) -> Path:
    """The same, whose doctor plays the session once; that it measures five times is e2e's."""
    clone = clone_in(folder)
    install = clone / "scripts" / "install.py"
    text = install.read_text(encoding="utf-8")
    assert text.count("\nPLAYS = 5 ") == 1
    install.write_text(text.replace("\nPLAYS = 5 ", "\nPLAYS = 1 "), encoding="utf-8")
    return clone


def person_in(folder: Path, clone: Path) -> Person:
    """A person whose home is empty but for a project's folder."""
    person = Person(folder / "home", folder / "home" / "parcel-rates", clone)
    person.project.mkdir(parents=True)
    return person


def tree(folder: Path) -> dict[str, object]:
    """All that lies below the folder: content and mode of each file, target of each link."""
    everything: dict[str, object] = {}
    for path in sorted(folder.rglob("*")):
        about = path.lstat()
        content = os.readlink(path) if path.is_symlink() else path.read_bytes() if path.is_file() else about.st_mode
        everything[str(path.relative_to(folder))] = (stat.S_IMODE(about.st_mode), content)
    return everything


def files(folder: Path) -> dict[str, object]:
    """The same without folders and bytecode."""
    return {name: content for name, content in tree(folder).items()
            if not (folder / name).is_dir() and "__pycache__" not in name}


def hook_commands(settings: Path) -> list[tuple[str, str]]:
    """Event and command of all hooks in a settings file or in hooks.json."""
    events = json.loads(settings.read_text(encoding="utf-8"))["hooks"]
    return [(event, entry["command"]) for event, groups in events.items() for group in groups
            for entry in group["hooks"]]


def script_of(command: str) -> str:
    """The script that a hook's command starts, without its ending."""
    [name] = re.findall(r"\brun['\"]? (\w+)", command)
    return str(name)


def plugin_is_installed(person: Person, enabled: bool = True, folder: Path | None = None) -> None:
    """What `claude plugin install` leaves (2.1.76 and 2.1.329 alike)."""
    place = {"scope": "user", "installPath": str(folder or person.home / "cache/0.3.0"), "version": "0.3.0"}
    other = {"scope": "project", "installPath": "/x", "version": "0.1.0", "projectPath": "/somewhere/else"}
    plugins = person.home / ".claude/plugins/installed_plugins.json"
    plugins.parent.mkdir(parents=True, exist_ok=True)
    plugins.write_text(json.dumps(
        {"version": 2, "plugins": {"compact-keeper@market": [place, other], "other@market": [place]}}))
    person.write_settings(json.dumps({"enabledPlugins": {"compact-keeper@market": enabled}}))


def plugin_from_folder(person: Person, folder: Path, cached: Path) -> None:
    """What `claude plugin marketplace add FOLDER` and `install` leave (2.1.76 to 2.1.330 alike)."""
    plugin_is_installed(person, folder=cached)
    source = {"source": "directory", "path": str(folder)}
    write(person.home / ".claude/plugins/known_marketplaces.json",
          json.dumps({"market": {"source": source, "installLocation": str(folder)}}))


def write(path: Path, text: str, mode: int = 0o600) -> None:
    """Writes a file, its folders made where missing."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    path.write_text(text, encoding="utf-8")
    path.chmod(mode)
