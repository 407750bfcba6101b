"""Tool calls: tasks, answers, plans, jobs, removals; the names in what tools showed, and never a secret."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path

import pytest

import secrets_table
from compact_keeper.record import calls as record_calls
from compact_keeper.record.calls import names_in, shown_text
from entries import call, entry
from sessions import CWD, Record, Session, items_of, memory_of, texts_of
from slow_texts import check_it_ends


def session(*steps: Callable[[Session], object]) -> Session:
    made = Session()
    for step in steps:
        step(made)
    return made


def tasks(memory: Record) -> list[tuple[str, str]]:
    """The tasks as listed, each with its status."""
    listed = sorted(items_of(memory, "task"), key=lambda one: (one["list"], one["order"], one["position"]))
    return [(one["text"], one["status"]) for one in listed]


def found(*calls: Record, root: str = CWD) -> list[Record]:
    """The items of these calls, the ones at rest last."""
    work = record_calls.Work([], {"root": root})
    return [*chain.from_iterable(map(work.items_of, calls)), *work.items_at_rest()]


# --- tasks ---


def test_todos_are_the_last_list_in_its_order(tmp_path: Path) -> None:
    made = Session()
    made.todos(Read_rates="in_progress", Write_parser="pending", Drop_cache="pending")
    made.todos(Write_parser="in_progress", Read_rates="completed", Add_tests="pending")
    listed = [("Write parser", "in_progress"), ("Read rates", "completed"), ("Add tests", "pending")]
    assert tasks(memory_of(made, tmp_path)) == listed
    made.todos()
    assert tasks(memory_of(made, tmp_path)) == []


def test_a_list_of_an_earlier_save_is_replaced_too(tmp_path: Path) -> None:
    made = Session()
    made.todos(Read_rates="pending", Drop_cache="pending")
    memory = memory_of(made, tmp_path)
    made.todos(Read_rates="completed")
    assert tasks(memory_of(made, tmp_path, memory)) == [("Read rates", "completed")]


@pytest.mark.parametrize("todos", [None, 7, {}, [7], [[]], [{"content": 7}], [{}], [{"content": "a", "status": []}]])
def test_odd_todos(tmp_path: Path, todos: object) -> None:
    made = Session()
    made.todos(Read_rates="pending")
    made.ran("TodoWrite", todos=todos)
    assert all(text and status for text, status in tasks(memory_of(made, tmp_path)))


def test_created_tasks_keep_their_numbers_order(tmp_path: Path) -> None:
    made = Session()
    for number, name in ((2, "Write parser"), (10, "Add tests"), (1, "Read rates")):
        made.created(number, name)
    made.updated(2, status="in_progress")
    made.updated(10, addBlockedBy=["1", "2"])
    made.updated(1, status="completed")
    memory = memory_of(made, tmp_path)
    assert tasks(memory) == [("Read rates", "completed"), ("Write parser", "in_progress"), ("Add tests", "pending")]
    assert [one["after"] for one in items_of(memory, "task") if one["key"] == "#10"] == ["#1 #2"]


def test_a_dependency_stays_when_the_status_changes(tmp_path: Path) -> None:
    made = Session()
    made.created(1, "Read rates")
    made.created(2, "Write parser")
    made.updated(2, addBlockedBy=["1"])
    made.updated(2, status="in_progress")
    assert [one["after"] for one in items_of(memory_of(made, tmp_path), "task")] == ["", "#1"]


def test_deleted_and_renamed_tasks(tmp_path: Path) -> None:
    made = Session()
    made.created(1, "Read rates")
    made.created(2, "Write parser")
    made.updated(1, status="deleted")
    made.updated(2, subject="Write the parser of rates")
    assert tasks(memory_of(made, tmp_path)) == [("Write the parser of rates", "pending")]


def test_a_task_update_that_failed_changes_nothing(tmp_path: Path) -> None:
    made = Session()
    made.created(1, "Read rates")
    made.failed("TaskUpdate", "Task not found", taskId="1", status="completed")
    assert tasks(memory_of(made, tmp_path)) == [("Read rates", "pending")]


CHECKLIST = "# Plan\n- [x] Read rates\n  - [ ] Write parser\n\n3. [~] Add tests\n* [X] Drop cache\n- [link](a) none\n"
CHECKED = [("Read rates", "completed"), ("Write parser", "pending"), ("Add tests", "in_progress"),
           ("Drop cache", "completed")]


@pytest.mark.parametrize(("step", "expected"), [
    (lambda made: made.says(CHECKLIST), CHECKED),
    (lambda made: made.ran("Write", file_path=f"{CWD}/docs/plan.md", content=CHECKLIST), CHECKED),
    (lambda made: made.ran("Write", file_path="/home/ada/.claude/plans/quiet-river.md", content=CHECKLIST), CHECKED),
    (lambda made: made.ran("Write", file_path=f"{CWD}/TODO.txt", content=CHECKLIST), CHECKED),
    (lambda made: made.ran("Write", file_path=f"{CWD}/src/plan.py", content=CHECKLIST), []),
    (lambda made: made.ran("Write", file_path=f"{CWD}/README.md", content=CHECKLIST), []),
    (lambda made: made.failed("Write", "denied", file_path=f"{CWD}/plan.md", content=CHECKLIST), []),
    (lambda made: made.ran("Read", CHECKLIST, file_path=f"{CWD}/plan.md"), []),
    (lambda made: made.user(CHECKLIST, isMeta=True), [])],
    ids=["said", "plan", "plans-folder", "todo", "source", "readme", "failed", "read", "client"])
def test_checklists(tmp_path: Path, step: Callable[[Session], object], expected: list[tuple[str, str]]) -> None:
    assert tasks(memory_of(session(step), tmp_path)) == expected


def test_a_checked_box_changes_its_task(tmp_path: Path) -> None:
    made = session(lambda made: made.ran("Write", file_path=f"{CWD}/plan.md", content="- [ ] Read rates\n- [ ] Parse"))
    made.ran("Edit", file_path=f"{CWD}/plan.md", old_string="- [ ] Read rates", new_string="- [x] Read rates")
    assert sorted(tasks(memory_of(made, tmp_path))) == [("Parse", "pending"), ("Read rates", "completed")]


# --- answers and consent ---


def test_a_question_waits_and_is_answered(tmp_path: Path) -> None:
    made = Session()
    asked = made.asked("Drop the table?")
    waiting = memory_of(made, tmp_path)
    assert (texts_of(waiting, "question"), texts_of(waiting, "answer")) == (["Drop the table?"], [])
    made.answered(asked, "Drop the table?", "No, rename it")
    for memory in (memory_of(made, tmp_path, waiting), memory_of(made, tmp_path)):
        assert texts_of(memory, "question") == []
        assert [(one["question"], one["text"], one["who"]) for one in items_of(memory, "answer")] == [
            ("Drop the table?", "No, rename it", "user")]


def test_a_question_that_was_refused_does_not_wait(tmp_path: Path) -> None:
    made = session(lambda made: made.rejected("AskUserQuestion", questions=[{"question": "Drop the table?"}]))
    assert texts_of(memory_of(made, tmp_path), "question") == []


@pytest.mark.parametrize("questions", [None, 7, [7], [{}], [{"question": []}], {"question": "x"}])
def test_odd_questions(tmp_path: Path, questions: object) -> None:
    made = session(lambda made: made.call("AskUserQuestion", questions=questions))
    assert texts_of(memory_of(made, tmp_path), "question") == []


@pytest.mark.parametrize(("step", "status"), [
    (lambda made: made.call("ExitPlanMode", plan="# Parse first"), "waiting for approval"),
    (lambda made: made.ran("ExitPlanMode", "User has approved your plan.", plan="# Parse first"), "approved"),
    (lambda made: made.rejected("ExitPlanMode", "Tests first.", plan="# Parse first"), "not approved"),
    (lambda made: made.rejected("ExitPlanMode", plan="# Parse first"), "not approved")])
def test_plans(tmp_path: Path, step: Callable[[Session], object], status: str) -> None:
    memory = memory_of(session(step), tmp_path)
    assert [(one["text"], one["status"]) for one in items_of(memory, "plan")] == [("Parse first", status)]


def test_a_replaced_plan_and_its_file(tmp_path: Path) -> None:
    made = session(lambda made: made.rejected("ExitPlanMode", "Tests first.", plan="# Parse first"))
    told = "User has approved your plan. It was saved to: /home/ada/.claude/plans/quiet-river.md"
    made.ran("ExitPlanMode", told, plan="# Tests first")
    plan, = items_of(memory_of(made, tmp_path), "plan")
    assert (plan["text"], plan["status"], plan["path"]) == (
        "Tests first", "approved", "/home/ada/.claude/plans/quiet-river.md")


def test_a_rejected_call_is_an_answer(tmp_path: Path) -> None:
    made = session(lambda made: made.rejected("Bash", "use the staging one", command="deploy --prod"),
                   lambda made: made.rejected("Write", file_path=f"{CWD}/a.py", content="x"))
    memory = memory_of(made, tmp_path)
    assert [(one["question"], one["status"]) for one in items_of(memory, "answer")] == [
        ("deploy --prod", "rejected"), (f"Write {CWD}/a.py", "rejected")]
    assert "use the staging one" in " ".join(texts_of(memory, "rule"))


# --- jobs ---

SHELL = "Command running in background with ID: b1a2c3. Output is being written to: /tmp/b1a2c3.output"
AGENT = "Async agent launched successfully.\nagentId: a7f3e9\noutput_file: /tmp/a7f3e9.output"


def start_shell(made: Session) -> None:
    made.ran("Bash", SHELL, command="npm run dev", run_in_background=True)


def start_agent(made: Session) -> None:
    made.ran("Task", AGENT, prompt="Find the slow query", run_in_background=True)


@pytest.mark.parametrize("job", [(start_shell, "b1a2c3", "npm run dev"),
                                 (start_agent, "a7f3e9", "Find the slow query")], ids=["shell", "agent"])
@pytest.mark.parametrize("end", ["", "KillShell", "TaskStop", "notification", "another", "failed"])
@pytest.mark.parametrize("saves", [1, 2])
def test_jobs_run_until_something_tells_of_their_end(
        tmp_path: Path, job: tuple[Callable[[Session], None], str, str], end: str, saves: int) -> None:
    start, key, text = job
    made, memory = session(start), None
    if saves == 2:
        memory = memory_of(made, tmp_path)
    if end == "KillShell":
        made.ran("KillShell", shell_id=key)
    elif end == "TaskStop":
        made.ran("TaskStop", task_id=key)
    elif end == "notification":
        made.notified(key)
    elif end == "another":
        made.notified("b999999")
    elif end == "failed":
        made.failed("KillShell", "no such shell", shell_id=key)
    jobs = items_of(memory_of(made, tmp_path, memory), "job")
    running = [(key, text, f"/tmp/{key}.output")] if end in ("", "another", "failed") else []
    assert [(one["key"], one["text"], one["path"]) for one in jobs] == running


@pytest.mark.parametrize(("step", "expected"), [
    (lambda made: made.call("Task", prompt="Find the slow query"), ["Find the slow query"]),
    (lambda made: made.ran("Task", "It is the join.", prompt="Find the slow query"), []),
    (lambda made: made.rejected("Task", prompt="Find the slow query"), []),
    (lambda made: made.failed("Task", "overloaded", prompt="Find the slow query"), [])])
def test_subagents_in_the_foreground(tmp_path: Path, step: Callable[[Session], object], expected: list[str]) -> None:
    assert texts_of(memory_of(session(step), tmp_path), "job") == expected


# --- files that are gone ---


@pytest.mark.parametrize(("command", "left"), [
    ("rm src/a.py", ["src/b.py"]), ("rm -f src/a.py src/b.py", []), ("git rm src/a.py", ["src/b.py"]),
    ("git rm --cached src/a.py", ["src/a.py", "src/b.py"]), (f"rm {CWD}/src/a.py", ["src/b.py"]), ("rm -rf src", []),
    ("rm -- src/a.py", ["src/b.py"]), ("rm src/c.py", ["src/a.py", "src/b.py"]),
    ("echo rm src/a.py", ["src/a.py", "src/b.py"])])
@pytest.mark.parametrize("passed", [True, False])
def test_removed_files(tmp_path: Path, command: str, left: list[str], passed: bool) -> None:
    made = Session()
    for name in ("a", "b"):
        made.ran("Edit", file_path=f"{CWD}/src/{name}.py", old_string="x", new_string="y")
    run = made.ran if passed else made.failed
    run("Bash", "gone" if passed else "Exit code 1\nrm: no", command=command)
    files = [one["key"] for one in items_of(memory_of(made, tmp_path), "file")]
    assert files == (left if passed else ["src/a.py", "src/b.py"])


# --- names ---


@pytest.mark.parametrize(("text", "expected"), [
    ("def parse_rate(zone):", ["parse_rate"]), ("return parseRate(zone)", ["parseRate"]),
    ("class RateTable extends Base", ["RateTable"]), ("MAX_RETRIES", ["MAX_RETRIES"]),
    ("__init_rates__", ["__init_rates__"]), ("parse_rate2 and parse_rate2", ["parse_rate2"]),
    ("parameter", []), ("Parameter", []), ("PARAMETER", []), ("a_b", []), ("_private", []), ("rate_" + "x" * 60, []),
    ("'parse_rate'", []), ('"parse_rate"', []), ("`parse_rate`", []), ("x=parse_rate", []), ("x:parse_rate", []),
    ("x = parse_rate", ["parse_rate"]), ("a/parse_rate", []), ("@parse_rate", []), ("a-parse_rate", []),
    ("+parse_rate", ["parse_rate"]), ("key_1234abcd", []), ("k1_2a3b4cdef", []), ("rate_2024_01", []),
    ("größen_tabelle", []), ("", [])])
def test_what_is_a_name(text: str, expected: list[str]) -> None:
    assert list(names_in(text, 7)) == expected


def test_names_are_counted_and_limited() -> None:
    text = "parse_rate(read_zone) parse_rate\n" + " ".join(f"name_of_{chr(97 + n // 26)}{chr(97 + n % 26)}"
                                                           for n in range(300))
    names = names_in(text, 7)
    assert (names["parse_rate"], names["read_zone"], len(names)) == ([2, 7], [1, 7], 80)


FORMS = {  # source texts that hold a secret
    "assignment": "api_token = {}\n", "glued": "API_TOKEN={}\n", "string": 'client = connect_to("{}")\n',
    "single": "connect_to('{}')\n", "ticks": "connect_to(`{}`)\n", "comment": "# the old one was {} until may\n",
    "slashes": "// use {} here\n", "yaml": "client_secret: {}\n", "argument": "deploy --token {} --force\n",
    "html": "<meta content={}>\n", "words": "log in with {} please\n", "alone": "{}\n", "list": "[{}, {}]\n",
    "bytes": "b'{}'\n", "escaped": '\\"{}\\"\n', "diff": "+{}\n-{}\n", "joined": "x = 'a' + '{}'\n",
    "sql": "VALUES ({})\n"}


def with_few_digits(secret: str) -> str:
    """The secret with its first digit only, letters for the others: digits alone do not tell a token."""
    first = re.search(r"[a-z_-]?\d", secret)
    start = secret[:first.end()] if first else ""
    return start + secret[len(start):].translate(str.maketrans("0123456789", "qRsTuVwXyZ"))


def all_secrets() -> Iterator[str]:
    """Every made-up secret of the table: tokens by form, bodies that have a name before them, lines of keys."""
    for token in secrets_table.TOKENS.values():
        yield from (token, with_few_digits(token))
    yield from secrets_table.NAMED_BODIES.values()
    yield from secrets_table.URL_BODIES.values()
    for _, block in secrets_table.blocks():
        yield from (line for line in re.split(r"\n|\\n", block) if line and "-----" not in line)
        yield block


def names_of(items: list[Record]) -> set[str]:
    return {name for one in items for name in one.get("names", {})}


@pytest.mark.parametrize("form", FORMS)
def test_no_part_of_a_secret_becomes_a_name(form: str) -> None:
    leaked = []
    for secret in dict.fromkeys(all_secrets()):
        text = "def parse_rate(zone):\n    " + FORMS[form].replace("{}", secret) + "    return zone\n"
        grepped = "\n".join(f"{CWD}/src/a.py:{number}:{line}" for number, line in enumerate(text.splitlines(), 1))
        for shown in (call("Read", path=f"{CWD}/a.py", body=text), call("Write", path=f"{CWD}/a.py", body=text),
                      call("Grep", body=grepped)):
            names = names_of(found(shown))
            assert "parse_rate" in names
            leaked += [(shown["tool"], name, secret) for name in names if name in secret]
    assert leaked == []


@pytest.mark.parametrize("carrier", secrets_table.NAMED_CARRIERS)
def test_no_part_of_a_named_secret_becomes_a_name(carrier: str) -> None:
    leaked = []
    for body in [one for given in secrets_table.NAMED_BODIES.values() for one in (given, with_few_digits(given))]:
        text = secrets_table.NAMED_CARRIERS[carrier].format(body)
        leaked += [(name, text) for name in names_of(found(call("Read", path="/a.py", body=text))) if name in body]
    assert leaked == []


@pytest.mark.parametrize("carrier", ["yaml", "python", "option", "header"])
def test_no_random_named_secret_becomes_a_name(carrier: str) -> None:
    draw, leaked = random.Random(carrier), []
    for length in (16, 20, 24, 32) * 100:
        secret = "7" + "".join(draw.choices(secrets_table.ALNUM, k=length - 2)) + "x"
        text = secrets_table.NAMED_CARRIERS[carrier].format(secret[::-1])
        leaked += [name for name in names_of(found(call("Read", path="/a.py", body=text))) if name in secret[::-1]]
    assert leaked == []


# --- what is looked through ---

NAMED_TEXT = "parse_rate(read_zone)"


@pytest.mark.parametrize("path", [
    ".env", ".env.local", "a.json", "a.yml", "a.yaml", "a.toml", "a.ini", "a.pem", "id_rsa", "a.cfg", "a.xml", ".npmrc",
    "a.properties", "a.py.env", "a.tfvars", "Makefile", "a.pyc", "a.py\n.env", ""])
def test_settings_are_not_looked_at(path: str) -> None:
    for tool in ("Read", "Write", "Edit"):
        shown = call(tool, path=path and f"{CWD}/{path}", body=NAMED_TEXT)
        assert (shown_text(shown), names_of(found(shown))) == ("", set())


@pytest.mark.parametrize("path", ["a.py", "src/b.tsx", "c.go", "README.md", "x.sql", "s.sh", "settings.json.py"])
def test_source_is_looked_at(path: str) -> None:
    for tool in ("Read", "Write", "Edit"):
        assert names_of(found(call(tool, path=f"{CWD}/{path}", body=NAMED_TEXT))) == {"parse_rate", "read_zone"}


@pytest.mark.parametrize(("line", "names"), [
    (f"{CWD}/src/a.py:12:{NAMED_TEXT}", {"parse_rate", "read_zone"}),
    (f"src/a.py-12-{NAMED_TEXT}", {"parse_rate", "read_zone"}),
    (f".env:1:{NAMED_TEXT}", set()), (f"config.yml:3:{NAMED_TEXT}", set()), (f"a.json-3-{NAMED_TEXT}", set()),
    (f"a.py.env:3:{NAMED_TEXT}", set()), (NAMED_TEXT, set()), (f"12:{NAMED_TEXT}", set())])
def test_names_in_lines_that_a_search_found(line: str, names: set[str]) -> None:
    assert names_of(found(call("Grep", body=line))) == names


@pytest.mark.parametrize(("tool", "command", "text", "expected"), [
    ("Grep", "", f"{CWD}/src/a.py:3:x\n{CWD}/src/b.py:4:y\n{CWD}/src/a.py:9:z", ["src/a.py", "src/b.py"]),
    ("Glob", "", f"{CWD}/src/a.py\n{CWD}/docs/b.md", ["src/a.py", "docs/b.md"]),
    ("Bash", "git status --short", " M src/a.py\n?? src/b.py\nA  src/c.py\n", ["src/a.py", "src/b.py", "src/c.py"]),
    ("Bash", "git status", "On branch main\n\tmodified:   src/a.py\n\tnew file:  src/b.py\n", ["src/a.py", "src/b.py"]),
    ("Bash", "cd sub && git diff --stat", " src/a.py | 3 +-\n", ["src/a.py"]),
    ("Bash", "find . -name '*.py'", "./src/a.py\n", ["src/a.py"]), ("Bash", "make test", "src/a.py\n", []),
    ("Bash", "ls", "a.py\n", []), ("Bash", "gitstatus", "src/a.py\n", [])])
def test_files_that_listings_name(tool: str, command: str, text: str, expected: list[str]) -> None:
    items = found(call(tool, command=command, **{"output" if command else "body": text}))
    assert [one["text"] for one in items if one["kind"] == "found"] == expected


def test_a_failed_call_shows_nothing() -> None:
    assert found(call("Grep", ok=False, body=f"{CWD}/src/a.py:3:{NAMED_TEXT}")) == []


# --- texts that could make it slow ---


@pytest.mark.parametrize("make", [
    lambda text: call("Read", path="/a.py", body=text), lambda text: call("Grep", body=text),
    lambda text: call("Glob", body=text), lambda text: call("Write", path="/plan.md", body=text),
    lambda text: {**entry(1, "said"), "text": "[ ]" + text},
    lambda text: call("Bash", command="ls", output=text[:4_000]),
    lambda text: call("Bash", command=text[:600]), lambda text: call("Write", path=text[:300], body="x"),
    lambda text: call("Task", input={"prompt": text[:600]}, output="agentId background " + text[:4_000]),
    lambda text: call("ExitPlanMode", input={"plan": text[:600]}, output=text[:4_000]),
    lambda text: call("TaskCreate", input={"subject": text[:600]}, output=text[:4_000])],
    ids=["read", "grep", "glob", "plan", "said", "listing", "command", "path", "task", "exit-plan", "created"])
def test_no_text_is_without_end(make: Callable[[str], Record]) -> None:
    check_it_ends(lambda text: found(make(text)))
