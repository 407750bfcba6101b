"""Own edits that a later read shows to be gone."""

from __future__ import annotations

from typing import Any

import pytest

from compact_keeper.client.changed_lines import fingerprint, sides_of_edit
from compact_keeper.record.calls.own_edits import OwnEdits
from slow_texts import check_it_ends

OLD, NEW = "case .missingKey:\n    return text(for: key)", "case .signedOut:\n    return text(for: user)"


def edit(old: str = OLD, new: str = NEW, position: int = 1, path: str = "/p/src/Mapper.swift", **more: Any) -> Any:
    return {"kind": "action", "tool": "Edit", "path": path, "edits": 1, "position": position,
            "change": f"- {old.splitlines()[0]}\n+ {new[:20]}",
            "sides": sides_of_edit("Edit", {"old_string": old, "new_string": new}), **more}


def call(item: Any) -> Any:
    return {"what": "call", "tool": item["tool"], "path": item["path"], "ok": True, "position": item["position"]}


def read(text: str, position: int = 9, path: str = "/p/src/Mapper.swift", **more: Any) -> Any:
    rows = "\n".join(f"{number:6}→{line}" for number, line in enumerate(text.split("\n"), 1))
    return {"what": "call", "tool": "Read", "path": path, "ok": True, "body": rows, "position": position, "time": "t",
            **more}


def gone(items: list[Any], *reads: Any) -> list[str]:
    edits = OwnEdits([])
    for item in items:
        list(edits.items_of(call(item), [item]))
    return [item["seen_old"] for look in reads for item in edits.items_of(look, [])]


@pytest.mark.parametrize(("items", "shown", "expected"), [
    ([edit()], f"switch key {'{'}\n  {OLD}\n}}", ["case .missingKey:"]),
    ([edit()], f"switch key\n{NEW}", []),
    ([edit()], f"{NEW}\n{OLD}", []),  # the new text stands there too
    ([edit()], "case .missingKey:\nreturn other(key)", []),  # a line of it stands elsewhere
    ([edit(), edit(NEW, OLD, 2)], OLD, []),  # put back by an edit
    ([edit(), edit(position=3, sides=[], tool="Write")], OLD, []),  # the file was written whole
    ([edit("x = 1", "x = 2")], "x = 1", []),  # too short to be known again
    ([edit(OLD, f"{OLD}\nmore()")], OLD, []),  # only put something beside it
    ([edit(OLD, "")], f"switch\n{OLD}", ["case .missingKey:"]),
], ids=range(9))
def test_what_a_read_shows_to_be_gone(items: list[Any], shown: str, expected: list[str]) -> None:
    assert gone(items, read(shown)) == expected


def test_it_is_told_once_and_of_this_file_alone() -> None:
    assert gone([edit()], read(OLD), read(OLD, 10)) == ["case .missingKey:"]
    assert gone([edit()], read(OLD, path="/p/src/Other.swift"), read(OLD, ok=False)) == []


def test_what_is_known_from_an_earlier_save_is_watched() -> None:
    assert [item["seen_at"] for item in OwnEdits([edit()]).items_of(read(OLD), [])] == [9]
    assert [*OwnEdits([edit(seen_old="x")]).items_of(read(OLD), [])] == []


@pytest.mark.parametrize("sides", [[], ["a."], ["a.", "b.", "c."]])
def test_odd_sides_in_a_memory_are_none(sides: list[str]) -> None:
    item = edit()
    item["sides"] = sides
    assert [*OwnEdits([item]).items_of(read(OLD), [])] == []


def test_no_checksum_of_a_secret_is_kept() -> None:
    old = "login(user)\npassword = 'hunter2-but-longer'\nconnect(to: host)"
    assert sides_of_edit("Edit", {"old_string": old, "new_string": "login(user)"}) == []
    assert sides_of_edit("Edit", {"old_string": OLD, "new_string": old}) == []
    assert len(sides_of_edit("Edit", {"old_string": OLD, "new_string": NEW})) == 2


@pytest.mark.parametrize("arguments", [
    {}, {"old_string": 7}, {"old_string": OLD, "new_string": NEW, "replace_all": True},
    {"old_string": "a\n" * 40, "new_string": ""}])
def test_edits_that_tell_nothing_later(arguments: dict[str, Any]) -> None:
    assert sides_of_edit("Edit", arguments) == []


def test_hostile_texts_take_no_long_time() -> None:
    check_it_ends(lambda text: sides_of_edit("Edit", {"old_string": text, "new_string": text[1:]}))
    check_it_ends(lambda text: gone([edit()], read(text)))
    check_it_ends(fingerprint)
