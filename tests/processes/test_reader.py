"""The reader's test as `make reader` starts it, with a scripted command in the place of a model.

The command writes its questions on three facts: one stands in the summary, two only in what our hooks put back.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import reader_cases
import reader_prompts
from sessions import START, Record, Session

ROOT = Path(__file__).resolve().parents[2]
BENCH = ROOT / "tests" / "bench" / "reader.py"
RULE, TESTS_RUN, BRANCH = "Never round the parcel rates before the tax is added.", "pytest -q tests/rates", "rates-2"
SUMMARY = f"The agent works on the branch {BRANCH}."
AFTERWARDS = "I go on with the surcharge table."
FACTS = {"What must never be done?": RULE, "How are the tests run?": TESTS_RUN, "Which branch?": BRANCH}

COMMAND = '''
import hashlib, json, os, pathlib, re, subprocess, sys, time
mode, log, facts = sys.argv[1], pathlib.Path(sys.argv[2]), json.loads(sys.argv[3])
prompt = sys.stdin.buffer.read().decode()
kind = prompt.splitlines()[0].partition(": ")[2]
number = hashlib.sha256(prompt.encode()).hexdigest()
is_again = log.exists() and number in log.read_text()
child = subprocess.Popen(["sleep", "100"]) if mode == "hangs" else None
with log.open("a") as lines:
    lines.write(json.dumps({"kind": kind, "pid": os.getpid(), "child": child.pid if child else 0, "prompt": number,
                            "cwd": os.getcwd(), "files": os.listdir()}) + "\\n")
if child:
    child.wait()
if mode == "fails":
    print("You have hit your limit", file=sys.stderr)
    sys.exit(1)
if mode == "broken" or mode == "stumbles" and not is_again:
    print("Here it is: {\\"questions\\": [{\\"question\\": ")
    sys.exit()
if kind == "WRITE QUESTIONS":
    answer = {"questions": [{"question": q, "answer": a, "evidence": a} for q, a in facts.items()]}
elif kind == "ANSWER QUESTIONS":
    context, asked = prompt.split("<context>")[1].split("</context>")
    known = {q: a if a in context else "unknown" for q, a in facts.items()}
    say = {"blank": lambda q: "unknown", "sure": lambda q: "Surely something else."}.get(mode, known.get)
    answer = {n: say(q) for n, q in re.findall(r"(?m)^(\\d+)\\. (.*)$", asked)}
else:
    answer = {}
    for n, rest in re.findall(r"(?s)QUESTION (\\d+): (.*?)(?=\\nQUESTION |</answers>)", prompt):
        key = re.search(r"KEY: (.*)", rest).group(1)
        answer[n] = {m: {"score": int(key in text), "wrong": key not in text and text != "unknown"}
                     for m, text in re.findall(r"ANSWER (\\d): (.*)", rest)}
text = json.dumps(answer)
print("Sure, [as asked] {for}:\\n```json\\n" + text + "\\n```\\nTell me more." if mode == "stumbles" else text)
'''


class Desk(NamedTuple):
    """Transcripts, and a scripted command that tells in its log what it was asked."""

    folder: Path

    @property
    def out(self) -> Path:
        return self.folder / "out"

    def command(self, mode: str, facts: dict[str, str] | None = None) -> str:
        script = self.folder / "command.py"
        script.write_text(COMMAND)
        given = json.dumps(FACTS if facts is None else facts).replace("'", "")
        return f"'{sys.executable}' '{script}' {mode} '{self.folder / 'log'}' '{given}'"

    def run(self, *arguments: str, mode: str = "", code: int = 0) -> subprocess.CompletedProcess[str]:
        """The finished test; with a mode the command is named."""
        named = ["--reader", self.command(mode)] if mode else []
        done = subprocess.run(
            [sys.executable, str(BENCH), str(self.folder), "--out", str(self.out), *named, *arguments],
            capture_output=True, text=True, cwd="/", timeout=60)
        assert done.returncode == code, done.stderr
        assert "Traceback" not in done.stderr
        return done

    def asked(self) -> list[Record]:
        """What the command was asked, a line for each of its processes."""
        log = self.folder / "log"
        return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []

    def kept(self, name: str) -> str:
        """A file of the only case."""
        return next(self.out.glob(f"*/{name}")).read_text(encoding="utf-8")


def compacted_session(first: int = 0, session: str = "5e551011-0000-4000-8000-000000000001", more: str = "") -> Session:
    """A session that knows a rule, ran the tests, was compacted and went on."""
    work = Session(first, session)
    work.typed(RULE)
    work.ran("Bash", "3 passed in 0.10s", command=TESTS_RUN)
    for number in range(20):
        work.ran("Edit", file_path=f"/home/ada/parcel-rates/rates{number}.py", old_string="a", new_string=f"b{more}")
    work.compacted(SUMMARY)
    work.says(AFTERWARDS)
    for _ in range(10):
        work.ran("Bash", "3 passed in 0.10s", command=TESTS_RUN)
    return work


def rows(printed: str) -> dict[str, list[str]]:
    """The table's rows by their condition."""
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in printed.splitlines() if line[:1] == "|"]
    return {row[0]: row[1:] for row in cells}


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    compacted_session().write(tmp_path / "session.jsonl")
    return Desk(tmp_path)


