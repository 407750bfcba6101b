"""The person's own settings.json, as the status line looks into it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from compact_keeper.client.users_settings import users_settings, users_status_line


@pytest.mark.parametrize("content", [None, b"", b"\xff", b"{", b"[" * 50_000, b"[1]", b"7", b" " * (2 << 20) + b"{}"])
def test_what_cannot_be_read_holds_nothing(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes | None) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path))
    if content is not None:
        (tmp_path / "settings.json").write_bytes(content)
    assert (users_settings(), users_status_line()) == ({}, "")


@pytest.mark.parametrize(("line", "command"), [
    ({"type": "command", "command": "echo it's"}, "echo it's"), ({"type": "text", "command": "a"}, ""),
    ({"type": "command"}, ""), ({"type": "command", "command": ["a"]}, ""), ("a", ""), (None, ""), ([], "")])
def test_the_command_of_a_status_line(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: object, command: str) -> None:
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude" / "settings.json").write_text(json.dumps({"statusLine": line}), encoding="utf-8-sig")
    assert users_status_line() == command
