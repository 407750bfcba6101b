"""How turns are worded: pages hold the whole text."""

from __future__ import annotations

import json

import pytest

from compact_keeper.archive.wording import ALL_STEPS, GOES_ON, pages_of, turn_lines

SIZE = 6_000


@pytest.mark.parametrize("text", [
    "", "a", "a\nb", "x" * 20_000, "x" * 5_999 + "\n" + "y" * 6_001, "\n" * 13_000, "ab\n" * 9_000,
], ids=len)
def test_pages_hold_the_whole_text(text: str) -> None:
    pages = pages_of(text, SIZE)
    assert "".join(page.removeprefix(GOES_ON) for page in pages).replace("\n", "") == text.replace("\n", "")
    assert max(map(len, pages), default=0) <= SIZE


def test_a_page_is_not_cut_short_for_a_whole_line() -> None:
    assert len(pages_of("a\n" + "x" * 2 * SIZE, SIZE)[0]) == SIZE


@pytest.mark.parametrize(("cycle", "words"), [
    (1, " · after 1 compaction"), (2, " · after 2 compactions"), (0, "· session s")])
def test_of_a_turn_it_is_told_how_many_compactions_came_before(cycle: int, words: str) -> None:
    texts = {**dict.fromkeys(("answer", "command", "decision", "error", "file"), ""), "prompt": "Go on."}
    row = {"id": 1, "first": 1, "time": 0.0, "project": "/srv", "branch": "", "cycle": cycle, "session": "s",
           "who": "person", **texts, "steps": json.dumps([["prompt", 6, 1]])}
    assert next(turn_lines(row, ALL_STEPS)).endswith(words)


@pytest.mark.parametrize(("kind", "text", "word"), [
    ("answer", "Implement the following plan:\n\n# Zones", "plan"),
    ("answer", "I implement the following plan:", "said"),
    ("prompt", "Implement the following plan:", "typed")])
def test_a_plan_from_another_session_was_not_said(kind: str, text: str, word: str) -> None:
    texts = {**dict.fromkeys(("answer", "command", "decision", "error", "file", "prompt"), ""), kind: text}
    row = {"id": 1, "first": 1, "time": 0.0, "project": "/srv", "branch": "", "cycle": 0, "session": "s",
           "who": "person", **texts, "steps": json.dumps([[kind, len(text), 1]])}
    assert [*turn_lines(row, ALL_STEPS)][1].startswith(f"  #1 {word}: ")


@pytest.mark.parametrize(("step", "shown"), [
    ("Read /srv/a.py\n  → ended", "→ ended (what a file says is not kept)"),
    ("Read /srv/a.py\n  → ended\n    def price", "def price"), ("Read /srv/a.py\n  → failed", "→ failed"),
    ("$ Read\n  → ended", "→ ended"),
])
def test_a_file_that_was_read_says_that_its_lines_are_not_kept(step: str, shown: str) -> None:
    row = {"id": 1, "first": 1, "time": 0.0, "project": "/srv", "branch": "", "cycle": 0, "session": "s",
           "who": "person", "prompt": "", "answer": "", "command": "", "decision": "", "error": "", "file": step,
           "steps": json.dumps([["file", len(step), 1]])}
    assert [*turn_lines(row, ALL_STEPS)][-1].strip() == shown