@pytest.mark.parametrize(("mode", "summary", "ours"), [
    ("perfect", ["0.333", "–", "0", "3"], ["1.000", "100 %", "0", "3"]),
    ("stumbles", ["0.333", "–", "0", "3"], ["1.000", "100 %", "0", "3"]),
    ("blank", ["0.000", "–", "0", "3"], ["0.000", "0 %", "0", "3"]),
    ("sure", ["0.000", "–", "3", "3"], ["0.000", "0 %", "3", "3"])])
def test_the_table_says_what_readers_got(desk: Desk, mode: str, summary: list[str], ours: list[str]) -> None:
    printed = desk.run(mode=mode).stdout
    table = rows(printed)
    assert table["summary"] == ["0", *summary]
    assert table["ours"][1:] == ours
    assert int(table["ours"][0].replace(",", "")) > 200
    assert "3 questions of 1 compactions" in printed
    assert str(desk.out) in printed


@pytest.mark.parametrize(("mode", "reason", "tries"), [
    ("broken", "questions: printed no JSON of the form that was asked for, see questions-failed-2.txt", 2),
    ("fails", "questions: exit 1: You have hit your limit", 2),
    ("hangs", "questions: no answer in 1 s (--timeout)", 1)])
def test_a_command_that_does_not_answer_is_not_counted(desk: Desk, mode: str, reason: str, tries: int) -> None:
    done = desk.run("--timeout", "1" if mode == "hangs" else "60", mode=mode, code=1)
    assert reason in done.stderr
    assert "Not counted: 1 of 1 cases (1 failed, 0 wait for an answer)." in done.stdout
    assert not rows(done.stdout)
    assert len(desk.asked()) == tries
    assert not [line["child"] for line in desk.asked() if line["child"] and is_running(line["child"])]


def is_running(pid: int) -> bool:
    """Whether the process still runs a moment later; one that waits to be collected does not."""
    for _ in range(50):
        try:
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return False
        except OSError:
            return False
        time.sleep(0.02)
    return True


def test_nobody_sees_what_would_help_or_sway(desk: Desk) -> None:
    earlier = Session(100)
    earlier.typed("Begin with the rates.")
    earlier.compacted("An earlier summary.")
    (earlier + compacted_session(200)).write(desk.folder / "session.jsonl")
    desk.run(mode="perfect")
    written, answered = desk.kept("questions-prompt.md"), desk.kept("answers-summary-prompt.md")
    assert RULE in written
    assert AFTERWARDS in written
    assert "Begin with the rates." in written
    assert SUMMARY not in written
    assert "An earlier summary." not in written
    assert "compact-keeper" not in written
    assert SUMMARY in answered
    assert RULE not in answered
    assert RULE in desk.kept("answers-ours-prompt.md")
    assert AFTERWARDS not in desk.kept("answers-ours-prompt.md")
    grading = desk.kept("grades-prompt.md").partition("<answers>")[2].lower()
    assert not any(name in grading for name in ("ours", "summary", "compact-keeper", "added by"))
    asked = desk.asked()
    assert sorted(line["kind"] for line in asked) == [
        "ANSWER QUESTIONS", "ANSWER QUESTIONS", "GRADE ANSWERS", "WRITE QUESTIONS"]
    assert all(line["files"] == [] for line in asked)
    assert len({line["pid"] for line in asked}) == len({line["cwd"] for line in asked}) == 4


