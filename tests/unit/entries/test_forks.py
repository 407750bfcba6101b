"""A fork begins with what its parent knew up to the fork; no other session begins with anything, and none is changed.

Transcripts in the shapes that clients 2.1.105 to 2.1.329 write: a fork has the old lines with their uuids and times,
its own session id, and of a compacted session only what follows the last boundary. Saves are made in this process;
those of real processes: tests/processes/test_forks_saved.py.
"""

from __future__ import annotations

import copy
import json
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import save_snapshot
from compact_keeper.client import fork
from compact_keeper.record.session import read_on
from compact_keeper.store.json_files import replace_store
from compact_keeper.store.session_lock import unlock_session
from compact_keeper.store.settings import default_settings
from compact_keeper.types import Item, Memory
from sessions import SESSION_ID, Home, Session, hook_input, items_of, stamp, texts_of

PARENT, FORK, SECOND = "a-parent", "b-fork", "c-fork"
RULE, TASK, FILE = "Never touch the alpha table.", "Rename the rates", "/srv/rates.py"
LATER_RULE, OWN_RULE = "Always keep the omega flag.", "Never rename the beta table."
HEAD_LINES: list[Any] = [{"type": "mode", "mode": "normal"}, {"type": "atis-latch", "latched": False},
                            {"type": "queue-operation", "operation": "dequeue", "timestamp": stamp(0)}]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    monkeypatch.setenv("COMPACT_KEEPER_HOME", str(tmp_path / "home"))
    return Home(tmp_path / "home")


def begun() -> Session:
    """A session with a rule, a task, an edited file and a command."""
    session = Session()
    session.typed(RULE)
    session.created(1, TASK)
    session.ran("Edit", file_path=FILE, old_string="a", new_string="b")
    session.ran("Edit", file_path=FILE, old_string="c", new_string="d")
    session.ran("Bash", command="make test")
    session.says("Renamed, tests pass.")
    return session


def compacted() -> Session:
    """That session, compacted and gone on a little."""
    session = begun()
    session.compacted("Rates are renamed.")
    session.typed("Look at the invoices now.")
    session.ran("Edit", file_path="/srv/invoices.py", old_string="a", new_string="b")
    session.says("Looked at.")
    return session


def forked(parent: Session, name: str = FORK, first: int = 5_000) -> Session:
    """What the client copies of the session as it stands, and what the fork's person types then."""
    boundaries = [at for at, record in enumerate(parent.records) if record.get("subtype") == "compact_boundary"]
    copied, own = Session(), Session(first)
    copied.records = [*HEAD_LINES, *copy.deepcopy(parent.records[max(boundaries, default=0):])]
    own.typed(OWN_RULE)
    own.says("Noted.")
    whole = copied + own
    for record in whole.records:
        record["sessionId"] = name
    return whole


def save(home: Home, session: Session | bytes, name: str, event: str = "Stop") -> Any:
    """The memory of the session after a save."""
    path = home.path.parent / f"{name}.jsonl"
    raw = session if isinstance(session, bytes) else session.as_bytes()
    path.write_bytes(raw.replace(SESSION_ID.encode(), name.encode()))
    save_snapshot.save(hook_input(event, path) | {"session_id": name})
    unlock_session()  # a process would have ended
    return memory(home, name)


def folder(home: Home, name: str) -> Path:
    return home.path / "sessions" / name


def memory(home: Home, name: str) -> Any:
    return dict(json.loads((folder(home, name) / "memory.json").read_bytes()))


def facts(remembered: Any) -> list[tuple[Any, ...]]:
    """What a memory's items tell, with the counts, without their places."""
    return sorted((item["kind"], item["text"], item["first"], item["last"], item["uses"], item.get("edits", 0))
                  for item in remembered["items"])


def edits_in(remembered: Any) -> dict[str, int]:
    """How often each file was changed."""
    edits: dict[str, int] = {}
    for item in items_of(remembered, "action"):
        if item["path"]:
            edits[item["path"]] = edits.get(item["path"], 0) + item["edits"]
    return edits


