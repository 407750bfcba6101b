"""Which files no check looks at."""

from __future__ import annotations

import pytest

from compact_keeper.record.checks.checked_files import is_unchecked


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
