"""The mark that names the compaction after which no prompt has asked the archive yet."""

from __future__ import annotations

from pathlib import Path

import pytest

from compact_keeper.store.unasked import leave_unasked, take_unasked


def test_the_newest_compaction_is_taken_once(tmp_path: Path) -> None:
    leave_unasked(str(tmp_path), "a1b2c3d4")
    leave_unasked(str(tmp_path), "d4c3b2a1")
    assert [take_unasked(str(tmp_path)), take_unasked(str(tmp_path))] == ["d4c3b2a1", ""]


@pytest.mark.parametrize("content", [b"", b"../../etc", b"a1b2c3d4 not an id", b"\xff\xfe", b"\0"])
def test_what_is_no_id_is_nobodys(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "unasked").write_bytes(content)
    assert take_unasked(str(tmp_path)) == ""
    assert not (tmp_path / "unasked").exists()


def test_what_is_no_file_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMPACT_KEEPER_HOME", str(tmp_path / "home"))
    (tmp_path / "unasked").mkdir()
    assert take_unasked(str(tmp_path)) == ""
    assert (tmp_path / "unasked").is_dir()
