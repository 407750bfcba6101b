"""The archive on a real PostgreSQL server: hostile first, then that it finds, forgets and is filled as it says."""

from __future__ import annotations

import json
import os
import random
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

import postgres
from archived import FOREVER, search, store, turn
from compact_keeper.archive import local_archive, pushing
from compact_keeper.archive import postgres as archive_postgres
from compact_keeper.archive import question as archive_question
from compact_keeper.archive.database import COLUMNS
from compact_keeper.archive.kinds import KINDS
from compact_keeper.archive.lexemes import lexeme, quoted_lexeme, vector
from compact_keeper.archive.local_archive import Archive
from compact_keeper.archive.postgres import Away, Server
from compact_keeper.archive.pushing import alone, person, push_turns
from compact_keeper.archive.server_queries import MIGRATIONS, PUT_SQL
from compact_keeper.store.refusal import Refusal
from postgres import DATABASE, PASSWORD, Postgres
from sessions import CWD, PATIENCE, SCRIPTS, SESSION_ID, START, JsonObject, Session

pytestmark = [pytest.mark.rows(2), pytest.mark.xdist_group("postgres")]  # one server for all

SECRET = "s3cret"
RECALL = [sys.executable, "-IS", str(SCRIPTS / "run_hook.py"), "recall.py"]  # as the skill starts it
HOSTILE = ["'; DROP TABLE turns; --", "%s %(rows)s %% $1", "\\", "\\'", "''", '"', ":* & | ! <->", "a\\:1A'b", "\u2028",
           "é" * 300, "ﷺ" * 64, "🦊" * 70, "日本語の検索", "x" * 5_000, "�"]


@pytest.fixture(scope="module")
def running() -> Iterator[Postgres]:
    with postgres.running() as server:
        yield server


