"""The full-screen client in a terminal: what a person types, and what stands on the screen."""

from __future__ import annotations

import json
import re
import subprocess
import time
from typing import Any

from scripted_api import ScriptedApi
from workspace import COMPACT_WINDOW, Workspace, write

KEY = "scripted"
SOON = 30.0  # seconds in which the client does what it was asked for
BREATH = 0.1  # seconds between keys that the client would else take for one pasted text


class Terminal:
    """The client in a terminal of its own, on a tmux socket of its own; a context manager."""

    def __init__(self, workspace: Workspace, api: ScriptedApi, *arguments: str,
                 columns: int = 120, lines: int = 40) -> None:
        self.workspace = workspace
        self.socket = workspace.root / f"tmux{id(self):x}"
        self.size = ["-x", str(columns), "-y", str(lines)]
        self.start = [str(workspace.program), *arguments, *workspace.plugin_options]
        self.environment = {
            **workspace.environment(), "TERM": "xterm-256color", "ANTHROPIC_BASE_URL": api.url,
            "ANTHROPIC_API_KEY": KEY, "CLAUDE_CODE_AUTO_COMPACT_WINDOW": COMPACT_WINDOW,
            "CLAUDE_CODE_ENABLE_PROMPT_SUGGESTION": "false"}  # it would use up the answers

    def tmux(self, *arguments: str) -> str:
        """What a tmux command prints."""
        done = subprocess.run(["tmux", "-S", str(self.socket), "-f", "/dev/null", *arguments],
                              env=self.environment, capture_output=True, encoding="utf-8", timeout=30,
                              stdin=subprocess.DEVNULL, check=False)
        return done.stdout

    def __enter__(self) -> Terminal:
        self.tmux("new-session", "-d", *self.size, "-c", str(self.workspace.project), *self.start)
        return self

    def __exit__(self, *_: object) -> None:
        self.tmux("kill-server")

    def screen(self, *options: str) -> str:
        """The screen as text; with -e its colours too, with -S -1000 what has scrolled away."""
        return self.tmux("capture-pane", "-p", *options)

    def comes(self, pattern: str) -> str:
        """What of the screen the pattern matches, as soon as it is there; a screen without it fails the test."""
        until = time.monotonic() + SOON
        while not (match := re.search(pattern, screen := self.screen())):
            assert time.monotonic() < until, f"{pattern} did not come:\n{screen}"
            time.sleep(0.03)
        return match[0]

    def types(self, words: str) -> None:
        """Types the words, and Enter when the last one is seen in the input's line, which may be wrapped."""
        time.sleep(BREATH)
        if re.search(r"❯\s/[^❯]*\Z", self.screen()):  # 2.1.76 may leave there a command that a hook has answered
            self.tmux("send-keys", "C-u")
            time.sleep(BREATH)
        self.tmux("send-keys", "-l", words)
        self.comes(rf"❯[^❯]*{re.escape(words.rsplit(maxsplit=1)[-1])}[^❯]*\Z")
        self.tmux("send-keys", "Enter")


def configure(workspace: Workspace, **settings: Any) -> None:
    """The person's settings, beside what is there already, and a client that asks no first questions."""
    path = workspace.home / ".claude" / "settings.json"
    there = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    write(path, json.dumps({**there, **settings}))
    answered = workspace.home / ".claude.json"
    there = json.loads(answered.read_text(encoding="utf-8")) if answered.exists() else {}
    write(answered, json.dumps({
        **there, "hasCompletedOnboarding": True, "theme": "dark",
        "customApiKeyResponses": {"approved": [KEY], "rejected": []},
        "projects": {str(workspace.project): {"hasTrustDialogAccepted": True}}}))
