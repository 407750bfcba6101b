"""The benchmark of the archive: questions are what their rule says, answers are judged right, made-up sessions hold."""

from __future__ import annotations

import json
import math
import os
import random
import re
import sqlite3
import time
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path

import pytest

import archive
from archive import Answer, Archive, Done, Question, Row, Turn
from compact_keeper.store import settings
from replay import prompts, read_records
from sessions import Session, as_line

LONG = "The parser keeps every quoted delimiter inside tariff columns"


def turn(number: int, text: str, at: float = 0.0) -> Turn:
    return Turn(number, at, text)


def answer(place: int, half: str = "fit", kind: str = "prompt", right: int = 1) -> Answer:
    return Answer(Question(kind, half, "s", ["w"]), place, 1, right)


def given(*argv: str) -> Namespace:
    return archive.arguments(argv)


def script(folder: Path, source: str) -> Archive:
    """A data folder, with this in place of recall.py."""
    (folder / "recall.py").write_text(source, encoding="utf-8")
    return Archive(folder / "home", folder)


# --- questions ---


@pytest.mark.parametrize(("text", "expected"), [
    ("", []),
    ("Too short. " + LONG + ". And again too.", [LONG + "."]),
    (LONG + "\n\n" + LONG + "?", [LONG, LONG + "?"]),
    ("- " + LONG + "\n12. " + LONG + "\n## " + LONG, [LONG] * 3),
    ("```\n" + LONG + "\n```\nbehind it a sentence stands", ["behind it a sentence stands"]),
    (LONG + "\n```py\n" + LONG + " never closed", [LONG]),
    ("x" * 300, ["x" * 300]),
    ("x" * 301, []),
    ("x" * 19, []),
])
def test_sentences(text: str, expected: list[str]) -> None:
    assert archive.sentences(text) == expected


def test_content_words_are_no_stop_words_and_come_once() -> None:
    assert archive.content_words("Don't we use the Parser, a parser's user_name or v2 on 217s?") == [
        "parser", "parsers", "user_name", "217s"]


@pytest.mark.parametrize(("text", "expected"), [
    ("call get_user_name and getUserName or UserName", ["get_user_name", "getUserName", "UserName"]),
    ("MAX_SIZE of src/auth/jwt.ts, then lib/core.py", ["MAX_SIZE", "src/auth/jwt.ts", "lib/core.py"]),
    ("read README.md, run.sh and a.b", ["README.md", "run.sh"]),
    ("open ~/notes/todo and /srv/app/bin", ["~/notes/todo", "/srv/app/bin"]),
    ("and/or, e.g. Plain Words, PR #12, v1.2", []),
    ("a_b a_b", ["a_b"]),
])
def test_identifiers(text: str, expected: list[str]) -> None:
    assert archive.identifiers(text) == expected


def one_edit(word: str, other: str) -> bool:
    """Whether a swap of neighbours, a letter dropped, doubled or replaced makes the other of the word."""
    edits = set[str]()
    for at in range(len(word)):
        head, tail = word[:at], word[at + 1:]
        edits |= {head + tail, head + 2 * word[at] + tail, head + tail[:1] + word[at] + tail[1:]}
        edits |= {head + letter + tail for letter in "abcdefghijklmnopqrstuvwxyz"}
    return other in edits - {word}


@pytest.mark.parametrize("word", ["parser", "aa", "letter", "x1", "get_user", "naïve"])
def test_a_misspelt_word_is_one_slip_away(word: str) -> None:
    found = {archive.misspelt(random.Random(seed), word) for seed in range(200)}
    assert len(found) > len(word)
    assert all(one_edit(word, other) for other in found)


def test_a_misspelling_is_the_same_for_the_same_seed() -> None:
    assert archive.misspelt(random.Random(7), "delimiter") == archive.misspelt(random.Random(7), "delimiter")


