"""A compaction that did not come to its end: told of at the next start, brought in by hand."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from datetime import datetime, timezone
from pathlib import Path

import pytest

from deliveries import (
    ORDER,
    OTHER,
    Beginnings,
    Chat,
    append,
    change,
    events,
    full,
    later,
    nonce_of,
    prompt,
    silent,
    stage,
    start,
    start_another,
    together,
    written,
)
from sessions import CWD, SCRIPTS, SESSION_ID, Home, JsonObject, Run, Session, hook_input, lines_of, units

ROOT = SCRIPTS.parent


@pytest.fixture
def tmp_path(beginnings: Beginnings) -> Path:
    """The same folder for all tests here, empty."""
    return beginnings.empty()


@pytest.fixture
def failed(beginnings: Beginnings, begun: Home, transcript: Path) -> Home:
    """A home with a compaction that failed, whose session has ended."""
    return beginnings.behind("failed", lambda: stops(begun, transcript))


def end(home: Home, transcript: Path) -> None:
    """The client ends."""
    assert silent(home.run("restore_snapshot.py", hook_input("SessionEnd", transcript, reason="other")))


def stops(home: Home, transcript: Path, way: str = "too long") -> None:
    """The session's end at its compaction."""
    append(transcript, written(way))
    end(home, transcript)


def age(home: Home, minutes: float) -> None:
    """The compaction began so many minutes ago, and what was noted of it since was noted then."""
    moment = time.time() - 60 * minutes
    kept = home.stored("compaction.json")
    change(home, "compaction.json", time=moment, **({"ended": moment} if "ended" in kept else {}))
    os.utime(home.session / "compaction.json", (moment, moment))


def by_hand(home: Home, session: str = OTHER, project: object = CWD) -> Run:
    return home.run("restore_snapshot.py", b"", "--now", session, extra={"CLAUDE_PROJECT_DIR": str(project)})


# --- when it is told ---


@pytest.mark.rows(7)
@pytest.mark.parametrize(("way", "trigger", "has_failed"), [
    ("too long", "auto", True), ("refused", "manual", True), ("full", "auto", True), ("full", "manual", False),
    ("synthetic", "auto", False), ("done", "auto", False), ("answer", "manual", False)])
def test_what_of_a_begun_compaction_is_told_of(
        begun: Home, transcript: Path, way: str, trigger: str, has_failed: bool) -> None:
    """A session that may go on in another window is told of at /clear alone: older clients tell no end then."""
    append(transcript, written(way))
    change(begun, "compaction.json", trigger=trigger)
    for has_ended in (False, True):
        for source in ("startup", "clear"):
            is_told = has_failed and (has_ended or (source == "clear" and way != "full"))
            assert bool(start_another(begun, source=source).stdout) == is_told
        if not has_ended:
            end(begun, transcript)


def test_it_is_told_in_one_line(failed: Home) -> None:
    age(failed, 29)
    when = time.strftime("%H:%M", time.localtime(failed.stored("compaction.json")["time"]))
    before, done = failed.files(), start_another(failed, source="startup")
    answer = json.loads(done.stdout)
    assert set(answer) == {"hookSpecificOutput", "systemMessage"}
    assert answer["hookSpecificOutput"]["hookEventName"] == "SessionStart"
    assert answer["systemMessage"] == done.restored
    assert "/compact-keeper:restore" in done.restored
    assert when in done.restored
    assert "\n" not in done.restored
    assert f"`claude --resume {SESSION_ID}` goes on with it, or /compact-keeper:restore brings in" in done.restored
    assert not [word for word in ("rates", "legacy", "Never") if word in done.stdout]
    assert failed.files() == {**before, f"sessions/{SESSION_ID}/told_{OTHER}": b""}
    assert not (failed.path / "sessions" / OTHER).exists()
    assert [(event["session"], event["units"]) for event in events(failed, "unfinished")] == [
        (OTHER, units(done.restored))]


@pytest.mark.parametrize("window", ["", "100000"])
def test_the_clients_window_counts(begun: Home, transcript: Path, window: str) -> None:
    change(begun, "compaction.json", trigger="auto")
    chat = Chat("2.1.329", 800)
    full(chat, 67_000)
    append(transcript, chat.as_bytes())
    end(begun, transcript)
    done = start(begun, "/nonexistent/new.jsonl", "startup", {"CLAUDE_CODE_AUTO_COMPACT_WINDOW": window},
                 session_id=OTHER, cwd=CWD)
    assert bool(done.stdout) == bool(window)


