"""Paths of all systems in one form."""

from __future__ import annotations

import pytest

from compact_keeper.text.paths import (
    are_apart,
    as_compared,
    ends_in,
    forms_of_folder,
    from_root,
    is_at_or_below,
    is_below,
    is_named_in,
    is_path_named_in,
    is_whole_path,
    last_parts,
    may_name,
    names_in_lists,
    same_file,
    whole_path,
    with_end_slash,
    with_home,
    with_slashes,
    without_folder,
)


@pytest.mark.parametrize(("path", "expected"), [
    ("C:\\srv\\rates\\a.py", "C:/srv/rates/a.py"), ("c:\\a", "c:/a"), ("\\\\host\\share\\a", "//host/share/a"),
    ("C:/srv\\a", "C:/srv\\a"), ("/srv/a\\b", "/srv/a\\b"), ("a\\b", "a\\b"), ("", ""), ("\\", "\\"), ("C:", "C:")])
def test_a_path_of_windows_has_slashes_and_no_other_changes(path: str, expected: str) -> None:
    assert with_slashes(path) == expected


@pytest.mark.parametrize(("folder", "expected"), [
    ("/srv/rates", ["/srv/rates/"]), ("/srv/rates/", ["/srv/rates/"]),
    ("D:\\rates", ["D:/rates/", "d:/rates/", "D:\\rates\\", "d:\\rates\\", "/d/rates/", "/mnt/d/rates/"])])
def test_how_paths_below_a_folder_may_begin(folder: str, expected: list[str]) -> None:
    assert forms_of_folder(folder) == expected


@pytest.mark.parametrize(("path", "expected"), [
    ("/srv/a", True), ("~/a", True), ("C:/a", True), ("d:\\a", True), ("a/b", False), ("./a", False), ("../a", False),
    ("$HOME/a", False), ("c:a", False), ("", False)])
def test_whether_a_path_is_whole(path: str, expected: bool) -> None:
    assert is_whole_path(path) is expected


@pytest.mark.parametrize(("folder", "expected"), [("/srv/a", "/srv/a/"), ("/srv/a/", "/srv/a/"), ("/", "/"), ("", "")])
def test_a_folder_ends_with_one_slash(folder: str, expected: str) -> None:
    assert with_end_slash(folder) == expected


@pytest.mark.parametrize(("path", "root", "expected"), [
    ("/srv/a/b", "/srv/a", True), ("/srv/a/b", "/srv/a/", True), ("/srv/a", "/srv/a", True),
    ("/srv/ab", "/srv/a", False),
    ("~/a/b", "/home/ada/a", True), ("~/b", "/home/ada/a", False), ("b", "/srv/a", True), ("/srv/b", "", True),
    ("D:/srv/a/b", "D:/srv/a", True), ("D:/srv/b", "D:/srv/a", False), ("d:\\b", "D:/srv/a", False),
    ("/d/b", "D:/srv/a", False), ("~/b", "D:/srv/a", False),
    ("/c/Rates/src", "c:\\rates", True), ("/mnt/c/rates", "C:/Rates", True), ("C:/rates/a", "/mnt/c/rates", True),
    ("/c/rates2", "C:/rates", False), ("/d/rates", "C:/rates", False), ("/srv/Rates", "/srv/rates", False),
    ("/c", "C:/", True), ("/mnt/cd/a", "C:/", False), ("C:/a", "/srv", False)])
def test_whether_a_path_lies_below_a_folder(path: str, root: str, expected: bool) -> None:
    assert is_below(path, root) is expected


@pytest.mark.parametrize(("path", "root", "expected"), [
    ("~/rates", "/home/ada/rates", "/home/ada/rates"), ("~", "/home/ada/rates", "/home/ada"),
    ("~/a", "C:/Users/ada/b", "C:/Users/ada/a"), ("~/a", "/srv/rates", "/home/user/a"),
    ("~bob/a", "/home/ada", "~bob/a"),
    ("a/~/b", "/home/ada", "a/~/b"), ("", "/home/ada", "")])