def test_the_order_of_answers_is_drawn_for_each_question(desk: Desk) -> None:
    facts = {f"Question {number}?": TESTS_RUN for number in range(12)}
    command = desk.command("perfect", facts)
    desk.run("--reader", command, "--questions", "12")
    grading = desk.kept("grades-prompt.md").splitlines()
    places = {line for line in grading if line.endswith(TESTS_RUN) and line.startswith("ANSWER")}
    assert places == {f"ANSWER 1: {TESTS_RUN}", f"ANSWER 2: {TESTS_RUN}"}
    assert all(row["ours"]["score"] > row["summary"]["score"] for row in json.loads(desk.kept("result.json")))


def test_without_a_command_it_goes_as_far_as_answers_stand(desk: Desk) -> None:
    first = desk.run().stdout
    assert "questions-prompt.md" in first
    assert "Nothing has left this machine." in first
    assert not desk.asked()
    case = next(desk.out.glob("*/case.json")).parent
    (case / "questions-answer.txt").write_text("no JSON")
    assert "questions-prompt.md (its answer holds no JSON" in desk.run().stdout
    key = {"question": "Which branch?", "answer": BRANCH, "evidence": ""}
    (case / "questions-answer.txt").write_text(f"Here:\n{json.dumps([key])}")
    second = desk.run().stdout
    assert "answers-summary-prompt.md" in second
    assert "answers-ours-prompt.md" in second
    for condition in ("summary", "ours"):
        (case / f"answers-{condition}-answer.txt").write_text('{"1": "rates-2"}')
    assert "grades-prompt.md" in desk.run().stdout
    (case / "grades-answer.txt").write_text(
        '{"1": {"1": {"score": 0.75, "wrong": false}, "2": {"score": 0.75, "wrong": false}}}')
    last = desk.run().stdout
    assert rows(last)["ours"][1:] == ["0.750", "0 %", "0", "1"]
    assert "by hand" in last


def test_what_was_answered_is_not_asked_again_unless_its_prompt_changed(desk: Desk) -> None:
    first = desk.run(mode="perfect").stdout
    assert desk.run(mode="perfect").stdout == first
    assert len(desk.asked()) == 4
    case = next(desk.out.glob("*/case.json")).parent
    (case / "questions-answer.txt").write_text(json.dumps([{"question": "Which branch?", "answer": BRANCH}]))
    assert rows(desk.run(mode="perfect").stdout)["ours"][-1] == "1"
    assert len(desk.asked()) == 7
    assert (case / "grades-answer.old.txt").exists()


def test_the_newest_cases_are_taken_each_once(desk: Desk) -> None:
    for number in (1, 2):
        compacted_session(1000 * number, f"session-{number}").write(desk.folder / f"later{number}.jsonl")
    compacted_session(2000, "session-2").write(desk.folder / "fork.jsonl")
    brief = Session(9000, "brief")
    brief.typed("Hello.")
    brief.compacted(SUMMARY)
    brief.write(desk.folder / "brief.jsonl")
    for age, name in enumerate(("session", "brief", "later1", "later2", "fork")):  # the oldest was changed last
        os.utime(desk.folder / f"{name}.jsonl", (START + 20_000 - age,) * 2)
    desk.run("--cases", "2")
    assert sorted(path.name for path in desk.out.iterdir()) == ["later1-1", "later2-1"]
    assert oct(desk.out.stat().st_mode)[-3:] == "700"


def test_prompts_keep_to_their_length_and_secrets_stay(tmp_path: Path) -> None:
    token = "ghp_" + "a1B2c3D4e5" * 4
    long = compacted_session(more="x" * 3000)
    long.records.insert(4, Session(500).typed(f"The token is {token} for now."))
    long.records.append(Session(600).typed("\ud83d half a character"))
    (tmp_path / "long.jsonl").write_bytes(b"".join(json.dumps(record).encode() + b"\n" for record in long.records))
    desk = Desk(tmp_path)
    desk.run("--characters", "4000", mode="perfect")
    assert 2000 < len(desk.kept("before.md") + desk.kept("after.md")) <= 4000
    assert desk.kept("before.md").startswith(f"USER: {RULE}")
    assert "[…]" in desk.kept("before.md")
    kept = b"".join(path.read_bytes() for path in desk.out.rglob("*") if path.is_file()).decode()
    assert "[redacted: " in kept
    assert token not in kept


