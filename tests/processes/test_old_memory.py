"""What version 0.6.0 left on disk: the session is read anew without a word, nothing of the old items is put back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sessions import SESSION_ID, Home, JsonObject, Session, hook_input, stamp, texts_of

RULE, OLD = "Never rename the columns of the tariff table.", "Guessed from a log: kudu"


def old_item(kind: str, text: str, **more: Any) -> JsonObject:
    return {"kind": kind, "text": text, "who": "user", "source": "u1", "first": stamp(0), "last": stamp(0),
            "position": 1, "cycle": 0, "uses": 1, "status": "open", **more}


def old_items() -> list[JsonObject]:
    return [old_item("request", f"{OLD} 1"), old_item("rule", f"{OLD} 2"), old_item("decision", f"{OLD} 3"),
            old_item("command", f"{OLD} 4", ok=True, key="k"), old_item("failure", f"{OLD} 5", error="kudu", exit=1),
            old_item("file", f"/srv/{OLD}.py", edits=1), old_item("task", f"{OLD} 7", key="#1", status="pending")]


def session() -> Session:
    made = Session()
    made.typed(f"Fix the rates. {RULE}")
    made.failed("Bash", "Exit code 1\nValueError: zone 7 has no rate", command="make zones")
    return made


@pytest.fixture
def transcript(tmp_path: Path) -> Path:
    return session().write(tmp_path / f"{SESSION_ID}.jsonl")


@pytest.fixture
def home(tmp_path: Path, transcript: Path) -> Home:
    """A data folder as a save of 0.6.0 left it, the whole transcript read."""
    made = Home(tmp_path / "home")
    made.session.mkdir(parents=True)
    about = transcript.stat()
    place = {"inode": about.st_ino, "offset": about.st_size}
    roots = [record["uuid"] for record in session().records[:1]]
    memory = {"schema": 1, "roots": roots, "items": old_items(), "place": place, "ledgers": {}, "began": stamp(0),
              "time": stamp(3), "position": 3, "cycle": 0, "after": "", "typed": ["", ""], "state": {}, "pending": [],
              "seen": [name[-12:] for name in roots], "queue": [], "progress": []}
    snapshot = {"schema": 1, "items": old_items(), "names": [], "found": [], "position": 3, "cycle": 0,
                "began": stamp(0), "time": stamp(3), "state": {}, "read": {"transcript": place, "ledgers": {}},
                "used": {"budget": 9_000}, "session": SESSION_ID, "id": "1234567890", "created": 1.0, "ttl": 600,
                "project": "/home/ada/parcel-rates"}
    for name, content in (("memory.json", memory), ("snapshot.json", snapshot)):
        (made.session / name).write_text(json.dumps(content), encoding="utf-8")
    return made


def test_a_save_reads_the_session_anew(home: Home, transcript: Path) -> None:
    for _ in range(2):
        home.save(transcript)
        memory = home.stored("memory.json")
        assert texts_of(memory, "rule") == [RULE]
        assert "kudu" not in json.dumps([memory, home.stored("snapshot.json")])
    assert [path.name for path in home.session.glob("*.odd")] == []
    assert home.log() == []


def test_a_restore_without_a_save_puts_nothing_old_back(home: Home, transcript: Path) -> None:
    text = home.restore(transcript).restored
    assert RULE in text
    assert "zone 7 has no rate" in text
    assert "kudu" not in text
    assert home.log() == []


def test_where_the_transcript_is_gone_nothing_of_it_is_put_back(home: Home, tmp_path: Path) -> None:
    assert "kudu" not in home.restore(tmp_path / "none.jsonl").stdout


def test_what_is_shown_by_hand_is_read_anew_too(home: Home, transcript: Path) -> None:
    before = home.files()
    done = home.run("save_snapshot.py", b"", "--dry-run", str(transcript))
    assert (done.code, texts_of(json.loads(done.stdout), "rule")) == (0, [RULE])
    assert "kudu" not in done.stdout
    assert home.files() == before


def test_a_fork_of_such_a_session_inherits_nothing_old(home: Home, transcript: Path) -> None:
    fork = transcript.with_name("b-fork.jsonl")
    fork.write_bytes(transcript.read_bytes().replace(SESSION_ID.encode(), b"b-fork"))
    home.run("save_snapshot.py", hook_input("PreCompact", fork) | {"session_id": "b-fork"})
    memory = json.loads((home.path / "sessions" / "b-fork" / "memory.json").read_bytes())
    assert texts_of(memory, "rule") == [RULE]
    assert "kudu" not in json.dumps(memory)
