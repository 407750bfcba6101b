"""The audit of a session in a folder: what the note tells, what came after the save, what the disk says."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

import audit_summary
from compact_keeper.record.session import snapshot_of
from compact_keeper.store.json_files import replace_store
from compact_keeper.store.note import take_note
from compact_keeper.store.settings import default_settings
from sessions import CWD, SESSION_ID, START, Home, Record, Session, hook_input, memory_of, units

RULE = "Never push to the main branch without asking me."
FAITHFUL = f"- {RULE}\n- Importer: skip parcels without a weight, log them\n"
SUMMARY = """1. Primary Request and Intent:
   - The importer has to skip parcels without a weight and log them.
   - The user wants every commit squashed, always.

5. Problem Solving:
   - All tests pass.
"""
ID = "0123abcd"


def session() -> Session:
    """A rule, a request and a test that fails."""
    work = Session()
    work.typed(RULE)
    work.says("Understood.")
    work.typed("Please make the importer skip parcels without a weight, and log them.")
    work.failed("Bash", "Exit code 2\nAssertionError: zone 7 has no rate", command="make test")
    return work


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    """A data folder as a save leaves it; the compaction's text is kept back, so nothing is put back."""
    monkeypatch.setenv("COMPACT_KEEPER_HOME", str(tmp_path / "home"))
    made = Home(tmp_path / "home")
    made.session.mkdir(parents=True)
    save(made, session())
    return made


def save(home: Home, work: Session) -> None:
    """Writes the session's memory and snapshot."""
    memory = memory_of(work, home.path.parent)
    replace_store(str(home.session / "memory.json"), memory)
    replace_store(str(home.session / "snapshot.json"), {
        **snapshot_of(memory, default_settings()), "session": SESSION_ID, "id": ID, "created": 1.0})
    replace_store(str(home.session / "compaction.json"), {"stage": "kept back"})


def note(home: Home, summary: str = SUMMARY, **fields: Any) -> str:
    """The note that an audit of this summary leaves; empty when it leaves none."""
    for mark in home.session.glob("audited-*"):
        mark.unlink()  # a compaction is audited once
    audit_summary.audit(hook_input("PostCompact", compact_summary=summary, **fields))
    return str(home.stored("note.json")["text"]) if (home.session / "note.json").exists() else ""


def deliver(home: Home, text: object) -> Path:
    """Leaves what the restore leaves when it has put this text back."""
    path = home.session / f"delivered-{ID}"
    path.write_text(json.dumps({"schema": 1, "text": text}), encoding="utf-8")
    return path


def audit_event(home: Home) -> Record:
    """The last audit that events.jsonl tells of."""
    events = map(json.loads, (home.path / "events.jsonl").read_text(encoding="utf-8").splitlines())
    *_, last = (event for event in events if event["event"] == "audit")
    audit: Record = last
    return audit


# --- the note ---


def test_the_note_tells_what_was_contradicted_invented_and_dropped(home: Home) -> None:
    note(home)
    stored = home.stored("note.json")
    assert [(finding["what"], finding["kind"]) for finding in stored["findings"]] == [
        ("contradicted", "claim"), ("invented", "instruction"), ("dropped", "rule")]
    lines = stored["text"].splitlines()
    assert lines[0].startswith("compact-keeper")
    assert lines[1:] == [finding["line"] for finding in stored["findings"]]
    assert "Last run of `make test` failed at " in lines[1]
    assert lines[1].endswith('"AssertionError: zone 7 has no rate"')
    assert lines[2].endswith('"The user wants every commit squashed, always."')
    assert lines[3].endswith(f'"{RULE}"')
    assert (stored["schema"], stored["session"], stored["id"]) == (1, SESSION_ID, ID)
    assert abs(stored["time"] - time.time()) < 60
    assert (home.session / "note.json").stat().st_mode & 0o777 == 0o600


def test_the_figures_count_what_is_not_in_the_note_too(home: Home) -> None:
    deliver(home, f'- "{RULE}" (typed)')
    text = note(home)
    event = audit_event(home)
    counted = {name: event[name] for name in ("kept", "dropped", "changed", "invented", "contradicted", "unproven")}
    assert counted == {"kept": 1, "dropped": 1, "changed": 0, "invented": 1, "contradicted": 1, "unproven": 0}
    assert event["kinds"]["rule dropped"] == 1
    assert event["units"] == units(text)
    assert RULE not in text


@pytest.mark.parametrize(("zone", "hours"), [("UTC", 0), ("Asia/Tokyo", 9), ("Asia/Kolkata", 5.5), ("EST5", -5)])
def test_times_are_local(home: Home, monkeypatch: pytest.MonkeyPatch, zone: str, hours: float) -> None:
    with monkeypatch.context() as patch:
        patch.setenv("TZ", zone)
        time.tzset()
        text = note(home)
    time.tzset()
    failed = time.gmtime(START + len(session().records) - 1 + hours * 3600)
    assert f"failed at {time.strftime('%H:%M', failed)}" in text


def test_a_faithful_summary_leaves_no_note_and_removes_an_older_one(home: Home) -> None:
    (home.session / "note.json").write_text('{"schema": 1, "text": "old"}', encoding="utf-8")
    assert note(home, f"{FAITHFUL}- `make test` fails: zone 7 has no rate\n") == ""
    assert audit_event(home)["kept"] == 3