def untouched(home: Home, name: str) -> dict[str, tuple[int, bytes]]:
    """The session's files with their times, and the folder's own."""
    files = {path.name: (path.stat().st_mtime_ns, path.read_bytes()) for path in folder(home, name).iterdir()}
    return {**files, ".": (folder(home, name).stat().st_mtime_ns, b"")}


def pin(home: Home, name: str, *pins: tuple[str, float]) -> None:
    """Pins with their seconds since the session's first record."""
    lines = [json.dumps({"schema": 1, "time": stamp(second), "text": text}) for text, second in pins]
    path = folder(home, name) / "pins.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def pinned(home: Home, name: str) -> list[str]:
    path = folder(home, name) / "pins.jsonl"
    return [json.loads(line)["text"] for line in path.read_bytes().splitlines()] if path.exists() else []


# --- hostile ---


def torn(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-20])


def as_link(path: Path) -> None:
    path.rename(path.with_name("elsewhere"))
    path.symlink_to("elsewhere")


def instead(make: Callable[[Path], object]) -> Callable[[Path], None]:
    def replaced(path: Path) -> None:
        path.unlink()
        make(path)
    return replaced


def said(raw: bytes) -> Callable[[Path], object]:
    return lambda path: path.write_bytes(raw)


def later(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b'"schema": 1', b'"schema": 2', 1))


BROKEN: dict[str, Callable[[Path], object]] = {
    "missing": Path.unlink, "torn": torn, "empty": said(b""), "garbage": said(bytes(range(256))), "list": said(b"[]"),
    "later-schema": later, "without-schema": said(b'{"roots": ["c0ffee00-0000-4000-8000-000000000000"]}'),
    "only-the-beginning": said(b'{"schema": 1, "roots": ["c0ffee00-0000-4000-8000-000000000000"]'),
    "link": as_link, "loop": instead(lambda path: path.symlink_to(path)), "folder": instead(Path.mkdir),
    "fifo": instead(os.mkfifo), "device": instead(lambda path: path.symlink_to("/dev/zero"))}


@pytest.mark.parametrize("name", BROKEN)
def test_parent_that_cannot_be_read_costs_nothing(home: Home, name: str) -> None:
    save(home, compacted(), PARENT)
    BROKEN[name](folder(home, PARENT) / "memory.json")
    remembered = save(home, forked(compacted()), FORK)
    assert texts_of(remembered, "rule") == [OWN_RULE]
    assert home.log() == []


UUIDS: Any = {
    "beginning-of-it": "c0ffee00", "end-of-it": "8000-000000000000", "empty": "", "number": 7, "null": None,
    "list": ["c0ffee00-0000-4000-8000-000000000000"], "pattern": ".{8,64}", "dots": "../../../etc/passwd",
    "quotes": '", "c0ffee00-0000-4000-8000-000000000000', "name-of-a-field": "position", "long": "c" * 65,
    "nul": "\0" * 36, "surrogate": "\ud800" * 9, "spaces": "c0ffee00 0000"}


@pytest.mark.parametrize("uuid", UUIDS.values(), ids=UUIDS)
def test_hostile_uuid_finds_no_parent(home: Home, uuid: object) -> None:
    save(home, begun(), PARENT)
    session = Session(900)
    session.typed(OWN_RULE)
    session.records[0]["uuid"] = uuid
    assert texts_of(save(home, session, FORK), "rule") == [OWN_RULE]
    assert home.log() == []


def without_uuids(session: Session) -> bytes:
    for record in session.records:
        record.pop("uuid", None)
    return session.as_bytes()


@pytest.mark.parametrize("raw", [
    lambda: b"", lambda: b"\n\n", lambda: b"\0" * 4_096, lambda: without_uuids(forked(begun())),
    lambda: without_uuids(begun()), lambda: b'{"type":"user","uuid":"c0ffee00-0000-4000-8000'],
    ids=["empty", "blank", "nul", "fork-without-uuids", "no-uuids", "torn"])
