"""What a session gives: each kind of item, and what becomes of it while the session goes on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from secrets_table import TOKENS, blocks
from sessions import CWD, REJECTION_WORDS, Record, Session, items_of, memory_of, stamp, texts_of


def build() -> Session:
    """A session that holds every kind of item."""
    session = Session()
    session.typed("Fix the rate table in rates.py. Never touch the legacy table. "
                  "It runs on http://localhost:3334/rates now.")
    session.typed("I want short commits in this repository.")
    session.typed(f"I need the table's names in lower case. {'Look at each of the tables. ' * 12}")
    session.says("We'll use decimals because floats round wrongly.\n\n- [ ] Update the docs\n- [x] Read the code")
    session.says("Raising the timeout did not work. How should it round?")
    session.typed("half up, as the invoices do")
    session.created(1, "Write the rate tests")
    session.ran("Edit", file_path=f"{CWD}/rates.py", old_string="1", new_string="def load_rates(): pass")
    session.ran("Grep", f"{CWD}/src/tables.py:3:def half_even(): pass", pattern="half")
    session.rejected("Bash", command="rm -rf build")
    session.failed("Bash", "Exit code 1\nE   assert 2 == 3", command="make test")
    session.ran("Bash", "ok", command="git add -A")
    session.ran("Bash", "Command running in background with ID: b1f2. Output is being written to: /tmp/b1f2.out.",
                command="make serve", run_in_background=True)
    session.answered(session.asked("Which rounding?"), "Which rounding?", "Half even")
    session.ran("ExitPlanMode", "User has approved your plan. It was saved to: /home/ada/.claude/plans/a.md",
                plan="# Rates in decimals\n\n1. Change")
    session.says("All tests are green now. Should I delete the old table?")
    return session


@pytest.mark.parametrize(("kind", "text", "fields"), [
    ("request", "I want short commits in this repository.", {"who": "user", "status": "open", "wished": True}),
    ("rule", "Never touch the legacy table.", {"who": "user", "status": "open"}),
    ("wish", "I need the table's names in lower case.", {"who": "user"}),
    ("value", "It runs on http://localhost:3334/rates now.", {"who": "user"}),
    ("decision", "We'll use decimals because floats round wrongly.", {"who": "assistant"}),
    ("task", "Update the docs", {"status": "pending"}),
    ("task", "Read the code", {"status": "completed"}),
    ("task", "Write the rate tests", {"status": "pending", "key": "#1"}),
    ("file", f"{CWD}/rates.py", {"edits": 1}),
    ("command", "make test", {"ok": False, "exit": 1}),
    ("command", "git add -A", {"ok": True}),
    ("failure", "make test", {"error": "assert 2 == 3", "status": "open", "exit": 1}),
    ("job", "make serve", {"key": "b1f2", "path": "/tmp/b1f2.out", "status": "open"}),
    ("answer", "Half even", {"question": "Which rounding?", "who": "user"}),
    ("answer", "half up, as the invoices do", {"question": "How should it round?", "who": "user"}),
    ("answer", "no", {"question": "rm -rf build", "who": "user", "status": "rejected"}),
    ("dead end", "Raising the timeout did not work.", {"who": "assistant"}),
    ("names", f"{CWD}/rates.py", {"who": "tool"}),
    ("found", "src/tables.py", {"who": "tool"}),
    ("plan", "Rates in decimals 1. Change", {"status": "approved", "path": "/home/ada/.claude/plans/a.md"}),
    ("claim", "All tests are green now.", {"who": "assistant"}),
    ("question", "Should I delete the old table?", {"who": "assistant"}),
])
def test_every_kind_of_item(tmp_path: Path, kind: str, text: str, fields: Record) -> None:
    [item] = [item for item in items_of(memory_of(build(), tmp_path), kind) if item["text"] == text]
    assert {name: item.get(name) for name in fields} == fields
    assert item["source"]
    assert item["first"] == item["last"] >= stamp(0)


def test_state_of_the_session(tmp_path: Path) -> None:
    state = memory_of(build(), tmp_path)["state"]
    assert (state["cwd"], state["gitBranch"]) == (CWD, "main")
    assert state["last_words"] == "All tests are green now. Should I delete the old table?"


def test_an_error_of_the_api_is_not_the_assistants_last_word(tmp_path: Path) -> None:
    session = Session()
    session.says("The table is half done.")
    session.assistant({"type": "text", "text": "You've hit your session limit"},
                      model="<synthetic>")["isApiErrorMessage"] = True
    assert memory_of(session, tmp_path)["state"]["last_words"] == "The table is half done."


@pytest.mark.parametrize(("text", "rules"), [
    ("never push", ["never push"]),
    ("Please always run the linter.", ["Please always run the linter."]),
    ("Ok, but don't touch main. Thanks!", ["Ok, but don't touch main."]),
    ("- Do not use mocks\n- only ASCII", ["Do not use mocks", "only ASCII"]),
    ("1. You must sign commits", ["You must sign commits"]),
    ("From now on answer in short sentences.", ["From now on answer in short sentences."]),
    ("**Never** force-push", ["**Never** force-push"]),
    ("Не забывай: никогда не трогай main.", ["Не забывай: никогда не трогай main."]),
    ("不要使用浮点数。谢谢", ["不要使用浮点数。"]),
    ("必ずテストを実行してください。", ["必ずテストを実行してください。"]),
    ("Nunca uses floats.", ["Nunca uses floats."]),
    ("Bitte immer auf Deutsch antworten.", ["Bitte immer auf Deutsch antworten."]),
    ("Only one test fails?", []),
    ("What must I do?", []),
    ("it never worked before", []),
])
def test_which_sentences_are_rules(tmp_path: Path, text: str, rules: list[str]) -> None:
    session = Session()
    session.typed(text)
    assert texts_of(memory_of(session, tmp_path), "rule") == rules


def test_a_rejection_is_a_correction_in_all_its_words(tmp_path: Path) -> None:
    session = Session()
    session.rejected("Edit", "no, take the other file\nand keep the header", file_path="/a")
    session.rejected("Edit", file_path="/b")
    [rule] = items_of(memory_of(session, tmp_path), "rule")
    assert (rule["text"], rule["via"]) == ("no, take the other file and keep the header", "rejection")


def test_words_after_an_interrupt_are_a_correction_once(tmp_path: Path) -> None:
    session = Session()
    session.interrupt()
    session.typed("the other file")
    session.typed("now the tests")
    [rule] = items_of(memory_of(session, tmp_path), "rule")
    assert (rule["text"], rule["via"]) == ("the other file", "interrupt")


@pytest.mark.parametrize(("steps", "left"), [
    (["fail"], ["open"]),
    (["fail", "fail"], ["open"]),
    (["fail", "pass"], []),
    (["pass", "fail"], ["open"]),
    (["fail", "pass", "fail"], ["open"]),
    (["fail", "other"], ["open"]),
    (["fail", "cd"], []),
    (["fail", "pipe"], ["open"]),  # what it printed is not seen
])
def test_a_failure_until_the_same_command_passes(tmp_path: Path, steps: list[str], left: list[str]) -> None:
    session = Session()
    for step in steps:
        commands = {"cd": f"cd {CWD} && make test", "pipe": "make test 2>&1 | tail -5", "other": "make lint"}
        command = commands.get(step, "make test")
        if step == "fail":
            session.failed("Bash", "Exit code 2\nmake: *** [test] Error 2", command=command)
        else:
            session.ran("Bash", "ok", command=command)
    memory = memory_of(session, tmp_path)
    assert [item["status"] for item in items_of(memory, "failure")] == left
    if left:
        assert items_of(memory, "failure")[0]["uses"] == max(steps.count("fail") if "pass" not in steps else 1, 1)


@pytest.mark.parametrize("error", ["<tool_use_error>Sibling tool call errored</tool_use_error>",
                                   REJECTION_WORDS + "no"])
def test_what_is_no_failure(tmp_path: Path, error: str) -> None:
    session = Session()
    session.failed("Bash", error, command="make test")
    assert items_of(memory_of(session, tmp_path), "failure") == []


def test_a_failing_edit_is_cleared_by_one_that_passes(tmp_path: Path) -> None:
    session = Session()
    session.failed("Edit", "<tool_use_error>String to replace not found in file.</tool_use_error>", file_path="/a/b.py")
    [failure] = items_of(memory_of(session, tmp_path), "failure")
    assert failure["error"] == "String to replace not found in file."
    session.ran("Edit", file_path="/a/b.py")
    assert items_of(memory_of(session, tmp_path), "failure") == []


def test_tasks_of_the_task_tools(tmp_path: Path) -> None:
    session = Session()
    for number, subject in enumerate(("Read", "Write", "Test", "Ship"), 1):
        session.created(number, subject)
    session.updated(1, status="completed")
    session.updated(2, status="in_progress")
    session.updated(3, status="deleted")
    session.updated(4, addBlockedBy=["2"])
    session.updated(4, subject="Ship it")
    tasks = {item["text"]: item["status"] for item in items_of(memory_of(session, tmp_path), "task")}
    assert tasks == {"Read": "completed", "Write": "in_progress", "Ship it": "pending"}


def test_a_todo_list_replaces_the_one_before(tmp_path: Path) -> None:
    session = Session()
    session.todos(Old_one="pending", Read_the_code="in_progress")
    session.todos(Read_the_code="completed", Write_tests="pending")
    memory = memory_of(session, tmp_path)
    tasks = [(item["text"], item["status"]) for item in items_of(memory, "task")]
    assert tasks == [("Read the code", "completed"), ("Write tests", "pending")]
    session.todos(Write_tests="completed")
    assert texts_of(memory_of(session, tmp_path, memory), "task") == ["Write tests"]


def test_boxes_of_the_assistant_change_their_mark(tmp_path: Path) -> None:
    session = Session()
    session.says("Plan:\n- [ ] Update the docs\n* [ ] Ship")
    session.says("- [x] Update the docs\n- [~] Ship")
    tasks = {item["text"]: item["status"] for item in items_of(memory_of(session, tmp_path), "task")}
    assert tasks == {"Update the docs": "completed", "Ship": "in_progress"}


@pytest.mark.parametrize(("end", "open_ones"), [
    (lambda _: None, ["Which rounding?"]),
    (lambda s: s.typed("half even"), []),
    (lambda s: s.ran("Bash", command="ls"), []),
    (lambda s: s.says("Never mind, I found it."), []),
])
def test_a_question_is_open_until_something_happens(
    tmp_path: Path, end: Callable[[Session], Any], open_ones: list[str],
) -> None:
    session = Session()
    session.typed("Round the rates.")
    session.says("There are two ways. Which rounding?")
    end(session)
    assert texts_of(memory_of(session, tmp_path), "question") == open_ones


def test_a_question_of_the_dialog_waits_until_answered(tmp_path: Path) -> None:
    session = Session()
    call = session.asked("Which rounding?")
    assert texts_of(memory_of(session, tmp_path), "question") == ["Which rounding?"]
    session.answered(call, "Which rounding?", "Half even")
    memory = memory_of(session, tmp_path)
    assert texts_of(memory, "question") == []
    assert texts_of(memory, "answer") == ["Half even"]


@pytest.mark.parametrize(("end", "status"), [
    (None, "waiting for approval"),
    (lambda s, call: s.result(call, "User has approved your plan."), "approved"),
    (lambda s, call: s.result(call, REJECTION_WORDS + "smaller steps", error=True), "not approved"),
])
def test_a_plan_and_what_the_person_said(
    tmp_path: Path, end: Callable[[Session, str], object] | None, status: str,
) -> None:
    session = Session()
    call = session.call("ExitPlanMode", plan="# Rates in decimals", planFilePath="/home/ada/.claude/plans/a.md")
    if end:
        end(session, call)
    [plan] = items_of(memory_of(session, tmp_path), "plan")
    assert (plan["text"], plan["status"], plan["path"]) == ("Rates in decimals", status, "/home/ada/.claude/plans/a.md")


def test_a_replaced_plan_is_one_plan(tmp_path: Path) -> None:
    session = Session()
    session.ran("ExitPlanMode", "User has approved your plan.", plan="# First")
    session.ran("ExitPlanMode", "User has approved your plan.", plan="# Second")
    assert texts_of(memory_of(session, tmp_path), "plan") == ["Second"]


@pytest.mark.parametrize(("write", "running"), [
    (lambda _: None, ["make serve"]),
    (lambda s: s.notified("b1f2"), []),
    (lambda s: s.ran("KillShell", "killed", shell_id="b1f2"), []),
    (lambda s: s.ran("TaskStop", "stopped", task_id="b1f2"), []),
    (lambda s: s.failed("KillShell", "no such shell", shell_id="b1f2"), ["make serve"]),
    (lambda s: s.notified("other"), ["make serve"]),
])
def test_a_job_runs_until_its_end_is_told(tmp_path: Path, write: Callable[[Session], Any], running: list[str]) -> None:
    session = Session()
    session.ran("Bash", "Command running in background with ID: b1f2. Output is being written to: /tmp/b1f2.out",
                command="make serve")
    memory = memory_of(session, tmp_path)
    write(session)
    assert texts_of(memory_of(session, tmp_path), "job") == running
    assert texts_of(memory_of(session, tmp_path, memory), "job") == running


def test_subagents_in_the_foreground_and_in_the_background(tmp_path: Path) -> None:
    session = Session()
    session.ran("Task", "Found 3 callers.", prompt="Find the callers.", subagent_type="Explore")
    session.ran("Agent", [{"type": "text", "text": "Async agent launched successfully.\nagentId: ac27 (internal ID)\n"
                           "output_file: /tmp/ac27.out\n"}], prompt="Watch the log.", subagent_type="general")
    session.call("Agent", prompt="Read the docs.")
    jobs = {item["text"]: item.get("path", "") for item in items_of(memory_of(session, tmp_path), "job")}
    assert jobs == {"Watch the log.": "/tmp/ac27.out", "Read the docs.": ""}


@pytest.mark.parametrize("tool", ["Edit", "Write", "MultiEdit", "NotebookEdit"])
def test_files_changed_are_counted(tmp_path: Path, tool: str) -> None:
    session = Session()
    name = "notebook_path" if tool == "NotebookEdit" else "file_path"
    for _ in range(3):
        session.ran(tool, **{name: "/a/b.py"})
    session.failed(tool, "no", **{name: "/a/b.py"})
    session.ran("Read", file_path="/a/b.py")
    [file] = items_of(memory_of(session, tmp_path), "file")
    assert (file["text"], file["edits"], file["uses"]) == ("/a/b.py", 3, 4)


@pytest.mark.parametrize(("typed_words", "status"), [
    ("Cancel that.", "cancelled"), ("It works now.", "finished"), ("continue", "open"), ("Now the docs.", "open")])
def test_what_became_of_a_request(tmp_path: Path, typed_words: str, status: str) -> None:
    session = Session()
    session.typed("Fix the rates.")
    session.says("Half of it is done.")
    session.typed(typed_words)
    requests = {item["text"]: item["status"] for item in items_of(memory_of(session, tmp_path), "request")}
    assert requests["Fix the rates."] == status
    assert "continue" not in requests


def test_a_pasted_log_is_told_from_a_request(tmp_path: Path) -> None:
    session, log = Session(), "\n".join(f"2026-01-0{day} ERROR always use the backup table" for day in range(1, 8))
    session.typed(log)
    memory = memory_of(session, tmp_path)
    assert [item["status"] for item in items_of(memory, "request")] == ["pasted"]
    assert texts_of(memory, "rule") == []


def test_a_rule_that_is_taken_back_leaves_the_request_that_it_stood_in(tmp_path: Path) -> None:
    session = Session()
    session.typed("Fix the parser in src/rates.py. Never touch the legacy tables here.")
    session.typed("You can touch the legacy tables again.")
    memory = memory_of(session, tmp_path)
    assert "Never touch the legacy tables here." not in texts_of(memory, "rule")
    assert [text for text in texts_of(memory, "request") if "Fix the parser in src/rates.py." in text]
    assert not any("Never touch the legacy tables" in text for text in texts_of(memory, "request"))


@pytest.mark.parametrize(("kind", "first", "then"), [
    ("rule", "Never deploy on a Friday.", "Deploy it now."),
    ("rule", "Never push to main.", "The server is now on port 4000. Push it to staging."),
    ("rule", "Always run the linter.", "Run the linter again."),
    ("rule", "Never touch the legacy table.", "Why did you touch the legacy table again?"),
    ("rule", "Always write tests before the code.", "The tests are now slow, look at the code."),
    ("request", "Write the docs for the rates.", "Now write the tests for the rates."),
    ("request", "Fix the parser in src/rates.py.", "Now fix the writer in src/rates.py."),
    ("request", "Add a dark mode to the settings page.", "Add a light mode to the settings page, not the login page."),
])
def test_the_next_request_ends_nothing(tmp_path: Path, kind: str, first: str, then: str) -> None:
    session = Session()
    for prompt in (first, then):
        session.typed(prompt)
        session.says("Working on it.")
    memory = memory_of(session, tmp_path)
    assert texts_of(memory, kind)[0] == first
    assert then not in texts_of(memory, "rule")
    assert then in texts_of(memory, "request")


@pytest.mark.parametrize("typed_words", ["Never mind.", "Never mind the tests, write the docs."])
def test_never_mind_is_no_rule(tmp_path: Path, typed_words: str) -> None:
    session = Session()
    session.typed("Write the tests.")
    session.typed(typed_words)
    assert texts_of(memory_of(session, tmp_path), "rule") == []


def test_values_that_a_pronoun_names_do_not_replace_each_other(tmp_path: Path) -> None:
    session = Session()
    session.typed("It runs on http://localhost:3334/rates now.")
    session.typed("It is PROJ-12 in the tracker.")
    assert len(items_of(memory_of(session, tmp_path), "value")) == 2


FEW_DIGITS = "gh" + "p_" + "AbCdEfGh1" * 4  # of a token's form, but not told from a name by its digits


def test_no_secret_becomes_a_name(tmp_path: Path) -> None:
    secrets, session = [*TOKENS.values(), *dict(blocks()).values(), FEW_DIGITS], Session()
    for tool, field in (("Read", ""), ("Write", "content"), ("Grep", "")):
        text = "\n".join(f"/docs/use.md:{number}: Log in with {secret} there_and_then."
                         for number, secret in enumerate(secrets))
        session.ran(tool, text, file_path="/docs/use.md", **({field: text} if field else {}))
    names = {name for item in items_of(memory_of(session, tmp_path), "names") for name in item["names"]}
    assert "there_and_then" in names
    assert {name[:4] for name in names if any(name[:12] in secret for secret in secrets)} == set()


def test_items_are_at_most_500_and_rules_go_last(tmp_path: Path) -> None:
    session = Session()
    for number in range(30):
        session.typed(f"Never use name {number}.")
    for number in range(900):
        session.ran("Bash", command=f"echo {number}")
        session.ran("Edit", file_path=f"/a/{number}.py")
    memory = memory_of(session, tmp_path)
    assert len(memory["items"]) == 500
    assert len(items_of(memory, "rule")) == 30
    assert "echo 899" in texts_of(memory, "command")
    positions = [item["position"] for item in memory["items"]]
    assert positions == sorted(positions)
