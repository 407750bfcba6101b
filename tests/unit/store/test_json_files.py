"""Files of ours are replaced whole, with fields that are JSON already as with others."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path

import pytest

from compact_keeper.store.disk import state_of_file
from compact_keeper.store.json_files import encoded_json, read_store, refuse_later_version, replace_store
from compact_keeper.store.refusal import Refusal


@pytest.mark.parametrize("value", [[], {}, "", None, "a\ud800\"b\\", [{"text": "}, \"items\": [", "number": 1.5}]])
def test_a_field_that_is_json_already_is_read_as_any_other(tmp_path: Path, value: object) -> None:
    path, other = str(tmp_path / "one.json"), str(tmp_path / "other.json")
    replace_store(path, {"items": value, "position": 3})
    replace_store(other, {"items": value, "position": 3}, items=encoded_json(value))
    assert read_store(path) == read_store(other)
    assert read_store(path)["position"] == 3


@pytest.mark.parametrize(("text", "is_refused"), [
    ('{"schema": 1, "text": "x"}', False), ('{"text": "x", "schema": 1}', False), ("torn", False), ("", False),
    ('{"schema": 2, "text": "x"}', True), ('{"schema": 11}', True), ('{"text": "x", "schema": 2}', True)])
def test_a_later_versions_file_is_not_replaced(tmp_path: Path, text: str, is_refused: bool) -> None:
    path = tmp_path / "note.json"
    refuse_later_version(str(path))
    path.write_text(text, encoding="utf-8")
    with pytest.raises(Refusal) if is_refused else nullcontext():
        refuse_later_version(str(path))


def test_a_file_that_another_process_has_written_is_known_without_reading_it(tmp_path: Path) -> None:
    path = str(tmp_path / "memory.json")
    states = [state_of_file(path)]
    for _ in range(2):
        replace_store(path, {"position": 3})
        states.append(state_of_file(path))
    assert states[0] == ()
    assert len({*states}) == 3
    assert state_of_file(path) == states[-1]