def test_a_transcript_that_is_gone_shows_no_failure(begun: Home, transcript: Path) -> None:
    end(begun, transcript)
    transcript.unlink()
    assert silent(start_another(begun))


def test_the_clients_end_changes_nothing_else(begun: Home, transcript: Path) -> None:
    begun.restore(transcript)
    before = begun.files()
    end(begun, transcript)
    assert begun.files() == before


def test_two_installations_tell_a_new_session_once(failed: Home) -> None:
    printed = together(failed, hook_input("SessionStart", "/nonexistent/new.jsonl", source="startup", session_id=OTHER))
    assert len([out for out in printed if out]) == 1
    assert len(events(failed, "unfinished")) == 1


def test_a_session_that_goes_on_again_is_not_told_of(failed: Home, transcript: Path) -> None:
    start(failed, transcript, "resume")
    assert silent(start_another(failed, source="startup"))


@pytest.mark.rows(1)
@pytest.mark.parametrize("fields", [
    {"stage": None}, {"earlier": {"id": 7, "offset": 0}}, {"time": 1e300}, {"ended": 1}, {"ended": True}], ids=repr)
def test_odd_fields_cost_no_prompt_and_no_start(failed: Home, transcript: Path, fields: JsonObject) -> None:
    change(failed, "compaction.json", **fields)
    assert bool(start_another(failed, source="startup").stdout) == (set(fields) <= {"earlier", "time"})
    for _ in range(2):
        assert prompt(failed, transcript).code == 0
    assert failed.log() == []


@pytest.mark.rows(1)
@pytest.mark.parametrize("settled", [
    "delivered", "verified", "repaired", "unseen", "brought in", "a subagent's", "kept back"])
def test_a_compaction_that_went_on_is_not_told_of(failed: Home, settled: str) -> None:
    change(failed, "compaction.json", stage=settled)
    assert silent(start_another(failed))


def test_31_minutes_after_the_end_it_is_not_told_of(failed: Home) -> None:
    age(failed, 31)
    assert silent(start_another(failed))


@pytest.mark.parametrize("cwd", ["/home/ada/other", f"{CWD}/sub", "/home/ada", "", "relative"])
def test_in_another_folder_it_is_not_told_of(failed: Home, cwd: str) -> None:
    assert silent(start_another(failed, cwd))


@pytest.mark.parametrize("source", ["startup", "clear", "resume"])
def test_to_the_session_itself_it_is_not_told(failed: Home, transcript: Path, source: str) -> None:
    assert silent(start(failed, transcript, source))


def test_the_clients_project_folder_comes_before_the_working_folder(tmp_path: Path, transcript: Path) -> None:
    project, home = tmp_path / "project", Home(tmp_path / "home")
    project.mkdir()
    session = Session()
    session.typed(ORDER)
    home.save(session.write(transcript), extra={"CLAUDE_PROJECT_DIR": str(project)})
    stops(home, transcript)
    assert silent(start_another(home))
    assert silent(start_another(home, project, project=tmp_path))
    assert start_another(home, project).restored
    assert start_another(home, project=project).restored


def test_links_in_the_path_are_followed(tmp_path: Path, transcript: Path) -> None:
    (tmp_path / "real" / "project").mkdir(parents=True)
    (tmp_path / "link").symlink_to("real")
    home, session = Home(tmp_path / "home"), Session()
    session.typed(ORDER)
    data = hook_input("PreCompact", session.write(transcript), cwd=str(tmp_path / "link" / "project"))
    home.run("save_snapshot.py", data)
    stops(home, transcript)
    assert start_another(home, tmp_path / "real" / "project").restored
    assert start_another(home, project=tmp_path / "link" / "project").restored


# --- among other sessions ---


def broken_sessions(home: Home) -> None:
    """Sessions whose compaction.json is none, written after all others."""
    begun = json.dumps({**home.stored("compaction.json"), "schema": 2}).encode()
    contents = {"later-version": begun, "torn": begun[:50], "list": b"[]", "empty": b"", "binary": b"\xff\xfe",
                "no-time": b'{"schema": 1, "stage": "begun", "project": 7}', "deep": b"[" * 100_000}
    for name, content in contents.items():
        (home.path / "sessions" / f"0-{name}").mkdir()
        (home.path / "sessions" / f"0-{name}" / "compaction.json").write_bytes(content)
    makers: dict[str, Callable[[Path], None]] = {
        "fifo": os.mkfifo, "folder": Path.mkdir, "link": lambda path: path.symlink_to(path),
        "elsewhere": lambda path: path.symlink_to(home.session / "compaction.json")}
    for name, make in makers.items():
        (home.path / "sessions" / f"0-{name}").mkdir()
        make(home.path / "sessions" / f"0-{name}" / "compaction.json")
    (home.path / "sessions" / "0-file").touch()
    (home.path / "sessions" / "0-linked-session").symlink_to(home.session)