@pytest.mark.parametrize(("count", "asked"), [(4, 3), (6, 3), (7, 3), (8, 4), (12, 6)])
def test_a_paraphrase_is_half_of_the_words_one_misspelt(count: int, asked: int) -> None:
    words = [f"{chr(97 + at)}{'kqwz' * 2}{chr(97 + at)}" for at in range(count)]
    orders = set()
    for seed in range(20):
        found = archive.paraphrase(random.Random(seed), " the ".join(words))
        known = [word for word in found if word in words]
        wrong = next(word for word in found if word not in words)
        assert len(found) == asked == len(set(known)) + 1
        assert any(one_edit(word, wrong) for word in words)
        orders.add(tuple(words.index(word) for word in known) == tuple(sorted(words.index(word) for word in known)))
    assert False in orders  # shuffled


def test_long_words_are_misspelt_rather_than_short_ones() -> None:
    found = [archive.paraphrase(random.Random(seed), "abc def ghi delimiter") for seed in range(50)]
    assert all("delimiter" not in words for words in found)
    assert any({"abc", "def", "ghi"} - set(words) for words in found)  # the long one is not always asked for


def session_file(folder: Path, name: str = "one.jsonl") -> Path:
    """A session with two prompts, a decision typed, one said and one in a command's output."""
    session = Session()
    session.typed(f"{LONG}. Second sentences about carriers count for nothing. yes")
    session.says("We decided to store tariff_rows instead of parsed carrier columns.\nPlain remarks say nothing.")
    session.ran("Bash", "We decided to trust every loud command output instead.", command="make test")
    session.typed("let's keep strict quoting for legacy surcharge imports")
    return session.write(folder / name)


def test_material_is_typed_and_said_never_printed(tmp_path: Path) -> None:
    first, deciding = archive.material(session_file(tmp_path))
    assert first == [LONG + ".", "let's keep strict quoting for legacy surcharge imports"]
    assert deciding == ["let's keep strict quoting for legacy surcharge imports",
                        "We decided to store tariff_rows instead of parsed carrier columns."]


def test_each_sentence_is_asked_for_once_of_a_kind(tmp_path: Path) -> None:
    for name in ("one.jsonl", "two.jsonl", "three.jsonl", "four.jsonl"):
        session_file(tmp_path, name)
    turns = [turn(1, f"We decided to store tariff_rows {LONG}")]
    found = archive.questions(given(str(tmp_path)), turns)
    assert sorted((one.kind, one.sentence) for one in found) == sorted([
        ("prompt", LONG + "."), ("prompt", "let's keep strict quoting for legacy surcharge imports"),
        *((kind, "We decided to store tariff_rows instead of parsed carrier columns.")
          for kind in ("decision", "identifiers"))])
    assert next(one.words for one in found if one.kind == "identifiers") == ["tariff_rows"]
    assert found == archive.questions(given(str(tmp_path)), turns)
    assert found != archive.questions(given(str(tmp_path), "--seed", "2"), turns)


@pytest.mark.parametrize(("count", "asked"), [(0, 0), (1, 1), (archive.FEW, 1), (archive.FEW + 1, 0)])
def test_identifiers_are_asked_for_where_few_turns_hold_one(tmp_path: Path, count: int, asked: int) -> None:
    session_file(tmp_path)
    turns = [turn(number, "of TARIFF_ROWS here") for number in range(count)]
    found = archive.questions(given(str(tmp_path)), turns)
    assert sum(one.kind == "identifiers" for one in found) == asked


def test_no_session_outweighs_the_others(tmp_path: Path) -> None:
    session = Session()
    for number in range(30):
        session.typed(f"{LONG} number{number}")
    session.write(tmp_path / "long.jsonl")
    assert len(archive.questions(given(str(tmp_path)), [])) == archive.PER_SESSION


def test_halves_have_no_session_in_common(tmp_path: Path) -> None:
    for number in range(12):
        session = Session()
        session.typed(f"{LONG} number{number}")
        session.write(tmp_path / f"{number}.jsonl")
    both = archive.questions(given(str(tmp_path)), [])
    parts = {half: archive.questions(given(str(tmp_path), "--half", half), []) for half in archive.HALVES}
    assert both == parts["fit"] + parts["check"]
    assert all(one.half == half for half, found in parts.items() for one in found)
    assert all(parts.values())


