"""What the machine refuses to a session's commands: programs that it has not, a password for sudo."""

from __future__ import annotations

from typing import Any

import pytest

from compact_keeper.record.outcomes.lacks import lacking_in, lacks
from slow_texts import ending, slow_texts

NO_PASSWORD = "sudo: a terminal is required to read the password; either use the -S option to read from standard input"


def ran(position: int, text: str, result: str = "", verdict: str = "ended", **fields: Any) -> Any:
    """A command as an action item, with what its output says is lacking."""
    return {"kind": "action", "tool": "Bash", "text": text, "path": "", "verdict": verdict, "result": result, "uses": 1,
            "family": "", "position": position, "last": "2026-01-01T10:00:00Z",
            "lacking": lacking_in(text, result), **fields}


def programs(*runs: tuple[str, ...]) -> list[str]:
    """The programs that are lacking after these: command, result, verdict."""
    return [lack["program"] for lack in lacks([ran(place, *run) for place, run in enumerate(runs)])]


@pytest.mark.parametrize(("command", "result", "program"), [
    ("gh pr create --fill", "Exit code 127\n/usr/bin/bash: line 1: gh: command not found", "gh"),
    ("cd web && tree -L 2", "/bin/bash: line 1: tree: command not found", "tree"),
    ("psql -h db -c 'SELECT 1' 2>&1 | head -5", "(eval):1: command not found: psql", "psql"),
    ("timeout 30 vercel logs", "zsh: command not found: timeout", "timeout"),
    ("pip install rates || pipx install rates", "(eval):1: command not found: pip", "pip"),
    ("swag init", "sh: 1: swag: not found", "swag"),
    ("env CI=1 gh pr list", "env: ‘gh’: No such file or directory", "gh"),
    ("timeout 9 psql -l", "timeout: failed to run command ‘psql’: No such file or directory", "psql"),
    ("gh pr list", "'gh' is not recognized as an internal or external command,\r\noperable program", "gh"),
    ("sudo apt install gh", NO_PASSWORD, "sudo"),
    ("curl https://a.example/key | sudo tee /etc/key", "sudo: a password is required", "sudo"),
])
def test_what_a_shell_refused_is_lacking(command: str, result: str, program: str) -> None:
    assert programs((command, result, "not run"), ("ls", "a b")) == [program]


@pytest.mark.parametrize("runs", [
    [("PATH=/opt/rust cargo test | tail -3", "zsh: command not found: tail\nzsh: command not found: cargo")],  # no lack
    [("swag init", "bash: swag: command not found"), ("go install swag@latest && ~/go/bin/swag init", "")],
    [("go build ./...", "sh: go: command not found"), ("/usr/local/go/bin/go build ./...", "")],  # another form of it
    [("gh pr list", "12 Round up"), ("gh pr view", "bash: line 1: gh: command not found")],
    [("eval \"$line\"", "/bin/bash: line 54: nenhuma: command not found")],  # a word of some text
    [("npm run deploy", "sh: vercel: command not found")],  # what the script starts is not the command's own program
    [("./run.sh", "bash: line 1: ./run.sh: No such file or directory")],
    [("gh pr view", "sh: 1: gh: Permission denied")],
    [("cat setup.log", "line 3: gh: command not found")],
    [("curl -s https://a.example", "API: not found")],
    [("grep -rn sudo docs", "docs/a.md:3:sudo: a password is required")],
])
def test_what_runs_or_was_not_started_is_not_lacking(runs: list[tuple[str, ...]]) -> None:
    assert programs(*runs) == []


def test_a_command_that_hides_its_errors_does_not_show_that_the_program_is_there() -> None:
    assert programs(("docker ps", "zsh: command not found: docker"), ("docker ps 2>/dev/null | head -3", ""),
                    ("docker ps || echo DOWN", "DOWN")) == ["docker"]


def test_the_newest_refusal_stands_first_with_its_command() -> None:
    refused = lacks([ran(1, "gh pr view", "zsh: command not found: gh"),
                     ran(3, "tree web", "zsh: command not found: tree"),
                     ran(5, "gh pr list | jq .", "zsh: command not found: gh\njq: error: no input")])
    assert [(lack["program"], lack["command"], lack["position"]) for lack in refused] == [
        ("gh", "gh pr list | jq .", 5), ("tree", "tree web", 3)]


def test_hostile_commands_and_results_end() -> None:
    with ending():
        for text in slow_texts(500):
            runs = [ran(n, f"{text} {n}", f"sh: line 1: {text}: command not found {text}") for n in range(20)]
            assert lacks(runs) is not None
