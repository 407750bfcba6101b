"""Whether a text begins with one of several words."""

from __future__ import annotations

import pytest

from compact_keeper.text.holding import begins_with_word


@pytest.mark.parametrize(("text", "begins"), [
    ("But no", True), ("But", True), ("But, no", True), ("Button", False), ("But_no", False), ("But2", False),
    ("but no", False), ("Nachdem es lief", True), ("Nach dem Lauf", True), ("Nachts", False), ("", False)])
def test_a_word_at_the_begin_is_no_longer_one(text: str, begins: bool) -> None:
    assert begins_with_word(text, ("But", "Nach", "Nachdem")) is begins