@pytest.fixture
def server(running: Postgres, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Postgres:
    """The server that the environment names, without an archive; the data folder is new too."""
    running.sql("DROP SCHEMA IF EXISTS compact_keeper CASCADE")
    monkeypatch.setenv("COMPACT_KEEPER_ARCHIVE", running.url())
    monkeypatch.setenv("COMPACT_KEEPER_HOME", str(tmp_path / "home"))
    return running


@pytest.fixture
def archive(server: Postgres) -> Iterator[Archive]:
    """An empty archive of this machine, for that server."""
    assert server.answers()
    archive = Archive()
    with closing(archive.db):
        yield archive


@contextmanager
def opened() -> Iterator[Server]:
    """The archive on the server that the environment names."""
    server = Server(os.environ["COMPACT_KEEPER_ARCHIVE"])
    with closing(server.db):
        yield server


def prompts_of(text: str, **filters: Any) -> list[str]:
    """The prompts of the turns that the server finds, best first."""
    with opened() as server:
        return [row["prompt"] for row in server.find(search(text, **filters))]


def unsent(archive: Archive) -> int:
    return int(archive.value("SELECT count(*) FROM turns WHERE NOT pushed"))


def numbers_of(server: Postgres) -> list[int]:
    """The places of all turns that the server holds."""
    return [row[0] for row in server.sql("SELECT start FROM compact_keeper.turns ORDER BY start")]


# --- servers that are not there, or not as they should be ---


@pytest.mark.parametrize("url", [
    "", "nonsense", f"http://u:{SECRET}@h/db", f"postgresql://u:{SECRET}", f"postgresql://u:s3@{SECRET}@127.0.0.1:1/db",
    f"postgresql://u:{SECRET}/x@127.0.0.1/db", f"host=127.0.0.1 port=1 password={SECRET}",
    f"postgresql://u:%zz{SECRET}@127.0.0.1:1/db", f"postgresql://u:{SECRET}@127.0.0.1:1/db",
    f"postgresql://u:{SECRET}@127.0.0.1:99999/db", f"postgresql://u:{SECRET}@127.0.0.1:1/db?nonsense=1",
    f"postgresql://u@127.0.0.1:1/db?password={SECRET}", f"postgresql://127.0.0.1:{SECRET}",
    f"postgresql://u:{SECRET}@no.host.invalid/db", f"postgresql://u:{SECRET}\0@127.0.0.1:1/db",
    f"postgresql://u:{SECRET}\udcff@127.0.0.1:1/db", f"postgresql://u:{SECRET}@[::1/db",
    f"postgresql://u:{SECRET}\n@127.0.0.1/db", f"postgresql://u:{SECRET}@127.0.0.1:1/db?sslmode={SECRET}",
    f"postgresql://u:{SECRET}@127.0.0.1:1/db?connect_timeout={SECRET}",
    f"postgresql://u:a:{SECRET}@127.0.0.1:1/db", f"postgresql://u:{SECRET}@/db?host=/nowhere",
], ids=repr)
def test_a_bad_address_is_refused_in_a_line_without_its_password(url: str) -> None:
    with pytest.raises(Refusal) as refused:
        Server(url)
    assert len(str(refused.value).splitlines()) == 1
    assert SECRET not in str(refused.value)


@pytest.mark.parametrize(("old", "new", "message"), [
    (PASSWORD, f"{SECRET}-wrong", "password authentication failed"), (f"/{DATABASE}", "/no", "does not exist"),
    ("keeper", "nobody", "password authentication failed"),
])
def test_a_server_that_refuses_is_away(server: Postgres, old: str, new: str, message: str) -> None:
    with pytest.raises(Away, match=message) as refused:
        Server(server.url().replace(old, new, 1))
    assert SECRET not in str(refused.value)
    assert PASSWORD not in str(refused.value)


def test_a_server_that_never_answers_is_away_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    assert archive_postgres.CONNECTION["connect_timeout"] == 5
    monkeypatch.setitem(archive_postgres.CONNECTION, "connect_timeout", 2)  # the least that libpq takes
    with closing(socket.create_server(("127.0.0.1", 0))) as silent, pytest.raises(Away, match="timeout"):
        Server(f"postgresql://u:{SECRET}@127.0.0.1:{silent.getsockname()[1]}/db")


def test_a_query_that_takes_too_long_is_given_up(monkeypatch: pytest.MonkeyPatch, archive: Archive) -> None:
    options = archive_postgres.SESSION_OPTIONS
    assert "statement_timeout=30s" in options
    monkeypatch.setattr(archive_postgres, "SESSION_OPTIONS", options.replace("=30s", "=200ms"))
    store(archive, turn(1, "alpha"))
    push_turns(archive)
    with opened() as server, pytest.raises(Away, match="statement timeout"):
        server.ask("SELECT pg_sleep(5)")


def test_a_database_of_another_encoding_is_refused(server: Postgres) -> None:
    server.sql("CREATE DATABASE ascii TEMPLATE template0 ENCODING 'SQL_ASCII'")
    with pytest.raises(Refusal, match="SQL_ASCII; the archive needs one in UTF8"):
        Server(server.url("ascii"))


def test_without_psycopg_a_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(Refusal, match=r"needs psycopg 3 .*python3-psycopg.*-m pip install 'psycopg\[binary\]'"):
        Server("postgresql://127.0.0.1:1/db")


def test_psycopg_is_found_by_a_python_that_was_started_without_its_packages() -> None:
    code = f"import sys; sys.path.append({str(SCRIPTS)!r}); import recall; recall.driver().connect"
    subprocess.run([sys.executable, "-IS", "-c", code], check=True)


def test_without_a_server_the_tests_say_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(postgres, "DEBIAN", tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(pytest.fail.Exception, match="apt-get install postgresql"):
        postgres.program("initdb")


# --- hostile texts ---


@pytest.mark.parametrize("text", HOSTILE, ids=ascii)
def test_a_hostile_text_is_stored_as_it_is_and_found(archive: Archive, text: str) -> None:
    fields = {**dict.fromkeys(("branch", *KINDS), f"{text} marker"), "project": f"/srv/{text} marker"}
    store(archive, turn(1, **fields), turn(2, "another"))
    assert push_turns(archive) == 2
    with opened() as server:
        row, *others = server.find(search(f"marker {text}"[:9_000]))
        assert {passage["id"] for passage in others} <= {row["id"]}  # steps of the same turn
        assert {name: row[name] for name in fields} == fields
        assert server.count({"match": text}) == server.count({"project": f"{text} marker"}) == 1
        assert len(server.around(row["id"], 1)) == 2


@pytest.mark.parametrize("text", [*HOSTILE, "\0", "\ud800", "a\0b\udcff"], ids=ascii)
def test_a_hostile_question_finds_nothing_and_breaks_nothing(archive: Archive, text: str) -> None:
    store(archive, turn(1, "alpha"))
    push_turns(archive)
    with opened() as server:
        for filters in ({"project": text}, {"session": text}, {"match": text}):
            assert server.count(filters) == 0
            assert server.forget(filters) == 0
            assert server.find(search("alpha", **filters)) == []
        for words in (text, f'"{text}"', f"{text}*", f"alpha {text}"):
            assert [row["prompt"] for row in server.find(search(f"{words} alpha"))] in (["alpha"], [])
        assert len(server.find(search("alpha"))) == 1


def test_a_question_as_long_as_may_be_is_answered(archive: Archive) -> None:
    words = " ".join(f"w{number}" for number in range(1_700))
    store(archive, turn(1, words))
    push_turns(archive)
    assert prompts_of(words) == prompts_of(f'"{words}"') == [words]


def test_the_longest_phrase_is_found_before_the_server_gives_up(archive: Archive) -> None:
    text = " ".join("abcdefghijklmnopqrstuvwxyz"[number % 26] for number in range(4_999))
    store(archive, turn(1, text))
    push_turns(archive)
    assert prompts_of(f'"{text}"') == [text]


def test_a_word_is_quoted_as_postgresql_reads_it(archive: Archive) -> None:
    words = ["it's", "a\\b\\", "''", ":*", "a b", "(", "!", "&"]
    assert quoted_lexeme("p'\\") == "'p''\\\\'"
    store(archive, turn(1, "alpha"))
    push_turns(archive)
    with opened() as server:
        words_there = vector({"prompt": words})
        for word in words:
            wanted = quoted_lexeme(lexeme("prompt", word))
            assert server.ask("SELECT %(vector)s::tsvector @@ %(wanted)s::tsquery AS has", vector=words_there,
                              wanted=wanted) == [{"has": True}]


def test_what_postgresql_does_not_take_is_replaced_and_lengths_stay(archive: Archive) -> None:
    store(archive, turn(1, "one\0two marker"))
    push_turns(archive)
    assert prompts_of("marker") == ["one\ufffdtwo marker"]


@pytest.mark.rows(1)  # the first: a megabyte of words that are all different asks the most of the server
@pytest.mark.parametrize("word", [f"longer{'s' * 40}{{}} ", "same ", "日{}本"])
def test_a_turn_of_a_megabyte_is_stored_whole_and_found(archive: Archive, word: str) -> None:
    text = "first " + "".join(word.format(number) for number in range((1 << 20) // len(word)))
    store(archive, turn(1, text, error=text))
    assert push_turns(archive) == 1
    assert prompts_of("first") == [text] * 2  # as prompt and as error


def test_the_last_word_of_a_long_turn_is_found(archive: Archive) -> None:
    text = " ".join(f"value{number}" for number in range(30_000)) + " same" * 1_000 + " the very end"
    store(archive, turn(1, text))
    push_turns(archive)
    assert prompts_of("value29999") == prompts_of("end same") == [text]


# --- filling ---


def test_a_turn_is_sent_once_and_again_when_it_has_grown(archive: Archive, server: Postgres) -> None:
    store(archive, turn(1, "alpha"), turn(2, "beta"))
    assert (push_turns(archive), push_turns(archive), unsent(archive)) == (2, 0, 0)
    before = server.sql("SELECT id FROM compact_keeper.turns WHERE prompt = 'beta'")
    store(archive, turn(2, "beta gamma"))
    assert (unsent(archive), push_turns(archive)) == (1, 1)
    assert prompts_of("gamma") == prompts_of("beta") == ["beta gamma"]
    assert server.sql("SELECT id FROM compact_keeper.turns WHERE prompt = 'beta gamma'") == before
    assert numbers_of(server) == [1, 2]


def test_a_turn_that_grows_while_it_is_sent_is_sent_again(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    store(archive, turn(1, "alpha"))
    put = Server.put

    def growing(self: Server, rows: list[JsonObject]) -> None:
        put(self, rows)
        if rows[0]["prompt"] == "alpha":
            store(archive, turn(1, "alpha beta"))
    monkeypatch.setattr(Server, "put", growing)
    assert push_turns(archive) == 2
    assert prompts_of("beta") == ["alpha beta"]


def test_an_archive_made_anew_sends_the_same_rows(archive: Archive, server: Postgres) -> None:
    store(archive, turn(1, "alpha"), source="other")
    store(archive, turn(1, "beta"), turn(2, "gamma"))
    push_turns(archive)
    archive.db.execute("DELETE FROM turns")
    archive.db.execute("DELETE FROM sources")
    store(archive, turn(1, "beta"), turn(2, "gamma delta"))  # now the first source, not the second
    assert push_turns(archive) == 2
    rows = server.sql("SELECT prompt FROM compact_keeper.turns ORDER BY prompt")
    assert rows == [("alpha",), ("beta",), ("gamma delta",)]


def test_another_transcript_of_the_same_name_replaces_nothing(archive: Archive) -> None:
    store(archive, turn(1, "alpha"))
    push_turns(archive)
    store(archive, turn(1, "alpha beta"), folder=os.sep)  # another inode
    push_turns(archive)
    assert sorted(prompts_of("alpha")) == ["alpha", "alpha beta"]


def test_what_two_hosts_have_is_stored_once_and_each_row_tells_its_host(
        archive: Archive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "gethostname", lambda: "ada-desk")
    store(archive, turn(1, "alpha both"), turn(2, "alpha first"))
    push_turns(archive)
    monkeypatch.setattr(socket, "gethostname", lambda: "ada-lap")
    monkeypatch.setenv("COMPACT_KEEPER_HOME", str(tmp_path / "second"))
    second = Archive()
    with closing(second.db):
        store(second, turn(1, "alpha both"), turn(2, "alpha second"))
        assert (push_turns(second), unsent(second)) == (2, 0)
    with opened() as server:
        rows = {row["prompt"]: row for row in server.find(search("alpha"))}
        figures = server.figures()
        assert [row["prompt"] for row in server.around(rows["alpha second"]["id"], 5)] == ["alpha second"]
    assert {prompt: row["host"] for prompt, row in rows.items()} == {
        "alpha both": "ada-desk", "alpha first": "ada-desk", "alpha second": ""}  # of this machine
    assert {row["person"] for row in rows.values()} == {person()}
    assert (figures["turns"], figures["hosts"], figures["sessions"]) == (3, 2, 2)
    assert PASSWORD not in json.dumps(figures)


def test_four_processes_that_send_at_once_lose_and_double_nothing(
        server: Postgres, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    homes = [tmp_path / str(number) for number in range(4)]
    for number, home in enumerate(homes):
        monkeypatch.setenv("COMPACT_KEEPER_HOME", str(home))
        own = Archive()
        with closing(own.db):
            store(own, *(turn(place, f"shared {place}") for place in range(30)),
                  *(turn(1_000 * (number + 1) + place, f"own {number} {place}") for place in range(90)))
    running = [subprocess.Popen([*RECALL, "push"], stdout=subprocess.PIPE,
                                env={**os.environ, "COMPACT_KEEPER_HOME": str(home)}) for home in homes]
    assert [process.communicate()[0] for process in running] == [b"120 turns sent\n"] * 4
    each = [1_000 * (number + 1) + place for number in range(4) for place in range(90)]
    assert numbers_of(server) == [*range(30), *each]
    assert prompts_of("own 3 77")[0] == "own 3 77"


@pytest.mark.rows(1)
@pytest.mark.parametrize("when", ["within", "before"])
def test_a_push_goes_on_by_itself_when_the_server_comes_back(
        archive: Archive, server: Postgres, monkeypatch: pytest.MonkeyPatch, when: str) -> None:
    monkeypatch.setattr(pushing, "ROWS_PER_BATCH", 10)
    monkeypatch.setattr(pushing, "RETRY_FIRST_SECONDS", 0.2)
    store(archive, *(turn(number, f"alpha {number}") for number in range(50)))
    ask, puts = Server.ask, list[str]()

    def failing(self: Server, query: str, **values: Any) -> list[JsonObject]:
        is_third = query is PUT_SQL and len(puts) == 2
        puts.extend([query] if query is PUT_SQL else [])
        done = ask(self, query, **values) if when == "within" or not is_third else []
        if is_third:
            server.stop()
            threading.Timer(0.3, server.start).start()
        return done or ask(self, query, **values) if is_third and when == "before" else done
    monkeypatch.setattr(Server, "ask", failing)
    assert push_turns(archive, 2 * PATIENCE) == 50
    assert len(puts) == 6  # one of them in vain
    assert numbers_of(server) == [*range(50)]
    assert unsent(archive) == 0


def test_a_push_to_a_server_that_stays_away_ends_in_time(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMPACT_KEEPER_ARCHIVE", "postgresql://127.0.0.1:1/db")
    store(archive, turn(1, "alpha"))
    waited = list[float]()
    monkeypatch.setattr(time, "sleep", waited.append)
    with pytest.raises(Away):
        push_turns(archive)
    assert waited == []
    clock = iter(range(0, 100_000, 10))
    monkeypatch.setattr(time, "time", lambda: next(clock))
    with pytest.raises(Away):
        push_turns(archive, 100)
    assert waited == [1, 2, 4, 8, 16, 32, 60][:len(waited)]
    assert len(waited) > 3
    assert unsent(archive) == 1


def test_only_one_process_sends_at_a_time(archive: Archive) -> None:
    with alone(), pytest.raises(Refusal, match="another"):
        push_turns(archive)
    assert push_turns(archive) == 0


@pytest.mark.parametrize("value", [None, "", "off"])
def test_where_no_server_is_named_that_is_said(
        archive: Archive, monkeypatch: pytest.MonkeyPatch, value: str | None) -> None:
    monkeypatch.delenv("COMPACT_KEEPER_ARCHIVE", raising=False)
    if value is not None:
        monkeypatch.setenv("COMPACT_KEEPER_ARCHIVE", value)
    with pytest.raises(Refusal, match="no server is named: set COMPACT_KEEPER_ARCHIVE=postgresql://"):
        push_turns(archive)


def test_an_address_that_cannot_become_right_is_not_tried_again(
        archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMPACT_KEEPER_ARCHIVE", "nonsense")
    monkeypatch.setattr(time, "sleep", lambda _: pytest.fail("waits"))
    with pytest.raises(Refusal, match="no address"):
        push_turns(archive, 100)


# --- migrations ---


def test_the_tables_have_every_column(server: Postgres) -> None:
    with opened():
        rows = server.sql("SELECT column_name::text FROM information_schema.columns "
                          "WHERE table_schema = 'compact_keeper' AND table_name = 'turns'")
    assert {*COLUMNS, "host", "person", "uid"} < {row[0] for row in rows}


def test_an_older_archive_takes_the_steps_that_are_left(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    store(archive, turn(1, "alpha"))
    push_turns(archive)
    steps = (*MIGRATIONS, "ALTER TABLE turns ADD mood text DEFAULT 'fine'")
    monkeypatch.setattr(archive_postgres, "MIGRATIONS", steps)
    for _ in range(2):
        with opened() as server:
            assert server.version() == len(steps)
            assert server.ask("SELECT mood, prompt FROM turns") == [{"mood": "fine", "prompt": "alpha"}]


def test_a_step_that_fails_leaves_the_archive_as_it_was(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    store(archive, turn(1, "alpha"))
    push_turns(archive)
    before = MIGRATIONS
    steps = (*before, "ALTER TABLE turns ADD mood text", "DROP TABLE nowhere")
    monkeypatch.setattr(archive_postgres, "MIGRATIONS", steps)
    with pytest.raises(Refusal, match="nowhere"):
        Server(os.environ["COMPACT_KEEPER_ARCHIVE"])
    monkeypatch.setattr(archive_postgres, "MIGRATIONS", before)
    with opened() as server:
        assert server.version() == len(before)
        assert "mood" not in server.ask("SELECT * FROM turns")[0]


def test_a_server_of_0_6_0_is_brought_up_to_date(server: Postgres, archive: Archive) -> None:
    """Its rows have no numbers of steps until the turn is sent again."""
    store(archive, turn(1, "alpha", answer="beta"))
    push_turns(archive)
    server.sql("ALTER TABLE compact_keeper.turns DROP COLUMN first")
    server.sql("DELETE FROM compact_keeper.versions WHERE version = 2")
    with opened() as there:
        [passage] = there.find(search("alpha"))
        assert (there.version(), passage["step"], [row["prompt"] for row in there.around(1, 0)]) == (2, None, ["alpha"])
        assert there.with_steps(1, 2, 3) == []
        archive.db.execute("UPDATE turns SET pushed = 0")
        push_turns(archive)
        assert [passage["step"] for passage in there.find(search("alpha beta"))] == [2, 3]
        assert [row["first"] for row in there.with_steps(1, 3, 3)] == [2]
        assert (there.newest_of(SESSION_ID), there.newest_of("none")) == (1, 0)


def test_a_newer_archive_is_refused(server: Postgres, archive: Archive) -> None:
    store(archive, turn(1, "alpha"))
    push_turns(archive)
    server.sql("INSERT INTO compact_keeper.versions VALUES (3)")
    with pytest.raises(Refusal, match="has version 3, this compact-keeper knows 2: update it") as refused:
        Server(os.environ["COMPACT_KEEPER_ARCHIVE"])
    assert not isinstance(refused.value, Away)  # waiting does not help
    assert PASSWORD not in str(refused.value)


def test_many_that_come_first_make_the_tables_once(server: Postgres) -> None:
    with ThreadPoolExecutor(8) as pool:
        versions = [*pool.map(lambda _: first_version(), range(8))]
    assert versions == [2] * 8
    assert server.sql("SELECT version FROM compact_keeper.versions ORDER BY version") == [(1,), (2,)]


def first_version() -> int:
    with opened() as server:
        return server.version()


def test_a_person_without_the_right_to_make_tables_is_told_so(server: Postgres) -> None:
    server.sql(f"CREATE ROLE guest LOGIN PASSWORD '{PASSWORD}'")
    with pytest.raises(Refusal, match="permission denied"):
        Server(server.url().replace("keeper:", "guest:"))


# --- forgetting ---


def files_with(server: Postgres, text: str) -> list[str]:
    """The files of the server's tables, indexes and statistics that hold this text."""
    server.sql("CHECKPOINT")
    files = (path for path in (server.data / "base").rglob("*") if path.is_file())
    return [file.name for file in files if text.encode() in file.read_bytes()]


def test_what_is_forgotten_is_gone_there_and_here(server: Postgres, archive: Archive) -> None:
    store(archive, *(turn(number, f"alpha zebrafish {number}", answer="zebrafish", project="/srv/quetzal")
                     for number in range(300)), turn(999, "alpha stays"))
    push_turns(archive)
    server.sql("ANALYZE")
    assert len(files_with(server, "zebrafish")) > 2
    with opened() as open_server:
        filters = {"project": None, "session": None, "match": "Zebrafish"}
        assert (open_server.count(filters), open_server.forget(filters), open_server.count(filters)) == (300, 300, 0)
    assert files_with(server, "zebrafish") == files_with(server, "quetzal") == []
    assert prompts_of("zebrafish") == []
    assert prompts_of("alpha") == ["alpha stays"]
    assert archive.value("SELECT count(*) FROM turns") == 1
    store(archive, turn(7, "alpha zebrafish 7", answer="zebrafish"))  # its transcript is read once more
    assert (push_turns(archive), numbers_of(server)) == (0, [999])


@pytest.mark.parametrize(("text", "match", "is_named"), [
    ("Ask Ines.", "ines", True), ("two lines", "ine", False), ("two lines", "ines", False),
    ("two lines", "*ine*", True), ("two lines", "lin*", True),
    ("ines_key", "ines", True), ("a+b (c)", "+b (c)", True), ("caf\u00e9", "caf", True)])
def test_whole_words_are_forgotten_here_and_there(archive: Archive, text: str, match: str, is_named: bool) -> None:
    store(archive, turn(1, text))
    push_turns(archive)
    with opened() as server:
        assert [*server.named_by({"match": match}, 9)] == ([[1], 1] if is_named else [[], 0])
        assert (archive.count({"match": match}), server.forget({"match": match})) == (is_named, is_named)
    assert archive.count({}) == 1 - is_named


def test_what_is_forgotten_does_not_come_back_from_another_host(
        archive: Archive, server: Postgres, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store(archive, turn(1, "alpha"))
    push_turns(archive)
    monkeypatch.setenv("COMPACT_KEEPER_HOME", str(tmp_path / "second"))
    with opened() as open_server:
        assert open_server.forget({"match": "alpha"}) == 1
    second = Archive()
    with closing(second.db):
        store(second, turn(1, "alpha"))
        assert push_turns(second) == 1
    archive.db.execute("UPDATE turns SET pushed = 0")
    assert push_turns(archive) == 0 or not unsent(archive)
    assert numbers_of(server) == []
    assert server.sql("SELECT word FROM compact_keeper.vocabulary") == []


def test_turns_that_were_never_sent_are_forgotten_too(archive: Archive) -> None:
    store(archive, turn(1, "alpha"))
    with opened() as server:
        assert (server.count({"match": "alpha"}), server.forget({"match": "alpha"})) == (1, 1)
    assert (push_turns(archive), archive.value("SELECT count(*) FROM turns")) == (0, 0)


def test_while_the_server_is_away_nothing_is_found_or_forgotten_and_a_line_says_so(
        server: Postgres, archive: Archive) -> None:
    store(archive, turn(1, "alpha"))
    push_turns(archive)
    with opened() as searching, opened() as forgetting:
        server.stop()
        try:
            with pytest.raises(Away) as refused:
                searching.find(search("alpha"))
            with pytest.raises(Away):
                forgetting.forget({"match": "alpha"})
        finally:
            server.start()
    assert len(str(refused.value).splitlines()) == 1
    assert archive.value("SELECT count(*) FROM turns") == 1
    assert numbers_of(server) == [1]


# --- searching ---


def test_each_kind_is_searched_alone(archive: Archive) -> None:
    store(archive, *(turn(number, **{kind: f"marker {kind}"}) for number, kind in enumerate(KINDS)))
    push_turns(archive)
    for kind in KINDS[:-1]:  # a decision stands in a step of another kind
        with opened() as server:
            [row] = server.find(search("marker", kind=kind))
        assert row[kind] == f"marker {kind}"
    assert len(prompts_of("marker")) == len(KINDS) - 1
    assert prompts_of("decision", kind="error") == []


FOUND: list[tuple[str, JsonObject, list[int]]] = [  # in three turns: a text, filters, the places of what is found
    ("alpha", {"project": CWD}, [1, 2]), ("alpha", {"project": "parcel-rates"}, [1, 2]),
    ("alpha", {"project": "/home/ada"}, [1, 2, 3]), ("alpha", {"project": "rates"}, []),
    ("alpha", {"project": "/home/ada/parcel"}, []),
    ("alpha", {"session": SESSION_ID[:9]}, [1, 2, 3]), ("alpha", {"session": SESSION_ID[1:]}, []),
    ("alpha", {"since": START + 2}, [2, 3]), ("alpha", {"until": START + 2}, [1]),
    ('"get user"', {}, [2]), ("getUser", {}, [2]), ("get_user", {}, [2]), ("ge*", {}, [2]), ('"user get"', {}, []),
    ("alpah", {}, [1, 2, 3]), ("日本", {}, [3]), ("nothing of it", {}, []), ("", {"project": "tools"}, [3])]


def test_filters_phrases_prefixes_and_spelling(archive: Archive) -> None:
    store(archive, turn(1, "alpha one"), turn(2, "alpha getUser"),
          turn(3, "alpha 日本語", project="/home/ada/tools"))
    push_turns(archive)
    with opened() as server:
        for text, filters, expected in FOUND:
            there, here = (place.find(search(text or "alpha", **filters)) for place in (server, archive))
            assert sorted(row["start"] for row in there) == expected, (text, filters)
            assert sorted(row["start"] for row in here) == expected, (text, filters)
            assert {row["score"] for row in there} == {row["score"] for row in here}, (text, filters)
            assert server.count(filters) == archive.count(filters), filters


def test_a_turn_is_shown_with_its_parts_and_neighbours(archive: Archive) -> None:
    store(archive, *(turn(number, f"alpha {number}", turn=number // 2) for number in range(10)))
    store(archive, turn(4, "alpha other"), source="other")
    push_turns(archive)
    with opened() as server:
        ids = {row["prompt"]: row["id"] for row in server.find(search("alpha"))}
        for context in (0, 1, 9):
            local = archive.value("SELECT id FROM turns WHERE prompt = 'alpha 4'")
            there, here = server.around(ids["alpha 4"], context), archive.around(local, context)
            assert [row["prompt"] for row in there] == [row["prompt"] for row in here]
            assert len(there) == {0: 2, 1: 6, 9: 10}[context]
        assert server.around(1 << 70, 1) == server.around(-1, 0) == []


def test_the_newest_changes_of_a_file_are_found(archive: Archive) -> None:
    store(archive, *(turn(number, f"alpha {number}", file=f"{tool} /a.py\nx\n") for number, tool in
                     enumerate(("Edit", "Write", "Read", "Edit", "Edit"))))
    store(archive, turn(7, "alpha other", file="Edit /a.py\nx"), source="other")
    push_turns(archive)
    with opened() as server:
        for place in (archive, server):
            ids = {row["prompt"]: row["id"] for row in place.find(search("alpha"))}
            for begin, most, expected in ((0, 9, "0134"), (1, 9, "134"), (0, 2, "34"), (2, 9, "34")):
                rows = place.changing(ids[f"alpha {begin}"], ["Edit /a.py\n", "Write /a.py\n"], most)
                assert sorted(row["prompt"] for row in rows) == [f"alpha {number}" for number in expected]
            assert place.changing(1 << 60, ["Edit /a.py\n"], 9) == []


def test_a_step_is_named_by_its_tag(archive: Archive) -> None:
    steps = [json.dumps([["prompt", 7, tag]]) for tag in ("k3fq", "k3fq", "zzz2")]
    sessions = ("a", "b", "b")
    store(archive, *(turn(number, f"alpha {number}", steps=tagged, session=sessions[number])
                     for number, tagged in enumerate(steps)))
    push_turns(archive)
    with opened() as server:
        for place in (archive, server):
            named = [[row["prompt"] for row in place.tagged(session, "k3fq")] for session in ("a", "b", "c", "")]
            assert named == [["alpha 0"], ["alpha 1"], ["alpha 0", "alpha 1"], ["alpha 0", "alpha 1"]]
            assert place.tagged("a", "zzzz") == []


def made_up(rng: random.Random, turns: int) -> Iterator[JsonObject]:
    """Turns of words of which some are common and most rare, as in a language."""
    words = ["".join(rng.choices("aeioubcdfghklmnprst", k=rng.randint(3, 9))) for _ in range(4_000)]
    words[::7] = [f"{word}_{words[at]}" for at, word in enumerate(words[::7])]
    words[3::11] = [f"src/{word}.py" for word in words[3::11]]
    weights = [1 / (at + 3) for at in range(len(words))]
    for number in range(turns):
        texts = {kind: " ".join(rng.choices(words, weights, k=rng.randint(1, 20))) for kind in KINDS}
        who = rng.choice(["person"] * 8 + ["summary", "subagent"])
        yield turn(number, **texts, who=who, project=f"/srv/{number % 7}", time=START + 1e4 * (number - turns))


def made_question(rng: random.Random, row: JsonObject, form: int) -> JsonObject:
    """A question for a turn: words, a phrase, a prefix, a misspelt word, an identifier, or with a filter."""
    spoken = row["answer"].split() + row["prompt"].split()
    words, long = rng.sample(spoken, min(len(spoken), rng.randint(1, 6))), max(spoken, key=len)
    at = rng.randrange(len(spoken))
    forms: list[tuple[str, JsonObject]] = [
        (" ".join(words), {}), (f'"{" ".join(row["prompt"].split()[:2])}" {words[0]}', {}),
        (f"{long[:5]}* {words[0]}", {}), (f"{long[1]}{long[0]}{long[2:]} {words[0]}", {}), (spoken[at], {}),
        (" ".join(words), {"kind": rng.choice(KINDS)}), (" ".join(words), {"project": row["project"]}),
        (" ".join(words), {"since": row["time"] - 1e6})]
    text, filters = forms[form % len(forms)]
    return search(text, **filters)


def test_both_archives_give_the_same_answers(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 32 questions, so many have the same first answer and the same first five; few rows make words frequent."""
    rng = random.Random(1)
    rows = [*made_up(rng, 400)]
    store(archive, *rows)
    push_turns(archive)
    questions = [made_question(rng, rng.choice(rows), form) for form in range(32)]
    for most_rows in (8_000, 100):
        for module in (archive_question, archive_postgres):
            monkeypatch.setattr(module, "MOST_ROWS", most_rows)
        with opened() as server:
            both = [[[(row["hash"], row["score"]) for row in place.find(question)[:5]] for place in (archive, server)]
                    for question in questions]
        firsts = [(here[0], there[0]) for here, there in both if here and here[0][0] == there[0][0]]
        same = sum(dict(here).keys() == dict(there).keys() for here, there in both)
        assert min(len(firsts), same) >= 30
        assert max(abs(here[1] - there[1]) for here, there in firsts) < 0.02


FAR = " ".join(f"w{number}" for number in range(30))


@pytest.mark.rows(6)
@pytest.mark.parametrize(("text", "row", "expected"), [
    ("drop rates", {"prompt": "drop rates"}, True),
    ("drop rates", {"prompt": "rates " + "x " * 16 + "drop"}, True),  # as many words between them as may be
    ("drop rates", {"prompt": "rates " + "x " * 17 + "drop"}, False),
    ("drop rates", {"prompt": "drop", "answer": "rates"}, False),  # near where they are kept, not for a reader
    ("drop src/rates", {"prompt": "drop src/rates"}, True),
    ("quagga drop rates", {"prompt": f"quagga drop {FAR} rates"}, True)])  # beside a rare word that others have too
def test_both_archives_choose_rows_by_frequent_words(
        archive: Archive, monkeypatch: pytest.MonkeyPatch, text: str, row: JsonObject, expected: bool) -> None:
    """Whether the oldest row is among those that are weighed, beside more newer ones than there is room for."""
    for module in (archive_question, archive_postgres, local_archive):
        monkeypatch.setattr(module, "MOST_ROWS", 61)
    store(archive, turn(0, **row), *(turn(number, f"drop {FAR} src/rates {number}") for number in range(1, 71)),
          *(turn(number, f"quagga {number}") for number in range(71, 131)))
    push_turns(archive)
    with opened() as server:
        weighed = [{row["start"] for row in place.find(search(text))} for place in (archive, server)]
    assert [0 in rows for rows in weighed] == [expected, expected]
    assert weighed[0] == weighed[1]


# --- the command line ---


def test_the_commands_ask_the_server(archive: Archive, tmp_path: Path) -> None:
    store(archive, turn(1, "alpha one"), turn(2, "alpha two"))

    def run(*arguments: str) -> str:
        done = recalled(*arguments)
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout
    assert run("push") == "2 turns sent\n"
    shutil.copy(archive.path, tmp_path / "kept.db")
    archive.db.execute("DELETE FROM turns")  # so that only the server can answer
    [hit] = json.loads(run("search", "two", "--json"))["hits"]
    assert hit["snippet"] == "alpha two"
    assert "alpha two" in run("show", str(hit["id"]))
    assert json.loads(run("stats", "--json"))["turns"] == 2
    assert run("forget", "--match", "two", "--yes").startswith("1 turn removed, with all of its ")
    assert len(json.loads(run("search", "alpha", "--json"))["hits"]) == 1


def recalled(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """What recall.py prints."""
    return subprocess.run([*RECALL, *arguments], text=True, capture_output=True, env={**os.environ, **environment})


def test_a_search_falls_back_on_this_machine_while_the_server_is_away(archive: Archive) -> None:
    store(archive, turn(1, "the kestrel ledger"))
    away = f"postgresql://u:{SECRET}@127.0.0.1:1/db"
    done = recalled("search", "kestrel", COMPACT_KEEPER_ARCHIVE=away)
    assert (done.returncode, "typed: the kestrel ledger" in done.stdout) == (0, True)
    assert done.stderr.startswith("compact-keeper: ")
    assert done.stderr.endswith("; this machine's archive answers\n")
    assert SECRET not in done.stderr
    for arguments in (["show", "1"], ["forget", "--match", "kestrel", "--yes"]):  # numbers differ; nothing half done
        assert recalled(*arguments, COMPACT_KEEPER_ARCHIVE=away).returncode == 1
    assert archive.count({"match": "kestrel"}) == 1


@pytest.mark.usefixtures("archive")
def test_what_a_save_starts_sends_the_turns_too(tmp_path: Path) -> None:
    (tmp_path / "home" / "config.json").write_text(json.dumps(FOREVER), encoding="utf-8")
    session = Session()
    session.typed("Where does the osprey nest?")
    path = session.write(tmp_path / f"{SESSION_ID}.jsonl")
    done = recalled("index", "--quiet", str(path))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert prompts_of("osprey nest") == ["Where does the osprey nest?"]


@pytest.mark.usefixtures("archive")
def test_beside_another_that_sends_it_says_nothing(tmp_path: Path) -> None:
    with alone():
        done = recalled("index", "--quiet", str(tmp_path))
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
        assert recalled("push").returncode == 1


def test_hits_of_another_machine_say_so(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "gethostname", lambda: "ada-lap")
    store(archive, turn(1, "the kestrel ledger"))
    push_turns(archive)
    assert " · parcel-rates on ada-lap · main · show 1#2\n" in recalled("search", "kestrel").stdout
    assert f" · {CWD} on ada-lap · branch main" in recalled("show", "1").stdout
