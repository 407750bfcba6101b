"""Questions to the archive: hostile ones first, then words, phrases, ranks and filters."""

from __future__ import annotations

import json
import random
import time
import unicodedata
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from archived import prompts_found, search, store, stored_prompts, turn
from compact_keeper.archive import local_archive
from compact_keeper.archive import question as archive_question
from compact_keeper.archive.index_words import indexed
from compact_keeper.archive.kinds import KINDS
from compact_keeper.archive.local_archive import Archive
from compact_keeper.archive.passages import (
    LINE_INDENT_CHARACTERS,
    WEIGHED_LEAST,
    excerpt,
    folded_text,
    sentences_of,
    steps_with_phrases,
    without_doubles,
)
from compact_keeper.archive.question import question
from compact_keeper.archive.wording import hits_text, hits_within
from compact_keeper.store.refusal import Refusal
from sessions import SESSION_ID, START, JsonObject

# --- hostile questions ---

SYNTAX = (
    '"', '""', "'", "*", "**", "a*b", "*a", "(", ")", "()", "a AND b", "NOT a", "OR", "NEAR(a b)", "a NEAR/2 b", "^a",
    "prompt:a", "prompt : a", "{prompt answer}: a", "- a", "+", "-a", ":", "::", "\\", ";", "--", "/*", "%", "_", "a;b",
    "'; DROP TABLE turns; --", '" OR 1', 'a" OR "b', '"a" * "b', '"a b', "words", "rowid", "rank:x", "[a]", "{a}",
    "\0", "a\0b", '"a\0b"', "\ud800", "\udcff a", "🚚", "___", "\u0301", "\u200b", "½", "ﷺ", "⑴", "١٢", "a" * 65, "中",
    "\n", "\t", "a\nb", "ａｂｃ", "İ", "ß", "ǆ", "ﬀ", "\U0010ffff", "NULL", "?1", ":a", "@a", "$a", "0x", "1e999")


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Archive]:
    """An archive whose turns say what is asked for here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COMPACT_KEEPER_HOME", str(tmp_path_factory.mktemp("home")))
        archive = Archive()
    stored_prompts(archive, *filter(str.isprintable, SYNTAX), "the same words as all", "the rates were rounded")
    yield archive
    archive.db.close()


@given(text=st.one_of(st.text(max_size=300), st.lists(st.sampled_from((*SYNTAX, "rates", "the", '"')), max_size=30).map(
    " ".join)), kind=st.sampled_from((None, *KINDS)))
@example(text=" ".join(SYNTAX), kind="prompt")
@example(text='"' + "a " * 4_000 + '"', kind=None)
@example(text='"a" ' * 2_000, kind="answer")
def test_any_question_is_answered_or_refused(odd: Archive, text: str, kind: str | None) -> None:
    try:
        rows = odd.find(search(text, kind=kind))
    except Refusal:
        return
    assert all(isinstance(row["score"], float) for row in rows)


@pytest.mark.parametrize("text", SYNTAX)
def test_syntax_is_no_syntax(odd: Archive, text: str) -> None:
    try:
        rows = odd.find(search(text))
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
    assert prompts_found(stored_prompts(archive, stored, "another thing entirely"), ask)[:1] == [stored]


@pytest.mark.parametrize(("stored", "ask"), [
    ("author", "auth"), ("getUserName", "userna"), ("the table of rates", '"rate table"'), ("rates", '"rate table"'),
    ("cat", "cut"), ("3334", "3343"), ("the the the", "it"), ("x" * 65 + " y", "xxx*"), ("数据库迁移", "据迁"),
    ("数据库迁移", '"数据迁移"'), ("bus", "bu"), ("auth", "author*"), ("jwt.ts", '"ts jwt"'),
    ("nothing", "zzzz")])
def test_words_that_do_not_find(archive: Archive, stored: str, ask: str) -> None:
    assert prompts_found(stored_prompts(archive, stored, "another thing entirely"), ask) == []


def test_stop_words_count_only_alone(archive: Archive) -> None:
    stored_prompts(archive, "what did we do with it", "rounding of rates")
    assert prompts_found(archive, "what did we do about the rounding") == ["rounding of rates"]
    assert prompts_found(archive, "what did we do") == ["what did we do with it"]
    assert prompts_found(archive, '"did we do"') == ["what did we do with it"]


def test_phrases_must_and_words_may_stand(archive: Archive) -> None:
    stored_prompts(archive, "half even rounding", "half of the rates, even these", "half even, and the invoices",
                   "invoices")
    assert prompts_found(archive, '"half even" invoices') == ["half even, and the invoices", "half even rounding"]
    assert prompts_found(archive, '"half even" "the invoices"') == ["half even, and the invoices"]
    assert prompts_found(archive, '"half even" "nowhere"') == []


def test_a_phrase_stands_in_the_step_that_is_shown(archive: Archive) -> None:
    """Of a turn the index has the words in a row: where one step ends and the next begins is none."""
    across = {"command": "cat tidebook\nnext Brest", "steps": json.dumps([["command", 12], ["command", 10]])}
    whole = ["echo 6.12 | python3 -m tidebook.cli next Brest", "git commit -qm 'tidebook next, policies too'"]
    both = {"command": "\n".join(whole), "steps": json.dumps([["command", len(words)] for words in whole])}
    store(archive, turn(1, **across), turn(2, "what next", **both))
    assert [row["text"] for row in archive.find(search('"tidebook next"'))] == [whole[1]]
    assert [row["text"] for row in archive.find(search('"Brest git"'))] == []
    assert {row["text"] for row in archive.find(search('"tidebook next" "tidebook cli"'))} == {*whole}
    assert [row["text"] for row in archive.find(search('"the policies too"'))] == []
    assert [row["text"] for row in archive.find(search('"policies too" tidebook'))] == [whole[1]]


@pytest.mark.parametrize(("phrase", "text", "holds"), [
    ("tidebook next", "the tidebook, next", True), ("tidebook next", "tidebook\n---\n — next", True),
    ("tidebook next", "tidebook goes next", False), ("tidebook next", "tidebook\ngoes\nnext", False),
    ("tidebook next", "next tidebook", False), ("tidebook next", "a tidebookish nextness", False),
    ("policies", "one policy", True), ("policy", "no Policies here", True), ("worker", "coworkers", False),
    ("user names", "call getUserName(it)", True), ("user names", "get_user_id name", False),
    ("日本語", "これは日本語です", True), ("日本語", "日本 語", False), ("café au lait", "Cafe\u0301 au\n lait", True)])
def test_signs_and_endings_do_not_count_between_the_words_of_a_phrase(phrase: str, text: str, holds: bool) -> None:
    step = {"folded": folded_text(text), "step": {"text": text}}
    assert steps_with_phrases([step], question(f'"{phrase}"')["must"], [folded_text(text)]) == [step] * holds


def test_the_words_as_they_were_quoted_stand_first(archive: Archive) -> None:
    stored_prompts(archive, "rounding down then", "round down, the ledger does so too", "we rounded down")
    assert prompts_found(archive, '"round down"')[0] == "round down, the ledger does so too"


# --- ranks and filters ---


def test_a_rare_word_counts_more(archive: Archive) -> None:
    stored_prompts(archive, *(f"rates of day {number}" for number in range(30)), "the zebra of the rates", "the zebra")
    assert set(prompts_found(archive, "rates zebra")[:2]) == {"the zebra of the rates", "the zebra"}


def test_a_summary_stands_below_the_turn_that_it_tells_of(archive: Archive) -> None:
    stored_prompts(archive, *(f"other words {number}" for number in range(10)))
    store(archive, turn(20, answer="We use half even rounding."),
          turn(21, answer="We use half even rounding.", who="summary"))
    rows = archive.find(search("half even rounding"))
    assert [row["who"] for row in rows] == ["person", "summary"]
    assert rows[0]["score"] > 2 * rows[1]["score"] > 0


def test_of_equal_turns_the_newer_stands_first(archive: Archive) -> None:
    day = 86_400
    now = int(time.time()) - START
    stored_prompts(archive, *(f"other words {number}" for number in range(10)))
    for start, age in enumerate([90, 0, 30, 200]):
        store(archive, turn(start, f"rounding, {age}", time=START + now - age * day, stamp=str(age)), source="b")
    assert prompts_found(archive, "rounding") == [f"rounding, {age}" for age in (0, 30, 90, 200)]
    scores = [row["score"] for row in archive.find(search("rounding"))]
    assert 1.05 < scores[0] / scores[-1] < 1.3


@pytest.mark.parametrize(("kind", "text"), [
    ("prompt", "/compact-keeper:recall zebra rates"), ("prompt", "/compact-keeper-recall zebra rates"),
    ("command", "Skill skill: compact-keeper:recall, args: zebra rates\n  → ended"),
    ("command", "mcp__recall__search_history query: zebra rates\n  → ended\n    1. zebra rates"),
    ("command", "python3 -IS scripts/recall.py search zebra rates\n  → ended\n    1. zebra rates"),
    ("command", 'python3 -IS "/srv/run_hook.py" recall.py search zebra rates'),
    ("command", "python3 /srv/recall.py zebra rates\n  → failed (exit 2)\n    usage: recall.py COMMAND"),
    ("command", "cd /srv && python3 recall.py search zebra rates 2>&1 | head -5\n  → ended\n    1. zebra rates"),
    ("command", "TaskCreate subject: zebra rates\n  → failed\n    <tool_use_error>Error: No such tool available: "
                "TaskCreate. TaskCreate is disabled.")])
def test_what_we_were_asked_is_no_hit(archive: Archive, kind: str, text: str) -> None:
    filler = [turn(number, f"other words {number}") for number in range(5)]
    store(archive, *filler, turn(7, answer="a zebra, long ago"), turn(9, **{kind: text}))
    for filters in ({}, {"kind": kind}):
        assert text not in [row["text"] for row in archive.find(search("zebra rates", **filters))]
    assert [row["text"] for row in archive.find(search("zebra rates"))] == ["a zebra, long ago"]
    steps = json.dumps([["answer", 6], [kind, len(text)]])
    store(archive, turn(30, answer="quagga", **{kind: text}, steps=steps))
    [hit] = hits_within(without_doubles(archive.find(search("quagga")), 3), 2_000)
    assert hit["next"] == ""


@pytest.mark.parametrize("text", [
    "The compact-keeper:recall skill finds the zebra rates.", "/compact zebra rates",
    "see recall.py search zebra rates", "python3 make.py zebra rates; python3 recall.py search x",
    "python3 recall.py search x | tee zebra-rates.txt", "cd zebra/rates && python3 make.py && cat recall.py",
    "grep -rn 'No such tool available: ' zebra/rates\n  → failed (exit 1)\n    no match",
    "python3 zebra/rates.py\n  → failed (exit 1)\n    Traceback\n    Error: No such tool available: hammer"])
def test_words_about_our_commands_are_found(archive: Archive, text: str) -> None:
    for number, kind in enumerate(("prompt", "command")):
        store(archive, turn(number, **{kind: text}))
    assert len(archive.find(search("zebra rates"))) == 2


WRITTEN = "Write /srv/fib.py\n    " + "\n    ".join(["def fib(n):", *("# a longer way" for _ in range(60))])
FAILED = "python3 -m pytest\n  → failed (exit 1)\n    assert fib(10) == 55\n" + "    E and so on\n" * 60


def test_code_stands_before_words_that_repeat_the_question(archive: Archive) -> None:
    store(archive, *(turn(number, f"other words {number}") for number in range(9)),
          turn(10, file=WRITTEN), turn(11, command=FAILED),
          turn(12, file="Read /srv/fib.py\n  → ended\n    1 def fib(n):"),
          turn(13, "Please write fib."), turn(14, "Is fib right?"), turn(15, answer="fib"))
    first = [row["text"] for row in archive.find(search("fib"))]
    assert {*first[:2]} == {WRITTEN, FAILED}
    assert {"Please write fib.", "Is fib right?", "fib"} <= {*first[2:]}


def test_what_was_typed_stands_before_what_was_said_or_printed_with_the_same_words(archive: Archive) -> None:
    store(archive, turn(1, "Round the zebra half up."), turn(2, answer="Round the zebra half up."),
          turn(3, command="Round the zebra half up."))
    assert archive.find(search("zebra half up"))[0]["kind"] == "prompt"


def test_what_stands_on_lines_counts_more_than_what_stands_in_much_json(archive: Archive) -> None:
    """A piece of 8,000 characters without an end holds many words that have nothing to do with each other."""
    words = ["quagga", "okapi", "gnu"]
    data = "{" + ", ".join(f'"{word}": "{number}", ' + '"x": 1, ' * 200 for number, word in enumerate(words)) + "}"
    store(archive, turn(1, command="cat a.json"), turn(2, command=f"cat b.json\n  → ended\n    {data}"),
          turn(3, answer="The quagga is no okapi, and no gnu." + " Other words." * 400))
    assert [row["turn"] for row in archive.find(search("quagga okapi gnu"))] == [3, 2]


def test_a_line_of_a_file_counts_with_the_files_name(archive: Archive) -> None:
    dull = "".join(f"\n    {number}→x" for number in range(9))
    for number, texts in enumerate(({"answer": "At fares is a quagga. Each of them pays."},
                                    {"file": f"Read /srv/fares/a.py\n  → ended{dull}\n    9→# the quagga pays"})):
        store(archive, turn(number, **texts), source=f"{number}")
    passages = archive.find(search("fares quagga pays"))
    assert [passage["kind"] for passage in passages] == ["file", "answer"]


def test_a_name_that_is_only_part_of_a_defined_one_gains_nothing(archive: Archive) -> None:
    store(archive, turn(1, file="Edit /srv/a.py\n    + def zebra_of(n):"),
          turn(2, file="Edit /srv/b.py\n    + def zebra(n):"),
          turn(3, "The zebra."))
    texts = [row["text"] for row in archive.find(search("zebra"))]
    assert texts[0].startswith("Edit /srv/b.py")
    assert texts[1] == "The zebra."


@pytest.mark.parametrize("kind", KINDS[:-1])
def test_a_kind_is_looked_for_in_its_column_alone(archive: Archive, kind: str) -> None:
    store(archive, *(turn(number, **{column: "zebra crossing", "branch": column})
                     for number, column in enumerate(KINDS[:-1])))
    for text in ("zebra", '"zebra crossing"', "zeb*", "zebra crossing", '"zebra crossing" zebra', "zebar"):
        rows = archive.find(search(text, kind=kind))
        assert [row["branch"] for row in rows] == [kind], text


@pytest.mark.parametrize(("project", "expected"), [
    ("/home/ada/rates", {"rates", "below"}), ("/home/ada/rates/", {"rates", "below"}), ("rates", {"rates", "other"}),
    ("ada/rates", {"rates"}), ("/home/ada/rates/../rates", {"rates", "below"}), ("ates", set()),
    ("rates/", {"rates", "other"}),
    ("/home/ada", {"rates", "below", "percent", "line"}), ("100%_done", {"percent"}), ("%", set()), ("_", set()),
    ("a_b", {"line"}), ("/home/ada/a_b", {"line"}), ("/", {"rates", "below", "other", "percent", "line", "like"}),
    ("/home/ada/100%", set()), ("", {"rates", "below", "other", "percent", "line", "like"})])
def test_projects(archive: Archive, project: str, expected: set[str]) -> None:
    folders = {"rates": "/home/ada/rates", "below": "/home/ada/rates/src", "other": "/srv/rates",
               "percent": "/home/ada/100%_done", "line": "/home/ada/a_b", "like": "/srv/axb"}
    store(archive, *(turn(number, name, answer="zebra", project=folder)
                     for number, (name, folder) in enumerate(folders.items())))
    assert set(prompts_found(archive, "zebra", project=project)) == expected
    assert archive.count({"project": project}) == len(expected)


@pytest.mark.parametrize(("filters", "expected"), [
    ({"session": "5e55"}, ["a", "b", "c"]), ({"session": "7"}, ["d"]), ({"session": "%"}, []), ({"session": "_"}, []),
    ({"since": START + 1}, ["b", "c", "d"]), ({"until": START + 2}, ["a", "b"]), ({"until": float(START)}, []),
    ({"since": START + 1.0, "until": START + 3, "session": SESSION_ID}, ["b", "c"]), ({"since": 0, "until": 0}, [
        "a", "b", "c", "d"]), ({"since": 9e18}, [])])
@pytest.mark.parametrize("narrow", [0, 3, 20_000])
def test_sessions_and_times(archive: Archive, monkeypatch: pytest.MonkeyPatch, filters: JsonObject, expected: list[str],
                            narrow: int) -> None:
    """Whether few rows are of that time, and looked up first, or many."""
    monkeypatch.setattr(local_archive, "NARROW_ROWS", narrow)
    store(archive, *(turn(number, name, answer="zebra", session="7a" if name == "d" else SESSION_ID)
                     for number, name in enumerate("abcd")))
    assert sorted(prompts_found(archive, "zebra", **filters)) == expected


@pytest.mark.parametrize(("text", "expected"), [
    ("rates table", ["rates table 9", "rates table 8", "rates table 7"]), ('"rates table"', ["rates table 9"]),
    ("rates nowhere", ["rates table 9"]), ("rates zebra", ["zebra rates"]), ('"rates table" zebra', ["rates table 9"]),
    ('"rates table" nowhere', ["rates table 9"])])
def test_words_that_stand_everywhere(archive: Archive, monkeypatch: pytest.MonkeyPatch, text: str,
                                     expected: list[str]) -> None:
    monkeypatch.setattr(archive_question, "MOST_ROWS", 5)
    stored_prompts(archive, "zebra rates", *(f"rates table {number}" for number in range(10)))
    assert prompts_found(archive, text)[:len(expected)] == expected
    assert prompts_found(archive, text, session="none") == []
    assert prompts_found(archive, text, since=time.time() + 1e9) == []
    assert set(prompts_found(archive, text, until=START + 3)) <= {"zebra rates", "rates table 0", "rates table 1"}


def test_a_phrase_must_stand_however_common_its_words(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive_question, "MOST_ROWS", 5)
    stored_prompts(archive, *(f"rates table {number}" for number in range(10)),
                   *(f"rates {number}" for number in range(10)))
    filters = {"since": START + 10}  # where no phrase stands
    assert prompts_found(archive, '"rates table" rates', **filters) == []


def test_of_frequent_words_a_bounded_number_of_the_newest_rows_is_read(
        archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is said up to when nothing was looked at, and a search of that time looks there."""
    monkeypatch.setattr(archive_question, "MOST_ROWS", 5)
    for name, value in {"MOST_ROWS": 5, "NEAR_ROWS": 10, "READ_ROWS": 20, "NARROW_ROWS": 10}.items():
        monkeypatch.setattr(local_archive, name, value)
    stored_prompts(archive, "the rates table", "the rates table zebra", *(f"table of the rates {n}" for n in range(58)))
    assert prompts_found(archive, '"rates table"') == []
    assert archive.cut_at == START + 40
    assert {*prompts_found(archive, '"rates table"', until=START + 20)} == {"the rates table zebra", "the rates table"}
    assert prompts_found(archive, '"rates table zebra"') == ["the rates table zebra"], "a rare word is found anywhere"
    assert archive.cut_at == 0


