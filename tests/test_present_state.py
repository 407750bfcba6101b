"""What present_state.py says of repositories made by git, of real files and of real processes."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import present_state
import pytest
from hypothesis import given
from hypothesis import strategies as st

from compact_keeper.machine import file_states
from compact_keeper.machine.file_states import with_file_states
from compact_keeper.machine.repository import repository
from compact_keeper.record.checks import VERIFYING, covered, folders_of, is_below
from compact_keeper.record.present import compared_now
from compact_keeper.store import disk
from sessions import Record, git, repository_at

NO_LIMIT = 60.0  # seconds; what a test has when its subject is not the deadline
BEFORE, AFTER = "2026-11-21T11:00:00.000Z", "2026-11-21T12:00:00.000Z"
NOON = 1_795_262_400  # seconds: 2026-11-21T12:00:00Z


def file_item(path: object, position: int = 1, **more: Any) -> Record:
    return {"kind": "file", "text": str(path), "key": str(path), "last": BEFORE, "position": position, "uses": 1,
            "edits": 1, "status": "open", **more}


def command_item(command: str, **more: Any) -> Record:
    return {"kind": "command", "text": command, "key": f"key of {command}", "last": BEFORE, "position": 1, "ok": True,
            "status": "open", **more}


def job_item(command: str, key: str = "b1", **more: Any) -> Record:
    return {"kind": "job", "text": command, "key": key, "position": 1, "status": "open", "tool": "Bash", **more}


def look_at(*items: Record, folder: object = "/nowhere", seconds: float = NO_LIMIT, limit: int = 40) -> Record:
    """What is true now of these items, of a session that began in the folder."""
    state = {"cwd": str(folder), "root": str(folder)}
    return compared_now({"items": list(items), "state": state}, limit, seconds)


# The repository ---------------------------------------------------------------------------------------------


@pytest.fixture
def rates(tmp_path: Path) -> Path:
    """A repository with one commit on the branch `main`."""
    return repository_at(tmp_path / "rates")


def as_git_says(folder: Path, linked: bool = False) -> Record:
    return {"branch": git(folder, "branch", "--show-current"), "head": git(folder, "rev-parse", "HEAD"),
            "worktree": git(folder, "rev-parse", "--show-toplevel"), "linked": linked}


def test_a_branch(rates: Path) -> None:
    assert repository(str(rates)) == as_git_says(rates)
    git(rates, "checkout", "--quiet", "-b", "fix/half-even.invalid")
    assert repository(str(rates)) == as_git_says(rates)
    assert repository(str(rates))["branch"] == "fix/half-even.invalid"


def test_a_folder_below_even_when_it_is_gone(rates: Path) -> None:
    (rates / "a" / "b").mkdir(parents=True)
    assert repository(str(rates / "a" / "b")) == as_git_says(rates)
    assert repository(str(rates / "gone" / "too")) == as_git_says(rates)


def test_a_detached_head(rates: Path) -> None:
    git(rates, "checkout", "--quiet", "--detach")
    assert repository(str(rates)) == as_git_says(rates)
    assert repository(str(rates))["branch"] == ""


def test_packed_refs(rates: Path) -> None:
    for number in range(50):
        git(rates, "branch", f"x/refs/heads/main-{number}")
    git(rates, "commit", "--quiet", "--allow-empty", "--message=second")
    git(rates, "tag", "--annotate", "--message=1", "v1")
    git(rates, "pack-refs", "--all")
    assert not (rates / ".git" / "refs" / "heads" / "main").exists()
    assert repository(str(rates)) == as_git_says(rates)
    git(rates, "commit", "--quiet", "--allow-empty", "--message=third")  # loose again: it wins over the packed one
    assert repository(str(rates)) == as_git_says(rates)


def test_commits_named_with_sha256(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet", "--object-format=sha256")
    git(tmp_path, "commit", "--quiet", "--allow-empty", "--message=first")
    git(tmp_path, "pack-refs", "--all")
    assert repository(str(tmp_path)) == as_git_says(tmp_path)
    assert len(repository(str(tmp_path))["head"]) == 64


@pytest.mark.parametrize("packed", [False, True])
def test_a_linked_worktree(rates: Path, tmp_path: Path, packed: bool) -> None:
    side = tmp_path / "side"
    git(rates, "worktree", "add", "--quiet", "-b", "side", str(side))
    git(side, "commit", "--quiet", "--allow-empty", "--message=second")
    if packed:
        git(rates, "pack-refs", "--all")
    assert repository(str(side)) == as_git_says(side, linked=True)
    assert repository(str(rates)) == as_git_says(rates)


def test_a_submodule_is_no_linked_worktree(rates: Path, tmp_path: Path) -> None:
    outer = tmp_path / "outer"
    outer.mkdir()
    git(outer, "init", "--quiet", "--initial-branch=trunk")
    git(outer, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(rates), "inner")
    assert (outer / "inner" / ".git").is_file()
    assert repository(str(outer / "inner")) == as_git_says(outer / "inner")


def test_no_commit_yet(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet", "--initial-branch=main")
    assert repository(str(tmp_path)) == {"branch": "main", "head": "", "worktree": str(tmp_path), "linked": False}


def test_a_ref_that_names_another(rates: Path) -> None:
    git(rates, "symbolic-ref", "refs/heads/alias", "refs/heads/main")
    git(rates, "symbolic-ref", "HEAD", "refs/heads/alias")
    assert repository(str(rates)) == as_git_says(rates)


def test_refs_that_name_each_other(rates: Path) -> None:
    for one, other in (("a", "b"), ("b", "a")):
        (rates / ".git" / "refs" / "heads" / one).write_text(f"ref: refs/heads/{other}\n", encoding="utf-8")
    (rates / ".git" / "HEAD").write_text("ref: refs/heads/a\n", encoding="utf-8")
    assert repository(str(rates))["head"] == ""


def test_a_reftable_keeps_its_branch_to_itself(rates: Path) -> None:
    (rates / ".git" / "HEAD").write_text("ref: refs/heads/.invalid\n", encoding="utf-8")
    assert repository(str(rates)) == {"branch": "", "head": "", "worktree": str(rates), "linked": False}


def test_a_reftable_as_git_makes_it(tmp_path: Path) -> None:
    made = subprocess.run(["git", "init", "--quiet", "--ref-format=reftable", str(tmp_path)], capture_output=True)
    if made.returncode:
        pytest.skip("this git keeps no reftable (it came with 2.45)")
    git(tmp_path, "commit", "--quiet", "--allow-empty", "--message=first")
    assert repository(str(tmp_path)) == {"branch": "", "head": "", "worktree": str(tmp_path), "linked": False}


@pytest.mark.parametrize("content", [
    b"", b"\0", b"ref: ", b"\xff\xfe", b"gitdir: /nonexistent", b"main\n", b"0123456789abcdef\n", b"\n\n",
    b"ref: ../../outside\n", b"ref: refs/../../../outside\n", b"ref: refs/heads/\0\n"[:5] + b"heads\n"])
def test_a_head_that_git_did_not_write(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "outside").write_text("a" * 40 + "\n", encoding="utf-8")
    (tmp_path / "a" / ".git").mkdir(parents=True)
    (tmp_path / "a" / ".git" / "HEAD").write_bytes(content)
    assert repository(str(tmp_path / "a")) == {}


@pytest.mark.parametrize("content", [
    b"ref: refs/heads/" + b"x" * 10_000, b"ref: refs/heads/a\0b\n", b"ref: refs/heads/\xff\n"])
def test_a_branch_that_cannot_be(tmp_path: Path, content: bytes) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").write_bytes(content)
    assert repository(str(tmp_path))["head"] == ""


@pytest.mark.parametrize("content", [b"", b"gitdir: ", b"gitdir: /nonexistent", b"gitdir: \0", b"\xff", b"HEAD"])
def test_a_git_file_that_leads_nowhere(tmp_path: Path, content: bytes) -> None:
    (tmp_path / ".git").write_bytes(content)
    assert repository(str(tmp_path)) == {}


@pytest.mark.parametrize("place", [".git", ".git/HEAD"])
def test_a_fifo_is_passed_over(tmp_path: Path, place: str) -> None:
    (tmp_path / place).parent.mkdir(exist_ok=True)
    os.mkfifo(tmp_path / place)
    assert repository(str(tmp_path)) == {}


def test_a_fifo_that_has_something_to_say_is_not_read(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    os.mkfifo(tmp_path / ".git" / "HEAD")
    both_ends = os.open(tmp_path / ".git" / "HEAD", os.O_RDWR | os.O_NONBLOCK)
    os.write(both_ends, b"ref: refs/heads/main\n")
    assert repository(str(tmp_path)) == {}
    assert os.read(both_ends, 99) == b"ref: refs/heads/main\n"
    os.close(both_ends)


@pytest.mark.parametrize("place", ["refs/heads/main", "packed-refs", "commondir"])
def test_a_fifo_in_place_of_a_ref(rates: Path, place: str) -> None:
    head = "" if place == "refs/heads/main" else git(rates, "rev-parse", "HEAD")  # git itself would wait now
    (rates / ".git" / place).unlink(missing_ok=True)
    os.mkfifo(rates / ".git" / place)
    assert repository(str(rates)) == {"branch": "main", "head": head, "worktree": str(rates), "linked": False}


def test_a_socket_and_a_link_loop_in_place_of_head(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # a socket's path is short
    for name in ("a", "b"):
        (tmp_path / name / ".git").mkdir(parents=True)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("a/.git/HEAD")
        assert repository(str(tmp_path / "a")) == {}
    (tmp_path / "b" / ".git" / "HEAD").symlink_to("HEAD")
    assert repository(str(tmp_path / "b")) == {}


def test_a_dangling_link_is_no_repository(rates: Path) -> None:
    (rates / "below").mkdir()
    (rates / "below" / ".git").symlink_to(rates / "gone")
    assert repository(str(rates / "below")) == as_git_says(rates)  # so does git


@pytest.mark.parametrize("folder", ["", ".", "relative/path", "/", "/nonexistent/\0", "/\ud800", "/" + "x" * 10_000])
def test_outside_of_a_repository(folder: str, rates: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(rates)
    assert repository(folder) == {}


# Files ------------------------------------------------------------------------------------------------------


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "rates.py"
    path.write_text("RATE = 1\n", encoding="utf-8")
    return path


def test_a_mark_is_size_and_time(source: Path) -> None:
    os.utime(source, ns=(0, 1_795_262_400_123_999_999))
    [one] = with_file_states([file_item(source)], 0)
    assert one == {**file_item(source), "size": 9, "mtime": 1_795_262_400_123}


def test_only_files_touched_in_this_save_are_marked(source: Path) -> None:
    items = [file_item(source, 5), file_item(source, 6), {**file_item(source, 7), "kind": "found"}]
    assert ["size" in one for one in with_file_states(items, 5)] == [False, True, False]


def test_the_newest_are_marked_and_the_order_stays(source: Path) -> None:
    items = [file_item(source, position) for position in (3, 9, 1, 8, 2)]
    told = with_file_states(items, 0, limit=2)
    assert [one["position"] for one in told] == [3, 9, 1, 8, 2]
    assert [one["position"] for one in told if "size" in one] == [9, 8]
    assert all("size" not in one for one in items)


def odd_places(folder: Path) -> dict[str, str]:
    """Paths at which no regular file stands."""
    (folder / "loop").symlink_to("loop")
    (folder / "dangling").symlink_to("nothing")
    (folder / "file").write_text("x", encoding="utf-8")
    os.mkfifo(folder / "fifo")
    return {"folder": str(folder), "loop": str(folder / "loop"), "dangling": str(folder / "dangling"), "nul": "/a\0b",
            "below-a-file": str(folder / "file" / "x"), "fifo": str(folder / "fifo"), "relative": "file", "empty": "",
            "surrogate": "/\ud800", "cut": str(folder / "fi") + "…", "long": "/" + "x" * 5_000, "device": os.devnull}


def test_odd_places_are_neither_marked_nor_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    items = [file_item(path) for path in odd_places(tmp_path).values()]
    assert with_file_states(items, 0) == items
    assert look_at(*items)["files"] == {}


def test_a_mark_outlives_a_file_that_is_gone(source: Path) -> None:
    first = with_file_states([file_item(source)], 0)
    source.unlink()
    assert with_file_states(first, 0) == first
    assert look_at(*first)["files"] == {str(source): "gone"}


def replaced_by(make: Callable[[Path], object]) -> Callable[[Path], None]:
    def change(path: Path) -> None:
        path.unlink()
        make(path)
    return change


def written(text: str, seconds: int) -> Callable[[Path], None]:
    def change(path: Path) -> None:
        path.write_text(text, encoding="utf-8")
        os.utime(path, (seconds, seconds))
    return change


def below_a_file(path: Path) -> None:
    path.unlink()
    folder = path.parent
    folder.rmdir()
    folder.write_text("", encoding="utf-8")


CHANGES: dict[str, tuple[Callable[[Path], object], str]] = {
    "nothing": (lambda path: path.read_text(encoding="utf-8"), "unchanged"),
    "longer": (lambda path: path.write_text("RATE = 10\n", encoding="utf-8"), "changed"),
    "same-size": (written("RATE = 2\n", 9), "changed"),
    "same-time": (written("", 5), "changed"),
    "touched": (written("RATE = 1\n", 6), "changed"),
    "older": (written("RATE = 1\n", 1), "changed"),
    "before-1970": (written("RATE = 1\n", -9), "changed"),
    "removed": (Path.unlink, "gone"),
    "folder-removed": (below_a_file, "gone"),
    "folder": (replaced_by(Path.mkdir), "changed"),
    "fifo": (replaced_by(os.mkfifo), "changed"),
    "dangling-link": (replaced_by(lambda path: path.symlink_to("nothing")), "gone"),
    "link-loop": (replaced_by(lambda path: path.symlink_to(path)), ""),
}


@pytest.mark.parametrize("name", CHANGES)
def test_what_became_of_a_file(tmp_path: Path, name: str) -> None:
    path, (change, told) = tmp_path / "src" / "rates.py", CHANGES[name]
    path.parent.mkdir()
    path.write_text("RATE = 1\n", encoding="utf-8")
    os.utime(path, (5, 5))
    items = with_file_states([file_item(path)], 0)
    assert items[0]["size"] == 9
    change(path)
    assert look_at(*items)["files"] == ({str(path): told} if told else {})


def test_a_file_that_may_not_be_seen_is_not_told(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    items = with_file_states([file_item(source)], 0)

    def refuse(*_: object) -> None:
        raise PermissionError(13, "denied")
    monkeypatch.setattr(os, "stat", refuse)
    assert look_at(*items, folder="")["files"] == {}


def test_without_a_mark_nothing_is_told(source: Path) -> None:
    assert look_at(file_item(source), file_item(source.parent / "never-here.py"))["files"] == {}


def test_changed_files_come_first_then_the_newest(tmp_path: Path) -> None:
    paths = [tmp_path / f"{number}.py" for number in range(6)]
    for path in paths:
        path.write_text("", encoding="utf-8")
    items = with_file_states([file_item(path, 10 + number, edits=int(number in (1, 2)))
                    for number, path in enumerate(paths)], 0)
    assert list(look_at(*items, limit=3)["files"]) == [str(paths[number]) for number in (2, 1, 5)]


@pytest.fixture
def stats(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every path that os.stat is asked about."""
    asked: list[str] = []
    real = os.stat

    def counted(path: Any, **more: Any) -> os.stat_result:
        asked.append(str(path))
        return real(path, **more)
    monkeypatch.setattr(os, "stat", counted)
    return asked


