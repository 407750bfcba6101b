"""The order in which a transcript's rows are read: an answer behind what it goes on from."""

from __future__ import annotations

from pathlib import Path

import pytest

from archived import prompts
from compact_keeper.archive.turns import turns_of
from compact_keeper.client.thread_order import ROWS_AHEAD, in_order_of_thread
from compact_keeper.record.session import read_on
from compact_keeper.store.settings import default_settings
from sessions import JsonObject, Session


def row(name: str, parent: str = "", kind: str = "user") -> JsonObject:
    return {"type": kind, "uuid": name, "parentUuid": parent}


def result(name: str, parent: str) -> JsonObject:
    return {**row(name, parent), "message": {"content": [{"type": "tool_result", "tool_use_id": "t"}]}}


def answer(name: str, parent: str) -> JsonObject:
    return row(name, parent, "assistant")


FAR = [row(f"far {number}") for number in range(ROWS_AHEAD + 1)]
NEAR = FAR[:ROWS_AHEAD - 2]


@pytest.mark.parametrize(("rows", "order"), [
    ([], ""),
    ([row("p"), answer("a", "p"), row("r", "a")], "p a r"),
    ([answer("a", "h"), answer("b", "a"), {}, row("p"), row("h", "p"), row("r", "b")], "p h a b  r"),
    ([row("o"), answer("q", "o"), answer("a", "p"), row("p", "q"), answer("b", "a")], "o q p a b"),
    ([answer("a", "gone"), row("p"), answer("b", "p")], "a p b"),
    ([answer("t", "gone"), answer("a", "p"), row("p")], "t p a"),
    ([row("r", "a"), row("a")], "r a"),  # no answer
    ([row("p"), result("r", "a"), answer("a", "p"), answer("b", "r")], "p a r b"),
    ([result("r", "gone"), row("p")], "r p"),
    ([answer("a", "a"), row("p")], "a p"),  # it goes on from itself
    ([answer("a", "b"), answer("b", "a"), row("p")], "b a p"),  # each goes on from the other
    ([answer("a", "p"), row("p"), row("p")], "p a p"),
    ([{"type": "assistant", "parentUuid": 7}, {"type": "assistant", "parentUuid": ["p"]}, row("p")], "  p"),
])
def test_order(rows: list[JsonObject], order: str) -> None:
    assert " ".join(str(record.get("uuid", "")) for _, record in in_order_of_thread(enumerate(rows))) == order


@pytest.mark.parametrize(("between", "is_moved"), [(NEAR, True), (FAR, False)])
def test_how_far_it_is_looked_for(between: list[JsonObject], is_moved: bool) -> None:
    rows = [answer("a", "p"), *between, row("p")]
    names = [record["uuid"] for _, record in in_order_of_thread(enumerate(rows))]
    assert (names.index("p") < names.index("a")) is is_moved


def test_what_is_moved_has_the_place_before_which_it_stands() -> None:
    rows = [(10, row("o")), (20, answer("a", "p")), (30, row("x")), (40, row("p"))]
    places = [(place, record["uuid"]) for place, record in in_order_of_thread(rows)]
    assert places == [(10, "o"), (20, "p"), (20, "a"), (30, "x")]


def with_late_prompt(tmp_path: Path) -> Path:
    """Two turns, of which the second one's answer and call stand before its prompt, as 2.1.150 wrote them."""
    session = Session()
    session.typed("Map the islands.")
    session.says("Zone 7 has them.")
    prompt = session.typed("Which tests are there?")
    session.says("I look.")
    call = session.call("Bash", command="ls tests")
    session.records.remove(prompt)
    session.add(prompt)
    session.result(call, "test_zones.py")
    path = tmp_path / "transcript.jsonl"
    path.write_bytes(session.as_bytes())
    return path


def test_the_record_of_a_late_prompt(tmp_path: Path) -> None:
    memory = read_on({}, str(with_late_prompt(tmp_path)), str(tmp_path), default_settings())[0]
    in_order = sorted(memory["items"], key=lambda item: item["position"])
    assert [item["text"] for item in in_order] == [
        "Map the islands.", "Zone 7 has them.", "Which tests are there?", "I look.", "ls tests"]


def test_a_call_behind_its_result_has_ended(tmp_path: Path) -> None:
    session = Session()
    session.typed("Write it.")
    call = session.call("Write", file_path="/srv/zones.py", content="ZONES = 9\n")
    made = session.records[-1]
    session.result(call, "File created successfully")
    session.records.remove(made)
    session.add(made)
    path = tmp_path / "transcript.jsonl"
    path.write_bytes(session.as_bytes())
    [action] = [item for item in read_on({}, str(path), str(tmp_path), default_settings())[0]["items"]
                if item["kind"] == "action"]
    assert action["verdict"] == "ended"


def test_the_turns_of_a_late_prompt_also_where_reading_goes_on_there(tmp_path: Path) -> None:
    path = with_late_prompt(tmp_path)
    size = path.stat().st_size
    turns = [turn for turn, _ in turns_of(str(path), 0, size, {})]
    assert prompts(turns) == ["Map the islands.", "Which tests are there?"]
    assert (turns[1]["answer"], "test_zones.py" in turns[1]["command"]) == ("I look.", True)
    [(again, _)] = turns_of(str(path), turns[1]["start"], size, turns[1]["state"])
    assert again == turns[1]
