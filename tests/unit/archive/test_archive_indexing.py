"""Transcripts on their way into the archive: how reading goes on, what stays out, what a run takes."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from archived import FOREVER, day, many, prompts
from compact_keeper.archive import indexing
from compact_keeper.archive.commands import run_recall
from compact_keeper.archive.indexing import take_in
from compact_keeper.archive.kinds import KINDS
from compact_keeper.archive.local_archive import Archive
from compact_keeper.archive.turns import turns_of
from hostile import AFTER, BEFORE, typed
from secrets_table import NAMED_BODIES, NAMED_CARRIERS, TOKENS, URL_BODIES, URLS, blocks
from sessions import REJECTION_WORDS, START, Home, JsonObject, Session, stamp

ORDER = "Never deploy the zebra on a Friday."


def set_to(home: Home, **chosen: Any) -> None:
    (home.path / "config.json").write_text(json.dumps({**FOREVER, **chosen}), encoding="utf-8")


def took_in(archive: Archive, *paths: Path) -> list[JsonObject]:
    """The archive's rows after these transcripts were taken in."""
    for path in paths:
        take_in(archive, str(path), lambda _read, _new: None, float("inf"))
    return archive.rows("1")


# --- how reading goes on ---


ACTS: dict[str, Callable[[Session], object]] = {
    "typed": lambda s: s.typed(f"Prompt {s.number()} é 你好 🚚"), "says": lambda s: s.says(f"Answer {s.number()} ünï"),
    "long": lambda s: s.says(f"Long {s.number()} " + "data " * 1_500), "ran": lambda s: s.ran("Bash", command="make"),
    "failed": lambda s: s.failed("Bash", "Exit code 1\nerror: ü", command="make"),
    "queued": lambda s: s.queued("Also."),
    "enqueued": lambda s: s.queued(f"Waiting {s.number()}", None), "compacted": lambda s: s.compacted(),
    "left": lambda s: s.add({"type": "queue-operation", "operation": "remove", "timestamp": stamp(s.number())}),
    "rejected": lambda s: s.rejected("Bash", "no, this", command="rm"),
    "imitated": lambda s: s.failed("mcp__db__query", REJECTION_WORDS + "Drop it.", sql="x"),
    "again": lambda s: s.records.extend(s.records[:2]), "thinks": lambda s: s.assistant({"type": "thinking"}),
    "answered": lambda s: s.answered(s.posed("Which?"), "Which?", "Both"), "moved": lambda s: s.typed("Go.").update(
        cwd="/elsewhere", gitBranch=f"b{s.number()}")}


@settings(max_examples=40)
@given(st.lists(st.sampled_from(sorted(ACTS)), min_size=1, max_size=30), st.lists(st.floats(0, 1), max_size=4))
@example(["typed", "enqueued", "long", "long", "says", "left"], [0.97])
@example(["typed", "enqueued", "rejected", "says", "left", "says"], [0.75])
def test_reading_on_gives_the_rows_of_one_reading(acts: list[str], cuts: list[float]) -> None:
    session = Session()
    for act in ("typed", "says", "says", *acts):
        ACTS[act](session)
    content = session.as_bytes()
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        Path(folder, "config.json").write_text(json.dumps(FOREVER), encoding="utf-8")
        patch.setenv("COMPACT_KEEPER_HOME", folder)
        archive, path, ids = Archive(), Path(folder, "a.jsonl"), dict[int, int]()
        for cut in [*sorted(cuts), 1.0]:
            path.open("ab").close()
            with path.open("r+b") as file:  # the same file grows
                file.write(content[:round(cut * len(content))])
            for row in took_in(archive, path):
                assert ids.setdefault(row["start"], row["id"]) == row["id"]
        bit_by_bit = archive.rows("1")
        archive.db.close()
        Path(folder, "b.jsonl").write_bytes(content)
        at_once = [turn for turn, _ in turns_of(str(Path(folder, "b.jsonl")), 0, len(content), {})]
    names = ("start", "turn", "session", "project", "branch", "cycle", "who", "steps", *KINDS)
    rows = [[row[name] for name in names] for row in sorted(bit_by_bit, key=lambda row: int(row["start"]))]
    assert rows == [[row[name] for name in names] for row in at_once]


