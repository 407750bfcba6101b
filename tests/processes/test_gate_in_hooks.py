"""The gate: off by default; held where a question or a series of edits is open, never for long, never when it is full.

Mostly the real process at PreCompact, as the client starts it; the questions that need many tries are asked in-process.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import restore_snapshot
import save_snapshot
from compact_keeper.record import gate as record_gate
from compact_keeper.store import session_lock as store_session_lock
from compact_keeper.store.json_lines import records_of
from compact_keeper.store.settings import default_settings
from hostile import LINES
from save_snapshot import INSTRUCTIONS
from sessions import SCRIPTS, SESSION_ID, Home, Record, Run, Session, hook_input
from test_properties import anything, likely

WINDOW = {"CLAUDE_CODE_AUTO_COMPACT_WINDOW": "100000"}
ROOM = 70_000  # tokens: the client compacts from 67,000 on, the gate lets go above 90,000
QUESTION, CHANGES = "a question to the user is open", "changes to 2 files are under way"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A data folder in which the gate is on."""
    made = Home(tmp_path / "home")
    configure(made)
    return made


def configure(home: Home, **used: Any) -> None:
    home.path.mkdir(exist_ok=True)
    (home.path / "config.json").write_text(json.dumps({"gate": "hold", **used}), encoding="utf-8")


def told(session: Session, tokens: Any = ROOM, version: str = "2.1.329") -> Session:
    """The session, its assistant's newest record telling of so many tokens, or of this usage; written by the client."""
    newest = next(record for record in reversed(session.records) if record["type"] == "assistant")
    newest["message"]["usage"] = tokens if isinstance(tokens, dict) else {"input_tokens": tokens, "output_tokens": 20}
    for record in session.records:
        record["version"] = version
    return session


def edited(*paths: str) -> Session:
    """A session whose last calls are edits of these files, one after another."""
    session = Session()
    session.typed("Rename the table everywhere.")
    session.ran("Bash", command="make test")
    for path in paths or ("/srv/a.py", "/srv/b.py"):
        session.ran("Edit", file_path=path, old_string="a", new_string="b")
    return session


def asked() -> Session:
    session = Session()
    session.typed("Clean up the schema.")
    session.says("There are two tables of that name. Shall I drop the old one?")
    return session


def precompact(home: Home, session: Session, extra: dict[str, str] | None = None, **fields: Any) -> Run:
    """The process at an automatic PreCompact."""
    transcript = session.write(home.path.parent / "transcript.jsonl")
    done = home.run("save_snapshot.py", hook_input("PreCompact", transcript, **fields), extra=WINDOW | (extra or {}))
    assert (done.code, done.stderr) == (0, "")
    return done


def why(done: Run) -> str:
    """Why it was held; empty when it was let go with the words for the summariser."""
    if done.stdout == INSTRUCTIONS:
        return ""
    answer = json.loads(done.stdout)
    assert set(answer) == {"decision", "reason"}
    assert answer["decision"] == "block"
    return str(answer["reason"]).removeprefix("compact-keeper: ")


# --- hostile ---


@pytest.mark.parametrize("name", LINES)
def test_hostile_line_at_the_end_ends_in_a_save(home: Home, name: str) -> None:
    transcript = home.path.parent / "transcript.jsonl"
    transcript.write_bytes(told(edited()).as_bytes() + LINES[name]())
    done = home.save(transcript, extra=WINDOW)
    assert (done.code, done.stderr) == (0, "")
    assert why(done) in ("", f"{CHANGES}; compaction held, 1 of at most 2 times")
    assert home.stored("snapshot.json")["items"]
    assert home.log() == []


USAGES: dict[str, Any] = {
    "none": {}, "all-zero": {"input_tokens": 0, "output_tokens": 0}, "texts": {"input_tokens": "70000"},
    "negative": {"input_tokens": -70_000}, "float": {"input_tokens": 7e4}, "list": {"input_tokens": [70_000]},
    "null": {"input_tokens": None}, "huge": {"input_tokens": 10 ** 4_000}, "infinite": {"input_tokens": float("inf")},
    "text-and-output": {"input_tokens": "95000", "output_tokens": 20}, "true-and-output": {
        "input_tokens": True, "output_tokens": 20},
    "full": {"input_tokens": 90_001}, "full-by-cache": {"input_tokens": 1, "cache_read_input_tokens": 90_000},
    "full-by-output": {"input_tokens": 69_000, "output_tokens": 32_000}}


