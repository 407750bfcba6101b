"""What a sentence claims of a thing: the two shapes, where a clause begins and ends, and what leaves it open."""

from __future__ import annotations

import pytest

from compact_keeper.record.summary.claims import around, claims_of, form_of, named_in, sentence_words

FORM = form_of({"completed": "done|finished|✅", "open": "open", "going": "in progress", "passing": "passes"},
               first="completed going open", silent="was", ends="in 9|to `")


def state(text: str) -> str:
    """The states that the text claims of "the fee"."""
    words = sentence_words(text)
    return " ".join(claim["state"] for claim in claims_of(words, [*named_in(words, {"fee": "thing"})], FORM))


@pytest.mark.parametrize(("text", "expected"), [
    ("The fee is done", "completed"), ("- **Fee**: ✅ done", "completed"), ("| fee | in progress |", "going"),
    ("The fee was finished, the tax is not", "completed"), ("the tax is open and the fee is done", "completed"),
    ("The fee is not yet done", "open"), ("fee (not finished)", "open"), ("fee done in 3 s", "completed"),
    ("Done: the fee", "completed"), ("[done] task fee", "completed"), ("✅ fee", "completed"), ("Open: fee", "open"),
    ("fee done to `x`", "completed"),
    ("fee, fee and fee are done", "completed completed completed"),
    ("The fee, the fee, is open", "open open"),
    ("the fee never passes, the fee passes", "passing"), ("the fee isn't passing", ""),
    ("the fee no longer passes", "failing"),
    ("rest: fee done", "completed"), ("fee done — at last", "completed")])
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
    [claim] = claims_of(words, [*named_in(words, {"fee": "thing"})], FORM)
    assert around(words, claim["begin"], claim["end"]) == ([], [])


@pytest.mark.parametrize("text", ["fee, " * 150, "fee (" * 150, "not " * 299 + "fee", "fee " + "done, " * 150,
                                  ": " * 290 + "fee"], ids=lambda text: text[:9])
def test_a_hostile_row_is_read_at_once(text: str) -> None:
    words = sentence_words(text)
    assert len([*claims_of(words, [*named_in(words, {"fee": "thing"})], FORM)]) <= 150