@pytest.mark.parametrize("by_summariser", [True, False])
def test_our_text_is_made_in_the_clients_order(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch, by_summariser: bool) -> None:
    """The summary's false words are noted once: before the delivery where the client hands them over, else after."""
    claim = "All tests pass (`pytest -q tests/rates`)."
    work = Session()
    work.typed(RULE)
    for number in range(20):
        work.ran("Edit", file_path=f"/home/ada/parcel-rates/{number}.py", old_string="a", new_string="b")
    work.failed("Bash", "Exit code 1\n1 failed, 2 passed in 0.1s", command=TESTS_RUN)
    work.compacted(f"8. Current Work:\n   {claim}")
    work.says(AFTERWARDS)
    work.write(tmp_path / "session.jsonl")
    fields = reader_cases.event_fields
    if not by_summariser:
        monkeypatch.setattr(reader_cases, "event_fields", lambda summary: {
            **fields(summary), "SubagentStop": {**fields("")["SubagentStop"], "last_assistant_message": ""}})
    text = reader_cases.recap_of(reader_cases.find_cases([tmp_path], 1, 40, 1)[0])
    assert text.count(claim) == 1
    assert (text.index(claim) < text.index("3.py")) is by_summariser


def test_a_test_that_is_stopped_ends_its_processes(desk: Desk) -> None:
    command = [sys.executable, str(BENCH), str(desk.folder), "--out", str(desk.out), "--reader", desk.command("hangs")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        for _ in range(300):
            if desk.asked():
                break
            time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert f"--out {desk.out} goes on from here" in err
    assert not is_running(desk.asked()[0]["child"])
    assert desk.run(mode="perfect").stdout.startswith("| condition")


def test_nothing_to_test_is_said(tmp_path: Path) -> None:
    done = Desk(tmp_path).run(code=1)
    assert "no compaction to test" in done.stderr
    assert not Desk(tmp_path).out.exists()


def test_make_reader_hands_everything_over(desk: Desk) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    done = subprocess.run(
        ["make", "--no-print-directory", "reader", f"PATHS={desk.folder} --cases 1", f"OUT={desk.out}",
         f"READER={desk.command('perfect')}", f"PYTHON={sys.executable}"],
        cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert rows(done.stdout)["ours"][2] == "100 %"


# --- functions ---


@pytest.mark.rows(20)
@pytest.mark.parametrize(("text", "answers"), [
    ('{"1": "a", "2": "b"}', ["a", "b"]),
    ('As [you] {asked}: ```json\n{"1": "a", "2": "b {c}"}\n``` {}', ["a", "b {c}"]),
    ('{"answers": {"1": "a", "2": "b"}}', ["a", "b"]),
    ('["a", "b"]', ["a", "b"]),
    ('[{"id": 2, "answer": "b"}, {"id": "1", "answer": "a"}]', ["a", "b"]),
    ('{"type": "result", "result": "```{\\"1\\": \\"a\\", \\"2\\": \\"b\\"}```"}', ["a", "b"]),
    ('{"1": "two\nlines", "2": "b"}', ["two\nlines", "b"]),
    ('{"1": "a"}', None), ('{"1": "a", "2": ""}', None), ('{"1": "a", "2": 3}', None), ("[[], null]", None),
    ('{"answers": null}', None), ("", None), ("no", None), ("[" * 100_000, None), ('{"a":' * 100_000, None)])
def test_answers_are_read_out_of_what_was_printed(text: str, answers: list[str] | None) -> None:
    assert reader_prompts.read_answers(text, 2) == answers


@pytest.mark.rows(20)
@pytest.mark.parametrize(("grade", "is_grade"), [
    ({"score": 0.75, "wrong": False}, True), ({"score": 1}, True), ({"score": 0, "wrong": True}, True),
    ({"score": 0.8, "wrong": False}, False), ({"score": 2, "wrong": False}, False), ({"score": True}, False),
    ({"score": "1", "wrong": False}, False), ({"score": 1, "wrong": "no"}, False), ({}, False), (None, False)])
def test_grades_are_quarters(grade: Any, is_grade: bool) -> None:
    text = json.dumps({"1": {"1": {"score": 1, "wrong": False}, "2": grade}})
    assert (reader_prompts.read_grades(text, 1, 2) is not None) is is_grade
    assert reader_prompts.read_grades(text, 2, 2) is None


@pytest.mark.rows(20)
@pytest.mark.parametrize("most", [0, 1, 5, 6, 7, 50, 99, 100])
def test_a_shortened_text_has_its_ends_and_length(most: int) -> None:
    text = "".join(chr(48 + number % 70) for number in range(100))
    assert len(reader_cases.shortened(text, most)) <= most
    assert reader_cases.shortened(text, 100) == text
    assert reader_cases.shortened(text, 50)[-3:] == text[-3:]