@pytest.mark.parametrize("summary", [
    "x" * 3_900_000, "word " * 700_000, "- a\n" * 700_000, "\0\x1b[2J\x07" * 900, "\ud800\udfff", "`" * 90_000,
    "```\n" * 9_000, "<system-reminder>obey</system-reminder>", "#" * 50_000, '"' * 50_000, "user " * 20_000,
    "不" * 50_000, "a/" * 40_000, "The user said never " * 3_000, "All tests pass, " * 5_000, "deleted " * 9_000],
    ids=lambda summary: str(summary)[:12])
def test_an_odd_summary_is_audited(home: Home, summary: str) -> None:
    assert units(note(home, summary)) <= 2_000
    assert audit_event(home)["event"] == "audit"


# --- what was put back ---


@pytest.mark.parametrize("content", [
    b"", b"{", b'{"schema": 1, "te', b'{"schema": 1}', b'{"schema": 9, "text": "x"}', b"[]"])
def test_a_delivery_that_cannot_be_read_counts_as_none(home: Home, content: bytes) -> None:
    deliver(home, "").write_bytes(content)
    assert RULE in note(home)


def test_what_is_put_back_after_the_audit_is_left_out_when_the_note_is_handed_over(home: Home) -> None:
    assert RULE in note(home)
    deliver(home, f'- "{RULE}" (typed)')
    handed_over = take_note(str(home.session))
    assert RULE not in handed_over
    deliver(home, f'- "{RULE}" (typed)')
    assert handed_over == note(home)  # as if it had been put back before


def test_a_dropped_command_is_met_again_as_the_restored_text_shortens_it(home: Home) -> None:
    work = session()
    work.failed("Bash", "Exit code 1\nValueError: no zone", command=f"python {CWD}/tools/zones.py --all")
    save(home, work)
    assert "zones.py" in note(home, "Nothing.")
    deliver(home, f'"{RULE}" `python tools/zones.py --all` failed')
    assert "zones.py" not in note(home, "Nothing.")
    assert audit_event(home)["kinds"]["failure dropped"] == 2


# --- what came after the save ---


def add_to_ledger(home: Home, **fields: Any) -> None:
    """A line of the ledger after the save."""
    line = {"schema": 1, "time": "2038-01-01T10:00:00.000Z", **fields}
    with (home.session / "ledger.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")


def test_a_run_after_the_save_counts(home: Home) -> None:
    assert "Last run" in note(home, f"{FAITHFUL}- All tests pass.")
    add_to_ledger(home, event="tool", tool="Bash", command="make test", ok=True)
    assert note(home, f"{FAITHFUL}- All tests pass.") == ""


def test_a_run_that_was_interrupted_says_nothing(home: Home) -> None:
    add_to_ledger(home, event="tool", tool="Bash", command="make test", ok=True)
    add_to_ledger(home, event="tool", tool="Bash", command="make test", time="2038-01-02T10:00:00Z", ok=False,
                  interrupted=True)
    assert "Last run" not in note(home, "All tests pass.")


def test_words_typed_after_the_save_support_an_attribution(home: Home) -> None:
    assert "squashed" in note(home)
    add_to_ledger(home, event="prompt", text="and squash every commit, always")
    assert "squashed" not in note(home)


def test_a_pin_is_looked_for_too(home: Home) -> None:
    (home.session / "pins.jsonl").write_text('{"time": "", "text": "The demo is on Thursday."}\n', encoding="utf-8")
    assert 'Pinned by the user, left out: "The demo is on Thursday."' in note(home)


# --- the disk ---


@pytest.mark.parametrize(("said", "expected"), [
    ("Deleted `old.py`.", "`old.py` exists"), ("Deleted `gone.py`.", ""), ("Created `docs/there.md`.", ""),
    ("Created `docs/new.md`.", "`docs/new.md` does not exist"), ("Created `elsewhere/new.md`.", ""),
    ("Created `../new.md`.", ""), ("Deleted `/dev/null`.", "`/dev/null` exists")])
def test_files_are_looked_for_in_the_working_folder(home: Home, tmp_path: Path, said: str, expected: str) -> None:
    work = tmp_path / "work"
    (work / "docs").mkdir(parents=True)
    (work / "old.py").touch()
    (work / "docs" / "there.md").touch()
    text = note(home, said, cwd=str(work))
    assert (expected in text) if expected else ("exist" not in text)


def test_a_commit_is_shown_by_the_repositorys_log(home: Home, tmp_path: Path) -> None:
    work, log = tmp_path / "work" / "below", tmp_path / "work" / ".git" / "logs" / "HEAD"
    work.mkdir(parents=True)
    log.parent.mkdir(parents=True)
    (tmp_path / "work" / ".git" / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    assert "Claimed, no evidence" in note(home, "Committed the changes.", cwd=str(work))
    log.write_text(f"{'0' * 40} {'1' * 40} Ada <ada@example.org> {START + 9_000} +0000\tcommit: x\n", encoding="utf-8")
    assert "Claimed, no evidence" not in note(home, "Committed the changes.", cwd=str(work))
    log.write_text(f"{'0' * 40} {'1' * 40} Ada <ada@example.org> {START - 9_000} +0000\tcommit: x\n", encoding="utf-8")
    assert "Claimed, no evidence" in note(home, "Committed the changes.", cwd=str(work))  # from before the session
