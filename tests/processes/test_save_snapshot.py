"""save_snapshot.py: hostile input and places, what it prints and writes, how saves and hooks at the same time agree."""

from __future__ import annotations

import json
import os
import resource
import stat
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from compact_keeper.store.memory import RECORD_FORMAT
from compact_keeper.store.settings import default_settings
from hostile import AFTER, BEFORE, LINES, PLACES, between, stdin_table, typed
from sessions import (
    CWD,
    SESSION_ID,
    Home,
    JsonObject,
    Session,
    as_line,
    hook_input,
    items_of,
    stamp,
    texts_of,
)

INPUT = hook_input("PreCompact", "/nonexistent/transcript.jsonl", permission_mode="default")
INSTRUCTIONS = "compact-keeper: messages, tasks, edits"  # how they begin
SNAPSHOTS = ("memory.json", "snapshot.json", "compaction.json")
ORDER = "Never deploy on a Friday."
PASSWORD = "hunter2hunter2"


@pytest.fixture
def saved(home: Home, tmp_path: Path) -> Home:
    """A home with one save behind it."""
    session = Session(9_000)
    session.typed("Always run `make test` first.")
    home.save(session.write(tmp_path / "earlier.jsonl"), "Stop")
    assert texts_of(home.stored("snapshot.json"), "rule")
    return home


def rules(home: Home) -> list[str]:
    return texts_of(home.stored("snapshot.json"), "rule")


def worked(tmp_path: Path) -> Path:
    """The transcript of a session in which something was asked for, changed and found."""
    session = Session()
    session.typed(f"Fix the rate table in rates.py. {ORDER}")
    session.ran("Edit", file_path=f"{CWD}/rates.py", old_string="1", new_string="def load_rates(): pass")
    session.ran("Grep", f"{CWD}/src/tables.py:3:def half_even(): pass", pattern="half")
    return session.write(tmp_path / "transcript.jsonl")


def is_instructed(done: Any) -> bool:
    """Whether the hook did what it is to do at a PreCompact, whatever was wrong: only the instructions come out."""
    is_whole = done.stdout.startswith(INSTRUCTIONS) and done.stdout.count("\n") == 1
    return is_whole and (done.code, done.stderr) == (0, "")


# --- hostile input ---


@pytest.mark.parametrize(("raw", "fault"), stdin_table(INPUT))
def test_hostile_stdin_costs_nothing(saved: Home, raw: bytes, fault: bool) -> None:
    before, rules_before = saved.files(), rules(saved)
    done = saved.run("save_snapshot.py", raw)
    assert (done.code, done.stderr) == (0, "")
    assert done.stdout == "" or is_instructed(done)
    assert len(saved.log()) == fault
    if fault:
        assert saved.files() == before
    assert rules(saved) == rules_before


@pytest.mark.rows(1)
@pytest.mark.parametrize("name", LINES)
def test_a_hostile_line_costs_nothing_else(home: Home, tmp_path: Path, name: str) -> None:
    path = tmp_path / "transcript.jsonl"
    path.write_bytes(between(LINES[name]()))
    done = home.save(path)
    assert is_instructed(done)
    assert rules(home) == [BEFORE, AFTER]
    assert home.log() == []
    assert is_instructed(home.save(path))
    assert [item["uses"] for item in items_of(home.stored("snapshot.json"), "rule")] == [1, 1]


@pytest.mark.parametrize("place", PLACES)
def test_a_transcript_that_is_none(saved: Home, tmp_path: Path, place: str) -> None:
    make, fault = PLACES[place]
    path = tmp_path / "transcript.jsonl"
    make(path)
    before, rules_before = saved.files(), rules(saved)
    done = saved.save(path)
    assert is_instructed(done)
    assert len(saved.log()) == fault
    if fault:
        assert saved.files() == before
    assert rules(saved) == rules_before


@pytest.mark.parametrize("name", SNAPSHOTS)
@pytest.mark.parametrize("content", [
    b"", b"null", b'{"schema": 1', b"\xff\xfe", b"[" * 100_000, b'{"schema": "1"}',
    b'{"schema": 2, "items": "of a later version"}'], ids=lambda content: content[:24].decode("ascii", "replace"))
