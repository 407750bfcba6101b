"""A hook imports of Python's own nothing that costs its start much, and docs/decisions.md has the table of it."""

from __future__ import annotations

from pathlib import Path

import pytest

import imports

pytestmark = pytest.mark.xdist_group("imports")  # one profile for all

PAGE = Path(__file__).resolve().parents[2] / "docs" / "decisions.md"
CHEAP = {  # microseconds each, but for what the floor has
    "__future__", "_struct", "collections.abc", "encodings.utf_16_le", "fcntl", "gc", "math", "struct",
    "unicodedata"}


@pytest.fixture(scope="module")
def profiles(tmp_path_factory: pytest.TempPathFactory) -> dict[str, imports.Imports]:
    return imports.profile(tmp_path_factory.mktemp("profile"), runs=1)


def test_no_hook_imports_what_is_dear(profiles: dict[str, imports.Imports]) -> None:
    dear = {name: set(profiles[name].modules) - CHEAP for name in imports.HOOKS}
    assert {name: modules for name, modules in dear.items() if modules} == {}
    assert all(set(profiles[name].modules) - CHEAP for name in imports.ASKED_FOR)  # else the measure sees nothing


def test_the_page_has_a_row_for_each_and_names_what_a_hook_imports(profiles: dict[str, imports.Imports]) -> None:
    rows = dict(line[2:].split(" | ", 1) for line in PAGE.read_text(encoding="utf-8").splitlines()
                if line.startswith("| `"))
    assert [name for name in profiles if name not in rows] == []
    differing = {name for hook in imports.HOOKS for name in profiles[hook].modules if f"`{name}`" not in rows[hook]}
    assert differing <= {"_struct", "struct"}  # these differ by Python's version
