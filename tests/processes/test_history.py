"""history.jsonl: a line for each block that was put back, one for each audited summary."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from hostile import PLACES
from secrets_table import TOKENS
from sessions import CWD, SESSION_ID, Home, JsonObject, Session, hook_input, units

ORDER = "Never touch the legacy table."


def compacted(home: Home, session: Session, folder: Path, summary: str) -> str:
    """A whole compaction; returns what was put back."""
    path = session.write(folder / f"{SESSION_ID}.jsonl")
    home.save(path)
    text = home.restore(path).restored
    home.run("audit_summary.py", hook_input("PostCompact", path, compact_summary=summary))
    session.compacted(summary)
    return text


def history(home: Home) -> list[JsonObject]:
    return [json.loads(line) for line in (home.session / "history.jsonl").read_bytes().splitlines()]


def worked() -> Session:
    session = Session()
    session.typed(f"Fix the rates. {ORDER}")
    session.ran("Edit", file_path=f"{CWD}/rates.py")
    session.failed("Bash", "Exit code 2\nE   assert 2 == 3", command="make test")
    return session


@pytest.mark.rows(1)
@pytest.mark.parametrize("place", [
    name for name in PLACES if name != "empty" and not (name == "unreadable" and os.geteuid() == 0)])
def test_a_file_that_is_none_costs_no_compaction(home: Home, tmp_path: Path, place: str) -> None:
    home.session.mkdir(parents=True)
    PLACES[place][0](home.session / "history.jsonl")
    assert ORDER in compacted(home, worked(), tmp_path, "The user works on rates.")
    assert home.stored("compaction.json")["stage"] == "delivered"
    assert b'"event": "audit"' in (home.path / "events.jsonl").read_bytes()


def test_each_compaction_is_told_with_what_it_carried_and_left_out(home: Home, tmp_path: Path) -> None:
    session = worked()
    texts = []
    for number in range(3):
        session.typed(f"Now rename table {number}.")
        texts.append(compacted(home, session, tmp_path, "The user works on rates."))
    lines = history(home)
    assert [line["event"] for line in lines] == ["restore", "audit"] * 3
    assert [line["id"] for line in lines[::2]] == [line["id"] for line in lines[1::2]]
    for text, restored in zip(texts, lines[::2]):
        assert restored["units"] == units(text)
        assert all(line["line"] in text and f"## {line['section']}" in text for line in restored["lines"])
        assert {"rule", "message", "action"} <= {line["kind"] for line in restored["lines"]}
    assert ("left out", ORDER) in {(finding["what"], finding["record"]) for finding in lines[1]["found"]}


def test_the_event_counts_what_was_put_back(home: Home, tmp_path: Path) -> None:
    compacted(home, worked(), tmp_path, "The user works on rates.")
    [event] = [event for event in map(json.loads, (home.path / "events.jsonl").read_bytes().splitlines())
               if event["event"] == "restore"]
    assert event["shown"] == {"rule": 1, "message": 1, "failing test": 1, "action": 1}
    assert history(home)[0]["things"] == sum(event["shown"].values())


def test_no_secret_of_a_summary_is_kept(home: Home, tmp_path: Path) -> None:
    secret = TOKENS["github-personal"]
    compacted(home, worked(), tmp_path, f'The user said: "Always use the token {secret} for pushes." All tests pass.')
    assert any(line["found"] for line in history(home) if line["event"] == "audit")
    assert all(secret.encode() not in content for content in home.files().values())