def test_a_broken_or_unknown_file(saved: Home, tmp_path: Path, name: str, content: bytes) -> None:
    path = tmp_path / "transcript.jsonl"
    path.write_bytes(between(b""))
    (saved.session / name).write_bytes(content)
    before = saved.files()
    done = saved.save(path)
    # What is broken is made anew; another schema is that of a later version. A snapshot holds nothing of its own; where
    # no other can be put there nothing comes back, and the summary is not told to leave anything to us.
    is_in_the_way = content.startswith(b'{"schema": 2') and name == "snapshot.json"
    assert done.stdout == "" if is_in_the_way else is_instructed(done)
    if content.startswith(b'{"schema": 2'):
        assert saved.files()[f"sessions/{SESSION_ID}/{name}"] == before[f"sessions/{SESSION_ID}/{name}"]
        assert len(saved.log()) == 1
    else:
        assert BEFORE in rules(saved)


@pytest.mark.rows(1)
@pytest.mark.parametrize("content", [
    {"items": None}, {"items": [{}]}, {"place": {"inode": 1}}, {"cycle": None}],
    ids=json.dumps)
def test_a_memory_of_another_shape_is_kept_beside(saved: Home, tmp_path: Path, content: JsonObject) -> None:
    path, odd = tmp_path / "transcript.jsonl", json.dumps({"schema": 1, "record": RECORD_FORMAT, **content})
    path.write_bytes(between(b""))
    (saved.session / "memory.json").write_text(odd, encoding="utf-8")
    for _ in range(2):
        assert is_instructed(saved.save(path))
    assert BEFORE in rules(saved)
    assert (saved.session / "memory.json.odd").read_text(encoding="utf-8") == odd
    assert [line.partition("is not as it was saved: ")[1] for line in saved.log()] == ["is not as it was saved: "]


@pytest.mark.parametrize("name", ["sessions", f"sessions/{SESSION_ID}",
                                  *(f"sessions/{SESSION_ID}/{name}" for name in SNAPSHOTS)])
def test_nothing_is_written_through_a_link(home: Home, tmp_path: Path, name: str) -> None:
    elsewhere, link = tmp_path / "elsewhere", home.path / name
    link.parent.mkdir(parents=True)
    if link.suffix:
        elsewhere.write_text('{"schema": 1, "mine": true}', encoding="utf-8")
    else:
        elsewhere.mkdir()
    link.symlink_to(elsewhere)
    path = tmp_path / "transcript.jsonl"
    path.write_bytes(between(b""))
    done = home.save(path)
    assert is_instructed(done) if name.endswith("compaction.json") else done[:3] == (0, "", "")
    if link.suffix:
        assert elsewhere.read_text(encoding="utf-8") == '{"schema": 1, "mine": true}'
    else:
        assert list(elsewhere.iterdir()) == []


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir], ids=["fifo", "folder"])
@pytest.mark.parametrize("name", [*SNAPSHOTS, "ledger.jsonl", "ledger.folded.jsonl"])
def test_our_own_files_as_something_else(home: Home, tmp_path: Path, name: str, make: Callable[[Path], None]) -> None:
    path = tmp_path / "transcript.jsonl"
    path.write_bytes(between(b""))
    home.session.mkdir(parents=True)
    make(home.session / name)
    done = home.save(path)
    assert is_instructed(done) if name.startswith("compaction") else done.stdout == ""
    assert list(home.session.glob("*.tmp")) == []


@pytest.mark.parametrize("place", ["file/home", "/proc/self/home"])
def test_data_folder_that_cannot_be_made(tmp_path: Path, place: str) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    done = Home(tmp_path / place).save(worked(tmp_path), extra={"COMPACT_KEEPER_DEBUG": "1"})
    assert (done.code, done.stdout, len(done.stderr.splitlines())) == (0, "", 1)


