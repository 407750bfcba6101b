"""Forms of commands that failed, each beside the one that worked."""

from __future__ import annotations

from typing import Any

import pytest

from compact_keeper.record.commands.checks_in_line import checks_in, strongest
from compact_keeper.record.outcomes.mended import mended
from slow_texts import ending, slow_texts


def ran(position: int, text: str, verdict: str = "ended", result: str = "") -> Any:
    """A command as an action item."""
    return {"kind": "action", "tool": "Bash", "text": text, "path": "", "verdict": verdict, "result": result, "uses": 1,
            "family": strongest(checks_in(text)), "limits": [], "position": position, "last": "2026-01-01T10:00:00Z"}


def forms(*runs: tuple[str, ...]) -> list[tuple[str, str]]:
    """Failed and working form after these: command, verdict, result."""
    return [(form["failed"], form["worked"])
            for form in mended([ran(place, *run) for place, run in enumerate(runs)])]


@pytest.mark.parametrize(("failed", "error", "worked"), [
    ("ruff check src", "command not found: ruff", "uv run ruff check src"),
    ("npm test -- --grep Rates", "Error: No tests found.", "npm test -- --grep rates --project web --grep Rates"),
    ("go test ./rates -run A", "build constraints exclude all Go files in /x", "go test -tags it ./rates -run A"),
    ("go build -o r ./...", "go: cannot write multiple packages to non-directory r", "go build -o r ./cmd"),
    ("cd cmd && make test", "cd: no such file or directory: cmd", "make test"),
    ("python3 rates.py --all", "rates.py: error: unrecognized arguments: --all", "python3 rates.py --each --all"),
    ("git push origin head", "error: src refspec head does not exist", "git push origin HEAD"),
])
def test_a_form_that_failed_stands_beside_the_one_that_worked(failed: str, error: str, worked: str) -> None:
    assert forms((failed, "failed", error), ("git status",), (worked, "ended", "ok")) == [(failed, worked)]


@pytest.mark.parametrize("runs", [
    [("pytest tests", "failed", "1 failed"), ("pytest tests -q", "passed", "1 passed")],  # an edit mended it
    [("make rates", "failed", "no such file or directory"), ("make rates", "ended", "")],  # the same form
    [("make rates", "failed", "no such file or directory"), ("make rates 2>&1 | tail -3", "ended", "")],
    [("go test ./a", "failed", "no Go files in /x/a"), ("go test ./b", "passed", "ok b")],  # of something else
    [("git gc --auto --fast", "failed", "error: unknown option `fast'"), ("git reflog expire --auto", "ended", "")],
    [("make rates", "not run", "The user doesn't want to proceed: no such file"), ("make -C a rates", "ended", "")],
    [("make rates", "failed", "no rule to make target"), ("make -C a rates", "failed", "exit 2")],
    [("make rates", "failed", "no such file or directory"), ("make -C a rates | head", "ended", "error: no zone 4")],
    [("ssh -T deploy", "failed", "exec(/ask): No such file or directory"), ("ssh -T deploy || true", "ended", "")],
    [("cd web && pnpm build", "failed", "a.tsx(41,4): error TS2561: 'b' does not exist"), ("pnpm build", "passed", "")],
    [("pnpm build", "failed", "Cannot find module '@a/b/base.json'"), ("cd a && pnpm build", "passed", "")],
    [("make rates", "ended", "no such file or directory"), ("make -C a rates", "ended", "")],
    [("cat a/b.txt", "failed", "no such file or directory"), ("cat c/b.txt", "ended", "")],  # it only looks
    [("make rates", "failed", "no such file or directory"), *[(f"step {n}",) for n in range(7)], ("make -C a rates",)],
])
def test_other_pairs_are_none(runs: list[tuple[str, ...]]) -> None:
    assert forms(*runs) == []


def test_of_failures_of_one_kind_the_last_is_shown() -> None:
    wrong = "stat ./rates: directory not found"
    assert forms(("go test ./rates", "failed", wrong), ("sh run.sh", "failed", "run.sh: No such file or directory"),
                 ("go test ./rates -v", "failed", wrong), ("cd .. && go test ./rates", "failed", "TestA · want 1"),
                 ) == [("go test ./rates -v", "cd .. && go test ./rates")]


def test_an_earlier_result_with_its_own_command_is_seen() -> None:
    earlier = [{"text": "cd web && make rates", "verdict": "failed", "result": "cd: no such file or directory: web",
                "position": 1, "last": "2026-01-01T09:00:00Z"}]
    action: Any = {**ran(2, "make rates"), "earlier": earlier}
    assert [(form["failed"], form["worked"]) for form in mended([action])] == [("cd web && make rates", "make rates")]


def test_hostile_commands_and_results_end() -> None:
    with ending():
        for text in slow_texts(500):
            runs = [ran(n, f"make {text}{n}", "failed", f"no such file or directory {text}") for n in range(20)]
            assert mended([*runs, ran(30, f"make {text}")]) is not None
