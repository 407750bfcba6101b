"""What a sentence claims of a thing: the two shapes, where a clause begins and ends, and what leaves it open."""

from __future__ import annotations

import pytest

from compact_keeper.record.claims import around, claim_of, form_of, named_in, sentence_words

FORM = form_of({"done": "done|finished|✅", "open": "open|not done|not finished", "begun": "in progress"},
               first="done begun open", fillers="was", leads="task", ends="in 0|to `")


def state(text: str) -> str:
    """The state that the text claims of "the fee"."""
    words = sentence_words(text)
    begin, end, _ = next(named_in(words, {"fee": "thing"}))
    claim = claim_of(words, begin, end, FORM)
    return claim["state"] if claim else ""


@pytest.mark.parametrize(("text", "expected"), [
    ("The fee is done", "done"), ("- **Fee**: ✅ done", "done"), ("| fee | in progress |", "begun"),
    ("The fee was finished, the tax is not", "done"), ("the tax is open and the fee is done", "done"),
    ("The fee is not yet done", "open"), ("fee (not finished)", "open"), ("fee done in 3 s", "done"),
    ("Done: the fee", "done"), ("[done] task fee", "done"), ("✅ fee", "done"), ("Open: fee", "open"),
    ("fee done to `x`", "done")])
def test_both_shapes(text: str, expected: str) -> None:
    assert state(text) == expected


@pytest.mark.parametrize("text", [
    "half of the fee is done", "the fee table is done", "the fee is done under load", "fee done to the half",
    "✅ fee table added", "Open fee", "[open] fee: done", "if the fee is done, go on", "The fee should be done",
    "done with the rest: new fee table", "the fee", "fee, done", "the fee is done? no", "fee 40% done"])
def test_what_is_not_claimed(text: str) -> None:
    assert state(text) == ""


def test_code_is_a_word_of_its_own_case() -> None:
    assert sentence_words("Ran `make X y`-like src/A.py [ ] #3's") == [
        "ran", "`make X y`-like", "src/A.py", "[ ]", "#3's"]


def test_only_the_rest_of_the_clause_leaves_a_claim_open() -> None:
    words = sentence_words("It was late. The fee was done; the user left")
    begin, end, _ = next(named_in(words, {"fee": "thing"}))
    claim = claim_of(words, begin, end, FORM)
    assert claim
    assert around(words, claim) == ([], [])