@pytest.mark.parametrize("how", ["nothing was ever saved", "an earlier version's"])
def test_what_cannot_come_back_is_not_promised(saved: Home, tmp_path: Path, how: str) -> None:
    """A summary that leaves to us what never comes back loses it."""
    (saved.session / "memory.json").write_text('{"schema": 2}', encoding="utf-8")  # so no save can be stored
    assert is_instructed(saved.save(worked(tmp_path)))  # what stands there comes back
    if how == "nothing was ever saved":
        (saved.session / "snapshot.json").unlink()
    else:
        snapshot = {**saved.stored("snapshot.json"), "record": 1}
        (saved.session / "snapshot.json").write_text(json.dumps(snapshot), encoding="utf-8")
    done = saved.save(worked(tmp_path))
    assert done[:3] == (0, "", "")


def test_a_session_of_which_nothing_is_known_promises_nothing(home: Home, tmp_path: Path) -> None:
    assert home.save(tmp_path / "missing.jsonl")[:3] == (0, "", "")
    assert home.log() == []


def test_full_disk(saved: Home, tmp_path: Path) -> None:
    path = tmp_path / "transcript.jsonl"
    path.write_bytes(between(b""))
    before = saved.files()

    def little_room() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (300, 300))

    done = saved.save(path, before=little_room)
    assert is_instructed(done)
    assert saved.files() == before
    assert len(saved.log()) == 1


def test_debug_sends_the_log_line_to_stderr_too(home: Home) -> None:
    done = home.run("save_snapshot.py", b"no JSON", extra={"COMPACT_KEEPER_DEBUG": "1"})
    assert (done.code, done.stdout) == (0, "")
    assert done.stderr.splitlines() == home.log()
    assert len(home.log()) == 1


def test_off_switches_off(home: Home) -> None:
    assert home.save(extra={"COMPACT_KEEPER_OFF": "1"})[:3] == (0, "", "")
    assert not home.path.exists()


ENDLESS = {  # words that make a careless pattern try every start with every end
    "line-breaks": "\n" * 300_000, "boxes": "\n" * 1_000 + "- [ ] \n" * 30_000, "spaces": "." + " " * 300_000,
    "stops": ". " * 150_000, "commands": "<command-args>" * 20_000, "questions": "?" * 300_000, "jwt": "eyJ-" * 75_000,
    "launched": "launched " * 30_000, "ticks": "```" * 100_000, "hosts": "1.1.1.1:" * 30_000,
    "links": "https://" * 30_000, "always": "always " * 40_000, "digits": "1" * 300_000}


@pytest.mark.parametrize("words", ENDLESS)
def test_it_ends_whatever_the_words(home: Home, tmp_path: Path, words: str) -> None:
    session, text = Session(), ENDLESS[words]
    session.typed(text)
    session.typed("<command-name>/deploy</command-name>" + text)
    session.says(text)
    session.failed("Bash", "Exit code 1\n" + text, command=text)
    session.ran("Task", text, prompt=text)
    session.ran("TodoWrite", todos=[{"content": text, "status": text}])
    assert is_instructed(home.save(session.write(tmp_path / "transcript.jsonl"), timeout=60))
    assert home.log() == []


# --- what goes in and what stays out ---


def test_our_own_text_restored_and_saved_again_adds_nothing(home: Home, tmp_path: Path) -> None:
    session, path = Session(), tmp_path / "transcript.jsonl"
    session.typed(ORDER)
    home.save(session.write(path))
    text = home.restore(path).restored
    assert ORDER in text
    session.compacted(text)
    session.attachment(type="hook_additional_context", content=[text], hookName="SessionStart:compact",
                       hookEvent="SessionStart")
    session.attachment(type="hook_success", content=text, stdout=text, hookEvent="SessionStart")
    session.request_blob(text)
    home.save(session.write(path))
    assert [(item["text"], item["uses"]) for item in items_of(home.stored("memory.json"), "rule")] == [(ORDER, 1)]