def test_transcript_that_names_no_parent(home: Home, raw: Callable[[], bytes]) -> None:
    save(home, compacted(), PARENT)
    pin(home, PARENT, ("Port 3334.", 3))
    assert "/srv/invoices.py" not in json.dumps(save(home, raw(), FORK)["items"])  # only the parent knows it
    assert pinned(home, FORK) == []
    assert home.log() == []


def test_other_things_lie_among_the_sessions(home: Home, tmp_path: Path) -> None:
    save(home, compacted(), PARENT)
    elsewhere = tmp_path / "elsewhere"
    folder(home, PARENT).rename(elsewhere)
    folder(home, PARENT).symlink_to(elsewhere)
    folder(home, "loop").symlink_to("loop")
    folder(home, "file").write_text("x", encoding="utf-8")
    folder(home, "empty").mkdir()
    os.mkfifo(folder(home, "fifo"))
    assert texts_of(save(home, forked(compacted()), FORK), "rule") == [OWN_RULE]
    assert home.log() == []


@pytest.mark.parametrize("make", [os.mkfifo, Path.mkdir, lambda path: path.symlink_to("memory.json"),
                                  lambda path: path.write_bytes(b"\xff\xfe not UTF-8\n")],
                         ids=["fifo", "folder", "link", "not-utf-8"])
def test_hostile_pins_cost_nothing(home: Home, make: Callable[[Path], object]) -> None:
    save(home, compacted(), PARENT)
    pins = folder(home, PARENT) / "pins.jsonl"
    make(pins)
    assert texts_of(save(home, forked(compacted()), FORK), "rule") == [RULE, OWN_RULE]
    assert (folder(home, FORK) / "pins.jsonl").exists() is (pins.is_file() and not pins.is_symlink())
    assert home.log() == []


# --- two sessions in one folder never mix ---


def test_sessions_that_are_no_forks_know_nothing_of_each_other(home: Home) -> None:
    save(home, compacted(), PARENT)
    pin(home, PARENT, ("Port 3334.", 3))
    before = untouched(home, PARENT)
    other = Session(700)
    other.typed(OWN_RULE)
    other.compacted()
    other.ran("Edit", file_path=FILE)
    assert texts_of(save(home, other, FORK), "rule") == [OWN_RULE]
    assert edits_in(memory(home, FORK)) == {FILE: 1}
    assert pinned(home, FORK) == []
    assert untouched(home, PARENT) == before


@settings(max_examples=60)
@given(st.lists(st.tuples(st.integers(0, 6), st.booleans()), min_size=2, max_size=6))
def test_rules_come_only_from_a_session_with_the_same_root(plays: list[tuple[int, bool]]) -> None:
    """Sessions with few first uuids between them, some compacted, each saved in its turn."""
    with tempfile.TemporaryDirectory() as place:
        rules: dict[int, set[str]] = {}
        for number, (first, is_compacted) in enumerate(plays):
            session, own = Session(first * 100), Path(place, "sessions", f"s{number}")
            session.typed(f"Never touch the table number {number}.")
            session.compacted() if is_compacted else None
            path = session.write(Path(place, f"{number}.jsonl"))
            own.mkdir(parents=True)
            known = fork.inherited_memory(str(own), str(path))
            new = read_on(known, str(path), str(own), default_settings())[0]
            replace_store(str(own / "memory.json"), new)
            rules.setdefault(first, set()).update(texts_of(new, "rule"))
            assert set(texts_of(new, "rule")) <= rules[first]
            assert known.get("place", {}) == {}  # a place in the parent's transcript
            assert (known == {}) is (first not in [earlier for earlier, _ in plays[:number]])


# --- what it is for ---


def test_fork_of_a_session_that_was_not_compacted(home: Home) -> None:
    parent = save(home, begun(), PARENT)
    remembered = save(home, forked(begun()), FORK)
    assert texts_of(remembered, "rule") == [RULE, OWN_RULE]
    assert set(facts(parent)) <= set(facts(remembered))
    assert home.log() == []


