"""Which hits the first prompt after a compaction is told of: those that answer it, stand out, and say something new."""

from __future__ import annotations

import time

import pytest

from archived import store, turn
from compact_keeper.archive.first_prompt import hits_on, is_new, is_question, may_answer, outstanding, word_runs
from compact_keeper.archive.local_archive import Archive
from compact_keeper.store.refusal import Refusal
from sessions import CWD, JsonObject

TALK = (  # what was typed and said in a small project
    ("Print the tide tables from a CSV file.", "The parser reads each row of the file and skips comments."),
    ("Add a README file with an example now.", "Added README.md with an example of the tides command."),
    ("Thanks! Now add tests for the parser.", "The tests cover empty files, comments and rows without a height."),
    ("Which library should parse the dates?", "I'd stay with the standard library: fromisoformat parses all dates."),
    ("We use SQLite instead of Redis for the cache: Redis lost rates under load.", "Understood: SQLite has them now."),
    ("Now add a changelog file.", "Added CHANGELOG.md. Shall I tag it?"),
    ("Make the port configurable.", "The port comes from TIDES_PORT, 8021 by default."),
    ("add a Dockerfile", "Added a Dockerfile with a slim image."))


@pytest.fixture
def talked(archive: Archive) -> Archive:
    """An archive of such a project, with what a command printed, and turns about something else."""
    turns = [turn(number, prompt, answer=answer) for number, (prompt, answer) in enumerate(TALK)]
    printed = turn(9, command="make pages\n  → failed: the tidebook loses its pages in March")
    others = [turn(number, f"Draw the map of harbour {number}.", answer="Drawn.") for number in range(20, 40)]
    store(archive, *turns, printed, *others)
    return archive


def row(score: float, who: str = "person") -> JsonObject:
    return {"score": score, "who": who}


@pytest.mark.parametrize("prompt", [
    "", "?", "???", "why?", "x" * 20_000 + "?", "\0 \0 \0?", "a*b (c) \"d?", "why " * 3_000 + "?",
    "thanks, now add a LICENSE file", "now add a LICENSE file, MIT please", "can you add a LICENSE file?",
    "could you also add a CONTRIBUTING file to the repo?", "see https://tides.example/add?file=readme and add it now",
    "when does the tidebook lose its pages?", "add tests for the parser now",
    "please commit and push all of this", "is there any further work?",
    "have you run the tests?", "does it work on python 3.9 too?",
    "ok now the docs, how should we structure them?", "We use SQLite instead of Redis for the cache."])
@pytest.mark.usefixtures("talked")
def test_no_hint_where_nothing_is_answered(prompt: str) -> None:
    assert hits_told(prompt) == []


@pytest.mark.parametrize(("prompt", "answer"), [
    ("why did we use SQLite instead of Redis for the cache?", "typed: We use SQLite instead of Redis"),
    ("why did the cache leave Redis, was it load?", "typed: We use SQLite instead of Redis"),
    ("which library did we choose to parse the dates?", "said: I'd stay with the standard library"),
    ("what was the default port again?", "said: The port comes from TIDES_PORT")])
@pytest.mark.usefixtures("talked")
def test_what_answers_is_told(prompt: str, answer: str) -> None:
    """Not the same question, as it was asked before."""
    assert [answer in hit for hit in hits_told(prompt)] == [True]


def hits_told(prompt: str) -> list[str]:
    """The hits for a prompt, each the kind of its step and its words."""
    words = {"prompt": "typed", "answer": "said"}
    try:
        hits = hits_on(prompt, CWD, "", int(time.time()))
    except Refusal:
        return []
    return [f"{words.get(hit['kind'], hit['kind'])}: {hit['snippet']}" for hit in hits]


@pytest.mark.parametrize(("scores", "expected"), [
    ([], []), ([5.0], [5.0]), ([9.0, 8.0, 7.0], [9.0, 8.0, 7.0]), ([9.0, 2.0, 2.0, 2.0, 2.0], [9.0]),
    ([9.0, 9.0, 9.0, 9.0], []), ([9.0, 8.0, 7.0, 1.0], [9.0, 8.0, 7.0]), ([20.0, 9.9, 5.0, 1.0], [20.0])])
def test_only_what_stands_out(scores: list[float], expected: list[float]) -> None:
    assert [hit["score"] for hit in outstanding([row(score) for score in scores])] == expected


@pytest.mark.parametrize(("share", "lacking", "is_answer"), [
    (0.0, 0, False), (0.59, 0, False), (0.6, 0, True), (1.0, 2, True), (0.9, 2, False), (0.6, 1, False)])
def test_a_sentence_holds_most_of_the_prompt(share: float, lacking: int, is_answer: bool) -> None:
    """What occurs nowhere counts as much as the rarest word."""
    assert may_answer({"share": share, "worth": {"cache": 2.0, "redis": 4.0}}, lacking, 2.0) == is_answer


def test_common_words_alone_are_no_answer() -> None:
    assert not may_answer({"share": 1.0, "worth": {"work": 1.0, "not": 0.5, "claude": 1.5}}, 0, 3.1)


@pytest.mark.parametrize(("kind", "text", "is_asked"), [
    ("prompt", "", False), ("prompt", "Why?", True), ("prompt", "Warum (genau?)", True), ("prompt", "どうして？", True),
    ("prompt", "See a?b=c", False), ("prompt", "Take SQLite.\nAnd the port?", False),
    ("answer", "So it is. Go on?", False)])
def test_a_line_that_asks_answers_nothing(kind: str, text: str, is_asked: bool) -> None:
    assert is_question({"kind": kind, "text": text}) is is_asked


def test_summaries_are_not_told() -> None:
    assert outstanding([row(9, "summary"), row(8), row(1), row(1)]) == [row(8)]


@pytest.mark.parametrize(("passage", "expected"), [
    ("its eviction lost carrier tariffs under load", True), ("the user imports all tables", False),
    ("the user imports all tariffs under load", True), ("the user imports all tables now", False)])
def test_what_the_model_was_given_is_not_new(passage: str, expected: bool) -> None:
    assert is_new(word_runs(passage), word_runs("The user imports all tables.")) == expected