def test_secrets_stay_out_of_every_field(home: Home, tmp_path: Path) -> None:
    secret, session = f"password={PASSWORD}", Session()
    session.typed(f"Never print {secret}. Use http://ada:{PASSWORD}@localhost:3334/x")
    session.says(f"Tests are green with {secret}. We'll use {secret}.\n- [ ] Rotate {secret}\n\nIs {secret} right?")
    session.failed("Bash", f"Exit code 1\nfatal: {secret} denied", command=f"login --{secret}")
    session.ran("Edit", file_path=f"/tmp/{secret}/a.py")
    session.todos(**{f"Use {secret}": secret})
    session.created(1, f"Hide {secret}")
    session.updated(1, status=secret)
    session.updated(2, subject=f"Take {secret}", status=secret)
    session.ran("TaskUpdate", taskId=secret, subject="Number", status="pending")
    session.answered(session.posed(f"Is it {secret}?"), f"Is it {secret}?", f"No, {secret}")
    session.posed(f"Which {secret}?")
    session.ran("ExitPlanMode", f"saved to: /tmp/{secret}", plan=f"# Plan {secret}", planFilePath=f"/{secret}")
    session.ran("Bash", f"running in background with ID: b1. written to: /tmp/{secret}", command=f"serve {secret}")
    session.call(f"Tool {secret}", prompt=secret, file_path=secret)
    session.call("Task", prompt=secret)
    session.says(f"Is {secret} still the one?")
    session.typed("it is the old one")
    session.call("Edit", file_path="/a.py", old_string=secret, new_string=f"log_in({secret})")
    session.user(f"Always {secret}", cwd=f"/home/{secret}", gitBranch=secret)
    for name in ("uuid", "timestamp"):
        session.typed("Never touch the odd fields.")[name] = secret
    home.prompt(hook_input("UserPromptSubmit", prompt=f"Only {secret}"))
    home.save(session.write(tmp_path / "transcript.jsonl"))
    restored = home.restore(tmp_path / "transcript.jsonl").stdout
    assert rules(home)
    leaks = {name: data[max(data.find(PASSWORD.encode()) - 80, 0):][:120] for name, data in home.files().items()
             if PASSWORD.encode() in data}
    assert leaks == {}
    assert PASSWORD not in restored


def test_what_is_stored_stays_small(home: Home, tmp_path: Path) -> None:
    """A long text in any one field does not swell the files that every hook reads."""
    long, session = "x y" * 40_000, Session()
    session.typed(f"Never {long}. Always short.")
    session.says(long)
    session.failed("Bash", f"Exit code 1\nerror: {long}", command=long)
    session.todos(Task=long)
    session.updated(1, subject=long, status=long)
    session.ran("TaskUpdate", taskId=long, subject="Number", status="pending")
    session.answered(session.posed(long), long, long)
    session.call(long, file_path=long, prompt=long)
    session.call("Bash", command=long)
    for name in ("uuid", "timestamp", "cwd", "gitBranch"):
        session.typed("Never touch the odd fields.")[name] = long
    home.save(session.write(tmp_path / "transcript.jsonl"))
    assert "Never touch the odd fields." in rules(home)
    assert {name: len(data) for name, data in home.files().items() if len(data) > 60_000} == {}