@pytest.mark.parametrize("usage", USAGES.values(), ids=USAGES)
def test_unknown_or_full_is_never_held(home: Home, usage: Record) -> None:
    assert why(precompact(home, told(edited(), usage))) == ""


@pytest.mark.parametrize("window", ["", "0", "-100000", "1e5", "100000 ", "100k", "9" * 30, "1", "0x186A0", "NaN"])
def test_unknown_window_is_never_held(home: Home, window: str) -> None:
    assert why(precompact(home, told(edited()), {"CLAUDE_CODE_AUTO_COMPACT_WINDOW": window})) == ""


@pytest.mark.parametrize("version", ["2.1.104", "2.1.76", "1.0.128", "2.0.999", "", "latest", "9" * 5_000 + ".1.1"])
def test_old_or_unknown_client_is_never_held(home: Home, version: str) -> None:
    assert why(precompact(home, told(edited(), version=version))) == ""
    assert home.stored("snapshot.json")["items"]


@pytest.mark.parametrize(("version", "window", "most"), [
    ("2.1.105", 100_000, 75_000), ("2.1.149", 100_000, 75_000),  # these send nothing from 77,000 on
    ("2.1.150", 100_000, 90_000), ("2.1.329", 100_000, 90_000),
    ("2.1.329", 200_000, 175_000), ("2.1.329", 190_000, 171_000),  # a model of 200,000 ends at 177,000
    ("2.1.329", 300_000, 270_000)])
def test_room_for_another_request(home: Home, version: str, window: int, most: int) -> None:
    session = edited()
    session.records.pop()  # the last result; its few words would count
    extra = {"CLAUDE_CODE_AUTO_COMPACT_WINDOW": str(window)}
    assert why(precompact(home, told(session, most - 20, version), extra))
    assert why(precompact(home, told(session, most - 19, version), extra)) == ""


def test_more_than_gate_max_is_where_a_large_window_compacts(home: Home) -> None:
    extra = {"CLAUDE_CODE_AUTO_COMPACT_WINDOW": "1000000"}
    assert why(precompact(home, told(edited(), 968_000), extra)) == ""


@pytest.mark.parametrize(("late", "is_held"), [(95_000, False), (ROOM, True), (1_000, False)])
def test_the_answer_that_filled_the_context_is_waited_for(tmp_path: Path, late: int, is_held: bool) -> None:
    early, whole = told(edited(), 1_000).as_bytes(), told(edited("/srv/a.py", "/srv/b.py"), late).as_bytes()
    transcript = tmp_path / "transcript.jsonl"
    transcript.write_bytes(early)
    with mock.patch.dict(os.environ, WINDOW), mock.patch(
            "time.sleep", side_effect=lambda _: transcript.write_bytes(whole)):
        found = record_gate.held_compaction({}, {}, str(transcript), records_of, {**default_settings(), "gate": "hold"})
    assert bool(found) == is_held


def test_what_came_after_the_last_answer_counts(home: Home) -> None:
    session = told(edited())
    assert why(precompact(home, session))
    session.ran("Read", "x" * 70_000, file_path="/srv/long.txt")
    assert why(precompact(home, session)) == ""


def test_answers_of_the_client_itself_are_passed_over(home: Home) -> None:
    session = told(edited())
    session.assistant({"type": "text", "text": "API Error"}, model="<synthetic>", usage={"input_tokens": 0})
    assert why(precompact(home, session))
    full = told(edited(), 95_000)
    full.assistant({"type": "text", "text": "API Error"}, model="<synthetic>", usage={"input_tokens": 0})
    assert why(precompact(home, full)) == ""


def test_project_cannot_switch_it_on(tmp_path: Path) -> None:
    home, project = Home(tmp_path / "home"), tmp_path / "project"
    (project / ".claude").mkdir(parents=True)
    (project / ".claude" / "compact-keeper.json").write_text('{"gate": "hold", "gate_holds": 20}', encoding="utf-8")
    assert why(precompact(home, told(edited()), cwd=str(project))) == ""
    assert "gate" in home.log()[0]


@pytest.mark.parametrize("missing", ["gate_compaction.py", "compacted_context.py"])
def test_without_its_files_it_is_off(home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, missing: str) -> None:
    copies = tmp_path / "copies"
    shutil.copytree(SCRIPTS, copies, ignore=shutil.ignore_patterns("__pycache__", missing))
    monkeypatch.setattr("sessions.SCRIPTS", copies)
    assert why(precompact(home, told(edited()))) == ""
    assert len(home.log()) == 1
    assert missing.partition(".")[0] in home.log()[0]
    assert home.stored("snapshot.json")["items"]