def test_rows_that_are_read_at_last_stand_behind_those_that_are_read_first(
        archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_archive, "NEAR_ROWS", 10)
    numbers = (3, 20, 55, 59)
    stored_prompts(archive, *(f"rates{' table' * (number in numbers)} {number}" for number in range(60)))
    both = [[term] for term in question("rates table")["terms"]]
    assert archive.newest(both, search("rates table")) == [60, 56, 21, 4]
    assert archive.newest(both, search("rates table", project="none")) == []
    assert archive.cut_at == 0


def test_of_frequent_words_few_rows_are_looked_up_for_a_filter(
        archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive_question, "MOST_ROWS", 5)
    for name, value in {"MOST_ROWS": 5, "LOOKED_UP": 20, "LOOKED_UP_TOGETHER": 5}.items():
        monkeypatch.setattr(local_archive, name, value)
    store(archive, *(turn(number, f"rates table {number}", project="/srv/new" if number in (45, 55) else "/srv/all")
                     for number in range(60)), turn(-9, "rates table", project="/srv/old", session="7a"))
    assert prompts_found(archive, "rates table", project="/srv/new") == ["rates table 55", "rates table 45"]
    assert archive.cut_at == START + 41
    assert prompts_found(archive, "rates table", session="7a") == ["rates table"], "a session's rows are few"