def test_a_transcript_whose_name_is_no_utf_8_is_read(home: Home, tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(b"caf\xe9\xff.jsonl")
    path.write_bytes(typed(BEFORE, 0))
    home.save(path)
    assert rules(home) == [BEFORE]


# --- the ledger ---


def tool_event(call_id: str, ok: bool = True, **tool_input: Any) -> JsonObject:
    """A tool's hook input."""
    event = hook_input("PostToolUse" if ok else "PostToolUseFailure",
                       tool_name="Bash" if "command" in tool_input else "Edit",
                       tool_use_id=call_id, tool_input=tool_input)
    return {**event, **({} if ok else {"error": "Exit code 2\nerror: bad"})}


def test_the_ledger_tells_what_the_transcript_does_not(home: Home, tmp_path: Path) -> None:
    session = Session()
    session.typed("Go.")
    home.record(tool_event("toolu_late", ok=False, command="make test"))
    home.record({**tool_event("toolu_agent", file_path="/a/b.py"), "agent_id": "a1"})
    home.prompt(hook_input("UserPromptSubmit", prompt="Never touch main."))
    home.save(session.write(tmp_path / "transcript.jsonl"))
    memory = home.stored("memory.json")
    assert texts_of(memory, "rule") == ["Never touch main."]
    assert [(item["path"] or item["text"], item["verdict"], item["result"]) for item in items_of(memory, "action")] == [
        ("make test", "failed", "error: bad"), ("/a/b.py", "ended", "")]


def test_the_newest_message_is_the_ledgers_newest_prompt(home: Home, tmp_path: Path) -> None:
    session = Session()
    session.typed("Fix the tables.")
    home.prompt(hook_input("UserPromptSubmit", prompt="Now write the docs."))
    home.prompt(hook_input("UserPromptSubmit", prompt="And the changelog."))
    home.save(session.write(tmp_path / "transcript.jsonl"))
    positions = [(item["position"], item["text"]) for item in items_of(home.stored("memory.json"), "message")]
    assert len({position for position, _ in positions}) == 3
    assert max(positions)[1] == "And the changelog."


@pytest.mark.parametrize("order", ["together", "ledger-first", "ledger-late"])
def test_a_call_told_twice_counts_once(home: Home, tmp_path: Path, order: str) -> None:
    session, path = Session(), tmp_path / "transcript.jsonl"
    session.typed("Go.")
    if order == "ledger-first":
        home.record(tool_event("toolu_00000001", command="make test"))
        home.save(session.write(path))
    call = session.ran("Bash", command="make test")
    assert call == "toolu_00000001"
    if order == "ledger-late":
        home.save(session.write(path))
    if order != "ledger-first":
        home.record(tool_event(call, command="make test"))
    for _ in range(3):
        home.save(session.write(path))
        session.says("Going on.")
    assert [item["uses"] for item in items_of(home.stored("memory.json"), "action")] == [1]


def test_a_prompt_told_twice_is_one_message(home: Home, tmp_path: Path) -> None:
    session, path, prompt = Session(), tmp_path / "transcript.jsonl", "Fix the tables. Never touch main."
    home.prompt(hook_input("UserPromptSubmit", prompt=prompt))
    home.save(session.write(path))
    session.typed(prompt)
    session.says("I will not.")
    home.save(session.write(path))
    assert texts_of(home.stored("memory.json"), "message") == [prompt]
    assert texts_of(home.stored("memory.json"), "rule") == ["Never touch main."]


@pytest.mark.parametrize("is_saved_again", [False, True])
def test_a_long_prompt_that_the_ledger_told_first_comes_back_whole(
        home: Home, tmp_path: Path, is_saved_again: bool) -> None:
    session, path = Session(), tmp_path / "transcript.jsonl"
    session.typed("Go.")
    prompt = f"{'Move the rates of each zone. ' * 90}Never touch main. {'Then the next zone. ' * 100}Last the islands."
    session.write(path)
    home.prompt(hook_input("UserPromptSubmit", prompt=prompt))
    home.save(path)
    session.typed(prompt)
    session.write(path)
    if is_saved_again:
        home.save(path)
    text = home.restore(path).restored
    assert prompt in text
    assert "typed 2 times" not in text
    assert '- "Never touch main." (typed just before)' in text


@pytest.mark.parametrize("order", ["ledger-first", "together"])
def test_a_prompt_told_twice_acts_once(home: Home, tmp_path: Path, order: str) -> None:
    session, path = Session(), tmp_path / "transcript.jsonl"
    session.typed("Always indent with tabs. Always sort the imports.")
    home.prompt(hook_input("UserPromptSubmit", prompt="Forget the tabs rule."))
    ledger = home.session / "ledger.jsonl"
    [event] = home.ledger()
    ledger.write_bytes(as_line({**event, "time": stamp(session.number() + 0.03)}))
    if order == "ledger-first":
        home.save(session.write(path))
    session.typed("Forget the tabs rule.")
    home.save(session.write(path))
    assert rules(home) == ["Always sort the imports."]
    assert [item["uses"] for item in items_of(home.stored("memory.json"), "message")] == [1, 1]


def test_folding_loses_no_line(home: Home, tmp_path: Path) -> None:
    session = Session()
    session.typed("Go.")
    path = session.write(tmp_path / "transcript.jsonl")
    home.record(tool_event("toolu_a", command="make first"))
    home.save(path)
    assert home.ledger() == []
    # A hook that had opened the ledger before the rename writes into the folded one now.
    home.record(tool_event("toolu_b", command="make between"))
    ledger = home.session / "ledger.jsonl"
    with (home.session / "ledger.folded.jsonl").open("ab") as folded:
        folded.write(ledger.read_bytes())
    ledger.unlink()
    home.record(tool_event("toolu_c", command="make last"))
    home.save(path)
    home.save(path)
    commands = {item["text"]: item["uses"] for item in items_of(home.stored("memory.json"), "action")}
    assert commands == {"make first": 1, "make between": 1, "make last": 1}


def test_a_torn_ledger_line_costs_itself_alone(home: Home, tmp_path: Path) -> None:
    home.record(tool_event("toolu_a", command="make first"))
    with (home.session / "ledger.jsonl").open("ab") as ledger:
        ledger.write(b'{"schema": 1, "event": "tool", "id"\n\xff\xfe\n[]\n')
    home.record(tool_event("toolu_b", command="make last"))
    home.save(tmp_path / "transcript.jsonl")
    assert texts_of(home.stored("memory.json"), "action") == ["make first", "make last"]
    assert home.log() == []


def jobs(home: Home) -> list[tuple[str, str, str]]:
    """Order, status and how it ended, of each job that is known."""
    return [(item["text"], item["status"], item["result"]) for item in items_of(home.stored("memory.json"), "job")]


def test_a_subagents_end_ends_its_job(home: Home) -> None:
    launched = {"status": "async_launched", "agentId": "ac27", "outputFile": "/tmp/ac27.out"}
    home.record(hook_input("PostToolUse", tool_name="Agent", tool_use_id="toolu_a", tool_input={"prompt": "Watch."},
                           tool_response=launched))
    home.save()
    assert jobs(home) == [("Watch.", "open", "")]
    home.record(hook_input("SubagentStop", agent_id="ac27", agent_type="general", last_assistant_message="Done."))
    home.save()
    assert jobs(home) == [("Watch.", "ended", "Done.")]


def test_a_subagents_start_and_end_between_two_saves(home: Home) -> None:
    launched = {"status": "async_launched", "agentId": "ac27", "outputFile": "/tmp/ac27.out"}
    home.record(hook_input("PostToolUse", tool_name="Agent", tool_use_id="toolu_a", tool_input={"prompt": "Watch."},
                           tool_response=launched))
    home.record(hook_input("SubagentStop", agent_id="ac27", agent_type="general", last_assistant_message="Done."))
    home.save()
    assert "open" not in [status for _, status, _ in jobs(home)]


# --- what is old ---


def test_sessions_that_nothing_touched_for_long_are_removed(home: Home, tmp_path: Path) -> None:
    path, days = worked(tmp_path), {"old": 31, "new": 29, "mixed": 31}
    for name, age in days.items():
        folder = home.path / "sessions" / name
        folder.mkdir(parents=True)
        for file in ("memory.json", "snapshot.json"):
            (folder / file).write_text("{}", encoding="utf-8")
            os.utime(folder / file, (time.time() - age * 86_400,) * 2)
        if name == "mixed":
            (folder / "pins.jsonl").touch()
        os.utime(folder, (time.time() - age * 86_400,) * 2)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "mine").touch()
    os.utime(elsewhere / "mine", (0, 0))
    (home.path / "sessions" / "link").symlink_to(elsewhere)
    home.save(path, "Stop")
    assert (home.path / "sessions" / "old").exists()
    home.save(path)
    assert home.log() == []
    assert {entry.name for entry in (home.path / "sessions").iterdir()} == {"new", "mixed", "link", SESSION_ID}
    assert (elsewhere / "mine").exists()
    assert home.log() == []