@pytest.mark.parametrize("limit", [0, 1, 40])
@pytest.mark.parametrize("count", [0, 1, 41, 500])
def test_never_more_than_the_limit_is_looked_at(stats: list[str], tmp_path: Path, limit: int, count: int) -> None:
    items = [file_item(tmp_path / str(number), number + 1, mtime=1, size=1) for number in range(count)]
    extra = [command_item(f"pytest {number}") for number in range(50)] + [job_item("sleep 12345")]
    stats.clear()
    look_at(*items, *extra, folder="", limit=limit)
    assert len(stats) == min(limit, count)
    stats.clear()
    with_file_states(items, 0, limit)
    assert len(stats) == min(limit, count)


# Checks that passed, and what changed after them ------------------------------------------------------------

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


def touched(folder: Path, name: str, seconds: float) -> Path:
    """A file that changed at that time."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("x", encoding="utf-8")
    os.utime(path, ns=(0, int(seconds * 1_000) * 1_000_000))
    return path


def test_a_check_is_stale_when_the_disk_says_so(tmp_path: Path) -> None:
    old, new = touched(tmp_path, "old.py", NOON - 7_200), touched(tmp_path, "new.py", NOON)
    check = command_item("pytest -q")
    assert look_at(file_item(old), check, folder=tmp_path)["stale"] == {}
    assert look_at(file_item(old), file_item(new), check, folder=tmp_path)["stale"] == {check["key"]: str(new)}


@pytest.mark.parametrize(("seconds", "expected"), [(NOON, False), (NOON + 0.001, True), (NOON - 0.001, False)])
def test_the_moment_counts_to_the_millisecond(tmp_path: Path, seconds: float, expected: bool) -> None:
    path = touched(tmp_path, "a.py", seconds)
    told = look_at(file_item(path), command_item("pytest", last=AFTER), folder=tmp_path)
    assert bool(told["stale"]) is expected


def test_the_file_that_changed_last_is_told(tmp_path: Path) -> None:
    paths = [touched(tmp_path, f"{number}.py", NOON + place) for number, place in enumerate((1, 3, 2))]
    touched(tmp_path, "README.md", NOON + 9)
    items = [*map(file_item, paths), file_item(tmp_path / "README.md")]
    check = command_item("make test")
    assert look_at(*items, check, folder=tmp_path)["stale"] == {check["key"]: str(paths[1])}


def test_a_read_after_the_check_is_no_change(tmp_path: Path) -> None:
    path = touched(tmp_path, "a.py", NOON - 7_200)
    told = look_at(file_item(path, last=AFTER, uses=3, edits=2), command_item("pytest"), folder=tmp_path)
    assert told["stale"] == {}


@pytest.mark.parametrize(("edits", "last", "expected"), [(1, AFTER, True), (0, AFTER, False), (1, BEFORE, False)])
def test_of_a_file_that_is_not_here_its_edits_count(tmp_path: Path, edits: int, last: str, expected: bool) -> None:
    told = look_at(file_item(tmp_path / "gone.py", edits=edits, last=last), command_item("pytest"), folder=tmp_path)
    assert bool(told["stale"]) is expected


@pytest.mark.parametrize("more", [{"ok": False}, {"ok": None}, {"last": ""}, {"last": AFTER}, {"kind": "failure"}])
def test_other_commands_are_not_stale(tmp_path: Path, more: Record) -> None:
    path = touched(tmp_path, "a.py", NOON)
    assert look_at(file_item(path), command_item("pytest", **more), folder=tmp_path)["stale"] == {}


@pytest.mark.parametrize("seconds", [-NOON, -1, 0, 2**33, 2**34])
def test_strange_times_of_files_do_no_harm(tmp_path: Path, seconds: int) -> None:
    path = touched(tmp_path, "a.py", seconds)
    told = look_at(file_item(path), command_item("pytest"), folder=tmp_path)
    assert bool(told["stale"]) is (os.stat(path).st_mtime > NOON)


@pytest.mark.parametrize("time_told", [1 << 62, -(1 << 62)])
def test_a_time_that_no_calendar_knows(source: Path, monkeypatch: pytest.MonkeyPatch, time_told: int) -> None:
    monkeypatch.setattr(file_states, "file_state", lambda _: {"size": 1, "mtime": time_told})
    assert bool(look_at(file_item(source), command_item("pytest"), folder=source.parent)["stale"]) is (time_told > 0)


def test_without_a_working_folder_nothing_is_stale(tmp_path: Path) -> None:
    path = touched(tmp_path, "a.py", NOON)
    assert compared_now({"items": [file_item(path), command_item("pytest")], "state": {}}, seconds=NO_LIMIT)["stale"] == {}


@given(st.text(st.sampled_from("abtes/.&|;'\"$() -~\n\0:\\"), max_size=60))
def test_any_command_is_taken(command: str) -> None:
    for prefix in ("", "pytest ", "cd ", "cd a && ruff check "):
        assert is_stale(prefix + command, "src/a/one.py") in (True, False)


def test_a_long_command_takes_no_long_time() -> None:
    started = time.monotonic()
    for part in ("a && ", "cd a && ", "test", "( ", "npm i; ", "x " * 9 + "|| "):
        re.match(VERIFYING, part * 600)
        is_stale(part * 600, "src/a/one.py")
    assert time.monotonic() - started < 20


# Processes --------------------------------------------------------------------------------------------------

on_linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux tells command lines in /proc")
RUN = ("sleep 61.{0} && echo 'it''s over'", 'sleep 61.{0} | cat > "/dev"/nul\\l', "sleep 61.{0}; echo \"a 'b' \\$c\"")


def as_the_client_runs(command: str) -> list[str]:
    """The argument list with which clients 2.1.76 to 2.1.329 start a command."""
    quoted = command.replace("'", "'\"'\"'")
    return ["bash", "-c", f"shopt -u extglob 2>/dev/null || true && eval '{quoted}' < /dev/null && pwd -P >| /dev/null"]


def gone(process: subprocess.Popen[bytes]) -> None:
    """Ends the process and what it started."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def wait_until(told: Callable[[], bool]) -> None:
    """Waits for what the system does in its own time, as putting a program in its place, or ending its children."""
    end = time.monotonic() + 10  # seconds
    while not told():
        assert time.monotonic() < end
        time.sleep(0.005)