def test_full_disk_holds_nothing(home: Home) -> None:
    """Where the count of holds cannot be kept, a hold would never end."""
    transcript = told(edited()).write(home.path.parent / "transcript.jsonl")
    for _ in range(3):
        done = home.save(transcript, extra=WINDOW, before=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)))
        assert (done.code, done.stdout) == (0, INSTRUCTIONS)


@pytest.mark.parametrize("gate", ["hold", "off"])
def test_a_save_that_fails_still_tells_the_summariser(home: Home, gate: str) -> None:
    configure(home, gate=gate)
    home.session.mkdir(parents=True)
    (home.session / "memory.json").write_text('{"schema": 2}', encoding="utf-8")
    assert precompact(home, told(edited())).stdout == INSTRUCTIONS
    assert len(home.log()) == 1
    configure(home, gate=gate, instructions=False)
    assert precompact(home, told(edited())).stdout == ""


@pytest.mark.parametrize("holds", [None, "1", [1], {}, True, 1.0, -3, 10 ** 30], ids=repr)
def test_an_odd_count_of_holds_holds_nothing(home: Home, holds: object) -> None:
    home.session.mkdir(parents=True)
    (home.session / "compaction.json").write_text(
        json.dumps({"schema": 1, "stage": "verified", "holds": holds, "held_in": 0}), encoding="utf-8")
    assert why(precompact(home, told(edited()))) == ""
    assert home.stored("compaction.json")["stage"] == "begun"
    assert home.log() == []


def test_the_count_is_stored_before_the_hold_is_told(home: Home) -> None:
    """Ended between the two, it would else hold again and again."""
    transcript = told(edited()).write(home.path.parent / "transcript.jsonl")

    def killed(_: int, told_by_hook: bytes) -> None:
        assert b"block" in told_by_hook
        raise KeyboardInterrupt

    with mock.patch.dict(os.environ, {**WINDOW, "COMPACT_KEEPER_HOME": str(home.path)}), mock.patch(
            "os.write", killed), pytest.raises(KeyboardInterrupt):
        save_snapshot.save(hook_input("PreCompact", transcript))
    assert home.stored("compaction.json")["holds"] == 1


def fifo(path: Path) -> None:
    os.mkfifo(path)


def loop(path: Path) -> None:
    path.symlink_to(path)


def later(path: Path) -> None:
    path.write_text('{"schema": 2}', encoding="utf-8")


@pytest.mark.parametrize("make", [Path.mkdir, fifo, loop, later])
def test_count_that_cannot_be_kept_holds_nothing(home: Home, make: Callable[[Path], None]) -> None:
    home.session.mkdir(parents=True)
    make(home.session / "compaction.json")
    transcript = told(edited()).write(home.path.parent / "transcript.jsonl")
    assert home.save(transcript, extra=WINDOW).stdout == INSTRUCTIONS
    assert len(home.log()) == 1


blocks = st.one_of(anything, likely(
    type=st.sampled_from(("tool_use", "tool_result", "text")), name=st.sampled_from(("Edit", "Write", "Read", "Bash")),
    input=likely(file_path=st.sampled_from(("/a", "/b")), notebook_path=st.just("/c"))))
counts = st.one_of(st.integers(), st.sampled_from((ROOM, 10 ** 30, True, -1, "70000", 1e9)), anything)
records = st.one_of(anything, likely(
    type=st.sampled_from(("user", "assistant", "attachment")), version=st.sampled_from(("2.1.329", "2.1.105", "x")),
    message=likely(content=st.one_of(st.text(max_size=20), st.lists(blocks, max_size=3)),
                   usage=likely(input_tokens=counts, output_tokens=counts, cache_read_input_tokens=counts))))


@given(st.lists(records.filter(lambda record: isinstance(record, dict)), max_size=8))
def test_any_records_are_judged_without_a_fault(found: list[Record]) -> None:
    with mock.patch.dict(os.environ, WINDOW):
        reason = record_gate.reason_to_hold([], found, default_settings())
        assert reason == "" or (record_gate.fits(found, default_settings()) and len(record_gate.being_changed(found)) > 1)


def test_what_the_parser_takes_is_not_too_deep(tmp_path: Path) -> None:
    path, line = tmp_path / "deep.jsonl", b'{"type":"user","message":{"content":%s}}\n'
    for depth in range(100, 1_000, 25):
        path.write_bytes(told(edited()).as_bytes() + line % (b"[" * depth + b"]" * depth))
        with mock.patch.dict(os.environ, WINDOW):
            assert record_gate.held_compaction({}, {}, str(path), records_of, default_settings())["holds"] == 1