# --- the hook ---


@pytest.mark.parametrize("event", ["PreCompact", "Stop"])
def test_what_it_prints_and_writes(home: Home, tmp_path: Path, event: str) -> None:
    path = worked(tmp_path)
    done = home.save(path, event)
    assert is_instructed(done) if event == "PreCompact" else done[:3] == (0, "", "")
    snapshot = home.stored("snapshot.json")
    assert (snapshot["schema"], snapshot["session"]) == (1, SESSION_ID)
    memory = home.stored("memory.json")
    assert (snapshot["items"], snapshot["record"]) == (memory["items"], RECORD_FORMAT)
    assert {item["kind"] for item in snapshot["items"]} == {"message", "rule", "action", "look"}
    assert snapshot["settings"] == default_settings()
    [line] = (home.path / "events.jsonl").read_text(encoding="utf-8").splitlines()
    assert {name: json.loads(line)[name] for name in ("schema", "event", "on", "session", "items")} == {
        "schema": 1, "event": "save", "on": event, "session": SESSION_ID, "items": len(memory["items"])}
    for file in [home.path, *home.path.rglob("*")]:
        assert stat.S_IMODE(file.stat().st_mode) == (0o700 if file.is_dir() else 0o600), file
    assert list(home.session.glob("*.tmp")) == []