@pytest.fixture
def start() -> Iterator[Callable[[list[str]], subprocess.Popen[bytes]]]:
    """Starts processes, each as the head of a group, which ends with the test."""
    started: list[subprocess.Popen[bytes]] = []

    def begin(arguments: list[str]) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(arguments, start_new_session=True, stdout=subprocess.DEVNULL)
        started.append(process)
        wait_until(lambda: Path(f"/proc/{process.pid}/cmdline").read_bytes().startswith(arguments[0].encode()))
        return process
    yield begin
    for process in started:
        gone(process)


Start = Callable[[list[str]], "subprocess.Popen[bytes]"]


@on_linux
@pytest.mark.parametrize("number", range(len(RUN)))
def test_a_job_is_there_until_its_process_ends(start: Start, number: int) -> None:
    command = RUN[number].format(os.getpid())
    process = start(as_the_client_runs(command))
    other = job_item(f"sleep 62.{os.getpid()}", "b2")
    assert look_at(job_item(command), other)["jobs"] == {"b1": True, "b2": False}
    gone(process)
    wait_until(lambda: look_at(job_item(command), other)["jobs"] == {"b1": False, "b2": False})


@on_linux
@pytest.mark.parametrize("text", [
    "API_KEY=[redacted: password] sleep 61.{0} && true", "sleep 61.{0} && tr…", "  sleep\n61.{0}  && true ",
    "sleep 61.{0} < /dev/null && true"])