STEPS = ("edit a", "edit b", "read", "ask", "prompt", "run", "synthetic", "stop", "compaction", "compaction",
         "compaction", "failing compaction", "failing compaction", "manual compaction")


class Client:
    """A session in this process: what the client does, and how often in this fill of its context it was held."""

    def __init__(self, folder: Path, holds: int) -> None:
        self.session, self.transcript, self.fill = edited(), folder / "transcript.jsonl", 0
        self.home = Home(folder / "home")
        configure(self.home, gate_holds=holds)

    def hook(self, body: Callable[[Record], None], event: str, **fields: Any) -> str:
        """What a hook prints."""
        told(self.session).write(self.transcript)
        printed: list[bytes] = []
        with mock.patch("os.write", lambda _, raw: printed.append(raw)), mock.patch("catch_up.save_now", self.save_now):
            body(hook_input(event, self.transcript, **fields))
        return b"".join(printed).decode()

    def save_now(self, data: Record) -> str:
        """What is a process of its own else."""
        save_snapshot.save({**data, "hook_event_name": "SessionStart"})
        store_session_lock.unlock_session()
        return ""

    def compact(self, fails: bool, trigger: str = "auto") -> None:
        told_by_hook = self.hook(save_snapshot.save, "PreCompact", trigger=trigger)
        if told_by_hook != INSTRUCTIONS:
            assert json.loads(told_by_hook)["decision"] == "block"
            self.fill += 1
        elif not fails:
            self.session.compacted()
            self.fill = 0
            self.session.says("On with it.")
            self.hook(restore_snapshot.restore, "SessionStart", source="compact")

    def step(self, name: str) -> None:
        what, _, path = name.partition(" ")
        if what == "edit":
            self.session.ran("Edit", file_path=f"/srv/{path}.py")
        elif name == "read":
            self.session.ran("Read", file_path="/srv/c.py")
        elif name == "ask":
            self.session.says("Shall I drop the old table?")
        elif name == "prompt":
            self.session.typed("Yes, drop it.")
        elif name == "run":
            self.session.ran("Bash", command="make test")
        elif name == "synthetic":
            self.session.assistant({"type": "text", "text": "API Error"}, model="<synthetic>")
        elif name == "stop":
            self.hook(save_snapshot.save, "Stop")
        else:
            self.compact(name.startswith("failing"), "manual" if name.startswith("manual") else "auto")