@pytest.mark.parametrize("cut", [1, 40, -30, -2, -1])
def test_a_torn_last_line_is_taken_in_when_it_is_whole(archive: Archive, tmp_path: Path, cut: int) -> None:
    path, last = tmp_path / "a.jsonl", typed(f"{AFTER} 你好", 1)
    path.write_bytes(typed(BEFORE, 0) + last[:cut])
    assert prompts(took_in(archive, path))[:1] == [BEFORE]
    with path.open("r+b") as file:
        file.write(typed(BEFORE, 0) + last)
    assert prompts(took_in(archive, path)) == [BEFORE, f"{AFTER} 你好"]


def test_a_transcript_with_two_names_is_one(archive: Archive, tmp_path: Path) -> None:
    session, path = Session(), tmp_path / "a.jsonl"
    session.typed("First.")
    session.write(path)
    (tmp_path / "link.jsonl").symlink_to(path)
    indexing.index_transcripts(archive, [os.path.relpath(path)], is_quiet=False)
    session.says("Done.")
    session.write(path)
    indexing.index_transcripts(archive, [str(tmp_path / "link.jsonl"), str(path)], is_quiet=False)
    assert [(row["prompt"], row["answer"]) for row in archive.rows("1")] == [("First.", "Done.")]


def test_another_file_in_its_place_is_read_from_its_beginning(archive: Archive, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(typed(BEFORE, 0) + typed("Longer than what follows.", 1))
    took_in(archive, path)
    (tmp_path / "b.jsonl").write_bytes(typed(AFTER, 2))
    (tmp_path / "b.jsonl").replace(path)
    assert AFTER in prompts(took_in(archive, path))
    path.write_bytes(b"")  # the same file, cut off
    path.write_bytes(typed("Anew.", 3)[:-1])
    assert "Anew." in prompts(took_in(archive, path))


def test_rows_that_a_second_compaction_writes_again_count_once(archive: Archive, tmp_path: Path) -> None:
    session, path = day(), tmp_path / "a.jsonl"
    session.compacted()
    session.typed("Second.")
    session.says("Done.")
    before = [row["hash"] for row in took_in(archive, session.write(path))]
    session.records += session.records[2:6]
    assert [row["hash"] for row in took_in(archive, session.write(path))] == before
    session.typed("Third.")
    assert [row["hash"] for row in took_in(archive, session.write(path))][:-1] == before


# --- secrets ---


def with_secrets() -> Iterator[tuple[str, str]]:
    """A text with a secret, and the secret."""
    yield from ((f"take {token} now", token) for token in TOKENS.values())
    yield from ((block, block.replace("\\n", "\n").splitlines()[2]) for _, block in blocks())
    yield from ((carrier.format(NAMED_BODIES["hex"]), NAMED_BODIES["hex"]) for carrier in NAMED_CARRIERS.values())
    yield from ((url.format(URL_BODIES["words"]), URL_BODIES["words"]) for url in URLS.values())


def test_no_secret_reaches_the_disk(archive: Archive, home: Home, tmp_path: Path) -> None:
    session = Session()
    for text, _ in with_secrets():
        session.typed(text)
        session.says(f"I use {text}")
        session.ran("Bash", f"line\n{text}", command=f"deploy {text}")
        session.failed("Bash", f"Exit code 1\nerror: {text}", command="x")
        session.ran("Grep", pattern=text, path=text)
        session.ran("mcp__db__query", [{"type": "text", "text": text}], query=text)
        session.answered(session.posed(text), text, text)
        session.rejected("Bash", text, command=text)
        session.queued(text, None)
        session.typed("Next.").update(cwd=f"/{text}", gitBranch=text)
        session.compacted(text)
    took_in(archive, session.write(tmp_path / "a.jsonl"))
    raw = b"".join(path.read_bytes() for path in home.path.iterdir())
    assert [secret for _, secret in with_secrets() if secret.encode() in raw] == []
    assert raw.count(b"[redacted: ") > 200


def test_each_session_names_its_secrets_anew(archive: Archive, tmp_path: Path) -> None:
    """Two sessions that share a line, as a fork and its parent do: the second is read as if it were the first."""
    value = "a1b2c3d4e5f6g7h8i9j0"
    for name in ("first", "second"):
        session = Session()
        session.typed("Round the rates.")
        session.ran("Task", "done", description=f"password={value} opens it", prompt="Look.")
        session.says(f"The {name} printed {value}.")
        took_in(archive, session.write(tmp_path / f"{name}.jsonl"))
    assert [row["answer"] for row in archive.rows("1")] == [
        "The first printed [redacted]**********.", "The second printed [redacted]**********."]


# --- settings ---


def project_of(tmp_path: Path, content: str, name: str = "project") -> Session:
    """A session in a project with these settings."""
    project, session = tmp_path / name, Session()
    (project / ".claude").mkdir(parents=True)
    (project / ".claude" / "compact-keeper.json").write_text(content, encoding="utf-8")
    session.typed(ORDER)["cwd"] = str(project)
    return session


@pytest.mark.parametrize("of_project", ['{"archive": true}', '{"archive": 0}', "{}", "[]", "broken",
                                        '{"archive_days": 1}', '{"archive_mb": 1}'])
@pytest.mark.parametrize("own", [True, False])
def test_a_project_switches_nothing_on_and_days_are_not_its_own(archive: Archive, home: Home, tmp_path: Path,
                                                                own: bool, of_project: str) -> None:
    set_to(home, archive=own)
    path = project_of(tmp_path, of_project).write(tmp_path / "a.jsonl")
    assert prompts(took_in(archive, path)) == [ORDER] * own


def test_a_project_that_is_kept_out_leaves_no_word(archive: Archive, home: Home, tmp_path: Path) -> None:
    session = project_of(tmp_path, '{"archive": false}')
    session.queued(ORDER, None)
    session.says(ORDER)
    assert took_in(archive, session.write(tmp_path / "a.jsonl")) == []
    assert b"zebra" not in b"".join(path.read_bytes() for path in home.path.iterdir())


@pytest.mark.parametrize("name", ["two  spaces", "a" * 250, "ends ", " tab\t"])
def test_a_project_of_any_name_is_kept_out(archive: Archive, tmp_path: Path, name: str) -> None:
    path = project_of(tmp_path, '{"archive": false}', name).write(tmp_path / "a.jsonl")
    assert took_in(archive, path) == []


def test_turns_too_old_are_not_taken_in(archive: Archive, home: Home, tmp_path: Path,
                                        monkeypatch: pytest.MonkeyPatch) -> None:
    set_to(home, archive_days=2)
    session = Session()
    session.typed("Old.")
    session.first = 3 * 86_400
    session.typed("New.")
    monkeypatch.setattr(time, "time", lambda: START + 4 * 86_400)
    assert prompts(took_in(archive, session.write(tmp_path / "a.jsonl"))) == ["New."]


def test_a_folder_below_one_that_stays_out(archive: Archive, home: Home, tmp_path: Path) -> None:
    """The session goes down into a folder; the file lies in the one above. Nothing of it is kept, no name either."""
    outside = tmp_path / "secret-project"
    (outside / ".claude").mkdir(parents=True)
    (outside / ".claude" / "compact-keeper.json").write_text('{"archive": false}', encoding="utf-8")
    session = Session()
    session.typed("Never tell anybody.")
    session.says("Understood.")
    for record in session.records:
        record["cwd"] = str(outside / "src" / "deep")
    path = session.write(tmp_path / "transcript.jsonl")
    for _ in range(2):
        assert took_in(archive, path) == []
        session.typed("And this neither.")
        session.records[-1]["cwd"] = str(outside)
        session.write(path)
    raw = b"".join(file.read_bytes() for file in home.path.glob("archive.db*"))
    assert b"secret-project" not in raw
    assert b"Never tell" not in raw


# --- the run ---


@pytest.mark.parametrize("is_quiet", [False, True], ids=["by hand", "beside a session"])
def test_a_file_that_vanishes_on_the_way(archive: Archive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                         capsys: pytest.CaptureFixture[str], is_quiet: bool) -> None:
    paths = [tmp_path / f"{name}.jsonl" for name in "abc"]
    for number, path in enumerate(paths):
        path.write_bytes(typed(f"Number {number}.", number))

    def taking(archive: Archive, path: str, *more: Any) -> None:
        paths[1].unlink(missing_ok=True)
        take_in(archive, path, *more)

    monkeypatch.setattr(indexing, "take_in", taking)
    logged: list[str] = []
    monkeypatch.setattr(indexing, "log", logged.append)
    monkeypatch.setattr(os, "nice", lambda _: 0)
    monkeypatch.setattr(os, "setsid", lambda: None)
    indexing.index_transcripts(archive, list(map(str, paths)), is_quiet)
    assert prompts(archive.rows("1")) == ["Number 0.", "Number 2."]
    assert (f"{paths[1]} is left out" in capsys.readouterr().err) is not is_quiet
    assert logged == []  # nobody can do anything about it


@pytest.mark.parametrize("when", ["before it begins", "before a file", "while one is stored", "with a file unread"])
def test_a_run_beside_a_session_makes_no_removed_data_folder_anew(
        home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, when: str) -> None:
    """It stood there again behind "What was remembered is removed", with a line in its log that a file is left out."""
    paths = [*map(str, many(tmp_path / "projects", 2, 3))]

    def taking(archive: Archive, path: str, *more: Any) -> None:
        shutil.rmtree(home.path, ignore_errors=True)
        if when == "with a file unread":
            raise PermissionError(path)
        if when == "while one is stored":
            raise sqlite3.OperationalError("disk I/O error")
        take_in(archive, path, *more)

    if when == "before it begins":
        shutil.rmtree(home.path)
    monkeypatch.setattr(indexing, "take_in", taking)
    monkeypatch.setattr(os, "nice", lambda _: 0)
    monkeypatch.setattr(os, "setsid", lambda: None)
    assert run_recall(["index", "--quiet", *paths], "") == 0
    assert not home.path.exists()


def test_a_run_beside_a_session_ends_in_time(archive: Archive, tmp_path: Path,
                                             monkeypatch: pytest.MonkeyPatch) -> None:
    paths, now = many(tmp_path / "projects", 5, 3), [float(START)]

    def slow(archive: Archive, path: str, *more: Any) -> None:
        take_in(archive, path, *more)
        now[0] += 25

    monkeypatch.setattr(indexing, "take_in", slow)
    monkeypatch.setattr(os, "nice", lambda _: 0)
    monkeypatch.setattr(os, "setsid", lambda: None)
    monkeypatch.setattr(time, "time", lambda: now[0])
    indexing.index_transcripts(archive, list(map(str, paths)), is_quiet=True)
    assert len(archive.rows("1")) == 9
    indexing.index_transcripts(archive, list(map(str, paths)), is_quiet=False)
    assert len(archive.rows("1")) == 15


def test_a_long_transcript_is_left_in_time_and_gone_on_with(archive: Archive, tmp_path: Path) -> None:
    [path] = many(tmp_path / "projects", 1, 3 * indexing.TURNS_PER_BATCH)
    take_in(archive, str(path), lambda _read, _new: None, time.time() - 1)
    assert len(archive.rows("1")) == indexing.TURNS_PER_BATCH
    assert len(took_in(archive, path)) == 3 * indexing.TURNS_PER_BATCH


def test_files_with_turns_that_are_too_old_are_counted(
        archive: Archive, home: Home, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (home.path / "config.json").write_text("{}", encoding="utf-8")
    old, new = Session(-400 * 86_400), Session(int(time.time()) - START - 60)
    old.typed("Long ago.")
    new.typed("Just now.")
    paths = [str(session.write(tmp_path / f"{name}.jsonl")) for name, session in (("old", old), ("new", new))]
    indexing.index_transcripts(archive, paths, is_quiet=False)
    assert [row["prompt"] for row in archive.rows("1")] == ["Just now."]
    for _ in range(2):  # the second run reads nothing new
        assert ("1 file with turns older than 180 days (archive_days), which are passed over. To take them in, set "
                f"archive_days to more in {home.path}/config.json and run this again") in capsys.readouterr().err
        indexing.index_transcripts(archive, paths, is_quiet=False)


def indexed(archive: Archive, path: Path, is_quiet: bool = False) -> list[str]:
    """The prompts in the archive when the transcript was indexed."""
    indexing.take_in_all(archive, [str(path)], is_quiet, float("inf"))
    return prompts(archive.rows("1"))


@pytest.fixture
def ages(tmp_path: Path) -> tuple[Session, Path]:
    """A session that went on for years, with a turn 700, 400, 100 and 0 days ago."""
    session = Session()
    for days in (700, 400, 100, 0):
        session.first = int(time.time()) - START - days * 86_400 - len(session.records) - 60
        session.typed(f"Said {days} days ago.")
    return session, session.write(tmp_path / "ages.jsonl")


def test_what_was_passed_over_comes_in_when_more_days_are_kept(
        archive: Archive, home: Home, ages: tuple[Session, Path]) -> None:
    session, path = ages
    set_to(home, archive_days=180)
    assert indexed(archive, path) == ["Said 100 days ago.", "Said 0 days ago."]
    set_to(home, archive_days=500)
    assert len(indexed(archive, path, is_quiet=True)) == 2, "beside a session nothing is read twice"
    assert indexed(archive, path) == ["Said 400 days ago.", "Said 100 days ago.", "Said 0 days ago."]
    session.typed("Go on.")
    session.write(path)
    assert len(indexed(archive, path, is_quiet=True)) == 4
    set_to(home)
    assert [words for words in indexed(archive, path) if "700" in words]
    assert len(indexed(archive, path)) == 5


@pytest.mark.parametrize("days", [180, 36_500])  # the most lead to before 1970
def test_by_hand_a_transcript_that_has_not_changed_is_not_read(
        archive: Archive, home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, days: int) -> None:
    set_to(home, archive_days=days)
    session = Session()
    session.typed("Round up.")
    path = session.write(tmp_path / "a.jsonl")
    take_in(archive, str(path), lambda _read, _new: None, float("inf"), is_by_hand=True)
    monkeypatch.setattr(indexing, "turns_of", lambda *_args: pytest.fail("it is read"))
    take_in(archive, str(path), lambda _read, _new: None, float("inf"), is_by_hand=True)


def test_what_was_forgotten_stays_away_when_more_days_are_kept(
        archive: Archive, home: Home, ages: tuple[Session, Path]) -> None:
    set_to(home, archive_days=180)
    indexed(archive, ages[1])
    archive.forget({"match": "Said 100 days"})
    set_to(home)
    assert indexed(archive, ages[1]) == ["Said 700 days ago.", "Said 400 days ago.", "Said 0 days ago."]


def test_what_an_earlier_version_passed_over_comes_in_too(
        archive: Archive, home: Home, ages: tuple[Session, Path]) -> None:
    """It noted nothing of it; of what it may have stored nothing is asked for again."""
    set_to(home, archive_days=180)
    indexed(archive, ages[1])
    [source] = [json.loads(row[0]) for row in archive.db.execute("SELECT told FROM sources")]
    source.pop("passed")
    archive.db.execute("UPDATE sources SET told = ?", (json.dumps(source),))
    ages[0].typed("Go on.")
    ages[0].write(ages[1])
    assert len(indexed(archive, ages[1], is_quiet=True)) == 3
    set_to(home)
    assert len(indexed(archive, ages[1])) == 5
