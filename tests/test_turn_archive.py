"""turn_archive.py: hostile questions and files first, then words, ranks, filters, forgetting, many at once, no FTS5."""

from __future__ import annotations

import os
import random
import sqlite3
import stat
import subprocess
import sys
import time
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from compact_keeper.archive import question as archive_question
from compact_keeper.archive.database import Archive
from compact_keeper.archive.kinds import KINDS
from compact_keeper.archive.question import question, slips
from compact_keeper.archive.words import indexed, stem
from compact_keeper.store.refusal import Refusal
from sessions import CWD, SCRIPTS, SESSION_ID, START, Home, Record, stamp

ALWAYS = 36_500  # days
HUGE = 1 << 20  # megabytes


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    home = Home(tmp_path / "home")
    monkeypatch.setenv("COMPACT_KEEPER_HOME", str(home.path))
    return home


@pytest.fixture
def archive(home: Home) -> Iterator[Archive]:
    assert not home.path.exists()
    archive = Archive()
    yield archive
    archive.db.close()


@pytest.fixture
def lacking(home: Home, monkeypatch: pytest.MonkeyPatch) -> Iterator[Archive]:
    """The archive as a Python without FTS5 opens it."""
    assert not home.path.exists()
    with monkeypatch.context() as patch:
        without_fts5(patch)
        archive = Archive()
    yield archive
    archive.db.close()


def without_fts5(patch: pytest.MonkeyPatch) -> None:
    value = Archive.value
    patch.setattr(Archive, "value", lambda self, query, values=(): 0 if "compileoption" in query else value(
        self, query, values))


def turn(number: int = 0, prompt: str = "", **fields: Any) -> Record:
    """A turn as index_turns.py tells it, a second after the one before."""
    return {"stamp": stamp(number), "time": START + number, "project": CWD, "session": SESSION_ID, "branch": "main",
            "cycle": 0, "who": "person", "turn": number, "start": number, **dict.fromkeys(KINDS, ""),
            "prompt": prompt, "steps": "[]", **fields}


def store(archive: Archive, *turns: Record, source: str = "a") -> int:
    told = archive.source(source, os.stat(os.curdir))
    return archive.store(told["id"], turns, 0, 0, {"project": CWD})


def told(archive: Archive, *prompts: str) -> Archive:
    """The archive with a turn for each of these prompts, the last the newest."""
    store(archive, *(turn(number, prompt) for number, prompt in enumerate(prompts)))
    return archive


def find(archive: Archive, text: str, **filters: Any) -> list[str]:
    """The prompts of the turns found, best first."""
    return [row["prompt"] for row in archive.find({"kind": None, **filters, **question(text)})]


def raw(home: Home) -> bytes:
    return b"".join(path.read_bytes() for path in home.path.iterdir())


# --- hostile questions ---

