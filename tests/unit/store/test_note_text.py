"""The note that waits: whatever its file holds, what is handed over is clean, short, and taken by one process."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compact_keeper.store import note
from compact_keeper.text.sanitize import clean
from sessions import units


@given(st.text(st.characters(), max_size=3_000))
def test_any_text_is_handed_over_clean_and_cut(text: str) -> None:
    """Measured in what the client counts: something else may have changed the file."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("os.path.exists", lambda _: True)
        patch.setattr("os.replace", lambda *_: None)
        patch.setattr("compact_keeper.store.json_files.read_store", lambda _: {"schema": 1, "text": text})
        taken = note.take_note("/nowhere")
    whole = clean(text).strip("\n")
    assert units(taken) <= 2_000
    assert taken.strip("\n") == whole or (units(whole) > 2_000 and taken.endswith("…"))


def test_a_note_that_another_process_took_in_between(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.path.exists", lambda _: True)
    assert note.take_note(str(tmp_path)) == ""


@pytest.mark.parametrize(("delivered", "expected"), [
    ("", "Left out:\n- a\n- b"), ("the words of a", "Left out:\n- b"), ("the words of a and of b", ""),
    ("others", "Left out:\n- a\n- b")])
def test_what_was_put_back_is_not_told(tmp_path: Path, delivered: str, expected: str) -> None:
    waiting = {"schema": 1, "id": "5e55", "text": "Left out:\n- a\n- b", "findings": [
        {"line": "- a", "record": "words of a"}, {"line": "- b", "record": "of b"}]}
    (tmp_path / "note.json").write_text(json.dumps(waiting), encoding="utf-8")
    (tmp_path / "delivered-5e55").write_text(json.dumps({"schema": 1, "text": delivered}), encoding="utf-8")
    assert note.take_note(str(tmp_path)) == expected
    assert note.take_note(str(tmp_path)) == ""
