"""What only agrees, answers or goes on: three questions on few words, whose answers differ."""

from __future__ import annotations

import pytest

from compact_keeper.record.words.assent import only_agrees, only_answers, only_goes_on, only_orders_commit


@pytest.mark.parametrize(("words", "agrees", "answers", "goes_on"), [
    ("", False, False, False), ("…", False, False, False), ("?", False, False, False), ("\ud800", False, False, False),
    ("yes " * 5, False, False, False), ("go on " * 4, False, False, False),
    ("keep it", False, False, True), ("keep the zones", False, False, False), ("yes, but never push", *[False] * 3),
    ("no", False, True, False), ("Nein!", False, True, False), ("stop", False, True, False),
    ("yes", True, True, False), ("はい", True, True, False), ("d'accord", True, True, False),
    ("OK. Go on.", True, True, True), ("weiter", True, True, True), ("继续，好的", True, True, False),
    ("let us keep going now please", False, False, True),
])
def test_few_words(words: str, agrees: bool, answers: bool, goes_on: bool) -> None:
    assert (only_agrees(words), only_answers(words), only_goes_on(words)) == (agrees, answers, goes_on)


@pytest.mark.parametrize(("words", "orders"), [
    ("", False), ("yes", False), ("it", False), ("commit", True), ("Commit, please.", True), ("ok commit it", True),
    ("コミットして", True), ("commit and push", False), ("don't commit", False), ("commit all the changes now", False),
])
def test_a_mere_order_to_commit(words: str, orders: bool) -> None:
    assert only_orders_commit(words) is orders
