"""Folders of old sessions: one that cannot be removed keeps no other."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from compact_keeper.store.retention import forget_old_sessions


def test_a_session_that_cannot_be_removed_keeps_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMPACT_KEEPER_HOME", str(tmp_path))
    for number in range(6):
        folder = tmp_path / "sessions" / f"s{number}"
        folder.mkdir(parents=True)
        (folder / "memory.json").write_text("{}", encoding="utf-8")
        os.utime(folder / "memory.json", (1, 1))
    unlink = os.unlink

    def refuse(path: str) -> None:
        if f"{os.sep}s3{os.sep}" in path:
            raise PermissionError(f"not {path}")
        unlink(path)
    monkeypatch.setattr(os, "unlink", refuse)
    forget_old_sessions(str(tmp_path / "sessions" / "own"), 30)
    assert os.listdir(tmp_path / "sessions") == ["s3"]
    line, = (tmp_path / "hook.log").read_text(encoding="utf-8").splitlines()
    assert "old sessions: not " in line
