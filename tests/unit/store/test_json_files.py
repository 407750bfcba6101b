"""Files of ours are replaced whole, with fields that are JSON already as with others."""

from __future__ import annotations

from pathlib import Path

import pytest

from compact_keeper.store.json_files import encoded_json, read_store, replace_store


@pytest.mark.parametrize("value", [[], {}, "", None, "a\ud800\"b\\", [{"text": "}, \"items\": [", "number": 1.5}]])
def test_a_field_that_is_json_already_is_read_as_any_other(tmp_path: Path, value: object) -> None:
    path, other = str(tmp_path / "one.json"), str(tmp_path / "other.json")
    replace_store(path, {"items": value, "position": 3})
    replace_store(other, {"items": value, "position": 3}, items=encoded_json(value))
    assert read_store(path) == read_store(other)
    assert read_store(path)["position"] == 3
