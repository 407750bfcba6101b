"""archive.db: what is stored once, forgotten, grows too old or too large, and what else may be in its place."""

from __future__ import annotations

import os
import random
import stat
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from archived import prompts_found, search, store, stored_prompts, turn
from compact_keeper.archive import database
from compact_keeper.archive.commands import run_recall
from compact_keeper.archive.index_words import indexed, stem
from compact_keeper.archive.local_archive import Archive
from compact_keeper.archive.question import slips
from compact_keeper.store.refusal import Refusal
from sessions import START, Home, JsonObject

ALWAYS = 36_500  # days
HUGE = 1 << 20  # megabytes


def raw(home: Home) -> bytes:
    return b"".join(path.read_bytes() for path in home.path.iterdir())


# --- the same once, a turn that grows ---


def test_the_same_turn_is_stored_once(archive: Archive) -> None:
    first = turn(0, "round the rates")
    assert [store(archive, first), store(archive, first)] == [1, 0]
    assert store(archive, {**first, "session": "fork"}, source="fork") == 0
    assert store(archive, turn(1, "round the rates")) == 1  # typed again
    assert len(prompts_found(archive, "rates")) == 2


def test_a_turn_that_grows_keeps_its_id(archive: Archive) -> None:
    stored_prompts(archive, "first", "second zebra")
    [before] = archive.find(search("zebra"))
    store(archive, turn(1, "second", answer="giraffe"), turn(2, "third"))
    [after] = archive.find(search("giraffe"))
    assert (after["id"], after["prompt"]) == (before["id"], "second")
    assert prompts_found(archive, "zebra") == []
    assert archive.rows_with('"zebra"', 9) == 0
    assert archive.value("SELECT count(*) FROM turns") == 3


# --- forgetting ---


def filled(archive: Archive) -> None:
    """Turns of two projects, of which one says words that the other does not."""
    for number in range(40):
        store(archive, turn(number, f"zebra{number} crossing", answer="Quagga answer", project="/home/ada/stables",
                            session="5e550000-aaaa", steps='[["prompt", 5]]'), source="secret")
        store(archive, turn(number, f"rates {number}", project="/home/ada/rates"), source="open")


@pytest.mark.parametrize("filters", [{"project": "/home/ada/stables"}, {"session": "5e550000"}, {"match": "QUAGGA"},
                                     {"project": "stables", "match": "crossing"}])
def test_what_is_forgotten_is_gone(archive: Archive, home: Home, filters: JsonObject) -> None:
    filled(archive)
    assert (archive.count(filters), archive.forget(filters), archive.count(filters)) == (40, 40, 0)
    assert prompts_found(archive, "quagga zebra7 crossing") == []
    assert len(prompts_found(archive, "rates")) == 40
    left = raw(home).lower()
    assert [word for word in (b"quagga", b"zebra", b"crossing") if word in left] == []
    vocabulary = [row[0] for row in archive.db.execute("SELECT word FROM vocabulary")]
    assert {"rat", "7"} <= set(vocabulary)
    assert archive.known_of(map(stem, slips("quaga"))) == []
    assert archive.db.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
    archive.db.execute("INSERT INTO words(words) VALUES('integrity-check')")


def test_a_forgotten_project_leaves_no_name(archive: Archive, home: Home) -> None:
    place = archive.source("/projects/-home-ada-stables/5e550000.jsonl", os.stat(os.curdir))["id"]
    state = {"project": "/home/ada/stables", "session": "5e550000-aaaa", "branch": "zebra-crossing", "until": "2026"}
    names = {name: state[name] for name in ("project", "session", "branch")}
    archive.store(place, [turn(0, "a", **names)], 0, 0, state)
    assert archive.forget({"project": "stables"}) == 1
    assert [word for word in (b"stables", b"5e550000", b"zebra") if word in raw(home)] == []


@pytest.mark.parametrize("grown", ["", "It has grown."])
def test_what_is_forgotten_does_not_come_back(archive: Archive, grown: str) -> None:
    stored_prompts(archive, "rates", "zebra")
    archive.forget({"match": "zebra"})
    assert store(archive, turn(0, "rates"), turn(1, "zebra", answer=grown), turn(2, "third")) == 1
    if not grown:
        assert store(archive, turn(1, "zebra"), source="fork") == 0
    assert [row["prompt"] for row in archive.rows("1")] == ["rates", "third"]


def test_a_word_forgotten_and_told_again_is_known_again(archive: Archive) -> None:
    stored_prompts(archive, "postgres")
    archive.forget({"match": "postgres"})
    store(archive, turn(5, "postgres again"))
    assert prompts_found(archive, "postgers") == ["postgres again"]


def test_nothing_to_forget(archive: Archive) -> None:
    stored_prompts(archive, "rates")
    assert archive.forget({"match": "zebra"}) == 0
    assert prompts_found(archive, "rates") == ["rates"]


# --- retention ---


