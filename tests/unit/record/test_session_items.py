"""What a session gives: each kind of item, from the transcript to the memory, and what becomes of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from compact_keeper.client.tools import CHANGING_TOOLS
from compact_keeper.record.checks.last_runs import last_runs, open_failures
from compact_keeper.record.checks.runs import check_runs
from compact_keeper.record.summary.comparisons import compare
from compact_keeper.store.settings import default_settings
from sessions import CWD, REJECTION_WORDS, JsonObject, Session, items_of, memory_of, stamp, texts_of
from tool_events import changing_input

KINDS = {"message", "rule", "said", "action", "look", "task", "plan", "job", "answer", "refusal", "question"}


CALL_REFUSED = "$ rm -rf out"


def build() -> Session:
    """A session that holds every kind of item."""
    session = Session()
    session.typed("Fix the rate table in rates.py. Never touch the legacy table.")
    session.says("There are two ways:\n\nA) Round half up.\nB) Round half even.\n\n- [ ] Update the docs\n"
                 "- [x] Read it")
    session.typed("b")
    session.created(1, "Write the rate tests")
    session.ran("Edit", file_path=f"{CWD}/rates.py", old_string="a = 1", new_string="def load_rates(): pass")
    session.ran("Grep", f"{CWD}/src/tables.py:3:def half_even(): pass", pattern="half")
    session.rejected("Bash", command="rm -rf build")
    session.rejected("Bash", "use make clean", command="rm -rf out")
    session.failed("Bash", "Exit code 1\nE   assert 2 == 3\n1 failed, 3 passed in 0.2s", command="pytest -q")
    session.ran("Bash", "ok", command="git add -A")
    session.ran("Bash", "Command running in background with ID: b1f2. Output is being written to: /tmp/b1f2.out.",
                command="make serve", run_in_background=True)
    session.answered(session.posed("Which rounding?"), "Which rounding?", "Half even")
    session.ran("ExitPlanMode", "User has approved your plan.", plan="# Rates in decimals\n\n1. Change",
                planFilePath="/home/ada/.claude/plans/a.md")
    session.posed("Delete the old table?")
    return session


@pytest.mark.parametrize(("kind", "text", "fields"), [
    ("message", "Fix the rate table in rates.py. Never touch the legacy table.", {"who": "user", "via": "prompt"}),
    ("message", "b", {"picks": "B) Round half even."}),
    ("message", "use make clean", {"via": "rejection", "refused": CALL_REFUSED}),
    ("rule", "Never touch the legacy table.", {"who": "user", "status": "open"}),
    ("task", "Update the docs", {"status": "pending"}),
    ("task", "Read it", {"status": "completed"}),
    ("task", "Write the rate tests", {"status": "pending", "key": "#1"}),
    ("action", "rates.py", {"edits": 1, "verdict": "ended", "change": "- a = 1\n+ def load_rates(): pass"}),
    ("action", "pytest -q", {"verdict": "failed", "family": "test"}),
    ("action", "git add -A", {"verdict": "ended", "result": "ok"}),
    ("look", "half", {"tool": "Grep", "hits": ["src/tables.py:3: def half_even(): pass"]}),
    ("job", "make serve", {"key": "b1f2", "path": "/tmp/b1f2.out", "status": "open"}),
    ("answer", "Half even", {"question": "Which rounding?", "who": "user"}),
    ("plan", "# Rates in decimals\n\n1. Change", {"status": "approved", "path": "/home/ada/.claude/plans/a.md"}),
    ("question", "Delete the old table?", {"status": "open"}),
])
def test_every_kind_of_item(tmp_path: Path, kind: str, text: str, fields: JsonObject) -> None:
    [item] = [item for item in items_of(memory_of(build(), tmp_path), kind) if item["text"] == text]
    assert {name: item.get(name) for name in fields} == fields
    assert item["source"]
    assert item["first"] == item["last"] >= stamp(0)


def test_no_other_kind_is_there(tmp_path: Path) -> None:
    memory = memory_of(build(), tmp_path)
    assert {item["kind"] for item in memory["items"]} == KINDS
    assert "rm -rf build" in texts_of(memory, "refusal")[0]
    assert not [text for text in texts_of(memory, "action") if "rm -rf" in text], "what was refused was not done"


def test_state_of_the_session(tmp_path: Path) -> None:
    state = memory_of(build(), tmp_path)["state"]
    assert (state["cwd"], state["gitBranch"]) == (CWD, "main")
    assert state["last_words"].startswith("There are two ways:\n\nA) Round")


def test_words_of_long_ago_begin_with_their_first_word(tmp_path: Path) -> None:
    session = Session()
    session.says("No zone is sorted by size.")
    session.says("The zones were read. " * 20 + "No rate is lost.")
    session.says("x " * 40_000)
    said = texts_of(memory_of(session, tmp_path), "said")
    assert said[0] == "No zone is sorted by size."
    assert said[1].startswith("… The zones were read. The zones")
    assert said[1].endswith("No rate is lost.")


def test_an_error_of_the_api_is_not_the_assistants_last_word(tmp_path: Path) -> None:
    session = Session()
    session.says("The table is half done.")
    session.assistant({"type": "text", "text": "You've hit your session limit"},
                      model="<synthetic>")["isApiErrorMessage"] = True
    assert memory_of(session, tmp_path)["state"]["last_words"] == "The table is half done."


def looked_up(session: Session, command: str = "/compact-keeper:recall") -> JsonObject:
    return session.user(f"<command-message>{command[1:]}</command-message>\n<command-name>{command}</command-name>\n"
                        "<command-args>why did it fail</command-args>")


LOOK_UPS: dict[str, tuple[Any, str]] = {  # what comes behind the agent's "Which remote?"; the agent's last words then
    "a look": (lambda s: (looked_up(s), s.says("It had no remote.")), "Which remote?"),
    "a copy's": (lambda s: (looked_up(s, "/compact-keeper-show"), s.says("It had none.")), "Which remote?"),
    "two looks": (lambda s: (looked_up(s), s.says("None."), looked_up(s), s.says("No.")), "Which remote?"),
    "looks of its own": (lambda s: (looked_up(s), s.ran("Bash", command="python3 -IS recall.py show 2#4"),
                                    s.ran("Read", file_path="/a.py"), s.says("None.")), "Which remote?"),
    "work": (lambda s: (looked_up(s), s.ran("Edit", file_path="/a.py"), s.says("Mended.")), "Mended."),
    "a question": (lambda s: (looked_up(s), s.says("It was origin. That?")), "It was origin. That?"),
    "an answer": (lambda s: (looked_up(s), s.says("None."), s.typed("origin"), s.says("Pushed.")), "Pushed."),
    "answered before": (lambda s: (s.typed("origin"), looked_up(s), s.says("None.")), "None."),
    "nothing asked": (lambda s: (s.says("Done."), looked_up(s), s.says("None.")), "None."),
    "another's command": (lambda s: (s.user("<command-name>/recall</command-name>"), s.says("No.")), "No."),
    "within a compaction": (lambda s: (s.user("<command-name>/compact</command-name><command-args>keep it"
                                              "</command-args>"), looked_up(s), s.says("None.")), "Which remote?"),
    "told of": (lambda s: (s.ran("Bash", "<command-name>/compact-keeper:recall</command-name>"), s.says("No.")), "No."),
}


@pytest.mark.parametrize(("then", "words"), LOOK_UPS.values(), ids=LOOK_UPS)
@pytest.mark.parametrize("saves", [1, 2])
def test_what_is_said_to_a_look_up_ends_no_work_that_waits_for_an_answer(
        tmp_path: Path, then: Any, words: str, saves: int) -> None:
    session, memory = Session(), None
    session.typed("Push it.")
    session.says("Which remote?")
    if saves > 1:
        memory = memory_of(session, tmp_path)
    then(session)
    memory = memory_of(session, tmp_path, memory)
    assert (memory["state"]["last_words"], texts_of(memory, "said")[-1]) == (words, words)


def test_a_message_behind_a_look_up_answers_what_was_asked(tmp_path: Path) -> None:
    session = Session()
    session.says("Which remote?")
    looked_up(session)
    session.says("It had no remote.")
    session.typed("origin")
    assert items_of(memory_of(session, tmp_path), "message")[-1]["answers"] == "Which remote?"


@pytest.mark.parametrize(("output", "is_told"), [
    ("/usr/bin/python3: No module named mypy", False), ("src/a.py:3: error: Name \"b\" is not defined", True)])
def test_a_tool_that_is_not_there_stands_in_no_run(
        tmp_path: Path, output: str, is_told: bool) -> None:
    session = Session()
    session.failed("Bash", f"Exit code 1\n{output}", command="python3 -m mypy src")
    actions = items_of(memory_of(session, tmp_path), "action")
    findings = compare("mypy passes.", actions, {})
    runs = check_runs(actions)
    lines = (last_runs(actions, "", runs), open_failures(actions, "", runs))
    assert [*map(bool, lines)] == [is_told] * 2
    assert bool(findings) is is_told


@pytest.mark.parametrize(("text", "rules"), [
    ("never push", ["never push"]),
    ("Please always run the linter.", ["Please always run the linter."]),
    ("From now on answer in short sentences.", ["From now on answer in short sentences."]),
    ("**Never** force-push", ["**Never** force-push"]),
    ("Не забывай: никогда не трогай main.", ["Не забывай: никогда не трогай main."]),
    ("必ずテストを実行してください。", ["必ずテストを実行してください。"]),
    ("Nunca uses floats.", ["Nunca uses floats."]),
    ("Bitte immer auf Deutsch antworten.", ["Bitte immer auf Deutsch antworten."]),
    ("Only one test fails?", []),
    ("What must I do?", []),
    ("it never worked before", []),
    ("Never mind.", []),
    ("Never mind the tests, write the docs.", []),
    ("\n".join(f"2026-01-0{day} ERROR always use the backup table" for day in range(1, 8)), []),
])
def test_which_sentences_are_rules(tmp_path: Path, text: str, rules: list[str]) -> None:
    session = Session()
    session.typed(text)
    memory = memory_of(session, tmp_path)
    assert texts_of(memory, "rule") == rules
    assert texts_of(memory, "message") == [text], "the message stands whole, whatever it is"


@pytest.mark.parametrize(("first", "then"), [
    ("Never deploy on a Friday.", "Deploy it now."),
    ("Never push to main.", "Actually, push the docs branch now."),
    ("Never push to main.", "The server is now on port 4000. Push it to staging."),
    ("Always run the linter.", "Run the linter again."),
    ("Never touch the legacy table.", "Why did you touch the legacy table again?"),
    ("Always write tests before the code.", "The tests are now slow, look at the code."),
])
def test_an_order_and_an_exception_end_no_rule(tmp_path: Path, first: str, then: str) -> None:
    session = Session()
    for prompt in (first, then):
        session.typed(prompt)
        session.says("Working on it.")
    memory = memory_of(session, tmp_path)
    assert texts_of(memory, "rule") == [first]
    assert texts_of(memory, "message") == [first, then]


def test_a_question_and_an_answer_have_the_options_that_the_transcript_tells(tmp_path: Path) -> None:
    session = Session()
    call = session.posed("Which table?")
    memory = memory_of(session, tmp_path)
    session.answered(call, "Which table?", "Yes")
    [question], [answer] = items_of(memory, "question"), items_of(memory_of(session, tmp_path, memory), "answer")
    assert question["options"] == answer["options"] == ["Yes: Do it", "No: Leave it"]


def test_a_rule_that_is_revoked_leaves_its_message_whole(tmp_path: Path) -> None:
    first = "Fix the parser in src/rates.py. Never touch the legacy tables here."
    session = Session()
    session.typed(first)
    session.typed("You can touch the legacy tables again.")
    memory = memory_of(session, tmp_path)
    assert texts_of(memory, "rule") == []
    assert texts_of(memory, "message")[0] == first


@pytest.mark.parametrize(("write", "via", "text"), [
    (lambda s: s.rejected("Edit", "no, take the other file\nand keep the header", file_path="/a"), "rejection",
     "no, take the other file\nand keep the header"),
    (lambda s: (s.interrupt(), s.typed("the other file")), "interrupt", "the other file"),
    (lambda s: (s.interrupt(), s.says("I go on."), s.typed("the other file")), "prompt", "the other file"),
    (lambda s: s.queued("and the docs"), "queue", "and the docs"),
    (lambda s: s.user("<command-name>/compact</command-name><command-args>keep the list</command-args>"), "compact",
     "keep the list"),
])
def test_how_words_came(tmp_path: Path, write: Callable[[Session], Any], via: str, text: str) -> None:
    session = Session()
    write(session)
    session.typed("now the tests")
    memory = memory_of(session, tmp_path)
    assert [(item["text"], item["via"]) for item in items_of(memory, "message")] == [(text, via),
                                                                                     ("now the tests", "prompt")]
    assert texts_of(memory, "rule") == [], "a correction is no standing rule"


def test_what_a_resume_wrote_at_one_moment_came_before_what_was_typed_behind_it(tmp_path: Path) -> None:
    session = Session()
    session.typed("Write the page of the zones")
    at_resume = stamp(900)
    for words in ("now as a table of the zones", "and never as a list"):
        session.says("I write it.")["timestamp"] = at_resume
        session.rejected("Write", file_path="/srv/zones.md", content=words)
        for record in session.records[-2:]:
            record["timestamp"] = at_resume
        session.typed(words)
    session.says("Good.")["timestamp"] = at_resume
    memory = memory_of(session, tmp_path)
    steps = [item for item in memory["items"] if item["kind"] in ("said", "message")]
    assert [item["text"] for item in sorted(steps, key=lambda item: item["last"])] == [item["text"] for item in steps]
    *_, second = items_of(memory, "refusal")
    typed = {item["text"]: item for item in items_of(memory, "message")}
    assert second["last"] == typed["and never as a list"]["last"]
    assert typed["now as a table of the zones"]["follows"] == "Write /srv/zones.md"


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


def test_boxes_of_the_assistant_change_their_mark(tmp_path: Path) -> None:
    session = Session()
    session.says("Plan:\n- [ ] Update the docs\n* [ ] Ship")
    session.says("- [x] Update the docs\n- [~] Ship")
    tasks = {item["text"]: item["status"] for item in items_of(memory_of(session, tmp_path), "task")}
    assert tasks == {"Update the docs": "completed", "Ship": "in_progress"}


def test_a_question_of_the_dialog_waits_until_answered(tmp_path: Path) -> None:
    session = Session()
    call = session.posed("Which rounding?")
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
    session.ran("ExitPlanMode", "User has approved your plan.", plan="# First")
    call = session.call("ExitPlanMode", plan="# Rates in decimals", planFilePath="/home/ada/.claude/plans/a.md")
    if end:
        end(session, call)
    [plan] = items_of(memory_of(session, tmp_path), "plan")
    assert (plan["text"], plan["status"], plan["path"]) == (
        "# Rates in decimals", status, "/home/ada/.claude/plans/a.md")


def test_a_long_plan_that_was_approved_is_kept_whole(tmp_path: Path) -> None:
    rows = "\n".join(f"- row {number} of the rates" for number in range(1_100))
    session = Session()
    session.ran("ExitPlanMode", f"User has approved your plan.\n\n## Approved Plan:\n# Rates\n{rows}", plan="# Rates")
    [plan] = items_of(memory_of(session, tmp_path), "plan")
    assert plan["text"] == f"# Rates\n{rows}"
    assert len(rows) > 24_000, "an output of another tool loses its middle"


@pytest.mark.parametrize(("write", "status"), [
    (lambda _: None, "open"),
    (lambda s: s.notified("b1f2"), "ended"),
    (lambda s: s.ran("KillShell", "killed", shell_id="b1f2"), "ended"),
    (lambda s: s.ran("TaskStop", "stopped", task_id="b1f2"), "ended"),
    (lambda s: s.failed("KillShell", "denied", shell_id="b1f2"), "open"),
    (lambda s: s.notified("other"), "open"),
])
def test_a_job_runs_until_its_end_is_told(tmp_path: Path, write: Callable[[Session], Any], status: str) -> None:
    session = Session()
    session.ran("Bash", "Command running in background with ID: b1f2. Output is being written to: /tmp/b1f2.out",
                command="make serve")
    memory = memory_of(session, tmp_path)
    write(session)
    for before in (None, memory):
        jobs = items_of(memory_of(session, tmp_path, before), "job")
        assert [(job["text"], job["status"]) for job in jobs] == [("make serve", status)]


@pytest.mark.parametrize("tool", CHANGING_TOOLS)
def test_each_other_change_of_a_file_is_an_action(tmp_path: Path, tool: str) -> None:
    session = Session()
    for text in ("one = 1", "two = 2", "two = 2"):
        session.ran(tool, **changing_input(tool, "/a/b.py", text))
    session.failed(tool, "no such file", **changing_input(tool, "/a/b.py", ""))
    actions = items_of(memory_of(session, tmp_path), "action")
    assert [(item["path"], item["edits"], item["uses"], item["verdict"]) for item in actions] == [
        ("/a/b.py", 1, 1, "ended"), ("/a/b.py", 2, 2, "ended"), ("/a/b.py", 0, 1, "failed")]
    assert [item["change"].splitlines()[-1] for item in actions[:2]] == ["+ one = 1", "+ two = 2"]


def test_items_are_bounded_and_rules_go_last(tmp_path: Path) -> None:
    session, most = Session(), default_settings()["max_items"]
    for number in range(30):
        session.typed(f"Never use name {number}.")
    for number in range(most):
        session.ran("Bash", command=f"echo {number}")
        session.ran("Edit", file_path=f"/a/{number}.py")
    memory = memory_of(session, tmp_path)
    assert len(memory["items"]) == most
    assert len(items_of(memory, "rule")) == 30
    assert f"/a/{most - 1}.py" in texts_of(memory, "action")
    positions = [item["position"] for item in memory["items"]]
    assert positions == sorted(positions)


@pytest.mark.parametrize("typed", ["recall", "recall never push; then mend it", "show", "pin Never push."])
@pytest.mark.parametrize("begin", ["/compact-keeper:", "/compact-keeper-"])
def test_a_command_of_ours_is_no_message_and_gives_no_rule_though_work_follows_it(
        tmp_path: Path, begin: str, typed: str) -> None:
    session = Session()
    session.typed("Round the rates.")
    session.says("They are rounded.")
    name, _, words = f"{begin}{typed}".partition(" ")
    session.user(f"<command-message>{name[1:]}</command-message>\n<command-name>{name}</command-name>"
                 + f"\n<command-args>{words}</command-args>" * bool(words))
    session.ran("Edit", file_path="/a.py")
    memory = memory_of(session, tmp_path)
    assert texts_of(memory, "message") == ["Round the rates."]
    assert texts_of(memory, "rule") == []


@pytest.mark.parametrize("row", [
    "✓ 3 passed", "Traceback (most recent call last):\n  File \"a.py\"\nValueError: no", "[main 5b23401] Add rates",
    "error: failed to push some refs to 'rates'", "To git@forge.example:a\n   1b2c3d4..5b23401  main -> main"])
def test_a_text_that_the_command_wrote_tells_nothing_of_its_end(tmp_path: Path, row: str) -> None:
    text = f"# How git push went\n\n```bash\npython test_rates.py\n```\n{row}"
    session = Session()
    session.ran("Bash", text, command=f"cat > notes.md << 'EOF'\n{text}\nEOF\ncat notes.md")
    session.ran("Bash", text, command=f"cat << 'EOF'\n{text}\nEOF")
    memory = memory_of(session, tmp_path)
    [action], [look] = items_of(memory, "action"), items_of(memory, "look")
    shown = "(only its own text)"
    assert (action["verdict"], action["family"], action["result"], look["result"]) == ("ended", "", shown, shown)
    assert not {"commit", "pushed", "rows", "more", "ends"} & action.keys()
    assert {*memory["outputs"].values()} == {shown}


def test_of_a_long_document_no_row_is_a_command(tmp_path: Path) -> None:
    text = "".join(f"{number}. What was seen of the rates, and how it was mended then\n" for number in range(200))
    session = Session()
    for end in ("", "\nEOF\nmake lint"):
        session.ran("Bash", command=f"cat > notes{len(end)}.md <<'EOF'\n```\npytest -q\n{text}{end}")
    assert [action["family"] for action in items_of(memory_of(session, tmp_path), "action")] == ["", "lint"]
