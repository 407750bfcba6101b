"""Memory over many compactions: bounded, rules and pins kept, the same item once, nothing learned from our own text.

A session of 50 compactions is generated, and saved as each of them comes. By hooks:
tests/processes/test_compactions_in_a_row.py.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from compact_keeper.client import entries
from compact_keeper.recap.choice.sections import RULES
from compact_keeper.recap.lines.header import HEADER
from compact_keeper.record.merge import identity
from compact_keeper.record.session import snapshot_of
from compact_keeper.store.memory import fault_in
from compact_keeper.store.settings import default_settings
from many_compactions import CYCLES, HOOK_FIELDS, MEMORY_MAX_BYTES, RULE, of_cycles
from recaps import recap_of
from sessions import CWD, Session, items_of, memory_of, texts_of

SETTINGS: Any = {**default_settings(), "max_items": 120}


def remembered(parts: Sequence[Session], folder: Path, settings: Any = SETTINGS) -> list[Any]:
    """The memory after each part."""
    memories: list[Any] = []
    for part in parts:
        memories.append(memory_of(part, folder, memories[-1] if memories else None, **settings))
    return memories


@cache
def fifty() -> list[Session]:
    return of_cycles(CYCLES)


@pytest.fixture(scope="module")
def memories(tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    """The memory after each of 50 cycles, with room for few items."""
    return remembered(fifty(), tmp_path_factory.mktemp("fifty"))


def shown(memory: Any, settings: Any = SETTINGS) -> str:
    return recap_of(snapshot_of(memory, settings))[0]


# --- 50 compactions ---


def test_memory_is_bounded(memories: list[Any]) -> None:
    assert memories[-1]["cycle"] == CYCLES - 1
    assert max(len(memory["items"]) for memory in memories) == SETTINGS["max_items"]
    sizes = [len(json.dumps(memory, ensure_ascii=False).encode()) for memory in memories]
    assert max(sizes) < MEMORY_MAX_BYTES
    assert sizes[-1] < 1.3 * sizes[CYCLES // 2]
    assert max(len(memory["seen"]) for memory in memories) <= entries.SEEN_IDS_MAX


def test_the_default_memory_is_bounded_too(tmp_path: Path) -> None:
    last = remembered(fifty()[::7], tmp_path, default_settings())[-1]
    assert len(last["items"]) <= default_settings()["max_items"]
    assert len(json.dumps(last, ensure_ascii=False).encode()) < MEMORY_MAX_BYTES


def test_a_rule_of_the_first_cycle_is_still_told(memories: list[Any]) -> None:
    assert [texts_of(memory, "rule") for memory in memories] == [[RULE]] * CYCLES
    assert RULE in shown(memories[-1])[:2_000]


def test_a_rule_outlives_more_new_items_than_memory_holds(tmp_path: Path) -> None:
    made = Session()
    made.typed(RULE)
    for cycle in range(CYCLES):
        made.compacted(f"Cycle {cycle}.")
    for number in range(default_settings()["max_items"]):
        made.ran("Bash", command=f"make carrier-{number}")
    assert texts_of(memory_of(made, tmp_path), "rule") == [RULE]


def test_a_pasted_page_of_rules_pushes_nothing_else_out(tmp_path: Path) -> None:
    made = Session()
    made.typed(RULE)
    made.todos(Read_rates="in_progress")
    made.ran("Edit", file_path=f"{CWD}/src/rates.py", old_string="x", new_string="y")
    page = [f"The client must never send field {number}." for number in range(900)]
    made.typed("\n".join(["Build what the page says:", *page]))
    memory = memory_of(made, tmp_path)
    assert (texts_of(memory, "task"), texts_of(memory, "action")) == (["Read rates"], ["src/rates.py"])
    assert RULE in texts_of(memory, "rule")
    assert RULE in shown(memory)


def test_tasks_keep_their_true_status(memories: list[Any]) -> None:
    for cycle, memory in enumerate(memories):
        expected = ["pending"] * 5
        for done in range(cycle + 1):
            expected[done % 5] = ("in_progress", "completed", "pending")[done // 5 % 3]
        tasks = sorted(items_of(memory, "task"), key=lambda task: str(task["key"]))
        assert [(task["key"], task["status"]) for task in tasks] == [
            (f"#{number}", status) for number, status in enumerate(expected, 1)]


def test_a_command_is_as_it_ended_last(memories: list[Any]) -> None:
    ends = {item["text"]: (item["verdict"], item["uses"]) for item in items_of(memories[-1], "action")}
    assert ends["make rates"] == ("failed", CYCLES)
    assert ends[f"make check-{CYCLES - 1}"] == ("passed", 2)


def test_the_newest_message_is_told(memories: list[Any]) -> None:
    assert f"carrier number {CYCLES - 1}" in shown(memories[-1])[:2_000]


def test_an_item_is_one_entry(memories: list[Any]) -> None:
    for memory in memories:
        counts = Counter(map(identity, memory["items"]))
        assert max(counts.values()) == 1


def test_one_save_and_many_agree_on_what_lasts(memories: list[Any], tmp_path: Path) -> None:
    at_once = memory_of(fifty()[-1], tmp_path, **SETTINGS)
    for kind in ("rule", "task", "message"):
        assert [(item["text"], item["status"], item["uses"]) for item in items_of(at_once, kind)] == [
            (item["text"], item["status"], item["uses"]) for item in items_of(memories[-1], kind)]


def test_an_item_that_is_told_again_is_young_again(tmp_path: Path) -> None:
    made = Session()
    for _ in range(3):
        made.ran("Bash", command="make test")
        made.compacted()
    made.ran("Bash", command="make test")
    command, = items_of(memory_of(made, tmp_path), "action")
    assert (command["cycle"], command["uses"]) == (3, 4)
    assert command["first"] < command["last"]


def test_old_messages_give_way_to_fresh_work(tmp_path: Path) -> None:
    made = Session()
    for number in range(default_settings()["max_items"]):
        made.typed(f"Add an importer for the rates of the carrier with the number {number}.")
        if number % 10 == 0:
            made.compacted(f"Carrier {number}.")
    made.ran("Edit", file_path=f"{CWD}/src/rates.py", old_string="x", new_string="y")
    made.ran("Bash", command="make rates")
    assert texts_of(memory_of(made, tmp_path), "action") == ["src/rates.py", "make rates"]


# --- the same item ---


@pytest.mark.parametrize(("step", "first", "other", "kind"), [
    ("typed", "Never use the \u00c5ngstrom unit.", "never use the A\u030aNGSTROM  unit.", "rule"),
    ("typed", "Never open ﬁle descriptors twice.", "Never open file descriptors twice.", "rule"),
    ("typed", "以后都要用ＡＰＩ。", "以后都要用API。", "rule"),
    ("Bash", f"cat {CWD}/src/a.py", "cat src/a.py", "look"),
    ("Bash", f"cd {CWD} && make test", "make test", "action"),
    ("Bash", "make test 2>&1 | tail -5", "make test", "action"),
    ("Edit", f"{CWD}/src/a.py", "src/a.py", "action"),
    ("Edit", f"{CWD}/src/\u00c5.py", f"{CWD}/src/A\u030a.py", "action")])
def test_the_same_item_is_one_entry(tmp_path: Path, step: str, first: str, other: str, kind: str) -> None:
    made = Session()
    for text in (first, other):
        if step == "typed":
            made.typed(text)
        elif step == "Bash":
            made.ran("Bash", command=text)
        else:
            made.ran("Edit", file_path=text, old_string="x", new_string="y")
    same = items_of(memory_of(made, tmp_path), kind)
    assert [each["uses"] for each in same] == [2]


def test_long_words_that_only_begin_alike_are_two_messages(tmp_path: Path) -> None:
    made, log = Session(), "$ make rates\n" + "a row of the log\n" * 60
    for end in ("zone 2 is missing", "zone 3 is missing", "zone 3 is missing"):
        made.typed(log + end)
    messages = items_of(memory_of(made, tmp_path), "message")
    assert [(each["text"][-17:], each["uses"]) for each in messages] == [
        ("zone 2 is missing", 1), ("zone 3 is missing", 2)]


def test_files_of_another_folder_stay_apart(tmp_path: Path) -> None:
    made = Session()
    for path in (f"{CWD}/src/a.py", f"{CWD}-old/src/a.py", "/tmp/src/a.py"):
        made.ran("Edit", file_path=path, old_string="x", new_string="y")
    assert len(items_of(memory_of(made, tmp_path), "action")) == 3


# --- nothing is learned from our own text ---

DELIVERED = "\n\n".join([
    HEADER, f"## {RULES}", '- "Always use tabs." (typed 5 min before)', "Never use spaces.",
    "## Tasks", "- [ ] Drop the cache", "All tests pass. We decided to use sqlite."])


@pytest.mark.parametrize("tell", [
    lambda made: made.attachment(type="hook_success", content=DELIVERED, stdout=DELIVERED, **HOOK_FIELDS),
    lambda made: made.attachment(type="hook_additional_context", content=[DELIVERED], **HOOK_FIELDS),
    lambda made: made.user(f"<system-reminder>\n{DELIVERED}\n</system-reminder>", isMeta=True),
    lambda made: made.user(f"<system-reminder>\n{DELIVERED}\n</system-reminder>"),
    lambda made: made.system("informational", content=DELIVERED),
    lambda made: made.request_blob(DELIVERED),
    lambda made: made.compacted(DELIVERED),
    lambda made: made.user("This session is being continued from a previous conversation.\n" + DELIVERED),
    lambda made: made.user(f"<local-command-stdout>{DELIVERED}</local-command-stdout>"),
    lambda made: made.ran("Bash", DELIVERED, command="cat note.md"),
    lambda made: made.failed("Bash", f"Exit code 1\n{DELIVERED}", command="cat note.md")],
    ids=["hook", "context", "meta", "reminder", "system", "blob", "summary", "old", "stdout", "output", "error"])
def test_what_a_program_put_there_is_not_learned(tmp_path: Path, tell: Callable[[Session], object]) -> None:
    made = Session()
    made.typed(RULE)
    tell(made)
    memory = memory_of(made, tmp_path)
    assert texts_of(memory, "rule") == [RULE]
    for kind in ("message", "task", "answer", "said", "plan"):
        assert not [text for text in texts_of(memory, kind) for word in ("tabs", "cache", "sqlite") if word in text]


# --- an ended rule stays ended ---


@pytest.mark.parametrize("at_once", [True, False])
@pytest.mark.parametrize("later", ["Forget the tabs rule.", "You no longer have to indent with tabs."])
def test_a_revoked_rule_stays_gone_when_its_rows_come_again(tmp_path: Path, later: str, at_once: bool) -> None:
    made, memory = Session(), None
    made.typed("Always indent with tabs.")
    made.typed(later)
    if not at_once:
        memory = memory_of(made, tmp_path)
    made.records += [dict(record) for record in made.records]
    for _ in range(3):
        memory = memory_of(made, tmp_path, memory)
        made.compacted()
    assert memory is not None
    assert texts_of(memory, "rule") == []
    assert f"## {RULES}" not in shown(memory, default_settings())


def test_a_rule_that_is_given_again_holds_again(tmp_path: Path) -> None:
    made = Session()
    for text in ("Always indent with tabs.", "Forget the tabs rule.", "Always indent with tabs."):
        made.typed(text)
    assert texts_of(memory_of(made, tmp_path), "rule") == ["Always indent with tabs."]


def test_what_a_save_leaves_is_usable_at_the_next(memories: list[Any]) -> None:
    assert {fault_in(memory) for memory in memories} == {""}