def test_a_secret_is_sought_as_it_is_stored(tmp_path: Path) -> None:
    session = Session()
    session.typed("deploy carrier imports with password=hunter2hunter2 tonight")
    session.write(tmp_path / "secret.jsonl")
    assert [one.sentence for one in archive.questions(given(str(tmp_path)), [])] == [
        "deploy carrier imports with password=[redacted: password] tonight"]


# --- searches beside ours ---


def embedding_as_seed_systems_write_it(text: str) -> list[float]:
    """Hash and sine for each dimension anew, over UTF-16 code units, in 32 bits."""
    code = text.lower().strip().encode("utf-16-le")
    units, vector = [int.from_bytes(code[at:at + 2], "little") for at in range(0, len(code), 2)], []
    for dimension in range(archive.DIMENSIONS):
        total = 0
        for unit in units:
            total = ((total << 5) - total + unit * (dimension + 1)) & 0xFFFFFFFF
            total -= (total >> 31) << 32
        vector.append((math.sin(total) + 1) / 2)
    norm = math.sqrt(sum(one * one for one in vector))
    return [one / norm for one in vector]


@pytest.mark.parametrize("text", ["", "a", "  Parser of Quoted fields ", "naïve 日本 🙂", "x" * 500])
def test_the_hash_embedding_is_the_one_of_seed_systems(text: str) -> None:
    assert list(archive.hash_embedding(text)) == pytest.approx(embedding_as_seed_systems_write_it(text), abs=1e-6)


def test_the_hash_embedding_finds_the_very_text() -> None:
    search = archive.embedding_search([turn(number, f"text {number}") for number in range(30)])
    assert search(["text", "17"])[0] == 17
    assert len(search(["text", "17"])) == archive.TOP


def test_substring_search_counts_words_and_prefers_the_newest() -> None:
    search = archive.substring_search([
        turn(1, "Quoted parser", 10), turn(2, "parsers quoted", 20), turn(3, "parser", 30), turn(4, "none", 40)])
    assert search(["parser", "QUOTED"]) == [2, 1, 3]
    assert search(["absent"]) == []


def test_phrase_search_wants_the_whole_question() -> None:
    search = archive.phrase_search([turn(1, "quoted Parser here"), turn(2, "parser quoted")])
    assert search(["Quoted", "parser"]) == [1]
    assert search(["parser", "here", "quoted"]) == []


# --- judging ---


@pytest.mark.parametrize(("hits", "place", "first"), [
    ([3, 2, 1], 3, 3), ([1], 1, 1), ([4, 1, 9], 2, 4), ([2, 3], 0, 2), ([], 0, 0), ([*range(20, 30), 1], 0, 20)])
def test_the_first_right_turn_counts(hits: list[int], place: int, first: int) -> None:
    turns = [turn(1, "so the parser keeps it"), turn(2, "the Parser keeps it"), turn(9, "the parser keeps it all")]
    asked = [Question("prompt", "fit", "the parser keeps it", ["parser"])]
    assert archive.answers_of(lambda _words: hits, asked, turns) == [Answer(asked[0], place, first, 2)]


def test_ranks() -> None:
    answers = [answer(1), answer(2), answer(10), answer(0)]
    assert archive.reciprocal_rank(answers) == pytest.approx((1 + 0.5 + 0.1) / 4)
    assert archive.told_ranks(answers) == "0.400; 0.25 / 0.50 / 0.75"
    assert archive.reciprocal_rank([]) == 0