def test_a_command_that_was_stored_with_losses_is_found(start: Start, text: str) -> None:
    start(as_the_client_runs(f"API_KEY=abcdefgh sleep 61.{os.getpid()} && true"))
    assert look_at(job_item(text.format(os.getpid())))["jobs"] == {"b1": True}


@on_linux
def test_what_a_shell_left_running_is_found(start: Start) -> None:
    start(["sleep", f"61.{os.getpid()}"])
    assert look_at(job_item(f"sleep 61.{os.getpid()} &"))["jobs"] == {"b1": True}


@on_linux
@pytest.mark.parametrize("more", [
    {"tool": "Task"}, {"tool": ""}, {"tool": "PowerShell"}, {"status": "ended"}, {"kind": "command"}, {"text": "ls -l"},
    {"text": ""}, {"text": "[redacted: token]…"}])
def test_what_has_no_process_of_its_own_is_not_told(more: Record) -> None:
    assert look_at({**job_item("sleep 61.5"), **more})["jobs"] == {}


@on_linux
def test_a_job_without_its_tool_is_not_told() -> None:
    job = job_item("sleep 61.5")
    del job["tool"]
    assert look_at(job)["jobs"] == {}


@on_linux
def test_this_process_and_its_parents_do_not_count() -> None:
    job = job_item("serve --port 61")
    program = ("import sys; sys.path.insert(0, sys.argv[1]); from present_state import compared;"
               f"print(compared({{'items': [{job}], 'state': {{}}}}, 40, 60))")
    scripts = str(Path(present_state.__file__).parent)
    told = subprocess.run(["sh", "-c", '"$0" -c "$1" "$2" "$3"; true', sys.executable, program, scripts,
                           "serve --port 61"], capture_output=True, text=True, check=True).stdout
    assert "'jobs': {'b1': False}" in told


