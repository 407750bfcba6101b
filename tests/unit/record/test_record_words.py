"""Words of a session: single sentences, whole conversations, labelled tables as guards, words that seem endless.

BARS are regression guards and no claim of quality: of each table's half, the rows that were told right when the guard
was set, less two. A change of cues may move rows; it must not lose more of them unseen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

import words_table
from compact_keeper.record import items as record_items
from compact_keeper.record import words as record_words
from compact_keeper.record.merge import merge
from compact_keeper.record.words import Conversation, kind_of_statement, kind_of_words
from compact_keeper.store.settings import default_settings
from entries import entry
from sessions import Record
from slow_texts import check_it_ends, ending
from words_table import Correction, Decision, Later, Told, half

TABS, NEW_TABS = "Always indent with tabs.", "Actually, indent with four spaces from now on."

# --- entries and what is kept of them ---


def conversation(*told: tuple[str, str]) -> Iterator[Record]:
    """Entries of pairs like ("typed", text); the way words came stands behind a colon ("typed:rejection")."""
    for number, (what, text) in enumerate(told, 1):
        yield entry(number, what.partition(":")[0], text, via=what.partition(":")[2] or "prompt")


def items_after(*told: tuple[str, str], known: list[Record] | None = None) -> list[Record]:
    """All that is kept after these words."""
    talk = Conversation(known or [], {})
    found: list[Record] = []
    for one in conversation(*told):
        found += talk.items_of(one)
    return merge(known or [], [*found, *talk.items_at_rest()], 0, default_settings())


def kept(kind: str, *told: tuple[str, str]) -> list[str]:
    """The texts of a kind that are kept after these words, in order."""
    return [one["text"] for one in items_after(*told) if one["kind"] == kind]


def live(*told: tuple[str, str]) -> list[str]:
    """The requests that are neither cancelled nor finished nor pasted."""
    return [one["text"] for one in items_after(*told) if one["kind"] == "request" and one["status"] == "open"]


def typed(*texts: str) -> list[tuple[str, str]]:
    return [("typed", text) for text in texts]


# --- single sentences ---


@pytest.mark.parametrize(("sentence", "corrects", "kind"), [
    ("Never push to main.", False, "rule"),
    ("please always run the linter before a commit", False, "rule"),
    ("We use pnpm here, not npm.", False, "rule"),
    ("tabs, not spaces", False, "rule"),
    ("以后都用中文回答", False, "rule"),
    ("Commit nunca sin preguntarme", False, "rule"),
    ("Why does the build never finish?", False, ""),
    ("Should we never push to main?", False, "wish"),
    ("Fix the parser so that it never returns null.", False, ""),
    ("Don't commit yet.", False, ""),
    ("No problem, go ahead with the parser.", False, ""),
    ("No idea why that happens.", False, ""),
    ("Decided: postgres instead of sqlite for the rate cache.", False, "decision"),
    ("Let's go with sqlite.", False, "decision"),
    ("The other file.", True, "rule"),
    ("The other file.", False, ""),
    ("I want the button to be green.", False, "wish"),
    ("", False, ""),
    ("...", False, "")])
def test_kind_of_words(sentence: str, corrects: bool, kind: str) -> None:
    got = kind_of_words(sentence, corrects)
    assert got == kind or (not kind and got == "wish")  # a wish that is not one is told with its request, no more


@pytest.mark.parametrize(("sentence", "kind"), [
    ("All 12 tests pass.", "claim"),
    ("The parser is fixed and pushed.", "claim"),
    ("The tests should pass now.", ""),
    ("Once the tests pass I will push.", ""),
    ("Not all tests pass.", ""),
    ("Let me check whether it is fixed.", ""),
    ("Do the tests pass?", ""),
    ("I went with a queue because a lock would block.", "decision"),
    ("We could use a queue or a lock, which do you want?", ""),
    ("Maybe we should go with a queue.", ""),
    ("Clearing the cache did not help.", "dead end"),
    ("The cache was a red herring.", "dead end"),
    ("It was merged, with 0 failed checks.", "claim"),
    ("Done", ""), ("", "")])
def test_kind_of_statement(sentence: str, kind: str) -> None:
    assert kind_of_statement(sentence) == kind


@pytest.mark.parametrize(("name", "text", "expected"), [
    ("nudges", "continue", True), ("nudges", "Yes, go on!", True), ("nudges", "ok 👍", True), ("nudges", "👍", True),
    ("nudges", "继续", True), ("nudges", "да, давай дальше", True), ("nudges", "", True), ("nudges", "…", True),
    ("nudges", "no", False), ("nudges", "yes but rename it", False), ("nudges", "continue with the parser", False),
    ("nudges", "ok " * 8, False), ("nudges", "stop", False),
    ("cancels", "never mind", True), ("cancels", "Stop.", True), ("cancels", "forget it, do the docs", True),
    ("cancels", "算了", True), ("cancels", "stop?", False), ("cancels", "stop the server", False),
    ("cancels", "", False), ("cancels", "never mind the typo and fix the parser", False),
    ("finishes", "merged, thanks", True), ("finishes", "it works now", True), ("finishes", "搞定", True),
    ("finishes", "does it work?", False), ("finishes", "it works but it is slow", False),
    ("finishes", "make sure it works", False), ("finishes", "it works " * 20, False), ("finishes", "", False),
    ("against", "no, tabs", True), ("against", "not that file, the other one", True), ("against", "wrong port", True),
    ("against", "いや、違います", True), ("against", "no problem", False), ("against", "no?", False),
    ("against", "nobody expects this " * 11, False), ("against", "Not bad at all", False), ("against", "", False),
    ("asks", "Shall I?", True), ("asks", "Shall I?'\")", True), ("asks", "**Shall I?**", True), ("asks", "要吗", True),
    ("asks", "いいですか", True), ("asks", "I shall.", False), ("asks", "What? No.", False), ("asks", "", False),
    ("last_question", "Done. Shall I push?", "Shall I push?"),
    ("last_question", "Shall I push? I would wait. Until noon.", "Shall I push?"),
    ("last_question", "Shall I push? One. Two. Three.", ""), ("last_question", "完成了。要推送吗？", "要推送吗？"),
    ("last_question", "No question.", ""), ("last_question", "", ""),
    ("pasted", "2026-01-01 INFO up\n2026-01-01 INFO a\n2026-01-01 WARN b\n2026-01-01 ERROR c", True),
    ("pasted", "2026-01-01 INFO up\n2026-01-01 WARN b\n2026-01-01 ERROR c\nwhy is it down\nfix it", False),
    ("pasted", "at a()\nat b()\nat c()", False), ("pasted", "One\nTwo\nThree\nFour\nFive", False),
    ("pasted", "", False),
    ("language", "nicht so bitte, das ist der alte Stand und nicht die neue Fassung", "German"),
    ("language", "пожалуйста почини парсер", "Russian"), ("language", "パーサーを直してください", "Japanese"),
    ("language", "请修复解析器", "Chinese"), ("language", "파서를 고쳐 주세요", "Korean"),
    ("language", "fix the parser and the tests that fail", ""), ("language", "", ""), ("language", "ok", ""),
    ("language", "naïve café, fix the parser in the café file", "")])
def test_small_questions_about_words(name: str, text: str, expected: object) -> None:
    assert getattr(record_words, name)(text) == expected


@pytest.mark.parametrize(("one", "other", "same"), [
    ("Never touch src/rates/parse.py", "src/rates/parse.py is fine to edit", True),
    ("run the linters", "the linter rule", True),
    ("不要修改迁移文件", "迁移文件", True),
    ("Never push to main", "The button is green", False),
    ("Do not use it", "Always use them", False),
    ("", "tabs", False), ("", "", False), ("the of", "the of", False)])
def test_subject_and_overlap(one: str, other: str, same: bool) -> None:
    shared = record_words.overlap(record_words.subject(one), record_words.subject(other))
    assert (shared >= record_words.ABOUT_THE_SAME) == same
    assert shared == record_words.overlap(record_words.subject(other), record_words.subject(one))


@pytest.mark.parametrize(("text", "expected"), [
    ("One thing. Another one! And 第一句。第二句。", ["One thing.", "Another one!", "And 第一句。", "第二句。"]),
    ("- first entry\n2) second entry\n* third", ["first entry", "second entry", "third"]),
    ("a line that is\nwrapped here", ["a line that is wrapped here"]),
    ("Keep it.\n```\nnever run this\n```\nAnd that.", ["Keep it.", "And that."]),
    ("Keep it.\n```\nnever closed", ["Keep it."]),
    ("> quoted: never push\n❯ never run\nMine.", ["Mine."]), ("x" * 601, []), ("ab", []), ("", [])])
def test_sentences(text: str, expected: list[str]) -> None:
    assert record_words.sentences(text) == expected


# --- rules and what becomes of them ---


@pytest.mark.parametrize(("later", "expected"), [
    (NEW_TABS, [NEW_TABS]),
    ("Forget the tabs rule.", ["Forget the tabs rule."]),
    ("Scratch that, two spaces.", ["Scratch that, two spaces."]),
    ("Are tabs still needed?", [TABS]),
    ("The tabs look fine in the diff.", [TABS]),
    ("Always write tests in tests/unit.", [TABS, "Always write tests in tests/unit."]),
    ("Never indent YAML with tabs.", [TABS, "Never indent YAML with tabs."])])
def test_a_rule_holds_until_later_words_end_it(later: str, expected: list[str]) -> None:
    assert kept("rule", *typed(TABS, later)) == expected


def test_an_ended_rule_is_not_shown_by_an_earlier_prompt() -> None:
    first = f"Build the importer for carrier rates and write a test for each of its columns. {TABS} Thanks a lot!"
    assert TABS in kept("request", *typed(first))[0]
    items = items_after(*typed(first, NEW_TABS))
    assert [one["text"] for one in items if one["kind"] == "rule"] == [NEW_TABS]
    assert not [one for one in items if TABS in one["text"]]
    assert any("Build the importer" in one["text"] for one in items)


def test_a_rule_of_an_earlier_save_is_ended_too() -> None:
    known = items_after(*typed(TABS, "Never touch src/vendor/."))
    texts = [one["text"] for one in items_after(*typed(NEW_TABS), known=known) if one["kind"] == "rule"]
    assert sorted(texts) == sorted(["Never touch src/vendor/.", NEW_TABS])


def test_a_replaced_rule_says_that_it_ended_one() -> None:
    assert [bool(one.get("ends")) for one in items_after(*typed(TABS, NEW_TABS)) if one["kind"] == "rule"] == [True]


def test_saying_a_rule_again_keeps_one() -> None:
    items = [one for one in items_after(*typed(TABS, TABS, TABS.upper())) if one["kind"] == "rule"]
    assert [one["uses"] for one in items] == [3]


@pytest.mark.parametrize(("told", "expected"), [
    ([("said", "I put it into utils.py."), ("typed", "no, core/text.py")], ["no, core/text.py"]),
    ([("said", "Shall I put it into utils.py?"), ("typed", "the one in core/text.py")], []),
    ([("said", "Done."), ("typed:rejection", "core/text.py exists")], ["core/text.py exists"]),
    ([("said", "Working on it."), ("typed:interrupt", "the other table")], ["the other table"]),
    ([("typed:interrupt", "continue")], []),
    ([("typed:rejection", "Long words. " * 40)], []),
    ([("said", "Done."), ("typed", "core/text.py exists")], [])])
def test_corrections_by_the_shape_of_the_dialogue(told: list[tuple[str, str]], expected: list[str]) -> None:
    rules = [one for one in items_after(*told) if one["kind"] == "rule"]
    assert [one["text"] for one in rules] == expected
    assert all(one["corrects"] for one in rules)


def test_the_assistants_words_are_never_rules() -> None:
    assert kept("rule", ("said", TABS)) == []


# --- answers, questions, requests ---


@pytest.mark.parametrize(("told", "expected"), [
    ([("said", "Which table? I can do both."), ("typed", "the rates one")], [("the rates one", "Which table?")]),
    ([("said", "Shall I push?"), ("typed", "yes")], [("yes", "Shall I push?")]),
    ([("said", "Shall I push?"), ("call", ""), ("typed", "yes")], []),
    ([("said", "Pushed."), ("typed", "yes")], []),
    ([("said", "Shall I push?"), ("typed", "x " * 100)], [])])
def test_answers_to_what_ended_the_assistants_words(told: list[tuple[str, str]],
                                                    expected: list[tuple[str, str]]) -> None:
    assert [(one["text"], one["question"]) for one in items_after(*told) if one["kind"] == "answer"] == expected


@pytest.mark.parametrize(("told", "expected"), [
    ([("said", "Shall I push?")], ["Shall I push?"]),
    ([("said", "Shall I push?"), ("typed", "yes")], []),
    ([("said", "Shall I push?"), ("call", "")], []),
    ([("said", "Shall I push?"), ("said", "I wait.")], []),
    ([("said", "Shall I push?"), ("ended", "")], ["Shall I push?"])])
def test_the_question_that_waits(told: list[tuple[str, str]], expected: list[str]) -> None:
    assert kept("question", *told) == expected


@pytest.mark.parametrize("known", [1, 2])
def test_a_job_that_ends_answers_no_question(known: int) -> None:
    told = [("said", "Shall I push?"), ("ended", "")]
    before = items_after(*told[:known])
    after = items_after(*told[known:], known=before)
    assert [one["text"] for one in after if one["kind"] == "question"] == ["Shall I push?"]


@pytest.mark.parametrize(("texts", "expected"), [
    (["Add the importer.", "continue"], ["Add the importer."]),
    (["Add the importer.", "never mind"], []),
    (["Add the importer.", "works now, thanks"], []),
    (["Write the docs.", "Add the importer.", "never mind"], ["Write the docs."]),
    (["Add the importer.", "Drop the work on the importer. Write the docs."],
     ["Drop the work on the importer. Write the docs."]),
    (["Add the importer.", "INFO up\nWARN slow\nERROR down\nFAIL all"], ["Add the importer."])])
def test_the_live_request(texts: list[str], expected: list[str]) -> None:
    assert live(*typed(*texts)) == expected


# --- decisions, values, dead ends, claims ---


def test_a_later_decision_reverses_an_earlier_one() -> None:
    first, second = "We'll use sqlite for the rate cache.", "Decided: postgres instead of sqlite for the rate cache."
    assert kept("decision", ("said", first), ("said", second)) == [second]
    assert kept("decision", ("said", first), ("typed", second)) == [second]
    assert kept("decision", ("said", first), ("said", "We'll use tox for the test runs.")) == [
        first, "We'll use tox for the test runs."]


def test_a_value_that_is_set_anew() -> None:
    first, second = "The staging port is localhost:8081.", "The staging port is localhost:9090."
    assert kept("value", *typed(first, second)) == [second]
    assert kept("value", *typed(first, "The docs are at https://example.org/docs.")) == [
        first, "The docs are at https://example.org/docs."]


def test_what_the_assistant_tried_and_claims() -> None:
    words = "Clearing the cache did not help. All tests pass. ```\nAll tests pass, really.\n``` Shall I push?"
    assert (kept("dead end", ("said", words)), kept("claim", ("said", words))) == (
        ["Clearing the cache did not help."], ["All tests pass."])


# --- the labelled tables ---


def kinds(what: str, text: str) -> set[str]:
    return {one["kind"] for one in items_after((what, text))}


def is_ended(row: Later) -> bool:
    talk = Conversation([], {})
    talk.rules = [record_items.new_item("rule", entry(1, "typed"), row.earlier, "user")]
    return any(one["status"] == "superseded" for one in talk.items_of(entry(2, "typed", row.later, via="prompt")))


def is_corrected(row: Correction) -> bool:
    return any(one.get("corrects") for one in items_after(("said", row.before), ("typed", row.reply)))


def is_decision(row: Decision) -> bool:
    return "decision" in (kinds("typed", row.text) if row.who == "user" else kinds("said", row.text))


def asks_for_nothing(row: Told) -> bool:
    return any(test(row.text) for test in (record_words.nudges, record_words.cancels, record_words.finishes))


RIGHT: dict[str, Callable[[Any], bool]] = {  # whether a row of the table is told right
    "RULES": lambda row: "rule" in kinds("typed", row.text),
    "ONE_OFF": lambda row: "rule" not in kinds("typed", row.text),
    "CORRECTIONS": lambda row: is_corrected(row) == row.corrects,
    "WITHDRAWALS": lambda row: is_ended(row) == row.ends,
    "REPLACEMENTS": lambda row: is_ended(row) == row.ends,
    "NUDGES": lambda row: record_words.nudges(row.text),
    "NOT_NUDGES": lambda row: not record_words.nudges(row.text),
    "CANCELLATIONS": lambda row: record_words.cancels(row.text),
    "FINISHES": lambda row: record_words.finishes(row.text),
    "STILL_LIVE": lambda row: not asks_for_nothing(row),
    "DECISIONS": is_decision,
    "PENDING": lambda row: "decision" not in kinds("typed", row.text) | kinds("said", row.text),
    "CLAIMS": lambda row: "claim" in kinds("said", row.text),
    "NOT_CLAIMS": lambda row: "claim" not in kinds("said", row.text),
    "DEAD_ENDS": lambda row: "dead end" in kinds("said", row.text),
    "NOT_DEAD_ENDS": lambda row: "dead end" not in kinds("said", row.text)}
BARS = [  # table, least right of its "fit" half, of its "check" half
    ("RULES", 109, 57), ("ONE_OFF", 86, 31), ("CORRECTIONS", 62, 20), ("WITHDRAWALS", 44, 19),
    ("REPLACEMENTS", 49, 19), ("NUDGES", 64, 23), ("NOT_NUDGES", 46, 22), ("CANCELLATIONS", 31, 10),
    ("FINISHES", 30, 13), ("STILL_LIVE", 30, 13), ("DECISIONS", 18, 9), ("PENDING", 16, 7), ("CLAIMS", 21, 12),
    ("NOT_CLAIMS", 22, 12), ("DEAD_ENDS", 16, 4), ("NOT_DEAD_ENDS", 13, 5)]


@pytest.mark.parametrize(("table", "part", "least"), [
    (table, part, least) for table, *bars in BARS for part, least in zip(("fit", "check"), bars)])
def test_no_more_rows_are_told_wrong(table: str, part: str, least: int) -> None:
    rows = half(getattr(words_table, table), part)
    right = sum(map(RIGHT[table], rows))
    print(f"{table} {part}: {right} of {len(rows)}, at least {least}")
    assert right >= least


def test_each_table_has_its_bars() -> None:
    tables = {name for name, rows in vars(words_table).items() if isinstance(rows, tuple) and len(rows[0]) > 1
              and isinstance(rows[0], tuple)}
    assert {table for table, *_ in BARS} == set(RIGHT) == tables


# --- words that could make it slow ---


def hear(what: str) -> Callable[[str], object]:
    return lambda text: items_after(("typed", TABS), ("said", "Shall I?"), (what, text), ("typed", NEW_TABS))


@pytest.mark.parametrize("call", [
    pytest.param(getattr(record_words, name), id=name) for name in (
        "folded subject sentences asks nudges cancels finishes pasted against last_question language remark "
        "kind_of_statement").split()] + [
    pytest.param(lambda text: kind_of_words(text, True), id="kind_of_words"),
    pytest.param(hear("typed"), id="typed"), pytest.param(hear("said"), id="said"),
    pytest.param(hear("typed:interrupt"), id="interrupt")])
def test_no_words_are_without_end(call: Callable[[str], object]) -> None:
    check_it_ends(call)


def test_4000_lines_of_rules() -> None:
    with ending():
        items_after(("typed", "".join(f"Never touch table_{number}.\n" for number in range(4_000))[:100_000]))
