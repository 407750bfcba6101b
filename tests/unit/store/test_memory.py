"""memory.json: what a save can work with is taken, anything else is kept beside and the session read anew."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from compact_keeper.store.memory import RECORD_FORMAT, fault_in, usable_memory
from compact_keeper.types import Entry, Item
from sessions import REJECTION_WORDS, JsonObject, Session, memory_of


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("COMPACT_KEEPER_HOME", str(tmp_path / "home"))
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


def remembered(folder: Path) -> Any:
    """A memory with items of every kind and a call that waits."""
    session = Session()
    session.typed("Fix the rates. Never push.")
    session.says("Two ways:\n\nA) Up.\nB) Down.\n\n- [ ] Ship")
    session.typed("b")
    session.ran("Edit", file_path="/a.py", old_string="a", new_string="b")
    session.ran("Grep", "/a.py:1:b", pattern="b")
    session.failed("Bash", "Exit code 1\n1 failed in 0.1s", command="pytest")
    session.ran("Bash", "1 passed in 0.1s", command="pytest")
    session.failed("Bash", REJECTION_WORDS + "no", command="rm x")
    session.rejected("Bash", command="rm y")
    session.ran("Bash", "running in background with ID: b1", command="make serve")
    session.ran("ExitPlanMode", "User has approved your plan.", plan="# Plan")
    session.answered(session.posed("Which?"), "Which?", "This")
    session.posed("And now?")
    return memory_of(session, folder)


def store(home: Path, memory: object) -> Path:
    path = home / "memory.json"
    data = {"schema": 1, **memory} if isinstance(memory, dict) else memory
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


def log(home: Path) -> str:
    path = home / "hook.log"
    return path.read_text(encoding="utf-8") if path.exists() else ""


def test_what_a_save_leaves_is_taken(home: Path, tmp_path: Path) -> None:
    memory = remembered(tmp_path)
    assert len({item["kind"] for item in memory["items"]}) == 11
    assert any(item.get("answers") for item in memory["items"])
    path = store(home, memory)
    assert usable_memory(str(path)) == {"schema": 1, **memory}
    assert log(home) == ""


@pytest.mark.parametrize("record", [None, 1, RECORD_FORMAT - 1, RECORD_FORMAT + 1, str(RECORD_FORMAT)])
def test_a_memory_of_another_version_is_read_anew_without_a_word(home: Path, tmp_path: Path, record: object) -> None:
    memory = remembered(tmp_path)
    del memory["record"]
    items = [{**memory["items"][0], "kind": "wish", "strong": True}]
    path = store(home, {**memory, "items": items, **({"record": record} if record else {})})
    assert usable_memory(str(path)) == {}
    assert path.exists()
    assert not path.with_name("memory.json.odd").exists()
    assert log(home) == ""


def changed(memory: JsonObject, where: tuple[Any, ...], value: object) -> JsonObject:
    """The memory with another value there."""
    odd: Any = copy.deepcopy(memory)
    inner = odd
    for name in where[:-1]:
        inner = inner[name]
    inner[where[-1]] = value
    return dict(odd)


@pytest.mark.parametrize(("where", "value"), [
    (("items",), {}), (("items",), [7]), (("items",), [{}]), (("items", 0, "kind"), "request"),
    (("items", 0, "text"), 7), (("items", 0, "text"), ""),
    (("items", 0, "position"), -1), (("items", 0, "position"), 1 << 60), (("items", 0, "uses"), True),
    (("items", 0, "answers"), {}), (("items", 0, "earlier"), {}), (("items", 0, "rows_read"), [[]]),
    (("items", 0, "pushed"), {"to": "origin"}), (("items", 0, "commits_before"), [{}]),
    (("items", 0, "commits_before"), [7]), (("items", 0, "ends"), [{"result": ""}]),
    (("items", 0, "status"), None), (("place",), []),
    (("place", "offset"), -5), (("state", "cwd"), 7), (("pending",), [{}]), (("pending", 0, "answers"), "x"),
    (("pending", 0, "input"), []), (("seen",), [7]), (("roots",), [None]), (("typed",), ["a"]), (("queue",), [1]),
    (("queue",), ["Go on."]), (("queue",), [{"text": "Go on."}]), (("queue",), [{"text": "Go on.", "time": 7}]),
    (("time",), 5), (("cycle",), "1"), (("progress",), [{}]), (("ledgers",), {"x": {}}),
])
def test_an_odd_memory_is_kept_beside_and_named(home: Path, tmp_path: Path, where: tuple[Any, ...],
                                                value: object) -> None:
    memory = remembered(tmp_path)
    assert fault_in(memory) == ""
    path = store(home, changed(memory, where, value))
    assert usable_memory(str(path)) == {}
    assert path.with_name("memory.json.odd").exists()
    assert "read anew" in log(home)


FIELDS = [(where, name) for where, shape in (("items", Item), ("pending", Entry)) for name in shape.__annotations__
          if (where, name) not in {("pending", "ok"), ("pending", "exit"), ("pending", "is_old")}]  # of several types


def test_no_field_may_be_of_another_type(tmp_path: Path) -> None:
    memory = remembered(tmp_path)
    faults = {field: fault_in(changed(memory, (field[0], 0, field[1]), object())) for field in FIELDS}
    assert faults == {(where, name): f"{where}[0]: {name}" for where, name in FIELDS}


def test_no_memory_is_none(home: Path) -> None:
    assert usable_memory(str(home / "memory.json")) == {}
    assert log(home) == ""
