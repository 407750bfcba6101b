"""Which hits the first prompt after a compaction is told of: those that stand out, and say something new."""

from __future__ import annotations

import pytest

from compact_keeper.archive.first_prompt import is_new, outstanding, word_runs
from sessions import Record


def row(score: float, who: str = "person", share: float = 1.0) -> Record:
    return {"score": score, "who": who, "share": share}


@pytest.mark.parametrize(("scores", "expected"), [
    ([], []), ([5.0], [5.0]), ([9.0, 8.0, 7.0], [9.0, 8.0, 7.0]), ([9.0, 2.0, 2.0, 2.0, 2.0], [9.0]),
    ([9.0, 9.0, 9.0, 9.0], []), ([9.0, 8.0, 7.0, 1.0], [9.0, 8.0, 7.0]), ([20.0, 9.9, 5.0, 1.0], [20.0])])
def test_only_what_stands_out(scores: list[float], expected: list[float]) -> None:
    assert [hit["score"] for hit in outstanding([row(score) for score in scores])] == expected


@pytest.mark.parametrize(("score", "share", "is_told"), [(1.0, 0.49, False), (0.4, 0.5, True), (0.0, 0.0, False)])
def test_a_hit_holds_much_of_the_prompt_in_a_sentence(score: float, share: float, is_told: bool) -> None:
    assert bool(outstanding([row(score, share=share)])) == is_told


def test_summaries_are_not_told() -> None:
    assert outstanding([row(9, "summary"), row(8), row(1), row(1)]) == [row(8)]


@pytest.mark.parametrize(("passage", "expected"), [
    ("its eviction lost carrier tariffs under load", True), ("the user imports all tables", False),
    ("the user imports all tariffs under load", True), ("the user imports all tables now", False)])
def test_what_the_model_was_given_is_not_new(passage: str, expected: bool) -> None:
    assert is_new(word_runs(passage), word_runs("The user imports all tables.")) == expected
