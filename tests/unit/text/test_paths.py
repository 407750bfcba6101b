"""Paths of all systems in one form."""

from __future__ import annotations

import pytest

from compact_keeper.text.paths import forms_of_folder, with_slashes


@pytest.mark.parametrize(("path", "expected"), [
    ("C:\\work\\rates\\a.py", "C:/work/rates/a.py"), ("c:\\a", "c:/a"), ("\\\\host\\share\\a", "//host/share/a"),
    ("C:/work\\a", "C:/work\\a"), ("/srv/a\\b", "/srv/a\\b"), ("a\\b", "a\\b"), ("", ""), ("\\", "\\"), ("C:", "C:")])
def test_a_path_of_windows_has_slashes_and_no_other_changes(path: str, expected: str) -> None:
    assert with_slashes(path) == expected


@pytest.mark.parametrize(("folder", "expected"), [
    ("/srv/rates", ["/srv/rates/"]), ("/srv/rates/", ["/srv/rates/"]),
    ("D:\\rates", ["D:/rates/", "D:\\rates\\", "/d/rates/"])])
def test_how_paths_below_a_folder_may_begin(folder: str, expected: list[str]) -> None:
    assert forms_of_folder(folder) == expected
