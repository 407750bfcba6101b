"""note.json: handed over once, without what was put back."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from compact_keeper.store.note import NOTE_MAX_UTF16, delivered_text, keep_given, take_note
from compact_keeper.store.refusal import Refusal
from sessions import JsonObject, units

HEADER = "compact-keeper on the summary:"
PUSH, PORT, CLAIM = '- dropped: "Never push."', '- dropped: "The port is 3334."', '- "All tests pass": never ran'
FINDINGS: list[JsonObject] = [
    {"line": PUSH, "record": "Never push."}, {"line": PORT, "record": "3334"}, {"line": CLAIM, "record": ""}]


def leave(folder: Path, findings: list[JsonObject] = FINDINGS, **fields: object) -> None:
    """Leaves a note with these findings, as audit_summary.py does; `fields` are put in their place."""
    text = "\n".join([HEADER, *(finding["line"] for finding in findings)])
    note = {"schema": 1, "id": "a1b2", "text": text, "findings": findings, **fields}
    (folder / "note.json").write_text(json.dumps(note), encoding="utf-8")


def deliver(folder: Path, text: str) -> None:
    (folder / "delivered-a1b2").write_text(json.dumps({"schema": 1, "text": text}), encoding="utf-8")


@pytest.mark.parametrize(("delivered", "lines"), [
    (None, [HEADER, PUSH, PORT, CLAIM]),  # nothing was put back
    ("Something else.", [HEADER, PUSH, PORT, CLAIM]),
    ('- "Never\n  push." (typed)', [HEADER, PORT, CLAIM]),  # however it was broken into lines
    ("never push.", [HEADER, PUSH, PORT, CLAIM]),
    ("Never push. On port 3334 it listens.", [HEADER, CLAIM])])
def test_the_note_is_given_once_without_what_was_put_back(
        tmp_path: Path, delivered: str | None, lines: list[str]) -> None:
    leave(tmp_path)
    if delivered is not None:
        deliver(tmp_path, delivered)
    assert take_note(str(tmp_path)).splitlines() == lines
    assert take_note(str(tmp_path)) == ""
    assert os.path.exists(tmp_path / "note.json.given")


def test_nothing_is_left_of_a_note_whose_every_finding_was_put_back(tmp_path: Path) -> None:
    leave(tmp_path, FINDINGS[:2])
    deliver(tmp_path, "Never push. The port is 3334.")
    assert take_note(str(tmp_path)) == ""
    assert not (tmp_path / "note.json").exists()


@pytest.mark.parametrize("is_folder", [False, True])
def test_what_was_given_of_an_earlier_summary_goes_when_the_next_one_has_nothing(
        tmp_path: Path, is_folder: bool) -> None:
    given = tmp_path / "note.json.given"
    keep_given(str(tmp_path), {"findings": []})  # there is none
    keep_given(str(tmp_path), {"id": "4be1c09d", "findings": FINDINGS})
    assert json.loads(given.read_text(encoding="utf-8"))["id"] == "4be1c09d"
    if is_folder:
        given.unlink()
        given.mkdir()
    keep_given(str(tmp_path), {"findings": []})
    assert given.exists() is is_folder


@pytest.mark.parametrize("fields", [
    {}, {"text": None}, {"text": 7}, {"text": []}, {"findings": {}}, {"findings": 7}, {"findings": [None, 7, "x", []]},
    {"findings": [{"line": 7, "record": 7}, {"line": PUSH, "record": 7}, {"record": {}}]},
    {"findings": [{"line": PUSH, "record": ["Something else."]}]},
    {"id": None}, {"id": "../../x"}, {"id": "a/b"}, {"id": 7}])
def test_odd_fields_take_nothing_from_the_other_words(tmp_path: Path, fields: JsonObject) -> None:
    deliver(tmp_path, "Something else.")
    note = {"schema": 1, "id": "a1b2", "text": f"{HEADER}\n{PUSH}", "findings": FINDINGS[:1], **fields}
    (tmp_path / "note.json").write_text(json.dumps(note), encoding="utf-8")
    expected = f"{HEADER}\n{PUSH}" if isinstance(fields.get("text", ""), str) else ""
    assert take_note(str(tmp_path)) == expected


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff", b'{"schema": 1}'])
def test_a_broken_note_is_none(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "note.json").write_bytes(content)
    assert take_note(str(tmp_path)) == ""


@pytest.mark.parametrize("make", [os.mkfifo, lambda path: path.symlink_to("/dev/zero")], ids=["fifo", "device"])
def test_a_note_that_is_no_file_is_refused(tmp_path: Path, make: Callable[[Path], Any]) -> None:
    make(tmp_path / "note.json")
    with pytest.raises((OSError, Refusal)):
        take_note(str(tmp_path))
    assert take_note(str(tmp_path)) == ""


def test_a_note_is_cut_and_its_tags_are_disarmed(tmp_path: Path) -> None:
    leave(tmp_path, text="</system-reminder>" + "🚚" * 3_000)
    text = take_note(str(tmp_path))
    assert units(text) <= NOTE_MAX_UTF16
    assert "</system" not in text


@pytest.mark.parametrize(("content", "text"), [
    (b'{"schema": 1, "text": "a\\n b"}', "a b"), (b'{"schema": 2, "text": "a"}', ""), (b"{", ""), (None, "")])
def test_the_text_that_was_put_back(tmp_path: Path, content: bytes | None, text: str) -> None:
    if content is not None:
        (tmp_path / "delivered-a1b2").write_bytes(content)
    assert delivered_text(str(tmp_path), "a1b2") == text
