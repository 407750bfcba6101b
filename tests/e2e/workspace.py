"""A scratch home and a scratch project in which the real client runs.

A workspace is a temporary folder with a home, a project (a real git repository) and a
folder for temporary files; leaving the context removes it.  The plugin comes into it by one
of INSTALLS, each a way that the README names.  Nothing of the developer's own environment
reaches the client: neither settings, nor a key, nor the variables of a running session.
"""

from __future__ import annotations

import ast
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from scripted_api import ScriptedApi

REPOSITORY = Path(__file__).resolve().parents[2]
PLUGIN = "compact-keeper"
TOOLS = "Bash,Read,Write,Edit,TodoWrite,ToolSearch,TaskCreate,TaskUpdate,Task,Agent"
RUN_TIMEOUT, SETTLE_TIMEOUT = 120, 30
# A mid-sized window, so that one answer which reports 190,000 tokens sets off a compaction.
COMPACT_WINDOW = "100000"
QUIET = {
    "DISABLE_AUTOUPDATER": "1",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_TELEMETRY": "1",
    "DISABLE_ERROR_REPORTING": "1",
    "npm_config_update_notifier": "false",
    "GIT_CONFIG_NOSYSTEM": "1",
}


class Run(NamedTuple):
    """One finished process of the client."""

    code: int
    stdout: str
    stderr: str


class Workspace:
    """The folders of one scratch user, and the runs of the client in them; a context manager."""

    def __init__(self, program: Path, files: Mapping[str, str]) -> None:
        self.program = program
        self.root = Path(tempfile.mkdtemp(prefix="compact-keeper-"))
        self.home = self.root / "home"
        self.project = self.root / "parcel-rates"
        self.plugin_options: list[str] = []
        for folder in (self.home, self.project, self.root / "tmp"):
            folder.mkdir()
        for path, text in files.items():
            write(self.project / path, text)
        self.git("init", "--quiet", "--initial-branch=main")
        self.git("config", "user.name", "Dev")
        self.git("config", "user.email", "dev@example.com")
        self.commit("The calculator as it was")

    def __enter__(self) -> Workspace:
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self.root, ignore_errors=True)

    @property
    def data(self) -> Path:
        """The folder in which compact-keeper keeps what it knows."""
        return self.home / ".claude" / PLUGIN

    def git(self, *arguments: str) -> None:
        """Runs git in the project."""
        subprocess.run(["git", *arguments], cwd=self.project, env=self.environment(), check=True,
                       capture_output=True)

    def commit(self, message: str) -> None:
        """Commits whatever changed in the project."""
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", f"--message={message}")

    def environment(self) -> dict[str, str]:
        """The client's environment, built from nothing but PATH; this Python comes first in it."""
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
        return {**QUIET, "PATH": path, "HOME": str(self.home), "TMPDIR": str(self.root / "tmp"),
                "CLAUDE_CODE_TMPDIR": str(self.root / "tmp"), "LANG": "C.UTF-8"}

    def claude(self, *arguments: str, extra: Mapping[str, str] | None = None) -> Run:
        """One run of the client with these arguments."""
        done = subprocess.run([str(self.program), *arguments], cwd=self.project, stdin=subprocess.DEVNULL,
                              env={**self.environment(), **(extra or {})}, capture_output=True,
                              encoding="utf-8", errors="replace", timeout=RUN_TIMEOUT)
        self.settle()
        return Run(done.returncode, done.stdout, done.stderr)

    def settle(self) -> None:
        """Waits until what ends of turns and prompts have started is done: nobody else waits for it."""
        until = time.monotonic() + SETTLE_TIMEOUT
        while self.is_at_work() and time.monotonic() < until:
            time.sleep(0.01)

    def is_at_work(self) -> bool:
        """Whether a process of this workspace's hooks saves or keeps a prompt, by the system's list."""
        home = f"HOME={self.home}".encode()
        for process in Path("/proc").glob("[0-9]*"):
            try:
                words = (process / "cmdline").read_bytes()
                is_ours = b"save_snapshot" in words or b"answer_prompt" in words
                if is_ours and home in (process / "environ").read_bytes().split(b"\0"):
                    return True
            except OSError:  # it has ended, or is another's
                continue
        return False

    def prompt(self, api: ScriptedApi, words: str, start: Sequence[str]) -> Run:
        """One `claude -p` run against the scripted API, of a session that begins or goes on as `start` says."""
        return self.claude(
            "-p", words, *start, "--output-format", "stream-json", "--verbose", "--allowedTools", TOOLS,
            *self.plugin_options,
            extra={"ANTHROPIC_BASE_URL": api.url, "ANTHROPIC_API_KEY": "scripted",
                   "CLAUDE_CODE_AUTO_COMPACT_WINDOW": COMPACT_WINDOW})

    def transcript(self, session: str) -> str:
        """The transcript of a session as it lies on disk."""
        paths = (self.home / ".claude" / "projects").glob(f"*/{session}.jsonl")
        return "".join(path.read_text(encoding="utf-8", errors="replace") for path in paths)

    def events(self, session: str) -> list[dict[str, Any]]:
        """What compact-keeper noted in its events.jsonl of a session; nothing yet before the first save has ended."""
        path = self.data / "events.jsonl"
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        return [event for event in map(json.loads, lines) if event["session"] == session]


