"""A command line in the shell's language."""

from __future__ import annotations

from compact_keeper.record.commands.shell import pieces_of


def test_a_line_is_taken_apart_at_its_signs_alone() -> None:
    assert pieces_of("a 'b && c' \"d; e\" $(f | g) 2>&1 | h && i\nj & k") == [
        ("a 'b && c' \"d; e\" $(f | g) 2>&1", "|"), ("h", "&&"), ("i", "\n"), ("j", "&"), ("k", "")]
