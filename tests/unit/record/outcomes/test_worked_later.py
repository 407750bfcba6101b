"""Commands that failed and worked later behind something else on the same line."""

from __future__ import annotations

from typing import Any

import pytest

from compact_keeper.record.outcomes.worked_later import worked_later
from slow_texts import ending, slow_texts

RATES = "python3 -m rates --all"
LACKING = "ModuleNotFoundError: No module named 'click'"


def ran(position: int, text: str, verdict: str = "ended", result: str = "", **fields: Any) -> Any:
    """A command as an action item."""
    return {"kind": "action", "tool": "Bash", "text": text, "path": "", "verdict": verdict, "result": result,
            "family": "", "position": position, "last": "2026-01-01T10:00:00Z", **fields}


@pytest.mark.parametrize(("failed", "later", "before"), [
    (RATES, f"pip install click && {RATES}", "pip install click"),
    (f"{RATES} 2>&1", f"pip install -q click && {RATES}", "pip install -q click"),
    (f"{RATES} 2>&1 | tail -5", f"pip install click && {RATES} 2>&1", "pip install click"),
    (f"cd a && . env && {RATES}", f"cd a && . env && pip install click && {RATES}", "pip install click"),
    (f". env && {RATES}", f"pip install uv && . env && uv sync && {RATES}", "pip install uv && uv sync"),
    (f"A=1 {RATES}", f"npm ci && A=1 {RATES}", "npm ci"), ("sh 'a && b'", "ls && sh 'a && b'", "ls"),
    # another command, or not certainly the same
    (RATES, RATES, ""), (RATES, f"pip install click && {RATES} --quick", ""), (RATES, f"{RATES} && ls", ""),
    (f"A=1 {RATES}", f"pip install click && {RATES}", ""), (RATES, f"pip install click && A=1 {RATES}", ""),
    (RATES, f"cd a && pip install click && {RATES}", ""), (f"cd a && {RATES}", f"pip install click && {RATES}", ""),
    (f". env && {RATES}", f"pip install click && {RATES}", ""), ("a && b && c", "b && a && x && c", ""),
    (RATES, f"pip install click; {RATES}", ""), (RATES, f"pip install click && {RATES} | tail", ""),
    (RATES, f"pip install click && {RATES} || true", ""), (RATES, f"(pip install click && {RATES}) &", ""),
    (f"ls; {RATES}", f"pip install click && ls && {RATES}", ""),
    ("python3 <<'E'\n1\nE", "pip install click && python3 <<'E'\n2\nE", ""),
    (f"{RATES}…", f"pip install click && {RATES}…", ""), ("", "ls && ", ""), ("", "", ""), ("&&", "ls && &&", ""),
])
def test_the_same_command_behind_something_else(failed: str, later: str, before: str) -> None:
    known = worked_later([ran(1, failed, "failed", LACKING), ran(2, "ls"), ran(3, later)])
    assert known == ({1: before} if before else {})


@pytest.mark.parametrize(("failed", "later", "is_known"), [
    ("chmod +x a.py && ./a.py", "./a.py", True), (f". env && ls && {RATES}", f"{RATES} 2>&1", True),
    ("cd a && ./a.py", "./a.py", False), ("chmod +x a.py && ./a.py", "./a.py && ls", False),
    ("chmod +x a.py; ./a.py", "./a.py", False), ("chmod +x a.py && ./a.py", "./a.py --all", False),
    ("chmod +x a.py && ./a.py", "cd a && ./a.py", False)])
def test_the_last_command_of_a_line_worked_alone(failed: str, later: str, is_known: bool) -> None:
    known = worked_later([ran(1, failed, "failed", LACKING), ran(3, later)])
    assert known == ({1: ""} if is_known else {})
    assert worked_later([ran(1, failed, "failed", LACKING), ran(3, later, "failed")]) == {}


INSTALLED = f"pip install click && {RATES}"


@pytest.mark.parametrize("actions", [
    [ran(1, INSTALLED), ran(2, RATES, "failed")],
    [ran(1, RATES, "failed"), ran(2, INSTALLED, "failed")], [ran(1, RATES, "failed"), ran(2, INSTALLED, "running")],
    [ran(1, RATES, "failed"), ran(2, INSTALLED), ran(3, f"uv sync && {RATES}", "failed")],
    [ran(1, RATES, "failed"), ran(2, INSTALLED, folder="/srv/a")],
    [ran(1, RATES, "failed"), ran(2, INSTALLED, result="Error: no such port")],
    [ran(1, RATES, "failed", tool="mcp__x__run"), ran(2, INSTALLED)], [ran(1, RATES, "ended"), ran(2, INSTALLED)], []])
def test_where_it_is_not_said_that_it_worked(actions: Any) -> None:
    assert worked_later(actions) == {}


def test_any_commands_are_compared_to_their_end() -> None:
    with ending():
        for text in slow_texts(20_000):
            worked_later([ran(1, text, "failed"), ran(2, f"a && {text}"), ran(3, f"{text} && {text}")])