def test_fork_after_a_compaction_knows_what_was_before_it(home: Home) -> None:
    parent = save(home, compacted(), PARENT)
    remembered = save(home, forked(compacted()), FORK)
    assert RULE.encode() not in forked(compacted()).as_bytes()
    assert texts_of(remembered, "rule") == [RULE, OWN_RULE]
    assert texts_of(remembered, "task") == [TASK]
    assert remembered["cycle"] == parent["cycle"] == 1
    assert set(facts(parent)) <= set(facts(remembered))
    assert edits_in(remembered) == {FILE: 2, "/srv/invoices.py": 1}
    assert home.log() == []


@pytest.mark.parametrize("lines", [
    [{"type": "progress", "data": {"type": "hook_progress", "hookEvent": "SessionStart"}}],
    [{"type": "user", "isSidechain": True, "message": {"role": "user", "content": "Warm up."}}],
    [{"type": "summary", "summary": "Rates", "leafUuid": "c0ffee00-0000-4000-8000-00000000beef"}],
    [{"type": "file-history-snapshot", "messageId": "c0ffee00-0000-4000-8000-00000000beef", "snapshot": {}}]],
    ids=["progress", "sidechain", "summary", "file-history"])
def test_lines_that_count_for_no_root_may_come_first(home: Home, lines: list[Any]) -> None:
    """Up to 2.1.76 a transcript begins with the progress of the SessionStart hooks, if there are any."""
    head, parent = Session(), Session(10)
    head.records = [{**line, "uuid": "c0ffee00-0000-4000-8000-00000000cafe", "timestamp": stamp(0)}
                    if line["type"] in ("progress", "user") else line for line in lines]
    parent = head + begun()
    save(home, parent, PARENT)
    pin(home, PARENT, ("Port 3334.", 3))
    save(home, forked(parent), FORK)
    assert pinned(home, FORK) == ["Port 3334."]


def test_nothing_of_the_parent_is_touched(home: Home) -> None:
    save(home, compacted(), PARENT)
    save(home, compacted(), PARENT, "PreCompact")
    pin(home, PARENT, ("Port 3334.", 3))
    before = untouched(home, PARENT)
    assert set(before) >= {".", "memory.json", "snapshot.json", "compaction.json", "pins.jsonl"}
    for event in ("Stop", "PreCompact"):
        save(home, forked(compacted()), FORK, event)
    assert untouched(home, PARENT) == before


def gone_on(parent: Session) -> Session:
    """The session after the fork: another rule, more edits, the old rule again, the task done."""
    went = copy.deepcopy(parent)
    went.typed(LATER_RULE)
    went.ran("Edit", file_path="/srv/later.py")
    went.ran("Edit", file_path="/srv/invoices.py", old_string="e", new_string="f")
    went.typed(RULE)
    went.says("All of it is done.")
    return went


@pytest.mark.parametrize("parent", [begun(), compacted()], ids=["not-compacted", "compacted"])
def test_what_the_parent_learned_after_the_fork_stays_there(home: Home, parent: Session) -> None:
    save(home, parent, PARENT)
    save(home, gone_on(parent), PARENT)
    remembered = save(home, forked(parent), FORK)
    assert texts_of(remembered, "rule") == [RULE, OWN_RULE]
    assert LATER_RULE not in json.dumps(remembered["items"])
    assert "/srv/later.py" not in json.dumps(remembered["items"])
    assert [line["text"] for line in remembered["progress"] if LATER_RULE in line["text"]] == []
    assert any(RULE in line["text"] for line in remembered["progress"])
    assert home.log() == []


@pytest.mark.parametrize("parent", [begun(), compacted()], ids=["not-compacted", "compacted"])
def test_counts_are_those_of_the_fork(home: Home, parent: Session) -> None:
    """Lines that are read again count once."""
    save(home, parent, PARENT)
    before = edits_in(memory(home, PARENT))
    save(home, gone_on(parent), PARENT)
    remembered = save(home, forked(parent), FORK)
    assert edits_in(remembered) == before
    assert [item["uses"] for item in items_of(remembered, "action") if item["text"] == "make test"] == [1]


