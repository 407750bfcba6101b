"""preview_snapshot.py: shows what would be put back, changes nothing on disk, and says clearly what is missing."""

from __future__ import annotations

import os
import shutil
from math import prod
from pathlib import Path

import pytest
from render_snapshot import NONCE

from hostile import AFTER, BEFORE, LINES, PLACES, between
from sessions import CWD, SCRIPTS, SESSION_ID, Home, Run, Session, hook_input, lines_of

ORDER = "Never touch the legacy table."


class Person(Home):
    """Someone who runs the preview by hand, the client's folder beside the data folder."""

    def preview(self, *arguments: object, **extra: str) -> Run:
        variables = {"CLAUDE_CONFIG_DIR": str(self.path.parent / "claude"), **extra}
        return self.run("save_snapshot.py", b"", "--preview", *map(str, arguments), extra=variables)


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
    """One line on stderr that names what is missing."""
    assert (done.code, done.stdout) == (1, "")
    [line] = done.stderr.splitlines()
    assert line.startswith("compact-keeper: ")
    assert all(str(word) in line for word in words)


# --- hostile input ---


@pytest.mark.parametrize("name", LINES)
def test_a_hostile_line_costs_nothing_else(person: Person, tmp_path: Path, name: str) -> None:
    path = tmp_path / "transcript.jsonl"
    path.write_bytes(between(LINES[name]()))
    done = person.preview(path, "--why")
    assert (done.code, done.stderr) == (0, "")
    assert BEFORE in done.stdout
    assert AFTER in done.stdout
    assert done.seconds < 20


@pytest.mark.parametrize("place", [place for place in PLACES if place != "empty"])
def test_a_transcript_that_is_none(person: Person, tmp_path: Path, place: str) -> None:
    path = tmp_path / "transcript.jsonl"
    PLACES[place][0](path)
    fails_clearly(person.preview(path), path)


def test_an_empty_transcript(person: Person, tmp_path: Path) -> None:
    (tmp_path / "transcript.jsonl").touch()
    done = person.preview(tmp_path / "transcript.jsonl", "--why")
    assert (done.code, done.stderr) == (0, "")
    assert "nothing to put back" in done.stdout


def test_no_transcript_at_all(person: Person) -> None:
    fails_clearly(person.preview(), person.path.parent / "claude" / "projects", "--preview TRANSCRIPT")


def test_projects_without_a_transcript(person: Person) -> None:
    (person.path.parent / "claude" / "projects" / "-home-ada").mkdir(parents=True)
    (person.path.parent / "claude" / "projects" / "-home-ada" / "notes.txt").touch()
    fails_clearly(person.preview(), "--preview TRANSCRIPT")


@pytest.mark.parametrize("content", ['{"schema": 2}'])
def test_a_memory_of_another_version_is_named(person: Person, transcript: Path, content: str) -> None:
    person.session.mkdir(parents=True)
    (person.session / "memory.json").write_text(content, encoding="utf-8")
    fails_clearly(person.preview(transcript), "memory.json", "schema")


def test_copied_alone_it_says_what_is_missing(person: Person, transcript: Path, tmp_path: Path) -> None:
    shutil.copy(SCRIPTS / "save_snapshot.py", tmp_path)
    done = person.run(str(tmp_path / "save_snapshot.py"), b"", "--preview", str(transcript))
    fails_clearly(done, "preview_snapshot.py", "beside this file")


def test_wrong_usage(person: Person) -> None:
    done = person.preview("--unheard-of")
    assert (done.code, done.stdout) == (2, "")
    assert "usage:" in done.stderr


# --- what it shows ---


def test_it_shows_what_a_save_and_restore_would_put_back(person: Person, transcript: Path) -> None:
    shown = person.preview(transcript).stdout
    person.save(transcript)
    restored = person.restore(transcript).restored
    number = person.stored("snapshot.json")["id"][-NONCE:]
    assert shown.strip() == restored.replace(f" (block {number})", "", 1) != restored


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
    (person.session / "pins.jsonl").parent.mkdir(parents=True)
    (person.session / "pins.jsonl").write_text('{"schema": 1, "text": "Port 3334.", "time": ""}\n', encoding="utf-8")
    person.save(path)
    paths[0].write_text("changed", encoding="utf-8")
    paths[1].unlink()
    shown, restored = person.preview(path).stdout, person.restore(path).restored
    number = person.stored("snapshot.json")["id"][-NONCE:]
    assert shown.strip() == restored.replace(f" (block {number})", "", 1)
    for words in ("branch now-here", "1 as when saved", "1 changed on disk since the save", "(gone from disk now)",
                  "before, stale"):
        assert words in shown