SYNTAX = (
    '"', '""', "'", "*", "**", "a*b", "*a", "(", ")", "()", "a AND b", "NOT a", "OR", "NEAR(a b)", "a NEAR/2 b", "^a",
    "prompt:a", "prompt : a", "{prompt answer}: a", "- a", "+", "-a", ":", "::", "\\", ";", "--", "/*", "%", "_", "a;b",
    "'; DROP TABLE turns; --", '" OR 1', 'a" OR "b', '"a" * "b', '"a b', "words", "rowid", "rank:x", "[a]", "{a}",
    "\0", "a\0b", '"a\0b"', "\ud800", "\udcff a", "🚚", "___", "\u0301", "\u200b", "½", "ﷺ", "⑴", "١٢", "a" * 65, "中",
    "\n", "\t", "a\nb", "ａｂｃ", "İ", "ß", "ǆ", "ﬀ", "\U0010ffff", "NULL", "?1", ":a", "@a", "$a", "0x", "1e999")


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Archive]]:
    """An archive with some turns, with FTS5 and without."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COMPACT_KEEPER_HOME", str(tmp_path_factory.mktemp("home")))
        full = told(Archive(), *filter(str.isprintable, SYNTAX), "the same words as all", "the rates were rounded")
        without_fts5(patch)
        both = [full, Archive()]
    yield both
    for archive in both:
        archive.db.close()


@given(text=st.one_of(st.text(max_size=300), st.lists(st.sampled_from((*SYNTAX, "rates", "the", '"')), max_size=30).map(
    " ".join)), kind=st.sampled_from((None, *KINDS)))
@example(text=" ".join(SYNTAX), kind="prompt")
@example(text='"' + "a " * 4_000 + '"', kind=None)
@example(text='"a" ' * 2_000, kind="answer")
def test_any_question_is_answered_or_refused(asked: list[Archive], text: str, kind: str | None) -> None:
    for archive in asked:
        try:
            rows = archive.find({"kind": kind, **question(text)})
        except Refusal:
            continue
        assert all(isinstance(row["score"], float) for row in rows)


@pytest.mark.parametrize("text", SYNTAX)
def test_syntax_is_no_syntax(asked: list[Archive], text: str) -> None:
    for archive in asked:
        try:
            rows = archive.find({"kind": None, **question(text)})
        except Refusal:
            assert not indexed(text.replace("*", ""))
        else:
            assert len(rows) < 60


@pytest.mark.parametrize("text", ["", " ", '""', '" "', "...", "___", "🚚 →", "a" * 10_001, "x" * (1 << 20), "\0"])
def test_a_question_without_words_is_refused_in_a_line(text: str) -> None:
    with pytest.raises(Refusal, match=r"\A[^\n]{20,200}\Z"):
        question(text)


# --- words ---


@pytest.mark.parametrize(("stored", "ask"), [
    ("getUserName()", "user"), ("getUserName()", "getUserName"), ("getUserName()", "get_user_name"),
    ("get_user_name", "getUserName"), ("get_user_name", "user*"), ("GET_USER_NAME", "getusername"),
    ("getusername", "getUserName"), ("HTTPServerError", "server"), ("HTTPServerError", "httpservererror"),
    ("parseJSON2", "json"), ("parseJSON2", "parsejson2"), ("src/auth/jwt.ts", "jwt"),
    ("src/auth/jwt.ts", "auth/jwt.ts"),
    ("src/auth/jwt.ts", '"auth jwt"'), ("C:\\work\\rates.py", "rates.py"), ("--no-verify", "no-verify"),
    ("v2.1.329-beta.4", "2.1.329"), ("v2.1.329", '"v2.1.329"'), ("node@18.2.0", "18.2.0"), ("issue #512", "#512"),
    ("port 3334", "3334"), ("a1b2c3d4", "a1b2c3d4"), ("e4d909c", "e4d909c"), ("x = 1", "x"), ("C++ and C#", "c"),
    ("the rates were rounded", "rounding"), ("fixes", "fixed"), ("fixing", "fix"), ("running", "run"), ("run", "runs"),
    ("policies", "policy"), ("caches", "cache"), ("cached", "caching"), ("passed", "passing"), ("tests", "Test"),
    ("status", "status"), ("this class", "class"), ("bus", "bus"), ("déjà vu", "deja"), ("deja vu", "DÉJÀ"),
    ("naïve café", "cafe"), ("Zürich", "zurich"), ("STRASSE", "straße"), ("ÅNGSTRÖM", "ångström"), ("Łódź", "łódź"),
    (unicodedata.normalize("NFD", "Ünï résumé"), "résumé"), ("résumé", unicodedata.normalize("NFD", "résumé")),
    ("İstanbul", "istanbul"), ("ISTANBUL", "istanbul"), ("ﬁle", "file"), ("ｆｕｌｌ", "full"), ("ΣΊΣΥΦΟΣ", "σίσυφος"),
    ("Ёлка", "ёлка"), ("проверка базы", "Проверка"), ("数据库迁移失败了", "迁移"), ("数据库迁移失败了", "数据库迁移"),
    ("数据库迁移失败了", '"迁移失败"'), ("テストを実行して", "テスト"), ("必ずテストを実行", "実行"),
    ("데이터베이스", "데이터"),
    ("用pytest测试", "pytest"), ("用pytest测试", "测试"), ("ภาษาไทยง่ายมาก", "ไทย"), ("नमस्ते दुनिया", "नमस्ते"),
    ("नमस्ते दुनिया", "दुनिया"), ("שלום עולם", "עולם"), ("مرحبا بالعالم", "مرحبا"), ("x" * 64, "x" * 64),
    ("ภาษาไทยง่ายมาก" * 8, "ง่าย"), ("数据库迁移" + "的" * 70, "迁移"), ("日本語のテキスト" * 9 + "検索", "検索"),
    ("authentication", "auth*"), ("author", "AUTH*"), ("src/auth/jwt.ts", "src/au*"), ("getUserName", "getUs*"),
    ("数据库迁移", "数据*"), ("the rate table is old", '"rate table"'), ("Rate  tables", '"rate table"'),
    ("what is it", "it is what"), ("who", "who"), ("configuration", "configuratoin"), ("postgres", "postgers"),
    ("decimals", "decimal"), ("deployment", "deploymnet"),
])
def test_words_that_find(archive: Archive, stored: str, ask: str) -> None:
    assert find(told(archive, stored, "another thing entirely"), ask)[:1] == [stored]


@pytest.mark.parametrize(("stored", "ask"), [
    ("author", "auth"), ("getUserName", "userna"), ("the table of rates", '"rate table"'), ("rates", '"rate table"'),
    ("cat", "cut"), ("3334", "3343"), ("the the the", "it"), ("x" * 65 + " y", "xxx*"), ("数据库迁移", "据迁"),
    ("数据库迁移", '"数据迁移"'), ("bus", "bu"), ("auth", "author*"), ("jwt.ts", '"ts jwt"'),
    ("nothing", "zzzz")])
def test_words_that_do_not_find(archive: Archive, stored: str, ask: str) -> None:
    assert find(told(archive, stored, "another thing entirely"), ask) == []


def test_stop_words_count_only_alone(archive: Archive) -> None:
    told(archive, "what did we do with it", "rounding of rates")
    assert find(archive, "what did we do about the rounding") == ["rounding of rates"]
    assert find(archive, "what did we do") == ["what did we do with it"]
    assert find(archive, '"did we do"') == ["what did we do with it"]


def test_phrases_must_and_words_may_stand(archive: Archive) -> None:
    told(archive, "half even rounding", "half of the rates, even these", "half even, and the invoices", "invoices")
    assert find(archive, '"half even" invoices') == ["half even, and the invoices", "half even rounding"]
    assert find(archive, '"half even" "the invoices"') == ["half even, and the invoices"]
    assert find(archive, '"half even" "nowhere"') == []


# --- ranks and filters ---


def test_a_rare_word_counts_more(archive: Archive) -> None:
    told(archive, *(f"rates of day {number}" for number in range(30)), "the zebra of the rates", "the zebra")
    assert set(find(archive, "rates zebra")[:2]) == {"the zebra of the rates", "the zebra"}


def test_a_summary_stands_below_the_turn_that_it_tells_of(archive: Archive) -> None:
    told(archive, *(f"other words {number}" for number in range(10)))
    store(archive, turn(20, answer="We use half even rounding."),
          turn(21, answer="We use half even rounding.", who="summary"))
    rows = archive.find({"kind": None, **question("half even rounding")})
    assert [row["who"] for row in rows] == ["person", "summary"]
    assert rows[0]["score"] > 2 * rows[1]["score"] > 0


def test_of_equal_turns_the_newer_stands_first(archive: Archive) -> None:
    day = 86_400
    now = int(time.time()) - START
    told(archive, *(f"other words {number}" for number in range(10)))
    for start, age in enumerate([90, 0, 30, 200]):
        store(archive, turn(start, f"rounding, {age}", time=START + now - age * day, stamp=str(age)), source="b")
    assert find(archive, "rounding") == [f"rounding, {age}" for age in (0, 30, 90, 200)]
    scores = [row["score"] for row in archive.find({"kind": None, **question("rounding")})]
    assert 1.05 < scores[0] / scores[-1] < 1.3


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_is_looked_for_in_its_column_alone(archive: Archive, kind: str) -> None:
    store(archive, *(turn(number, **{one: "zebra crossing", "branch": one}) for number, one in enumerate(KINDS)))
    for text in ("zebra", '"zebra crossing"', "zeb*", "zebra crossing", '"zebra crossing" zebra', "zebar"):
        rows = archive.find({"kind": kind, **question(text)})
        assert [row["branch"] for row in rows] == [kind], text


@pytest.mark.parametrize(("project", "found"), [
    ("/home/ada/rates", {"rates", "below"}), ("/home/ada/rates/", {"rates", "below"}), ("rates", {"rates", "other"}),
    ("ada/rates", {"rates"}), ("/home/ada/rates/../rates", {"rates", "below"}), ("ates", set()),
    ("rates/", {"rates", "other"}),
    ("/home/ada", {"rates", "below", "percent", "line"}), ("100%_done", {"percent"}), ("%", set()), ("_", set()),
    ("a_b", {"line"}), ("/home/ada/a_b", {"line"}), ("/", {"rates", "below", "other", "percent", "line", "like"}),
    ("/home/ada/100%", set()), ("", {"rates", "below", "other", "percent", "line", "like"})])
def test_projects(archive: Archive, project: str, found: set[str]) -> None:
    folders = {"rates": "/home/ada/rates", "below": "/home/ada/rates/src", "other": "/srv/rates",
               "percent": "/home/ada/100%_done", "line": "/home/ada/a_b", "like": "/srv/axb"}
    store(archive, *(turn(number, name, answer="zebra", project=folder)
                     for number, (name, folder) in enumerate(folders.items())))
    assert set(find(archive, "zebra", project=project)) == found
    assert archive.count({"project": project}) == len(found)


@pytest.mark.parametrize(("filters", "found"), [
    ({"session": "5e55"}, ["a", "b", "c"]), ({"session": "7"}, ["d"]), ({"session": "%"}, []), ({"session": "_"}, []),
    ({"since": START + 1}, ["b", "c", "d"]), ({"until": START + 2}, ["a", "b"]), ({"until": float(START)}, []),
    ({"since": START + 1.0, "until": START + 3, "session": SESSION_ID}, ["b", "c"]), ({"since": 0, "until": 0}, [
        "a", "b", "c", "d"]), ({"since": 9e18}, [])])
def test_sessions_and_times(archive: Archive, filters: Record, found: list[str]) -> None:
    store(archive, *(turn(number, name, answer="zebra", session="7a" if name == "d" else SESSION_ID)
                     for number, name in enumerate("abcd")))
    assert sorted(find(archive, "zebra", **filters)) == found


@pytest.mark.parametrize(("text", "found"), [
    ("rates table", ["rates table 9", "rates table 8", "rates table 7"]), ('"rates table"', ["rates table 9"]),
    ("rates nowhere", ["rates table 9"]), ("rates zebra", ["zebra rates"]), ('"rates table" zebra', ["rates table 9"]),
    ('"rates table" nowhere', ["rates table 9"])])
def test_words_that_stand_everywhere(archive: Archive, monkeypatch: pytest.MonkeyPatch, text: str,
                                     found: list[str]) -> None:
    monkeypatch.setattr(archive_question, "MOST_ROWS", 5)
    told(archive, "zebra rates", *(f"rates table {number}" for number in range(10)))
    assert find(archive, text)[:len(found)] == found
    assert find(archive, text, session="none") == []
    assert find(archive, text, since=time.time() + 1e9) == []
    assert set(find(archive, text, until=START + 3)) <= {"zebra rates", "rates table 0", "rates table 1"}


def test_a_phrase_must_stand_however_common_its_words(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive_question, "MOST_ROWS", 5)
    told(archive, *(f"rates table {number}" for number in range(10)), *(f"rates {number}" for number in range(10)))
    filters = {"since": START + 10}  # where no phrase stands
    assert find(archive, '"rates table" rates', **filters) == []


# --- the same once, a turn that grows ---


def test_the_same_turn_is_stored_once(archive: Archive) -> None:
    one = turn(0, "round the rates")
    assert [store(archive, one), store(archive, one), store(archive, {**one, "session": "fork"}, source="fork")] == [
        1, 0, 0]
    assert store(archive, turn(1, "round the rates")) == 1  # typed again
    assert len(find(archive, "rates")) == 2


def test_a_turn_that_grows_keeps_its_id(archive: Archive) -> None:
    told(archive, "first", "second zebra")
    [before] = archive.find({"kind": None, **question("zebra")})
    store(archive, turn(1, "second", answer="giraffe"), turn(2, "third"))
    [after] = archive.find({"kind": None, **question("giraffe")})
    assert (after["id"], after["prompt"]) == (before["id"], "second")
    assert find(archive, "zebra") == []
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
def test_what_is_forgotten_is_gone(archive: Archive, home: Home, filters: Record) -> None:
    filled(archive)
    assert (archive.count(filters), archive.forget(filters), archive.count(filters)) == (40, 40, 0)
    assert find(archive, "quagga zebra7 crossing") == []
    assert len(find(archive, "rates")) == 40
    left = raw(home).lower()
    assert [word for word in (b"quagga", b"zebra", b"crossing") if word in left] == []
    vocabulary = [row[0] for row in archive.db.execute("SELECT word FROM vocabulary")]
    assert {"rat", "7"} <= set(vocabulary)
    assert archive.known_of(map(stem, slips("quaga"))) == []
    assert archive.db.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
    archive.db.execute("INSERT INTO words(words) VALUES('integrity-check')")


def test_a_forgotten_project_leaves_no_name(archive: Archive, home: Home) -> None:
    place = archive.source("/projects/-home-ada-stables/5e550000.jsonl", os.stat(os.curdir))["id"]
    stand = {"project": "/home/ada/stables", "session": "5e550000-aaaa", "branch": "zebra-crossing", "until": "2026"}
    names = {name: stand[name] for name in ("project", "session", "branch")}
    archive.store(place, [turn(0, "a", **names)], 0, 0, stand)
    assert archive.forget({"project": "stables"}) == 1
    assert [word for word in (b"stables", b"5e550000", b"zebra") if word in raw(home)] == []


@pytest.mark.parametrize("grown", ["", "It has grown."])
def test_what_is_forgotten_does_not_come_back(archive: Archive, grown: str) -> None:
    told(archive, "rates", "zebra")
    archive.forget({"match": "zebra"})
    assert store(archive, turn(0, "rates"), turn(1, "zebra", answer=grown), turn(2, "third")) == 1
    if not grown:
        assert store(archive, turn(1, "zebra"), source="fork") == 0
    assert [row["prompt"] for row in archive.rows("1")] == ["rates", "third"]


def test_a_word_forgotten_and_told_again_is_known_again(archive: Archive) -> None:
    told(archive, "postgres")
    archive.forget({"match": "postgres"})
    store(archive, turn(5, "postgres again"))
    assert find(archive, "postgers") == ["postgres again"]


def test_nothing_to_forget(archive: Archive) -> None:
    told(archive, "rates")
    assert archive.forget({"match": "zebra"}) == 0
    assert find(archive, "rates") == ["rates"]


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
    told(archive, *map(str, range(turns)))
    archive.retain(ALWAYS, 1)
    assert archive.rows("1") == []


# --- without FTS5 ---


def test_without_fts5_the_same_is_found(lacking: Archive) -> None:
    told(lacking, "round the rate tables", "getUserName is slow", "数据库迁移失败了", "100%_done")
    for text, found in [("rate", "round the rate tables"), ('"rate table"', "round the rate tables"),
                        ("rat*", "round the rate tables"), ("迁移", "数据库迁移失败了"),
                        ("username", "getUserName is slow"), ("done", "100%_done")]:
        assert find(lacking, text) == [found], text
    assert find(lacking, "zebra") == []
    assert find(lacking, "rate", session="none") == []
    assert find(lacking, '"rate table" slow') == ["round the rate tables"]
    assert lacking.figures()["search"] == "LIKE"
    assert len(lacking.around(1, 1)) == 2
    assert lacking.forget({"match": "rate"}) == 1


def test_what_a_python_without_fts5_wrote_is_found_by_one_that_has_it(lacking: Archive) -> None:
    told(lacking, "round the rates")
    archive = Archive()
    assert find(archive, "rounding") == ["round the rates"]
    assert find(archive, "ronding") == ["round the rates"]
    store(archive, turn(1, "zebra"))
    assert find(archive, "zebra") == ["zebra"]
    store(lacking, turn(2, "giraffe"))
    store(archive, turn(3, "quagga"))
    assert find(archive, "giraffe") == ["giraffe"]
    archive.db.close()


@pytest.mark.usefixtures("lacking")
def test_an_empty_archive_of_a_python_without_fts5() -> None:
    archive = Archive()
    assert find(archive, "rates") == []
    archive.db.close()


def test_without_fts5_what_is_in_the_index_is_not_changed(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    told(archive, "round the rates")
    without_fts5(monkeypatch)
    other = Archive()
    assert find(other, "round") == ["round the rates"]
    with pytest.raises(Refusal, match="lacks FTS5"):
        other.forget({"match": "rates"})
    with pytest.raises(Refusal, match="lacks FTS5"):
        store(other, turn(0, "round them", answer="grown"))
    assert store(other, turn(1, "another")) == 1
    other.db.close()
    assert find(archive, "round") == ["round the rates"]


# --- the file ---


@pytest.mark.parametrize("make", [
    pytest.param(lambda path: path.write_bytes(b"no database at all, " * 500), id="garbage"),
    pytest.param(os.mkdir, id="folder"),
    pytest.param(lambda path: path.symlink_to("/tmp/elsewhere.db"), id="link"), pytest.param(os.mkfifo, id="fifo"),
    pytest.param(lambda path: path.symlink_to("/dev/zero"), id="device"),
    pytest.param(lambda path: path.write_bytes(b"SQLite format 3\0" + b"\xff" * 4_080), id="broken-header")])
def test_something_else_in_its_place(home: Home, make: Callable[[Path], None]) -> None:
    home.path.mkdir()
    make(home.path / "archive.db")
    for command in (["stats"], ["search", "rates"], ["index", "/nonexistent"]):
        done = home.run("recall.py", b"", *command)
        assert (done.code, done.stdout) == (1, "")
        assert len(done.stderr.splitlines()) == 1
        assert done.stderr.startswith("compact-keeper: ")
        assert "archive.db" in done.stderr
    assert not os.path.exists("/tmp/elsewhere.db")


def test_a_later_version_is_left_alone(archive: Archive) -> None:
    told(archive, "rates")
    archive.db.execute("PRAGMA user_version = 2")
    with pytest.raises(Refusal, match="version 2, not 1"):
        Archive()


def test_a_torn_archive_is_a_line(archive: Archive, home: Home) -> None:
    told(archive, *("rates " * 50 for _ in range(200)))
    archive.db.close()
    with (home.path / "archive.db").open("r+b") as file:
        file.truncate(20_480)
    done = home.run("recall.py", b"", "search", "rates")
    assert (done.code, done.stdout, len(done.stderr.splitlines())) == (1, "", 1)


def test_it_is_for_the_owner_alone(archive: Archive, home: Home) -> None:
    told(archive, "rates")
    assert {path.name: stat.S_IMODE(path.stat().st_mode) for path in home.path.iterdir()} == dict.fromkeys(
        ("archive.db", "archive.db-wal", "archive.db-shm"), 0o600)
    assert stat.S_IMODE(home.path.stat().st_mode) == 0o700


# --- many at once ---

WORKER = """
import os, sys, time
sys.path.insert(0, {scripts!r})
sys.path.insert(0, {tests!r})
from test_turn_archive import Archive, find, store, turn
while time.time() < {begin}:
    time.sleep(0.01)