def test_among_hundreds_of_sessions_and_broken_ones(failed: Home, transcript: Path) -> None:
    finished = {**failed.stored("compaction.json"), "stage": "verified"}
    for number in range(200):
        folder = failed.path / "sessions" / f"1-{number}"
        folder.mkdir()
        (folder / "compaction.json").write_text(json.dumps(finished), encoding="utf-8")
    broken_sessions(failed)
    before = failed.files()
    assert "did not finish" in start_another(failed).restored
    assert silent(start(failed, transcript, "startup"))
    assert failed.files() == {**before, f"sessions/{SESSION_ID}/told_{OTHER}": b""}
    assert failed.log() == []
    assert ORDER in by_hand(failed).stdout


def test_a_linked_session_is_not_told_of(failed: Home, tmp_path: Path) -> None:
    failed.session.rename(tmp_path / "elsewhere")
    failed.session.symlink_to(tmp_path / "elsewhere")
    assert silent(start_another(failed))
    assert by_hand(failed).code == 1


def test_of_two_unfinished_ones_the_newest(failed: Home, transcript: Path) -> None:
    failed.run("save_snapshot.py", hook_input("PreCompact", transcript, session_id="newer"))
    append(transcript, later(Chat("2.1.329", 900)))
    newer = failed.path / "sessions" / "newer" / "compaction.json"
    noted = {**json.loads(newer.read_bytes()), "offset": 0, "ended": time.time()}
    newer.write_text(json.dumps(noted), encoding="utf-8")
    age(failed, 10)
    newest = time.strftime("%H:%M", time.localtime(json.loads(newer.read_bytes())["time"]))
    assert f" at {newest}: " in start_another(failed).restored


def test_a_new_session_leaves_no_folder_behind(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    for source in ("startup", "clear", "resume", "compact"):
        assert silent(start_another(home, source=source))
    assert not (home.path / "sessions" / OTHER).exists()


# --- by hand ---


@pytest.mark.parametrize("session", ["", "../..", "..", "a/b", "x" * 300, "missing", "ä"])
def test_by_hand_nothing_is_there(tmp_path: Path, session: str) -> None:
    says_in_one_line(by_hand(Home(tmp_path / "home"), session))


def says_in_one_line(done: Run) -> None:
    assert (done.code, done.stderr) == (1, "")
    [line] = done.stdout.splitlines()
    assert line.startswith("compact-keeper: ")


@pytest.mark.rows(1)
@pytest.mark.parametrize("content", [
    b"", b"{", b"[]", b'{"schema": 2}', b'{"schema": 1, "session": "other"}',
    b'{"schema": 1, "session": "%s", "items": [7]}' % SESSION_ID.encode()])
def test_by_hand_a_broken_snapshot(begun: Home, transcript: Path, content: bytes) -> None:
    begun.restore(transcript)
    (begun.session / "snapshot.json").write_bytes(content)
    says_in_one_line(by_hand(begun, SESSION_ID))


@pytest.mark.rows(1)
@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir, lambda path: path.symlink_to("/dev/zero")],
                         ids=["fifo", "folder", "device"])
def test_by_hand_a_snapshot_that_is_no_file(begun: Home, transcript: Path, make: Callable[[Path], None]) -> None:
    begun.restore(transcript)
    (begun.session / "snapshot.json").unlink()
    make(begun.session / "snapshot.json")
    says_in_one_line(by_hand(begun, SESSION_ID))


def test_by_hand_the_unfinished_one_once_then_the_one_named(failed: Home, tmp_path: Path) -> None:
    own, path = Session(700), tmp_path / "own.jsonl"
    own.typed("Always sort the carriers, für 貨物 too.")
    failed.run("save_snapshot.py", hook_input("Stop", own.write(path), session_id=OTHER))
    first, second = by_hand(failed), by_hand(failed)
    assert (first.code, first.stderr, second.code, second.stderr) == (0, "", 0, "")
    assert ORDER in first.stdout
    assert nonce_of(failed) in first.stdout
    assert stage(failed) == "brought in"
    assert ORDER not in second.stdout
    assert "Always sort the carriers, für 貨物 too." in second.stdout
    assert by_hand(failed).stdout == second.stdout
    assert silent(start_another(failed))


