"""What is done behind the thing itself: each part is tried, and hook.log names those that failed, by reason."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import Any

import pytest

from compact_keeper.store.attempt import attempt_each
from compact_keeper.store.refusal import Refusal


def full(path: str) -> Any:
    """A part that fails on a full disk."""
    def part() -> None:
        raise OSError(errno.ENOSPC, "No space left on device", path)
    return part


def refused() -> None:
    """A part that fails for another reason."""
    raise Refusal("archive.db is a later version's")


def test_parts_that_fail_are_one_line_by_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMPACT_KEEPER_HOME", str(tmp_path))
    done = list[str]()
    attempt_each("behind the text", {
        "events.jsonl": full("/a/events.jsonl"), "status.json": lambda: done.append("status.json"),
        "archive": refused, "history.jsonl": full("/a/history.jsonl"), "notes.md": lambda: done.append("notes.md")})
    assert done == ["status.json", "notes.md"]
    lines = (tmp_path / "hook.log").read_text().splitlines()
    assert len(lines) == 1
    assert lines[0].endswith("behind the text, events.jsonl, history.jsonl: No space left on device; "
                             "archive: archive.db is a later version's")


def test_nothing_is_logged_where_nothing_failed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMPACT_KEEPER_HOME", str(tmp_path))
    attempt_each("behind the text", {"notes.md": lambda: None})
    assert not (tmp_path / "hook.log").exists()
