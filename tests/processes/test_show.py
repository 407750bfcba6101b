"""save_snapshot.py --dry-run | restore_snapshot.py --show: what would come back now, and nothing on disk changes."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from compact_keeper.recap.parts import KEPT_SHORT
from compact_keeper.store.compaction import NONCE_CHARACTERS
from deliveries import ORDER, RULES, typed
from hostile import AFTER, BEFORE, LINES, PLACES, between
from sessions import CWD, SESSION_ID, Home, Run, Session, lines_of


class Person(Home):
    """Someone who runs the scripts by hand, the client's folder beside the data folder."""

    def dry_run(self, *arguments: object, **extra: str) -> Run:
        variables = {"CLAUDE_CONFIG_DIR": str(self.path.parent / "claude"), **extra}
        return self.run("save_snapshot.py", b"", "--dry-run", *map(str, arguments), extra=variables)

    def show(self, *arguments: object, **extra: str) -> Run:
        """What would come back of the transcript that is named first."""
        snapshot = self.dry_run(*arguments[:1], **extra)
        assert (snapshot.code, snapshot.stderr) == (0, "")
        return self.run("restore_snapshot.py", snapshot.stdout.encode(), "--show", *map(str, arguments[1:]),
                        extra=extra)

    def restored(self, transcript: Path) -> str:
        """What a save and a restore put back, without the compaction's number."""
        self.save(transcript)
        text = self.restore(transcript).restored
        return text.replace(f" (block {self.stored('snapshot.json')['id'][-NONCE_CHARACTERS:]})", "", 1)


@pytest.fixture
def person(tmp_path: Path) -> Person:
    return Person(tmp_path / "home")


@pytest.fixture
def transcript(tmp_path: Path) -> Path:
    """A session's transcript, named as the client names it."""
    session = Session()
    session.typed(f"Fix the rates. {ORDER}")
    session.ran("Edit", file_path=f"{CWD}/rates.py")
    session.failed("Bash", "Exit code 2\nE   assert 2 == 3", command="make test")
    session.ran("Bash", command="ls -la")
    return session.write(tmp_path / f"{SESSION_ID}.jsonl")


def everything(folder: Path) -> dict[str, tuple[int, int, bytes]]:
    """What lies below the folder, with times and bytes."""
    return {str(path): (path.lstat().st_mtime_ns, path.lstat().st_mode, path.read_bytes() if path.is_file() else b"")
            for path in [folder, *folder.rglob("*")]}


def fails_clearly(done: Run, *words: object) -> None:
    """One line that names what is missing."""
    assert done.code == 1
    [line] = (done.stdout + done.stderr).splitlines()
    assert line.startswith("compact-keeper: ")
    assert all(str(word) in line for word in words)


# --- hostile input ---


@pytest.mark.rows(1)
@pytest.mark.parametrize("name", LINES)
def test_a_hostile_line_costs_nothing_else(person: Person, tmp_path: Path, name: str) -> None:
    path = tmp_path / "transcript.jsonl"
    path.write_bytes(between(LINES[name]()))
    why, done = person.show(path, "--why"), person.show(path)
    assert (why.code, why.stderr, done.code, done.stderr) == (0, "", 0, "")
    assert BEFORE in done.stdout
    assert AFTER in done.stdout


@pytest.mark.parametrize("place", [place for place in PLACES if place not in ("empty", "unreadable")])
def test_a_transcript_that_is_none(person: Person, tmp_path: Path, place: str) -> None:
    path = tmp_path / "transcript.jsonl"
    PLACES[place][0](path)
    fails_clearly(person.dry_run(path), path)


def test_an_empty_transcript(person: Person, tmp_path: Path) -> None:
    (tmp_path / "transcript.jsonl").touch()
    done = person.show(tmp_path / "transcript.jsonl", "--why")
    assert (done.code, done.stderr) == (0, "")
    assert "nothing to put back" in done.stdout


def test_no_transcript_at_all(person: Person) -> None:
    projects = person.path.parent / "claude" / "projects"
    fails_clearly(person.dry_run(), projects, "--dry-run TRANSCRIPT")
    (projects / "-home-ada").mkdir(parents=True)
    (projects / "-home-ada" / "notes.txt").touch()
    fails_clearly(person.dry_run(), projects, "--dry-run TRANSCRIPT")


def test_a_memory_of_another_version_is_named(person: Person, transcript: Path) -> None:
    person.session.mkdir(parents=True)
    (person.session / "memory.json").write_text('{"schema": 2}', encoding="utf-8")
    fails_clearly(person.dry_run(transcript), "memory.json", "schema")


@pytest.mark.parametrize("given", [
    b"", b"{", b"[]", b"null", b"\xff\xfe", b"[" * 100_000, b"{}", b'{"items": 7}', b'{"items": []}',
    b'{"items": [7], "session": "x"}', b'{"items": [], "session": "../..", "state": 7, "used": {}}'],
    ids=lambda given: repr(given)[:40])
def test_what_is_no_snapshot_is_refused(person: Person, given: bytes) -> None:
    fails_clearly(person.run("restore_snapshot.py", given, "--show"), "snapshot")
    assert not person.path.exists()


# --- what it shows ---


