"""A data folder for the tests of figures."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty data folder, which this process takes for the person's own; so too the client's."""
    monkeypatch.setenv("COMPACT_KEEPER_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "client"))
    for name in ("CLAUDE_CODE_SESSION_ID", "CLAUDE_PROJECT_DIR", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "home").mkdir()
    return tmp_path / "home"
