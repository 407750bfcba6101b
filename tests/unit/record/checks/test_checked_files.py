"""Which files no check looks at, and which changed after it ran."""

from __future__ import annotations

from typing import Any

import pytest

from compact_keeper.record.checks.checked_files import is_unchecked, with_changes_since
from compact_keeper.record.checks.runs import check_runs
from git_items import ROOT, edited, ran


@pytest.mark.parametrize(("path", "expected"), [
    ("", False), ("/", False), (".", False), ("README.md", True), ("src/notes.TXT", True), ("LICENSE", True),
    ("licence.py", True), ("CHANGELOG", True), ("uv.lock", True), ("package-lock.json", True), ("go.sum", True),
    ("web/pnpm-lock.yaml", True), ("docs/conf.py", True), ("web/dist/app.js", True), ("target/debug/x.rs", True),
    ("web/node_modules/x/index.js", True), (".claude/settings.json", True), ("tmp/probe.py", True), ("out.log", True),
    ("src/a/one.py", False), ("src/builder/dist.py", False), (".eslintrc.js", False), ("requirements.txt", False),
    ("CMakeLists.txt", False), ("package.json", False), ("docs.py", False), ("src/buildings/a.py", False),
    ("x/" * 5_000 + "a.py", False)])
def test_what_no_check_looks_at(path: str, expected: bool) -> None:
    assert is_unchecked(path) is expected


@pytest.mark.parametrize(("away", "is_changed"), [
    ([], False), ([(3, 6)], True), ([(3, 4)], False), ([(6, 7)], False), ([(3, 4), (4, 6)], True)])
def test_what_a_stash_had_while_a_check_ran_came_back_after_it(away: list[tuple[int, int]], is_changed: bool) -> None:
    [run] = check_runs([ran(5, "pytest", "failed", "1 failed", family="test")])
    edit: Any = {**edited(1, "a.py"), "away": away}
    assert with_changes_since(run, [edit], ROOT)["edited_after"] == ["a.py"] * is_changed


@pytest.mark.parametrize(("command", "files"), [
    ("cd ~/rates && pytest", ["a.py"]), ("cd ~/other && pytest", []), ("cd ~ && pytest rates", ["a.py"])])
def test_a_home_in_the_command_is_the_session_s(command: str, files: list[str]) -> None:
    [run] = check_runs([ran(5, command, "passed", "9 passed", family="test")])
    edit: Any = {**edited(7, "a.py"), "path": "/home/ada/rates/a.py"}
    assert with_changes_since(run, [edit], "/home/ada/rates")["edited_after"] == files
