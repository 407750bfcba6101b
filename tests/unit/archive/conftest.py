"""A data folder for each test, so that none meets the developer's own, and the archive in it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from archived import FOREVER
from compact_keeper.archive.local_archive import Archive
from sessions import Home


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    home = Home(tmp_path / "home")
    home.path.mkdir()
    (home.path / "config.json").write_text(json.dumps(FOREVER), encoding="utf-8")
    monkeypatch.setenv("COMPACT_KEEPER_HOME", str(home.path))
    return home


@pytest.fixture
def archive(home: Home) -> Iterator[Archive]:
    archive = Archive()
    assert archive.path == str(home.path / "archive.db")
    yield archive
    archive.db.close()