@pytest.mark.parametrize(("places", "met"), [([1, 1, 1, 1, 0], True), ([1, 1, 1, 0], False)])
def test_each_half_must_reach_the_goal(places: list[int], met: bool) -> None:
    answers = [answer(place, half) for half in archive.HALVES for place in places]
    rows = list(archive.finding_rows("found", answers, is_ours=True))
    assert [row.met for row in rows if row.goal] == [met, met]
    assert len(rows) == 2 * (1 + len(archive.KINDS))
    assert {row.met for row in archive.finding_rows("other", answers, is_ours=False)} == {None}


def test_failures_show_the_fit_half_only() -> None:
    wrong = Answer(Question("prompt", "fit", "sought words", ["sought", "wxrds"]), 0, 2, 1)
    check = Answer(Question("prompt", "check", "hidden words", ["hidden"]), 0, 2, 1)
    text = archive.shown_failures([wrong, check, answer(1)], [turn(1, "sought words"), turn(2, "was Sought too")])
    assert "sought (1 turns): sought words" in text
    assert "first (2): was Sought too" in text
    assert "2 turns hold 1 of the 2 words" in text
    assert "hidden" not in text


def test_the_table_says_what_is_not_met() -> None:
    lines = archive.table([Row("a", "1"), Row("longer", "22", "≤ 3", False), Row("c", "3", "≤ 3", True)]).splitlines()
    assert len({len(line) for line in lines}) == 1
    assert [line.rsplit("|", 2)[1].strip() for line in lines[2:]] == ["", "NOT MET", "met"]


# --- made-up sessions ---


def test_the_vocabulary_is_as_words_are() -> None:
    words, weights = archive.vocabulary(1)
    assert len(words) == len(set(words)) == len(weights) == archive.VOCABULARY
    assert {*words[:len(archive.STOP_WORDS)]} == archive.STOP_WORDS
    share = sum(bool(archive.identifiers(word)) for word in words) / len(words)
    assert 0.05 < share < 0.15
    assert 0.3 < weights[len(archive.STOP_WORDS)] / weights[-1] < 0.6


def test_turns_are_the_same_for_the_same_seed_and_about_100_words_long() -> None:
    turns = [*archive.made_turns(1, 3, 200)]
    assert turns == [*archive.made_turns(1, 3, 200)]
    assert turns != [*archive.made_turns(1, 4, 200)] != [*archive.made_turns(2, 4, 200)]
    assert 70 < sum(len(" ".join(turn).split()) for turn in turns) / 200 < 120
    assert 5 < sum(bool(turn.error) for turn in turns) < 40


def test_made_up_transcripts_are_read_as_written(tmp_path: Path) -> None:
    archive.write_sessions(tmp_path, 1, [2] * 21)
    files = sorted(tmp_path.rglob("*.jsonl"))
    assert len(files) == 21
    assert len({file.parent for file in files}) == archive.PROJECTS
    for number, file in enumerate(sorted(files, key=lambda file: file.name)):
        _, records = read_records(file)
        assert prompts(records) == [one.prompt for one in archive.made_turns(1, number, 2)]
        assert {record["sessionId"] for record in records} == {file.stem}
        assert {record["cwd"] for record in records} == {archive.project_of(number)}


def test_two_years_are_covered() -> None:
    assert archive.began(0, 4_000) == archive.START
    assert archive.SPAN - 86_400 < archive.began(3_999, 4_000) - archive.START < archive.SPAN


@pytest.mark.parametrize("form", archive.FORMS)
def test_a_query_asks_for_words_of_one_turn(form: str) -> None:
    asked = given("--turns", "1000")
    every = {word for number in range(4) for turn in archive.made_turns(1, number, archive.SESSION_TURNS)
             for word in f"{turn.prompt} {turn.answer} {turn.file}".split()}
    for seed in range(10):
        words = archive.query(random.Random(seed), asked, form)
        marked = [word for word in words if not {word.strip('"*')} <= every]
        expected = {"project": r"--project /srv/work/project-\d+", "since": r"--since 202[45]-\d\d-\d\d",
                    "kind": "--kind (prompt|answer|command)", "phrase": '"[^" ]+ [^" ]+ [^" ]+"',
                    "prefix": r"\S{1,4}\*", "misspelt": r"\S+"}.get(form, "")
        assert re.fullmatch(expected, " ".join(marked)) or (form == "prefix" and not marked)
        assert 1 <= len(words) <= 10