def test_the_instructions_are_short_and_plain(home: Home, tmp_path: Path) -> None:
    text = home.save(worked(tmp_path)).stdout
    assert text
    assert len(text) <= 600
    assert text.isascii()
    assert not text.lstrip().startswith(("{", "["))
    assert text.count("\n") == 1


@pytest.mark.parametrize("data", [
    pytest.param({"hook_event_name": "Stop", "agent_id": "a1b2"}, id="end-of-a-subagent"),
    pytest.param({"hook_event_name": "PostCompact"}, id="another-event"),
    pytest.param({"hook_event_name": "SubagentStop"}, id="subagent-stop"),
])
def test_events_that_are_not_ours_change_nothing(saved: Home, tmp_path: Path, data: JsonObject) -> None:
    path = worked(tmp_path)
    before = saved.files()
    assert saved.run("save_snapshot.py", {**hook_input("PreCompact", path), **data})[:3] == (0, "", "")
    assert saved.files() == before


def test_saves_at_the_same_time_leave_whole_files_and_the_further_one(home: Home, tmp_path: Path) -> None:
    session = Session()
    for number in range(400):
        session.typed(f"Never use name {number}.")
        session.ran("Bash", "x" * 300, command=f"echo {number}")
    lines = session.as_bytes().splitlines(keepends=True)
    shorter, whole = tmp_path / "shorter.jsonl", session.write(tmp_path / "whole.jsonl")
    shorter.write_bytes(b"".join(lines[:300]))
    for first, second in ((shorter, whole), (whole, shorter)):
        running = []
        for path, event in ((first, "Stop"), (second, "PreCompact")):
            process = home.start("save_snapshot.py")
            assert process.stdin
            process.stdin.write(json.dumps(hook_input(event, path)).encode())
            running.append(process)
        for process in running:
            assert process.communicate(timeout=60)[1] == b""
            assert process.returncode == 0
        assert home.stored("memory.json")["position"] >= len(lines)
        assert "Never use name 399." in rules(home)
        assert list(home.session.glob("*.tmp")) == []
    assert home.log() == []


def test_a_hook_of_another_session_sees_nothing_of_this_one(home: Home, tmp_path: Path) -> None:
    home.save(worked(tmp_path))
    other = {**hook_input("PreCompact"), "session_id": "another"}
    home.run("save_snapshot.py", other)
    stored = json.loads((home.path / "sessions" / "another" / "snapshot.json").read_bytes())
    assert stored["items"] == []


def test_a_save_beside_the_work_waits_for_the_answer_that_the_client_writes_meanwhile(
        home: Home, tmp_path: Path) -> None:
    work = Session()
    work.typed("Map the zones.")
    path = work.write(tmp_path / "transcript.jsonl")
    given = hook_input("Stop", path, last_assistant_message="Zone 7 is mapped.")
    with home.start("save_snapshot.py", extra={"COMPACT_KEEPER_BESIDE": "1"}) as process:
        assert process.stdin
        process.stdin.write(json.dumps(given).encode())
        process.stdin.close()
        time.sleep(0.5)  # a save that does not wait has read the transcript by then
        work.says("Zone 7 is mapped.")
        work.write(path)
    assert process.returncode == 0
    assert home.stored("snapshot.json")["state"]["last_words"] == "Zone 7 is mapped."