def test_by_hand_after_31_minutes_the_sessions_own_comes(failed: Home, tmp_path: Path) -> None:
    age(failed, 31)
    assert "the last 30 minutes" in by_hand(failed).stdout
    own = Session(700)
    own.typed("Always sort the carriers.")
    failed.run("save_snapshot.py", hook_input("Stop", own.write(tmp_path / "own.jsonl"), session_id=OTHER))
    done = by_hand(failed)
    assert "Always sort the carriers." in done.stdout
    assert ORDER not in done.stdout
    assert stage(failed) == "begun"
    assert ORDER in by_hand(failed, SESSION_ID).stdout


def test_by_hand_pins_alone_come_too(begun: Home, transcript: Path) -> None:
    begun.restore(transcript)
    change(begun, "snapshot.json", items=[])
    says_in_one_line(by_hand(begun, SESSION_ID))
    (begun.session / "pins.jsonl").write_text('{"schema": 1, "text": "Port 3334.", "time": ""}\n', encoding="utf-8")
    assert "Port 3334." in by_hand(begun, SESSION_ID).stdout


def test_by_hand_not_the_unfinished_one_of_another_folder(failed: Home) -> None:
    assert by_hand(failed, project="/home/ada/other").code == 1
    assert stage(failed) == "begun"


def test_by_hand_an_unfinished_one_without_a_snapshot_does_not_hide_the_one_named(
        begun: Home, transcript: Path) -> None:
    begun.run("save_snapshot.py", hook_input("Stop", transcript, session_id=OTHER))
    (begun.session / "snapshot.json").unlink()
    done = by_hand(begun)
    assert (done.code, ORDER in done.stdout) == (0, True)
    assert stage(begun) == "begun"


def test_by_hand_without_a_session_none_is_named(tmp_path: Path) -> None:
    done = Home(tmp_path / "home").run("restore_snapshot.py", b"", "--now", extra={"CLAUDE_PROJECT_DIR": str(tmp_path)})
    assert done.stdout.endswith("and no session is named: restore_snapshot.py --now SESSION\n")
    assert done.code == 1


def test_it_is_brought_in_for_the_session_that_asks(tmp_path: Path, transcript: Path) -> None:
    project, home, session = tmp_path / "a project", Home(tmp_path / "home"), Session()
    project.mkdir()
    session.typed(ORDER)
    home.run("save_snapshot.py", hook_input("PreCompact", session.write(transcript), cwd=str(project)))
    stops(home, transcript)
    prompt = {**hook_input("UserPromptSubmit", transcript, prompt="/compact-keeper:restore"), "session_id": OTHER}
    for expected in (ORDER, "brought in already. Claude reads this with your next message."):
        done = home.run("answer_prompt.py", prompt, extra={"CLAUDE_PROJECT_DIR": str(project),
                                                           "CLAUDE_CODE_ENTRYPOINT": "cli"})
        assert expected in json.loads(done.stdout)["reason"]
    assert stage(home) == "begun"
    done = home.run("answer_prompt.py", {**prompt, "prompt": "Go on."})
    assert ORDER in done.restored
    assert stage(home) == "brought in"
    assert "nothing is saved of this session yet" in asks_for(home, project)  # once: it is no unfinished one any more


def test_what_was_brought_in_and_never_read_is_found_by_the_next_session(tmp_path: Path, transcript: Path) -> None:
    """The session itself, which has lost nothing, brings it in all the same, and its client ends before a prompt."""
    project, home, session = tmp_path / "a project", Home(tmp_path / "home"), Session()
    project.mkdir()
    session.typed(ORDER)
    home.run("save_snapshot.py", hook_input("PreCompact", session.write(transcript), cwd=str(project)))
    append(transcript, written("refused"))
    answer = asks_for(home, project, session=SESSION_ID)
    assert "the conversation is whole; nothing to restore" in answer
    assert ORDER not in answer
    for _ in range(2):
        assert ORDER in asks_for(home, project, "anyway", session=SESSION_ID)
    end(home, transcript)
    assert "/compact-keeper:restore" in start_another(home, project, source="startup").restored
    for session_asking in ("never reads it", OTHER):
        assert ORDER in asks_for(home, project, session=session_asking.replace(" ", "-"))
    prompt = {**hook_input("UserPromptSubmit", transcript, prompt="Go on."), "session_id": OTHER}
    assert ORDER in home.run("answer_prompt.py", prompt).restored
    assert stage(home) == "brought in"
    assert "nothing is saved of this session yet" in asks_for(home, project, session="a-third")