def test_after_three_compactions_in_few_records_it_is_short_too(person: Person, tmp_path: Path) -> None:
    session = Session()
    for number in range(60):
        session.typed(f"Never use the name {number} for a table, a column or a view of the rates.")
    path = session.write(tmp_path / f"{SESSION_ID}.jsonl")
    for _ in range(3):
        shown = person.preview(path).stdout
        person.save(path)
        restored = person.restore(path).restored
        number = person.stored("snapshot.json")["id"][-NONCE:]
        assert shown.startswith(restored.replace(f" (block {number})", "", 1)[:1_000])
        assert ("third compaction" in shown) == ("third compaction" in restored)
    assert "third compaction" in shown


@pytest.mark.parametrize("arguments", [[], ["--why"]])
def test_it_changes_nothing_on_disk(person: Person, transcript: Path, arguments: list[str]) -> None:
    person.record(hook_input("UserPromptSubmit", prompt="Also write the docs."))
    person.save(transcript)
    person.record(hook_input("UserPromptSubmit", prompt="And the changelog."))
    before = everything(transcript.parent)
    done = person.preview(transcript, *arguments)
    assert (done.code, done.stderr) == (0, "")
    assert "And the changelog." in done.stdout
    assert everything(transcript.parent) == before


def test_it_makes_no_data_folder(person: Person, transcript: Path) -> None:
    before = everything(transcript.parent)
    assert person.preview(transcript).code == 0
    assert everything(transcript.parent) == before


def test_the_newest_transcript_is_the_default(person: Person) -> None:
    for number, name in enumerate(("old", "newest", "older")):
        session = Session()
        session.typed(f"Never use the {name} name.")
        folder = person.path.parent / "claude" / "projects" / f"-home-ada-{number}"
        folder.mkdir(parents=True)
        path = session.write(folder / f"{name}.jsonl")
        os.utime(path, (0, {"old": 1_000, "newest": 3_000, "older": 2_000}[name]))
    done = person.preview()
    assert lines_of(done.stdout, "The user's rules, in their own words") == [
        '- "Never use the newest name." (typed just before)']


def test_pins_are_shown(person: Person, transcript: Path) -> None:
    person.session.mkdir(parents=True)
    (person.session / "pins.jsonl").write_text('{"schema": 1, "text": "Port 3334.", "time": ""}\n', encoding="utf-8")
    assert '- "Port 3334." (pinned earlier)' in person.preview(transcript).stdout


def test_why_prints_the_terms_of_every_item(person: Person, transcript: Path) -> None:
    without, done = person.preview(transcript).stdout, person.preview(transcript, "--why").stdout
    assert done.startswith(without)
    head, *rows = done[len(without):].strip().splitlines()
    assert head.split()[0] == "score"
    [rule] = [row for row in rows if "rule: " in row]
    assert "put back" in rule
    assert ORDER in rule
    for term in ("recency²", "weight 3.00", "marker 1.00", "use 1.00", "age 1.00"):
        assert term in rule
    [looking] = [row for row in rows if "ls -la" in row]
    assert "use 0.30" in looking
    for row in rows:
        terms = [float(term.split()[-1]) for term in row.rpartition(" = ")[2].split(" × ")]
        assert abs(prod(terms) - float(row.split()[0])) < 0.02, row
    scores = [float(row.split()[0]) for row in rows]
    assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize("locale", ["C", "C.UTF-8", "nowhere"])
def test_any_words_in_any_locale(person: Person, tmp_path: Path, locale: str) -> None:
    session = Session()
    session.typed("Nunca uses ñ 日本語 🚚.")
    done = person.preview(session.write(tmp_path / "a.jsonl"), LC_ALL=locale)
    assert (done.code, done.stderr) == (0, "")
    assert "日本語" in done.stdout
