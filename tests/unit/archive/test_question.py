"""Words of a question that no step holds: which others may be meant."""

from __future__ import annotations

import pytest

from compact_keeper.archive.question import may_be_meant
from slow_texts import check_it_ends


@pytest.mark.parametrize(("word", "near", "expected"), [
    ("zebar", "zebra", True), ("xzebra", "zebra", True), ("deploi", "deploy", True), ("ezbra", "zebra", True),
    ("nothing", "not", False), ("nothing", "both", False), ("zebra", "", False), ("zebar", "ebar", True)])
def test_what_is_meant_begins_like_the_word(word: str, near: str, expected: bool) -> None:
    assert may_be_meant(word, near) is expected


def test_hostile_words_end() -> None:
    check_it_ends(lambda text: may_be_meant(text, text))