archive, done = Archive(), 0
while time.time() < {until}:
    if {writer} < 0:
        find(archive, f"rates zebra{{done % 50}}")
    else:
        at = {writer} * 1_000_000 + done
        store(archive, turn(at, f"zebra{{at}} rates"), source="{writer}")
    done += 1
print(done)
"""


def together(home: Home, writers: list[int], begin: float, until: float) -> list[int]:
    """How often each process wrote or, those below 0, read; they begin at the same moment."""
    here = str(Path(__file__).parent)
    told = [WORKER.format(scripts=str(SCRIPTS), tests=here, writer=writer, begin=begin, until=until)
            for writer in writers]
    running = [subprocess.Popen([sys.executable, "-c", code], env=home.environment(), stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE) for code in told]
    ended = [process.communicate(timeout=60) for process in running]
    assert [err for _, err in ended] == [b""] * len(writers)
    return [int(out) for out, _ in ended]


def test_writers_and_readers_at_once_lose_nothing(home: Home) -> None:
    begin = time.time() + 2  # when all have started, so that they create it together
    counts = together(home, [0, 1, 2, 3, -1, -1], begin, begin + 3)
    assert min(counts) > 5
    db = sqlite3.connect(home.path / "archive.db")
    assert db.execute("SELECT count(*) FROM turns").fetchone()[0] == sum(counts[:4])
    assert db.execute("SELECT count(*) FROM words WHERE words MATCH 'rat'").fetchone()[0] == sum(counts[:4])
    assert db.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
    db.close()


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
        held = [row for row in archive.rows("1") if word in indexed(row["prompt"]).split()]
        assert archive.rows_with(f'"{word}"', 99) == len(held)
        assert not held or archive.value("SELECT 1 FROM vocabulary WHERE word = ?", (word,))
    archive.db.execute("INSERT INTO words(words) VALUES('integrity-check')")
    archive.db.close()