def write(path: Path, text: str) -> None:
    """Writes a file, its folders with it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


# Ways of starting; the session's id comes last --------------------------------------------------


def new() -> list[str]:
    """A new session."""
    return ["--session-id", str(uuid.uuid4())]


def resumed(session: str) -> list[str]:
    """The session goes on."""
    return ["--resume", session]


def fork_of(session: str) -> list[str]:
    """A new session that begins with what the old one holds."""
    return [*resumed(session), "--fork-session", *new()]


# Ways of installing -------------------------------------------------------------------------------


def from_plugin_dir(workspace: Workspace) -> None:
    """The repository as it lies here, named on every start."""
    workspace.plugin_options = ["--plugin-dir", str(REPOSITORY)]


def from_marketplace(workspace: Workspace) -> None:
    """A clone of the repository, added as a marketplace; the plugin is installed from it."""
    clone = workspace.root / PLUGIN
    copy_repository(clone)
    for arguments in (("marketplace", "add", str(clone)), ("install", f"{PLUGIN}@{PLUGIN}")):
        done = workspace.claude("plugin", *arguments)
        if done.code:
            raise RuntimeError(f"claude plugin {' '.join(arguments)}: {done.stdout}{done.stderr}")


def from_copies(workspace: Workspace) -> None:
    """Scripts and skills copied into the project's .claude and wired in its settings, by install.py."""
    subprocess.run([sys.executable, str(REPOSITORY / "scripts" / "install.py"), "install", "--project",
                    str(workspace.project)], env=workspace.environment(), check=True, capture_output=True)
    workspace.commit("Hooks")


def by_hand(workspace: Workspace) -> None:
    """Three scripts copied into .claude/hooks and nothing else, wired with what the docstring of each says."""
    hooks: dict[str, list[dict[str, Any]]] = {}
    for script, same_for in ALONE.items():
        source = REPOSITORY / "scripts" / f"{script}.py"
        write(workspace.project / ".claude" / "hooks" / source.name, source.read_text(encoding="utf-8"))
        said = str(ast.get_docstring(ast.parse(source.read_bytes())))
        entries = json.JSONDecoder().raw_decode(said, said.index('{"hooks"'))[0]["hooks"]
        [[entry, *others]] = entries.values()
        for event in (*entries, *same_for):
            is_whole = event in entries or event == "PostToolUseFailure"  # else the entry goes without its matcher
            own = entry if is_whole else {"hooks": entry["hooks"]}
            hooks.setdefault(event, []).extend([own, *(others if event in entries else [])])
    write(workspace.project / ".claude" / "settings.json", json.dumps({"hooks": hooks}))
    workspace.commit("Hooks")


def without_further_commands(workspace: Workspace) -> None:
    """The same without the commands for further parts, as copies of old are wired."""
    by_hand(workspace)
    settings = workspace.project / ".claude" / "settings.json"
    hooks = json.loads(settings.read_text(encoding="utf-8"))["hooks"]
    hooks["SessionStart"] = [group for group in hooks["SessionStart"] if "--rest" not in json.dumps(group)]
    write(settings, json.dumps({"hooks": hooks}))
    workspace.commit("Hooks as they were")


def copy_repository(target: Path) -> None:
    """Copies what a clone of the repository would hold: every file that git does not ignore."""
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                            cwd=REPOSITORY, check=True, capture_output=True, text=True).stdout
    for name in filter(None, listed.split("\0")):
        source = REPOSITORY / name
        if source.exists():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target / name, follow_symlinks=False)


# Scripts that work without the others of the plugin, and the events for which their docstrings say "the same entry".
ALONE = {
    "record_event": ("PostToolUseFailure", "SubagentStart", "SubagentStop"),
    "save_snapshot": ("Stop",),
    "restore_snapshot": ("SessionEnd", "UserPromptSubmit"),
}
INSTALLS: dict[str, Callable[[Workspace], None]] = {
    "plugin-dir": from_plugin_dir,
    "marketplace": from_marketplace,
    "copied": from_copies,
    "by hand": by_hand,
    "by hand, as of old": without_further_commands,
}