@settings(max_examples=60)
@given(st.lists(st.sampled_from(STEPS), min_size=6, max_size=18), st.integers(0, 3))
def test_never_held_more_often_than_said_in_one_fill(steps: list[str], holds: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        client = Client(Path(folder), holds)
        with mock.patch.dict(os.environ, {**WINDOW, "COMPACT_KEEPER_HOME": str(client.home.path)}):
            for name in steps:
                client.step(name)
                assert client.fill <= holds
        assert client.home.log() == []


# --- what it is for ---


def test_off_by_default(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    assert precompact(home, told(edited())).stdout == INSTRUCTIONS
    assert home.stored("compaction.json")["stage"] == "begun"
    assert home.log() == []


@pytest.mark.parametrize(("session", "reason"), [(asked(), QUESTION), (edited(), CHANGES)], ids=["question", "edits"])
def test_holds_twice_then_lets_go(home: Home, session: Session, reason: str) -> None:
    told(session)
    assert [why(precompact(home, session)) for _ in range(4)] == [
        f"{reason}; compaction held, 1 of at most 2 times", f"{reason}; compaction held, 2 of at most 2 times", "", ""]


def test_question_of_the_tool_that_waits(home: Home) -> None:
    session = edited("/srv/a.py")
    session.asked("Which database?")
    assert why(precompact(home, told(session))).startswith(QUESTION)


def test_plan_that_waits_for_approval(home: Home) -> None:
    session = edited("/srv/a.py")
    call = session.call("ExitPlanMode", plan="1. Rename the table\n2. Run the tests")
    assert why(precompact(home, told(session))).startswith(QUESTION)
    session.result(call, "User has approved your plan.")
    assert why(precompact(home, told(session))) == ""


def test_answered_question_holds_nothing(home: Home) -> None:
    session = asked()
    session.typed("Yes, drop it.")
    session.says("Dropping it.")
    assert why(precompact(home, told(session))) == ""


def test_number_of_holds_is_a_setting(home: Home) -> None:
    configure(home, gate_holds=0)
    assert why(precompact(home, told(edited()))) == ""
    configure(home, gate_holds=1)
    (home.session / "compaction.json").unlink()
    assert [bool(why(precompact(home, told(edited())))) for _ in range(3)] == [True, False, False]


def test_count_starts_anew_after_a_compaction(home: Home) -> None:
    session = told(edited())
    assert [bool(why(precompact(home, session))) for _ in range(3)] == [True, True, False]
    session.compacted()
    transcript = session.write(home.path.parent / "transcript.jsonl")
    assert home.restore(transcript).restored
    for path in ("/srv/c.py", "/srv/d.py"):  # in the same turn: no Stop between
        session.ran("Edit", file_path=path)
    assert [bool(why(precompact(home, told(session)))) for _ in range(3)] == [True, True, False]


def test_holds_of_an_earlier_fill_do_not_count(home: Home) -> None:
    """A compaction may have come without its PreCompact: the hook was slow, or switched off."""
    home.session.mkdir(parents=True)
    for held_in, number in ((7, 1), (0, 3)):
        (home.session / "compaction.json").write_text(
            json.dumps({"schema": 1, "stage": "verified", "holds": 2, "held_in": held_in}), encoding="utf-8")
        configure(home, gate_holds=3)
        assert why(precompact(home, told(edited()))).endswith(f"{number} of at most 3 times")


def test_failed_compaction_is_not_held_again(home: Home) -> None:
    session = told(edited())
    assert [bool(why(precompact(home, session))) for _ in range(7)] == [True, True, *[False] * 5]


def test_manual_is_never_held(home: Home) -> None:
    assert why(precompact(home, told(edited()), trigger="manual")) == ""
    assert home.stored("compaction.json")["trigger"] == "manual"


SERIES: dict[str, tuple[Callable[[Session], object], bool]] = {  # what comes after the edits, and whether it holds
    "nothing": (lambda _: None, True),
    "read": (lambda session: session.ran("Read", file_path="/srv/c.py"), True),
    "search": (lambda session: session.ran("Grep", pattern="rates"), True),
    "words": (lambda session: session.says("Now the third file."), True),
    "notebook": (lambda session: session.ran("NotebookEdit", notebook_path="/srv/c.ipynb"), True),
    "command": (lambda session: session.ran("Bash", command="make test"), False),
    "prompt": (lambda session: session.typed("Stop, and describe it."), False),
    "mcp": (lambda session: session.ran("mcp__db__query", sql="SELECT 1"), False),
    "unnamed": (lambda session: session.ran("", command="x"), True),
    "command-and-one-edit": (lambda session: (session.ran("Bash", command="make test"),
                                              session.ran("Edit", file_path="/srv/c.py")), False)}


@pytest.mark.parametrize("name", SERIES)
def test_series_of_edits(home: Home, name: str) -> None:
    session, (then, holds) = edited(), SERIES[name]
    then(session)
    assert bool(why(precompact(home, told(session)))) is holds


def test_one_file_is_no_series(home: Home) -> None:
    assert why(precompact(home, told(edited("/srv/a.py", "/srv/a.py", "/srv/a.py")))) == ""


def test_snapshot_is_saved_though_held(home: Home) -> None:
    assert why(precompact(home, told(edited())))
    assert any(one["text"] == "Rename the table everywhere." for one in home.stored("snapshot.json")["items"])


def test_held_compaction_keeps_the_stage(home: Home) -> None:
    """So a later start or /clear says nothing of a compaction that did not end: none has begun."""
    assert why(precompact(home, told(edited())))
    first = home.stored("compaction.json")
    assert ("stage" in first, first["holds"], first["held_in"]) == (False, 1, 0)
    started = hook_input("SessionStart", "", source="clear") | {"session_id": "another"}
    assert home.run("restore_snapshot.py", started).stdout == ""
    (home.session / "compaction.json").write_text(
        '{"schema": 1, "stage": "delivered", "id": "abc", "offset": 0}', encoding="utf-8")
    assert why(precompact(home, told(edited())))
    kept = home.stored("compaction.json")
    assert (kept["stage"], kept["id"], kept["holds"]) == ("delivered", "abc", 1)


def test_instructions_switched_off_stay_off(home: Home) -> None:
    configure(home, instructions=False)
    assert why(precompact(home, told(edited())))
    assert precompact(home, told(edited()), trigger="manual").stdout == ""


def test_of_another_session_nothing_is_counted(home: Home) -> None:
    for name in ("one", "two"):
        assert why(precompact(home, told(edited()), session_id=name)).endswith("1 of at most 2 times")
    assert not home.session.exists()
    assert SESSION_ID not in os.listdir(home.path / "sessions")