def test_old_turns_go_and_may_return(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    store(archive, *(turn(day * 86_400, f"day {day}") for day in range(10)))
    monkeypatch.setattr(time, "time", lambda: START + 10 * 86_400)
    archive.retain(3, HUGE)
    assert [row["prompt"] for row in archive.rows("1")] == ["day 7", "day 8", "day 9"]
    assert store(archive, turn(0, "day 0")) == 1


def test_an_archive_too_large_loses_its_oldest_and_shrinks(archive: Archive, home: Home) -> None:
    draw = random.Random(5)
    store(archive, *(turn(number, " ".join(f"{draw.getrandbits(60):x}" for _ in range(120))) for number in range(300)))
    archive.db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    assert os.path.getsize(home.path / "archive.db") > 1.5 * (1 << 20)
    archive.retain(ALWAYS, 1)
    left = [row["time"] for row in archive.rows("1")]
    assert left == [*range(START + 300 - len(left), START + 300)]
    assert left
    assert os.path.getsize(home.path / "archive.db") <= 1 << 20
    assert os.path.getsize(home.path / "archive.db-wal") == 0


@pytest.mark.parametrize("turns", [0, 3])
def test_what_cannot_be_made_smaller_ends(archive: Archive, turns: int) -> None:
    with archive.writing():
        archive.db.executemany("INSERT INTO sources(name, told) VALUES(?, ?)",
                               [(str(number), "x" * 500) for number in range(3_000)])
    stored_prompts(archive, *map(str, range(turns)))
    archive.retain(ALWAYS, 1)
    assert archive.rows("1") == []


# --- the file ---


@pytest.mark.parametrize("make", [
    pytest.param(lambda path: path.write_bytes(b"no database at all, " * 500), id="garbage"),
    pytest.param(os.mkdir, id="folder"),
    pytest.param(lambda path: path.symlink_to(path.with_name("elsewhere.db")), id="link"),
    pytest.param(os.mkfifo, id="fifo"), pytest.param(lambda path: path.symlink_to("/dev/zero"), id="device"),
    pytest.param(lambda path: path.write_bytes(b"SQLite format 3\0" + b"\xff" * 4_080), id="broken-header")])
def test_something_else_in_its_place(home: Home, make: Callable[[Path], None],
                                     capsys: pytest.CaptureFixture[str]) -> None:
    make(home.path / "archive.db")
    for command in (["stats"], ["search", "rates"], ["index", "/nonexistent"]):
        assert run_recall(command, "") == 1
        said = capsys.readouterr()
        assert (said.out, len(said.err.splitlines())) == ("", 1)
        assert said.err.startswith("compact-keeper: ")
        assert "archive.db" in said.err
    assert not (home.path / "elsewhere.db").exists()


def test_a_later_version_is_left_alone(archive: Archive) -> None:
    stored_prompts(archive, "rates")
    archive.db.execute("PRAGMA user_version = 3")
    with pytest.raises(Refusal, match="version 3, not 2"):
        Archive()


def test_a_torn_archive_is_a_line(archive: Archive, home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    stored_prompts(archive, *("rates " * 50 for _ in range(200)))
    archive.db.close()
    with (home.path / "archive.db").open("r+b") as file:
        file.truncate(20_480)
    assert run_recall(["search", "rates"], "") == 1
    said = capsys.readouterr()
    assert (said.out, len(said.err.splitlines())) == ("", 1)


@pytest.mark.usefixtures("home")
def test_without_full_text_search_it_is_refused_in_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """A module that SQLite does not have stands for FTS5."""
    monkeypatch.setattr(database, "INDEX", database.INDEX.replace("fts5", "fts5_that_is_missing"))
    with pytest.raises(Refusal, match=r"\Athe SQLite of [^\n]* has no full-text search \(FTS5\)[^\n]*another Python\Z"):
        Archive()


def test_turns_stored_without_an_index_are_indexed_when_it_is_opened(archive: Archive) -> None:
    """Version 0.6.0 stored them so with a Python without FTS5."""
    stored_prompts(archive, "round the rates", "zebra")
    archive.db.execute("DROP TABLE words")
    archive.db.execute("DELETE FROM vocabulary")
    archive.db.execute("UPDATE turns SET indexed = 0")
    later = Archive()
    assert prompts_found(later, "ronding") == ["round the rates"]
    store(later, turn(2, "giraffe"))
    later.db.close()
    assert prompts_found(archive, "giraffe") == ["giraffe"]


def test_it_is_for_the_owner_alone(archive: Archive, home: Home) -> None:
    stored_prompts(archive, "rates")
    assert {path.name: stat.S_IMODE(path.stat().st_mode) for path in home.path.glob("archive*")} == dict.fromkeys(
        ("archive.db", "archive.db-wal", "archive.db-shm"), 0o600)


@settings(max_examples=20)
@given(st.lists(st.tuples(st.integers(0, 5), st.sampled_from(("zebra", "quagga rates", "rates", "数据库 zebra", "é")),
                          st.booleans()), max_size=15))
def test_the_index_holds_what_the_rows_hold(tmp_path_factory: pytest.TempPathFactory,
                                            steps: list[tuple[int, str, bool]]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COMPACT_KEEPER_HOME", str(tmp_path_factory.mktemp("home")))
        archive = Archive()
    for number, (start, text, forgets) in enumerate(steps):
        if forgets:
            archive.forget({"match": text})
        else:
            store(archive, turn(start, f"{text} n{number}"))
    for word in ("zebra", "quagga", "rat", "数据", "e"):
        rows = [row for row in archive.rows("1") if word in indexed(row["prompt"]).split()]
        assert archive.rows_with(f'"{word}"', 99) == len(rows)
        assert not rows or archive.value("SELECT 1 FROM vocabulary WHERE word = ?", (word,))
    archive.db.execute("INSERT INTO words(words) VALUES('integrity-check')")
    archive.db.close()