def test_it_shows_what_a_save_and_restore_would_put_back(person: Person, transcript: Path) -> None:
    person.session.mkdir(parents=True)
    (person.session / "pins.jsonl").write_text('{"schema": 1, "text": "Port 3334.", "time": ""}\n', encoding="utf-8")
    shown = person.show(transcript).stdout
    assert '- "Port 3334."' in shown
    assert shown.strip() == person.restored(transcript)


def test_the_sessions_own_folder_decides_from_wherever_it_is_started(person: Person, transcript: Path) -> None:
    person.save(transcript)
    project = person.stored("snapshot.json")["project"]
    pin = {"schema": 1, "id": "1", "text": "Port 3334.", "time": "", "project": project}
    (person.path / "pins.jsonl").write_text(json.dumps(pin) + "\n", encoding="utf-8")
    elsewhere = transcript.parent / "elsewhere"
    elsewhere.mkdir()
    assert "Port 3334." in person.show(transcript, CLAUDE_PROJECT_DIR=str(elsewhere)).stdout


def test_it_shows_what_is_true_on_disk_as_a_restore_does(person: Person, tmp_path: Path) -> None:
    project, session = tmp_path / "project", Session()
    paths = [project / name for name in ("changed.py", "gone.py", "same.py")]
    (project / ".git").mkdir(parents=True)
    (project / ".git" / "HEAD").write_text("ref: refs/heads/now-here\n", encoding="utf-8")
    session.typed(f"Fix the rates. {ORDER}")
    for path in paths:
        path.touch()
        session.ran("Edit", file_path=str(path))
    session.ran("Bash", command="make test")
    session.records = [{**record, "cwd": str(project)} for record in session.records]
    path = session.write(tmp_path / f"{SESSION_ID}.jsonl")
    person.save(path)
    paths[0].write_text("changed", encoding="utf-8")
    paths[1].unlink()
    number = person.stored("snapshot.json")["id"][-NONCE_CHARACTERS:]
    shown, restored = person.show(path).stdout, person.restore(path).restored
    assert shown.strip() == restored.replace(f" (block {number})", "", 1) != restored
    assert "now-here" in shown


def test_after_three_compactions_in_few_records_it_is_short_too(person: Person, tmp_path: Path) -> None:
    session = Session()
    for number in range(60):
        session.typed(f"Never use the name {number} for a table, a column or a view of the rates.")
    path = session.write(tmp_path / f"{SESSION_ID}.jsonl")
    for _ in range(2):
        assert KEPT_SHORT not in person.restored(path)
    shown = person.show(path).stdout
    restored = person.restored(path)
    assert shown.startswith(restored[:1_000])
    assert KEPT_SHORT in shown
    shown = person.show(path).stdout  # of the next one now
    assert KEPT_SHORT in shown
    why = person.show(path, "--why").stdout
    count = sum(line.startswith('- "Never use the name ') for line in shown.splitlines())
    assert re.search(rf"^ +{count}  Standing rules", why, re.MULTILINE)
    assert "Not put back (no room left in its section):" in why
    assert why.splitlines()[-1] == shown.splitlines()[-1]


@pytest.mark.parametrize("arguments", [[], ["--why"]])
def test_it_changes_nothing_on_disk(person: Person, transcript: Path, arguments: list[str]) -> None:
    before = everything(transcript.parent)
    assert person.show(transcript, *arguments).code == 0  # no data folder yet: none is made
    assert everything(transcript.parent) == before
    typed(person, "Also write the docs.")
    person.save(transcript)
    typed(person, "And the changelog.")
    before = everything(transcript.parent)
    done = person.show(transcript, *arguments)
    assert (done.code, done.stderr) == (0, "")
    assert ("And the changelog." in done.stdout) is (not arguments)
    assert everything(transcript.parent) == before


def test_the_newest_transcript_is_the_default(person: Person) -> None:
    for number, name in enumerate(("old", "newest", "older")):
        session = Session()
        session.typed(f"Never use the {name} name.")
        folder = person.path.parent / "claude" / "projects" / f"-home-ada-{number}"
        folder.mkdir(parents=True)
        path = session.write(folder / f"{name}.jsonl")
        os.utime(path, (0, {"old": 1_000, "newest": 3_000, "older": 2_000}[name]))
    assert lines_of(person.show().stdout, RULES) == ['- "Never use the newest name." (typed just before)']


def test_why_says_how_many_lines_stand_where(person: Person, transcript: Path) -> None:
    without, done = person.show(transcript).stdout, person.show(transcript, "--why").stdout
    head, *rows = done.strip().splitlines()
    assert head == "Put back, lines under each heading:"
    counts = {row.split(maxsplit=1)[1]: int(row.split()[0]) for row in rows if row[:1] == " "}
    assert counts[RULES] == len(lines_of(without, RULES))
    assert all(f"## {section}" in without for section in counts)


@pytest.mark.rows(1)
@pytest.mark.parametrize("locale", ["C", "C.UTF-8", "nowhere"])
def test_any_words_in_any_locale(person: Person, tmp_path: Path, locale: str) -> None:
    session = Session()
    session.typed("Nunca uses ñ 日本語 🚚.")
    done = person.show(session.write(tmp_path / "a.jsonl"), LC_ALL=locale)
    assert (done.code, done.stderr) == (0, "")
    assert "日本語" in done.stdout
