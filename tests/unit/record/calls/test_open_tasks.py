"""Open tasks are the same ones on the status line, in notes.md and in the text that is put back."""

from __future__ import annotations

from typing import Any

import pytest

from compact_keeper.notes.page import current
from compact_keeper.recap.lines.task_list import task_list_lines
from compact_keeper.record.calls.open_tasks import count_of_open_tasks, open_tasks

LONG = "and please look at the heights of all buoys in the northern harbour, too"


def task(text: str, position: int, name: str, status: str = "pending") -> Any:
    """A task or a box of a list."""
    return {"kind": "task", "text": text, "key": "", "list": name, "status": status, "position": position, "order": 0,
            "first": "", "last": "", "source": text, "detail": "", "after": "", "owner": ""}


def message(position: int, text: str = LONG) -> Any:
    """What was typed."""
    return {"kind": "message", "text": text, "who": "user", "status": "open", "position": position, "first": "",
            "last": "", "source": str(position)}


COMMIT: Any = {"kind": "action", "text": "git commit", "key": "", "tool": "Bash", "path": "", "verdict": "ended",
               "result": "", "commit": "abc1234", "position": 4, "family": "", "uses": 1,
               "first": "", "last": "", "source": "c", "status": ""}
BOX = task("round in to_cm", 2, "said")


@pytest.mark.parametrize(("items", "expected"), [
    ([], 0), ([BOX], 1), ([BOX, message(3)], 1), ([BOX, message(3), message(4)], 1), ([BOX, COMMIT], 1),
    ([BOX, message(3, "ok"), message(4, "ok"), message(5, "ok")], 1),  # with which it goes on
    ([BOX, message(3), message(4), message(5)], 0), ([BOX, message(3, "ok"), COMMIT], 0),
    ([task("a", 2, "PLAN.md"), message(3), message(4), message(5)], 0),  # nobody ticks those
    ([task("a", 2, "PLAN.md"), task("b", 3, "PLAN.md", "completed"), message(4), message(5), message(6)], 1),  # kept up
    ([task("a", 2, "task"), message(3), message(4), message(5)], 1),
    ([task("a", 2, "said", "completed"), message(3)], 0)])
def test_all_three_agree(items: list[Any], expected: int) -> None:
    assert count_of_open_tasks(items) == len(open_tasks(items)) == expected
    lines = [line["text"] for line in task_list_lines(items, "", lambda _: "now", set())]
    assert any(line.startswith("- [ ]") for line in lines) == bool(expected)
    notes = "\n".join(current(items, [], {}, []))
    assert ("it may be done" in notes) == ("no open task is on a list" not in notes and not expected)
    assert ("no open task is on a list" in notes) == all(item.get("status") != "pending" for item in items)


def test_of_the_client_s_list_the_count_is_as_it_shows_it() -> None:
    assert count_of_open_tasks([task("a", 1, "task"), BOX, task("b", 1, "task", "completed")]) == 1