def test_what_lies_too_far_back_to_be_read_again_keeps_its_counts() -> None:
    session = begun()
    lines = session.as_bytes().splitlines()
    lines[2:2] = [lines[2].replace(b'"uuid"', b'"long":"' + b"x" * fork.READ_AGAIN_BYTES + b'","uuid"')]
    at = [record["timestamp"] for record in session.records]
    items: list[Item] = [{"kind": "action", "first": at[place], "last": at[place], "uses": 0, "edits": 3}
                         for place in (1, -1)]
    known: Memory = {"items": items, "time": stamp(9_000), "seen": [record["uuid"][-12:] for record in session.records]}
    assert [item["edits"] for item in fork.up_to_the_fork(known, lines)["items"]] == [3, 0]


def test_saves_after_the_first_add_nothing_twice(home: Home) -> None:
    save(home, compacted(), PARENT)
    pin(home, PARENT, ("Port 3334.", 3))
    first = save(home, forked(compacted()), FORK)
    again = save(home, forked(compacted()), FORK)
    assert facts(again) == facts(first)
    assert pinned(home, FORK) == ["Port 3334."]


def test_fork_of_a_fork(home: Home) -> None:
    save(home, compacted(), PARENT)
    save(home, forked(compacted()), FORK)
    remembered = save(home, forked(forked(compacted()), SECOND, 9_000), SECOND)
    assert texts_of(remembered, "rule") == [RULE, OWN_RULE]
    assert edits_in(remembered) == {FILE: 2, "/srv/invoices.py": 1}


def test_fork_of_a_fork_whose_first_parent_is_gone(home: Home) -> None:
    save(home, compacted(), PARENT)
    save(home, forked(compacted()), FORK)
    shutil.rmtree(folder(home, PARENT))
    remembered = save(home, forked(forked(compacted()), SECOND, 9_000), SECOND)
    assert texts_of(remembered, "rule") == [RULE, OWN_RULE]
    assert edits_in(remembered) == {FILE: 2, "/srv/invoices.py": 1}


def test_two_forks_of_one_session_do_not_share_what_is_their_own(home: Home) -> None:
    save(home, compacted(), PARENT)
    save(home, forked(compacted()), FORK)
    second = forked(compacted(), SECOND, 9_000)
    second.records[-2]["message"]["content"] = LATER_RULE
    assert texts_of(save(home, second, SECOND), "rule") == [RULE, LATER_RULE]


def test_later_fork_of_the_parent_does_not_take_an_older_fork_for_it(home: Home) -> None:
    """Both know the boundary that the transcript begins with; the parent knows more of its lines."""
    save(home, compacted(), PARENT)
    pin(home, PARENT, ("Port 3334.", 3))
    save(home, forked(compacted()), FORK)
    pin(home, FORK, ("The fork's own.", 5_001))
    save(home, gone_on(compacted()), PARENT)
    os.utime(folder(home, PARENT), (1, 1))
    remembered = save(home, forked(gone_on(compacted()), SECOND, 9_000), SECOND)
    assert set(texts_of(remembered, "rule")) == {RULE, LATER_RULE, OWN_RULE}
    assert {path: edits_in(remembered)[path] for path in (FILE, "/srv/invoices.py")} == {FILE: 2, "/srv/invoices.py": 2}
    assert pinned(home, SECOND) == ["Port 3334."]


def test_pins_up_to_the_fork_are_copied(home: Home) -> None:
    """The fork's first event, here in its ledger, is its beginning; where none is known all pins come along."""
    save(home, compacted(), PARENT)
    pin(home, PARENT, ("Port 3334.", 3), ("Just before.", 4_999), ("After it.", 5_001))
    pin(home, FORK, ("Its own.", 5_002), ("Port 3334.", 3))
    (folder(home, FORK) / "ledger.jsonl").write_text(
        json.dumps({"schema": 1, "time": stamp(5_000), "event": "prompt", "text": OWN_RULE}) + "\n", encoding="utf-8")
    save(home, forked(compacted()), FORK)
    assert pinned(home, FORK) == ["Its own.", "Port 3334.", "Just before."]
    save(home, forked(compacted(), SECOND, 9_000), SECOND)
    assert pinned(home, SECOND) == ["Port 3334.", "Just before.", "After it."]


