"""What a session set up on the machine: only what is certain to have been done."""

from __future__ import annotations

import pytest

from compact_keeper.record.commands.machine_setup import SETUPS_MAX, setups
from git_items import edited, looked, ran
from slow_texts import check_it_ends

MCP = "claude mcp add rates -- npx -y @rates/server"


@pytest.mark.parametrize("command", [
    "", "git add -A", "npm install", "npm install --save-dev vite", "npm add rates", "brew list", "brew install",
    "git config user.name Ada", "git config --global user.name", "git config --global --get user.name",
    "go install ./...",
    "cargo install --path .", "crontab -l", "gh auth status", "claude mcp list", "ssh host 'apt install x'",
    "echo brew install x", "pip install rates", "systemctl status rates", "apt update", "npm test -- --global",
    "brew install x | tail -1", "brew install x; ls", "brew install x || true", "brew install x &", "sudo",
    "sudo -n ls", "ssh-add -l", "ssh-add -D", "ssh-add", "docker logout", "docker run login", "gcloud auth list",
    "aws configure list", "kubectl config get-contexts", "pyenv global", "pyenv install --list", "nvm use 22"])
def test_nothing_was_set_up(command: str) -> None:
    assert setups([ran(1, command)]) == []


@pytest.mark.parametrize(("command", "expected"), [
    (f"{MCP} 2>&1", [MCP]), ("npm i -g rates", ["npm i -g rates"]), ("pnpm add -g rates", ["pnpm add -g rates"]),
    ("sudo -n apt-get install -y jq > /dev/null", ["sudo -n apt-get install -y jq"]),
    ("sudo -u ada -H pipx install rates", ["sudo -u ada -H pipx install rates"]),
    ("brew tap ada/rates && brew install rates && rates --version", ["brew tap ada/rates", "brew install rates"]),
    ("git config --global user.name Ada", ["git config --global user.name Ada"]),
    ("ssh-keygen -t ed25519 -f ~/.ssh/rates -N ''", ["ssh-keygen -t ed25519 -f ~/.ssh/rates -N ''"]),
    ("cd tools && cargo install --path ../rates", ["cargo install --path ../rates"]),
    ("go install rates.example/cmd@latest", ["go install rates.example/cmd@latest"]),
    ("ssh-add ~/.ssh/rates 2>&1", ["ssh-add ~/.ssh/rates"]),
    ("gcloud config set project rates && gcloud auth login", ["gcloud config set project rates", "gcloud auth login"]),
    ("az account set --subscription rates", ["az account set --subscription rates"]),
    ("aws sso login", ["aws sso login"]), ("docker login", ["docker login"]), ("nvm install 22", ["nvm install 22"]),
    ("kubectl config use-context rates", ["kubectl config use-context rates"]),
    ("pyenv global 3.13", ["pyenv global 3.13"])])
def test_what_was_set_up(command: str, expected: list[str]) -> None:
    assert setups([ran(1, command)]) == expected
    assert setups([ran(1, command, "passed")]) == expected
    for verdict in ("failed", "unknown", "not run", "running", "stopped", ""):
        assert setups([ran(1, command, verdict)]) == []
    assert setups([looked(1, command, ""), edited(2, "a.py")]) == []


def test_the_newest_first_and_none_twice() -> None:
    commands = [f"brew install rates{number}" for number in range(9)]
    items = [ran(place, command) for place, command in enumerate([*commands, *commands])]
    assert setups(items) == commands[::-1][:SETUPS_MAX]


def test_hostile_commands_take_no_long_time() -> None:
    def read(text: str) -> None:
        for begin in ("", "sudo ", "npm install ", "ssh-keygen "):
            setups([ran(1, begin + text)])
    check_it_ends(read)
