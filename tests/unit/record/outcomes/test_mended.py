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
            "family": strongest(checks_in(text)), "position": position, "last": "2026-01-01T10:00:00Z"}


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
    ("python3 gen.py web", "can't open file '/srv/gen.py'", "python3 tools/gen.py web"),
    ("python gen.py web", "bash: python: command not found", "python3 gen.py web"),
    ("cd a && go test ./x", "stat a/x: directory not found", "go test ./a/x"),
    ("go test ./... -run Zones", "ok x [no tests to run]", "go test ./web -tags it -run '^Zones$'"),
    ("go test -covermode exact ./web", 'invalid argument "exact" for -covermode', "go test -covermode atomic ./web"),
    ("pytest tests/a.py --quick", "error: unrecognized arguments: --quick", "pytest tests/a.py -x"),
    ("git checkout fix", "error: pathspec 'fix' did not match", "git fetch origin fix && git checkout fix"),
    ("gh issue close", "error: required argument", "gh issue close 12"),
    ("make rates", "no rule to make target", "make -C web rates"),
    ("go test ./web -count=1 -run A", "ok web [no tests to run]", "go test ./web -tags=it -run A"),
    ("npx jest a.ts --color=on", "unknown option '--color'", "npx jest a.ts --colors --runInBand=yes"),
    ("npx tsc --noEmit -p web/tsconfig.json", "error TS5058: The specified path does not exist: 'web/tsconfig.json'.",
     "npx tsc --noEmit"),
])
def test_a_form_that_failed_stands_beside_the_one_that_worked(failed: str, error: str, worked: str) -> None:
    assert forms((failed, "failed", error), ("git status",), (worked, "ended", "ok")) == [(failed, worked)]


@pytest.mark.parametrize("runs", [
    [("pytest tests", "failed", "1 failed"), ("pytest tests -q", "passed", "1 passed")],  # an edit mended it
    [("make rates", "failed", "no such file or directory"), ("make rates", "ended", "")],  # the same form
    [("make rates", "failed", "no such file or directory"), ("make rates 2>&1 | tail -3", "ended", "")],
    [("make -j rates | sort", "failed", "no such file or directory"), ("make -j rates | rg zone", "ended", "")],
    [("go test ./a", "failed", "no Go files in /x/a"), ("go test ./b", "passed", "ok b")],  # of something else
    [("git gc --auto --fast", "failed", "error: unknown option `fast'"), ("git reflog expire --auto", "ended", "")],
    [("make rates", "not run", "The user doesn't want to proceed: no such file"), ("make -C a rates", "ended", "")],
    [("make rates", "failed", "no rule to make target"), ("make -C a rates", "failed", "exit 2")],
    [("make rates", "failed", "no such file or directory"), ("make -C a rates | head", "ended", "error: no zone 4")],
    [("ssh -T deploy", "failed", "exec(/ask): No such file or directory"), ("ssh -T deploy || true", "ended", "")],
    [("npx tsc -p web/a.json", "failed", "error TS5058: The specified path does not exist: 'web/a.json'."),
     ("npx tsc", "failed", "error TS18003: No inputs were found in config file.")],  # no file was looked at
    [("npx tsc -p web", "failed", "web/a.ts(4,1): error TS2339: Property 'b' does not exist on type 'web'."),
     ("npx tsc", "passed", "")],  # an edit mended it
    [("cd web && pnpm build", "failed", "a.tsx(41,4): error TS2561: 'b' does not exist"), ("pnpm build", "passed", "")],
    [("pnpm build", "failed", "Cannot find module '@a/b/base.json'"), ("cd a && pnpm build", "passed", "")],
    [("make rates", "ended", "no such file or directory"), ("make -C a rates", "ended", "")],
    [("cat a/b.txt", "failed", "no such file or directory"), ("cat c/b.txt", "ended", "")],  # it only looks
    [("make rates", "failed", "no such file or directory"), *[(f"step {n}",) for n in range(7)], ("make -C a rates",)],
    # the same program for another purpose, or on something else
    [("gh pr edit 12 --titel x", "failed", "unknown flag: --titel"), ("gh pr merge 12 --squash",)],
    [("gh pr edit 12 --titel x", "failed", "unknown flag: --titel"), ("gh pr edit 13 --title x",)],
    [("go test -covermode exact ./web", "failed", 'invalid argument "exact"'), ("go test -covermode atomic ./api",)],
    [("npm run build -w web", "failed", 'Missing script: "build"'), ("npm run dev -w web",)],
    [("npm run lint", "failed", 'Missing script: "lint"'), ("npm run lint:css",)],
    [("docker compose run web rake a", "failed", "no such command: a"), ("docker compose run web rake b",)],
    [("docker compose exec web ls /x && make it", "failed", "/x: No such file or directory"), ("make all",)],
    [("aws s3 cp a s3://b --fast", "failed", "unknown options: --fast"), ("aws s3 ls s3://b",)],
    [("git branch --shwo", "failed", "error: unknown option `shwo'"), ("git branch -D fix",)],
    [("python3 tool.py --sum", "failed", "unrecognized arguments: --sum"), ("python3 tool.py --reset",)],
    [("python3 tool.py --sum", "failed", "unrecognized arguments: --sum"), ("python3 tool.py reset",)],
    [("python3 web/src/run.py", "failed", "can't open file 'web/src/run.py'"), ("python3 api/src/run.py",)],
    [("git checkout fixx && git pull origin main", "failed", "error: pathspec 'fixx' did not match"),
     ("git checkout main && git pull origin main",)],
    [("cd web && git add a.ts && npm run build", "failed", "cd: no such file or directory: web"),
     ("git add a.ts && git commit -m x",)],
    [("ssh zones 'ls /x'", "failed", "ls: /x: No such file or directory"), ("ssh zones 'df'",)],
    [("./tool --sum", "failed", "unknown option --sum"), ("./tool --reset",)],
    [("kubectl apply -f a.yml -n web", "failed", "does not exist"), ("kubectl apply -f a.yml -n api",)],
    [("kubectl apply -f a.yml -n web", "failed", "namespace web does not exist"), ("kubectl apply -f a.yml",)],
    [("npx tsc -p web", "failed", "error TS5058: The specified path does not exist: 'web'."), ("npx tsc -p api",)],
    [("kubectl apply -f a.yml -n=web", "failed", "does not exist"), ("kubectl apply -f a.yml -n=api",)],
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


def test_types_that_were_checked_and_failed_show_how_they_are_checked() -> None:
    failed = ("npx tsc -p web/a.json", "not run", "error TS5058: The specified path does not exist: 'web/a.json'.")
    worked = ("npx tsc | head -40", "failed", "web/a.ts(4,1): error TS18047: 'b' is possibly 'null'.")
    assert forms(failed, worked) == [(failed[0], worked[0])]
