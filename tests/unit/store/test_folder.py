"""The data folder: one place, whatever folder a script runs in."""

from __future__ import annotations

from pathlib import Path

import pytest

from compact_keeper.store.folder import private_folder
from compact_keeper.store.refusal import Refusal


@pytest.mark.parametrize("name", ["COMPACT_KEEPER_HOME", "CLAUDE_CONFIG_DIR"])
def test_a_data_folder_of_each_working_folder_is_refused(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COMPACT_KEEPER_HOME")
    monkeypatch.setenv(name, "data")
    with pytest.raises(Refusal, match="is no full path"):
        private_folder("sessions")
    assert list(tmp_path.iterdir()) == []