def test_rows_are_chosen_by_frequent_words_too(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    """Close together where all are frequent, beside the rare word where there is such a word."""
    far = " ".join(f"w{number}" for number in range(30))
    stored_prompts(archive, "drop rates", f"drop {far} rates quagga", *(
        f"drop {far} rates {number}" for number in range(60)), *(f"quagga {number}" for number in range(60)))
    monkeypatch.setattr(archive_question, "MOST_ROWS", 61)
    monkeypatch.setattr(local_archive, "MOST_ROWS", 61)
    assert prompts_found(archive, "drop rates")[0] == "drop rates"
    assert prompts_found(archive, "quagga drop rates")[0] == f"drop {far} rates quagga"


# --- passages ---


def found_steps(archive: Archive, text: str, **filters: Any) -> list[tuple[int | None, str]]:
    """Number and text of the passages, best first."""
    return [(passage["step"], passage["text"]) for passage in archive.find(search(text, **filters))]


def test_a_decision_is_found_in_the_step_that_says_it(archive: Archive) -> None:
    store(archive, turn(0, "Which?", answer="Fine.\nWe go with the zebra.", decision="We go with the zebra."))
    assert found_steps(archive, "zebra", kind="decision") == [(2, "Fine.\nWe go with the zebra.")]


def test_the_step_is_found_in_a_long_row_and_the_better_one_first(archive: Archive) -> None:
    steps = [f"make {number}\n  → ended" for number in range(30)]
    steps[17] = "make zebra\n  → failed\n    the quagga is missing"
    steps[3] = "make zebra\n  → ended"
    store(archive, turn(0, command="\n".join(steps), steps=json.dumps([["command", len(text)] for text in steps])))
    assert found_steps(archive, "zebra quagga") == [(18, steps[17]), (4, steps[3])]


@pytest.mark.parametrize(("text", "ask", "expected"), [
    ("src/auth/jwt.ts is new", "auth/jwt.ts", True), ("getUserName()", "getUserName", True),
    ("Zürich caching", "zurich", True), ("the cached rates", "caching nowhere", True),
    ("of the rates", "rates zebra", False), ("数据库迁移", "数据库", True)])
def test_how_much_of_the_question_a_step_holds(archive: Archive, text: str, ask: str, expected: bool) -> None:
    stored_prompts(archive, text, "zebra", "other words")
    coverage = {passage["text"]: passage["held"] for passage in archive.find(search(ask))}
    assert (coverage[text] > 0.99) == expected


def test_equal_passages_are_one_with_a_count(archive: Archive) -> None:
    store(archive, *(turn(number, command="git push\n  → failed", answer=f"zebra {number}") for number in range(4)))
    first, *_ = without_doubles(archive.find(search("git push")), 3)
    assert (first["text"], first["again"]) == ("git push\n  → failed", 3)


@pytest.mark.parametrize("green", ["\x1b[32m{}\x1b[39m", "\\u001b[32m{}\\u001b[0;39m", "\\x1b[1m{}\\033[m"])
def test_passages_that_differ_in_colours_alone_are_equal(archive: Archive, green: str) -> None:
    store(archive, turn(1, command="git push\n  → failed"), turn(2, command=green.format("git push") + "\n  → failed"),
          turn(3, command="git push [32 m]\n  → failed"))
    assert sorted(passage["again"] for passage in without_doubles(archive.find(search("git push")), 3)) == [0, 1]


@pytest.mark.parametrize("seed", range(12))
def test_the_first_passages_are_those_that_all_weighed_would_give(archive: Archive, seed: int) -> None:
    """The sentences of the steps behind them are not looked at."""
    draw = random.Random(seed)
    for number in range(60):
        texts = {kind: ". ".join(" ".join(draw.choices(("quagga", "okapi", "gnu", "zebra", *"abcdefgh"), k=6))
                                 for _ in range(draw.randrange(1, 9))) for kind in ("prompt", "answer", "command")}
        store(archive, turn(number, **texts), source=f"{number}")
    ask = "quagga okapi gnu zebra"
    weighed, few = (archive.find(search(ask, limit=limit)) for limit in (10_000, 3))
    assert {passage["share"] > 0 for passage in weighed} == {True}
    assert {passage["share"] > 0 for passage in few} == {True, False}
    names = [[(passage["id"], passage["step"], passage["score"]) for passage in passages]
             for passages in (weighed, few)]
    assert names[0][:WEIGHED_LEAST] == names[1][:WEIGHED_LEAST]
    assert sorted(name[:2] for name in names[0]) == sorted(name[:2] for name in names[1])


OUTPUT = "\n".join(["make all", "  → failed (exit 2)", *(f"    line {number}" for number in range(200)),
                    "    the quagga is missing", *(f"    more {number}" for number in range(200))])


@pytest.mark.parametrize("most", [0, 150, 400, 20_000])
def test_an_excerpt_has_the_command_its_end_and_what_was_asked_for(most: int) -> None:
    lines = excerpt(OUTPUT, {"quagga": 1.0}, most)
    assert "    the quagga is missing" in lines
    assert sum(len(line) + LINE_INDENT_CHARACTERS for line in lines) <= max(most, 70)
    if most >= 150:
        assert lines[:2] == ["make all", "  → failed (exit 2)"]
    if most == 400:
        assert {"    line 199", "    more 0", "…"} <= {*lines}


def test_an_excerpt_prefers_lines_with_other_words_to_more_of_the_same_and_to_neighbours() -> None:
    text = "\n".join(["I look.", *["quagga okapi " + "x" * 80] * 9, "y" * 90, "gnu zebra", "z" * 90, "Done."])
    lines = excerpt(text, {"quagga": 1.0, "okapi": 1.0, "gnu": 1.0, "zebra": 1.0}, 300)
    assert {"gnu zebra", "I look.", "Done."} <= {*lines}
    assert sum(len(line) + LINE_INDENT_CHARACTERS for line in lines) <= 300


@pytest.mark.parametrize(("announced", "behind"), [
    (["- export", "- a package", "- a copy"], "Which?"), (["  1. export", "  2. a copy"], "Which?"),
    (["We export."], "More of it.")])
@pytest.mark.parametrize("colon", [":", ":**", ": "])
def test_a_line_that_announces_brings_what_it_announces(announced: list[str], behind: str, colon: str) -> None:
    filler = ["word " * 20] * 9
    text = "\n".join([*filler, f"The quagga could{colon}", *announced, behind, *filler])
    lines = excerpt(text, {"quagga": 1.0}, 400)
    at = lines.index(f"The quagga could{colon}")
    assert lines[at + 1:at + 1 + len(announced)] == announced


EDIT = "\n".join(["Edit /srv/rates.py", *(f"    - old_{n} = {n}" for n in range(40)), "    - rate = floor(price, 2)",
                  *(f"    - gone_{n}" for n in range(40)), *(f"    + new_{n} = {n}" for n in range(40)),
                  "    + rate = quagga(price, 2)", *(f"    + come_{n}" for n in range(40)), "  → ended"])


@pytest.mark.parametrize("needle", ["quagga", "floor"])
def test_an_excerpt_of_an_edit_has_both_sides(needle: str) -> None:
    lines = excerpt(EDIT, {needle: 1.0}, 200)
    both = {"    - rate = floor(price, 2)", "    + rate = quagga(price, 2)"}
    assert {*both, "Edit /srv/rates.py", "  → ended"} <= {*lines}


@pytest.mark.parametrize("text", ["- a\n- b\n+ c", "    - a list\n    - of the agent's", "    + only new\n    + lines"])
def test_what_has_one_side_alone_has_an_excerpt(text: str) -> None:
    assert excerpt(text, {"a": 1.0, "new": 1.0}, 0)


@pytest.mark.parametrize(("following", "is_shown"), [
    ("It is the tariff of zone 7.", True), ("Ok.", False), ("I look at the tariffs now:", False),
    ("First this line.\nThen that one.", False), ("word " * 40, False)])
def test_a_hit_says_what_followed_where_that_is_short_and_telling(
        archive: Archive, following: str, is_shown: bool) -> None:
    steps = json.dumps([["command", 6], ["answer", len(following)]])
    store(archive, turn(1, command="quagga", answer=following, steps=steps))
    [hit] = hits_within(without_doubles(archive.find(search("quagga")), 3), 2_000)
    assert (hit["next"] == f"said: {following}") == is_shown
    assert (f"\n   next, said: {following}" in hits_text([hit])) == is_shown
    [last] = hits_within(without_doubles(archive.find(search(following, kind="answer")), 3), 2_000)
    assert last["next"] == ""


def test_of_a_long_line_the_part_is_shown_that_was_asked_for() -> None:
    [line] = excerpt("word " * 300 + "the quagga sleeps. " + "word " * 300, {"quagga": 1.0}, 400)
    assert "the quagga sleeps." in line
    assert len(line) <= 310


@pytest.mark.parametrize("most", [150, 300, 1_000])
def test_of_words_that_a_long_line_repeats_the_rarest_says_where(most: int) -> None:
    ramps = " ".join(f"Quay {number} has a ramp of {3 * number} metres." for number in range(80))
    lines = excerpt(f"The quays:\n{ramps}", {"ramp": 1.0, "metr": 1.0, "111": 0.9}, most)
    assert "ramp of 111 metres" in "\n".join(lines)
    assert sum(len(line) + LINE_INDENT_CHARACTERS for line in lines) <= most


@pytest.mark.parametrize(("text", "sentences"), [
    ("see a.py. then?\nrun it! now.", ["see a.py", "then?", "run it", "now."]),
    ("先看区域。再改费率？好！", ["先看区域", "再改费率", "好", ""]), ("एक। दो।", ["एक", " दो", ""])])
def test_a_sentence_ends_at_the_full_stop_of_its_script(text: str, sentences: list[str]) -> None:
    assert [*sentences_of(text)] == sentences
