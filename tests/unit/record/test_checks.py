"""Which commands check something, and which files they cover."""

from __future__ import annotations

import os
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compact_keeper.record.checks import VERIFYING, covered, folders_of, is_below
from slow_texts import ending

ROOT = "/home/ada/docs/rates"  # what stands above the working folder says nothing about a file
KNOWN = ("src/a/one.py", "src/a/one.test.js", "src/b/two.py", "tests/unit/test_one.py", "tests/conftest.py",
         "web/app.ts", "web/src/page.tsx", "web/tests/page.test.ts", "cmd/rates/integration_test/it.go",
         "cmd/rates/main.go", "tools/check.py", "config/ruff.toml", "eslint.config.js", "lib.rs", "crates/foo/lib.rs")


def is_stale(command: str, changed: str) -> bool:
    """Whether the check is out of date when this file of the session changed after it."""
    path = os.path.join(ROOT, changed)
    files = {*(os.path.join(ROOT, known) for known in KNOWN), path}
    return any(is_below(path, place) for place in covered(command, ROOT, files, folders_of(files)))


@pytest.mark.parametrize(("command", "changed", "expected"), [
    # without a place: whatever is source, anywhere in the working folder
    ("pytest -q", "src/a/one.py", True),
    ("pytest -q", "tests/conftest.py", True),
    ("make test", "web/app.ts", True),
    ("make test", "/elsewhere/src/one.py", False),
    ("make test", "/home/ada/docs/rates-old/one.py", False),
    ("npm run build", "package.json", True),
    ("npm run build", "requirements.txt", True),
    ("make build", "CMakeLists.txt", True),
    # what no check reads
    ("make test", "README.md", False),
    ("make test", "src/notes.TXT", False),
    ("make test", "docs/conf.py", False),
    ("make test", "LICENSE", False),
    ("make test", "CHANGELOG", False),
    ("make test", "uv.lock", False),
    ("make test", "package-lock.json", False),
    ("make test", "web/pnpm-lock.yaml", False),
    ("make test", "go.sum", False),
    ("make test", "web/dist/app.js", False),
    ("make test", "target/debug/x.rs", False),
    ("make test", "web/node_modules/x/index.js", False),
    ("make test", ".claude/settings.json", False),
    ("make test", "/home/ada/.claude/compact-keeper/config.json", False),
    ("make test", "/tmp/probe.py", False),
    ("make test", "tmp/probe.py", False),
    ("make test", "src/builder/dist.py", True),
    ("make test", ".eslintrc.js", True),
    # a folder of tests or a test covers all, another folder what is below it
    ("pytest tests/unit", "src/a/one.py", True),
    ("pytest tests/unit/test_one.py::test_rate -x", "src/b/two.py", True),
    ("npm test -- src/a", "src/a/one.py", True),
    ("npm test -- src/a", "src/b/two.py", False),
    ("npx jest ./src/a/ --watch=false", "src/b/two.py", False),
    ("npx jest src/a/one.test.js", "src/b/two.py", True),
    ("npx jest --config eslint.config.js src/a", "src/b/two.py", False),
    ("pytest --doctest-modules src/a/one.py", "src/b/two.py", True),
    ("pytest -k unknown", "src/a/one.py", True),
    ("pytest src/a tests/unit", "src/b/two.py", True),
    ("cargo test -p foo", "crates/foo/lib.rs", True),
    ("cargo test -p foo", "lib.rs", True),
    ("go test ./...", "cmd/rates/main.go", True),
    ("go test ./cmd/rates/... -run 'TestA|TestB'", "cmd/rates/main.go", True),
    ("go test ./cmd/rates/... -run 'TestA|TestB'", "web/app.ts", False),
    ("go test -run 'TestA|TestB' ./cmd/rates/", "web/app.ts", False),
    ("go test ./cmd/rates/integration_test", "lib.rs", True),
    # where it runs
    ("cd web && npm test", "web/src/page.tsx", True),
    ("cd web && npm test", "src/a/one.py", False),
    ("(cd web && npm test)", "src/a/one.py", False),
    ("cd ./web/ && npm test -- src", "web/app.ts", False),
    ("cd 'web' && npm test 2>&1 | tail -5", "web/app.ts", True),
    (f"cd {ROOT}/web && npm test", "src/a/one.py", False),
    (f"cd {ROOT} && npm test", "src/a/one.py", True),
    ("cd web && npm run lint && cd .. && pytest", "src/a/one.py", True),
    ("cd $ROOT/web && npm test", "src/a/one.py", True),
    ("cd - && npm test", "src/a/one.py", True),
    ("npm run build; cd web && npm test", "src/a/one.py", True),
    # a check of files looks at those
    ("ruff check src/a/one.py", "src/a/one.py", True),
    ("ruff check src/a/one.py", "src/b/two.py", False),
    ("ruff check tests", "src/a/one.py", False),
    ("mypy src tests/unit", "src/b/two.py", True),
    ("mypy src tests/unit", "web/app.ts", False),
    ("mypy --strict src", "web/app.ts", False),
    ("npx tsc --noEmit -p web", "src/a/one.py", False),
    ("npx tsc --noEmit -p web", "web/app.ts", True),
    ("ruff check --config config/ruff.toml", "src/a/one.py", True),
    ("ruff check .", "src/a/one.py", True),
    ("go vet ./cmd/rates", "web/app.ts", False),
    ("python tools/check.py src/a", "src/b/two.py", False),
    ("make lint", "src/a/one.py", True),
    # no check at all
    ("cat tests/conftest.py", "src/a/one.py", False),
    ("git commit -m 'fix the tests'", "src/a/one.py", False),
])
def test_what_a_check_covers(command: str, changed: str, expected: bool) -> None:
    assert is_stale(command, changed) is expected