def test_a_home_is_the_one_in_which_the_session_works(
        path: str, root: str, expected: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/user")
    assert with_home(path, root) == expected


@pytest.mark.parametrize(("name", "text", "expected"), [
    ("", "", False), ("a.py", "in a.py:3", True), ("a.py", "in b.py", False), ("a.py", "src/a.py.", True),
    ("a.py", "data.py", False), ("main.c", "main.cpp", False), ("test.py", "latest.py", False),
    ("a.js", "a.json", False), ("a.py", "a.py.bak or my-a.py or a.py_", False), ("a.py", "data.py, then a.py", True),
    ("a.py", "a.py", True), ("a.py", "a.py...", True), ("", "a b", False),
    ("ZoneRateHelper.kt", "ZoneRateHelper sorts", True), ("ZoneRateHelper.kt", "ZoneRateHelpers sort", False),
    ("notes.md", "请看notes.md和plan.md", True), ("notes.md", "见mynotes.md", False), ("表.md", "新表.md", False),
    ("types.ts", "its types", False), ("Zone.kt", "the Zone", False), ("settings.py", "the settings", False)])
def test_whether_a_text_names_a_file(name: str, text: str, expected: bool) -> None:
    assert is_named_in(name, text) is expected


@pytest.mark.parametrize(("text", "names"), [
    ("", ""), ("a.py, b.py", ""), ("{", ""), ("a{b\nc}", ""), ("{}", ""), ("1/2", ""), ("v1/2 of 3.0", ""),
    ("`src/{a, b.c}.py`", "src/a.py src/b.c.py"), ("in C:\\src\\{a,b}", "\\src\\a \\src\\b"),
    ("`out\\page3/4/17.png` and 5.png", "out\\page3.png out\\page4.png out\\page17.png"),
    ("out/page3/4.png", "out/page3.png out/page4.png"), ("on 2026/11/30.", ""), ("a" * 5_000 + "{b,c}", "")])
def test_names_that_a_text_writes_as_one(text: str, names: str) -> None:
    assert names_in_lists(text).split() == names.split()


@pytest.mark.parametrize(("text", "expected"), [
    ("the leak is in `server/index.ts`", False), ("the leak is in `client/index.ts`", True), ("in index.ts:3", True),
    ("in ./client/index.ts and server/index.ts", True), ("in index.tsx", False),
    ("in\n@app/client/index.ts", False), ("(client/index.ts)", True), ("server/index.ts, client/index.ts", True)])
def test_whether_a_text_names_a_path(text: str, expected: bool) -> None:
    assert is_path_named_in("web/client/index.ts", text) is expected


@pytest.mark.parametrize(("text", "expected"), [
    ("no .env file yet", True), ("in ./.env", True), ("../../web/.env", True), ("/web/.env", True), ("api/.env", False),
    (".env.local", False), ("the env", False)])
def test_whether_a_text_names_a_path_that_begins_with_a_dot(text: str, expected: bool) -> None:
    assert is_path_named_in("/srv/web/.env", text) is expected


@pytest.mark.parametrize(("folder", "other", "expected"), [
    ("/srv/a", "/srv/b", True), ("/srv/a", "/srv/a/b", False), ("/srv/a/b", "/srv/a/", False), ("/srv/a", "b", False),
    ("", "/srv/a", False), ("C:/a", "D:/a", True), ("C:/a", "C:/a/b", False), ("C:/a", "/c/A/b", False),
    ("c:\\a", "/mnt/c/b", True)])
def test_whether_two_folders_are_certainly_apart(folder: str, other: str, expected: bool) -> None:
    assert are_apart(folder, other) is expected


@pytest.mark.parametrize(("text", "expected"), [
    ("/srv/rates/a.py:3: x", "a.py:3: x"), ("(/srv/rates/a.py, '/srv/rates/b.py')", "(a.py, 'b.py')"),
    ("sqlite:////srv/rates/a.db", "sqlite:////srv/rates/a.db"), ("file:///srv/rates/a.py", "file:///srv/rates/a.py"),
    ("host:/srv/rates/a", "host:/srv/rates/a"), ("/mnt/srv/rates/a", "/mnt/srv/rates/a"), ("", "")])
def test_paths_are_seen_from_a_folder_but_for_those_within_urls(text: str, expected: str) -> None:
    assert without_folder(text, "/srv/rates/") == expected


@pytest.mark.parametrize(("path", "root", "expected"), [
    ("/mnt/srv/a/b.py", "/srv/a", "/mnt/srv/a/b.py"), ("/srv/ab", "/srv/a", "/srv/ab"), ("b.py", "/srv/a", "b.py"),
    ("/srv/a/b.py", "", "/srv/a/b.py"), ("/srv/a/srv/a/b.py", "/srv/a/", "srv/a/b.py"), ("/b.py", "/", "b.py"),
    ("/c/Rates/Src/a.py", "c:/rates", "Src/a.py"), ("C:/Rates/a.py", "/mnt/c/rates/", "a.py"),
    ("c:/a.py", "C:/", "a.py"), ("C:/rates", "/c/rates", "C:/rates"), ("/srv/A/b.py", "/srv/a", "/srv/A/b.py")])
def test_one_path_is_seen_from_the_root(path: str, root: str, expected: str) -> None:
    assert from_root(path, root) == expected


@pytest.mark.parametrize(("path", "folder", "expected"), [
    ("src2/a.py", "src", False), ("a.py", "src/a.py", False), ("a/src/a.py", "src", False), ("src/a.py", "src", True),
    ("src", "src", True), ("src", "src/", True), ("/srv", "/", True), ("a.py", "", True)])
def test_whether_a_path_is_the_folder_or_below_it_by_its_letters(path: str, folder: str, expected: bool) -> None:
    assert is_at_or_below(path, folder) is expected


@pytest.mark.parametrize(("path", "folder", "expected"), [
    ("", "/srv/a/", "/srv/a"), ("../b", "/srv/a", "/srv/b"), ("/srv//y", "/srv/a", "/srv/y"),
    ("b/.", "/srv/a/", "/srv/a/b"), ("b", "c:\\Rates", "C:/Rates/b"), ("/c/x/../y", "/srv", "C:/y"),
    ("..", "/mnt/c/x", "C:/"), ("/mnt/cd/x", "", "/mnt/cd/x")])
def test_a_path_as_a_whole_one(path: str, folder: str, expected: str) -> None:
    assert whole_path(path, folder) == expected


@pytest.mark.parametrize(("path", "end", "expected"), [
    ("web/xa.py", "a.py", False), ("a.py", "web/a.py", False), ("a.py", "a.py", True),
    ("/srv/web/a.py", "web/a.py", True)])
def test_whether_a_path_ends_in_another(path: str, end: str, expected: bool) -> None:
    assert ends_in(path, end) is expected
    assert same_file(end, f"./{path}") is (expected or ends_in(end, path))


@pytest.mark.parametrize(("path", "other", "expected"), [
    ("C:/Rates/Src/a.py", "/c/rates/src/a.py", True), ("C:/Rates/Src/a.py", "./Src/a.py", True),
    ("/mnt/c/rates/a.py", "c:\\rates\\a.py", True), ("C:/rates/a.py", "D:/rates/a.py", False),
    ("Src/a.py", "src/a.py", False)])
def test_a_file_on_a_drive_is_the_same_however_it_is_spelled(path: str, other: str, expected: bool) -> None:
    assert same_file(path, other) is expected


@pytest.mark.parametrize(("path", "expected"), [
    ("", ""), ("a", "a"), ("/srv/A", "/srv/A"), ("/mnt", "/mnt"), ("c:A", "c:A"), ("C:\\A", "c:/a"), ("/c/A", "c:/a"),
    ("/mnt/c/A/", "c:/a/"), ("/c", "c:/"), ("a/B", "a/B")])
def test_paths_of_a_drive_are_compared_in_one_spelling(path: str, expected: str) -> None:
    assert as_compared(path) == expected


def test_the_last_parts_of_a_path() -> None:
    assert (last_parts("/srv/web/a.py", 2), last_parts("a.py", 2)) == ("web/a.py", "a.py")


@pytest.mark.parametrize(("word", "path", "expected"), [
    ("", "web/a.py", False), ("./", "web/a.py", False), ("eb", "web/a.py", False), ("other/b.py", "web/a.py", False),
    ("web/x/a.py", "web/x", False), ("../WEB/", "web/a.py", True), ("a.py", "web/a.py", True),
    ("x/a.py", "web/a.py", True),     ("app/web/a.py", "web/", True), ("web/a.py", "web/x/", False)])
def test_whether_a_word_may_name_a_path(word: str, path: str, expected: bool) -> None:
    assert may_name(word, path) is expected
