"""What each hook imports is what docs/decisions.md says, and of Python's own nothing that costs its start much."""

from __future__ import annotations

from pathlib import Path

import pytest

import imports

PAGE = Path(__file__).resolve().parents[1] / "docs" / "decisions.md"
CHEAP = {  # microseconds each, but for what the floor has
    "__future__", "_struct", "collections.abc", "encodings.utf_16_le", "fcntl", "gc", "math", "struct",
    "unicodedata"}
BY_HAND = "`record_event.py`, `/compact-keeper:pins`"  # a person asks for it: it may take its time


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, imports.Imports]:
    return imports.profile(tmp_path_factory.mktemp("profile"), runs=1)


def test_the_page_names_what_is_imported(found: dict[str, imports.Imports]) -> None:
    page = PAGE.read_text(encoding="utf-8")
    rows = (imports.row(name, one._replace(others=[])) for name, one in found.items())  # these differ by version
    assert [row for row in rows if row.rpartition("| ")[0].rstrip(" |") not in page] == []


def test_nothing_dear_is_imported(found: dict[str, imports.Imports]) -> None:
    assert {name: dear for name, one in found.items() if name != BY_HAND and (dear := set(one.others) - CHEAP)} == {}
