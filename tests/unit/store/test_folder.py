"""The data folder: one place, whatever folder a script runs in."""

from __future__ import annotations

from pathlib import Path

import pytest

from compact_keeper.store.folder import data_home, private_folder, why_not_writable
from compact_keeper.store.refusal import Refusal, fault_words


@pytest.mark.parametrize("name", ["COMPACT_KEEPER_HOME", "CLAUDE_CONFIG_DIR"])
def test_a_data_folder_of_each_working_folder_is_refused(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COMPACT_KEEPER_HOME")
    monkeypatch.setenv(name, "data")
    with pytest.raises(Refusal, match="is no full path"):
        private_folder("sessions")
    with pytest.raises(Refusal, match="is no full path"):  # so those that only read say the same
        data_home()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("place", "why"), [
    ("", ""), ("new/and/deeper", ""), ("file", "file: Not a directory"), ("file/below", "file: Not a directory"),
    ("loop", "loop: Too many levels of symbolic links")])
def test_why_nothing_can_be_kept(tmp_path: Path, place: str, why: str) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    before = sorted(tmp_path.rglob("*"))
    assert why_not_writable(str(tmp_path / place)) == (why and f"{tmp_path}/{why}")
    assert sorted(tmp_path.rglob("*")) == before


def test_why_nothing_can_be_kept_in_a_place_of_the_system() -> None:
    assert why_not_writable("/proc/self/home") == "/proc/self: No such file or directory"


@pytest.mark.parametrize(("fault", "words"), [
    (FileExistsError(17, "File exists", "/srv/data"), "/srv/data: File exists"),
    (OSError(28, "No space left on device"), "No space left on device"), (OSError("timed out"), "timed out"),
    (Refusal("/srv/data is a link"), "/srv/data is a link"), (ValueError(), "")])
def test_a_fault_is_told_without_its_number(fault: Exception, words: str) -> None:
    assert fault_words(fault) == words
