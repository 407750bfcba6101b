"""A command line in the shell's language."""

from __future__ import annotations

import pytest

from compact_keeper.record.commands.shell import folder_of_cd, goes_to_whole_path, pieces_of


def test_a_line_is_taken_apart_at_its_signs_alone() -> None:
    assert pieces_of("a 'b && c' \"d; e\" $(f | g) 2>&1 | h && i\nj & k") == [
        ("a 'b && c' \"d; e\" $(f | g) 2>&1", "|"), ("h", "&&"), ("i", "\n"), ("j", "&"), ("k", "")]


@pytest.mark.parametrize(("words", "expected"), [
    (["cd", "'a b'"], "a b"), (["cd", "/srv"], "/srv"), (["cd"], ""), (["cd", "a", "b"], ""), (["ls", "a"], ""),
    ([], "")])
def test_where_a_change_of_folder_goes(words: list[str], expected: str) -> None:
    assert folder_of_cd(words) == expected


@pytest.mark.parametrize(("command", "expected"), [
    ("cd /srv && ls", True), ("cd \"~/a\" && ls", True), ("cd 'D:/a'; ls", True), ("cd C:\\a", True),
    ("cd a && ls", False), ("cd ../a", False), ("ls /srv", False), ("cd", False)])
def test_whether_a_line_begins_in_a_whole_path(command: str, expected: bool) -> None:
    assert goes_to_whole_path(command) is expected
