"""The person's words: their rows stay rows, and what is laid out stays as it was typed."""

from __future__ import annotations

from pathlib import Path

import pytest

from compact_keeper.recap.compose import recap_of
from compact_keeper.recap.lines.thread import is_laid_out
from sessions import Session, snapshot_of

DRAWING = "Look at this drawing, please:\n\n  A --- B\n  |     |\n  C --- D\n\nWhich edge is missing?"


def text_of_messages(folder: Path, *messages: str) -> str:
    session = Session()
    for message in messages:
        session.typed(message)
        session.says("Looked at it.")
    return recap_of(snapshot_of(session, folder))[0]


def test_rows_of_a_message_are_told_from_each_other(tmp_path: Path) -> None:
    text = text_of_messages(tmp_path, "Do this:\n- read the zones\n\n- write   them", "Go on.\nAnd test it.")
    assert '"Do this: ⏎ - read the zones ⏎ - write them"' in text
    assert '"Go on. ⏎ And test it."' in text


def test_the_newest_message_keeps_its_drawing(tmp_path: Path) -> None:
    text = text_of_messages(tmp_path, "Hello.", DRAWING)
    assert "\n    A --- B\n    |     |\n    C --- D\n" in text
    assert "as it was typed" in text
    older = text_of_messages(tmp_path, DRAWING, "Go on.")
    assert "A --- B ⏎ | | ⏎ C --- D" in older
    assert "as it was typed" not in older


@pytest.mark.parametrize(("words", "is_drawn"), [
    (DRAWING, True), ("def f(a):\n    return a\n\n    # none", True), ("a\n│ b\n╰ c", True),
    ("One row.", False), ("Do this:\n- a\n- b", False), ("", False), ("a   b", False), ("\n\n\n", False)])
def test_what_is_laid_out(words: str, is_drawn: bool) -> None:
    assert is_laid_out(words) is is_drawn


def test_an_order_that_was_typed_anew_with_more_stands_once(tmp_path: Path) -> None:
    order = "Read the zones of the north and write their rates."
    text = text_of_messages(tmp_path, order, f"{order} And test them.", "Go on.")
    assert text.count("Read the zones of the north") == 1
    assert "And test them." in text
    assert text_of_messages(tmp_path, "Go on.", "Go on. And test it.", "Yes.").count("Go on.") == 2