# --- a client that was killed while it compacted ---


def asks_for(home: Home, project: Path, words: str = "", session: str = OTHER) -> str:
    """What `restore` answers in another session of the project."""
    prompt = {**hook_input("UserPromptSubmit", "/nonexistent/new.jsonl", prompt=f"/compact-keeper:restore {words}"),
              "session_id": session}
    done = home.run("answer_prompt.py", prompt, extra={"CLAUDE_PROJECT_DIR": str(project),
                                                       "CLAUDE_CODE_ENTRYPOINT": "cli"})
    return str(json.loads(done.stdout)["reason"])


@pytest.fixture
def killed(beginnings: Beginnings, tmp_path: Path, transcript: Path) -> tuple[Home, Path]:
    """A home with a compaction that has begun in a project of which nothing more was heard; the project."""
    project = tmp_path / "a project"

    def begin() -> None:
        session = Session()
        project.mkdir()
        session.typed(ORDER)
        Home(tmp_path / "home").run(
            "save_snapshot.py", hook_input("PreCompact", session.write(transcript), cwd=str(project)))

    return beginnings.behind("killed", begin), project


@pytest.mark.parametrize("is_closed", [False, True])
def test_of_a_killed_one_is_told_and_it_is_brought_in_by_choice_alone(
        killed: tuple[Home, Path], transcript: Path, is_closed: bool) -> None:
    home, project = killed
    if is_closed:
        end(home, transcript)
    for words in ("", "anyway"):
        answer = asks_for(home, project, words)
        assert f"`claude --resume {SESSION_ID}` goes on with it" in answer
        assert ORDER not in answer
    assert stage(home) == "begun"
    answer = asks_for(home, project, "killed")
    assert ORDER in answer
    assert answer.startswith(f"compact-keeper: what was saved of session {SESSION_ID} of this folder, whose compaction "
                             "did not finish:\n\ncompact-keeper: the record of this session, from its transcript.")
    assert "The record is this session's now, too" in answer
    assert "brought in already. Claude reads this with your next message" in asks_for(home, project, "killed")
    done = home.run("answer_prompt.py", {
        **hook_input("UserPromptSubmit", "/nonexistent/new.jsonl", prompt="Go on."), "session_id": OTHER})
    assert ORDER in done.restored
    for words in ("", "killed"):
        answer = asks_for(home, project, words)
        assert "`/compact-keeper:restore killed`" not in answer, "what was brought in is offered no more"
        assert (ORDER in answer and "The record is this session's now, too" in answer) is bool(words)
    again = home.run("answer_prompt.py", {
        **hook_input("UserPromptSubmit", "/nonexistent/new.jsonl", prompt="Go on."), "session_id": OTHER})
    assert ORDER in again.restored


def test_of_one_that_had_nothing_to_save_nothing_is_told(tmp_path: Path, transcript: Path) -> None:
    """The client says "Not enough messages to compact" behind the hook."""
    project, home, session = tmp_path / "a project", Home(tmp_path / "home"), Session()
    project.mkdir()
    session.typed("/compact-keeper:restore")
    home.run("save_snapshot.py", hook_input("PreCompact", session.write(transcript), cwd=str(project)))
    end(home, transcript)
    assert stage(home) == "begun"
    assert "restore killed" not in asks_for(home, project)


def test_of_a_killed_one_is_told_where_the_own_session_lacks_nothing(killed: tuple[Home, Path], tmp_path: Path) -> None:
    home, project = killed
    own = Session()
    own.typed("Always sort the carriers.")
    home.run("save_snapshot.py", hook_input("Stop", own.write(tmp_path / "own.jsonl"), session_id=OTHER,
                                            cwd=str(project)))
    answer = asks_for(home, project)
    assert "this session was not compacted yet" in answer
    assert "`/compact-keeper:restore killed`" in answer