def test_queries_are_the_same_every_time() -> None:
    asked = given("--turns", "1000")
    assert [archive.query(random.Random(3), asked, form) for form in archive.FORMS] == [
        archive.query(random.Random(3), asked, form) for form in archive.FORMS]


@pytest.mark.parametrize(("count", "expected"), [(1, 1), (19, 19), (20, 19), (200, 190)])
def test_percentile(count: int, expected: int) -> None:
    assert archive.percentile([*range(count, 0, -1)], 0.95) == expected


# --- processes ---


def test_the_script_sees_nothing_of_the_users_own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", "/elsewhere")
    monkeypatch.setenv("COMPACT_KEEPER_ARCHIVE", "postgresql://elsewhere")
    stand_in = script(tmp_path, "import os, sys; print(sys.argv[1:]); print(os.environ)")
    done = stand_in.passed("search", "naïve")
    assert "elsewhere" not in done.out
    assert done.out.startswith("['search', 'naïve']\n")
    assert repr(str(tmp_path / "home" / "claude")) in done.out


def test_nothing_is_too_old_or_too_much(tmp_path: Path) -> None:
    home = Archive(tmp_path / "home", tmp_path).home
    used = settings.settings_of(settings.default_settings(), str(home / "config.json"), "", pytest.fail)
    assert used["archive_days"] * 86_400 > time.time() - archive.START
    assert used["archive_mb"] > 100_000


def test_a_failing_process_ends_the_bench(tmp_path: Path) -> None:
    stand_in = script(tmp_path, "import sys; sys.exit('no such table')")
    assert stand_in.run("index").code == 1
    with pytest.raises(SystemExit, match="no such table"):
        stand_in.passed("index")


def test_turns_are_read_whole_and_folded(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "archive.db") as database:
        database.execute("CREATE TABLE turns (id, time, prompt, answer, command, file, error)")
        database.execute("INSERT INTO turns VALUES (4, 1.5, 'two\n lines', NULL, 'make', '', 'E')")
    database.close()
    (tmp_path / "archive.db-wal").write_bytes(b"12345")
    found = Archive(tmp_path, tmp_path)
    assert found.size() == (tmp_path / "archive.db").stat().st_size + 5
    (tmp_path / "archive.db-wal").unlink()
    assert found.turns() == [Turn(4, 1.5, "two lines make E")]


def test_one_core_and_then_all_again() -> None:
    if not hasattr(os, "sched_getaffinity"):
        pytest.skip("this system has no affinity")
    before = os.sched_getaffinity(0)
    with archive.one_core():
        assert len(os.sched_getaffinity(0)) == 1
    assert os.sched_getaffinity(0) == before


class Watched(Archive):
    """Sees the file at each run instead of indexing it."""

    def __init__(self, home: Path) -> None:
        super().__init__(home, home)
        self.seen: list[bytes] = []

    def run(self, *arguments: str) -> Done:
        self.seen.append(Path(arguments[1]).read_bytes())
        time.sleep(0.01)
        return Done(0, "", "", 0.0)


def test_a_writer_tears_its_lines_and_completes_them(tmp_path: Path) -> None:
    watched = Watched(tmp_path)
    markers, runs = archive.write_on(watched, 1, 3, time.monotonic() + 0.1)
    assert len(markers) >= 2
    assert len(runs) == len(watched.seen) == len(markers) + 1
    assert all(not seen.endswith(b"\n") for seen in watched.seen[:-1])
    assert all(after.startswith(before) for before, after in zip(watched.seen, watched.seen[1:]))
    _, records = read_records(tmp_path / "writer-3.jsonl")
    assert [text.split()[0] for text in prompts(records)] == markers


