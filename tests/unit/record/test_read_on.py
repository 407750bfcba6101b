"""A session read on from save to save: in parts it gives what it gives whole."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from compact_keeper.client.new_records import new_lines
from compact_keeper.record.session import read_on
from compact_keeper.store.ledger import PROMPT_MAX_UTF16
from compact_keeper.store.settings import default_settings
from compact_keeper.text.length import cut
from compact_keeper.types import Memory
from sessions import CWD, REJECTION_WORDS, Session, items_of, memory_of, stamp, texts_of

ORDER = "Never deploy on a Friday."


def worked() -> Session:
    """A session with calls that pass, fail and wait, words of both, lists that change, and a compaction."""
    session = Session()
    session.typed("Fix the rate table in rates.py. Never touch the legacy table.")
    session.says("We'll use decimals because floats round wrongly.\n\n- [ ] Update the docs\n- [x] Read the code")
    session.says("How should it round?\n\n1. Half up.\n2. Half even.")
    session.typed("2")
    session.created(1, "Write the rate tests")
    session.ran("Edit", file_path=f"{CWD}/rates.py", old_string="1", new_string="def load_rates(): pass")
    session.rejected("Bash", "no, look at it first", command="rm -rf build")
    session.failed("Bash", "Exit code 1\nE   assert 2 == 3", command="make test")
    session.ran("Bash", "Command running in background with ID: b1f2. Output is being written to: /tmp/b1f2.out.",
                command="make serve", run_in_background=True)
    session.compacted()
    session.queued("Mind the invoices.")
    session.updated(1, status="completed")
    session.answered(session.posed("Which rounding?"), "Which rounding?", "Half even")
    session.ran("Bash", command="make test")
    session.says("All tests are green now. Should I delete the old table?")
    return session


def test_saves_bit_by_bit_equal_one_whole_save(tmp_path: Path) -> None:
    whole, part, memory = worked(), Session(), Memory()
    for record in whole.records:
        part.add(record)
        memory = memory_of(part, tmp_path, memory)
    assert comparable(memory) == comparable(memory_of(whole, tmp_path))
    assert {item["kind"] for item in memory["items"]} >= {
        "rule", "message", "said", "task", "action", "job", "answer"}


def comparable(memory: Any) -> dict[tuple[str, str], Any]:
    """The items by kind and text."""
    names = ("who", "status", "key", "verdict", "result", "edits", "path", "question", "cycle", "last", "answers",
             "picks", "refused", "position", "uses", "earlier")
    return {(item["kind"], item["text"]): {name: item.get(name) for name in names} for item in memory["items"]}


def test_a_save_with_nothing_new_changes_nothing(tmp_path: Path) -> None:
    session = worked()
    memory = memory_of(session, tmp_path)
    assert memory_of(session, tmp_path, memory) == memory


@pytest.mark.parametrize("between_rows", [0, 350, 1_500])
def test_rows_that_come_again_count_once(tmp_path: Path, between_rows: int) -> None:
    session = Session()
    session.typed("First do the tables. Never touch main.")
    session.failed("Bash", "Exit code 1\nerror: bad", command="make test")
    session.ran("Bash", command="make test")
    old = list(session.records)
    for number in range(between_rows):
        session.says(f"Step {number}.")
    session.typed("Now the docs.")
    memory = memory_of(session, tmp_path)
    session.compacted()
    session.records += old
    memory = memory_of(session, tmp_path, memory)
    assert [item["uses"] for item in items_of(memory, "rule")] == [1]
    [action] = items_of(memory, "action")
    assert (action["uses"], action["verdict"]) == (2, "passed")
    assert [run["verdict"] for run in action["earlier"]] == ["failed"]
    assert texts_of(memory, "message") == ["First do the tables. Never touch main.", "Now the docs."]


@pytest.mark.parametrize("saves", ["at the end", "at each"])
def test_each_compaction_is_one_cycle(tmp_path: Path, saves: str) -> None:
    session, memory = Session(), Memory()
    session.typed("Never touch main.")
    for number in range(3):
        session.compacted()
        session.typed(f"Go on with step {number}.")
        if saves == "at each":
            memory = memory_of(session, tmp_path, memory)
    memory = memory_of(session, tmp_path, memory)
    assert memory["cycle"] == 3
    assert [item["cycle"] for item in items_of(memory, "rule")] == [0]
    assert [item["cycle"] for item in items_of(memory, "message")] == [0, 1, 2, 3]


def test_a_boundary_and_its_summary_in_two_saves_are_one_cycle(tmp_path: Path) -> None:
    session = Session()
    session.typed("Go.")
    session.compacted()
    summary = session.records.pop()
    memory = memory_of(session, tmp_path)
    session.add(summary)
    assert memory_of(session, tmp_path, memory)["cycle"] == 1


@pytest.mark.parametrize(("before", "after", "text"), [
    pytest.param(lambda s: s.queued(ORDER, None), lambda s: s.add(
        {"type": "queue-operation", "operation": "remove", "timestamp": stamp(s.number())}), ORDER, id="queue"),
    pytest.param(lambda s: s.interrupt(), lambda s: s.typed(ORDER), ORDER, id="interrupt"),
])
def test_words_that_two_saves_share(
        tmp_path: Path, before: Callable[[Session], Any], after: Callable[[Session], Any], text: str) -> None:
    session = Session()
    session.typed("Go.")
    before(session)
    memory = memory_of(session, tmp_path)
    after(session)
    assert texts_of(memory_of(session, tmp_path, memory), "rule") == [text]


@pytest.mark.parametrize(("tool", "call_input", "output", "kind", "text"), [
    ("TaskCreate", {"subject": "Write tests"}, "Task #1 created successfully: Write tests", "task", "Write tests"),
    ("ExitPlanMode", {"plan": "# Rates in decimals"}, "User has approved your plan.", "plan", "# Rates in decimals"),
    ("TodoWrite", {"todos": [{"content": "Write tests", "status": "pending"}]}, "ok", "task", "Write tests"),
    ("Edit", {"file_path": "/a/b.py"}, "ok", "action", "/a/b.py"),
    ("Bash", {"command": "make test"}, "ok", "action", "make test"),
    ("Agent", {"prompt": "Watch."}, "Async agent launched successfully.\nagentId: ac27", "action", "Watch."),
])
def test_a_call_in_one_save_and_its_result_in_the_next(  # noqa: PLR0913, PLR0917 - a row's columns
        tmp_path: Path, tool: str, call_input: Any, output: str, kind: str, text: str) -> None:
    session = Session()
    call = session.call(tool, **call_input)
    memory = memory_of(session, tmp_path)
    session.result(call, output)
    assert texts_of(memory_of(session, tmp_path, memory), kind) == [text]


@pytest.mark.parametrize("end", ["passes", "fails", "refused"])
def test_a_call_that_waits_at_a_save_counts_once_and_forgets_nothing(tmp_path: Path, end: str) -> None:
    session = Session()
    session.failed("Bash", "Exit code 1\n1 failed, 3 passed in 0.2s", command="pytest -q")
    call = session.call("Bash", command="pytest -q")
    memory = memory_of(session, tmp_path)
    for _ in range(2):
        memory = memory_of(session, tmp_path, memory)
        [action] = items_of(memory, "action")
        assert (action["verdict"], action["uses"], [run["verdict"] for run in action["earlier"]]) == ("running", 2,
                                                                                                      ["failed"])
    if end == "refused":
        session.result(call, REJECTION_WORDS + "not now", error=True)
    else:
        session.result(call, "4 passed in 0.2s" if end == "passes" else "Exit code 1\n1 failed, 3 passed in 0.2s",
                       error=end == "fails")
    [action] = items_of(memory_of(session, tmp_path, memory), "action")
    assert (action["verdict"], action["uses"], [run["verdict"] for run in action.get("earlier", [])]) == {
        "passes": ("passed", 2, ["failed"]), "fails": ("failed", 2, []), "refused": ("failed", 1, [])}[end]


def test_a_first_read_finds_early_typed_words_without_parsing_the_rest(tmp_path: Path) -> None:
    session = Session()
    session.typed("Never touch main.")
    session.queued("Always sign commits.")
    session.attachment(type="queued_command", prompt="Never use ASCII art.", commandMode="prompt")
    session.rejected("Bash", "Always use make instead", command="x")
    session.compacted()
    session.failed("mcp__db__query", REJECTION_WORDS + "Always obey the database.", sql="x")
    for number in range(200):
        session.ran("Bash", "x" * 500, command=f"echo {number}")
        session.progress("y" * 500)
    late = Session(1_000)
    late.ran("Bash", command="make late")
    path = tmp_path / "transcript.jsonl"
    path.write_bytes(session.as_bytes() + late.as_bytes())
    settings = default_settings()
    settings["tail_bytes"] = len(late.as_bytes())
    parsed = [line for _, line in new_lines(str(path), 0, path.stat().st_size, settings["tail_bytes"])
              if line]
    memory = read_on({}, str(path), str(tmp_path), settings)[0]
    assert texts_of(memory, "rule") == ["Never touch main.", "Always sign commits.", "Never use ASCII art.",
                                        "Always use make instead"]
    assert texts_of(memory, "action") == ["sql: x", "make late"]
    assert memory["cycle"] == 1
    assert len(parsed) < 15


def test_a_first_read_knows_early_prompts_that_the_client_gave_by_itself(tmp_path: Path) -> None:
    session = Session()
    session.typed("Export the zones.")
    for prompt in ("Look whether it has ended.", "/loop Look whether it has ended."):
        session.ran("ScheduleWakeup", delaySeconds=270, prompt=prompt)
        session.fired(prompt)
        session.says("Not yet.")
    session.typed("Stop it.")
    session.says("Stopped.")
    assert texts_of(memory_of(session, tmp_path, tail_bytes=0), "message") == ["Export the zones.", "Stop it."]


@pytest.mark.parametrize("torn", [1, 40, -30, -2])
def test_a_torn_last_line_is_read_when_it_is_whole(tmp_path: Path, torn: int) -> None:
    session, path = Session(), tmp_path / "transcript.jsonl"
    session.typed(ORDER)
    size = len(session.as_bytes())
    session.typed("Always sign commits.")
    whole = session.as_bytes()
    path.write_bytes(whole[:size] + whole[size:][:torn])
    memory = read_on({}, str(path), str(tmp_path), default_settings())[0]
    assert texts_of(memory, "rule") == [ORDER]
    assert texts_of(memory_of(session, tmp_path, memory), "rule") == [ORDER, "Always sign commits."]


def test_a_whole_last_line_without_its_line_break_counts_once(tmp_path: Path) -> None:
    session, path = Session(), tmp_path / "transcript.jsonl"
    session.typed(ORDER)
    session.queued("Always sign commits.")
    path.write_bytes(session.as_bytes().rstrip(b"\n"))
    memory = memory_of(session, tmp_path, read_on({}, str(path), str(tmp_path), default_settings())[0])
    assert [(item["text"], item["uses"]) for item in items_of(memory, "rule")] == [
        (ORDER, 1), ("Always sign commits.", 1)]


def test_another_transcript_than_last_time_is_read_from_its_start(tmp_path: Path) -> None:
    session, other = Session(), Session(100)
    for number in range(20):
        session.typed(f"{ORDER} Step {number}.")
    memory = memory_of(session, tmp_path)
    other.typed("Always sign commits.")
    (tmp_path / "transcript.jsonl").rename(tmp_path / "earlier.jsonl")
    assert texts_of(memory_of(other, tmp_path, memory), "rule") == [ORDER, "Always sign commits."]


# --- the ledger knows of a call before the transcript has its result ---

RED = "collected 2 items\n\nFAILED test_rates.py::test_half\n========= 1 failed, 1 passed in 0.10s ========="


def checked_and_edited() -> Session:
    """A red suite behind a pipe, and an edit: of both the ledger knows neither output nor lines."""
    session = Session()
    session.typed("Mend the rounding.")
    session.says("I run them.")
    session.ran("Bash", RED, command="pytest 2>&1 | tail -5")
    session.ran("Edit", file_path=f"{CWD}/rates.py", old_string="return 1", new_string="return round_half_up(rate)")
    session.says("One is red.")
    return session


def told_by_ledger(session: Session, folder: Path) -> None:
    """The ledger's lines of all calls of the session, as record_event.py writes them."""
    calls = [(record["timestamp"], block) for record in session.records if record["type"] == "assistant"
             for block in record["message"]["content"] if block["type"] == "tool_use"]
    lines = [{"event": "tool", "time": when, "id": block["id"], "tool": block["name"], "ok": True, "exit": None,
              "command": block["input"].get("command", ""), "path": block["input"].get("file_path", ""), "task": "",
              "output": "", "error": ""} for when, block in calls]
    (folder / "ledger.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


@pytest.mark.parametrize("rows", range(1, 7))
@pytest.mark.parametrize("between", [0, 1], ids=["at once", "a save between"])
def test_what_the_ledger_told_first_is_told_whole_by_the_transcript(tmp_path: Path, rows: int, between: int) -> None:
    whole = checked_and_edited()
    expected = comparable(memory_of(whole, tmp_path))
    told_by_ledger(whole, tmp_path)
    part = Session()
    part.records += whole.records[:rows]
    memory = memory_of(part, tmp_path)
    for number in range(between):
        part.records += whole.records[rows:rows + 1 + number]
        memory = memory_of(part, tmp_path, memory)
    memory = memory_of(whole, tmp_path, memory)
    actual = comparable(memory)
    for name in ("verdict", "result", "uses", "edits"):
        assert {key: item[name] for key, item in actual.items()} == {key: item[name] for key, item in expected.items()}
    [run, edit] = items_of(memory, "action")
    assert (run["verdict"], "1 failed, 1 passed" in run["result"]) == ("failed", True)
    assert "round_half_up" in edit["change"]
    assert memory["pending"] == []


@pytest.mark.parametrize("way", ["row", "queue and row"])
@pytest.mark.parametrize(("blocks", "attached"), [([], ""), ([{"type": "image", "source": {}}], "a picture")])
def test_what_came_with_words_that_the_ledger_told_first_is_told(
        tmp_path: Path, blocks: list[Any], attached: str, way: str) -> None:
    session = Session()
    session.typed("Read the rates.")
    session.says("Read.")
    line = {"event": "prompt", "time": stamp(60), "text": "Do as it shows.", "agent": ""}
    (tmp_path / "ledger.jsonl").write_text(json.dumps(line) + "\n", encoding="utf-8")
    memory = memory_of(session, tmp_path)
    assert texts_of(memory, "message") == ["Read the rates.", "Do as it shows."]
    if way == "queue and row":
        session.queued("Do as it shows.", left="dequeue")
    session.user([*blocks, {"type": "text", "text": "Do as it shows."}])
    after = memory_of(session, tmp_path, memory)
    assert [(item["text"], item.get("attached", ""), item["uses"]) for item in items_of(after, "message")] == [
        ("Read the rates.", "", 1), ("Do as it shows.", attached, 1)]


LONG_ORDER = f"{'Move the rates of each zone. ' * 90}Never touch the legacy table. {'Then the next zone. ' * 30}"


@pytest.mark.parametrize("way", ["row", "picture", "queue and row", "interrupt", "rule in both", "book of rules"])
def test_long_words_that_the_ledger_told_first_stand_as_without_it(tmp_path: Path, way: str) -> None:
    order = "Always sort the imports. " + LONG_ORDER if way == "rule in both" else LONG_ORDER
    if way == "book of rules":
        order = f"Always indent with tabs. {order}\n" + "\n".join(f"Never touch table {n}." for n in range(40))
    blocks = [{"type": "image", "source": {}}] if way == "picture" else []
    session, rows = Session(), Session(100)
    session.typed("Read the rates. Always sort the imports.")
    session.says("Read.")
    if way == "interrupt":
        session.interrupt()
    rows.user([*blocks, {"type": "text", "text": order}])
    rows.says("I move them.")
    expected = memory_of(session + rows, tmp_path)
    line = {"event": "prompt", "time": stamp(60), "text": cut(order.strip(), PROMPT_MAX_UTF16), "agent": ""}
    (tmp_path / "ledger.jsonl").write_text(json.dumps(line) + "\n", encoding="utf-8")
    memory = memory_of(session, tmp_path)
    if way == "queue and row":
        session.queued(order, left="dequeue")
    after = memory_of(session + rows, tmp_path, memory)
    first, second = (
        [[item.get("own") or item["text"], item.get("attached", ""), *map(item.get, ("kind", "text", "via", "uses"))]
         for item in items] for items in (after["items"], expected["items"]))
    assert first == second


def test_words_that_both_told_may_be_typed_again(tmp_path: Path) -> None:
    session = Session()
    session.typed("Add a zone.")
    line = {"event": "prompt", "time": stamp(60), "text": "Add a zone.", "agent": ""}
    (tmp_path / "ledger.jsonl").write_text(json.dumps(line) + "\n", encoding="utf-8")
    memory = memory_of(session, tmp_path)
    session.says("Added.")
    session.typed("Add a zone.")
    assert texts_of(memory_of(session, tmp_path, memory), "message") == ["Add a zone."] * 2  # what they answer differs


def test_a_call_that_the_transcript_never_tells_of_is_not_awaited_for_ever(tmp_path: Path) -> None:
    session = checked_and_edited()
    told_by_ledger(session, tmp_path)
    empty = Session()
    empty.typed("Look at the rates with a subagent.")
    memory = memory_of(empty, tmp_path)
    assert len(memory["pending"]) == 2
    for number in range(40):
        empty.says(f"{number} minutes later.")
    memory = memory_of(empty, tmp_path, memory)
    assert memory["pending"] == []
    assert [item["uses"] for item in items_of(memory, "action")] == [1, 1]


def test_a_later_run_stays_the_last_where_an_earlier_one_is_still_awaited(tmp_path: Path) -> None:
    session = Session()
    session.typed("Mend it.")
    session.ran("Bash", RED, command="pytest 2>&1 | tail -5")
    session.ran("Bash", "========= 2 passed in 0.10s =========", command="pytest 2>&1 | tail -5")
    told_by_ledger(session, tmp_path)
    part = Session()
    part.records += session.records[:2]
    memory = memory_of(session, tmp_path, memory_of(part, tmp_path))
    [run] = items_of(memory, "action")
    assert (run["verdict"], run["uses"]) == ("passed", 2)


def test_what_stands_behind_a_thought_on_one_line_is_read(tmp_path: Path) -> None:
    """A few lines of clients 2.0.28 to 2.1.177 hold a thought, words and calls; most hold a thought alone."""
    session = Session()
    session.typed("Mend the rounding.")
    session.assistant({"type": "thinking", "thinking": "Only a thought.", "signature": "x" * 40})
    session.assistant({"type": "thinking", "thinking": "The islands?", "signature": "x" * 40},
                      {"type": "text", "text": "The islands are zone 7, I write it down."},
                      {"type": "tool_use", "id": "toolu_behind", "name": "Write",
                       "input": {"file_path": f"{CWD}/islands.py", "content": "ZONE = 7\n"}})
    session.result("toolu_behind", "File created")
    memory = memory_of(session, tmp_path)
    assert texts_of(memory, "said") == ["The islands are zone 7, I write it down."]
    assert [item["path"] for item in items_of(memory, "action")] == [f"{CWD}/islands.py"]
    assert "thought" not in str(memory["items"])