def test_a_failed_one_whose_turn_went_on_within_the_second_has_ended(
        killed: tuple[Home, Path], transcript: Path) -> None:
    home, project = killed
    began = json.loads((home.session / "compaction.json").read_text(encoding="utf-8"))["time"]
    chat = Session(800)
    chat.says("On I go.")
    moment = datetime.fromtimestamp(began + 0.005, tz=timezone.utc).isoformat(timespec="milliseconds")
    chat.records[-1]["timestamp"] = moment.replace("+00:00", "Z")
    append(transcript, chat.as_bytes())
    end(home, transcript)
    assert "killed" not in asks_for(home, project)


@pytest.mark.parametrize("way", ["done", "answer", "own", "elsewhere", "old", "transcript gone"])
def test_what_is_no_killed_one(killed: tuple[Home, Path], transcript: Path, tmp_path: Path, way: str) -> None:
    home, project = killed
    if way in ("done", "answer"):
        append(transcript, written(way))
    if way == "old":
        age(home, 31)
    if way == "transcript gone":
        transcript.unlink()
    asked_in = tmp_path if way == "elsewhere" else project
    session = SESSION_ID if way == "own" else OTHER
    assert "killed" not in asks_for(home, asked_in, session=session)
    assert "no other session of this folder" in asks_for(home, asked_in, "killed", session)


def taken_up(tmp_path: Path, transcript: Path, first: int) -> tuple[Home, Path, Path]:
    """A killed compaction's session that began after 100 s, had a rule and a pin, and the one that goes on, of `first`.

    Home, project and the other's transcript, which has been saved once.
    """
    project, home = tmp_path / "a project", Home(tmp_path / "home")
    project.mkdir()
    session, own = Session(100), Session(first, OTHER)
    session.typed("Add the surcharge. Never push from here.")
    session.says("It is added. Shall I delete the old list?")
    own.typed("Where were we?")
    home.run("save_snapshot.py", hook_input("PreCompact", session.write(transcript), cwd=str(project)))
    pin = json.dumps({"schema": 1, "time": "2026-01-01T00:00:00.000Z", "text": "Port 3334."})
    (home.session / "pins.jsonl").write_text(f"{pin}\n", encoding="utf-8")
    path = own.write(tmp_path / "own.jsonl")
    home.run("save_snapshot.py", hook_input("Stop", path, session_id=OTHER, cwd=str(project)))
    return home, project, path


def compacted(home: Home, project: Path, path: Path) -> str:
    """What comes back of the session that goes on after a compaction of its own."""
    with path.open("ab") as file:
        own = Session(300, OTHER)
        own.typed("Sort the carriers, too.")
        own.says("They are sorted.")
        file.write(own.as_bytes())
    home.run("save_snapshot.py", hook_input("PreCompact", path, session_id=OTHER, cwd=str(project)))
    return home.run("restore_snapshot.py", hook_input("SessionStart", path, source="compact", session_id=OTHER,
                                                      cwd=str(project))).restored


def test_what_is_brought_in_of_a_session_before_stays(tmp_path: Path, transcript: Path) -> None:
    home, project, path = taken_up(tmp_path, transcript, 200)
    assert "this session's now, too" in asks_for(home, project, "killed")
    restored = compacted(home, project, path)
    rules = [line.partition(" (")[0] for line in lines_of(restored, "Standing rules, as the user typed them")]
    assert rules == ['- "Never push from here."']
    words = ["Port 3334.", "Sort the carriers, too.", "Where were we?", "Add the surcharge."]
    assert sorted(words, key=restored.index) == words
    assert not (home.path / "sessions" / OTHER / "memory.json.odd").exists()
    assert "Where were we?" in restored.partition("Shall I delete the old list?")[0]  # which that does not answer


@pytest.mark.parametrize("way", ["began before", "fork", "odd"])
def test_what_is_brought_in_of_a_session_beside_is_told_once(tmp_path: Path, transcript: Path, way: str) -> None:
    home, project, path = taken_up(tmp_path, transcript, 0 if way == "began before" else 200)
    memory = home.path / "sessions" / OTHER / "memory.json"
    if way == "fork":
        (memory.parent / "forked").touch()
    if way == "odd":
        memory.write_bytes(b"{}")
    assert "told once: a compaction brings back this session's own" in asks_for(home, project, "killed")
    restored = compacted(home, project, path)
    assert "Sort the carriers, too." in restored
    assert "Never push" not in restored
    assert "Port 3334." not in restored