def test_markers_are_words_of_their_own() -> None:
    markers = [archive.marker(writer, number) for writer in range(archive.WRITERS) for number in range(0, 9_999, 7)]
    assert len(set(markers)) == len(markers)
    assert all(re.fullmatch("zq[g-p]{6}", one) for one in markers)


@pytest.mark.parametrize(("source", "expected"), [
    ("print(json.dumps({'hits': [{'snippet': 'so zqgggggg it'}]}))", True),
    ("print(json.dumps({'hits': [{'snippet': 'so zqgggggh it'}]}))", False),
    ("print(json.dumps({'hits': []}))", False),
    ("raise SystemExit('database is locked')", False),
])
def test_a_marker_is_found_where_a_hit_shows_it(tmp_path: Path, source: str, expected: bool) -> None:
    assert archive.found_again(script(tmp_path, f"import json; {source}"), "zqgggggg") is expected


FORGETFUL = """
import json, os, re, sqlite3, sys
database = sqlite3.connect(os.environ["COMPACT_KEEPER_HOME"] + "/archive.db", timeout=30)
database.execute("CREATE TABLE IF NOT EXISTS turns (id INTEGER PRIMARY KEY, time, prompt UNIQUE, answer, command, file,"
                 " error)")
if sys.argv[1] == "index":
    for word in re.findall(r"zq[g-p]{6}", open(sys.argv[2]).read()):
        if not word.endswith("h") and not word.endswith("ggg"):
            database.execute("INSERT OR IGNORE INTO turns (prompt) VALUES (?)", (word,))
        if word.endswith("i"):
            database.execute("INSERT OR IGNORE INTO turns (prompt) VALUES (?)", (word + " again",))
    database.commit()
    if word.endswith("j"):
        sys.exit("database is locked")
else:
    found = database.execute("SELECT prompt FROM turns WHERE prompt = ?", (sys.argv[2],)).fetchall()
    print(json.dumps({"hits": [{"snippet": row[0]} for row in found]}))
"""


def test_what_is_lost_stored_twice_or_locked_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "recall.py").write_text(FORGETFUL, encoding="utf-8")
    monkeypatch.setattr(archive, "WRITERS", 1)
    monkeypatch.setattr(archive, "READERS", 1)
    rows = archive.measure_together(given("--scripts", str(tmp_path), "--seconds", "2"), tmp_path / "home")
    counts = {row.what: row.figure for row in rows}
    assert int(counts["– turns lost"]) >= 2
    assert int(counts["– turns stored twice"]) >= 1
    assert int(counts['– "database is locked"']) >= 1
    assert counts["– other errors"] == "0"
    assert [row.met for row in rows] == [None, False, False, False, True]


# --- run ---


@pytest.mark.parametrize(("met", "code"), [((None, True), 0), ((None, False, True), 1), ((), 0)])
def test_exit_code(met: Sequence[bool | None], code: int, monkeypatch: pytest.MonkeyPatch,
                   capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(archive, "measure_unchanged", lambda _given, _folder: [Row("w", "f", "g", one) for one in met])
    assert archive.main(["--part", "unchanged"]) == code
    assert len(capsys.readouterr().out.splitlines()) == 2 + len(met)


@pytest.mark.parametrize("argv", [["--part", "nothing"], ["--half", "both"], ["--turns", "many"], ["--unknown"]])
def test_a_wrong_argument_is_refused(argv: list[str]) -> None:
    with pytest.raises(SystemExit) as refused:
        archive.main(argv)
    assert refused.value.code == 2


def test_without_transcripts_there_is_nothing_to_find(tmp_path: Path) -> None:
    (tmp_path / "readme.md").write_bytes(as_line({}))
    with pytest.raises(SystemExit, match="no transcript in"):
        archive.main([str(tmp_path), "--part", "finding"])


def test_hits_are_those_of_the_search() -> None:
    assert Done(0, json.dumps({"hits": [{"id": 3}], "note": ""}), "", 0.1).hits == [{"id": 3}]