@on_linux
def test_another_users_process_does_not_count(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    command = f"sleep 61.{os.getpid()} && true"
    start(as_the_client_runs(command))
    monkeypatch.setattr(os, "geteuid", lambda: 54_321)
    assert look_at(job_item(command))["jobs"] == {"b1": False}


def test_a_machine_without_proc_tells_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disk, "beginning", lambda *_: b"")
    monkeypatch.setattr(os, "scandir", None)
    assert look_at(job_item("sleep 61.5"))["jobs"] == {}


@on_linux
def test_no_job_reads_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "scandir", None)
    assert look_at(job_item("look into it", tool="Task"))["jobs"] == {}


# Bounds -----------------------------------------------------------------------------------------------------


def test_with_no_time_only_the_repository_is_told(rates: Path) -> None:
    path = touched(rates, "a.py", NOON)
    items = [*with_file_states([file_item(path, last=AFTER)], 0), command_item("pytest"), job_item("sleep 61.5")]
    assert look_at(*items, folder=rates, seconds=NO_LIMIT)["stale"]
    told = look_at(*items, folder=rates, seconds=0)
    assert told == {"repository": as_git_says(rates), "files": {}, "stale": {}, "jobs": {}}


@on_linux
def test_a_job_is_not_called_ended_when_time_ran_out(monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = iter(range(1_000))
    monkeypatch.setattr(time, "monotonic", lambda: next(ticks))
    assert look_at(job_item("sleep 61.5"), seconds=3)["jobs"] == {}
    assert look_at(job_item("sleep 61.5"), seconds=900)["jobs"] == {"b1": False}


def ten_thousand(folder: Path) -> list[Record]:
    """Items of all kinds that are looked at; the 40 newest files are there, and changed after every check."""
    paths = [touched(folder, f"src/{number}.py", NOON) for number in range(40)]
    paths += [folder / f"x{number}" / "y.py" for number in range(4_960)]
    items = [file_item(path, 10_000 - number, size=1, mtime=1) for number, path in enumerate(paths)]
    items += [command_item(f"pytest tests/{number} -k 'a or b'") for number in range(4_000)]
    return items + [job_item(f"sleep 61.{number}", f"b{number}") for number in range(1_000)]


@pytest.mark.parametrize(("steps", "files", "checks"), [(1, 0, 0), (11, 10, 0), (41, 40, 0), (1_041, 40, 0),
                                                        (1_051, 40, 10), (5_041, 40, 4_000)])
def test_ten_thousand_items_are_cut_short(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, steps: int, files: int, checks: int
) -> None:
    ticks = iter(range(100_000))
    monkeypatch.setattr(time, "monotonic", lambda: next(ticks))
    told = look_at(*ten_thousand(tmp_path), folder=tmp_path, seconds=steps)
    assert (len(told["files"]), len(told["stale"]), told["jobs"]) == (files, checks, {})


@on_linux
def test_of_ten_thousand_items_all_is_told_when_there_is_time(tmp_path: Path) -> None:
    told = look_at(*ten_thousand(tmp_path), folder=tmp_path)
    assert (len(told["files"]), len(told["stale"]), len(told["jobs"])) == (40, 4_000, 40)


def test_nothing_at_all() -> None:
    assert look_at(folder="") == {"repository": {}, "files": {}, "stale": {}, "jobs": {}}
    assert compared_now({"items": [], "state": {}}) == {"repository": {}, "files": {}, "stale": {}, "jobs": {}}
    assert with_file_states([], 0) == []


# By hand ----------------------------------------------------------------------------------------------------


def test_by_hand_it_prints_the_repository(rates: Path) -> None:
    for arguments, folder in (([str(rates)], rates.parent), ([], rates)):
        told = subprocess.run([sys.executable, "-IS", present_state.__file__, *arguments], cwd=folder, check=True,
                              capture_output=True, text=True).stdout
        assert told.splitlines()[:2] == ["branch: main", f"head: {git(rates, 'rev-parse', 'HEAD')}"]


def test_it_imports_little() -> None:
    source = Path(present_state.__file__).read_text(encoding="utf-8").partition("TYPE_CHECKING")[0]
    assert set(re.findall(r"^(?:from|import) (\S+)", source, re.MULTILINE)) == {
        "__future__", "collections.abc", "os", "re", "stat", "sys", "time"}
