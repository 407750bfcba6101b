"""A fork's saves by real processes: what its parent knew comes along, and the parent's folder stays as it was."""

from __future__ import annotations

import copy
import json
from pathlib import Path

import pytest

from sessions import SESSION_ID, Home, Session, hook_input, stamp, texts_of

PARENT, FORK = "a-parent", "b-fork"
RULE, OWN_RULE = "Never touch the alpha table.", "Never rename the beta table."


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A data folder with a parent that was compacted once, and has pins."""
    made = Home(tmp_path / "home")
    save(made, parent().as_bytes(), PARENT)
    pins = [json.dumps({"schema": 1, "time": stamp(3), "text": text}) for text in ("Port 3334.", "Host b.")]
    (made.path / "sessions" / PARENT / "pins.jsonl").write_text("\n".join(pins) + "\n", encoding="utf-8")
    return made


def parent() -> Session:
    session = Session()
    session.typed(RULE)
    session.compacted("Rates are renamed.")
    session.typed("Look at the invoices now.")
    return session


def forked() -> bytes:
    """What the client copies of the parent, from its boundary on, and what the fork's person types then."""
    copied, own = Session(), Session(5_000)
    copied.records = copy.deepcopy(parent().records[1:])
    own.typed(OWN_RULE)
    return (copied + own).as_bytes()


def save(home: Home, raw: bytes, name: str) -> None:
    path = home.path.parent / f"{name}.jsonl"
    path.write_bytes(raw.replace(SESSION_ID.encode(), name.encode()))
    done = home.run("save_snapshot.py", hook_input("Stop", path) | {"session_id": name})
    assert (done.code, done.stdout, done.stderr) == (0, "", "")


def rules(home: Home) -> list[str]:
    return texts_of(json.loads((home.path / "sessions" / FORK / "memory.json").read_bytes()), "rule")


def pins(home: Home) -> bytes:
    return (home.path / "sessions" / FORK / "pins.jsonl").read_bytes()


def test_a_fork_begins_with_what_its_parent_knew(home: Home) -> None:
    own = home.path / "sessions" / PARENT
    before = {path.name: (path.stat().st_mtime_ns, path.read_bytes()) for path in own.iterdir()}
    save(home, forked(), FORK)
    assert rules(home) == [RULE, OWN_RULE]
    assert pins(home).count(b"\n") == 2
    assert {path.name: (path.stat().st_mtime_ns, path.read_bytes()) for path in own.iterdir()} == before
    assert home.log() == []


def test_a_first_line_of_40_megabytes(home: Home) -> None:
    """The parent is not found behind it, within the client's patience."""
    save(home, b'{"type":"mode","long":"' + b"x" * (40 << 20) + b'"}\n' + forked(), FORK)
    assert OWN_RULE in rules(home)
    assert home.log() == []


def test_saves_that_fail_copy_pins_once(home: Home) -> None:
    (home.path / "sessions" / FORK).mkdir()
    (home.path / "sessions" / FORK / "snapshot.json").write_text('{"schema": 2}', encoding="utf-8")
    for _ in range(3):
        save(home, forked(), FORK)
    assert len(home.log()) == 3
    assert pins(home).count(b"\n") == 2


def answer(home: Home, path: Path, words: str) -> str:
    """What a command typed in the fork's full-screen client is answered with."""
    given = {**hook_input("UserPromptSubmit", path, prompt=f"/compact-keeper:{words}"), "session_id": FORK}
    done = home.run("answer_prompt.py", given, extra={"CLAUDE_CODE_ENTRYPOINT": "cli"})
    assert (done.code, done.stderr) == (0, "")
    return str(json.loads(done.stdout)["reason"])


def test_commands_before_a_forks_first_turn_know_what_the_parent_knew(home: Home) -> None:
    """At its start no transcript is there, as the client begins it with the first prompt or command."""
    path = home.path.parent / f"{FORK}.jsonl"
    start = {**hook_input("SessionStart", path, source="fork"), "session_id": FORK}
    assert home.run("restore_snapshot.py", start).stdout == ""
    for words in ("show", "pins"):
        assert "this session is a fork" in answer(home, path, words)
    path.write_bytes(forked().replace(SESSION_ID.encode(), FORK.encode()))
    assert '1. "Port 3334."' in answer(home, path, "pins")
    assert "this session is a fork" not in answer(home, path, "show")
    assert RULE in answer(home, path, "show")
    assert home.log() == []
