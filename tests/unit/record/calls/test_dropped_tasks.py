"""Tasks that a list of others replaced before they were begun: which writes of a list are that, and which are none."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from compact_keeper.record.calls.dropped_tasks import DROPPED_MAX, dropped_tasks
from compact_keeper.record.calls.tasks import Tasks
from entries import call

OLD = [("Read the tables", "completed"), ("Round the rates", "in_progress"), ("Draw the zones", "pending"),
       ("Translate the handbook", "pending")]
OTHERS = [("Write the exporter", "in_progress"), ("Package it", "pending")]
DROPPED = ["Draw the zones", "Translate the handbook"]


def written(rows: Sequence[tuple[str, str]], **more: Any) -> Any:
    todos = [{"content": text, "status": status, "activeForm": text} for text, status in rows]
    return call("TodoWrite", input={"todos": todos}, **more)


def dropped_in(*lists: Any) -> list[str]:
    """What is noted as dropped after these lists were written, one after the other, each in a save of its own."""
    state: dict[str, str] = {}
    known: list[Any] = []
    for number, rows in enumerate(lists):
        entry: Any = rows if isinstance(rows, dict) else written(rows, position=number)
        items = list(Tasks(known, state).items_of(entry))
        gone = {item["text"] for item in items if item["status"] == "gone"}
        new = {item["text"]: item for item in items if item["status"] != "gone"}
        known = [item for item in known if item["text"] not in gone | {*new}] + [*new.values()]
    return dropped_tasks(state.get("dropped", ""))[0]


def done(rows: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    return [(text, "completed") for text, _ in rows]


@pytest.mark.parametrize(("lists", "expected"), [
    ([OLD], []),
    ([OLD, OTHERS], DROPPED),
    ([OLD, OTHERS, done(OTHERS)], DROPPED),
    ([OLD, done(OLD), OTHERS], []),
    ([OLD, [("Whole harbour", "completed")]], []),  # the same in other words
    ([OLD, OTHERS, [("Whole harbour", "completed")]], []),
    ([OLD, [*OTHERS, ("Read the tables", "completed")]], []),  # the list goes on
    ([OLD, []], []),  # taken away, and nothing in its place
    ([OLD, written(OTHERS, ok=False)], []),
    ([[("Round the rates", "in_progress")], OTHERS], []),  # begun: it may be done
    ([OLD, [("Draw zones of the harbour", "pending"), ("Package it", "pending")]], []),  # reworded
    ([OLD, [("Rounding of the rates", "pending"), ("Package it", "pending")]], []),
    ([OLD, [("区域を描く", "pending")]], []),  # perhaps in another language
    ([[("区域を描く", "pending"), ("料金を丸める", "pending")], [("手引きを訳す", "pending")]],
     ["区域を描く", "料金を丸める"]),
    ([[("区域を描く", "pending")], [("新しい区域を描く", "pending")]], []),
    ([OLD, OTHERS, [*OTHERS, ("Draw the zones", "pending")]], ["Translate the handbook"]),  # it came again
    ([OLD, OTHERS, OLD], ["Package it"]),
    ([OLD, OTHERS, [("Send the letter", "pending")]], ["Package it"]),  # the newest drop
    ([OLD, OTHERS, done(OTHERS), [("Send the letter", "pending")]], DROPPED),
    ([[("", "pending"), ("…", "pending")], OTHERS], ["…"]),
])
def test_what_a_list_of_other_tasks_dropped(lists: Sequence[Any], expected: list[str]) -> None:
    assert dropped_in(*lists) == expected


def test_what_is_noted_fits_the_state() -> None:
    state: dict[str, str] = {}
    tasks = Tasks([], state)
    for rows in ([(f"{word} " * 200, "pending") for word in ("zone", "rate", "fee", "tax", "map", "port", "road")],
                 OTHERS):
        assert [*tasks.items_of(written(rows))]
    texts, time, more = dropped_tasks(state["dropped"])
    assert (len(texts), more, time) == (DROPPED_MAX, 2, call("TodoWrite")["time"])
    assert len(state["dropped"]) < 600


@pytest.mark.parametrize("noted", ["", "{", "7", "[]", '{"tasks": 7}', '{"tasks": [7]}', json.dumps({"tasks": None})])
def test_what_is_no_note_tells_nothing(noted: str) -> None:
    assert dropped_tasks(noted)[0] == []