def test_parent_is_found_among_many(home: Home) -> None:
    for number in range(350):
        other = folder(home, f"other-{number}")
        other.mkdir(parents=True)
        (other / "memory.json").write_text(
            json.dumps({"schema": 1, "roots": [f"beef{number:04d}-0000"], "items": []}), encoding="utf-8")
        os.utime(other, (number, number))
    save(home, compacted(), PARENT)
    assert texts_of(save(home, forked(compacted()), FORK), "rule") == [RULE, OWN_RULE]


def test_parent_is_asked_for_once(home: Home) -> None:
    save(home, forked(compacted()), FORK)
    save(home, compacted(), PARENT)
    assert texts_of(save(home, forked(compacted()), FORK), "rule") == [OWN_RULE]


@pytest.mark.parametrize("head", [None, b'{"type":"mode","mode":"normal"}\n'], ids=["no-file", "no-uuid"])
def test_fork_that_is_compacted_before_its_transcript_is_written(home: Home, head: bytes | None) -> None:
    """Measured: a fork's first prompt is /compact, or sets off a compaction: the copied lines come after PreCompact."""
    save(home, compacted(), PARENT)
    path = home.path.parent / f"{FORK}.jsonl"
    path.write_bytes(head) if head else None
    save_snapshot.save(hook_input("PreCompact", path) | {"session_id": FORK})
    unlock_session()
    assert texts_of(save(home, (head or b"") + forked(compacted()).as_bytes(), FORK), "rule") == [RULE, OWN_RULE]


def written_by(session: Session, name: str) -> Session:
    """The session's lines as newer clients write them: each names who wrote it, also where it is copied."""
    for record in session.records:
        record["session_id"] = name
    return session


def test_parent_is_the_one_that_the_copied_lines_name(home: Home) -> None:
    """An earlier fork may know more of these lines, where its save came later, but not what was pinned since."""
    parent = written_by(compacted(), PARENT)
    save(home, parent, PARENT)
    parent.system("informational", content="UserPromptSubmit operation blocked by hook")
    save(home, forked(parent), FORK)
    pin(home, PARENT, ("Port 3334.", 4_000))
    second = forked(parent, SECOND, 9_000)
    for record in second.records[-2:]:
        record["session_id"] = SECOND
    save(home, second, SECOND)
    assert pinned(home, SECOND) == ["Port 3334."]


def test_boundary_that_is_read_again_is_no_further_compaction(home: Home) -> None:
    """The parent goes on, and is compacted once more, before the fork's first save."""
    parent = compacted()
    gone = gone_on(compacted())
    gone.compacted("And more.")
    save(home, gone, PARENT)
    remembered = save(home, forked(parent), FORK)
    assert remembered["cycle"] == 1
    assert [line["key"] for line in remembered["progress"] if line["what"] == "compacted"] == ["cycle 1"]


@pytest.mark.parametrize("transcript", ["fork", "other", "none"])
def test_only_a_fork_is_saved_before_its_first_turn_ends(home: Home, transcript: str) -> None:
    save(home, compacted(), PARENT)
    path = home.path.parent / f"{FORK}.jsonl"
    written = forked(compacted()) if transcript == "fork" else Session(7_000)
    written.typed("Begin.")
    if transcript != "none":
        path.write_bytes(written.as_bytes())
    assert save_snapshot.begin_fork(str(path), FORK) == 0
    unlock_session()
    assert folder(home, FORK).exists() == (transcript == "fork")
    if transcript == "fork":
        assert RULE in texts_of(memory(home, FORK), "rule")