@pytest.mark.parametrize("command", [
    "pytest", "pytest -q", "python -m pytest tests", "uv run pytest", "npm test", "npm run test:unit", "npm run build",
    "npm run type-check", "npm install && npm test", "./gradlew test", "mvn -q verify", "go test ./...", "mypy",
    "cargo clippy", "cargo build", "make lint", "make test", "mise run test:ci", "golangci-lint run", "go vet ./...",
    "npx eslint .", "ruff check", "npx tsc --noEmit", "pyright", "tox", "bundle exec rspec", "vendor/bin/phpunit",
    "node_modules/.bin/vitest run", "FOO=1 pytest", "git add . && npm test", "(cd web && npm test)", "ctest",
    "docker compose run api pytest", "bazel test //...", "prettier --check .", "node scripts/build.js",
    "cd web && npm test", "cmake --build x", "git stash; make test"])
def test_these_check(command: str) -> None:
    assert re.match(VERIFYING, command)


@pytest.mark.parametrize("command", [
    "cat tests/conftest.py", "ls build", "grep -rn test src", "git checkout test", "git push origin fix-lint",
    "rm -rf build", "pip install pytest", "python -m pip install build", "npm install --save-dev jest", "mkdir tests",
    "uv add ruff", "sudo apt-get install build-essential", "gh pr comment 1 --body 'tests pass'", "npm i -D eslint",
    "build/app --serve", "python tests/bench/replay.py", "npm run dev", "cargo run", "curl localhost/check",
    "python3 -c 'import test'", "echo test", "cd tests && ls", "npm start | grep test", "latest", "contest",
    "(ls tests)", "(cd tests && ls)", ""])
def test_these_do_not(command: str) -> None:
    assert not re.match(VERIFYING, command)


@given(st.text(st.sampled_from("abtes/.&|;'\"$() -~\n\0:\\"), max_size=60))
def test_any_command_is_taken(command: str) -> None:
    for prefix in ("", "pytest ", "cd ", "cd a && ruff check "):
        assert is_stale(prefix + command, "src/a/one.py") in (True, False)


@pytest.mark.parametrize("part", ["a && ", "cd a && ", "test", "( ", "npm i; ", "x " * 9 + "|| "])
def test_no_command_is_without_end(part: str) -> None:
    with ending():
        re.match(VERIFYING, part * 600)
        is_stale(part * 600, "src/a/one.py")
