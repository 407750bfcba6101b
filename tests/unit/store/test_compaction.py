"""compaction.json: how far a session's compaction has come, whatever stands in the file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from compact_keeper.store.compaction import (
    COMPACTION,
    POSITIONS_MAX,
    end_compaction,
    is_waiting,
    positions_of,
    read_compaction,
    set_stage,
)
from compact_keeper.store.json_files import read_store
from compact_keeper.store.refusal import Refusal

SOUND: Any = {"schema": 1, "id": "5e5510115e551011", "offset": 7, "stage": "delivered", "trigger": "auto",
                 "project": "/srv", "transcript": "/srv/a.jsonl", "time": 1.5, "resumed": True, "ended": 2.5,
                 "settled": 3.5, "before": [1, 2]}


def write(folder: Path, data: object) -> Path:
    path = folder / "compaction.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


@pytest.mark.parametrize("content", [b"", b"{", b"null", b"[]", b"\xff\xfe", b"[" * 100_000, b"x" * (9 << 20),
                                     b'{"schema": "1"}', b'{"schema": 1}', None],
                         ids=lambda content: repr(content)[:30])
def test_what_is_no_compaction_is_none(tmp_path: Path, content: bytes | None) -> None:
    if content is not None:
        (tmp_path / "compaction.json").write_bytes(content)
    compaction = read_compaction(str(tmp_path))
    assert compaction in ({"stage": ""}, {"schema": 1, "stage": ""})
    assert not is_waiting(compaction)


@pytest.mark.parametrize("value", [None, True, -1, 1.5, "many", [], [[]], {}], ids=repr)
def test_a_field_of_another_type_is_left_out(tmp_path: Path, value: Any) -> None:
    for name in sorted(COMPACTION):
        write(tmp_path, {**SOUND, name: value})
        compaction = read_compaction(str(tmp_path))
        is_right = type(value) is type(COMPACTION.get(name))
        expected = {**SOUND, name: value} if is_right else {**SOUND, name: ""}
        if not is_right and name != "stage":
            del expected[name]
        assert compaction == expected, name


@pytest.mark.parametrize("earlier", [{"id": 7, "offset": 0}, {"id": "x", "offset": "y"}, {"stage": None}])
def test_the_earlier_delivery_is_read_in_the_same_way(tmp_path: Path, earlier: Any) -> None:
    write(tmp_path, {**SOUND, "earlier": {**earlier, "resumed": True}})
    read = read_compaction(str(tmp_path))["earlier"]
    assert read == {name: value for name, value in {**earlier, "resumed": True}.items() if value in ("x", 0, True)}
    assert not is_waiting(read)


@pytest.mark.parametrize(("stage", "expected"), [
    ("begun", True), ("delivered", True), ("a subagent's", True), ("verified", False), ("repaired", False),
    ("unseen", False), ("brought in", False), ("kept back", False), ("nothing known", False), ("", False)])
def test_what_waits_for_its_receipt(stage: str, expected: bool) -> None:
    compaction: Any = {**SOUND, "stage": stage}
    assert is_waiting(compaction) is expected
    assert not is_waiting({"stage": stage, "id": "x"})
    assert not is_waiting({"stage": stage, "offset": 1})


def test_the_last_positions() -> None:
    assert positions_of({}, {"position": 9}) == [9]
    assert positions_of({"before": [1, 2, 3]}, {"position": 9}) == [1, 2, 3, 9]
    assert positions_of({"before": [*range(99)]}, {"position": 99}) == [*range(99 - POSITIONS_MAX + 1, 100)]
    odd: Any = ["a", None, True, 3, 1.5]
    assert positions_of({"before": odd}, {"position": 9}) == [3, 9]


def test_a_stage_is_noted_and_a_later_versions_file_is_left_alone(tmp_path: Path) -> None:
    set_stage(str(tmp_path), {"id": "x", "offset": 1}, "begun")
    assert read_store(str(tmp_path / "compaction.json")) == {"schema": 1, "id": "x", "offset": 1, "stage": "begun"}
    path = write(tmp_path, {"schema": 2})
    for change in (lambda: set_stage(str(tmp_path), {"id": "x"}, "begun"), lambda: read_compaction(str(tmp_path))):
        with pytest.raises(Refusal, match="schema 2"):
            change()
    assert path.read_text(encoding="utf-8") == '{"schema": 2}'


def test_an_end_is_noted_in_the_file_as_it_is_now(tmp_path: Path) -> None:
    delivery: Any = {**SOUND, "stage": "delivered"}
    write(tmp_path, delivery)
    end_compaction(str(tmp_path), delivery, "verified", behind=0)
    assert read_compaction(str(tmp_path)) == {**SOUND, "stage": "verified"}
    # The next one has begun since; its boundary is to be looked for behind the one of the first.
    new = {**SOUND, "id": "new", "stage": "begun", "offset": 40, "earlier": {"id": SOUND["id"], "stage": "delivered"}}
    for behind, offset in ((90, 90), (10, 40)):
        write(tmp_path, new)
        end_compaction(str(tmp_path), delivery, "verified", behind)
        ended = read_compaction(str(tmp_path))
        assert (ended["id"], ended["stage"], ended["offset"], "earlier" in ended) == ("new", "begun", offset, False)
    # One that nobody knows any more changes nothing.
    write(tmp_path, new)
    delivery["id"] = "forgotten"
    end_compaction(str(tmp_path), delivery, "verified", behind=0)
    assert read_compaction(str(tmp_path)) == new
