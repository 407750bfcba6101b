"""Of automatic compactions close together the last gets a short text; nothing is told of it than what stands there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from compact_keeper.recap.choice.sections import PINS, TASK_LIST
from compact_keeper.recap.for_person import counted
from compact_keeper.recap.parts import ASK_ROOM, THRASH_UNITS, recap_parts, shown_of
from compact_keeper.store.pins import pin_items
from compact_keeper.types import Item
from sessions import CWD, Session, lines_of, snapshot_of, units

SHORT = "3 automatic compactions came within 10 records of the transcript, this one the last"
CLOSE = [5, 10, 15]


@pytest.fixture(autouse=True)
def _archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A data folder, and an archive of which the text tells."""
    monkeypatch.setenv("COMPACT_KEEPER_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("COMPACT_KEEPER_ARCHIVE", raising=False)
    monkeypatch.setattr("compact_keeper.recap.parts.recall_call", lambda _: "recall.py")


def pins(*texts: str) -> list[Item]:
    return pin_items({"text": text, "time": str(number)} for number, text in enumerate(texts))


@pytest.fixture
def worked(tmp_path: Path) -> Any:
    """A pin, a rule, a server that runs, tasks, a check and a day's work."""
    session = Session()
    session.typed("Never push from here. We count the tides of forty harbours.")
    session.ran("Bash", f"Command running in background with ID: b1. Output is being written to: {CWD}/{'o' * 200}/b1",
                {"backgroundTaskId": "b1"}, command="make serve", run_in_background=True)
    session.created(1, "Ask the harbour office about Sundays")
    for number in range(40):
        session.ran("Bash", f"{number} tides", command=f"python3 tides.py --harbour {number}")
        session.says(f"Harbour {number} has its tides now, in the order that the office gave.")
        session.typed(f"Go on with the next, that is harbour {number + 1} of the list.")
    session.ran("Bash", "Ran 3 tests in 0.1s\n\nOK", command="python3 -m unittest")
    snapshot = snapshot_of(session, tmp_path, budget=19_000, archive=True)
    job = next(item for item in snapshot["items"] if item["kind"] == "job")
    return {**snapshot, "items": [*pins("Port 3334."), *snapshot["items"]], "id": "0123456789abcdef",
            "present": {"jobs": {job["key"]: True}, "repository": {}}}


@pytest.mark.parametrize(("positions", "words"), [
    ([], ""), ([5], ""), ([5, 6], ""), (CLOSE, SHORT), ([5, 55, 105], ""), ([5, 10, 105], ""), ([10, 5, 1], ""),
    ([5, 54, 104], SHORT.replace("10", "99")), ([1, 5, 10, 15], SHORT.replace("3", "4").replace("10", "14")),
    ([1, 500, 505, 510], SHORT)])
def test_how_many_came_close_together(worked: Any, positions: list[int], words: str) -> None:
    parts, _ = recap_parts(worked, positions)
    assert (sum(map(units, parts)) <= THRASH_UNITS) is bool(words)
    assert parts[-1].rpartition("\n\n(Kept short: ")[2].startswith(words)
    assert ("Kept short" in parts[-1]) is bool(words)


def test_what_is_told_of_it_stands_there(worked: Any) -> None:
    [text], lines = recap_parts(worked, CLOSE)
    assert text.splitlines()[-1].endswith("Tasks, checks, earlier words and steps may be missing.)")
    assert all(f"\n{line['text']}\n" in text for line in shown_of(lines))
    assert len(shown_of(lines)) == sum(row.startswith("- ") for row in text.splitlines())
    assert {"pin": 1, "rule": 1, "job": 1, "task": 1}.items() <= counted(shown_of(lines)).items()
    begins = [line.partition(" (")[0] for line in lines_of(text, TASK_LIST)]
    assert begins[-2:] == ["- [ ] #1 Ask the harbour office about Sundays", "- Running: `make serve`"]
    count = int(re.findall(r"\n(\d+) more steps on record without a line: `recall\.py show 1-\w{4}`", text)[0])
    assert count > 20
    assert "The original words, commands and errors of earlier turns can be found: `recall.py search WORDS`." in text


def test_a_text_that_is_short_stays_as_it_is(tmp_path: Path) -> None:
    session = Session()
    session.typed("Never push from here.")
    snapshot: Any = {**snapshot_of(session, tmp_path, budget=19_000), "present": {}}
    assert recap_parts(snapshot, CLOSE) == recap_parts(snapshot, [])


@pytest.mark.parametrize("budget", [500, 1_000, THRASH_UNITS - ASK_ROOM, 5_000])
def test_it_is_no_longer_than_the_budget_allows(worked: Any, budget: int) -> None:
    worked["settings"]["budget"] = budget
    worked["as_of"] = f"({'As of 10:00. ' * 20})"
    [text], lines = recap_parts(worked, CLOSE)
    assert units(text) <= min(budget + ASK_ROOM, THRASH_UNITS) or not shown_of(lines)
    assert all(f"\n{line['text']}\n" in text for line in shown_of(lines))


def test_pins_without_room_are_counted(worked: Any) -> None:
    items = [item for item in worked["items"] if item["kind"] != "pin"]
    worked["items"] = [*pins(*(f"Port {3334 + number}. {'It stays. ' * 20}" for number in range(9))), *items]
    [text], _ = recap_parts(worked, CLOSE)
    count = len(lines_of(text, PINS))
    assert 0 < count < 9
    assert f"\n{9 - count} pins had no room here.\n" in text


def test_what_does_not_run_any_more_keeps_that(worked: Any) -> None:
    job = next(item for item in worked["items"] if item["kind"] == "job")
    worked["present"]["jobs"][job["key"]] = False
    [text], _ = recap_parts(worked, CLOSE)
    assert "make serve" not in text or "its process is not there any more" in text
